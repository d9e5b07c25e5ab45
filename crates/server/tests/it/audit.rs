//! The log of what was done. That every request of every test left exactly one entry is checked after each of them.

use testkit::{Value, json, on_both_engines};

on_both_engines! {
    async fn an_entry_says_who_what_and_where(site) {
        let admin = site.admin().await;
        let request = admin.request(testkit::Method::POST, "/tag?note=x").header("x-request-id", "req-1");
        let tag = admin.send(request.json(&json!({ "name": "Urgent", "color": "#FF0000" }))).await.detail();
        let entry = admin.get("/audit?operation=create_tag").await.body[0].clone();
        assert_eq!(entry["targets"], json!([tag["_id"]]));
        assert_eq!(entry["summary"], json!({ "body": { "name": "Urgent", "color": "#FF0000" } }), "no parameter of that name");
        let expected = json!({
            "user_key": admin.key, "username": "admin", "method": "POST", "path": "/api/tag", "targets_total": 1,
            "outcome": "ok", "status": 200, "address": "127.0.0.1", "request_id": "req-1", "time": "2026-03-01T08:00:00.000Z"
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&entry[name], value, "{name}");
        }
        assert_eq!(entry["_id"], format!("Audit/{}", entry["_key"].as_str().unwrap()));
        assert_eq!(entry["token_key"].as_str().unwrap().len(), 32);
    }

    async fn passwords_and_failed_sign_ins(site) {
        let admin = site.admin().await;
        let mario = site.new_user("mario", "operator").await;
        mario.try_sign_in("a wrong password").await.expect(401);
        site.visitor("Ghost").try_sign_in("another wrong one").await.expect(401);
        let mario = mario.sign_in(site.password()).await;
        let body = json!({ "current_password": site.password(), "new_password": "a brand new password" });
        mario.put(&format!("/user/{}/password", mario.key), body).await.expect(200);
        let log = admin.get("/audit").await;
        for secret in ["wrong password", "wrong one", "brand new", site.password()] {
            assert!(!log.text.contains(secret), "{secret}");
        }
        let entries = admin.get("/audit?operation=sign_in&outcome=refused").await.body;
        let who: Vec<&Value> = entries.as_array().unwrap().iter().map(|entry| &entry["username"]).collect();
        assert_eq!(who, [&json!("Ghost"), &json!("mario")], "newest first, as they were sent");
        assert_eq!(entries[0]["user_key"], Value::Null);
        let change = admin.get("/audit?operation=change_password").await.body;
        assert_eq!((change.as_array().unwrap().len(), &change[0]["outcome"]), (1, &json!("ok")));
        assert!(change[0]["targets"].as_array().unwrap().contains(&json!(format!("User/{}", mario.key))));
        let signed = admin.get(&format!("/audit?operation=sign_in&outcome=ok&user_key={}", mario.key)).await.body;
        assert_eq!(signed.as_array().unwrap().len(), 1);
    }

    async fn what_is_refused_is_there_too(site) {
        let admin = site.admin().await;
        let viewer = site.user("viewer", "viewer").await;
        viewer.delete("/user/somebody").await.expect(403);
        admin.delete("/user/somebody").await.expect(404);
        admin.patch("/tag/t", json!({ "nonsense": 1 })).await.expect(422);
        let broken = admin.request(testkit::Method::POST, "/tag").header("content-type", "application/json").body("{");
        admin.send(broken).await.expect(422);
        site.visitor("").delete("/user/somebody").await.expect(401);
        let refused = viewer.get("/audit?target=User/somebody&outcome=refused").await.body;
        let statuses: Vec<&Value> = refused.as_array().unwrap().iter().map(|entry| &entry["status"]).collect();
        assert_eq!(statuses, [&json!(404), &json!(403)]);
        let shape = admin.get("/audit?operation=update_tag").await.body;
        assert_eq!((&shape[0]["targets"], &shape[0]["summary"]), (&json!(["Tag/t"]), &json!({ "body": {} })), "undeclared members are not told");
    }

    async fn whatever_is_sent_leaves_an_entry_and_no_secret(site) {
        let admin = site.admin().await;
        for key in ["a%00b", "%20", &"x".repeat(6000)] {
            admin.delete(&format!("/tag/{key}")).await.expect(422);
        }
        let verify = format!("/user/{}/verify", admin.key);
        for body in [json!("hunter22"), json!(["hunter22"]), json!({ "pass": "hunter22" }), json!({ "password": { "x": "hunter22" } })] {
            admin.post(&verify, body).await.expect(422);
        }
        admin.patch("/config", json!({ "mail": { "secret_key": "hunter22", "user": "shown" } })).await.expect(200);
        let log = admin.get("/audit").await;
        assert!(!log.text.contains("hunter22"), "{}", log.text);
        assert!(!log.text.contains("shown"), "nobody declared it");
        admin.delete("/list/F?value_key=g1&value_key=zz").await.expect(200);
        let entry = admin.get("/audit?operation=delete_choice_values").await.body[0].clone();
        assert_eq!(entry["summary"]["query"]["value_key"], json!(["g1", "zz"]));
        admin.patch(&format!("/user/{}", admin.key), json!({ "reset_password": false })).await.expect(200);
        let entry = admin.get("/audit?operation=update_user").await.body[0].clone();
        assert_eq!(entry["summary"]["body"]["reset_password"], false);
        let long = "y".repeat(5000);
        admin.post("/product", json!({ "code": "P", "production_notes": long })).await.expect(201);
        let entry = admin.get("/audit?operation=create_product").await.body[0].clone();
        assert_eq!(entry["summary"]["body"]["production_notes"], long, "up to 8 KiB");
    }

    async fn filters_combine(site) {
        let admin = site.admin().await;
        let anna = site.user("anna", "library quality").await;
        for name in ["one", "two"] {
            anna.post("/tag", json!({ "_key": name, "name": name })).await.expect(200);
            site.clock.advance_seconds(3600);
        }
        admin.delete("/tag/one").await.expect(200);
        let count = async |query: &str| admin.get(&format!("/audit?{query}")).await.expect(200).body.as_array().unwrap().len();
        assert_eq!(count("target=Tag/one").await, 2);
        assert_eq!(count("target=Tag/one&target=Tag/two").await, 3);
        assert_eq!(count(&format!("target=Tag/one&user_key={}", anna.key)).await, 1);
        assert_eq!(count("operation=create_tag&operation=delete_tag").await, 3);
        assert_eq!(count("operation=create_tag&time_from=2026-03-01T09:00:00Z").await, 1);
        assert_eq!(count("operation=create_tag&time_to=2026-03-01T08:59:59Z").await, 1);
        assert_eq!(count("operation=create_tag&time_to=2026-03-01").await, 2);
        assert_eq!(count("operation=create_tag&time_to=2026-02-28").await, 0);
        assert_eq!(count("operation=create_tag&limit=1").await, 1);
        let all = admin.get("/audit?count=true&limit=1").await;
        assert_eq!(all.header("x-total-count").parse::<i64>().unwrap(), site.count("audit").await);
        admin.get("/audit?outcome=perhaps").await.expect(422);
        site.user("lib", "library").await.get("/audit").await.expect(403);
        site.user("qa", "quality").await.get("/audit").await.expect(200);
    }

    async fn a_change_costs_few_statements(site) {
        let admin = site.admin().await;
        admin.get("/whoami").await.expect(200);
        site.token_last_used(&admin.key).await;
        let (plain, _) = site.statements(admin.post("/tag", json!({ "name": "x" }))).await;
        // Where others may write at any time, who asks is judged again: when the change begins, and at its end if it took long.
        let judged = if site.engine == testkit::Engine::Postgres { 1 } else { 0 };
        let expected = |statements: u64| statements + judged..=statements + 2 * judged;
        assert!(expected(4).contains(&plain), "token, tag, and the entry with its target: {plain}");
        let keyed = admin.request(testkit::Method::POST, "/tag").header("idempotency-key", "k").json(&json!({ "name": "x" }));
        let (keyed, _) = site.statements(admin.send(keyed)).await;
        // Where nobody else writes, the token is not looked up again: it has not changed since.
        let besides = if site.engine == testkit::Engine::Postgres { 7 } else { 6 };
        assert!(expected(besides).contains(&keyed), "looked up, claimed and kept besides: {keyed}");
    }

    async fn the_log_is_only_added_to(site) {
        let admin = site.admin().await;
        admin.post("/tag", json!({ "name": "x" })).await.expect(200);
        for statement in ["delete from audit", "update audit set outcome = 'refused'"] {
            let work = async move |tx: &mut store::Tx| tx.run(store::Sql::raw(statement), &[]).await;
            assert!(site.app().db.write("forge", work).await.is_err(), "{statement}");
        }
        assert_eq!(site.count("audit").await, 2);
    }

    async fn uploads_are_named_by_their_files(site) {
        let admin = site.admin().await;
        let files: [(&'static str, &str, &[u8]); 1] = [("contents", "a.txt", b"hello")];
        let fields = [("bucket", "user"), ("object_key", admin.key.as_str())];
        admin.upload(testkit::Method::POST, "/files", &fields, &files).await.expect(200);
        let entry = admin.get("/audit?operation=upload_files").await.body[0].clone();
        assert_eq!(entry["targets"], json!([format!("User/{}", admin.key)]));
        let parts = entry["summary"]["parts"].as_array().unwrap();
        assert_eq!(parts[2]["name"], "a.txt");
        assert_eq!((&parts[2]["size"], parts[2]["sha256"].as_str().unwrap().len()), (&json!(5), 64));
    }
}
