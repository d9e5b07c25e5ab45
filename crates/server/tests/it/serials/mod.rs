//! Serials through HTTP: made, changed, linked, ended, read and searched. Batches of traced orders are tested in `traced`, and what
//! needs stock with the stock.

mod creating;
mod dhr;
mod ending;
mod evidence;
mod history;
mod linking;
mod oracle;
mod reading;
mod searching;
pub(crate) mod together;
mod updating;

use testkit::{Answer, Method, Person, Site, Value, json, on_both_engines};

use crate::production::{Order, Shop, all_at_once, event, refused, shop};

/// Texts of which nothing can be seen, though none of them is white space.
pub(crate) const UNSEEN: [&str; 5] = ["\u{200b}", "\u{3164}", "\u{2800}", "\u{feff}", "\u{e0020}"];

/// Who works with serials in these tests.
pub(crate) struct Plant {
    /// May do everything.
    pub(crate) admin: Person,
    /// May send events, and correct nothing.
    pub(crate) operator: Person,
    pub(crate) shop: Shop,
}

/// A plant with the counter `units`, whose first code is `SN-00001`.
pub(crate) async fn plant(site: &Site) -> Plant {
    let shop = shop(site).await;
    let counter = json!({ "_key": "units", "name": "Units", "template": ["sn-", "#5"] });
    shop.admin.post("/counter", counter).await.expect(200);
    Plant { admin: shop.admin.clone(), operator: shop.o1.clone(), shop }
}

impl Plant {
    /// A traced product whose key is its code.
    pub(crate) async fn product(&self, code: &str, more: Value) {
        let mut body = json!({ "_key": code, "code": code, "traceability_level": "form_only" });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.admin.post("/product", body).await.expect(201);
    }

    pub(crate) async fn products(&self, codes: &[&str]) {
        for code in codes {
            self.product(code, json!({})).await;
        }
    }

    /// Replaces the bill of materials of a product, which gets a process if it has none.
    pub(crate) async fn bom(&self, code: &str, components: &[(&str, f64)]) {
        let product = self.admin.get(&format!("/product/{code}")).await.expect(200).body;
        if product["process_phases"] == json!([]) {
            let phase = json!({ "alias": "Only", "operation_key": "work", "steps": [] });
            self.admin.put(&format!("/product/{code}/process"), json!([phase])).await.expect(200);
        }
        self.admin.put(&format!("/product/{code}/bom"), lines(components)).await.expect(200);
    }

    /// An order of a product of its own, both under this code. The product is traced only afterwards, so no job of the order makes
    /// units: tests make them by hand.
    pub(crate) async fn order(&self, code: &str, project: Option<&str>, components: &[(&str, f64)]) -> Order {
        let order = self.shop.order(code, &all_at_once(1), 4.0).await;
        let change = json!({ "new_project_code": project, "new_bom": lines(components) });
        self.admin.patch(&format!("/work-order/{}", order.key), change).await.expect(200);
        let traced = json!({ "traceability_level": "form_only" });
        self.admin.patch(&format!("/product/{code}"), traced).await.expect(200);
        order
    }

    /// Custom fields for values of serials: `colour` is text, `weight` a number, `grade` a choice of `g1` and `g2`, `passed` a
    /// boolean, `made` a date.
    pub(crate) async fn fields(&self) {
        for (key, kind) in
            [("colour", "text"), ("weight", "number"), ("grade", "choice"), ("passed", "boolean"), ("made", "date")]
        {
            self.admin.post("/field", json!({ "_key": key, "name": key, "type": kind })).await.expect(200);
        }
        let grades = json!([{ "_key": "g1", "value": "First" }, { "_key": "g2", "value": "Second" }]);
        self.admin.post("/list/grade", grades).await.expect(200);
    }

    /// Makes one released unit with this code.
    pub(crate) async fn unit(&self, product: &str, code: &str) -> String {
        let [key] = self.units(product, [code]).await;
        key
    }

