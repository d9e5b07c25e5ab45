//! Scenario 14. No operation draws codes yet: work orders, lists, tasks and serials will. Until then the drawing itself is
//! tested where they will call it.

use std::collections::HashSet;
use std::sync::Arc;

use api::App;
use domain::key::CounterKey;
use futures_util::future::join_all;
use store::administration::counters::{Drawn, draw};
use store::{StoreError, Tx};
use testkit::{Engine, Site, Value, block_on, json, on_both_engines};

/// Draws in a transaction of its own, which `fails` after the draw if told.
async fn draw_one(app: &Arc<App>, key: &'static str, fails: bool) -> Option<String> {
    let now = app.now();
    let work = async move |tx: &mut Tx| {
        let nothing_is_taken = async |_: &mut Tx, _: &[String]| Ok(HashSet::new());
        let drawn = draw(tx, &CounterKey::trusted(key), 1, now, nothing_is_taken).await?;
        match drawn {
            Drawn::Codes(codes) if !fails => Ok(codes[0].clone()),
            _ => Err(StoreError::Stored("undone".to_owned())),
        }
    };
    app.db.write("draw", work).await.ok()
}

on_both_engines! {
    async fn codes_follow_the_calendar(site) {
        let admin = site.admin().await;
        let body = json!({ "_key": "c", "name": "Orders", "template": ["%y", "#6"], "frequency": "year", "next_tick": 41 });
        assert_eq!(admin.post("/counter", body).await.detail(), json!({ "counter_key": "c" }));
        let at = async |seconds: i64| {
            site.clock.advance_seconds(seconds);
            draw_one(site.app(), "c", false).await.unwrap()
        };
        let until_new_year = 306 * 86_400 - 8 * 3600;
        assert_eq!(at(until_new_year - 60).await, "26000041");
        assert_eq!(at(60).await, "27000001");
        assert_eq!(at(0).await, "27000002");
        let counter = async || {
            // Two years on, everybody has to sign in again.
            site.admin().await.get("/counter?key=c").await.body[0].clone()
        };
        assert_eq!(counter().await["reset_date"], "2028-01-01T00:00:00.000Z");
        assert_eq!(at(800 * 86_400).await, "29000001");
        assert_eq!((&counter().await["next_tick"], &counter().await["reset_date"]), (&json!(2), &json!("2030-01-01T00:00:00.000Z")));
    }

    async fn templates_name_their_period(site) {
        let admin = site.admin().await;
        let faults = async |template: Value, frequency: Value| {
            let answer = admin.post("/counter", json!({ "template": template, "frequency": frequency })).await;
            if answer.status == 200 { Vec::new() } else { answer.faults() }
        };
        assert_eq!(faults(json!(["WO", "#6"]), json!("month")).await, ["value_error body.frequency"]);
        assert_eq!(faults(json!(["%Y", "%V", "#4"]), json!("week")).await, ["value_error body.frequency"]);
        assert_eq!(faults(json!(["%G", "%V", "#4"]), json!("week")).await, Vec::<String>::new());
        assert_eq!(faults(json!(["%q", "#0", ""]), json!(null)).await.len(), 3);
        assert_eq!(faults(json!(["WO"]), json!(null)).await, ["value_error body.template"]);
        assert_eq!(faults(json!(["WO", "#6"]), json!("hour")).await, ["enum body.frequency"]);
        let dated = json!({ "template": ["%y", "#6"], "frequency": "year", "reset_date": "2027-01-02" });
        assert_eq!(admin.post("/counter", dated).await.faults(), ["value_error body.reset_date"]);
        let dated = json!({ "template": ["#6"], "reset_date": "2027-01-01" });
        assert_eq!(admin.post("/counter", dated).await.faults(), ["value_error body.reset_date"]);
        let taken = json!({ "_key": "default", "template": ["#6"] });
        admin.post("/counter", taken).await.expect(409);
    }

    async fn a_change_keeps_what_it_does_not_name(site) {
        let admin = site.admin().await;
        let body = json!({ "_key": "c", "name": "b", "template": ["%G", "%V", "#3"], "frequency": "week", "next_tick": 7 });
        admin.post("/counter", body).await.expect(200);
        let changed = admin.put("/counter/c", json!({ "name": "Boxes" })).await.detail();
        assert_eq!((&changed["next_tick"], &changed["frequency"]), (&json!(7), &json!("week")));
        assert_eq!(changed["reset_date"], "2026-03-02T00:00:00.000Z", "a Monday");
        admin.put("/counter/c", json!({ "frequency": "day" })).await.expect(422);
        let changed = admin.put("/counter/c", json!({ "frequency": null, "template": ["B", "#3"] })).await.detail();
        assert_eq!((&changed["frequency"], &changed["reset_date"]), (&Value::Null, &Value::Null));
        let changed = admin.put("/counter/c", json!({ "frequency": "year", "template": ["%Y", "#3"] })).await.detail();
        assert_eq!(changed["reset_date"], "2027-01-01T00:00:00.000Z");
        admin.put("/counter/c", json!({ "next_tick": 0 })).await.expect(422);
        admin.put("/counter/nobody", json!({})).await.expect(404);
        let list = admin.get("/counter").await.body;
        let names: Vec<&str> = list.as_array().unwrap().iter().map(|counter| counter["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["Boxes", "Default"]);
        assert_eq!(admin.get("/counter?name=boxes").await.body, json!([]), "names are exact");
    }

    async fn a_change_does_not_swallow_a_new_period(site) {
        for (key, tick) in [("a", 41), ("b", 41)] {
            let body = json!({ "_key": key, "template": ["%y", "#6"], "frequency": "year", "next_tick": tick });
            site.admin().await.post("/counter", body).await.expect(200);
        }
        site.clock.advance_seconds(320 * 86_400);
        let admin = site.admin().await;
        admin.put("/counter/b", json!({ "name": "b", "reset_date": null })).await.expect(200);
        admin.patch("/config", json!({ "timezone": "Europe/Rome" })).await.expect(200);
        for key in ["a", "b"] {
            assert_eq!(draw_one(site.app(), key, false).await.unwrap(), "27000001", "{key}");
        }
    }

    async fn a_counter_in_use_stays(site) {
        let admin = site.admin().await;
        let refused = admin.delete("/counter/default").await.expect(409);
        let detail = &refused.body["detail"];
        assert_eq!(detail["code"], "counter_in_use_as_system_counter");
        assert_eq!(detail["slots"].as_array().unwrap().len(), 6);
        admin.post("/counter", json!({ "_key": "c", "template": ["#6"] })).await.expect(200);
        admin.patch("/config", json!({ "system_counters": { "tasks": "c" } })).await.expect(200);
        assert_eq!(admin.delete("/counter/c").await.expect(409).body["detail"]["slots"], json!(["tasks"]));
        admin.patch("/config", json!({ "system_counters": { "tasks": "default" } })).await.expect(200);
        admin.delete("/counter/c").await.expect(200);
        admin.delete("/counter/c").await.expect(404);
    }

    async fn taken_codes_are_skipped(site) {
        let admin = site.admin().await;
        admin.post("/counter", json!({ "_key": "c", "template": ["#1"] })).await.expect(200);
        let now = site.app().now();
        let work = async move |tx: &mut Tx| {
            let some = async |_: &mut Tx, codes: &[String]| {
                Ok(codes.iter().filter(|code| ["2", "3", "5"].contains(&code.as_str())).cloned().collect())
            };
            let drawn = draw(tx, &CounterKey::trusted("c"), 4, now, some).await?;
            let all = async |_: &mut Tx, codes: &[String]| Ok(codes.iter().cloned().collect());
            let hopeless = draw(tx, &CounterKey::trusted("c"), 1, now, all).await?;
            let absent = draw(tx, &CounterKey::trusted("d"), 1, now, all).await?;
            Ok::<_, StoreError>((drawn, hopeless, absent))
        };
        let (drawn, hopeless, absent) = site.app().db.write("draw", work).await.unwrap();
        assert_eq!(drawn, Drawn::Codes(["1", "4", "6", "7"].map(str::to_owned).to_vec()));
        assert_eq!((hopeless, absent), (Drawn::AllTaken, Drawn::NoCounter));
        assert_eq!(admin.get("/counter?key=c").await.body[0]["next_tick"], 8, "a failed draw takes no tick");
    }

    async fn fifty_at_once_leave_no_gap(site) {
        draws_leave_no_gap(site, &[site.app().clone()]).await;
    }
}

#[test]
fn fifty_at_once_on_two_nodes_leave_no_gap() {
    block_on(async {
        let site = Site::start(Engine::Postgres).await;
        let second = site.second_node().await;
        draws_leave_no_gap(&site, &[site.app().clone(), second.app.clone()]).await;
        second.stop().await;
        site.stop().await;
    });
}

/// Every fifth of fifty parallel draws is undone after it drew.
async fn draws_leave_no_gap(site: &Site, nodes: &[Arc<App>]) {
    let draws = (0..50).map(|index| draw_one(&nodes[index % nodes.len()], "default", index % 5 == 0));
    let mut codes: Vec<String> = join_all(draws).await.into_iter().flatten().collect();
    codes.sort();
    let expected: Vec<String> = (1..=40).map(|tick| format!("26{tick:06}")).collect();
    assert_eq!(codes, expected);
    let next: i64 = site.look("select next_tick from counter where key = 'default'", vec![]).await.unwrap();
    assert_eq!(next, 41);
}
