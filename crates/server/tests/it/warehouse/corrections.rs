//! What corrections of production move: exactly what was moved before, whatever others do to the same stock.

use futures_util::future::join_all;
use testkit::on_both_engines;

use super::depot::moves;
use super::effects::{components, from, lies, moved, needs, order, received, stocked, supervise};
use super::together::{losers, on_all_nodes, turn};
use super::*;
use crate::production::{Order, children, event};
use crate::serials::{Plant, rule};

const REFUSED: &str = "InventoryMovementException";

/// Gives the first job of an order to somebody, so that it can be corrected.
async fn assign(plant: &Plant, order: &Order) {
    let update = json!({ "_key": order.jobs[0], "assigned_to": plant.operator.key });
    plant.admin.post("/job/update", json!([{ "action": "update", "data": update }])).await.expect(200);
}

async fn set_to(plant: &Plant, order: &Order, quantity: f64) -> testkit::Answer {
    let sent = json!({ "job_key": order.jobs[0], "new_job_qt_completed": quantity });
    supervise(plant, "PROGRESS_OVERRIDE_REQUESTED", sent).await
}

on_both_engines! {
    async fn an_override_moves_the_difference_only(site) {
        let plant = stocked(site).await;
        components(&plant, &["C"]).await;
        received(&plant, "C", 10.0, "A1").await;
        let order = order(&plant, "P", json!({}), 1, 10.0).await;
        needs(&plant, &order, &[("C", 0.333_333, 0, from("A1"))]).await;
        assign(&plant, &order).await;
        set_to(&plant, &order, 6.0).await.expect(200);
        let stock = async || json!([lies(&plant, "A1").await, lies(&plant, "A2").await]);
        assert_eq!(stock().await, json!([[["C", 8.000_002]], [["P", 6]]]));
        moved(&plant, "shipment", json!({ "product_key": "P", "qt_confirmed": 2, "position_from": "A2" })).await;
        set_to(&plant, &order, 5.0).await.expect(200);
        assert_eq!(stock().await, json!([[["C", 8.333_335]], [["P", 3]]]));
        let before = site.count("event").await;
        let short = rule(set_to(&plant, &order, 1.0).await, REFUSED, "insufficient_stock");
        assert_eq!(short["product_key"], "P");
        assert_eq!((stock().await, site.count("event").await), (json!([[["C", 8.333_335]], [["P", 3]]]), before));
        set_to(&plant, &order, 7.0).await.expect(200);
        assert_eq!(stock().await, json!([[["C", 7.666_669]], [["P", 5]]]));
        set_to(&plant, &order, 2.0).await.expect(200);
        assert_eq!(stock().await, json!([[["C", 9.333_334]], []]));
        moved(&plant, "receipt", json!({ "product_key": "P", "qt_confirmed": 2, "position_to": "A2" })).await;
        supervise(&plant, "JOB_RESET", json!({ "job_key": order.jobs[0] })).await.expect(200);
        assert_eq!(stock().await, json!([[["C", 10]], []]));
    }

    async fn of_movements_that_were_reversed_in_part_the_rest_is_taken_back(site) {
        let plant = stocked(site).await;
        components(&plant, &["C"]).await;
        received(&plant, "C", 20.0, "A1").await;
        let order = order(&plant, "P", json!({}), 1, 10.0).await;
        needs(&plant, &order, &[("C", 2.0, 0, from("A1"))]).await;
        assign(&plant, &order).await;
        let stock = async || json!([lies(&plant, "A1").await, lies(&plant, "A2").await]);
        let reverse_one = async |kind: &str| {
            let rows = plant.get(&format!("/movement?movement_type={kind}")).await;
            let standing = rows.as_array().unwrap().iter().find(|row| row["inverse_movement_key"].is_null()).unwrap();
            let sent = json!({ "original_movement_key": standing["_key"], "quantity_to_revert": 1 });
            event(&plant.admin, "MOVEMENT_REVERSED", sent).await.expect(200);
        };
        let reset = async || supervise(&plant, "JOB_RESET", json!({ "job_key": order.jobs[0] })).await.expect(200);
        set_to(&plant, &order, 5.0).await.expect(200);
        reverse_one("production").await;
        reverse_one("consumption").await;
        assert_eq!(stock().await, json!([[["C", 11]], [["P", 4]]]));
        let detail = reset().await.detail();
        let told = children(&plant.admin, &detail).await;
        assert_eq!(told.iter().filter(|kind| *kind == "MOVEMENT_COMPLETED").count(), 2, "{told:?}");
        assert_eq!(stock().await, json!([[["C", 20]], []]));

        set_to(&plant, &order, 5.0).await.expect(200);
        reverse_one("production").await;
        reverse_one("consumption").await;
        set_to(&plant, &order, 3.0).await.expect(200);
        assert_eq!(stock().await, json!([[["C", 14]], [["P", 3]]]));
        reset().await;
        assert_eq!(stock().await, json!([[["C", 20]], []]));
        assert_eq!(plant.get("/inventory/verify").await["ok"], true);
    }
}

