//! Scenario 8: rights follow the user's present scope, and nobody gives more than the own.

use testkit::{json, on_both_engines};

on_both_engines! {
    async fn a_change_of_scope_acts_on_the_same_token(site) {
        let admin = site.admin().await;
        let mario = site.user("mario", "viewer").await;
        let field = json!({ "name": "Torque", "type": "number" });
        let refused = mario.post("/field", field.clone()).await.expect(403);
        assert_eq!(refused.body["detail"]["required_scope"], "quality:form:create");
        let mario_himself = format!("/user/{}", mario.key);
        admin.patch(&mario_himself, json!({ "scope": "viewer quality" })).await.expect(200);
        mario.post("/field", field).await.expect(200);
        admin.patch(&mario_himself, json!({ "scope": "viewer administrator" })).await.expect(422);
        admin.patch(&mario_himself, json!({ "scope": "viewer" })).await.expect(200);
        mario.post("/field", json!({ "name": "Angle", "type": "number" })).await.expect(403);
    }

    async fn nobody_reaches_beyond_the_own_rights(site) {
        let clerk = site.user("clerk", "viewer org:user:write org:user:create org:user:delete").await;
        let admin = site.admin().await;
        let own = format!("/user/{}", clerk.key);
        clerk.patch(&own, json!({ "scope": "viewer org:user:write admin" })).await.expect(403);
        clerk.patch(&own, json!({ "scope": "admin:config:write" })).await.expect(403);
        clerk.post("/user", json!({ "username": "friend", "scope": "library" })).await.expect(403);
        clerk.post("/user", json!({ "username": "friend", "scope": "viewer" })).await.expect(201);
        let boss = format!("/user/{}", admin.key);
        for refused in [
            clerk.patch(&boss, json!({ "active": false })).await,
            clerk.delete(&boss).await,
            clerk.delete(&format!("{boss}/password")).await,
            clerk.delete(&format!("{boss}/image")).await,
        ] {
            refused.expect(403);
        }
        admin.get("/whoami").await.expect(200);
    }

    async fn there_is_always_an_administrator(site) {
        let admin = site.admin().await;
        let own = format!("/user/{}", admin.key);
        admin.patch(&own, json!({ "active": false })).await.expect(409);
        admin.patch(&own, json!({ "scope": "library production" })).await.expect(409);
        let deputy = site.user("deputy", "admin").await;
        deputy.delete(&own).await.expect(200);
        admin.get("/whoami").await.expect(401);
        deputy.patch(&format!("/user/{}", deputy.key), json!({ "scope": "" })).await.expect(409);
    }

    /// Each of two disables the other at the same moment: one of them has to stay.
    async fn two_administrators_do_not_end_each_other(site) {
        for round in 0..5 {
            let (one, two) = (site.user(&format!("a{round}"), "admin").await, site.user(&format!("b{round}"), "admin").await);
            if round == 0 {
                let first = site.admin().await;
                one.patch(&format!("/user/{}", first.key), json!({ "active": false })).await.expect(200);
            }
            let (path_one, path_two) = (format!("/user/{}", one.key), format!("/user/{}", two.key));
            let off = json!({ "active": false });
            tokio::join!(one.patch(&path_two, off.clone()), two.patch(&path_one, off));
            let sql = "select count(*) from user_account where active and not trash and scope = 'admin'";
            let left: i64 = site.look(sql, vec![]).await.unwrap();
            assert!(left >= 1, "round {round}");
        }
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
