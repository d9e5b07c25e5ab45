//! A batch is completed: its units get values, codes and files, and go on.

use super::*;

on_both_engines! {
    async fn what_is_entered_reaches_every_unit(site) {
        let plant = plant(site).await;
        plant.fields().await;
        let weight = json!([{ "_key": "w", "custom_field_key": "weight", "mandatory": true }]);
        let order = plant.traced("P", &[asking(0, weight), asking(0, json!([{ "_key": "c", "custom_field_key": "colour" }]))], 2.0).await;
        let (weigh, paint) = (plant.step(&order, 0).await, plant.step(&order, 1).await);
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = &started["batch_data"];
        let units = plant.units_of(batch).await;
        refused(complete(&plant.operator, batch, json!({})).await, "FormFieldValueError");
        site.clock.advance_seconds(60);
        let now = json!(site.app().now());
        let done = complete(&plant.operator, batch, entered(&weigh, "w", json!(5.5))).await.detail();
        assert_eq!((&done["released_serial_keys"], &done["scrapped_serial_keys"]), (&json!([]), &json!([])));
        let kept = plant.event(&done).await;
        assert_eq!(led_to(&kept), ["SERIAL_UPDATED", "SERIAL_UPDATED", "WORK_SESSION_CLOSED", "WIP_DECLARED", "JOB_CLOSED"]);
        assert_eq!(keys(&kept["payload"]["serial_keys"]), sorted(units.clone()));
        assert_eq!(keys(&child(&kept, "WIP_DECLARED")["serial_keys"]), sorted(units.clone()));
        let updated: Vec<String> = [0, 1].map(|place: usize| text(&kept["children"][place]["serial_key"])).to_vec();
        assert_eq!(sorted(updated), sorted(units.clone()));
        assert_eq!(plant.waiting(&order.jobs[1]).await, units);
        for (unit, code) in units.iter().zip(["SN-00001", "SN-00002"]) {
            let shown = plant.read(unit).await;
            assert_eq!((&shown["code"], &shown["state"], &shown["released"]), (&json!(code), &json!("wip"), &json!(null)));
            let weight = entry(&shown, "w");
            assert_eq!((&weight["value"], &weight["batch_key"]), (&json!(5.5), &batch["_key"]));
            assert_eq!((&weight["last_updated"], &weight["last_updated_by"]), (&now, &json!(plant.operator.key)));
            assert_eq!((&entry(&shown, "c")["value"], &entry(&shown, "c")["batch_key"]), (&json!(null), &json!(null)));
        }

        let batch = plant.begin(&plant.shop.o2, &order.jobs[1]).await;
        site.clock.advance_seconds(60);
        let done = complete(&plant.shop.o2, &batch, entered(&paint, "c", json!("red"))).await.detail();
        let kept = plant.event(&done).await;
        assert_eq!(led_to(&kept), [
            "SERIAL_UPDATED", "SERIAL_UPDATED", "WORK_SESSION_CLOSED", "WIP_REMOVED", "SERIAL_RELEASED", "BATCH_RELEASED", "JOB_CLOSED", "WORK_ORDER_CLOSED",
        ]);
        for event_type in ["WIP_REMOVED", "SERIAL_RELEASED", "BATCH_RELEASED"] {
            assert_eq!(keys(&child(&kept, event_type)["serial_keys"]), sorted(units.clone()), "{event_type}");
        }
        assert_eq!((keys(&done["released_serial_keys"]), &done["batch_data"]), (sorted(units.clone()), &json!(null)));
        for unit in &units {
            let shown = plant.read(unit).await;
            assert_eq!((&shown["released"], &shown["released_by"], &shown["state"]), (&json!(site.app().now()), &json!(plant.shop.o2.key), &json!("released")));
            assert_eq!((&entry(&shown, "w")["value"], &entry(&shown, "c")["value"]), (&json!(5.5), &json!("red")));
            assert_eq!(plant.told(unit).await, [
                "BATCH_CREATED", "SERIAL_CREATED", "BATCH_COMPLETED", "SERIAL_UPDATED", "WIP_DECLARED", "JOB_STARTED", "BATCH_CREATED", "WIP_BOOKED",
                "BATCH_COMPLETED", "SERIAL_UPDATED", "WIP_REMOVED", "SERIAL_RELEASED", "BATCH_RELEASED",
            ]);
        }
        let read = plant.shop.read(&order).await;
        assert_eq!((&read["status"], &read["qt_completed"]), (&json!("closed"), &json!(2)));
        books::audit(site).await;
    }

    async fn steps_fill_the_units_once_the_last_is_done(site) {
        let plant = plant(site).await;
        plant.fields().await;
        let hidden = json!({ "_key": "c", "custom_field_key": "colour", "hidden": true, "default": "grey" });
        let steps = json!([
            { "title": "Weigh", "type": "form", "form_fields": [{ "_key": "w", "custom_field_key": "weight", "mandatory": true }, hidden] },
            { "title": "Grade", "type": "form", "form_fields": [{ "_key": "g", "custom_field_key": "grade" }] },
        ]);
        let order = plant.traced("P", &[json!({ "production_batch_qt": 2, "step_check": true, "steps": steps }), json!({})], 4.0).await;
        let sequence = plant.shop.job(&order, 0).await["step_sequence"].clone();
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let units = plant.units_of(&started["batch_data"]).await;
        let step = async |place: usize, field: &str, value: Value| {
            let data = json!([{ "form_field_key": field, "value": value }]);
            let sent = json!({ "batch_key": started["batch_data"]["_key"], "step_key": sequence[place]["_key"], "form_data": data });
            event(&plant.operator, "STEP_COMPLETED", sent).await.detail()
        };
        let first = step(0, "w", json!(5.5)).await;
        assert_eq!((led_to(&plant.event(&first).await), plant.values(&units, "w").await), (Vec::<String>::new(), json!([null, null])));
        let last = step(1, "g", json!("g2")).await;
        let kept = plant.event(&last).await;
        assert_eq!(led_to(&kept), ["BATCH_COMPLETED"]);
        let completed = &kept["children"][0];
        assert_eq!(keys(&completed["payload"]["serial_keys"]), sorted(units.clone()));
        let completed = plant.event(&json!({ "event_key": completed["_key"] })).await;
        assert_eq!(led_to(&completed), [
            "SERIAL_UPDATED", "SERIAL_UPDATED", "WORK_SESSION_CLOSED", "WIP_DECLARED", "BATCH_CREATED", "SERIAL_CREATED", "WORK_SESSION_CREATED",
        ]);
        assert_eq!(plant.values(&units, "w").await, json!([5.5, 5.5]));
        assert_eq!(plant.values(&units, "c").await, json!(["grey", "grey"]), "nobody had to enter it");
        let grade = json!({ "_key": "g2", "value": "Second" });
        assert_eq!(plant.values(&units, "g").await, json!([grade, grade]));
        assert_eq!(plant.codes(&units).await, json!(["SN-00001", "SN-00002"]));
        let next = plant.units_of(&last["batch_data"]).await;
        assert_eq!((plant.codes(&next).await, plant.values(&next, "c").await), (json!([null, null]), json!([null, null])));
        assert_eq!(plant.told(&units[0]).await, ["BATCH_CREATED", "SERIAL_CREATED", "BATCH_COMPLETED", "SERIAL_UPDATED", "WIP_DECLARED"]);
        books::audit(site).await;
    }

    async fn a_unit_keeps_the_value_it_was_given_by_itself(site) {
        let plant = plant(site).await;
        plant.fields().await;
        let order = plant.traced("P", &[asking(0, json!([{ "_key": "w", "custom_field_key": "weight" }])), json!({})], 3.0).await;
        let step = plant.step(&order, 0).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let units = plant.units_of(&started["batch_data"]).await;
        let own = json!({ "serial_key": units[1], "serial_data": [{ "form_field_key": "w", "value": 9.5 }], "serial_code": "mine" });
        event(&plant.operator, "SERIAL_UPDATED", own).await.expect(200);
        let done = complete(&plant.operator, &started["batch_data"], entered(&step, "w", json!(5.5))).await.detail();
        assert_eq!(led_to(&plant.event(&done).await), ["SERIAL_UPDATED", "SERIAL_UPDATED", "WORK_SESSION_CLOSED", "WIP_DECLARED", "JOB_CLOSED"], "one of them has all it needs");
        assert_eq!(plant.values(&units, "w").await, json!([5.5, 9.5, 5.5]));
        assert_eq!(plant.codes(&units).await, json!(["SN-00001", "MINE", "SN-00002"]));

        // A correction of the step follows to the others.
        let record = plant.admin.get(&format!("/batch/{}", text(&started["batch_data"]["_key"]))).await.detail()["step_data"][0]["execution_record_key"].clone();
        let edit = async |who: &Person, value: Value| {
            event(who, "STEP_EDITED", json!({ "execution_record_key": record, "form_data": [{ "form_field_key": "w", "value": value }] })).await
        };
        edit(&plant.operator, json!(6.5)).await.expect(403);
        edit(&plant.shop.supervisor, json!(6.5)).await.expect(200);
        assert_eq!(plant.values(&units, "w").await, json!([6.5, 9.5, 6.5]));
        let later = json!({ "serial_key": units[2], "serial_data": [{ "form_field_key": "w", "value": 8.5 }] });
        event(&plant.operator, "SERIAL_UPDATED", later).await.expect(200);
        edit(&plant.shop.supervisor, json!(null)).await.expect(200);
        assert_eq!(plant.values(&units, "w").await, json!([null, 9.5, 8.5]));
        assert_eq!(plant.waiting(&order.jobs[1]).await.len(), 3, "nothing else has changed");
    }

    async fn a_later_phase_leaves_the_choice_of_the_next_batch(site) {
        let plant = plant(site).await;
        let phase = json!({ "production_batch_qt": 2 });
        let order = plant.traced("P", &[phase.clone(), phase], 4.0).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let done = complete(&plant.operator, &started["batch_data"], json!({})).await.detail();
        assert_eq!(led_to(&plant.event(&done).await), [
            "SERIAL_UPDATED", "SERIAL_UPDATED", "WORK_SESSION_CLOSED", "WIP_DECLARED", "BATCH_CREATED", "SERIAL_CREATED", "WORK_SESSION_CREATED",
        ]);
        assert_eq!((&done["job_data"]["active"], plant.units_of(&done["batch_data"]).await.len()), (&json!(true), 2));
        complete(&plant.operator, &done["batch_data"], json!({})).await.expect(200);
        let units = plant.waiting(&order.jobs[1]).await;
        let started = start(&plant.shop.o2, &order.jobs[1], json!(units[..2])).await.detail();
        let done = complete(&plant.shop.o2, &started["batch_data"], json!({})).await.detail();
        assert_eq!(led_to(&plant.event(&done).await), ["WORK_SESSION_CLOSED", "WIP_REMOVED", "SERIAL_RELEASED", "BATCH_RELEASED"], "no unit has changed");
        assert_eq!((&done["batch_data"], &done["job_data"]["next_batch_available"]), (&json!(null), &json!(true)));
        assert_eq!(state(&done["job_data"]), json!(["started", false, 2, 0, null]));
        assert_eq!(plant.units_of(&done["completed_batch"]).await, units[..2], "the batch still names them");
        books::audit(site).await;
    }

    async fn codes_come_with_the_end_of_the_first_phase(site) {
        let plant = plant(site).await;
        let order = plant.traced_as("P", json!({}), &all_at_once(1), 4.0).await;
        let started = start(&plant.operator, &order.jobs[0], json!([{ "serial_code": "SN-00002" }, {}, {}, {}])).await.detail();
        let batch = &started["batch_data"];
        let units = plant.units_of(batch).await;
        let scrap = json!({ "completed_batch_qt": 3, "scrap_serial_keys": [units[3]], "scrap_reason": "bent" });
        let missing = refused(complete(&plant.operator, batch, scrap.clone()).await, "CounterNotDefinedError");
        assert_eq!(keys(&missing["serial_keys"]), sorted(units[1..3].to_vec()), "what is scrapped needs none");
        assert_eq!(plant.state(&units[1]).await, "uncoded");
        plant.admin.patch("/product/P", json!({ "counter_key": "units" })).await.expect(200);
        let done = complete(&plant.operator, batch, scrap).await.detail();
        assert_eq!(led_to(&plant.event(&done).await).iter().filter(|told| *told == "SERIAL_UPDATED").count(), 3);
        assert_eq!(plant.codes(&units).await, json!(["SN-00002", "SN-00001", "SN-00003", "SN-00004"]), "a taken one is left out");

        // Nothing that passes: nothing that needs a code.
        let order = plant.traced_as("Q", json!({}), &all_at_once(1), 1.0).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let units = plant.units_of(&started["batch_data"]).await;
        let scrap = json!({ "completed_batch_qt": 0, "scrap_serial_keys": units, "scrap_reason": "bent" });
        complete(&plant.operator, &started["batch_data"], scrap).await.expect(200);
        assert_eq!((plant.codes(&units).await, plant.state(&units[0]).await), (json!([null]), "scrapped".to_owned()));
        books::audit(site).await;
    }

    async fn output_is_worth_equal_shares(site) {
        let plant = plant(site).await;
        plant.admin.patch(&format!("/user/{}", plant.operator.key), json!({ "hourly_cost": 100 })).await.expect(200);
        let order = plant.traced("P", &all_at_once(2), 4.0).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let units = plant.units_of(&started["batch_data"]).await;
        site.clock.advance_seconds(36);
        let scrap = json!({ "completed_batch_qt": 3, "scrap_serial_keys": [units[0]], "scrap_reason": "bent" });
        let done = complete(&plant.operator, &started["batch_data"], scrap).await.detail();
        assert_eq!(done["completed_batch"]["value"], 1, "36 seconds of 100 an hour");
        let rows: Vec<(domain::Quantity, domain::Quantity)> = site.all("select quantity, value from wip order by serial_key").await;
        let one: domain::Quantity = "1".parse().unwrap();
        let shares = ["0.333333", "0.333333", "0.333334"].map(|share| (one, share.parse::<domain::Quantity>().unwrap()));
        assert_eq!(rows, shares, "the last has what is left");
        let batch = start(&plant.shop.o2, &order.jobs[1], json!([units[3]])).await.detail()["batch_data"].clone();
        let done = complete(&plant.shop.o2, &batch, json!({})).await.detail();
        assert_eq!(done["completed_batch"]["value"].to_string(), "0.333334");
        books::audit(site).await;
    }

    async fn files_of_a_batch_become_files_of_its_units(site) {
        let plant = plant(site).await;
        plant.admin.post("/field", json!({ "_key": "photo", "name": "Photo", "type": "files" })).await.expect(200);
        let order = plant.traced("P", &[asking(0, json!([{ "_key": "pic", "custom_field_key": "photo" }])), json!({})], 2.0).await;
        let step = plant.step(&order, 0).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let (batch, units) = (text(&started["batch_data"]["_key"]), plant.units_of(&started["batch_data"]).await);
        let subfolder = format!("{batch}/{step}/photo/pic");
        let fields = [("bucket", "traceability"), ("object_key", order.key.as_str()), ("subfolder", subfolder.as_str())];
        let stored = plant.operator.upload(Method::POST, "/files", &fields, &[("contents", "a b.txt", b"seen")]).await.detail();
        let value = json!([{ "name": "a b.txt", "size": 4 }, { "name": "nowhere.txt", "size": 9 }]);
        complete(&plant.operator, &started["batch_data"], entered(&step, "pic", value)).await.expect(200);
        for unit in &units {
            let shown = plant.read(unit).await;
            assert_eq!(each(&entry(&shown, "pic")["value"], "name"), ["a b.txt", "nowhere.txt"], "a file that is not there is no fault");
            let files = plant.get(&format!("/files?bucket=serial&object_key={unit}&recursive=true")).await;
            assert_eq!((each(&files, "name"), &files[0]["subfolder"]), (vec!["a b.txt".to_owned()], &json!("pic")));
            assert_eq!((&files[0]["sha256"], &files[0]["size"]), (&stored[0]["sha256"], &json!(4)));
        }
        // They are the units' own: the original may go, and one of them.
        let remove = async |bucket: &str, object_key: &str, subfolder: &str| {
            let body = json!({ "bucket": bucket, "object_key": object_key, "subfolder": subfolder, "filenames": ["a b.txt"] });
            plant.operator.send(plant.operator.request(Method::DELETE, "/files").json(&body)).await.expect(200);
        };
        remove("traceability", &order.key, &subfolder).await;
        remove("serial", &units[0], "pic").await;
        let served = async |unit: &str| plant.operator.media(&format!("/media/serial/{unit}/pic/a%20b.txt")).await;
        assert_eq!(served(&units[0]).await.status(), 404);
        assert_eq!(served(&units[1]).await.text().await.unwrap(), "seen");
    }
}
