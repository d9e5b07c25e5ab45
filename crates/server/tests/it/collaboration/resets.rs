//! What resets and the removal of an order leave of issues, messages and tasks.

use testkit::on_both_engines;

use super::*;

/// An issue, a task and messages about two orders and a unit.
struct Before {
    team: Team,
    order: Order,
    other: Order,
    issue: String,
    task: String,
    unit: String,
}

async fn before(site: &Site) -> Before {
    let team = team(site).await;
    team.fields().await;
    team.traced("T").await;
    let form = json!([{ "_key": "pic", "custom_field_key": "photo" }]);
    let kind = team.issue_type("Scratch", json!({ "critical": true, "form_template": form })).await;
    let (order, other) = (team.order("A").await, team.order("B").await);
    let unit = team.unit("T", "T-1", json!({})).await;
    let links = json!([
        link("work_order", &order.key),
        link("job", &order.jobs[0]),
        link("work_order", &other.key),
        link("serial", &unit),
        link("product", "T"),
    ]);
    let issue = team.issue(json!({ "issue_type_key": kind, "linked_to": links })).await;
    let linking = team.linking_type("Repair").await;
    let [task, second] = [team.task(&linking, json!({})).await, team.task(&linking, json!({})).await];
    for (kind, key) in [
        ("issue", issue.as_str()),
        ("work_order", order.key.as_str()),
        ("work_order", other.key.as_str()),
        ("serial", unit.as_str()),
        ("product", "T"),
        ("task", second.as_str()),
    ] {
        task_link(&team.ann, "LINKED", &task, kind, key).await.expect(200);
    }
    for recipient in [
        format!("Issue/{issue}"),
        format!("Task/{task}"),
        format!("WorkOrder/{}", order.key),
        format!("WorkOrder/{}", other.key),
        format!("Serial/{unit}"),
        format!("User/{}", team.ben.key),
    ] {
        said(&team.ann, &recipient, "hello").await;
    }
    for (bucket, key, subfolder) in [("issue", &issue, "pic"), ("task", &task, "")] {
        let mut fields = vec![("bucket", bucket), ("object_key", key.as_str())];
        if !subfolder.is_empty() {
            fields.push(("subfolder", subfolder));
        }
        team.ann.upload(Method::POST, "/files", &fields, &[("contents", "a.txt", b"1")]).await.expect(200);
    }
    Before { team, order, other, issue, task, unit }
}

/// The kinds of what a task is linked to, sorted.
async fn kinds(team: &Team, task: &str) -> Vec<String> {
    let mut kinds = each(&team.read_task(task).await["links"], "type");
    kinds.sort_unstable();
    kinds
}

