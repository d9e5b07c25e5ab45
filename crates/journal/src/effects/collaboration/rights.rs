//! Who may do what with issues, messages and tasks.

use domain::Timestamp;
use domain::key::UserKey;
use domain::scope::Scope;
use store::organisation::accounts;

use crate::act::{Act, BEHALF};
use crate::{Error, Result};

/// What it takes to delete issues.
pub(crate) const DELETE_ISSUES: Scope = Scope::named("collaboration:issue:delete");

/// Who did something, as an event says in a member of this name: the author, unless it names somebody else, which takes a right of
/// its own.
pub(crate) async fn done_by(act: &mut Act<'_>, field: &str, sent: Option<UserKey>) -> Result<UserKey> {
    let Some(user) = sent.filter(|user| *user != act.author.user_key) else { return Ok(act.author.user_key.clone()) };
    act.must_have(BEHALF)?;
    if !accounts::live(act.tx, &[user.to_string()]).await?.contains(&user) {
        return Err(Error::missing(field, user));
    }
    Ok(user)
}

/// When something was done, as an event says in a member of this name: at the time of the event when left out, and never later.
pub(crate) fn done_at(act: &Act<'_>, field: &str, sent: Option<Timestamp>) -> Result<Timestamp> {
    match sent {
        Some(time) if time > act.at => Err(Error::timestamp(format!("`{field}` lies after the event itself."), None)),
        Some(time) => Ok(time),
        None => Ok(act.at),
    }
}

/// Notes that the author needed to be an administrator.
pub(crate) fn rely_on_admin(act: &mut Act<'_>) {
    Scope::all().for_each(|scope| act.tx.rely_on(scope));
}
