//! `SERIAL_UPDATED`: codes, values, and what is taken back.

use super::*;

async fn update(who: &Person, serial: &str, members: Value) -> Answer {
    let mut sent = json!({ "serial_key": serial });
    sent.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    event(who, "SERIAL_UPDATED", sent).await
}

/// Refused for want of the right to correct units.
#[track_caller]
fn forbidden(answer: Answer) {
    assert_eq!(answer.expect(403).body["detail"]["required_scope"], "serial:correct");
}

/// Values by the keys of their fields.
fn values(serial: &Value) -> Vec<Value> {
    let data = serial["data"].as_array().unwrap().iter();
    data.map(|entry| json!([entry["form_field_key"], entry["custom_field_key"], entry["value"]])).collect()
}

on_both_engines! {
    async fn a_unit_gets_another_code(site) {
        let plant = plant(site).await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        let [first, second] = plant.units("P", ["A-1", "A-2"]).await;
        let changed = update(&plant.operator, &first, json!({ "serial_code": " a-3 " })).await.detail();
        assert_eq!((&changed["serial_key"], &changed["code"]), (&json!(first), &json!("A-3")));
        assert_eq!(plant.read(&first).await["code"], "A-3");
        let taken = refused(update(&plant.operator, &first, json!({ "serial_code": "a-2" })).await, "SerialCodeAlreadyPresent");
        assert_eq!((&taken["codes"], &taken["conflict_count"]), (&json!(["A-2"]), &json!(1)));
        update(&plant.operator, &second, json!({ "serial_code": "a-1" })).await.expect(200);
        for code in [" ".to_owned(), "x".repeat(129)] {
            update(&plant.operator, &first, json!({ "serial_code": code })).await.expect(422);
        }

        let uncoded = plant.made(json!({ "product_key": "P", "released": null })).await;
        plant.admin.patch("/config", json!({ "allow_serial_code_edit": false })).await.expect(200);
        rule(update(&plant.admin, &first, json!({ "serial_code": "A-4" })).await, "SerialNotUpdatedError", "code_edit_not_allowed");
        assert_eq!(plant.read(&first).await["code"], "A-3");
        update(&plant.operator, &uncoded, json!({ "serial_code": "A-4" })).await.expect(200);
        let shown = plant.read(&uncoded).await;
        assert_eq!((&shown["code"], &shown["state"]), (&json!("A-4"), &json!("wip")), "the first code is no edit");
        rule(update(&plant.admin, &uncoded, json!({ "serial_code": "A-5" })).await, "SerialNotUpdatedError", "code_edit_not_allowed");
        assert_eq!(plant.told(&uncoded).await, ["SERIAL_CREATED", "SERIAL_UPDATED"]);
    }

    async fn values_are_found_changed_and_added(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("P", json!({})).await;
        let data = json!([
            { "form_field_key": "f1", "custom_field_key": "colour", "value": "red", "label": "Paint" },
            { "form_field_key": "f2", "custom_field_key": "weight", "value": 1 },
            { "form_field_key": "f3", "custom_field_key": "weight", "value": 2 },
            { "custom_field_key": "grade", "value": "g1" },
        ]);
        let unit = plant.made(json!({ "product_key": "P", "code": "1", "released": null, "data": data })).await;
        site.clock.advance_seconds(60);
        let sent = json!([
            { "form_field_key": "f2", "value": 1.5 },
            { "custom_field_key": "colour", "value": null },
            { "custom_field_key": "grade", "value": { "_key": "g2" } },
            { "custom_field_key": "passed", "value": true },
        ]);
        let changed = update(&plant.operator, &unit, json!({ "serial_data": sent })).await.detail();
        let shown = plant.read(&unit).await;
        assert_eq!(values(&shown), [
            json!(["f1", "colour", null]), json!(["f2", "weight", 1.5]), json!(["f3", "weight", 2]),
            json!([null, "grade", { "_key": "g2", "value": "Second" }]), json!([null, "passed", true]),
        ]);
        assert_eq!(shown["data"][0]["label"], "Paint");
        let now = json!(site.app().now());
        for place in [0, 1, 3, 4] {
            let entry = &shown["data"][place];
            assert_eq!((&entry["last_updated"], &entry["last_updated_by"]), (&now, &json!(plant.operator.key)), "{entry}");
        }
        assert_ne!(shown["data"][2]["last_updated"], now, "what was not sent is not stamped");
        let previous = plant.event(&changed).await["payload"]["previous"].to_string();
        for old in ["red", "f2", "First"] {
            assert!(previous.contains(old), "the event keeps the old values: {previous}");
        }

        let fault = async |sent: Value| {
            let refused = refused(update(&plant.operator, &unit, json!({ "serial_data": sent })).await, "FormFieldValueError");
            refused["fields"].as_array().unwrap().iter().map(|fault| text(&fault["rule"])).collect::<Vec<_>>()
        };
        assert_eq!(fault(json!([{ "custom_field_key": "weight", "value": 3 }])).await, ["unknown_field"], "two entries fit");
        assert_eq!(fault(json!([{ "custom_field_key": "nobody", "value": 3 }])).await, ["unknown_field"]);
        assert_eq!(fault(json!([{ "form_field_key": "f9", "value": 3 }])).await, ["unknown_field"]);
        let several = json!([
            { "form_field_key": "f1", "value": 3 }, { "form_field_key": "f2", "value": "3" }, { "custom_field_key": "grade", "value": "g3" },
            { "custom_field_key": "passed", "value": "yes" }, { "custom_field_key": "made", "value": "tomorrow" }, { "form_field_key": "f3", "value": 4 },
        ]);
        assert_eq!(fault(several).await, ["wrong_type", "wrong_type", "not_in_list", "wrong_type", "wrong_type"], "all at once");
        assert_eq!(values(&plant.read(&unit).await)[2], json!(["f3", "weight", 2]), "and nothing is changed");
    }

    async fn values_of_phases_are_removed(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("P", json!({})).await;
        let phase = |alias: &str| json!({ "alias": alias, "operation_key": "work", "steps": [] });
        let phases = plant.admin.put("/product/P/process", json!([phase("a"), phase("b")])).await.expect(200).body;
        let phases = each(&phases, "_key");
        let data = json!([
            { "form_field_key": "f1", "custom_field_key": "colour", "value": "red", "phase_key": phases[0] },
            { "form_field_key": "f2", "custom_field_key": "colour", "value": "blue", "phase_key": phases[1] },
            { "form_field_key": "f3", "custom_field_key": "colour", "value": "green" },
        ]);
        let unit = plant.made(json!({ "product_key": "P", "code": "1", "released": null, "data": data })).await;
        forbidden(update(&plant.operator, &unit, json!({ "remove_data_from_phases": [phases[0]] })).await);
        let changed = update(&plant.shop.supervisor, &unit, json!({ "remove_data_from_phases": [phases[0]] })).await.detail();
        let shown = plant.read(&unit).await;
        assert_eq!(values(&shown), [json!(["f1", "colour", null]), json!(["f2", "colour", "blue"]), json!(["f3", "colour", "green"])]);
        assert_eq!((&shown["data"][0]["phase_key"], &shown["data"][0]["batch_key"]), (&json!(phases[0]), &Value::Null));
        assert!(plant.event(&changed).await["payload"]["previous"].to_string().contains("red"));
    }

    async fn a_released_unit_is_corrected_by_right_only(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("P", json!({})).await;
        let [parent, child, other] = plant.units("P", ["PARENT", "CHILD", "OTHER"]).await;
        let supervisor = &plant.shop.supervisor;
        let colour = json!({ "serial_data": [{ "custom_field_key": "colour", "value": "red" }] });
        forbidden(update(&plant.operator, &other, colour.clone()).await);
        update(supervisor, &other, colour.clone()).await.expect(200);
        assert_eq!(values(&plant.read(&other).await), [json!([null, "colour", "red"])]);
        update(&site.user("quality", "quality").await, &other, json!({ "serial_data": [{ "custom_field_key": "colour", "value": "blue" }] })).await.expect(200);

        forbidden(update(&plant.operator, &other, json!({ "unrelease": true })).await);
        let taken_back = update(supervisor, &other, json!({ "unrelease": true })).await.detail();
        assert_eq!((&taken_back["serial_key"], &taken_back["code"]), (&json!(other), &json!("OTHER")));
        let shown = plant.read(&other).await;
        assert_eq!((&shown["released"], &shown["released_by"], &shown["state"]), (&Value::Null, &Value::Null, &json!("wip")));
        update(&plant.operator, &other, colour).await.expect(200);
        rule(update(supervisor, &other, json!({ "unrelease": true })).await, "SerialNotUpdatedError", "not_released");
        plant.link(&child, &parent).await.expect(200);
        rule(update(supervisor, &child, json!({ "unrelease": true })).await, "SerialNotUpdatedError", "in_use");
        update(supervisor, &parent, json!({ "unrelease": true })).await.expect(200);
    }

    async fn a_scrapped_unit_is_changed_only_by_taking_that_back(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("P", json!({})).await;
        let unit = plant.unit("P", "1").await;
        let supervisor = &plant.shop.supervisor;
        rule(update(supervisor, &unit, json!({ "unscrap": true })).await, "SerialNotUpdatedError", "not_scrapped");
        plant.scrap(&unit).await;
        for members in [json!({ "serial_code": "2" }), json!({ "serial_data": [{ "custom_field_key": "colour", "value": "red" }] }), json!({ "unrelease": true })] {
            rule(update(supervisor, &unit, members).await, "SerialNotUpdatedError", "scrapped");
        }
        forbidden(update(&plant.operator, &unit, json!({ "unscrap": true })).await);
        update(supervisor, &unit, json!({ "unscrap": true })).await.expect(200);
        let shown = plant.read(&unit).await;
        assert_eq!((&shown["scrapped"], &shown["scrapped_by"], &shown["scrap_reason"], &shown["state"]), (&Value::Null, &Value::Null, &Value::Null, &json!("released")));
        update(supervisor, &unit, json!({ "serial_code": "2" })).await.expect(200);
    }

    async fn something_has_to_change_of_a_unit_that_is_there(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [unit, gone] = plant.units("P", ["1", "2"]).await;
        plant.delete(&gone).await;
        let before = site.count("event").await;
        for members in [json!({}), json!({ "serial_code": null }), json!({ "unrelease": false, "unscrap": false })] {
            rule(update(&plant.admin, &unit, members).await, "SerialNotUpdatedError", "nothing_to_change");
        }
        for serial in ["nobody", &gone] {
            unknown(update(&plant.admin, serial, json!({ "serial_code": "3" })).await, "serial_key");
        }
        assert_eq!(event(&plant.admin, "SERIAL_UPDATED", json!({ "serial_code": "3" })).await.faults(), ["missing body.serial_key"]);
        assert_eq!(site.count("event").await, before);
    }
}
