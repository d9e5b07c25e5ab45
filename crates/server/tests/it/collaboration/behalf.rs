//! Issues, messages and tasks that somebody sends in the name of who made them.

use testkit::on_both_engines;

use super::*;

const BEHALF: &str = "traceability:event:behalf";

on_both_engines! {
    async fn what_is_sent_for_a_user_is_theirs(site) {
        let team = team(site).await;
        let gateway = site.user("gateway", &format!("operator {BEHALF}")).await;
        let issue_type = team.issue_type("Scratch", json!({})).await;
        let kind = team.task_type("Repair", json!({})).await;
        let by = |members: Value| with(members, json!({ "user_key": team.ben.key }));
        let made = event(&gateway, "ISSUE_CREATED", by(json!({ "issue_data": { "issue_type_key": issue_type } }))).await.detail();
        let issue_key = text(&made["issue_key"]);
        event(&gateway, "ISSUE_CLOSED", by(json!({ "issue_data": { "_key": issue_key } }))).await.expect(200);
        let read = team.read_issue(&issue_key).await;
        assert_eq!((&read["created_by"], &read["closed_by"]), (&json!(team.ben.key), &json!(team.ben.key)));
        let stored = team.stored(&made).await;
        assert_eq!((&stored["user_key"], &stored["sent_by"]), (&json!(team.ben.key), &json!(gateway.key)));

        let task_key = text(&create(&gateway, &kind, by(json!({}))).await.detail()["task_key"]);
        let time = by(json!({ "start": "2026-02-01T08:00:00Z", "end": "2026-02-01T08:00:01Z" }));
        task(&gateway, "TIME_RECORDED", &task_key, time).await.expect(200);
        task(&gateway, "COMPLETED", &task_key, by(json!({}))).await.expect(200);
        let read = team.read_task(&task_key).await;
        assert_eq!((&read["created_by"], &read["closed_by"]), (&json!(team.ben.key), &json!(team.ben.key)));
        assert_eq!(read["time_spent"], json!([{ "user_key": team.ben.key, "duration": 1_000 }]));

        let recipient = format!("User/{}", team.ann.key);
        let post = |sender: &str| by(json!({ "recipient": recipient, "content": "hello", "sender": sender }));
        rule(event(&gateway, "MESSAGE_POSTED", post(&gateway.key)).await, "MessageNotPostedError", "wrong_sender");
        let key = text(&event(&gateway, "MESSAGE_POSTED", post(&team.ben.key)).await.detail()["message_key"]);
        let rows = team.ann.get(&format!("/message?recipient_id={recipient}")).await.expect(200).body;
        assert_eq!(rows[0]["_from"], format!("User/{}", team.ben.key));
        assert_eq!(gateway.get(&format!("/message?recipient_id={recipient}")).await.expect(200).body, json!([]), "who carries it does not read it");
        rule(event(&gateway, "MESSAGE_UPDATED", json!({ "message_key": key, "content": "x" })).await, "MessageNotUpdatedError", "not_sender");
        event(&gateway, "MESSAGE_UPDATED", by(json!({ "message_key": key, "content": "x" }))).await.expect(200);
        lacks(event(&team.ann, "ISSUE_CREATED", by(json!({ "issue_data": {} }))).await, BEHALF);
    }

    /// `created_by` and `closed_by` name somebody else only by the same right.
    async fn a_task_is_made_and_closed_by_another(site) {
        let team = team(site).await;
        let gateway = site.user("gateway", &format!("operator {BEHALF}")).await;
        let kind = team.task_type("Repair", json!({})).await;
        let made_by = |user: &str| json!({ "created_by": user });
        lacks(create(&team.ann, &kind, made_by(&team.ben.key)).await, BEHALF);
        create(&team.ann, &kind, made_by(&team.ann.key)).await.expect(200);
        nobody(create(&gateway, &kind, made_by("nobody")).await, "nobody");
        let key = text(&create(&gateway, &kind, made_by(&team.ben.key)).await.detail()["task_key"]);
        let closed_by = |user: &str| json!({ "closed_by": user });
        lacks(task(&team.ann, "COMPLETED", &key, closed_by(&team.ben.key)).await, BEHALF);
        nobody(task(&gateway, "COMPLETED", &key, closed_by("nobody")).await, "nobody");
        task(&gateway, "COMPLETED", &key, closed_by(&team.cat.key)).await.expect(200);
        let read = team.read_task(&key).await;
        assert_eq!((&read["created_by"], &read["closed_by"]), (&json!(team.ben.key), &json!(team.cat.key)));
        let stored = team.get(&format!("/event?task_key={key}&sort_by=seq&sorting_order=asc")).await;
        assert_eq!(each(&stored, "user_key"), [gateway.key.clone(), gateway.key.clone()], "the events are who sent them");
    }

    /// What an event needs by right both must have.
    async fn neither_lends_the_right_to_delete(site) {
        let team = team(site).await;
        let quality = site.user("quality", "quality").await;
        let gateway = site.user("gateway", &format!("operator {BEHALF}")).await;
        let boss = site.user("boss", &format!("quality {BEHALF}")).await;
        let key = team.issue(json!({})).await;
        let delete = |user: &str| json!({ "issue_data": { "_key": key }, "user_key": user });
        for (who, user) in [(&gateway, &quality), (&boss, &team.ann)] {
            lacks(event(who, "ISSUE_DELETED", delete(&user.key)).await, "collaboration:issue:delete");
        }
        event(&boss, "ISSUE_DELETED", delete(&quality.key)).await.expect(200);
    }
}
