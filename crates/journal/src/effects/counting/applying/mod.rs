//! Correcting stock by what was counted, step by step: each is a transaction of its own, which knows from the records themselves
//! what is left. So whoever stops or dies in between loses nothing and doubles nothing.

mod correcting;
mod floor;
mod parts;
mod places;

use domain::Timestamp;
use domain::counting::{CountSession, SessionStatus, SessionStep};
use domain::key::CountSessionKey;
use domain::scope::Rights;
use domain::warehouse::movement::{ListState, ListStatus};
use store::counting::{assignments, pairs, records, sessions};
use store::node::Node;
use store::warehouse::{movement_lists, movements, stock};
use store::{Lock, Tx};

use super::finding::after;
use super::snapshots::{self, Moment};
use crate::act::{Act, Author};
use crate::effects::warehouse::planned::lock_list;
use crate::event::ServerEvent;
use crate::event::made::counting::CountSessionApplied;
use crate::{Error, Result};

/// The most records of one step.
const MOST_RECORDS: i64 = 500;

/// How far a session has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// There may be more to do.
    More,
    /// The session is applied.
    Applied,
    /// There is nothing to do: it is over, or was canceled.
    Over,
}

/// Does the next step of a session, in the name of whoever confirmed it.
pub async fn apply_chunk(tx: &mut Tx, node: &Node, key: CountSessionKey, now: Timestamp) -> Result<Step> {
    let Some(found) = sessions::find(tx, key).await?.filter(is_processing) else { return Ok(Step::Over) };
    let confirmed_by = found.confirmed_by.ok_or_else(|| Error::broken("a counting session that nobody confirmed"))?;
    // A reset that waits for this step keeps nobody else waiting.
    tx.lock_shared(Lock::Bulk).await?;
    let author = Author::new(confirmed_by, None, Rights::default());
    let mut act = Act::begin(tx, node, author, now).await?;
    let locked = sessions::lock(act.tx, key).await?.filter(is_processing);
    let Some(mut session) = locked else { return Ok(Step::Over) };
    // However the clocks of nodes differ.
    act.not_before(session.processing_started.unwrap_or(now));
    let records = records::waiting(act.tx, key, MOST_RECORDS).await?;
    let step = if records.is_empty() {
        act.make(ServerEvent::CountSessionApplied.name(), &CountSessionApplied { count_session_key: key })?;
        finish(&mut act, &mut session, SessionStep::Apply).await?;
        Step::Applied
    } else {
        correcting::correct(&mut act, &mut session, records).await?;
        Step::More
    };
    act.store().await?;
    Ok(step)
}

fn is_processing(session: &CountSession) -> bool {
    session.status == SessionStatus::Processing
}

/// Ends a session that is locked and whose records are all processed: its list is completed, nothing is locked by it any more, and
/// stock is kept as it is now. The step says how it came there.
pub(crate) async fn finish(act: &mut Act<'_>, session: &mut CountSession, step: SessionStep) -> Result<()> {
    session.status = after(session, step)?;
    complete_list(act, session).await?;
    let marked = pairs::marked(act.tx, session.key).await?;
    if !marked.is_empty() {
        stock::lock(act.tx, &marked).await?;
        pairs::clear(act.tx, session.key).await?;
    }
    snapshots::take(act, session, Moment::PostAdjustment).await?;
    assignments::end_open(act.tx, session.key, Some(act.at)).await?;
    session.applied = Some(act.at);
    session.processing_completed = Some(act.at);
    Ok(sessions::save(act.tx, session).await?)
}

async fn complete_list(act: &mut Act<'_>, session: &CountSession) -> Result<()> {
    let Some(key) = session.adjustment_list_key else { return Ok(()) };
    let mut list = lock_list(act, key).await?;
    let tally = movements::tally(act.tx, key).await?;
    let (start, end) = (tally.first_start.or(list.start_at), tally.last_end.or(Some(act.at)));
    let state = ListState { status: ListStatus::Completed, start, end };
    Ok(movement_lists::set_state(act.tx, &mut list, state).await?)
}
