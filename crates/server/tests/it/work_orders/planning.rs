//! What is planned of an order changes, by PATCH and by event.

use super::*;

/// The last event of a type.
async fn last(person: &Person, event_type: &str) -> Value {
    person.get(&format!("/event?type={event_type}&limit=1")).await.expect(200).body[0].clone()
}

async fn complete(person: &Person, job: &str, pass: i64, scrap: i64) {
    let begin = |event_type: &str| post(person, json!({ "event_type": event_type, "job_key": job }));
    let started = match begin("JOB_STARTED").await {
        started if started.status == 200 => started,
        _ => begin("JOB_RESUMED").await,
    };
    let started = started.detail();
    let batch = started["batch_data"]["_key"].clone();
    let event = json!({ "event_type": "BATCH_COMPLETED", "active_batch_key": batch, "completed_batch_qt": pass, "scrap_qt": scrap, "scrap_reason": "bent" });
    post(person, event).await.expect(200);
}

on_both_engines! {
    async fn a_patch_changes_what_it_names(site) {
        let planner = planner(site).await;
        let phases = made(&planner, "P", &["a", "b"]).await;
        product(&planner, "C", json!({ "cost": { "average": 3 } })).await;
        let first = order(&planner, json!({ "product_key": "P", "qt_planned": 10, "project_code": "old", "notes": "n" })).await.detail();
        let (wo, job) = (key(&first["work_order"]), key(&first["jobs"][0]));
        let path = format!("/work-order/{wo}");
        complete(&planner, job, 10, 0).await;
        let before = read(&planner, wo).await;
        let change = json!({ "new_due_date": "2026-03-31", "new_from_date": "2026-03-02T10:00:00+01:00", "new_project_code": "new", "notes": null, "priority": true });
        let changed = planner.patch(&path, change).await.detail();
        assert_eq!((&changed["due_by"], &changed["start_from"]), (&json!("2026-03-31T23:59:59.999Z"), &json!("2026-03-02T09:00:00.000Z")));
        assert_eq!((&changed["project_code"], &changed["notes"], &changed["priority"]), (&json!("new"), &Value::Null, &json!(true)));
        assert_ne!(changed["_rev"], before["_rev"]);
        assert_eq!((&changed["jobs"][0]["project_code"], &changed["jobs"][0]["due_by"]), (&json!("old"), &Value::Null), "closed jobs stay as they are");
        assert_eq!((&changed["jobs"][1]["project_code"], &changed["jobs"][1]["due_by"]), (&json!("new"), &changed["due_by"]));
        assert_eq!(changed["jobs"][1]["notes"], "n", "notes are the order's own");
        let event = last(&planner, "WORK_ORDER_UPDATED").await;
        assert_eq!(event["payload"]["changes"], json!({
            "due_by": "2026-03-31T23:59:59.999Z", "start_from": "2026-03-02T09:00:00.000Z", "project_code": "new", "notes": null, "priority": true,
        }));
        assert_eq!((&event["work_order_key"], &event["payload"]["work_order_key"], &event["primary"]), (&json!(wo), &json!(wo), &json!(true)));
        assert_eq!(each(&planner.get("/work-order?search=new").await.detail(), "_key"), [wo], "found by its new project");
        assert_eq!(planner.get("/work-order?search=old").await.detail(), json!([]));

        let lines = json!([{ "component_key": "C", "qt": 2 }, { "component_key": "C", "qt": 1, "phase_key": phases[0] }]);
        let changed = planner.patch(&path, json!({ "new_bom": lines, "new_output_position_key": "OUT", "new_project_code": null, "priority": null })).await.detail();
        assert_eq!(super::lines(&changed), ["C 1 a", "C 2 b"]);
        assert_eq!((&changed["bom_version"], &changed["material_cost"], &changed["output_position_key"]), (&Value::Null, &json!(90), &json!("OUT")));
        assert_eq!((&changed["project_code"], &changed["priority"], &changed["jobs"][1]["project_code"]), (&Value::Null, &json!(false), &Value::Null));
        let started = post(&planner, json!({ "event_type": "JOB_STARTED", "job_key": key(&first["jobs"][1]) })).await.detail();
        assert_eq!(started["batch_data"]["unit_material_cost"], 6, "later batches use them");
        let rev = read(&planner, wo).await["_rev"].clone();
        let same = planner.patch(&path, json!({ "new_bom": changed["wo_bom"] })).await.detail();
        assert_eq!(super::lines(&same), ["C 1 a", "C 2 b"]);
        assert_ne!(same["_rev"], rev);
        let faults = planner.patch(&path, json!({ "new_bom": [{ "component_key": "nobody", "qt": 0, "phase_key": "x" }], "new_output_position_key": "nowhere" })).await.faults();
        assert_eq!(faults, [
            "position_not_found body.new_output_position_key", "greater_than body.new_bom.0.qt", "phase_not_of_product body.new_bom.0.phase_key",
            "component_not_found body.new_bom.0.component_key",
        ]);
        assert_eq!(planner.patch(&path, json!({ "wo_code": "x" })).await.faults(), ["extra_forbidden body.wo_code"]);
        planner.patch("/work-order/nobody", json!({})).await.expect(404);
        let stale = planner.request(Method::PATCH, &path).header("if-match", "_1").json(&json!({ "notes": "x" }));
        planner.send(stale).await.expect(412);
        let rev = read(&planner, wo).await["_rev"].as_str().unwrap().to_owned();
        let fresh = planner.request(Method::PATCH, &path).header("if-match", rev).json(&json!({ "notes": "x" }));
        planner.send(fresh).await.expect(200);

        post(&planner, json!({ "event_type": "BATCH_COMPLETED", "active_batch_key": started["batch_data"]["_key"], "completed_batch_qt": 10 })).await.expect(200);
        let refused = planner.patch(&path, json!({ "new_bom": null })).await.expect(422);
        assert_eq!(refused.body["detail"]["error_type"], "ValueError");
        assert_eq!(planner.patch(&path, json!({ "notes": "done" })).await.detail()["status"], "closed", "all else can change");
    }

    async fn the_event_does_what_the_patch_does(site) {
        let planner = planner(site).await;
        made(&planner, "P", &["a"]).await;
        product(&planner, "C", json!({})).await;
        let first = order_of(&planner, "P", 10).await;
        let wo = key(&first["work_order"]).to_owned();
        let event = |more: Value| {
            let mut event = json!({ "event_type": "WORK_ORDER_UPDATED", "work_order_key": wo });
            event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            event
        };
        let line = json!({ "component_key": "C", "qt": 0.5 });
        let done = post(&planner, event(json!({ "new_due_date": "2026-03-31", "new_bom": [line], "description": "late" }))).await.detail();
        assert_eq!((&done["work_order"]["due_by"], super::lines(&done["work_order"])), (&json!("2026-03-31T23:59:59.999Z"), vec!["C 0.5 a".to_owned()]));
        assert_eq!(done["work_order"], read(&planner, &wo).await);
        let stored = last(&planner, "WORK_ORDER_UPDATED").await;
        assert_eq!((&stored["description"], &stored["payload"]["changes"]["due_by"]), (&json!("late"), &json!("2026-03-31T23:59:59.999Z")));
        post(&planner, event(json!({ "new_due_date": null, "product_key": "P" }))).await.expect(200);
        assert_eq!(read(&planner, &wo).await["due_by"], Value::Null);
        let wrong = post(&planner, event(json!({ "product_key": "C" }))).await.expect(422);
        assert_eq!(wrong.body["detail"]["error_type"], "ReferenceMismatchError");
        assert_eq!(post(&planner, event(json!({ "new_bom": [{ "component_key": "nobody", "qt": 1 }] }))).await.faults(), ["component_not_found body.new_bom.0.component_key"]);
        let absent = post(&planner, json!({ "event_type": "WORK_ORDER_UPDATED", "work_order_key": "nobody" })).await.expect(422);
        assert_eq!(absent.body["detail"]["error_type"], "RecordNotFoundError");
        let operator = site.user("mario", "operator").await;
        let refused = post(&operator, event(json!({ "notes": "x" }))).await.expect(403);
        assert_eq!(refused.body["detail"]["required_scope"], "production:work-order:update");
        let bulk = json!({ "shared_data": { "event_type": "WORK_ORDER_UPDATED" }, "events": [
            { "work_order_key": wo, "notes": "one" }, { "work_order_key": wo, "new_bom": [{ "component_key": "nobody", "qt": 1 }] },
        ] });
        let rejected = planner.post("/event/bulk", bulk).await.expect(422).body;
        assert_eq!((&rejected["detail"]["errors"][0]["index"], &rejected["detail"]["errors"][0]["error_type"]), (&json!(1), &json!("ValidationError")));
        assert_eq!(read(&planner, &wo).await["notes"], Value::Null, "all or nothing");
    }

    async fn quantities_are_planned_anew(site) {
        let planner = planner(site).await;
        made(&planner, "P", &["a", "b"]).await;
        product(&planner, "C", json!({ "cost": { "average": 0.333333 } })).await;
        planner.put("/product/P/bom", json!([{ "component_key": "C", "qt": 1 }])).await.expect(200);
        let first = order_of(&planner, "P", 4).await;
        let wo = key(&first["work_order"]);
        let jobs = each(&first["jobs"], "_key");
        let path = format!("/work-order/{wo}/update-quantities");
        let more = planner.patch(&path, json!({ "new_quantity": 6 })).await.detail();
        assert_eq!((&more["qt_planned"], &more["jobs"][0]["qt_planned"], &more["jobs"][1]["qt_planned"]), (&json!(6), &json!(6), &json!(6)));
        assert_eq!(more["material_cost"].to_string(), "1.999998");
        assert_eq!(last(&planner, "WORK_ORDER_UPDATED").await["payload"], json!({ "work_order_key": wo, "changes": { "qt_planned": 6 } }));
        complete(&planner, jobs[0], 5, 1).await;
        let refused = planner.patch(&path, json!({ "new_quantity": 5 })).await.expect(422).body;
        assert_eq!((&refused["detail"]["error_type"], &refused["detail"]["job_key"], &refused["detail"]["minimum"]), (&json!("QuantityTooSmallError"), &json!(jobs[0]), &json!(6)));
        assert_eq!(read(&planner, wo).await["jobs"][0]["stage"], "closed");
        let reopened = planner.patch(&path, json!({ "new_quantity": 8 })).await.detail();
        let job = &reopened["jobs"][0];
        assert_eq!((&job["stage"], &job["close_reason"], &job["next_batch_available"], &job["progress"]), (&json!("started"), &Value::Null, &json!(true), &json!(75)));
        let update = |key: &str, quantity: f64| json!({ "action": "update", "data": { "_key": key, "qt_planned": quantity } });
        let uneven = planner.patch(&path, json!({ "new_quantity": 7, "job_updates": [update(jobs[0], 7.0), update(jobs[1], 6.5)] })).await.detail();
        assert_eq!((&uneven["qt_planned"], &uneven["jobs"][0]["qt_planned"], &uneven["jobs"][1]["qt_planned"]), (&json!(7), &json!(7), &json!(6.5)));
        assert_eq!(last(&planner, "WORK_ORDER_UPDATED").await["payload"]["changes"]["jobs"][1], json!({ "qt_planned": 6.5, "action": "update", "job_key": jobs[1] }));
        let other = order_of(&planner, "P", 1).await;
        let foreign = key(&other["jobs"][0]);
        let close = json!({ "action": "close", "data": { "_key": jobs[1] } });
        let bare = json!({ "action": "update", "data": { "_key": jobs[1], "notes": "x" } });
        let wrong = json!([update(jobs[0], 1.0), update("nobody", 1.0), update(foreign, 1.0), close, bare]);
        assert_eq!(planner.patch(&path, json!({ "new_quantity": 7, "job_updates": wrong })).await.faults(), [
            "missing body.job_updates.3.data.qt_planned",
            "missing body.job_updates.4.data.qt_planned",
            "QuantityTooSmallError body.job_updates.0.data.qt_planned",
            "job_not_found body.job_updates.1.data._key",
            "job_not_found body.job_updates.2.data._key",
        ]);
        assert_eq!(read(&planner, wo).await["jobs"], uneven["jobs"], "nothing has changed");
        assert_eq!(planner.patch(&path, json!({ "new_quantity": 0 })).await.faults(), ["greater_than body.new_quantity"]);
        planner.patch("/work-order/nobody/update-quantities", json!({ "new_quantity": 1 })).await.expect(404);

        // A closed order opens again and goes to the end of the queue.
        complete(&planner, jobs[0], 1, 0).await;
        complete(&planner, jobs[1], 6, 0).await;
        let closed = read(&planner, wo).await;
        assert_eq!((&closed["status"], &closed["progress"], &closed["qt_completed"]), (&json!("closed"), &json!(96), &json!(6)), "the second job was planned for less");
        let open = planner.patch(&path, json!({ "new_quantity": 20 })).await.detail();
        assert_eq!((&open["status"], &open["end"], &open["qt_remaining"]), (&json!("started"), &Value::Null, &json!(13)));
        assert_eq!(told(&planner, wo).await.last().unwrap(), "WORK_ORDER_REOPENED");
        let last_place: String = site.look("select wo_code from work_order order by place desc limit 1", vec![]).await.unwrap();
        assert_eq!(last_place, open["wo_code"].as_str().unwrap());
    }

    async fn a_phase_of_several_jobs_is_planned_by_hand(site) {
        let planner = planner(site).await;
        let phases = made(&planner, "P", &["a"]).await;
        let first = order_of(&planner, "P", 10).await;
        let (wo, job) = (key(&first["work_order"]), key(&first["jobs"][0]));
        let path = format!("/work-order/{wo}/update-quantities");
        let split = json!([
            { "action": "update", "data": { "_key": job, "qt_planned": 6 } },
            { "action": "insert", "data": { "work_order_key": wo, "phase_key": phases[0], "qt_planned": 6, "notes": "second" } },
        ]);
        let changed = planner.patch(&path, json!({ "new_quantity": 12, "job_updates": split })).await.detail();
        assert_eq!((&changed["qt_planned"], &changed["jobs"][0]["qt_planned"], &changed["jobs"][1]["qt_planned"]), (&json!(12), &json!(6), &json!(6)));
        assert_eq!(changed["jobs"][1]["notes"], "second");
        let refused = planner.patch(&path, json!({ "new_quantity": 14 })).await.expect(422).body;
        assert_eq!(refused["detail"]["error_type"], "ValueError");
        let elsewhere = key(&order_of(&planner, "P", 1).await["work_order"]).to_owned();
        let foreign = json!([{ "action": "insert", "data": { "work_order_key": elsewhere, "phase_key": phases[0], "qt_planned": 1 } }]);
        assert_eq!(planner.patch(&path, json!({ "new_quantity": 12, "job_updates": foreign })).await.faults(), ["work_order_not_found body.job_updates.0.data.work_order_key"]);
        assert_eq!(planner.patch(&path, json!({ "new_quantity": 13, "job_updates": [] })).await.detail()["qt_planned"], 13);
    }

    async fn an_order_goes_as_long_as_nothing_was_started(site) {
        let planner = planner(site).await;
        product(&planner, "P", json!({})).await;
        let picture = planner.upload(Method::POST, "/media/create", &[], &[("file", "a.png", b"1")]).await.detail();
        process(&planner, "P", json!([phase("a", json!([{ "title": "s", "media": [key(&picture)] }]))])).await;
        let (first, second) = (order_of(&planner, "P", 1).await, order_of(&planner, "P", 1).await);
        let (one, two) = (key(&first["work_order"]), key(&second["work_order"]));
        planner.post("/tag", json!({ "_key": "t", "name": "T" })).await.expect(200);
        let link = json!([{ "type": "add", "tag_key": "t", "context": "work_order", "context_key": one }]);
        assert_eq!(planner.post("/tag/update-connections", link.clone()).await.detail()["added"], 1);
        assert_eq!(each(&planner.get(&format!("/tag?context=work_order&context_key={one}")).await.detail(), "_key"), ["t"]);
        planner.put("/product/P/process", json!([])).await.expect(200);
        // Begun and taken back: the traces go with the order.
        let job = key(&first["jobs"][0]);
        post(&planner, json!({ "event_type": "JOB_STARTED", "job_key": job })).await.expect(200);
        planner.delete(&format!("/work-order/{one}")).await.expect(403);
        for event_type in ["JOB_PAUSED", "BATCH_CANCELED"] {
            post(&planner, json!({ "event_type": event_type, "job_key": job })).await.expect(200);
        }
        assert_eq!(read(&planner, one).await["status"], "created");
        let stale = planner.request(Method::DELETE, &format!("/work-order/{one}")).header("if-match", "_0");
        planner.send(stale).await.expect(412);
        assert_eq!(planner.delete(&format!("/work-order/{one}")).await.detail(), Value::Null);
        planner.get(&format!("/work-order/{one}")).await.expect(404);
        planner.delete(&format!("/work-order/{one}")).await.expect(404);
        let tables = ["work_order", "job", "order_phase", "work_order_bom"];
        for table in tables {
            assert_eq!(site.count(table).await, 1, "{table}");
        }
        for table in ["batch", "work_session", "has_tag"] {
            assert_eq!(site.count(table).await, 0, "{table}");
        }
        assert_eq!(told(&planner, one).await.last().unwrap(), "WORK_ORDER_DELETED");
        assert_eq!((site.count("media").await, site.objects()), (1, 1), "the other order has it");
        planner.post("/tag/update-connections", link).await.expect(404);
        planner.delete("/product/P").await.expect(409);
        planner.delete(&format!("/work-order/{two}")).await.expect(200);
        planner.delete("/product/P").await.expect(200);
        // The trashed step of the process has it still.
        assert_eq!((site.count("media").await, site.count("media_connection").await), (1, 1));
    }

    async fn media_that_only_an_order_had_go_with_it(site) {
        let planner = planner(site).await;
        product(&planner, "P", json!({})).await;
        let picture = planner.upload(Method::POST, "/media/create", &[], &[("file", "a.png", b"1")]).await.detail();
        let body = json!([phase("a", json!([{ "title": "s", "media": [key(&picture)] }]))]);
        process(&planner, "P", body).await;
        let step = planner.get("/product/P/process").await.body[0]["steps"][0]["_key"].as_str().unwrap().to_owned();
        let orders = [order_of(&planner, "P", 1).await, order_of(&planner, "P", 1).await, order_of(&planner, "P", 1).await];
        planner.delete(&format!("/step/{step}/media/a.png")).await.expect(200);
        planner.delete(&format!("/work-order/{}", key(&orders[0]["work_order"]))).await.expect(200);
        planner.delete(&format!("/force-delete-work-order/{}", key(&orders[1]["work_order"]))).await.expect(200);
        assert_eq!((site.count("media").await, site.objects()), (1, 1));
        planner.delete("/reset/prod").await.expect(200);
        assert_eq!((site.count("media").await, site.objects()), (0, 0));
    }
}
