//! Orders and jobs are critical while an open critical issue is linked to them.

use testkit::on_both_engines;

use super::*;

/// Whether an order and its job are critical.
async fn flags(team: &Team, order: &Order) -> [bool; 2] {
    let read = team.shop.read(order).await;
    [&read["critical"], &read["jobs"][0]["critical"]].map(|flag| flag.as_bool().unwrap())
}

/// An issue about an order and its job.
fn about(order: &Order, members: Value) -> Value {
    with(json!({ "linked_to": [link("work_order", &order.key), link("job", &order.jobs[0])] }), members)
}

on_both_engines! {
    /// Scenario 15.
    async fn order_and_job_are_critical_while_the_issue_is_open(site) {
        let team = team(site).await;
        let (order, other) = (team.order("A").await, team.order("B").await);
        let kind = team.issue_type("Scratch", json!({ "critical": true })).await;
        let plain = team.issue(about(&order, json!({}))).await;
        assert_eq!(flags(&team, &order).await, [false, false], "it is not critical");
        let key = team.issue(about(&order, json!({ "issue_type_key": kind }))).await;
        assert_eq!(flags(&team, &order).await, [true, true], "as its type is");
        rule(issue_step(&team.ann, "CLOSED", &plain, json!({})).await, "IssueNotClosedError", "no_type");
        issue_step(&team.ann, "CLOSED", &key, json!({})).await.expect(200);
        assert_eq!(flags(&team, &order).await, [false, false], "closed");
        issue_step(&team.ann, "REOPENED", &key, json!({})).await.expect(200);
        assert_eq!(flags(&team, &order).await, [true, true], "open again");
        issue_step(&team.admin, "DELETED", &key, json!({})).await.expect(200);
        assert_eq!(flags(&team, &order).await, [false, false], "deleted while open");
        assert_eq!(flags(&team, &other).await, [false, false]);
        critical_is_true(&team).await;
    }

    async fn each_link_counts_for_its_record_alone(site) {
        let team = team(site).await;
        let (order, other) = (team.order("A").await, team.order("B").await);
        let critical = |links: Value| json!({ "critical": true, "linked_to": links });
        let of_job = team.issue(critical(json!([link("job", &order.jobs[0])]))).await;
        assert_eq!(flags(&team, &order).await, [false, true]);
        let of_order = team.issue(critical(json!([link("work_order", &order.key), link("work_order", &other.key)]))).await;
        assert_eq!((flags(&team, &order).await, flags(&team, &other).await), ([true, true], [true, false]));
        issue_step(&team.ann, "UPDATED", &of_job, json!({ "critical": false })).await.expect(200);
        assert_eq!(flags(&team, &order).await, [true, false]);
        issue_step(&team.ann, "UPDATED", &of_order, json!({ "linked_to": [link("job", &other.jobs[0])] })).await.expect(200);
        assert_eq!((flags(&team, &order).await, flags(&team, &other).await), ([false, false], [false, true]), "before and after");
        let second = team.issue(critical(json!([link("job", &other.jobs[0])]))).await;
        issue_step(&team.ann, "UPDATED", &of_order, json!({ "linked_to": [] })).await.expect(200);
        assert_eq!(flags(&team, &other).await, [false, true], "another issue is left");
        issue_step(&team.ann, "UPDATED", &second, json!({ "critical": false })).await.expect(200);
        assert_eq!(flags(&team, &other).await, [false, false]);
        issue_step(&team.ann, "UPDATED", &second, json!({ "critical": true, "title": "again" })).await.expect(200);
        assert_eq!(flags(&team, &other).await, [false, true]);
        critical_is_true(&team).await;
    }

    async fn an_issue_is_opened_again_as_critical_as_told(site) {
        let team = team(site).await;
        let order = team.order("A").await;
        let kind = team.issue_type("Scratch", json!({})).await;
        let key = team.issue(about(&order, json!({ "issue_type_key": kind, "critical": true, "open": false }))).await;
        assert_eq!(flags(&team, &order).await, [false, false], "it was never open");
        issue_step(&team.ann, "REOPENED", &key, json!({ "critical": false })).await.expect(200);
        assert_eq!((flags(&team, &order).await, &team.read_issue(&key).await["critical"]), ([false, false], &json!(false)));
        issue_step(&team.ann, "CLOSED", &key, json!({})).await.expect(200);
        issue_step(&team.ann, "REOPENED", &key, json!({ "critical": true })).await.expect(200);
        assert_eq!(flags(&team, &order).await, [true, true]);
        critical_is_true(&team).await;
    }

    /// Work goes on, and what it settles leaves the flag alone.
    async fn production_leaves_the_flag_alone(site) {
        let team = team(site).await;
        let order = team.order("A").await;
        let key = team.issue(about(&order, json!({ "critical": true }))).await;
        team.shop.make(&team.ann, &order.jobs[0]).await;
        assert_eq!((flags(&team, &order).await, &team.shop.read(&order).await["status"]), ([true, true], &json!("closed")));
        issue_step(&team.ann, "UPDATED", &key, json!({ "critical": false })).await.expect(200);
        assert_eq!(flags(&team, &order).await, [false, false], "of a closed order, too");
        critical_is_true(&team).await;
    }

    async fn reads_count_the_issues(site) {
        let team = team(site).await;
        let order = team.order("A").await;
        let kind = team.issue_type("Scratch", json!({})).await;
        for open in [true, false, true] {
            team.issue(about(&order, json!({ "issue_type_key": kind, "open": open }))).await;
        }
        team.issue(json!({ "linked_to": [link("product", "A")] })).await;
        let recipient = format!("WorkOrder/{}", order.key);
        said(&team.ann, &recipient, "one").await;
        let gone = said(&team.ann, &recipient, "two").await;
        event(&team.ann, "MESSAGE_DELETED", json!({ "message_key": gone })).await.expect(200);
        assert_eq!(team.shop.read(&order).await["issue_count"], 3);
        let job = team.admin.get(&format!("/job/{}", order.jobs[0])).await.detail();
        assert_eq!((&job["issues_total"], &job["issues_open"], &job["issue_count"]), (&json!(3), &json!(2), &json!(3)));
        assert_eq!(job["message_count"], 1, "of its order, without what was deleted");
        critical_is_true(&team).await;
    }

    /// The effect of a bulk is that of its rows, one after the other.
    async fn rows_of_a_bulk_count_together(site) {
        let team = team(site).await;
        let order = team.order("A").await;
        let kind = team.issue_type("Scratch", json!({ "critical": true })).await;
        let row = |open: bool| json!({ "issue_data": about(&order, json!({ "issue_type_key": kind, "open": open })) });
        let bulk = json!({ "shared_data": { "event_type": "ISSUE_CREATED" }, "events": [row(true), row(false), row(true)] });
        let made = team.ann.post("/event/bulk?results=true", bulk).await.detail();
        let keys = each(&made["results"], "issue_key");
        assert_eq!(flags(&team, &order).await, [true, true]);
        let row = |key: &str| json!({ "issue_data": { "_key": key } });
        let bulk = json!({ "shared_data": { "event_type": "ISSUE_CLOSED" }, "events": [row(&keys[0]), row(&keys[2])] });
        team.ann.post("/event/bulk", bulk).await.expect(200);
        assert_eq!(flags(&team, &order).await, [false, false]);
        critical_is_true(&team).await;
    }
}
