//! Forms of tasks: copied from the type, filled, and complete before the task is.

use testkit::on_both_engines;

use super::*;

/// What a task shows of its fields: field and value, in order.
fn shown(task: &Value) -> Vec<Value> {
    let fields = task["form_fields"].as_array().unwrap().iter();
    fields.map(|field| json!([field["form_field_key"], field["value"]])).collect()
}

async fn fill(team: &Team, key: &str, entries: &[(&str, Value)]) -> Answer {
    task(&team.ann, "UPDATED", key, json!({ "form_fields": values(entries) })).await
}

on_both_engines! {
    async fn what_is_entered_has_an_end(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let key = team.task(&kind, json!({})).await;
        faulty(task(&team.ann, "UPDATED", &key, json!({ "form_fields": null })).await, "body.form_fields");
        let many = |count: usize| (0..count).map(|number| json!({ "form_field_key": format!("f{number}"), "value": 1 })).collect::<Value>();
        faulty(task(&team.ann, "UPDATED", &key, json!({ "form_fields": many(501) })).await, "body.form_fields");
        assert_eq!(bad_values(task(&team.ann, "UPDATED", &key, json!({ "form_fields": many(500) })).await).len(), 500);
    }

    async fn fields_are_those_of_the_type_when_the_task_was_made(site) {
        let team = team(site).await;
        team.fields().await;
        let label = json!({ "_key": "note", "name": "note", "type": "text", "default_label": "Remark", "default_hint": "in short" });
        team.admin.put("/field/note", label).await.expect(200);
        let form = json!([
            { "_key": "w", "custom_field_key": "weight", "label": "Net", "hint": "kg", "mandatory": true, "default": "3" },
            { "_key": "n", "custom_field_key": "note" },
            { "_key": "t", "custom_field_key": "ticked" },
            { "_key": "g", "custom_field_key": "grade", "hidden": true, "default": "g1" },
        ]);
        let kind = team.task_type("Repair", json!({ "form_fields": form })).await;
        let key = team.task(&kind, json!({})).await;
        let read = team.read_task(&key).await;
        let first = json!({
            "form_field_key": "w", "custom_field_key": "weight", "label": "Net", "hint": "kg", "mandatory": true, "value": 3,
            "last_updated": null,
        });
        for (member, value) in first.as_object().unwrap() {
            assert_eq!(read["form_fields"][0].get(member), Some(value), "{member}");
        }
        let labels = each(&read["form_fields"], "label");
        assert_eq!(labels[..3], ["Net", "Remark", "ticked"], "else the default label, else the name");
        assert_eq!(shown(&read)[..3], [json!(["w", 3]), json!(["n", null]), json!(["t", null])]);
        assert_eq!(read["form_fields"][3]["value"]["_key"], "g1", "{read}");
        // Existing tasks stay as they are.
        team.admin.put(&format!("{TASK_TYPES}/{kind}"), json!({ "name": "Mend", "form_fields": [] })).await.expect(200);
        let after = team.read_task(&key).await;
        assert_eq!((&after["form_fields"], &after["task_type_name"]), (&read["form_fields"], &json!("Mend")));
        fill(&team, &key, &[("w", json!(4))]).await.expect(200);
        assert_eq!(team.read_task(&team.task(&kind, json!({})).await).await["form_fields"], json!([]));
    }

    async fn only_what_changes_is_stamped(site) {
        let team = team(site).await;
        team.fields().await;
        let form = json!([
            { "_key": "w", "custom_field_key": "weight" }, { "_key": "n", "custom_field_key": "note" },
            { "_key": "g", "custom_field_key": "grade", "multiple": true },
        ]);
        let kind = team.task_type("Repair", json!({ "form_fields": form })).await;
        let key = team.task(&kind, json!({})).await;
        let stamps = async || each_stamp(&team.read_task(&key).await);
        site.clock.advance_seconds(60);
        let first = json!(site.clock.now());
        let updated = fill(&team, &key, &[("w", json!(1.5)), ("g", json!(["g1", { "_key": "g2" }]))]).await.detail();
        let grades = json!([{ "_key": "g1", "value": "First" }, { "_key": "g2", "value": "Second" }]);
        assert_eq!(shown(&updated["task"]), [json!(["w", 1.5]), json!(["n", null]), json!(["g", grades])]);
        assert_eq!(stamps().await, [first.clone(), Value::Null, first.clone()]);
        site.clock.advance_seconds(60);
        let second = json!(site.clock.now());
        fill(&team, &key, &[("w", json!(1.5)), ("n", json!("red")), ("g", json!(null))]).await.expect(200);
        assert_eq!(stamps().await, [first, second.clone(), second], "an equal value is no change");
        assert_eq!(shown(&team.read_task(&key).await), [json!(["w", 1.5]), json!(["n", "red"]), json!(["g", null])]);
    }

    async fn all_bad_values_are_told_at_once(site) {
        let team = team(site).await;
        team.fields().await;
        let fields = ["note", "weight", "ticked", "passed", "grade", "day", "photo"];
        let form: Vec<Value> = fields.iter().map(|field| json!({ "_key": field, "custom_field_key": field })).collect();
        let kind = team.task_type("Repair", json!({ "form_fields": form })).await;
        let key = team.task(&kind, json!({})).await;
        let wrong = [
            ("note", json!(5)), ("weight", json!("heavy")), ("ticked", json!("yes")), ("passed", json!(1)), ("grade", json!("g3")),
            ("day", json!("someday")), ("photo", json!("a.png")), ("other", json!(1)),
        ];
        let rules = bad_values(fill(&team, &key, &wrong).await);
        assert_eq!(rules, ["wrong_type", "wrong_type", "wrong_type", "wrong_type", "not_in_list", "wrong_type", "wrong_type", "unknown_field"]);
        assert!(shown(&team.read_task(&key).await).iter().all(|value| value[1].is_null()), "nothing is kept");
        let right = [
            ("note", json!("n")), ("weight", json!(-2.5)), ("ticked", json!(false)), ("passed", json!(null)), ("grade", json!("g1")),
            ("day", json!("2026-03-01")), ("photo", json!([{ "name": "a.png", "size": 5 }])),
        ];
        fill(&team, &key, &right).await.expect(200);
    }

    /// Scenario 14.
    async fn a_task_is_completed_when_nothing_is_missing(site) {
        let team = team(site).await;
        team.fields().await;
        team.traced("T").await;
        let form = json!([
            { "_key": "n", "custom_field_key": "note", "mandatory": true, "label": "Remark" },
            { "_key": "t", "custom_field_key": "ticked", "mandatory": true },
            { "_key": "p", "custom_field_key": "passed", "mandatory": true },
            { "_key": "w", "custom_field_key": "weight" },
        ]);
        let settings = json!([{ "type": "serial", "enabled": true, "required": true }, { "type": "task", "enabled": true }]);
        let kind = team.task_type("Repair", json!({ "form_fields": form, "link_settings": settings, "require_time_entry": true })).await;
        let key = team.task(&kind, json!({})).await;
        fill(&team, &key, &[("n", json!("  ")), ("t", json!(false)), ("p", json!(false))]).await.expect(200);
        let told = refused(task(&team.ann, "COMPLETED", &key, json!({})).await, "TaskNotCompletedError");
        assert_eq!(told["missing_fields"], json!([{ "form_field_key": "n", "label": "Remark" }, { "form_field_key": "t", "label": "ticked" }]));
        let besides = (&told["missing_links"], &told["missing_time"]);
        assert_eq!(besides, (&json!(["serial"]), &json!(true)), "all of it at once, and a ternary false is filled");
        assert_eq!(bad_values(fill(&team, &key, &[("w", json!("much"))]).await), ["wrong_type"]);
        fill(&team, &key, &[("n", json!("done")), ("t", json!(true))]).await.expect(200);
        let unit = team.unit("T", "T-1", json!({})).await;
        task_link(&team.ann, "LINKED", &key, "serial", &unit).await.expect(200);
        let told = refused(task(&team.ann, "COMPLETED", &key, json!({})).await, "TaskNotCompletedError");
        assert_eq!((&told["missing_fields"], &told["missing_links"], &told["missing_time"]), (&json!([]), &json!([]), &json!(true)));
        let time = json!({ "start": "2026-02-01T08:00:00Z", "end": "2026-02-01T08:30:00Z" });
        task(&team.ben, "TIME_RECORDED", &key, time).await.expect(200);
        let done = task(&team.ann, "COMPLETED", &key, json!({})).await.detail();
        assert_eq!((&done["task_key"], &done["status"]), (&json!(key), &json!("completed")));
        let read = team.read_task(&key).await;
        assert_eq!((&read["status"], &read["closed"], &read["closed_by"]), (&json!("completed"), &json!(site.clock.now()), &json!(team.ann.key)));
        wrong_status(fill(&team, &key, &[("w", json!(1))]).await, "completed");
        task(&team.ann, "REOPENED", &key, json!({})).await.expect(200);
        fill(&team, &key, &[("w", json!(1))]).await.expect(200);
        // The link that is required is gone: it can be canceled, and not completed.
        task_link(&team.ann, "UNLINKED", &key, "serial", &unit).await.expect(200);
        assert_eq!(refused(task(&team.ann, "COMPLETED", &key, json!({})).await, "TaskNotCompletedError")["missing_links"], json!(["serial"]));
        task(&team.ann, "CANCELED", &key, json!({})).await.expect(200);
    }
}

/// When the values of a task changed last, field by field.
fn each_stamp(task: &Value) -> Vec<Value> {
    task["form_fields"].as_array().unwrap().iter().map(|field| field["last_updated"].clone()).collect()
}
