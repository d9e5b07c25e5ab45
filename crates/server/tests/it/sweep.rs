//! What must hold for all operations, those of later areas included.

use std::sync::LazyLock;

use api::areas::operations;
use api::operation::{Access, Operation};
use domain::scope::{Rights, Scope};
use reqwest::{Method, RequestBuilder};
use testkit::{Engine, Person, Site, Value, form, json, on_both_engines};

/// The operation's address with something in the place of its parameters.
fn address(operation: &Operation, filler: &str) -> String {
    let filled = operation.path.split('/').map(|part| if part.starts_with('{') { filler } else { part });
    filled.collect::<Vec<_>>().join("/")
}

fn call(person: &Person, operation: &Operation, filler: &str) -> RequestBuilder {
    let method = Method::from_bytes(operation.method.as_str().as_bytes()).unwrap();
    person.request(method, &address(operation, filler))
}

fn described(operation: &Operation) -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| api::openapi::document(operations()));
    &DOCUMENT["paths"][operation.path][operation.method.as_str().to_ascii_lowercase()]
}

on_both_engines! {
    async fn without_a_token_nothing_but_the_public_ones(site) {
        let nobody = site.visitor("");
        for operation in operations() {
            let status = nobody.send(call(&nobody, operation, "x")).await.status;
            match operation.access {
                Access::Public => assert_ne!(status, 401, "{}", operation.id),
                Access::Scope(_) => assert_eq!(status, 401, "{}", operation.id),
            }
        }
    }

    async fn every_scope_but_the_right_one_is_not_enough(site) {
        let person = site.user("all-but-one", "").await;
        for operation in operations() {
            let Access::Scope(needed) = operation.access else { continue };
            if Rights::base().contains(needed) {
                continue;
            }
            let others: Vec<&str> = Scope::all().filter(|scope| *scope != needed).map(Scope::name).collect();
            let others = others.join(" ");
            let update = "update user_account set scope = $1 where key = $2";
            site.execute(update, vec![others.as_str().into(), person.key.as_str().into()]).await;
            assert_eq!(person.get("/whoami").await.detail()["scope"], others);
            let answer = person.send(call(&person, operation, "x")).await.expect(403);
            assert_eq!(answer.body["detail"]["required_scope"], needed.name());
        }
    }

    async fn malformed_input_is_422_in_the_one_shape(site) {
        let admin = site.admin().await;
        for operation in operations() {
            let id = operation.id;
            let document = described(operation);
            let body = document["requestBody"]["content"].as_object().and_then(|content| content.keys().next().cloned());
            let with_body = |request: RequestBuilder| match body.as_deref() {
                Some(kind) => request.header("content-type", kind.to_owned()).body("%"),
                None => request,
            };
            if operation.path.contains('{') {
                let answer = admin.send(with_body(call(&admin, operation, "%20"))).await;
                assert!(answer.faults().iter().any(|fault| fault.contains(" path.")), "{id}: {}", answer.text);
            }
            if body.is_some() {
                let answer = admin.send(with_body(call(&admin, operation, "x"))).await;
                assert!(answer.faults().iter().any(|fault| fault.contains(" body")), "{id}: {}", answer.text);
                let wrong = call(&admin, operation, "x").header("content-type", "text/csv").body("a,b");
                admin.send(wrong).await.expect(415);
            }
            let parameters = document["parameters"].as_array().cloned().unwrap_or_default();
            for parameter in parameters.iter().filter(|parameter| parameter["in"] == "query") {
                let kind = parameter["schema"]["type"].to_string();
                if kind.contains("integer") || kind.contains("boolean") {
                    let name = parameter["name"].as_str().unwrap();
                    let answer = admin.send(with_body(call(&admin, operation, "x")).query(&[(name, "?")])).await;
                    let place = format!(" query.{name}");
                    assert!(answer.faults().iter().any(|fault| fault.ends_with(&place)), "{id}: {}", answer.text);
                }
            }
        }
    }
}

