//! Many at once: on one node of the embedded database, on two nodes of PostgreSQL.

use std::cell::Cell;

use futures_util::future::join_all;
use testkit::{Engine, block_on};

use super::depot::{moves, refusal};
use super::*;
use crate::production::event;
use crate::serials::text;

/// Runs a test on both engines, with a second node where there can be one. Whatever the test did, the tree and the stock have to be
/// sound.
pub(crate) fn on_all_nodes(test: impl AsyncFn(&Site, &[Person])) {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        block_on(async {
            let site = Site::start(engine).await;
            let second = match engine {
                Engine::Postgres => Some(site.second_node().await),
                Engine::Sqlite => None,
            };
            let keeper = keeper(&site).await;
            let mut keepers = vec![keeper.clone()];
            keepers.extend(second.iter().map(|node| keeper.at(&format!("http://{}", node.address))));
            test(&site, &keepers).await;
            is_sound(&site).await;
            sums::audit(&site, &keeper).await;
            if let Some(second) = second {
                second.stop().await;
            }
            site.check_audit().await;
            site.stop().await;
        });
    }
}

/// Each live position but the reserved is in one that lives, deleted ones are in none, and all of them are reached from the top.
async fn is_sound(site: &Site) {
    let none = async |what: &str, statement: &str| {
        assert_eq!(site.look::<i64>(statement, vec![]).await, Some(0), "{what}");
    };
    none(
        "live positions that are nowhere, or deleted ones that are somewhere",
        "select count(*)
         from position
         left join position_link on position_link.child_key = position.key
         where position.key not in ('IN', 'OUT', 'NULL') and deleted = (position_link.key is not null)",
    )
    .await;
    none(
        "links to deleted positions",
        "select count(*) from position_link join position on position.key = position_link.parent_key where position.deleted",
    )
    .await;
    none(
        "positions that are not reached from the top",
        "with recursive below (id) as (
             select key from position where key in ('IN', 'OUT')
             union
             select position_link.child_key from below join position_link on position_link.parent_key = below.id
         )
         select count(*) from position where not deleted and key <> 'NULL' and key not in (select id from below)",
    )
    .await;
    none(
        "codes that two live positions have",
        "select count(*)
         from (select code_folded from position where not deleted group by code_folded having count(*) > 1) as twice",
    )
    .await;
}

/// One of the keepers, in turn.
pub(crate) fn turn(keepers: &[Person], index: usize) -> &Person {
    &keepers[index % keepers.len()]
}

/// The product `P`, a quantity of it in A1, and A2 beside it; `T` is traced.
pub(crate) async fn goods(site: &Site, keeper: &Person, quantity: i64) {
    shelves(keeper).await;
    let admin = site.admin().await;
    admin.post("/product", json!({ "_key": "P", "code": "P" })).await.expect(201);
    admin.post("/product", json!({ "_key": "T", "code": "T", "traceability_level": "form_only" })).await.expect(201);
    if quantity > 0 {
        let receipt = json!({ "product_key": "P", "position_to": "A1", "qt_confirmed": quantity });
        moves(keeper, "receipt", receipt).await.expect(200);
    }
}

/// What was refused, apart from what succeeded.
pub(crate) fn losers(answers: Vec<Answer>, won: usize) -> Vec<Answer> {
    let all = answers.len();
    let refused: Vec<Answer> = answers.into_iter().filter(|answer| answer.status != 200).collect();
    assert_eq!(all - refused.len(), won, "{:?}", refused.iter().map(|answer| &answer.text).collect::<Vec<_>>());
    refused
}

#[test]
fn the_last_fifty_are_shipped_once() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 50).await;
        let one = json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": 1 });
        let shipments = join_all((0..100).map(|index| moves(turn(keepers, index), "shipment", one.clone())));
        let looks = join_all((0..10).map(|index| turn(keepers, index).get("/inventory/verify")));
        let (answers, looks) = tokio::join!(shipments, looks);
        for look in looks {
            let look = look.expect(200);
            assert_eq!(look.body["ok"], true, "{}", look.text);
        }
        for loser in losers(answers, 50) {
            let told = refusal(loser, "insufficient_stock");
            assert_eq!((&told["available"], &told["requested"]), (&json!(0), &json!(1)));
        }
        assert_eq!(site.count("stock").await, 0);
        assert_eq!(site.count("movement").await, 51);
    });
}

