//! Scenarios 2 and 3: signing in, and being refused.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::join_all;
use reqwest::Method;
use testkit::{Engine, Site, Value, block_on, json, on_both_engines};

/// Parallel sign-ins renew a hash with older parameters, and all succeed.
fn old_hash_is_renewed(engine: Engine) {
    use argon2::password_hash::phc::PasswordHash;
    use argon2::{Algorithm, Argon2, Params, PasswordHasher, Version};
    block_on(async {
        let site = Site::start(engine).await.at_full_cost().await;
        let mario = site.new_user("mario", "operator").await;
        let old = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(8 * 1024, 1, 1, None).unwrap());
        let hash: PasswordHash = old.hash_password_with_salt(site.password().as_bytes(), &[7; 16]).unwrap();
        let sql = "update user_account set password_hash = $1 where username = 'mario'";
        site.execute(sql, vec![hash.to_string().into()]).await;
        for person in join_all((0..8).map(|_| mario.sign_in(site.password()))).await {
            assert!(person.token.is_some());
        }
        let stored: Option<String> =
            site.look("select password_hash from user_account where username = 'mario'", vec![]).await;
        assert!(stored.unwrap().contains("m=19456,t=2,p=1"));
        site.check_audit().await;
        site.stop().await;
    });
}

#[test]
fn an_old_hash_is_renewed_on_sqlite() {
    old_hash_is_renewed(Engine::Sqlite);
}

#[test]
fn an_old_hash_is_renewed_on_postgres() {
    old_hash_is_renewed(Engine::Postgres);
}

on_both_engines! {
    async fn a_session_from_sign_in_to_close(site) {
        let operator = site.new_user("mario", "operator").await;
        let answer = operator.try_sign_in(site.password()).await.expect(200);
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("pragma"), "no-cache");
        assert_eq!(answer.body["status"], 200);
        assert_eq!(answer.body["detail"], json!({ "action": "start_session", "user_key": operator.key }));
        assert_eq!(answer.body["token_type"], "bearer");
        assert_eq!(answer.body["expires_in"], 86_400);

        let token = answer.body["access_token"].as_str().unwrap();
        let claims: Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap()).unwrap();
        assert_eq!(claims["ctx"], "USER_SESSION");
        assert_eq!(claims["ctyp"], "user");
        assert_eq!(claims["sub"], operator.key);
        assert_eq!(claims["scope"], "operator");
        assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 86_400);
        assert_eq!(claims["jti"].as_str().unwrap().len(), 32);

        let operator = operator.with_token(token);
        let started = operator.post("/session", json!({ "user_key": operator.key })).await.detail();
        assert_eq!(started["scope"], "operator");
        assert_eq!(started["preferences"]["theme"], "dark");
        assert_eq!(started["timeout"], "PT30M");
        assert_eq!(started["expires_at"], "2026-03-02T08:00:00.000Z");
        assert_eq!(operator.open_session().await, started["session_key"].as_str().unwrap(), "again: the same session");
        let (login, session) = site.user_login(&operator.key).await;
        assert_eq!(login.unwrap().to_string(), "2026-03-01T08:00:00.000Z");
        assert_eq!(session.unwrap(), started["session_key"].as_str().unwrap());
    }

    async fn wrong_unknown_and_disabled_are_the_same(site) {
        let off = site.new_user("disabled", "viewer").await;
        site.execute("update user_account set active = false where username = 'disabled'", vec![]).await;
        let gone = site.new_user("gone", "viewer").await;
        site.execute("update user_account set trash = true where username = 'gone'", vec![]).await;
        let wrong = site.visitor("admin").try_sign_in("wrong password").await.expect(401);
        assert_eq!(wrong.header("www-authenticate"), "Bearer");
        assert_eq!(wrong.body["detail"]["code"], "credentials");
        for other in [site.visitor("nobody"), off, gone] {
            let answer = other.try_sign_in(site.password()).await.expect(401);
            assert_eq!(answer.body, wrong.body, "{}", other.username);
            assert_eq!(answer.header("www-authenticate"), "Bearer");
        }
    }

    async fn ten_failures_close_the_door_for_a_quarter_of_an_hour(site) {
        site.new_user("mario", "operator").await;
        for _ in 0..10 {
            site.visitor("Mario").try_sign_in("wrong password").await.expect(401);
        }
        let refused = site.visitor("mario").try_sign_in(site.password()).await.expect(429);
        assert_eq!(refused.header("retry-after"), "900");
        site.clock.advance_seconds(600);
        let refused = site.visitor("mario").try_sign_in(site.password()).await.expect(429);
        assert_eq!(refused.header("retry-after"), "300");
        site.admin().await;
        site.clock.advance_seconds(300);
        site.visitor("mario").try_sign_in(site.password()).await.expect(200);
        site.visitor("mario").try_sign_in("wrong password").await.expect(401);
    }

    async fn a_success_clears_the_count(site) {
        let mario = site.new_user("mario", "operator").await;
        for _ in 0..2 {
            for _ in 0..9 {
                mario.try_sign_in("wrong password").await.expect(401);
            }
            mario.try_sign_in(site.password()).await.expect(200);
        }
    }

    async fn an_address_has_a_limit_of_its_own(site) {
        for batch in 0..10 {
            let tries = (0..10).map(|index| {
                let visitor = site.visitor(&format!("nobody{batch}-{index}"));
                async move { visitor.try_sign_in("wrong password").await }
            });
            for answer in join_all(tries).await {
                answer.expect(401);
            }
        }
        site.visitor("admin").try_sign_in(testkit::ADMIN_PASSWORD).await.expect(429);
    }

    async fn parallel_guesses_pass_by_the_size_of_the_pool_at_most(site) {
        site.new_user("mario", "operator").await;
        let guesses = (0..40).map(|_| {
            let mario = site.visitor("mario");
            async move { mario.try_sign_in("wrong password").await.status }
        });
        let answers = join_all(guesses).await;
        let checked = answers.iter().filter(|status| **status == 401).count();
        assert!((10..=10 + 8).contains(&checked), "{checked} of 40 were looked at");
        assert!(answers.iter().all(|status| [401, 429].contains(status)));
    }

    async fn a_refused_form_repeats_no_password(site) {
        let visitor = site.visitor("admin");
        let only = [("password", "s3cret-s3cret")];
        let answer = visitor.send(visitor.request(Method::POST, "/auth").form(&only)).await.expect(422);
        assert!(!answer.text.contains("s3cret"), "{}", answer.text);
        let long = "s3cret".repeat(300);
        let answer = visitor.try_sign_in(&long).await.expect(422);
        assert!(!answer.text.contains("s3cret"), "{}", answer.text);
    }

    async fn the_form_is_checked_whole(site) {
        let visitor = site.visitor("admin");
        visitor.post("/auth", json!({ "username": "admin", "password": "x" })).await.expect(415);
        let form = [("username", ""), ("grant_type", "code"), ("extra", "1")];
        let answer = visitor.send(visitor.request(Method::POST, "/auth").form(&form)).await;
        let mut faults = answer.faults();
        faults.sort();
        assert_eq!(
            faults,
            ["enum body.grant_type", "extra_forbidden body.extra", "missing body.password", "string_too_short body.username"]
        );
        let all = [
            ("username", "admin"),
            ("password", testkit::ADMIN_PASSWORD),
            ("grant_type", "password"),
            ("scope", "whatever"),
            ("client_id", "a"),
            ("client_secret", "b"),
        ];
        visitor.send(visitor.request(Method::POST, "/auth").form(&all)).await.expect(200);
    }
}
