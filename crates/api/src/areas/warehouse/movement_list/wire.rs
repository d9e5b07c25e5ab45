//! The wire format of movement lists.

use std::collections::HashMap;

use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{MovementListKey, record_id, revision};
use domain::warehouse::movement::{ListStatus, MovementType, References};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use store::Tx;
use store::warehouse::list_views::{self, ListView};

use crate::Result;
use crate::areas::warehouse::movement::MovementRecord;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MovementList")]
pub(in crate::areas::warehouse) struct ListRecord {
    _id: String,
    _key: MovementListKey,
    _rev: String,
    /// Unique among the lists of its type.
    code: String,
    /// The type of all its movements.
    #[serde(rename = "type")]
    kind: MovementType,
    status: ListStatus,
    /// A day, as `YYYY-MM-DD`.
    due_by: String,
    created: Timestamp,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    /// When it was closed by hand.
    closed: Option<Timestamp>,
    notes: Option<String>,
    references: Option<References>,
    /// Anything, stored as it is.
    extra: Map<String, Value>,
    counts: Counts,
}

/// How many rows of each status a list has.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MovementListCounts")]
struct Counts {
    planned: i64,
    completed: i64,
    canceled: i64,
}

/// A movement list with its rows.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MovementListFull")]
pub(super) struct Full {
    #[serde(flatten)]
    pub(super) list: ListRecord,
    /// By item.
    pub(super) movements: Vec<MovementRecord>,
}

pub(super) async fn records(tx: &mut Tx, lists: Vec<ListView>) -> Result<Vec<ListRecord>> {
    let keys: Vec<i64> = lists.iter().map(|list| list.key.0).collect();
    let counts: HashMap<MovementListKey, list_views::Counts> = list_views::counts(tx, &keys).await?;
    let form = |list: ListView| {
        let counts = counts.get(&list.key).copied().unwrap_or_default();
        record(list, counts)
    };
    Ok(lists.into_iter().map(form).collect())
}

fn record(list: ListView, counts: list_views::Counts) -> ListRecord {
    ListRecord {
        _id: record_id(Collection::MovementList, list.key),
        _key: list.key,
        _rev: revision(list.rev),
        code: list.code,
        kind: list.kind,
        status: list.status,
        due_by: list.due_by,
        created: list.created,
        start: list.start,
        end: list.end,
        closed: list.closed,
        notes: list.notes,
        references: list.references,
        extra: list.extra,
        counts: Counts { planned: counts.planned, completed: counts.completed, canceled: counts.canceled },
    }
}
