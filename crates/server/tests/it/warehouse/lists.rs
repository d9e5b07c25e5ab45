//! Scenarios 10 to 12, and everything else that makes, fills, carries out and closes lists of movements.

use testkit::on_both_engines;

use super::depot::{Depot, depot, list_refusal, outline, refusal};
use super::*;
use crate::serials::{text, unknown};

/// So many rows of one piece of `P` each, from A1.
fn pieces(count: usize) -> Value {
    vec![json!({ "product_key": "P", "position_from": "A1" }); count].into()
}

/// Planned, completed and canceled rows of a list, and its status.
fn state(list: &Value) -> Value {
    let counts = &list["counts"];
    json!([list["status"], counts["planned"], counts["completed"], counts["canceled"]])
}

/// Carries out a planned row.
async fn complete(depot: &Depot, row: &str) -> Answer {
    depot.send("MOVEMENT_COMPLETED", json!({ "movement_key": row })).await
}

/// The numbers of rows that have faults, each once, and the faulty members.
fn faults(detail: &Value) -> (Vec<u64>, Vec<String>) {
    let errors = detail["errors"].as_array().unwrap_or_else(|| panic!("no errors in {detail}"));
    for error in errors {
        assert!(error["message"].is_string(), "{error}");
    }
    let mut rows: Vec<u64> = errors.iter().map(|error| error["row"].as_u64().unwrap()).collect();
    rows.sort_unstable();
    rows.dedup();
    (rows, each(&detail["errors"], "field"))
}

