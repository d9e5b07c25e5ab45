//! The most awkward values that are accepted, in every member of every operation, and everything read back: by lists and single
//! records, in the audit log, the feed, exports, a backup and its restored site on the other engine.

mod ladder;
mod reading;

use api::areas::operations;
use reqwest::RequestBuilder;
use testkit::engine::{Engine, Place};
use testkit::{Method, Person, Value, json, on_both_engines};

use crate::backup::{back_up, content, restore};
use crate::production::{Shop, event};
use crate::sweep::deeds;
use ladder::Ladder;
use reading::{TABLE, as_read, readable};

/// So many refusals lead to an accepted body, or the ladder is broken.
const STEPS: usize = 100;

/// Sends the worst body that is accepted, and tells how awkward it was, or why none is.
async fn worst(
    admin: &Person,
    document: &Value,
    method: Method,
    path: &str,
    operation: &Value,
    base: Value,
) -> Result<Taken, String> {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let mut ladder = Ladder::new(document, schema, base);
    for _ in 0..STEPS {
        let sent = ladder.body();
        let answer = admin.send(admin.request(method.clone(), path).json(&sent)).await;
        assert!(answer.status < 500, "{method} {path}: {} for {sent}", answer.text);
        if answer.status < 300 {
            let (worst, deepest) = ladder.worst();
            return Ok(Taken { worst, deepest });
        }
        if !ladder.step_down(&answer) {
            return Err(format!("{method} {path}: {} for {sent}", answer.text));
        }
    }
    panic!("{method} {path} goes on refusing: {}", ladder.body());
}

#[derive(Debug)]
struct Taken {
    /// Members with the worst value that their schema allows.
    worst: usize,
    /// Free members with a value as deep as a body can be.
    deepest: usize,
}

/// What the deeds before leave no room for.
const NOT_AGAIN: [&str; 2] = ["post_events", "update_jobs"];

/// The worst of every operation that takes JSON.
async fn store_the_worst(admin: &Person, deeds: Vec<(String, RequestBuilder)>) {
    let document = api::openapi::document(operations());
    let (mut taken, mut refused) = (Vec::new(), Vec::new());
    for (id, request) in deeds {
        let request = request.build().unwrap();
        let is_json = request.headers().get("content-type").is_some_and(|kind| kind == "application/json");
        if !is_json || *request.method() == Method::DELETE {
            continue;
        }
        let operation = operations().iter().find(|operation| operation.id == id).unwrap();
        let described = &document["paths"][operation.path][request.method().as_str().to_ascii_lowercase()];
        let base: Value = serde_json::from_slice(request.body().unwrap().as_bytes().unwrap()).unwrap();
        let query = request.url().query().map(|query| format!("?{query}")).unwrap_or_default();
        let path = format!("{}{query}", request.url().path().strip_prefix("/api").unwrap());
        match worst(admin, &document, request.method().clone(), &path, described, base).await {
            Ok(outcome) => taken.push((id, outcome)),
            Err(refusal) => refused.push((id, refusal)),
        }
    }
    let names: Vec<&str> = refused.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(names, NOT_AGAIN, "not even what is plain is accepted: {refused:#?}");
    let of = |wanted: &str| &taken.iter().find(|(id, _)| id == wanted).unwrap().1;
    for id in ["update_preferences", "update_config", "set_custom_data", "create_work_order", "create_user"] {
        assert!(of(id).deepest > 0, "{id} takes what is deepest: {taken:?}");
    }
    assert!(taken.iter().map(|(_, outcome)| outcome.worst).sum::<usize>() > 60, "{taken:?}");
}

/// The same of events of every kind of content.
async fn post_the_worst(worker: &Person) {
    let everybody = || worker.clone();
    let shop = Shop { admin: everybody(), o1: everybody(), o2: everybody(), supervisor: everybody() };
    let document = api::openapi::document(operations());
    let described = &document["paths"]["/event"]["post"];
    worker.post("/field", json!({ "_key": "remark", "name": "Remark", "type": "text" })).await.expect(200);
    let step = json!({ "title": "s", "type": "form", "form_fields": [{ "custom_field_key": "remark" }] });
    let order = shop.order("awkward", &[json!({ "production_batch_qt": 2, "steps": [step] })], 3.0).await;
    let job = &order.jobs[0];
    let started = event(worker, "JOB_STARTED", json!({ "job_key": job })).await.detail();
    let step = &worker.get(&format!("/job/{job}")).await.detail()["step_sequence"][0];
    let value = json!({ "form_field_key": step["form_fields"][0]["_key"], "value": "x" });
    let batch = &started["batch_data"]["_key"];
    let posted = [
        json!({ "event_type": "STEP_COMPLETED", "batch_key": batch, "step_key": step["_key"], "form_data": [value] }),
        json!({ "event_type": "JOB_PAUSED", "job_key": job }),
        json!({ "event_type": "JOB_RESUMED", "job_key": job }),
        json!({ "event_type": "BATCH_COMPLETED", "active_batch_key": batch, "completed_batch_qt": 2 }),
        json!({ "event_type": "WORK_ORDER_UPDATED", "work_order_key": order.key, "notes": "n" }),
        json!({ "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job", "entity_key": job, "extra_data": {} }),
    ];
    for base in posted {
        let kind = base["event_type"].clone();
        let outcome = worst(worker, &document, Method::POST, "/event", described, base).await.unwrap();
        assert!(outcome.worst > 0, "{kind}: {outcome:?}");
    }
}

on_both_engines! {
    async fn what_is_accepted_can_be_read_sealed_exported_and_restored(site) {
        let deeds = deeds(site).await;
        let admin = site.admin().await;
        store_the_worst(&admin, deeds).await;
        post_the_worst(&site.user("worker", "admin operator production library quality").await).await;

        site.sealed().await;
        let verified = admin.get("/event/verify").await.detail();
        assert_eq!(verified["ok"], true, "{verified}");
        let table = admin.get(TABLE).await.expect(200);
        let tried = admin.upload(Method::POST, "/product/import", &[], &[("file", "a.csv", table.text.as_bytes())]).await;
        assert_eq!(tried.body["status"], "valid", "{}", tried.text);
        let read = readable(&admin).await;

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("awkward.tar");
        let other = match site.engine {
            Engine::Sqlite => Place::new(Engine::Postgres).await,
            Engine::Postgres => Place::new(Engine::Sqlite).await,
        };
        back_up(&site.place, &file);
        restore(&other, &file);
        let again = folder.path().join("again.tar");
        back_up(&other, &again);
        assert!(content(&file) == content(&again), "the restored site is the same");
        let node = tracewright::start(&other.settings(), site.clock.clone()).await.unwrap();
        let there = admin.at(&format!("http://{}", node.address));
        assert_eq!(there.get("/event/verify").await.detail()["ok"], true);
        for (path, text) in &read {
            let restored = there.get(path).await;
            assert_eq!(as_read(&restored), *text, "{path} on the restored site");
        }
        node.stop().await;
        other.remove().await;
    }
}
