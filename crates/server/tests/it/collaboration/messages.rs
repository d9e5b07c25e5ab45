//! Messages beside records and to users: who sends, changes and deletes them.

use domain::scope::Rights;
use testkit::on_both_engines;

use super::*;

async fn read(team: &Team, recipient: &str) -> Vec<Value> {
    team.get(&format!("/message?recipient_id={recipient}")).await.as_array().unwrap().clone()
}

async fn update(who: &Person, message: &str, content: &str) -> Answer {
    event(who, "MESSAGE_UPDATED", json!({ "message_key": message, "content": content })).await
}

async fn delete(who: &Person, message: &str) -> Answer {
    event(who, "MESSAGE_DELETED", json!({ "message_key": message })).await
}

/// Something of every kind that messages are sent to, with the member by which events name it.
async fn recipients(team: &Team) -> Vec<(String, &'static str)> {
    team.traced("T").await;
    let kind = team.task_type("Repair", json!({})).await;
    vec![
        (format!("Issue/{}", team.issue(json!({})).await), "issue_key"),
        (format!("Task/{}", team.task(&kind, json!({})).await), "task_key"),
        (format!("WorkOrder/{}", team.order("A").await.key), "work_order_key"),
        (format!("Serial/{}", team.unit("T", "T-1", json!({})).await), "serial_key"),
    ]
}

