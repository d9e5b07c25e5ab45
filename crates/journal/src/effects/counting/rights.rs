use domain::counting::CountRecord;
use domain::rule::counting::{CountException, NotCounted};
use domain::scope::Scope;

use super::refusing::refuse;
use crate::Result;
use crate::act::Act;

/// What it takes to start, complete and resume counting sessions.
pub(crate) const UPDATE: Scope = Scope::named("inventory:count:update");
/// What it takes to cancel counting sessions.
pub(crate) const DELETE: Scope = Scope::named("inventory:count:delete");
/// What it takes to review what was counted, and to correct stock by it.
pub(crate) const APPLY: Scope = Scope::named("inventory:count:apply");

/// A count is ended by whoever began it, or by whoever reviews counts.
pub(crate) fn must_be_own(act: &mut Act<'_>, record: &CountRecord) -> Result<()> {
    if record.user_key == act.author.user_key {
        return Ok(());
    }
    if !act.author.may(APPLY) {
        let (position_key, count_record_key) = (Some(record.position_key.clone()), Some(record.key));
        let rule = CountException::of(NotCounted::OtherUser);
        return Err(refuse(CountException { position_key, count_record_key, ..rule }));
    }
    act.must_have(APPLY)
}
