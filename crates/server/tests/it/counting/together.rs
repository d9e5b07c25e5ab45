//! Many count at once: on one node of the embedded database, on two nodes of PostgreSQL.

use futures_util::future::join_all;

use super::*;
use crate::warehouse::depot::{self, moves};
use crate::warehouse::together::{goods, losers, on_all_nodes, turn};

/// A session in which people count.
async fn started(keeper: &Person) -> String {
    let body = json!({ "count_session": { "type": "position" } });
    let session = text(&keeper.post(SESSIONS, body).await.detail()["count_session_key"]);
    step_by(keeper, &session, "STARTED").await.expect(200);
    session
}

async fn quantity(site: &Site, position: &'static str) -> i64 {
    let statement = "select cast(coalesce(sum(quantity), 0) as bigint) from stock where position_key = $1";
    site.look(statement, vec![position.into()]).await.unwrap()
}

#[test]
fn one_of_many_counts_a_pair() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 5).await;
        let sessions = [started(&keepers[0]).await, started(&keepers[0]).await];
        for _ in 0..3 {
            let tries = (0..12).map(|index| begin(turn(keepers, index), &sessions[index % 2], "P", "A1"));
            let answers = join_all(tries).await;
            let won = answers.iter().find(|answer| answer.status == 200).expect("one of them");
            let record = text(&won.body["detail"]["count_record_key"]);
            for loser in losers(answers, 1) {
                assert_eq!(refusal(loser, "already_counting")["count_record_key"], record);
            }
            let ends = (0..8).map(|index| complete(turn(keepers, index), &record, json!(5)));
            for loser in losers(join_all(ends).await, 1) {
                wrong_state(loser, "completed");
            }
        }
        audit(site, &keepers[0]).await;
    });
}

#[test]
fn a_count_sees_what_lies_there_and_holds_it() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 50).await;
        let session = started(&keepers[0]).await;
        for _ in 0..4 {
            let one = json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": 1 });
            let shipments = join_all((0..8).map(|index| moves(turn(keepers, index), "shipment", one.clone())));
            let (begun, shipped) = tokio::join!(begin(turn(keepers, 1), &session, "P", "A1"), shipments);
            let record = text(&begun.detail()["count_record_key"]);
            for answer in shipped.into_iter().filter(|answer| answer.status != 200) {
                assert_eq!(depot::refusal(answer, "counting")["count_record_key"], record);
            }
            let rows = keepers[0].get(&format!("{RECORDS}?include_completed=false&include_discarded=false")).await.body;
            let seen = rows[0]["system_qt"].as_i64().unwrap();
            assert_eq!(seen * 1_000_000, quantity(site, "A1").await, "what is counted stays");
            complete(turn(keepers, 0), &record, json!(seen)).await.expect(200);
        }
        audit(site, &keepers[0]).await;
    });
}

#[test]
fn a_session_is_confirmed_once() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 10).await;
        for round in 0..3 {
            let session = started(&keepers[0]).await;
            count(&keepers[0], &session, "P", "A1", json!(9 - round)).await;
            step_by(&keepers[0], &session, "COMPLETED").await.expect(200);
            let tries = join_all((0..8).map(|index| step_by(turn(keepers, index), &session, "CONFIRMED"))).await;
            for loser in losers(tries, 1) {
                refusal(loser, "wrong_state");
            }
            let done = applied(site, &keepers[0], &session).await;
            assert_eq!((&done["status"], &done["movements_created"]), (&json!("applied"), &json!(1)));
            assert_eq!(quantity(site, "A1").await, (9 - round) * 1_000_000);
        }
        audit(site, &keepers[0]).await;
    });
}

#[test]
fn two_sessions_correct_a_pair_once() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 10).await;
        for round in 0..4 {
            let counted = 9 - round;
            let sessions = [started(&keepers[0]).await, started(&keepers[0]).await];
            for session in &sessions {
                count(&keepers[0], session, "P", "A1", json!(counted)).await;
                step_by(&keepers[0], session, "COMPLETED").await.expect(200);
            }
            let (one, other) = tokio::join!(
                step_by(turn(keepers, 0), &sessions[0], "CONFIRMED"),
                step_by(turn(keepers, 1), &sessions[1], "CONFIRMED")
            );
            for loser in losers(vec![one, other], 1) {
                for conflict in conflicts(loser) {
                    assert!(["busy", "counted_elsewhere"].contains(&conflict["kind"].as_str().unwrap()), "{conflict}");
                }
            }
            settled(site).await;
            assert_eq!(quantity(site, "A1").await, counted * 1_000_000);
        }
        audit(site, &keepers[0]).await;
    });
}

