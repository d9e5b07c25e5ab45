//! Batches are canceled and jobs are reset: what was is again.

use super::*;

async fn pause_and_cancel(plant: &Plant, who: &Person, job: &str) -> Value {
    event(who, "JOB_PAUSED", json!({ "job_key": job })).await.expect(200);
    event(&plant.shop.supervisor, "BATCH_CANCELED", json!({ "job_key": job })).await.detail()
}

async fn reset(plant: &Plant, job: &str) -> Answer {
    event(&plant.shop.supervisor, "JOB_RESET", json!({ "job_key": job })).await
}

/// Three phases, each of which asks for a number: `a`, `b`, `c`.
fn measured() -> [Value; 3] {
    ["a", "b", "c"].map(|field| asking(0, json!([{ "_key": field, "custom_field_key": "weight" }])))
}

/// Takes everything that waits through a phase, with a value for its field; what was answered.
async fn measure(plant: &Plant, who: &Person, order: &Order, place: usize, value: f64) -> Value {
    let job = &order.jobs[place];
    let batch = match place {
        0 => event(who, "JOB_STARTED", json!({ "job_key": job })).await.detail()["batch_data"].clone(),
        _ => plant.begin(who, job).await,
    };
    let entered = entered(&plant.step(order, place).await, ["a", "b", "c"][place], json!(value));
    complete(who, &batch, entered).await.detail()
}

