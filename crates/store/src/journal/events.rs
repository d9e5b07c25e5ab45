use std::sync::LazyLock;

use domain::Timestamp;
use domain::journal::listed::ListedKind;
use domain::journal::{Concerns, Event};
use domain::key::{EventKey, JobKey, TaskKey, WorkOrderKey};

use super::append::COLUMNS;
pub use super::append::{Spool, append, append_last};
use crate::notification::deliveries;
use crate::row::{FromRow, Row};
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

/// In the order of [`super::append::COLUMNS`].
impl FromRow for Event {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            seq: row.column()?,
            key: row.column()?,
            event_type: row.column()?,
            user_key: row.column()?,
            sent_by: row.column()?,
            user_session_key: row.column()?,
            timestamp: row.column()?,
            recorded: row.column()?,
            description: row.column()?,
            context_type: row.column()?,
            context_key: row.column()?,
            primary: row.column()?,
            event_group: row.column()?,
            source_key: row.column()?,
            concerns: Concerns {
                job_key: row.column()?,
                phase_key: row.column()?,
                batch_key: row.column()?,
                work_order_key: row.column()?,
                product_key: row.column()?,
                serial_key: row.column()?,
                issue_key: row.column()?,
                task_key: row.column()?,
                movement_key: row.column()?,
            },
            payload: row.column()?,
        })
    }
}

pub(super) static SELECT: LazyLock<String> = LazyLock::new(|| format!("select {} from event", read("payload")));
/// With long lists in payloads cut.
static SHOWN: LazyLock<String> =
    LazyLock::new(|| format!("select {} from event", read("coalesce(event.shown, event.payload)")));

/// Whole payloads, with the cut ones behind everything else.
pub(super) static BOTH: LazyLock<String> = LazyLock::new(|| format!("select {}, shown from event", read("payload")));

/// The columns that are read, with this one as the payload.
fn read(payload: &str) -> String {
    let names = COLUMNS.iter().map(|(name, _)| *name).filter(|name| *name != "shown");
    names.map(|name| if name == "payload" { payload } else { name }).collect::<Vec<_>>().join(", ")
}

/// The number of the last event that is stored; 0 before the first.
pub async fn head(tx: &mut Tx) -> Result<i64> {
    Ok(tx.maybe(sql!("select seq from journal_head"), &[]).await?.unwrap_or(0))
}

pub async fn find(tx: &mut Tx, key: EventKey) -> Result<Option<Event>> {
    Query::new(&SELECT).filter("key = {}", key).maybe(tx).await
}

/// An event by its number, as lists of events show it.
pub async fn shown(tx: &mut Tx, seq: i64) -> Result<Option<Event>> {
    Query::new(&SHOWN).filter("seq = {}", seq).maybe(tx).await
}

/// Which of these types the newest event of a job has that has one of them.
pub async fn last_type_of_job(tx: &mut Tx, job: JobKey, types: &[&str]) -> Result<Option<String>> {
    tx.maybe(
        sql!(
            "select event_type
             from event
             where job_key = $1 and job_key is not null and event_type {in $2}
             order by seq desc
             limit 1"
        ),
        &params![job, types.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>()],
    )
    .await
}

/// The events that an event made itself, in their order.
pub async fn children(tx: &mut Tx, event: &Event) -> Result<Vec<Event>> {
    Query::new(&SELECT)
        .filter("event_group = {}", event.event_group)
        .filter("source_key = {}", event.key)
        .all(tx, "seq")
        .await
}

/// Which events are wanted; empty lists and `None` ask for nothing, all else has to fit.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub types: Vec<String>,
    pub user_keys: Vec<String>,
    /// Each key as the event's own or in a list of its payload.
    pub concerns: Concerns,
    pub event_group: Option<EventKey>,
    pub context_type: Option<String>,
    pub context_key: Option<TaskKey>,
    pub primary: Option<bool>,
    /// Inclusive.
    pub from: Option<Timestamp>,
    /// Inclusive.
    pub to: Option<Timestamp>,
    pub after_seq: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    OldestFirst,
    NewestFirst,
    /// By number: nothing ever comes to stand before what was read.
    Seq,
    SeqDescending,
}

