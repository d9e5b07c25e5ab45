use testkit::{json, on_both_engines};

on_both_engines! {
    async fn a_session_from_sign_in_to_close(site) {
        let operator = site.new_user("mario", "operator").await;
        let answer = operator.try_sign_in(site.password()).await.expect(200);
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("pragma"), "no-cache");
        assert_eq!(answer.body["detail"], json!({ "action": "start_session", "user_key": operator.key }));
        assert_eq!(answer.body["token_type"], "bearer");
        assert_eq!(answer.body["expires_in"], 86_400);

        let operator = operator.with_token(answer.body["access_token"].as_str().unwrap());
        let session = operator.open_session().await;
        assert_eq!(operator.open_session().await, session, "again: the same session");
        let me = operator.get("/whoami").await.detail();
        assert_eq!(me["username"], "mario");
        operator.delete(&format!("/session/{session}")).await.expect(200);
        operator.get("/whoami").await.expect(401);
    }
}
