//! JSON that would exhaust the parser's stack, or that the parser would interpret, at every operation there is.

use api::areas::operations;
use api::operation::Operation;
use reqwest::RequestBuilder;
use testkit::{Method, Person, Value, form, json, on_both_engines};

use super::{address, is_sound};

const RAW_VALUE: &str = "$serde_json::private::RawValue";

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

/// Objects that hold their content as a text, which the parser would read again with all its depth.
fn tower(floors: usize) -> String {
    (0..floors).fold(nested(100), |inner, _| format!("{{{}:{}}}", json!(RAW_VALUE), json!(inner)))
}

/// Bodies that must not be read, and the fault that each has.
fn hostile() -> Vec<(String, &'static str)> {
    vec![
        (nested(65), "json_too_deep"),
        (format!("{{\"a\":{}}}", nested(64)), "json_too_deep"),
        ("[".repeat(15_000), "json_too_deep"),
        (tower(5), "json_private_name"),
        (r#"{"a":[{"$serde_json::private::Number":"1"}]}"#.to_owned(), "json_private_name"),
        (r#"{"\u0024serde_json::private::RawValue":"["}"#.to_owned(), "json_private_name"),
    ]
}

fn call(person: &Person, operation: &Operation) -> RequestBuilder {
    person.request(Method::from_bytes(operation.method.as_str().as_bytes()).unwrap(), &address(operation))
}

on_both_engines! {
    async fn no_body_of_any_operation_reaches_the_parser_unmeasured(site) {
        let admin = site.admin().await;
        let document = api::openapi::document(operations());
        let (mut bodies, mut forms) = (0, 0);
        for operation in operations() {
            let described = &document["paths"][operation.path][operation.method.as_str().to_ascii_lowercase()];
            let kinds = described["requestBody"]["content"].as_object().cloned().unwrap_or_default();
            for (body, fault) in hostile() {
                if kinds.contains_key("application/json") {
                    let request = call(&admin, operation).header("content-type", "application/json").body(body.clone());
                    let answer = admin.send(request).await;
                    let expected = format!("{fault} body");
                    assert!(answer.faults().contains(&expected), "{}: {}", operation.id, answer.text);
                    bodies += 1;
                }
                for kind in ["multipart/form-data", "application/x-www-form-urlencoded"] {
                    let Some(schema) = kinds.get(kind).map(|content| &content["schema"]) else { continue };
                    let schema = match schema["$ref"].as_str() {
                        Some(name) => &document["components"]["schemas"][name.rsplit('/').next().unwrap()],
                        None => schema,
                    };
                    for name in schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()) {
                        let name: &'static str = name.leak();
                        let request = match kind {
                            "multipart/form-data" => call(&admin, operation).multipart(form(&[(name, &body)], &[])),
                            _ => call(&admin, operation).form(&[(name, &body)]),
                        };
                        // A text is a text, whatever it says.
                        let status = admin.send(request).await.status;
                        assert!(status < 500, "{} {name}: {status}", operation.id);
                        forms += 1;
                    }
                }
            }
        }
        assert!(bodies > 100 && forms > 100, "the sweep found {bodies} bodies and {forms} fields");
        is_sound(site, &admin).await;
    }

    async fn no_parameter_reaches_the_parser(site) {
        let admin = site.admin().await;
        let document = api::openapi::document(operations());
        for operation in operations().iter().filter(|operation| operation.method == "GET") {
            let described = &document["paths"][operation.path]["get"];
            for parameter in described["parameters"].as_array().into_iter().flatten().filter(|one| one["in"] == "query") {
                for text in [tower(3), nested(3_000)] {
                    let request = call(&admin, operation).query(&[(parameter["name"].as_str().unwrap(), text)]);
                    let answer = admin.send(request).await;
                    assert!(answer.status < 500, "{} {parameter}: {}", operation.id, answer.text);
                }
            }
        }
        is_sound(site, &admin).await;
    }

    async fn a_form_tells_what_speaks_against_its_json(site) {
        let admin = site.admin().await;
        let metadata = format!("[{{\"custom_field_key\":\"f\",\"value\":{}}}]", nested(63));
        for (text, fault) in [(metadata, "json_too_deep body.metadata"), (tower(2), "json_private_name body.metadata")] {
            let answer = admin.upload(Method::POST, "/product", &[("code", "P"), ("metadata", &text)], &[]).await;
            assert_eq!(answer.faults(), [fault]);
        }
        let table = format!("code,meta:f\nP,\"{}\"\n", nested(70));
        admin.post("/field", json!({ "_key": "f", "name": "F", "type": "files" })).await.expect(200);
        let request = admin.request(Method::POST, "/product/import").header("accept", "application/json");
        let answer = admin.send(request.multipart(form(&[], &[("file", "a.csv", table.as_bytes())]))).await;
        assert_eq!(answer.body["errors"][0]["column"], "meta:f", "{}", answer.text);
    }

    async fn rows_of_a_bulk_are_measured(site) {
        let admin = site.admin().await;
        for (row, fault) in hostile() {
            let body = format!("{{\"shared_data\":{{\"event_type\":\"JOB_STARTED\"}},\"events\":[{{\"job_key\":{row}}}]}}");
            let request = admin.request(Method::POST, "/event/bulk").header("content-type", "application/json");
            assert_eq!(admin.send(request.body(body)).await.faults(), [format!("{fault} body")]);
        }
    }

    async fn whatever_was_accepted_is_read_again(site) {
        let admin = site.admin().await;
        // One level for the body, and what operations put around it.
        let deep: Value = serde_json::from_str(&nested(63)).unwrap();
        let inner: Value = serde_json::from_str(&nested(62)).unwrap();
        admin.patch("/preferences", json!({ "mine": deep })).await.expect(200);
        admin.patch("/config", json!({ "own": deep })).await.expect(200);
        let put = admin.request(Method::PUT, "/custom-data/k").header("idempotency-key", "k").json(&json!({ "value": deep }));
        admin.send(put.try_clone().unwrap()).await.expect(200);
        admin.send(put).await.expect(200);
        admin.post("/operation", json!({ "_key": "work", "name": "Work" })).await.expect(200);
        admin.post("/product", json!({ "_key": "p", "code": "P" })).await.expect(201);
        admin.put("/product/p/process", json!([{ "alias": "a", "operation_key": "work", "steps": [] }])).await.expect(200);
        let order = json!({ "product_key": "p", "qt_planned": 1, "extra": { "x": inner } });
        let made = admin.post("/work-order", order).await.detail();
        let order = made["work_order"]["_key"].as_str().unwrap();
        assert_eq!(admin.get("/custom-data/k").await.expect(200).body["value"], deep);
        assert_eq!(admin.get("/config").await.detail()["own"], deep);
        assert_eq!(admin.get(&format!("/user/{}", admin.key)).await.detail()["preferences"]["mine"], deep);
        assert_eq!(admin.get(&format!("/work-order/{order}")).await.detail()["extra"]["x"], inner);
        assert!(admin.get("/event").await.expect(200).text.contains(&nested(62)), "the journal tells it");
        is_sound(site, &admin).await;
        admin.delete("/reset/prod").await.expect(200);
        is_sound(site, &admin).await;
    }
}
