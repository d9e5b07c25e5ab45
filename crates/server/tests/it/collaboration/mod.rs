//! Collaboration through HTTP: issues, messages and tasks, with their types.

mod attachments;
mod behalf;
mod costs;
mod critical;
mod evidence;
mod issue_list;
mod issue_types;
mod issues;
mod messages;
mod oracle;
mod privacy;
mod random;
mod resets;
mod rights;
mod task_fields;
mod task_links;
mod task_list;
mod task_time;
mod task_types;
mod tasks;
mod together;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use testkit::{Answer, Method, Person, Site, Value, json};

use crate::production::{Order, Shop, all_at_once, event, refused, shop};
use crate::serials::{each, rule, text};

const ISSUE_TYPES: &str = "/issue-type";
const TASK_TYPES: &str = "/task-type";
/// A key that the service could have made, and that no record has.
const NOBODY: &str = "0000000000001";

/// Who works together in these tests.
struct Team {
    /// May do everything.
    admin: Person,
    /// These send events, and may do little else.
    ann: Person,
    ben: Person,
    cat: Person,
    shop: Shop,
}

async fn team(site: &Site) -> Team {
    let shop = shop(site).await;
    let cat = site.user("cat", "operator").await;
    Team { admin: shop.admin.clone(), ann: shop.o1.clone(), ben: shop.o2.clone(), cat, shop }
}

impl Team {
    /// Custom fields: `note` is text, `weight` a number, `ticked` a boolean, `passed` a ternary, `grade` a choice of `g1` and `g2`,
    /// `day` a date, `photo` files.
    async fn fields(&self) {
        for (key, kind) in [
            ("note", "text"),
            ("weight", "number"),
            ("ticked", "boolean"),
            ("passed", "ternary"),
            ("grade", "choice"),
            ("day", "date"),
            ("photo", "files"),
        ] {
            self.admin.post("/field", json!({ "_key": key, "name": key, "type": kind })).await.expect(200);
        }
        let grades = json!([{ "_key": "g1", "value": "First" }, { "_key": "g2", "value": "Second" }]);
        self.admin.post("/list/grade", grades).await.expect(200);
    }

    async fn issue_type(&self, name: &str, members: Value) -> String {
        let made = self.admin.post(ISSUE_TYPES, with(json!({ "name": name }), members)).await.expect(201);
        text(&made.detail()["_key"])
    }

    async fn task_type(&self, name: &str, members: Value) -> String {
        let made = self.admin.post(TASK_TYPES, with(json!({ "name": name }), members)).await.expect(201);
        text(&made.detail()["_key"])
    }

    /// A type whose tasks are linked to any number of records of every kind.
    async fn linking_type(&self, name: &str) -> String {
        let settings = LINKS.map(|kind| json!({ "type": kind, "enabled": true, "allow_multiple": true }));
        self.task_type(name, json!({ "link_settings": settings })).await
    }

    /// An issue by `ann`; its key.
    async fn issue(&self, data: Value) -> String {
        text(&issue(&self.ann, "CREATED", data).await.detail()["issue_key"])
    }

    /// A task by `ann`; its key.
    async fn task(&self, kind: &str, members: Value) -> String {
        text(&create(&self.ann, kind, members).await.detail()["task_key"])
    }

    /// A task in a status.
    async fn task_in(&self, kind: &str, status: &str) -> String {
        let key = self.task(kind, json!({ "title": status })).await;
        let step = match status {
            "pending" => "SUSPENDED",
            "completed" => "COMPLETED",
            "canceled" => "CANCELED",
            _ => return key,
        };
        task(&self.ann, step, &key, json!({})).await.expect(200);
        key
    }

    async fn read_issue(&self, key: &str) -> Value {
        self.get(&format!("/issue/{key}")).await
    }

    async fn read_task(&self, key: &str) -> Value {
        self.get(&format!("/task/{key}")).await
    }

    /// An order of a product of its own, both under this code, with one job.
    async fn order(&self, code: &str) -> Order {
        self.shop.order(code, &all_at_once(1), 4.0).await
    }

    /// A traced product whose key is its code.
    async fn traced(&self, code: &str) {
        let product = json!({ "_key": code, "code": code, "traceability_level": "form_only" });
        self.admin.post("/product", product).await.expect(201);
    }

    /// A unit of a traced product, released unless the members say otherwise.
    async fn unit(&self, product: &str, code: &str, members: Value) -> String {
        let sent = with(json!({ "product_key": product, "code": code }), members);
        text(&event(&self.admin, "SERIAL_CREATED", sent).await.detail()["serial_key"])
    }

    /// The answer of a read that succeeds.
    async fn get(&self, path: &str) -> Value {
        self.admin.get(path).await.expect(200).body
    }

    /// The same with parameters, whatever characters they hold.
    async fn ask(&self, path: &str, query: &[(&str, &str)]) -> Answer {
        self.admin.send(self.admin.request(Method::GET, path).query(query)).await
    }

    /// The titles that a list gives, sorted; of what has none, `-`.
    async fn titles(&self, path: &str, query: &[(&str, &str)]) -> Vec<String> {
        let mut titles = self.listed(path, query).await;
        titles.sort_unstable();
        titles
    }

