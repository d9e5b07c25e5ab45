use testkit::{Method, Value, json, on_both_engines};

on_both_engines! {
    async fn entries_of_any_kind(site) {
        let admin = site.admin().await;
        for value in [json!(null), json!([1, { "a": null }]), json!("text"), serde_json::from_str("0.10000000000000000001").unwrap()] {
            let put = admin.put("/custom-data/some_key", json!({ "value": value, "description": "About Größe" })).await;
            assert_eq!(put.detail(), json!({ "_key": "some_key" }));
            let read = admin.get("/custom-data/some_key").await.expect(200);
            assert_eq!((&read.body["value"], &read.body["_id"]), (&value, &json!("CustomData/some_key")));
        }
        let created = admin.put("/custom-data/other", json!({ "value": 1, "_key": "third", "_rev": "x" })).await.expect(200);
        assert!(created.body["message"].as_str().unwrap().contains("created"));
        let updated = admin.put("/custom-data/other", json!({ "value": 2 })).await.expect(200);
        assert!(updated.body["message"].as_str().unwrap().contains("updated"));
        assert_eq!(admin.get("/custom-data/other").await.body["description"], Value::Null, "replaced as a whole");
        let keys = async |query: &str| -> Vec<String> {
            let list = admin.get(&format!("/custom-data{query}")).await.expect(200).body;
            list.as_array().unwrap().iter().map(|entry| entry["_key"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(keys("").await, ["other", "some_key"]);
        assert_eq!(keys("?search=").await, ["other", "some_key"]);
        assert_eq!(keys("?search=GRÖSS").await, Vec::<String>::new(), "folding is simple");
        assert_eq!(keys("?search=GRÖ").await, ["some_key"]);
        assert_eq!(keys("?search=THE").await, ["other"]);
        assert_eq!(keys("?search=%25").await, Vec::<String>::new());
        assert_eq!(admin.delete("/custom-data/other").await.detail(), json!({ "_key": "other" }));
        admin.delete("/custom-data/other").await.expect(404);
        admin.get("/custom-data/other").await.expect(404);
    }

    async fn keys_and_values_have_a_form(site) {
        let admin = site.admin().await;
        for bad in ["Upper", "1x", "a-b", &"x".repeat(65)] {
            let answer = admin.put(&format!("/custom-data/{bad}"), json!({ "value": 1 })).await;
            assert_eq!(answer.faults(), ["string_pattern_mismatch path.key"], "{bad}");
        }
        let answer = admin.put("/custom-data/ok", json!({ "_key": "Not ok", "more": 1 })).await;
        assert_eq!(answer.faults(), ["missing body.value", "string_pattern_mismatch body._key", "extra_forbidden body.more"]);
        let large = json!({ "value": "x".repeat(1024 * 1024) });
        assert_eq!(admin.put("/custom-data/ok", large).await.faults(), ["value_error body.value"]);
        let fits = json!({ "value": "x".repeat(1024 * 1024 - 2) });
        admin.put("/custom-data/ok", fits).await.expect(200);
        let rev = admin.get("/custom-data/ok").await.body["_rev"].as_str().unwrap().to_owned();
        admin.put("/custom-data/ok", json!({ "value": 1 })).await.expect(200);
        admin.send(admin.request(Method::DELETE, "/custom-data/ok").header("if-match", rev)).await.expect(412);
        let viewer = site.user("viewer", "viewer").await;
        viewer.get("/custom-data").await.expect(200);
        viewer.put("/custom-data/ok", json!({ "value": 1 })).await.expect(403);
    }
}
