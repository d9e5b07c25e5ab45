//! Scenarios 1 and 2, and every other read of serials but the search.

use super::*;
use crate::production::later;

/// A tree in short: `A(B(D) C2×1)`. Expected components come with their number; `~` marks what was taken out, `!` what the bill
/// of materials does not name.
fn sketch(node: &Value) -> String {
    let name = match node["expected"] == true {
        true => format!("{}×{}", text(&node["product_code"]), node["expected_quantity"]),
        false => text(&node["serial_code"]),
    };
    let mark = |member: &str, mark: &'static str| if node[member] == true { mark } else { "" };
    let below: Vec<String> = node["children"].as_array().unwrap().iter().map(sketch).collect();
    let below = if below.is_empty() { String::new() } else { format!("({})", below.join(" ")) };
    format!("{}{}{name}{below}", mark("replaced", "~"), mark("extra_bom", "!"))
}

/// The tree that a serial belongs to.
async fn tree(plant: &Plant, serial: &str, query: &str) -> String {
    let trees = plant.get(&format!("/serial-hierarchy?serial_key={serial}{query}")).await;
    assert_eq!(trees.as_array().unwrap().len(), 1, "one tree");
    sketch(&trees[0])
}

/// The key as the database has it.
fn id(key: &str) -> i64 {
    domain::key::id_from_text(key).unwrap()
}

async fn phase_of(plant: &Plant, job: &str) -> String {
    text(&plant.admin.get(&format!("/job/{job}")).await.detail()["phase_key"])
}

