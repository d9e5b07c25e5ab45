//! Counts from tables: every fault of every row, both modes, and what they do to earlier counts. The machinery is tested in `imports`.

use testkit::on_both_engines;

use super::*;

const HEADER: &str = "position_code,product_code,counted_qt,serial_code";

/// A session that is reviewed, with six of ten pieces counted at A1.
async fn reviewed(hall: &Hall) -> (String, String) {
    hall.depot.received("A1", 10.0).await;
    let session = hall.started().await;
    let record = count(&hall.x, &session, "P", "A1", json!(6)).await;
    hall.step(&session, "COMPLETED").await.expect(200);
    (session, record)
}

fn faults(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.body["status"], "error", "{}", answer.text);
    let shown = |fault: &Value| {
        format!("{} {} {}", fault["row"], fault["column"].as_str().unwrap(), fault["value"].as_str().unwrap())
    };
    answer.body["errors"].as_array().unwrap().iter().map(shown).collect()
}

on_both_engines! {
    async fn all_faults_are_told(site) {
        let hall = hall(site).await;
        hall.depot.received_unit("A1", "S-1").await;
        hall.depot.received_unit("A1", "S-2").await;
        let gone = hall.unit("S-3").await;
        event(&hall.depot.admin, "SERIAL_DELETED", json!({ "serial_key": gone })).await.expect(200);
        hall.depot.admin.post("/product", json!({ "_key": "U", "code": "U", "traceability_level": "form_only" })).await.expect(201);
        event(&hall.depot.admin, "SERIAL_CREATED", json!({ "product_key": "U", "code": "U-1" })).await.expect(200);
        let (session, _) = reviewed(&hall).await;
        let rows = [
            ("A1,P,1,", ""),
            ("lost,P,1,", "position_code lost"),
            (",P,1,", "position_code "),
            ("OUT,P,1,", "position_code OUT"),
            ("A1,lost,1,", "product_code lost"),
            ("A1,P,many,", "counted_qt many"),
            ("A2,P,-1,", "counted_qt -1"),
            ("A2,P,,", "counted_qt "),
            ("A2,P,0.1234567,", "counted_qt 0.1234567"),
            ("A2,P,1,S-1", "serial_code S-1"),
            ("A1,T,1,lost", "serial_code lost"),
            ("A1,T,1,S-3", "serial_code S-3"),
            ("A1,T,1,U-1", "serial_code U-1"),
            ("A1,T,2,S-1", "counted_qt 2"),
            ("A1,T,1,S-2", ""),
            ("A2,T,1,S-2", "serial_code S-2"),
            ("A2,T,0,", ""),
            ("IN,T,1,", "serial_code "),
        ];
        let mut file = format!("{HEADER},remark\n");
        let mut wanted = Vec::new();
        for (number, (row, fault)) in rows.iter().enumerate() {
            file += &format!("{row},x\n");
            if !fault.is_empty() {
                wanted.push(format!("{} {fault}", number + 2));
            }
        }
        let answer = dry_run(hall.keeper(), &session, "update", &file).await.expect(200);
        let told = faults(&answer);
        // The same fault may be told of another column, but of each row that has one, and of no other.
        let row_of = |fault: &String| fault.split(' ').next().unwrap().to_owned();
        assert_eq!(told.iter().map(row_of).collect::<Vec<_>>(), wanted.iter().map(row_of).collect::<Vec<_>>(), "{told:?}");
        for fault in wanted.iter().filter(|fault| !fault.ends_with(' ')) {
            assert!(told.contains(fault), "{fault} is not among {told:?}");
        }
        let bad = wanted.len().to_string();
        assert_eq!((answer.header("x-import-status"), answer.header("x-error-count")), ("error", bad.as_str()));
        assert_eq!(answer.body["ignored_columns"], json!(["remark"]));
        assert_eq!(site.count("count_record").await, 1);
    }

    /// Scenario 17, as JSON and as a sheet.
    async fn three_bad_rows_of_ten(site) {
        let hall = hall(site).await;
        let (session, _) = reviewed(&hall).await;
        let mut file = format!("{HEADER}\n");
        for number in 0..7 {
            file += &format!("A1,P,{number},\n");
        }
        file += "lost,P,1,\nA1,P,some,\nA1,P,1,S-1\n";
        let answer = dry_run(hall.keeper(), &session, "replace", &file).await.expect(200);
        assert_eq!((answer.header("x-error-count"), answer.header("x-valid-count")), ("3", "7"));
        assert_eq!((&answer.body["rows_total"], &answer.body["rows_valid"], &answer.body["rows_error"]), (&json!(10), &json!(7), &json!(3)));
        assert_eq!(faults(&answer), ["9 position_code lost", "10 counted_qt some", "11 serial_code S-1"]);
        let fields = [("count_session_key", session.as_str()), ("import_mode", "replace")];
        let request = hall.keeper().request(Method::POST, &format!("{RECORDS}/import")).header("accept", "*/*");
        let answer = request.multipart(form(&fields, &[("file", "counts.csv", file.as_bytes())])).send().await.unwrap();
        assert_eq!(answer.headers()["x-error-count"], "3");
        let sheet = table(FileKind::Xlsx, &answer.bytes().await.unwrap());
        assert_eq!(sheet.column("status").iter().filter(|cell| **cell == "ERROR").count(), 3, "{sheet:?}");
    }

    async fn an_update_counts_its_pairs_anew(site) {
        let hall = hall(site).await;
        let units = [hall.depot.received_unit("A2", "S-1").await, hall.depot.received_unit("A2", "S-2").await];
        let (session, record) = reviewed(&hall).await;
        site.clock.advance_seconds(60);
        hall.depot.moved("shipment", json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": 1 })).await;
        let file = format!("{HEADER}\nA1,P,3.5,\nA1,P,4,\nA2,T,1,S-2\nA2,T,0,S-1\nIN,T,0,\n");
        let (tried, done) = import(hall.keeper(), &session, "update", &file).await;
        assert_eq!((&tried["records_to_add"], &tried["records_to_discard"], &tried["import_mode"]), (&json!(3), &json!(1), &json!("update")));
        assert_eq!((&done["rows_total"], &done["rows_added"], &done["rows_discarded"], &done["warnings"]), (&json!(5), &json!(3), &json!(1), &json!([])));
        assert!(done["message"].is_string());
        assert_eq!(hall.record(&record).await["status"], "discarded");
        let rows = hall.depot.get(&format!("{RECORDS}?count_session_key={session}&include_discarded=false")).await;
        let row = |row: &Value| json!([row["position_key"], row["product_key"], row["system_qt"], row["counted_qt"], row["status"]]);
        let rows = rows.as_array().unwrap();
        assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), [
            json!(["A1", "P", 9, 7.5, "completed"]), json!(["A2", "T", 2, 1, "completed"]), json!(["IN", "T", 0, 0, "completed"]),
        ]);
        assert_eq!(rows[1]["counted_serial_keys"], json!([units[1]]));
        for row in rows {
            assert_eq!((&row["user_key"], &row["counted_at"], &row["system_at"]), (&json!(hall.keeper().key), &json!(site.clock.now()), &json!(site.clock.now())));
        }
        assert_eq!(hall.depot.get(&format!("{SESSIONS}/{session}/completed-positions")).await, json!(["A", "A1", "A2", "IN"]));
        hall.step(&session, "CONFIRMED").await.expect(200);
        applied(site, hall.keeper(), &session).await;
        assert_eq!((hall.depot.stock("P").await, hall.units_at("A2").await), (json!([["A1", 7.5]]), vec!["S-2".to_owned()]));
        let told = hall.depot.get("/event?type=COUNT_IMPORTED").await;
        let stored = hall.depot.stored(&json!({ "event_key": told[0]["_key"] })).await;
        assert_eq!((&stored["payload"]["import_mode"], &stored["payload"]["filename"]), (&json!("update"), &json!("counts.csv")));
        audit(site, hall.keeper()).await;
    }

    async fn a_replacement_leaves_no_earlier_count(site) {
        let hall = hall(site).await;
        let (session, record) = reviewed(&hall).await;
        let (tried, done) = import(hall.keeper(), &session, "replace", "position_code,product_code,counted_qt\nA2,P,2\n").await;
        assert_eq!((&tried["records_to_add"], &tried["records_to_discard"]), (&json!(1), &json!(1)));
        assert_eq!((&done["rows_added"], &done["rows_discarded"]), (&json!(1), &json!(1)));
        assert_eq!(hall.record(&record).await["status"], "discarded");
        hall.step(&session, "CONFIRMED").await.expect(200);
        applied(site, hall.keeper(), &session).await;
        assert_eq!(hall.depot.stock("P").await, json!([["A1", 10], ["A2", 2]]));
        audit(site, hall.keeper()).await;
    }

    async fn a_file_is_for_its_user_its_session_and_its_mode(site) {
        let hall = hall(site).await;
        let (session, _) = reviewed(&hall).await;
        let other = hall.started().await;
        hall.step(&other, "COMPLETED").await.expect(200);
        let file = format!("{HEADER}\nA1,P,1,\n");
        let key = text(&dry_run(hall.keeper(), &session, "update", &file).await.expect(200).body["file_key"]);
        execute(&hall.depot.admin, &session, "update", &key).await.expect(403);
        execute(hall.keeper(), &other, "update", &key).await.expect(403);
        execute(hall.keeper(), &session, "replace", &key).await.expect(403);
        execute(hall.keeper(), &session, "update", "0000000000001").await.expect(404);
        execute(hall.keeper(), "0000000000001", "update", &key).await.expect(403);
        dry_run(hall.keeper(), "0000000000001", "update", &file).await.expect(404);
        dry_run(hall.keeper(), &session, "create", &file).await.expect(422);
        dry_run(hall.keeper(), &session, "update", "position_code,counted_qt\nA1,1\n").await.expect(400);
        dry_run(hall.keeper(), &session, "update", &format!("{HEADER}\n")).await.expect(400);
        let fields = [("import_mode", "update")];
        hall.keeper().upload(Method::POST, &format!("{RECORDS}/import"), &fields, &[("file", "a.csv", file.as_bytes())]).await.expect(422);
        lacks(dry_run(&hall.x, &session, "update", &file).await, "inventory:count:apply");
        execute(hall.keeper(), &session, "update", &key).await.expect(200);
        execute(hall.keeper(), &session, "update", &key).await.expect(404);
        // What has changed since the dry run is found when it is written.
        make(hall.keeper(), "B", "IN").await;
        let key = text(&dry_run(hall.keeper(), &session, "update", "position_code,product_code,counted_qt\nB,P,1\n").await.expect(200).body["file_key"]);
        hall.keeper().delete("/position/B").await.expect(200);
        let told = rule(execute(hall.keeper(), &session, "update", &key).await, "ImportException", "rows");
        assert_eq!((&told["errors"][0]["row"], &told["errors"][0]["column"]), (&json!(2), &json!("position_code")));
        let key = text(&dry_run(hall.keeper(), &session, "update", &file).await.expect(200).body["file_key"]);
        hall.step(&session, "RESUMED").await.expect(200);
        wrong_state(execute(hall.keeper(), &session, "update", &key).await, "started");
    }
}
