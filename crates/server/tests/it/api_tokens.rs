//! Scenario 9: API tokens.

use testkit::{json, on_both_engines};

on_both_engines! {
    async fn a_token_for_a_program(site) {
        let admin = site.admin().await;
        let wanted = json!({ "token_description": "line 4", "token_expiration": "2026-04-01", "scope": "viewer" });
        let made = admin.post("/api-token", wanted).await.expect(200);
        assert_eq!(made.header("cache-control"), "no-store");
        let detail = &made.body["detail"];
        assert_eq!((&detail["action"], &detail["expires_at"]), (&json!("api_token"), &json!("2026-04-01T23:59:59.000Z")));
        assert_eq!(made.body["expires_in"], 32 * 86_400 - 8 * 3600 - 1);
        let token = made.body["access_token"].as_str().unwrap();
        let program = admin.with_token(token);
        program.get("/user").await.expect(200);
        program.post("/tag", json!({ "name": "x" })).await.expect(403);
        program.post("/api-token", json!({ "token_description": "more", "token_expiration": "2026-04-01" })).await.expect(403);
        let listed = admin.get("/user/api-tokens").await;
        assert!(!listed.text.contains(token) && !listed.text.contains("signature"));
        assert_eq!(listed.body[0]["_key"], detail["token_key"]);
        assert_eq!(listed.body[0]["issued_to"], format!("User/{}", admin.key));
        assert_eq!((&listed.body[0]["context"], &listed.body[0]["scope"]), (&json!("API"), &json!("viewer")));
        assert_eq!(listed.body[0]["description"], "line 4");

        let path = format!("/api-token/{}", detail["token_key"].as_str().unwrap());
        let mario = site.user("mario", "operator").await;
        mario.delete(&path).await.expect(404);
        admin.delete(&path).await.expect(200);
        admin.delete(&path).await.expect(200);
        program.get("/user").await.expect(401);
        assert_eq!(admin.get("/user/api-tokens").await.body, json!([]));
        assert!(!admin.get("/audit").await.text.contains(token));
    }

    async fn dates_and_scopes_have_bounds(site) {
        let mario = site.user("mario", "viewer org:user:read").await;
        let ask = async |expiration: &str, scope: Option<&str>| {
            let mut body = json!({ "token_description": "t", "token_expiration": expiration });
            if let Some(scope) = scope {
                body["scope"] = json!(scope);
            }
            mario.post("/api-token", body).await
        };
        assert_eq!(ask("2029-03-01", None).await.faults(), ["value_error body.token_expiration"]);
        assert_eq!(ask("2026-03-01T08:00:00Z", None).await.faults(), ["value_error body.token_expiration"]);
        assert_eq!(ask("2026-04-01", Some("viewer boss")).await.faults(), ["value_error body.scope"]);
        ask("2026-04-01", Some("library")).await.expect(403);
        // 731 days ahead to the millisecond; a bare date means its end, which is later.
        ask("2028-03-01T08:00:00Z", Some("")).await.expect(200);
        assert_eq!(ask("2028-03-01T08:00:00.001Z", None).await.faults(), ["value_error body.token_expiration"]);
        assert_eq!(ask("2028-03-01", None).await.faults(), ["value_error body.token_expiration"]);
        ask("2028-02-29", None).await.expect(200);
        ask("2026-03-01", None).await.expect(200);
        assert_eq!(ask("2026-02-28", None).await.faults(), ["value_error body.token_expiration"]);
        ask("2026-04-01", None).await.expect(200);
        let late = json!({ "token_description": "", "token_expiration": "2026-02-28", "scope": "boss" });
        let refused = mario.post("/api-token", late).await;
        assert_eq!(refused.faults(), [
            "string_too_short body.token_description", "value_error body.scope", "value_error body.token_expiration",
        ]);
        assert_eq!(refused.body["detail"][2]["input"], "2026-02-28", "as it was sent");
        let nothing = json!({ "token_description": "", "scope": 3 });
        assert_eq!(mario.post("/api-token", nothing).await.faults().len(), 3);
    }

    async fn foreign_lists_are_for_administrators(site) {
        let (mario, admin) = (site.user("mario", "viewer").await, site.admin().await);
        let body = json!({ "token_description": "t", "token_expiration": "2026-04-01" });
        let made = mario.post("/api-token", body).await.expect(200);
        let of_mario = format!("/user/api-tokens?user_key={}", mario.key);
        assert_eq!(mario.get(&of_mario).await.body.as_array().unwrap().len(), 1);
        assert_eq!(admin.get(&of_mario).await.body.as_array().unwrap().len(), 1);
        mario.get(&format!("/user/api-tokens?user_key={}", admin.key)).await.expect(403);
        let key = made.body["detail"]["token_key"].as_str().unwrap();
        admin.delete(&format!("/api-token/{key}")).await.expect(200);
        mario.with_token(made.body["access_token"].as_str().unwrap()).get("/whoami").await.expect(401);
        let session_token: String = site.look("select key from token where context = 'USER_SESSION' and not revoked limit 1", vec![]).await.unwrap();
        admin.delete(&format!("/api-token/{session_token}")).await.expect(404);
    }

    async fn a_token_ends_with_its_date_and_its_owners_rights(site) {
        let admin = site.admin().await;
        let mario = site.user("mario", "library").await;
        let body = json!({ "token_description": "t", "token_expiration": "2026-03-02", "scope": "library" });
        let made = mario.post("/api-token", body).await.expect(200);
        let program = mario.with_token(made.body["access_token"].as_str().unwrap());
        program.post("/tag", json!({ "name": "x" })).await.expect(200);
        admin.patch(&format!("/user/{}", mario.key), json!({ "scope": "viewer" })).await.expect(200);
        program.post("/tag", json!({ "name": "x" })).await.expect(403);
        site.clock.advance_seconds(16 * 3600 + 86_398);
        program.get("/whoami").await.expect(200);
        site.clock.advance_seconds(1);
        program.get("/whoami").await.expect(401);
    }
}
