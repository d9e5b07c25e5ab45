//! Stock is corrected by what was counted: on the stock of now, once, under locks, as whoever confirmed it.

use testkit::on_both_engines;

use super::*;
use crate::production::children;
use crate::warehouse::depot;

fn shipment(position: &str, quantity: i64) -> Value {
    json!({ "product_key": "P", "position_from": position, "qt_confirmed": quantity })
}

async fn processed(hall: &Hall, session: &str) -> Value {
    hall.depot.get(&format!("{SESSIONS}/{session}/processed-records")).await
}

on_both_engines! {
    async fn movements_since_the_count_are_kept(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 10.0).await;
        hall.depot.received("A2", 1.0).await;
        let session = hall.started().await;
        let nine = count(&hall.x, &session, "P", "A1", json!(9)).await;
        let more = count(&hall.x, &session, "P", "A2", json!(3.5)).await;
        let same = count(&hall.x, &session, "T", "A1", json!([])).await;
        hall.depot.moved("shipment", shipment("A1", 2)).await;
        site.clock.advance_seconds(10);
        hall.step(&session, "COMPLETED").await.expect(200);
        let told = hall.step(&session, "CONFIRMED").await.detail();
        assert_eq!((&told["status"], &told["records_to_process"]), (&json!("processing"), &json!(3)));
        let list = text(&told["adjustment_list_key"]);
        let done = applied(site, hall.keeper(), &session).await;
        assert_eq!((&done["status"], &done["adjustment_list_key"]), (&json!("applied"), &json!(list)));
        assert_eq!((&done["records_to_process"], &done["movements_created"], &done["movements_failed"]), (&json!(3), &json!(2), &json!(0)));
        for member in ["applied", "processing_started", "processing_completed"] {
            assert_eq!(done[member], json!(site.clock.now()), "{member}");
        }
        assert_eq!(processed(&hall, &session).await, 3);
        assert_eq!(hall.depot.stock("P").await, json!([["A1", 7], ["A2", 3.5]]));
        assert_eq!(hall.corrections(&session).await, ["P A1 - -1", "P A2 - 2.5"]);
        for (record, movements) in [(&nine, 1), (&more, 1), (&same, 0)] {
            let shown = hall.record(record).await;
            assert_eq!((&shown["status"], &shown["processed"], &shown["error_details"]), (&json!("confirmed"), &json!(true), &Value::Null));
            let keys = shown["movement_keys"].as_array().unwrap();
            assert_eq!(keys.len(), movements);
            for key in keys {
                let movement = hall.depot.movement(&text(key)).await;
                assert_eq!(movement["references"]["inventory_count_record_key"], **record);
                assert_eq!((&movement["user_key"], &movement["movement_list_key"]), (&json!(hall.keeper().key), &json!(list)));
            }
        }
        let kept = hall.depot.list(&list).await;
        assert_eq!((&kept["type"], &kept["status"], &kept["counts"]["completed"]), (&json!("adjustment"), &json!("completed"), &json!(2)));
        let row = hall.depot.get("/inventory?product_key=P").await[0].clone();
        assert_eq!((&row["counting"], &row["locked"]), (&json!(false), &json!(false)));
        audit(site, hall.keeper()).await;
    }

    async fn units_are_swapped(site) {
        let hall = hall(site).await;
        let (first, second) = (hall.depot.received_unit("A1", "S-1").await, hall.depot.received_unit("A1", "S-2").await);
        let third = hall.unit("S-3").await;
        let fourth = hall.depot.received_unit("A2", "S-4").await;
        let session = hall.started().await;
        count(&hall.x, &session, "T", "A1", json!([first, third, fourth])).await;
        let done = hall.apply(site, &session).await;
        assert_eq!(hall.corrections(&session).await, ["T A1 S-2 -1", "T A1 S-3 1", "T A1 S-4 1", "T A2 S-4 -1"]);
        assert_eq!((&done["records_to_process"], &done["movements_created"]), (&json!(1), &json!(4)));
        assert_eq!(hall.units_at("A1").await, ["S-1", "S-3", "S-4"]);
        assert_eq!(hall.units_at("A2").await, Vec::<String>::new());
        assert_eq!(hall.depot.places(&second).await, Vec::<String>::new());
        audit(site, hall.keeper()).await;
    }

    async fn a_unit_that_has_moved_since_stays_where_it_is(site) {
        let hall = hall(site).await;
        let mut units = Vec::new();
        for code in ["stays", "leaves", "wanders", "returns"] {
            units.push(hall.depot.received_unit("A1", code).await);
        }
        let (comes, arrives) = (hall.unit("comes").await, hall.unit("arrives").await);
        let session = hall.started().await;
        // All four are missing, two others are found.
        count(&hall.x, &session, "T", "A1", json!([comes, arrives])).await;
        let unit = |serial: &str, side: &str, position: &str| json!({ "product_key": "T", "serial_key": serial, side: position, "qt_confirmed": 1 });
        hall.depot.moved("shipment", unit(&units[1], "position_from", "A1")).await;
        let mut transfer = unit(&units[2], "position_from", "A1");
        transfer["position_to"] = json!("A2");
        hall.depot.moved("transfer", transfer).await;
        hall.depot.moved("shipment", unit(&units[3], "position_from", "A1")).await;
        hall.depot.moved("receipt", unit(&units[3], "position_to", "A1")).await;
        hall.depot.moved("receipt", unit(&comes, "position_to", "A2")).await;
        let done = hall.apply(site, &session).await;
        assert_eq!(done["status"], "applied");
        assert_eq!(hall.corrections(&session).await, ["T A1 ARRIVES 1", "T A1 STAYS -1"]);
        assert_eq!((hall.units_at("A1").await, hall.units_at("A2").await), (vec!["ARRIVES".to_owned(), "RETURNS".to_owned()], vec!["COMES".to_owned(), "WANDERS".to_owned()]));
        audit(site, hall.keeper()).await;
    }

    async fn stock_that_is_right_is_left_alone(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        let session = hall.started().await;
        let record = count(&hall.x, &session, "P", "A1", json!(5)).await;
        hall.step(&session, "COMPLETED").await.expect(200);
        let told = hall.step(&session, "CONFIRMED").await.detail();
        assert_eq!(told["status"], "applied", "at once");
        let done = hall.read(&session).await;
        assert_eq!((&done["adjustment_list_key"], &done["movements_created"], &done["records_to_process"]), (&Value::Null, &json!(0), &json!(1)));
        assert!(done["post_adjustment_snapshot_key"].is_string(), "{done}");
        let shown = hall.record(&record).await;
        assert_eq!((&shown["status"], &shown["processed"]), (&json!("confirmed"), &json!(true)));
        assert_eq!((processed(&hall, &session).await, site.count("movement_list").await), (json!(1), 0));
        audit(site, hall.keeper()).await;
    }

    async fn the_list_of_corrections_is_nobody_elses(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        site.execute("update config set value = '{}' where key = 'system_counters'", vec![]).await;
        let session = hall.planned(json!({ "code": "Easter" })).await;
        hall.step(&session, "STARTED").await.expect(200);
        keep_from_applying(site, &session).await;
        count(&hall.x, &session, "P", "A1", json!(4)).await;
        hall.step(&session, "COMPLETED").await.expect(200);
        let list = text(&hall.step(&session, "CONFIRMED").await.detail()["adjustment_list_key"]);
        assert_eq!(hall.depot.list(&list).await["code"].as_str().unwrap().to_uppercase(), "ADJ-EASTER");
        let row = json!({ "movement_type": "adjustment", "product_key": "P", "position_to": "A2", "movement_list_key": list });
        depot::list_refusal(hall.depot.send("MOVEMENT_PLANNED", row).await, "list_closed");
        depot::list_refusal(hall.depot.send("WAREHOUSE_LIST_CLOSED", json!({ "movement_list_key": list })).await, "list_closed");
        assert_eq!(processed(&hall, &session).await, 0);
        let_go(site).await;
        applied(site, hall.keeper(), &session).await;
        let correction = hall.depot.list(&list).await["movements"][0]["_key"].clone();
        let back = hall.depot.reverses(&text(&correction)).await.detail();
        assert_eq!(back["planned_movement_key"], Value::Null, "no row of a list is planned again");
        assert_eq!(hall.depot.stock("P").await, json!([["A1", 5]]));
        audit(site, hall.keeper()).await;
    }

    async fn a_refused_unit_is_left_out_and_told(site) {
        let hall = hall(site).await;
        let (good, bad) = (hall.unit("good").await, hall.unit("bad").await);
        let session = hall.started().await;
        keep_from_applying(site, &session).await;
        let record = count(&hall.x, &session, "T", "A1", json!([good, bad])).await;
        hall.step(&session, "COMPLETED").await.expect(200);
        hall.step(&session, "CONFIRMED").await.expect(200);
        event(&hall.depot.admin, "SERIAL_SCRAPPED", json!({ "serial_key": bad, "reason": "dropped" })).await.expect(200);
        let_go(site).await;
        let done = applied(site, hall.keeper(), &session).await;
        assert_eq!((&done["status"], &done["movements_created"], &done["movements_failed"]), (&json!("applied"), &json!(1), &json!(1)));
        let shown = hall.record(&record).await;
        assert_eq!((&shown["status"], &shown["processed"]), (&json!("confirmed"), &json!(true)));
        assert!(shown["error_details"].to_string().contains(&bad) && !shown["error_details"].to_string().contains(&good), "{shown}");
        assert_eq!((hall.units_at("A1").await, processed(&hall, &session).await), (vec!["GOOD".to_owned()], json!(1)));
        audit(site, hall.keeper()).await;
    }

    async fn goods_in_an_old_form_leave_in_it(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 3.0).await;
        let old = hall.depot.received_unit("A2", "S-1").await;
        hall.depot.admin.patch("/product/P", json!({ "traceability_level": "form_only" })).await.expect(200);
        hall.depot.admin.patch("/product/T", json!({ "traceability_level": null })).await.expect(200);
        let made = json!({ "product_key": "P", "code": "N-1" });
        let new = text(&event(&hall.depot.admin, "SERIAL_CREATED", made).await.detail()["serial_key"]);
        let session = hall.started().await;
        let now_traced = count(&hall.x, &session, "P", "A1", json!([new])).await;
        let no_longer = count(&hall.x, &session, "T", "A2", json!(1)).await;
        assert_eq!(hall.record(&now_traced).await["system_qt"], 3);
        assert_eq!(hall.record(&no_longer).await["system_serial_keys"], json!([old]));
        let done = hall.apply(site, &session).await;
        assert_eq!((&done["movements_created"], &done["movements_failed"]), (&json!(4), &json!(0)));
        assert_eq!(hall.corrections(&session).await, ["P A1 - -3", "P A1 N-1 1", "T A2 - 1", "T A2 S-1 -1"]);
        assert_eq!(hall.depot.places(&new).await, ["A1"]);
        audit(site, hall.keeper()).await;
    }

    async fn goods_of_others_stay_theirs(site) {
        let hall = hall(site).await;
        hall.depot.moved("receipt", json!({ "product_key": "P", "position_to": "A1", "qt_confirmed": 5, "owned": false })).await;
        let session = hall.started().await;
        count(&hall.x, &session, "P", "A1", json!(6)).await;
        count(&hall.x, &session, "P", "A2", json!(2)).await;
        hall.apply(site, &session).await;
        let rows = hall.depot.get("/inventory?product_key=P").await;
        let owned: Vec<Value> = rows.as_array().unwrap().iter().map(|row| json!([row["position_key"], row["quantity"], row["owned"]])).collect();
        assert_eq!(owned, [json!(["A1", 6, false]), json!(["A2", 2, true])]);
        audit(site, hall.keeper()).await;
    }

    async fn each_correction_is_told_by_an_event(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        let session = hall.started().await;
        let record = count(&hall.x, &session, "P", "A1", json!(4)).await;
        hall.apply(site, &session).await;
        let told = hall.depot.get("/event?sort_by=seq&sorting_order=asc&limit=1000").await;
        let of = |name: &str| {
            let rows: Vec<&Value> = told.as_array().unwrap().iter().filter(|row| row["event_type"] == name).collect();
            assert_eq!(rows.len(), 1, "{name}");
            rows[0].clone()
        };
        let named = json!({ "event_key": of("COUNT_APPLIED")["_key"] });
        let corrected = hall.depot.stored(&named).await;
        assert_eq!((&corrected["payload"]["count_record_key"], &corrected["user_key"]), (&json!(record), &json!(hall.keeper().key)));
        assert_eq!(children(&hall.depot.admin, &named).await, ["MOVEMENT_COMPLETED"]);
        of("COUNT_SESSION_APPLIED");
    }

    /// The service corrects despite what keeps clients from moving something.
    async fn nothing_that_stops_clients_stops_a_correction(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        let session = hall.started().await;
        count(&hall.x, &session, "P", "A1", json!(4)).await;
        hall.depot.admin.patch("/config", json!({ "mandatory_reason_for_movement_types": ["adjustment"] })).await.expect(200);
        hall.keeper().patch("/position/A1", json!({ "available": false })).await.expect(200);
        let done = hall.apply(site, &session).await;
        assert_eq!((&done["movements_created"], &done["movements_failed"]), (&json!(1), &json!(0)));
        assert_eq!(hall.depot.stock("P").await, json!([["A1", 4]]));
        audit(site, hall.keeper()).await;
    }

    /// More units in one position than a step corrects.
    async fn a_large_record_is_corrected_in_several_steps(site) {
        let hall = hall(site).await;
        let made = json!({ "product_key": "T", "range": "10001-15100", "released": "2026-03-01T08:00:00Z" });
        event(&hall.depot.admin, "SERIAL_CREATED", made).await.expect(200);
        let units = each(&hall.depot.get("/serial?product_key=T&limit=10000").await, "_key");
        assert_eq!(units.len(), 5_100);
        let session = hall.started().await;
        let record = count(&hall.x, &session, "T", "A1", json!(units)).await;
        let done = hall.apply(site, &session).await;
        assert_eq!((&done["records_to_process"], &done["movements_created"], &done["movements_failed"]), (&json!(1), &json!(5_100), &json!(0)));
        let shown = hall.record(&record).await;
        assert_eq!((&shown["processed"], &shown["error_details"]), (&json!(true), &Value::Null));
        assert_eq!(shown["movement_keys"].as_array().unwrap().len(), 5_100);
        assert_eq!(hall.units_at("A1&limit=10000").await.len(), 5_100);
        audit(site, hall.keeper()).await;
    }

    /// What a step costs does not grow with what has been counted.
    async fn many_records_are_corrected_in_few_statements(site) {
        let hall = hall(site).await;
        let mut places = String::from("code,parent_code\n");
        let mut counts = String::from("position_code,product_code,counted_qt\n");
        for number in 0..400 {
            places += &format!("P-{number},A\n");
            counts += &format!("P-{number},P,{}\n", number % 7);
        }
        let tried = hall.keeper().upload(Method::POST, "/position-import", &[], &[("file", "a.csv", places.as_bytes())]).await.expect(200);
        let key = text(&tried.body["file_key"]);
        hall.keeper().upload(Method::POST, "/position-import", &[("dry_run", "false"), ("file_key", key.as_str())], &[]).await.expect(200);
        let session = hall.started().await;
        hall.step(&session, "COMPLETED").await.expect(200);
        let tried = dry_run(hall.keeper(), &session, "update", &counts).await.expect(200).body;
        let (cost, done) = site.statements(execute(hall.keeper(), &session, "update", tried["file_key"].as_str().unwrap())).await;
        assert_eq!(done.detail()["rows_added"], 400);
        assert!(cost < 400, "the import took {cost} statements");
        let (cost, confirmed) = site.statements(hall.step(&session, "CONFIRMED")).await;
        confirmed.expect(200);
        assert!(cost < 4000, "the confirmation took {cost} statements, with what was corrected meanwhile");
        let done = applied(site, hall.keeper(), &session).await;
        // Each seventh was counted as nothing, and is.
        assert_eq!((&done["records_to_process"], &done["movements_created"]), (&json!(400), &json!(342)));
        audit(site, hall.keeper()).await;
    }
}
