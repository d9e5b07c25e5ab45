//! What was counted of products at positions, and what is being counted.

use std::collections::BTreeSet;

use domain::Timestamp;
use domain::collection::Collection;
use domain::counting::CountRecord;
use domain::key::{CountAssignmentKey, CountRecordKey, CountSessionKey, PositionKey, ProductId, UserKey};
use domain::warehouse::stock::Pair;

use crate::columns::{self, Record, columns};
use crate::sql::{Page, Paged, sql};
use crate::tx::Tx;
use crate::warehouse::stock::rows_of;
use crate::{Result, params};

columns! {
    CountRecord in count_record {
        key,
        rev,
        session_key,
        product_id,
        position_key,
        assignment_key,
        user_key,
        status,
        system_qt,
        system_at,
        started_at,
        system_corrections,
        counted_qt,
        counted_at,
        reviewed_at,
        processed,
        done,
        error_details,
        notes,
        extra,
    }
    kept {
        session_key,
        product_id,
        position_key,
        assignment_key,
        user_key,
        system_qt,
        system_at,
        started_at,
        system_corrections,
    }
}

/// So many keys or pairs go with one statement.
const KEYS_AT_ONCE: usize = 10_000;

pub async fn find(tx: &mut Tx, key: CountRecordKey) -> Result<Option<CountRecord>> {
    CountRecord::select().filter("count_record.key = {}", key).maybe(tx).await
}

/// Those of these that there are.
pub async fn find_all(tx: &mut Tx, keys: &[i64]) -> Result<Vec<CountRecord>> {
    CountRecord::select().filter("count_record.key {in {}}", keys.to_vec()).all(tx, "count_record.key").await
}

/// Stores new ones of a session that is locked. A taken key is a constraint error.
pub async fn insert_all(tx: &mut Tx, records: &[CountRecord]) -> Result<()> {
    records.iter().for_each(|record| tx.changed(Collection::CountRecord, record.key));
    columns::insert_many(tx, records).await
}

/// Stores what has become of one whose session is locked.
pub async fn save(tx: &mut Tx, record: &mut CountRecord) -> Result<()> {
    tx.changed(Collection::CountRecord, record.key);
    record.rev += 1;
    columns::update_later(tx, record).await
}

/// Removes one that was not completed.
pub async fn remove(tx: &mut Tx, key: CountRecordKey) -> Result<()> {
    tx.changed(Collection::CountRecord, key);
    tx.run_later(sql!("delete from count_serial where record_key = $1"), &params![key]).await?;
    tx.run_later(sql!("delete from count_record where key = $1"), &params![key]).await
}

/// Those of a session that were not completed.
pub async fn open_of_session(tx: &mut Tx, session: CountSessionKey) -> Result<Vec<CountRecordKey>> {
    let sql = sql!("select key from count_record where session_key = $1 and status = 'started' order by key");
    tx.all(sql, &params![session]).await
}

/// Removes those of a session that were not completed; their pairs are freed before ([`super::pairs::clear`]).
pub async fn remove_open(tx: &mut Tx, session: CountSessionKey) -> Result<()> {
    for key in open_of_session(tx, session).await? {
        remove(tx, key).await?;
    }
    Ok(())
}

/// Whether something is being counted for an assignment.
pub async fn has_open(tx: &mut Tx, assignment: CountAssignmentKey) -> Result<bool> {
    let sql = sql!(
        "select exists (
             select 1
             from count_record
             where assignment_key = $1 and assignment_key is not null and status = 'started'
         )"
    );
    tx.one(sql, &params![assignment]).await
}

/// The live ones of a session.
pub async fn live_of_session(tx: &mut Tx, session: CountSessionKey) -> Result<Vec<CountRecord>> {
    CountRecord::select()
        .filter("count_record.session_key = {}", session)
        .only("count_record.status in ('completed', 'confirmed')")
        .all(tx, "count_record.key")
        .await
}

/// Discards the live ones of these pairs that this user has made in a session that is locked; returns them.
pub async fn discard_earlier(
    tx: &mut Tx,
    session: CountSessionKey,
    pairs: &BTreeSet<Pair>,
    user: &UserKey,
    at: Timestamp,
) -> Result<Vec<CountRecordKey>> {
    let mut found = live_of_pairs(tx, session, pairs).await?;
    found.retain(|(_, by)| by == user);
    let keys: Vec<CountRecordKey> = found.into_iter().map(|(key, _)| key).collect();
    discard(tx, &numbers(&keys), at).await?;
    Ok(keys)
}

