use std::time::{Duration, Instant};

use domain::journal::verify::Anchor;
use domain::key::WorkOrderKey;
use futures_util::future::join_all;
use journal::seal::{self, Sealer, VerifyRange};
use store::journal::seals::Which;
use store::{Db, Lock, StoreError, Tx};
use testkit::engine::Place;
use testkit::journal::{append, event};
use testkit::{Engine, Site, Value, json, on_both_engines};

use super::{store_orders, verify};

on_both_engines! {
    async fn every_event_is_sealed_within_a_second(site) {
        let viewer = site.user("viewer", "viewer").await;
        assert_eq!(viewer.get("/event/seal").await.expect(200).body, json!([]));
        let mut fastest = Duration::MAX;
        for round in 0..4_i64 {
            append(&site.app().db, (0..3).map(|index| event(round * 10 + index, "A")).collect()).await;
            let stored = Instant::now();
            site.sealed().await;
            fastest = fastest.min(stored.elapsed());
        }
        // A machine that does other things may be late now and then, not always.
        assert!(fastest < Duration::from_secs(1), "{fastest:?}");
        let seals = viewer.get("/event/seal").await.expect(200).body;
        let seals = seals.as_array().unwrap();
        let mut previous = ("0".repeat(64), 0);
        for (seal, block) in seals.iter().zip(1..) {
            assert_eq!((&seal["block"], &seal["kind"]), (&json!(block), &json!("events")));
            assert_eq!((&seal["user_key"], &seal["reason"]), (&Value::Null, &Value::Null));
            assert_eq!((&seal["prev_hash"], &seal["first_seq"]), (&json!(previous.0), &json!(previous.1 + 1)));
            assert_eq!(seal["sealed"], "2026-03-01T08:00:00.000Z");
            previous = (seal["hash"].as_str().unwrap().to_owned(), seal["last_seq"].as_i64().unwrap());
        }
        assert_eq!(previous.1, 12);
        assert_eq!(viewer.get("/event/seal?from_block=2&limit=1").await.body[0]["block"], 2);
        assert_eq!(viewer.get("/event/seal?limit=1&count=true").await.header("x-total-count"), seals.len().to_string());
        let found = verify(&viewer, "").await;
        assert_eq!((&found["ok"], &found["unsealed"], &found["events_checked"]), (&json!(true), &json!(0), &json!(12)));
        assert_eq!((&found["head_block"], &found["head_hash"]), (&json!(seals.len()), &json!(previous.0)));
        assert_eq!((&found["first_mismatch"], &found["next_block"]), (&Value::Null, &Value::Null));
    }

    async fn without_events_nothing_is_written(site) {
        store_orders(site, 1, &[1]).await;
        site.sealed().await;
        let db = &site.app().db;
        let sealer = Sealer::new(db);
        // The writer has ended what it did before.
        site.execute("delete from tag", vec![]).await;
        let before = db.version();
        for _ in 0..3 {
            sealer.seal(site.clock.now()).await.unwrap();
        }
        assert_eq!(db.version(), before);
        assert_eq!(site.count("seal").await, 1);
    }

    async fn many_events_make_blocks_of_ten_thousand(site) {
        append(&site.app().db, (1..=20_001).map(|key| event(key, "A")).collect()).await;
        site.sealed().await;
        let counts: Vec<i64> = site.all("select count from seal order by block").await;
        assert_eq!(counts, [10_000, 10_000, 1]);
        let viewer = site.user("viewer", "viewer").await;
        assert_eq!(verify(&viewer, "").await["events_checked"], 20_001);
    }

    async fn removals_are_entries_and_verify(site) {
        let admin = site.admin().await;
        store_orders(site, 1, &[5, 7, 5]).await;
        site.sealed().await;
        let sealed = site.count("seal").await;
        // Not waited for: the removal seals them first.
        store_orders(site, 11, &[7, 5]).await;
        let by = seal::Remover { user_key: domain::key::UserKey::trusted("anna"), now: site.clock.now() };
        let removed = site
            .app()
            .write("remove", async move |tx: &mut Tx| {
                tx.lock(Lock::Gate).await?;
                Ok(seal::remove(tx, Which::OfWorkOrder(WorkOrderKey(7)), &by).await?)
            })
            .await
            .unwrap();
        assert_eq!(removed, 2);
        let seals = admin.get("/event/seal").await.body;
        let last = seals.as_array().unwrap().last().unwrap();
        assert_eq!(last["block"], sealed + 2);
        let expected = [("kind", json!("removal")), ("count", json!(2)), ("first_seq", json!(2)), ("last_seq", json!(4)),
            ("user_key", json!("anna")), ("reason", json!("force_delete_work_order"))];
        for (name, value) in expected {
            assert_eq!(last[name], value, "{name}");
        }
        let found = verify(&admin, "").await;
        assert_eq!((&found["ok"], &found["events_checked"], &found["events_removed"]), (&json!(true), &json!(3), &json!(2)));

        let gone = admin.delete("/reset/prod").await.detail();
        assert_eq!(gone["removed"]["Event"], 3);
        let again = admin.delete("/reset/prod").await.detail();
        assert_eq!(again["removed"]["Event"], 0);
        let seals = admin.get("/event/seal").await.body;
        let [.., first, second] = seals.as_array().unwrap().as_slice() else { panic!("{seals}") };
        assert_eq!((&first["reason"], &first["user_key"], &first["count"]), (&json!("reset_prod"), &json!(admin.key), &json!(3)));
        assert_eq!((&second["first_seq"], &second["last_seq"], &second["count"]), (&Value::Null, &Value::Null, &json!(0)));
        assert_eq!((site.count("event").await, site.count("event_listed").await, site.count("sealed_event").await), (0, 0, 5));
        let stored = store_orders(site, 21, &[5]).await;
        assert_eq!(stored[0].seq, 6, "numbers go on");
        site.sealed().await;
        let found = verify(&admin, "").await;
        assert_eq!((&found["ok"], &found["events_checked"], &found["events_removed"]), (&json!(true), &json!(1), &json!(5)));
    }

    async fn a_refused_removal_leaves_no_entry(site) {
        let admin = site.admin().await;
        store_orders(site, 1, &[5]).await;
        site.sealed().await;
        let before = site.contents().await;
        admin.delete("/force-delete-work-order/0000000000005").await.expect(404);
        assert_eq!(site.contents().await, before);
        store_orders(site, 2, &[5]).await;
        crate::sweep::refuse_audit(site).await;
        admin.delete("/reset/prod").await.expect(500);
        site.sealed().await;
        assert_eq!(verify(&admin, "").await["ok"], true);
        assert_eq!(site.count("event").await, 2);
    }

    async fn a_long_chain_is_verified_in_calls(site) {
        for first in [1, 11, 21, 31] {
            store_orders(site, first, &[1, 2, 1, 2]).await;
            site.sealed().await;
        }
        site.admin().await.delete("/reset/prod").await.expect(200);
        let blocks = site.count("seal").await;
        let ask = async |from_block, to_block, events_at_once, anchor: Option<Anchor>| {
            let asked = VerifyRange { from_block, to_block, anchor, events_at_once };
            site.app().read(async |tx: &mut Tx| Ok(seal::verify(tx, &asked).await?)).await.unwrap()
        };
        let whole = ask(1, None, i64::MAX, None).await;
        assert!(whole.ok);
        assert_eq!((whole.blocks, whole.events_removed, whole.next_block), (blocks, 16, None));
        for at_once in [1, 5, 9] {
            let (mut next, mut all, mut calls) = (Some(1), domain::journal::verify::Verification::default(), 0);
            while let Some(from) = next {
                let part = ask(from, None, at_once, None).await;
                assert!(part.blocks > 0, "every call goes on");
                next = part.next_block;
                all = all.followed_by(part);
                calls += 1;
            }
            assert_eq!(all, whole);
            assert!(calls > 1);
        }
        let part = ask(2, Some(3), i64::MAX, None).await;
        assert_eq!((part.ok, part.blocks, part.head_block), (true, 2, Some(blocks)));
        let beyond = ask(blocks + 5, None, i64::MAX, None).await;
        assert_eq!((beyond.ok, beyond.blocks), (true, 0));
    }
}

