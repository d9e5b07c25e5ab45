//! Answers that are stored and repeated under an `Idempotency-Key`.

use std::sync::Arc;

use axum::http::{HeaderMap, Method, StatusCode};
use domain::key::UserKey;
use domain::scope::Rights;
use domain::{Fault, Timestamp};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use store::Tx;
use store::idempotency::{self, Claim, Kept};

use crate::Result;
use crate::auth::Signer;
use crate::error::ApiError;

const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The header as people write it.
pub(crate) const KEY_NAME: &str = "Idempotency-Key";
/// Of a longer answer, only the envelope with its counts is stored.
const WHOLE_BYTES: usize = 1024 * 1024;

/// The key that a caller sent, and what distinguishes requests under it.
pub(crate) struct RepeatKey {
    key: String,
    /// Method, path and query.
    asked: String,
    signer: Arc<Signer>,
}

impl RepeatKey {
    /// `None` if the caller sent no key.
    pub(crate) fn of(
        headers: &HeaderMap,
        signer: &Arc<Signer>,
        method: &Method,
        path: &str,
        query: &[(String, String)],
    ) -> Option<Self> {
        let key = String::from_utf8_lossy(headers.get(IDEMPOTENCY_KEY)?.as_bytes()).into_owned();
        let query: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let asked = json!([method.as_str(), path, query]).to_string();
        Some(Self { key, asked, signer: signer.clone() })
    }

    /// The fault of the key, if it is malformed.
    pub(crate) fn fault(&self) -> Option<Fault> {
        let visible = (1..=128).contains(&self.key.chars().count()) && !self.key.chars().any(invisible);
        let why = "A key must have 1 to 128 visible characters.";
        (!visible).then(|| Fault::new("value_error", &["header".into(), KEY_NAME.into()], why, &json!(self.key)))
    }

    /// Keyed with the site's secret: a body may contain a password, which must not be guessable from what is stored.
    pub(crate) fn fingerprint(&self, body: &[u8]) -> Vec<u8> {
        self.signer.seal(&[self.asked.as_bytes(), body])
    }

    /// Distinguishes a field of an upload from others.
    pub(crate) fn mark(&self, name: &str, value: &str) -> Vec<u8> {
        self.signer.seal(&[name.as_bytes(), value.as_bytes()])
    }

    pub(crate) fn claim(&self, user_key: UserKey, fingerprint: Vec<u8>) -> Claim {
        Claim { user_key, key: self.key.clone(), fingerprint }
    }
}

fn invisible(character: char) -> bool {
    character.is_control() || character.is_whitespace() || character == char::REPLACEMENT_CHARACTER
}

/// Claims the request's key in its transaction, or returns the earlier answer.
pub(crate) fn begin<'a>(
    tx: &'a mut Tx,
    claim: &'a Claim,
    rights: Rights,
    now: Timestamp,
) -> BoxFuture<'a, Result<Option<(StatusCode, String)>>> {
    Box::pin(async move {
        let kept = idempotency::claim(tx, claim, now).await?;
        kept.map(|kept| repetition(claim, rights, kept)).transpose()
    })
}

/// Stores the answer, in the transaction it belongs to.
pub(crate) async fn keep(tx: &mut Tx, claim: &Claim, status: StatusCode, body: &str) -> Result<()> {
    Ok(idempotency::keep(tx, claim, status.as_u16(), &kept_body(body)).await?)
}

/// The earlier answer, if the request is the same and the caller still has every right it needed.
pub(crate) fn repetition(claim: &Claim, rights: Rights, kept: Kept) -> Result<(StatusCode, String)> {
    if kept.fingerprint != claim.fingerprint {
        let why = "This key was used for another request.";
        return Err(ApiError::header(KEY_NAME, "idempotency_mismatch", why, &claim.key));
    }
    if let Some(lost) = kept.relied_on().without(rights).names().first() {
        return Err(ApiError::scope(lost));
    }
    let status = u16::try_from(kept.status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    Ok((status.unwrap_or(StatusCode::OK), kept.body))
}

fn kept_body(body: &str) -> String {
    if body.len() <= WHOLE_BYTES {
        return body.to_owned();
    }
    match domain::json::read_stored(body) {
        Ok(Value::Object(mut envelope)) => {
            if let Some(detail) = envelope.get_mut("detail") {
                *detail = counts(detail);
            }
            Value::Object(envelope).to_string()
        }
        Ok(list) => counts(&list).to_string(),
        Err(_) => "null".to_owned(),
    }
}

/// The longest text that is kept of a long answer.
const TEXT_BYTES: usize = 1024;

/// What is kept of an object: everything but its lists, objects and long texts. Of a list, its length.
fn counts(detail: &Value) -> Value {
    match detail {
        Value::Array(entries) => json!({ "count": entries.len() }),
        Value::Object(members) => {
            let short = |value: &Value| match value {
                Value::Array(_) | Value::Object(_) => false,
                Value::String(text) => text.len() <= TEXT_BYTES,
                Value::Null | Value::Bool(_) | Value::Number(_) => true,
            };
            let kept = members.iter().filter(|(_, value)| short(value));
            Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>())
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_keep_their_counts() {
        let rows = vec!["x".repeat(1000); 2000];
        let detail =
            json!({ "inserted": 2000, "event_key": "k", "none": null, "rows": rows, "text": "x".repeat(2000) });
        let body = json!({ "status": 200, "message": "m", "detail": detail }).to_string();
        let kept: Value = serde_json::from_str(&kept_body(&body)).unwrap();
        let detail = json!({ "inserted": 2000, "event_key": "k", "none": null });
        assert_eq!(kept, json!({ "status": 200, "message": "m", "detail": detail }));
        assert_eq!(kept_body("{\"a\":1}"), "{\"a\":1}");
    }
}
