//! The graph of a unit: what contains it, and what it contains.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::production::random::{Dice, new_seed};

/// A graph in short: nodes as `level:code` in the order of the answer, then edges as `from>to`, with `~` in front of one that has ended
/// and `?` in front of a temporary one.
fn sketch(graph: &Value) -> String {
    let list = |name: &str| graph[name].as_array().unwrap().clone();
    let codes: BTreeMap<String, String> =
        list("nodes").iter().map(|node| (text(&node["id"]), node["code"].as_str().unwrap_or("-").to_owned())).collect();
    assert_eq!(codes.len(), list("nodes").len(), "each node once");
    let nodes: Vec<String> =
        list("nodes").iter().map(|node| format!("{}:{}", node["level"], codes[&text(&node["id"])])).collect();
    let edge = |edge: &Value| {
        let ended = if edge["replaced"] == true { "~" } else { "" };
        let temporary = if edge["confirmed"] == true { "" } else { "?" };
        format!("{ended}{temporary}{}>{}", codes[&text(&edge["from"])], codes[&text(&edge["to"])])
    };
    let mut edges: Vec<String> = list("edges").iter().map(edge).collect();
    edges.sort_unstable();
    format!("{} | {}", nodes.join(" "), edges.join(" "))
}

async fn trace(plant: &Plant, serial: &str, query: &str) -> String {
    sketch(&plant.get(&format!("/trace/serial/{serial}{query}")).await)
}