#[test]
fn a_unit_is_received_once() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 0).await;
        for round in 0..3 {
            let receipts = (0..20).map(|index: usize| {
                let position = if index.is_multiple_of(3) { "A1" } else { "A2" };
                let code = format!("SN-{round}");
                let unit =
                    json!({ "product_key": "T", "position_to": position, "serial_code": code, "qt_confirmed": 1 });
                moves(turn(keepers, index), "receipt", unit)
            });
            for loser in losers(join_all(receipts).await, 1) {
                refusal(loser, "serial_in_stock");
            }
        }
        assert_eq!((site.count("serial").await, site.count("stock").await, site.count("movement").await), (3, 3, 3));
    });
}

#[test]
fn a_unit_leaves_once() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 0).await;
        let unit = json!({ "product_key": "T", "position_to": "A1", "serial_code": "S", "qt_confirmed": 1 });
        moves(&keepers[0], "receipt", unit).await.expect(200);
        let leaves = (0..20).map(|index| {
            let mut unit = json!({ "product_key": "T", "position_from": "A1", "serial_code": "S", "qt_confirmed": 1 });
            let kind = ["shipment", "consumption", "transfer"][index % 3];
            if kind == "transfer" {
                unit["position_to"] = json!("A2");
            }
            moves(turn(keepers, index), kind, unit)
        });
        for loser in losers(join_all(leaves).await, 1) {
            refusal(loser, "serial_not_in_position");
        }
    });
}

#[test]
fn a_planned_row_is_carried_out_once() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 100).await;
        for round in 0..8 {
            let plan =
                json!({ "movement_type": "shipment", "product_key": "P", "position_from": "A1", "qt_planned": 2 });
            let row = text(&event(&keepers[0], "MOVEMENT_PLANNED", plan).await.detail()["movement_key"]);
            let tries = (0..4).map(|index| {
                let (kind, sent) = match (round + index) % 3 {
                    0 => ("MOVEMENT_COMPLETED", json!({ "movement_key": row })),
                    1 => ("MOVEMENT_UPDATED", json!({ "movement_key": row, "qt_confirmed": 2 })),
                    _ => ("MOVEMENT_UPDATED", json!({ "movement_key": row, "cancel": true })),
                };
                event(turn(keepers, index), kind, sent)
            });
            for loser in losers(join_all(tries).await, 1) {
                refusal(loser, "not_open");
            }
        }
    });
}

/// What came in is gone once it was taken back: whoever comes second hears that, and not that stock is short.
#[test]
fn a_receipt_is_reversed_once() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 0).await;
        for _ in 0..5 {
            let receipt = json!({ "product_key": "P", "position_to": "A1", "qt_confirmed": 3 });
            let came = moves(&keepers[0], "receipt", receipt).await.detail();
            let back = json!({ "original_movement_key": came["movement_key"] });
            let tries = (0..12).map(|index| event(turn(keepers, index), "MOVEMENT_REVERSED", back.clone()));
            for loser in losers(join_all(tries).await, 1) {
                refusal(loser, "already_reversed");
            }
        }
        assert_eq!(site.look::<i64>("select count(*) from stock", vec![]).await, Some(0));
    });
}

#[test]
fn a_movement_is_reversed_once() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 10).await;
        let one = json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": 1 });
        for _ in 0..5 {
            let shipped = moves(&keepers[0], "shipment", one.clone()).await.detail();
            let back = json!({ "original_movement_key": shipped["movement_key"] });
            let tries = (0..6).map(|index| event(turn(keepers, index), "MOVEMENT_REVERSED", back.clone()));
            for loser in losers(join_all(tries).await, 1) {
                refusal(loser, "already_reversed");
            }
        }
        assert_eq!(site.look::<i64>("select quantity from stock", vec![]).await, Some(10_000_000));
    });
}

