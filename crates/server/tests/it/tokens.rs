//! Tokens that are none, are over, or were tampered with.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Method;
use sha2::Sha256;
use store::Tx;
use store::security::{throttle, tokens};
use testkit::{Engine, Site, block_on, json, on_both_engines};

on_both_engines! {
    async fn every_bad_token_is_refused_alike(site) {
        let mario = site.user("mario", "operator").await;
        let token = mario.token.clone().unwrap();
        let parts: Vec<&str> = token.split('.').collect();
        let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
        let bad = [
            format!("{none}.{}.", parts[1]),
            format!("{none}.{}.{}", parts[1], parts[2]),
            format!("{}.{}", parts[0], parts[1]),
            format!("{token}x"),
            "x".to_owned(),
            "..".to_owned(),
            "ü.ü.ü".to_owned(),
        ];
        let missing = site.visitor("").get("/whoami").await.expect(401);
        assert_eq!(missing.header("www-authenticate"), "Bearer");
        assert_eq!(missing.body["detail"]["code"], "token");
        for token in bad {
            let answer = mario.with_token(&token).get("/whoami").await.expect(401);
            assert_eq!(answer.body, missing.body, "{token}");
        }
        let basic = site.visitor("").request(Method::GET, "/whoami").basic_auth("admin", Some("x"));
        mario.send(basic).await.expect(401);
        let lower = site.visitor("").request(Method::GET, "/whoami").header("authorization", format!("bearer {token}"));
        mario.send(lower).await.expect(200);
    }

    async fn a_disabled_or_deleted_user_is_out_at_once(site) {
        let mario = site.user("mario", "operator").await;
        mario.get("/whoami").await.expect(200);
        site.execute("update user_account set active = false where username = 'mario'", vec![]).await;
        mario.get("/whoami").await.expect(401);
        site.execute("update user_account set active = true where username = 'mario'", vec![]).await;
        mario.get("/whoami").await.expect(200);
        site.execute("update user_account set trash = true where username = 'mario'", vec![]).await;
        mario.get("/whoami").await.expect(401);
    }

    async fn api_tokens_are_narrower_than_their_user(site) {
        let admin = site.admin().await;
        let viewer = site.api_token(&admin, "viewer").await;
        let me = viewer.get("/whoami").await.detail();
        assert_eq!((me["context"].as_str(), me["scope"].as_str()), (Some("API"), Some("viewer")));
        viewer.patch("/config", json!({})).await.expect(403);
        viewer.get("/session?all=true").await.expect(403);
        let writer = site.api_token(&admin, "admin:config:write").await;
        writer.patch("/config", json!({})).await.expect(200);
        site.execute("update user_account set scope = 'viewer' where username = 'admin'", vec![]).await;
        writer.patch("/config", json!({})).await.expect(403);

        let change = json!({ "new_password": "a brand new one", "current_password": testkit::ADMIN_PASSWORD });
        viewer.put(&format!("/user/{}/password", admin.key), change).await.expect(401);
        viewer.get("/whoami").await.expect(200);
        site.admin().await;
        viewer.get("/whoami").await.expect(200);
        viewer.post("/session", json!({ "user_key": admin.key })).await.expect(401);
        viewer.get("/whoami").await.expect(401);
    }

    async fn force_needs_the_word_in_both_scopes(site) {
        let victim = site.user("victim", "viewer").await;
        let session = victim.open_session().await;
        let admin = site.admin().await;
        let path = format!("/session/{session}?force=true");
        site.api_token(&admin, "viewer").await.delete(&path).await.expect(401);
        site.api_token(&admin, "production").await.delete(&path).await.expect(200);
    }

    async fn old_failures_and_tokens_are_forgotten(site) {
        let mario = site.user("mario", "operator").await;
        mario.try_sign_in("wrong password").await.expect(401);
        let app = site.app();
        let clean = async |after: i64| {
            let at = app.now().plus_seconds(after);
            let work = async move |tx: &mut Tx| {
                Ok((throttle::remove_old(tx, at).await?, tokens::remove_expired(tx, at).await?))
            };
            app.write("clean", work).await.unwrap()
        };
        assert_eq!(clean(0).await, (0, 0));
        assert_eq!(clean(24 * 3600 + 1).await, (2, 1));
        mario.get("/whoami").await.expect(401);
    }

    async fn a_session_is_not_opened_for_a_token_that_was_just_revoked(site) {
        let mario = site.new_user("mario", "operator").await;
        for _ in 0..10 {
            let first = mario.sign_in(site.password()).await;
            let (opened, _) = futures_util::future::join(
                first.post("/session", json!({ "user_key": mario.key })),
                mario.sign_in(site.password()),
            )
            .await;
            assert!([200, 401].contains(&opened.status), "{}", opened.text);
            let sql = "select count(*) from user_session join token on token.key = user_session.token_key
                       where user_session.active and token.revoked";
            assert_eq!(site.look::<i64>(sql, vec![]).await, Some(0), "no session outlives its token");
        }
    }

    async fn last_used_is_written_at_most_once_a_minute(site) {
        let mario = site.user("mario", "operator").await;
        mario.get("/whoami").await.expect(200);
        let first = site.token_last_used(&mario.key).await;
        assert_eq!(first.to_string(), "2026-03-01T08:00:00.000Z");
        site.clock.advance_seconds(59);
        mario.get("/whoami").await.expect(200);
        assert_eq!(site.token_last_used(&mario.key).await, first);
        site.clock.advance_seconds(1);
        mario.get("/whoami").await.expect(200);
        let later = site
            .eventually(async || {
                let seen = site.token_last_used(&mario.key).await;
                (seen != first).then_some(seen)
            })
            .await;
        assert_eq!(later.to_string(), "2026-03-01T08:01:00.000Z");
    }

    async fn the_check_costs_one_statement_at_most(site) {
        let mario = site.user("mario", "operator").await;
        mario.get("/whoami").await.expect(200);
        site.token_last_used(&mario.key).await;
        let (first, _) = site.statements(async { mario.get("/whoami").await.expect(200) }).await;
        assert_eq!(first, 1, "something was written since the last look");
        let (again, _) = site.statements(async { mario.get("/whoami").await.expect(200) }).await;
        let embedded = site.engine == Engine::Sqlite;
        assert_eq!(again, if embedded { 0 } else { 1 }, "only a server that owns its database knows without asking");
        let (none, _) = site.statements(async { mario.get("/hello").await.expect(200) }).await;
        assert_eq!(none, 0);
    }
}

/// Whoever knows the secret still can't make a token: its record is missing.
#[test]
fn a_well_signed_token_without_a_record_is_refused() {
    const SECRET: &str = "0123456789abcdef0123456789abcdef";
    block_on(async {
        let site = Site::start_with(Engine::Sqlite, |settings| settings.jwt_secret = Some(SECRET.to_owned())).await;
        let admin = site.admin().await;
        let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
        let claims = format!(
            r#"{{"jti":"{}","sub":"{}","ctyp":"user","iat":1,"exp":99999999999,"ctx":"USER_SESSION"}}"#,
            "0".repeat(32),
            admin.key
        );
        let body = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims));
        let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap().chain_update(&body).finalize();
        let forged = format!("{body}.{}", URL_SAFE_NO_PAD.encode(mac.into_bytes()));
        admin.with_token(&forged).get("/whoami").await.expect(401);
        site.stop().await;
    });
}
