use reqwest::Method;
use testkit::{json, on_both_engines};

on_both_engines! {
    async fn merged_member_by_member(site) {
        let mario = site.user("mario", "operator").await;
        let body = r#"{"theme": "light", "my_page": {"a": 1.10}}"#;
        let request = mario.request(Method::PATCH, "/preferences").header("content-type", "application/json").body(body);
        let changed = mario.send(request).await.detail();
        assert_eq!(changed["theme"], "light");
        assert_eq!(changed["job_selection_layout"], "card");
        let changed = mario.patch("/preferences", json!({ "theme": null })).await.detail();
        assert_eq!(changed["theme"], "dark");
        let text = mario.post("/session", json!({ "user_key": mario.key })).await.expect(200).text;
        assert!(text.contains(r#""my_page":{"a":1.10}"#), "numbers pass through as they were written: {text}");
        let faults = mario.patch("/preferences", json!({ "theme": "pink", "locale": 3 })).await.faults();
        assert_eq!(faults, ["enum body.theme", "string_type body.locale"]);
        mario.patch("/preferences", json!([1])).await.expect(422);
        mario.patch("/preferences", json!({ "x": "y".repeat(16 * 1024) })).await.expect(422);
        mario.patch("/preferences", json!({ "x": "y".repeat(1024 * 1024) })).await.expect(413);
    }
}
