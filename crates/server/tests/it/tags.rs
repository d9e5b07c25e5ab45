//! Tags, and the second half of scenario 16 with positions. Those of products are tested in `products`, those of serials in
//! `serials`; orders come with their area.

use futures_util::future::join_all;
use testkit::{Method, Value, json, on_both_engines};

on_both_engines! {
    async fn a_tag_is_made_changed_and_goes(site) {
        let planner = site.user("planner", "production").await;
        assert_eq!(planner.post("/tag", json!({ "name": "x", "color": "red" })).await.faults(), ["string_pattern_mismatch body.color"]);
        let tag = planner.post("/tag", json!({ "name": " Urgent ", "color": "#FF0000" })).await.expect(200).detail();
        assert_eq!((&tag["name"], &tag["color"], &tag["description"]), (&json!("Urgent"), &json!("#FF0000"), &Value::Null));
        let key = tag["_key"].as_str().unwrap();
        assert_eq!(tag["_id"], format!("Tag/{key}"));
        planner.post("/tag", json!({ "name": "Urgent" })).await.expect(200);
        planner.post("/tag", json!({ "name": "again", "_key": key })).await.expect(409);
        let path = format!("/tag/{key}");
        let changed = planner.patch(&path, json!({ "color": null, "description": "now" })).await.detail();
        assert_eq!((&changed["name"], &changed["color"], &changed["description"]), (&json!("Urgent"), &Value::Null, &json!("now")));
        let stale = planner.request(Method::PATCH, &path).header("if-match", tag["_rev"].as_str().unwrap()).json(&json!({}));
        planner.send(stale).await.expect(412);
        planner.patch(&path, json!({ "name": null })).await.expect(422);
        let listed = planner.get("/tag?search=URG").await.detail();
        assert_eq!(listed.as_array().unwrap().len(), 2);
        assert_eq!(planner.delete(&path).await.detail(), json!({ "tag_key": key, "removed_links": 0 }));
        planner.delete(&path).await.expect(404);
        planner.patch(&path, json!({})).await.expect(404);
    }

    async fn links_are_made_all_or_none(site) {
        let planner = site.user("planner", "production").await;
        for key in ["t1", "t2"] {
            planner.post("/tag", json!({ "_key": key, "name": key })).await.expect(200);
        }
        let link = |what: &str, tag: &str, context: &str, key: &str| {
            json!({ "type": what, "tag_key": tag, "context": context, "context_key": key })
        };
        let update = async |links: Value| planner.post("/tag/update-connections", links).await;
        let missing = update(json!([
            link("add", "t1", "position", "IN"), link("add", "t1", "position", "IN"), link("add", "t3", "serial", "s1"),
        ]))
        .await
        .expect(404);
        assert_eq!(missing.body["detail"]["missing"], json!(["Tag/t3", "Serial/s1"]));
        assert_eq!(site.count("has_tag").await, 0);
        let added = update(json!([link("add", "t1", "position", "IN"), link("add", "t1", "position", "IN"), link("remove", "t9", "product", "p")])).await;
        assert_eq!(added.detail(), json!({ "added": 1, "removed": 0 }));
        let both = update(json!([link("remove", "t1", "position", "OUT"), link("remove", "t2", "position", "IN"), link("add", "t2", "position", "IN")])).await;
        assert_eq!(both.detail(), json!({ "added": 1, "removed": 1 }), "what is added comes first");
        let names = |tags: Value| -> Vec<String> {
            tags.as_array().unwrap().iter().map(|tag| tag["_key"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(planner.get("/tag?context=position&context_key=IN").await.detail()), ["t1"]);
        assert_eq!(planner.get("/tag?context=position").await.faults(), ["missing query.context_key"]);
        assert_eq!(planner.get("/tag?context_key=IN").await.faults(), ["missing query.context"]);
        let faults = update(json!([{ "type": "put", "tag_key": "t1", "context": "user" }])).await.faults();
        assert_eq!(faults.len(), 3);
        assert_eq!(planner.delete("/tag/t1").await.detail()["removed_links"], 1);
        assert_eq!(site.count("has_tag").await, 0);
    }

    async fn many_at_once_make_one_link(site) {
        let planner = site.user("planner", "production").await;
        planner.post("/tag", json!({ "_key": "t", "name": "t" })).await.expect(200);
        let link = json!([{ "type": "add", "tag_key": "t", "context": "position", "context_key": "IN" }]);
        let tries = (0..10).map(|_| planner.post("/tag/update-connections", link.clone()));
        let added: i64 = join_all(tries).await.into_iter().map(|answer| answer.detail()["added"].as_i64().unwrap()).sum();
        assert_eq!(added, 1);
        let (gone, linked) = tokio::join!(planner.delete("/tag/t"), planner.post("/tag/update-connections", link));
        gone.expect(200);
        assert!([200, 404].contains(&linked.status));
        assert_eq!(site.count("has_tag").await, 0, "no link without its tag");
    }
}
