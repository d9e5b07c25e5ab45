use domain::collection::Collection;
use domain::key::{FieldKey, OperationKey, ProductId, StepKey, TagKey};
use domain::search::Pattern;
use store::process::{operations, phases, steps};
use store::quality::{fields, lists};
use store::{Db, StoreError, Tx, tags};

use super::run;
use super::samples::{PAGE, text};

pub(super) async fn run(db: &Db) {
    run!(db, tx:
        operations::list(tx, &PAGE),
        operations::find_all(tx, &text("O")),
        operations::lock(tx, &OperationKey::trusted("O")),
        phases::of_product(tx, ProductId(1)),
        phases::with_operation(tx, &[1], &OperationKey::trusted("O")),
        phases::find_all(tx, &[1]),
        steps::of_phases(tx, &[1]),
        steps::of_operations(tx, &text("O")),
        steps::lock_of_phases(tx, &[1]),
        steps::lock_of_operation(tx, &OperationKey::trusted("O")),
        steps::find(tx, StepKey(1)),
        fields::list(tx, Some("f"), Some(&FieldKey::trusted("F")), &PAGE),
        fields::lock(tx, &FieldKey::trusted("F")),
        fields::find_all(tx, &text("F")),
        fields::by_slug(tx, "f"),
        lists::list(tx, &FieldKey::trusted("F"), Some(&Pattern::substring("f")), lists::SortBy::Value, &PAGE),
        lists::list(tx, &FieldKey::trusted("F"), None, lists::SortBy::ExtKey, &PAGE),
        lists::list(tx, &FieldKey::trusted("F"), None, lists::SortBy::Key, &PAGE),
        tags::list(
            tx,
            Some(&Pattern::substring("t")),
            Some(&tags::Tagged { collection: Collection::Product, key: "P".to_owned() }),
            &PAGE
        ),
        tags::of_records(tx, Collection::Product, &text("P")),
        tags::lock(tx, &TagKey::trusted("T")),
    );
}