on_both_engines! {
    /// All rows come unless a limit is sent.
    async fn lists_have_pages(site) {
        let plant = plant(site).await;
        plant.products(&["A", "B"]).await;
        let a = plant.unit("A", "A1").await;
        let parts = plant.units("B", ["B1", "B2", "B3"]).await;
        for part in &parts {
            plant.link(part, &a).await.expect(200);
        }
        let of_a = format!("/serial-children?serial_key={a}");
        assert_eq!(plant.admin.get(&of_a).await.expect(200).header("x-total-count"), "");
        let page = plant.admin.get(&format!("{of_a}&limit=1&offset=1&count=true")).await.expect(200);
        assert_eq!((page.header("x-total-count"), each(&page.body, "serial_code")), ("3", vec!["B2".to_owned()]));
        let parents = format!("/serial-parents?serial_key={}", parts[0]);
        for list in [of_a.as_str(), &parents, "/serial-batch", "/component-batch", "/wip-serial", "/serial-code?serial_code=B1", "/serial-field"] {
            let and = if list.contains('?') { '&' } else { '?' };
            let counted = plant.admin.get(&format!("{list}{and}limit=10&count=true")).await.expect(200);
            assert_eq!(counted.header("x-total-count"), counted.body.as_array().unwrap().len().to_string(), "{list}");
            assert_eq!(plant.admin.get(&format!("{list}{and}limit=0")).await.faults(), ["greater_than_equal query.limit"], "{list}");
        }
    }

    /// Its text is larger than the pieces it is sent in.
    async fn a_large_tree_is_whole(site) {
        let plant = plant(site).await;
        plant.products(&["A", "B"]).await;
        plant.bom("A", &[("B", 401.0)]).await;
        let a = plant.unit("A", "A1").await;
        let codes: Vec<String> = (0..400).map(|number| format!("B{number:03}")).collect();
        let made = json!({ "product_key": "B", "codes": codes });
        let parts = event(&plant.admin, "SERIAL_CREATED", made).await.detail()["serials"].clone();
        let link = |part: String| json!({ "child_serial_key": part, "parent_serial_key": a });
        let rows: Vec<Value> = each(&parts, "serial_key").into_iter().map(link).collect();
        let bulk = json!({ "shared_data": { "event_type": "SERIAL_LINKED" }, "events": rows });
        plant.operator.post("/event/bulk", bulk).await.expect(200);

        let answer = plant.admin.get(&format!("/serial-hierarchy?serial_key={a}")).await.expect(200);
        assert_eq!((answer.header("content-length"), answer.header("content-type")), ("", "application/json"));
        let children = &answer.body[0]["children"];
        assert_eq!(each(&json!(children.as_array().unwrap()[..400]), "serial_code"), codes, "in the order of their links");
        assert_eq!((&children[400]["expected"], &children[400]["expected_quantity"]), (&json!(true), &json!(1)));
        assert_eq!(children.as_array().unwrap().len(), 401);
    }

    async fn three_levels_are_one_tree(site) {
        let plant = plant(site).await;
        for product in ["A", "B", "C", "D"] {
            plant.product(product, json!({ "description": format!("Part {product}") })).await;
        }
        plant.bom("A", &[("B", 1.0), ("C", 2.0)]).await;
        plant.bom("B", &[("D", 1.0)]).await;
        let (a, b) = (plant.unit("A", "A1").await, plant.unit("B", "B1").await);
        let (c1, d) = (plant.unit("C", "C1").await, plant.unit("D", "D1").await);
        for (child, parent) in [(&d, &b), (&b, &a), (&c1, &a)] {
            plant.link(child, parent).await.expect(200);
        }
        let parents = plant.get(&format!("/serial-parents?serial_key={d}")).await;
        assert_eq!(each(&parents, "serial_key"), [a.clone(), b.clone()], "root first");
        let children = plant.get(&format!("/serial-children?serial_key={a}")).await;
        assert_eq!(each(&children, "serial_key"), [b.clone(), c1.clone()], "direct ones only");
        for serial in [&a, &b, &c1, &d] {
            assert_eq!(tree(&plant, serial, "").await, "A1(B1(D1) C1 C×1)");
            assert_eq!(tree(&plant, serial, "&include_expected_components=false").await, "A1(B1(D1) C1)");
        }
        for path in ["/serial-parents", "/serial-children", "/serial-hierarchy"] {
            plant.admin.get(&format!("{path}?serial_key=nobody")).await.expect(404);
        }

        let root = plant.get(&format!("/serial-hierarchy?serial_key={d}")).await[0].clone();
        let now = json!(site.app().now());
        let expected = json!({
            "serial_key": a, "serial_code": "A1", "product_key": "A", "product_code": "A", "product_description": "Part A", "replaced": false,
            "confirmed": true, "extra_bom": false, "expected": false, "expected_quantity": null, "state": "released", "link_key": null,
            "linked": null, "unlinked": null, "quantity": null, "reason": null,
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(root.get(name), Some(value), "{name} of the root");
        }
        let node = &root["children"][0];
        let expected = json!({
            "serial_key": b, "product_key": "B", "state": "used", "link_key": children[0]["link_key"], "linked": now, "unlinked": null,
            "quantity": 1, "reason": null, "replaced": false, "confirmed": true,
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(node.get(name), Some(value), "{name} of a child");
        }
        let missing = &root["children"][2];
        let expected = json!({
            "serial_key": null, "serial_code": null, "product_key": "C", "product_code": "C", "product_description": "Part C", "expected": true,
            "expected_quantity": 1, "children": [],
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(missing.get(name), Some(value), "{name} of an expected component");
        }
        let parent = &parents[0];
        let expected = json!({
            "type": "serial", "serial_key": a, "serial_code": "A1", "batch_key": null, "product_key": "A", "product_code": "A",
            "product_description": "Part A", "state": "released", "link_key": children[0]["link_key"], "replaced": false, "confirmed": true,
            "linked": now, "linked_by": plant.admin.key, "unlinked": null, "reason": null, "quantity": 1,
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(parent.get(name), Some(value), "{name} of a parent");
        }
    }

    async fn a_replaced_unit_stays_in_the_tree_and_in_the_past(site) {
        let plant = plant(site).await;
        plant.products(&["B", "D"]).await;
        plant.bom("B", &[("D", 1.0)]).await;
        let b = plant.unit("B", "B1").await;
        let [d1, d2] = plant.units("D", ["D1", "D2"]).await;
        let start = site.app().now();
        let at = |seconds: i64| format!("&as_of={}", start.plus_seconds(seconds));
        site.clock.advance_seconds(100);
        link_with(&plant.operator, &d1, &b, json!({ "timestamp": later(start, 10) })).await.expect(200);
        let replacement = json!({ "timestamp": later(start, 30), "replaces_serial_key": d1, "reason": "leaks" });
        link_with(&plant.operator, &d2, &b, replacement).await.expect(200);
        assert_eq!(tree(&plant, &b, "").await, "B1(~D1 D2)");
        let children = plant.get(&format!("/serial-hierarchy?serial_key={d2}")).await[0]["children"].clone();
        assert_eq!((&children[0]["unlinked"], &children[0]["reason"], &children[0]["children"]), (&later(start, 30), &json!("leaks"), &json!([])));
        assert_eq!((&children[1]["replaced"], &children[1]["unlinked"]), (&json!(false), &Value::Null));
        assert_eq!(tree(&plant, &d1, "").await, "D1", "it is built in no more");

        assert_eq!(tree(&plant, &b, &at(20)).await, "B1(D1)");
        assert_eq!(tree(&plant, &d1, &at(20)).await, "B1(D1)");
        assert_eq!(tree(&plant, &d2, &at(20)).await, "D2", "the root follows from the links of that time");
        let then = plant.get(&format!("/serial-hierarchy?serial_key={b}{}", at(20))).await[0]["children"][0].clone();
        assert_eq!((&then["replaced"], &then["unlinked"], &then["reason"], &then["linked"]), (&json!(false), &Value::Null, &Value::Null, &later(start, 10)));
        assert_eq!(then["state"], "released", "the state of today");
        assert_eq!(tree(&plant, &b, &at(10)).await, "B1(D1)", "from that moment on");
        assert_eq!(tree(&plant, &b, &at(30)).await, "B1(D2)", "until that moment");
        assert_eq!(tree(&plant, &b, &at(9)).await, "B1(D×1)");
        assert_eq!(tree(&plant, &b, &format!("{}&include_expected_components=false", at(9))).await, "B1");
        plant.admin.get(&format!("/serial-hierarchy?serial_key={b}{}", at(-1))).await.expect(404);
        assert_eq!(plant.admin.get(&format!("/serial-hierarchy?serial_key={b}&as_of=then")).await.faults().len(), 1);
    }

    async fn the_bill_of_materials_orders_the_tree(site) {
        let plant = plant(site).await;
        plant.products(&["Z-1", "M-1", "A-1", "X-1"]).await;
        plant.product("screw", json!({ "traceability_level": null })).await;
        // Lines of one component count together, and part of a unit needs a whole one.
        plant.product("TOP", json!({})).await;
        plant.bom("TOP", &[("Z-1", 1.0), ("M-1", 0.5), ("A-1", 2.0), ("M-1", 0.75), ("screw", 8.0)]).await;
        let top = plant.unit("TOP", "TOP").await;
        assert_eq!(tree(&plant, &top, "").await, "TOP(A-1×2 M-1×2 Z-1×1)");
        let [m2, m1, m3] = plant.units("M-1", ["M2", "M1", "M3"]).await;
        let (z, extra) = (plant.unit("Z-1", "Z").await, plant.unit("X-1", "EXTRA").await);
        for child in [&extra, &z, &m2] {
            plant.link(child, &top).await.expect(200);
            site.clock.advance_seconds(1);
        }
        assert_eq!(tree(&plant, &top, "").await, "TOP(A-1×2 M2 M-1×1 Z !EXTRA)");
        for child in [&m1, &m3] {
            plant.link(child, &top).await.expect(200);
            site.clock.advance_seconds(1);
        }
        assert_eq!(tree(&plant, &top, "").await, "TOP(A-1×2 M2 M1 M3 Z !EXTRA)", "more than needed is no extra");
        let children = plant.get(&format!("/serial-children?serial_key={top}")).await;
        assert_eq!(each(&children, "serial_code"), ["M2", "M1", "M3", "Z", "EXTRA"]);
        for child in [&m1, &m2, &z] {
            unlink(&plant.operator, child, &top, json!({})).await.expect(200);
        }
        assert_eq!(tree(&plant, &top, "").await, "TOP(A-1×2 ~M2 ~M1 M3 M-1×1 ~Z Z-1×1 !EXTRA)");
        assert_eq!(tree(&plant, &top, "&include_expected_components=false").await, "TOP(~M2 ~M1 M3 ~Z !EXTRA)");
        plant.bom("TOP", &[]).await;
        assert_eq!(tree(&plant, &top, "&include_expected_components=false").await.matches('!').count(), 5, "nothing is planned any more");
    }

    async fn a_unit_of_an_order_is_held_against_the_orders_lines(site) {
        let plant = plant(site).await;
        plant.products(&["B", "C"]).await;
        let order = plant.order("A", None, &[("C", 2.0)]).await;
        plant.bom("A", &[("B", 1.0)]).await;
        let ordered = plant.made(json!({ "product_key": "A", "wo_key": order.key, "code": "ORDERED" })).await;
        let received = plant.unit("A", "RECEIVED").await;
        assert_eq!(tree(&plant, &ordered, "").await, "ORDERED(C×2)");
        assert_eq!(tree(&plant, &received, "").await, "RECEIVED(B×1)");
        let b = plant.unit("B", "B1").await;
        plant.link(&b, &ordered).await.expect(200);
        assert_eq!(tree(&plant, &ordered, "").await, "ORDERED(C×2 !B1)");
    }

    async fn reads_by_key_need_one_that_names_a_serial(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [parent, child] = plant.units("P", ["PARENT", "CHILD"]).await;
        plant.link(&child, &parent).await.expect(200);
        for path in ["/serial-parents", "/serial-children"] {
            assert_eq!(plant.get(path).await, json!([]), "{path}");
        }
        assert_eq!(plant.admin.get("/serial-hierarchy").await.faults(), ["missing query.serial_key"]);
        assert_eq!(plant.admin.get("/serial-code").await.faults(), ["missing query.serial_code"]);
        assert_eq!(plant.admin.get("/serial-code/verify-free").await.faults(), ["missing query.serial_code"]);
        plant.admin.get("/serial/nobody").await.expect(404);
        let stranger = site.user("stranger", "").await;
        for path in [
            "/serial-field", "/serial-parents", "/serial-children", "/serial-hierarchy?serial_key=x", "/serial-selection", "/serial/x",
            "/serial-code?serial_code=x", "/serial-code/verify-free?serial_code=x", "/serial",
        ] {
            let forbidden = stranger.get(path).await.expect(403);
            assert_eq!(forbidden.body["detail"]["required_scope"], "serial:read", "{path}");
        }
        // A deleted unit still answers for itself.
        plant.delete(&parent).await;
        assert_eq!(plant.state(&parent).await, "deleted");
        assert_eq!(plant.get(&format!("/serial-parents?serial_key={parent}")).await, json!([]));
        assert_eq!(each(&plant.get(&format!("/serial-children?serial_key={parent}")).await, "serial_code"), ["CHILD"]);
        assert_eq!(tree(&plant, &parent, "").await, "PARENT(~!CHILD)");
    }

    async fn the_fields_of_serials_are_those_of_the_configuration(site) {
        let plant = plant(site).await;
        assert_eq!(plant.get("/serial-field").await, json!([]));
        let fields = json!([
            { "_key": "colour", "type": "text", "name": "Colour", "default_label": "Paint", "default_hint": null },
            { "_key": "f2", "type": "number", "name": "Weight", "unit": "kg" },
        ]);
        plant.admin.patch("/config", json!({ "serial_fields": fields })).await.expect(200);
        assert_eq!(plant.get("/serial-field").await, fields, "as they were stored");
    }

    async fn states_follow_what_happens(site) {
        let plant = plant(site).await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        let parent = plant.unit("P", "PARENT").await;
        let unit = plant.made(json!({ "product_key": "P", "released": null })).await;
        let both = async |state: &str| {
            assert_eq!(plant.state(&unit).await, state);
            let listed = plant.get(&format!("/serial?serial_key={unit}&include_deleted=true")).await;
            assert_eq!(each(&listed, "state"), [state]);
        };
        both("uncoded").await;
        event(&plant.admin, "SERIAL_UPDATED", json!({ "serial_key": unit, "serial_code": "U" })).await.expect(200);
        both("wip").await;
        plant.link(&unit, &parent).await.expect(200);
        both("used").await;
        unlink(&plant.admin, &unit, &parent, json!({})).await.expect(200);
        both("wip").await;
        event(&plant.admin, "SERIAL_RELEASED", json!({ "serial_key": unit })).await.expect(200);
        both("released").await;
        plant.scrap(&unit).await;
        both("scrapped").await;
        plant.delete(&unit).await;
        both("deleted").await;
    }

    async fn units_to_choose_from(site) {
        let plant = plant(site).await;
        plant.product("P", json!({ "description": "Pump" })).await;
        plant.product("Q", json!({})).await;
        let order = plant.order("W", None, &[]).await;
        let [p10, p9, used, scrapped, gone] = plant.units("P", ["P-10", "P-9", "USED", "SCRAPPED", "GONE"]).await;
        let q = plant.unit("Q", "Q-1").await;
        let ordered = plant.made(json!({ "product_key": "W", "wo_key": order.key, "code": "O-1" })).await;
        let unreleased = plant.made(json!({ "product_key": "P", "code": "RAW", "released": null })).await;
        let uncoded = plant.made(json!({ "product_key": "P", "released": null })).await;
        plant.link(&used, &q).await.expect(200);
        plant.scrap(&scrapped).await;
        plant.delete(&gone).await;
        let keys = async |query: &str| each(&plant.get(&format!("/serial-selection?{query}")).await, "_key");
        let owned = |keys: &[&String]| keys.iter().map(|key| (*key).clone()).collect::<Vec<_>>();
        assert_eq!(keys("").await, owned(&[&ordered, &p10, &p9, &q, &used]), "by code");
        assert_eq!(keys("include_unreleased=true").await, owned(&[&ordered, &p10, &p9, &q, &unreleased, &used, &uncoded]), "without a code last");
        assert_eq!(keys("free_only=true").await, owned(&[&ordered, &p10, &p9, &q]));
        assert_eq!(keys("inventory_only=true").await, owned(&[]), "nothing is in stock");
        assert_eq!(keys("inventory_only=true&inventory_in_position_key=IN").await, owned(&[]));
        assert_eq!(keys("product_key=P").await, owned(&[&p10, &p9, &used]));
        assert_eq!(keys(&format!("wo_key={}", order.key)).await, owned(&[&ordered]));
        assert_eq!(keys("search=p-").await, owned(&[&p10, &p9]), "anywhere in the code, whatever the case");
        assert_eq!(keys("search=-1").await, owned(&[&ordered, &p10, &q]));
        assert_eq!(keys("search=*").await, owned(&[]), "taken literally");
        for nothing in ["wo_key=nobody", "product_key=nobody", "batch_key=nobody"] {
            assert_eq!(keys(nothing).await, owned(&[]), "{nothing}");
        }
        assert_eq!(keys("limit=2&offset=1").await, owned(&[&p10, &p9]));
        let counted = plant.admin.get("/serial-selection?count=true&limit=1").await.expect(200);
        assert_eq!(counted.header("x-total-count"), "5");
        assert_eq!(plant.admin.get("/serial-selection?limit=0&offset=-1&free_only=2").await.faults().len(), 3);
        let shown = plant.get("/serial-selection?product_key=P").await;
        let (free, built_in) = (&shown[0], &shown[2]);
        assert_eq!((&free["used"], &free["available"], &free["state"]), (&json!(false), &json!(false), &json!("released")));
        assert_eq!((&free["product_code"], &free["product_description"], &free["product_key"]), (&json!("P"), &json!("Pump"), &json!("P")));
        assert_eq!((&built_in["used"], &built_in["available"], &built_in["state"]), (&json!(true), &json!(false), &json!("used")));
    }

    async fn a_code_leads_to_its_units(site) {
        let plant = plant(site).await;
        plant.products(&["P2", "P1", "P3"]).await;
        let (second, first) = (plant.unit("P2", "AB-1").await, plant.unit("P1", "AB-1").await);
        let gone = plant.unit("P3", "AB-1").await;
        plant.delete(&gone).await;
        let keys = async |query: &str| each(&plant.get(&format!("/serial-code?{query}")).await, "_key");
        assert_eq!(keys("serial_code=%20ab-1%20").await, [first.clone(), second.clone()], "by the code of the product");
        assert_eq!(keys("serial_code=AB-1&product_key=P2").await, std::slice::from_ref(&second));
        assert_eq!(keys("serial_code=AB-1&product_key=P3").await, Vec::<String>::new(), "live ones only");
        assert_eq!(keys("serial_code=AB").await, Vec::<String>::new(), "the whole code");
        let shown = plant.get("/serial-code?serial_code=AB-1&product_key=P1").await;
        assert_eq!(shown[0], plant.read(&first).await);

        let free = async |query: &str| plant.get(&format!("/serial-code/verify-free?serial_code=ab-1{query}")).await;
        assert_eq!(free("").await, json!(false));
        assert_eq!(free(&format!("&serial_key={first}")).await, json!(false), "the other product's unit has it too");
        assert_eq!(free(&format!("&product_key=P1&serial_key={first}")).await, json!(true));
        assert_eq!(free(&format!("&product_key=P1&serial_key={second}")).await, json!(false));
        assert_eq!(free("&product_key=P3").await, json!(true));
        assert_eq!(plant.get("/serial-code/verify-free?serial_code=ab-2").await, json!(true));
    }

    /// Units come into batches and between phases by traced production; here the rows are put there by hand.
    async fn units_in_production_are_listed(site) {
        let plant = plant(site).await;
        plant.products(&["C"]).await;
        let phase = json!({ "production_batch_qt": 2, "steps": [] });
        let order = plant.shop.order("P", &[phase.clone(), phase], 4.0).await;
        plant.admin.patch("/product/P", json!({ "traceability_level": "form_only" })).await.expect(200);
        let started = event(&plant.shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = text(&started["batch_data"]["_key"]);
        let new = json!({ "product_key": "P", "wo_key": order.key, "released": null });
        let with = |code: Value| testkit::Value::Object(new.as_object().unwrap().clone().into_iter().chain([("code".to_owned(), code)]).collect());
        let coded = plant.made(with(json!("U-1"))).await;
        let uncoded = plant.made(new.clone()).await;
        let [inner, part] = plant.units("C", ["INNER", "PART"]).await;
        let (batch_id, order_id) = (id(&batch), id(&order.key));
        for unit in [&uncoded, &coded] {
            let sql = "insert into batch_serial (batch_key, serial_key) values ($1, $2)";
            site.execute(sql, vec![batch_id.into(), id(unit).into()]).await;
        }
        let inside = json!({ "child_serial_key": inner, "parent_serial_key": coded, "wo_key": order.key });
        event(&plant.operator, "SERIAL_LINKED", inside).await.expect(200);
        let units = plant.get(&format!("/serial-batch?batch_key={batch}")).await;
        assert_eq!(each(&units, "_key"), [coded.clone(), uncoded.clone()], "by code, those without one last");
        assert_eq!((each(&units[0]["children"], "_key"), &units[1]["children"]), (vec![inner], &json!([])));
        assert_eq!(each(&plant.get(&format!("/serial-batch?batch_key={batch}&filter_empty=true")).await, "_key"), std::slice::from_ref(&coded));
        let (first, second) = (id(&text(&started["job_data"]["phase_key"])), phase_of(&plant, &order.jobs[1]).await);
        for (key, unit, booked) in [(1_i64, &coded, None), (2, &uncoded, Some(id(&order.jobs[1])))] {
            let sql = "insert into wip (key, work_order_key, from_phase, to_phase, batch_key, serial_key, job_key, quantity)
                       values ($1, $2, $3, $4, $5, $6, $7, 1000000)";
            let values = vec![key.into(), order_id.into(), first.into(), id(&second).into(), batch_id.into(), id(unit).into(), booked.into()];
            site.execute(sql, values).await;
        }
        let waiting = async |query: &str| {
            let found = plant.get(&format!("/wip-serial?{query}")).await;
            let row = |row: &Value| (text(&row["serial_key"]), row["active"].as_bool().unwrap());
            found.as_array().unwrap().iter().map(row).collect::<Vec<_>>()
        };
        assert_eq!(waiting("").await, []);
        assert_eq!(waiting(&format!("wo_key={}", order.key)).await, [(coded.clone(), false)]);
        assert_eq!(waiting(&format!("phase_key={second}")).await, [(coded.clone(), false)]);
        assert_eq!(waiting(&format!("job_key={}", order.jobs[1])).await, [(coded.clone(), false), (uncoded.clone(), true)]);
        assert_eq!(waiting(&format!("job_key={}", order.jobs[0])).await, []);
        assert_eq!(waiting("wo_key=nobody").await, []);
        for member in [json!({ "serial_key": coded }), json!({ "serial_keys": [uncoded] })] {
            let refused = refused(event(&plant.operator, "SERIAL_RELEASED", member).await, "SerialNotReleasedError");
            assert_eq!(refused["rule"], "in_production");
        }
        let loose = json!({ "child_serial_key": part, "batch_key": batch });
        event(&plant.operator, "SERIAL_LINKED", loose).await.expect(200);
        let components = plant.get(&format!("/component-batch?batch_key={batch}")).await;
        assert_eq!((each(&components, "_key"), &components[0]["confirmed"]), (vec![part], &json!(true)));
        for path in ["/serial-batch", "/component-batch", "/serial-batch?batch_key=nobody", "/component-batch?batch_key=nobody"] {
            assert_eq!(plant.get(path).await, json!([]), "{path}");
        }
    }

    async fn units_have_tags(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [one, two] = plant.units("P", ["1", "2"]).await;
        plant.admin.post("/tag", json!({ "_key": "t1", "name": "Urgent" })).await.expect(200);
        let link = |what: &str, serial: &str| json!({ "type": what, "tag_key": "t1", "context": "serial", "context_key": serial });
        let update = async |links: Value| plant.admin.post("/tag/update-connections", links).await;
        let missing = update(json!([link("add", &one), link("add", "nobody")])).await.expect(404);
        assert_eq!(missing.body["detail"]["missing"], json!(["Serial/nobody"]));
        assert_eq!(update(json!([link("add", &one), link("add", &one), link("add", &two)])).await.detail(), json!({ "added": 2, "removed": 0 }));
        let tags = async |serial: &str| each(&plant.admin.get(&format!("/tag?context=serial&context_key={serial}")).await.detail(), "_key");
        assert_eq!((tags(&one).await, tags(&two).await), (vec!["t1".to_owned()], vec!["t1".to_owned()]));
        assert_eq!(update(json!([link("remove", &two)])).await.detail(), json!({ "added": 0, "removed": 1 }));
        assert_eq!(tags(&two).await, Vec::<String>::new());
        assert_eq!(plant.admin.delete("/tag/t1").await.detail()["removed_links"], 1);
    }

    async fn units_have_files(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let unit = plant.unit("P", "1").await;
        let store = async |subfolder: &str| {
            let fields = [("bucket", "serial"), ("object_key", unit.as_str()), ("subfolder", subfolder)];
            plant.operator.upload(Method::POST, "/files", &fields, &[("contents", "a.txt", b"first")]).await
        };
        let stored = store("f1").await.detail();
        assert_eq!(stored[0]["path"], format!("/media/serial/{unit}/f1/a.txt"));
        store("").await.expect(200);
        let list = format!("/files?bucket=serial&object_key={unit}&recursive=true");
        assert_eq!(each(&plant.get(&list).await, "name").len(), 2);
        let served = plant.operator.media(stored[0]["path"].as_str().unwrap()).await;
        assert_eq!((served.status().as_u16(), served.text().await.unwrap().as_str()), (200, "first"));
        let body = json!({ "bucket": "serial", "object_key": unit, "subfolder": "", "filenames": ["a.txt"] });
        plant.operator.send(plant.operator.request(Method::DELETE, "/files").json(&body)).await.expect(200);
        assert_eq!(each(&plant.get(&list).await, "name").len(), 1);
        plant.delete(&unit).await;
        store("f2").await.expect(404);
        plant.admin.get(&list).await.expect(404);
        assert_eq!(site.objects(), 1, "its files stay");
    }
}
