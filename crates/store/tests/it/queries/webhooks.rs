//! Webhooks and what is on its way to them.

use domain::key::{DeliveryKey, EventKey, WebhookKey};
use domain::notification::webhook::{DeliveryState, EventFilter};
use store::notification::deliveries::{self, AT_ONCE, Delivery};
use store::notification::webhooks::{self, Webhook};
use store::{Db, StoreError, Tx};
use testkit::journal::{append, event};

use super::run;
use super::samples::{NOW, PAGE, text, user};

fn key() -> WebhookKey {
    WebhookKey::trusted("hook")
}

fn webhook() -> Webhook {
    Webhook {
        key: key(),
        rev: 1,
        name: Some("ERP".to_owned()),
        url: "https://erp.example/".to_owned(),
        secret: "sixteen letters!".to_owned(),
        event_types: EventFilter(text("JOB_*")),
        active: true,
        cursor: 0,
        created: NOW,
        created_by: user(),
        updated: NOW,
        removed: false,
    }
}

fn delivery(delivery: i64, seq: i64) -> Delivery {
    Delivery {
        key: DeliveryKey(delivery),
        webhook_key: key(),
        seq,
        event_key: EventKey(seq),
        event_type: "JOB_STARTED".to_owned(),
        state: DeliveryState::Pending,
        attempts: 0,
        created: NOW,
        next_attempt: Some(NOW),
        delivered: None,
        last_status: None,
        last_error: None,
        finished: None,
        body: Some("{}".to_owned()),
    }
}

fn delivered(key: i64, seq: i64) -> Delivery {
    Delivery {
        state: DeliveryState::Delivered,
        attempts: 1,
        next_attempt: None,
        delivered: Some(NOW),
        last_status: Some(200),
        finished: Some(NOW),
        body: None,
        ..delivery(key, seq)
    }
}

/// How many deliveries there are in this state.
async fn count(db: &Db, state: DeliveryState) -> usize {
    let listed = db.read(async |tx: &mut Tx| deliveries::list(tx, &key(), &[state], &PAGE).await).await;
    listed.unwrap().rows.len()
}

pub(super) async fn run(db: &Db) {
    run!(db, tx:
        webhooks::insert(tx, &webhook()),
        webhooks::list(tx, &PAGE),
        webhooks::count(tx),
        webhooks::release_all(tx, "nobody"),
        webhooks::lock(tx, &key()),
        webhooks::update(tx, &Webhook { rev: 2, ..webhook() }),
        deliveries::list(tx, &key(), &[], &PAGE),
    );
    let seq = append(db, vec![event(50, "JOB_STARTED")]).await[0].seq;
    let due = async || db.read(async |tx: &mut Tx| webhooks::due(tx, NOW).await).await.unwrap();
    assert_eq!(due().await, [key()], "there is an event that it was not told");
    run!(db, tx: deliveries::events_between(tx, 0, seq, 10), deliveries::insert(tx, &delivery(1, seq)));
    let second = db.write("second", async move |tx: &mut Tx| deliveries::insert(tx, &delivery(2, seq)).await).await;
    assert!(matches!(second, Err(StoreError::Constraint(_))), "only one is pending: {second:?}");
    assert_eq!(due().await, [key()]);
    run!(db, tx: deliveries::hurry(tx, &key(), NOW.plus_seconds(1)));
    assert!(due().await.is_empty(), "its time has not come");
    run!(db, tx: deliveries::update(tx, &delivered(1, seq)), webhooks::advance(tx, &key(), seq));
    assert!(due().await.is_empty(), "it was told everything");
    let found = db.read(async |tx: &mut Tx| webhooks::find(tx, &key()).await).await.unwrap().unwrap();
    assert_eq!((found.cursor, found.rev, found.event_types), (seq, 2, webhook().event_types));

    run!(db, tx: deliveries::insert(tx, &delivery(3, seq)));
    let pending = db.read(async |tx: &mut Tx| deliveries::pending(tx, &key()).await).await.unwrap().unwrap();
    assert_eq!((pending.key, pending.body.as_deref()), (DeliveryKey(3), Some("{}")));
    run!(db, tx: deliveries::give_up(tx, &key(), "replaced", NOW), deliveries::find(tx, delivery(3, seq).key));
    assert_eq!((count(db, DeliveryState::Failed).await, count(db, DeliveryState::Delivered).await), (1, 1));
    run!(db, tx: deliveries::remove_old(tx, NOW));
    assert_eq!(count(db, DeliveryState::Failed).await, 1, "it is kept for its time");
    run!(db, tx: deliveries::remove_old(tx, NOW.plus_seconds(1)));
    assert_eq!(count(db, DeliveryState::Failed).await + count(db, DeliveryState::Delivered).await, 0);
    run!(db, tx: deliveries::insert(tx, &delivery(4, seq)));
    assert_eq!(count(db, DeliveryState::Pending).await, 1);
    run!(db, tx: webhooks::remove(tx, &key()));
    assert_eq!(count(db, DeliveryState::Pending).await, 0);
    many_go_in_pieces(db, seq).await;
}

/// A deleted webhook is there until the last of its deliveries is gone, and nobody sees it.
async fn many_go_in_pieces(db: &Db, seq: i64) {
    let pieces = 2;
    run!(db, tx: webhooks::insert(tx, &webhook()));
    let fill = async move |tx: &mut Tx| {
        for number in 0..pieces * AT_ONCE as i64 {
            deliveries::insert(tx, &delivered(100 + number, seq)).await?;
        }
        Ok::<_, StoreError>(())
    };
    db.write("fill", fill).await.unwrap();
    let old = async || {
        db.write("old", async |tx: &mut Tx| deliveries::remove_old(tx, NOW.plus_seconds(1)).await).await.unwrap()
    };
    assert_eq!(old().await, AT_ONCE);
    run!(db, tx: webhooks::remove(tx, &key()));
    let seen = db.read(async |tx: &mut Tx| webhooks::find(tx, &key()).await).await.unwrap();
    assert!(seen.is_none());
    let left = db.read(async |tx: &mut Tx| webhooks::due(tx, NOW).await).await.unwrap();
    assert_eq!(left, [key()], "somebody has to clear it");
    let cleared = db.write("clear", async |tx: &mut Tx| webhooks::clear(tx, &key()).await).await.unwrap();
    assert!(!cleared, "nothing is left");
    assert!(db.write("look", async |tx: &mut Tx| webhooks::lock(tx, &key()).await).await.unwrap().is_none());
}