/// Discards the live ones of these pairs in a session that is locked; returns how many there were.
pub async fn discard_of_pairs(
    tx: &mut Tx,
    session: CountSessionKey,
    pairs: &BTreeSet<Pair>,
    at: Timestamp,
) -> Result<usize> {
    let keys: Vec<i64> = live_of_pairs(tx, session, pairs).await?.iter().map(|(key, _)| key.0).collect();
    discard(tx, &keys, at).await?;
    Ok(keys.len())
}

/// Discards all live ones of a session that is locked; returns what each of them has counted.
pub async fn discard_all(tx: &mut Tx, session: CountSessionKey, at: Timestamp) -> Result<Vec<Pair>> {
    let sql = sql!(
        "select key, product_id, position_key
         from count_record
         where session_key = $1 and status in ('completed', 'confirmed')"
    );
    let found: Vec<(CountRecordKey, ProductId, PositionKey)> = tx.all(sql, &params![session]).await?;
    let keys: Vec<i64> = found.iter().map(|(key, _, _)| key.0).collect();
    discard(tx, &keys, at).await?;
    Ok(found.into_iter().map(|(_, product_id, position_key)| Pair { product_id, position_key }).collect())
}

/// Live ones: key, user.
async fn live_of_pairs(
    tx: &mut Tx,
    session: CountSessionKey,
    pairs: &BTreeSet<Pair>,
) -> Result<Vec<(CountRecordKey, UserKey)>> {
    let all: Vec<&Pair> = pairs.iter().collect();
    let mut found = Vec::new();
    for some in all.chunks(KEYS_AT_ONCE) {
        let sql = sql!(
            "select count_record.key, count_record.user_key
             from {rows $2 product_id position_key}
             cross join count_record
             where count_record.session_key = $1
             and count_record.position_key = listed.position_key
             and count_record.product_id = cast(listed.product_id as {int})
             and count_record.status in ('completed', 'confirmed')"
        );
        found.extend(tx.all::<(CountRecordKey, UserKey)>(sql, &params![session, &rows_of(some)]).await?);
    }
    Ok(found)
}

fn numbers(keys: &[CountRecordKey]) -> Vec<i64> {
    keys.iter().map(|key| key.0).collect()
}

/// Discards live ones whose session is locked.
pub async fn discard(tx: &mut Tx, keys: &[i64], at: Timestamp) -> Result<()> {
    for some in keys.chunks(KEYS_AT_ONCE) {
        some.iter().for_each(|key| tx.changed(Collection::CountRecord, CountRecordKey(*key)));
        let sql =
            sql!("update count_record set status = 'discarded', reviewed_at = $2, rev = rev + 1 where key {in $1}");
        tx.run_later(sql, &params![some.to_vec(), at]).await?;
    }
    Ok(())
}

/// Confirms completed ones whose session is locked; those that correct nothing are processed with it.
pub async fn confirm(tx: &mut Tx, keys: &[i64], at: Timestamp, processed: bool) -> Result<()> {
    for some in keys.chunks(KEYS_AT_ONCE) {
        some.iter().for_each(|key| tx.changed(Collection::CountRecord, CountRecordKey(*key)));
        let sql = sql!(
            "update count_record
             set status = 'confirmed', reviewed_at = $2, processed = $3, rev = rev + 1
             where key {in $1}"
        );
        tx.run_later(sql, &params![some.to_vec(), at, processed]).await?;
    }
    Ok(())
}

/// How many of a session were processed.
pub async fn processed(tx: &mut Tx, session: CountSessionKey) -> Result<i64> {
    tx.one(sql!("select count(*) from count_record where session_key = $1 and processed"), &params![session]).await
}

/// How many of a session have still to be processed.
pub async fn count_waiting(tx: &mut Tx, session: CountSessionKey) -> Result<i64> {
    let sql =
        sql!("select count(*) from count_record where session_key = $1 and status = 'confirmed' and not processed");
    tx.one(sql, &params![session]).await
}

/// The next ones of a session that have to be processed, by key.
pub async fn waiting(tx: &mut Tx, session: CountSessionKey, most: i64) -> Result<Vec<CountRecord>> {
    let next: Paged<CountRecord> = CountRecord::select()
        .filter("count_record.session_key = {}", session)
        .only("count_record.status = 'confirmed' and not count_record.processed")
        .page(tx, "count_record.key", &Page { limit: most, offset: 0, count: false })
        .await?;
    Ok(next.rows)
}