/// One request of every operation that changes something, each of which would succeed. A new operation needs its line here.
pub(crate) async fn deeds(site: &Site) -> Vec<(String, RequestBuilder)> {
    let admin = site.admin().await;
    let victim = site.user("victim", "operator").await;
    let session = victim.open_session().await;
    let token = admin
        .post("/api-token", json!({ "token_description": "t", "token_expiration": "2026-04-01" }))
        .await
        .body["detail"]["token_key"]
        .as_str()
        .unwrap()
        .to_owned();
    admin.post("/department", json!({ "_key": "d", "name": "D" })).await.expect(201);
    admin.post("/tag", json!({ "_key": "t", "name": "T" })).await.expect(200);
    admin.post("/field", json!({ "_key": "f", "name": "F", "type": "choice" })).await.expect(200);
    admin.post("/list/f", json!([{ "_key": "v", "value": "V" }])).await.expect(200);
    admin.post("/counter", json!({ "_key": "c", "template": ["#6"] })).await.expect(200);
    admin.put("/custom-data/k", json!({ "value": 1 })).await.expect(200);
    for key in ["work", "spare"] {
        admin.post("/operation", json!({ "_key": key, "name": key })).await.expect(200);
    }
    for key in ["routed", "target"] {
        admin.post("/product", json!({ "_key": key, "code": key })).await.expect(201);
    }
    let process = json!([{ "alias": "a", "operation_key": "work", "steps": [{ "title": "s" }] }]);
    let step =
        admin.put("/product/routed/process", process.clone()).await.expect(200).body[0]["steps"][0]["_key"].clone();
    let step = step.as_str().unwrap();
    admin.post("/product", json!({ "_key": "p", "code": "P" })).await.expect(201);
    admin.upload(Method::POST, "/product/p/doc", &[], &[("new_doc", "a.txt", b"1")]).await.expect(200);
    let picture: &[u8] = b"\x89PNG\r\n\x1a\n";
    let media = admin.upload(Method::POST, "/media/create", &[], &[("file", "a.png", picture)]).await.detail()["_key"]
        .as_str()
        .unwrap()
        .to_owned();
    let folder = [("bucket", "user"), ("object_key", victim.key.as_str())];
    admin.upload(Method::POST, "/files", &folder, &[("contents", "a.txt", b"1")]).await.expect(200);
    let step_media = format!("/step/{step}/media");
    admin.upload(Method::POST, &step_media, &[], &[("media_file", "a.png", picture)]).await.expect(200);

    let order = json!({ "product_key": "routed", "qt_planned": 1 });
    let planned = admin.post("/work-order", order.clone()).await.detail();
    let job = planned["jobs"][0]["_key"].as_str().unwrap();
    let order_key = planned["work_order"]["_key"].as_str().unwrap();
    let planned = format!("/work-order/{order_key}");
    let draft = draft(&admin, &victim).await;
    let temporary_links = format!("/batch/{}/serial-temp-links", draft["batch_key"].as_str().unwrap());
    admin
        .post("/product", json!({ "_key": "part", "code": "PART", "traceability_level": "form_only" }))
        .await
        .expect(201);
    let part = json!({ "event_type": "SERIAL_CREATED", "product_key": "part", "code": "1" });
    let part = admin.post("/event", part).await.detail()["serial_key"].clone();

    let kinds =
        [("/issue-type", "scratch"), ("/issue-type", "dent"), ("/task-type", "repair"), ("/task-type", "clean")];
    for (path, key) in kinds {
        admin.post(path, json!({ "_key": key, "name": key })).await.expect(201);
    }

    for key in ["shelf", "box"] {
        admin.post("/position", json!({ "_key": key, "code": key })).await.expect(200);
    }

    let planned_count = count(&admin, &[]).await;
    let deleted_count = count(&admin, &[]).await;
    let reviewed_count = count(&admin, &["STARTED", "COMPLETED"]).await;
    let target = json!([{ "inventory_count_session_key": planned_count, "target_key": "shelf" }]);
    admin.post("/inventory/count-assignment", target.clone()).await.expect(200);
    let assignment = admin.get("/inventory/count-assignment").await.expect(200).body[0]["_key"].clone();
    let of_count = [("count_session_key", reviewed_count.as_str()), ("import_mode", "update")];
    let counts: &[u8] = b"position_code,product_code,counted_qt\nshelf,routed,2\n";

    // An active one would have work of its own.
    let hook = json!({ "_key": "hook", "url": "https://erp.example/", "event_types": ["*"], "active": false });
    admin.post("/webhook", hook).await.expect(201);
    let new_hook = json!({ "url": "https://erp.example/", "event_types": ["*"], "active": false });

    let ask = |method: Method, path: &str| admin.request(method, path);
    let with = |method: Method, path: &str, body: Value| admin.request(method, path).json(&body);
    let upload = |method: Method, path: &str, part: &'static str| {
        ask(method, path).multipart(form(&[], &[(part, "b.png", picture)]))
    };
    let user = format!("/user/{}", victim.key);
    let own_password = json!({ "current_password": testkit::ADMIN_PASSWORD, "new_password": "another password" });
    let link = json!([{ "type": "add", "tag_key": "t", "context": "position", "context_key": "IN" }]);
    let files = json!({ "bucket": "user", "object_key": victim.key, "filenames": ["a.txt"] });
    let line = json!([{ "component_key": "target", "qt": 1 }]);
    let targets = json!({ "target_product_keys": ["target"] });
    let sign_in = [("username", "victim"), ("password", site.password())];
    let deeds = vec![
        ("sign_in", site.visitor("").request(Method::POST, "/auth").form(&sign_in)),
        ("verify_password", with(Method::POST, &format!("{user}/verify"), json!({ "password": site.password() }))),
        ("start_session", with(Method::POST, "/session", json!({ "user_key": admin.key }))),
        ("close_session", ask(Method::DELETE, &format!("/session/{session}?force=true"))),
        ("update_preferences", with(Method::PATCH, "/preferences", json!({ "theme": "light" }))),
        ("change_password", with(Method::PUT, &format!("/user/{}/password", admin.key), own_password)),
        ("create_user", with(Method::POST, "/user", json!({ "username": "new", "scope": "" }))),
        ("update_user", with(Method::PATCH, &user, json!({ "active": false }))),
        ("delete_user", ask(Method::DELETE, &user)),
        ("set_user_image", upload(Method::PUT, &format!("{user}/image"), "new_image")),
        ("delete_user_image", ask(Method::DELETE, &format!("{user}/image"))),
        ("reset_password", ask(Method::DELETE, &format!("{user}/password"))),
        ("create_department", with(Method::POST, "/department", json!({ "name": "N" }))),
        ("update_department", with(Method::PATCH, "/department/d", json!({ "name": "N" }))),
        ("delete_department", ask(Method::DELETE, "/department/d")),
        (
            "create_api_token",
            with(Method::POST, "/api-token", json!({ "token_description": "t", "token_expiration": "2026-04-01" })),
        ),
        ("revoke_api_token", ask(Method::DELETE, &format!("/api-token/{token}"))),
        ("update_config", with(Method::PATCH, "/config", json!({ "company_name": "N" }))),
        ("set_config_file", upload(Method::PUT, "/config/company_logo/file", "file")),
        ("set_custom_data", with(Method::PUT, "/custom-data/k", json!({ "value": 2 }))),
        ("delete_custom_data", ask(Method::DELETE, "/custom-data/k")),
        ("create_counter", with(Method::POST, "/counter", json!({ "template": ["#6"] }))),
        ("update_counter", with(Method::PUT, "/counter/c", json!({ "next_tick": 9 }))),
        ("delete_counter", ask(Method::DELETE, "/counter/c")),
        ("reset_production", ask(Method::DELETE, "/reset/prod")),
        ("force_delete_work_order", ask(Method::DELETE, &format!("/force-delete-work-order/{order_key}"))),
        ("reset_inventory", ask(Method::DELETE, "/reset/inventory")),
        ("create_tag", with(Method::POST, "/tag", json!({ "name": "N" }))),
        ("update_tag", with(Method::PATCH, "/tag/t", json!({ "name": "N" }))),
        ("delete_tag", ask(Method::DELETE, "/tag/t")),
        ("update_tag_connections", with(Method::POST, "/tag/update-connections", link)),
        ("create_field", with(Method::POST, "/field", json!({ "name": "N", "type": "text" }))),
        ("replace_field", with(Method::PUT, "/field/f", json!({ "_key": "f", "name": "N", "type": "choice" }))),
        ("delete_field", ask(Method::DELETE, "/field/f")),
        ("store_choice_values", with(Method::POST, "/list/f?reset=true", json!([{ "value": "N" }]))),
        ("delete_choice_values", ask(Method::DELETE, "/list/f?value_key=v")),
        ("create_product", with(Method::POST, "/product", json!({ "code": "N" }))),
        ("copy_product", with(Method::POST, "/product/copy", json!({ "original_product": "p", "new_code": "N" }))),
        (
            "import_products",
            ask(Method::POST, "/product/import").multipart(form(&[], &[("file", "a.csv", b"code\nN\n")])),
        ),
        ("update_product", with(Method::PATCH, "/product/p", json!({ "description": "N" }))),
        ("replace_product", with(Method::PUT, "/product/p", json!({ "code": "P2" }))),
        ("delete_product", ask(Method::DELETE, "/product/p")),
        ("add_product_doc", upload(Method::POST, "/product/p/doc", "new_doc")),
        ("delete_product_doc", ask(Method::DELETE, "/product/p/doc/a.txt")),
        ("set_product_image", upload(Method::PUT, "/product/p/image", "new_image")),
        ("delete_product_image", ask(Method::DELETE, "/product/p/image")),
        ("replace_bom", with(Method::PUT, "/product/routed/bom", line)),
        ("post_event", with(Method::POST, "/event", json!({ "event_type": "JOB_STARTED", "job_key": job }))),
        (
            "post_events",
            with(
                Method::POST,
                "/event/bulk",
                json!({ "shared_data": { "event_type": "JOB_STARTED" }, "events": [{ "job_key": job }] }),
            ),
        ),
        ("create_work_order", with(Method::POST, "/work-order", order)),
        ("update_work_order", with(Method::PATCH, &planned, json!({ "notes": "N" }))),
        (
            "update_work_order_quantities",
            with(Method::PATCH, &format!("{planned}/update-quantities"), json!({ "new_quantity": 2 })),
        ),
        ("delete_work_order", ask(Method::DELETE, &planned)),
        ("update_jobs", with(Method::POST, "/job/update", json!([{ "action": "close", "data": { "_key": job } }]))),
        ("replace_queue", with(Method::PUT, "/queue", json!({ "work_orders": [order_key] }))),
        (
            "replace_operator_queue",
            with(Method::PUT, &format!("/queue/operator/{}", victim.key), json!({ "independent": false })),
        ),
        ("save_batch_draft", with(Method::POST, "/batch/temp-data", draft)),
        ("replace_temporary_links", with(Method::PUT, &temporary_links, json!([{ "child_serial_key": part }]))),
        ("create_position", with(Method::POST, "/position", json!({ "code": "N" }))),
        ("update_position", with(Method::PATCH, "/position/box", json!({ "parent_position_key": "shelf" }))),
        ("delete_position", ask(Method::DELETE, "/position/box")),
        (
            "import_positions",
            ask(Method::POST, "/position-import").multipart(form(&[], &[("file", "a.csv", b"code\nN\n")])),
        ),
        (
            "create_movement_list",
            with(
                Method::POST,
                "/movement-list",
                json!({ "code": "N", "type": "receipt", "movements": [{ "product_key": "routed" }] }),
            ),
        ),
        (
            "create_count_session",
            with(Method::POST, "/inventory/count-session", json!({ "count_session": { "type": "position" } })),
        ),
        (
            "update_count_session",
            with(Method::PUT, &format!("/inventory/count-session/{planned_count}"), json!({ "notes": "N" })),
        ),
        (
            "delete_count_session",
            ask(Method::DELETE, &format!("/inventory/count-session?counting_session_key={deleted_count}")),
        ),
        ("create_count_assignments", with(Method::POST, "/inventory/count-assignment", target)),
        (
            "cancel_count_assignments",
            with(Method::DELETE, "/inventory/count-assignment", json!({ "assignment_keys": [assignment] })),
        ),
        (
            "import_count_records",
            ask(Method::POST, "/inventory/count-record/import")
                .multipart(form(&of_count, &[("file", "a.csv", counts)])),
        ),
        ("create_webhook", with(Method::POST, "/webhook", new_hook)),
        ("update_webhook", with(Method::PATCH, "/webhook/hook", json!({ "name": "N", "active": false }))),
        ("delete_webhook", ask(Method::DELETE, "/webhook/hook")),
        ("upload_files", ask(Method::POST, "/files").multipart(form(&folder, &[("contents", "a.txt", b"2")]))),
        ("delete_files", with(Method::DELETE, "/files", files)),
        ("create_media", upload(Method::POST, "/media/create", "file")),
        ("replace_media", upload(Method::PATCH, &format!("/media/{media}"), "file")),
        ("delete_media", ask(Method::DELETE, &format!("/media/{media}"))),
        ("create_issue_type", with(Method::POST, "/issue-type", json!({ "name": "N" }))),
        ("update_issue_type", with(Method::PATCH, "/issue-type/scratch", json!({ "name": "N" }))),
        ("delete_issue_type", ask(Method::DELETE, "/issue-type/dent")),
        ("create_task_type", with(Method::POST, "/task-type", json!({ "name": "N" }))),
        ("update_task_type", with(Method::PUT, "/task-type/repair", json!({ "name": "N" }))),
        ("delete_task_type", ask(Method::DELETE, "/task-type/clean")),
        ("create_operation", with(Method::POST, "/operation", json!({ "name": "N" }))),
        ("update_operation", with(Method::PATCH, "/operation/work", json!({ "name": "N" }))),
        ("delete_operation", ask(Method::DELETE, "/operation/spare")),
        ("copy_operation", with(Method::POST, "/operation/work/copy", targets.clone())),
        ("replace_process", with(Method::PUT, "/product/target/process", process)),
        ("copy_process", with(Method::POST, "/product/routed/process/copy", targets.clone())),
        ("copy_product_counter", with(Method::POST, "/product/routed/counter/copy", targets)),
        ("add_step_media", upload(Method::POST, &step_media, "media_file")),
        ("delete_step_media", ask(Method::DELETE, &format!("{step_media}/a.png"))),
    ];
    deeds.into_iter().map(|(id, request)| (id.to_owned(), request)).collect()
}

