//! Time that people spend on tasks: recorded afterwards, or worked at a job for the task.

use testkit::on_both_engines;

use super::*;

async fn record(who: &Person, key: &str, start: &str, end: &str) -> Answer {
    task(who, "TIME_RECORDED", key, json!({ "start": start, "end": end })).await
}

/// Users with the milliseconds that they spent, sorted.
async fn spent(team: &Team, key: &str) -> Vec<Value> {
    let read = team.read_task(key).await;
    let mut spent: Vec<Value> =
        read["time_spent"].as_array().unwrap().iter().map(|row| json!([row["user_key"], row["duration"]])).collect();
    spent.sort_by_key(Value::to_string);
    spent
}

fn sorted(mut rows: Vec<Value>) -> Vec<Value> {
    rows.sort_by_key(Value::to_string);
    rows
}

on_both_engines! {
    async fn recorded_time_adds_up_by_user(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let [key, other] = [team.task(&kind, json!({})).await, team.task(&kind, json!({})).await];
        let made = record(&team.ann, &key, "2026-02-01T08:00:00Z", "2026-02-01T08:30:00Z").await.detail();
        let session: (String, i64, bool) = site.look("select user_key, duration, active from work_session", vec![]).await.unwrap();
        assert_eq!(session, (team.ann.key.clone(), 1_800_000, false), "a closed session of the actor");
        assert!(made["work_session_key"].is_string(), "{made}");
        record(&team.ann, &key, "2026-02-02T08:00:00Z", "2026-02-02T08:00:00.500Z").await.expect(200);
        record(&team.ben, &key, "2026-02-01T08:00:00Z", "2026-02-01T09:00:00Z").await.expect(200);
        record(&team.ben, &other, "2026-02-01T08:00:00Z", "2026-02-01T09:00:00Z").await.expect(200);
        let wanted = sorted(vec![json!([team.ann.key, 1_800_500]), json!([team.ben.key, 3_600_000])]);
        assert_eq!(spent(&team, &key).await, wanted);
        assert_eq!(spent(&team, &other).await, [json!([team.ben.key, 3_600_000])]);
        assert_eq!(team.stored(&made).await["task_key"], key);
    }

    async fn time_is_recorded_forwards_and_not_ahead(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let key = team.task(&kind, json!({})).await;
        let now = site.clock.now();
        let (before, at, after) = (now.plus_seconds(-60).to_string(), now.to_string(), now.plus_seconds(1).to_string());
        for (start, end) in [(&at, &before), (&at, &at), (&before, &after), (&after, &after)] {
            rule(record(&team.ann, &key, start, end).await, "TaskNotUpdatedError", "bad_dates");
        }
        let (year, longer) = (now.plus_seconds(-366 * 86_400).to_string(), now.plus_seconds(-366 * 86_400 - 1).to_string());
        rule(record(&team.ann, &key, &longer, &at).await, "TaskNotUpdatedError", "bad_dates");
        rule(record(&team.ann, &key, "0001-01-01", &at).await, "TaskNotUpdatedError", "bad_dates");
        record(&team.ben, &key, &year, &at).await.expect(200);
        record(&team.ann, &key, &before, &at).await.expect(200);
        faulty(task(&team.ann, "TIME_RECORDED", &key, json!({ "start": "2026-01-01" })).await, "body.end");
        faulty(task(&team.ann, "TIME_RECORDED", &key, json!({ "end": "2026-01-01" })).await, "body.start");
        nobody(record(&team.ann, NOBODY, &before, &at).await, NOBODY);
        let wanted = sorted(vec![json!([team.ann.key, 60_000]), json!([team.ben.key, 366_i64 * 86_400_000])]);
        assert_eq!(spent(&team, &key).await, wanted);
    }

    /// Work at a job counts for the task in whose context it began.
    async fn work_at_a_job_counts_for_its_task(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({ "icon": "wrench", "require_time_entry": true })).await;
        let key = team.task(&kind, json!({ "code": "T-1", "title": "Mend" })).await;
        let order = team.order("A").await;
        let context = json!({ "job_key": order.jobs[0], "context_type": "task", "context_key": key });
        let started = event(&team.ann, "JOB_STARTED", context).await.detail();
        site.clock.advance_seconds(60);
        assert_eq!(spent(&team, &key).await, [json!([team.ann.key, 60_000])], "up to now");
        event(&team.ann, "JOB_PAUSED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        site.clock.advance_seconds(60);
        event(&team.ann, "JOB_RESUMED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        site.clock.advance_seconds(60);
        event(&team.ann, "JOB_PAUSED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        assert_eq!(spent(&team, &key).await, [json!([team.ann.key, 60_000])], "the second session was for no task");
        let listed = team.get(&format!("/event?context_type=task&context_key={key}&type=JOB_STARTED")).await;
        assert_eq!((&listed[0]["_key"], &listed[0]["context_code"]), (&started["event_key"], &json!("T-1")));
        task(&team.ann, "COMPLETED", &key, json!({})).await.expect(200);
        assert_eq!(team.admin.get(&format!("/job/{}/time", order.jobs[0])).await.detail(), 120_000);
    }

    async fn time_without_a_job_counts_for_no_job(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let order = team.order("A").await;
        let key = team.task(&kind, json!({})).await;
        record(&team.ann, &key, "2026-02-01T08:00:00Z", "2026-02-01T09:00:00Z").await.expect(200);
        assert_eq!(team.admin.get(&format!("/job/{}/time", order.jobs[0])).await.detail(), 0);
        assert_eq!(team.shop.read(&order).await["processing_time"], 0);
    }
}
