//! Storing events and finding them again.

use domain::Timestamp;
use domain::journal::{Concerns, Event};
use domain::key::{EventKey, JobKey, ProductKey, SerialKey, TaskKey, UserKey, id_to_text};
use futures_util::future::join_all;
use serde_json::json;
use store::journal::events::{self, Order, Wanted};
use store::{Db, Page, Sql, StoreError, Tx};
use testkit::journal::{append, event};

const ALL: Page = Page { limit: 10_000, offset: 0, count: false };

async fn list(db: &Db, wanted: Wanted, order: Order, page: Page) -> Vec<Event> {
    let found = db.read(async |tx: &mut Tx| events::list(tx, &wanted, order, &page).await).await;
    let found: Result<_, StoreError> = found;
    found.unwrap().rows
}

async fn seqs(db: &Db, wanted: Wanted) -> Vec<i64> {
    list(db, wanted, Order::Seq, ALL).await.iter().map(|event| event.seq).collect()
}

/// One event with everything an event can have.
fn full(key: i64) -> Event {
    Event {
        sent_by: Some(domain::key::UserKey::trusted("gateway")),
        user_session_key: Some(domain::key::UserSessionKey(77)),
        description: Some("a \"description\" \\ with \u{1} and 😀".to_owned()),
        context_type: Some("task".to_owned()),
        context_key: Some(TaskKey(5)),
        primary: false,
        event_group: EventKey(1),
        source_key: Some(EventKey(1)),
        concerns: Concerns {
            job_key: Some(JobKey(10)),
            phase_key: Some(domain::key::PhaseKey(11)),
            batch_key: Some(domain::key::BatchKey(12)),
            work_order_key: Some(domain::key::WorkOrderKey(13)),
            product_key: Some(ProductKey::trusted("P-1")),
            serial_key: Some(SerialKey(15)),
            issue_key: Some(domain::key::IssueKey(16)),
            task_key: Some(TaskKey(17)),
            movement_key: Some(domain::key::MovementKey(i64::MAX)),
        },
        payload: serde_json::from_str(
            r#"{"z": 1.50, "a": [null, 1E3, {"deep": null}], "text": "\u0000\u001f\"", "big": 1e400}"#,
        )
        .unwrap(),
        ..event(key, "SERIAL_UPDATED")
    }
}

/// From the numbers to the commit everybody else waits: a node that freezes there is not waited for long.
#[test]
fn whoever_has_numbered_events_may_not_rest() {
    super::on_postgres(async |db| {
        let rest = || Sql::raw("select current_setting('idle_in_transaction_session_timeout')");
        for drawn in [false, true] {
            let number = async move |tx: &mut Tx| {
                let before: String = tx.one(rest(), &[]).await?;
                match drawn {
                    true => events::append(tx, &mut [event(1, "A")]).await?,
                    false => {
                        events::append_last(tx, vec![event(2, "A")]).await?;
                        tx.flush().await?;
                    }
                }
                Ok::<_, StoreError>((before, tx.one::<String>(rest(), &[]).await?))
            };
            let (before, after) = db.write("number", number).await.unwrap();
            assert_eq!((before.as_str(), after.as_str()), ("45s", "5s"));
        }
        assert_eq!(seqs(&db, Wanted::default()).await, [1, 2]);
    });
}

#[test]
fn what_is_stored_is_read_back_alone_and_among_others() {
    super::on_both(async |db| {
        let alone = append(&db, vec![full(1)]).await;
        let together = append(&db, vec![event(2, "A"), full(3), event(4, "A")]).await;
        assert_eq!(together.iter().map(|event| event.seq).collect::<Vec<_>>(), [2, 3, 4]);
        for event in alone.iter().chain(&together) {
            let key = event.key;
            let found = db.read(async |tx: &mut Tx| events::find(tx, key).await).await;
            let found: Result<_, StoreError> = found;
            let found = found.unwrap().unwrap();
            assert_eq!(found.digest(), event.digest());
            assert_eq!(found.payload.to_string(), event.payload.to_string(), "numbers keep their text");
            assert_eq!(&found, event);
        }
        assert!(append(&db, vec![]).await.is_empty());
        assert_eq!(append(&db, vec![event(9, "A")]).await[0].seq, 5, "nothing was drawn for nothing");
    });
}

#[test]
fn thousands_go_in_and_large_ones_too() {
    super::on_both(async |db| {
        let many: Vec<Event> = (1..=12_001).map(|key| event(key, "A")).collect();
        let stored = append(&db, many).await;
        assert_eq!(stored.last().unwrap().seq, 12_001);
        let serials: Vec<String> = (1..=11_000).map(id_to_text).collect();
        let text = "x".repeat(9 * 1024 * 1024);
        let large = |key| Event { payload: json!({ "serial_keys": serials, "text": text }), ..event(key, "LARGE") };
        append(&db, vec![large(20_001), large(20_002)]).await;
        let of = |serial| Wanted {
            concerns: Concerns { serial_key: Some(SerialKey(serial)), ..Default::default() },
            ..Default::default()
        };
        assert_eq!(seqs(&db, of(11_000)).await, [12_002, 12_003]);
        assert_eq!(seqs(&db, of(11_001)).await, Vec::<i64>::new());
    });
}

