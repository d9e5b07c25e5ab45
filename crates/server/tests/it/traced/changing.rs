//! The active batch gets more units, fewer, or others.

use super::*;

async fn change(who: &Person, job: &str, quantity: f64, serials: Option<Value>) -> Answer {
    let mut sent = json!({ "job_key": job, "new_active_batch_qt": quantity });
    if let Some(serials) = serials {
        sent["batch_serials"] = serials;
    }
    event(who, "ACTIVE_BATCH_CHANGED", sent).await
}

on_both_engines! {
    async fn the_first_phase_makes_more_units(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &[json!({ "production_batch_qt": 2 })], 6.0).await;
        let job = &order.jobs[0];
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": job })).await.detail();
        let first = plant.units_of(&started["batch_data"]).await;
        let grown = change(&plant.operator, job, 4.0, None).await.detail();
        assert_eq!((&grown["batch_data"]["qt_total"], &grown["job_data"]["active_batch_qt"]), (&json!(4), &json!(4)));
        assert_eq!(grown["batch_data"]["_key"], started["batch_data"]["_key"]);
        let units = plant.units_of(&grown["batch_data"]).await;
        assert_eq!((units.len(), &units[..2]), (4, &first[..]), "those that were there stay");
        let kept = plant.event(&grown).await;
        assert_eq!(led_to(&kept), ["SERIAL_CREATED"]);
        let made = child(&kept, "SERIAL_CREATED");
        assert_eq!((&made["wo_key"], &made["released"], each(&made["serials"], "serial_key")), (&json!(order.key), &json!(null), units[2..].to_vec()));
        assert_eq!(plant.told(&units[3]).await, ["SERIAL_CREATED"]);
        let grown = change(&plant.operator, job, 6.0, Some(json!([{ "serial_code": "x-1" }, {}]))).await.detail();
        assert_eq!(plant.codes(&plant.units_of(&grown["batch_data"]).await).await, json!(["X-1", null, null, null, null, null]));
        let done = complete(&plant.operator, &grown["batch_data"], json!({})).await.detail();
        assert_eq!((done["released_serial_keys"].as_array().unwrap().len(), &done["job_data"]["stage"]), (6, &json!("closed")));
        books::audit(site).await;
    }

    async fn what_can_not_be_added_is_refused(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &[json!({ "production_batch_qt": 2 })], 5.0).await;
        let job = &order.jobs[0];
        plant.unit("P", "TAKEN").await;
        let other = plant.unit("P", "OTHER").await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": job })).await.detail();
        let units = plant.units_of(&started["batch_data"]).await;
        let before = (site.count("event").await, site.count("serial").await);
        let grow = async |quantity: f64, serials: Value| change(&plant.operator, job, quantity, Some(serials)).await;
        for few_or_many in [json!([{}]), json!([{}, {}, {}]), json!([{}, {}, {}, {}])] {
            refused(grow(4.0, few_or_many).await, "ValueError");
        }
        for named in [json!([units[0]]), json!([other]), json!([{ "serial_key": other }])] {
            refused(grow(3.0, named).await, "ValueError");
        }
        assert_eq!(refused(grow(3.0, json!([{ "serial_code": "taken" }])).await, "SerialCodeAlreadyPresent")["codes"], json!(["TAKEN"]));
        refused(grow(4.0, json!([{ "serial_code": "a" }, { "serial_code": "a" }])).await, "SerialCodeAlreadyPresent");
        refused(change(&plant.operator, job, 6.0, None).await, "NoQuantityLeftError");
        refused(change(&plant.operator, job, 2.0, None).await, "ValueError");
        refused(change(&plant.shop.o2, job, 3.0, None).await, "NotSessionUserError");
        change(&plant.operator, job, 0.0, None).await.expect(422);
        event(&plant.operator, "JOB_PAUSED", json!({ "job_key": job })).await.expect(200);
        refused(change(&plant.operator, job, 3.0, None).await, "JobIsNotActiveError");
        let paused = 2; // The pause, and the end of its session.
        assert_eq!((site.count("event").await - paused, site.count("serial").await), before);
        assert_eq!(plant.units_of(&started["batch_data"]).await, units);
    }

    async fn the_newest_units_are_discarded_first(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &all_at_once(1), 5.0).await;
        let job = &order.jobs[0];
        let codes = json!([{ "serial_code": "a" }, {}, { "serial_code": "c" }, {}, {}]);
        let started = start(&plant.operator, job, codes).await.detail();
        let made = child(&plant.event(&started).await, "SERIAL_CREATED")["serials"].clone();
        let units = each(&made, "serial_key");
        let fields = [("bucket", "serial"), ("object_key", units[3].as_str())];
        plant.operator.upload(Method::POST, "/files", &fields, &[("contents", "a.txt", b"1")]).await.expect(200);
        let shrunk = change(&plant.operator, job, 2.0, None).await.detail();
        assert_eq!((&shrunk["batch_data"]["qt_total"], &shrunk["job_data"]["active_batch_qt"]), (&json!(2), &json!(2)));
        assert_eq!(plant.units_of(&shrunk["batch_data"]).await, units[..2]);
        let kept = plant.event(&shrunk).await;
        assert_eq!(led_to(&kept), ["SERIAL_DELETED"]);
        let gone = child(&kept, "SERIAL_DELETED");
        assert_eq!(gone["removed_serial_keys"], json!([units[4]]), "uncoded, and nothing else names it");
        let deleted = keys(&gone["deleted_serial_keys"]);
        assert!(deleted.contains(&units[2]) && deleted.contains(&units[3]), "{gone}");
        plant.admin.get(&format!("/serial/{}", units[4])).await.expect(404);
        assert_eq!((plant.state(&units[2]).await, plant.state(&units[3]).await), ("deleted".to_owned(), "deleted".to_owned()));
        assert_eq!(plant.read(&units[2]).await["deleted_by"], json!(plant.operator.key));
        for unit in &units[2..] {
            assert_eq!(plant.told(unit).await, ["BATCH_CREATED", "SERIAL_CREATED", "SERIAL_DELETED"]);
        }
        assert_eq!(site.count("batch_serial").await, 2);
        let free = plant.get("/serial-code/verify-free?serial_code=C&product_key=P").await;
        assert_eq!(free, json!(true), "its code can be used again");
        books::audit(site).await;
    }

    /// That units may not be deleted by hand makes no difference.
    async fn those_that_stay_may_be_named(site) {
        let plant = plant(site).await;
        plant.admin.patch("/config", json!({ "allow_serial_delete": false })).await.expect(200);
        let order = plant.traced("P", &all_at_once(1), 4.0).await;
        let job = &order.jobs[0];
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": job })).await.detail();
        let units = plant.units_of(&started["batch_data"]).await;
        let other = plant.unit("P", "OTHER").await;
        let before = site.count("event").await;
        let stay = async |serials: Value| change(&plant.operator, job, 2.0, Some(serials)).await;
        for named in [json!([units[0]]), json!(units[..3]), json!([units[0], units[0]])] {
            refused(stay(named).await, "ValueError");
        }
        for named in [json!([units[0], other]), json!([units[0], "nobody"]), json!([units[0], 7])] {
            stay(named).await.expect(422);
        }
        assert_eq!((plant.units_of(&started["batch_data"]).await, site.count("event").await), (units.clone(), before));
        let shrunk = stay(json!([units[3], units[1]])).await.detail();
        assert_eq!(plant.units_of(&shrunk["batch_data"]).await, [units[1].clone(), units[3].clone()]);
        let removed = child(&plant.event(&shrunk).await, "SERIAL_DELETED")["removed_serial_keys"].clone();
        assert_eq!(keys(&removed), sorted([units[0].clone(), units[2].clone()]));
        complete(&plant.operator, &shrunk["batch_data"], json!({})).await.expect(200);
        assert_eq!(plant.codes(&[units[1].clone(), units[3].clone()]).await, json!(["SN-00001", "SN-00002"]), "no number was lost");
        books::audit(site).await;
    }

    async fn a_later_phase_exchanges_units(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &all_at_once(2), 4.0).await;
        let units = plant.make_units(&order).await;
        let job = &order.jobs[1];
        let batch = start(&plant.shop.o2, job, json!(units[..2])).await.detail()["batch_data"].clone();
        let taken = async |batch: &Value| (plant.units_of(batch).await, plant.waiting(job).await);
        let to = async |quantity: f64, serials: Value| change(&plant.shop.o2, job, quantity, Some(serials)).await;
        let changed = to(2.0, json!([units[3], { "serial_code": "sn-00003" }])).await.detail();
        assert_eq!(taken(&batch).await, (units[2..].to_vec(), units[..2].to_vec()), "other units of the same number are a change");
        let kept = plant.event(&changed).await;
        assert_eq!(led_to(&kept), ["WIP_UNBOOKED", "WIP_BOOKED"]);
        assert_eq!(keys(&child(&kept, "WIP_UNBOOKED")["serial_keys"]), sorted(units[..2].to_vec()));
        assert_eq!(keys(&child(&kept, "WIP_BOOKED")["serial_keys"]), sorted(units[2..].to_vec()));
        let last = |told: Vec<String>| told.last().cloned();
        assert_eq!((last(plant.told(&units[0]).await), last(plant.told(&units[3]).await)), (Some("WIP_UNBOOKED".to_owned()), Some("WIP_BOOKED".to_owned())));
        let changed = to(3.0, json!([units[0], units[2], units[3]])).await.detail();
        assert_eq!((&changed["batch_data"]["qt_total"], &changed["job_data"]["active_batch_qt"]), (&json!(3), &json!(3)));
        assert_eq!(taken(&batch).await, ([&units[..1], &units[2..]].concat(), units[1..2].to_vec()));
        assert_eq!(plant.shop.free(job).await, json!([1, null]));
        let changed = to(1.0, json!([units[3]])).await.detail();
        assert_eq!(taken(&changed["batch_data"]).await, (units[3..].to_vec(), units[..3].to_vec()));
        for unit in &units {
            assert_eq!(plant.state(unit).await, "wip", "nothing of a later phase is discarded");
        }
        complete(&plant.shop.o2, &changed["batch_data"], json!({})).await.expect(200);
        books::audit(site).await;
    }

    async fn units_that_can_not_be_exchanged_are_refused(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &[json!({ "production_batch_qt": 3 }), json!({})], 5.0).await;
        let done = plant.shop.make(&plant.operator, &order.jobs[0]).await;
        let (units, busy) = (plant.waiting(&order.jobs[1]).await, plant.units_of(&done["batch_data"]).await);
        let batch = start(&plant.shop.o2, &order.jobs[1], json!(units[..2])).await.detail()["batch_data"].clone();
        let to = async |quantity: f64, serials: Value| change(&plant.shop.o2, &order.jobs[1], quantity, Some(serials)).await;
        let before = site.count("event").await;
        for quantity in [1.0, 3.0] {
            refused(change(&plant.shop.o2, &order.jobs[1], quantity, None).await, "ValueError");
            refused(to(quantity, json!([])).await, "ValueError");
            refused(to(quantity, json!(units[..2])).await, "ValueError");
        }
        refused(to(2.0, json!([units[1], units[0]])).await, "ValueError");
        refused(to(2.0, json!([units[2], units[2]])).await, "ValueError");
        unknown(to(2.0, json!([units[0], "nobody"])).await, "batch_serials");
        unknown(to(2.0, json!([units[0], { "serial_code": "SN-90000" }])).await, "batch_serials");
        let lacking = refused(to(2.0, json!([units[0], busy[0]])).await, "WipNotAvailableError");
        assert_eq!((&lacking["direction"], &lacking["serial_keys"]), (&json!("upstream"), &json!([busy[0]])));
        assert_eq!((plant.units_of(&batch).await, site.count("event").await), (units[..2].to_vec(), before));
        assert_eq!(plant.waiting(&order.jobs[1]).await, units[2..]);
        let two = json!([{ "action": "update", "data": { "_key": order.jobs[1], "qt_planned": 2 } }]);
        plant.admin.post("/job/update", two).await.expect(200);
        refused(to(3.0, json!(units)).await, "NoQuantityLeftError");
        books::audit(site).await;
    }

    async fn units_that_leave_lose_their_temporary_links_and_no_others(site) {
        let plant = plant(site).await;
        plant.product("C", json!({})).await;
        let [c1, c2, c3, c4] = plant.units("C", ["C1", "C2", "C3", "C4"]).await;
        let order = plant.traced("P", &all_at_once(2), 3.0).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let made = plant.units_of(&started["batch_data"]).await;
        plant.declare(&plant.operator, &started["batch_data"], json!([pair(&c1, &made[0]), pair(&c2, &made[2])])).await.expect(200);
        let shrunk = change(&plant.operator, &order.jobs[0], 2.0, None).await.detail();
        assert_eq!(led_to(&plant.event(&shrunk).await), ["SERIAL_DELETED"], "a temporary link is no history");
        plant.admin.get(&format!("/serial/{}", made[2])).await.expect(404);
        assert_eq!((plant.state(&c1).await, plant.state(&c2).await), ("used".to_owned(), "released".to_owned()));
        complete(&plant.operator, &shrunk["batch_data"], json!({})).await.expect(200);

        let units = plant.waiting(&order.jobs[1]).await;
        let batch = plant.begin(&plant.shop.o2, &order.jobs[1]).await;
        plant.declare(&plant.shop.o2, &batch, json!([pair(&c3, &units[0]), pair(&c4, &units[1])])).await.expect(200);
        change(&plant.shop.o2, &order.jobs[1], 1.0, Some(json!([units[1]]))).await.expect(200);
        assert_eq!(plant.parts(&units[0]).await, [(c1.clone(), true, false)], "the confirmed link stays");
        assert_eq!(plant.parts(&units[1]).await, [(c4, false, false)]);
        assert_eq!((plant.state(&c1).await, plant.state(&c3).await), ("used".to_owned(), "released".to_owned()));
    }
}
