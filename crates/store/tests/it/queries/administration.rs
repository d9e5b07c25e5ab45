use domain::key::CounterKey;
use domain::search::Pattern;
use store::administration::{audit, counters, custom_data};
use store::{Db, StoreError, Tx};

use super::run;
use super::samples::{NOW, PAGE, text};

pub(super) async fn run(db: &Db) {
    run!(db, tx:
        audit::list(tx, &audit::Wanted {
            user_keys: text("mario"),
            operations: text("o"),
            targets: text("Job/1"),
            outcomes: text("done"),
            from: Some(NOW),
            to: Some(NOW),
        }, &PAGE),
        counters::find(tx, &CounterKey::trusted("C")),
        counters::list(tx, Some("c"), Some(&CounterKey::trusted("C")), &PAGE),
        counters::lock(tx, &CounterKey::trusted("C")),
        counters::lock_periodic(tx),
        custom_data::find(tx, "c"),
        custom_data::lock(tx, "c"),
        custom_data::list(tx, Some(&Pattern::substring("c")), &PAGE),
    );
}
