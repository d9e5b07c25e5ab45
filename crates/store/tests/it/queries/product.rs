use domain::bom_line::{ConsumptionOptions, SentLine};
use domain::key::{OperationKey, ProductId, ProductKey, TagKey};
use domain::search::Pattern;
use serde_json::json;
use store::product::{boms, components, products};
use store::{Db, StoreError, Tx};

use super::run;
use super::samples::{PAGE, one, product, text};

fn wanted_products(either: bool) -> products::Wanted {
    let tags = vec![TagKey::trusted("T")];
    products::Wanted {
        search: Some(Pattern::substring("wheel")),
        search_description: either,
        include_text: Some(Pattern::substring("w")),
        exclude_text: Some(Pattern::substring("nothing")),
        tag_key: Some(TagKey::trusted("T")),
        include_tags: tags.clone(),
        include_any: either,
        exclude_tags: tags,
        exclude_all: either,
        operation_key: Some(OperationKey::trusted("O")),
        active_only: true,
        traceability_only: true,
    }
}

fn sent_line() -> SentLine {
    SentLine {
        component_key: Some(ProductKey::trusted("P")),
        component_code: Some("P-1".to_owned()),
        qt: one(1),
        phase_key: None,
        consumption_options: Some(ConsumptionOptions::default()),
        extra: json!(null),
    }
}

pub(super) async fn run(db: &Db) {
    run!(db, tx:
        boms::versions(tx, ProductId(1), &PAGE),
        components::named(tx, &[sent_line()]),
        products::find(tx, &ProductKey::trusted("P")),
        products::lock(tx, &ProductKey::trusted("P")),
        products::lock_by_code(tx, "P-1"),
        products::lock_all(tx, &text("P")),
        products::by_codes(tx, &text("P-1")),
        products::list(tx, &wanted_products(true), &PAGE),
        products::list(tx, &wanted_products(false), &PAGE),
        products::list_after(tx, &products::Wanted::default(), Some(&product()), 10),
        products::list_metadata(tx, &products::Wanted::default()),
        products::names_by_id(tx, &[1]),
        products::by_ids(tx, &[1]),
    );
}