    /// The titles that a list gives, in its order.
    async fn listed(&self, path: &str, query: &[(&str, &str)]) -> Vec<String> {
        let rows = self.ask(path, query).await.expect(200).body;
        rows.as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap_or("-").to_owned()).collect()
    }

    /// The stored event of an answer.
    async fn stored(&self, detail: &Value) -> Value {
        self.get(&format!("/event/{}", text(&detail["event_key"]))).await
    }
}

/// What tasks can be linked to.
const LINKS: [&str; 5] = ["issue", "work_order", "product", "serial", "task"];

/// Sends an event of an issue.
async fn issue(who: &Person, step: &str, data: Value) -> Answer {
    event(who, &format!("ISSUE_{step}"), json!({ "issue_data": data })).await
}

/// The same of an issue that exists.
async fn issue_step(who: &Person, step: &str, key: &str, data: Value) -> Answer {
    issue(who, step, with(json!({ "_key": key }), data)).await
}

async fn create(who: &Person, kind: &str, members: Value) -> Answer {
    event(who, "TASK_CREATED", with(json!({ "task_type_key": kind }), members)).await
}

/// Sends an event of a task that exists.
async fn task(who: &Person, step: &str, key: &str, members: Value) -> Answer {
    event(who, &format!("TASK_{step}"), with(json!({ "task_key": key }), members)).await
}

/// Links a task to a record, or takes the link away.
async fn task_link(who: &Person, step: &str, key: &str, kind: &str, record: &str) -> Answer {
    task(who, step, key, json!({ "link_type": kind, "link_key": record })).await
}

async fn say(who: &Person, recipient: &str, content: &str) -> Answer {
    event(who, "MESSAGE_POSTED", json!({ "recipient": recipient, "content": content })).await
}

/// The same, which has to succeed; the message's key.
async fn said(who: &Person, recipient: &str, content: &str) -> String {
    text(&say(who, recipient, content).await.detail()["message_key"])
}

/// What an issue is linked to.
fn link(kind: &str, key: &str) -> Value {
    json!({ "type": kind, "key": key })
}

/// The values of form fields, as events take them.
fn values(entries: &[(&str, Value)]) -> Value {
    entries.iter().map(|(field, value)| json!({ "form_field_key": field, "value": value })).collect()
}

fn with(mut members: Value, more: Value) -> Value {
    members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    members
}

/// Filters on the values of custom fields, plain and encoded.
fn filters(operator: &str, filters: &[(&str, Value)]) -> [String; 2] {
    let filters: Vec<Value> = filters.iter().map(|(key, value)| json!({ "_key": key, "value": value })).collect();
    let plain = json!({ "operator": operator, "filters": filters }).to_string();
    let encoded = STANDARD.encode(&plain);
    [plain, encoded]
}

/// Checks that no record has this key, which the event names.
#[track_caller]
fn nobody(answer: Answer, key: &str) {
    let told = refused(answer, "RecordNotFoundError");
    assert_eq!(told["key"], key, "{told}");
}

/// Checks that the status of a task does not allow it.
#[track_caller]
fn wrong_status(answer: Answer, status: &str) {
    let told = refused(answer, "TaskStatusError");
    assert_eq!(told["status"], status, "{told}");
}

/// Checks that a member of what was sent has a fault.
#[track_caller]
fn faulty(answer: Answer, place: &str) {
    let faults = answer.faults();
    assert!(faults.iter().any(|fault| fault.ends_with(&format!(" {place}"))), "{place}: {faults:?}");
}

/// The rules by which values were refused, in the order of the values.
#[track_caller]
fn bad_values(answer: Answer) -> Vec<String> {
    each(&refused(answer, "FormFieldValueError")["fields"], "rule")
}

/// Checks that a right is missing.
#[track_caller]
fn lacks(answer: Answer, scope: &str) {
    assert_eq!(answer.expect(403).body["detail"]["required_scope"], scope);
}

/// Every order and job is critical exactly while an open critical issue is linked to it, and shows as many issues as there are.
async fn critical_is_true(team: &Team) {
    let issues = team.get("/issue?limit=10000").await;
    let issues = issues.as_array().unwrap();
    for order in team.admin.get("/work-order?limit=10000").await.detail().as_array().unwrap() {
        let linked = linked_to(issues, "work_order", &order["_key"]);
        assert_eq!(order["critical"], linked.iter().any(|issue| is_pressing(issue)), "{order}");
        assert_eq!(order["issue_count"], linked.len(), "{order}");
    }
    for job in team.admin.get("/job?limit=10000").await.detail().as_array().unwrap() {
        let linked = linked_to(issues, "job", &job["_key"]);
        assert_eq!(job["critical"], linked.iter().any(|issue| is_pressing(issue)), "{job}");
        let open = linked.iter().filter(|issue| issue["open"] == true).count();
        assert_eq!((&job["issues_total"], &job["issues_open"]), (&json!(linked.len()), &json!(open)), "{job}");
    }
}

fn linked_to<'a>(issues: &'a [Value], kind: &str, key: &Value) -> Vec<&'a Value> {
    let is_link = |link: &Value| link["type"] == kind && link["key"] == *key;
    issues.iter().filter(|issue| issue["linked_to"].as_array().unwrap().iter().any(is_link)).collect()
}

fn is_pressing(issue: &Value) -> bool {
    issue["open"] == true && issue["critical"] == true
}
