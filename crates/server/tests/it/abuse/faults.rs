//! Bodies with faults without number: the answer has an end, and says how many there are besides. And faults of shape do not hide
//! those of values.

use testkit::{Answer, Method, Value, json, on_both_engines};

/// `[1,1,…]`, so many.
fn ones(count: usize) -> String {
    format!("[{}1]", "1,".repeat(count - 1))
}

fn is_bounded(answer: &Answer, faults: usize) {
    let told = answer.faults();
    assert_eq!(told.len(), 1_001, "{:.500}", answer.text);
    let last = &answer.body["detail"][1_000];
    assert_eq!((&last["type"], &last["input"]), (&json!("too_many_faults"), &json!(faults - 1_000)));
    assert!(answer.text.len() < 1024 * 1024, "{} bytes", answer.text.len());
}

on_both_engines! {
    async fn faults_have_an_end(site) {
        let admin = site.admin().await;
        let send = async |method: Method, path: &str, body: String| {
            admin.send(admin.request(method, path).header("content-type", "application/json").body(body)).await
        };
        let count = 100_000;
        let files = format!("{{\"bucket\":\"user\",\"object_key\":\"x\",\"filenames\":{}}}", ones(count));
        is_bounded(&send(Method::DELETE, "/files", files).await, count);
        is_bounded(&send(Method::POST, "/list/f", ones(count)).await, count);
        is_bounded(&send(Method::PUT, "/product/p/bom", ones(count)).await, count);
        is_bounded(&send(Method::POST, "/job/update", ones(10_000)).await, 10_000);
        let nul = format!("{{\"own\":[{}\"\"]}}", "\"\\u0000\",".repeat(20_000));
        is_bounded(&send(Method::PATCH, "/config", nul).await, 20_000);
        let tabs = format!("{{\"work_session_tabs_order\":{}}}", ones(2_000));
        assert_eq!(send(Method::PATCH, "/preferences", tabs).await.faults(), ["too_long body.work_session_tabs_order"]);
    }

    async fn what_is_long_is_not_repeated(site) {
        let admin = site.admin().await;
        let name = "n".repeat(500_000);
        let body = json!({ "bucket": "user", "object_key": "x", "filenames": { name.clone(): vec![1; 1000] } });
        let answer = admin.send(admin.request(Method::DELETE, "/files").json(&body)).await;
        assert!(answer.status == 422 && answer.text.len() < 4_000, "{} bytes", answer.text.len());
        let wide: Vec<Value> = vec![json!({ name.clone(): 1 }); 1];
        let answer = admin.put("/product/p/bom", json!(wide)).await.expect(422);
        assert!(answer.text.len() < 4_000, "{} bytes", answer.text.len());
        let answer = admin.post("/operation", json!({ "name": "n".repeat(500_000) })).await.expect(422);
        assert!(answer.text.len() < 4_000, "{} bytes", answer.text.len());
    }

    async fn rows_of_a_bulk_share_the_faults_that_are_told(site) {
        let admin = site.admin().await;
        let wrong: serde_json::Map<String, Value> = (0..100).map(|index| (format!("x{index}"), json!(1))).collect();
        let body = json!({ "shared_data": { "event_type": "JOB_STARTED" }, "events": vec![wrong; 2_000] });
        let answer = admin.post("/event/bulk", body).await.expect(422);
        assert_eq!((&answer.body["detail"]["failed"], answer.body["detail"]["errors"].as_array().unwrap().len()), (&json!(2_000), 1_000));
        assert!(answer.text.len() < 2 * 1024 * 1024, "{} bytes", answer.text.len());
        let body = format!("{{{}\"shared_data\":{{\"event_type\":\"JOB_STARTED\"}},\"events\":{}}}", "\"x\":1,".repeat(100_000), ones(500_000));
        let request = admin.request(Method::POST, "/event/bulk").header("content-type", "application/json").body(body);
        let answer = admin.send(request).await;
        assert_eq!(answer.faults().len(), 1_001);
    }

    async fn shape_does_not_hide_values(site) {
        let admin = site.admin().await;
        let told = async |path: &str, body: Value| {
            let mut faults = admin.post(path, body).await.faults();
            faults.sort();
            faults
        };
        let user = json!({ "username": "a b", "scope": "chief", "email": "no-at", "_key": "api-tokens", "preferences": { "theme": "pink" } });
        assert_eq!(told("/user", user).await, [
            "enum body.preferences.theme", "string_pattern_mismatch body.email", "value_error body._key", "value_error body.scope",
            "value_error body.username",
        ]);
        assert_eq!(told("/work-order", json!({ "qt_planned": "x" })).await.last().unwrap(), "missing body.product_key");
        assert_eq!(told("/field", json!({ "name": "(x)", "type": "nothing" })).await, ["enum body.type", "value_error body.name"]);
        assert_eq!(told("/counter", json!({ "template": ["%Q"], "next_tick": 0 })).await, [
            "greater_than_equal body.next_tick", "value_error body.template.0",
        ]);
        assert_eq!(told("/api-token", json!({ "token_description": "", "token_expiration": "2026-04-01", "scope": "chief" })).await, [
            "string_too_short body.token_description", "value_error body.scope",
        ]);
        let change = json!({ "scope": "chief", "active": 1, "username": "a b" });
        let faults = admin.patch(&format!("/user/{}", admin.key), change).await.faults();
        assert_eq!(faults.len(), 3, "{faults:?}");
        let faults = admin.get("/event/verify?anchor_block=1&from_block=x").await.faults();
        assert_eq!(faults.len(), 2, "{faults:?}");
    }
}
