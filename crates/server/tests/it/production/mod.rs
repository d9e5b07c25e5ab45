//! Jobs at work: events through HTTP, and what is stored of them.

mod behalf;
pub(crate) mod books;
mod bulk;
mod corrections;
mod overrides;
mod posting;
pub(crate) mod random;
mod scenarios;
mod steps;
mod together;

use domain::Timestamp;
use testkit::{Answer, Method, Person, Site, Value, json, on_both_engines};

/// Who works in these tests.
pub(crate) struct Shop {
    pub(crate) admin: Person,
    pub(crate) o1: Person,
    pub(crate) o2: Person,
    pub(crate) supervisor: Person,
}

/// An order with its jobs, one per phase.
pub(crate) struct Order {
    pub(crate) key: String,
    pub(crate) jobs: Vec<String>,
}

pub(crate) async fn shop(site: &Site) -> Shop {
    let admin = site.admin().await;
    admin.post("/operation", json!({ "_key": "work", "name": "Work" })).await.expect(200);
    Shop {
        admin,
        o1: site.user("o1", "operator").await,
        o2: site.user("o2", "operator").await,
        supervisor: site.user("s", "production operator").await,
    }
}

/// The parameters of phases of batch size 0.
pub(crate) fn all_at_once(phases: usize) -> Vec<Value> {
    vec![json!({ "production_batch_qt": 0 }); phases]
}

impl Shop {
    /// An order of a product of its own, with a phase for each set of parameters.
    pub(crate) async fn order(&self, code: &str, phases: &[Value], quantity: f64) -> Order {
        self.order_of(code, json!({}), phases, quantity).await
    }

    /// The same, of a product with these members.
    pub(crate) async fn order_of(&self, code: &str, members: Value, phases: &[Value], quantity: f64) -> Order {
        let mut product = json!({ "_key": code, "code": code });
        product.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        let steps = json!([]);
        let phases = phases.iter().enumerate().map(|(place, params)| {
            let steps = params.get("steps").unwrap_or(&steps);
            let mut params = params.clone();
            params.as_object_mut().unwrap().remove("steps");
            json!({ "alias": format!("Phase {place}"), "operation_key": "work", "params": params, "steps": steps })
        });
        self.admin.post("/product", product).await.expect(201);
        self.admin.put(&format!("/product/{code}/process"), phases.collect()).await.expect(200);
        let order = json!({ "product_key": code, "wo_code": code, "qt_planned": quantity });
        let made = self.admin.post("/work-order", order).await.detail();
        let jobs = made["jobs"].as_array().unwrap().iter();
        let jobs = jobs.map(|job| job["_key"].as_str().unwrap().to_owned()).collect();
        Order { key: made["work_order"]["_key"].as_str().unwrap().to_owned(), jobs }
    }

    pub(crate) async fn read(&self, order: &Order) -> Value {
        self.admin.get(&format!("/work-order/{}", order.key)).await.detail()
    }

    /// Milliseconds worked at a job.
    async fn time(&self, job: &str) -> Value {
        self.admin.get(&format!("/job/{job}/time")).await.detail()
    }

    /// What lies free in front of a job and behind it.
    pub(crate) async fn free(&self, job: &str) -> Value {
        let wip = self.admin.get(&format!("/wip?job_key={job}")).await.expect(200).body;
        json!([wip["free_wip_qt_upstream"], wip["free_wip_qt_downstream"]])
    }

    pub(crate) async fn job(&self, order: &Order, place: usize) -> Value {
        self.read(order).await["jobs"][place].clone()
    }

    /// Begins a job and completes all of its batch.
    pub(crate) async fn make(&self, who: &Person, job: &str) -> Value {
        let started = event(who, "JOB_STARTED", json!({ "job_key": job })).await.detail();
        complete(who, &started["batch_data"], json!({})).await.detail()
    }
}

pub(crate) async fn event(who: &Person, event_type: &str, members: Value) -> Answer {
    let mut body = json!({ "event_type": event_type });
    body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    who.post("/event", body).await
}

/// Completes a batch: all of it passes unless told otherwise.
pub(crate) async fn complete(who: &Person, batch: &Value, members: Value) -> Answer {
    let mut body = json!({ "active_batch_key": batch["_key"], "completed_batch_qt": batch["qt_total"] });
    body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    event(who, "BATCH_COMPLETED", body).await
}

#[track_caller]
pub(crate) fn refused(answer: Answer, error_type: &str) -> Value {
    let answer = answer.expect(422);
    assert_eq!(answer.body["detail"]["error_type"], error_type, "{}", answer.text);
    answer.body["detail"].clone()
}

/// What of the job is compared most.
pub(crate) fn state(job: &Value) -> Value {
    json!([job["stage"], job["active"], job["qt_completed"], job["qt_scrap"], job["close_reason"]])
}

/// So many seconds from a moment.
pub(crate) fn later(from: Timestamp, seconds: i64) -> Value {
    json!(from.plus_seconds(seconds))
}

/// What an event led to, as the names of its children.
pub(crate) async fn children(admin: &Person, detail: &Value) -> Vec<String> {
    let event = admin.get(&format!("/event/{}", detail["event_key"].as_str().unwrap())).await.expect(200).body;
    let children = event["children"].as_array().unwrap().iter();
    children.map(|child| child["event_type"].as_str().unwrap().to_owned()).collect()
}
