use domain::Timestamp;
use domain::journal::listed::Kind;
use domain::journal::{Concerns, Event};
use domain::key::{EventKey, JobKey, TaskKey, WorkOrderKey};
use serde_json::{Value as Json, json};

use crate::row::{FromRow, Row};
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

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

pub(super) const SELECT: &str =
    "select seq, key, event_type, user_key, sent_by, user_session_key, timestamp, recorded, description, context_type,
            context_key, is_primary, event_group, source_key, job_key, phase_key, batch_key, work_order_key, product_key, serial_key,
            issue_key, task_key, movement_key, payload
     from event";

/// Gives the events their numbers and stores them. From here to the end of the transaction no other can store events, so this is
/// the last thing a transaction does.
pub async fn append(tx: &mut Tx, events: &mut [Event]) -> Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    let count = events.len() as i64;
    let last: i64 = tx
        .one(
            sql!(
                "insert into journal_head (id, seq) values (1, $1)
                 on conflict (id) do update set seq = journal_head.seq + excluded.seq
                 returning seq"
            ),
            &params![count],
        )
        .await?;
    for (event, seq) in events.iter_mut().zip(last - count + 1..) {
        event.seq = seq;
        tx.changed("Event", event.key);
    }
    if events.len() <= FEW {
        for event in &*events {
            insert(tx, event).await?;
        }
    } else {
        insert_all(tx, events).await?;
    }
    insert_listed(tx, events).await
}

async fn insert(tx: &mut Tx, event: &Event) -> Result<()> {
    let concerns = &event.concerns;
    tx.run_later(
        sql!(
            "insert into event (
                 seq, key, event_type, user_key, sent_by, user_session_key, timestamp, recorded, description, context_type,
                 context_key, is_primary, event_group, source_key, job_key, phase_key, batch_key, work_order_key, product_key, serial_key,
                 issue_key, task_key, movement_key, payload
             )
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)"
        ),
        &params![
            event.seq,
            event.key,
            &event.event_type,
            &event.user_key,
            event.sent_by.as_ref(),
            event.user_session_key,
            event.timestamp,
            event.recorded,
            event.description.as_deref(),
            event.context_type.as_deref(),
            event.context_key,
            event.primary,
            event.event_group,
            event.source_key,
            concerns.job_key,
            concerns.phase_key,
            concerns.batch_key,
            concerns.work_order_key,
            concerns.product_key.as_ref(),
            concerns.serial_key,
            concerns.issue_key,
            concerns.task_key,
            concerns.movement_key,
            &event.payload
        ],
    )
    .await
}

/// Up to so many go one by one, which is the faster way for them.
const FEW: usize = 24;
/// So many rows, and about so many bytes of payload, go with one statement.
const AT_ONCE: usize = 5_000;
const BYTES_AT_ONCE: usize = 8 * 1024 * 1024;

async fn insert_all(tx: &mut Tx, events: &[Event]) -> Result<()> {
    let mut rows = Vec::new();
    let mut bytes = 0;
    for event in events {
        let payload = event.payload.to_string();
        bytes += payload.len();
        rows.push(row(event, payload));
        if rows.len() == AT_ONCE || bytes >= BYTES_AT_ONCE {
            insert_rows(tx, std::mem::take(&mut rows)).await?;
            bytes = 0;
        }
    }
    insert_rows(tx, rows).await
}

async fn insert_rows(tx: &mut Tx, rows: Vec<Json>) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    tx.run(
        sql!(
            "insert into event (
                 seq, key, event_type, user_key, sent_by, user_session_key, timestamp, recorded, description, context_type,
                 context_key, is_primary, event_group, source_key, job_key, phase_key, batch_key, work_order_key, product_key, serial_key,
                 issue_key, task_key, movement_key, payload
             )
             select cast(seq as {int}), cast(key as {int}), event_type, user_key, sent_by, cast(user_session_key as {int}),
                    cast(timestamp as {int}), cast(recorded as {int}), description, context_type, cast(context_key as {int}),
                    cast(is_primary as {bool}), cast(event_group as {int}), cast(source_key as {int}), cast(job_key as {int}),
                    cast(phase_key as {int}), cast(batch_key as {int}), cast(work_order_key as {int}), product_key,
                    cast(serial_key as {int}), cast(issue_key as {int}), cast(task_key as {int}),
                    cast(movement_key as {int}), payload
             from {rows $1 seq key event_type user_key sent_by user_session_key timestamp recorded description context_type context_key is_primary event_group source_key job_key phase_key batch_key work_order_key product_key serial_key issue_key task_key movement_key payload}"
        ),
        &params![&Json::from(rows)],
    )
    .await
    .map(|_| ())
}

