//! Positions that a session is done with.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use domain::Timestamp;
use domain::collection::Collection;
use domain::counting::{MarkStatus, PlaceCount};
use domain::key::{CountSessionKey, PositionKey, UserKey};

use crate::columns::{self, Record, record};
use crate::row::row_struct;
use crate::sql::{Sql, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct CountMark in count_mark keyed by 2 {
        pub session_key: CountSessionKey,
        pub position_key: PositionKey,
        pub status: MarkStatus,
        pub completed_at: Timestamp,
        /// None: the service.
        pub user_key: Option<UserKey>,
        pub notes: Option<String>,
    }
}

/// So many positions go with one statement.
const AT_ONCE: usize = 2_000;

pub async fn find(tx: &mut Tx, session: CountSessionKey, position: &PositionKey) -> Result<Option<CountMark>> {
    CountMark::select()
        .filter("count_mark.session_key = {}", session)
        .filter("count_mark.position_key = {}", position)
        .maybe(tx)
        .await
}

/// Sets a mark, or replaces it.
pub async fn put(tx: &mut Tx, mark: &CountMark) -> Result<()> {
    tx.changed(Collection::CountSession, mark.session_key);
    columns::replace(tx, mark).await
}

row_struct! {
    pub struct PlaceRow {
        pub position_key: PositionKey,
        pub mark: Option<MarkStatus>,
        pub uncounted: bool,
        pub open_children: bool,
        pub has_goods: bool,
    }
}

impl PlaceRow {
    fn count(&self) -> PlaceCount {
        let Self { mark, uncounted, open_children, has_goods, .. } = *self;
        PlaceCount { mark, uncounted, open_children, has_goods }
    }
}

/// That something lies at a position that the session has not counted.
const UNCOUNTED: &str = "exists (
    select 1
    from stock
    where stock.position_key = position.key
    and not exists (
        select 1
        from count_record
        where count_record.session_key = $1
        and count_record.position_key = stock.position_key
        and count_record.product_id = stock.product_id
        and count_record.status in ('completed', 'confirmed')
    )
)";

/// Which positions a count can mark: those that have no mark and nothing that is not counted, and those that were taken for empty.
static CAN_BE_MARKED: LazyLock<String> =
    LazyLock::new(|| format!("(count_mark.status = 'empty' or (count_mark.status is null and not {UNCOUNTED}))"));
const MARKED: &str = "count_mark.status is not null";

/// How far a session has counted those of these positions for which a condition holds. The outside world and nowhere are never
/// counted.
async fn places(
    tx: &mut Tx,
    session: CountSessionKey,
    positions: &[PositionKey],
    condition: &str,
) -> Result<Vec<PlaceRow>> {
    let text = format!(
        "select position.key, count_mark.status,
                {UNCOUNTED},
                exists (
                    select 1
                    from position_link
                    where position_link.parent_key = position.key
                    and not exists (
                        select 1
                        from count_mark as done
                        where done.session_key = $1 and done.position_key = position_link.child_key
                    )
                ),
                exists (
                    select 1
                    from count_record
                    where count_record.session_key = $1
                    and count_record.position_key = position.key
                    and count_record.status in ('completed', 'confirmed')
                    and count_record.counted_qt > 0
                )
         from position
         left join count_mark on count_mark.session_key = $1 and count_mark.position_key = position.key
         where position.key {{in $2}} and position.key not in ('OUT', 'NULL') and {condition}"
    );
    let mut found = Vec::new();
    for some in positions.chunks(AT_ONCE) {
        found.extend(tx.all::<PlaceRow>(Sql::raw(text.clone()), &params![session, texts(some)]).await?);
    }
    Ok(found)
}

fn texts(positions: &[PositionKey]) -> Vec<String> {
    positions.iter().map(ToString::to_string).collect()
}

