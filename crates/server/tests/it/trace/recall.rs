//! Recalls: suspects in, units out, with where they are.

use testkit::{Answer, Method, Person, Site};

use super::*;

/// Three tops of four levels with a part each: in stock, shipped, and in production. A fourth part is in nothing.
struct Fleet {
    plant: Plant,
    order: String,
    /// The parts, those in them, those in those, and the tops.
    levels: [Vec<String>; 4],
}

pub(super) async fn moved(who: &Person, movement_type: &str, members: Value) -> Answer {
    let mut sent = json!({ "movement_type": movement_type });
    sent.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    event(who, "MOVEMENT_COMPLETED", sent).await
}

async fn fleet(site: &Site) -> Fleet {
    let plant = plant(site).await;
    plant.admin.post("/position", json!({ "_key": "A1", "code": "A-1" })).await.expect(200);
    plant.products(&["D", "B", "A"]).await;
    let order = plant.shop.order("TOP", &all_at_once(1), 4.0).await.key;
    plant.admin.patch(&format!("/work-order/{order}"), json!({ "new_project_code": "Alpha" })).await.expect(200);
    plant
        .admin
        .patch("/product/TOP", json!({ "traceability_level": "form_only", "description": "=Top" }))
        .await
        .expect(200);
    let parts = plant.units("D", ["D1", "D2", "D3", "D4"]).await.to_vec();
    let inner = plant.units("B", ["B1", "B2", "B3"]).await.to_vec();
    let outer = plant.units("A", ["A1", "A2", "A3"]).await.to_vec();
    let mut tops = Vec::new();
    for (code, released) in [("T1", true), ("T2", true), ("T3", false)] {
        let mut top = json!({ "product_key": "TOP", "wo_key": order, "code": code });
        if !released {
            top["released"] = Value::Null;
        }
        tops.push(plant.made(top).await);
    }
    site.clock.advance_seconds(10);
    for place in 0..3 {
        plant.link(&parts[place], &inner[place]).await.expect(200);
        plant.link(&inner[place], &outer[place]).await.expect(200);
        plant.link(&outer[place], &tops[place]).await.expect(200);
    }
    site.clock.advance_seconds(10);
    for top in &tops[..2] {
        let receipt = json!({ "product_key": "TOP", "serial_key": top, "position_to": "A1", "qt_confirmed": 1 });
        moved(&plant.admin, "receipt", receipt).await.expect(200);
    }
    site.clock.advance_seconds(10);
    let references = json!({ "partner_name": "-Smith", "sales_doc": "SO-7" });
    let shipment = json!({
        "product_key": "TOP", "serial_key": tops[1], "position_from": "A1", "qt_confirmed": 1, "references": references,
    });
    moved(&plant.admin, "shipment", shipment).await.expect(200);
    Fleet { plant, order, levels: [parts, inner, outer, tops] }
}

impl Fleet {
    async fn recall(&self, query: &str) -> Value {
        self.plant.get(&format!("/trace/recall?{query}")).await
    }
}

/// Rows in short: the unit's code, the root's, where that is, the depth, and the number of suspects.
fn sketch(rows: &Value) -> Vec<String> {
    let row = |row: &Value| {
        let code = |name: &str| row[name].as_str().unwrap_or("-").to_owned();
        let status = text(&row["location"]["status"]);
        format!("{} {} {status} {} {}", code("serial_code"), code("root_serial_code"), row["depth"], row["via_count"])
    };
    rows.as_array().unwrap().iter().map(row).collect()
}

async fn table(who: &Person, request: Method, path: &str, body: Option<Value>) -> Answer {
    let request = who.request(request, path).header("accept", "text/csv");
    who.send(if let Some(body) = body { request.json(&body) } else { request }).await.expect(200)
}

