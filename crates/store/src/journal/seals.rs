use std::collections::HashMap;

use domain::journal::seal::{Head, Seal, Span};
use domain::journal::verify::{Range, SealedEvent};
use domain::journal::{Digest, Event};
use domain::key::WorkOrderKey;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::events;
use crate::columns::{self, Record, columns};
use crate::row::{FromRow, Row, row_struct};
use crate::schema::{Kind, Table};
use crate::sql::{Page, Paged, Sql, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, StoreError, params};

columns! {
    Seal in seal {
        block,
        kind,
        first_seq,
        last_seq,
        count,
        sealed,
        user_key,
        reason,
        prev_hash,
        hash,
    }
}

impl FromRow for SealedEvent {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { seq: row.column()?, digest: row.column()?, removed_in: row.column()?, by_removal: row.column()? })
    }
}

/// Ascending.
pub async fn list(tx: &mut Tx, from_block: i64, page: &Page) -> Result<Paged<Seal>> {
    Seal::select().filter("block >= {}", from_block).page(tx, "block", page).await
}

pub async fn find(tx: &mut Tx, block: i64) -> Result<Option<Seal>> {
    Seal::select().filter("block = {}", block).maybe(tx).await
}

pub async fn last(tx: &mut Tx) -> Result<Option<Seal>> {
    let page = Page { limit: 1, offset: 0, count: false };
    Ok(Seal::select().page(tx, "block desc", &page).await?.rows.pop())
}

/// The last event that a block up to this one has.
pub async fn last_seq(tx: &mut Tx, up_to: i64) -> Result<Option<i64>> {
    let last = sql!("select last_seq from seal where kind = 'events' and block <= $1 order by block desc limit 1");
    Ok(tx.maybe::<Option<i64>>(last, &params![up_to]).await?.flatten())
}

/// The end of the chain.
pub async fn head(tx: &mut Tx) -> Result<Head> {
    match last(tx).await? {
        None => Ok(Head::default()),
        Some(seal) => head_at(tx, seal).await,
    }
}

/// What the chain ended with when this was its last block.
pub async fn head_at(tx: &mut Tx, seal: Seal) -> Result<Head> {
    Ok(Head { last_seq: last_seq(tx, seal.block).await?, block: seal.block, hash: seal.hash })
}

/// Whether events wait for a block. One single statement.
pub async fn any_pending(tx: &mut Tx) -> Result<bool> {
    let (stored, sealed): (Option<i64>, Option<i64>) = tx
        .one(
            sql!(
                "select (select seq from event order by seq desc limit 1),
                        (select last_seq from seal where kind = 'events' order by block desc limit 1)"
            ),
            &[],
        )
        .await?;
    Ok(stored > sealed)
}

/// How many events wait for a block.
pub async fn count_pending(tx: &mut Tx, last_sealed: Option<i64>) -> Result<i64> {
    let after = last_sealed.unwrap_or(i64::MIN);
    tx.one(sql!("select count(*) from event where seq > $1"), &params![after]).await
}

/// The next events that wait for a block, at most so many, as their numbers and digests.
pub async fn pending(tx: &mut Tx, last_sealed: Option<i64>, most: i64) -> Result<Vec<(i64, Digest)>> {
    let after = last_sealed.unwrap_or(i64::MIN);
    let statement = format!("{} where seq > $1 order by seq limit $2", *events::SELECT);
    let mut found = Vec::new();
    tx.each(Sql::raw(statement), &params![after, most], |row| {
        let event = Event::from_row(row)?;
        found.push((event.seq, event.digest()));
        Ok::<_, StoreError>(())
    })
    .await?;
    Ok(found)
}

/// Adds an entry; a number that is taken is a constraint error.
pub async fn insert(tx: &mut Tx, seal: &Seal) -> Result<()> {
    columns::insert(tx, seal).await
}

pub async fn insert_digests(tx: &mut Tx, digests: &[(i64, Digest)]) -> Result<()> {
    let table = Table::with_columns("sealed_event", &[("seq", Kind::Int), ("digest", Kind::Bytes)]);
    let row = |(seq, digest): &(i64, Digest)| Ok(vec![Value::Int(*seq), Value::from(digest.as_slice())]);
    tx.fill(&table, digests.iter().map(row)).await.map(|_| ())
}

/// Which events are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    All,
    OfWorkOrder(WorkOrderKey),
}

/// Marks the digests of events that the block removes, all of which are sealed. A digest whose event is gone already keeps
/// telling so.
pub async fn mark_removed(tx: &mut Tx, which: Which, block: i64) -> Result<Span> {
    match which {
        Which::All => {
            let mark = sql!(
                "update sealed_event
                 set removed_in = $1
                 where removed_in is null and exists (select 1 from event where event.seq = sealed_event.seq)"
            );
            tx.run(mark, &params![block]).await?;
        }
        Which::OfWorkOrder(order) => {
            let mark = sql!(
                "update sealed_event
                 set removed_in = $1
                 where removed_in is null and seq in (select seq from event where work_order_key = $2)"
            );
            tx.run(mark, &params![block, order]).await?;
        }
    }
    let span = sql!("select min(seq), max(seq), count(*) from sealed_event where removed_in = $1");
    let (first_seq, last_seq, count) = tx.one(span, &params![block]).await?;
    Ok(Span { first_seq, last_seq, count })
}

