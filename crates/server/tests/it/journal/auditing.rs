//! Somebody who knows the rules and trusts nobody: computes the chain from what the service shows, by code of his own.

use sha2::{Digest, Sha256};
use testkit::journal::{append, event};
use testkit::{Person, Value, json, on_both_engines};

/// A number as one would write it on paper.
fn plain(number: &str) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |number| ("-", number));
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (mut whole, mut fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole.to_owned(), fraction.to_owned()),
        None => (mantissa.to_owned(), String::new()),
    };
    let exponent: i32 = exponent.parse().unwrap();
    for _ in 0..exponent {
        whole.push(if fraction.is_empty() { '0' } else { fraction.remove(0) });
    }
    for _ in exponent..0 {
        fraction.insert(0, whole.pop().unwrap_or('0'));
    }
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    match (whole, fraction) {
        ("0", "") => "0".to_owned(),
        (whole, "") => format!("{sign}{whole}"),
        (whole, fraction) => format!("{sign}{whole}.{fraction}"),
    }
}

fn text(value: &str) -> String {
    let escaped = value.chars().map(|char| match char {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        char if u32::from(char) < 0x20 => format!("\\u{:04x}", u32::from(char)),
        char => char.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().filter(|(_, member)| !member.is_null()).collect();
            members.sort_by_key(|(name, _)| name.chars().collect::<Vec<_>>());
            let members: Vec<String> =
                members.into_iter().map(|(name, member)| format!("{}:{}", text(name), canonical(member))).collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(members) => format!("[{}]", members.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::String(value) => text(value),
        Value::Number(number) => plain(number.as_str()),
        other => other.to_string(),
    }
}

fn without(mut value: Value, names: &[&str]) -> Value {
    value.as_object_mut().unwrap().retain(|name, _| !names.contains(&name.as_str()));
    value
}

/// The hash of a chain whose events are all there.
async fn audit(person: &Person) -> String {
    let added = ["_id", "_rev", "context_code", "context_name", "context_icon"];
    let events = person.get("/event?sort_by=seq&sorting_order=asc&limit=10000").await.expect(200).body;
    let mut events = events.as_array().unwrap().iter().map(|event| without(event.clone(), &added)).peekable();
    let mut hash = vec![0; 32];
    for seal in person.get("/event/seal").await.expect(200).body.as_array().unwrap() {
        let mut content = hash;
        content.extend(canonical(&without(seal.clone(), &["prev_hash", "hash"])).into_bytes());
        while let Some(event) = events.next_if(|event| event["seq"].as_i64() <= seal["last_seq"].as_i64()) {
            content.extend(event["seq"].as_u64().unwrap().to_be_bytes());
            content.extend(Sha256::digest(canonical(&event)));
        }
        hash = Sha256::digest(content).to_vec();
    }
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

on_both_engines! {
    async fn an_auditor_comes_to_the_same_hashes(site) {
        let viewer = site.user("viewer", "viewer").await;
        let payloads = [
            r#"{"b": 1.50, "a": [1E3, -0.0, 1e-7, null, 0.10e1, -12.5E-3], "none": null, "deep": {"z": null, "y": {}}}"#,
            r#"{"😀": 1, "豈": 2, "Z": 3, "é": "\u0000\u0001\n\t\"\\/ \u007f é😀", "big": 12345678901234567890.120}"#,
            r#"{"quantity": 0.000001, "list": [], "flag": true, "serial_keys": ["0000000000001"]}"#,
        ];
        for (index, payload) in payloads.into_iter().enumerate() {
            let mut told = event(index as i64 + 1, "TOLD");
            told.description = Some(format!("number \"{index}\" of\nmany"));
            told.payload = serde_json::from_str(payload).unwrap();
            append(&site.app().db, vec![told, event(index as i64 + 11, "PLAIN")]).await;
            site.sealed().await;
        }
        let head = viewer.get("/event/verify").await.detail();
        assert_eq!((&head["ok"], &head["events_checked"]), (&json!(true), &json!(6)));
        assert_eq!(audit(&viewer).await, head["head_hash"]);
    }
}
