//! The wire formats of counting sessions.

use std::collections::BTreeMap;

use domain::collection::Collection;
use domain::counting::{CountSession, CountType, SessionStatus};
use domain::key::{CountSessionKey, MovementListKey, SnapshotKey, UserKey, record_id, revision};
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use store::Tx;
use store::counting::sessions;

use crate::Result;
use crate::areas::counting::assignment::AssignedTarget;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CountSession")]
pub(super) struct SessionRecord {
    _id: String,
    _key: CountSessionKey,
    _rev: String,
    /// Unique.
    code: String,
    description: Option<String>,
    notes: Option<String>,
    /// What its targets are.
    #[serde(rename = "type")]
    kind: CountType,
    status: SessionStatus,
    /// Whether counters see neither what stock says nor the difference to it, until it is applied or canceled.
    blind_quantities: bool,
    /// Whether counters do not see which serials stock has, until it is applied or canceled.
    blind_serials: bool,
    scheduled_start: Option<Timestamp>,
    scheduled_end: Option<Timestamp>,
    created: Timestamp,
    created_by: UserKey,
    started: Option<Timestamp>,
    completed: Option<Timestamp>,
    applied: Option<Timestamp>,
    /// How many percent of what lay there at the start was counted: products at positions. Null before the start.
    coverage_percentage: Option<Quantity>,
    /// Stock when it started.
    baseline_snapshot_key: Option<SnapshotKey>,
    /// Stock as it would be with what was counted.
    post_count_snapshot_key: Option<SnapshotKey>,
    /// Stock when it was corrected.
    post_adjustment_snapshot_key: Option<SnapshotKey>,
    /// The list of the corrections.
    adjustment_list_key: Option<MovementListKey>,
    /// How many records were confirmed.
    records_to_process: i64,
    /// How many corrections were made.
    movements_created: i64,
    /// How many records could not be applied, or only in part; their `error_details` say why.
    movements_failed: i64,
    processing_started: Option<Timestamp>,
    processing_completed: Option<Timestamp>,
    /// Anything, stored as it is.
    extra: Map<String, Value>,
}

/// A counting session with its targets.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CountSessionFull")]
pub(super) struct Full {
    #[serde(flatten)]
    pub(super) session: SessionRecord,
    /// By the key of the user who is to count them; those for anyone are under the empty key. Each by code.
    pub(super) assignments: BTreeMap<String, Vec<AssignedTarget>>,
}

pub(super) async fn records(tx: &mut Tx, sessions: Vec<CountSession>) -> Result<Vec<SessionRecord>> {
    let mut covered = sessions::coverages(tx, &sessions).await?;
    let form = |session: CountSession| {
        let coverage = covered.remove(&session.key);
        record(session, coverage)
    };
    Ok(sessions.into_iter().map(form).collect())
}

pub(super) fn record(session: CountSession, coverage_percentage: Option<Quantity>) -> SessionRecord {
    SessionRecord {
        _id: record_id(Collection::CountSession, session.key),
        _key: session.key,
        _rev: revision(session.rev),
        code: session.code,
        description: session.description,
        notes: session.notes,
        kind: session.kind,
        status: session.status,
        blind_quantities: session.blind_quantities,
        blind_serials: session.blind_serials,
        scheduled_start: session.scheduled_start,
        scheduled_end: session.scheduled_end,
        created: session.created,
        created_by: session.created_by,
        started: session.started,
        completed: session.completed,
        applied: session.applied,
        coverage_percentage,
        baseline_snapshot_key: session.baseline_snapshot_key,
        post_count_snapshot_key: session.post_count_snapshot_key,
        post_adjustment_snapshot_key: session.post_adjustment_snapshot_key,
        adjustment_list_key: session.adjustment_list_key,
        records_to_process: session.records_to_process,
        movements_created: session.movements_created,
        movements_failed: session.movements_failed,
        processing_started: session.processing_started,
        processing_completed: session.processing_completed,
        extra: session.extra,
    }
}