/// Whoever moves goods while they are corrected waits for it or is refused, and nothing is lost.
#[test]
fn goods_move_while_they_are_corrected() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 40).await;
        let session = started(&keepers[0]).await;
        count(&keepers[0], &session, "P", "A1", json!(50)).await;
        let mut positions = vec!["A2".to_owned()];
        for number in 0..30 {
            let key = format!("R{number}");
            make(&keepers[0], &key, "A").await;
            positions.push(key);
        }
        for position in &positions {
            count(&keepers[0], &session, "P", position, json!(2)).await;
        }
        step_by(&keepers[0], &session, "COMPLETED").await.expect(200);
        let movers = (0..30).map(|index: usize| {
            let kind = if index.is_multiple_of(2) { "shipment" } else { "receipt" };
            let side = if index.is_multiple_of(2) { "position_from" } else { "position_to" };
            let sent = json!({ "product_key": "P", side: "A1", "qt_confirmed": 1 });
            async move { (index.is_multiple_of(2), moves(turn(keepers, index), kind, sent).await) }
        });
        let (confirmed, moved) = tokio::join!(step_by(turn(keepers, 1), &session, "CONFIRMED"), join_all(movers));
        confirmed.expect(200);
        let mut net = 0;
        for (leaves, answer) in moved {
            match answer.status {
                200 => net += if leaves { -1 } else { 1 },
                _ => _ = depot::refusal(answer, "locked"),
            }
        }
        let done = applied(site, &keepers[0], &session).await;
        assert_eq!((&done["records_to_process"], &done["movements_created"]), (&json!(32), &json!(32)));
        assert_eq!(quantity(site, "A1").await, (50 + net) * 1_000_000);
        audit(site, &keepers[0]).await;
    });
}

#[test]
fn the_last_count_and_the_end_of_counting_meet() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 5).await;
        for _ in 0..6 {
            let session = started(&keepers[0]).await;
            let record = begun(&keepers[0], &session, "P", "A1").await;
            let (counted, ended, other) = tokio::join!(
                complete(turn(keepers, 0), &record, json!(5)),
                step_by(turn(keepers, 1), &session, "COMPLETED"),
                begin(turn(keepers, 0), &session, "P", "A2"),
            );
            counted.expect(200);
            match (ended.status, other.status) {
                (200, _) => wrong_state(other, "completed"),
                (_, 200) => _ = refusal(ended, "records_open"),
                _ => panic!("{} {}", ended.text, other.text),
            }
            step_by(&keepers[0], &session, "CANCELED").await.expect(200);
        }
        audit(site, &keepers[0]).await;
    });
}

#[test]
fn positions_are_marked_whoever_comes_last() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 5).await;
        for _ in 0..4 {
            let session = started(&keepers[0]).await;
            let (here, there) = tokio::join!(
                async { count(turn(keepers, 0), &session, "P", "A1", json!(5)).await },
                empty(turn(keepers, 1), &session, "A2"),
            );
            there.expect(200);
            let path = format!("{SESSIONS}/{session}/completed-positions");
            assert_eq!(keepers[0].get(&path).await.body, json!(["A", "A1", "A2", "IN"]));
            // Withdrawn by one while another counts again.
            let (gone, _) = tokio::join!(
                discard(turn(keepers, 1), &here),
                count(turn(keepers, 0), &session, "T", "A2", json!([])),
            );
            gone.expect(200);
            assert_eq!(keepers[0].get(&path).await.body, json!(["A2"]));
        }
    });
}

#[test]
fn codes_of_sessions_are_all_different() {
    on_all_nodes(async |_, keepers| {
        let session = |code: Value| json!({ "count_session": { "code": code, "type": "position" } });
        let drawn = join_all((0..12).map(|index| turn(keepers, index).post(SESSIONS, session(Value::Null)))).await;
        let codes: std::collections::HashSet<String> =
            drawn.into_iter().map(|answer| text(&answer.detail()["code"])).collect();
        assert_eq!(codes.len(), 12);
        let tries = join_all((0..8).map(|index| turn(keepers, index).post(SESSIONS, session(json!("one"))))).await;
        for loser in losers(tries, 1) {
            loser.expect(409);
        }
    });
}
