use domain::counting::{AssignmentStatus, CountAssignment};
use domain::journal::Concerns;
use domain::key::CountAssignmentKey;
use domain::rule::counting::{CountException, NotCounted};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::counting::{assignments, records};

use crate::Result;
use crate::act::Act;
use crate::effects::counting::finding::{assignment, must_be_for_author, must_have_begun};
use crate::effects::counting::refusing::{assignment_is, refuse};
use crate::effects::counting::telling::{note_session, outcome};
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// The work on an assignment of a counting session is done.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AssignmentCompleted {
    /// The assignment.
    assignment_key: CountAssignmentKey,
}

impl Postable for AssignmentCompleted {
    const TYPE: ClientEvent = ClientEvent::AssignmentCompleted;
    const LOCKS: Locks = &[("assignment_key", Lockable::CountAssignment)];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        act.concern(Concerns::default()).await?;
        let (_, mut assignment) = assignment(act, self.assignment_key).await?;
        must_be_for_author(act, &assignment)?;
        if assignment.status != AssignmentStatus::Started {
            return Err(assignment_is(&assignment));
        }
        must_have_begun(act, assignment.started)?;
        must_have_no_open_record(act, &assignment).await?;
        (assignment.status, assignment.completed) = (AssignmentStatus::Completed, Some(act.at));
        assignments::save(act.tx, &mut assignment).await?;
        note_session(act, assignment.session_key)?;
        Ok(outcome([("assignment_key", json!(assignment.key)), ("status", json!(assignment.status))]))
    }
}

async fn must_have_no_open_record(act: &mut Act<'_>, assignment: &CountAssignment) -> Result<()> {
    if !records::has_open(act.tx, assignment.key).await? {
        return Ok(());
    }
    let open = records::open_of_session(act.tx, assignment.session_key).await?;
    let open = records::find_all(act.tx, &open.iter().map(|key| key.0).collect::<Vec<_>>()).await?;
    let own = open.iter().filter(|record| record.assignment_key == Some(assignment.key));
    let count_record_keys = own.map(|record| record.key).collect();
    Err(refuse(CountException { count_record_keys, ..CountException::of(NotCounted::RecordsOpen) }))
}