async fn verify_all(db: &Db) -> domain::journal::verify::Verification {
    let asked = VerifyRange { from_block: 1, to_block: None, anchor: None, events_at_once: i64::MAX };
    let found: Result<_, StoreError> = db.read(async |tx: &mut Tx| seal::verify(tx, &asked).await).await;
    found.unwrap()
}

/// What was stored last is sealed at the stop, and what was not, at the next start.
#[test]
fn a_stop_and_a_start_seal_too() {
    testkit::block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let place = Place::new(engine).await;
            let mut settings = place.settings();
            settings.admin_password = Some(testkit::ADMIN_PASSWORD.to_owned());
            let node = tracewright::start(&settings, api::Clock::system()).await.unwrap();
            append(&node.app.db, vec![event(1, "A"), event(2, "A")]).await;
            node.stop().await;

            let (db, _) = Db::open(&settings.location().unwrap()).await.unwrap();
            let found = verify_all(&db).await;
            assert_eq!((found.ok, found.events_checked, found.unsealed), (true, 2, 0));
            append(&db, vec![event(3, "A")]).await;
            assert_eq!(verify_all(&db).await.unsealed, 1);
            db.close().await;
            drop(db);

            let node = tracewright::start(&settings, api::Clock::system()).await.unwrap();
            let mut unsealed = 1;
            for _ in 0..1000 {
                unsealed = verify_all(&node.app.db).await.unsealed;
                if unsealed == 0 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            assert_eq!(unsealed, 0);
            node.stop().await;
            place.remove().await;
        }
    });
}

