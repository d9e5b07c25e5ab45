//! What a request that may change something leaves behind: its audit log entry, written in the transaction of the change,
//! and its answer, stored for a repetition under the same `Idempotency-Key`.

use std::sync::Arc;

use axum::http::{HeaderMap, Method, StatusCode};
use domain::collection::Collection;
use domain::key::{AuditKey, TokenKey, UserKey, is_key, record_id};
use domain::text::hex;
use domain::{Fault, Timestamp};
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Value, json};
use store::administration::audit::{self, NewAudit};
use store::idempotency::Claim;
use store::{Commit, Tx};

use crate::Result;
use crate::auth::{Caller, Signer};
use crate::idempotency::{self, RepeatKey};
use crate::redaction::{Clipped, clipped, is_secret};
use crate::request::RequestInfo;

/// Maximum size of a summary in the log, in bytes.
const SUMMARY_BYTES: usize = 8 * 1024;
/// Maximum size of the query in it.
const QUERY_BYTES: usize = 1024;
/// Maximum number of parameters in it.
const QUERY_FIELDS: usize = 100;
/// How much of an upload's field is kept, in bytes.
const FIELD_BYTES: usize = 2 * 1024;
/// How much of a path is kept, in bytes.
const PATH_BYTES: usize = 2 * 1024;
/// Room for quotes, names and the mark of cut text.
const FRAME_BYTES: usize = 128;
const BODY_BYTES: usize = SUMMARY_BYTES - QUERY_BYTES - FRAME_BYTES;

/// A body of more bytes shares no transaction.
const LARGE_BYTES: usize = 128 * 1024;

pub struct Trail {
    facts: Facts,
    path: String,
    query: Vec<(String, String)>,
    /// The records that the address names.
    named: Vec<String>,
    key: Option<RepeatKey>,
    state: Mutex<State>,
}

/// What the trail has to know about the operation.
pub(crate) struct Facts {
    pub(crate) id: &'static str,
    pub(crate) method: Method,
    /// With the names of its parameters.
    pub(crate) path: &'static str,
    /// The status of a success.
    pub(crate) status: StatusCode,
    pub(crate) audited: bool,
    pub(crate) commit: Commit,
    pub(crate) body_logged: bool,
    /// A public operation: anybody could decide what is logged, so only the claimed username and the address are.
    pub(crate) open_to_all: bool,
    pub(crate) urgent: bool,
    /// Whether an answer may be stored; otherwise the key is ignored.
    pub(crate) keeps_answers: bool,
    /// The query parameters it declares; others are not logged.
    pub(crate) declared: Arc<[String]>,
}

/// What a request is addressed to.
pub(crate) struct Address<'a> {
    pub(crate) path: &'a str,
    pub(crate) query: &'a [(String, String)],
    /// The parameters in the path.
    pub(crate) fields: &'a [(String, String)],
}

/// A new entry of the log.
pub(crate) struct NewEntry<'a> {
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
    /// What tells the fields apart from others.
    marks: Vec<Vec<u8>>,
    fingerprint: Option<Vec<u8>>,
    large: bool,
}

impl Trail {
    pub(crate) fn new(facts: Facts, signer: &Arc<Signer>, address: &Address<'_>, headers: &HeaderMap) -> Self {
        let Address { path, query, fields } = address;
        let is_no = |value: &str| ["", "false", "0", "no", "off"].contains(&value.to_ascii_lowercase().as_str());
        let by_code = query.iter().any(|(name, value)| name == "by_code" && !is_no(value));
        let named = fields.iter().filter(|(name, _)| !(by_code && name == CODE_TOO)).filter_map(|(name, key)| {
            let collection = collection(facts.path, name)?;
            is_key(key).then(|| record_id(collection, key))
        });
        let key = if facts.keeps_answers { RepeatKey::of(headers, signer, &facts.method, path, query) } else { None };
        Self {
            path: (*path).to_owned(),
            query: query.to_vec(),
            named: named.collect(),
            key,
            state: Mutex::default(),
            facts,
        }
    }

    /// Who shares the commit of the change.
    pub(crate) fn commit(&self) -> Commit {
        self.facts.commit
    }

    /// Whether the change must be made under any load of the database.
    pub(crate) fn urgent(&self) -> bool {
        self.facts.urgent
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.facts.status
    }

    pub(crate) fn caller(&self, caller: &Caller) {
        let mut state = self.state.lock();
        state.user_key = Some(caller.user_key.clone());
        state.username = Some(caller.username.clone());
        state.token_key = Some(caller.token_key.clone());
    }

    /// Somebody signs in, under the name that was sent.
    pub(crate) fn signs_in(&self, username: &str) {
        // Not checked yet, and PostgreSQL stores no NUL.
        let plain = username.chars().take(256).map(|character| if character == '\0' { '\u{fffd}' } else { character });
        self.state.lock().username = Some(plain.collect());
    }

    /// The user a sign-in turned out to be.
    pub(crate) fn signed_in(&self, user: &UserKey) {
        self.state.lock().user_key = Some(user.clone());
    }

    pub(crate) fn knows_caller(&self) -> bool {
        self.state.lock().user_key.is_some()
    }

    /// Notes a summary of the body, of at most the given size; for some operations nothing is noted.
    pub fn body(&self, body: &Value, tell: impl FnOnce(usize) -> Clipped) {
        if self.facts.open_to_all {
            if let Some(name) = body.get("username").and_then(Value::as_str) {
                self.signs_in(name.trim());
            }
        } else if self.facts.body_logged {
            self.state.lock().body = Some(tell(BODY_BYTES));
        }
    }