fn row(event: &Event, payload: String) -> Json {
    let concerns = &event.concerns;
    json!({
        "seq": event.seq,
        "key": event.key.0,
        "event_type": event.event_type,
        "user_key": event.user_key,
        "sent_by": event.sent_by,
        "user_session_key": event.user_session_key.map(|key| key.0),
        "timestamp": event.timestamp.millis(),
        "recorded": event.recorded.millis(),
        "description": event.description,
        "context_type": event.context_type,
        "context_key": event.context_key.map(|key| key.0),
        "is_primary": event.primary,
        "event_group": event.event_group.0,
        "source_key": event.source_key.map(|key| key.0),
        "job_key": concerns.job_key.map(|key| key.0),
        "phase_key": concerns.phase_key.map(|key| key.0),
        "batch_key": concerns.batch_key.map(|key| key.0),
        "work_order_key": concerns.work_order_key.map(|key| key.0),
        "product_key": concerns.product_key,
        "serial_key": concerns.serial_key.map(|key| key.0),
        "issue_key": concerns.issue_key.map(|key| key.0),
        "task_key": concerns.task_key.map(|key| key.0),
        "movement_key": concerns.movement_key.map(|key| key.0),
        "payload": payload,
    })
}

async fn insert_listed(tx: &mut Tx, events: &[Event]) -> Result<()> {
    let mut rows = Vec::new();
    for event in events {
        for (kind, key) in event.listed() {
            rows.push(json!({ "kind": kind, "key": key, "seq": event.seq }));
        }
        if rows.len() >= AT_ONCE {
            insert_listed_rows(tx, std::mem::take(&mut rows)).await?;
        }
    }
    insert_listed_rows(tx, rows).await
}

async fn insert_listed_rows(tx: &mut Tx, rows: Vec<Json>) -> Result<()> {
    for rows in rows.chunks(AT_ONCE) {
        tx.run_later(
            sql!(
                "insert into event_listed (kind, key, seq)
                 select kind, key, cast(seq as {int})
                 from {rows $1 kind key seq}"
            ),
            &params![&json!(rows)],
        )
        .await?;
    }
    Ok(())
}

pub async fn find(tx: &mut Tx, key: EventKey) -> Result<Option<Event>> {
    Query::new(SELECT).filter("key = {}", key).maybe(tx).await
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
    Query::new(SELECT)
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
    let mut query = Query::new(SELECT);
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
    kind: Kind,
    column: &'static str,
    own: Value,
    listed: String,
}

fn keys(concerns: &Concerns) -> impl Iterator<Item = Key> {
    fn key<K: ToString + Into<Value>>(kind: Kind, column: &'static str, key: Option<K>) -> Option<Key> {
        key.map(|key| Key { kind, column, listed: key.to_string(), own: key.into() })
    }
    let product = concerns.product_key.as_ref();
    [
        key(Kind::Issue, "issue_key", concerns.issue_key),
        key(Kind::Serial, "serial_key", concerns.serial_key),
        key(Kind::Job, "job_key", concerns.job_key),
        key(Kind::WorkOrder, "work_order_key", concerns.work_order_key),
        key(Kind::Batch, "batch_key", concerns.batch_key),
        key(Kind::Product, "product_key", product),
        key(Kind::Task, "task_key", concerns.task_key),
        key(Kind::Movement, "movement_key", concerns.movement_key),
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

/// Removes all events; gives their number. Their digests are marked before.
pub async fn remove_all(tx: &mut Tx) -> Result<u64> {
    tx.run(sql!("delete from event_listed"), &[]).await?;
    tx.run(sql!("delete from event"), &[]).await
}

/// The same for the events of one work order.
pub async fn remove_of_work_order(tx: &mut Tx, key: WorkOrderKey) -> Result<u64> {
    let listed = sql!("delete from event_listed where seq in (select seq from event where work_order_key = $1)");
    tx.run(listed, &params![key]).await?;
    tx.run(sql!("delete from event where work_order_key = $1"), &params![key]).await
}
