//! Scenarios 5 to 9, and what every type of movement does to stock.

use futures_util::future::join_all;
use testkit::{Method, on_both_engines};

use super::depot::{Depot, depot, moves, outline, refusal};
use super::together::{goods, on_all_nodes, turn};
use super::*;
use crate::production::{children, refused};
use crate::serials::text;

/// A carrier, which may itself be moved.
async fn make_box(keeper: &Person, key: &str, parent: &str) {
    let carrier = json!({ "_key": key, "code": key, "parent_position_key": parent, "fixed": false });
    keeper.post("/position", carrier).await.expect(200);
}

/// Moves a carrier with everything in it.
async fn carry(depot: &Depot, carrier: &str, to: &str) -> Answer {
    depot.moves("transfer", json!({ "position_from": carrier, "position_to": to })).await
}

on_both_engines! {
    async fn tenths_add_up_exactly(site) {
        let depot = depot(site).await;
        for _ in 0..10 {
            depot.received("A1", 0.1).await;
        }
        assert_eq!(depot.stock("P").await, json!([["A1", 1]]));
        assert_eq!(site.look::<i64>("select quantity from stock", vec![]).await, Some(1_000_000));
        depot.moved("adjustment", json!({ "product_key": "P", "position_to": "A1", "qt_confirmed": -1.0 })).await;
        assert_eq!((depot.stock("P").await, site.count("stock").await), (json!([]), 0));
        let fine = json!({ "product_key": "P", "position_to": "A1", "qt_confirmed": 0.1234567 });
        depot.moves("receipt", fine).await.expect(422);
        let text = json!({ "product_code": "P", "position_to": "A1", "qt_confirmed": "0.123456" });
        depot.moved("receipt", text).await;
        assert_eq!(depot.stock("P").await, json!([["A1", 0.123456]]));
        sums::audit(site, &depot.admin).await;
    }

    async fn goods_come_move_go_and_come_back(site) {
        let depot = depot(site).await;
        let receipt = depot.received("A1", 12.5).await;
        let transfer = json!({ "product_key": "P", "position_from": "A1", "position_to": "A2", "qt_confirmed": 2.25 });
        let moved = depot.moves("transfer", transfer).await.detail();
        let shipment = depot.moved("shipment", json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": 3 })).await;
        assert_eq!(depot.stock("P").await, json!([["A1", 7.25], ["A2", 2.25]]));
        let grouped = depot.get("/inventory?group_by=product").await;
        assert_eq!((grouped.as_array().unwrap().len(), &grouped[0]["quantity"], &grouped[0]["positions"]), (1, &json!(9.5), &json!(2)));

        let stored = depot.stored(&moved).await;
        let change = |position: &str, quantity: f64| {
            json!({ "position_key": position, "product_key": "P", "serial_key": null, "quantity_change": quantity })
        };
        assert_eq!(stored["payload"]["stock_changes"], json!([change("A1", -2.25), change("A2", 2.25)]));
        assert_eq!((&stored["children"], &stored["movement_key"]), (&json!([]), &moved["movement_key"]));
        let row = depot.movement(&text(&moved["movement_key"])).await;
        assert_eq!(outline(&row), json!(["transfer", "completed", "A1", "A2", 2.25, 2.25]));
        assert_eq!((&row["_from"], &row["_to"], &row["owned"]), (&json!("Position/A1"), &json!("Position/A2"), &json!(true)));
        assert_eq!((&row["start"], &row["end"]), (&json!("2026-03-01T08:00:00.000Z"), &json!("2026-03-01T08:00:00.000Z")));
        assert_eq!((&row["user_key"], &row["movement_list_key"]), (&json!(depot.keeper.key), &Value::Null));

        let reversed = depot.reverses(&shipment).await.detail();
        assert_eq!((&reversed["original_movement_key"], &reversed["planned_movement_key"]), (&json!(shipment), &Value::Null));
        assert_eq!(depot.stock("P").await, json!([["A1", 10.25], ["A2", 2.25]]));
        let reversal = text(&reversed["movement_key"]);
        let row = depot.movement(&reversal).await;
        assert_eq!(outline(&row), json!(["reversal", "completed", "OUT", "A1", 0, 3]));
        assert_eq!(row["references"]["origin_movement_key"], shipment);
        assert_eq!(depot.movement(&shipment).await["inverse_movement_key"], reversal);
        let told = refusal(depot.reverses(&shipment).await, "already_reversed");
        assert_eq!((&told["product_key"], &told["position_key"]), (&json!("P"), &json!("A1")));
        let most = json!({ "original_movement_key": receipt, "quantity_to_revert": 11 });
        let short = refusal(depot.send("MOVEMENT_REVERSED", most).await, "insufficient_stock");
        assert_eq!((&short["available"], &short["requested"]), (&json!(10.25), &json!(11)));
        assert_eq!((&short["product_key"], &short["position_key"]), (&json!("P"), &json!("A1")));
        let told = refusal(depot.reverses(&reversal).await, "not_reversible");
        assert_eq!((&told["product_key"], &told["position_key"]), (&json!("P"), &json!("A1")));
        assert_eq!(depot.stock("P").await, json!([["A1", 10.25], ["A2", 2.25]]));
        sums::audit(site, &depot.admin).await;
    }

    async fn stock_goes_below_zero_only_where_it_may(site) {
        let depot = depot(site).await;
        let one = json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": 1 });
        let short = refusal(depot.moves("shipment", one.clone()).await, "insufficient_stock");
        assert_eq!((&short["available"], &short["requested"]), (&json!(0), &json!(1)));
        depot.admin.patch("/product/P", json!({ "allow_negative_inventory": true })).await.expect(200);
        depot.moved("shipment", one.clone()).await;
        assert_eq!(depot.stock("P").await, json!([["A1", -1]]));
        // What went there while it was allowed may come back, and go no lower.
        depot.admin.patch("/product/P", json!({ "allow_negative_inventory": false })).await.expect(200);
        assert_eq!(depot.get("/inventory/verify").await["ok"], true);
        assert_eq!(refusal(depot.moves("shipment", one).await, "insufficient_stock")["available"], -1);
        depot.received("A1", 0.5).await;
        assert_eq!(depot.stock("P").await, json!([["A1", -0.5]]));
        depot.received("A1", 0.5).await;
        assert_eq!(depot.stock("P").await, json!([]));

        depot.admin.patch("/product/T", json!({ "allow_negative_inventory": true })).await.expect(200);
        let unit = depot.received_unit("A1", "S").await;
        depot.moved("shipment", json!({ "product_key": "T", "serial_key": unit, "position_from": "A1", "qt_confirmed": 1 })).await;
        let again = json!({ "product_key": "T", "serial_key": unit, "position_from": "A1", "qt_confirmed": 1 });
        refusal(depot.moves("shipment", again).await, "serial_not_in_position");
        sums::audit(site, &depot.admin).await;
    }

    async fn a_box_moves_with_what_is_in_it(site) {
        let depot = depot(site).await;
        make_box(&depot.keeper, "B", "A1").await;
        make_box(&depot.keeper, "C", "B").await;
        depot.received("B", 4.0).await;
        let before = depot.get("/inventory?product_key=P").await[0].clone();
        let moved = carry(&depot, "B", "A2").await.detail();
        let after = depot.get("/inventory?product_key=P").await[0].clone();
        assert_eq!(each(&before["path"], "position_code"), ["A", "A1", "B"]);
        assert_eq!(each(&after["path"], "position_code"), ["A", "A2", "B"]);
        assert_eq!((&after["_key"], &after["quantity"], &after["position_key"]), (&before["_key"], &json!(4), &json!("B")));
        let row = depot.movement(&text(&moved["movement_key"])).await;
        assert_eq!(outline(&row), json!(["transfer", "completed", "B", "A2", 1, 1]));
        assert_eq!((&row["product_key"], &row["serial_key"]), (&Value::Null, &Value::Null));
        assert_eq!(depot.stored(&moved).await["payload"]["stock_changes"], json!([]));

        assert_eq!(refusal(carry(&depot, "A1", "A2").await, "position_fixed")["position_key"], "A1");
        refusal(carry(&depot, "IN", "A2").await, "position_fixed");
        refusal(carry(&depot, "B", "C").await, "position_cycle");
        refusal(carry(&depot, "B", "B").await, "same_position");
        refusal(carry(&depot, "B", "A2").await, "same_position");
        refusal(carry(&depot, "B", "NULL").await, "position_unavailable");
        let two = json!({ "position_from": "B", "position_to": "A1", "qt_confirmed": 2 });
        let told = refusal(depot.moves("transfer", two).await, "quantity_invalid");
        assert_eq!((&told["position_key"], &told["message"]), (&json!("B"), &json!("A position is moved as one: leave the quantities out, or send 1.")));
        let serial = json!({ "position_from": "B", "position_to": "A1", "serial_code": "S" });
        assert_eq!(refusal(depot.moves("transfer", serial).await, "serial_not_allowed")["position_key"], "B");
        let told = refusal(depot.reverses(&text(&moved["movement_key"])).await, "not_reversible");
        assert_eq!((told.get("product_key"), &told["position_key"]), (None, &json!("B")));
        let plan = json!({ "movement_type": "transfer", "position_from": "B", "position_to": "A1" });
        let told = refused(depot.send("MOVEMENT_PLANNED", plan).await, "ValueError");
        assert!(text(&told["message"]).contains("MOVEMENT_COMPLETED"), "{told}");
        let planned = json!({ "movement_type": "transfer", "position_from": "B", "position_to": "A1" });
        depot.send("MOVEMENT_PLANNED", planned).await.expect(422);
        assert_eq!(each(&depot.get("/inventory?product_key=P").await[0]["path"], "position_code"), ["A", "A2", "B"]);

        let whole = json!({ "position_from": "Position/B", "position_to": "Position/OUT", "qt_confirmed": 1 });
        depot.moved("transfer", whole).await;
        assert_eq!(depot.stock("P").await, json!([]), "it is at a customer's");
        assert_eq!(depot.get("/inventory?root_position_key=OUT").await[0]["position_key"], "B");
        sums::audit(site, &depot.admin).await;
    }

    async fn a_box_goes_no_deeper_than_the_last_level(site) {
        let depot = depot(site).await;
        let mut deepest = "IN".to_owned();
        for level in 1..=98 {
            let key = format!("D{level}");
            make(&depot.keeper, &key, &deepest).await;
            deepest = key;
        }
        for carrier in ["B", "E"] {
            make_box(&depot.keeper, carrier, "IN").await;
        }
        make_box(&depot.keeper, "C", "B").await;
        refusal(carry(&depot, "B", &deepest).await, "position_too_deep");
        carry(&depot, "E", &deepest).await.expect(200);
        carry(&depot, "B", "D97").await.expect(200);
    }

    async fn a_unit_lies_in_one_place(site) {
        let depot = depot(site).await;
        let receipt = json!({ "product_key": "T", "position_to": "A1", "serial_code": " sn-1 ", "qt_confirmed": 1 });
        let made = depot.moves("receipt", receipt.clone()).await.detail();
        assert_eq!(children(&depot.admin, &made).await, ["SERIAL_CREATED"]);
        let unit = text(&made["serial_key"]);
        let serial = depot.get(&format!("/serial/{unit}")).await;
        assert_eq!((&serial["code"], serial["released"].is_string()), (&json!("SN-1"), true));
        let row = depot.get("/inventory?product_key=T").await[0].clone();
        assert_eq!((&row["quantity"], &row["serial_key"], &row["serial_code"]), (&json!(1), &json!(unit), &json!("SN-1")));
        assert_eq!(depot.stored(&made).await["payload"]["stock_changes"][0]["serial_key"], json!(unit));
        let taken = refusal(depot.moves("receipt", receipt).await, "serial_in_stock");
        assert_eq!((&taken["serial_key"], &taken["product_key"]), (&json!(unit), &json!("T")));
        assert_eq!(site.count("serial").await, 1);

        let from = |position: &str| json!({ "product_key": "T", "position_from": position, "serial_key": unit, "qt_confirmed": 1 });
        let elsewhere = refusal(depot.moves("shipment", from("A2")).await, "serial_not_in_position");
        assert_eq!((&elsewhere["serial_key"], &elsewhere["position_key"]), (&json!(unit), &json!("A2")));
        let mut transfer = from("A1");
        transfer["position_to"] = json!("A2");
        depot.moved("transfer", transfer.clone()).await;
        refusal(depot.moves("transfer", transfer).await, "serial_not_in_position");
        assert_eq!(depot.places(&unit).await, ["A2"]);
        let shipped = depot.moved("shipment", from("A2")).await;
        assert_eq!(depot.places(&unit).await, Vec::<String>::new());
        refusal(depot.moves("consumption", from("A2")).await, "serial_not_in_position");
        depot.reverses(&shipped).await.expect(200);
        assert_eq!(depot.places(&unit).await, ["A2"]);
        let adjust = |quantity: i64| json!({ "product_key": "T", "position_to": "A1", "serial_key": unit, "qt_confirmed": quantity });
        refusal(depot.moves("adjustment", adjust(1)).await, "serial_in_stock");
        refusal(depot.moves("adjustment", adjust(-1)).await, "serial_not_in_position");
        let mut out = adjust(-1);
        out["position_to"] = json!("A2");
        depot.moved("adjustment", out).await;
        depot.moved("adjustment", adjust(1)).await;
        assert_eq!(depot.places(&unit).await, ["A1"]);
        sums::audit(site, &depot.admin).await;
    }

    async fn stock_in_an_old_form_leaves_by_adjustment(site) {
        let depot = depot(site).await;
        depot.received("A1", 3.0).await;
        let unit = depot.received_unit("A1", "S").await;
        depot.admin.patch("/product/P", json!({ "traceability_level": "form_only" })).await.expect(200);
        depot.admin.patch("/product/T", json!({ "traceability_level": null })).await.expect(200);
        let goods = |quantity: i64| json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": quantity });
        refusal(depot.moves("shipment", goods(3)).await, "serial_required");
        refusal(depot.moves("adjustment", goods(1)).await, "serial_required");
        let short = refusal(depot.moves("adjustment", goods(-4)).await, "insufficient_stock");
        assert_eq!((&short["available"], &short["requested"]), (&json!(3), &json!(4)));
        depot.moved("adjustment", goods(-3)).await;
        let out = |quantity: i64| json!({ "product_key": "T", "position_from": "A1", "serial_key": unit, "qt_confirmed": quantity });
        refusal(depot.moves("shipment", out(1)).await, "serial_not_allowed");
        depot.moved("adjustment", out(-1)).await;
        refusal(depot.moves("adjustment", out(1)).await, "serial_not_allowed");
        assert_eq!(site.count("stock").await, 0);
        depot.moved("receipt", json!({ "product_key": "T", "position_to": "A1", "qt_confirmed": 2.5 })).await;
        assert_eq!(depot.stock("T").await, json!([["A1", 2.5]]), "it is goods now");
        sums::audit(site, &depot.admin).await;
    }

    async fn what_is_below_zero_in_an_old_form_comes_back_to_zero(site) {
        let depot = depot(site).await;
        depot.admin.patch("/product/P", json!({ "allow_negative_inventory": true })).await.expect(200);
        depot.moved("shipment", json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": 2 })).await;
        let traced = json!({ "allow_negative_inventory": false, "traceability_level": "form_only" });
        depot.admin.patch("/product/P", traced).await.expect(200);
        let more = |quantity: i64| json!({ "product_key": "P", "position_to": "A1", "qt_confirmed": quantity });
        refusal(depot.moves("receipt", more(1)).await, "serial_required");
        refusal(depot.moves("adjustment", more(3)).await, "serial_required");
        depot.moved("adjustment", more(1)).await;
        assert_eq!(depot.stock("P").await, json!([["A1", -1]]));
        refusal(depot.moves("adjustment", more(2)).await, "serial_required");
        depot.moved("adjustment", more(1)).await;
        assert_eq!(depot.stock("P").await, json!([]));
        refusal(depot.moves("adjustment", more(1)).await, "serial_required");
        sums::audit(site, &depot.admin).await;
    }

    async fn a_box_that_is_moved_is_a_changed_position(site) {
        let depot = depot(site).await;
        make_box(&depot.keeper, "box", "A1").await;
        let shown = async || depot.get("/position/box").await["position"].clone();
        let before = shown().await;
        site.clock.advance_seconds(60);
        carry(&depot, "box", "A2").await.expect(200);
        let after = shown().await;
        assert_eq!((&after["parent_position_key"], &after["updated"]), (&json!("A2"), &json!("2026-03-01T08:01:00.000Z")));
        assert_ne!(after["_rev"], before["_rev"]);
        let patch = async |rev: &Value| {
            let request = depot.keeper.request(Method::PATCH, "/position/box").header("if-match", text(rev));
            depot.keeper.send(request.json(&json!({ "owned": false }))).await
        };
        patch(&before["_rev"]).await.expect(412);
        patch(&after["_rev"]).await.expect(200);
        let audit = depot.admin.get("/audit?target=Position/box").await.expect(200).body;
        assert!(each(&audit, "operation").contains(&"post_event".to_owned()), "{audit}");
    }

    async fn the_event_of_a_movement_says_whose_it_is(site) {
        let depot = depot(site).await;
        let owned = async |movement_type: &str, members: Value| {
            let moved = depot.moves(movement_type, members).await.detail();
            depot.stored(&moved).await["payload"]["owned"].clone()
        };
        let goods = |side: &str, position: &str| json!({ "product_key": "P", side: position, "qt_confirmed": 1 });
        assert_eq!(owned("receipt", goods("position_to", "A1")).await, true);
        let mut theirs = goods("position_to", "A2");
        theirs["owned"] = json!(false);
        assert_eq!(owned("receipt", theirs).await, false);
        assert_eq!(owned("shipment", goods("position_from", "A2")).await, false, "as what was taken");
    }

    async fn each_type_goes_its_way(site) {
        let depot = depot(site).await;
        let ways = [
            ("receipt", json!({}), ["OUT", "IN"]),
            ("production", json!({}), ["NULL", "IN"]),
            ("shipment", json!({}), ["IN", "OUT"]),
            ("consumption", json!({}), ["IN", "NULL"]),
            ("receipt", json!({ "position_from": "OUT", "position_to": "A1" }), ["OUT", "A1"]),
            ("production", json!({ "position_from": "Position/NULL", "position_to": "Position/A2" }), ["NULL", "A2"]),
            ("transfer", json!({ "position_from": "A1", "position_to": "A2" }), ["A1", "A2"]),
            ("adjustment", json!({ "position_from": "A2" }), ["A2", "A2"]),
            ("adjustment", json!({ "position_to": "A1" }), ["A1", "A1"]),
            ("adjustment", json!({ "position_from": "A1", "position_to": "A1" }), ["A1", "A1"]),
        ];
        for (movement_type, mut members, sides) in ways {
            members["product_key"] = json!("P");
            members["qt_confirmed"] = json!(1);
            let key = depot.moved(movement_type, members).await;
            let row = depot.movement(&key).await;
            assert_eq!(outline(&row), json!([movement_type, "completed", sides[0], sides[1], 1, 1]));
        }
        assert_eq!(depot.stock("P").await, json!([["A1", 2], ["A2", 3]]));
        sums::audit(site, &depot.admin).await;
    }

    async fn a_movement_has_what_was_sent_with_it(site) {
        let depot = depot(site).await;
        let references = json!({ "purchase_doc": "PO-7", "partner_name": "Steel & Sons", "partner_code": "S-1" });
        let receipt = json!({
            "product_key": "P", "position_to": "A1", "qt_planned": 5, "qt_confirmed": 4, "owned": false, "reason": "one was broken",
            "references": references, "extra": { "pallet": 3 },
            "start": "2026-03-01T06:00:00Z", "end": "2026-03-01T07:00:00+00:00",
        });
        let row = depot.movement(&depot.moved("receipt", receipt.clone()).await).await;
        assert_eq!(outline(&row), json!(["receipt", "completed", "OUT", "A1", 5, 4]));
        assert_eq!((&row["owned"], &row["reason"], &row["extra"]), (&json!(false), &json!("one was broken"), &json!({ "pallet": 3 })));
        assert_eq!((&row["start"], &row["end"]), (&json!("2026-03-01T06:00:00.000Z"), &json!("2026-03-01T07:00:00.000Z")));
        for (name, value) in references.as_object().unwrap() {
            assert_eq!(row["references"][name], *value, "{name}");
        }
        let early = json!({ "product_key": "P", "qt_confirmed": 1, "timestamp": "2026-03-01T05:00:00Z" });
        let row = depot.movement(&depot.moved("receipt", early).await).await;
        assert_eq!((&row["start"], &row["end"]), (&json!("2026-03-01T05:00:00.000Z"), &json!("2026-03-01T05:00:00.000Z")));
        for (start, end) in [("2026-03-01T07:00:00Z", "2026-03-01T06:00:00Z"), ("2026-03-01T08:00:00Z", "2026-03-01T08:06:00Z")] {
            let mut wrong = receipt.clone();
            (wrong["start"], wrong["end"]) = (json!(start), json!(end));
            refused(depot.moves("receipt", wrong).await, "TimestampError");
        }
        for own in ["origin_movement_key", "inventory_count_session_key", "inventory_count_record_key", "colour"] {
            let wrong = json!({ "product_key": "P", "qt_confirmed": 1, "references": { own: "0000000000001" } });
            depot.moves("receipt", wrong).await.expect(422);
        }
        assert_eq!(site.count("movement").await, 2);
    }

    async fn movements_are_in_the_journal(site) {
        let depot = depot(site).await;
        let moved = depot.moves("receipt", json!({ "product_key": "P", "qt_confirmed": 1 })).await.detail();
        let key = text(&moved["movement_key"]);
        depot.reverses(&key).await.expect(200);
        let told = depot.get(&format!("/event?movement_key={key}&sort_by=seq&sorting_order=asc")).await;
        let told = each(&told, "event_type");
        assert_eq!(told[0], "MOVEMENT_COMPLETED", "{told:?}");
        let of_product = depot.get("/event?product_key=P&sort_by=seq&sorting_order=asc").await;
        assert_eq!(each(&of_product, "event_type"), ["MOVEMENT_COMPLETED", "MOVEMENT_REVERSED"]);
        let listed = "select count(*) from event_listed where kind = 'product'";
        assert_eq!(site.look::<i64>(listed, vec![]).await, Some(0), "each is found by its own product");
        let change = json!({ "position_key": "A1", "product_key": "P", "quantity_change": 1 });
        let internal = refused(depot.send("INVENTORY_CHANGED", change).await, "EventNotAllowed");
        assert_eq!(internal["rule"], "internal");
        assert_eq!(site.count("event").await, 2);
    }

    async fn many_movements_are_sent_at_once_or_not_at_all(site) {
        let depot = depot(site).await;
        let shared = json!({ "event_type": "MOVEMENT_COMPLETED", "movement_type": "shipment", "product_key": "P", "position_from": "A1" });
        let rows = |quantities: [i64; 3]| quantities.map(|quantity| json!({ "qt_confirmed": quantity })).to_vec();
        let bulk = async |quantities: [i64; 3]| {
            let body = json!({ "shared_data": shared, "events": rows(quantities) });
            depot.keeper.post("/event/bulk", body).await
        };
        depot.received("A1", 6.0).await;
        let told = refused(bulk([3, 4, 3]).await, "BulkRejected");
        let errors = told["errors"].as_array().unwrap();
        assert_eq!((errors.len(), &errors[0]["index"], &errors[0]["rule"]), (1, &json!(1), &json!("insufficient_stock")));
        assert_eq!((&errors[0]["available"], &errors[0]["requested"]), (&json!(3), &json!(4)), "rows see those before them");
        assert_eq!(depot.stock("P").await, json!([["A1", 6]]));
        bulk([1, 2, 3]).await.expect(200);
        assert_eq!(depot.stock("P").await, json!([]));
        sums::audit(site, &depot.admin).await;
    }

    /// A bulk keeps stock in memory: a row that changes with each of its events is stored a few times only.
    async fn many_movements_of_one_stock_are_stored_together(site) {
        let depot = depot(site).await;
        depot.received("A1", 3.0).await;
        // To and fro, so that both rows are emptied, made again and changed in between.
        let ways = [("A1", "A2", 2), ("A1", "A2", 1), ("A2", "A1", 3)];
        let row = |(from, to, much): &(&str, &str, i64)| json!({ "position_from": from, "position_to": to, "qt_confirmed": much });
        let mut rows: Vec<Value> = ways.iter().cycle().take(1201).map(row).collect();
        let shared = json!({ "event_type": "MOVEMENT_COMPLETED", "movement_type": "transfer", "product_key": "P" });
        let send = async |rows: &[Value]| {
            depot.keeper.post("/event/bulk", json!({ "shared_data": shared, "events": rows })).await
        };
        send(&rows).await.expect(200);
        assert_eq!(depot.stock("P").await, json!([["A1", 1], ["A2", 2]]));
        let writes = site.look::<i64>("select max(rev) from stock", vec![]).await.unwrap();
        assert!(writes < 1000, "{writes}");
        sums::audit(site, &depot.admin).await;
        let more = json!({ "position_from": "A1", "position_to": "A2", "qt_confirmed": 9 });
        rows = vec![row(&("A2", "A1", 1)), more, row(&("A1", "A2", 2))];
        let told = refused(send(&rows).await, "BulkRejected");
        assert_eq!((&told["errors"][0]["index"], &told["errors"][0]["available"]), (&json!(1), &json!(2)));
        assert_eq!(depot.stock("P").await, json!([["A1", 1], ["A2", 2]]));
    }

    /// What a movement costs does not grow by accident.
    async fn movements_stay_within_their_statements(site) {
        let depot = depot(site).await;
        depot.received("A1", 100.0).await;
        depot.received("A2", 100.0).await;
        let costs = [
            ("receipt", json!({ "product_key": "P", "position_to": "A1", "qt_confirmed": 1 }), 40),
            ("shipment", json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": 1 }), 40),
            ("transfer", json!({ "product_key": "P", "position_from": "A1", "position_to": "A2", "qt_confirmed": 1 }), 45),
            ("receipt", json!({ "product_key": "T", "position_to": "A1", "serial_code": "S", "qt_confirmed": 1 }), 55),
        ];
        for (movement_type, members, most) in costs {
            let (statements, answer) = site.statements(depot.moves(movement_type, members)).await;
            answer.expect(200);
            assert!(statements <= most, "{movement_type} took {statements} statements");
        }
        let shipment = depot.moved("shipment", json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": 1 })).await;
        let (statements, answer) = site.statements(depot.reverses(&shipment)).await;
        answer.expect(200);
        assert!(statements <= 45, "MOVEMENT_REVERSED took {statements} statements");
        let (statements, answer) = site.statements(depot.keeper.get("/inventory?count=true")).await;
        answer.expect(200);
        assert!(statements <= 8, "GET /inventory took {statements} statements");
        let (statements, answer) = site.statements(depot.keeper.get("/movement?count=true")).await;
        answer.expect(200);
        assert!(statements <= 8, "GET /movement took {statements} statements");
    }
}

#[test]
fn each_of_many_keeps_what_it_was_sent_with() {
    on_all_nodes(async |site, keepers| {
        goods(site, &keepers[0], 0).await;
        let admin = site.admin().await;
        let product = |number: usize| format!("M{number}");
        for number in 0..24 {
            admin.post("/product", json!({ "_key": product(number), "code": product(number) })).await.expect(201);
        }
        let sent = |number: usize| {
            let position = if number.is_multiple_of(2) { "A1" } else { "A2" };
            let mut receipt =
                json!({ "product_key": product(number), "position_to": position, "qt_confirmed": number + 1 });
            if number.is_multiple_of(3) {
                receipt["reason"] = json!(format!("because {number}"));
                receipt["references"] = json!({ "purchase_doc": format!("PO-{number}") });
                receipt["extra"] = json!({ "number": number });
            }
            receipt
        };
        let answers = join_all((0..24).map(|number| moves(turn(keepers, number), "receipt", sent(number)))).await;
        let rows = keepers[0].get("/movement?limit=1000").await.expect(200).body;
        for (number, answer) in answers.into_iter().enumerate() {
            let key = text(&answer.expect(200).detail()["movement_key"]);
            let row = rows.as_array().unwrap().iter().find(|row| row["_key"] == key).expect("it is listed");
            let sent = sent(number);
            assert_eq!((&row["product_key"], &row["qt_confirmed"]), (&sent["product_key"], &sent["qt_confirmed"]));
            assert_eq!(row["position_to_key"], sent["position_to"]);
            assert_eq!((&row["reason"], &row["references"]), (&sent["reason"], &sent["references"]));
            assert_eq!(row["extra"], sent.get("extra").cloned().unwrap_or_else(|| json!({})));
        }
    });
}