/// A counting session after these steps; its key.
async fn count(admin: &Person, steps: &[&str]) -> String {
    let body = json!({ "count_session": { "type": "position" } });
    let made = admin.post("/inventory/count-session", body).await.detail();
    let key = made["count_session_key"].as_str().unwrap().to_owned();
    for step in steps {
        let step = json!({ "event_type": format!("COUNT_SESSION_{step}"), "count_session_key": key });
        admin.post("/event", step).await.expect(200);
    }
    key
}

/// What somebody who works at a batch has entered and not confirmed.
async fn draft(admin: &Person, operator: &Person) -> Value {
    admin.post("/field", json!({ "_key": "measure", "name": "Measure", "type": "number" })).await.expect(200);
    admin.post("/product", json!({ "_key": "measured", "code": "measured" })).await.expect(201);
    let step = json!({ "title": "s", "type": "form", "form_fields": [{ "custom_field_key": "measure" }] });
    let process = json!([{ "alias": "a", "operation_key": "work", "steps": [step] }]);
    let step = admin.put("/product/measured/process", process).await.expect(200).body[0]["steps"][0].clone();
    let order = admin.post("/work-order", json!({ "product_key": "measured", "qt_planned": 1 })).await.detail();
    let begin = json!({ "event_type": "JOB_STARTED", "job_key": order["jobs"][0]["_key"] });
    let batch = operator.post("/event", begin).await.detail()["batch_data"]["_key"].clone();
    let value = json!({ "form_field_key": step["form_fields"][0]["_key"], "value": 1 });
    json!({ "batch_key": batch, "step_key": step["_key"], "form_data": [value] })
}

