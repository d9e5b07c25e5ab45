//! What a request that may change something leaves behind: its line in the audit log, written in the transaction of the
//! change, and its answer, kept for a repetition under the same `Idempotency-Key`.

use std::fmt::Write;

use axum::http::{HeaderMap, Method, StatusCode};
use domain::Timestamp;
use domain::key::{AuditKey, TokenKey, UserKey, record_id};
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::Tx;
use store::administration::audit::{self, NewAudit};
use store::idempotency::{self, Claim};

use crate::cx::{Caller, RequestInfo};
use crate::error::ApiError;
use crate::idempotency::{kept_body, repetition};
use crate::operation::Operation;
use crate::{Result, auth};

const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// A summary in the log has at most so many bytes.
const SUMMARY_BYTES: usize = 8 * 1024;

pub struct Trail {
    operation: String,
    method: Method,
    /// What a success answers.
    status: StatusCode,
    audited: bool,
    path: String,
    query: Vec<(String, String)>,
    /// The records that the address names.
    named: Vec<String>,
    key: Option<String>,
    state: Mutex<State>,
}

/// A new line of the log.
pub(crate) struct Line<'a> {
    pub(crate) key: AuditKey,
    pub(crate) time: Timestamp,
    pub(crate) request: &'a RequestInfo,
}

#[derive(Default)]
struct State {
    user_key: Option<UserKey>,
    username: Option<String>,
    token_key: Option<TokenKey>,
    body: Option<Clipped>,
    /// Parts of an upload: fields, and files by name, size and SHA-256.
    parts: Vec<Value>,
    fingerprint: Option<Vec<u8>>,
}

