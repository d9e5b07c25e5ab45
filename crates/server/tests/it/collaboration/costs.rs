//! What lists and events cost does not grow by accident.

use testkit::on_both_engines;

use super::*;

on_both_engines! {
    async fn lists_cost_few_statements(site) {
        let team = team(site).await;
        team.fields().await;
        let form = json!([{ "_key": "w", "custom_field_key": "weight" }]);
        let issue_type = team.issue_type("Scratch", json!({ "form_template": form })).await;
        let task_type = team.task_type("Repair", json!({ "form_fields": form })).await;
        let order = team.order("A").await;
        let assigned = json!([{ "user_key": team.ann.key, "role": "owner" }]);
        let bulk = |event_type: &str, row: Value| json!({ "shared_data": { "event_type": event_type }, "events": vec![row; 50] });
        let tasks = bulk("TASK_CREATED", json!({ "task_type_key": task_type, "title": "Mend", "assigned_to": assigned }));
        team.ann.post("/event/bulk", tasks).await.expect(200);
        let links = json!([link("work_order", &order.key), link("job", &order.jobs[0]), link("product", "A")]);
        let data = json!({ "issue_type_key": issue_type, "linked_to": links });
        team.ann.post("/event/bulk", bulk("ISSUE_CREATED", json!({ "issue_data": data }))).await.expect(200);
        let recipient = format!("WorkOrder/{}", order.key);
        for number in 0..5 {
            said(&team.ann, &recipient, &number.to_string()).await;
        }
        site.sealed().await;
        let [weight, _] = filters("AND", &[("weight", json!({ "min": 0 }))]);
        let ann = team.ann.key.as_str();
        let all = [
            ("status_open", "true"), ("search", "mend"), ("assigned_to", ann), ("task_type_key", task_type.as_str()),
            ("advanced_filters", weight.as_str()), ("count", "true"),
        ];
        for (path, query, most) in [
            ("/task", vec![("count", "true")], 8),
            ("/task", all.to_vec(), 10),
            ("/issue", vec![("count", "true")], 10),
            ("/issue", vec![("with_links", "true")], 20),
            ("/message", vec![("recipient_id", recipient.as_str()), ("count", "true")], 8),
            ("/task-type", vec![("count", "true")], 8),
            ("/issue-type", vec![("count", "true")], 8),
        ] {
            let (statements, answer) = site.statements(team.ask(path, &query)).await;
            answer.expect(200);
            assert!(statements <= most, "GET {path} {query:?} took {statements} statements");
        }
        let (few, _) = site.statements(team.ask("/task", &[("limit", "1")])).await;
        let (many, _) = site.statements(team.ask("/task", &[("limit", "50")])).await;
        assert!(many <= few, "{many} statements for fifty tasks, {few} for one");
        let (few, _) = site.statements(team.ask("/issue", &[("limit", "1"), ("with_links", "true")])).await;
        let (many, _) = site.statements(team.ask("/issue", &[("limit", "50"), ("with_links", "true")])).await;
        assert!(many <= few, "{many} statements for fifty issues, {few} for one");
    }

    /// However many orders and jobs a critical issue is about, they are settled together.
    async fn critical_issues_about_many_cost_little_more(site) {
        let team = team(site).await;
        let mut links = Vec::new();
        for number in 0..8 {
            let order = team.order(&format!("O{number}")).await;
            links.extend([link("work_order", &order.key), link("job", &order.jobs[0])]);
        }
        let cost = async |critical: bool| {
            site.sealed().await;
            let data = json!({ "critical": critical, "linked_to": links });
            let (statements, answer) = site.statements(issue(&team.ann, "CREATED", data)).await;
            answer.expect(200);
            statements
        };
        let calm = cost(false).await;
        let pressing = cost(true).await;
        assert!(pressing <= calm + 8, "{pressing} statements, {calm} for one that is not critical");
        critical_is_true(&team).await;
    }

    async fn events_stay_within_their_statements(site) {
        let team = team(site).await;
        team.fields().await;
        let form = json!([{ "_key": "w", "custom_field_key": "weight" }, { "_key": "g", "custom_field_key": "grade" }]);
        let kind = team.task_type("Repair", json!({ "form_fields": form })).await;
        let key = team.task(&kind, json!({})).await;
        let order = team.order("A").await;
        let links = json!([link("work_order", &order.key), link("job", &order.jobs[0])]);
        let issue_key = team.issue(json!({ "critical": true, "linked_to": links })).await;
        let assigned = json!([{ "user_key": team.ann.key, "role": "owner" }, { "user_key": team.ben.key }]);
        let full = json!({ "task_key": key, "title": "x", "assigned_to": assigned, "form_fields": values(&[("w", json!(1)), ("g", json!("g1"))]) });
        let recipient = format!("Issue/{issue_key}");
        for (event_type, members, most) in [
            ("TASK_UPDATED", json!({ "task_key": key, "title": "y" }), 26),
            ("TASK_UPDATED", full, 34),
            ("TASK_CREATED", json!({ "task_type_key": kind }), 32),
            ("TASK_COMPLETED", json!({ "task_key": key }), 28),
            ("ISSUE_UPDATED", json!({ "issue_data": { "_key": issue_key, "critical": false } }), 34),
            ("MESSAGE_POSTED", json!({ "recipient": recipient, "content": "x" }), 20),
        ] {
            let (statements, answer) = site.statements(event(&team.ann, event_type, members)).await;
            answer.expect(200);
            assert!(statements <= most, "{event_type} took {statements} statements");
        }
    }
}
