//! Movements that are planned, changed, carried out in parts, canceled and reversed, in no list.

use testkit::on_both_engines;

use super::depot::{depot, outline, refusal};
use super::*;
use crate::production::{event, refused};
use crate::serials::{text, unknown};

on_both_engines! {
    async fn a_plan_is_changed_and_carried_out(site) {
        let depot = depot(site).await;
        depot.received("A1", 10.0).await;
        let key = depot.planned("shipment", json!({})).await;
        assert_eq!(outline(&depot.movement(&key).await), json!(["shipment", "planned", "IN", "OUT", 1, 0]));
        let row = depot.movement(&key).await;
        assert_eq!((&row["start"], &row["end"], &row["created"]), (&Value::Null, &Value::Null, &json!("2026-03-01T08:00:00.000Z")));
        let change = json!({ "movement_key": key, "qt_planned": 5, "position_from": "A1", "reason": "for Smith" });
        let changed = depot.send("MOVEMENT_UPDATED", change).await.detail();
        assert_eq!((&changed["movement_key"], &changed["status"], &changed["completed_movement_keys"]), (&json!(key), &json!("planned"), &json!([])));
        let row = depot.movement(&key).await;
        assert_eq!((outline(&row), &row["reason"]), (json!(["shipment", "planned", "A1", "OUT", 5, 0]), &json!("for Smith")));
        assert_eq!(depot.stock("P").await, json!([["A1", 10]]), "a plan moves nothing");
        site.clock.advance_seconds(60);
        let done = depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": key, "product_key": "P", "movement_type": "shipment" })).await.detail();
        assert_eq!(done["movement_key"], key);
        let row = depot.movement(&key).await;
        assert_eq!(outline(&row), json!(["shipment", "completed", "A1", "OUT", 5, 5]));
        assert_eq!(row["end"], "2026-03-01T08:01:00.000Z");
        assert_eq!(depot.stock("P").await, json!([["A1", 5]]));
        let told = refusal(depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": key })).await, "not_open");
        assert_eq!((&told["product_key"], &told["position_key"]), (&json!("P"), &json!("A1")));
        refusal(depot.send("MOVEMENT_UPDATED", json!({ "movement_key": key, "qt_planned": 1 })).await, "not_open");
        refusal(depot.send("MOVEMENT_UPDATED", json!({ "movement_key": key, "cancel": true })).await, "not_open");
        unknown(depot.send("MOVEMENT_UPDATED", json!({ "movement_key": "0000000000001" })).await, "movement_key");
        unknown(depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": "0000000000001" })).await, "movement_key");
        sums::audit(site, &depot.admin).await;
    }

    async fn a_plan_keeps_its_product_and_type(site) {
        let depot = depot(site).await;
        depot.admin.post("/product", json!({ "_key": "Q", "code": "Q" })).await.expect(201);
        let key = depot.planned("receipt", json!({ "position_to": "A1" })).await;
        for other in [json!({ "product_key": "Q" }), json!({ "movement_type": "production" }), json!({ "product_code": "Q" })] {
            let mut sent = json!({ "movement_key": key });
            sent.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
            depot.send("MOVEMENT_COMPLETED", sent).await.expect(422);
        }
        let same = json!({ "movement_key": key, "product_code": "P", "movement_type": "receipt", "position_to": "A2" });
        depot.send("MOVEMENT_COMPLETED", same).await.expect(200);
        assert_eq!(depot.stock("P").await, json!([["A2", 1]]));
    }

    async fn a_plan_ends_short_or_is_canceled(site) {
        let depot = depot(site).await;
        let short = depot.planned("receipt", json!({ "position_to": "A1", "qt_planned": 5 })).await;
        depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": short, "qt_confirmed": 3 })).await.expect(200);
        assert_eq!(outline(&depot.movement(&short).await), json!(["receipt", "completed", "OUT", "A1", 5, 3]));
        let canceled = depot.planned("receipt", json!({})).await;
        let told = depot.send("MOVEMENT_UPDATED", json!({ "_key": canceled, "cancel": true })).await.detail();
        assert_eq!((&told["movement_key"], &told["status"]), (&json!(canceled), &json!("canceled")));
        let row = depot.movement(&canceled).await;
        assert_eq!((&row["status"], &row["end"]), (&json!("canceled"), &json!("2026-03-01T08:00:00.000Z")));
        refusal(depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": canceled })).await, "not_open");
        refusal(depot.reverses(&canceled).await, "nothing_to_reverse");
        assert_eq!(depot.stock("P").await, json!([["A1", 3]]));
    }

    async fn a_plan_is_carried_out_in_parts(site) {
        let depot = depot(site).await;
        depot.received("A1", 10.0).await;
        depot.received("A2", 10.0).await;
        let key = depot.planned("shipment", json!({ "qt_planned": 8, "position_from": "A1" })).await;
        let part = depot.send("MOVEMENT_UPDATED", json!({ "movement_key": key, "qt_confirmed": 2 })).await.detail();
        assert_eq!((&part["movement_key"], &part["status"]), (&json!(key), &json!("planned")));
        let made = part["completed_movement_keys"].as_array().unwrap().clone();
        assert_eq!(made.len(), 1);
        assert_eq!(outline(&depot.movement(&text(&made[0])).await), json!(["shipment", "completed", "A1", "OUT", 2, 2]));
        assert_eq!(outline(&depot.movement(&key).await), json!(["shipment", "planned", "A1", "OUT", 6, 0]));

        let parts = json!([{ "qt_confirmed": 1 }, { "position_from": "A2", "qt_confirmed": 2.5, "qt_planned": 3 }]);
        let wrong = json!({ "movement_key": key, "split_into": parts, "qt_confirmed": 3 });
        depot.send("MOVEMENT_UPDATED", wrong).await.expect(422);
        let split = json!({ "movement_key": key, "split_into": parts, "qt_confirmed": 3.5 });
        let split = depot.send("MOVEMENT_UPDATED", split).await.detail();
        assert_eq!(split["completed_movement_keys"].as_array().unwrap().len(), 2);
        assert_eq!(outline(&depot.movement(&key).await), json!(["shipment", "planned", "A1", "OUT", 2.5, 0]));
        assert_eq!(depot.stock("P").await, json!([["A1", 7], ["A2", 7.5]]));

        // One part of two is refused, so there is none.
        let parts = json!([{ "qt_confirmed": 1 }, { "position_from": "A2", "qt_confirmed": 8 }]);
        let short = refusal(depot.send("MOVEMENT_UPDATED", json!({ "movement_key": key, "split_into": parts })).await, "insufficient_stock");
        assert_eq!((&short["available"], &short["requested"]), (&json!(7.5), &json!(8)));
        assert_eq!(outline(&depot.movement(&key).await), json!(["shipment", "planned", "A1", "OUT", 2.5, 0]));
        let rest = json!([{ "qt_confirmed": 1 }, { "qt_confirmed": 1.5 }]);
        let used = depot.send("MOVEMENT_UPDATED", json!({ "movement_key": key, "split_into": rest })).await.detail();
        assert_eq!((&used["movement_key"], &used["status"]), (&Value::Null, &json!("completed")));
        assert_eq!(used["completed_movement_keys"].as_array().unwrap().len(), 2);
        let all = depot.get("/movement?limit=10000").await;
        assert!(each(&all, "_key").iter().all(|row| *row != key), "the plan is used up");
        assert_eq!(depot.stock("P").await, json!([["A1", 4.5], ["A2", 7.5]]));
        refusal(depot.send("MOVEMENT_UPDATED", json!({ "movement_key": text(&made[0]), "cancel": true })).await, "not_open");

        let more = depot.planned("shipment", json!({ "qt_planned": 2, "position_from": "A1" })).await;
        let whole = depot.send("MOVEMENT_UPDATED", json!({ "movement_key": more, "qt_confirmed": 2.5 })).await.detail();
        assert_eq!((&whole["movement_key"], &whole["status"]), (&json!(more), &json!("completed")));
        assert_eq!(outline(&depot.movement(&more).await), json!(["shipment", "completed", "A1", "OUT", 2, 2.5]));
        sums::audit(site, &depot.admin).await;
    }

    async fn parts_of_an_adjustment_have_its_sign(site) {
        let depot = depot(site).await;
        depot.received("A1", 5.0).await;
        let key = depot.planned("adjustment", json!({ "position_to": "A1", "qt_planned": -3 })).await;
        depot.send("MOVEMENT_UPDATED", json!({ "movement_key": key, "qt_confirmed": 1 })).await.expect(422);
        depot.send("MOVEMENT_UPDATED", json!({ "movement_key": key, "qt_confirmed": -1 })).await.expect(200);
        assert_eq!(depot.movement(&key).await["qt_planned"], -2);
        depot.send("MOVEMENT_UPDATED", json!({ "movement_key": key, "qt_confirmed": -2 })).await.expect(200);
        assert_eq!((depot.stock("P").await, &depot.movement(&key).await["status"]), (json!([["A1", 2]]), &json!("completed")));
        sums::audit(site, &depot.admin).await;
    }

    async fn several_units_are_moved_in_parts(site) {
        let depot = depot(site).await;
        let units = [depot.received_unit("A1", "S-1").await, depot.received_unit("A2", "S-2").await];
        let key = depot.planned("shipment", json!({ "product_key": "T", "qt_planned": 2, "position_from": "A1" })).await;
        refusal(depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": key })).await, "serial_required");
        let named = json!({ "movement_key": key, "serial_key": units[0] });
        depot.send("MOVEMENT_COMPLETED", named).await.expect(422);
        let parts = json!([
            { "serial_key": units[0], "qt_confirmed": 1 }, { "serial_code": "s-2", "position_from": "A2", "qt_confirmed": 1 }
        ]);
        let done = depot.send("MOVEMENT_UPDATED", json!({ "movement_key": key, "split_into": parts })).await.detail();
        assert_eq!((&done["movement_key"], done["completed_movement_keys"].as_array().unwrap().len()), (&Value::Null, 2));
        assert_eq!(site.count("stock").await, 0);

        let new = json!({ "product_key": "T", "serial_code": "S-3", "position_to": "A1" });
        let receipt = depot.planned("receipt", new.clone()).await;
        let serial = text(&depot.movement(&receipt).await["serial_key"]);
        assert_eq!(depot.places(&serial).await, Vec::<String>::new(), "it is known, and not here yet");
        let done = depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": receipt })).await.detail();
        assert_eq!((&done["serial_key"], depot.places(&serial).await), (&json!(serial), vec!["A1".to_owned()]));
        let mut again = new;
        again["movement_type"] = json!("receipt");
        refusal(depot.send("MOVEMENT_PLANNED", again).await, "serial_in_stock");
        let nobody = json!({ "movement_type": "shipment", "product_key": "T", "serial_code": "nobody" });
        unknown(depot.send("MOVEMENT_PLANNED", nobody).await, "serial_code");
        sums::audit(site, &depot.admin).await;
    }

    async fn two_units_are_not_moved_by_one_code(site) {
        let depot = depot(site).await;
        let key = depot.planned("receipt", json!({ "product_key": "T", "qt_planned": 2, "position_to": "A1" })).await;
        let sent = json!({ "movement_key": key, "serial_code": "S" });
        assert_eq!(refusal(depot.send("MOVEMENT_COMPLETED", sent).await, "serial_required")["product_key"], "T");
        assert_eq!((site.count("serial").await, site.count("stock").await), (0, 0));
    }

    async fn a_part_of_a_movement_is_reversed_once(site) {
        let depot = depot(site).await;
        let receipt = depot.received("A1", 5.0).await;
        let revert = async |quantity: Value| {
            let sent = json!({ "original_movement_key": receipt, "quantity_to_revert": quantity, "reason": "too many" });
            depot.send("MOVEMENT_REVERSED", sent).await
        };
        let told = refusal(revert(json!(6)).await, "reverse_too_much");
        assert_eq!((&told["available"], &told["requested"]), (&json!(5), &json!(6)));
        assert_eq!((&told["product_key"], &told["position_key"]), (&json!("P"), &json!("A1")));
        for wrong in [json!(0), json!(-1)] {
            let told = refusal(revert(wrong).await, "quantity_invalid");
            assert_eq!((&told["product_key"], &told["position_key"]), (&json!("P"), &json!("A1")));
            assert!(text(&told["message"]).contains("quantity_to_revert"), "{told}");
        }
        let done = revert(json!(2)).await.detail();
        let row = depot.movement(&text(&done["movement_key"])).await;
        assert_eq!((outline(&row), &row["reason"]), (json!(["reversal", "completed", "A1", "OUT", 0, 2]), &json!("too many")));
        refusal(revert(Value::Null).await, "already_reversed");
        assert_eq!(depot.stock("P").await, json!([["A1", 3]]));
        let planned = depot.planned("receipt", json!({})).await;
        let told = refusal(depot.reverses(&planned).await, "nothing_to_reverse");
        assert_eq!((&told["product_key"], &told["position_key"]), (&json!("P"), &json!("IN")));
        unknown(depot.reverses("0000000000001").await, "original_movement_key");

        let adjustment = json!({ "product_key": "P", "position_to": "A1", "qt_confirmed": -3 });
        let adjustment = depot.moved("adjustment", adjustment).await;
        let back = depot.reverses(&adjustment).await.detail();
        let row = depot.movement(&text(&back["movement_key"])).await;
        assert_eq!(outline(&row), json!(["reversal", "completed", "A1", "A1", 0, 3]));
        assert_eq!(depot.stock("P").await, json!([["A1", 3]]));
        sums::audit(site, &depot.admin).await;
    }

    async fn nothing_is_reversed_before_it_ended(site) {
        let depot = depot(site).await;
        let now = site.clock.now();
        let receipt = depot.received("A1", 5.0).await;
        let back = |timestamp: Value| json!({ "original_movement_key": receipt, "timestamp": timestamp });
        let early = back(json!(now.plus_seconds(-1)));
        let told = refused(depot.send("MOVEMENT_REVERSED", early).await, "TimestampError");
        assert_eq!((&told["earliest"], depot.stock("P").await), (&json!(now), json!([["A1", 5]])));
        depot.send("MOVEMENT_REVERSED", back(json!(now))).await.expect(200);
        assert_eq!(depot.stock("P").await, json!([]));

        let ahead = now.plus_seconds(200);
        let ends = json!({ "product_key": "P", "position_to": "A1", "qt_confirmed": 5, "end": ahead });
        let ends = depot.moved("receipt", ends).await;
        let done = depot.reverses(&ends).await.detail();
        let row = depot.movement(&text(&done["movement_key"])).await;
        assert_eq!((&row["start"], &row["end"]), (&json!(ahead), &json!(ahead)), "without a timestamp, it waits for the end");
        assert_eq!(depot.stored(&done).await["timestamp"], json!(ahead));
        sums::audit(site, &depot.admin).await;
    }

    async fn what_came_from_a_deleted_position_goes_to_the_warehouse(site) {
        let depot = depot(site).await;
        depot.received("A2", 2.0).await;
        let transfer = json!({ "product_key": "P", "position_from": "A2", "position_to": "A1", "qt_confirmed": 2 });
        let transfer = depot.moved("transfer", transfer).await;
        depot.keeper.delete("/position/A2").await.expect(200);
        let done = depot.reverses(&transfer).await.detail();
        let row = depot.movement(&text(&done["movement_key"])).await;
        assert_eq!(outline(&row), json!(["reversal", "completed", "A1", "IN", 0, 2]));
        assert_eq!(depot.stock("P").await, json!([["IN", 2]]));
        let original = depot.movement(&transfer).await;
        assert_eq!((&original["position_from_deleted"], &original["position_to_deleted"]), (&json!(true), &json!(false)));
        sums::audit(site, &depot.admin).await;
    }

    async fn a_unit_comes_back_if_it_is_sound(site) {
        let depot = depot(site).await;
        let receive = json!({ "product_key": "T", "position_to": "A1", "serial_code": "S", "qt_confirmed": 1 });
        let received = depot.moves("receipt", receive).await.detail();
        let (receipt, serial) = (text(&received["movement_key"]), text(&received["serial_key"]));
        let from = |position: &str| json!({ "product_key": "T", "serial_key": serial, "position_from": position, "qt_confirmed": 1 });
        let mut transfer = from("A1");
        transfer["position_to"] = json!("A2");
        depot.moved("transfer", transfer).await;
        let moved_on = refusal(depot.reverses(&receipt).await, "serial_not_in_position");
        assert_eq!((&moved_on["serial_key"], &moved_on["position_key"]), (&json!(serial), &json!("A1")));
        let shipped = depot.moved("shipment", from("A2")).await;
        event(&depot.admin, "SERIAL_SCRAPPED", json!({ "serial_key": serial, "reason": "lost at sea" })).await.expect(200);
        refusal(depot.reverses(&shipped).await, "serial_blocked");
        assert_eq!(site.count("stock").await, 0);
        sums::audit(site, &depot.admin).await;
    }
}