impl Trail {
    pub(crate) fn new(
        operation: &Operation,
        path: &str,
        query: Vec<(String, String)>,
        fields: &[(String, String)],
        headers: &HeaderMap,
    ) -> Self {
        let named = fields.iter().filter_map(|(name, key)| {
            let collection = collection(operation.path, name)?;
            Some(record_id(collection, key))
        });
        Self {
            operation: operation.id(),
            method: operation.method.clone(),
            status: operation.status,
            audited: operation.audited,
            path: path.to_owned(),
            query,
            named: named.collect(),
            key: headers.get(IDEMPOTENCY_KEY).map(|key| String::from_utf8_lossy(key.as_bytes()).into_owned()),
            state: Mutex::default(),
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn caller(&self, caller: &Caller) {
        let mut state = self.state.lock();
        state.user_key = Some(caller.user_key.clone());
        state.username = Some(caller.username.clone());
        state.token_key = Some(caller.token_key.clone());
    }

    /// Somebody who signs in, by the name that was sent.
    pub(crate) fn signs_in(&self, username: &str) {
        self.state.lock().username = Some(username.chars().take(256).collect());
    }

    /// The user that a sign-in turned out to be.
    pub(crate) fn signed_in(&self, user: &UserKey) {
        self.state.lock().user_key = Some(user.clone());
    }

    pub(crate) fn knows_caller(&self) -> bool {
        self.state.lock().user_key.is_some()
    }

    /// A body as it was read.
    pub(crate) fn body(&self, body: &Value) {
        self.state.lock().body = Some(clip(body, SUMMARY_BYTES / 2));
    }

    /// A field of an upload.
    pub(crate) fn field(&self, name: &str, value: &str) {
        let shown = if is_secret(name) { json!(null) } else { json!(value) };
        self.state.lock().parts.push(json!({ "field": name, "value": shown }));
    }

    /// A file of an upload.
    pub(crate) fn file(&self, part: &str, name: &str, size: i64, sha256: &[u8]) {
        let file = json!({ "file": part, "name": name, "size": size, "sha256": auth::hex(sha256) });
        self.state.lock().parts.push(file);
    }

    /// Under which key the answer is to be kept, if the caller named one.
    pub(crate) fn claim(&self) -> Result<Option<Claim>> {
        let Some(key) = &self.key else { return Ok(None) };
        let visible = (1..=128).contains(&key.chars().count()) && key.chars().all(|character| !invisible(character));
        if !visible {
            return Err(ApiError::header(
                "Idempotency-Key",
                "value_error",
                "A key has 1 to 128 visible characters.",
                key,
            ));
        }
        let state = self.state.lock();
        let Some(user_key) = state.user_key.clone() else { return Ok(None) };
        let fingerprint =
            state.fingerprint.clone().unwrap_or_else(|| self.fingerprint(json!(state.parts).to_string().as_bytes()));
        Ok(Some(Claim { user_key, key: key.clone(), fingerprint }))
    }

    /// What is asked, with a body that has arrived as a whole.
    pub(crate) fn whole_body(&self, body: &[u8]) {
        if self.key.is_some() {
            self.state.lock().fingerprint = Some(self.fingerprint(body));
        }
    }

    fn fingerprint(&self, body: &[u8]) -> Vec<u8> {
        let mut digest = Sha256::new();
        let query: Vec<String> = self.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        digest.update(json!([self.method.as_str(), self.path, query]).to_string());
        digest.update(body);
        digest.finalize().to_vec()
    }

    /// Takes the request's key in its transaction, or gives the answer of before.
    pub(crate) fn begin<'a>(
        &'a self,
        tx: &'a mut Tx,
        claim: &'a Claim,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<(StatusCode, String)>>> {
        Box::pin(async move {
            let kept = idempotency::claim(tx, claim, now).await?;
            kept.map(|kept| repetition(claim, kept)).transpose()
        })
    }

    /// Adds the line of a success to the transaction that made it, and the answer if it is to be kept.
    pub(crate) fn succeed<'a>(
        &'a self,
        tx: &'a mut Tx,
        line: Line<'a>,
        keep: Option<(&'a Claim, &'a str)>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            if self.audited {
                let (targets, total) = (tx.notes().targets().to_vec(), tx.notes().total());
                self.insert(tx, line, &targets, total, self.status.as_u16()).await?;
            }
            if let Some((claim, body)) = keep {
                idempotency::keep(tx, claim, self.status.as_u16(), &kept_body(body)).await?;
            }
            Ok(())
        })
    }

    /// Adds the line of what was refused or failed, with the records that the address names.
    pub(crate) async fn fail(&self, tx: &mut Tx, line: Line<'_>, status: u16) -> Result<()> {
        self.insert(tx, line, &self.named, self.named.len(), status).await
    }

    async fn insert(
        &self,
        tx: &mut Tx,
        line: Line<'_>,
        targets: &[String],
        targets_total: usize,
        status: u16,
    ) -> Result<()> {
        let (user_key, username, token_key, summary) = {
            let state = self.state.lock();
            (state.user_key.clone(), state.username.clone(), state.token_key.clone(), self.summary(&state))
        };
        let entry = NewAudit {
            key: line.key,
            time: line.time,
            user_key: user_key.as_ref(),
            username: username.as_deref(),
            token_key: token_key.as_ref(),
            operation: &self.operation,
            method: self.method.as_str(),
            path: &self.path,
            targets,
            targets_total,
            summary: &summary,
            outcome: outcome(status),
            status,
            address: &line.request.address.to_string(),
            request_id: &line.request.id,
        };
        Ok(audit::insert(tx, &entry).await?)
    }

    /// Query, body and parts as JSON text, without secrets.
    fn summary(&self, state: &State) -> String {
        let mut members = Vec::new();
        let mut cut = false;
        let mut add = |name: &str, clipped: &Clipped| {
            cut |= clipped.cut;
            members.push(format!("\"{name}\":{}", clipped.text));
        };
        if !self.query.is_empty() {
            let query: serde_json::Map<String, Value> =
                self.query.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            add("query", &clip(&Value::Object(query), SUMMARY_BYTES / 8));
        }
        if let Some(body) = &state.body {
            add("body", body);
        }
        if !state.parts.is_empty() {
            add("parts", &clip(&json!(state.parts), SUMMARY_BYTES / 4));
        }
        if cut {
            members.push("\"truncated\":true".to_owned());
        }
        format!("{{{}}}", members.join(","))
    }
}

