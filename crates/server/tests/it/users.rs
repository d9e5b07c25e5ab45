//! People as an administrator keeps them.

use futures_util::future::join_all;
use testkit::{Method, Value, json, on_both_engines};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nportrait";
const JPEG: &[u8] = b"\xff\xd8\xff\xe0portrait";

on_both_engines! {
    async fn a_user_is_made_signs_in_and_is_shown(site) {
        let admin = site.admin().await;
        let assembly = json!({ "_key": "asm", "name": "Assembly", "code": "A1" });
        admin.post("/department", assembly).await.expect(201);
        let body = json!({
            "_key": "mario", "username": " Mario.Rossi ", "scope": " operator  viewer ", "name": "Mario", "surname": "Rossi",
            "email": "mario@plant.example", "department_key": "asm", "hourly_cost": 31.25,
            "preferences": { "theme": "light", "mine": [1] }
        });
        let made = admin.post("/user", body).await.expect(201);
        assert_eq!(made.header("cache-control"), "no-store");
        assert_eq!(made.body["detail"]["user_key"], "mario");
        let password = made.body["detail"]["temp_psw"].as_str().unwrap();
        assert_eq!(password.len(), 16);
        let signed = site.visitor("mario.rossi").try_sign_in(password).await.expect(200);
        assert_eq!(signed.body["detail"]["action"], "reset_password");

        let user = admin.get("/user/mario").await.detail();
        assert_eq!(user["_id"], "User/mario");
        assert_eq!(user["username"], "Mario.Rossi");
        assert_eq!(user["scope"], "operator viewer");
        assert_eq!(user["department"], json!({ "_key": "asm", "name": "Assembly", "code": "A1" }));
        assert_eq!(user["hourly_cost"], 31.25);
        assert_eq!((&user["site_key"], &user["active"], &user["reset_password"]), (&json!("0"), &json!(true), &json!(true)));
        assert_eq!(user["preferences"]["theme"], "light");
        assert_eq!(user["preferences"]["job_selection_layout"], "card");
        assert_eq!((&user["logged_in"], &user["image"], &user["trash"]), (&json!(false), &Value::Null, &json!(false)));
        let viewer = site.user("viewer", "viewer").await;
        assert_eq!(viewer.get("/user/mario").await.detail()["hourly_cost"], Value::Null, "not everybody's business");
        let log = admin.get("/audit?operation=create_user").await;
        assert!(!log.text.contains(password), "the password is in no log");
        assert_eq!(log.body[0]["targets"], json!(["User/mario"]));
        admin.get("/user/nobody").await.expect(404);
    }

    async fn what_does_not_fit_is_said_at_once(site) {
        let admin = site.admin().await;
        let wrong = json!({
            "username": "a b", "scope": "viewer chief", "email": "no-at", "hourly_cost": -1, "department_key": "a b",
            "site_key": "", "preferences": { "theme": "pink" }, "nickname": "x"
        });
        let faults = admin.post("/user", wrong).await.faults();
        for fault in [
            "string_pattern_mismatch body.email", "greater_than_equal body.hourly_cost", "extra_forbidden body.nickname",
            "string_pattern_mismatch body.department_key", "string_too_short body.site_key",
        ] {
            assert!(faults.contains(&fault.to_owned()), "{fault}: {faults:?}");
        }
        let wrong = json!({ "username": "a b", "scope": "viewer chief", "preferences": { "theme": "pink" }, "_key": "api-tokens" });
        let faults = admin.post("/user", wrong).await.faults();
        assert_eq!(faults, [
            "value_error body.username", "value_error body.scope", "enum body.preferences.theme", "value_error body._key"
        ]);
        let other = json!({ "_key": "other", "email": "no-at", "hourly_cost": "-1.50" });
        let refused = admin.patch(&format!("/user/{}", admin.key), other).await;
        let faults = ["string_pattern_mismatch body.email", "greater_than_equal body.hourly_cost", "value_error body._key"];
        assert_eq!(refused.faults(), faults);
        let sent: Vec<&Value> = refused.body["detail"].as_array().unwrap().iter().map(|fault| &fault["input"]).collect();
        assert_eq!(sent, [&json!("no-at"), &json!("-1.50"), &json!("other")], "as it was sent");
        let malformed = admin.patch(&format!("/user/{}", admin.key), json!({ "_key": "a b" })).await;
        assert_eq!(malformed.faults(), ["string_pattern_mismatch body._key"]);
        let nowhere = json!({ "username": "x", "scope": "", "department_key": "nowhere" });
        assert_eq!(admin.post("/user", nowhere).await.faults(), ["value_error body.department_key"]);
        admin.post("/user", json!({ "_key": "k", "username": "Anna", "scope": "" })).await.expect(201);
        admin.post("/user", json!({ "_key": "z", "username": "Zoe", "scope": "" })).await.expect(201);
        for (username, why) in [("ANNA", "The username is taken."), ("Аnna", "The username looks like that of another user.")] {
            let made = admin.post("/user", json!({ "username": username, "scope": "" })).await.expect(409);
            let renamed = admin.patch("/user/z", json!({ "username": username })).await.expect(409);
            assert_eq!((&made.body["detail"], &renamed.body["detail"]), (&json!(why), &json!(why)));
        }
        admin.patch("/user/k", json!({ "username": "ANNA" })).await.expect(200);
        admin.post("/user", json!({ "_key": "k", "username": "other", "scope": "" })).await.expect(409);
    }

    async fn lists_are_sorted_searched_and_cut(site) {
        let admin = site.admin().await;
        for (username, name, surname) in
            [("u1", Some("Zoe"), Some("alpha")), ("u2", Some("anna"), Some("Alpha")), ("u3", None, Some("Écarté")), ("u4", Some("x"), None)]
        {
            let body = json!({ "username": username, "scope": "operator", "name": name, "surname": surname });
            admin.post("/user", body).await.expect(201);
        }
        let names = async |query: &str| -> Vec<String> {
            let users = admin.get(&format!("/user{query}")).await.detail();
            users.as_array().unwrap().iter().map(|user| user["username"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names("?scope=operator").await, ["u2", "u1", "u3", "u4", "admin"]);
        assert_eq!(names("").await.last().unwrap(), "admin", "without names last");
        assert_eq!(names("?search=ALPH").await, ["u2", "u1"]);
        assert_eq!(names("?search=éca").await, ["u3"]);
        assert_eq!(names("?search=U4").await, ["u4"]);
        assert_eq!(names("?scope=OPERATOR").await, Vec::<String>::new());
        assert_eq!(names("?scope=oper").await, Vec::<String>::new());
        assert_eq!(names("?scope=operator&limit=2&offset=1").await, ["u1", "u3"]);
        let counted = admin.get("/user?scope=operator&limit=1&count=true").await;
        assert_eq!(counted.header("x-total-count"), "5");
        let user = &admin.get("/user?search=u1").await.detail()[0];
        for hidden in ["preferences", "reset_password", "last_user_session", "trash", "password_hash"] {
            assert!(user.get(hidden).is_none(), "{hidden}");
        }
        let key = user["_key"].as_str().unwrap();
        admin.patch(&format!("/user/{key}"), json!({ "active": false })).await.expect(200);
        assert_eq!(names("?search=alph").await, ["u2"]);
        assert_eq!(names("?search=alph&active_only=false").await, ["u2", "u1"]);
    }

    async fn changes_merge_clear_and_respect_revisions(site) {
        let admin = site.admin().await;
        let mario = site.new_user("mario", "operator").await;
        let path = format!("/user/{}", mario.key);
        let all = json!({ "name": "Mario", "email": "m@x", "hourly_cost": 12, "preferences": { "a": 1, "theme": "light" } });
        let first = admin.patch(&path, all).await.detail();
        let some = json!({ "_id": "ignored", "_rev": "ignored", "last_login": 3, "email": null, "preferences": { "a": null, "b": 2 } });
        let second = admin.patch(&path, some).await.detail();
        assert_eq!((&second["name"], &second["email"], &second["hourly_cost"]), (&json!("Mario"), &Value::Null, &json!(12)));
        assert_eq!((&second["preferences"]["theme"], &second["preferences"]["b"]), (&json!("light"), &json!(2)));
        assert!(second["preferences"].get("a").is_none());
        assert_ne!(first["_rev"], second["_rev"]);
        let with = |rev: &Value| admin.request(Method::PATCH, &path).header("if-match", rev.as_str().unwrap()).json(&json!({}));
        admin.send(with(&first["_rev"])).await.expect(412);
        admin.send(with(&second["_rev"])).await.expect(200);
        assert_eq!(admin.patch(&path, json!({ "username": null })).await.faults(), ["string_type body.username"]);
        assert_eq!(admin.patch(&path, json!({ "_key": "other" })).await.faults(), ["value_error body._key"]);
        site.new_user("luigi", "").await;
        admin.patch(&path, json!({ "username": "LUIGI" })).await.expect(409);
        admin.patch("/user/nobody", json!({})).await.expect(404);
    }

    async fn a_disabled_user_is_out_at_once_and_comes_back(site) {
        let admin = site.admin().await;
        let mario = site.user("mario", "operator").await;
        let program = site.api_token(&mario, "operator").await;
        let session = mario.open_session().await;
        let path = format!("/user/{}", mario.key);
        assert_eq!(admin.get(&path).await.detail()["logged_in"], true);
        let off = admin.patch(&path, json!({ "active": false })).await.detail();
        assert_eq!((&off["active"], &off["logged_in"]), (&json!(false), &json!(false)));
        mario.get("/whoami").await.expect(401);
        program.get("/whoami").await.expect(401);
        assert!(site.session_ended(&session).await);
        mario.try_sign_in(site.password()).await.expect(401);
        admin.patch(&path, json!({ "active": true })).await.expect(200);
        mario.get("/whoami").await.expect(401);
        program.get("/whoami").await.expect(200);
    }

    async fn the_trash_keeps_the_record_and_frees_the_name(site) {
        let admin = site.admin().await;
        let mario = site.user("mario", "operator").await;
        let program = site.api_token(&mario, "operator").await;
        let path = format!("/user/{}", mario.key);
        assert_eq!(admin.delete(&path).await.detail(), json!({ "user_key": mario.key }));
        for gone in [&mario, &program] {
            gone.get("/whoami").await.expect(401);
        }
        admin.delete(&path).await.expect(404);
        admin.patch(&path, json!({})).await.expect(404);
        let kept = admin.get(&path).await.detail();
        assert_eq!((&kept["trash"], &kept["active"]), (&json!(true), &json!(false)));
        assert!(!admin.get("/user?active_only=false").await.text.contains(&mario.key));
        admin.post("/user", json!({ "username": "mario", "scope": "" })).await.expect(201);
        admin.delete(&format!("/user/{}", admin.key)).await.expect(409);
    }

    async fn a_reset_password_signs_out_and_is_shown_once(site) {
        let admin = site.admin().await;
        let mario = site.user("mario", "operator").await;
        let program = site.api_token(&mario, "operator").await;
        let reset = admin.delete(&format!("/user/{}/password", mario.key)).await.expect(200);
        assert_eq!(reset.header("cache-control"), "no-store");
        let password = reset.body["detail"]["temp_psw"].as_str().unwrap();
        mario.get("/whoami").await.expect(401);
        program.get("/whoami").await.expect(200);
        mario.try_sign_in(site.password()).await.expect(401);
        let again = mario.try_sign_in(password).await.expect(200);
        assert_eq!(again.body["detail"]["action"], "reset_password");
        assert!(!admin.get("/audit").await.text.contains(password));
        admin.delete("/user/nobody/password").await.expect(404);
    }

    async fn a_portrait_comes_changes_and_goes(site) {
        let admin = site.admin().await;
        let path = format!("/user/{}/image", admin.key);
        let set = admin.upload(Method::PUT, &path, &[], &[("new_image", "me.bmp", PNG)]).await.detail();
        let address = format!("/media/user/{}/image.png", admin.key);
        assert_eq!(set["image"], address);
        assert_eq!(admin.get(&format!("/user/{}", admin.key)).await.detail()["image"], address);
        assert_eq!(admin.media(&address).await.bytes().await.unwrap(), PNG);
        let set = admin.upload(Method::PUT, &path, &[], &[("new_image", "me.png", JPEG)]).await.detail();
        assert_eq!(set["image"], address.replace(".png", ".jpg"));
        assert_eq!(admin.media(&address).await.status(), 404);
        assert_eq!(site.objects(), 1);
        admin.upload(Method::PUT, &path, &[], &[("new_image", "me.png", b"GIF89a")]).await.expect(415);
        let large = [PNG, &[0; 5 * 1024 * 1024]].concat();
        admin.upload(Method::PUT, &path, &[], &[("new_image", "me.png", &large)]).await.expect(413);
        admin.upload(Method::PUT, "/user/nobody/image", &[], &[("new_image", "me.png", PNG)]).await.expect(404);
        let nothing = admin.upload(Method::PUT, &path, &[("x", "1")], &[]).await;
        assert_eq!(nothing.faults(), ["extra_forbidden body.x", "missing body.new_image"]);
        assert_eq!(site.objects(), 1, "what is refused leaves nothing");
        assert_eq!(admin.delete(&path).await.detail(), json!({ "image": null }));
        admin.delete(&path).await.expect(200);
        assert_eq!(site.objects(), 0);
    }

    async fn many_of_one_name_at_once_make_one(site) {
        let admin = site.admin().await;
        let tries = (0..12).map(|_| admin.post("/user", json!({ "username": "Twin", "scope": "" })));
        let mut answers: Vec<u16> = join_all(tries).await.iter().map(|answer| answer.status).collect();
        answers.sort_unstable();
        assert_eq!(answers, [&[201][..], &[409; 11]].concat());
    }
}
