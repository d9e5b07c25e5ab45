//! Units are scrapped: with their batch, or while they wait between phases.

use super::*;

/// What passed and what was scrapped of a batch.
async fn result(plant: &Plant, batch: &Value) -> Value {
    let batch = plant.admin.get(&format!("/batch/{}", text(&batch["_key"]))).await.detail();
    json!([batch["qt_pass"], batch["qt_scrap"]])
}

on_both_engines! {
    async fn units_that_wait_and_others_are_scrapped_by_one_bulk(site) {
        let plant = plant(site).await;
        plant.product("C", json!({})).await;
        let parts = plant.units("C", ["C1", "C2"]).await;
        let order = plant.traced("P", &all_at_once(2), 4.0).await;
        let units = plant.make_units(&order).await;
        let rows = json!([
            { "serial_key": parts[0] }, { "serial_keys": [units[0], units[1]] },
            { "serial_keys": [parts[1], units[2]], "release_components": true },
        ]);
        let shared = json!({ "event_type": "SERIAL_SCRAPPED", "reason": "flooded" });
        plant.admin.post("/event/bulk", json!({ "shared_data": shared, "events": rows })).await.expect(200);
        assert_eq!(plant.waiting(&order.jobs[1]).await, [units[3].clone()]);
        let job = plant.shop.job(&order, 0).await;
        assert_eq!(state(&job), json!(["closed", false, 1, 3, "quantity"]));
        books::audit(site).await;
    }

    async fn scrapped_units_go_no_further(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &all_at_once(2), 3.0).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let units = plant.units_of(&started["batch_data"]).await;
        site.clock.advance_seconds(60);
        let scrap = json!({ "completed_batch_qt": 2, "scrap_serial_keys": [units[1]], "scrap_reason": "bent", "batch_serial_keys": [units[2], units[0]] });
        let done = complete(&plant.operator, &started["batch_data"], scrap).await.detail();
        assert_eq!((&done["scrapped_serial_keys"], &done["released_serial_keys"]), (&json!([units[1]]), &json!([])));
        assert_eq!(state(&done["job_data"]), json!(["closed", false, 2, 1, "quantity"]));
        assert_eq!((&done["completed_batch"]["scrap_reason"], result(&plant, &done["completed_batch"]).await), (&json!("bent"), json!([2, 1])));
        let kept = plant.event(&done).await;
        assert_eq!(led_to(&kept), [
            "SERIAL_UPDATED", "SERIAL_UPDATED", "SERIAL_UPDATED", "WORK_SESSION_CLOSED", "SERIAL_SCRAPPED", "WIP_DECLARED", "JOB_CLOSED",
        ]);
        let told = child(&kept, "SERIAL_SCRAPPED");
        assert_eq!((&told["serial_keys"], &told["reason"]), (&json!([units[1]]), &json!("bent")));
        assert_eq!(keys(&child(&kept, "WIP_DECLARED")["serial_keys"]), sorted([units[0].clone(), units[2].clone()]));
        assert_eq!(keys(&kept["payload"]["serial_keys"]), sorted(units.clone()), "the batch is all of them");
        let shown = plant.read(&units[1]).await;
        let expected = json!({
            "state": "scrapped", "scrapped": site.app().now(), "scrapped_by": plant.operator.key, "scrap_reason": "bent", "code": "SN-00002", "released": null,
        });
        for (member, value) in expected.as_object().unwrap() {
            assert_eq!(shown[member], *value, "{member}");
        }
        assert_eq!(plant.told(&units[1]).await, ["BATCH_CREATED", "SERIAL_CREATED", "BATCH_COMPLETED", "SERIAL_UPDATED", "SERIAL_SCRAPPED"]);
        assert_eq!((plant.waiting(&order.jobs[1]).await, plant.shop.free(&order.jobs[1]).await), (vec![units[0].clone(), units[2].clone()], json!([2, null])));

        // In the last phase it is not released, and all of a batch may be scrapped.
        let batch = start(&plant.shop.o2, &order.jobs[1], json!([units[0]])).await.detail()["batch_data"].clone();
        let scrap = json!({ "completed_batch_qt": 0, "scrap_qt": 1, "scrap_serial_keys": [units[0]], "scrap_reason": "worse" });
        let done = complete(&plant.shop.o2, &batch, scrap).await.detail();
        assert_eq!(led_to(&plant.event(&done).await), ["WORK_SESSION_CLOSED", "WIP_REMOVED", "SERIAL_SCRAPPED"]);
        let shown = plant.read(&units[0]).await;
        assert_eq!((&shown["state"], &shown["released"]), (&json!("scrapped"), &json!(null)));
        let resumed = json!({ "job_key": order.jobs[1], "batch_serials": [units[2]] });
        let resumed = event(&plant.shop.o2, "JOB_RESUMED", resumed).await.detail();
        let done = complete(&plant.shop.o2, &resumed["batch_data"], json!({})).await.detail();
        assert_eq!(state(&done["job_data"]), json!(["closed", false, 1, 1, "supply"]));
        let read = plant.shop.read(&order).await;
        assert_eq!((&read["status"], &read["qt_completed"], &read["qt_scrap"]), (&json!("closed"), &json!(1), &json!(2)));
        books::audit(site).await;
    }

    async fn scrap_that_does_not_add_up_is_refused(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &all_at_once(2), 3.0).await;
        let other = plant.unit("P", "OTHER").await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = &started["batch_data"];
        let units = plant.units_of(batch).await;
        let before = site.contents().await;
        let end = async |pass: i64, members: Value| {
            complete(&plant.operator, batch, with(json!({ "completed_batch_qt": pass, "scrap_reason": "bent" }), members)).await
        };
        let reasonless = json!({ "completed_batch_qt": 2, "scrap_serial_keys": [units[0]] });
        refused(complete(&plant.operator, batch, reasonless).await, "ValueError");
        for (pass, members) in [
            (2, json!({ "scrap_qt": 1 })),
            (2, json!({ "scrap_qt": 2, "scrap_serial_keys": [units[0]] })),
            (3, json!({ "scrap_qt": 0, "scrap_serial_keys": [units[0]] })),
            (3, json!({ "scrap_serial_keys": [units[0]] })),
            (2, json!({})),
            (1, json!({ "scrap_serial_keys": [units[0]] })),
        ] {
            refused(end(pass, members).await, "QuantityMismatchError");
        }
        for (pass, members) in [
            (2, json!({ "scrap_serial_keys": [other] })),
            (2, json!({ "scrap_serial_keys": ["nobody"] })),
            (2, json!({ "scrap_serial_keys": [units[0]], "batch_serial_keys": [units[0], units[1]] })),
            (2, json!({ "scrap_serial_keys": [units[0]], "batch_serial_keys": [units[1]] })),
            (2, json!({ "scrap_serial_keys": [units[0]], "batch_serial_keys": units })),
            (3, json!({ "batch_serial_keys": [units[0], units[1], other] })),
            (3, json!({ "batch_serial_keys": [units[0], units[1], units[1]] })),
        ] {
            refused(end(pass, members).await, "ValueError");
        }
        end(1, json!({ "scrap_serial_keys": [units[0], units[0]] })).await.expect(422);
        end(2, json!({ "scrap_serial_keys": [7] })).await.expect(422);
        let after = site.contents().await;
        for ((table, before), (_, after)) in before.iter().zip(&after).filter(|((table, _), _)| !table.starts_with("audit")) {
            assert_eq!(before, after, "{table} changed");
        }
        end(3, json!({ "scrap_serial_keys": [], "batch_serial_keys": units })).await.expect(200);

        let untraced = plant.shop.order("Q", &all_at_once(1), 2.0).await;
        let started = event(&plant.shop.o2, "JOB_STARTED", json!({ "job_key": untraced.jobs[0] })).await.detail();
        let scrap = json!({ "completed_batch_qt": 1, "scrap_qt": 1, "scrap_serial_keys": [other], "scrap_reason": "bent" });
        complete(&plant.shop.o2, &started["batch_data"], scrap).await.expect(422);
        complete(&plant.shop.o2, &started["batch_data"], json!({ "batch_serial_keys": [other] })).await.expect(422);
    }

    async fn a_unit_that_waits_between_phases_may_be_scrapped(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &all_at_once(3), 4.0).await;
        let done = plant.shop.make(&plant.operator, &order.jobs[0]).await;
        let units = plant.waiting(&order.jobs[1]).await;
        plant.scrap(&units[0]).await;
        assert_eq!(result(&plant, &done["completed_batch"]).await, json!([3, 1]));
        let job = plant.shop.job(&order, 0).await;
        assert_eq!((state(&job), &job["qt_released"]), (json!(["closed", false, 3, 1, "quantity"]), &json!(3)));
        assert_eq!((plant.waiting(&order.jobs[1]).await, plant.shop.free(&order.jobs[1]).await), (units[1..].to_vec(), json!([3, 0])));
        let read = plant.shop.read(&order).await;
        assert_eq!((&read["qt_scrap"], &read["qt_remaining"], &read["status"]), (&json!(1), &json!(3), &json!("started")));
        assert_eq!((plant.state(&units[0]).await, plant.told(&units[0]).await.last()), ("scrapped".to_owned(), Some(&"SERIAL_SCRAPPED".to_owned())));
        books::audit(site).await;

        // The second phase passes two on, of which one is scrapped there: it counts where it was made last.
        let batch = start(&plant.shop.o2, &order.jobs[1], json!(units[1..3])).await.detail()["batch_data"].clone();
        let busy = event(&plant.admin, "SERIAL_SCRAPPED", json!({ "serial_key": units[1], "reason": "bent" })).await;
        rule(busy, "SerialNotScrappedError", "in_active_batch");
        complete(&plant.shop.o2, &batch, json!({})).await.expect(200);
        plant.scrap(&units[1]).await;
        assert_eq!(result(&plant, &batch).await, json!([1, 1]));
        let [first, second] = [plant.shop.job(&order, 0).await, plant.shop.job(&order, 1).await];
        assert_eq!((state(&first), state(&second)), (json!(["closed", false, 3, 1, "quantity"]), json!(["started", false, 1, 1, null])));
        assert_eq!(plant.shop.free(&order.jobs[1]).await, json!([1, 1]));
        assert_eq!(plant.shop.read(&order).await["qt_scrap"], 2);
        books::audit(site).await;

        // With the last that waits, the order has nothing left to do.
        event(&plant.admin, "SERIAL_SCRAPPED", json!({ "serial_keys": [units[2], units[3]], "reason": "flood" })).await.expect(200);
        let read = plant.shop.read(&order).await;
        assert_eq!((&read["status"], &read["qt_completed"], &read["qt_scrap"]), (&json!("closed"), &json!(0), &json!(4)));
        assert_eq!((&read["jobs"][1]["close_reason"], &read["jobs"][2]["close_reason"]), (&json!("supply"), &json!("supply")));
        books::audit(site).await;
    }

    async fn units_of_active_batches_and_released_ones_move_no_quantity(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &[json!({ "production_batch_qt": 1 })], 2.0).await;
        let done = plant.shop.make(&plant.operator, &order.jobs[0]).await;
        let busy = plant.units_of(&done["batch_data"]).await;
        let answer = event(&plant.admin, "SERIAL_SCRAPPED", json!({ "serial_key": busy[0], "reason": "bent" })).await;
        rule(answer, "SerialNotScrappedError", "in_active_batch");
        let released = text(&done["released_serial_keys"][0]);
        let before = plant.picture(&order, &[]).await;
        plant.scrap(&released).await;
        assert_eq!(plant.picture(&order, &[]).await, before, "it was made, and broke later");
        assert_eq!(result(&plant, &done["completed_batch"]).await, json!([1, 0]));
        books::audit(site).await;
    }
}
