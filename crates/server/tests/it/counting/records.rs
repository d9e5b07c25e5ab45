//! Counts begin and are given up; what is being counted stays as it is, and every record can be found.

use testkit::on_both_engines;

use super::*;
use crate::production::refused;
use crate::serials::unknown;
use crate::warehouse::depot;

/// The keys of the records that a query finds.
async fn found(hall: &Hall, query: &str) -> Vec<String> {
    each(&hall.depot.get(&format!("{RECORDS}?{query}")).await, "_key")
}

async fn cancel(who: &Person, record: &str) -> Answer {
    event(who, "COUNT_CANCELED", json!({ "count_key": record })).await
}

on_both_engines! {
    async fn what_is_being_counted_stays_as_it_is(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 7.0).await;
        let session = hall.started().await;
        let record = begun(&hall.x, &session, "P", "A1").await;
        let row = hall.depot.get("/inventory?product_key=P").await[0].clone();
        assert_eq!((&row["counting"], &row["locked"]), (&json!(true), &json!(false)));
        let goods = |side: &str| json!({ "product_key": "P", side: "A1", "qt_confirmed": 1 });
        for (kind, side) in [("receipt", "position_to"), ("shipment", "position_from"), ("consumption", "position_from"), ("adjustment", "position_to")] {
            let told = depot::refusal(hall.depot.moves(kind, goods(side)).await, "counting");
            assert_eq!((&told["count_record_key"], &told["position_key"]), (&json!(record), &json!("A1")), "{kind}");
        }
        // Another product there, and the same elsewhere, may move.
        hall.depot.received("A2", 1.0).await;
        hall.depot.received_unit("A1", "S-1").await;
        let told = refusal(begin(&hall.x, &session, "P", "A1").await, "already_counting");
        assert_eq!(told["count_record_key"], record);
        let other = hall.started().await;
        let told = refusal(begin(hall.keeper(), &other, "P", "A1").await, "already_counting");
        assert_eq!(told["count_record_key"], record, "in whichever session");
        let empty = begun(&hall.x, &session, "P", "IN").await;
        depot::refusal(hall.depot.moves("receipt", json!({ "product_key": "P", "qt_confirmed": 1 })).await, "counting");
        let told = hall.keeper().delete("/position/A1").await.expect(400);
        assert_eq!(told.body["detail"]["counts"], 1, "{}", told.text);
        assert_eq!(cancel(&hall.x, &empty).await.detail()["count_record_key"], empty);
        unknown(cancel(&hall.x, &empty).await, "count_key");
        hall.depot.moved("receipt", json!({ "product_key": "P", "qt_confirmed": 1 })).await;
        complete(&hall.x, &record, json!(7)).await.expect(200);
        hall.depot.moved("shipment", goods("position_from")).await;
        wrong_state(cancel(&hall.x, &record).await, "completed");
        audit(site, hall.keeper()).await;
    }

    async fn a_record_has_what_stock_says(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 2.5).await;
        let units = [hall.depot.received_unit("A1", "S-1").await, hall.depot.received_unit("A1", "S-2").await];
        let session = hall.started().await;
        site.clock.advance_seconds(9);
        let goods = hall.record(&begun(&hall.x, &session, "P", "A1").await).await;
        assert_eq!((&goods["_from"], &goods["_to"]), (&json!("Product/P"), &json!("Position/A1")));
        assert_eq!((&goods["system_qt"], &goods["system_serial_keys"], &goods["system_at"]), (&json!(2.5), &json!([]), &json!(site.clock.now())));
        assert_eq!((&goods["counted_qt"], &goods["counted_at"], &goods["delta"]), (&Value::Null, &Value::Null, &Value::Null));
        assert_eq!((&goods["status"], &goods["processed"], &goods["user_key"]), (&json!("started"), &json!(false), &json!(hall.x.key)));
        assert_eq!((&goods["inventory_count_session_key"], &goods["assignment_key"]), (&json!(session), &Value::Null));
        assert_eq!((&goods["product_key"], &goods["product_code"], &goods["position_key"], &goods["position_code"]), (&json!("P"), &json!("P"), &json!("A1"), &json!("A1")));
        assert_eq!((&goods["position_path"], &goods["position_deleted"], &goods["product_traceability_level"]), (&json!(["A", "A1"]), &json!(false), &Value::Null));
        assert_eq!((&goods["product_tags"], &goods["movement_keys"], &goods["error_details"]), (&json!([]), &json!([]), &Value::Null));
        let traced = hall.record(&begun(&hall.x, &session, "T", "A1").await).await;
        assert_eq!((&traced["system_qt"], &traced["system_serial_keys"]), (&json!(2), &json!(units)));
        assert_eq!(each(&traced["system_serials"], "serial_code"), ["S-1", "S-2"]);
        assert_eq!(traced["product_traceability_level"], "form_only");
        let nothing = hall.record(&begun(&hall.x, &session, "P", "A2").await).await;
        assert_eq!((&nothing["system_qt"], &nothing["system_serial_keys"]), (&json!(0), &json!([])));
    }

    async fn a_count_is_begun_by_stock_or_by_a_wished_key(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 1.0).await;
        hall.depot.received_unit("A1", "S-1").await;
        hall.depot.received_unit("A1", "S-2").await;
        let session = hall.started().await;
        let keys = async |product: &str| each(&hall.depot.get(&format!("/inventory?product_key={product}")).await, "_key");
        let (goods, units) = (keys("P").await, keys("T").await);
        let by = async |inventory_keys: Value| event(&hall.x, "COUNT_STARTED", json!({ "session_key": session, "inventory_keys": inventory_keys })).await;
        let record = text(&by(json!(units)).await.detail()["count_record_key"]);
        assert_eq!(hall.record(&record).await["system_qt"], 2);
        let stopped = event(&hall.x, "COUNT_CANCELED", json!({ "count_key": record, "inventory_keys": units })).await.detail();
        assert_eq!(stopped["count_record_key"], record);
        let record = text(&by(json!([units[0]])).await.detail()["count_record_key"]);
        assert_eq!(hall.record(&record).await["system_qt"], 2, "always the whole pair");
        assert_eq!(by(json!([goods[0], units[0]])).await.status, 422, "of one pair only");
        unknown(by(json!(["0000000000001"])).await, "inventory_keys");
        assert_eq!(by(json!([])).await.status, 422);
        let both = json!({ "session_key": session, "inventory_keys": goods, "product_key": "P", "position_key": "A1" });
        assert_eq!(event(&hall.x, "COUNT_STARTED", both).await.status, 422, "one or the other");
        assert_eq!(event(&hall.x, "COUNT_STARTED", json!({ "session_key": session, "product_key": "P" })).await.status, 422);
        let wish = |key: &str, position: &str| json!({ "session_key": session, "product_key": "P", "position_key": position, "count_key": key });
        let told = event(&hall.x, "COUNT_STARTED", wish("0000000000abc", "A1")).await.detail();
        assert_eq!(told["count_record_key"], "0000000000abc");
        assert!([409, 422].contains(&event(&hall.x, "COUNT_STARTED", wish("0000000000abc", "A2")).await.status), "it is taken");
        for wrong in ["my own", "0000000000aBC", "v000000000000", "7vvvvvvvvvvvv"] {
            let told = event(&hall.x, "COUNT_STARTED", wish(wrong, "A2")).await.expect(422);
            let fault = &told.body["detail"][0];
            assert_eq!((&fault["loc"], &fault["input"]), (&json!(["body", "count_key"]), &json!(wrong)), "{wrong}");
        }
        audit(site, hall.keeper()).await;
    }

    async fn not_everything_can_be_counted(site) {
        let hall = hall(site).await;
        let session = hall.started().await;
        for position in ["OUT", "NULL"] {
            let told = refusal(begin(&hall.x, &session, "P", position).await, "position_not_countable");
            assert_eq!(told["position_key"], position);
        }
        hall.keeper().delete("/position/A2").await.expect(200);
        refusal(begin(&hall.x, &session, "P", "A2").await, "position_not_countable");
        refusal(empty(&hall.x, &session, "OUT").await, "position_not_countable");
        unknown(begin(&hall.x, &session, "P", "nowhere").await, "position_key");
        unknown(begin(&hall.x, &session, "nothing", "A1").await, "product_key");
        unknown(begin(&hall.x, "0000000000001", "P", "A1").await, "count_session_key");
        unknown(empty(&hall.x, &session, "nowhere").await, "position_key");
        refused(discard(hall.keeper(), "0000000000001").await, "RecordNotFoundError");
        make(hall.keeper(), "dealer", "OUT").await;
        begin(&hall.x, &session, "P", "dealer").await.expect(200);
    }

    async fn what_another_session_corrects_is_locked(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        let first = hall.started().await;
        keep_from_applying(site, &first).await;
        count(&hall.x, &first, "P", "A1", json!(4)).await;
        hall.step(&first, "COMPLETED").await.expect(200);
        hall.step(&first, "CONFIRMED").await.expect(200);
        let second = hall.started().await;
        let told = depot::refusal(begin(&hall.x, &second, "P", "A1").await, "locked");
        assert_eq!(told["count_session_key"], first);
        let told = depot::refusal(empty(&hall.x, &second, "A1").await, "locked");
        assert_eq!(told["count_session_key"], first);
        let told = depot::refusal(hall.depot.moves("shipment", json!({ "product_key": "P", "position_from": "A1", "qt_confirmed": 1 })).await, "locked");
        assert_eq!(told["count_session_key"], first);
        let row = hall.depot.get("/inventory?product_key=P").await[0].clone();
        assert_eq!((&row["counting"], &row["locked"]), (&json!(false), &json!(true)));
        assert_eq!(hall.keeper().get("/inventory/verify").await.body["ok"], true, "it is no stale mark");
        let told = hall.keeper().delete("/position/A1").await.expect(400);
        assert_eq!(told.body["detail"]["counts"], 1);
        let_go(site).await;
        applied(site, hall.keeper(), &first).await;
        begin(&hall.x, &second, "P", "A1").await.expect(200);
        audit(site, hall.keeper()).await;
    }

    async fn a_box_moves_while_it_is_counted(site) {
        let hall = hall(site).await;
        let carrier = json!({ "_key": "box", "code": "box", "parent_position_key": "A1", "fixed": false });
        hall.keeper().post("/position", carrier).await.expect(200);
        hall.depot.received("box", 4.0).await;
        let session = hall.started().await;
        let record = begun(&hall.x, &session, "P", "box").await;
        hall.depot.moved("transfer", json!({ "position_from": "box", "position_to": "A2" })).await;
        complete(&hall.x, &record, json!(3)).await.expect(200);
        assert_eq!(hall.record(&record).await["position_path"], json!(["A", "A2", "box"]));
        hall.apply(site, &session).await;
        assert_eq!(hall.depot.stock("P").await, json!([["box", 3]]));
        audit(site, hall.keeper()).await;
    }

    async fn records_are_found_by_each_filter(site) {
        let hall = hall(site).await;
        let y = counter(site, "y").await;
        let targets = json!([{ "targets": [{ "target_key": "A1", "include_children": false }] }]);
        let session = hall.planned_for(json!({}), targets).await;
        hall.step(&session, "STARTED").await.expect(200);
        let assignment = text(&hall.depot.get(ASSIGNMENTS).await[0]["_key"]);
        let members = json!({ "session_key": session, "product_key": "T", "position_key": "A1", "assignment_key": assignment });
        let open = text(&event(&hall.x, "COUNT_STARTED", members).await.detail()["count_record_key"]);
        let mine = count(&hall.x, &session, "P", "A1", json!(1)).await;
        let theirs = count(&y, &session, "P", "A2", json!(1)).await;
        let away = count(&y, &session, "T", "IN", json!([])).await;
        discard(hall.keeper(), &away).await.expect(200);
        let other = hall.started().await;
        let elsewhere = count(&hall.x, &other, "P", "IN", json!(0)).await;
        let all = [&mine, &open, &theirs, &elsewhere, &away].map(Clone::clone);
        assert_eq!(found(&hall, "").await, all, "by position, product and key");
        assert_eq!(found(&hall, &format!("count_session_key={other}")).await, [elsewhere.as_str()]);
        assert_eq!(found(&hall, &format!("user_key={}", y.key)).await, [theirs.clone(), away.clone()]);
        assert_eq!(found(&hall, &format!("assignment_key={assignment}")).await, [open.as_str()]);
        assert_eq!(found(&hall, "product_key=T").await, [open.clone(), away.clone()]);
        assert_eq!(found(&hall, "position_key=A1").await, [mine.clone(), open.clone()]);
        assert_eq!(found(&hall, "include_started=false").await, [&mine, &theirs, &elsewhere, &away].map(Clone::clone));
        assert_eq!(found(&hall, "include_completed=false").await, [open.clone(), away.clone()]);
        assert_eq!(found(&hall, "include_discarded=false&product_key=T").await, [open.as_str()]);
        assert_eq!(found(&hall, "limit=2&offset=1").await, all[1..3]);
        assert_eq!(hall.keeper().get(&format!("{RECORDS}?limit=1&count=true")).await.header("x-total-count"), "5");
        hall.keeper().get(&format!("{RECORDS}?include_started=perhaps")).await.expect(422);
        hall.apply(site, &other).await;
        assert_eq!(found(&hall, &format!("include_completed=false&count_session_key={other}")).await, Vec::<String>::new(), "confirmed ones are among them");
        let told = event(&hall.x, "COUNT_CANCELED", json!({ "count_key": open })).await;
        told.expect(200);
        assert_eq!(found(&hall, "include_started=false").await.len(), 4);
    }

    async fn the_journal_tells_what_was_counted(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        let session = hall.started().await;
        count(&hall.x, &session, "P", "A1", json!(4)).await;
        hall.apply(site, &session).await;
        let told = hall.depot.get("/event?sort_by=seq&sorting_order=asc&limit=1000").await;
        let types: Vec<String> = each(&told, "event_type").into_iter().filter(|name| name.starts_with("COUNT_")).collect();
        assert_eq!(types, [
            "COUNT_SESSION_STARTED", "COUNT_STARTED", "COUNT_COMPLETED", "COUNT_SESSION_COMPLETED", "COUNT_SESSION_CONFIRMED", "COUNT_APPLIED",
            "COUNT_SESSION_APPLIED",
        ]);
        assert_eq!(hall.depot.admin.get("/event/verify").await.detail()["ok"], true);
    }
}
