//! Counts end: what has to be said of goods and of units, by whom, what an earlier count is worth then, and what a review does to it.

use testkit::on_both_engines;

use super::*;
use crate::production::refused;
use crate::serials::unknown;

async fn says(who: &Person, record: &str, members: Value) -> Answer {
    let mut body = json!({ "count_key": record });
    body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    event(who, "COUNT_COMPLETED", body).await
}

on_both_engines! {
    async fn what_is_said_suits_the_product(site) {
        let hall = hall(site).await;
        let unit = hall.depot.received_unit("A1", "S-1").await;
        let spare = hall.unit("S-2").await;
        let gone = hall.unit("S-3").await;
        event(&hall.depot.admin, "SERIAL_DELETED", json!({ "serial_key": gone })).await.expect(200);
        hall.depot.admin.post("/product", json!({ "_key": "U", "code": "U", "traceability_level": "form_only" })).await.expect(201);
        let made = json!({ "product_key": "U", "code": "S-1" });
        let foreign = text(&event(&hall.depot.admin, "SERIAL_CREATED", made).await.detail()["serial_key"]);
        let session = hall.started().await;
        let goods = begun(&hall.x, &session, "P", "A1").await;
        let units = begun(&hall.x, &session, "T", "A1").await;
        let wrong = [
            (&goods, json!({}), "quantity_missing"),
            (&goods, json!({ "count_qt": null }), "quantity_missing"),
            (&goods, json!({ "count_qt": 1, "count_serial_keys": [unit] }), "serial_unknown"),
            (&units, json!({}), "quantity_missing"),
            (&units, json!({ "count_qt": 1 }), "quantity_missing"),
            (&units, json!({ "count_qt": 2, "count_serial_keys": [unit] }), "quantity_mismatch"),
            (&units, json!({ "count_qt": 1, "count_serial_keys": [] }), "quantity_mismatch"),
            (&units, json!({ "count_serial_keys": [unit, spare, unit] }), "serial_repeated"),
            (&units, json!({ "count_serial_keys": [unit, foreign] }), "serial_unknown"),
            (&units, json!({ "count_serial_keys": [gone] }), "serial_unknown"),
            (&units, json!({ "count_serial_keys": ["0000000000001"] }), "serial_unknown"),
        ];
        for (record, members, code) in wrong {
            let told = refusal(says(&hall.x, record, members.clone()).await, code);
            if code == "serial_unknown" && members["count_serial_keys"][1] == foreign {
                assert_eq!(told["serial_key"], foreign, "{members}");
            }
            if code == "serial_repeated" {
                assert_eq!(told["serial_key"], unit);
            }
            assert_eq!(hall.record(record).await["status"], "started");
        }
        let negative = says(&hall.x, &goods, json!({ "count_qt": -1 })).await.expect(422);
        assert_eq!(negative.body["detail"][0]["type"], "greater_than_equal");
        assert_eq!(says(&hall.x, &goods, json!({ "count_qt": 0.1234567 })).await.status, 422);
        site.clock.advance_seconds(30);
        let told = says(&hall.x, &goods, json!({ "count_qt": 12.345678, "count_serial_keys": [], "notes": "in bags" })).await.detail();
        assert_eq!(told["count_record_key"], goods);
        let shown = hall.record(&goods).await;
        assert_eq!((&shown["status"], &shown["counted_qt"], &shown["delta"]), (&json!("completed"), &json!(12.345_678), &json!(12.345_678)));
        assert_eq!((&shown["counted_at"], &shown["notes"], &shown["counted_serial_keys"]), (&json!(site.clock.now()), &json!("in bags"), &json!([])));
        says(&hall.x, &units, json!({ "count_qt": 2, "count_serial_keys": [spare, unit] })).await.expect(200);
        let shown = hall.record(&units).await;
        assert_eq!((&shown["counted_qt"], &shown["delta"], &shown["system_qt"]), (&json!(2), &json!(1), &json!(1)));
        assert_eq!(each(&shown["counted_serials"], "serial_code"), ["S-1", "S-2"]);
        assert_eq!(hall.depot.get("/inventory?product_key=T").await[0]["last_counted"], json!(site.clock.now()));
        assert_eq!(hall.depot.get("/inventory?product_key=T").await[0]["counting"], false);
        wrong_state(says(&hall.x, &units, json!({ "count_serial_keys": [] })).await, "completed");
        unknown(says(&hall.x, "0000000000001", json!({ "count_qt": 1 })).await, "count_key");
        audit(site, hall.keeper()).await;
    }

    async fn a_count_is_ended_by_who_began_it_or_by_who_may_apply_it(site) {
        let hall = hall(site).await;
        let y = counter(site, "y").await;
        let session = hall.started().await;
        let record = begun(&hall.x, &session, "P", "A1").await;
        refusal(complete(&y, &record, json!(1)).await, "other_user");
        refusal(event(&y, "COUNT_CANCELED", json!({ "count_key": record })).await, "other_user");
        complete(hall.keeper(), &record, json!(1)).await.expect(200);
        assert_eq!(hall.record(&record).await["user_key"], hall.x.key);
        let record = begun(&hall.x, &session, "P", "A1").await;
        event(hall.keeper(), "COUNT_CANCELED", json!({ "count_key": record })).await.expect(200);
        audit(site, hall.keeper()).await;
    }

    async fn a_later_count_of_the_same_user_takes_the_place_of_the_earlier(site) {
        let hall = hall(site).await;
        let y = counter(site, "y").await;
        let session = hall.started().await;
        let other = hall.started().await;
        let mut records = Vec::new();
        for (who, of, much) in [(&hall.x, &session, 1), (&y, &session, 2), (&hall.x, &other, 3), (&hall.x, &session, 4)] {
            site.clock.advance_seconds(1);
            records.push(count(who, of, "P", "A1", json!(much)).await);
        }
        let open = begun(&hall.x, &session, "P", "A1").await;
        let mut statuses = Vec::new();
        for record in &records {
            statuses.push(text(&hall.record(record).await["status"]));
        }
        assert_eq!(statuses, ["discarded", "completed", "completed", "completed"], "an open one takes no place yet");
        event(&hall.x, "COUNT_CANCELED", json!({ "count_key": open })).await.expect(200);
        assert_eq!(hall.record(&records[3]).await["status"], "completed");
        audit(site, hall.keeper()).await;
    }

    async fn a_count_does_not_end_before_it_began(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        let session = hall.started().await;
        let began = site.clock.now();
        let record = begun(&hall.x, &session, "P", "A1").await;
        let early = began.plus_seconds(-1);
        refused(says(&hall.x, &record, json!({ "count_qt": 5, "timestamp": early })).await, "TimestampError");
        assert_eq!(hall.record(&record).await["status"], "started");
        says(&hall.x, &record, json!({ "count_qt": 5, "timestamp": began })).await.expect(200);
        assert_eq!(hall.depot.get("/inventory?product_key=P").await[0]["last_counted"], json!(began));
    }

    /// The clock of a counter does not decide which count is the newest.
    async fn the_newest_count_began_last(site) {
        let hall = hall(site).await;
        let y = counter(site, "y").await;
        let session = hall.started().await;
        let ahead = begun(&hall.x, &session, "P", "A1").await;
        says(&hall.x, &ahead, json!({ "count_qt": 4, "timestamp": site.clock.now().plus_seconds(290) })).await.expect(200);
        site.clock.advance_seconds(1);
        count(&y, &session, "P", "A1", json!(10)).await;
        hall.step(&session, "COMPLETED").await.expect(200);
        let snapshot = text(&hall.read(&session).await["post_count_snapshot_key"]);
        let kept = hall.depot.get(&format!("/inventory/snapshot/{snapshot}")).await;
        assert_eq!(kept["items"][0]["quantity"], 10);
    }

    async fn a_review_discards_what_is_wrong(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        let session = hall.started().await;
        let open = begun(&hall.x, &session, "P", "A2").await;
        wrong_state(discard(hall.keeper(), &open).await, "started");
        complete(&hall.x, &open, json!(0)).await.expect(200);
        let wrong = count(&hall.x, &session, "P", "A1", json!(1)).await;
        site.clock.advance_seconds(60);
        hall.step(&session, "COMPLETED").await.expect(200);
        assert_eq!(discard(hall.keeper(), &wrong).await.detail()["count_record_key"], wrong);
        let shown = hall.record(&wrong).await;
        assert_eq!((&shown["status"], &shown["reviewed_at"]), (&json!("discarded"), &json!(site.clock.now())));
        wrong_state(discard(hall.keeper(), &wrong).await, "discarded");
        hall.step(&session, "CONFIRMED").await.expect(200);
        assert_eq!(applied(site, hall.keeper(), &session).await["status"], "applied");
        assert_eq!(hall.depot.stock("P").await, json!([["A1", 5]]), "what was discarded corrects nothing");
        refusal(discard(hall.keeper(), &open).await, "wrong_state");
        audit(site, hall.keeper()).await;
    }

    async fn counts_come_in_bulks(site) {
        let hall = hall(site).await;
        let session = hall.started().await;
        let shared = json!({ "event_type": "COUNT_STARTED", "count_session_key": session, "product_key": "P" });
        let rows = |positions: &[&str]| -> Value { positions.iter().map(|position| json!({ "position_key": position })).collect() };
        let send = async |positions: &[&str]| hall.x.post("/event/bulk", json!({ "shared_data": shared, "events": rows(positions) })).await;
        let told = crate::production::refused(send(&["A1", "A2", "A1", "OUT"]).await, "BulkRejected");
        let errors: Vec<(i64, String)> = told["errors"].as_array().unwrap().iter().map(|error| (error["index"].as_i64().unwrap(), text(&error["rule"]))).collect();
        assert_eq!(errors, [(2, "already_counting".to_owned()), (3, "position_not_countable".to_owned())]);
        assert_eq!(site.count("count_record").await, 0);
        send(&["A1", "A2", "IN"]).await.expect(200);
        let open = each(&hall.depot.get(RECORDS).await, "_key");
        let done: Vec<Value> = open.iter().map(|key| json!({ "count_key": key, "count_qt": 1 })).collect();
        let bulk = json!({ "shared_data": { "event_type": "COUNT_COMPLETED" }, "events": done });
        hall.x.post("/event/bulk", bulk).await.expect(200);
        audit(site, hall.keeper()).await;
    }
}
