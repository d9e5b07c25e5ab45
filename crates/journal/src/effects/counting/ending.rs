//! Giving a session up.

use domain::counting::{CountSession, SessionStep};
use store::counting::{assignments, pairs, records, sessions};
use store::warehouse::stock;

use super::finding::after;
use crate::Result;
use crate::act::Act;

/// Cancels a session that is locked: what is being counted is forgotten, and its pairs are free again.
pub(crate) async fn cancel(act: &mut Act<'_>, session: &mut CountSession) -> Result<()> {
    session.status = after(session, SessionStep::Cancel)?;
    // None of them is corrected, since stock is not corrected yet, and there is no list of corrections.
    let marked = pairs::marked(act.tx, session.key).await?;
    stock::lock(act.tx, &marked).await?;
    pairs::clear(act.tx, session.key).await?;
    records::remove_open(act.tx, session.key).await?;
    assignments::end_open(act.tx, session.key, None).await?;
    Ok(sessions::save(act.tx, session).await?)
}
