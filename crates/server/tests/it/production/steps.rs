//! Steps that are confirmed one by one, kept for later, corrected, or sent with the batch.

use super::*;

/// A phase with an instruction and a form that asks for a number.
fn checked(more: Value) -> Value {
    let mut params = json!({ "production_batch_qt": 2, "step_check": true, "step_check_force_order": true });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let torque = json!({ "_key": "nm", "custom_field_key": "torque", "mandatory": true });
    let lot = json!({ "_key": "lot", "custom_field_key": "note", "hidden": true, "default": "L-1" });
    params["steps"] = json!([
        { "title": "Clean" },
        { "title": "Torque", "type": "form", "form_fields": [torque, lot] },
    ]);
    params
}

async fn fields(shop: &Shop) {
    for (key, kind) in [("torque", "number"), ("note", "text")] {
        shop.admin.post("/field", json!({ "_key": key, "name": key, "type": kind })).await.expect(200);
    }
}

async fn steps_of(shop: &Shop, job: &str) -> [String; 2] {
    let steps = shop.admin.get(&format!("/job/{job}")).await.detail()["step_sequence"].clone();
    [0, 1].map(|place: usize| steps[place]["_key"].as_str().unwrap().to_owned())
}

fn value(number: f64) -> Value {
    json!([{ "form_field_key": "nm", "value": number }])
}

