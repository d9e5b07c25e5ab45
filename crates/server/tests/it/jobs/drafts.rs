use super::*;

/// An order of one phase with an instruction and a form of two numbers, begun by o1: its batch, and the step with its fields.
async fn begun(site: &Site) -> (Shop, Order, Value, Value) {
    let shop = shop(site).await;
    shop.admin.post("/field", json!({ "_key": "n", "name": "N", "type": "number" })).await.expect(200);
    let field = |mandatory: bool| json!({ "custom_field_key": "n", "mandatory": mandatory });
    let steps = json!([{ "title": "Read" }, { "title": "Measure", "type": "form", "form_fields": [field(true), field(false)] }]);
    let params = json!({ "production_batch_qt": 2, "step_check": true, "steps": steps });
    let order = shop.order("P", &[params], 4.0).await;
    let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
    let step = started["job_data"]["step_sequence"][1].clone();
    (shop, order, started["batch_data"].clone(), step)
}

on_both_engines! {
    async fn what_is_entered_is_kept_for_later(site) {
        let (shop, _, batch, step) = begun(site).await;
        let (path, fields) = (format!("/batch/{}", batch["_key"].as_str().unwrap()), &step["form_fields"]);
        let shown = shop.admin.get(&path).await.detail();
        assert_eq!((&shown["_key"], &shown["qt_total"], &shown["product_key"]), (&batch["_key"], &json!(2), &json!("P")));
        let nothing = json!({ "_key": step["_key"], "type": "form", "done": false, "critical": false, "form_data": [], "execution_record_key": null });
        assert_eq!(shown["step_data"][1], nothing);
        assert_eq!((&shown["step_data"][0]["type"], shown["step_data"].as_array().unwrap().len()), (&json!("instruction"), 2));

        let value = |index: usize, value: Value| json!({ "form_field_key": fields[index]["_key"], "value": value });
        let draft = json!({ "batch_key": batch["_key"], "step_key": step["_key"], "form_data": [value(0, json!(5.50)), value(1, json!(7))] });
        let events = site.count("event").await;
        let kept = shop.o1.post("/batch/temp-data", draft.clone()).await.detail();
        assert_eq!(site.count("event").await, events, "it is no event");
        let record = &kept["execution_record_key"];
        let more = json!({ "execution_record_key": record, "form_data": [value(1, json!(null))] });
        assert_eq!(shop.o1.post("/batch/temp-data", more).await.detail()["execution_record_key"], *record);
        let shown = shop.admin.get(&path).await.detail()["step_data"][1].clone();
        assert_eq!((&shown["done"], &shown["execution_record_key"]), (&json!(false), record));
        let values: Vec<&Value> = shown["form_data"].as_array().unwrap().iter().map(|entry| &entry["value"]).collect();
        assert_eq!(values, [&json!(5.5), &json!(null)]);

        // The step takes over what was kept.
        let done = json!({ "batch_key": batch["_key"], "step_key": step["_key"], "critical": true });
        let done = event(&shop.o1, "STEP_COMPLETED", done).await.detail();
        assert_eq!(done["execution_record_key"], *record);
        let shown = shop.admin.get(&path).await.detail()["step_data"][1].clone();
        assert_eq!((&shown["done"], &shown["critical"]), (&json!(true), &json!(true)));
        refused(shop.o1.post("/batch/temp-data", draft).await, "StepAlreadyDoneError");
    }

    async fn drafts_need_a_step_that_is_worked_at(site) {
        let (shop, order, batch, step) = begun(site).await;
        let value = |value: Value| json!([{ "form_field_key": step["form_fields"][0]["_key"], "value": value }]);
        let of_step = |data: Value| json!({ "batch_key": batch["_key"], "step_key": step["_key"], "form_data": data });
        let keep = async |body: Value| shop.o1.post("/batch/temp-data", body).await;
        for body in [json!({}), json!({ "batch_key": batch["_key"] }), json!({ "execution_record_key": "x", "step_key": "y", "batch_key": "z" })] {
            let mut body = body;
            body["form_data"] = value(json!(1));
            assert_eq!(keep(body).await.faults(), ["value_error body"]);
        }
        assert_eq!(keep(of_step(json!([]))).await.faults(), ["too_short body.form_data"]);
        refused(keep(of_step(value(json!("much")))).await, "FormFieldValueError");
        refused(shop.o2.post("/batch/temp-data", of_step(value(json!(1)))).await, "NotSessionUserError");
        let unknown = json!({ "execution_record_key": "nobody", "form_data": value(json!(1)) });
        assert_eq!(refused(keep(unknown).await, "RecordNotFoundError")["field"], "execution_record_key");
        let unknown = json!({ "batch_key": "nobody", "step_key": step["_key"], "form_data": value(json!(1)) });
        assert_eq!(refused(keep(unknown).await, "RecordNotFoundError")["field"], "batch_key");
        let unknown = json!({ "batch_key": batch["_key"], "step_key": batch["_key"], "form_data": value(json!(1)) });
        assert_eq!(refused(keep(unknown).await, "RecordNotFoundError")["field"], "step_key");
        let kept = keep(of_step(value(json!(1)))).await.detail()["execution_record_key"].clone();
        event(&shop.o1, "JOB_PAUSED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        // A device that comes back after a pause brings what was entered until then.
        assert_eq!(keep(of_step(value(json!(2)))).await.detail()["execution_record_key"], kept);
        refused(shop.o2.post("/batch/temp-data", of_step(value(json!(3)))).await, "NotSessionUserError");
        event(&shop.supervisor, "BATCH_CANCELED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        refused(keep(of_step(value(json!(2)))).await, "BatchNotActiveError");
        refused(keep(json!({ "execution_record_key": kept, "form_data": value(json!(2)) })).await, "BatchNotActiveError");
        shop.admin.get("/batch/nobody").await.expect(404);
        let canceled = shop.admin.get(&format!("/batch/{}", batch["_key"].as_str().unwrap())).await.detail();
        assert_eq!((&canceled["active"], &canceled["step_data"][1]["form_data"]), (&json!(false), &json!([])));
        assert_ne!(canceled["canceled"], json!(null));
    }
}