    /// Makes released units with these codes, by one event.
    pub(crate) async fn units<const N: usize>(&self, product: &str, codes: [&str; N]) -> [String; N] {
        let sent = json!({ "product_key": product, "codes": codes.as_slice() });
        let made = create(&self.admin, sent).await.detail();
        let keys = each(&made["serials"], "serial_key");
        assert_eq!(keys.len(), N, "{made}");
        std::array::from_fn(|at| keys[at].clone())
    }

    /// Makes one unit as told.
    pub(crate) async fn made(&self, members: Value) -> String {
        text(&create(&self.admin, members).await.detail()["serial_key"])
    }

    pub(crate) async fn link(&self, child: &str, parent: &str) -> Answer {
        link_with(&self.admin, child, parent, json!({})).await
    }

    pub(crate) async fn scrap(&self, serial: &str) {
        let sent = json!({ "serial_key": serial, "reason": "dropped" });
        event(&self.admin, "SERIAL_SCRAPPED", sent).await.expect(200);
    }

    pub(crate) async fn delete(&self, serial: &str) {
        event(&self.admin, "SERIAL_DELETED", json!({ "serial_key": serial })).await.expect(200);
    }

    pub(crate) async fn read(&self, serial: &str) -> Value {
        self.get(&format!("/serial/{serial}")).await
    }

    pub(crate) async fn state(&self, serial: &str) -> String {
        text(&self.read(serial).await["state"])
    }

    /// The answer of a read that succeeds.
    pub(crate) async fn get(&self, path: &str) -> Value {
        self.admin.get(path).await.expect(200).body
    }

    /// The same with parameters, whatever characters they hold.
    async fn ask(&self, path: &str, query: &[(&str, &str)]) -> Answer {
        self.admin.send(self.admin.request(Method::GET, path).query(query)).await
    }

    pub(crate) async fn event(&self, detail: &Value) -> Value {
        self.get(&format!("/event/{}", detail["event_key"].as_str().unwrap())).await
    }

    /// The types of an event and of all that it led to, in the order they were stored.
    async fn group(&self, detail: &Value) -> Vec<String> {
        let group = detail["event_group"].as_str().unwrap();
        each(&self.get(&format!("/event?event_group={group}&sort_by=seq&sorting_order=asc")).await, "event_type")
    }

    /// The types of the events of a serial, oldest first.
    pub(crate) async fn told(&self, serial: &str) -> Vec<String> {
        each(&self.get(&format!("/event?serial_key={serial}&sort_by=seq&sorting_order=asc")).await, "event_type")
    }
}

async fn create(who: &Person, members: Value) -> Answer {
    event(who, "SERIAL_CREATED", members).await
}

pub(crate) async fn link_with(who: &Person, child: &str, parent: &str, members: Value) -> Answer {
    let mut sent = json!({ "child_serial_key": child, "parent_serial_key": parent });
    sent.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    event(who, "SERIAL_LINKED", sent).await
}

pub(crate) async fn unlink(who: &Person, child: &str, parent: &str, members: Value) -> Answer {
    let mut sent = json!({ "child_serial_key": child, "parent_serial_key": parent });
    sent.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    event(who, "SERIAL_UNLINKED", sent).await
}

/// What was refused by this rule of this error.
#[track_caller]
pub(crate) fn rule(answer: Answer, error_type: &str, rule: &str) -> Value {
    let detail = refused(answer, error_type);
    assert_eq!(detail["rule"], rule, "{detail}");
    detail
}

/// Refused because a member names no record.
#[track_caller]
pub(crate) fn unknown(answer: Answer, field: &str) {
    let detail = refused(answer, "RecordNotFoundError");
    assert_eq!(detail["field"], field, "{detail}");
}

/// Lines of a bill of materials.
fn lines(components: &[(&str, f64)]) -> Value {
    components.iter().map(|(key, qt)| json!({ "component_key": key, "qt": qt })).collect()
}

/// One member of all elements.
pub(crate) fn each(list: &Value, member: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|one| text(&one[member])).collect()
}

#[track_caller]
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}