on_both_engines! {
    async fn a_row_is_carried_out_in_parts_and_one_comes_back(site) {
        let depot = depot(site).await;
        depot.received("A1", 8.0).await;
        depot.received("A2", 3.0).await;
        let (key, rows) = depot.listed("out-1", "shipment", json!([{ "product_key": "P", "qt_planned": 10 }])).await;
        assert_eq!(state(&depot.list(&key).await), json!(["planned", 1, 0, 0]));
        site.clock.advance_seconds(60);
        let parts = json!([{ "position_from": "A1", "qt_confirmed": 4 }, { "position_from": "A2", "qt_confirmed": 3 }]);
        let split = depot.send("MOVEMENT_UPDATED", json!({ "movement_key": rows[0], "split_into": parts })).await.detail();
        let made = split["completed_movement_keys"].as_array().unwrap().clone();
        let list = depot.list(&key).await;
        assert_eq!(state(&list), json!(["started", 1, 2, 0]));
        assert_eq!((&list["start"], &list["end"]), (&json!("2026-03-01T08:01:00.000Z"), &Value::Null));
        assert_eq!(outline(&depot.movement(&rows[0]).await), json!(["shipment", "planned", "IN", "OUT", 3, 0]));
        for part in list["movements"].as_array().unwrap() {
            assert_eq!((&part["movement_list_key"], &part["movement_list_item"]), (&json!(key), &json!(1)));
            assert_eq!(part["movement_list_code"], "OUT-1");
        }
        site.clock.advance_seconds(60);
        let rest = json!({ "movement_key": rows[0], "qt_confirmed": 3, "position_from": "A1" });
        depot.send("MOVEMENT_UPDATED", rest).await.expect(200);
        let list = depot.list(&key).await;
        assert_eq!((state(&list), &list["end"]), (json!(["completed", 0, 3, 0]), &json!("2026-03-01T08:02:00.000Z")));
        assert_eq!((depot.stock("P").await, &list["closed"]), (json!([["A1", 1]]), &Value::Null));

        let reversed = depot.reverses(&text(&made[1])).await.detail();
        let list = depot.list(&key).await;
        assert_eq!((state(&list), &list["end"]), (json!(["started", 1, 3, 0]), &Value::Null));
        let again = depot.movement(&text(&reversed["planned_movement_key"])).await;
        assert_eq!((&again["status"], &again["qt_planned"], &again["movement_list_item"]), (&json!("planned"), &json!(3), &json!(1)));
        assert_eq!(depot.movement(&text(&reversed["movement_key"])).await["movement_list_key"], Value::Null);
        assert_eq!(depot.stock("P").await, json!([["A1", 1], ["A2", 3]]));
        // The next one goes back to the row that is open already.
        let more = depot.reverses(&text(&made[0])).await.detail();
        assert_eq!(more["planned_movement_key"], reversed["planned_movement_key"]);
        assert_eq!(depot.movement(&text(&more["planned_movement_key"])).await["qt_planned"], 7);
        sums::audit(site, &depot.admin).await;
    }

    async fn a_list_is_closed_with_what_is_open(site) {
        let depot = depot(site).await;
        depot.received("A1", 5.0).await;
        let (key, rows) = depot.listed("OUT", "shipment", pieces(3)).await;
        complete(&depot, &rows[1]).await.expect(200);
        site.clock.advance_seconds(60);
        let close = json!({ "movement_list_key": key });
        let closed = depot.send("WAREHOUSE_LIST_CLOSED", close.clone()).await.detail();
        assert_eq!((&closed["movement_list_key"], &closed["canceled"]), (&json!(key), &json!(2)));
        let list = depot.list(&key).await;
        assert_eq!(state(&list), json!(["completed", 0, 1, 2]));
        let now = json!("2026-03-01T08:01:00.000Z");
        assert_eq!((&list["closed"], &list["end"]), (&now, &now));
        assert_eq!((&list["movements"][0]["status"], &list["movements"][0]["end"]), (&json!("canceled"), &now));
        assert_eq!(depot.stock("P").await, json!([["A1", 4]]));
        list_refusal(depot.send("WAREHOUSE_LIST_CLOSED", close).await, "list_closed");
        refusal(complete(&depot, &rows[0]).await, "not_open");
        let plan = json!({ "movement_type": "shipment", "product_key": "P", "movement_list_key": key });
        list_refusal(depot.send("MOVEMENT_PLANNED", plan).await, "list_closed");

        let reversed = depot.reverses(&rows[1]).await.detail();
        assert_eq!(reversed["planned_movement_key"], Value::Null, "a closed list takes nothing back");
        assert_eq!(state(&depot.list(&key).await), json!(["completed", 0, 1, 2]));
        assert_eq!(depot.stock("P").await, json!([["A1", 5]]));

        let (unused, _) = depot.listed("OUT-2", "shipment", pieces(2)).await;
        depot.send("WAREHOUSE_LIST_CLOSED", json!({ "movement_list_key": unused })).await.expect(200);
        assert_eq!(state(&depot.list(&unused).await), json!(["canceled", 0, 0, 2]));
        unknown(depot.send("WAREHOUSE_LIST_CLOSED", json!({ "movement_list_key": "0000000000001" })).await, "movement_list_key");
        sums::audit(site, &depot.admin).await;
    }

    async fn all_faults_of_a_list_are_told(site) {
        let depot = depot(site).await;
        depot.admin.post("/product", json!({ "_key": "Q", "code": "Q" })).await.expect(201);
        let bad = json!([
            { "product_key": "P" },
            { "product_key": "nothing" },
            { "product_key": "P", "movement_type": "receipt" },
        ]);
        let told = depot.lists("OUT", "shipment", bad.clone()).await.expect(400).body["detail"].clone();
        assert!(told["message"].is_string());
        let (rows, fields) = faults(&told);
        assert_eq!((rows.as_slice(), fields.len()), ([1, 2].as_slice(), 2), "{told}");
        assert!(fields.contains(&"product_key".to_owned()) && fields.contains(&"movement_type".to_owned()), "{told}");
        let sent = json!({ "code": "OUT", "type": "shipment", "movements": bad });
        let refused = list_refusal(depot.send("WAREHOUSE_LIST_CREATED", sent).await, "rows");
        assert_eq!(faults(&refused).0, rows);
        for two in [
            json!([{ "product_key": "P", "movement_list_item": 4 }, { "product_key": "Q", "movement_list_item": 4 }]),
            json!([{ "product_key": "P", "movement_list_item": 4 }, { "product_key": "P", "movement_list_item": 4 }]),
        ] {
            let told = depot.lists("OUT", "shipment", two).await.expect(400).body["detail"].clone();
            assert!(!faults(&told).0.is_empty());
        }
        let unit = json!({ "product_key": "T", "serial_code": "S", "movement_list_item": 1 });
        depot.lists("BACK", "receipt", json!([unit, unit])).await.expect(400);
        let tables = ["movement", "movement_list", "event", "serial"];
        for table in tables {
            assert_eq!(site.count(table).await, 0, "{table}");
        }
        for wrong in [
            json!({ "type": "shipment" }), json!({ "code": "OUT" }), json!({ "code": "OUT", "type": "reversal" }),
            json!({ "code": " ", "type": "shipment" }), json!({ "code": "OUT", "type": "shipment", "due_by": "soon" }),
            json!({ "code": "OUT", "type": "shipment", "due_by": "2026-02-30" }),
            json!({ "code": "OUT", "type": "shipment", "status": "started" }), json!({ "code": "OUT", "type": "shipment", "colour": 1 }),
        ] {
            depot.keeper.post("/movement-list", wrong).await.expect(422);
        }
    }

    async fn an_item_has_a_unit_once_however_it_is_named(site) {
        let depot = depot(site).await;
        let unit = depot.received_unit("A1", "S").await;
        let row = |member: &str, serial: &str| {
            json!({ "product_key": "T", "position_from": "A1", "movement_list_item": 1, member: serial })
        };
        let rows = [row("serial_key", &unit), row("serial_code", "s")];
        for (second, first) in [(1, 0), (0, 1)] {
            let two = json!([rows[first], rows[second]]);
            let told = depot.lists("OUT", "shipment", two.clone()).await.expect(400).body["detail"].clone();
            let named = ["serial_key", "serial_code"][second].to_owned();
            assert_eq!(faults(&told), (vec![1], vec![named.clone()]), "{told}");
            let sent = json!({ "code": "OUT", "type": "shipment", "status": "completed", "movements": two });
            let refused = list_refusal(depot.send("WAREHOUSE_LIST_CREATED", sent).await, "rows");
            assert_eq!(faults(&refused), (vec![1], vec![named]), "{refused}");
        }
        assert_eq!((site.count("movement_list").await, site.count("movement").await), (0, 1));
        let mut other = rows[1].clone();
        other["movement_list_item"] = json!(2);
        depot.listed("OUT", "shipment", json!([rows[0], other])).await;
    }

    async fn a_code_is_taken_once_for_each_type(site) {
        let depot = depot(site).await;
        let (key, _) = depot.listed(" out-7 ", "shipment", json!([])).await;
        let list = depot.list(&key).await;
        assert_eq!((&list["code"], &list["type"], &list["due_by"]), (&json!("OUT-7"), &json!("shipment"), &json!("2026-03-01")));
        assert_eq!((state(&list), &list["movements"]), (json!(["planned", 0, 0, 0]), &json!([])));
        depot.lists("Out-7", "shipment", json!([])).await.expect(409);
        let again = json!({ "code": "OUT-7", "type": "shipment" });
        list_refusal(depot.send("WAREHOUSE_LIST_CREATED", again).await, "code_taken");
        depot.listed("OUT-7", "receipt", json!([])).await;
        let by_event = json!({ "code": "OUT-8", "type": "shipment", "movements": pieces(1) });
        let made = depot.send("WAREHOUSE_LIST_CREATED", by_event).await.detail();
        assert_eq!(made["movement_keys"].as_array().unwrap().len(), 1);
        assert_eq!(state(&depot.list(&text(&made["movement_list_key"])).await), json!(["planned", 1, 0, 0]));
        depot.keeper.get("/movement-list/0000000000001").await.expect(404);
    }

    async fn a_list_has_what_was_sent_with_it(site) {
        let depot = depot(site).await;
        depot.received("A1", 9.0).await;
        let list = json!({
            "code": "OUT", "type": "shipment", "due_by": "2026-03-09", "notes": "by noon", "extra": { "gate": 4 }, "by_code": true,
            "references": { "sales_doc": "SO-1", "partner_name": "Smith" },
            "movements": [
                { "product_code": "P", "position_from": "A1", "qt_planned": 2, "references": { "sales_doc": "SO-2" } },
                { "product_code": "P", "position_from": "A1", "movement_list_item": 7, "owned": true, "extra": { "row": 2 } },
                { "product_code": "P", "position_from": "A1", "reason": "a present" },
            ],
        });
        let made = depot.keeper.post("/movement-list", list).await.detail();
        let list = depot.list(&text(&made["movement_list_key"])).await;
        assert_eq!((&list["due_by"], &list["notes"], &list["extra"]), (&json!("2026-03-09"), &json!("by noon"), &json!({ "gate": 4 })));
        assert_eq!(list["references"]["sales_doc"], "SO-1");
        let rows = list["movements"].as_array().unwrap();
        let items: Vec<&Value> = rows.iter().map(|row| &row["movement_list_item"]).collect();
        assert_eq!(items.len(), 3);
        assert!(items.contains(&&json!(1)) && items.contains(&&json!(7)), "{items:?}");
        let first = depot.movement(&text(&made["movement_keys"][0])).await;
        assert_eq!((&first["references"]["sales_doc"], &first["references"]["partner_name"]), (&json!("SO-2"), &json!("Smith")));
        assert_eq!(depot.movement(&text(&made["movement_keys"][1])).await["extra"], json!({ "row": 2 }));
        assert_eq!(depot.movement(&text(&made["movement_keys"][2])).await["reason"], "a present");
        let told = depot.get("/event?type=WAREHOUSE_LIST_CREATED").await;
        let stored = depot.get(&format!("/event/{}", text(&told[0]["_key"]))).await;
        assert_eq!(each(&stored["children"], "event_type"), ["MOVEMENT_PLANNED"; 3]);
        let by_key = json!({ "code": "OUT-2", "type": "shipment", "by_code": true, "movements": [{ "product_key": "P" }] });
        assert!([400, 422].contains(&depot.keeper.post("/movement-list", by_key).await.status));
    }

    async fn a_list_is_carried_out_at_once(site) {
        let depot = depot(site).await;
        let list = |code: &str, rows: Value| json!({ "code": code, "type": "receipt", "status": "completed", "movements": rows });
        let rows = json!([
            { "product_key": "P", "position_to": "A1", "qt_planned": 3 },
            { "product_key": "P", "position_to": "A2", "qt_planned": 3, "qt_confirmed": 2 },
            { "product_key": "T", "position_to": "A2", "serial_code": "S" },
        ]);
        let made = depot.keeper.post("/movement-list", list("IN-1", rows)).await.detail();
        let stored = depot.list(&text(&made["movement_list_key"])).await;
        assert_eq!(state(&stored), json!(["completed", 0, 3, 0]));
        assert_eq!((depot.stock("P").await, depot.stock("T").await), (json!([["A1", 3], ["A2", 2]]), json!([["A2", 1]])));
        let told = depot.get("/event?type=WAREHOUSE_LIST_CREATED").await;
        let event = depot.get(&format!("/event/{}", text(&told[0]["_key"]))).await;
        let kinds = each(&event["children"], "event_type");
        assert_eq!(kinds.iter().filter(|kind| *kind == "MOVEMENT_COMPLETED").count(), 3, "{kinds:?}");

        // One row that a rule refuses refuses the list.
        let before = (site.count("movement").await, site.count("event").await, site.count("serial").await);
        let rows = json!([
            { "product_key": "T", "position_to": "A1", "serial_code": "S-2" },
            { "product_key": "T", "position_to": "A1", "serial_code": "S" },
        ]);
        let told = refusal(depot.keeper.post("/movement-list", list("IN-2", rows)).await, "serial_in_stock");
        assert_eq!(told["row"], 1, "{told}");
        assert_eq!((site.count("movement").await, site.count("event").await, site.count("serial").await), before);
        sums::audit(site, &depot.admin).await;
    }

    async fn rows_are_added_while_a_list_is_open(site) {
        let depot = depot(site).await;
        depot.received("A1", 9.0).await;
        let (key, _) = depot.listed("OUT", "shipment", json!([])).await;
        let row = json!({ "movement_list_key": key, "position_from": "A1" });
        let first = depot.planned("shipment", row.clone()).await;
        let second = depot.planned("shipment", row.clone()).await;
        let items = [depot.movement(&first).await, depot.movement(&second).await].map(|row| row["movement_list_item"].clone());
        assert_eq!(items, [json!(1), json!(2)]);
        let receipt = json!({ "movement_type": "receipt", "product_key": "P", "movement_list_key": key });
        list_refusal(depot.send("MOVEMENT_PLANNED", receipt).await, "type_mismatch");
        let nowhere = json!({ "movement_type": "shipment", "product_key": "P", "movement_list_key": "0000000000001" });
        unknown(depot.send("MOVEMENT_PLANNED", nowhere).await, "movement_list_key");
        complete(&depot, &first).await.expect(200);
        assert_eq!(state(&depot.list(&key).await), json!(["started", 1, 1, 0]));
        depot.send("MOVEMENT_UPDATED", json!({ "movement_key": second, "cancel": true })).await.expect(200);
        assert_eq!(state(&depot.list(&key).await), json!(["completed", 0, 1, 1]));
        let mut at_once = row;
        at_once["product_key"] = json!("P");
        at_once["qt_confirmed"] = json!(1);
        // It is complete, so it takes no more.
        list_refusal(depot.moves("shipment", at_once).await, "list_closed");

        let (key, rows) = depot.listed("OUT-2", "shipment", pieces(2)).await;
        for row in &rows {
            depot.send("MOVEMENT_UPDATED", json!({ "movement_key": row, "cancel": true })).await.expect(200);
        }
        assert_eq!(state(&depot.list(&key).await), json!(["canceled", 0, 0, 2]));
        list_refusal(depot.send("WAREHOUSE_LIST_CLOSED", json!({ "movement_list_key": key })).await, "list_closed");
        sums::audit(site, &depot.admin).await;
    }

    async fn units_of_a_list_come_back_to_their_rows(site) {
        let depot = depot(site).await;
        for code in ["S-1", "S-2"] {
            depot.received_unit("A1", code).await;
        }
        let rows = json!([{ "product_key": "T", "position_from": "A1", "qt_planned": 2 }]);
        let (key, rows) = depot.listed("OUT", "shipment", rows).await;
        let part = |code: &str| json!({ "movement_key": rows[0], "split_into": [{ "serial_code": code, "qt_confirmed": 1 }] });
        let first = depot.send("MOVEMENT_UPDATED", part("S-1")).await.detail();
        assert_eq!((&first["movement_key"], &first["status"]), (&json!(rows[0]), &json!("planned")));
        let back = depot.reverses(&text(&first["completed_movement_keys"][0])).await.detail();
        assert_eq!(back["planned_movement_key"], rows[0], "its row names no unit");
        assert_eq!(depot.movement(&rows[0]).await["qt_planned"], 2);
        depot.send("MOVEMENT_UPDATED", part("S-1")).await.expect(200);
        let last = depot.send("MOVEMENT_UPDATED", part("S-2")).await.detail();
        assert_eq!(state(&depot.list(&key).await)[0], "completed");
        let back = depot.reverses(&text(&last["completed_movement_keys"][0])).await.detail();
        assert_eq!(depot.movement(&text(&back["planned_movement_key"])).await["qt_planned"], 1);
        assert_eq!(state(&depot.list(&key).await)[0], "started");
        sums::audit(site, &depot.admin).await;
    }

    async fn nothing_is_planned_again_for_corrections_and_trashed_products(site) {
        let depot = depot(site).await;
        depot.received("A1", 9.0).await;
        let adjustments = json!([{ "product_key": "P", "position_to": "A1", "qt_planned": -1 }]);
        let (key, rows) = depot.listed("FIX", "adjustment", adjustments).await;
        complete(&depot, &rows[0]).await.expect(200);
        let reversed = depot.reverses(&rows[0]).await.detail();
        assert_eq!(reversed["planned_movement_key"], Value::Null);
        assert_eq!(state(&depot.list(&key).await), json!(["completed", 0, 1, 0]));

        let (key, rows) = depot.listed("OUT", "shipment", pieces(1)).await;
        complete(&depot, &rows[0]).await.expect(200);
        depot.admin.delete("/product/P").await.expect(200);
        let reversed = depot.reverses(&rows[0]).await.detail();
        assert_eq!(reversed["planned_movement_key"], Value::Null);
        assert_eq!(state(&depot.list(&key).await), json!(["completed", 0, 1, 0]));
        assert_eq!(depot.stock("P").await, json!([["A1", 9]]));
        sums::audit(site, &depot.admin).await;
    }

    /// The writing half of scenario 12; parameters of the lists are tested with what is read.
    async fn lists_are_searched_by_both_methods_alike(site) {
        let depot = depot(site).await;
        depot.received("A1", 9.0).await;
        for code in ["L-1", "L-2", "L-3"] {
            let (_, rows) = depot.listed(code, "shipment", pieces(2)).await;
            if code != "L-1" {
                complete(&depot, &rows[0]).await.expect(200);
            }
            if code == "L-3" {
                complete(&depot, &rows[1]).await.expect(200);
            }
        }
        depot.listed("L-4", "receipt", json!([{ "product_key": "P" }])).await;
        let events = site.count("event").await;
        let posted = depot.keeper.post("/movement", json!({ "status": ["planned", "started"], "type": "shipment" })).await.expect(200).body;
        let read = depot.get("/movement-list?status=planned&status=started&type=shipment").await;
        assert_eq!((&posted, each(&posted, "code")), (&read, vec!["L-1".to_owned(), "L-2".to_owned()]));
        assert_eq!(depot.keeper.post("/movement", json!({})).await.expect(200).body, depot.get("/movement-list").await);
        assert_eq!(site.count("event").await, events, "nothing is changed");
    }

    async fn long_lists_cost_few_statements(site) {
        let depot = depot(site).await;
        depot.received("A1", 500.0).await;
        let (statements, answer) = site.statements(depot.lists("PLAN", "shipment", pieces(200))).await;
        let key = text(&answer.detail()["movement_list_key"]);
        assert!(statements <= 200, "a list of 200 planned rows took {statements} statements");
        let done = json!({ "code": "DONE", "type": "shipment", "status": "completed", "movements": pieces(200) });
        let (statements, answer) = site.statements(depot.keeper.post("/movement-list", done)).await;
        answer.expect(200);
        assert!(statements <= 1_000, "a list of 200 completed rows took {statements} statements");
        let (statements, answer) = site.statements(depot.keeper.get(&format!("/movement-list/{key}"))).await;
        assert_eq!(answer.expect(200).body["movements"].as_array().unwrap().len(), 200);
        assert!(statements <= 8, "reading 200 rows took {statements} statements");
        let (statements, answer) = site.statements(depot.send("WAREHOUSE_LIST_CLOSED", json!({ "movement_list_key": key }))).await;
        answer.expect(200);
        assert!(statements <= 40, "closing a list of 200 rows took {statements} statements");
        assert_eq!(depot.stock("P").await, json!([["A1", 300]]));
        sums::audit(site, &depot.admin).await;
    }

    async fn items_are_bounded_and_have_one_product(site) {
        let depot = depot(site).await;
        let (key, _) = depot.listed("OUT", "shipment", json!([])).await;
        let last = 1_000_000_000;
        let row = |product: &str, item: Value| {
            json!({ "movement_type": "shipment", "product_key": product, "movement_list_key": key, "movement_list_item": item })
        };
        let beyond = ["less_than_equal body.movement_list_item"];
        let mut sent = row("P", json!(last + 1));
        assert_eq!(depot.send("MOVEMENT_PLANNED", sent.clone()).await.faults(), beyond);
        sent["qt_confirmed"] = json!(1);
        assert_eq!(depot.send("MOVEMENT_COMPLETED", sent).await.faults(), beyond);
        let rows = json!([{ "product_key": "P", "movement_list_item": last + 1 }]);
        assert_eq!(depot.lists("OUT-2", "shipment", rows).await.faults(), ["less_than_equal body.movements.0.movement_list_item"]);

        depot.planned("shipment", row("P", json!(last))).await;
        let next = depot.planned("shipment", row("P", Value::Null)).await;
        assert_eq!(depot.movement(&next).await["movement_list_item"], last + 1);
        let rows = json!([{ "product_key": "P", "movement_list_item": last }, { "product_key": "P" }]);
        let (_, rows) = depot.listed("OUT-2", "shipment", rows).await;
        assert_eq!(depot.movement(&rows[1]).await["movement_list_item"], last + 1);
        let told = list_refusal(depot.send("MOVEMENT_PLANNED", row("T", json!(last))).await, "rows");
        assert_eq!((faults(&told).1, &told["movement_list_key"]), (vec!["movement_list_item".to_owned()], &json!(key)));
        assert_eq!(site.count("movement").await, 4);
    }

    async fn rows_name_products_as_the_list_says(site) {
        let depot = depot(site).await;
        let wrong = async |by_code: bool, row: Value| {
            let list = json!({ "code": "OUT", "type": "shipment", "by_code": by_code, "movements": [row] });
            let told = depot.keeper.post("/movement-list", list).await.expect(400).body["detail"].clone();
            assert_eq!(faults(&told).1.len(), 1, "{told}");
            told["errors"][0].clone()
        };
        for (by_code, asked, other) in [(false, "product_key", "product_code"), (true, "product_code", "product_key")] {
            for row in [json!({ asked: "P", other: "P" }), json!({ other: "P" })] {
                assert_eq!(wrong(by_code, row).await["field"], other);
            }
            let nothing = wrong(by_code, json!({})).await;
            assert_eq!((&nothing["field"], &nothing["message"]), (&json!(asked), &json!("Is required.")));
        }
        assert_eq!(site.count("movement_list").await, 0);
    }
}
