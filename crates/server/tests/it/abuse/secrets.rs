//! What was sent in a wrong place is neither repeated nor kept.

use testkit::{Method, Value, form, json, on_both_engines};

const SECRET: &str = "hunter22";

on_both_engines! {
    /// Whoever forgets the content type, or an equals sign, has not published the password.
    async fn a_password_in_the_place_of_a_name_is_not_repeated(site) {
        let visitor = site.visitor("mario");
        for body in [format!("{{\"username\":\"mario\",\"password\":\"{SECRET}\"}}"), format!("username=mario&{SECRET}")] {
            let request = visitor.request(Method::POST, "/auth").header("content-type", "application/x-www-form-urlencoded");
            let answer = visitor.send(request.body(body)).await.expect(422);
            assert!(!answer.text.contains(SECRET) && answer.text.contains("extra_forbidden"), "{}", answer.text);
        }
        let admin = site.admin().await;
        let body = json!({ "system_counters": { "zz": SECRET }, "default_operation_parameters": { "zz": SECRET } });
        let answer = admin.patch("/config", body).await.expect(422);
        assert!(!answer.text.contains(SECRET), "{}", answer.text);
    }

    async fn what_nobody_declared_is_in_no_answer_and_no_log(site) {
        let admin = site.admin().await;
        let names = ["password1", "passwd2", "bearer", "authToken2", "note"];
        let wrong: Vec<Value> = names.iter().map(|name| json!({ *name: SECRET })).collect();
        let own = format!("/user/{}", admin.key);
        for body in &wrong {
            for path in ["/user", "/tag", "/product", "/work-order", "/event", "/session", "/counter"] {
                let answer = admin.post(path, body.clone()).await.expect(422);
                assert!(!answer.text.contains(SECRET), "{path}: {}", answer.text);
            }
            let bulk = json!({ "shared_data": body, "events": [body] });
            assert!(!admin.post("/event/bulk", bulk).await.expect(422).text.contains(SECRET));
            assert!(!admin.patch(&own, body.clone()).await.expect(422).text.contains(SECRET));
            let nested = json!([{ "alias": "a", "operation_key": "work", "params": body, "steps": [body] }]);
            assert!(!admin.put("/product/p/process", nested).await.expect(422).text.contains(SECRET));
        }
        for body in [json!(SECRET), json!([SECRET]), json!({ "new_password": [SECRET] }), json!({ "new_password": { "x": SECRET } })] {
            let answer = admin.put(&format!("{own}/password"), body).await.expect(422);
            assert!(!answer.text.contains(SECRET), "{}", answer.text);
        }
        admin.send(admin.request(Method::POST, &format!("/tag?key={SECRET}")).json(&json!({ "name": "x" }))).await.expect(200);
        admin.patch("/preferences", json!({ "smtp": { "word": SECRET }, SECRET: 1 })).await.expect(200);
        admin.patch("/config", json!({ "mail": { "word": SECRET }, "smtp_word": SECRET })).await.expect(200);
        admin.put("/custom-data/smtp_password", json!({ "value": SECRET, "description": SECRET })).await.expect(200);
        let parts = form(&[("code", "P"), ("note", SECRET)], &[]);
        admin.send(admin.request(Method::POST, "/product").multipart(parts)).await.expect(422);
        let log = admin.get("/audit?limit=10000").await.expect(200);
        assert!(!log.text.contains(SECRET), "{}", log.text);
        for kept in ["CustomData/smtp_password", "Config/mail"] {
            assert!(log.text.contains(kept), "what was changed is there: {kept}");
        }
    }

    async fn what_is_declared_is_told(site) {
        let admin = site.admin().await;
        admin.patch("/config", json!({ "company_name": "N", "printers": ["a"], "own": 1 })).await.expect(200);
        let summary = async |operation: &str| {
            admin.get(&format!("/audit?operation={operation}")).await.expect(200).body[0]["summary"].clone()
        };
        assert_eq!(summary("update_config").await["body"], json!({ "company_name": "N", "printers": ["a"] }));
        let event = json!({ "event_type": "JOB_STARTED", "job_key": "0000000000001", "note": 1 });
        admin.post("/event", event.clone()).await.expect(422);
        assert_eq!(summary("post_event").await["body"], json!({ "event_type": "JOB_STARTED", "job_key": "0000000000001" }));
        admin.post("/event/bulk", json!({ "shared_data": event, "events": [{}, {}] })).await.expect(422);
        let told = json!({ "shared_data": { "event_type": "JOB_STARTED", "job_key": "0000000000001" }, "events": 2 });
        assert_eq!(summary("post_events").await["body"], told);
        let order = json!({ "product_code": "P", "qt_planned": 1, "extra": { "x": 1 } });
        admin.post("/work-order", order).await.expect(404);
        let told = summary("create_work_order").await["body"].clone();
        assert_eq!((&told["product_code"], &told["extra"]), (&json!("P"), &json!("{…}")));
    }
}