impl Order {
    fn text(self) -> &'static str {
        match self {
            Order::OldestFirst => "timestamp, seq",
            Order::NewestFirst => "timestamp desc, seq desc",
            Order::Seq => "seq",
            Order::SeqDescending => "seq desc",
        }
    }
}

pub async fn list(tx: &mut Tx, wanted: &Wanted, order: Order, page: &Page) -> Result<Paged<Event>> {
    let mut query = Query::new(&SHOWN);
    query = any_of(query, "event_type", &wanted.types);
    query = any_of(query, "user_key", &wanted.user_keys);
    for key in keys(&wanted.concerns) {
        query = concerning(tx, query, key).await?;
    }
    query
        .filter_if("event_group = {}", wanted.event_group)
        .filter_if("context_type = {}", wanted.context_type.as_deref())
        .filter_if("context_key = {}", wanted.context_key)
        .filter_if("is_primary = {}", wanted.primary)
        .filter_if("timestamp >= {}", wanted.from)
        .filter_if("timestamp <= {}", wanted.to)
        .filter_if("seq > {}", wanted.after_seq)
        .page(tx, order.text(), page)
        .await
}

/// A single value leaves the rows in the order of the index, several do not.
fn any_of(query: Query, column: &str, values: &[String]) -> Query {
    match values {
        [] => query,
        [one] => query.filter(&format!("{column} = {{}}"), one),
        several => query.filter_any(&format!("{column} {{in {{}}}}"), several),
    }
}

/// A record that events are looked for by: its kind, the column of an event's own, the key in it and in lists.
struct Key {
    kind: ListedKind,
    column: &'static str,
    own: Value,
    listed: String,
}

fn keys(concerns: &Concerns) -> impl Iterator<Item = Key> {
    fn key<K: ToString + Into<Value>>(kind: ListedKind, column: &'static str, key: Option<K>) -> Option<Key> {
        key.map(|key| Key { kind, column, listed: key.to_string(), own: key.into() })
    }
    let product = concerns.product_key.as_ref();
    [
        key(ListedKind::Issue, "issue_key", concerns.issue_key),
        key(ListedKind::Serial, "serial_key", concerns.serial_key),
        key(ListedKind::Job, "job_key", concerns.job_key),
        key(ListedKind::WorkOrder, "work_order_key", concerns.work_order_key),
        key(ListedKind::Batch, "batch_key", concerns.batch_key),
        key(ListedKind::Product, "product_key", product),
        key(ListedKind::Task, "task_key", concerns.task_key),
        key(ListedKind::Movement, "movement_key", concerns.movement_key),
    ]
    .into_iter()
    .flatten()
}

/// Neither engine reads two indexes in one order, so the lists are only looked into where the key is in one.
async fn concerning(tx: &mut Tx, query: Query, Key { kind, column, own, listed }: Key) -> Result<Query> {
    let is_listed: Option<i64> = tx
        .maybe(sql!("select seq from event_listed where kind = $1 and key = $2 limit 1"), &params![kind, &listed])
        .await?;
    if is_listed.is_none() {
        return Ok(query.filter(&format!("{column} = {{}}"), own));
    }
    let either = format!(
        "seq in (
             select seq from event where {column} = {{}}
             union select seq from event_listed where kind = {{}} and key = {{}}
         )"
    );
    Ok(query.filter_row(&either, [own, kind.into(), listed.into()]))
}

/// Removes all events, and their deliveries to webhooks; gives their number. Their digests are marked before.
pub async fn remove_all(tx: &mut Tx) -> Result<u64> {
    deliveries::remove_all(tx).await?;
    tx.run(sql!("delete from event_listed"), &[]).await?;
    tx.run(sql!("delete from event"), &[]).await
}

/// Removes the events of one work order, and their deliveries to webhooks; gives their number. Their digests are marked before.
pub async fn remove_of_work_order(tx: &mut Tx, key: WorkOrderKey) -> Result<u64> {
    deliveries::remove_of_work_order(tx, key).await?;
    let listed = sql!("delete from event_listed where seq in (select seq from event where work_order_key = $1)");
    tx.run(listed, &params![key]).await?;
    tx.run(sql!("delete from event where work_order_key = $1"), &params![key]).await
}