/// Two transfers that go opposite ways would wait for each other for ever, if they locked as they go.
#[test]
fn goods_go_both_ways_at_once() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 100).await;
        let move_in = json!({ "product_key": "P", "position_to": "A2", "qt_confirmed": 100 });
        moves(&keepers[0], "receipt", move_in).await.expect(200);
        let transfers = (0..60).map(|index: usize| {
            let (from, to) = if index.is_multiple_of(2) { ("A1", "A2") } else { ("A2", "A1") };
            let sent = json!({ "product_key": "P", "position_from": from, "position_to": to, "qt_confirmed": 1 });
            moves(turn(keepers, index / 2), "transfer", sent)
        });
        losers(join_all(transfers).await, 60);
        let left: Vec<i64> = site.all("select quantity from stock order by position_key").await;
        assert_eq!(left, [100_000_000, 100_000_000]);
    });
}

#[test]
fn a_list_is_filled_while_it_is_closed() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 100).await;
        for round in 0..4 {
            let list = json!({ "code": format!("L-{round}"), "type": "shipment" });
            let list = keepers[0].post("/movement-list", list).await.detail()["movement_list_key"].clone();
            let plans = (0..10).map(|index| {
                let plan = json!({ "movement_type": "shipment", "product_key": "P", "position_from": "A1", "movement_list_key": list });
                event(turn(keepers, index), "MOVEMENT_PLANNED", plan)
            });
            let close = event(turn(keepers, round), "WAREHOUSE_LIST_CLOSED", json!({ "movement_list_key": list }));
            let (planned, closed) = tokio::join!(join_all(plans), close);
            let made = planned.iter().filter(|answer| answer.status == 200).count();
            assert!(planned.iter().all(|answer| [200, 422].contains(&answer.status)));
            assert_eq!(closed.detail()["canceled"], made, "whoever comes later finds it closed");
        }
        let list = json!({ "code": "twice", "type": "shipment" });
        let tries = (0..10).map(|index| turn(keepers, index).post("/movement-list", list.clone()));
        for loser in losers(join_all(tries).await, 1) {
            loser.expect(409);
        }
    });
}

#[test]
fn a_box_is_moved_while_goods_arrive() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 0).await;
        for key in ["B", "C"] {
            let carrier = json!({ "_key": key, "code": key, "parent_position_key": "A1", "fixed": false });
            keepers[0].post("/position", carrier).await.expect(200);
        }
        for round in 0..6 {
            let to = if round % 2 == 0 { "A2" } else { "A1" };
            let carry = |carrier: &str, to: &str| json!({ "position_from": carrier, "position_to": to });
            let arrive = json!({ "product_key": "P", "position_to": "B", "qt_confirmed": 1 });
            let arrivals = join_all((0..6).map(|index| moves(turn(keepers, index), "receipt", arrive.clone())));
            let (arrivals, moved, into, other) = tokio::join!(
                arrivals,
                moves(turn(keepers, 1), "transfer", carry("B", to)),
                moves(turn(keepers, 0), "transfer", carry("B", "C")),
                moves(turn(keepers, 1), "transfer", carry("C", "B")),
            );
            losers(arrivals, 6);
            // Each of them is right, and the two that go into each other are not both.
            for answer in [&moved, &into, &other] {
                assert!([200, 422].contains(&answer.status), "{}", answer.text);
            }
        }
        assert_eq!(site.look::<i64>("select quantity from stock", vec![]).await, Some(36_000_000));
    });
}

#[test]
fn nothing_arrives_where_nothing_is_any_more() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 0).await;
        for round in 0..8 {
            let key = format!("G{round}");
            make(&keepers[0], &key, "IN").await;
            let path = format!("/position/{key}");
            let arrive = json!({ "product_key": "P", "position_to": key, "qt_confirmed": 1 });
            let (gone, arrived) =
                tokio::join!(turn(keepers, round).delete(&path), moves(turn(keepers, round + 1), "receipt", arrive));
            match gone.status {
                200 => _ = refusal(arrived, "position_deleted"),
                400 => _ = arrived.expect(200),
                other => panic!("{other}: {}", gone.text),
            }
        }
    });
}