/// Two servers and some more sealers on one PostgreSQL, events and removals all the while: one chain.
#[test]
fn many_sealers_make_one_chain() {
    testkit::block_on(async {
        let site = Site::start(Engine::Postgres).await;
        let second = site.second_node().await;
        let (here, there) = (site.app().db.clone(), second.app.db.clone());
        let appending = (0..6_i64).map(|writer| {
            let db = if writer % 2 == 0 { &here } else { &there };
            async move {
                for index in 0..30 {
                    let key = writer * 1_000 + index * 2;
                    let mut events = vec![event(key, "A"), event(key + 1, "A")];
                    events.iter_mut().for_each(|event| event.concerns.work_order_key = Some(WorkOrderKey(writer)));
                    // As everybody does who stores events.
                    db.write("append", async move |tx: &mut Tx| {
                        tx.lock_shared(Lock::Gate).await?;
                        store::journal::events::append(tx, &mut events.clone()).await
                    })
                    .await
                    .unwrap();
                }
            }
        });
        let now = site.clock.now();
        let sealing = (0..6).map(|index| {
            let sealer = Sealer::new(if index % 2 == 0 { &here } else { &there });
            async move {
                for _ in 0..40 {
                    sealer.seal(now).await.unwrap();
                    tokio::task::yield_now().await;
                }
            }
        });
        let removing = [2, 3].map(|order| {
            let (db, by) = (&here, seal::Remover { user_key: domain::key::UserKey::trusted("anna"), now });
            async move {
                db.write("remove", async move |tx: &mut Tx| {
                    tx.lock(Lock::Gate).await?;
                    seal::remove(tx, Which::OfWorkOrder(WorkOrderKey(order)), &by).await
                })
                .await
                .unwrap();
            }
        });
        futures_util::future::join3(join_all(appending), join_all(sealing), join_all(removing)).await;
        site.sealed().await;
        let found = verify_all(&here).await;
        assert_eq!(found.first_mismatch, None);
        assert_eq!(found.events_checked + found.events_removed, 360);
        assert_eq!(found.unsealed, 0);
        assert!(found.blocks > 3);
        second.stop().await;
        site.stop().await;
    });
}
