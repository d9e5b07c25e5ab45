//! Scenario 12: quality fields and their lists.

use futures_util::future::join_all;
use testkit::{Method, Value, json, on_both_engines};

on_both_engines! {
    async fn slugs_are_unique(site) {
        let quality = site.user("quality", "quality").await;
        let made = quality.post("/field", json!({ "name": " Max Load ", "type": "number" })).await.detail();
        assert_eq!(made["slug"], "max_load");
        let refused = quality.post("/field", json!({ "name": "max-load (kg)", "type": "text" })).await.expect(409);
        assert_eq!((&refused.body["detail"]["slug"], &refused.body["detail"]["field_key"]), (&json!("max_load"), &made["field_key"]));
        let key = made["field_key"].as_str().unwrap();
        let own = json!({ "_key": key, "name": "Max Load", "type": "number", "default_hint": "in kg", "slug": "ignored" });
        let replaced = quality.put(&format!("/field/{key}"), own).await.detail();
        assert_eq!((&replaced["default_hint"], &replaced["default_label"], &replaced["slug"]), (&json!("in kg"), &Value::Null, &json!("max_load")));
        quality.post("/field", json!({ "_key": "t", "name": "Torque", "type": "number" })).await.expect(200);
        quality.put("/field/t", json!({ "_key": "t", "name": "MAX LOAD", "type": "number" })).await.expect(409);
        quality.post("/field", json!({ "_key": "t", "name": "Other", "type": "text" })).await.expect(409);
        let tries = (0..10).map(|index| {
            let name = if index % 2 == 0 { "Surface" } else { "surface (µm)" };
            quality.post("/field", json!({ "name": name, "type": "text" }))
        });
        let mut answers: Vec<u16> = join_all(tries).await.iter().map(|answer| answer.status).collect();
        answers.sort_unstable();
        assert_eq!(answers, [&[200][..], &[409; 9]].concat());
    }

    async fn fields_have_a_form(site) {
        let quality = site.user("quality", "quality").await;
        let faults = quality.post("/field", json!({ "name": " ", "type": "matrix", "x": 1 })).await.faults();
        assert_eq!(faults, ["string_too_short body.name", "enum body.type", "extra_forbidden body.x"]);
        assert_eq!(quality.post("/field", json!({ "name": "(mm)", "type": "text" })).await.faults(), ["value_error body.name"]);
        quality.post("/field", json!({ "_key": "a", "name": "beta", "type": "text" })).await.expect(200);
        quality.post("/field", json!({ "_key": "b", "name": "Alpha", "type": "text" })).await.expect(200);
        let missing = quality.put("/field/a", json!({ "name": "x", "type": "text" })).await;
        assert_eq!(missing.faults(), ["missing body._key"]);
        quality.put("/field/a", json!({ "_key": "b", "name": "x", "type": "text" })).await.expect(422);
        quality.put("/field/zz", json!({ "_key": "zz", "name": "x", "type": "text" })).await.expect(404);
        let list = quality.get("/field").await.body;
        let names: Vec<&str> = list.as_array().unwrap().iter().map(|field| field["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["Alpha", "beta", "Separator"]);
        assert_eq!(quality.get("/field?name=beta&key=a").await.body.as_array().unwrap().len(), 1);
        assert_eq!(quality.get("/field?name=beta&key=b").await.body, json!([]));
        let rev = list[1]["_rev"].as_str().unwrap();
        let stale = |method: Method| quality.request(method, "/field/b").header("if-match", rev);
        quality.put("/field/b", json!({ "_key": "b", "name": "Alpha", "type": "date" })).await.expect(200);
        quality.send(stale(Method::DELETE)).await.expect(412);
        quality.delete("/field/b").await.expect(200);
        quality.delete("/field/b").await.expect(404);
    }

    async fn lists_belong_to_choice_fields(site) {
        let quality = site.user("quality", "quality").await;
        for key in ["F", "G"] {
            quality.post("/field", json!({ "_key": key, "name": key, "type": "choice" })).await.expect(200);
        }
        let counts = |inserted: u32, updated: u32, deleted: u32| json!({ "inserted": inserted, "updated": updated, "deleted": deleted });
        let f = json!([{ "_key": "f1", "value": "One" }, { "value": "two", "ext_key": "Z" }, { "value": "Three", "ext_key": "a" }]);
        assert_eq!(quality.post("/list/F", f).await.detail(), counts(3, 0, 0));
        quality.post("/list/G", json!([{ "_key": "g1", "value": "Other" }])).await.expect(200);
        let more = json!([{ "_key": "f1", "value": "Uno" }, { "_key": "f2", "value": "Four", "field_key": "F" }]);
        assert_eq!(quality.post("/list/F", more).await.detail(), counts(1, 1, 0));
        let values = async |query: &str| -> Vec<String> {
            let list = quality.get(&format!("/list?{query}")).await.expect(200).body;
            list.as_array().unwrap().iter().map(|value| value["value"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(values("field_key=F").await, ["Four", "Three", "two", "Uno"]);
        assert_eq!(values("field_key=F&sort_by=ext_key").await[..2], ["Three", "two"]);
        assert_eq!(values("field_key=F&sort_by=_key&limit=2").await.len(), 2);
        assert_eq!(values("field_key=F&search=T").await, ["Three", "two"]);
        assert_eq!(values("field_key=F&search=z").await, ["two"]);
        quality.get("/list?field_key=F&sort_by=color").await.expect(422);
        quality.get("/list").await.expect(422);

        quality.post("/list/F", json!([{ "_key": "g1", "value": "stolen" }])).await.expect(409);
        let twice = json!([{ "_key": "x", "value": "1" }, { "_key": "x", "value": "" }, { "value": "3", "field_key": "G" }]);
        assert_eq!(quality.post("/list/F", twice).await.faults(), ["string_too_short body.1.value"]);
        let twice = json!([{ "_key": "x", "value": "1" }, { "_key": "x", "value": "2" }, { "value": "3", "field_key": "G" }]);
        assert_eq!(quality.post("/list/F", twice).await.faults(), ["value_error body.1._key", "value_error body.2.field_key"]);
        assert_eq!(quality.post("/list/separator", json!([])).await.expect(422).body["detail"]["error_type"], "NotAChoiceField");
        quality.post("/list/nobody", json!([])).await.expect(404);
        assert_eq!(values("field_key=F").await.len(), 4, "what is refused changes nothing");

        assert_eq!(quality.delete("/list/F?value_key=g1&value_key=zz").await.detail(), json!({ "deleted": 1 }));
        assert_eq!(values("field_key=G").await, Vec::<String>::new());
        quality.delete("/list/F").await.expect(422);
        let reset = json!([{ "_key": "f1", "value": "Alone" }]);
        assert_eq!(quality.post("/list/F?reset=true", reset).await.detail(), counts(1, 0, 4));
        assert_eq!(values("field_key=F").await, ["Alone"]);
        quality.delete("/field/F").await.expect(200);
        assert_eq!(values("field_key=F").await, Vec::<String>::new());
    }

    async fn a_field_that_is_no_choice_any_more_has_no_list(site) {
        let quality = site.user("quality", "quality").await;
        quality.post("/field", json!({ "_key": "F", "name": "F", "type": "choice" })).await.expect(200);
        quality.post("/list/F", json!([{ "value": "1" }])).await.expect(200);
        quality.put("/field/F", json!({ "_key": "F", "name": "F", "type": "choice" })).await.expect(200);
        assert_eq!(site.count("custom_list_value").await, 1);
        quality.put("/field/F", json!({ "_key": "F", "name": "F", "type": "text" })).await.expect(200);
        assert_eq!(site.count("custom_list_value").await, 0);
    }

    async fn many_values_and_many_writers(site) {
        let quality = site.user("quality", "quality").await;
        quality.post("/field", json!({ "_key": "F", "name": "F", "type": "choice" })).await.expect(200);
        let values: Vec<Value> = (0..20_000).map(|index| json!({ "_key": format!("v{index}"), "value": format!("Value {index}") })).collect();
        assert_eq!(quality.post("/list/F", json!(values)).await.detail()["inserted"], 20_000);
        let entry = quality.get("/audit?operation=store_choice_values").await.body[0].clone();
        assert_eq!((&entry["targets_total"], entry["targets"].as_array().unwrap().len()), (&json!(20_000), 1000));
        assert_eq!(entry["summary"]["truncated"], true);
        let page = quality.get("/list?field_key=F&count=true&search=value%201999").await;
        assert_eq!(page.header("x-total-count"), "11");
        let resets = (0..6).map(|index| {
            let values: Vec<Value> = (0..50).map(|place| json!({ "value": format!("{index}-{place}") })).collect();
            quality.post("/list/F?reset=true", json!(values))
        });
        assert!(join_all(resets).await.iter().all(|answer| answer.status == 200));
        let left = quality.get("/list?field_key=F").await.body;
        let writers: std::collections::HashSet<String> =
            left.as_array().unwrap().iter().map(|value| value["value"].as_str().unwrap()[..1].to_owned()).collect();
        assert_eq!((left.as_array().unwrap().len(), writers.len()), (50, 1), "one list, never a mix");
    }
}
