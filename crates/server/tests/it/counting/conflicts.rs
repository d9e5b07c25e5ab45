//! What stands in the way of a confirmation: each kind with its data, all of them at once, and nothing is changed by it.

use testkit::on_both_engines;

use super::*;

/// Kind, product, position and records of a conflict.
fn outline(conflict: &Value) -> (String, String, String, Vec<String>) {
    assert_eq!(
        (&conflict["product_code"], &conflict["position_code"]),
        (&conflict["product_key"], &conflict["position_key"])
    );
    let mut records = each(&conflict["records"], "count_record_key");
    records.sort();
    (text(&conflict["kind"]), text(&conflict["product_key"]), text(&conflict["position_key"]), records)
}

/// Checks that there is one conflict, of this kind and these records.
#[track_caller]
fn only(found: &[Value], kind: &str, position: &str, records: &[&String]) -> Value {
    assert_eq!(found.len(), 1, "{found:?}");
    let (told, _, place, named) = outline(&found[0]);
    assert_eq!((told.as_str(), place.as_str()), (kind, position), "{found:?}");
    assert_eq!(named.iter().collect::<Vec<_>>(), records, "{found:?}");
    found[0].clone()
}

/// Ends the counting; what then stands in the way.
async fn confirm(hall: &Hall, session: &str) -> Vec<Value> {
    if hall.read(session).await["status"] == "started" {
        hall.step(session, "COMPLETED").await.expect(200);
    }
    let before = hall.read(session).await;
    let found = conflicts(hall.step(session, "CONFIRMED").await);
    assert_eq!(hall.read(session).await, before, "nothing has changed");
    found
}

/// Confirms what has no conflicts any more.
async fn passes(site: &Site, hall: &Hall, session: &str) -> Value {
    hall.step(session, "CONFIRMED").await.expect(200);
    let done = applied(site, hall.keeper(), session).await;
    audit(site, hall.keeper()).await;
    done
}

