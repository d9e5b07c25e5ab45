//! Batches open: with new units in the first phase, with units that wait in the others.

use super::*;

/// So much of everything that production stores.
async fn counts(site: &Site) -> [i64; 5] {
    let mut counts = [0; 5];
    for (count, table) in counts.iter_mut().zip(["event", "serial", "batch", "batch_serial", "work_session"]) {
        *count = site.count(table).await;
    }
    counts
}

on_both_engines! {
    async fn the_first_phase_makes_units_with_the_fields_of_all_forms(site) {
        let plant = plant(site).await;
        plant.fields().await;
        let weight = json!([{ "_key": "w", "custom_field_key": "weight", "label": "Weight", "hint": "in kg", "mandatory": true }]);
        let order = plant.traced("P", &[asking(2, weight), asking(0, json!([{ "_key": "c", "custom_field_key": "colour" }]))], 4.0).await;
        site.clock.advance_seconds(60);
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = &started["batch_data"];
        assert_eq!(batch["qt_total"], 2);
        let units = plant.units_of(batch).await;
        assert_eq!(units.len(), 2);
        let kept = plant.event(&started).await;
        assert_eq!(led_to(&kept), ["BATCH_CREATED", "SERIAL_CREATED", "WORK_SESSION_CREATED", "WORK_ORDER_STARTED"]);
        let opened = child(&kept, "BATCH_CREATED");
        assert_eq!((&opened["batch_key"], &opened["quantity"], keys(&opened["serial_keys"])), (&batch["_key"], &json!(2), sorted(units.clone())));
        let made = child(&kept, "SERIAL_CREATED");
        assert_eq!((&made["product_key"], &made["wo_key"], &made["released"]), (&json!("P"), &json!(order.key), &json!(null)));
        let uncoded: Vec<Value> = units.iter().map(|unit| json!({ "serial_key": unit, "code": null })).collect();
        assert_eq!(made["serials"], json!(uncoded));

        let now = json!(site.app().now());
        let job = async |place: usize| plant.shop.job(&order, place).await;
        let (first, second) = (job(0).await, job(1).await);
        let at = |job: &Value| json!({ "phase_key": job["phase_key"], "step_key": job["step_sequence"][0]["_key"] });
        let fields = [
            with(json!({ "form_field_key": "w", "custom_field_key": "weight", "label": "Weight", "hint": "in kg", "mandatory": true }), at(&first)),
            with(json!({ "form_field_key": "c", "custom_field_key": "colour", "label": null, "hint": null, "mandatory": false }), at(&second)),
        ];
        for unit in &units {
            let shown = plant.read(unit).await;
            let expected = json!({
                "code": null, "state": "uncoded", "product_key": "P", "wo_key": order.key, "counter_key": "units", "quantity": 1,
                "created": now, "created_by": plant.operator.key, "released": null, "scrapped": null, "deleted": null,
            });
            for (member, value) in expected.as_object().unwrap() {
                assert_eq!(shown[member], *value, "{member}");
            }
            let empty = json!({ "value": null, "batch_key": null, "last_updated": null, "last_updated_by": null });
            for (place, field) in fields.iter().enumerate() {
                for (member, value) in with(field.clone(), empty.clone()).as_object().unwrap() {
                    assert_eq!(shown["data"][place][member], *value, "{member}");
                }
            }
            assert_eq!(shown["data"].as_array().unwrap().len(), 2);
            assert_eq!(plant.told(unit).await, ["BATCH_CREATED", "SERIAL_CREATED"]);
        }
        books::audit(site).await;
    }

    async fn a_batch_does_not_begin_before_its_units_were_created(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &all_at_once(2), 1.0).await;
        // The clock of whoever made the unit runs ahead.
        let ahead = site.app().now().plus_millis(240_000);
        let sent = json!({ "job_key": order.jobs[0], "timestamp": ahead });
        let first = event(&plant.operator, "JOB_STARTED", sent).await.detail();
        complete(&plant.operator, &first["batch_data"], json!({})).await.expect(200);
        let batch = plant.begin(&plant.operator, &order.jobs[1]).await;
        assert_eq!(batch["start"], json!(ahead));
        complete(&plant.operator, &batch, json!({})).await.expect(200);
        books::audit(site).await;
    }

    async fn codes_that_are_sent_are_kept(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &[json!({ "production_batch_qt": 1 })], 5.0).await;
        let sent = json!([{ "serial_code": " u-2 " }, {}, { "serial_code": "U-1" }]);
        let started = start(&plant.operator, &order.jobs[0], sent).await.detail();
        assert_eq!(started["batch_data"]["qt_total"], 3, "as many as were named, whatever the batch size");
        let units = plant.units_of(&started["batch_data"]).await;
        assert_eq!(plant.codes(&units).await, json!(["U-1", "U-2", null]));
        let made = child(&plant.event(&started).await, "SERIAL_CREATED")["serials"].clone();
        let codes: Vec<&Value> = made.as_array().unwrap().iter().map(|serial| &serial["code"]).collect();
        assert_eq!(json!(codes), json!(["U-2", null, "U-1"]), "in the order they were sent");
        let listed = plant.get(&format!("/batch/{}/serials", text(&started["batch_data"]["_key"]))).await;
        assert_eq!(listed[0], json!({ "serial_key": units[0], "serial_code": "U-1", "counter_key": "units", "active": true }));
        plant.admin.get("/batch/nobody/serials").await.expect(404);
    }

    async fn codes_are_drawn_if_units_have_them_from_the_start(site) {
        let plant = plant(site).await;
        let product = json!({ "counter_key": "units", "serial_code_on_creation": true });
        let order = plant.traced_as("P", product, &[json!({ "production_batch_qt": 2 })], 4.0).await;
        let started = start(&plant.operator, &order.jobs[0], json!([])).await.detail();
        let units = plant.units_of(&started["batch_data"]).await;
        assert_eq!(plant.codes(&units).await, json!(["SN-00001", "SN-00002"]), "an empty list is as if it were not sent");
        assert_eq!(plant.state(&units[0]).await, "wip");
        let more = json!({ "job_key": order.jobs[0], "new_active_batch_qt": 4, "batch_serials": [{ "serial_code": "own" }, {}] });
        let changed = event(&plant.operator, "ACTIVE_BATCH_CHANGED", more).await.detail();
        let units = plant.units_of(&changed["batch_data"]).await;
        assert_eq!(plant.codes(&units).await, json!(["OWN", "SN-00001", "SN-00002", "SN-00003"]));
        complete(&plant.operator, &changed["batch_data"], json!({})).await.expect(200);
        assert_eq!(plant.codes(&units).await, json!(["OWN", "SN-00001", "SN-00002", "SN-00003"]));

        let order = plant.traced_as("Q", json!({ "serial_code_on_creation": true }), &all_at_once(1), 2.0).await;
        let before = counts(site).await;
        refused(event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await, "CounterNotDefinedError");
        refused(start(&plant.operator, &order.jobs[0], json!([{ "serial_code": "a" }, {}])).await, "CounterNotDefinedError");
        assert_eq!(counts(site).await, before);
        start(&plant.operator, &order.jobs[0], json!([{ "serial_code": "a" }, { "serial_code": "b" }])).await.expect(200);
    }

    async fn new_units_that_do_not_fit_are_refused(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &all_at_once(2), 3.0).await;
        let there = plant.unit("P", "THERE").await;
        let begin = async |serials: Value| start(&plant.operator, &order.jobs[0], serials).await;
        let before = counts(site).await;
        for named in [json!([there]), json!([{ "serial_key": there }]), json!([{ "serial_key": there, "serial_code": "NEW" }])] {
            refused(begin(named).await, "ValueError");
        }
        let taken = refused(begin(json!([{ "serial_code": "a" }, { "serial_code": "there" }])).await, "SerialCodeAlreadyPresent");
        assert_eq!((&taken["codes"], &taken["conflict_count"]), (&json!(["THERE"]), &json!(1)));
        let twice = refused(begin(json!([{ "serial_code": "a" }, { "serial_code": " A " }])).await, "SerialCodeAlreadyPresent");
        assert_eq!(twice["codes"], json!(["A"]));
        assert_eq!(refused(begin(json!([{}, {}, {}, {}])).await, "NoQuantityLeftError")["job_key"], json!(order.jobs[0]));
        for odd in [json!([{ "serial_code": " " }]), json!([{ "serial_code": "x".repeat(129) }]), json!([{ "code": "x" }]), json!([7]), json!("x")] {
            begin(odd).await.expect(422);
        }
        assert_eq!(counts(site).await, before);

        let untraced = plant.shop.order("Q", &all_at_once(1), 3.0).await;
        for named in [json!([{}]), json!([there]), json!([{ "serial_code": "x" }])] {
            refused(start(&plant.operator, &untraced.jobs[0], named).await, "ValueError");
        }
        let started = start(&plant.operator, &untraced.jobs[0], json!([])).await.detail();
        assert_eq!(plant.units_of(&started["batch_data"]).await, Vec::<String>::new());
    }

    async fn a_later_phase_takes_units_by_key_and_by_code(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &[json!({ "production_batch_qt": 0 }), json!({ "production_batch_qt": 1 })], 4.0).await;
        let units = plant.make_units(&order).await;
        assert_eq!(plant.codes(&units).await, json!(["SN-00001", "SN-00002", "SN-00003", "SN-00004"]));
        let named = json!([units[0], { "serial_key": units[3] }, { "serial_code": " sn-00002 " }]);
        let started = start(&plant.shop.o2, &order.jobs[1], named).await.detail();
        let (batch, taken) = (&started["batch_data"], [units[0].clone(), units[1].clone(), units[3].clone()]);
        assert_eq!((&batch["qt_total"], &started["job_data"]["active_batch_qt"]), (&json!(3), &json!(3)));
        assert_eq!(plant.units_of(batch).await, taken);
        let kept = plant.event(&started).await;
        assert_eq!(led_to(&kept), ["BATCH_CREATED", "WIP_BOOKED", "WORK_SESSION_CREATED"]);
        for event_type in ["BATCH_CREATED", "WIP_BOOKED"] {
            let told = child(&kept, event_type);
            assert_eq!((&told["quantity"], keys(&told["serial_keys"])), (&json!(3), sorted(taken.clone())), "{event_type}");
        }
        assert_eq!(plant.waiting(&order.jobs[1]).await, std::slice::from_ref(&units[2]));
        assert_eq!(plant.shop.free(&order.jobs[1]).await, json!([1, null]));
        let first_phase = ["BATCH_CREATED", "SERIAL_CREATED", "BATCH_COMPLETED", "SERIAL_UPDATED", "WIP_DECLARED"];
        assert_eq!(plant.told(&units[2]).await, first_phase);
        assert_eq!(plant.told(&units[0]).await, [&first_phase[..], &["JOB_STARTED", "BATCH_CREATED", "WIP_BOOKED"]].concat());
        books::audit(site).await;
    }

    async fn units_that_do_not_wait_in_front_are_refused(site) {
        let plant = plant(site).await;
        let phases = [json!({ "production_batch_qt": 3 }), json!({}), json!({})];
        let order = plant.traced("P", &phases, 6.0).await;
        let other = plant.traced("Q", &all_at_once(2), 1.0).await;
        let done = plant.shop.make(&plant.operator, &order.jobs[0]).await;
        let (free, busy) = (plant.waiting(&order.jobs[1]).await, plant.units_of(&done["batch_data"]).await);
        let foreign = plant.shop.make(&plant.shop.supervisor, &other.jobs[0]).await;
        let foreign = plant.units_of(&foreign["completed_batch"]).await;
        let loose = plant.made(json!({ "product_key": "P", "wo_key": order.key, "code": "LOOSE", "released": null })).await;
        let begin = async |serials: Value| start(&plant.shop.o2, &order.jobs[1], serials).await;
        let before = counts(site).await;
        refused(event(&plant.shop.o2, "JOB_STARTED", json!({ "job_key": order.jobs[1] })).await, "ValueError");
        refused(begin(json!([])).await, "ValueError");
        unknown(begin(json!([free[0], "nobody"])).await, "batch_serials");
        unknown(begin(json!([{ "serial_key": "nobody" }])).await, "batch_serials");
        unknown(begin(json!([{ "serial_code": "SN-90000" }])).await, "batch_serials");
        for twice in [json!([free[0], free[0]]), json!([free[0], { "serial_code": "SN-00001" }])] {
            refused(begin(twice).await, "ValueError");
        }
        let all: Vec<&String> = free.iter().chain([&busy[0], &loose]).collect();
        let lacking = refused(begin(json!(all)).await, "WipNotAvailableError");
        assert_eq!((&lacking["direction"], &lacking["requested"], &lacking["available"]), (&json!("upstream"), &json!(5), &json!(3)));
        assert_eq!(keys(&lacking["serial_keys"]), sorted([busy[0].clone(), loose]));
        for odd in [json!([foreign[0]]), json!([{}]), json!([7])] {
            begin(odd).await.expect(422);
        }
        let two = json!([{ "action": "update", "data": { "_key": order.jobs[1], "qt_planned": 2 } }]);
        plant.admin.post("/job/update", two).await.expect(200);
        let planned = counts(site).await;
        assert_eq!(refused(begin(json!(free)).await, "NoQuantityLeftError")["job_key"], json!(order.jobs[1]));
        assert_eq!((counts(site).await, before[1..].to_vec()), (planned, planned[1..].to_vec()), "nothing but the plan was stored");

        begin(json!(free[..2])).await.expect(200);
        let lacking = refused(start(&plant.shop.supervisor, &order.jobs[2], json!([free[0]])).await, "WipNotAvailableError");
        assert_eq!(lacking["serial_keys"], json!([free[0]]), "it is in the phase before");
    }

    async fn quantities_are_whole(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &[json!({ "production_batch_qt": 2.5 })], 6.0).await;
        let sent = json!({ "product_key": "P", "qt_planned": 2.5 });
        assert_eq!(plant.admin.post("/work-order", sent).await.faults(), ["multiple_of body.qt_planned"]);
        let quantities = format!("/work-order/{}/update-quantities", order.key);
        assert_eq!(plant.admin.patch(&quantities, json!({ "new_quantity": 6.5 })).await.faults(), ["multiple_of body.new_quantity"]);
        let planned = json!([{ "action": "update", "data": { "_key": order.jobs[0], "qt_planned": 6.5 } }]);
        plant.admin.post("/job/update", planned).await.expect(422);
        assert_eq!(plant.admin.patch(&quantities, json!({ "new_quantity": 5 })).await.detail()["qt_planned"], 5);
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        assert_eq!(started["batch_data"]["qt_total"], 2, "of 2.5");
        let halved = json!({ "job_key": order.jobs[0], "new_active_batch_qt": 1.5 });
        event(&plant.operator, "ACTIVE_BATCH_CHANGED", halved).await.expect(422);
        let half = json!({ "completed_batch_qt": 1.5, "scrap_qt": 0.5, "scrap_reason": "bent" });
        complete(&plant.operator, &started["batch_data"], half).await.expect(422);
        assert_eq!(plant.units_of(&started["batch_data"]).await.len(), 2);

        let small = plant.traced("Q", &[json!({ "production_batch_qt": 0.5 })], 2.0).await;
        let started = event(&plant.shop.o2, "JOB_STARTED", json!({ "job_key": small.jobs[0] })).await.detail();
        assert_eq!(started["batch_data"]["qt_total"], 1, "of 0.5");
        books::audit(site).await;
    }

    async fn a_paused_job_goes_on_with_its_batch_or_takes_a_new_one(site) {
        let plant = plant(site).await;
        let phase = json!({ "production_batch_qt": 2, "auto_new_batch": false });
        let order = plant.traced("P", &[phase.clone(), phase], 4.0).await;
        let send = async |event_type: &str, place: usize, members: Value| event(&plant.operator, event_type, with(json!({ "job_key": order.jobs[place] }), members)).await;
        let first = send("JOB_STARTED", 0, json!({})).await.detail()["batch_data"].clone();
        send("JOB_PAUSED", 0, json!({})).await.expect(200);
        for named in [json!([{}]), json!([{ "serial_code": "x" }])] {
            refused(send("JOB_RESUMED", 0, json!({ "batch_serials": named })).await, "ValueError");
        }
        let resumed = send("JOB_RESUMED", 0, json!({ "batch_serials": [] })).await.detail();
        assert_eq!((&resumed["batch_data"]["_key"], led_to(&plant.event(&resumed).await)), (&first["_key"], vec!["WORK_SESSION_CREATED".to_owned()]));
        complete(&plant.operator, &first, json!({})).await.expect(200);
        let resumed = send("JOB_RESUMED", 0, json!({ "batch_serials": [{ "serial_code": "own" }] })).await.detail();
        assert_eq!(led_to(&plant.event(&resumed).await), ["BATCH_CREATED", "SERIAL_CREATED", "WORK_SESSION_CREATED"]);
        assert_eq!(plant.codes(&plant.units_of(&resumed["batch_data"]).await).await, json!(["OWN"]));
        complete(&plant.operator, &resumed["batch_data"], json!({})).await.expect(200);

        let waiting = plant.waiting(&order.jobs[1]).await;
        let started = send("JOB_STARTED", 1, json!({ "batch_serials": [waiting[0]] })).await.detail();
        send("JOB_PAUSED", 1, json!({})).await.expect(200);
        refused(send("JOB_RESUMED", 1, json!({ "batch_serials": [waiting[1]] })).await, "ValueError");
        send("JOB_RESUMED", 1, json!({})).await.expect(200);
        complete(&plant.operator, &started["batch_data"], json!({})).await.expect(200);
        refused(send("JOB_RESUMED", 1, json!({})).await, "ValueError");
        let resumed = send("JOB_RESUMED", 1, json!({ "batch_serials": [waiting[1], waiting[2]] })).await.detail();
        assert_eq!(led_to(&plant.event(&resumed).await), ["BATCH_CREATED", "WIP_BOOKED", "WORK_SESSION_CREATED"]);
        assert_eq!(sorted(plant.units_of(&resumed["batch_data"]).await), sorted(waiting[1..].to_vec()));
        books::audit(site).await;
    }
}