/// What a correction takes back was moved in the order of the lines. Locked so, it would wait for ever for others that lock as they sort.
#[test]
fn corrections_and_transfers_take_the_same_stock() {
    on_all_nodes(async |site, keepers| {
        let plant = stocked(site).await;
        components(&plant, &["C", "D"]).await;
        let mut orders = Vec::new();
        for number in 0..6 {
            let made = order(&plant, &format!("P{number}"), json!({}), 1, 20.0).await;
            let mut lines = [("C", 1.0, 0, from("A1")), ("D", 1.0, 0, from("A1"))];
            lines.rotate_left(number % 2);
            needs(&plant, &made, &lines).await;
            assign(&plant, &made).await;
            orders.push(made);
        }
        for component in ["C", "D"] {
            received(&plant, component, 100.0, "A1").await;
        }
        for round in 0..4 {
            join_all(orders.iter().map(async |order| set_to(&plant, order, 10.0).await.expect(200))).await;
            assert_eq!(lies(&plant, "A1").await, json!([["C", 40], ["D", 40]]));
            let corrections = orders.iter().enumerate().map(async |(number, order)| {
                let supervisor = plant.shop.supervisor.beside(turn(keepers, number));
                let (event_type, sent) = match (round + number) % 3 {
                    0 => {
                        ("PROGRESS_OVERRIDE_REQUESTED", json!({ "job_key": order.jobs[0], "new_job_qt_completed": 4 }))
                    }
                    _ => ("JOB_RESET", json!({ "job_key": order.jobs[0] })),
                };
                event(&supervisor, event_type, sent).await
            });
            let transfers = (0..12).map(async |index: usize| {
                let mut rows = ["D", "C"].map(|component| {
                    json!({ "product_key": component, "position_from": "A1", "position_to": "A1", "qt_confirmed": 1 })
                });
                let place = if index.is_multiple_of(2) { "position_from" } else { "position_to" };
                for row in &mut rows {
                    row[place] = json!("A");
                }
                rows.rotate_left(index / 2 % 2);
                let shared = json!({ "event_type": "MOVEMENT_COMPLETED", "movement_type": "transfer" });
                let bulk = json!({ "shared_data": shared, "events": rows });
                turn(keepers, index / 3).post("/event/bulk", bulk).await
            });
            let (corrected, moved) = tokio::join!(join_all(corrections), join_all(transfers));
            losers(corrected, orders.len());
            for answer in moved.iter().filter(|answer| answer.status != 200) {
                assert_eq!(answer.status, 422, "{}", answer.text);
            }
            join_all(orders.iter().map(async |order| set_to(&plant, order, 0.0).await)).await;
            let a = lies(&plant, "A").await;
            for row in a.as_array().unwrap() {
                let back =
                    json!({ "product_key": row[0], "position_from": "A", "position_to": "A1", "qt_confirmed": row[1] });
                moves(&keepers[0], "transfer", back).await.expect(200);
            }
            assert_eq!(lies(&plant, "A1").await, json!([["C", 100], ["D", 100]]));
        }
        if keepers.len() > 1 {
            let deadlocks = "select deadlocks from pg_stat_database where datname = current_database()";
            assert_eq!(site.look::<i64>(deadlocks, vec![]).await, Some(0));
        }
    });
}
