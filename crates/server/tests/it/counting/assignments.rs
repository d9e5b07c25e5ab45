//! Who counts what: targets are planned, found, taken up and ended.

use testkit::on_both_engines;

use super::*;
use crate::serials::unknown;

fn target(session: &str, key: &str) -> Value {
    json!({ "inventory_count_session_key": session, "target_key": key })
}

/// Adds a target; the assignment's key.
async fn assign(hall: &Hall, session: &str, key: &str, members: Value) -> String {
    let mut row = target(session, key);
    row.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    hall.keeper().post(ASSIGNMENTS, json!([row])).await.expect(200);
    let rows = hall.depot.get(&format!("{ASSIGNMENTS}?inventory_count_session_key={session}&limit=10000")).await;
    let fits = |row: &&Value| row["target_key"] == key && row["status"] == "planned";
    text(&rows.as_array().unwrap().iter().rfind(fits).unwrap()["_key"])
}

async fn targets(hall: &Hall, query: &str) -> Vec<String> {
    each(&hall.depot.get(&format!("{ASSIGNMENTS}?{query}")).await, "target_key")
}

async fn begin_for(who: &Person, session: &str, assignment: &str, position: &str) -> Answer {
    let members =
        json!({ "session_key": session, "assignment_key": assignment, "product_key": "P", "position_key": position });
    event(who, "COUNT_STARTED", members).await
}

async fn step(who: &Person, assignment: &str, step: &str) -> Answer {
    event(who, &format!("ASSIGNMENT_{step}"), json!({ "assignment_key": assignment })).await
}

