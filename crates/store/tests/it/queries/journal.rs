use domain::journal::{Concerns, Event};
use domain::key::{EventKey, JobKey, ProductKey, TaskKey};
use serde_json::json;
use store::journal::{events, seals};
use store::{Db, StoreError, Tx};
use testkit::journal::{append, event};

use super::run;
use super::samples::{NOW, PAGE};

fn wanted_events(types: &[&str]) -> events::Wanted {
    let names: Vec<String> = types.iter().map(|name| (*name).to_owned()).collect();
    events::Wanted {
        types: names.clone(),
        user_keys: names,
        concerns: Concerns {
            job_key: Some(JobKey(1)),
            product_key: Some(ProductKey::trusted("P")),
            ..Concerns::default()
        },
        event_group: Some(EventKey(1)),
        context_type: Some("task".to_owned()),
        context_key: Some(TaskKey(1)),
        primary: Some(true),
        from: Some(NOW),
        to: Some(NOW),
        after_seq: Some(0),
    }
}

pub(super) async fn run(db: &Db) {
    append(db, vec![Event { payload: json!({ "product_keys": ["P"] }), ..event(40, "LISTED") }]).await;
    run!(db, tx:
        events::find(tx, EventKey(1)),
        events::shown(tx, 1),
        events::children(tx, &event(1, "A")),
        events::list(tx, &wanted_events(&["A"]), events::Order::Seq, &PAGE),
        events::list(tx, &wanted_events(&["A", "B"]), events::Order::NewestFirst, &PAGE),
        events::list(tx, &wanted_events(&[]), events::Order::OldestFirst, &PAGE),
        events::list(tx, &wanted_events(&[]), events::Order::SeqDescending, &PAGE),
        seals::list(tx, 0, &PAGE),
        seals::find(tx, 1),
        seals::last(tx),
    );
}
