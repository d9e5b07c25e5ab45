//! Scenarios 3 and 7, and what else is made or refused by `SERIAL_CREATED`.

use super::*;

/// So many codes of ten characters, in order.
fn codes(from: usize, count: usize) -> Vec<String> {
    (from..from + count).map(|number| format!("LOT-{number:06}")).collect()
}

on_both_engines! {
    async fn a_code_is_taken_until_its_unit_is_deleted(site) {
        let plant = plant(site).await;
        plant.products(&["P", "Q"]).await;
        let made = create(&plant.operator, json!({ "product_key": "P", "code": " ab-1 " })).await.detail();
        assert_eq!((&made["code"], &made["count"]), (&json!("AB-1"), &json!(1)));
        assert_eq!(made["serials"], json!([{ "serial_key": made["serial_key"], "code": "AB-1" }]));
        let holder = text(&made["serial_key"]);
        let taken = refused(create(&plant.operator, json!({ "product_key": "P", "code": "ab-1" })).await, "SerialCodeAlreadyPresent");
        assert_eq!((&taken["codes"], &taken["conflict_count"]), (&json!(["AB-1"]), &json!(1)));
        create(&plant.operator, json!({ "product_key": "Q", "code": "ab-1" })).await.expect(200);

        let free = async |query: &str| plant.get(&format!("/serial-code/verify-free?serial_code=%20ab-1&{query}")).await;
        assert_eq!(free("product_key=P").await, json!(false));
        assert_eq!(free(&format!("product_key=P&serial_key={holder}")).await, json!(true));
        plant.scrap(&holder).await;
        assert_eq!(free("product_key=P").await, json!(false), "a scrapped unit keeps its code");
        plant.delete(&holder).await;
        assert_eq!(free("product_key=P").await, json!(true));
        assert_eq!(free("").await, json!(false), "the other product has it");
        create(&plant.operator, json!({ "product_key": "P", "code": "AB-1" })).await.expect(200);
        assert_eq!(free("product_key=P").await, json!(false));
    }

    async fn ten_thousand_units_are_one_event(site) {
        let plant = plant(site).await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        let made = create(&plant.operator, json!({ "product_key": "P", "count": 10_000 })).await.detail();
        assert_eq!((&made["count"], &made["code"]), (&json!(10_000), &json!("SN-00001")));
        let expected: Vec<String> = (1..=10_000).map(|tick| format!("SN-{tick:05}")).collect();
        assert_eq!(each(&made["serials"], "code"), expected, "in the order of the counter");
        assert_eq!(made["serials"][0]["serial_key"], made["serial_key"]);
        assert_eq!((site.count("event").await, site.count("serial").await), (1, 10_000));
        let listed = plant.get("/serial-selection?product_key=P&limit=10000").await;
        assert_eq!(each(&listed, "code"), expected);
        let counted = plant.admin.get("/serial?product_key=P&limit=1&count=true").await.expect(200);
        assert_eq!(counted.header("x-total-count"), "10000");

        let taken = [17, 5_000, 9_999].map(|number| format!("LOT-{number:06}"));
        create(&plant.operator, json!({ "product_key": "P", "codes": taken })).await.expect(200);
        let refused = refused(create(&plant.operator, json!({ "product_key": "P", "codes": codes(0, 10_000) })).await, "SerialCodeAlreadyPresent");
        assert_eq!((&refused["codes"], &refused["conflict_count"]), (&json!(taken), &json!(3)));
        assert_eq!((site.count("event").await, site.count("serial").await), (2, 10_003), "none is made");
        let free = create(&plant.operator, json!({ "product_key": "P", "codes": codes(10_000, 10_000) })).await.detail();
        assert_eq!(each(&free["serials"], "code"), codes(10_000, 10_000));
    }

    async fn a_range_names_its_codes(site) {
        let plant = plant(site).await;
        for (number, (range, first, last, count)) in [
            ("100-199", "100", "199", 100),
            ("007-012", "007", "012", 6),
            ("98-102", "98", "102", 5),
            ("5-5", "5", "5", 1),
            ("SN-0007-0042", "SN-0007", "SN-0042", 36),
            ("SN-0007-SN-0042", "SN-0007", "SN-0042", 36),
            ("A1-A50", "A1", "A50", 50),
            ("sn1-3", "SN1", "SN3", 3),
            ("10-12-10-15", "10-12-10", "10-12-15", 6),
        ]
        .into_iter()
        .enumerate()
        {
            let product = format!("P{number}");
            plant.product(&product, json!({})).await;
            let made = create(&plant.operator, json!({ "product_key": product, "range": range })).await.detail();
            let codes = each(&made["serials"], "code");
            assert_eq!((codes.len(), codes[0].as_str(), codes[codes.len() - 1].as_str()), (count, first, last), "{range}");
            assert_eq!(made["count"], count);
        }
        let before = site.count("serial").await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        for range in ["9-5", "7", "7-", "-7", "A-B", "A1-B5", "A1-A", "one to two"] {
            rule(create(&plant.operator, json!({ "product_key": "P", "range": range })).await, "SerialNotCreatedError", "bad_range");
        }
        rule(create(&plant.operator, json!({ "product_key": "P", "range": "1-100001" })).await, "SerialNotCreatedError", "too_many");
        create(&plant.operator, json!({ "product_key": "P", "codes": ["A3", "A7"] })).await.expect(200);
        let taken = refused(create(&plant.operator, json!({ "product_key": "P", "range": "A1-A10" })).await, "SerialCodeAlreadyPresent");
        assert_eq!((&taken["codes"], &taken["conflict_count"]), (&json!(["A3", "A7"]), &json!(2)));
        assert_eq!(site.count("serial").await, before + 2);
    }

    async fn a_new_unit_is_shown_whole(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        let data = json!([
            { "form_field_key": "f1", "custom_field_key": "colour", "value": "red", "label": "Paint", "hint": "as ordered", "mandatory": true },
            { "custom_field_key": "weight", "value": 1.25 },
            { "custom_field_key": "grade", "value": "g1" },
        ]);
        let made = create(&plant.operator, json!({ "product_key": "P", "data": data })).await.detail();
        let key = text(&made["serial_key"]);
        let shown = plant.read(&key).await;
        let now = json!(site.app().now());
        let expected = json!({
            "_key": key, "_id": format!("Serial/{key}"), "_rev": shown["_rev"], "code": "SN-00001", "product_key": "P", "wo_key": null,
            "counter_key": "units", "quantity": 1, "created": now, "created_by": plant.operator.key, "released": now,
            "released_by": plant.operator.key, "scrapped": null, "scrapped_by": null, "scrap_reason": null, "deleted": null,
            "deleted_by": null, "data": shown["data"], "state": "released",
        });
        assert_eq!(shown, expected);
        assert!(shown["_rev"].is_string());
        let values = shown["data"].as_array().unwrap();
        assert_eq!(values.len(), 3);
        let first = &values[0];
        assert_eq!((&first["form_field_key"], &first["custom_field_key"], &first["value"]), (&json!("f1"), &json!("colour"), &json!("red")));
        assert_eq!((&first["label"], &first["hint"], &first["mandatory"]), (&json!("Paint"), &json!("as ordered"), &json!(true)));
        for empty in ["batch_key", "step_key", "phase_key"] {
            assert_eq!(first.get(empty), Some(&Value::Null), "{empty}");
        }
        assert_eq!((values[1]["value"].to_string(), &values[1]["form_field_key"]), ("1.25".to_owned(), &Value::Null));
        assert_eq!(values[2]["value"], json!({ "_key": "g1", "value": "First" }), "a choice is shown with its text");
        let event = plant.event(&made).await;
        assert_eq!((&event["event_type"], &event["product_key"], &event["user_key"]), (&json!("SERIAL_CREATED"), &json!("P"), &json!(plant.operator.key)));

        // Data goes to each of many.
        let many = create(&plant.operator, json!({ "product_key": "P", "count": 2, "data": data })).await.detail();
        for serial in each(&many["serials"], "serial_key") {
            assert_eq!(plant.read(&serial).await["data"][0]["value"], "red");
        }
    }

    async fn codes_are_drawn_when_a_unit_is_finished_or_at_once(site) {
        let plant = plant(site).await;
        plant.product("later", json!({ "counter_key": "units" })).await;
        plant.product("at-once", json!({ "counter_key": "units", "serial_code_on_creation": true })).await;
        plant.product("none", json!({})).await;
        plant.product("nothing-to-draw", json!({ "serial_code_on_creation": true })).await;
        let uncoded = create(&plant.operator, json!({ "product_key": "later", "count": 3, "released": null })).await.detail();
        assert_eq!((&uncoded["code"], &uncoded["count"]), (&Value::Null, &json!(3)));
        let shown = plant.read(&text(&uncoded["serial_key"])).await;
        assert_eq!((&shown["code"], &shown["released"], &shown["released_by"], &shown["state"]), (&Value::Null, &Value::Null, &Value::Null, &json!("uncoded")));
        let coded = create(&plant.operator, json!({ "product_key": "at-once", "released": null })).await.detail();
        assert_eq!(coded["code"], "SN-00001", "a code of the counter in upper case");
        assert_eq!(plant.state(&text(&coded["serial_key"])).await, "wip");
        let own = create(&plant.operator, json!({ "product_key": "none", "code": "own", "released": null })).await.detail();
        assert_eq!(plant.state(&text(&own["serial_key"])).await, "wip");
        create(&plant.operator, json!({ "product_key": "none", "released": null })).await.expect(200);
        refused(create(&plant.operator, json!({ "product_key": "none" })).await, "CounterNotDefinedError");
        refused(create(&plant.operator, json!({ "product_key": "nothing-to-draw", "released": null })).await, "CounterNotDefinedError");

        // Codes that are taken are skipped, and what is refused draws none.
        create(&plant.operator, json!({ "product_key": "later", "codes": ["sn-00002", "SN-00004"] })).await.expect(200);
        let wrong = json!({ "product_key": "later", "count": 2, "data": [{ "custom_field_key": "nobody", "value": 1 }] });
        refused(create(&plant.operator, wrong).await, "FormFieldValueError");
        let drawn = create(&plant.operator, json!({ "product_key": "later", "count": 3 })).await.detail();
        assert_eq!(each(&drawn["serials"], "code"), ["SN-00003", "SN-00005", "SN-00006"]);
    }

    async fn units_are_made_and_released_when_told(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let now = site.app().now();
        let (yesterday, hour_ago) = (now.plus_seconds(-86_400), now.plus_seconds(-3_600));
        let past = plant.made(json!({ "product_key": "P", "code": "1", "timestamp": yesterday })).await;
        let shown = plant.read(&past).await;
        assert_eq!((&shown["created"], &shown["released"]), (&json!(yesterday), &json!(yesterday)));
        let later = plant.made(json!({ "product_key": "P", "code": "2", "timestamp": yesterday, "released": hour_ago })).await;
        assert_eq!(plant.read(&later).await["released"], json!(hour_ago));
        let received = plant.made(json!({ "product_key": "P", "code": "3", "released": hour_ago })).await;
        let shown = plant.read(&received).await;
        assert_eq!((&shown["created"], &shown["released"]), (&json!(now), &json!(hour_ago)), "goods that were finished before they came");
        for members in [json!({ "released": now.plus_seconds(3_600) }), json!({ "timestamp": now.plus_seconds(301) })] {
            let mut sent = json!({ "product_key": "P", "code": "4" });
            sent.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            refused(create(&plant.operator, sent).await, "TimestampError");
        }
        assert_eq!(site.count("serial").await, 3);
    }

    async fn what_can_not_be_made_is_refused(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        plant.product("plain", json!({ "traceability_level": null })).await;
        plant.product("gone", json!({})).await;
        plant.admin.delete("/product/gone").await.expect(200);
        let order = plant.order("W", None, &[]).await;
        let before = site.count("event").await;
        let sent = async |members: Value| create(&plant.operator, members).await;
        rule(sent(json!({ "product_key": "plain", "code": "1" })).await, "SerialNotCreatedError", "product_not_traced");
        let mismatch = refused(sent(json!({ "product_key": "P", "wo_key": order.key })).await, "ReferenceMismatchError");
        assert_eq!(mismatch["field"], "wo_key");
        for product in ["nobody", "gone"] {
            unknown(sent(json!({ "product_key": product, "code": "1" })).await, "product_key");
        }
        unknown(sent(json!({ "product_key": "P", "wo_key": "nobody" })).await, "wo_key");
        let twice = refused(sent(json!({ "product_key": "P", "codes": ["a", "b", " A "] })).await, "SerialCodeAlreadyPresent");
        assert_eq!((&twice["codes"], &twice["conflict_count"]), (&json!(["A"]), &json!(1)), "no code twice in one event");
        let data = json!([
            { "custom_field_key": "nobody", "value": 1 },
            { "custom_field_key": "weight", "value": "heavy" },
            { "form_field_key": "f", "custom_field_key": "grade", "value": "g9" },
            { "custom_field_key": "colour", "value": "red" },
        ]);
        let faults = refused(sent(json!({ "product_key": "P", "data": data })).await, "FormFieldValueError")["fields"].clone();
        let told: Vec<Value> = faults.as_array().unwrap().iter().map(|fault| json!([fault["custom_field_key"], fault["rule"]])).collect();
        assert_eq!(told, [json!(["nobody", "unknown_field"]), json!(["weight", "wrong_type"]), json!(["grade", "not_in_list"])]);
        assert_eq!(faults[2]["form_field_key"], "f");

        assert_eq!(sent(json!({ "code": "1" })).await.faults(), ["missing body.product_key"]);
        for members in [
            json!({ "code": "1", "count": 1 }), json!({ "codes": ["1"], "range": "1-2" }), json!({ "codes": [] }), json!({ "count": 0 }),
            json!({ "count": 100_001 }), json!({ "count": 1.5 }), json!({ "code": " " }), json!({ "codes": ["1", ""] }),
            json!({ "code": "x".repeat(129) }), json!({ "range": "" }), json!({ "colour": "red" }), json!({ "released": "soon" }),
        ] {
            let mut all = json!({ "product_key": "P" });
            all.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            sent(all).await.expect(422);
        }
        let viewer = site.user("viewer", "viewer").await;
        let forbidden = create(&viewer, json!({ "product_key": "P" })).await.expect(403);
        assert_eq!(forbidden.body["detail"]["required_scope"], "traceability:event:create");
        assert_eq!((site.count("serial").await, site.count("event").await), (0, before));
        let longest = "x".repeat(128);
        assert_eq!(sent(json!({ "product_key": "P", "code": longest })).await.detail()["code"], longest.to_uppercase());
        let of_order = plant.made(json!({ "product_key": "W", "wo_key": order.key, "code": "1" })).await;
        assert_eq!(plant.read(&of_order).await["wo_key"], json!(order.key));
        assert_eq!(plant.told(&of_order).await, ["SERIAL_CREATED"]);
    }

    async fn an_event_is_found_under_each_of_its_units(site) {
        let plant = plant(site).await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        let made = create(&plant.operator, json!({ "product_key": "P", "count": 150 })).await.detail();
        let keys = each(&made["serials"], "serial_key");
        for key in [&keys[0], &keys[75], &keys[149]] {
            let found = plant.get(&format!("/event?serial_key={key}")).await;
            assert_eq!(each(&found, "_key"), [text(&made["event_key"])]);
        }
        let codes = create(&plant.operator, json!({ "product_key": "P", "codes": codes(0, 120) })).await.detail();
        let scrapped = event(&plant.operator, "SERIAL_SCRAPPED", json!({ "serial_keys": keys, "reason": "flood" })).await.detail();
        assert_eq!(plant.told(&keys[149]).await, ["SERIAL_CREATED", "SERIAL_SCRAPPED"]);

        // Long lists are cut in the feed, and whole where the event is read alone.
        let feed = plant.get("/event?sort_by=seq&sorting_order=asc").await;
        for (line, (detail, count)) in feed.as_array().unwrap().iter().zip([(&made, 150), (&codes, 120), (&scrapped, 150)]) {
            let whole = plant.event(detail).await["payload"].clone();
            let long: Vec<(&String, &Vec<Value>)> = whole.as_object().unwrap().iter()
                .filter_map(|(name, value)| value.as_array().map(|list| (name, list)))
                .filter(|(_, list)| list.len() > 100)
                .collect();
            assert!(!long.is_empty(), "it names its units: {whole}");
            for (name, list) in long {
                assert_eq!(list.len(), count, "{name}");
                assert_eq!(line["payload"][name], json!(list[..100]), "{name}");
                assert_eq!(line["payload"][format!("{name}_count")], count, "{name}");
                assert_eq!(whole.get(format!("{name}_count")), None, "nothing was cut");
            }
        }
        let whole = plant.event(&scrapped).await;
        assert_eq!(whole["payload"]["serial_keys"], json!(keys));
    }
}
