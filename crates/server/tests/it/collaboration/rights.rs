//! Who may do what: types, events and reads.

use testkit::on_both_engines;

use super::*;

on_both_engines! {
    async fn types_are_written_by_those_who_answer_for_them(site) {
        let team = team(site).await;
        let (quality, production) = (site.user("quality", "quality").await, site.user("production", "production").await);
        let issue_type = text(&quality.post(ISSUE_TYPES, json!({ "name": "Scratch" })).await.expect(201).detail()["_key"]);
        let issue_path = format!("{ISSUE_TYPES}/{issue_type}");
        for who in [&production, &team.ann] {
            lacks(who.post(ISSUE_TYPES, json!({ "name": "x" })).await, "collaboration:issue-type:write");
            lacks(who.patch(&issue_path, json!({ "name": "x" })).await, "collaboration:issue-type:write");
            lacks(who.delete(&issue_path).await, "collaboration:issue-type:write");
            who.get(ISSUE_TYPES).await.expect(200);
        }
        quality.patch(&issue_path, json!({ "name": "Scrape" })).await.expect(200);
        quality.delete(&issue_path).await.expect(200);
        for who in [&quality, &production] {
            let key = text(&who.post(TASK_TYPES, json!({ "name": "Repair" })).await.expect(201).detail()["_key"]);
            let path = format!("{TASK_TYPES}/{key}");
            lacks(team.ann.post(TASK_TYPES, json!({ "name": "x" })).await, "collaboration:task-type:write");
            lacks(team.ann.put(&path, json!({ "name": "x" })).await, "collaboration:task-type:write");
            lacks(team.ann.delete(&path).await, "collaboration:task-type:write");
            who.put(&path, json!({ "name": "Mend" })).await.expect(200);
            who.delete(&path).await.expect(200);
        }
    }

    async fn each_read_needs_its_right(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let (task_key, issue_key) = (team.task(&kind, json!({})).await, team.issue(json!({})).await);
        let reads = [
            ("/issue".to_owned(), "collaboration:issue:read"),
            (format!("/issue/{issue_key}"), "collaboration:issue:read"),
            ("/issue-type".to_owned(), "collaboration:issue-type:read"),
            (format!("/message?recipient_id=Issue/{issue_key}"), "collaboration:message:read"),
            ("/task".to_owned(), "collaboration:task:read"),
            (format!("/task/{task_key}"), "collaboration:task:read"),
            ("/task-type".to_owned(), "collaboration:task-type:read"),
        ];
        let nobody = site.user("nobody", "traceability:event:create").await;
        let viewer = site.user("viewer", "viewer").await;
        for (path, scope) in &reads {
            lacks(nobody.get(path).await, scope);
            viewer.get(path).await.expect(200);
            site.api_token(&team.admin, scope).await.get(path).await.expect(200);
        }
        lacks(issue(&viewer, "CREATED", json!({})).await, "traceability:event:create");
        lacks(create(&viewer, &kind, json!({})).await, "traceability:event:create");
        lacks(say(&viewer, &format!("Issue/{issue_key}"), "x").await, "traceability:event:create");
    }

    /// Whoever may send events may send all of these but one.
    async fn events_need_little(site) {
        let team = team(site).await;
        let issue_type = team.issue_type("Scratch", json!({})).await;
        let task_type = team.linking_type("Repair").await;
        let sender = site.api_token(&team.ann, "traceability:event:create").await;
        let issue_key = text(&issue(&sender, "CREATED", json!({ "issue_type_key": issue_type })).await.detail()["issue_key"]);
        issue_step(&sender, "UPDATED", &issue_key, json!({ "title": "x" })).await.expect(200);
        let task_key = text(&create(&sender, &task_type, json!({})).await.detail()["task_key"]);
        task(&sender, "UPDATED", &task_key, json!({ "title": "x" })).await.expect(200);
        for step in ["LINKED", "UNLINKED"] {
            task_link(&sender, step, &task_key, "issue", &issue_key).await.expect(200);
        }
        let time = json!({ "start": "2026-02-01T08:00:00Z", "end": "2026-02-01T09:00:00Z" });
        task(&sender, "TIME_RECORDED", &task_key, time).await.expect(200);
        let message = said(&sender, &format!("Issue/{issue_key}"), "x").await;
        event(&sender, "MESSAGE_UPDATED", json!({ "message_key": message, "content": "y" })).await.expect(200);
        event(&sender, "MESSAGE_DELETED", json!({ "message_key": message })).await.expect(200);
        for step in ["COMPLETED", "SUSPENDED", "REOPENED", "CANCELED", "DELETED"] {
            task(&sender, step, &task_key, json!({})).await.expect(200);
        }
        for step in ["CLOSED", "REOPENED"] {
            issue_step(&sender, step, &issue_key, json!({})).await.expect(200);
        }
        lacks(issue_step(&sender, "DELETED", &issue_key, json!({})).await, "collaboration:issue:delete");
        let rows = json!([{ "issue_data": { "_key": issue_key } }]);
        let bulk = json!({ "shared_data": { "event_type": "ISSUE_DELETED" }, "events": rows });
        lacks(sender.post("/event/bulk", bulk).await, "collaboration:issue:delete");
        let quality = site.user("quality", "quality").await;
        issue_step(&quality, "DELETED", &issue_key, json!({})).await.expect(200);
    }
}
