//! A request that is sent again under its key changes nothing and gets the same answer.

use futures_util::future::join_all;
use reqwest::RequestBuilder;
use testkit::{Answer, Method, Person, form, json, on_both_engines};

fn keyed(request: RequestBuilder, key: &str) -> RequestBuilder {
    request.header("idempotency-key", key)
}

async fn post_tag(person: &Person, key: &str, name: &str) -> Answer {
    person.send(keyed(person.request(Method::POST, "/tag"), key).json(&json!({ "name": name }))).await
}

on_both_engines! {
    async fn the_first_answer_is_repeated(site) {
        let admin = site.admin().await;
        let first = post_tag(&admin, "k1", "one").await.expect(200);
        assert_eq!(first.header("idempotency-replayed"), "");
        let again = post_tag(&admin, "k1", "one").await.expect(200);
        assert_eq!((again.header("idempotency-replayed"), &again.text), ("true", &first.text));
        assert_eq!(site.count("tag").await, 1);
        let path = format!("/tag/{}", first.body["detail"]["_key"].as_str().unwrap());
        let delete = || admin.send(keyed(admin.request(Method::DELETE, &path), "k2"));
        let gone = delete().await.expect(200);
        assert_eq!(delete().await.expect(200).text, gone.text, "though it is gone by now");
        let other = site.user("mario", "library").await;
        post_tag(&other, "k1", "one").await.expect(200);
        assert_eq!(site.count("tag").await, 1, "keys belong to their user");
    }

    async fn another_request_under_the_key_is_refused(site) {
        let admin = site.admin().await;
        post_tag(&admin, "k", "one").await.expect(200);
        let mismatch = ["idempotency_mismatch header.Idempotency-Key"];
        assert_eq!(post_tag(&admin, "k", "two").await.faults(), mismatch);
        let elsewhere = keyed(admin.request(Method::POST, "/department"), "k").json(&json!({ "name": "one" }));
        assert_eq!(admin.send(elsewhere).await.faults(), mismatch);
        let query = keyed(admin.request(Method::POST, "/tag?x=1"), "k").json(&json!({ "name": "one" }));
        assert_eq!(admin.send(query).await.faults(), mismatch);
        for bad in ["", "a b", &"x".repeat(129)] {
            assert_eq!(post_tag(&admin, bad, "one").await.faults(), ["value_error header.Idempotency-Key"], "{bad:?}");
        }
        assert_eq!(site.count("tag").await, 1);
    }

    async fn a_bad_key_does_not_hide_other_faults(site) {
        let admin = site.admin().await;
        let request = keyed(admin.request(Method::POST, "/tag"), "a b").json(&json!({ "color": "red" }));
        let faults = admin.send(request).await.faults();
        assert_eq!(faults.len(), 3, "{faults:?}");
    }

    async fn a_refusal_is_not_kept(site) {
        let admin = site.admin().await;
        admin.post("/tag", json!({ "_key": "t", "name": "x" })).await.expect(200);
        let make = || admin.send(keyed(admin.request(Method::POST, "/tag"), "k").json(&json!({ "_key": "t", "name": "y" })));
        make().await.expect(409);
        admin.delete("/tag/t").await.expect(200);
        assert_eq!(make().await.expect(200).header("idempotency-replayed"), "");
        assert_eq!(make().await.expect(200).header("idempotency-replayed"), "true");
    }

    async fn a_key_counts_for_a_day(site) {
        let program = site.admin().await;
        let program = site.api_token(&program, "library").await;
        post_tag(&program, "k", "one").await.expect(200);
        site.clock.advance_seconds(3500);
        assert_eq!(post_tag(&program, "k", "one").await.header("idempotency-replayed"), "true");
        site.clock.advance_seconds(24 * 3600 - 3500);
        let admin = site.admin().await;
        let before = site.count("tag").await;
        let late = admin.send(keyed(admin.request(Method::POST, "/tag"), "k").json(&json!({ "name": "two" }))).await.expect(200);
        assert_eq!((late.header("idempotency-replayed"), site.count("tag").await), ("", before + 1));
        let cleaned = site.app().db.write("clean", async move |tx: &mut store::Tx| {
            store::idempotency::remove_old(tx, domain::Timestamp::parse("2026-04-01").unwrap()).await
        });
        assert_eq!(cleaned.await.unwrap(), 1);
    }

    async fn secrets_are_never_kept(site) {
        let admin = site.admin().await;
        let make = |name: &str| {
            let body = json!({ "username": name, "scope": "" });
            admin.send(keyed(admin.request(Method::POST, "/user"), "k").json(&body))
        };
        make("one").await.expect(201);
        make("two").await.expect(201);
        assert_eq!(site.count("idempotency").await, 0);
        let password = json!({ "current_password": testkit::ADMIN_PASSWORD, "new_password": "another password" });
        let change = || {
            let path = format!("/user/{}/password", admin.key);
            admin.send(keyed(admin.request(Method::PUT, &path), "p").json(&password))
        };
        change().await.expect(200);
        assert_eq!(change().await.expect(200).header("idempotency-replayed"), "true", "the old password proves nothing now");
    }

    /// Every signature is checked anew, and a key that is no key does not matter where it is ignored.
    async fn a_signature_is_never_repeated(site) {
        let admin = site.admin().await;
        let witness = site.new_user("witness", "quality").await;
        let sign = async |key: &str, password: &str| {
            let path = format!("/user/{}/verify", witness.key);
            admin.send(keyed(admin.request(Method::POST, &path), key).json(&json!({ "password": password }))).await
        };
        for key in ["k", "k", &"x".repeat(200)] {
            assert_eq!(sign(key, site.password()).await.expect(200).header("idempotency-replayed"), "");
        }
        sign("k", "wrong").await.expect(401);
        admin.delete(&format!("/user/{}", witness.key)).await.expect(200);
        sign("k", site.password()).await.expect(401);
        assert_eq!(site.count("idempotency").await, 0);
        let body = json!({ "username": "one", "scope": "" });
        admin.send(keyed(admin.request(Method::POST, "/user"), &"x".repeat(200)).json(&body)).await.expect(201);
        let path = format!("/user/{}/password", admin.key);
        admin.send(keyed(admin.request(Method::DELETE, &path), &"x".repeat(200))).await.expect(200);
    }

    async fn of_a_long_answer_the_counts_are_kept(site) {
        let admin = site.admin().await;
        let long = "x".repeat(700_000);
        admin.patch("/config", json!({ "a": long })).await.expect(200);
        let change = async || {
            let body = json!({ "b": long });
            admin.send(keyed(admin.request(Method::PATCH, "/config"), "k").json(&body)).await.expect(200)
        };
        let (first, again) = (change().await, change().await);
        assert!(first.text.len() > 1_400_000 && again.text.len() < 2_000, "{}", again.text.len());
        assert_eq!(again.header("idempotency-replayed"), "true");
        assert_eq!((&again.body["status"], &again.body["message"]), (&json!(200), &first.body["message"]));
        assert_eq!(again.body["detail"]["operator_cost"], 25);
        assert!(again.body["detail"].get("a").is_none());
    }

    async fn uploads_are_told_apart_by_their_parts(site) {
        let admin = site.admin().await;
        let send = async |name: &str, bytes: &[u8]| {
            let fields = [("bucket", "user"), ("object_key", admin.key.as_str())];
            let body = form(&fields, &[("contents", name, bytes)]);
            admin.send(keyed(admin.request(Method::POST, "/files"), "k").multipart(body)).await
        };
        let first = send("a.txt", b"1").await.expect(200);
        let again = send("a.txt", b"1").await.expect(200);
        assert_eq!((again.header("idempotency-replayed"), &again.text), ("true", &first.text), "with another boundary");
        assert_eq!(site.objects(), 1, "bytes that were sent again are not kept");
        assert_eq!(send("a.txt", b"2").await.faults(), ["idempotency_mismatch header.Idempotency-Key"]);
        assert_eq!(site.objects(), 1);
    }

    async fn many_at_once_do_it_once(site) {
        let admin = site.admin().await;
        let answers = join_all((0..16).map(|_| post_tag(&admin, "k", "one"))).await;
        let fresh = answers.iter().filter(|answer| answer.header("idempotency-replayed").is_empty()).count();
        assert!(answers.iter().all(|answer| answer.status == 200 && answer.text == answers[0].text));
        assert_eq!((fresh, site.count("tag").await), (1, 1));
        assert_eq!(site.count("audit").await, 2, "a repetition is not another deed");
    }
}
