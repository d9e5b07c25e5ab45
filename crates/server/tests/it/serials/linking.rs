//! Scenarios 4 and 5, and what else is built in, taken out and refused.

use super::*;
use crate::production::{complete, later};

/// Sends `SERIAL_LINKED` without a parent unless one is named.
async fn linked(plant: &Plant, members: Value) -> Answer {
    event(&plant.operator, "SERIAL_LINKED", members).await
}

/// Codes of a unit's children, with `~` in front of those that were taken out.
async fn children_of(plant: &Plant, serial: &str) -> Vec<String> {
    let children = plant.get(&format!("/serial-children?serial_key={serial}")).await;
    let shown = |child: &Value| {
        let mark = if child["replaced"] == true { "~" } else { "" };
        format!("{mark}{}", text(&child["serial_code"]))
    };
    children.as_array().unwrap().iter().map(shown).collect()
}

on_both_engines! {
    /// Whoever sends no timestamp is not told that the clock of another node is ahead.
    async fn a_clock_set_back_refuses_no_link_that_nobody_timed(site) {
        let plant = plant(site).await;
        plant.products(&["A", "B"]).await;
        let [a1, a2] = plant.units("A", ["A1", "A2"]).await;
        let [b1, b2] = plant.units("B", ["B1", "B2"]).await;
        let raw = plant.made(json!({ "product_key": "B", "released": null, "code": "B3" })).await;
        plant.link(&b1, &a1).await.expect(200);
        site.clock.advance_seconds(-40);
        let timed = json!({ "timestamp": site.clock.now(), "replace_existing": true });
        refused(link_with(&plant.admin, &b1, &a2, timed).await, "TimestampError");
        link_with(&plant.admin, &b1, &a2, json!({ "replace_existing": true })).await.expect(200);
        unlink(&plant.admin, &b1, &a2, json!({})).await.expect(200);
        plant.link(&b1, &a1).await.expect(200);
        link_with(&plant.admin, &b2, &a1, json!({ "replaces_serial_key": b1 })).await.expect(200);
        event(&plant.admin, "SERIAL_RELEASED", json!({ "serial_key": raw })).await.expect(200);
        let scrap = json!({ "serial_key": a1, "reason": "bent", "release_components": true });
        event(&plant.admin, "SERIAL_SCRAPPED", scrap).await.expect(200);
        plant.link(&b2, &a2).await.expect(200);
        plant.delete(&a2).await;
        let links: Vec<(i64, i64)> = site.all("select linked, unlinked from serial_link").await;
        assert_eq!(links.len(), 5);
        assert!(links.iter().all(|(linked, unlinked)| linked <= unlinked), "{links:?}");
        let times = "select count(*) from serial_link
                     where not exists (select 1 from event where event_type = 'SERIAL_UNLINKED' and timestamp = unlinked)";
        assert_eq!(site.all::<i64>(times).await, [0], "each link ends when its event happens");
    }

    async fn no_unit_contains_itself(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [a, b, d] = plant.units("P", ["A", "B", "D"]).await;
        plant.link(&b, &a).await.expect(200);
        plant.link(&d, &b).await.expect(200);
        let refused = rule(plant.link(&a, &d).await, "SerialNotLinkedError", "loop");
        assert_eq!((&refused["loop"], &refused["loop_codes"]), (&json!([a, b, d, a]), &json!(["A", "B", "D", "A"])));
        let refused = rule(plant.link(&a, &b).await, "SerialNotLinkedError", "loop");
        assert_eq!(refused["loop_codes"], json!(["A", "B", "A"]));
        let refused = rule(plant.link(&a, &a).await, "SerialNotLinkedError", "loop");
        assert_eq!((&refused["loop"], &refused["loop_codes"]), (&json!([a, a]), &json!(["A", "A"])));
        assert_eq!(plant.get(&format!("/serial-parents?serial_key={a}")).await, json!([]));
        let free = plant.unit("P", "FREE").await;
        rule(plant.link(&free, &free).await, "SerialNotLinkedError", "loop");
    }

    async fn a_unit_has_one_parent_at_a_time(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [b, b2, d] = plant.units("P", ["B", "B2", "D"]).await;
        let first = plant.link(&d, &b).await.detail();
        assert_eq!(first["replaced_link_keys"], json!([]));
        let used = rule(plant.link(&d, &b2).await, "SerialNotLinkedError", "already_used");
        assert_eq!(used["parent_serial_key"], json!(b));
        let second = link_with(&plant.operator, &d, &b2, json!({ "replace_existing": true, "reason": "moved" })).await.detail();
        assert_eq!(second["replaced_link_keys"], json!([first["link_key"]]));
        assert_ne!(second["link_key"], first["link_key"]);
        assert_eq!(plant.group(&second).await, ["SERIAL_LINKED", "SERIAL_UNLINKED"]);
        assert_eq!((children_of(&plant, &b).await, children_of(&plant, &b2).await), (vec!["~D".to_owned()], vec!["D".to_owned()]));
        let old = plant.get(&format!("/serial-children?serial_key={b}")).await[0].clone();
        assert_eq!((&old["replaced"], &old["unlinked"], &old["reason"]), (&json!(true), &json!(site.app().now()), &json!("moved")));

        // The same link again succeeds and changes nothing.
        let links = site.count("serial_link").await;
        for members in [json!({}), json!({ "replace_existing": true })] {
            let again = link_with(&plant.operator, &d, &b2, members).await.detail();
            assert_eq!((&again["link_key"], &again["replaced_link_keys"]), (&second["link_key"], &json!([])));
            assert_eq!(plant.group(&again).await, ["SERIAL_LINKED"]);
        }
        assert_eq!(site.count("serial_link").await, links);
        assert_eq!(plant.state(&d).await, "used");
    }

    async fn a_link_and_its_end_are_kept_for_ever(site) {
        let plant = plant(site).await;
        plant.products(&["P", "C"]).await;
        let (parent, child) = (plant.unit("P", "PARENT").await, plant.unit("C", "CHILD").await);
        let start = site.app().now();
        site.clock.advance_seconds(60);
        let made = link_with(&plant.operator, &child, &parent, json!({ "quantity": 1, "component_key": "C" })).await.detail();
        let shown = plant.get(&format!("/serial-children?serial_key={parent}")).await;
        let link = json!({
            "type": "serial", "serial_key": child, "serial_code": "CHILD", "product_key": "C", "product_code": "C", "state": "used",
            "link_key": made["link_key"], "replaced": false, "confirmed": true, "linked": later(start, 60), "linked_by": plant.operator.key,
            "unlinked": null, "reason": null, "quantity": 1, "parent_key": parent,
        });
        for (name, value) in link.as_object().unwrap() {
            assert_eq!(shown[0][name], *value, "{name}");
        }
        assert_eq!(shown[0].get("product_description"), Some(&Value::Null));
        site.clock.advance_seconds(60);
        let ended = unlink(&plant.operator, &child, &parent, json!({ "reason": "worn out" })).await.detail();
        assert_eq!(ended["link_key"], made["link_key"]);
        let shown = plant.get(&format!("/serial-children?serial_key={parent}")).await[0].clone();
        assert_eq!((&shown["replaced"], &shown["unlinked"], &shown["reason"]), (&json!(true), &later(start, 120), &json!("worn out")));
        assert_eq!((&shown["linked"], &shown["state"]), (&later(start, 60), &json!("released")));
        assert_eq!(plant.get(&format!("/serial-parents?serial_key={child}")).await, json!([]));
        rule(unlink(&plant.operator, &child, &parent, json!({})).await, "SerialNotLinkedError", "no_such_link");
        let again = plant.link(&child, &parent).await.detail();
        assert_ne!(again["link_key"], made["link_key"]);
        assert_eq!(children_of(&plant, &parent).await, ["~CHILD", "CHILD"]);
        assert_eq!(plant.told(&child).await, ["SERIAL_CREATED", "SERIAL_LINKED", "SERIAL_UNLINKED", "SERIAL_LINKED"]);
        assert_eq!(plant.told(&parent).await, plant.told(&child).await, "both ends have the event");
    }

    async fn one_unit_takes_the_place_of_another(site) {
        let plant = plant(site).await;
        plant.products(&["P", "C"]).await;
        let [parent, other] = plant.units("P", ["PARENT", "OTHER"]).await;
        let [c1, c2, c3, elsewhere] = plant.units("C", ["C1", "C2", "C3", "ELSEWHERE"]).await;
        let first = plant.link(&c1, &parent).await.detail();
        plant.link(&elsewhere, &other).await.expect(200);
        let replace = async |child: &str, replaced: &str, members: Value| {
            let mut all = json!({ "replaces_serial_key": replaced });
            all.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            link_with(&plant.operator, child, &parent, all).await
        };
        for stranger in [&elsewhere, &c3] {
            rule(replace(&c2, stranger, json!({})).await, "SerialNotLinkedError", "not_a_child");
        }
        unknown(replace(&c2, "nobody", json!({})).await, "replaces_serial_key");
        assert_eq!(children_of(&plant, &parent).await, ["C1"], "what is refused ends no link");
        let second = replace(&c2, &c1, json!({ "reason": "leaks" })).await.detail();
        assert_eq!(second["replaced_link_keys"], json!([first["link_key"]]));
        assert_eq!((plant.state(&c1).await.as_str(), plant.state(&c2).await.as_str()), ("released", "used"));
        let third = replace(&c3, &c2, json!({ "reason": "burnt", "scrap_replaced": true })).await.detail();
        assert_eq!(plant.group(&third).await, ["SERIAL_LINKED", "SERIAL_UNLINKED", "SERIAL_SCRAPPED"]);
        let scrapped = plant.read(&c2).await;
        assert_eq!((&scrapped["state"], &scrapped["scrap_reason"], &scrapped["scrapped_by"]), (&json!("scrapped"), &json!("burnt"), &json!(plant.operator.key)));
        assert_eq!(children_of(&plant, &parent).await, ["~C1", "~C2", "C3"]);
        rule(replace(&c1, &c2, json!({})).await, "SerialNotLinkedError", "not_a_child");

        // Both at once: the new child leaves its present parent, and the old child leaves this one.
        let both = replace(&elsewhere, &c3, json!({ "replace_existing": true })).await.detail();
        assert_eq!(both["replaced_link_keys"].as_array().unwrap().len(), 2);
        assert_eq!(children_of(&plant, &other).await, ["~ELSEWHERE"]);
    }

    async fn a_unit_that_is_taken_out_may_be_scrapped(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [parent, child] = plant.units("P", ["PARENT", "CHILD"]).await;
        plant.link(&child, &parent).await.expect(200);
        unlink(&plant.operator, &child, &parent, json!({ "scrap": true })).await.expect(422);
        assert_eq!(plant.state(&child).await, "used", "scrap needs a reason");
        let ended = unlink(&plant.operator, &child, &parent, json!({ "scrap": true, "reason": "cracked" })).await.detail();
        assert_eq!(plant.group(&ended).await, ["SERIAL_UNLINKED", "SERIAL_SCRAPPED"]);
        let shown = plant.read(&child).await;
        assert_eq!((&shown["state"], &shown["scrap_reason"]), (&json!("scrapped"), &json!("cracked")));
    }

    async fn links_that_can_not_be_are_refused(site) {
        let plant = plant(site).await;
        plant.products(&["P", "C"]).await;
        let [parent, scrapped_parent, gone] = plant.units("P", ["PARENT", "SCRAPPED", "GONE"]).await;
        let [child, scrapped] = plant.units("C", ["CHILD", "SCRAPPED"]).await;
        for serial in [&scrapped, &scrapped_parent] {
            plant.scrap(serial).await;
        }
        plant.delete(&gone).await;
        let (events, links) = (site.count("event").await, site.count("serial_link").await);
        rule(plant.link(&scrapped, &parent).await, "SerialNotLinkedError", "scrapped");
        rule(plant.link(&child, &scrapped_parent).await, "SerialNotLinkedError", "scrapped");
        rule(linked(&plant, json!({ "child_serial_key": child })).await, "SerialNotLinkedError", "no_parent");
        for quantity in [json!(2), json!(0.5)] {
            rule(link_with(&plant.operator, &child, &parent, json!({ "quantity": quantity })).await, "SerialNotLinkedError", "quantity");
        }
        rule(link_with(&plant.operator, &child, &parent, json!({ "component_key": "P" })).await, "SerialNotLinkedError", "component");
        for absent in ["nobody", &gone] {
            unknown(plant.link(absent, &parent).await, "child_serial_key");
            unknown(plant.link(&child, absent).await, "parent_serial_key");
        }
        unknown(linked(&plant, json!({ "child_serial_key": child, "batch_key": "nobody" })).await, "batch_key");
        assert_eq!(linked(&plant, json!({ "parent_serial_key": parent })).await.faults(), ["missing body.child_serial_key"]);
        rule(unlink(&plant.operator, &child, &parent, json!({})).await, "SerialNotLinkedError", "no_such_link");
        unknown(unlink(&plant.operator, "nobody", &parent, json!({})).await, "child_serial_key");
        event(&plant.operator, "SERIAL_UNLINKED", json!({ "child_serial_key": child })).await.expect(422);
        assert_eq!((site.count("event").await, site.count("serial_link").await), (events, links));
        assert_eq!(plant.state(&child).await, "released");
        plant.link(&child, &parent).await.expect(200);
        let viewer = site.user("viewer", "viewer").await;
        unlink(&viewer, &child, &parent, json!({})).await.expect(403);
    }

    async fn links_follow_one_another_in_time(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [b, b2, d] = plant.units("P", ["B", "B2", "D"]).await;
        let created = site.app().now();
        let at = |seconds: i64| json!({ "timestamp": later(created, seconds) });
        site.clock.advance_seconds(100);
        let young = plant.unit("P", "YOUNG").await;
        refused(link_with(&plant.operator, &d, &b, at(-1)).await, "TimestampError");
        refused(link_with(&plant.operator, &young, &b, at(99)).await, "TimestampError");
        link_with(&plant.operator, &d, &b, at(10)).await.expect(200);
        refused(unlink(&plant.operator, &d, &b, at(9)).await, "TimestampError");
        unlink(&plant.operator, &d, &b, at(30)).await.expect(200);
        let early = refused(link_with(&plant.operator, &d, &b2, at(29)).await, "TimestampError");
        assert_eq!(early["earliest"], later(created, 30));
        link_with(&plant.operator, &d, &b2, at(30)).await.expect(200);
        let mut replacing = at(29);
        replacing["replace_existing"] = json!(true);
        refused(link_with(&plant.operator, &d, &b, replacing).await, "TimestampError");
        assert_eq!(children_of(&plant, &b2).await, ["D"], "the link that it would have ended is there");

        // A link that ended after the time of a new one counts: at that time it held.
        let [x, y] = plant.units("P", ["X", "Y"]).await;
        site.clock.advance_seconds(100);
        link_with(&plant.operator, &y, &x, at(110)).await.expect(200);
        unlink(&plant.operator, &y, &x, at(130)).await.expect(200);
        let held = rule(link_with(&plant.operator, &x, &y, at(120)).await, "SerialNotLinkedError", "loop");
        assert_eq!(held["loop_codes"], json!(["X", "Y", "X"]));
        link_with(&plant.operator, &x, &y, at(130)).await.expect(200);
    }

    async fn chains_have_at_most_two_hundred_levels(site) {
        let plant = plant(site).await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        let made = create(&plant.operator, json!({ "product_key": "P", "count": 350 })).await.detail();
        let keys = each(&made["serials"], "serial_key");
        let (upper, lower) = keys.split_at(200);
        for chain in [upper, lower] {
            let rows: Vec<Value> = chain.windows(2).map(|pair| json!({ "parent_serial_key": pair[0], "child_serial_key": pair[1] })).collect();
            let bulk = json!({ "shared_data": { "event_type": "SERIAL_LINKED" }, "events": rows });
            plant.operator.post("/event/bulk", bulk).await.expect(200);
        }
        for (parent, child) in [(&upper[199], &lower[0]), (&upper[60], &lower[0])] {
            rule(plant.link(child, parent).await, "SerialNotLinkedError", "too_deep");
        }
        plant.link(&lower[0], &upper[20]).await.expect(200);
        let parents = plant.get(&format!("/serial-parents?serial_key={}", upper[199])).await;
        assert_eq!(each(&parents, "serial_key"), upper[..199], "root first");
        // The tree is too deep for the JSON reader of these tests.
        let tree = plant.admin.get(&format!("/serial-hierarchy?serial_key={}", lower[149])).await.expect(200).text;
        assert_eq!(tree.matches("\"children\"").count(), 350, "the root with everything below it");
    }

    async fn only_a_named_part_is_scrapped_for_another(site) {
        let plant = plant(site).await;
        plant.products(&["A", "B"]).await;
        let [a1, a2] = plant.units("A", ["A1", "A2"]).await;
        let [b1] = plant.units("B", ["B1"]).await;
        plant.link(&b1, &a1).await.expect(200);
        let scrap = json!({ "replace_existing": true, "scrap_replaced": true, "reason": "burnt" });
        refused(link_with(&plant.admin, &b1, &a2, scrap).await, "ValueError");
        assert_eq!(children_of(&plant, &a1).await, ["B1"]);
    }

    /// A batch is parent where its order is not traced, and context where a unit is named too.
    async fn a_unit_is_built_into_a_batch(site) {
        let plant = plant(site).await;
        plant.product("C", json!({})).await;
        let [c1, c2, parent] = plant.units("C", ["C1", "C2", "PARENT"]).await;
        let order = plant.shop.order("A", &all_at_once(1), 4.0).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = text(&started["batch_data"]["_key"]);
        linked(&plant, json!({ "child_serial_key": c1, "batch_key": batch })).await.expect(200);
        let used = rule(plant.link(&c1, &parent).await, "SerialNotLinkedError", "already_used");
        assert_eq!((&used["batch_key"], &used["parent_serial_key"]), (&json!(batch), &Value::Null));
        let parents = plant.get(&format!("/serial-parents?serial_key={c1}")).await;
        assert_eq!((&parents[0]["type"], &parents[0]["batch_key"], &parents[0]["serial_key"]), (&json!("batch"), &json!(batch), &Value::Null));
        let root = plant.get(&format!("/serial-hierarchy?serial_key={c1}")).await[0].clone();
        assert_eq!((&root["serial_key"], &root["batch_key"]), (&Value::Null, &json!(batch)));
        let child = &root["children"][0];
        assert_eq!((&child["serial_key"], &child["extra_bom"]), (&json!(c1), &json!(false)));
        linked(&plant, json!({ "child_serial_key": c2, "parent_serial_key": parent, "batch_key": batch })).await.expect(200);
        let parents = plant.get(&format!("/serial-parents?serial_key={c2}")).await;
        assert_eq!(each(&parents, "serial_key"), [parent], "the unit is parent");
        event(&plant.operator, "SERIAL_UNLINKED", json!({ "child_serial_key": c1, "batch_key": batch })).await.expect(200);
        assert_eq!(plant.state(&c1).await, "released");
    }

    /// Parts that the batch itself contains are taken out with it, those of a unit that is none of its own are not.
    async fn a_part_of_another_unit_outlives_the_batch_it_was_built_in_with(site) {
        let plant = plant(site).await;
        plant.product("C", json!({})).await;
        let [c1, c2, c3, parent] = plant.units("C", ["C1", "C2", "C3", "PARENT"]).await;
        let order = plant.shop.order("A", &all_at_once(1), 4.0).await;
        let job = json!({ "job_key": order.jobs[0] });
        let begin = async || event(&plant.operator, "JOB_STARTED", job.clone()).await.detail()["batch_data"].clone();
        let reset = async || event(&plant.shop.supervisor, "JOB_RESET", job.clone()).await.expect(200);
        let batch = begin().await;
        linked(&plant, json!({ "child_serial_key": c1, "parent_serial_key": parent, "batch_key": batch["_key"] })).await.expect(200);
        linked(&plant, json!({ "child_serial_key": c3, "batch_key": batch["_key"] })).await.expect(200);
        event(&plant.operator, "JOB_PAUSED", job.clone()).await.expect(200);
        reset().await;
        assert_eq!((children_of(&plant, &parent).await, plant.state(&c3).await.as_str()), (vec!["C1".to_owned()], "released"));

        let batch = begin().await;
        linked(&plant, json!({ "child_serial_key": c2, "parent_serial_key": parent, "batch_key": batch["_key"] })).await.expect(200);
        complete(&plant.operator, &batch, json!({})).await.expect(200);
        reset().await;
        assert_eq!(children_of(&plant, &parent).await, ["C1", "C2"], "the batch was completed");
        assert_eq!((plant.state(&c1).await, plant.state(&c2).await), ("used".to_owned(), "used".to_owned()));
    }
}