on_both_engines! {
    async fn targets_come_with_a_session_and_later(site) {
        let hall = hall(site).await;
        let (x, me) = (hall.x.key.clone(), hall.keeper().key.clone());
        let assignments = json!([
            { "user_key": x, "targets": [{ "target_key": "A2", "include_children": false }, { "target_key": "A", "include_children": true }] },
            { "targets": [{ "target_key": "A1", "include_children": false }] },
        ]);
        let session = hall.planned_for(json!({}), assignments).await;
        let shown = hall.read(&session).await["assignments"].clone();
        let of = |user: &str| -> Vec<Value> {
            let row = |row: &Value| json!([row["target_key"], row["status"], row["target_data"]["code"], row["include_children"]]);
            let mut rows: Vec<Value> = shown[user].as_array().unwrap().iter().map(row).collect();
            rows.sort_by_key(Value::to_string);
            rows
        };
        assert_eq!(of(&x), [json!(["A", "planned", "A", true]), json!(["A2", "planned", "A2", false])]);
        assert_eq!(of(""), [json!(["A1", "planned", "A1", false])]);
        let more = json!([
            { "inventory_count_session_key": session, "target_key": "IN", "target_type": "position", "assigned_to": x,
              "include_children": true, "notes": "all", "extra": { "a": 1 } },
        ]);
        assert_eq!(hall.keeper().post(ASSIGNMENTS, more).await.detail(), json!({ "assignment_count": 1 }));
        let rows = hall.depot.get(&format!("{ASSIGNMENTS}?position_key=IN")).await;
        let row = &rows[0];
        assert_eq!((&row["inventory_count_session_key"], &row["target_type"], &row["target_key"]), (&json!(session), &json!("position"), &json!("IN")));
        assert_eq!((&row["assigned_to"], &row["include_children"], &row["notes"]), (&json!(x), &json!(true), &json!("all")));
        assert_eq!((&row["extra"], &row["created"], &row["created_by"]), (&json!({ "a": 1 }), &json!(site.clock.now()), &json!(me)));
        assert_eq!((&row["status"], &row["started"], &row["completed"]), (&json!("planned"), &Value::Null, &Value::Null));
        assert_eq!(row["target_data"]["code"], "IN");
        hall.step(&session, "STARTED").await.expect(200);
        hall.keeper().post(ASSIGNMENTS, json!([target(&session, "A1")])).await.expect(200);
    }

    async fn wrong_targets_are_all_named(site) {
        let hall = hall(site).await;
        let assignments = json!([
            { "user_key": "nobody", "targets": [{ "target_key": "A1", "include_children": false }, { "target_key": "lost", "include_children": false }] },
            { "targets": [] },
        ]);
        let told = hall.makes(json!({ "type": "position" }), assignments).await.expect(400);
        assert_eq!(told.body["detail"]["errors"].as_array().unwrap().len(), 3, "{}", told.text);
        assert!(told.body["detail"]["message"].is_string());
        assert_eq!(site.count("count_session").await, 0);
        let session = hall.planned(json!({})).await;
        hall.keeper().post(ASSIGNMENTS, json!([])).await.expect(400);
        let mut bad = target(&session, "A1");
        bad["assigned_to"] = json!("nobody");
        hall.keeper().post(ASSIGNMENTS, json!([target(&session, "A1"), bad, target(&session, "lost")])).await.expect(400);
        hall.keeper().post(ASSIGNMENTS, json!([target("0000000000001", "A1")])).await.expect(404);
        let mut other = target(&session, "P");
        other["target_type"] = json!("product");
        assert!([400, 422].contains(&hall.keeper().post(ASSIGNMENTS, json!([other])).await.status), "the session is of positions");
        assert_eq!(site.count("count_assignment").await, 0);
        hall.keeper().delete("/position/A2").await.expect(200);
        hall.keeper().post(ASSIGNMENTS, json!([target(&session, "A2")])).await.expect(400);
    }

    async fn targets_are_found_by_each_filter(site) {
        let hall = hall(site).await;
        let positions = hall.planned(json!({})).await;
        let products = hall.planned(json!({ "type": "product" })).await;
        assign(&hall, &positions, "A2", json!({ "assigned_to": hall.x.key })).await;
        assign(&hall, &positions, "A1", json!({})).await;
        assign(&hall, &products, "T", json!({})).await;
        assign(&hall, &products, "P", json!({ "assigned_to": hall.x.key })).await;
        let x = &hall.x.key;
        assert_eq!(targets(&hall, &format!("inventory_count_session_key={positions}")).await, ["A1", "A2"]);
        assert_eq!(targets(&hall, "assignment_type=product").await, ["P", "T"]);
        assert_eq!(targets(&hall, "product_key=T").await, ["T"]);
        assert_eq!(targets(&hall, "product_search=p*").await, ["P"]);
        assert_eq!(targets(&hall, "position_key=A2").await, ["A2"]);
        assert_eq!(targets(&hall, "position_search=*2").await, ["A2"]);
        assert_eq!(targets(&hall, &format!("assigned_to={x}&order_by=product")).await, ["P", "A2"]);
        assert_eq!(targets(&hall, &format!("assigned_to={x}&order_by=position")).await, ["A2", "P"]);
        assert_eq!(targets(&hall, "status=started").await, Vec::<String>::new());
        assert_eq!(targets(&hall, "limit=1&offset=1&assignment_type=position").await, ["A2"]);
        assert_eq!(hall.keeper().get(&format!("{ASSIGNMENTS}?limit=1&count=true")).await.header("x-total-count"), "4");
        hall.keeper().get(&format!("{ASSIGNMENTS}?order_by=user")).await.expect(422);
    }

    async fn targets_are_taken_away_all_or_none(site) {
        let hall = hall(site).await;
        let session = hall.planned(json!({})).await;
        let keys = [assign(&hall, &session, "A1", json!({})).await, assign(&hall, &session, "A2", json!({})).await, assign(&hall, &session, "A", json!({})).await];
        hall.step(&session, "STARTED").await.expect(200);
        step(&hall.x, &keys[2], "STARTED").await.expect(200);
        let away = async |keys: Value| {
            let request = hall.keeper().request(Method::DELETE, ASSIGNMENTS).json(&json!({ "assignment_keys": keys }));
            hall.keeper().send(request).await
        };
        away(json!([])).await.expect(400);
        away(json!([keys[0], "0000000000001"])).await.expect(400);
        away(json!([keys[0], keys[2]])).await.expect(400);
        assert_eq!(targets(&hall, "status=canceled").await, Vec::<String>::new());
        assert_eq!(away(json!([keys[0], keys[1]])).await.detail(), json!({ "assignment_count": 2 }));
        assert_eq!(targets(&hall, "status=canceled").await, ["A1", "A2"]);
        away(json!([keys[0]])).await.expect(400);
        let left = hall.read(&session).await["assignments"].clone();
        assert_eq!(each(&left[""], "target_key"), ["A"], "canceled ones are not shown");
        wrong_state(begin_for(&hall.x, &session, &keys[0], "A1").await, "canceled");
        wrong_state(step(&hall.x, &keys[0], "STARTED").await, "canceled");
    }

    async fn an_assignment_is_taken_up_and_ended(site) {
        let hall = hall(site).await;
        let y = counter(site, "y").await;
        let session = hall.planned(json!({})).await;
        let mine = assign(&hall, &session, "A", json!({ "assigned_to": hall.x.key, "include_children": true })).await;
        let free = assign(&hall, &session, "A2", json!({})).await;
        let exact = assign(&hall, &session, "IN", json!({})).await;
        wrong_state(step(&hall.x, &mine, "STARTED").await, "planned");
        hall.step(&session, "STARTED").await.expect(200);
        refusal(step(&y, &mine, "STARTED").await, "other_user");
        refusal(begin_for(&y, &session, &mine, "A1").await, "other_user");
        refusal(begin_for(&hall.x, &session, &mine, "IN").await, "not_in_assignment");
        refusal(begin_for(&hall.x, &session, &exact, "A1").await, "not_in_assignment");
        unknown(step(&y, "0000000000001", "STARTED").await, "assignment_key");
        wrong_state(step(&hall.x, &mine, "COMPLETED").await, "planned");
        // A count takes it up.
        site.clock.advance_seconds(5);
        let record = text(&begin_for(&hall.x, &session, &mine, "A1").await.detail()["count_record_key"]);
        let row = hall.depot.get(&format!("{ASSIGNMENTS}?assigned_to={}", hall.x.key)).await[0].clone();
        assert_eq!((&row["status"], &row["started"]), (&json!("started"), &json!(site.clock.now())));
        assert_eq!(hall.record(&record).await["assignment_key"], mine);
        let told = refusal(step(&hall.x, &mine, "COMPLETED").await, "records_open");
        assert_eq!(told["count_record_keys"], json!([record]));
        refusal(step(&y, &mine, "COMPLETED").await, "other_user");
        complete(&hall.x, &record, json!(0)).await.expect(200);
        let told = step(&hall.x, &mine, "COMPLETED").await.detail();
        assert_eq!((&told["assignment_key"], &told["status"]), (&json!(mine), &json!("completed")));
        wrong_state(step(&hall.x, &mine, "COMPLETED").await, "completed");
        wrong_state(begin_for(&hall.x, &session, &mine, "A1").await, "completed");
        let told = step(&y, &free, "STARTED").await.detail();
        assert_eq!((&told["assignment_key"], &told["status"]), (&json!(free), &json!("started")));
        wrong_state(step(&y, &free, "STARTED").await, "started");
        step(&hall.x, &free, "COMPLETED").await.expect(200);
        // Targets plan, they do not limit.
        count(&y, &session, "T", "IN", json!([])).await;
        audit(site, hall.keeper()).await;
    }

    async fn assignments_end_with_their_session(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        let states = async |session: &str| {
            let rows = hall.depot.get(&format!("{ASSIGNMENTS}?inventory_count_session_key={session}")).await;
            each(&rows, "status")
        };
        for (last, wanted) in [("APPLIED", ["completed", "canceled"]), ("CANCELED", ["canceled", "canceled"])] {
            let session = hall.started().await;
            let begun = assign(&hall, &session, "A1", json!({})).await;
            assign(&hall, &session, "A2", json!({})).await;
            step(&hall.x, &begun, "STARTED").await.expect(200);
            if last == "APPLIED" {
                count(&hall.x, &session, "P", "A1", json!(4)).await;
                hall.apply(site, &session).await;
            } else {
                hall.step(&session, last).await.expect(200);
            }
            assert_eq!(states(&session).await, wanted, "{last}");
        }
        let session = hall.started().await;
        assign(&hall, &session, "A1", json!({})).await;
        hall.depot.admin.delete("/reset/inventory").await.expect(200);
        assert_eq!(states(&session).await, ["canceled"]);
    }

    async fn a_product_is_a_target_wherever_it_lies(site) {
        let hall = hall(site).await;
        let session = hall.planned(json!({ "type": "product" })).await;
        let goods = assign(&hall, &session, "P", json!({})).await;
        let units = assign(&hall, &session, "T", json!({})).await;
        hall.step(&session, "STARTED").await.expect(200);
        begin_for(&hall.x, &session, &goods, "A1").await.expect(200);
        begin_for(&hall.x, &session, &goods, "IN").await.expect(200);
        refusal(begin_for(&hall.x, &session, &units, "A2").await, "not_in_assignment");
    }
}
