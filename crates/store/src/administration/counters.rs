use std::collections::HashSet;

use domain::Timestamp;
use domain::collection::Collection;
use domain::config::TIMEZONE;
use domain::counter::{Counter, Frequency, TimeZone, zone};
use domain::key::CounterKey;
use domain::text::fold;
use serde_json::json;

use crate::lock::Rows;
use crate::postgres::Turn;
use crate::row::{FromRow, Row};
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, StoreError, params};

/// A counter as it is stored.
#[derive(Debug, Clone)]
pub struct Stored {
    pub key: CounterKey,
    pub rev: i64,
    pub name: String,
    pub counter: Counter,
}

impl FromRow for Stored {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let (key, rev, name) = (row.column()?, row.column()?, row.column()?);
        let template: serde_json::Value = row.column()?;
        let frequency: Option<String> = row.column()?;
        let frequency = frequency.map(|name| Frequency::parse(&name).ok_or_else(|| unreadable(&name)));
        let template = template.as_array().into_iter().flatten();
        let counter = Counter {
            template: template.filter_map(|part| part.as_str().map(str::to_owned)).collect(),
            frequency: frequency.transpose()?,
            next_tick: row.column()?,
            reset_date: row.column()?,
        };
        Ok(Self { key, rev, name, counter })
    }
}

fn unreadable(frequency: &str) -> StoreError {
    StoreError::Stored(format!("{frequency} is no frequency"))
}

fn counters() -> Query {
    Query::new("select key, rev, name, template, frequency, next_tick, reset_date from counter")
}

pub async fn keys(tx: &mut Tx) -> Result<HashSet<String>> {
    Ok(tx.all::<String>(sql!("select key from counter"), &[]).await?.into_iter().collect())
}

pub async fn exists(tx: &mut Tx, key: &CounterKey) -> Result<bool> {
    let sql = sql!("select key from counter where key = $1");
    Ok(tx.maybe::<String>(sql, &params![key]).await?.is_some())
}

/// The counters with these keys or names: key, name.
pub async fn named(tx: &mut Tx, texts: &[String]) -> Result<Vec<(CounterKey, String)>> {
    let sql = sql!("select key, name from counter where key {in $1} or name {in $1}");
    tx.all(sql, &params![texts.to_vec()]).await
}

pub async fn find(tx: &mut Tx, key: &CounterKey) -> Result<Option<Stored>> {
    counters().filter("key = {}", key).maybe(tx).await
}

/// By name ignoring case.
pub async fn list(tx: &mut Tx, name: Option<&str>, key: Option<&CounterKey>, page: &Page) -> Result<Paged<Stored>> {
    counters()
        .filter_if("name = {}", name)
        .filter_if("key = {}", key)
        .page(tx, "name_folded = '', name_folded, name, key", page)
        .await
}

/// Locked to the end of the transaction: what is drawn from it is drawn one after the other, and given back with a failure.
pub async fn lock(tx: &mut Tx, key: &CounterKey) -> Result<Option<Stored>> {
    tx.take_turns_late([Turn::of_record("counter", key.as_str())])?;
    counters().filter("key = {}", key).locked(Rows::Counter).maybe(tx).await
}

/// Every counter that has periods, locked in key order.
pub async fn lock_periodic(tx: &mut Tx) -> Result<Vec<Stored>> {
    counters().only("frequency is not null").locked_by(tx, Rows::Counter, "key").await
}

/// A taken key is a constraint error.
pub async fn insert(tx: &mut Tx, stored: &Stored) -> Result<()> {
    let Stored { key, rev, name, counter } = stored;
    tx.changed(Collection::Counter, key);
    let [key, name, folded, template, frequency, next_tick, reset_date] = values(key, name, counter);
    tx.run(
        sql!(
            "insert into counter (key, name, name_folded, template, frequency, next_tick, reset_date, rev)
             values ($1, $2, $3, $4, $5, $6, $7, $8)"
        ),
        &[key, name, folded, template, frequency, next_tick, reset_date, Value::from(*rev)],
    )
    .await
    .map(|_| ())
}

pub async fn update(tx: &mut Tx, key: &CounterKey, name: &str, counter: &Counter) -> Result<()> {
    tx.changed(Collection::Counter, key);
    tx.run(
        sql!(
            "update counter
             set name = $2, name_folded = $3, template = $4, frequency = $5, next_tick = $6, reset_date = $7, rev = rev + 1
             where key = $1"
        ),
        &values(key, name, counter),
    )
    .await
    .map(|_| ())
}

fn values(key: &CounterKey, name: &str, counter: &Counter) -> [Value; 7] {
    params![
        key,
        name,
        fold(name),
        &json!(counter.template),
        counter.frequency.map(Frequency::name),
        counter.next_tick,
        counter.reset_date
    ]
}

pub async fn remove(tx: &mut Tx, key: &CounterKey) -> Result<()> {
    tx.changed(Collection::Counter, key);
    tx.run(sql!("delete from counter where key = $1"), &params![key]).await.map(|_| ())
}

/// Where a counter stands after a draw, or after the site's time zone changed.
pub async fn set_state(tx: &mut Tx, key: &CounterKey, next_tick: i64, reset_date: Option<Timestamp>) -> Result<()> {
    tx.changed(Collection::Counter, key);
    tx.run(
        sql!("update counter set next_tick = $2, reset_date = $3, rev = rev + 1 where key = $1"),
        &params![key, next_tick, reset_date],
    )
    .await
    .map(|_| ())
}

/// What came of drawing codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drawn {
    Codes(Vec<String>),
    NoCounter,
    /// So many codes in a row were taken that looking further makes no sense.
    AllTaken,
}

/// So many taken codes in a row end a draw.
const TAKEN_IN_A_ROW: usize = 1000;

/// Draws `count` codes for records of the caller's transaction; `taken` tells which of the codes it is given exist already.
/// The counter stays locked to the end, so no two draws see the same tick, and a transaction that is undone gives its ticks
/// back.
pub async fn draw(
    tx: &mut Tx,
    key: &CounterKey,
    count: usize,
    now: Timestamp,
    taken: impl AsyncFn(&mut Tx, &[String]) -> Result<HashSet<String>>,
) -> Result<Drawn> {
    let Some(Stored { mut counter, .. }) = lock(tx, key).await? else { return Ok(Drawn::NoCounter) };
    let zone = site_zone(tx).await?;
    let (mut codes, mut skipped) = (Vec::with_capacity(count), 0);
    while codes.len() < count {
        let mut candidates = Vec::with_capacity(count - codes.len());
        for _ in codes.len()..count {
            let code = counter.draw(now, &zone);
            candidates.push(code.ok_or_else(|| StoreError::Stored(format!("counter {key} is at its end")))?);
        }
        let known = taken(tx, &candidates).await?;
        for code in candidates {
            if known.contains(&code) {
                skipped += 1;
            } else {
                skipped = 0;
                codes.push(code);
            }
            if skipped == TAKEN_IN_A_ROW {
                return Ok(Drawn::AllTaken);
            }
        }
    }
    set_state(tx, key, counter.next_tick, counter.reset_date).await?;
    Ok(Drawn::Codes(codes))
}

/// The time zone that counters live in.
pub async fn site_zone(tx: &mut Tx) -> Result<TimeZone> {
    let name = super::config::get(tx, TIMEZONE).await?;
    let name = name.as_ref().and_then(|name| name.as_str()).unwrap_or("UTC");
    zone(name).ok_or_else(|| StoreError::Stored(format!("{name} is no time zone")))
}