on_both_engines! {
    async fn a_unit_is_traced_up_and_down(site) {
        let plant = plant(site).await;
        plant.product("A", json!({ "description": "Top" })).await;
        plant.products(&["B", "C", "D"]).await;
        let (a, b) = (plant.unit("A", "A1").await, plant.unit("B", "B1").await);
        let [c1, c2, c3] = plant.units("C", ["C1", "C2", "C3"]).await;
        let d = plant.unit("D", "D1").await;
        let start = site.app().now();
        let mut links = Vec::new();
        for (child, parent) in [(&b, &a), (&c2, &b), (&c1, &b), (&d, &c1), (&c3, &a)] {
            links.push(plant.link(child, parent).await.detail()["link_key"].clone());
        }
        assert_eq!(trace(&plant, &b, "").await, "-1:A1 0:B1 1:C1 1:C2 2:D1 | A1>B1 B1>C1 B1>C2 C1>D1", "no siblings");
        assert_eq!(trace(&plant, &b, "?direction=both").await, trace(&plant, &b, "").await);
        assert_eq!(trace(&plant, &b, "?direction=up").await, "-1:A1 0:B1 | A1>B1");
        assert_eq!(trace(&plant, &b, "?direction=down").await, "0:B1 1:C1 1:C2 2:D1 | B1>C1 B1>C2 C1>D1");
        assert_eq!(trace(&plant, &b, "?depth=1").await, "-1:A1 0:B1 1:C1 1:C2 | A1>B1 B1>C1 B1>C2");
        assert_eq!(trace(&plant, &d, "?depth=2").await, "-2:B1 -1:C1 0:D1 | B1>C1 C1>D1");
        assert_eq!(trace(&plant, &d, "?direction=down").await, "0:D1 | ");

        let graph = plant.get(&format!("/trace/serial/{b}?direction=up")).await;
        assert_eq!(graph, json!({
            "start": format!("Serial/{b}"), "direction": "up", "as_of": null, "truncated": false,
            "nodes": [
                {
                    "id": format!("Serial/{a}"), "type": "serial", "level": -1, "serial_key": a, "batch_key": null, "code": "A1",
                    "product_key": "A", "product_code": "A", "product_description": "Top", "wo_key": null, "state": "released",
                },
                {
                    "id": format!("Serial/{b}"), "type": "serial", "level": 0, "serial_key": b, "batch_key": null, "code": "B1",
                    "product_key": "B", "product_code": "B", "product_description": null, "wo_key": null, "state": "used",
                },
            ],
            "edges": [{
                "_key": links[0], "from": format!("Serial/{a}"), "to": format!("Serial/{b}"), "component_key": "B", "quantity": 1,
                "confirmed": true, "replaced": false, "linked": start, "linked_by": plant.admin.key, "unlinked": null, "reason": null,
            }],
        }));
    }

    async fn what_has_ended_shows_only_when_it_is_asked_for(site) {
        let plant = plant(site).await;
        plant.products(&["A", "B", "D"]).await;
        let (a, b) = (plant.unit("A", "A1").await, plant.unit("B", "B1").await);
        let [d1, d2] = plant.units("D", ["D1", "D2"]).await;
        let start = site.app().now();
        let at = |seconds: i64| format!("?as_of={}", start.plus_seconds(seconds));
        site.clock.advance_seconds(100);
        // D1 is out of B1 before that is built into A1.
        link_with(&plant.operator, &d1, &b, json!({ "timestamp": later(start, 10) })).await.expect(200);
        let replacement = json!({ "timestamp": later(start, 30), "replaces_serial_key": d1, "reason": "leaks" });
        link_with(&plant.operator, &d2, &b, replacement).await.expect(200);
        link_with(&plant.operator, &b, &a, json!({ "timestamp": later(start, 50) })).await.expect(200);

        assert_eq!(trace(&plant, &a, "").await, "0:A1 1:B1 2:D2 | A1>B1 B1>D2");
        assert_eq!(trace(&plant, &a, "?include_replaced=true").await, "0:A1 1:B1 2:D2 | A1>B1 B1>D2", "never at one moment");
        assert_eq!(trace(&plant, &b, "?include_replaced=true").await, "-1:A1 0:B1 1:D1 1:D2 | A1>B1 B1>D2 ~B1>D1");
        assert_eq!(trace(&plant, &d1, "").await, "0:D1 | ");
        assert_eq!(trace(&plant, &d1, "?include_replaced=true").await, "-1:B1 0:D1 | ~B1>D1");

        assert_eq!(trace(&plant, &b, &at(9)).await, "0:B1 | ");
        assert_eq!(trace(&plant, &b, &at(10)).await, "0:B1 1:D1 | B1>D1", "from that moment on");
        assert_eq!(trace(&plant, &b, &at(30)).await, "0:B1 1:D2 | B1>D2", "until that moment");
        assert_eq!(trace(&plant, &d2, &at(50)).await, "-2:A1 -1:B1 0:D2 | A1>B1 B1>D2");
        let then = plant.get(&format!("/trace/serial/{b}{}&include_replaced=true", at(20))).await;
        assert_eq!(sketch(&then), "0:B1 1:D1 | B1>D1", "include_replaced is ignored");
        let edge = &then["edges"][0];
        assert_eq!((&edge["replaced"], &edge["unlinked"], &edge["reason"]), (&json!(false), &Value::Null, &Value::Null));
        assert_eq!((&then["as_of"], &then["nodes"][1]["state"]), (&later(start, 20), &json!("released")), "the state of today");
        let early = plant.admin.get(&format!("/trace/serial/{b}{}", at(-1))).await.expect(404);
        assert_eq!(early.body["detail"]["message"], "The serial did not exist yet at the moment of as_of.");

        // A part that comes nearer is shown at its least distance.
        unlink(&plant.operator, &d2, &b, json!({ "timestamp": later(start, 70), "reason": "moved" })).await.expect(200);
        link_with(&plant.operator, &d2, &a, json!({ "timestamp": later(start, 80) })).await.expect(200);
        assert_eq!(trace(&plant, &a, "?include_replaced=true").await, "0:A1 1:B1 1:D2 | A1>B1 A1>D2 ~B1>D2");
    }

    async fn a_batch_is_a_node(site) {
        let plant = plant(site).await;
        plant.products(&["C", "D"]).await;
        let (c, d) = (plant.unit("C", "C1").await, plant.unit("D", "D1").await);
        plant.link(&d, &c).await.expect(200);
        let order = plant.shop.order("A", &all_at_once(1), 4.0).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = text(&started["batch_data"]["_key"]);
        event(&plant.operator, "SERIAL_LINKED", json!({ "child_serial_key": c, "batch_key": batch })).await.expect(200);
        let graph = plant.get(&format!("/trace/serial/{d}")).await;
        assert_eq!(sketch(&graph), "-2:- -1:C1 0:D1 | ->C1 C1>D1");
        assert_eq!(graph["nodes"][0], json!({
            "id": format!("Batch/{batch}"), "type": "batch", "level": -2, "serial_key": null, "batch_key": batch, "code": null,
            "product_key": "A", "product_code": "A", "product_description": null, "wo_key": order.key, "state": null,
        }));
    }

    async fn links_of_a_running_batch_count(site) {
        let plant = plant(site).await;
        plant.products(&["C", "D"]).await;
        let (c, d) = (plant.unit("C", "C1").await, plant.unit("D", "D1").await);
        plant.link(&d, &c).await.expect(200);
        let traced = json!({ "traceability_level": "form_only", "counter_key": "units", "serial_code_on_creation": true });
        let order = plant.shop.order_of("P", traced, &all_at_once(1), 1.0).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = text(&started["batch_data"]["_key"]);
        let unit = text(&plant.get(&format!("/batch/{batch}/serials")).await[0]["serial_key"]);
        let code = plant.read(&unit).await["code"].as_str().unwrap_or("-").to_owned();
        let links = json!([{ "child_serial_key": c, "parent_serial_key": unit }]);
        plant.operator.put(&format!("/batch/{batch}/serial-temp-links"), links).await.expect(200);
        let expected = format!("0:{code} 1:C1 2:D1 | ?{code}>C1 C1>D1");
        assert_eq!(trace(&plant, &unit, "").await, expected);
        assert_eq!(trace(&plant, &unit, "?include_replaced=true").await, expected);
        let now = format!("?as_of={}", site.app().now());
        assert_eq!(trace(&plant, &unit, &now).await, format!("0:{code} | "), "nothing is confirmed yet");
    }

    async fn what_does_not_fit_is_refused(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [parent, child] = plant.units("P", ["PARENT", "CHILD"]).await;
        plant.link(&child, &parent).await.expect(200);
        plant.admin.get("/trace/serial/nobody").await.expect(404);
        let wrong = plant.admin.get(&format!("/trace/serial/{child}?direction=left&depth=0&as_of=then&include_replaced=2")).await;
        assert_eq!(wrong.faults().len(), 4);
        assert_eq!(plant.admin.get(&format!("/trace/serial/{child}?depth=1001")).await.faults(), ["less_than_equal query.depth"]);
        let stranger = site.user("stranger", "").await;
        for path in [format!("/trace/serial/{child}"), "/trace/product/P/as-built".to_owned()] {
            let forbidden = stranger.get(&path).await.expect(403);
            assert_eq!(forbidden.body["detail"]["required_scope"], "trace:read");
        }
        // A deleted unit still answers for itself.
        site.clock.advance_seconds(1);
        plant.delete(&parent).await;
        assert_eq!(trace(&plant, &parent, "").await, "0:PARENT | ");
        assert_eq!(trace(&plant, &parent, "?include_replaced=true").await, "0:PARENT 1:CHILD | ~PARENT>CHILD");
    }

    /// Its text is larger than the pieces it is sent in.
    async fn a_large_graph_is_whole(site) {
        let plant = plant(site).await;
        plant.products(&["A", "B"]).await;
        let a = plant.unit("A", "A1").await;
        let codes: Vec<String> = (0..400).map(|number| format!("B{number:03}")).collect();
        let made = json!({ "product_key": "B", "codes": codes });
        let parts = each(&event(&plant.admin, "SERIAL_CREATED", made).await.detail()["serials"], "serial_key");
        let rows: Vec<Value> =
            parts.iter().map(|part| json!({ "child_serial_key": part, "parent_serial_key": a })).collect();
        let bulk = json!({ "shared_data": { "event_type": "SERIAL_LINKED" }, "events": rows });
        plant.operator.post("/event/bulk", bulk).await.expect(200);
        let graph = plant.get(&format!("/trace/serial/{a}")).await;
        assert_eq!(each(&json!(graph["nodes"].as_array().unwrap()[1..]), "code"), codes, "by code");
        let to: BTreeSet<String> = each(&graph["edges"], "to").into_iter().collect();
        assert_eq!(to, parts.iter().map(|part| format!("Serial/{part}")).collect::<BTreeSet<_>>());
    }

    /// Against looking at every moment by itself.
    async fn random_graphs_are_what_each_moment_shows(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let seed = new_seed();
        let mut dice = Dice(seed);
        let units = plant.units("P", ["U0", "U1", "U2", "U3", "U4", "U5", "U6", "U7"]).await;
        let mut moments = Vec::new();
        for _ in 0..60 {
            site.clock.advance_seconds(10);
            let (one, other) = (dice.pick(&units), dice.pick(&units));
            let answer = match dice.roll(3) {
                0 => {
                    let parents = plant.get(&format!("/serial-parents?serial_key={one}")).await;
                    match parents.as_array().unwrap().last() {
                        Some(parent) => unlink(&plant.operator, one, &text(&parent["serial_key"]), json!({})).await,
                        None => continue,
                    }
                }
                _ => link_with(&plant.operator, one, other, json!({ "replace_existing": dice.roll(2) == 0 })).await,
            };
            assert!([200, 422].contains(&answer.status), "{}", answer.text);
            moments.push(site.clock.now());
        }
        for unit in &units {
            let (mut levels, mut edges): (BTreeMap<String, i64>, BTreeSet<String>) = Default::default();
            for moment in &moments {
                let graph = plant.get(&format!("/trace/serial/{unit}?as_of={moment}")).await;
                for node in graph["nodes"].as_array().unwrap() {
                    let level = node["level"].as_i64().unwrap();
                    let kept = levels.entry(text(&node["id"])).or_insert(level);
                    if (level.abs(), level) < (kept.abs(), *kept) {
                        *kept = level;
                    }
                }
                edges.extend(each(&graph["edges"], "_key"));
            }
            let ever = plant.get(&format!("/trace/serial/{unit}?include_replaced=true")).await;
            let shown: BTreeMap<String, i64> = ever["nodes"].as_array().unwrap().iter()
                .map(|node| (text(&node["id"]), node["level"].as_i64().unwrap()))
                .collect();
            assert_eq!(shown, levels, "seed {seed}: {unit}");
            assert_eq!(each(&ever["edges"], "_key").into_iter().collect::<BTreeSet<_>>(), edges, "seed {seed}: {unit}");
        }
    }
}