on_both_engines! {
    async fn units_of_a_canceled_first_batch_are_discarded(site) {
        let plant = plant(site).await;
        plant.product("C", json!({})).await;
        let components = plant.units("C", ["C1", "C2"]).await;
        let order = plant.traced("P", &all_at_once(2), 4.0).await;
        let before = plant.picture(&order, &components).await;
        let codes = json!([{ "serial_code": "own" }, {}, {}, {}]);
        let batch = start(&plant.operator, &order.jobs[0], codes).await.detail()["batch_data"].clone();
        let units = plant.units_of(&batch).await;
        plant.declare(&plant.operator, &batch, json!([pair(&components[0], &units[1])])).await.expect(200);
        let made_here = json!({ "batch_key": batch["_key"] });
        link_with(&plant.operator, &components[1], &units[2], made_here).await.expect(200);
        let canceled = pause_and_cancel(&plant, &plant.operator, &order.jobs[0]).await;
        assert_eq!(canceled["batch_data"], json!(null));
        let kept = plant.event(&canceled).await;
        assert_eq!(led_to(&kept), ["SERIAL_UNLINKED", "WORK_SESSION_CANCELED", "SERIAL_DELETED"], "temporary links just go");
        assert_eq!(keys(&kept["payload"]["serial_keys"]), sorted(units.clone()));
        let ended = child(&kept, "SERIAL_UNLINKED");
        assert_eq!((&ended["child_serial_key"], &ended["parent_serial_key"]), (&json!(components[1]), &json!(units[2])));
        let gone = child(&kept, "SERIAL_DELETED");
        assert_eq!(keys(&gone["removed_serial_keys"]), sorted([units[1].clone(), units[3].clone()]), "uncoded, and no link of theirs was confirmed");
        let deleted = keys(&gone["deleted_serial_keys"]);
        for (place, unit) in units.iter().enumerate() {
            let removed = place % 2 == 1;
            let read = plant.admin.get(&format!("/serial/{unit}")).await;
            let (status, state) = if removed { (404, json!(null)) } else { (200, json!("deleted")) };
            assert_eq!((read.status, &read.body["state"]), (status, &state));
            assert!(removed || deleted.contains(unit));
        }
        assert_eq!(plant.told(&units[1]).await, ["BATCH_CREATED", "SERIAL_CREATED", "BATCH_CANCELED", "SERIAL_DELETED"]);
        for serial in [&units[2], &components[1]] {
            assert!(plant.told(serial).await.contains(&"SERIAL_UNLINKED".to_owned()));
        }
        assert_eq!(plant.picture(&order, &components).await, before);
        assert_eq!((plant.units_of(&batch).await, site.count("batch_serial").await), (Vec::new(), 0));
        let again = start(&plant.operator, &order.jobs[0], json!([{ "serial_code": "own" }])).await.detail();
        assert_eq!(again["batch_data"]["qt_total"], 1, "its code is free again");
        books::audit(site).await;
    }

    async fn units_of_a_canceled_later_batch_wait_again(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("C", json!({})).await;
        let components = plant.units("C", ["C1", "C2", "C3"]).await;
        let order = plant.traced("P", &measured(), 3.0).await;
        measure(&plant, &plant.operator, &order, 0, 1.5).await;
        let units = plant.waiting(&order.jobs[1]).await;
        plant.link(&components[0], &units[0]).await.expect(200);
        let all = [units.clone(), components.to_vec()].concat();
        let before = plant.picture(&order, &all).await;
        let batch = start(&plant.shop.o2, &order.jobs[1], json!(units[..2])).await.detail()["batch_data"].clone();
        plant.declare(&plant.shop.o2, &batch, json!([pair(&components[1], &units[0])])).await.expect(200);
        link_with(&plant.shop.o2, &components[2], &units[1], json!({ "batch_key": batch["_key"] })).await.expect(200);
        let canceled = pause_and_cancel(&plant, &plant.shop.o2, &order.jobs[1]).await;
        let kept = plant.event(&canceled).await;
        assert_eq!(led_to(&kept), ["SERIAL_UNLINKED", "WORK_SESSION_CANCELED", "WIP_UNBOOKED"]);
        assert_eq!(child(&kept, "SERIAL_UNLINKED")["child_serial_key"], json!(components[2]), "a link of an earlier batch stays");
        for list in [&kept["payload"]["serial_keys"], &child(&kept, "WIP_UNBOOKED")["serial_keys"]] {
            assert_eq!(keys(list), sorted(units[..2].to_vec()));
        }
        assert_eq!(plant.picture(&order, &all).await, before);
        assert_eq!((plant.units_of(&batch).await, plant.waiting(&order.jobs[1]).await), (Vec::new(), units.clone()));
        let told = plant.told(&units[0]).await;
        assert_eq!(told[told.len() - 2..], ["BATCH_CANCELED", "WIP_UNBOOKED"]);
        books::audit(site).await;
    }

    /// Taking back work at other units must not take anything out.
    async fn a_link_names_only_work_at_its_unit(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("C", json!({})).await;
        let [component] = plant.units("C", ["C1"]).await;
        let order = plant.traced("P", &measured(), 3.0).await;
        measure(&plant, &plant.operator, &order, 0, 1.5).await;
        let units = plant.waiting(&order.jobs[1]).await;
        let batch = start(&plant.shop.o2, &order.jobs[1], json!(units[..1])).await.detail()["batch_data"].clone();
        let link = async |unit: usize, place: Value| link_with(&plant.shop.o2, &component, &units[unit], place).await;
        let here = json!({ "batch_key": batch["_key"] });
        let elsewhere = refused(link(1, here.clone()).await, "ReferenceMismatchError");
        assert_eq!((&elsewhere["field"], &elsewhere["given"]), (&json!("batch_key"), &batch["_key"]));
        for (member, place) in [
            ("job_key", json!({ "batch_key": batch["_key"], "job_key": order.jobs[0] })),
            ("phase_key", json!({ "job_key": order.jobs[1], "phase_key": plant.shop.job(&order, 0).await["phase_key"] })),
        ] {
            assert_eq!(refused(link(0, place).await, "ReferenceMismatchError")["field"], member);
        }
        link(0, here.clone()).await.expect(200);
        pause_and_cancel(&plant, &plant.shop.o2, &order.jobs[1]).await;
        assert_eq!(refused(link(0, here).await, "ReferenceMismatchError")["field"], "batch_key", "it was canceled");
        link(0, json!({ "wo_key": order.key, "job_key": order.jobs[1] })).await.expect(200);
    }

    async fn a_reset_of_the_first_phase_discards_its_units(site) {
        let plant = plant(site).await;
        plant.fields().await;
        let order = plant.traced("P", &measured(), 4.0).await;
        let before = plant.picture(&order, &[]).await;
        measure(&plant, &plant.operator, &order, 0, 1.5).await;
        let units = plant.waiting(&order.jobs[1]).await;
        start(&plant.shop.o2, &order.jobs[1], json!(units[..1])).await.expect(200);
        let lacking = refused(reset(&plant, &order.jobs[0]).await, "WipNotAvailableError");
        assert_eq!((&lacking["direction"], &lacking["serial_keys"]), (&json!("downstream"), &json!([units[0]])));
        pause_and_cancel(&plant, &plant.shop.o2, &order.jobs[1]).await;
        plant.scrap(&units[3]).await;
        let done = reset(&plant, &order.jobs[0]).await.detail();
        let kept = plant.event(&done).await;
        assert_eq!(led_to(&kept), ["WORK_SESSION_CANCELED", "WIP_REMOVED", "SERIAL_DELETED"]);
        assert_eq!(keys(&child(&kept, "WIP_REMOVED")["serial_keys"]), sorted(units[..3].to_vec()));
        let deleted = keys(&child(&kept, "SERIAL_DELETED")["deleted_serial_keys"]);
        for unit in &units {
            assert!(deleted.contains(unit), "it has a code, scrapped or not");
            assert_eq!((plant.state(unit).await, plant.told(unit).await.last()), ("deleted".to_owned(), Some(&"SERIAL_DELETED".to_owned())));
        }
        assert_eq!(plant.picture(&order, &[]).await, before);
        assert_eq!(site.count("wip").await, 0);
        measure(&plant, &plant.operator, &order, 0, 1.5).await;
        assert_eq!(plant.waiting(&order.jobs[1]).await.len(), 4, "it can begin anew");
        books::audit(site).await;
    }

    async fn a_reset_takes_all_batches_of_a_job_back(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &[json!({ "production_batch_qt": 2 }), json!({})], 5.0).await;
        let before = plant.picture(&order, &[]).await;
        let done = plant.shop.make(&plant.operator, &order.jobs[0]).await;
        let open = plant.units_of(&done["batch_data"]).await;
        let scrap = json!({ "completed_batch_qt": 1, "scrap_serial_keys": [open[1]], "scrap_reason": "bent" });
        let done = complete(&plant.operator, &done["batch_data"], scrap).await.detail();
        let last = plant.units_of(&done["batch_data"]).await;
        assert_eq!(last.len(), 1);
        event(&plant.operator, "JOB_PAUSED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        let made = plant.waiting(&order.jobs[1]).await;
        reset(&plant, &order.jobs[0]).await.expect(200);
        for unit in made.iter().chain(&open) {
            assert_eq!(plant.state(unit).await, "deleted");
        }
        plant.admin.get(&format!("/serial/{}", last[0])).await.expect(404);
        assert_eq!(plant.picture(&order, &[]).await, before);
        assert_eq!((site.count("wip").await, plant.get("/serial").await), (0, json!([])));
        books::audit(site).await;
    }

    async fn a_reset_between_phases_gives_units_back_as_they_came(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("C", json!({})).await;
        let components = plant.units("C", ["C1", "C2"]).await;
        let order = plant.traced("P", &measured(), 3.0).await;
        measure(&plant, &plant.operator, &order, 0, 1.5).await;
        let units = plant.waiting(&order.jobs[1]).await;
        let all = [units.clone(), components.to_vec()].concat();
        let before = plant.picture(&order, &all).await;
        let batch = plant.begin(&plant.shop.o2, &order.jobs[1]).await;
        plant.declare(&plant.shop.o2, &batch, json!([pair(&components[0], &units[0]), pair(&components[1], &units[2])])).await.expect(200);
        let result = json!({ "completed_batch_qt": 2, "scrap_serial_keys": [units[2]], "scrap_reason": "bent" });
        let result = with(result, entered(&plant.step(&order, 1).await, "b", json!(2.5)));
        complete(&plant.shop.o2, &batch, result).await.expect(200);
        assert_eq!(plant.values(&units, "b").await, json!([2.5, 2.5, 2.5]));
        start(&plant.shop.o2, &order.jobs[2], json!([units[0]])).await.expect(200);
        let lacking = refused(reset(&plant, &order.jobs[1]).await, "WipNotAvailableError");
        assert_eq!((&lacking["direction"], &lacking["serial_keys"]), (&json!("downstream"), &json!([units[0]])));
        pause_and_cancel(&plant, &plant.shop.o2, &order.jobs[2]).await;

        let done = reset(&plant, &order.jobs[1]).await.detail();
        let kept = plant.event(&done).await;
        let told = ["SERIAL_UNLINKED", "SERIAL_UNLINKED", "WORK_SESSION_CANCELED", "WIP_REMOVED", "WIP_UNBOOKED", "SERIAL_UPDATED", "SERIAL_UPDATED", "SERIAL_UPDATED"];
        assert_eq!(led_to(&kept), told);
        assert_eq!(keys(&child(&kept, "WIP_REMOVED")["serial_keys"]), sorted(units[..2].to_vec()));
        assert_eq!(keys(&child(&kept, "WIP_UNBOOKED")["serial_keys"]), sorted(units.clone()), "what was scrapped is there again");
        assert_eq!(plant.picture(&order, &all).await, before);
        assert_eq!(plant.values(&units, "a").await, json!([1.5, 1.5, 1.5]));
        assert_eq!(sorted(plant.units_of(&batch).await), sorted(units.clone()), "the canceled batch still names them");
        assert_eq!(plant.parts(&units[0]).await, [(components[0].clone(), true, true)]);
        assert_eq!(plant.told(&units[2]).await.last(), Some(&"SERIAL_UPDATED".to_owned()));
        books::audit(site).await;
    }

    async fn units_that_have_left_production_are_not_taken_back(site) {
        let plant = plant(site).await;
        plant.product("TOP", json!({})).await;
        let top = plant.unit("TOP", "T1").await;
        let order = plant.traced("P", &all_at_once(3), 4.0).await;
        let batch = plant.begin(&plant.operator, &order.jobs[0]).await;
        let units = plant.units_of(&batch).await;
        let result = json!({ "completed_batch_qt": 3, "scrap_serial_keys": [units[3]], "scrap_reason": "bent" });
        complete(&plant.operator, &batch, result).await.expect(200);
        let batch = plant.begin(&plant.operator, &order.jobs[1]).await;
        let result = json!({ "completed_batch_qt": 1, "scrap_serial_keys": units[1..3], "scrap_reason": "bent" });
        complete(&plant.operator, &batch, result).await.expect(200);

        // One was scrapped in the second phase and is deleted, one was scrapped in the first and is built in.
        plant.delete(&units[1]).await;
        let unscrap = json!({ "serial_key": units[3], "unscrap": true });
        event(&plant.admin, "SERIAL_UPDATED", unscrap).await.expect(200);
        event(&plant.admin, "SERIAL_RELEASED", json!({ "serial_key": units[3] })).await.expect(200);
        plant.link(&units[3], &top).await.expect(200);
        let before = plant.picture(&order, &units).await;
        let lacking = refused(reset(&plant, &order.jobs[1]).await, "WipNotAvailableError");
        assert_eq!((&lacking["direction"], &lacking["serial_keys"]), (&json!("downstream"), &json!([units[1]])));
        let lacking = refused(reset(&plant, &order.jobs[0]).await, "WipNotAvailableError");
        assert!(keys(&lacking["serial_keys"]).contains(&units[3]), "{lacking}");
        assert_eq!(plant.picture(&order, &units).await, before);
        assert_eq!(plant.state(&units[3]).await, "used");
        books::audit(site).await;
    }

    async fn nothing_ends_before_it_began(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &all_at_once(2), 3.0).await;
        let batch = plant.begin(&plant.operator, &order.jobs[0]).await;
        let long_ago = json!("2020-01-01T00:00:00Z");
        let fewer = json!({ "job_key": order.jobs[0], "new_active_batch_qt": 2, "timestamp": long_ago });
        refused(event(&plant.operator, "ACTIVE_BATCH_CHANGED", fewer).await, "TimestampError");
        complete(&plant.operator, &batch, json!({})).await.expect(200);
        let waiting = plant.waiting(&order.jobs[1]).await;
        let scrap = json!({ "serial_key": waiting[0], "reason": "bent", "timestamp": long_ago });
        refused(event(&plant.operator, "SERIAL_SCRAPPED", scrap).await, "TimestampError");
        assert_eq!(plant.waiting(&order.jobs[1]).await, waiting);
    }

    async fn a_reset_of_the_last_phase_takes_releases_back(site) {
        let plant = plant(site).await;
        plant.fields().await;
        let order = plant.traced("P", &measured(), 3.0).await;
        measure(&plant, &plant.operator, &order, 0, 1.5).await;
        measure(&plant, &plant.operator, &order, 1, 2.5).await;
        let units = plant.waiting(&order.jobs[2]).await;
        let before = plant.picture(&order, &units).await;
        let batch = plant.begin(&plant.shop.o2, &order.jobs[2]).await;
        let result = json!({ "completed_batch_qt": 2, "scrap_serial_keys": [units[2]], "scrap_reason": "bent" });
        let result = with(result, entered(&plant.step(&order, 2).await, "c", json!(3.5)));
        complete(&plant.shop.o2, &batch, result).await.expect(200);
        assert_eq!(plant.shop.read(&order).await["status"], "closed");
        let done = reset(&plant, &order.jobs[2]).await.detail();
        let told = ["WORK_SESSION_CANCELED", "WIP_UNBOOKED", "SERIAL_UPDATED", "SERIAL_UPDATED", "SERIAL_UPDATED", "WORK_ORDER_REOPENED"];
        assert_eq!(led_to(&plant.event(&done).await), told);
        assert_eq!(plant.picture(&order, &units).await, before);
        measure(&plant, &plant.shop.o2, &order, 2, 4.5).await;
        assert_eq!(plant.values(&units, "c").await, json!([4.5, 4.5, 4.5]));
        assert_eq!(plant.shop.read(&order).await["qt_completed"], 3);
        books::audit(site).await;
    }

    async fn what_has_gone_on_since_its_release_is_not_taken_back(site) {
        let plant = plant(site).await;
        plant.product("Q", json!({})).await;
        let whole = plant.unit("Q", "WHOLE").await;
        let order = plant.traced("P", &all_at_once(2), 2.0).await;
        let units = plant.make_units(&order).await;
        let batch = plant.begin(&plant.shop.o2, &order.jobs[1]).await;
        complete(&plant.shop.o2, &batch, json!({})).await.expect(200);
        let refuses = async |unit: &str| {
            let lacking = refused(reset(&plant, &order.jobs[1]).await, "WipNotAvailableError");
            assert_eq!((&lacking["direction"], &lacking["serial_keys"]), (&json!("downstream"), &json!([unit])));
        };
        plant.link(&units[0], &whole).await.expect(200);
        refuses(&units[0]).await;
        let apart = json!({ "child_serial_key": units[0], "parent_serial_key": whole });
        event(&plant.admin, "SERIAL_UNLINKED", apart).await.expect(200);
        plant.scrap(&units[1]).await;
        refuses(&units[1]).await;
        event(&plant.admin, "SERIAL_UPDATED", json!({ "serial_key": units[1], "unscrap": true })).await.expect(200);
        plant.delete(&units[1]).await;
        refuses(&units[1]).await;
        assert_eq!((plant.state(&units[0]).await, &plant.shop.read(&order).await["status"]), ("released".to_owned(), &json!("closed")));
        books::audit(site).await;
    }

    async fn an_order_deleted_by_force_leaves_its_units(site) {
        let plant = plant(site).await;
        plant.product("C", json!({})).await;
        let [c1, c2] = plant.units("C", ["C1", "C2"]).await;
        let order = plant.traced("P", &[json!({ "production_batch_qt": 2 }), json!({})], 4.0).await;
        let batch = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail()["batch_data"].clone();
        let units = plant.units_of(&batch).await;
        plant.declare(&plant.operator, &batch, json!([pair(&c1, &units[0])])).await.expect(200);
        let next = complete(&plant.operator, &batch, json!({})).await.detail()["batch_data"].clone();
        let open = plant.units_of(&next).await;
        plant.declare(&plant.operator, &next, json!([pair(&c2, &open[0])])).await.expect(200);
        start(&plant.shop.o2, &order.jobs[1], json!([units[0]])).await.expect(200);
        plant.admin.delete(&format!("/force-delete-work-order/{}", order.key)).await.expect(200);
        for (unit, code) in units.iter().zip(["SN-00001", "SN-00002"]) {
            let shown = plant.read(unit).await;
            assert_eq!((&shown["wo_key"], &shown["state"], &shown["code"]), (&json!(null), &json!("wip"), &json!(code)));
        }
        assert_eq!(plant.state(&open[0]).await, "uncoded");
        assert_eq!((plant.state(&c1).await, plant.state(&c2).await, site.count("serial_link").await), ("released".to_owned(), "released".to_owned(), 0));
        assert_eq!((site.count("batch_serial").await, site.count("wip").await), (0, 0));
        event(&plant.admin, "SERIAL_RELEASED", json!({ "serial_keys": [units[0], open[0]] })).await.expect(200);
        books::audit(site).await;
    }
}
