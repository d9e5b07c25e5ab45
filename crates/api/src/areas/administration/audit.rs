use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{AuditKey, TokenKey, UserKey, record_id};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::Tx;
use store::administration::audit::{self, Audit, Wanted};

use crate::Result;
use crate::cx::Cx;
use crate::input::{Paging, Query, Until};
use crate::reply::Listed;
use crate::scope;

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AuditOutcome")]
enum OutcomeOf {
    /// The answer was a 2xx.
    Ok,
    /// The answer was a 4xx.
    Refused,
    /// The answer was a 5xx.
    Failed,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct AuditQuery {
    /// Only requests of these users.
    #[serde(default)]
    user_key: Vec<UserKey>,
    /// Only these operations, by `operationId`.
    #[serde(default)]
    operation: Vec<String>,
    /// Only requests that concern any of these records, by `_id`.
    #[serde(default)]
    target: Vec<String>,
    /// Only requests with any of these outcomes.
    #[serde(default)]
    outcome: Vec<OutcomeOf>,
    /// The earliest time, inclusive.
    time_from: Option<Timestamp>,
    /// The latest time, inclusive; a bare date means the end of that day.
    time_to: Option<Until>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Audit")]
pub(super) struct AuditRecord {
    _id: String,
    _key: AuditKey,
    time: Timestamp,
    /// Null if no user is known.
    user_key: Option<UserKey>,
    /// For a sign-in, the name as it was sent.
    username: Option<String>,
    token_key: Option<TokenKey>,
    /// The `operationId`.
    operation: String,
    method: String,
    path: String,
    /// The first 1,000 records that were created, changed or removed; for a refused request, those that its address names.
    targets: Vec<String>,
    targets_total: i64,
    /// Query and body without secrets, files as name, size and SHA-256.
    summary: Value,
    #[schemars(with = "OutcomeOf")]
    outcome: String,
    status: i64,
    address: String,
    request_id: String,
}

fn record(mut entry: Audit, shows_costs: bool) -> AuditRecord {
    if !shows_costs {
        hide_costs(&mut entry.summary);
    }
    AuditRecord {
        _id: record_id(Collection::Audit, entry.key),
        _key: entry.key,
        time: entry.time,
        user_key: entry.user_key,
        username: entry.username,
        token_key: entry.token_key,
        operation: entry.operation,
        method: entry.method,
        path: entry.path,
        targets: entry.targets,
        targets_total: entry.targets_total,
        summary: entry.summary,
        outcome: entry.outcome,
        status: entry.status,
        address: entry.address,
        request_id: entry.request_id,
    }
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<AuditQuery>,
    Paging(page): Paging<200>,
) -> Result<Listed<AuditRecord>> {
    let outcome = |outcome: &OutcomeOf| match outcome {
        OutcomeOf::Ok => "ok".to_owned(),
        OutcomeOf::Refused => "refused".to_owned(),
        OutcomeOf::Failed => "failed".to_owned(),
    };
    let wanted = Wanted {
        user_keys: query.user_key.iter().map(ToString::to_string).collect(),
        operations: query.operation,
        targets: query.target,
        outcomes: query.outcome.iter().map(outcome).collect(),
        from: query.time_from,
        to: query.time_to.map(|until| until.0),
    };
    let found = cx.db.read_long(async move |tx: &mut Tx| audit::list(tx, &wanted, &page).await).await?;
    let shows_costs = cx.caller.rights.contains(scope!("org:user:write"));
    let rows = found.rows.into_iter().map(|entry| record(entry, shows_costs)).collect();
    Ok(Listed { rows, total: found.total })
}

/// Only callers who may write users see what a user costs, here as in the user's own record.
const COST: &str = "hourly_cost";

fn hide_costs(summary: &mut Value) {
    match summary {
        Value::Object(members) => {
            for (name, value) in members {
                if name == COST { *value = Value::Null } else { hide_costs(value) }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(hide_costs),
        // A body that was cut off is the beginning of its text.
        Value::String(text) if text.contains(COST) => *text = without_costs(text),
        _ => {}
    }
}

/// The cut text without the values of this member.
fn without_costs(text: &str) -> String {
    let mut parts = text.split(COST);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find([',', '}', ']']).unwrap_or(part.len());
        shown.push_str(COST);
        shown.push_str("\":null");
        shown.push_str(&part[end..]);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn costs_are_hidden_at_every_depth_and_in_cut_texts() {
        let mut summary = json!({
            "body": { "hourly_cost": 31.5, "list": [{ "hourly_cost": "32.5", "name": "N" }] },
            "query": "{\"a\":1,\"hourly_cost\":33.5,\"b\":{\"hourly_cost\":\"34.5"
        });
        hide_costs(&mut summary);
        for cost in ["31.5", "32.5", "33.5", "34.5"] {
            assert!(!summary.to_string().contains(cost), "{summary}");
        }
        assert_eq!(summary["body"]["list"][0]["name"], "N");
        assert_eq!(summary["query"], "{\"a\":1,\"hourly_cost\":null,\"b\":{\"hourly_cost\":null");
    }
}
