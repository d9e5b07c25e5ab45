use testkit::{Person, Site, Value, json, on_both_engines};

use super::{place_of, store_orders, tamper, verify};
use crate::process::tracewright;

/// The exit status of the command, and what it says.
async fn command(site: &Site, arguments: &[&str]) -> (i32, String) {
    let mut command = tracewright(&["verify"]);
    command.args(arguments).args(site.place.flags());
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

/// Both ways to verify find the same.
async fn expect(site: &Site, person: &Person, block: i64, seq: Value, kind: &str) {
    let found = verify(person, "").await;
    assert_eq!(found["ok"], false, "{found}");
    assert_eq!(place_of(&found), (json!(block), seq.clone(), json!(kind)), "{found}");
    let (status, text) = command(site, &[]).await;
    let place = if seq.is_null() { format!("block {block} (") } else { format!("block {block}, event {seq} (") };
    assert!(status == 1 && text.contains(&format!("{kind} at {place}")), "{text}");
}

async fn expect_ok(site: &Site, person: &Person) {
    assert_eq!(verify(person, "").await["ok"], true);
    let (status, text) = command(site, &[]).await;
    assert!(status == 0 && text.contains("Everything is as it was sealed."), "{text}");
}

/// Blocks: 1 has events 1 to 3, 2 has 6 and 7, 3 removed event 2, 4 has 8.
async fn sample(site: &Site) -> Person {
    let admin = site.admin().await;
    store_orders(site, 1, &[5, 7, 5]).await;
    site.sealed().await;
    site.execute("update journal_head set seq = seq + 2", vec![]).await;
    site.execute("create table kept as select * from event", vec![]).await;
    store_orders(site, 11, &[5, 5]).await;
    site.sealed().await;
    let by = journal::seal::Remover { user_key: domain::key::UserKey::trusted("anna"), now: site.clock.now() };
    let which = store::journal::seals::Which::OfWorkOrder(domain::key::WorkOrderKey(7));
    let remove = async move |tx: &mut store::Tx| Ok(journal::seal::remove(tx, which, &by).await?);
    site.app().write("remove", remove).await.unwrap();
    store_orders(site, 21, &[5]).await;
    site.sealed().await;
    assert_eq!(site.all::<i64>("select count from seal order by block").await, [3, 2, 1, 1]);
    admin
}

on_both_engines! {
    async fn a_journal_without_blocks_is_not_said_to_be_sealed(site) {
        let admin = site.admin().await;
        let answer = admin.get("/event/verify").await.expect(200).body;
        assert_eq!((&answer["message"], &answer["detail"]["ok"]), (&json!("Nothing has been sealed yet."), &json!(true)));
        let (status, text) = command(site, &[]).await;
        assert!(status == 0 && text.ends_with("Nothing has been sealed yet.\n"), "{text}");
        store_orders(site, 1, &[5]).await;
        site.sealed().await;
        let message = async |query: &str| admin.get(&format!("/event/verify{query}")).await.expect(200).body["message"].clone();
        assert_eq!(message("").await, "Everything is as it was sealed.");
        assert_eq!(message("?from_block=2").await, "There is no block in this range.");
    }

    async fn every_change_of_an_event_is_found(site) {
        let admin = sample(site).await;
        expect_ok(site, &admin).await;
        let changes = [
            ("update event set description = 'x' where seq = 6", "update event set description = null where seq = 6", 2, 6),
            ("update event set payload = '{\"a\":1}' where seq = 7", "update event set payload = '{}' where seq = 7", 2, 7),
            ("update event set payload = '{' where seq = 7", "update event set payload = '{}' where seq = 7", 2, 7),
            ("update event set user_key = 'luigi' where seq = 1", "update event set user_key = 'mario' where seq = 1", 1, 1),
            ("update event set sent_by = 'luigi' where seq = 1", "update event set sent_by = null where seq = 1", 1, 1),
            ("update event set shown = '{\"a\":1}' where seq = 7", "update event set shown = null where seq = 7", 2, 7),
            ("insert into event_listed values ('serial', '0000000000001', 6)", "delete from event_listed where seq = 6", 2, 6),
            ("update event set timestamp = 5 where seq = 3", "update event set timestamp = 3 where seq = 3", 1, 3),
        ];
        for (change, undo, block, seq) in changes {
            tamper(site, change, vec![]).await;
            expect(site, &admin, block, json!(seq), "event_changed").await;
            tamper(site, undo, vec![]).await;
        }
        expect_ok(site, &admin).await;
        // The payload says the same in other words.
        tamper(site, "update event set payload = ' { \"a\": null } ' where seq = 7", vec![]).await;
        expect_ok(site, &admin).await;
    }

    async fn missing_extra_and_returned_events_are_found(site) {
        let admin = sample(site).await;
        tamper(site, "delete from event where seq = 3", vec![]).await;
        expect(site, &admin, 1, json!(3), "event_missing").await;
        // A reset later does not hide it.
        tamper(site, "insert into event select * from kept where seq = 3", vec![]).await;
        expect_ok(site, &admin).await;
        tamper(site, "insert into event select * from kept where seq = 2", vec![]).await;
        expect(site, &admin, 1, json!(2), "removed_present").await;
        tamper(site, "delete from event where seq = 2", vec![]).await;
        let copy = "insert into event (seq, key, event_type, user_key, timestamp, recorded, is_primary, event_group, payload)
                    select 5, 99, event_type, user_key, timestamp, recorded, is_primary, event_group, payload
                    from kept where seq = 1";
        tamper(site, copy, vec![]).await;
        expect(site, &admin, 2, json!(5), "event_extra").await;
        tamper(site, "delete from event where seq = 5", vec![]).await;
        expect_ok(site, &admin).await;

        tamper(site, "delete from event where seq = 3", vec![]).await;
        admin.delete("/reset/prod").await.expect(200);
        expect(site, &admin, 1, json!(3), "event_missing").await;
    }

    async fn changes_of_the_chain_are_found(site) {
        let admin = sample(site).await;
        let digest: Vec<u8> = site.look("select digest from sealed_event where seq = 6", vec![]).await.unwrap();
        let set_digest = "update sealed_event set digest = $1 where seq = 6";
        tamper(site, set_digest, vec![vec![1_u8; 32].into()]).await;
        expect(site, &admin, 2, json!(6), "block_changed").await;
        tamper(site, set_digest, vec![digest.into()]).await;

        tamper(site, "update seal set sealed = sealed + 1 where block = 2", vec![]).await;
        expect(site, &admin, 2, Value::Null, "block_changed").await;
        tamper(site, "update seal set sealed = sealed - 1 where block = 2", vec![]).await;

        tamper(site, "update sealed_event set removed_in = 3 where seq = 6", vec![]).await;
        expect(site, &admin, 2, json!(6), "removed_present").await;
        tamper(site, "update sealed_event set removed_in = null where seq = 6", vec![]).await;

        let previous: Vec<u8> = site.look("select prev_hash from seal where block = 3", vec![]).await.unwrap();
        let set_previous = "update seal set prev_hash = $1 where block = 3";
        tamper(site, set_previous, vec![vec![1_u8; 32].into()]).await;
        expect(site, &admin, 3, Value::Null, "chain_broken").await;
        tamper(site, set_previous, vec![previous.into()]).await;
        expect_ok(site, &admin).await;

        tamper(site, "delete from seal where block = 4", vec![]).await;
        // Its digests are still there.
        expect(site, &admin, 4, json!(8), "chain_broken").await;
        tamper(site, "delete from seal where block = 2", vec![]).await;
        expect(site, &admin, 2, Value::Null, "chain_broken").await;
        let later = verify(&admin, "?from_block=3&to_block=3").await;
        assert_eq!(place_of(&later), (json!(2), Value::Null, json!("chain_broken")), "it does not continue anything");
    }

    async fn an_end_that_was_cut_off_is_found(site) {
        let admin = sample(site).await;
        let head = verify(&admin, "").await["head_block"].as_i64().unwrap();
        let last: i64 = site.look("select max(seq) from event", vec![]).await.unwrap();
        let first: i64 = site.look("select first_seq from seal where block = $1", vec![head.into()]).await.unwrap();
        tamper(site, "delete from seal where block = $1", vec![head.into()]).await;
        for table in ["event", "sealed_event"] {
            tamper(site, &format!("delete from {table} where seq >= $1"), vec![first.into()]).await;
        }
        assert!(first <= last);
        let found = verify(&admin, "").await;
        assert_eq!(place_of(&found), (json!(head), json!(first), json!("event_missing")), "{found}");
        assert_eq!(found["first_mismatch"]["expected"], last.to_string());
        assert_eq!(command(site, &[]).await.0, 1);
    }

    async fn a_chain_written_anew_is_found_by_an_anchor(site) {
        let admin = sample(site).await;
        let head = verify(&admin, "").await;
        let (block, hash) = (head["head_block"].clone(), head["head_hash"].as_str().unwrap().to_owned());
        let anchor = format!("?anchor_block={block}&anchor_hash={hash}");
        assert_eq!(verify(&admin, &anchor).await["ok"], true);
        let block_text = block.to_string();
        let arguments = ["--anchor-block", &block_text, "--anchor-hash", &hash];
        assert_eq!(command(site, &arguments).await.0, 0);

        tamper(site, "update event set description = 'x' where seq = 6", vec![]).await;
        tamper(site, "delete from seal", vec![]).await;
        tamper(site, "delete from sealed_event", vec![]).await;
        site.sealed().await;
        assert_eq!(verify(&admin, "").await["ok"], true, "all of it fits");
        let found = verify(&admin, &anchor).await;
        assert_eq!(place_of(&found), (block.clone(), Value::Null, json!("anchor_differs")));
        assert_eq!(found["first_mismatch"]["expected"], hash);
        assert_eq!(found["first_mismatch"]["found"], Value::Null, "it has fewer blocks now");
        let (status, text) = command(site, &arguments).await;
        assert!(status == 1 && text.contains("anchor_differs"), "{text}");
        let first = format!("?anchor_block=1&anchor_hash={hash}");
        assert_eq!(place_of(&verify(&admin, &first).await), (json!(1), Value::Null, json!("anchor_differs")));
    }

    async fn what_does_not_fit_is_refused(site) {
        let viewer = site.user("viewer", "viewer").await;
        let hash = "0".repeat(64);
        let cases = [
            ("anchor_block=1".to_owned(), "value_error query.anchor_hash"),
            (format!("anchor_hash={hash}"), "value_error query.anchor_block"),
            ("from_block=3&to_block=2".to_owned(), "value_error query.to_block"),
        ];
        for (query, fault) in cases {
            assert_eq!(viewer.get(&format!("/event/verify?{query}")).await.faults(), [fault]);
        }
        for query in ["from_block=0", "to_block=0", "anchor_block=0&anchor_hash=x"] {
            viewer.get(&format!("/event/verify?{query}")).await.expect(422);
        }
        viewer.get("/event/seal?from_block=0").await.expect(422);
        let empty = verify(&viewer, "").await;
        let expected = json!({
            "ok": true, "blocks": 0, "events_checked": 0, "events_removed": 0, "unsealed": 0, "head_block": null,
            "head_hash": null, "first_mismatch": null, "next_block": null
        });
        assert_eq!(empty, expected);
        let (status, text) = command(site, &["--anchor-block", "1"]).await;
        assert!(status == 2 && text.contains("--anchor-hash"), "{text}");
        let (status, text) = command(site, &["--anchor-block", "1", "--anchor-hash", "abc"]).await;
        assert!(status == 2 && text.contains("64 hexadecimal digits"), "{text}");
        site.user("nobody", "").await.get("/event/verify").await.expect(403);
        site.user("none", "").await.get("/event/seal").await.expect(403);
    }
}
