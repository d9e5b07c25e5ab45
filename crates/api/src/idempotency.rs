//! Answers that are kept and repeated under an `Idempotency-Key`.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use store::idempotency::{Claim, Kept};

use crate::Result;
use crate::error::ApiError;
use crate::trail::KEY_NAME;

/// Of a longer answer only the envelope with its counts is kept.
const WHOLE_BYTES: usize = 1024 * 1024;

/// The answer of before, if the same was asked.
pub(crate) fn repetition(claim: &Claim, kept: Kept) -> Result<(StatusCode, String)> {
    if kept.fingerprint != claim.fingerprint {
        let why = "This key was used for another request.";
        return Err(ApiError::header(KEY_NAME, "idempotency_mismatch", why, &claim.key));
    }
    let status = u16::try_from(kept.status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    Ok((status.unwrap_or(StatusCode::OK), kept.body))
}

pub(crate) fn kept_body(body: &str) -> String {
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

/// The single values of an object, and how many entries its lists have.
fn counts(detail: &Value) -> Value {
    match detail {
        Value::Array(entries) => json!({ "count": entries.len() }),
        Value::Object(members) => {
            let single = members.iter().filter(|(_, value)| value.is_number() || value.is_boolean());
            Value::Object(single.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>())
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
        let body = json!({ "status": 200, "message": "m", "detail": { "inserted": 2000, "rows": rows } }).to_string();
        let kept: Value = serde_json::from_str(&kept_body(&body)).unwrap();
        assert_eq!(kept, json!({ "status": 200, "message": "m", "detail": { "inserted": 2000 } }));
        assert_eq!(kept_body("{\"a\":1}"), "{\"a\":1}");
    }
}
