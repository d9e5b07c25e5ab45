//! What a request that may change something leaves behind: its line in the audit log, written in the transaction of the
//! change, and its answer, kept for a repetition under the same `Idempotency-Key`.

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
use crate::cx::{Caller, Open, RequestInfo};
use crate::idempotency::{kept_body, repetition};
use crate::input::{Clipped, clipped, is_secret};
use crate::operation::{Access, Operation};

const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The header as people write it.
pub(crate) const KEY_NAME: &str = "Idempotency-Key";
/// A summary in the log has at most so many bytes.
const SUMMARY_BYTES: usize = 8 * 1024;
/// Of which the query has at most so many.
const QUERY_BYTES: usize = 1024;
/// And it is of at most so many parameters.
const QUERY_FIELDS: usize = 100;
/// Of a field of an upload so many bytes are kept.
const FIELD_BYTES: usize = 2 * 1024;
/// Of an address so many.
const PATH_BYTES: usize = 2 * 1024;
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
    body_logged: bool,
    /// Anybody may ask, and decides what is written: so nothing is, but who it claims to be and from where.
    open_to_all: bool,
    urgent: bool,
    path: String,
    query: Vec<(String, String)>,
    /// The parameters that the operation declares; others are not told of.
    declared: Arc<[String]>,
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
    /// What the fields are told apart by.
    marks: Vec<Vec<u8>>,
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
            body_logged: operation.body_logged,
            declared: operation.query_names(),
            open_to_all: operation.access == Access::Public,
            urgent: operation.urgent,
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

    /// Whether the change is made however busy the database is.
    pub(crate) fn urgent(&self) -> bool {
        self.urgent
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
        // Not checked yet, and PostgreSQL stores no NUL.
        let plain = username.chars().take(256).map(|character| if character == '\0' { '\u{fffd}' } else { character });
        self.state.lock().username = Some(plain.collect());
    }

    /// The user that a sign-in turned out to be.
    pub(crate) fn signed_in(&self, user: &UserKey) {
        self.state.lock().user_key = Some(user.clone());
    }

    pub(crate) fn knows_caller(&self) -> bool {
        self.state.lock().user_key.is_some()
    }

    /// What is to be told of the body, in so many bytes; of some operations nothing is.
    pub(crate) fn body(&self, body: &Value, tell: impl FnOnce(usize) -> Clipped) {
        if self.open_to_all {
            if let Some(name) = body.get("username").and_then(Value::as_str) {
                self.signs_in(name.trim());
            }
        } else if self.body_logged {
            self.state.lock().body = Some(tell(BODY_BYTES));
        }
    }

    /// A field of an upload. Of a long one its beginning is kept, and a mark that tells it from others.
    pub(crate) fn field(&self, name: &str, value: &str) {
        let shown = match is_secret(name) || !self.body_logged {
            true => Value::Null,
            false => json!(value[..value.floor_char_boundary(FIELD_BYTES)]),
        };
        let mut state = self.state.lock();
        state.marks.push(self.app.signer.seal(&[name.as_bytes(), value.as_bytes()]));
        state.parts.push(json!({ "field": name, "value": shown }));
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
            None => {
                let mut parts = json!(state.parts).to_string().into_bytes();
                parts.extend(state.marks.concat());
                self.fingerprint(&parts)
            }
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
            path: &self.path[..self.path.floor_char_boundary(PATH_BYTES)],
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
        if self.open_to_all {
            return "{}".to_owned();
        }
        let mut members = Vec::new();
        let mut cut = false;
        let mut add = |name: &str, clipped: &Clipped| {
            cut |= clipped.cut;
            members.push(format!("\"{name}\":{}", clipped.text));
        };
        let declared = self.query.iter().filter(|(name, _)| self.declared.contains(name)).take(QUERY_FIELDS);
        let declared: Vec<&(String, String)> = declared.collect();
        if !declared.is_empty() {
            let mut query = serde_json::Map::new();
            for (name, value) in declared {
                match query.get_mut(name) {
                    Some(Value::Array(values)) => values.push(json!(value)),
                    Some(one) => *one = json!([one.clone(), value]),
                    None => {
                        query.insert(name.clone(), json!(value));
                    }
                }
            }
            add("query", &clipped(&Value::Object(query), QUERY_BYTES));
        }
        if let Some(body) = &state.body {
            add("body", body);
        }
        if !state.parts.is_empty() {
            add("parts", &clipped(&json!(state.parts), BODY_BYTES));
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

/// Leaves the line of what was refused or failed, in a transaction of its own.
pub(crate) async fn note_failure(open: &Open, trail: Arc<Trail>, status: StatusCode) -> Result<()> {
    let asking = open.clone();
    open.write("audit", async move |tx: &mut Tx| {
        let line = Line { key: AuditKey(asking.new_id()?), time: asking.now(), request: &asking.request };
        trail.fail(tx, line, status.as_u16()).await
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
