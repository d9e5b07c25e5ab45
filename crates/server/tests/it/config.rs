//! Scenario 10 and the rules around it. The effect on queues is tested with them.

use futures_util::future::join_all;
use reqwest::Method;
use testkit::{json, on_both_engines};

on_both_engines! {
    async fn config_reset(site) {
        let admin = site.admin().await;
        let visitor = site.visitor("");
        let first = json!({
            "default_production_position": "A1", "default_consumption_position": "A1", "x": { "a": 1, "b": [1, 2] }
        });
        admin.patch("/config", first).await.expect(200);
        let second = json!({ "x": { "b": [3] }, "company_name": null, "nope": null, "default_consumption_position": "A1" });
        let answered = admin.patch("/config", second).await.detail();
        let config = visitor.get("/config").await.detail();
        assert_eq!(answered, config);
        assert_eq!(config["default_production_position"], "IN");
        assert_eq!(config["default_consumption_position"], "A1");
        assert_eq!(config["x"], json!({ "a": 1, "b": [3] }));
        assert_eq!(config["company_name"], "Tracewright");
        assert!(config.get("nope").is_none());

        let faulty = json!({ "operator_cost": "a", "session_policy": "many", "company_name": "Half" });
        let faults = admin.patch("/config", faulty).await.faults();
        assert_eq!(faults, ["float_type body.operator_cost", "enum body.session_policy"]);
        assert_eq!(visitor.get("/config").await.detail(), config, "nothing changed");
        let emptied = admin.patch("/config", json!({})).await.detail();
        assert_eq!(emptied["default_consumption_position"], "IN", "reset by every change that does not name it");
    }

    async fn values_come_out_as_they_went_in(site) {
        let admin = site.admin().await;
        let body = r#"{"n": 12345678901234567890.000001, "o": {"value": 1}, "l": [1, "a", null], "b": false, "s": "ü\u0001"}"#;
        let request = admin.request(Method::PATCH, "/config").header("content-type", "application/json").body(body);
        admin.send(request).await.expect(200);
        let text = site.visitor("").get("/config").await.text;
        assert!(text.contains(r#""n":12345678901234567890.000001"#), "{text}");
        assert!(text.contains(r#""o":{"value":1}"#));
        assert!(text.contains(r#""l":[1,"a",null]"#));
        assert!(text.contains(r#""s":"ü\u0001""#));
    }

    async fn known_entries_are_checked_and_free_keys_have_a_form(site) {
        let admin = site.admin().await;
        let bad = json!({
            "system_counters": { "tasks": "nobody" }, "timezone": "Mars/Base", "company_logo": "/media/x",
            "a b": 1, "default_operation_parameters": { "max_offline": -1 }
        });
        let mut faults = admin.patch("/config", bad).await.faults();
        faults.sort();
        assert_eq!(
            faults,
            [
                "greater_than_equal body.default_operation_parameters.max_offline",
                "string_pattern_mismatch body.a b",
                "value_error body.company_logo",
                "value_error body.system_counters.tasks",
                "value_error body.timezone",
            ]
        );
        admin.patch("/config", json!({ "x": "y".repeat(1024 * 1024) })).await.expect(413);
        admin.patch("/config", json!([])).await.expect(422);
    }

    async fn a_new_time_zone_moves_the_counters(site) {
        assert_eq!(site.counter_reset("default").await.to_string(), "2027-01-01T00:00:00.000Z");
        let admin = site.admin().await;
        admin.patch("/config", json!({ "timezone": "Europe/Rome" })).await.expect(200);
        assert_eq!(site.counter_reset("default").await.to_string(), "2026-12-31T23:00:00.000Z");
    }

    async fn many_changes_at_once_lose_nothing(site) {
        let admin = site.admin().await;
        let changes = (0..24).map(|index| {
            let admin = admin.clone();
            async move { admin.patch("/config", json!({ "shared": { format!("k{index}"): index } })).await.status }
        });
        assert!(join_all(changes).await.iter().all(|status| *status == 200));
        let shared = site.visitor("").get("/config").await.detail()["shared"].clone();
        assert_eq!(shared.as_object().unwrap().len(), 24, "every merge is there: {shared}");
    }
}