on_both_engines! {
    async fn different_counts_of_a_pair(site) {
        let hall = hall(site).await;
        let y = counter(site, "y").await;
        hall.depot.received("A1", 10.0).await;
        let session = hall.started().await;
        let nine = count(&hall.x, &session, "P", "A1", json!(9)).await;
        site.clock.advance_seconds(1);
        let eight = count(&y, &session, "P", "A1", json!(8)).await;
        let found = confirm(&hall, &session).await;
        let told = only(&found, "different_counts", "A1", &[&nine, &eight]);
        let row = told["records"].as_array().unwrap().iter().find(|row| row["count_record_key"] == eight).unwrap();
        assert_eq!(*row, json!({
            "count_record_key": eight, "user_key": y.key, "system_qt": 10, "counted_qt": 8, "counted_serial_keys": [],
            "counted_at": site.clock.now(),
        }));
        discard(hall.keeper(), &eight).await.expect(200);
        assert_eq!(passes(site, &hall, &session).await["movements_created"], 1);
        assert_eq!(hall.corrections(&session).await, ["P A1 - -1"]);
        assert_eq!(hall.depot.stock("P").await, json!([["A1", 9]]));
    }

    async fn corrections_agree_though_stock_has_moved_in_between(site) {
        let hall = hall(site).await;
        let y = counter(site, "y").await;
        hall.depot.received("A1", 10.0).await;
        let session = hall.started().await;
        let first = count(&hall.x, &session, "P", "A1", json!(9)).await;
        hall.depot.moved("shipment", json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": 2 })).await;
        site.clock.advance_seconds(1);
        let second = count(&y, &session, "P", "A1", json!(7)).await;
        hall.step(&session, "COMPLETED").await.expect(200);
        let done = passes(site, &hall, &session).await;
        assert_eq!((&done["records_to_process"], &done["movements_created"]), (&json!(1), &json!(1)));
        let states = [hall.record(&first).await["status"].clone(), hall.record(&second).await["status"].clone()];
        assert_eq!(states, [json!("discarded"), json!("confirmed")], "the newest counts");
        assert_eq!(hall.depot.stock("P").await, json!([["A1", 7]]));
    }

    async fn a_serial_in_two_positions(site) {
        let hall = hall(site).await;
        let unit = hall.depot.received_unit("A1", "S-1").await;
        let session = hall.started().await;
        let here = count(&hall.x, &session, "T", "A1", json!([unit])).await;
        let there = count(&hall.x, &session, "T", "A2", json!([unit])).await;
        let found = confirm(&hall, &session).await;
        let told = only(&found, "serial_twice", "A1", &[&here, &there]);
        assert_eq!(told["serial_key"], unit);
        discard(hall.keeper(), &here).await.expect(200);
        passes(site, &hall, &session).await;
        assert_eq!(hall.depot.places(&unit).await, ["A2"]);
    }

    /// The answer grows with the serials, not with their square.
    async fn a_conflict_about_a_serial_names_that_one(site) {
        let hall = hall(site).await;
        let units = [hall.unit("S-1").await, hall.unit("S-2").await, hall.unit("S-3").await];
        let session = hall.started().await;
        for position in ["A1", "A2"] {
            count(&hall.x, &session, "T", position, json!(units)).await;
        }
        hall.step(&session, "COMPLETED").await.expect(200);
        let told = confirm(&hall, &session).await;
        assert_eq!(told.len(), 3);
        for conflict in told {
            for record in conflict["records"].as_array().unwrap() {
                assert_eq!(record["counted_serial_keys"], json!([conflict["serial_key"]]), "{conflict}");
            }
        }
    }

    async fn more_is_missing_than_is_left(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 10.0).await;
        let session = hall.started().await;
        let record = count(&hall.x, &session, "P", "A1", json!(2)).await;
        hall.depot.moved("shipment", json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": 5 })).await;
        let found = confirm(&hall, &session).await;
        let told = only(&found, "shortage", "A1", &[&record]);
        assert_eq!(told["available"], 5);
        hall.depot.admin.patch("/product/P", json!({ "allow_negative_inventory": true })).await.expect(200);
        passes(site, &hall, &session).await;
        assert_eq!(hall.depot.stock("P").await, json!([["A1", -3]]), "it may lack");
    }

    async fn another_session_is_at_it(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 10.0).await;
        let unit = hall.depot.received_unit("A2", "S-1").await;
        let (first, other) = (hall.started().await, hall.started().await);
        let goods = count(&hall.x, &first, "P", "A1", json!(9)).await;
        let open = begun(&hall.x, &other, "P", "A1").await;
        only(&confirm(&hall, &first).await, "busy", "A1", &[&goods]);
        event(&hall.x, "COUNT_CANCELED", json!({ "count_key": open })).await.expect(200);
        hall.step(&first, "RESUMED").await.expect(200);
        // Where a unit lies that was found elsewhere.
        let units = count(&hall.x, &first, "T", "A1", json!([unit])).await;
        let open = begun(&hall.x, &other, "T", "A2").await;
        let told = only(&confirm(&hall, &first).await, "busy", "A1", &[&units]);
        assert_eq!((&told["product_key"], &told["serial_key"]), (&json!("T"), &json!(unit)));
        // The other one finds the unit where it lies, and one more, and corrects that.
        let spare = hall.unit("S-2").await;
        complete(&hall.x, &open, json!([unit, spare])).await.expect(200);
        keep_from_applying(site, &other).await;
        hall.step(&other, "COMPLETED").await.expect(200);
        hall.step(&other, "CONFIRMED").await.expect(200);
        only(&confirm(&hall, &first).await, "busy", "A1", &[&units]);
        let_go(site).await;
        applied(site, hall.keeper(), &other).await;
        passes(site, &hall, &first).await;
        assert_eq!((hall.units_at("A1").await, hall.units_at("A2").await), (vec!["S-1".to_owned()], vec!["S-2".to_owned()]));
    }

    async fn another_session_has_corrected_it(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 10.0).await;
        let (first, other) = (hall.started().await, hall.started().await);
        let record = count(&hall.x, &first, "P", "A1", json!(9)).await;
        count(&hall.x, &other, "P", "A1", json!(9)).await;
        hall.apply(site, &other).await;
        only(&confirm(&hall, &first).await, "counted_elsewhere", "A1", &[&record]);
        hall.step(&first, "RESUMED").await.expect(200);
        count(&hall.x, &first, "P", "A1", json!(9)).await;
        hall.step(&first, "COMPLETED").await.expect(200);
        let done = passes(site, &hall, &first).await;
        assert_eq!((&done["movements_created"], &done["adjustment_list_key"]), (&json!(0), &Value::Null));
        assert_eq!(hall.depot.stock("P").await, json!([["A1", 9]]), "corrected once");
    }

    async fn a_serial_that_may_not_come_in(site) {
        let hall = hall(site).await;
        let scrapped = hall.unit("S-1").await;
        let made = json!({ "product_key": "T", "code": "S-2", "released": null });
        let unfinished = text(&event(&hall.depot.admin, "SERIAL_CREATED", made).await.detail()["serial_key"]);
        let session = hall.started().await;
        let record = count(&hall.x, &session, "T", "A1", json!([scrapped, unfinished])).await;
        let scrap = json!({ "serial_key": scrapped, "reason": "dropped" });
        event(&hall.depot.admin, "SERIAL_SCRAPPED", scrap).await.expect(200);
        let found = confirm(&hall, &session).await;
        assert_eq!(found.len(), 2, "{found:?}");
        let mut serials = Vec::new();
        for conflict in &found {
            assert_eq!(outline(conflict), ("serial_blocked".to_owned(), "T".to_owned(), "A1".to_owned(), vec![record.clone()]));
            serials.push(text(&conflict["serial_key"]));
        }
        serials.sort();
        assert_eq!(serials, [scrapped, unfinished]);
        discard(hall.keeper(), &record).await.expect(200);
        passes(site, &hall, &session).await;
    }

    async fn all_conflicts_are_told_at_once(site) {
        let hall = hall(site).await;
        let y = counter(site, "y").await;
        hall.depot.received("A1", 10.0).await;
        hall.depot.received("A2", 10.0).await;
        let unit = hall.depot.received_unit("A1", "S-1").await;
        let session = hall.started().await;
        for (who, product, position, counted) in [
            (&hall.x, "P", "A1", json!(9)), (&y, "P", "A1", json!(8)), (&hall.x, "P", "A2", json!(1)), (&hall.x, "T", "A1", json!([unit])),
            (&hall.x, "T", "A2", json!([unit])),
        ] {
            count(who, &session, product, position, counted).await;
        }
        hall.depot.moved("shipment", json!({ "product_key": "P", "position_from": "A2", "qt_confirmed": 5 })).await;
        let mut kinds: Vec<String> = confirm(&hall, &session).await.iter().map(|conflict| text(&conflict["kind"])).collect();
        kinds.sort();
        assert_eq!(kinds, ["different_counts", "serial_twice", "shortage"]);
        assert_eq!((site.count("movement_list").await, hall.depot.stock("P").await), (0, json!([["A1", 10], ["A2", 5]])));
        hall.step(&session, "CANCELED").await.expect(200);
        audit(site, hall.keeper()).await;
    }
}