on_both_engines! {
    async fn messages_are_read_oldest_first(site) {
        let team = team(site).await;
        for (recipient, member) in recipients(&team).await {
            assert_eq!(read(&team, &recipient).await, Vec::<Value>::new());
            let sent = say(&team.ann, &recipient, "  first\n").await.detail();
            site.clock.advance_seconds(1);
            let second = said(&team.ben, &recipient, "second").await;
            let rows = read(&team, &recipient).await;
            let first = &rows[0];
            let key = text(&sent["message_key"]);
            for (name, value) in [
                ("_key", json!(key)), ("_id", json!(format!("message/{key}"))), ("_from", json!(format!("User/{}", team.ann.key))),
                ("_to", json!(recipient)), ("content", json!("first")), ("updated", json!(null)), ("deleted", json!(null)),
            ] {
                assert_eq!(first.get(name), Some(&value), "{name}");
            }
            assert_eq!((&rows[1]["_key"], &rows[1]["created"], rows.len()), (&json!(second), &json!(site.clock.now()), 2));
            let stored = team.stored(&sent).await;
            let (_, record) = recipient.split_once('/').unwrap();
            assert_eq!((&stored[member], text(&stored["payload"]["content"]).trim()), (&json!(record), "first"), "{stored}");
            let found = team.get(&format!("/event?{member}={record}&type=MESSAGE_POSTED")).await;
            assert_eq!(found.as_array().unwrap().len(), 2);
        }
    }

    async fn pages_and_totals(site) {
        let team = team(site).await;
        let recipient = format!("Issue/{}", team.issue(json!({})).await);
        for number in 0..5 {
            said(&team.ann, &recipient, &number.to_string()).await;
        }
        let page = team.admin.get(&format!("/message?recipient_id={recipient}&limit=2&offset=1&count=true")).await.expect(200);
        assert_eq!((each(&page.body, "content"), page.header("x-total-count")), (vec!["1".to_owned(), "2".to_owned()], "5"));
        for wrong in ["", "Issue", "Issue/", "issue/x", "Product/A", "Issue/a/b", "x"] {
            team.ask("/message", &[("recipient_id", wrong)]).await.expect(422);
        }
        team.admin.get("/message").await.expect(422);
        team.ask("/message", &[("recipient_id", recipient.as_str()), ("limit", "0")]).await.expect(422);
        for kind in ["Issue", "Task", "WorkOrder", "Serial", "User"] {
            team.admin.get(&format!("/message?recipient_id={kind}/{NOBODY}")).await.expect(404);
            nobody_there(say(&team.ann, &format!("{kind}/{NOBODY}"), "hello").await);
        }
    }

    async fn what_is_sent_has_to_fit(site) {
        let team = team(site).await;
        let recipient = format!("Issue/{}", team.issue(json!({})).await);
        for (body, place) in [
            (json!({ "content": "x" }), "body.recipient"),
            (json!({ "recipient": "Product/A", "content": "x" }), "body.recipient"),
            (json!({ "recipient": recipient }), "body.content"),
            (json!({ "recipient": recipient, "content": " \n " }), "body.content"),
            (json!({ "recipient": recipient, "content": "x".repeat(10_001) }), "body.content"),
            (json!({ "recipient": recipient, "content": "x", "created": "2026-01-01" }), "body.created"),
        ] {
            faulty(event(&team.ann, "MESSAGE_POSTED", body).await, place);
        }
        said(&team.ann, &recipient, &format!(" {} ", "x".repeat(10_000))).await;
        let with_sender = |sender: &str| json!({ "recipient": recipient, "content": "x", "sender": sender });
        for own in [team.ann.key.clone(), format!("User/{}", team.ann.key)] {
            event(&team.ann, "MESSAGE_POSTED", with_sender(&own)).await.expect(200);
        }
        for other in [team.ben.key.clone(), format!("User/{}", team.ben.key), "nobody".to_owned()] {
            rule(event(&team.ann, "MESSAGE_POSTED", with_sender(&other)).await, "MessageNotPostedError", "wrong_sender");
        }
        assert_eq!(read(&team, &recipient).await.len(), 3);
    }

    async fn only_the_sender_changes_a_message(site) {
        let team = team(site).await;
        let recipient = format!("Issue/{}", team.issue(json!({})).await);
        let key = said(&team.ann, &recipient, "one").await;
        site.clock.advance_seconds(60);
        for other in [&team.ben, &team.admin] {
            rule(update(other, &key, "two").await, "MessageNotUpdatedError", "not_sender");
        }
        let changed = update(&team.ann, &key, " two ").await.detail();
        assert_eq!(changed["message_key"], key);
        let row = read(&team, &recipient).await[0].clone();
        assert_eq!((&row["content"], &row["updated"]), (&json!("two"), &json!(site.clock.now())));
        assert_eq!(team.stored(&changed).await["issue_key"], json!(recipient[6..]), "found beside its record");
        faulty(update(&team.ann, &key, "").await, "body.content");
        rule(delete(&team.ben, &key).await, "MessageNotDeletedError", "not_sender");
        delete(&team.ann, &key).await.expect(200);
        let row = read(&team, &recipient).await[0].clone();
        assert_eq!((&row["content"], &row["deleted"]), (&json!(""), &json!(site.clock.now())), "it stays, without content");
        rule(update(&team.ann, &key, "three").await, "MessageNotUpdatedError", "deleted");
        rule(update(&team.ben, &key, "three").await, "MessageNotUpdatedError", "not_sender");
        for answer in [update(&team.ann, NOBODY, "x").await, delete(&team.ann, NOBODY).await] {
            nobody(answer, NOBODY);
        }
    }

    async fn an_admin_deletes_what_others_sent(site) {
        let team = team(site).await;
        let recipient = format!("Issue/{}", team.issue(json!({})).await);
        let [one, two] = [said(&team.ann, &recipient, "one").await, said(&team.ann, &recipient, "two").await];
        let boss = site.user("boss", "production quality library warehouse operator").await;
        rule(delete(&boss, &one).await, "MessageNotDeletedError", "not_sender");
        delete(&team.admin, &one).await.expect(200);
        // The word decides, not the rights that it stands for.
        let narrow = site.api_token(&team.admin, "traceability:event:create").await;
        let rights = Rights::of("admin").names().join(" ");
        let clerk = site.user("clerk", &rights).await;
        let token = site.api_token(&team.admin, &rights).await;
        let admins_token = site.api_token(&clerk, "admin").await;
        for other in [&narrow, &clerk, &token, &admins_token] {
            rule(delete(other, &two).await, "MessageNotDeletedError", "not_sender");
        }
        let for_user = |user: &Person| json!({ "message_key": two, "user_key": user.key });
        for (sender, user) in [(&team.admin, &team.ben), (&clerk, &team.admin), (&team.admin, &clerk)] {
            rule(event(sender, "MESSAGE_DELETED", for_user(user)).await, "MessageNotDeletedError", "not_sender");
        }
        assert_eq!(read(&team, &recipient).await.iter().map(|row| text(&row["content"])).collect::<Vec<_>>(), ["", "two"]);
        let other = site.user("other", "admin").await;
        event(&team.admin, "MESSAGE_DELETED", for_user(&other)).await.expect(200);
        let three = said(&team.ann, &recipient, "three").await;
        delete(&site.api_token(&team.admin, "operator admin").await, &three).await.expect(200);
    }

    /// Messages to what is deleted later are out of reach.
    async fn messages_end_with_their_record(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let task_key = team.task(&kind, json!({})).await;
        let recipient = format!("Task/{task_key}");
        said(&team.ann, &recipient, "one").await;
        task(&team.ann, "DELETED", &task_key, json!({})).await.expect(200);
        team.admin.get(&format!("/message?recipient_id={recipient}")).await.expect(404);
        nobody_there(say(&team.ann, &recipient, "two").await);
    }
}

/// Checks that there is no such recipient.
#[track_caller]
fn nobody_there(answer: Answer) {
    refused(answer, "RecordNotFoundError");
}
