//! Counting sessions, and how much of what they were to count they have counted.

use std::collections::{HashMap, HashSet};

use domain::Quantity;
use domain::collection::Collection;
use domain::counting::{CountSession, CountType, SessionStatus, SessionStep};
use domain::key::{CountSessionKey, SnapshotKey};
use domain::search::Pattern;
use domain::text::fold;

use crate::columns::{self, Record, columns};
use crate::lock::Rows;
use crate::postgres::Turn;
use crate::search::Searched;
use crate::sql::{Page, Paged, sql};
use crate::tx::Tx;
use crate::{Result, params};

const CODE: Searched = Searched { table: "count_session", id: "key", column: "code_folded" };

columns! {
    CountSession in count_session {
        key,
        rev,
        code,
        description,
        notes,
        kind as type,
        status,
        blind_quantities,
        blind_serials,
        scheduled_start,
        scheduled_end,
        created,
        created_by,
        started,
        completed,
        applied,
        coverage,
        baseline_snapshot_key,
        post_count_snapshot_key,
        post_adjustment_snapshot_key,
        adjustment_list_key,
        records_to_process,
        movements_created,
        movements_failed,
        processing_started,
        processing_completed,
        confirmed_by,
        extra,
    }
    derived {
        code_folded: String = |session| fold(&session.code);
    }
    kept { created, created_by }
}

pub async fn find(tx: &mut Tx, key: CountSessionKey) -> Result<Option<CountSession>> {
    CountSession::select().filter("count_session.key = {}", key).maybe(tx).await
}

/// Locked to the end of the transaction: whatever is counted in a session comes one after the other.
pub async fn lock(tx: &mut Tx, key: CountSessionKey) -> Result<Option<CountSession>> {
    tx.take_turns([Turn::of_record("count_session", key.0)])?;
    CountSession::select().filter("count_session.key = {}", key).locked(Rows::CountSession).maybe(tx).await
}

/// A taken code is a constraint error.
pub async fn insert(tx: &mut Tx, session: &CountSession) -> Result<()> {
    tx.changed(Collection::CountSession, session.key);
    columns::insert(tx, session).await
}

/// Stores what has become of a session that is locked. What it has covered is kept once it is over. A taken code is a
/// constraint error.
pub async fn save(tx: &mut Tx, session: &mut CountSession) -> Result<()> {
    tx.changed(Collection::CountSession, session.key);
    session.rev += 1;
    if session.status.is_over() && session.coverage.is_none() {
        session.coverage = coverage(tx, session).await?;
    }
    columns::update(tx, session).await
}

/// Removes a session that was only planned, with its assignments.
pub async fn remove(tx: &mut Tx, key: CountSessionKey) -> Result<()> {
    tx.changed(Collection::CountSession, key);
    tx.run(sql!("delete from count_assignment where session_key = $1"), &params![key]).await?;
    tx.run(sql!("delete from count_session where key = $1"), &params![key]).await.map(|_| ())
}

/// Which of these codes sessions have.
pub async fn taken_codes(tx: &mut Tx, codes: &[String]) -> Result<HashSet<String>> {
    let sql = sql!("select code from count_session where code {in $1}");
    Ok(tx.all::<String>(sql, &params![codes.to_vec()]).await?.into_iter().collect())
}

/// Which sessions are wanted; each condition that is given narrows them.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Of the code.
    pub search: Option<Pattern>,
    pub statuses: Vec<SessionStatus>,
    pub kind: Option<CountType>,
}

/// The newest first.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<CountSession>> {
    let mut query = CountSession::select();
    if let Some(pattern) = &wanted.search {
        query = query.matching(CODE, pattern);
    }
    let statuses: Vec<String> = wanted.statuses.iter().map(|status| status.name().to_owned()).collect();
    query
        .filter_any("count_session.status {in {}}", &statuses)
        .filter_if("count_session.type = {}", wanted.kind)
        .page(tx, "count_session.created desc, count_session.key desc", page)
        .await
}

/// Those whose corrections are being carried out.
pub async fn processing(tx: &mut Tx) -> Result<Vec<CountSessionKey>> {
    tx.all(sql!("select key from count_session where status = 'processing' order by key"), &[]).await
}

/// How many percent of its baseline a session has counted; none before its start.
pub async fn coverage(tx: &mut Tx, session: &CountSession) -> Result<Option<Quantity>> {
    match (session.coverage, session.baseline_snapshot_key) {
        (Some(kept), _) => Ok(Some(kept)),
        (None, Some(baseline)) => covered(tx, session.key, baseline).await.map(Some),
        (None, None) => Ok(None),
    }
}

/// The same of many, as far as they have started.
pub async fn coverages(tx: &mut Tx, sessions: &[CountSession]) -> Result<HashMap<CountSessionKey, Quantity>> {
    let mut found = HashMap::with_capacity(sessions.len());
    for session in sessions {
        if let Some(covered) = coverage(tx, session).await? {
            found.insert(session.key, covered);
        }
    }
    Ok(found)
}

async fn covered(tx: &mut Tx, session: CountSessionKey, baseline: SnapshotKey) -> Result<Quantity> {
    let sql = sql!(
        "select count(*),
                count(*) filter (
                    where exists (
                        select 1
                        from count_record
                        where count_record.session_key = $1
                        and count_record.position_key = pair.position_key
                        and count_record.product_id = pair.product_id
                        and count_record.status in ('completed', 'confirmed')
                    )
                )
         from (
             select distinct snapshot_row.position_key, snapshot_row.product_id
             from snapshot_row
             where snapshot_row.snapshot_key = $2
         ) as pair"
    );
    let (pairs, counted): (i64, i64) = tx.one(sql, &params![session, baseline]).await?;
    Ok(domain::counting::coverage(counted, pairs))
}

/// Cancels all that are not over, for a reset, which lets nobody count meanwhile; returns them.
pub(crate) async fn cancel_all(tx: &mut Tx) -> Result<Vec<CountSession>> {
    let mut open: Vec<CountSession> = CountSession::select()
        .only("count_session.status in ('planned', 'started', 'completed', 'processing')")
        .locked_by(tx, Rows::CountSession, "count_session.key")
        .await?;
    for session in &mut open {
        if let Some(status) = session.status.after(SessionStep::Reset) {
            session.status = status;
            save(tx, session).await?;
        }
    }
    Ok(open)
}
