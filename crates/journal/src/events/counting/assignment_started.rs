use domain::counting::AssignmentStatus;
use domain::journal::Concerns;
use domain::key::CountAssignmentKey;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::counting::assignments;

use crate::Result;
use crate::act::Act;
use crate::effects::counting::finding::{assignment, must_be_for_author};
use crate::effects::counting::refusing::assignment_is;
use crate::effects::counting::telling::{note_session, outcome};
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// Somebody begins to work on an assignment of a counting session.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AssignmentStarted {
    /// The assignment.
    assignment_key: CountAssignmentKey,
}

impl Postable for AssignmentStarted {
    const TYPE: ClientEvent = ClientEvent::AssignmentStarted;
    const LOCKS: Locks = &[("assignment_key", Lockable::CountAssignment)];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        act.concern(Concerns::default()).await?;
        let (_, mut assignment) = assignment(act, self.assignment_key).await?;
        must_be_for_author(act, &assignment)?;
        if assignment.status != AssignmentStatus::Planned {
            return Err(assignment_is(&assignment));
        }
        (assignment.status, assignment.started) = (AssignmentStatus::Started, Some(act.at));
        assignments::save(act.tx, &mut assignment).await?;
        note_session(act, assignment.session_key)?;
        Ok(outcome([("assignment_key", json!(assignment.key)), ("status", json!(assignment.status))]))
    }
}