fn invisible(character: char) -> bool {
    character.is_control() || character.is_whitespace() || character == char::REPLACEMENT_CHARACTER
}

fn outcome(status: u16) -> &'static str {
    match status {
        200..=299 => "ok",
        500..=599 => "failed",
        _ => "refused",
    }
}

/// The collection of the record that a part of an address names.
fn collection(path: &str, parameter: &str) -> Option<&'static str> {
    Some(match parameter {
        "user_key" => "User",
        "session_key" => "UserSession",
        "token_key" => "Token",
        "department_key" => "Department",
        "counter_key" => "Counter",
        "field_key" => "CustomField",
        "tag_key" => "Tag",
        "media_key" => "Media",
        "work_order_key" => "WorkOrder",
        "key" if path.starts_with("/config/") => "Config",
        "key" if path.starts_with("/custom-data/") => "CustomData",
        _ => return None,
    })
}

/// JSON text of at most so many bytes; what was cut is a text of its beginning.
struct Clipped {
    text: String,
    cut: bool,
}

fn clip(value: &Value, budget: usize) -> Clipped {
    let mut text = String::new();
    match write(value, false, budget, &mut text) {
        Ok(()) => Clipped { text, cut: false },
        Err(Full) => {
            // Its quotes are escaped, which may double it.
            let end = text.floor_char_boundary(budget / 2);
            Clipped { text: json!(text[..end]).to_string(), cut: true }
        }
    }
}

struct Full;

/// Writes a value without its secrets, until there is no more room.
fn write(value: &Value, secret: bool, budget: usize, out: &mut String) -> std::result::Result<(), Full> {
    if out.len() > budget {
        return Err(Full);
    }
    match value {
        _ if secret => out.push_str("null"),
        Value::String(text) => {
            let end = text.floor_char_boundary(budget);
            let _ = write!(out, "{}", json!(text[..end]));
        }
        Value::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(value, false, budget, out)?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                let _ = write!(out, "{}{}:", if index > 0 { "," } else { "" }, json!(name));
                write(value, is_secret(name), budget, out)?;
            }
            out.push('}');
        }
        plain => {
            let _ = write!(out, "{plain}");
        }
    }
    if out.len() > budget { Err(Full) } else { Ok(()) }
}

/// Whether a member holds what the log must never know, by its name: `password`, `new_password`, `accessToken`, …
fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    let name = name.trim_end_matches('s');
    [
        "password",
        "passwd",
        "psw",
        "pwd",
        "secret",
        "token",
        "ticket",
        "authorization",
        "credential",
        "api_key",
        "apikey",
    ]
    .iter()
    .any(|word| name.ends_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out_at_every_depth() {
        let body = json!({
            "new_password": "p1", "a": [{ "accessToken": "p2", "smtp": { "Secret": { "x": "p3" } } }],
            "token_description": "shown", "passwords": ["p4"]
        });
        let clipped = clip(&body, 1000);
        for secret in ["p1", "p2", "p3", "p4"] {
            assert!(!clipped.text.contains(secret), "{}", clipped.text);
        }
        assert!(clipped.text.contains("shown"));
    }

    #[test]
    fn what_is_long_is_cut_and_still_json() {
        for body in
            [json!("é".repeat(100_000)), json!(vec!["a\"b"; 10_000]), json!({ "x": { "y": "z".repeat(9_000) } })]
        {
            let clipped = clip(&body, 1000);
            assert!(clipped.cut && clipped.text.len() <= 1100, "{}", clipped.text.len());
            assert!(serde_json::from_str::<Value>(&clipped.text).is_ok());
        }
    }

    #[test]
    fn cutting_never_shows_a_secret() {
        let body = json!({ "x": "y".repeat(990), "password": "hidden", "z": "z".repeat(100) });
        assert!(!clip(&body, 1000).text.contains("hidden"));
    }
}
