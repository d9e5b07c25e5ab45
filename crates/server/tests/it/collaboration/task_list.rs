//! `GET /task`: each parameter alone, the order and pages. Parameters together are tested in `oracle`.

use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use testkit::on_both_engines;

use super::*;

fn owned_by(owner: &Person, others: &[&Person]) -> Value {
    let others = others.iter().map(|user| json!({ "user_key": user.key }));
    [json!({ "user_key": owner.key, "role": "owner" })].into_iter().chain(others).collect()
}

async fn found(team: &Team, query: &[(&str, &str)]) -> Vec<String> {
    team.titles("/task", query).await
}

on_both_engines! {
    /// Scenario 11.
    async fn flags_choose_statuses(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        for status in ["open", "pending", "completed", "canceled"] {
            team.task_in(&kind, status).await;
        }
        let flag = |name: &'static str, value: &'static str| (name, value);
        let none = ["status_open", "status_pending", "status_completed", "status_canceled"].map(|name| flag(name, "false"));
        for (query, titles) in [
            (vec![], vec!["canceled", "completed", "open", "pending"]),
            (vec![flag("status_open", "true")], vec!["open"]),
            (vec![flag("status_pending", "true")], vec!["pending"]),
            (vec![flag("status_completed", "true")], vec!["completed"]),
            (vec![flag("status_canceled", "true")], vec!["canceled"]),
            (vec![flag("status_open", "true"), flag("status_pending", "true")], vec!["open", "pending"]),
            (vec![flag("status_canceled", "false")], vec!["completed", "open", "pending"]),
            (vec![flag("status_open", "true"), flag("status_completed", "false")], vec!["open"]),
            (none.to_vec(), vec![]),
        ] {
            assert_eq!(found(&team, &query).await, titles, "{query:?}");
        }
    }

    /// Scenario 12.
    async fn tasks_of_users_and_days(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        team.task(&kind, json!({ "title": "t1", "assigned_to": owned_by(&team.ann, &[]), "due_by": "2026-03-09T15:00:00Z" })).await;
        team.task(&kind, json!({ "title": "t2", "assigned_to": owned_by(&team.ben, &[]) })).await;
        team.task(&kind, json!({ "title": "t3", "assigned_to": owned_by(&team.ann, &[&team.cat]), "due_by": "2026-03-08" })).await;
        let [ann, ben, cat] = [&team.ann, &team.ben, &team.cat].map(|user| user.key.as_str());
        for (query, titles) in [
            (vec![("assigned_to", ann), ("assigned_to", ben)], vec!["t1", "t2", "t3"]),
            (vec![("assigned_to", cat)], vec!["t3"]),
            (vec![("assigned_to", ann)], vec!["t1", "t3"]),
            (vec![("assigned_to", "nobody")], vec![]),
            (vec![("owner_key", ann)], vec!["t1", "t3"]),
            (vec![("owner_key", cat)], vec![]),
            (vec![("owner_key", ann), ("assigned_to", cat)], vec!["t3"]),
            (vec![("due_by_max", "2026-03-09")], vec!["t1", "t3"]),
            (vec![("due_by_max", "2026-03-08")], vec!["t3"]),
            (vec![("due_by_min", "2026-03-09")], vec!["t1"]),
            (vec![("due_by_min", "2026-03-08"), ("due_by_max", "2026-03-08")], vec!["t3"]),
            (vec![("due_by_max", "2026-03-09T15:00:00Z")], vec!["t1", "t3"]),
            (vec![("due_by_max", "2026-03-09T14:59:59.999Z")], vec!["t3"]),
            (vec![("due_by_min", "2026-03-09T15:00:00.001Z")], vec![]),
        ] {
            assert_eq!(found(&team, &query).await, titles, "{query:?}");
        }
        assert_eq!(team.listed("/task", &[]).await, ["t3", "t1", "t2"], "without a date last");
        // Who is no longer assigned has no task any more.
        let key = text(&team.get("/task?search=t3").await[0]["_key"]);
        task(&team.ann, "UPDATED", &key, json!({ "assigned_to": owned_by(&team.ben, &[]) })).await.expect(200);
        assert_eq!(found(&team, &[("assigned_to", cat)]).await, Vec::<String>::new());
        assert_eq!(found(&team, &[("owner_key", ben)]).await, ["t2", "t3"]);
    }

    /// Scenario 13.
    async fn values_are_searched_by_their_type(site) {
        let team = team(site).await;
        team.fields().await;
        let form = json!([
            { "_key": "n", "custom_field_key": "note" }, { "_key": "w", "custom_field_key": "weight" }, { "_key": "g", "custom_field_key": "grade" },
            { "_key": "t", "custom_field_key": "ticked" }, { "_key": "d", "custom_field_key": "day" },
        ]);
        let kind = team.task_type("Repair", json!({ "form_fields": form })).await;
        for (title, entries) in [
            ("a", [("n", json!("Dark red")), ("w", json!(1.5)), ("g", json!("g1")), ("t", json!(true)), ("d", json!("2026-01-05"))]),
            ("b", [("n", json!("red")), ("w", json!(-2)), ("g", json!("g2")), ("t", json!(false)), ("d", json!("2026-01-06"))]),
            ("c", [("n", json!("Blue")), ("w", json!(10)), ("g", json!(null)), ("t", json!(null)), ("d", json!("2026-02-01"))]),
        ] {
            let key = team.task(&kind, json!({ "title": title })).await;
            task(&team.ann, "UPDATED", &key, json!({ "form_fields": values(&entries) })).await.expect(200);
        }
        team.task(&kind, json!({ "title": "d" })).await;
        for (operator, sent, titles) in [
            ("AND", vec![("note", json!("RED"))], vec!["a", "b"]),
            ("AND", vec![("weight", json!(1.5))], vec!["a"]),
            ("AND", vec![("weight", json!({ "min": -2, "max": 1.5 }))], vec!["a", "b"]),
            ("AND", vec![("weight", json!({ "min": 2 }))], vec!["c"]),
            ("AND", vec![("grade", json!("FIRST"))], vec!["a"]),
            ("AND", vec![("grade", json!({ "_key": "g2" }))], vec!["b"]),
            ("AND", vec![("ticked", json!(true))], vec!["a"]),
            ("AND", vec![("day", json!({ "from": "2026-01-06", "to": "2026-02-01" }))], vec!["b", "c"]),
            ("AND", vec![("note", json!("red")), ("weight", json!({ "max": 0 }))], vec!["b"]),
            ("AND", [vec![("note", json!("red")); 99], vec![("weight", json!({ "max": 0 }))]].concat(), vec!["b"]),
            ("OR", vec![("note", json!("blue")), ("weight", json!({ "max": 0 }))], vec!["b", "c"]),
        ] {
            for sent in filters(operator, &sent) {
                assert_eq!(found(&team, &[("advanced_filters", &sent)]).await, titles, "{sent}");
            }
        }
        // Both alphabets of base64, with and without padding.
        let key = text(&team.get("/task?search=d").await[0]["_key"]);
        task(&team.ann, "UPDATED", &key, json!({ "form_fields": values(&[("n", json!("so??>~ÿÿ"))]) })).await.expect(200);
        let [plain, _] = filters("AND", &[("note", json!("??>~ÿÿ"))]);
        for sent in [STANDARD.encode(&plain), STANDARD_NO_PAD.encode(&plain), URL_SAFE.encode(&plain), URL_SAFE_NO_PAD.encode(&plain)] {
            assert_eq!(found(&team, &[("advanced_filters", &sent)]).await, ["d"], "{sent}");
        }
        let no_value = r#"{"operator": "AND", "filters": [{"_key": "note"}]}"#;
        for wrong in ["rubbish", "{}", "[1]", r#"{"operator": "NOT", "filters": []}"#, no_value, "e30="] {
            team.ask("/task", &[("advanced_filters", wrong)]).await.expect(422);
        }
    }

    async fn each_other_parameter_finds_what_it_names(site) {
        let team = team(site).await;
        team.traced("T").await;
        let (repair, clean) = (team.linking_type("Repair").await, team.task_type("Clean", json!({})).await);
        let order = team.order("A").await;
        let (unit, about) = (team.unit("T", "T-1", json!({})).await, team.issue(json!({})).await);
        let one = json!({ "title": "Pump", "code": "RE-1", "created": "2026-02-26T08:00:00Z", "start_from": "2026-03-02T10:00:00Z" });
        let two = json!({ "title": "Floor", "description": "below the PUMP", "code": "CL-1", "created": "2026-02-27T08:00:00Z" });
        let three = json!({ "title": "Valve", "code": "RE-2", "created": "2026-02-28T08:00:00Z" });
        let (one, two, three) = (team.task(&repair, one).await, team.task(&clean, two).await, team.task(&repair, three).await);
        for (kind, key) in [("issue", &about), ("work_order", &order.key), ("product", &"T".to_owned()), ("serial", &unit), ("task", &three)] {
            task_link(&team.ann, "LINKED", &one, kind, key).await.expect(200);
        }
        task(&team.ann, "COMPLETED", &two, json!({ "closed": "2026-02-28T09:00:00Z" })).await.expect(200);
        for (query, titles) in [
            (vec![("search", "pump")], vec!["Floor", "Pump"]),
            (vec![("search", "PUMP"), ("task_type_key", clean.as_str())], vec!["Floor"]),
            (vec![("search", "p*p")], vec![]),
            (vec![("code", "re")], vec!["Pump", "Valve"]),
            (vec![("code", "*-1")], vec!["Floor", "Pump"]),
            (vec![("code", "c*")], vec!["Floor"]),
            (vec![("code", "RE-?")], vec!["Pump", "Valve"]),
            (vec![("task_type_key", repair.as_str())], vec!["Pump", "Valve"]),
            (vec![("task_type_key", "nobody")], vec![]),
            (vec![("start_from_min", "2026-03-02")], vec!["Pump"]),
            (vec![("start_from_min", "2026-03-02T10:00:00.001Z")], vec![]),
            (vec![("start_from_max", "2026-03-02")], vec!["Pump"]),
            (vec![("start_from_max", "2026-03-02T09:59:59Z")], vec![]),
            (vec![("created_min", "2026-02-27")], vec!["Floor", "Valve"]),
            (vec![("created_max", "2026-02-27")], vec!["Floor", "Pump"]),
            (vec![("created_max", "2026-02-27T08:00:00Z")], vec!["Floor", "Pump"]),
            (vec![("created_max", "2026-02-27T07:59:59.999Z")], vec!["Pump"]),
            (vec![("closed_min", "2026-02-28")], vec!["Floor"]),
            (vec![("closed_min", "2026-03-01")], vec![]),
            (vec![("closed_max", "2026-02-28")], vec!["Floor"]),
            (vec![("closed_max", "2026-02-27")], vec![]),
            (vec![("issue_key", about.as_str())], vec!["Pump"]),
            (vec![("work_order_key", order.key.as_str())], vec!["Pump"]),
            (vec![("product_key", "T")], vec!["Pump"]),
            (vec![("product_key", "A")], vec![]),
            (vec![("serial_key", unit.as_str())], vec!["Pump"]),
            (vec![("linked_task_key", three.as_str())], vec!["Pump"]),
            (vec![("linked_task_key", one.as_str())], vec!["Valve"]),
            (vec![("linked_task_key", two.as_str())], vec![]),
            (vec![("issue_key", NOBODY)], vec![]),
            (vec![("issue_key", about.as_str()), ("product_key", "T"), ("code", "re")], vec!["Pump"]),
            (vec![("issue_key", about.as_str()), ("product_key", "A")], vec![]),
        ] {
            assert_eq!(found(&team, &query).await, titles, "{query:?}");
        }
        for wrong in [
            ("limit", "0"), ("limit", "10001"), ("offset", "-1"), ("status_open", "2"), ("due_by_min", "soon"), ("created_max", "2026-13-01"),
        ] {
            team.ask("/task", &[wrong]).await.expect(422);
        }
    }

    async fn the_order_is_by_four_dates_and_the_key(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let make = async |title: &str, due: Value, created: &str, start: Value, closed: Option<&str>| {
            let key = team.task(&kind, json!({ "title": title, "due_by": due, "created": created, "start_from": start })).await;
            if let Some(closed) = closed {
                task(&team.ann, "CANCELED", &key, json!({ "timestamp": closed })).await.expect(200);
            }
        };
        let (early, late) = ("2026-01-01", "2026-01-02");
        make("i", json!(null), late, json!(null), None).await;
        make("h", json!(null), early, json!(null), None).await;
        make("g", json!(late), early, json!(null), None).await;
        make("e", json!(late), early, json!(early), None).await;
        make("d", json!(late), early, json!(early), Some("2026-02-02T00:00:00Z")).await;
        make("c", json!(late), early, json!(early), Some("2026-02-01T00:00:00Z")).await;
        make("f", json!(late), early, json!(late), Some("2026-02-01T00:00:00Z")).await;
        make("b", json!(early), late, json!(null), None).await;
        make("a", json!(early), early, json!(null), None).await;
        make("j", json!(null), late, json!(null), None).await;
        let all = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        assert_eq!(team.listed("/task", &[]).await, all);
        let mut paged = Vec::new();
        for offset in ["0", "3", "6", "9", "12"] {
            paged.extend(team.listed("/task", &[("limit", "3"), ("offset", offset)]).await);
        }
        assert_eq!(paged, all, "pages neither overlap nor skip");
        let page = team.admin.get("/task?count=true&limit=2&status_canceled=true").await.expect(200);
        assert_eq!((page.header("x-total-count"), page.body.as_array().unwrap().len()), ("3", 2));
        assert_eq!(team.admin.get("/task").await.header("x-total-count"), "", "only where it is asked for");
    }

    async fn a_page_has_two_hundred_unless_told(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let bulk = json!({ "shared_data": { "event_type": "TASK_CREATED", "task_type_key": kind }, "events": vec![json!({}); 205] });
        team.ann.post("/event/bulk", bulk).await.expect(200);
        assert_eq!(team.get("/task").await.as_array().unwrap().len(), 200);
        assert_eq!(team.get("/task?offset=200").await.as_array().unwrap().len(), 5);
        assert_eq!(team.get("/task?limit=10000").await.as_array().unwrap().len(), 205);
    }
}