on_both_engines! {
    async fn suspects_are_found_in_the_units_that_hold_them(site) {
        let fleet = fleet(site).await;
        let Fleet { plant, order, levels: [parts, inner, outer, tops] } = &fleet;
        let roots = fleet.recall("product_key=D").await;
        assert_eq!(sketch(&roots), ["D4 D4 none 0 1", "T1 T1 in_stock 3 1", "T2 T2 shipped 3 1", "T3 T3 wip 3 1"]);
        let movement = &roots[2]["location"]["last_movement"];
        assert_eq!(roots[1], json!({
            "unit_type": "serial", "serial_key": tops[0], "serial_code": "T1", "batch_key": null, "product_key": "TOP",
            "product_code": "TOP", "product_description": "=Top", "state": "in_stock", "released": roots[1]["released"],
            "root_serial_key": tops[0], "root_serial_code": "T1", "root_batch_key": null, "root_product_code": "TOP", "wo_key": order,
            "wo_code": "TOP", "project_code": "Alpha",
            "location": {
                "status": "in_stock", "position_key": "A1", "position_code": "A-1",
                "last_movement": roots[1]["location"]["last_movement"],
            },
            "depth": 3, "via_count": 1, "via": [parts[0]],
        }));
        assert_eq!(roots[1]["location"]["last_movement"]["type"], "receipt");
        assert_eq!((&movement["type"], &movement["position_to_key"]), (&json!("shipment"), &json!("OUT")));
        assert_eq!(movement["references"], json!({ "partner_name": "-Smith", "sales_doc": "SO-7" }));
        assert_eq!((&roots[3]["released"], &roots[3]["location"]["last_movement"]), (&Value::Null, &Value::Null));

        let all = fleet.recall("product_key=D&rows=all").await;
        assert_eq!(sketch(&all), [
            "A1 T1 in_stock 2 1", "A2 T2 shipped 2 1", "A3 T3 wip 2 1", "B1 T1 in_stock 1 1", "B2 T2 shipped 1 1", "B3 T3 wip 1 1",
            "D1 T1 in_stock 0 1", "D2 T2 shipped 0 1", "D3 T3 wip 0 1", "D4 D4 none 0 1", "T1 T1 in_stock 3 1", "T2 T2 shipped 3 1",
            "T3 T3 wip 3 1",
        ]);
        assert_eq!((&all[0]["wo_key"], &all[0]["state"]), (&Value::Null, &json!("used")), "its own order and state");

        let page = plant.admin.get("/trace/recall?product_key=D&rows=all&limit=2&offset=1&count=true").await.expect(200);
        assert_eq!((sketch(&page.body), page.header("x-total-count")), (vec!["A2 T2 shipped 2 1".to_owned(), "A3 T3 wip 2 1".to_owned()], "13"));
        let codes = |rows: Value| each(&rows, "serial_code");
        assert_eq!(codes(fleet.recall("code=d?").await), ["D4", "T1", "T2", "T3"]);
        assert_eq!(codes(fleet.recall("code=2*").await), Vec::<String>::new());
        assert_eq!(codes(fleet.recall("product_key=D&code=*4").await), ["D4"], "both have to fit");
        assert_eq!(codes(fleet.recall(&format!("work_order_key={order}&code=*3")).await), ["T3"]);
        let added = format!("product_key=D&code=*4&serial_key={}&serial_key={}", inner[1], outer[1]);
        let added = fleet.recall(&added).await;
        assert_eq!(sketch(&added), ["D4 D4 none 0 1", "T2 T2 shipped 1 2"], "named ones are added");
        assert_eq!(added[1]["via"], json!([inner[1], outer[1]]));
        assert_eq!(fleet.recall("product_key=D&code=nothing*").await, json!([]));
        let sent = json!({ "serial_key": [parts[0], parts[1]], "rows": "all", "count": true });
        let posted = plant.admin.post("/trace/recall", sent).await.expect(200);
        assert_eq!((posted.body.as_array().unwrap().len(), posted.header("x-total-count")), (8, "8"));
    }

    async fn a_recall_is_a_table_too(site) {
        let fleet = fleet(site).await;
        let Fleet { plant, levels: [parts, _, _, tops], .. } = &fleet;
        let all = table(&plant.admin, Method::GET, "/trace/recall?product_key=D&rows=all", None).await;
        assert_eq!(all.header("content-type"), "text/csv; charset=utf-8");
        let lines: Vec<&str> = all.text.split("\r\n").collect();
        assert_eq!(lines.len(), 15, "a header, 13 rows, and the end: {}", all.text);
        assert_eq!(
            lines[0],
            "unit_type,serial_key,serial_code,batch_key,product_key,product_code,product_description,state,released,root_serial_key,\
             root_serial_code,root_batch_key,root_product_code,wo_key,wo_code,project_code,location_status,position_key,position_code,\
             last_movement_key,last_movement_type,last_movement_end,partner_name,sales_doc,depth,via_count,via"
        );
        let shipped = lines.iter().find(|line| line.starts_with(&format!("serial,{},", tops[1]))).unwrap();
        assert!(shipped.contains(",TOP,'=Top,released,") && shipped.contains(",shipped,,,"), "{shipped}");
        assert!(shipped.ends_with(&format!(",'-Smith,SO-7,3,1,{}", parts[1])), "{shipped}");
        let named = json!({ "serial_key": [parts[0], tops[0]], "limit": 1, "count": true });
        let named = table(&plant.admin, Method::POST, "/trace/recall", Some(named)).await;
        assert!(named.text.ends_with(&format!(",0,2,\"{};{}\"\r\n", parts[0], tops[0])), "{}", named.text);
        assert_eq!((named.text.lines().count(), named.header("x-total-count")), (2, "1"));
        // More rows than a page of JSON has by default.
        let codes: Vec<String> = (0..250).map(|number| format!("N{number}")).collect();
        event(&plant.admin, "SERIAL_CREATED", json!({ "product_key": "B", "codes": codes })).await.expect(200);
        assert_eq!(fleet.recall("code=N*").await.as_array().unwrap().len(), 200);
        let all = table(&plant.admin, Method::GET, "/trace/recall?code=N*", None).await;
        assert_eq!(all.text.lines().count(), 251);
    }

    async fn what_was_swapped_out_is_found_only_with_replaced_links(site) {
        let fleet = fleet(site).await;
        let Fleet { plant, levels: [parts, inner, outer, _], .. } = &fleet;
        site.clock.advance_seconds(10);
        let swap = json!({ "replaces_serial_key": parts[0] });
        link_with(&plant.admin, &parts[3], &inner[0], swap).await.expect(200);
        let suspect = format!("serial_key={}", parts[0]);
        assert_eq!(sketch(&fleet.recall(&suspect).await), ["D1 D1 none 0 1"]);
        assert_eq!(sketch(&fleet.recall(&format!("{suspect}&include_replaced=true")).await), ["D1 D1 none 0 1", "T1 T1 in_stock 3 1"]);

        // What it was in went elsewhere since: that never held it.
        site.clock.advance_seconds(10);
        unlink(&plant.admin, &inner[0], &outer[0], json!({})).await.expect(200);
        site.clock.advance_seconds(10);
        let other = plant.unit("A", "A9").await;
        plant.link(&inner[0], &other).await.expect(200);
        let rows = fleet.recall(&format!("{suspect}&include_replaced=true&rows=all")).await;
        assert_eq!(sketch(&rows), ["A1 T1 in_stock 2 1", "B1 A9 none 1 1", "D1 D1 none 0 1", "T1 T1 in_stock 3 1"]);
        let rows = fleet.recall(&format!("{suspect}&include_replaced=true")).await;
        assert_eq!(sketch(&rows), ["B1 A9 none 1 1", "D1 D1 none 0 1", "T1 T1 in_stock 3 1"], "each is in no other unit of the recall");
    }

    async fn batches_are_units_too(site) {
        let plant = plant(site).await;
        plant.products(&["D", "E"]).await;
        let order = plant.shop.order("LOT", &all_at_once(1), 4.0).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = text(&started["batch_data"]["_key"]);
        let (part, inner) = (plant.unit("D", "D1").await, plant.unit("E", "E1").await);
        plant.link(&inner, &part).await.expect(200);
        event(&plant.admin, "SERIAL_LINKED", json!({ "child_serial_key": part, "batch_key": batch })).await.expect(200);
        let rows = plant.get(&format!("/trace/recall?serial_key={inner}&rows=all")).await;
        assert_eq!(each(&rows, "unit_type"), ["serial", "serial", "batch"]);
        assert_eq!((&rows[0]["root_batch_key"], &rows[0]["root_serial_key"]), (&json!(batch), &Value::Null));
        let nowhere = json!({ "status": "untracked", "position_key": null, "position_code": null, "last_movement": null });
        assert_eq!(rows[2], json!({
            "unit_type": "batch", "serial_key": null, "serial_code": null, "batch_key": batch, "product_key": "LOT", "product_code": "LOT",
            "product_description": null, "state": null, "released": null, "root_serial_key": null, "root_serial_code": null,
            "root_batch_key": batch, "root_product_code": "LOT", "wo_key": order.key, "wo_code": "LOT", "project_code": null,
            "location": nowhere, "depth": 2, "via_count": 1, "via": [inner],
        }));
        let rows = plant.get(&format!("/trace/recall?batch_key={batch}&rows=all")).await;
        assert_eq!(each(&rows, "product_code"), ["D", "LOT"], "what the batch holds is suspect");
        site.clock.advance_seconds(1);
        let away = json!({ "child_serial_key": part, "batch_key": batch });
        event(&plant.admin, "SERIAL_UNLINKED", away).await.expect(200);
        assert_eq!(plant.get(&format!("/trace/recall?batch_key={batch}")).await, json!([]));
        let once = plant.get(&format!("/trace/recall?batch_key={batch}&include_replaced=true&rows=all")).await;
        assert_eq!(each(&once, "product_code"), ["D", "LOT"]);
    }

    async fn a_recall_says_what_is_wrong_with_it(site) {
        let plant = plant(site).await;
        plant.products(&["D"]).await;
        plant.admin.patch("/config", json!({ "allow_serial_delete": true })).await.expect(200);
        let [one, gone] = plant.units("D", ["D1", "D2"]).await;
        assert_eq!(plant.admin.get("/trace/recall").await.faults(), ["value_error query"]);
        assert_eq!(plant.admin.get("/trace/recall?rows=all&code=").await.faults(), ["value_error query"]);
        assert_eq!(plant.admin.post("/trace/recall", json!({})).await.faults(), ["value_error body"]);
        let wrong = plant.admin.post("/trace/recall", json!({ "serial_key": "x", "rows": "some", "limit": 0, "more": 1 })).await;
        assert_eq!(wrong.faults().len(), 4);
        plant.delete(&gone).await;
        let sent = json!({ "serial_key": [one, gone, "no-such-key", gone] });
        let answer = plant.admin.post("/trace/recall", sent).await.expect(404);
        assert_eq!(answer.body["detail"]["unknown"], json!([gone, "no-such-key"]));
        // "Nothing to recall" would be a wrong answer to a mistyped key.
        for (selector, what) in [("product_key", "product"), ("work_order_key", "work order"), ("batch_key", "batch")] {
            for stranger in [one.as_str(), "no-such-key"] {
                let answer = plant.admin.get(&format!("/trace/recall?{selector}={stranger}&code=D*")).await.expect(404);
                let detail = json!({ "message": format!("Not found: {what}."), "unknown": [stranger] });
                assert_eq!(answer.body["detail"], detail);
            }
        }
        let sent = json!({ "serial_key": [gone], "product_key": "X", "work_order_key": "Y", "batch_key": "Z" });
        let answer = plant.admin.post("/trace/recall", sent).await.expect(404);
        let detail = json!({ "message": "Not found: serials, product, work order, batch.", "unknown": [gone, "X", "Y", "Z"] });
        assert_eq!(answer.body["detail"], detail);
        assert_eq!(plant.get("/trace/recall?code=X*").await, json!([]), "a code that nothing has is no mistake");
        assert_eq!(each(&plant.get("/trace/recall?product_key=D").await, "serial_key"), [one], "deleted ones are no suspects");
        let stranger = site.user("keeper", "serial:read").await;
        stranger.get("/trace/recall?product_key=D").await.expect(403);
    }
}
