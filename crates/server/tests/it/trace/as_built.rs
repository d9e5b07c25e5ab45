//! Scenario 9, and what else a comparison of planned and built shows.

use super::*;

/// The lines of a unit in short: `C 1/2 missing [C1]`, with `-` for what nobody knows.
fn lines(unit: &Value) -> Vec<String> {
    let line = |line: &Value| {
        let figure = |name: &str| if line[name].is_null() { "-".to_owned() } else { line[name].to_string() };
        let serials = each(&line["serials"], "serial_code").join(" ");
        let (built, planned) = (figure("built_qt"), figure("planned_qt"));
        format!("{} {built}/{planned} {} [{serials}]", text(&line["component_code"]), text(&line["status"]))
    };
    unit["lines"].as_array().unwrap().iter().map(line).collect()
}

fn each_text(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(text).collect()
}

on_both_engines! {
    async fn a_unit_of_an_order_is_compared_with_the_orders_lines(site) {
        let plant = plant(site).await;
        plant.products(&["B", "C", "F"]).await;
        plant.product("screw", json!({ "traceability_level": null, "description": "M4" })).await;
        let order = plant.order("A", None, &[("C", 1.5), ("screw", 8.5), ("B", 1.0)]).await;
        plant.bom("A", &[("F", 1.0)]).await;
        let a = plant.made(json!({ "product_key": "A", "wo_key": order.key, "code": "A1" })).await;
        let received = plant.unit("A", "A2").await;
        let (b1, c1, f1) = (plant.unit("B", "B1").await, plant.unit("C", "C1").await, plant.unit("F", "F1").await);
        let start = site.app().now();
        for child in [&b1, &c1, &f1] {
            plant.link(child, &a).await.expect(200);
        }
        let units = plant.get("/trace/product/A/as-built").await;
        assert_eq!(each(&units, "serial_key"), [a.clone(), received.clone()], "by code");
        let unit = &units[0];
        assert_eq!(lines(unit), ["B 1/1 ok [B1]", "C 1/2 missing [C1]", "screw -/8.5 untraced []", "F 1/0 extra [F1]"]);
        assert_eq!((&unit["serial_code"], &unit["wo_key"]), (&json!("A1"), &json!(order.key)));
        assert_eq!((&unit["bom_source"], &unit["complete"]), (&json!("work_order"), &json!(false)));
        assert_eq!(unit["lines"][1], json!({
            "component_key": "C", "component_code": "C", "component_description": null, "traceability_level": "form_only",
            "planned_qt": 2, "built_qt": 1, "delta": -1, "status": "missing",
            "serials": [{ "serial_key": c1, "serial_code": "C1", "product_key": "C", "quantity": 1, "linked": start }],
        }));
        let screw = &unit["lines"][2];
        assert_eq!((&screw["delta"], &screw["traceability_level"]), (&Value::Null, &Value::Null));
        assert_eq!(screw["component_description"], "M4");
        assert_eq!(unit["lines"][3]["delta"], 1);
        assert_eq!(lines(&units[1]), ["F 0/1 missing []"], "the product's own bill of materials");
        assert_eq!(units[1]["bom_source"], "product");

        let [c2, c3] = plant.units("C", ["C2", "C3"]).await;
        site.clock.advance_seconds(1);
        plant.link(&c2, &a).await.expect(200);
        let whole = plant.get(&format!("/trace/product/A/as-built?serial_key={a}")).await[0].clone();
        assert_eq!((&lines(&whole)[1], &whole["complete"]), (&"C 2/2 ok [C1 C2]".to_owned(), &json!(true)));
        plant.link(&c3, &a).await.expect(200);
        unlink(&plant.operator, &b1, &a, json!({})).await.expect(200);
        let other = plant.get(&format!("/trace/product/A/as-built?serial_key={a}")).await[0].clone();
        assert_eq!(lines(&other)[..2], ["B 0/1 missing []", "C 3/2 excess [C1 C2 C3]"], "what was taken out does not count");
    }

    async fn only_confirmed_parts_count(site) {
        let plant = plant(site).await;
        plant.product("C", json!({})).await;
        let c = plant.unit("C", "C1").await;
        let traced = json!({ "traceability_level": "form_only", "counter_key": "units" });
        let order = plant.shop.order_of("P", traced, &all_at_once(1), 1.0).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = text(&started["batch_data"]["_key"]);
        let unit = text(&plant.get(&format!("/batch/{batch}/serials")).await[0]["serial_key"]);
        let links = json!([{ "child_serial_key": c, "parent_serial_key": unit }]);
        plant.operator.put(&format!("/batch/{batch}/serial-temp-links"), links).await.expect(200);
        let units = plant.get("/trace/product/P/as-built").await;
        assert_eq!((&units[0]["serial_key"], &units[0]["lines"]), (&json!(unit), &json!([])));
    }

    async fn units_come_in_pages(site) {
        let plant = plant(site).await;
        plant.products(&["A", "B"]).await;
        let [a2, a1, a3, gone] = plant.units("A", ["A2", "a1", "A_3", "GONE"]).await;
        let bare = plant.made(json!({ "product_key": "A", "released": null })).await;
        let b = plant.unit("B", "B1").await;
        plant.scrap(&a2).await;
        plant.delete(&gone).await;
        let keys = async |query: &str| each(&plant.get(&format!("/trace/product/A/as-built{query}")).await, "serial_key");
        assert_eq!(keys("").await, [a1.clone(), a2.clone(), a3.clone(), bare.clone()], "live ones, those without a code last");
        assert_eq!(keys("?limit=2&offset=1").await, [a2.clone(), a3.clone()]);
        let counted = plant.admin.get("/trace/product/A/as-built?limit=1&count=true").await.expect(200);
        assert_eq!(counted.header("x-total-count"), "4");
        assert_eq!(keys(&format!("?serial_key={a3}&serial_key={a1}&serial_key={a3}")).await, [a1.clone(), a3.clone()]);
        assert_eq!(keys(&format!("?serial_key={a3}&serial_key={a1}&limit=1&offset=1")).await, std::slice::from_ref(&a3));
        assert_eq!(keys(&format!("?serial_key={gone}")).await, std::slice::from_ref(&gone), "a deleted unit still answers for itself");
        let strangers = [
            (vec![b.as_str()], "Some of the serials are of another product."),
            (vec!["nobody"], "Some of the serials were not found."),
            (vec![b.as_str(), "nobody"], "Some of the serials were not found, and some are of another product."),
        ];
        for (strangers, message) in strangers {
            let query: String = strangers.iter().map(|stranger| format!("&serial_key={stranger}")).collect();
            let answer = plant.admin.get(&format!("/trace/product/A/as-built?serial_key={a1}{query}")).await.expect(404);
            assert_eq!(answer.body["detail"]["message"], message);
            let mut unknown = each_text(&answer.body["detail"]["unknown"]);
            unknown.sort_by_key(|key| key == "nobody");
            assert_eq!(unknown, strangers);
        }
        assert_eq!(keys("?offset=9").await, Vec::<String>::new());
        plant.admin.get("/trace/product/nobody/as-built").await.expect(404);
        assert_eq!(plant.admin.get("/trace/product/A/as-built?limit=0").await.faults(), ["greater_than_equal query.limit"]);
    }
}
