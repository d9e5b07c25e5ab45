use domain::Timestamp;
use domain::key::{AuditKey, TokenKey, UserKey};
use serde_json::Value as Json;

use crate::row::{FromRow, Row};
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

/// One line of the log: an operation that could change something, and what came of it.
#[derive(Debug, Clone)]
pub struct Audit {
    pub key: AuditKey,
    pub time: Timestamp,
    pub user_key: Option<UserKey>,
    pub username: Option<String>,
    pub token_key: Option<TokenKey>,
    pub operation: String,
    pub method: String,
    pub path: String,
    pub targets: Vec<String>,
    pub targets_total: i64,
    pub summary: Json,
    pub outcome: String,
    pub status: i64,
    pub address: String,
    pub request_id: String,
}

impl FromRow for Audit {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            key: row.column()?,
            time: row.column()?,
            user_key: row.column()?,
            username: row.column()?,
            token_key: row.column()?,
            operation: row.column()?,
            method: row.column()?,
            path: row.column()?,
            targets: names(row.column()?),
            targets_total: row.column()?,
            summary: row.column()?,
            outcome: row.column()?,
            status: row.column()?,
            address: row.column()?,
            request_id: row.column()?,
        })
    }
}

fn names(list: Json) -> Vec<String> {
    let names = list.as_array().into_iter().flatten();
    names.filter_map(Json::as_str).map(str::to_owned).collect()
}

/// Adds a line; `summary` is JSON text.
pub async fn insert(tx: &mut Tx, entry: &NewAudit<'_>) -> Result<()> {
    let line = params![
        entry.key,
        entry.time,
        entry.user_key,
        entry.username,
        entry.token_key,
        entry.operation,
        entry.method,
        entry.path,
        &serde_json::json!(entry.targets),
        entry.targets_total as i64,
        entry.summary,
        entry.outcome,
        i64::from(entry.status),
        entry.address,
        entry.request_id
    ];
    tx.insert_last(
        sql!(
            "insert into audit (key, time, user_key, username, token_key, operation, method, path, targets, targets_total,
                                summary, outcome, status, address, request_id)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"
        ),
        vec![line.to_vec()],
    )
    .await?;
    match entry.targets {
        [] => Ok(()),
        // Most have one or two, and a list takes longer to read.
        targets if targets.len() <= 2 || !tx.is_sole_writer() => {
            let rows = targets.iter().map(|target| params![target, entry.key].to_vec()).collect();
            tx.insert_last(sql!("insert into audit_target (target, audit_key) values ($1, $2)"), rows).await
        }
        many => {
            let sql = sql!("insert into audit_target (target, audit_key) select value, $2 from {each $1}");
            tx.run_later(sql, &params![many.to_vec(), entry.key]).await
        }
    }
}

#[derive(Debug)]
pub struct NewAudit<'a> {
    pub key: AuditKey,
    pub time: Timestamp,
    pub user_key: Option<&'a UserKey>,
    pub username: Option<&'a str>,
    pub token_key: Option<&'a TokenKey>,
    pub operation: &'a str,
    pub method: &'a str,
    pub path: &'a str,
    pub targets: &'a [String],
    pub targets_total: usize,
    pub summary: &'a str,
    pub outcome: &'a str,
    pub status: u16,
    pub address: &'a str,
    pub request_id: &'a str,
}

/// What of the log is wanted; each list means any of its values, and empty ones ask for nothing.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub user_keys: Vec<String>,
    pub operations: Vec<String>,
    pub targets: Vec<String>,
    pub outcomes: Vec<String>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
}

/// Newest first.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<Audit>> {
    Query::new(
        "select key, time, user_key, username, token_key, operation, method, path, targets, targets_total, summary, outcome,
                status, address, request_id
         from audit",
    )
    .filter_any("user_key {in {}}", &wanted.user_keys)
    .filter_any("operation {in {}}", &wanted.operations)
    .filter_any("key in (select audit_key from audit_target where target {in {}})", &wanted.targets)
    .filter_any("outcome {in {}}", &wanted.outcomes)
    .filter_if("time >= {}", wanted.from)
    .filter_if("time <= {}", wanted.to)
    .page(tx, "time desc, key desc", page)
    .await
}