    /// Notes a field of an upload. Of a long one its beginning is kept, and a fingerprint.
    pub(crate) fn field(&self, name: &str, value: &str) {
        let shown = match is_secret(name) || !self.facts.body_logged {
            true => Value::Null,
            false => json!(value[..value.floor_char_boundary(FIELD_BYTES)]),
        };
        let mut state = self.state.lock();
        state.marks.extend(self.key.as_ref().map(|key| key.mark(name, value)));
        state.parts.push(json!({ "field": name, "value": shown }));
    }

    /// Notes a file of an upload.
    pub(crate) fn file(&self, part: &str, name: &str, size: i64, sha256: &[u8]) {
        let file = json!({ "file": part, "name": name, "size": size, "sha256": hex(sha256) });
        self.state.lock().parts.push(file);
    }

    /// The fault of the key the caller sent.
    pub(crate) fn key_fault(&self) -> Option<Fault> {
        self.key.as_ref()?.fault()
    }

    /// The key under which to store the answer, if the caller sent one.
    pub(crate) fn claim(&self) -> Option<Claim> {
        let key = self.key.as_ref()?;
        let state = self.state.lock();
        let fingerprint = match &state.fingerprint {
            Some(fingerprint) => fingerprint.clone(),
            None => {
                let mut parts = json!(state.parts).to_string().into_bytes();
                parts.extend(state.marks.concat());
                key.fingerprint(&parts)
            }
        };
        Some(key.claim(state.user_key.clone()?, fingerprint))
    }

    /// Notes a body that has arrived completely.
    pub(crate) fn whole_body(&self, body: &[u8]) {
        let mut state = self.state.lock();
        state.large = body.len() > LARGE_BYTES;
        if let Some(key) = &self.key {
            state.fingerprint = Some(key.fingerprint(body));
        }
    }

    /// Whether the body is so large that nobody should have to wait for what becomes of it.
    pub(crate) fn is_large(&self) -> bool {
        self.state.lock().large
    }

    /// Adds the entry of a success to its transaction, and the answer if it is to be stored.
    pub(crate) fn succeed<'a>(
        &'a self,
        tx: &'a mut Tx,
        entry: NewEntry<'a>,
        keep: Option<(&'a Claim, &'a str)>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            if self.facts.audited {
                let (targets, total) = (tx.notes().targets().to_vec(), tx.notes().total());
                self.insert(tx, entry, &targets, total, self.facts.status.as_u16()).await?;
            }
            if let Some((claim, body)) = keep {
                idempotency::keep(tx, claim, self.facts.status, body).await?;
            }
            Ok(())
        })
    }

    /// Adds the entry of a refused or failed request, with the records that the address names.
    pub(crate) async fn fail(&self, tx: &mut Tx, entry: NewEntry<'_>, status: u16) -> Result<()> {
        self.insert(tx, entry, &self.named, self.named.len(), status).await
    }

    async fn insert(
        &self,
        tx: &mut Tx,
        entry: NewEntry<'_>,
        targets: &[String],
        targets_total: usize,
        status: u16,
    ) -> Result<()> {
        let (user_key, username, token_key, summary) = {
            let state = self.state.lock();
            (state.user_key.clone(), state.username.clone(), state.token_key.clone(), self.summary(&state))
        };
        let entry = NewAudit {
            key: entry.key,
            time: entry.time,
            user_key: user_key.as_ref(),
            username: username.as_deref(),
            token_key: token_key.as_ref(),
            operation: self.facts.id,
            method: self.facts.method.as_str(),
            path: &self.path[..self.path.floor_char_boundary(PATH_BYTES)],
            targets,
            targets_total,
            summary: &summary,
            outcome: outcome(status),
            status,
            address: &entry.request.address.to_string(),
            request_id: &entry.request.id,
        };
        Ok(audit::insert(tx, &entry).await?)
    }

    /// Query, body and parts as JSON text, without secrets.
    fn summary(&self, state: &State) -> String {
        if self.facts.open_to_all {
            return "{}".to_owned();
        }
        let mut members = Vec::new();
        let mut cut = false;
        let mut add = |name: &str, clipped: &Clipped| {
            cut |= clipped.cut;
            members.push(format!("\"{name}\":{}", clipped.text));
        };
        let declared = self.query.iter().filter(|(name, _)| self.facts.declared.contains(name)).take(QUERY_FIELDS);
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

fn outcome(status: u16) -> &'static str {
    match status {
        200..=299 => "ok",
        500..=599 => "failed",
        _ => "refused",
    }
}

/// A path parameter that may be a code, which names no record.
const CODE_TOO: &str = "product_key_or_code";

/// The collection of the record that a path parameter names.
pub fn collection(path: &str, parameter: &str) -> Option<Collection> {
    Some(match parameter {
        "user_key" | "operator_key" => Collection::User,
        "session_key" if path.starts_with("/inventory/") => Collection::CountSession,
        "session_key" => Collection::UserSession,
        "token_key" => Collection::Token,
        "department_key" => Collection::Department,
        "counter_key" => Collection::Counter,
        "field_key" => Collection::CustomField,
        "tag_key" => Collection::Tag,
        "product_key" | CODE_TOO => Collection::Product,
        "operation_key" => Collection::Operation,
        "phase_key" => Collection::Phase,
        "step_key" => Collection::Step,
        "media_key" => Collection::Media,
        "work_order_key" => Collection::WorkOrder,
        "job_key" => Collection::Job,
        "batch_key" => Collection::Batch,
        "position_key" => Collection::Position,
        "webhook_key" => Collection::Webhook,
        "issue_type_key" => Collection::IssueType,
        "type_key" => Collection::TaskType,
        "key" if path.starts_with("/config/") => Collection::Config,
        "key" if path.starts_with("/custom-data/") => Collection::CustomData,
        _ => return None,
    })
}
