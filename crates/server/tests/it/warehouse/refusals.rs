//! Every rule by which a movement is refused, with its data. What is refused changes nothing.

use domain::key::id_to_text;
use testkit::on_both_engines;

use super::depot::{depot, moves, refusal};
use super::*;
use crate::production::event;
use crate::serials::{UNSEEN, link_with, text, unknown};

/// A movement of `P`, with these members.
fn goods(members: Value) -> Value {
    let mut goods = json!({ "product_key": "P", "qt_confirmed": 1 });
    goods.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    goods
}

/// A movement of one unit of `T`, with these members.
fn unit(members: Value) -> Value {
    let mut unit = goods(members);
    unit["product_key"] = json!("T");
    unit
}

/// An object that takes so many bytes as JSON.
fn extra(bytes: usize) -> Value {
    let frame = json!({ "note": "" }).to_string().len();
    json!({ "note": "x".repeat(bytes - frame) })
}

/// What a refusal is about: product, position and serial.
fn about(told: &Value) -> Value {
    json!([told["product_key"], told["position_key"], told["serial_key"]])
}

#[track_caller]
fn lacks(answer: Answer, scope: &str) {
    assert_eq!(answer.expect(403).body["detail"]["required_scope"], scope);
}

on_both_engines! {
    async fn the_product_has_to_live_where_something_comes(site) {
        let depot = depot(site).await;
        depot.received("A1", 3.0).await;
        let planned = depot.planned("shipment", json!({ "position_from": "A1" })).await;
        depot.admin.delete("/product/P").await.expect(200);
        for movement_type in ["receipt", "production"] {
            let gone = refusal(depot.moves(movement_type, goods(json!({}))).await, "product_trashed");
            assert_eq!(gone["product_key"], "P");
        }
        let plan = json!({ "movement_type": "shipment", "product_key": "P" });
        refusal(depot.send("MOVEMENT_PLANNED", plan).await, "product_trashed");
        depot.moved("transfer", goods(json!({ "position_from": "A1", "position_to": "A2" }))).await;
        depot.moved("shipment", goods(json!({ "position_from": "A2" }))).await;
        depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": planned })).await.expect(200);
        assert_eq!(depot.stock("P").await, json!([["A1", 1]]), "its stock may leave");

        unknown(depot.moves("receipt", json!({ "product_key": "nothing", "qt_confirmed": 1 })).await, "product_key");
        unknown(depot.moves("receipt", json!({ "product_code": "nothing", "qt_confirmed": 1 })).await, "product_code");
        depot.moves("receipt", json!({ "qt_confirmed": 1 })).await.expect(422);
        depot.moves("receipt", json!({ "product_key": "T", "product_code": "T", "serial_code": "S", "qt_confirmed": 1 })).await.expect(422);
        sums::audit(site, &depot.admin).await;
    }

    async fn positions_have_to_live_and_to_be_there_for_it(site) {
        let depot = depot(site).await;
        depot.received("A1", 9.0).await;
        depot.keeper.delete("/position/A2").await.expect(200);
        let to_deleted = goods(json!({ "position_from": "A1", "position_to": "A2" }));
        assert_eq!(refusal(depot.moves("transfer", to_deleted.clone()).await, "position_deleted")["position_key"], "A2");
        refusal(depot.moves("receipt", goods(json!({ "position_to": "A2" }))).await, "position_deleted");
        let mut plan = to_deleted;
        plan.as_object_mut().unwrap().remove("qt_confirmed");
        plan["movement_type"] = json!("transfer");
        refusal(depot.send("MOVEMENT_PLANNED", plan).await, "position_deleted");
        unknown(depot.moves("receipt", goods(json!({ "position_to": "nowhere" }))).await, "position_to");
        unknown(depot.moves("shipment", goods(json!({ "position_from": "nowhere" }))).await, "position_from");

        let forced = [
            ("receipt", json!({ "position_from": "A1" })),
            ("receipt", json!({ "position_from": "NULL" })),
            ("production", json!({ "position_from": "OUT" })),
            ("shipment", json!({ "position_from": "A1", "position_to": "A" })),
            ("consumption", json!({ "position_from": "A1", "position_to": "OUT" })),
            ("adjustment", json!({ "position_from": "A", "position_to": "A1" })),
        ];
        for (movement_type, members) in forced {
            refusal(depot.moves(movement_type, goods(members)).await, "forced_position");
        }
        refusal(depot.moves("transfer", goods(json!({ "position_from": "A1", "position_to": "A1" }))).await, "same_position");
        for members in [json!({ "position_from": "A1" }), json!({ "position_to": "A1" }), json!({})] {
            depot.moves("transfer", goods(members)).await.expect(422);
        }
        depot.moves("adjustment", goods(json!({}))).await.expect(422);
        depot.moves("reversal", goods(json!({ "position_from": "A1", "position_to": "A" }))).await.expect(422);
        let outside = [
            ("transfer", json!({ "position_from": "A1", "position_to": "OUT" })),
            ("transfer", json!({ "position_from": "NULL", "position_to": "A1" })),
            ("receipt", json!({ "position_to": "NULL" })),
            ("shipment", json!({ "position_from": "NULL" })),
            ("adjustment", json!({ "position_to": "OUT" })),
        ];
        for (movement_type, members) in outside {
            refusal(depot.moves(movement_type, goods(members)).await, "position_unavailable");
        }
        for (position, instead) in [("OUT", "shipment"), ("NULL", "consumption")] {
            let told = refusal(depot.moves("transfer", goods(json!({ "position_from": "A1", "position_to": position }))).await, "position_unavailable");
            assert!(text(&told["message"]).contains(instead), "{told}");
        }
        assert_eq!(depot.stock("P").await, json!([["A1", 9]]));
        assert_eq!(site.count("movement").await, 1);
    }

    async fn where_nothing_is_moved_there_are_corrections(site) {
        let depot = depot(site).await;
        let receipt = depot.received("A1", 9.0).await;
        depot.received("A2", 1.0).await;
        depot.keeper.patch("/position/A1", json!({ "available": false })).await.expect(200);
        let moved = [
            ("receipt", json!({ "position_to": "A1" })),
            ("production", json!({ "position_to": "A1" })),
            ("shipment", json!({ "position_from": "A1" })),
            ("consumption", json!({ "position_from": "A1" })),
            ("transfer", json!({ "position_from": "A1", "position_to": "A2" })),
            ("transfer", json!({ "position_from": "A2", "position_to": "A1" })),
        ];
        for (movement_type, members) in moved {
            let told = refusal(depot.moves(movement_type, goods(members)).await, "position_unavailable");
            assert_eq!(told["position_key"], "A1", "{movement_type}");
        }
        let planned = depot.planned("shipment", json!({ "position_from": "A1" })).await;
        refusal(depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": planned })).await, "position_unavailable");
        depot.moved("adjustment", goods(json!({ "position_to": "A1", "qt_confirmed": -2 }))).await;
        depot.send("MOVEMENT_REVERSED", json!({ "original_movement_key": receipt, "quantity_to_revert": 3 })).await.expect(200);
        assert_eq!(depot.stock("P").await, json!([["A1", 4], ["A2", 1]]));
        depot.keeper.patch("/position/A1", json!({ "available": true })).await.expect(200);
        depot.keeper.patch("/position/A", json!({ "available": false })).await.expect(200);
        depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": planned })).await.expect(200);
        assert_eq!(depot.stock("P").await, json!([["A1", 3], ["A2", 1]]), "each position has a mark of its own");
        sums::audit(site, &depot.admin).await;
    }

    async fn consumption_is_allowed_by_the_nearest_that_says_so(site) {
        let depot = depot(site).await;
        depot.received("A1", 5.0).await;
        let consume = async || depot.moves("consumption", goods(json!({ "position_from": "A1" }))).await;
        let allow = async |position: &str, allowed: Value| {
            let change = json!({ "allow_consumption": allowed });
            depot.keeper.patch(&format!("/position/{position}"), change).await.expect(200);
        };
        consume().await.expect(200);
        allow("A", json!(false)).await;
        assert_eq!(refusal(consume().await, "consumption_not_allowed")["position_key"], "A1");
        depot.moved("shipment", goods(json!({ "position_from": "A1" }))).await;
        allow("A1", json!(true)).await;
        consume().await.expect(200);
        allow("A", json!(true)).await;
        allow("A1", json!(false)).await;
        refusal(consume().await, "consumption_not_allowed");
        assert_eq!(depot.stock("P").await, json!([["A1", 2]]));
    }

    async fn quantities_fit_what_is_moved(site) {
        let depot = depot(site).await;
        depot.received("A1", 1.0).await;
        depot.received_unit("A1", "S").await;
        for quantity in [json!(0), json!(-1)] {
            let sent = goods(json!({ "qt_confirmed": quantity }));
            refusal(depot.moves("receipt", sent).await, "quantity_invalid");
            let plan = json!({ "movement_type": "receipt", "product_key": "P", "qt_planned": quantity });
            refusal(depot.send("MOVEMENT_PLANNED", plan).await, "quantity_invalid");
        }
        refusal(depot.moves("adjustment", goods(json!({ "position_to": "A1", "qt_confirmed": 0 }))).await, "quantity_invalid");
        for quantity in [json!(2), json!(0.5), json!(-1)] {
            let sent = unit(json!({ "position_from": "A1", "serial_code": "S", "qt_confirmed": quantity }));
            refusal(depot.moves("shipment", sent).await, "quantity_invalid");
        }
        let plan = json!({ "movement_type": "shipment", "product_key": "T", "qt_planned": 1.5 });
        refusal(depot.send("MOVEMENT_PLANNED", plan).await, "quantity_invalid");
        let plan = json!({ "movement_type": "shipment", "product_key": "T", "serial_code": "S", "qt_planned": 2 });
        refusal(depot.send("MOVEMENT_PLANNED", plan).await, "quantity_invalid");
        depot.moves("receipt", json!({ "product_key": "P" })).await.expect(422);
        let planned = depot.planned("shipment", json!({ "qt_planned": 5 })).await;
        let pair = depot.planned("shipment", json!({ "product_key": "T", "qt_planned": 2 })).await;
        let parts = |first: Value, second: Value| json!([{ "qt_confirmed": first }, { "qt_confirmed": second }]);
        let mut said = Vec::new();
        for (movement, members) in [
            (&planned, json!({ "qt_planned": 0 })),
            (&planned, json!({ "qt_confirmed": -1 })),
            (&planned, json!({ "split_into": parts(json!(1), json!(2)), "qt_confirmed": 4 })),
            (&planned, json!({ "split_into": parts(json!(1), json!(-2)) })),
            (&pair, json!({ "qt_planned": 1.5 })),
        ] {
            let mut sent = members;
            sent["movement_key"] = json!(movement);
            let told = refusal(depot.send("MOVEMENT_UPDATED", sent).await, "quantity_invalid");
            assert!(["P", "T"].contains(&text(&told["product_key"]).as_str()), "{told}");
            said.push(text(&told["message"]));
        }
        assert_eq!(said[1], said[3], "the sign");
        said.remove(3);
        said.sort();
        said.dedup();
        assert_eq!(said.len(), 4, "each cause has a sentence of its own: {said:?}");
        for huge in [json!(1e13), json!("0.0000001"), json!("many")] {
            depot.moves("receipt", goods(json!({ "qt_confirmed": huge }))).await.expect(422);
        }
        // Together they would be more than can be stored.
        let most = goods(json!({ "position_to": "A2", "qt_confirmed": 1_000_000_000_000_i64 }));
        depot.moved("receipt", most.clone()).await;
        let mut status = 200;
        for _ in 0..10 {
            status = status.max(depot.moves("receipt", most.clone()).await.status);
        }
        assert_eq!(status, 422, "refused, and not cut off");
        sums::audit(site, &depot.admin).await;
    }

    async fn units_are_named_and_goods_are_not(site) {
        let depot = depot(site).await;
        let code = json!({ "position_to": "A1", "serial_code": "S" });
        assert_eq!(refusal(depot.moves("receipt", unit(json!({}))).await, "serial_required")["product_key"], "T");
        assert_eq!(refusal(depot.moves("receipt", goods(code.clone())).await, "serial_not_allowed")["product_key"], "P");
        let key = text(&depot.moves("receipt", unit(code)).await.detail()["serial_key"]);
        refusal(depot.moves("shipment", goods(json!({ "serial_key": key }))).await, "serial_not_allowed");
        refusal(depot.moves("shipment", unit(json!({ "position_from": "A1" }))).await, "serial_required");
        unknown(depot.moves("shipment", unit(json!({ "serial_code": "other" }))).await, "serial_code");
        unknown(depot.moves("shipment", unit(json!({ "serial_key": "0000000000001" }))).await, "serial_key");
        let plan = json!({ "movement_type": "receipt", "product_key": "P", "serial_code": "S" });
        refusal(depot.send("MOVEMENT_PLANNED", plan).await, "serial_not_allowed");
        for movement_type in ["receipt", "production"] {
            let again = unit(json!({ "position_to": "A2", "serial_key": key }));
            assert_eq!(refusal(depot.moves(movement_type, again).await, "serial_in_stock")["serial_key"], key);
        }
        assert_eq!(depot.places(&key).await, ["A1"]);
        assert_eq!((site.count("movement").await, site.count("serial").await), (1, 1));
    }

    /// Units that are gone, scrapped, built in or unfinished leave stock, and do not come into it.
    async fn only_sound_units_come_in(site) {
        let depot = depot(site).await;
        let create = async |code: &str, released: Value| {
            let members = json!({ "product_key": "T", "code": code, "released": released });
            text(&event(&depot.admin, "SERIAL_CREATED", members).await.detail()["serial_key"])
        };
        let done = json!("2026-03-01T07:00:00Z");
        let (deleted, scrapped) = (create("DELETED", done.clone()).await, create("SCRAPPED", done.clone()).await);
        let (built_in, parent) = (create("PART", done.clone()).await, create("WHOLE", done).await);
        let unfinished = create("UNFINISHED", Value::Null).await;
        event(&depot.admin, "SERIAL_DELETED", json!({ "serial_key": deleted })).await.expect(200);
        event(&depot.admin, "SERIAL_SCRAPPED", json!({ "serial_key": scrapped, "reason": "dropped" })).await.expect(200);
        link_with(&depot.admin, &built_in, &parent, json!({})).await.expect(200);
        for serial in [&deleted, &scrapped, &built_in, &unfinished] {
            let receipt = unit(json!({ "position_to": "A1", "serial_key": serial }));
            assert_eq!(refusal(depot.moves("receipt", receipt.clone()).await, "serial_blocked")["serial_key"], *serial);
            refusal(depot.moves("adjustment", receipt).await, "serial_blocked");
        }
        assert_eq!(site.count("stock").await, 0);
        let again = depot.received_unit("A1", "deleted").await;
        assert_ne!(again, deleted, "the code was free");
        sums::audit(site, &depot.admin).await;
    }

    async fn a_row_belongs_to_one_owner(site) {
        let depot = depot(site).await;
        let theirs = json!({ "position_to": "A1", "qt_confirmed": 5, "owned": false });
        depot.moved("receipt", goods(theirs)).await;
        assert_eq!(depot.get("/inventory?product_key=P&owned=false").await[0]["quantity"], 5);
        let mixed = refusal(depot.moves("receipt", goods(json!({ "position_to": "A1" }))).await, "owner_mismatch");
        assert_eq!((&mixed["product_key"], &mixed["position_key"]), (&json!("P"), &json!("A1")));
        let taken = refusal(depot.moves("shipment", goods(json!({ "position_from": "A1", "owned": true }))).await, "owner_mismatch");
        assert!(text(&taken["message"]).contains("`owned`"), "{taken}");
        assert!(!text(&mixed["message"]).contains("`owned`"), "{mixed}");
        let moved = depot.moved("transfer", goods(json!({ "position_from": "A1", "position_to": "A2" }))).await;
        assert_eq!(depot.movement(&moved).await["owned"], false, "as the row that it was taken from");
        let adjusted = depot.moved("adjustment", goods(json!({ "position_to": "A2" }))).await;
        assert_eq!(depot.movement(&adjusted).await["owned"], false);
        depot.moved("receipt", goods(json!({ "position_to": "A" }))).await;
        refusal(depot.moves("transfer", goods(json!({ "position_from": "A1", "position_to": "A" }))).await, "owner_mismatch");
        assert_eq!(depot.stock("P").await, json!([["A", 1], ["A1", 4], ["A2", 2]]));
        depot.moved("shipment", goods(json!({ "position_from": "A1", "qt_confirmed": 4 }))).await;
        depot.moved("receipt", goods(json!({ "position_to": "A1" }))).await;
        assert_eq!(depot.get("/inventory?product_key=P&position_key=A1").await[0]["owned"], true, "the next row is new");
        sums::audit(site, &depot.admin).await;
    }

    /// As the page on the warehouse says.
    async fn consigned_goods_become_own_ones_by_adjustments(site) {
        let depot = depot(site).await;
        let receipt = depot.moved("receipt", goods(json!({ "position_to": "A1", "qt_confirmed": 5, "owned": false }))).await;
        let to_own = json!({ "position_to": "A1", "qt_confirmed": 5, "owned": true });
        refusal(depot.moves("adjustment", goods(to_own.clone())).await, "owner_mismatch");
        depot.moved("adjustment", goods(json!({ "position_to": "A1", "qt_confirmed": -5 }))).await;
        depot.moved("adjustment", goods(to_own)).await;
        assert_eq!(depot.get("/inventory?product_key=P&owned=true").await[0]["quantity"], 5);
        refusal(depot.moves("receipt", goods(json!({ "position_to": "A1", "owned": false }))).await, "owner_mismatch");
        let told = refusal(depot.reverses(&receipt).await, "owner_mismatch");
        assert!(text(&told["message"]).contains("taken back"), "{told}");
        assert_eq!(about(&told), json!(["P", "A1", null]));
        assert_eq!(depot.stock("P").await, json!([["A1", 5]]));
        sums::audit(site, &depot.admin).await;
    }

    async fn what_is_counted_stays_as_it_is(site) {
        let depot = depot(site).await;
        depot.received("A1", 5.0).await;
        let counting = "insert into stock_pair (product_id, position_key, counting, count_by)
                        select id, 'A2', true, '0000000000001' from product where key = 'P'";
        site.execute(counting, vec![]).await;
        let told = refusal(depot.moves("receipt", goods(json!({ "position_to": "A2" }))).await, "counting");
        assert_eq!((&told["product_key"], &told["position_key"]), (&json!("P"), &json!("A2")), "also without a row");
        assert_eq!(told["count_record_key"], "0000000000001");
        refusal(depot.moves("transfer", goods(json!({ "position_from": "A1", "position_to": "A2" }))).await, "counting");
        refusal(depot.moves("adjustment", goods(json!({ "position_to": "A2" }))).await, "counting");
        site.execute("update stock_pair set locked = true, locked_by = 7 where position_key = 'A1'", vec![]).await;
        let told = refusal(depot.moves("shipment", goods(json!({ "position_from": "A1" }))).await, "locked");
        assert_eq!((&told["position_key"], &told["count_session_key"]), (&json!("A1"), &json!(id_to_text(7))));
        depot.received("A", 1.0).await;
        assert_eq!(depot.stock("P").await, json!([["A", 1], ["A1", 5]]));
    }

    async fn some_types_need_a_reason(site) {
        let depot = depot(site).await;
        let types = json!({ "mandatory_reason_for_movement_types": ["adjustment", "reversal"] });
        depot.admin.patch("/config", types).await.expect(200);
        let receipt = depot.received("A1", 5.0).await;
        let adjustment = goods(json!({ "position_to": "A1" }));
        assert_eq!(about(&refusal(depot.moves("adjustment", adjustment.clone()).await, "reason_missing")), json!(["P", "A1", null]));
        for reason in UNSEEN {
            let mut unseen = adjustment.clone();
            unseen["reason"] = json!(reason);
            refusal(depot.moves("adjustment", unseen).await, "reason_missing");
        }
        let planned = depot.planned("adjustment", json!({ "position_to": "A1" })).await;
        let told = refusal(depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": planned })).await, "reason_missing");
        assert_eq!(about(&told), json!(["P", "A1", null]));
        let whole = json!({ "movement_key": planned, "qt_confirmed": 1 });
        assert_eq!(about(&refusal(depot.send("MOVEMENT_UPDATED", whole).await, "reason_missing")), json!(["P", "A1", null]));
        assert_eq!(about(&refusal(depot.reverses(&receipt).await, "reason_missing")), json!(["P", "A1", null]));
        let serial = depot.received_unit("A2", "S").await;
        let lost = unit(json!({ "position_from": "A2", "serial_key": serial, "qt_confirmed": -1 }));
        assert_eq!(about(&refusal(depot.moves("adjustment", lost).await, "reason_missing")), json!(["T", "A2", serial]));
        let row = json!([{ "product_key": "P", "position_to": "A1" }]);
        let list = json!({ "code": "found", "type": "adjustment", "status": "completed", "movements": row });
        let told = refusal(depot.keeper.post("/movement-list", list).await, "reason_missing");
        assert_eq!((about(&told), &told["row"]), (json!(["P", "A1", null]), &json!(0)));
        let mut given = adjustment;
        given["reason"] = json!("found");
        depot.moved("adjustment", given).await;
        let done = json!({ "movement_key": planned, "reason": "found" });
        depot.send("MOVEMENT_COMPLETED", done).await.expect(200);
        let back = json!({ "original_movement_key": receipt, "reason": "sent to the wrong plant" });
        depot.send("MOVEMENT_REVERSED", back).await.expect(200);
        assert_eq!(depot.stock("P").await, json!([["A1", 2]]));
    }

    async fn corrections_and_lists_take_scopes_of_their_own(site) {
        let depot = depot(site).await;
        let operator = site.user("o", "operator").await;
        let receipt = text(&moves(&operator, "receipt", goods(json!({ "position_to": "A1" }))).await.detail()["movement_key"]);
        let (adjust, create) = ("inventory:movement:adjust", "inventory:movement-list:create");
        lacks(moves(&operator, "adjustment", goods(json!({ "position_to": "A1" }))).await, adjust);
        lacks(event(&operator, "MOVEMENT_REVERSED", json!({ "original_movement_key": receipt })).await, adjust);
        let list = json!({ "code": "L", "type": "shipment", "movements": [] });
        lacks(event(&operator, "WAREHOUSE_LIST_CREATED", list.clone()).await, create);
        lacks(operator.post("/movement-list", list).await, create);
        let (key, _) = depot.listed("L", "shipment", json!([])).await;
        lacks(event(&operator, "WAREHOUSE_LIST_CLOSED", json!({ "movement_list_key": key })).await, create);
        let plan = json!({ "movement_type": "shipment", "product_key": "P", "movement_list_key": key });
        lacks(event(&operator, "MOVEMENT_PLANNED", plan.clone()).await, create);
        depot.send("MOVEMENT_PLANNED", plan).await.expect(200);
        let own = json!({ "movement_type": "shipment", "product_key": "P" });
        event(&operator, "MOVEMENT_PLANNED", own).await.expect(200);
        let supervisor = site.user("s", "production").await;
        event(&supervisor, "MOVEMENT_REVERSED", json!({ "original_movement_key": receipt })).await.expect(200);
        let viewer = site.user("v", "viewer").await;
        moves(&viewer, "receipt", goods(json!({}))).await.expect(403);
    }

    async fn what_clients_keep_with_a_record_is_bounded(site) {
        let depot = depot(site).await;
        let all = async |extra: Value| {
            let movement = json!({ "movement_type": "receipt", "product_key": "P", "extra": extra });
            let list = json!({ "code": "L-1", "type": "receipt", "extra": extra });
            let row = json!({ "code": "L-2", "type": "receipt", "movements": [{ "product_key": "P", "extra": extra }] });
            [
                depot.send("MOVEMENT_PLANNED", movement).await,
                depot.moves("receipt", goods(json!({ "extra": extra }))).await,
                depot.keeper.post("/movement-list", list).await,
                depot.keeper.post("/movement-list", row).await,
                depot.keeper.post("/position", json!({ "code": "B", "extra": extra })).await,
                depot.keeper.patch("/position/A1", json!({ "extra": extra })).await,
            ]
        };
        for (place, answer) in all(extra(4_097)).await.into_iter().enumerate() {
            let at = if place == 3 { "too_long body.movements.0.extra" } else { "too_long body.extra" };
            assert_eq!(answer.faults(), [at], "{place}");
        }
        for answer in all(extra(4_000)).await {
            answer.expect(200);
        }
        assert_eq!(depot.get("/position/A1").await["position"]["extra"], extra(4_000));
    }
}
