//! The sessions, assignments, records and positions that counts are about. Whatever is counted in a session waits for its lock,
//! and is read under it.

use domain::Timestamp;
use domain::counting::{CountAssignment, CountRecord, CountSession, RecordStatus, SessionStatus, SessionStep};
use domain::key::{CountAssignmentKey, CountRecordKey, CountSessionKey, PositionKey};
use domain::rule::counting::{CountException, NotCounted};
use domain::warehouse::movement::is_beyond;
use store::counting::{assignments, records, sessions};
use store::warehouse::positions::{self, Position};

use super::naming::{COUNT_SESSION_KEY, SessionName};
use super::refusing::{record_is, refuse, session_is};
use crate::act::Act;
use crate::{Error, Result};

/// Locks a session.
pub(crate) async fn session(act: &mut Act<'_>, key: CountSessionKey) -> Result<CountSession> {
    sessions::lock(act.tx, key).await?.ok_or_else(|| Error::missing(COUNT_SESSION_KEY, key))
}

/// Locks the session that an event names.
pub(crate) async fn session_named(act: &mut Act<'_>, name: SessionName) -> Result<CountSession> {
    let (member, key) = name.key()?;
    sessions::lock(act.tx, key).await?.ok_or_else(|| Error::missing(member, key))
}

/// Checks that a session is in a state.
pub(crate) fn must_be(session: &CountSession, status: SessionStatus) -> Result<()> {
    if session.status == status { Ok(()) } else { Err(session_is(session)) }
}

/// The state of a session after a step.
pub(crate) fn after(session: &CountSession, step: SessionStep) -> Result<SessionStatus> {
    session.status.after(step).ok_or_else(|| session_is(session))
}

/// Checks that what ends now had begun by then.
pub(crate) fn must_have_begun(act: &mut Act<'_>, began: Option<Timestamp>) -> Result<()> {
    let Some(began) = began else { return Ok(()) };
    act.not_before(began);
    if act.at < began { Err(Error::timestamp("What ends began later.", Some(began))) } else { Ok(()) }
}

/// A record, with its session, which is locked.
pub(crate) async fn record(act: &mut Act<'_>, key: CountRecordKey) -> Result<(CountSession, CountRecord)> {
    let missing = || Error::missing("count_key", key);
    let found = records::find(act.tx, key).await?.ok_or_else(missing)?;
    let session = session(act, found.session_key).await?;
    // Its count may have ended meanwhile.
    let record = records::find(act.tx, key).await?.ok_or_else(missing)?;
    Ok((session, record))
}

/// Checks that a record is in a state.
pub(crate) fn record_must_be(record: &CountRecord, status: RecordStatus) -> Result<()> {
    if record.status == status { Ok(()) } else { Err(record_is(record)) }
}

/// An assignment, with its session, which is locked and has started.
pub(crate) async fn assignment(act: &mut Act<'_>, key: CountAssignmentKey) -> Result<(CountSession, CountAssignment)> {
    let missing = || Error::missing("assignment_key", key);
    let found = assignments::find(act.tx, key).await?.ok_or_else(missing)?;
    let session = session(act, found.session_key).await?;
    let assignment = assignments::find(act.tx, key).await?.ok_or_else(missing)?;
    must_be(&session, SessionStatus::Started)?;
    Ok((session, assignment))
}

/// An assignment of a session that is locked.
pub(crate) async fn assignment_of(
    act: &mut Act<'_>,
    session: &CountSession,
    key: CountAssignmentKey,
) -> Result<CountAssignment> {
    let found = assignments::find(act.tx, key).await?.ok_or_else(|| Error::missing("assignment_key", key))?;
    if found.session_key != session.key {
        return Err(Error::mismatch("assignment_key", key, None));
    }
    Ok(found)
}

/// Checks that an assignment is the user's whose event it is, or nobody's.
pub(crate) fn must_be_for_author(act: &Act<'_>, assignment: &CountAssignment) -> Result<()> {
    if assignment.is_for(&act.author.user_key) {
        return Ok(());
    }
    let assignment_key = Some(assignment.key);
    Err(refuse(CountException { assignment_key, ..CountException::of(NotCounted::OtherUser) }))
}

/// Holds a position in which something can be counted: it stays while the transaction lasts.
pub(crate) async fn countable(act: &mut Act<'_>, key: &PositionKey) -> Result<Position> {
    let found = positions::hold(act.tx, &[key.to_string()]).await?.pop();
    let position = found.ok_or_else(|| Error::missing("position_key", key))?;
    if position.deleted || is_beyond(key) {
        let position_key = Some(key.clone());
        return Err(refuse(CountException { position_key, ..CountException::of(NotCounted::PositionNotCountable) }));
    }
    Ok(position)
}
