//! Changing one's password and verifying another's.

use futures_util::future::join_all;
use testkit::{json, on_both_engines};

on_both_engines! {
    async fn changing_ones_own(site) {
        site.admin().await.patch("/config", json!({ "session_policy": "multiple" })).await.expect(200);
        let mario = site.user("mario", "operator").await;
        let elsewhere = site.visitor("mario").sign_in(site.password()).await;
        let elsewhere_session = elsewhere.open_session().await;
        let path = format!("/user/{}/password", mario.key);
        let bad = mario.put(&path, json!({ "new_password": "MARIO" })).await;
        let mut faults = bad.faults();
        faults.sort();
        assert_eq!(faults, ["missing body.current_password", "value_error body.new_password"]);
        assert!(!bad.text.contains("MARIO"), "a refused password is not repeated");

        let wrong = json!({ "new_password": "a brand new one", "current_password": "wrong" });
        let refused = mario.put(&path, wrong).await.expect(401);
        assert_eq!(refused.body["detail"]["code"], "credentials");
        let right = json!({ "new_password": "a brand new one", "current_password": site.password() });
        assert_eq!(mario.put(&path, right).await.detail(), testkit::Value::Null);
        mario.get("/whoami").await.expect(200);
        elsewhere.get("/whoami").await.expect(401);
        assert!(site.session_ended(&elsewhere_session).await);
        site.visitor("mario").try_sign_in(site.password()).await.expect(401);
        site.visitor("mario").sign_in("a brand new one").await;
    }

    async fn nobody_elses(site) {
        let mario = site.user("mario", "operator").await;
        let luigi = site.new_user("luigi", "operator").await;
        let body = json!({ "new_password": "a brand new one", "current_password": site.password() });
        let refused = mario.put(&format!("/user/{}/password", luigi.key), body).await.expect(401);
        assert_eq!(refused.body["detail"]["code"], "owner");
    }

    async fn a_reset_token_works_once_even_when_used_at_once(site) {
        site.new_user("mario", "operator").await;
        site.execute("update user_account set reset_password = true where username = 'mario'", vec![]).await;
        let mario = site.visitor("mario").sign_in(site.password()).await;
        let path = format!("/user/{}/password", mario.key);
        let changes = (0..6).map(|index| {
            let (mario, path) = (mario.clone(), path.clone());
            async move { mario.put(&path, json!({ "new_password": format!("new password {index}") })).await.status }
        });
        let mut statuses = join_all(changes).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 401, 401, 401, 401, 401]);
    }

    async fn verifying_a_second_signature(site) {
        let mario = site.user("mario", "operator").await;
        let witness = site.new_user("witness", "quality").await;
        let path = format!("/user/{}/verify", witness.key);
        let verified = mario.post(&path, json!({ "password": site.password() })).await.detail();
        assert_eq!(verified, json!({ "user_key": witness.key, "verified": true }));
        let wrong = mario.post(&path, json!({ "password": "wrong" })).await.expect(401);
        assert_eq!(wrong.body["detail"]["code"], "credentials");
        let unknown = mario.post("/user/nobody/verify", json!({ "password": "wrong" })).await.expect(401);
        assert_eq!(unknown.body, wrong.body);
        mario.post("/user/a%20b/verify", json!({ "password": "wrong" })).await.expect(422);
        let faults = mario.post(&path, json!({ "pasword": 1 })).await.faults();
        assert_eq!(faults, ["missing body.password", "extra_forbidden body.pasword"]);
        for _ in 0..9 {
            mario.post(&path, json!({ "password": "wrong" })).await.expect(401);
        }
        let full = mario.post(&path, json!({ "password": site.password() })).await.expect(429);
        assert_eq!(full.header("retry-after"), "900");
        witness.try_sign_in(site.password()).await.expect(429);
        mario.get("/whoami").await.expect(200);
    }
}