#[test]
fn a_planned_row_is_used_up_part_by_part() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 0).await;
        let plan = json!({ "movement_type": "receipt", "product_key": "P", "position_to": "A1", "qt_planned": 40 });
        let row = text(&event(&keepers[0], "MOVEMENT_PLANNED", plan).await.detail()["movement_key"]);
        let part = json!({ "movement_key": row, "qt_confirmed": 1 });
        let clients = (0..16).map(|index| {
            let part = &part;
            async move {
                for done in 0..=40 {
                    let answer = event(turn(keepers, index), "MOVEMENT_UPDATED", part.clone()).await;
                    if answer.status != 200 {
                        refusal(answer, "not_open");
                        return done;
                    }
                }
                panic!("more was carried out than was planned");
            }
        });
        let done: Vec<usize> = join_all(clients).await;
        assert_eq!(done.iter().sum::<usize>(), 40, "{done:?}");
        assert_eq!(site.look::<i64>("select quantity from stock", vec![]).await, Some(40_000_000));
    });
}

/// Those who move stock share its positions, and must not keep passing whoever changes one.
#[test]
fn positions_are_changed_while_goods_come_and_go() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 0).await;
        let carrier = json!({ "_key": "B", "code": "B", "parent_position_key": "A1", "fixed": false });
        keepers[0].post("/position", carrier).await.expect(200);
        let (moved, done) = (Cell::new(0), Cell::new(false));
        let movers = (0..8).map(|index| {
            let (moved, done) = (&moved, &done);
            async move {
                while !done.get() {
                    moved.set(moved.get() + 2);
                    assert!(moved.get() <= 2_000, "others have waited all the while");
                    let arrive = json!({ "product_key": "P", "position_to": "A", "qt_confirmed": 1 });
                    moves(turn(keepers, index), "receipt", arrive).await.expect(200);
                    let leave = json!({ "product_key": "P", "position_from": "A", "qt_confirmed": 1 });
                    moves(turn(keepers, index), "shipment", leave).await.expect(200);
                }
            }
        });
        let others = async {
            for (round, to) in ["A2", "A1", "A2"].into_iter().enumerate() {
                let new = json!({ "code": format!("N{round}"), "parent_position_key": "A" });
                let (changed, carried, made) = tokio::join!(
                    turn(keepers, round).patch("/position/A", json!({ "extra": { "round": round } })),
                    moves(turn(keepers, round + 1), "transfer", json!({ "position_from": "B", "position_to": to })),
                    turn(keepers, round).post("/position", new),
                );
                for answer in [changed, carried, made] {
                    answer.expect(200);
                }
            }
            done.set(true);
        };
        tokio::join!(join_all(movers), others);
        assert_eq!(site.count("stock").await, 0);
    });
}

/// What a correction takes back may be reversed by somebody else meanwhile: then there is less to take back.
#[test]
fn a_job_is_reset_while_its_movements_are_reversed() {
    on_all_nodes(async |site, keepers| {
        let plant = effects::stocked(site).await;
        effects::components(&plant, &["C"]).await;
        effects::received(&plant, "C", 10.0, "A1").await;
        let order = effects::order(&plant, "P", json!({}), 1, 2.0).await;
        effects::needs(&plant, &order, &[("C", 1.0, 0, effects::from("A1"))]).await;
        for round in 0..8 {
            plant.shop.make(&plant.operator, &order.jobs[0]).await;
            let kind = if round % 2 == 0 { "consumption" } else { "production" };
            let made = keepers[0].get(&format!("/movement?movement_type={kind}")).await.expect(200).body;
            let open = made.as_array().unwrap().iter().find(|row| row["inverse_movement_key"].is_null());
            let back = json!({ "original_movement_key": open.unwrap()["_key"] });
            let (reset, reversed) = tokio::join!(
                effects::supervise(&plant, "JOB_RESET", json!({ "job_key": order.jobs[0] })),
                event(turn(keepers, 1), "MOVEMENT_REVERSED", back),
            );
            reset.expect(200);
            assert!([200, 422].contains(&reversed.status), "{}", reversed.text);
            let left = json!([effects::lies(&plant, "A1").await, effects::lies(&plant, "A2").await]);
            assert_eq!(left, json!([[["C", 10]], []]), "each was taken back once");
        }
    });
}
