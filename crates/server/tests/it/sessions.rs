//! Scenarios 4, 6 and 7: one session at a time, a token in the wrong hands, closing.

use testkit::{json, on_both_engines};

on_both_engines! {
    async fn single_policy_ends_the_earlier_session(site) {
        let first = site.user("mario", "operator").await;
        let session = first.open_session().await;
        let second = site.visitor("mario").sign_in(site.password()).await;
        first.get("/whoami").await.expect(401);
        second.get("/whoami").await.expect(200);
        assert!(site.session_ended(&session).await, "the first session has its end");
    }

    async fn a_password_reset_sign_in_ends_sessions_too(site) {
        let first = site.user("mario", "operator").await;
        site.execute("update user_account set reset_password = true where username = 'mario'", vec![]).await;
        site.visitor("mario").sign_in(site.password()).await;
        first.get("/whoami").await.expect(401);
    }

    async fn multiple_policy_lets_both_stand(site) {
        site.admin().await.patch("/config", json!({ "session_policy": "multiple" })).await.expect(200);
        let first = site.user("mario", "operator").await;
        let session = first.open_session().await;
        let second = site.visitor("mario").sign_in(site.password()).await;
        first.get("/whoami").await.expect(200);
        second.get("/whoami").await.expect(200);
        site.clock.advance_seconds(25 * 3600);
        site.visitor("mario").sign_in(site.password()).await;
        assert!(site.session_ended(&session).await, "its token's time was over");
    }

    async fn a_token_for_somebody_else_is_revoked(site) {
        let mario = site.user("mario", "operator").await;
        let answer = mario.post("/session", json!({ "user_key": "somebody" })).await.expect(401);
        assert_eq!(answer.body["detail"]["code"], "owner");
        mario.get("/whoami").await.expect(401);
    }

    async fn a_reset_token_opens_no_session_and_is_revoked(site) {
        site.new_user("mario", "operator").await;
        site.execute("update user_account set reset_password = true where username = 'mario'", vec![]).await;
        let mario = site.visitor("mario").sign_in(site.password()).await;
        mario.post("/session", json!({ "user_key": mario.key })).await.expect(401);
        mario.get("/whoami").await.expect(401);
    }

    async fn closing_ones_own(site) {
        let mario = site.user("mario", "operator").await;
        let session = mario.open_session().await;
        let closed = mario.delete(&format!("/session/{session}?force=")).await.detail();
        assert_eq!(closed, json!({ "session_key": session }));
        mario.get("/whoami").await.expect(401);
        let mario = site.visitor("mario").sign_in(site.password()).await;
        mario.delete(&format!("/session/{session}?force=null")).await.expect(200);
        mario.delete("/session/unknown").await.expect(404);
        mario.delete("/session/0000000000000").await.expect(404);
        mario.get("/whoami").await.expect(200);
        mario.delete(&format!("/session/{session}?force=maybe")).await.expect(422);
    }

    async fn closing_with_an_expired_token(site) {
        site.admin().await.patch("/config", json!({ "session_policy": "multiple" })).await.expect(200);
        let mario = site.user("mario", "operator").await;
        let session = mario.open_session().await;
        let other = site.visitor("mario").sign_in(site.password()).await;
        let other_session = other.open_session().await;
        site.clock.advance_seconds(24 * 3600 - 1);
        mario.get("/whoami").await.expect(200);
        site.clock.advance_seconds(1);
        mario.get("/whoami").await.expect(401);
        mario.delete(&format!("/session/{other_session}")).await.expect(401);
        mario.delete(&format!("/session/{session}")).await.expect(200);
        mario.delete(&format!("/session/{session}")).await.expect(401);
    }

    async fn closing_a_foreign_one(site) {
        let victim = site.user("victim", "viewer").await;
        let session = victim.open_session().await;
        let path = format!("/session/{session}");
        let operator = site.user("operator", "operator").await;
        let answer = operator.delete(&path).await.expect(401);
        assert_eq!(answer.body["detail"]["code"], "owner");
        operator.delete(&format!("{path}?force=true")).await.expect(401);
        let planner = site.user("planner", "production").await;
        planner.delete(&path).await.expect(401);
        victim.get("/whoami").await.expect(200);
        planner.delete(&format!("{path}?force=true")).await.expect(200);
        victim.get("/whoami").await.expect(401);
        planner.delete(&format!("{path}?force=true")).await.expect(200);
    }

    async fn the_list_shows_who_is_there(site) {
        let mario = site.user("mario", "operator").await;
        let session = mario.open_session().await;
        site.clock.advance_seconds(60);
        let planner = site.user("planner", "production").await;
        planner.open_session().await;

        let own = mario.get("/session").await.expect(200).body;
        assert_eq!(own.as_array().unwrap().len(), 1);
        assert_eq!(own[0]["_key"], session);
        assert_eq!(own[0]["_id"], format!("UserSession/{session}"));
        assert_eq!(own[0]["username"], "mario");
        assert_eq!(own[0]["current"], true);
        assert_eq!(own[0]["active"], true);
        assert_eq!(own[0]["address"], "127.0.0.1");
        mario.get("/session?all=true").await.expect(403);
        mario.get(&format!("/session?user_key={}", planner.key)).await.expect(403);
        mario.get(&format!("/session?user_key={}", mario.key)).await.expect(200);

        let all = planner.get("/session?all=true&count=true").await.expect(200);
        assert_eq!(all.header("x-total-count"), "2");
        assert_eq!(all.body[0]["username"], "planner", "newest first");
        assert_eq!(all.body[1]["current"], false);
        let page = planner.get("/session?all=true&limit=1&offset=1&count=true").await.expect(200);
        assert_eq!(page.header("x-total-count"), "2");
        assert_eq!(page.body.as_array().unwrap().len(), 1);
        assert_eq!(page.body[0]["username"], "mario");
        let of_mario = planner.get(&format!("/session?user_key={}", mario.key)).await.expect(200);
        assert_eq!(of_mario.body.as_array().unwrap().len(), 1);
        let bad = planner.get("/session?limit=0&offset=-1&all=x&count=2").await;
        let mut faults = bad.faults();
        faults.sort();
        assert_eq!(faults, ["bool_type query.all", "bool_type query.count", "greater_than_equal query.limit", "greater_than_equal query.offset"]);
        planner.get("/session?limit=10001").await.expect(422);
        site.clock.advance_seconds(25 * 3600);
        let planner = site.visitor("planner").sign_in(site.password()).await;
        assert_eq!(planner.get("/session?all=true").await.expect(200).body, json!([]), "their tokens have run out");
    }
}