/// Marks these positions, if they are counted, then those that they are in, and so on. Those that were taken for empty and have
/// goods are counted. Returns those that had no mark. The session is locked.
pub async fn settle(
    tx: &mut Tx,
    session: CountSessionKey,
    positions: &[PositionKey],
    at: Timestamp,
) -> Result<Vec<PositionKey>> {
    tx.changed(Collection::CountSession, session);
    let (mut checked, mut marked) = (positions.to_vec(), Vec::new());
    while !checked.is_empty() {
        let changed = |place: &PlaceRow| place.count().after_count() != place.mark;
        let found = places(tx, session, &checked, &CAN_BE_MARKED).await?;
        let places: Vec<PlaceRow> = found.into_iter().filter(changed).collect();
        let marks: Vec<CountMark> = places
            .iter()
            .map(|place| CountMark {
                session_key: session,
                position_key: place.position_key.clone(),
                status: MarkStatus::Counted,
                completed_at: at,
                user_key: None,
                notes: None,
            })
            .collect();
        for some in marks.chunks(AT_ONCE) {
            columns::replace_all(tx, some).await?;
        }
        let new: Vec<PositionKey> =
            places.into_iter().filter(|place| place.mark.is_none()).map(|place| place.position_key).collect();
        checked = parents(tx, &new).await?;
        marked.extend(new);
    }
    Ok(marked)
}

/// Takes the marks of these positions away, if they are no longer true, then those of what they are in, and so on; returns
/// them. The session is locked.
pub async fn withdraw(tx: &mut Tx, session: CountSessionKey, positions: &[PositionKey]) -> Result<Vec<PositionKey>> {
    tx.changed(Collection::CountSession, session);
    let (mut checked, mut withdrawn) = (positions.to_vec(), Vec::new());
    while !checked.is_empty() {
        let untrue = |place: &PlaceRow| place.mark.is_some() && place.count().after_discard().is_none();
        let places = places(tx, session, &checked, MARKED).await?.into_iter().filter(untrue);
        let gone: Vec<PositionKey> = places.map(|place| place.position_key).collect();
        for some in gone.chunks(AT_ONCE) {
            let sql = sql!("delete from count_mark where session_key = $1 and position_key {in $2}");
            tx.run(sql, &params![session, texts(some)]).await?;
        }
        checked = parents(tx, &gone).await?;
        withdrawn.extend(gone);
    }
    Ok(withdrawn)
}

/// What these positions are in.
async fn parents(tx: &mut Tx, positions: &[PositionKey]) -> Result<Vec<PositionKey>> {
    let mut found = Vec::new();
    for some in positions.chunks(AT_ONCE) {
        let sql = sql!("select distinct parent_key from position_link where child_key {in $1}");
        found.extend(tx.all::<PositionKey>(sql, &params![texts(some)]).await?);
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The positions directly in one that a session is not done with.
pub async fn open_children(tx: &mut Tx, session: CountSessionKey, position: &PositionKey) -> Result<Vec<PositionKey>> {
    let sql = sql!(
        "select position_link.child_key
         from position_link
         where position_link.parent_key = $2
         and not exists (
             select 1
             from count_mark
             where count_mark.session_key = $1 and count_mark.position_key = position_link.child_key
         )
         order by position_link.child_key"
    );
    tx.all(sql, &params![session, position]).await
}

/// The positions that a session is done with, by key.
pub async fn completed(tx: &mut Tx, session: CountSessionKey) -> Result<Vec<PositionKey>> {
    let sql = sql!("select position_key from count_mark where session_key = $1 order by position_key");
    tx.all(sql, &params![session]).await
}

/// How a session is done with the positions directly in one, as far as it is.
pub async fn of_children(
    tx: &mut Tx,
    session: CountSessionKey,
    parent: &PositionKey,
) -> Result<BTreeMap<PositionKey, MarkStatus>> {
    let sql = sql!(
        "select count_mark.position_key, count_mark.status
         from position_link
         cross join count_mark
         where position_link.parent_key = $2
         and count_mark.session_key = $1
         and count_mark.position_key = position_link.child_key"
    );
    Ok(tx.all::<(PositionKey, MarkStatus)>(sql, &params![session, parent]).await?.into_iter().collect())
}