on_both_engines! {
    async fn an_order_goes_and_what_was_said_about_it(site) {
        let Before { team, order, other, issue, task, unit } = before(site).await;
        let answer = team.admin.delete(&format!("/force-delete-work-order/{}", order.key)).await.detail();
        let removed = &answer["removed"];
        assert_eq!((&removed["issue_rel"], &removed["task_rel"], &removed["message"]), (&json!(2), &json!(1), &json!(1)), "{answer}");
        assert_eq!(removed.get("Issue").and_then(Value::as_i64).unwrap_or(0), 0, "issues stay");
        let left = each(&team.read_issue(&issue).await["linked_to"], "type");
        assert_eq!(left, ["work_order", "serial", "product"], "the issue is there without the links");
        assert_eq!(team.get(&format!("/issue?work_order_key={}", order.key)).await, json!([]));
        assert_eq!(kinds(&team, &task).await, ["issue", "product", "serial", "task", "work_order"]);
        team.admin.get(&format!("/message?recipient_id=WorkOrder/{}", order.key)).await.expect(404);
        for recipient in [format!("WorkOrder/{}", other.key), format!("Issue/{issue}"), format!("Task/{task}"), format!("Serial/{unit}")] {
            assert_eq!(team.get(&format!("/message?recipient_id={recipient}")).await.as_array().unwrap().len(), 1, "{recipient}");
        }
        assert_eq!(team.shop.read(&other).await["critical"], true);
        critical_is_true(&team).await;
        assert_eq!(site.count("file").await, 2);
    }

    async fn an_order_without_work_is_deleted(site) {
        let Before { team, order, other, issue, task, .. } = before(site).await;
        team.admin.delete(&format!("/work-order/{}", order.key)).await.expect(200);
        assert_eq!(each(&team.read_issue(&issue).await["linked_to"], "type"), ["work_order", "serial", "product"]);
        assert_eq!(kinds(&team, &task).await.iter().filter(|kind| *kind == "work_order").count(), 1);
        assert_eq!(team.shop.read(&other).await["critical"], true);
        critical_is_true(&team).await;
    }

    async fn tasks_outlive_production(site) {
        let Before { team, issue, task, .. } = before(site).await;
        let answer = team.admin.delete("/reset/prod").await.detail();
        let removed = &answer["removed"];
        for (collection, count) in [("Issue", 1), ("issue_rel", 5), ("message", 6), ("task_rel", 4)] {
            assert_eq!(removed[collection], count, "{collection}: {answer}");
        }
        for table in ["issue", "issue_rel", "issue_value", "message"] {
            assert_eq!(site.count(table).await, 0, "{table}");
        }
        team.admin.get(&format!("/issue/{issue}")).await.expect(404);
        assert_eq!(team.get("/issue").await, json!([]));
        assert_eq!(kinds(&team, &task).await, ["product", "task"], "what is still there stays linked");
        assert_eq!(team.get("/task").await.as_array().unwrap().len(), 2);
        assert_eq!((site.count("issue_type").await, site.count("task_type").await), (1, 1));
        assert_eq!(team.get(&format!("/message?recipient_id=Task/{task}")).await, json!([]));
        assert_eq!(team.get(&format!("/files?bucket=task&object_key={task}")).await.as_array().unwrap().len(), 1);
        let files: Vec<String> = site.all("select bucket from file").await;
        assert_eq!(files, ["task"], "those of issues are gone");
        site.eventually(async || (site.objects() == 1).then_some(())).await;
        assert_eq!(team.admin.get("/event/verify").await.detail()["ok"], true);
        // Work goes on.
        let order = team.order("C").await;
        team.issue(json!({ "critical": true, "linked_to": [link("work_order", &order.key)] })).await;
        task_link(&team.ann, "LINKED", &task, "work_order", &order.key).await.expect(200);
        critical_is_true(&team).await;
    }

    /// Time that was recorded goes with the work sessions of production.
    async fn recorded_time_is_reset(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({ "require_time_entry": true })).await;
        let key = team.task(&kind, json!({})).await;
        let time = json!({ "start": "2026-02-01T08:00:00Z", "end": "2026-02-01T08:30:00Z" });
        task(&team.ann, "TIME_RECORDED", &key, time).await.expect(200);
        team.admin.delete("/reset/prod").await.expect(200);
        assert_eq!(team.read_task(&key).await["time_spent"], json!([]));
        assert_eq!(refused(task(&team.ann, "COMPLETED", &key, json!({})).await, "TaskNotCompletedError")["missing_time"], true);
    }

    async fn stock_is_reset_without_them(site) {
        let Before { team, issue, task, .. } = before(site).await;
        let (issue_before, task_before) = (team.read_issue(&issue).await, team.read_task(&task).await);
        team.admin.delete("/reset/inventory").await.expect(200);
        assert_eq!((team.read_issue(&issue).await, team.read_task(&task).await), (issue_before, task_before));
        assert_eq!(site.count("message").await, 6);
    }

    /// A unit that something is said about has a history, and is not removed for good.
    async fn units_with_issues_tasks_or_messages_are_kept(site) {
        let team = team(site).await;
        team.traced("T").await;
        let linking = team.linking_type("Repair").await;
        let task_key = team.task(&linking, json!({})).await;
        let units = [team.unit("T", "1", json!({})).await, team.unit("T", "2", json!({})).await, team.unit("T", "3", json!({})).await];
        let spare = team.unit("T", "4", json!({})).await;
        team.issue(json!({ "linked_to": [link("serial", &units[0])] })).await;
        task_link(&team.ann, "LINKED", &task_key, "serial", &units[1]).await.expect(200);
        said(&team.ann, &format!("Serial/{}", units[2]), "hello").await;
        let remove = async |unit: &str| event(&team.admin, "SERIAL_DELETED", json!({ "serial_key": unit, "soft": false })).await;
        for unit in &units {
            rule(remove(unit).await, "SerialNotDeletedError", "has_history");
        }
        remove(&spare).await.expect(200);
    }
}
