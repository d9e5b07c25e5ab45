//! Whom tasks are assigned to.

use domain::collaboration::{Assignee, arranged};
use store::organisation::accounts;

use crate::Result;
use crate::act::Act;

/// The assignment as it is stored, or why a task can't have it.
pub(crate) async fn assignment(
    act: &mut Act<'_>,
    sent: Vec<Assignee>,
) -> Result<std::result::Result<Vec<Assignee>, String>> {
    let Some(assignment) = arranged(sent) else {
        return Ok(Err("A task is assigned to each user once, and exactly one of them is its owner.".to_owned()));
    };
    if assignment.is_empty() {
        return Ok(Ok(assignment));
    }
    let keys: Vec<String> = assignment.iter().map(|assignee| assignee.user_key.to_string()).collect();
    let live = accounts::live(act.tx, &keys).await?;
    let unknown = assignment.iter().map(|assignee| &assignee.user_key).find(|key| !live.contains(key));
    Ok(match unknown {
        Some(key) => Err(format!("There is no user {key} to assign the task to.")),
        None => Ok(assignment),
    })
}
