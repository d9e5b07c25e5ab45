//! What a request that may change something leaves behind: its line in the audit log, written in the transaction of the
//! change, and its answer, kept for a repetition under the same `Idempotency-Key`.

use std::fmt::Write;
use std::sync::Arc;

use axum::http::{HeaderMap, Method, StatusCode};
use domain::key::{AuditKey, TokenKey, UserKey, is_key, record_id};
use domain::text::hex;
use domain::{Fault, Timestamp};
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Value, json};
use store::Tx;
use store::administration::audit::{self, NewAudit};
use store::idempotency::{self, Claim};

use crate::Result;
use crate::app::App;
use crate::cx::{Caller, RequestInfo};
use crate::idempotency::{kept_body, repetition};
use crate::operation::Operation;

const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The header as people write it.
pub(crate) const KEY_NAME: &str = "Idempotency-Key";
/// A summary in the log has at most so many bytes.
const SUMMARY_BYTES: usize = 8 * 1024;
/// Of which the query has at most so many.
const QUERY_BYTES: usize = 1024;
/// Quotes, names and the mark of what was cut.
const FRAME_BYTES: usize = 128;
const BODY_BYTES: usize = SUMMARY_BYTES - QUERY_BYTES - FRAME_BYTES;

pub struct Trail {
    app: Arc<App>,
    operation: Arc<str>,
    method: Method,
    /// What a success answers.
    status: StatusCode,
    audited: bool,
    alone: bool,
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
        app: Arc<App>,
        operation: &Operation,
        id: Arc<str>,
        path: &str,
        query: Vec<(String, String)>,
        fields: &[(String, String)],
        headers: &HeaderMap,
    ) -> Self {
        let is_no = |value: &str| ["", "false", "0", "no", "off"].contains(&value.to_ascii_lowercase().as_str());
        let by_code = query.iter().any(|(name, value)| name == "by_code" && !is_no(value));
        let named = fields.iter().filter(|(name, _)| !(by_code && name == CODE_TOO)).filter_map(|(name, key)| {
            let collection = collection(operation.path, name)?;
            is_key(key).then(|| record_id(collection, key))
        });
        Self {
            app,
            operation: id,
            method: operation.method.clone(),
            status: operation.status,
            audited: operation.audited,
            alone: operation.alone,
            path: path.to_owned(),
            query,
            named: named.collect(),
            key: headers
                .get(IDEMPOTENCY_KEY)
                .filter(|_| operation.keeps_answers())
                .map(|key| String::from_utf8_lossy(key.as_bytes()).into_owned()),
            state: Mutex::default(),
        }
    }

    /// Whether the change shares its commit with nobody.
    pub(crate) fn alone(&self) -> bool {
        self.alone
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
        self.state.lock().body = Some(clip(body, BODY_BYTES));
    }

    /// A field of an upload.
    pub(crate) fn field(&self, name: &str, value: &str) {
        let shown = if is_secret(name) { json!(null) } else { json!(value) };
        self.state.lock().parts.push(json!({ "field": name, "value": shown }));
    }

    /// A file of an upload.
    pub(crate) fn file(&self, part: &str, name: &str, size: i64, sha256: &[u8]) {
        let file = json!({ "file": part, "name": name, "size": size, "sha256": hex(sha256) });
        self.state.lock().parts.push(file);
    }

    /// What is wrong with the key that the caller named.
    pub(crate) fn key_fault(&self) -> Option<Fault> {
        let key = self.key.as_ref()?;
        let visible = (1..=128).contains(&key.chars().count()) && !key.chars().any(invisible);
        let why = "A key has 1 to 128 visible characters.";
        (!visible).then(|| Fault::new("value_error", &["header".into(), KEY_NAME.into()], why, &json!(key)))
    }

    /// Under which key the answer is to be kept, if the caller named one.
    pub(crate) fn claim(&self) -> Option<Claim> {
        let key = self.key.clone()?;
        let state = self.state.lock();
        let fingerprint = match &state.fingerprint {
            Some(fingerprint) => fingerprint.clone(),
            None => self.fingerprint(json!(state.parts).to_string().as_bytes()),
        };
        Some(Claim { user_key: state.user_key.clone()?, key, fingerprint })
    }

    /// What is asked, with a body that has arrived as a whole.
    pub(crate) fn whole_body(&self, body: &[u8]) {
        if self.key.is_some() {
            self.state.lock().fingerprint = Some(self.fingerprint(body));
        }
    }

    /// Under the site's own secret: a body may hold a password, which nobody shall guess from what is stored.
    fn fingerprint(&self, body: &[u8]) -> Vec<u8> {
        let query: Vec<String> = self.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let asked = json!([self.method.as_str(), self.path, query]).to_string();
        self.app.signer.seal(&[asked.as_bytes(), body])
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
            let mut query = serde_json::Map::new();
            for (name, value) in &self.query {
                match query.get_mut(name) {
                    Some(Value::Array(values)) => values.push(json!(value)),
                    Some(one) => *one = json!([one.clone(), value]),
                    None => {
                        query.insert(name.clone(), json!(value));
                    }
                }
            }
            add("query", &clip(&Value::Object(query), QUERY_BYTES));
        }
        if let Some(body) = &state.body {
            add("body", body);
        }
        if !state.parts.is_empty() {
            add("parts", &clip(&json!(state.parts), BODY_BYTES));
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

/// A part of an address that may be a code, which names no record.
const CODE_TOO: &str = "product_key_or_code";

/// The collection of the record that a part of an address names.
fn collection(path: &str, parameter: &str) -> Option<&'static str> {
    Some(match parameter {
        "user_key" | "operator_key" => "User",
        "session_key" => "UserSession",
        "token_key" => "Token",
        "department_key" => "Department",
        "counter_key" => "Counter",
        "field_key" => "CustomField",
        "tag_key" => "Tag",
        "product_key" | CODE_TOO => "Product",
        "operation_key" => "Operation",
        "phase_key" => "Phase",
        "step_key" => "Step",
        "media_key" => "Media",
        "work_order_key" => "WorkOrder",
        "job_key" => "Job",
        "batch_key" => "Batch",
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
            // Escaping the quotes of what is kept makes it longer, so it is shortened until it fits.
            let mut end = text.floor_char_boundary(budget);
            loop {
                let shown = json!(text[..end]).to_string();
                match shown.len().checked_sub(budget) {
                    None | Some(0) => return Clipped { text: shown, cut: true },
                    Some(over) => end = text.floor_char_boundary(end.saturating_sub(over.max(2) / 2)),
                }
            }
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

/// Words that make a member's name that of a secret.
const SECRET_WORDS: [&str; 14] = [
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "pass",
    "psw",
    "pwd",
    "pin",
    "secret",
    "secrets",
    "token",
    "tokens",
    "ticket",
    "credentials",
];
/// Names with such a word that hold none.
const PLAIN_NAMES: [&str; 5] = ["token_description", "token_expiration", "token_key", "token_type", "reset_password"];

/// Whether a member holds what the log must never know, by its name: `new_password`, `secretKey`, `x-api-key`, …
fn is_secret(name: &str) -> bool {
    if PLAIN_NAMES.contains(&name) {
        return false;
    }
    let words = words(name);
    words.iter().any(|word| SECRET_WORDS.contains(&word.as_str()) || word == "authorization" || word == "apikey")
        || words
            .windows(2)
            .any(|pair| pair == ["api", "key"] || pair == ["private", "key"] || pair == ["access", "key"])
}

/// `newPassword`, `new-password` and `NEW_PASSWORD` have the same words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_was_small = false;
    for character in name.chars() {
        let begins = !character.is_alphanumeric() || (character.is_uppercase() && before_was_small);
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
        before_was_small = character.is_lowercase() || character.is_numeric();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out_at_every_depth() {
        let body = json!({
            "new_password": "p1", "a": [{ "accessToken": "p2", "smtp": { "Secret": { "x": "p3" } } }],
            "token_description": "shown", "passwords": ["p4"], "AWS_SECRET_ACCESS_KEY": "p5", "x-api-key": "p6",
            "password_confirm": "p7", "pass": "p8"
        });
        let clipped = clip(&body, 1000);
        for secret in ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"] {
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
            assert!(clipped.cut && (400..=1000).contains(&clipped.text.len()), "{}", clipped.text.len());
            assert!(serde_json::from_str::<Value>(&clipped.text).is_ok());
        }
    }

    /// A new kind of record in an address needs its collection here, or refusals would not name it.
    #[test]
    fn every_address_names_its_records() {
        for operation in crate::areas::operations().iter().filter(|operation| operation.audited) {
            let parameters = operation.path.split(['{', '}']).skip(1).step_by(2);
            for parameter in parameters.filter(|parameter| !["filename", "doc_name"].contains(parameter)) {
                assert!(collection(operation.path, parameter).is_some(), "{}: {parameter}", operation.path);
            }
        }
    }

    #[test]
    fn cutting_never_shows_a_secret() {
        let body = json!({ "x": "y".repeat(990), "password": "hidden", "z": "z".repeat(100) });
        assert!(!clip(&body, 1000).text.contains("hidden"));
    }
}