on_both_engines! {
    async fn the_last_step_completes_the_batch(site) {
        let shop = shop(site).await;
        fields(&shop).await;
        let order = shop.order("A", &[checked(json!({}))], 4.0).await;
        let [clean, torque] = steps_of(&shop, &order.jobs[0]).await;
        let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = &started["batch_data"]["_key"];
        let step = async |who: &Person, step: &str, data: Value| {
            event(who, "STEP_COMPLETED", json!({ "batch_key": batch, "step_key": step, "form_data": data })).await
        };
        assert_eq!(refused(step(&shop.o1, &torque, value(5.5)).await, "StepOrderError")["step_keys"], json!([clean]));
        refused(step(&shop.o2, &clean, json!([])).await, "NotSessionUserError");
        let done = step(&shop.o1, &clean, json!([])).await.detail();
        assert_eq!(done["job_data"]["progress"], 25, "one of two steps of half the quantity");
        refused(step(&shop.o1, &clean, json!([])).await, "StepAlreadyDoneError");
        let faults = refused(step(&shop.o1, &torque, json!([])).await, "FormFieldValueError");
        assert_eq!(faults["fields"], json!([{ "form_field_key": "nm", "custom_field_key": "torque", "rule": "missing" }]));
        let missing = complete(&shop.o1, &started["batch_data"], json!({})).await;
        assert_eq!(refused(missing, "StepsMissingError")["step_keys"], json!([torque]));
        let last = step(&shop.o1, &torque, value(5.5)).await.detail();
        assert_eq!(last["job_data"]["qt_completed"], 2);
        assert_eq!(last["completed_batch"]["qt_pass"], 2);
        assert_ne!(last["batch_data"]["_key"], *batch, "the next batch is open");

        let kept = shop.admin.get(&format!("/event/{}", last["event_key"].as_str().unwrap())).await.expect(200).body;
        assert_eq!(kept["children"][0]["event_type"], "BATCH_COMPLETED");
        let completed = kept["children"][0]["_key"].as_str().unwrap();
        let under = shop.admin.get(&format!("/event/{completed}")).await.expect(200).body["children"].clone();
        assert_eq!(under[0]["event_type"], "WORK_SESSION_CLOSED", "what the completion did is its own");

        let batch = batch.as_str().unwrap();
        let data = shop.admin.get(&format!("/batch/{batch}")).await.detail()["step_data"].clone();
        let values = json!([
            { "form_field_key": "nm", "custom_field_key": "torque", "value": 5.5 },
            { "form_field_key": "lot", "custom_field_key": "note", "value": "L-1" },
        ]);
        assert_eq!((&data[1]["done"], &data[1]["form_data"]), (&json!(true), &values));
        assert_eq!(data[1]["execution_record_key"], last["execution_record_key"]);
    }

    async fn a_step_that_is_done_can_be_corrected(site) {
        let shop = shop(site).await;
        fields(&shop).await;
        let order = shop.order("A", &[checked(json!({ "auto_new_batch": false }))], 4.0).await;
        let [clean, torque] = steps_of(&shop, &order.jobs[0]).await;
        let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = &started["batch_data"]["_key"];
        for (step, data) in [(&clean, json!([])), (&torque, value(5.5))] {
            let body = json!({ "batch_key": batch, "step_key": step, "form_data": data, "complete_batch": false });
            event(&shop.o1, "STEP_COMPLETED", body).await.expect(200);
        }
        let data = shop.admin.get(&format!("/batch/{}", batch.as_str().unwrap())).await.detail()["step_data"].clone();
        let record = data[1]["execution_record_key"].clone();
        let edit = async |who: &Person, form_data: Value| {
            event(who, "STEP_EDITED", json!({ "execution_record_key": record, "form_data": form_data })).await
        };
        refused(edit(&shop.o2, value(6.0)).await, "NotSessionUserError");
        refused(edit(&shop.o1, json!([{ "form_field_key": "nm", "value": "much" }])).await, "FormFieldValueError");
        refused(edit(&shop.o1, json!([{ "form_field_key": "nm", "value": null }])).await, "FormFieldValueError");
        let edited = edit(&shop.o1, value(6.0)).await.detail();
        let kept = shop.admin.get(&format!("/event/{}", edited["event_key"].as_str().unwrap())).await.expect(200).body;
        assert_eq!(kept["payload"]["previous_form_data"][0]["value"], 5.5);
        complete(&shop.o1, &started["batch_data"], json!({})).await.expect(200);
        edit(&shop.o1, value(7.0)).await.expect(403);
        edit(&shop.supervisor, value(7.0)).await.expect(200);
        let data = shop.admin.get(&format!("/batch/{}", batch.as_str().unwrap())).await.detail()["step_data"].clone();
        assert_eq!(data[1]["form_data"][0]["value"], 7.0, "as it was sent");
    }

    async fn what_was_entered_waits_until_the_step_is_done(site) {
        let shop = shop(site).await;
        fields(&shop).await;
        let order = shop.order("A", &[checked(json!({}))], 4.0).await;
        let [clean, torque] = steps_of(&shop, &order.jobs[0]).await;
        let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = &started["batch_data"]["_key"];
        let draft = json!({ "batch_key": batch, "step_key": torque, "form_data": value(4.5) });
        let kept = shop.o1.post("/batch/temp-data", draft.clone()).await.detail();
        let again = shop.o1.post("/batch/temp-data", draft).await.detail();
        assert_eq!(kept["execution_record_key"], again["execution_record_key"]);
        event(&shop.o1, "STEP_COMPLETED", json!({ "batch_key": batch, "step_key": clean })).await.expect(200);
        let last = event(&shop.o1, "STEP_COMPLETED", json!({ "batch_key": batch, "step_key": torque })).await.detail();
        assert_eq!(last["execution_record_key"], kept["execution_record_key"], "the draft was taken over");
    }

    async fn steps_come_with_the_batch_where_nobody_confirms_them(site) {
        let shop = shop(site).await;
        fields(&shop).await;
        let order = shop.order("A", &[checked(json!({ "step_check": false }))], 4.0).await;
        let [clean, torque] = steps_of(&shop, &order.jobs[0]).await;
        let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = &started["batch_data"];
        refused(complete(&shop.o1, batch, json!({})).await, "FormFieldValueError");
        let twice = json!({ "step_data": [{ "step_key": clean }, { "step_key": clean }] });
        refused(complete(&shop.o1, batch, twice).await, "ValueError");
        let data = json!({ "step_data": [{ "step_key": torque, "form_data": value(3.5), "critical": true }] });
        complete(&shop.o1, batch, data).await.expect(200);
        let data = shop.admin.get(&format!("/batch/{}", batch["_key"].as_str().unwrap())).await.detail()["step_data"].clone();
        assert_eq!((&data[1]["done"], &data[1]["critical"]), (&json!(true), &json!(true)));
    }
}
