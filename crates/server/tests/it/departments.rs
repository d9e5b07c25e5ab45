use futures_util::future::join_all;
use testkit::{Method, Value, json, on_both_engines};

on_both_engines! {
    async fn a_department_is_made_changed_and_goes(site) {
        let admin = site.admin().await;
        let made = admin.post("/department", json!({ "name": " Assembly ", "code": "A1" })).await.expect(201).body["detail"].clone();
        assert_eq!((&made["name"], &made["code"], &made["description"]), (&json!("Assembly"), &json!("A1"), &Value::Null));
        let path = format!("/department/{}", made["_key"].as_str().unwrap());
        assert_eq!(admin.get(&path).await.detail(), made);
        let changed = admin.patch(&path, json!({ "code": null, "description": "first floor" })).await.detail();
        assert_eq!((&changed["name"], &changed["code"], &changed["description"]), (&json!("Assembly"), &Value::Null, &json!("first floor")));
        let stale = admin.request(Method::DELETE, &path).header("if-match", made["_rev"].as_str().unwrap());
        admin.send(stale).await.expect(412);
        admin.patch(&path, json!({ "name": "  " })).await.expect(422);
        admin.patch(&path, json!({ "_key": "x" })).await.expect(422);
        admin.delete(&path).await.expect(200);
        for gone in [admin.get(&path).await, admin.delete(&path).await, admin.patch(&path, json!({})).await] {
            gone.expect(404);
        }
    }

    async fn codes_and_keys_are_taken_once(site) {
        let admin = site.admin().await;
        admin.post("/department", json!({ "_key": "d", "name": "One", "code": "X" })).await.expect(201);
        admin.post("/department", json!({ "_key": "d", "name": "Two" })).await.expect(409);
        admin.post("/department", json!({ "name": "Two", "code": "x" })).await.expect(409);
        admin.post("/department", json!({ "_key": "e", "name": "Two", "code": "Y" })).await.expect(201);
        admin.patch("/department/e", json!({ "code": "X" })).await.expect(409);
        let tries = (0..10).map(|_| admin.post("/department", json!({ "name": "Many", "code": "M" })));
        let made = join_all(tries).await.iter().filter(|answer| answer.status == 201).count();
        assert_eq!(made, 1);
        let listed = admin.get("/department?search=M").await.detail();
        assert_eq!(listed.as_array().unwrap().len(), 1);
        let all = admin.get("/department").await.detail();
        let names: Vec<&str> = all.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["Many", "One", "Two"]);
    }

    async fn a_department_with_people_stays(site) {
        let admin = site.admin().await;
        admin.post("/department", json!({ "_key": "d", "name": "One" })).await.expect(201);
        let user = json!({ "_key": "u", "username": "u", "scope": "", "department_key": "d" });
        admin.post("/user", user).await.expect(201);
        let refused = admin.delete("/department/d").await.expect(409);
        assert_eq!(refused.body["detail"]["total"], 1);
        let there = admin.get("/user?department_key=d").await.detail();
        assert_eq!(there.as_array().unwrap().len(), 1);
        admin.delete("/user/u").await.expect(200);
        admin.delete("/department/d").await.expect(200);
        assert_eq!(admin.get("/user/u").await.detail()["department"], Value::Null);
    }

    /// A department can't go while somebody moves into it.
    async fn nobody_belongs_to_what_is_gone(site) {
        let admin = site.admin().await;
        for round in 0..8 {
            let key = format!("d{round}");
            admin.post("/department", json!({ "_key": key, "name": "Short-lived" })).await.expect(201);
            let (user, gone) = (json!({ "username": format!("u{round}"), "scope": "", "department_key": key }), format!("/department/{key}"));
            let (joined, left) = tokio::join!(admin.post("/user", user), admin.delete(&gone));
            assert!(
                (joined.status == 201 && left.status == 409) || (joined.status == 422 && left.status == 200),
                "{} {}", joined.status, left.status
            );
        }
    }
}