on_both_engines! {
    /// The entry is part of the change: when it can't be written, nothing is, whatever the operation.
    async fn no_change_without_its_audit_entry(site) {
        let empty = site.contents().await;
        let deeds = deeds(site).await;
        assert_ne!(site.contents().await, empty, "changes are seen");
        for operation in operations().iter().filter(|operation| operation.audited) {
            let id = operation.id;
            assert!(deeds.iter().any(|(deed, _)| *deed == id), "{id} has no deed");
        }
        refuse_audit(site).await;
        let (before, objects) = (site.contents().await, site.objects());
        let nobody = site.visitor("");
        let tried = deeds.len() as i64;
        for (id, request) in deeds {
            let answer = nobody.send(request).await;
            assert_eq!(answer.status, 500, "{id}: {}", answer.text);
            let after = site.contents().await;
            let changed = before.iter().zip(&after).find(|(before, after)| before != after);
            assert!(changed.is_none(), "{id} changed {changed:?}");
            assert_eq!(site.objects(), objects, "{id}");
        }
        let failed: i64 = site.look("select count(*) from audit where outcome = 'failed'", vec![]).await.unwrap();
        assert_eq!(failed, tried, "what fails is noted as well");
    }
}

/// From now on no success can be written to the audit log.
pub(crate) async fn refuse_audit(site: &Site) {
    match site.engine {
        Engine::Sqlite => {
            let trigger = "create trigger audit_away before insert on audit when new.outcome = 'ok'
                           begin select raise(abort, 'away'); end";
            site.execute(trigger, vec![]).await;
        }
        Engine::Postgres => {
            site.execute(
                "create trigger audit_away before insert on audit for each row when (new.outcome = 'ok')
                 execute function audit_only_grows()",
                vec![],
            )
            .await;
        }
    }
}