#[test]
fn all_filters_combine() {
    super::on_both(async |db| {
        let product = |key, code: &str| Event {
            concerns: Concerns { product_key: Some(ProductKey::trusted(code)), ..Default::default() },
            ..event(key, "MADE")
        };
        let other_user = Event { user_key: UserKey::trusted("luigi"), ..product(30, "P") };
        let in_list = Event { payload: json!({ "product_keys": ["P", "Q"] }), ..event(40, "LISTED") };
        let in_group = Event {
            primary: false,
            event_group: EventKey(10),
            source_key: Some(EventKey(10)),
            context_type: Some("task".to_owned()),
            context_key: Some(TaskKey(3)),
            ..event(50, "CHILD")
        };
        append(&db, vec![product(10, "P"), product(20, "Q"), other_user, in_list]).await;
        append(&db, vec![in_group]).await;

        let none = Wanted::default;
        let of = |code: &str| Wanted {
            concerns: Concerns { product_key: Some(ProductKey::trusted(code)), ..Default::default() },
            ..none()
        };
        let texts = |values: &[&str]| values.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let at = |millis| Some(Timestamp::from_millis(millis));
        let cases: Vec<(Wanted, Vec<i64>)> = vec![
            (none(), vec![1, 2, 3, 4, 5]),
            (of("P"), vec![1, 3, 4]),
            (of("Q"), vec![2, 4]),
            (of("R"), vec![]),
            (Wanted { types: texts(&["MADE"]), ..of("P") }, vec![1, 3]),
            (Wanted { types: texts(&["MADE", "CHILD"]), ..none() }, vec![1, 2, 3, 5]),
            (Wanted { user_keys: texts(&["luigi", "peach"]), ..of("P") }, vec![3]),
            (Wanted { user_keys: texts(&["mario"]), types: texts(&["MADE"]), ..none() }, vec![1, 2]),
            (Wanted { event_group: Some(EventKey(10)), ..none() }, vec![1, 5]),
            (Wanted { event_group: Some(EventKey(10)), primary: Some(true), ..none() }, vec![1]),
            (Wanted { primary: Some(false), ..none() }, vec![5]),
            (Wanted { context_type: Some("task".to_owned()), context_key: Some(TaskKey(3)), ..none() }, vec![5]),
            (Wanted { context_key: Some(TaskKey(4)), ..none() }, vec![]),
            (Wanted { from: at(20), to: at(40), ..none() }, vec![2, 3, 4]),
            (Wanted { from: at(21), ..of("P") }, vec![3, 4]),
            (Wanted { after_seq: Some(3), ..none() }, vec![4, 5]),
            (Wanted { after_seq: Some(3), ..of("Q") }, vec![4]),
        ];
        for (wanted, expected) in cases {
            assert_eq!(seqs(&db, wanted.clone()).await, expected, "{wanted:?}");
            let mut turned: Vec<i64> =
                list(&db, wanted.clone(), Order::NewestFirst, ALL).await.iter().map(|event| event.seq).collect();
            turned.reverse();
            assert_eq!(turned, expected, "{wanted:?}");
            let counted = Page { limit: 1, offset: 1, count: true };
            let page: Result<_, StoreError> =
                db.read(async |tx: &mut Tx| events::list(tx, &wanted, Order::Seq, &counted).await).await;
            let page = page.unwrap();
            assert_eq!(page.total, Some(expected.len() as i64));
            assert_eq!(page.rows.first().map(|event| event.seq), expected.get(1).copied());
        }
    });
}

#[test]
fn events_are_ordered_by_time_or_by_number() {
    super::on_both(async |db| {
        let at = |key, millis| Event { timestamp: Timestamp::from_millis(millis), ..event(key, "A") };
        append(&db, vec![at(1, 30), at(2, 10), at(3, 30), at(4, 20)]).await;
        let order = async |order| {
            list(&db, Wanted::default(), order, ALL).await.iter().map(|event| event.key.0).collect::<Vec<_>>()
        };
        assert_eq!(order(Order::OldestFirst).await, [2, 4, 1, 3]);
        assert_eq!(order(Order::NewestFirst).await, [3, 1, 4, 2]);
        assert_eq!(order(Order::Seq).await, [1, 2, 3, 4]);
        assert_eq!(order(Order::SeqDescending).await, [4, 3, 2, 1]);
    });
}

#[test]
fn children_are_those_an_event_made_itself() {
    super::on_both(async |db| {
        let child = |key, source| Event {
            primary: false,
            event_group: EventKey(1),
            source_key: Some(EventKey(source)),
            ..event(key, "C")
        };
        let stored = append(&db, vec![event(1, "P"), child(2, 1), child(3, 2), child(4, 1)]).await;
        let of = async |index: usize| {
            let children: Result<_, StoreError> =
                db.read(async |tx: &mut Tx| events::children(tx, &stored[index]).await).await;
            children.unwrap().iter().map(|event| event.key.0).collect::<Vec<_>>()
        };
        assert_eq!(of(0).await, [2, 4]);
        assert_eq!(of(1).await, [3]);
        assert!(of(3).await.is_empty());
    });
}

#[test]
fn numbers_are_drawn_without_gaps_or_repeats_by_many_at_once() {
    super::on_both(async |db| {
        let writers = (0..8_i64).map(|writer| {
            let db = db.clone();
            async move {
                for index in 0..25 {
                    let first = writer * 1_000 + index * 3;
                    let count = 1 + index % 3;
                    let stored = append(&db, (first..first + count).map(|key| event(key, "A")).collect()).await;
                    assert!(stored.windows(2).all(|pair| pair[1].seq == pair[0].seq + 1));
                }
            }
        });
        join_all(writers).await;
        let found = seqs(&db, Wanted::default()).await;
        assert_eq!(found, (1..=found.len() as i64).collect::<Vec<_>>());
        assert_eq!(found.len(), 8 * (8 * 6 + 1));
    });
}
