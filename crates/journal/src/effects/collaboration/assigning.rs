//! Whom tasks are assigned to.

use domain::collaboration::{Assignee, arranged};
use store::organisation::accounts;

use crate::Result;
use crate::act::Act;

/// The assignment as it is stored; none if it is none that a task can have.
pub(crate) async fn assignment(act: &mut Act<'_>, sent: Vec<Assignee>) -> Result<Option<Vec<Assignee>>> {
    let Some(assignment) = arranged(sent) else { return Ok(None) };
    if assignment.is_empty() {
        return Ok(Some(assignment));
    }
    let keys: Vec<String> = assignment.iter().map(|assignee| assignee.user_key.to_string()).collect();
    let live = accounts::live(act.tx, &keys).await?;
    Ok(assignment.iter().all(|assignee| live.contains(&assignee.user_key)).then_some(assignment))
}
