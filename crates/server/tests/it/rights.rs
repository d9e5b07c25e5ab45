//! Scenario 8 as far as there are operations for it: rights follow the user's present scope.

use testkit::{json, on_both_engines};

on_both_engines! {
    async fn a_change_of_scope_acts_on_the_same_token(site) {
        let mario = site.user("mario", "viewer").await;
        let refused = mario.patch("/config", json!({ "company_name": "Acme" })).await.expect(403);
        assert_eq!(refused.body["detail"]["required_scope"], "admin:config:write");
        site.execute("update user_account set scope = 'viewer admin:config:write' where username = 'mario'", vec![]).await;
        mario.patch("/config", json!({ "company_name": "Acme" })).await.expect(200);
        site.execute("update user_account set scope = 'viewer administrator' where username = 'mario'", vec![]).await;
        mario.patch("/config", json!({ "company_name": "Acme" })).await.expect(403);
    }

    async fn the_table_of_scopes(site) {
        let mario = site.user("mario", "library").await;
        let scopes = mario.get("/scope").await.detail();
        let all = scopes["all"].as_array().unwrap();
        let names = |value: &testkit::Value| value.as_array().unwrap().clone();
        assert_eq!(&names(&scopes["coarse"]["admin"]["scopes"]), all);
        assert_eq!(scopes["coarse"].as_object().unwrap().len(), 7);
        assert!(scopes["coarse"]["viewer"]["description"].is_string());
        let mine = names(&scopes["mine"]);
        for scope in names(&scopes["base"]).iter().chain(&names(&scopes["coarse"]["library"]["scopes"])) {
            assert!(mine.contains(scope), "{scope}");
        }
        assert!(!mine.contains(&json!("admin:config:write")));
    }
}
