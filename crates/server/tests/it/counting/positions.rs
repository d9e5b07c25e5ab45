//! Positions that a session is done with: counted, or confirmed to be empty.

use testkit::on_both_engines;

use super::*;

async fn done(hall: &Hall, session: &str) -> Value {
    hall.depot.get(&format!("{SESSIONS}/{session}/completed-positions")).await
}

async fn below(hall: &Hall, session: &str, parent: &str) -> Value {
    hall.depot.get(&format!("/inventory/count-position-status?session_key={session}&parent_key={parent}")).await
}

/// Counts and tells whether that was the last of the position.
async fn last(who: &Person, session: &str, product: &str, position: &str, counted: Value) -> Value {
    let record = begun(who, session, product, position).await;
    complete(who, &record, counted).await.detail()["position_completed"].clone()
}

on_both_engines! {
    async fn a_position_is_done_with_its_last_product_and_its_last_child(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        hall.depot.received("A", 1.0).await;
        let unit = hall.depot.received_unit("A1", "S-1").await;
        let session = hall.started().await;
        assert_eq!((done(&hall, &session).await, below(&hall, &session, "A").await), (json!([]), json!({})));
        assert_eq!(last(&hall.x, &session, "P", "A1", json!(5)).await, false, "the unit is not counted");
        assert_eq!(last(&hall.x, &session, "P", "A", json!(1)).await, false, "nor what is in it");
        assert_eq!(last(&hall.x, &session, "T", "A1", json!([unit])).await, true);
        assert_eq!((done(&hall, &session).await, below(&hall, &session, "A").await), (json!(["A1"]), json!({ "A1": "counted" })));
        let told = empty(&hall.x, &session, "A2").await.detail();
        assert_eq!((&told["position_key"], &told["count_record_keys"]), (&json!("A2"), &json!([])));
        assert_eq!(done(&hall, &session).await, json!(["A", "A1", "A2", "IN"]), "with the last child what it is in, and so on");
        assert_eq!(below(&hall, &session, "A").await, json!({ "A1": "counted", "A2": "empty" }));
        assert_eq!(below(&hall, &session, "IN").await, json!({ "A": "counted" }));
        hall.depot.received("A2", 1.0).await;
        assert_eq!(below(&hall, &session, "A").await["A2"], "empty", "what arrives later changes nothing");
        assert_eq!(last(&hall.x, &session, "P", "A2", json!(1)).await, true);
        assert_eq!(below(&hall, &session, "A").await["A2"], "counted", "goods that were counted do");
        for wrong in [format!("session_key={session}&parent_key=nowhere"), "session_key=0000000000001&parent_key=A".to_owned()] {
            hall.keeper().get(&format!("/inventory/count-position-status?{wrong}")).await.expect(404);
        }
        hall.keeper().get("/inventory/count-position-status?parent_key=A").await.expect(422);
        let other = hall.started().await;
        assert_eq!(done(&hall, &other).await, json!([]), "each session counts for itself");
    }

    async fn an_empty_position_has_counts_of_nothing(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        let unit = hall.depot.received_unit("A1", "S-1").await;
        let session = hall.started().await;
        let told = refusal(empty(&hall.x, &session, "A").await, "children_open");
        let mut open: Vec<String> = told["position_keys"].as_array().unwrap().iter().map(text).collect();
        open.sort();
        assert_eq!(open, ["A1", "A2"]);
        let record = begun(&hall.x, &session, "P", "A1").await;
        let told = refusal(empty(&hall.x, &session, "A1").await, "already_counting");
        assert_eq!(told["count_record_key"], record);
        complete(&hall.x, &record, json!(4)).await.expect(200);
        let members = json!({ "session_key": session, "position_key": "A1", "notes": "swept" });
        let told = event(&hall.x, "POSITION_CONFIRMED_EMPTY", members).await.detail();
        let records: Vec<String> = told["count_record_keys"].as_array().unwrap().iter().map(text).collect();
        assert_eq!(records.len(), 2);
        for key in &records {
            let shown = hall.record(key).await;
            assert_eq!((&shown["status"], &shown["counted_qt"], &shown["counted_serial_keys"]), (&json!("completed"), &json!(0), &json!([])));
            assert_eq!(shown["user_key"], hall.x.key);
        }
        assert_eq!(hall.record(&record).await["status"], "discarded", "the earlier count of the user");
        assert_eq!(below(&hall, &session, "A").await, json!({ "A1": "empty" }));
        empty(&hall.x, &session, "A1").await.expect(200);
        assert_eq!(below(&hall, &session, "A").await, json!({ "A1": "empty" }), "twice is harmless");
        empty(&hall.x, &session, "A2").await.expect(200);
        empty(&hall.x, &session, "A").await.expect(200);
        hall.apply(site, &session).await;
        assert_eq!((hall.depot.stock("P").await, hall.depot.places(&unit).await), (json!([]), Vec::<String>::new()));
        audit(site, hall.keeper()).await;
    }

    async fn marks_that_are_no_longer_true_are_withdrawn(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        let session = hall.started().await;
        let record = count(&hall.x, &session, "P", "A1", json!(5)).await;
        empty(&hall.x, &session, "A2").await.expect(200);
        assert_eq!(done(&hall, &session).await, json!(["A", "A1", "A2", "IN"]));
        discard(hall.keeper(), &record).await.expect(200);
        assert_eq!(done(&hall, &session).await, json!(["A2"]), "up to the top");
        let records = [count(&hall.x, &session, "P", "A1", json!(5)).await, count(hall.keeper(), &session, "P", "A1", json!(5)).await];
        assert_eq!(done(&hall, &session).await, json!(["A", "A1", "A2", "IN"]));
        discard(hall.keeper(), &records[0]).await.expect(200);
        assert_eq!(done(&hall, &session).await, json!(["A", "A1", "A2", "IN"]), "another count is left");
        // A position that was empty and got goods that were counted, and are not any more.
        hall.depot.received("A2", 1.0).await;
        let goods = count(&hall.x, &session, "P", "A2", json!(1)).await;
        assert_eq!(below(&hall, &session, "A").await["A2"], "counted");
        discard(hall.keeper(), &goods).await.expect(200);
        assert_eq!(below(&hall, &session, "A").await, json!({ "A1": "counted" }));
        hall.step(&session, "COMPLETED").await.expect(200);
        import(hall.keeper(), &session, "replace", "position_code,product_code,counted_qt\nA2,P,1\n").await;
        assert_eq!(below(&hall, &session, "A").await, json!({ "A2": "counted" }), "an import discards, too");
    }
}