/// Hands the digests of the events that a block removed to `take`, in the order of their numbers.
pub async fn each_removed(tx: &mut Tx, block: i64, mut take: impl FnMut(SealedEvent)) -> Result<()> {
    tx.each(
        sql!("select seq, digest, removed_in, true from sealed_event where removed_in = $1 order by seq"),
        &params![block],
        |row| {
            take(SealedEvent::from_row(row)?);
            Ok(())
        },
    )
    .await
}

/// The first digests in a range, at most so many.
pub async fn digests(tx: &mut Tx, range: Range, most: i64) -> Result<Vec<SealedEvent>> {
    tx.all(
        sql!(
            "select seq, digest, removed_in,
                    exists (select 1 from seal where seal.block = sealed_event.removed_in and seal.kind = 'removal')
             from sealed_event
             where seq > $1 and seq <= $2
             order by seq
             limit $3"
        ),
        &params![range.after, range.to, most],
    )
    .await
}

row_struct! {
    /// A digest that no block has.
    pub struct Leftover {
        pub seq: i64,
        pub digest: Vec<u8>,
    }
}

/// The first digest behind the last block.
pub async fn leftover(tx: &mut Tx, last_sealed: Option<i64>) -> Result<Option<Leftover>> {
    let after = last_sealed.unwrap_or(i64::MIN);
    tx.maybe(sql!("select seq, digest from sealed_event where seq > $1 order by seq limit 1"), &params![after]).await
}

/// The last number of which there is an event or a digest.
pub async fn last_known(tx: &mut Tx) -> Result<i64> {
    let known = sql!(
        "select (select seq from event order by seq desc limit 1), (select seq from sealed_event order by seq desc limit 1)"
    );
    let (stored, sealed): (Option<i64>, Option<i64>) = tx.one(known, &[]).await?;
    Ok(stored.max(sealed).unwrap_or(0))
}

/// The digest of an event as lists show it and searches find it: another one if that is not what the event says.
fn digest_as_found(mut event: Event, shown: Option<Json>, listed: Option<&Digest>) -> Digest {
    let lists = event.listed();
    let same = match listed {
        Some(listed) => *listed == digest_of(lists.iter().map(|(kind, key)| (kind.name(), *key))),
        None => lists.is_empty(),
    };
    if !same || shown != event.shortened() {
        event.payload = shown.unwrap_or_default();
    }
    event.digest()
}

fn digest_of<'a>(keys: impl Iterator<Item = (&'a str, &'a str)>) -> Digest {
    let mut digest = Sha256::new();
    keys.for_each(|(kind, key)| add(&mut digest, kind, key));
    digest.finalize().into()
}

/// Neither a kind nor a key contains a separator.
fn add(digest: &mut Sha256, kind: &str, key: &str) {
    for part in [kind, " ", key, " "] {
        digest.update(part);
    }
}

/// The digests of the keys by which the events of a range are found, by the events' numbers.
async fn listed_digests(tx: &mut Tx, range: Range) -> Result<HashMap<i64, Digest>> {
    let mut digests: HashMap<i64, Sha256> = HashMap::new();
    let sql = sql!("select seq, kind, key from event_listed where seq > $1 and seq <= $2 order by seq, kind, key");
    tx.each(sql, &params![range.after, range.to], |row| {
        let (seq, kind, key): (i64, String, String) = (row.column()?, row.column()?, row.column()?);
        add(digests.entry(seq).or_default(), &kind, &key);
        Ok::<_, StoreError>(())
    })
    .await?;
    Ok(digests.into_iter().map(|(seq, digest)| (seq, digest.finalize().into())).collect())
}

/// Hands the events of a range to `take` as their numbers and digests; `None` for one that can't be read any more.
pub async fn each_event(tx: &mut Tx, range: Range, mut take: impl FnMut(i64, Option<&Digest>)) -> Result<()> {
    let listed = listed_digests(tx, range).await?;
    let statement = format!(
        "select numbered.seq, numbered.*
         from ({}) as numbered
         where seq > $1 and seq <= $2
         order by seq",
        *events::BOTH
    );
    tx.each(Sql::raw(statement), &params![range.after, range.to], |row| {
        let seq = row.column()?;
        let read = Event::from_row(row).and_then(|event| Ok((event, row.column::<Option<Json>>()?)));
        let digest = match read {
            Ok((event, shown)) => Some(digest_as_found(event, shown, listed.get(&seq))),
            Err(StoreError::Stored(_)) => None,
            Err(error) => return Err(error),
        };
        take(seq, digest.as_ref());
        Ok(())
    })
    .await
}
