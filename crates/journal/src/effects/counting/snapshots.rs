//! Stock as it was at the steps of a session.

use domain::counting::{CountSession, Snapshot, SnapshotType};
use domain::key::SnapshotKey;
use serde_json::json;
use store::counting::snapshots;

use crate::Result;
use crate::act::Act;

/// When a snapshot is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Before anybody counts.
    Baseline,
    /// When all is counted: stock as it would be with the corrections.
    PostCount,
    /// When stock was corrected.
    PostAdjustment,
}

/// Takes a snapshot of what a session is about, in place of an earlier one of the same moment. The session is for the caller to
/// store.
pub(crate) async fn take(act: &mut Act<'_>, session: &mut CountSession, moment: Moment) -> Result<()> {
    let kind = if moment == Moment::PostCount { SnapshotType::Virtual } else { SnapshotType::Actual };
    let scope = snapshots::scope_of(act.tx, session.key).await?;
    let snapshot = Snapshot {
        key: SnapshotKey(act.new_id()?),
        rev: 1,
        kind,
        session_key: session.key,
        taken: act.now,
        scope_type: scope.kind,
        target_keys: json!(scope.target_keys),
        created_by: act.author.user_key.clone(),
    };
    snapshots::take(act.tx, &snapshot, &scope).await?;
    let place = match moment {
        Moment::Baseline => &mut session.baseline_snapshot_key,
        Moment::PostCount => &mut session.post_count_snapshot_key,
        Moment::PostAdjustment => &mut session.post_adjustment_snapshot_key,
    };
    if let Some(earlier) = place.replace(snapshot.key) {
        snapshots::remove(act.tx, earlier).await?;
    }
    Ok(())
}
