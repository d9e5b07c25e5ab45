//! Everything that can be read, by addresses that lists give.

use std::collections::BTreeMap;

use api::areas::operations;
use testkit::{Answer, Method, Person, Value};

/// The records that addresses name, by the name of the parameter.
type Keys = BTreeMap<String, Vec<String>>;

/// What single records are found by, besides lists of their own name.
const ALSO: [(&str, &str); 5] = [
    ("product_key_or_code", "product_key"),
    ("session_key", "inventory_count_session_key"),
    ("operator_key", "user_key"),
    ("site_key", "site"),
    ("key", "custom_data_key"),
];
/// Lists that need a record, with the beginning of their query and what its key is found by.
const ABOUT: [(&str, &str, &str); 10] = [
    ("/work-session", "job_key=", "job_key"),
    ("/wip", "job_key=", "job_key"),
    ("/list", "field_key=", "field_key"),
    ("/files", "bucket=user&object_key=", "user_key"),
    ("/serial-code", "serial_code=", "product_key"),
    ("/serial-code/verify-free", "serial_code=", "product_key"),
    ("/serial-hierarchy", "serial_key=", "serial_key"),
    ("/trace/recall", "serial_key=", "serial_key"),
    ("/inventory/count-position-status", "parent_key=IN&session_key=", "inventory_count_session_key"),
    ("/message", "recipient_id=User/", "user_key"),
];
/// A sheet can't hold the longest texts of a product, and says so.
const LONGEST_TEXTS: &str = "/product/export?format=xlsx";
pub(super) const TABLE: &str = "/product/export?format=csv";

/// Reads every address that a `GET` has, with every record there is, and gives what was read.
pub(super) async fn readable(person: &Person) -> Vec<(String, String)> {
    let mut read = Vec::new();
    let mut keys = Keys::from([("site".to_owned(), vec!["0".to_owned()])]);
    let gets: Vec<_> = operations().iter().filter(|operation| operation.method == Method::GET).collect();
    for get in gets.iter().filter(|get| !get.path.contains('{') && ABOUT.iter().all(|about| about.0 != get.path)) {
        let answer = person.get(get.path).await;
        assert_eq!(answer.status, 200, "{}: {}", get.path, answer.text);
        let list = answer.body.as_array().or(answer.body["detail"].as_array());
        let found: Vec<String> = list.into_iter().flatten().filter_map(|record| text(&record["_key"])).collect();
        let name = get.path.trim_start_matches('/').replace(['-', '/'], "_");
        keys.insert(format!("{name}_key"), found);
        if get.path == "/inventory/count-session" {
            let snapshots = list.into_iter().flatten().filter_map(|session| text(&session["baseline_snapshot_key"]));
            keys.insert("snapshot_key".to_owned(), snapshots.collect());
        }
        if !get.path.ends_with("/export") {
            read.push((get.path.to_owned(), as_read(&answer)));
        }
    }
    person.get(LONGEST_TEXTS).await.expect(400);
    let mut paths = vec![TABLE.to_owned()];
    for (path, parameter, name) in ABOUT {
        paths.extend(keys[name].iter().map(|key| format!("{path}?{parameter}{key}")));
    }
    for get in gets.iter().filter(|get| get.path.contains('{')) {
        let (before, rest) = get.path.split_once('{').unwrap();
        let (name, after) = rest.split_once('}').unwrap();
        let name = ALSO.iter().find(|also| also.0 == name).map_or(name, |also| also.1);
        let known = keys.get(name).cloned().unwrap_or_default();
        paths.extend(known.iter().map(|key| format!("{before}{key}{after}")));
    }
    for path in paths {
        let answer = person.get(&path).await;
        // Of some records, such as those of products without a bill of materials, there is nothing to show.
        assert!([200, 401, 404, 422].contains(&answer.status), "{path}: {}", answer.text);
        // A history record says when it was made.
        if !path.ends_with("/dhr") {
            read.push((path, as_read(&answer)));
        }
    }
    assert!(read.len() > 100, "there is much to read: {}", read.len());
    read
}

/// What must be the same on a restored site.
pub(super) fn as_read(answer: &Answer) -> String {
    format!("{} {}", answer.status, answer.text)
}

fn text(key: &Value) -> Option<String> {
    key.as_str().map(str::to_owned)
}
