//! Units are released, scrapped and deleted.

use super::*;

async fn release(who: &Person, members: Value) -> Answer {
    event(who, "SERIAL_RELEASED", members).await
}

async fn scrap(who: &Person, members: Value) -> Answer {
    event(who, "SERIAL_SCRAPPED", members).await
}

async fn delete(who: &Person, serial: &str, members: Value) -> Answer {
    let mut sent = json!({ "serial_key": serial });
    sent.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    event(who, "SERIAL_DELETED", sent).await
}

/// What was wrong with which of several units.
fn faults(refused: &Value) -> Vec<(String, String)> {
    let serials = refused["serials"].as_array().unwrap().iter();
    serials.map(|fault| (text(&fault["serial_key"]), text(&fault["rule"]))).collect()
}

fn fault(serial: &str, rule: &str) -> (String, String) {
    (serial.to_owned(), rule.to_owned())
}

on_both_engines! {
    async fn a_release_draws_the_codes_that_are_missing(site) {
        let plant = plant(site).await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        let made = create(&plant.operator, json!({ "product_key": "P", "count": 3, "released": null })).await.detail();
        let keys = each(&made["serials"], "serial_key");
        let coded = plant.made(json!({ "product_key": "P", "code": "OWN", "released": null })).await;
        site.clock.advance_seconds(60);
        let now = site.app().now();
        let one = release(&plant.operator, json!({ "serial_key": coded })).await.detail();
        assert_eq!((&one["serial_key"], &one["count"]), (&json!(coded), &json!(1)));
        assert_eq!(one["serials"], json!([{ "serial_key": coded, "code": "OWN" }]));
        let shown = plant.read(&coded).await;
        assert_eq!((&shown["released"], &shown["released_by"], &shown["state"]), (&json!(now), &json!(plant.operator.key), &json!("released")));
        let earlier = now.plus_seconds(-30);
        let many = release(&plant.operator, json!({ "serial_keys": keys, "released": earlier })).await.detail();
        assert_eq!((&many["serial_key"], &many["count"]), (&json!(keys[0]), &json!(3)));
        assert_eq!((each(&many["serials"], "serial_key"), each(&many["serials"], "code")), (keys.clone(), ["SN-00001", "SN-00002", "SN-00003"].map(str::to_owned).to_vec()));
        for (key, code) in keys.iter().zip(["SN-00001", "SN-00002", "SN-00003"]) {
            let shown = plant.read(key).await;
            assert_eq!((&shown["code"], &shown["released"]), (&json!(code), &json!(earlier)));
            assert_eq!(plant.told(key).await, ["SERIAL_CREATED", "SERIAL_RELEASED"]);
        }
    }

    async fn what_can_not_be_released_is_named(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [released, scrapped, gone] = plant.units("P", ["RELEASED", "SCRAPPED", "GONE"]).await;
        plant.scrap(&scrapped).await;
        plant.delete(&gone).await;
        let ready = plant.made(json!({ "product_key": "P", "code": "READY", "released": null })).await;
        let uncoded = plant.made(json!({ "product_key": "P", "released": null })).await;
        let before = site.count("event").await;
        rule(release(&plant.operator, json!({ "serial_key": released })).await, "SerialNotReleasedError", "already_released");
        rule(release(&plant.operator, json!({ "serial_key": scrapped })).await, "SerialNotReleasedError", "scrapped");
        let several = refused(release(&plant.operator, json!({ "serial_keys": [released, ready, scrapped] })).await, "SerialNotReleasedError");
        assert_eq!(faults(&several), [fault(&released, "already_released"), fault(&scrapped, "scrapped")]);
        assert_eq!(plant.state(&ready).await, "wip", "all or none");
        let counter = refused(release(&plant.operator, json!({ "serial_keys": [ready, uncoded] })).await, "CounterNotDefinedError");
        assert_eq!(counter["serial_keys"], json!([uncoded]));
        unknown(release(&plant.operator, json!({ "serial_key": gone })).await, "serial_key");
        unknown(release(&plant.operator, json!({ "serial_keys": [ready, "nobody"] })).await, "serial_keys");
        let now = site.app().now();
        for released in [now.plus_seconds(-1), now.plus_seconds(3_600)] {
            refused(release(&plant.operator, json!({ "serial_key": ready, "released": released })).await, "TimestampError");
        }
        for members in [json!({}), json!({ "serial_keys": [] }), json!({ "serial_key": ready, "serial_keys": [ready] })] {
            release(&plant.operator, members).await.expect(422);
        }
        assert_eq!(site.count("event").await, before);

        // A counter that the product got later counts.
        plant.admin.patch("/product/P", json!({ "counter_key": "units" })).await.expect(200);
        let late = release(&plant.operator, json!({ "serial_keys": [ready, uncoded] })).await.detail();
        assert_eq!(each(&late["serials"], "code"), ["READY", "SN-00001"]);
    }

    async fn scrapped_units_stay_with_their_reason(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [one, two, used, parent] = plant.units("P", ["ONE", "TWO", "USED", "PARENT"]).await;
        let unreleased = plant.made(json!({ "product_key": "P", "code": "RAW", "released": null })).await;
        plant.link(&used, &parent).await.expect(200);
        site.clock.advance_seconds(60);
        let now = json!(site.app().now());
        let done = scrap(&plant.operator, json!({ "serial_keys": [one, unreleased], "reason": "flood" })).await.detail();
        assert_eq!((&done["serial_key"], &done["count"]), (&json!(one), &json!(2)));
        assert_eq!(each(&done["serials"], "serial_key"), [one.clone(), unreleased.clone()]);
        for serial in [&one, &unreleased] {
            let shown = plant.read(serial).await;
            assert_eq!((&shown["scrapped"], &shown["scrapped_by"], &shown["scrap_reason"]), (&now, &json!(plant.operator.key), &json!("flood")));
            assert_eq!(shown["state"], "scrapped");
        }
        rule(scrap(&plant.operator, json!({ "serial_key": one, "reason": "again" })).await, "SerialNotScrappedError", "already_scrapped");
        rule(scrap(&plant.operator, json!({ "serial_key": used, "reason": "rust" })).await, "SerialNotScrappedError", "used");
        let several = refused(scrap(&plant.operator, json!({ "serial_keys": [two, used, one], "reason": "rust" })).await, "SerialNotScrappedError");
        assert_eq!(faults(&several), [fault(&used, "used"), fault(&one, "already_scrapped")]);
        assert_eq!(plant.state(&two).await, "released", "all or none");
        unknown(scrap(&plant.operator, json!({ "serial_key": "nobody", "reason": "rust" })).await, "serial_key");
        let faults = scrap(&plant.operator, json!({ "serial_key": two })).await.faults();
        assert_eq!(faults, ["missing body.reason"]);
        for reason in [String::new(), "x".repeat(501)] {
            scrap(&plant.operator, json!({ "serial_key": two, "reason": reason })).await.expect(422);
        }
        scrap(&plant.operator, json!({ "serial_key": two, "reason": "x".repeat(500) })).await.expect(200);
    }

    async fn a_scrapped_unit_keeps_its_components_or_lets_them_go(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [keeps, frees, c1, c2, c3] = plant.units("P", ["KEEPS", "FREES", "C1", "C2", "C3"]).await;
        for (child, parent) in [(&c1, &keeps), (&c2, &frees), (&c3, &frees)] {
            plant.link(child, parent).await.expect(200);
        }
        let kept = scrap(&plant.operator, json!({ "serial_key": keeps, "reason": "rust" })).await.detail();
        assert_eq!(plant.group(&kept).await, ["SERIAL_SCRAPPED"]);
        assert_eq!(plant.state(&c1).await, "used");
        let freed = scrap(&plant.operator, json!({ "serial_key": frees, "reason": "rust", "release_components": true })).await.detail();
        let mut group = plant.group(&freed).await;
        assert_eq!(group[0], "SERIAL_SCRAPPED");
        group.sort_unstable();
        assert_eq!(group, ["SERIAL_SCRAPPED", "SERIAL_UNLINKED", "SERIAL_UNLINKED"]);
        for child in [&c2, &c3] {
            assert_eq!(plant.state(child).await, "released");
        }
    }

    /// Of many faults the first thousand are told.
    async fn faults_of_many_units_are_told_up_to_a_thousand(site) {
        let plant = plant(site).await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        let made = create(&plant.operator, json!({ "product_key": "P", "count": 1_100 })).await.detail();
        let keys = each(&made["serials"], "serial_key");
        let several = refused(release(&plant.operator, json!({ "serial_keys": keys })).await, "SerialNotReleasedError");
        let told = faults(&several);
        assert_eq!(told.len(), 1_000);
        assert!(told.iter().zip(&keys).all(|(told, key)| *told == fault(key, "already_released")), "in the order they were sent");
        assert_eq!(scrap(&plant.operator, json!({ "serial_keys": keys, "reason": "flood" })).await.detail()["count"], 1_100);
        assert_eq!(faults(&refused(scrap(&plant.operator, json!({ "serial_keys": keys, "reason": "again" })).await, "SerialNotScrappedError")).len(), 1_000);
    }

    async fn a_deleted_unit_is_read_by_its_key_alone(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [parent, child, grandchild] = plant.units("P", ["PARENT", "CHILD", "GRANDCHILD"]).await;
        plant.link(&child, &parent).await.expect(200);
        plant.link(&grandchild, &child).await.expect(200);
        let supervisor = &plant.shop.supervisor;
        let forbidden = delete(&plant.operator, &parent, json!({})).await.expect(403);
        assert_eq!(forbidden.body["detail"]["required_scope"], "serial:correct");
        rule(delete(supervisor, &child, json!({})).await, "SerialNotDeletedError", "used");
        plant.admin.patch("/config", json!({ "allow_serial_delete": false })).await.expect(200);
        rule(delete(supervisor, &parent, json!({})).await, "SerialNotDeletedError", "not_allowed");
        plant.admin.patch("/config", json!({ "allow_serial_delete": true })).await.expect(200);

        let deleted = delete(supervisor, &parent, json!({})).await.detail();
        assert_eq!((&deleted["serial_key"], &deleted["deleted_keys"]), (&json!(parent), &json!([parent])));
        assert_eq!(plant.group(&deleted).await, ["SERIAL_DELETED", "SERIAL_UNLINKED"]);
        let shown = plant.read(&parent).await;
        assert_eq!((&shown["state"], &shown["deleted"], &shown["deleted_by"]), (&json!("deleted"), &json!(site.app().now()), &json!(supervisor.key)));
        assert_eq!(shown["code"], "PARENT");
        let ended = plant.get(&format!("/serial-children?serial_key={parent}")).await[0].clone();
        assert_eq!((&ended["replaced"], &ended["reason"]), (&json!(true), &json!("parent deleted")));
        assert_eq!((plant.state(&child).await, plant.state(&grandchild).await), ("released".to_owned(), "used".to_owned()));
        for list in ["/serial", "/serial-selection", "/serial-code?serial_code=parent"] {
            let listed = plant.get(list).await;
            assert!(!each(&listed, "_key").contains(&parent), "{list}");
        }
        unknown(delete(supervisor, &parent, json!({})).await, "serial_key");
        unknown(scrap(supervisor, json!({ "serial_key": parent, "reason": "x" })).await, "serial_key");
        assert_ne!(plant.unit("P", "PARENT").await, parent, "its code is free");
    }

    async fn all_descendants_may_be_deleted_too(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [parent, child, grandchild, outside] = plant.units("P", ["PARENT", "CHILD", "GRANDCHILD", "OUTSIDE"]).await;
        for (below, above) in [(&child, &parent), (&grandchild, &child)] {
            plant.link(below, above).await.expect(200);
        }
        plant.link(&outside, &parent).await.expect(200);
        unlink(&plant.operator, &outside, &parent, json!({})).await.expect(200);
        let deleted = delete(&plant.admin, &parent, json!({ "delete_children": true })).await.detail();
        let mut keys: Vec<String> = deleted["deleted_keys"].as_array().unwrap().iter().map(text).collect();
        keys.sort_unstable();
        let mut all = [parent, child, grandchild];
        all.sort_unstable();
        assert_eq!(keys, all);
        for serial in &all {
            assert_eq!(plant.state(serial).await, "deleted");
        }
        assert_eq!(plant.state(&outside).await, "released", "it is no part any more");
        let active: i64 = site.look("select count(*) from serial_link where not replaced", vec![]).await.unwrap();
        assert_eq!(active, 0);
    }

    async fn a_unit_without_history_is_removed(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("P", json!({})).await;
        let [parent, child, filed] = plant.units("P", ["PARENT", "CHILD", "FILED"]).await;
        let bare = plant.made(json!({ "product_key": "P", "code": "BARE", "data": [{ "custom_field_key": "colour", "value": "red" }] })).await;
        plant.link(&child, &parent).await.expect(200);
        unlink(&plant.operator, &child, &parent, json!({})).await.expect(200);
        let fields = [("bucket", "serial"), ("object_key", filed.as_str())];
        plant.admin.upload(Method::POST, "/files", &fields, &[("contents", "a.txt", b"1")]).await.expect(200);
        for serial in [&parent, &child, &filed] {
            rule(delete(&plant.admin, serial, json!({ "soft": false })).await, "SerialNotDeletedError", "has_history");
        }
        let removed = delete(&plant.admin, &bare, json!({ "soft": false })).await.detail();
        assert_eq!(removed["deleted_keys"], json!([bare]));
        plant.admin.get(&format!("/serial/{bare}")).await.expect(404);
        plant.admin.get(&format!("/serial-hierarchy?serial_key={bare}")).await.expect(404);
        assert_eq!(plant.told(&bare).await, ["SERIAL_CREATED", "SERIAL_DELETED"], "the journal keeps what happened");
        assert_eq!(site.count("serial").await, 3);
        assert_eq!(plant.get("/serial?include_deleted=true").await.as_array().unwrap().len(), 3);
        delete(&plant.admin, &parent, json!({})).await.expect(200);
    }

    async fn codes_can_be_seen(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [unit] = plant.units("P", ["UNIT"]).await;
        for code in UNSEEN {
            for made in [json!({ "code": code }), json!({ "codes": ["A", code] })] {
                let mut event = json!({ "event_type": "SERIAL_CREATED", "product_key": "P" });
                event.as_object_mut().unwrap().extend(made.as_object().unwrap().clone());
                plant.admin.post("/event", event).await.expect(422);
            }
            let renamed = json!({ "event_type": "SERIAL_UPDATED", "serial_key": unit, "serial_code": code });
            plant.admin.post("/event", renamed).await.expect(422);
        }
        assert_eq!(site.count("serial").await, 1);
    }

    async fn scrap_needs_a_reason_that_can_be_seen(site) {
        let plant = plant(site).await;
        plant.product("P", json!({})).await;
        let [parent, part, other] = plant.units("P", ["PARENT", "PART", "OTHER"]).await;
        plant.link(&part, &parent).await.expect(200);
        let before = site.count("event").await;
        for reason in UNSEEN {
            scrap(&plant.admin, json!({ "serial_key": other, "reason": reason })).await.expect(422);
            unlink(&plant.admin, &part, &parent, json!({ "scrap": true, "reason": reason })).await.expect(422);
            let replace = json!({ "replaces_serial_key": part, "scrap_replaced": true, "reason": reason });
            link_with(&plant.admin, &other, &parent, replace).await.expect(422);
        }
        assert_eq!(site.count("event").await, before);
        let replace = json!({ "replaces_serial_key": part, "scrap_replaced": true, "reason": "\u{feff}bent" });
        link_with(&plant.admin, &other, &parent, replace).await.expect(200);
        assert_eq!(plant.state(&part).await, "scrapped");
    }
}
