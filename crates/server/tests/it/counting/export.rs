//! Records as tables that can be imported again.

use testkit::on_both_engines;

use super::*;

const HEADER: [&str; 9] = [
    "position_code",
    "product_code",
    "counted_qt",
    "serial_code",
    "system_qt",
    "delta",
    "status",
    "user_key",
    "counted_at",
];

on_both_engines! {
    async fn an_export_has_a_row_for_each_unit(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 2.5).await;
        let units = [hall.depot.received_unit("A2", "S-1").await, hall.depot.received_unit("A2", "S-2").await];
        let found = hall.unit("S-3").await;
        let session = hall.started().await;
        count(&hall.x, &session, "P", "A1", json!(2)).await;
        count(&hall.x, &session, "T", "A2", json!([units[0], found])).await;
        count(&hall.x, &session, "T", "IN", json!([])).await;
        let query = format!("count_session_key={session}");
        let csv = table(FileKind::Csv, &export(hall.keeper(), &query).await);
        assert_eq!(csv.columns, HEADER);
        let cells: Vec<String> = csv.rows.iter().map(|row| row[..4].join(" ")).collect();
        assert_eq!(cells, ["A1 P 2 ", "A2 T 1 S-1", "A2 T 0 S-2", "A2 T 1 S-3", "IN T 0 "]);
        assert_eq!((csv.rows[0][4].as_str(), csv.column("status")[0], csv.column("user_key")[0]), ("2.5", "completed", hall.x.key.as_str()));
        assert!(csv.rows[0][5].trim_start_matches('\'') == "-0.5", "{csv:?}");
        let sheet = table(FileKind::Xlsx, &export(hall.keeper(), &format!("{query}&format=xlsx")).await);
        assert_eq!((sheet.columns.len(), sheet.rows.len()), (9, 5));
        let template = String::from_utf8(export(hall.keeper(), "format=template").await).unwrap();
        assert_eq!(template.trim_end(), HEADER.join(","));
        assert_eq!(table(FileKind::Csv, &export(hall.keeper(), &format!("{query}&product_key=P")).await).rows.len(), 1);
        hall.keeper().get(&format!("{RECORDS}/export?format=pdf")).await.expect(422);
        // Back in again, it says the same.
        hall.step(&session, "COMPLETED").await.expect(200);
        let file = String::from_utf8(export(hall.keeper(), &query).await).unwrap();
        let (tried, _) = import(hall.keeper(), &session, "replace", &file).await;
        assert_eq!((&tried["records_to_add"], &tried["records_to_discard"]), (&json!(3), &json!(3)));
        let again = table(FileKind::Csv, &export(hall.keeper(), &format!("{query}&include_discarded=false")).await);
        assert_eq!(again.rows.iter().map(|row| row[..6].join(" ")).collect::<Vec<_>>(), csv.rows.iter().map(|row| row[..6].join(" ")).collect::<Vec<_>>());
    }

    /// What was discarded stays so, and a unit that was found elsewhere is missing where stock had it.
    async fn an_export_comes_back_as_it_was(site) {
        let hall = hall(site).await;
        let y = counter(site, "y").await;
        hall.depot.received("A1", 5.0).await;
        let unit = hall.depot.received_unit("A2", "S-1").await;
        let session = hall.started().await;
        count(&hall.x, &session, "P", "A1", json!(97)).await;
        count(&hall.x, &session, "P", "A1", json!(96)).await;
        count(&hall.x, &session, "T", "A1", json!([unit])).await;
        count(&hall.x, &session, "T", "A2", json!([])).await;
        hall.step(&session, "COMPLETED").await.expect(200);
        let query = format!("count_session_key={session}");
        let file = String::from_utf8(export(hall.keeper(), &query).await).unwrap();
        let (tried, done) = import(hall.keeper(), &session, "replace", &file).await;
        assert_eq!((&tried["records_to_add"], &tried["records_to_discard"]), (&json!(3), &json!(3)));
        assert_eq!(done["warnings"].as_array().unwrap().len(), 1, "{done}");
        let again = table(FileKind::Csv, &export(hall.keeper(), &format!("{query}&include_discarded=false")).await);
        let cells: Vec<String> = again.rows.iter().map(|row| row[..4].join(" ")).collect();
        assert_eq!(cells, ["A1 P 96 ", "A1 T 1 S-1", "A2 T 0 S-1"]);
        // Whom to believe is for people to say.
        hall.step(&session, "RESUMED").await.expect(200);
        count(&y, &session, "P", "A1", json!(90)).await;
        hall.step(&session, "COMPLETED").await.expect(200);
        let file = String::from_utf8(export(hall.keeper(), &query).await).unwrap();
        let told = dry_run(hall.keeper(), &session, "update", &file).await.expect(200).body;
        assert_eq!(each(&told["errors"], "column"), ["user_key"], "{told}");
    }

    async fn codes_that_look_like_formulas_are_texts(site) {
        let hall = hall(site).await;
        hall.depot.admin.post("/product", json!({ "_key": "odd", "code": "=1+1" })).await.expect(201);
        hall.keeper().post("/position", json!({ "_key": "at", "code": "@home" })).await.expect(200);
        let session = hall.started().await;
        count(&hall.x, &session, "odd", "at", json!(2)).await;
        hall.step(&session, "COMPLETED").await.expect(200);
        let file = String::from_utf8(export(hall.keeper(), &format!("count_session_key={session}")).await).unwrap();
        assert!(file.contains("'@home") && file.contains("'=1+1"), "{file}");
        let (tried, _) = import(hall.keeper(), &session, "update", &file).await;
        assert_eq!(tried["records_to_add"], 1);
    }
}
