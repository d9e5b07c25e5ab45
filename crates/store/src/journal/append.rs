//! Storing events. Their numbers come from one row, which is raised as the last thing of a transaction: from there to its end no
//! other transaction can store events.

use std::sync::LazyLock;

use domain::collection::Collection;
use domain::journal::Event;
use postgres_types::Type;
use serde_json::{Value as Json, json};

use super::Number;
use crate::dialect::Dialect;
use crate::schema::{Kind, Table};
use crate::sql::sql;
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, Sql, params};

/// The columns of an event: whoever adds one adds it here, to [`values`] and to what reads it in `events.rs`. The last one is only read
/// where lists of events show it.
pub(super) const COLUMNS: &[(&str, Kind)] = &[
    ("seq", Kind::Int),
    ("key", Kind::Int),
    ("event_type", Kind::Text),
    ("user_key", Kind::Text),
    ("sent_by", Kind::Text),
    ("user_session_key", Kind::Int),
    ("timestamp", Kind::Int),
    ("recorded", Kind::Int),
    ("description", Kind::Text),
    ("context_type", Kind::Text),
    ("context_key", Kind::Int),
    ("is_primary", Kind::Bool),
    ("event_group", Kind::Int),
    ("source_key", Kind::Int),
    ("job_key", Kind::Int),
    ("phase_key", Kind::Int),
    ("batch_key", Kind::Int),
    ("work_order_key", Kind::Int),
    ("product_key", Kind::Text),
    ("serial_key", Kind::Int),
    ("issue_key", Kind::Int),
    ("task_key", Kind::Int),
    ("movement_key", Kind::Int),
    ("payload", Kind::Text),
    ("shown", Kind::Text),
];

/// In the order of the columns.
fn values(event: &Event, seq: i64) -> Vec<Value> {
    let mut values = Vec::with_capacity(COLUMNS.len());
    values.push(seq.into());
    values.extend(unnumbered(event));
    values
}

/// In the order of the columns, without the number.
fn unnumbered(event: &Event) -> [Value; COLUMNS.len() - 1] {
    let concerns = &event.concerns;
    params![
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
        &event.payload,
        event.shortened().as_ref().map_or(Value::Null, Value::from)
    ]
}

pub(super) fn table() -> Table {
    Table::with_columns("event", COLUMNS)
}

/// The keys in the lists of payloads, by which events are found as well.
fn listed_table() -> Table {
    Table::with_columns("event_listed", &[("kind", Kind::Text), ("key", Kind::Text), ("seq", Kind::Int)])
}

type Rows<'a> = Box<dyn Iterator<Item = Result<Vec<Value>>> + Send + 'a>;

/// The rows of events that are numbered from here on.
fn rows(events: &[Event], first: i64) -> Rows<'_> {
    Box::new(events.iter().zip(first..).map(|(event, seq)| Ok(values(event, seq))))
}

fn listed_rows(events: &[Event], first: i64) -> Rows<'_> {
    let of_one = |(event, seq): (&Event, i64)| {
        let listed: Vec<_> =
            event.listed().into_iter().map(|(kind, key)| Ok(params![kind, key, seq].to_vec())).collect();
        listed
    };
    Box::new(events.iter().zip(first..).flat_map(of_one))
}

/// Up to so many go one by one, which is the faster way for them.
const FEW: usize = 24;
/// More than so many, or those of a bulk, are brought to the database before they get their numbers.
const SPOOLED: usize = 500;

/// Gives the events their numbers and stores them: the last thing a transaction does.
pub async fn append(tx: &mut Tx, events: &mut [Event]) -> Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    if events.len() > SPOOLED && !tx.is_sole_writer() {
        let mut spool = Spool::default();
        spool.add(tx, events).await?;
        let first = spool.store(tx).await?;
        events.iter_mut().zip(first..).for_each(|(event, seq)| event.seq = seq);
        return Ok(());
    }
    let first = draw(tx, events.len() as i64).await?;
    for (event, seq) in events.iter_mut().zip(first..) {
        event.seq = seq;
        tx.changed(Collection::Event, event.key);
    }
    if events.len() <= FEW {
        return insert_each(tx, events, first).await;
    }
    fill(tx, &table(), rows(events, first)).await?;
    fill(tx, &listed_table(), listed_rows(events, first)).await
}

/// Stores the events of one request, whose numbers nobody has to know before the transaction ends. Gives the number of the first.
pub async fn append_last(tx: &mut Tx, mut events: Vec<Event>) -> Result<Number> {
    if events.is_empty() || events.len() > FEW || !tx.numbers_last() {
        append(tx, &mut events).await?;
        return Ok(events.first().map_or(0, |event| event.seq).into());
    }
    events.iter().for_each(|event| tx.changed(Collection::Event, event.key));
    let rows = EventRows::new(&events);
    let first = rows.first.clone();
    tx.store_last(rows);
    Ok(first)
}

/// Events of one request that PostgreSQL is to number and store in one flight with the commit.
pub(crate) struct EventRows {
    /// The values of each, without its number.
    pub(crate) rows: Vec<Vec<Value>>,
    /// The keys in the lists of its payload, with the place of the event.
    listed: Vec<(&'static str, String, usize)>,
    /// Known when they are stored.
    pub(crate) first: Number,
}

impl EventRows {
    fn new(events: &[Event]) -> Self {
        let listed = |(place, event): (usize, &Event)| {
            let keys = event.listed().into_iter();
            keys.map(|(kind, key)| (kind.name(), key.to_owned(), place)).collect::<Vec<_>>()
        };
        Self {
            rows: events.iter().map(|event| unnumbered(event).to_vec()).collect(),
            listed: events.iter().enumerate().flat_map(listed).collect(),
            first: Number::default(),
        }
    }

    /// The types of the values.
    pub(crate) fn types() -> Vec<Type> {
        COLUMNS[1..].iter().map(|(_, kind)| kind.postgres_type()).collect()
    }
}

/// Raises the journal's number by `$1` and stores as many events, in one statement of PostgreSQL: from the number to the end of the
/// transaction there is no round trip. Their values are spelled out, or come as one array for each column.
pub(crate) fn insert_events(spelled_out: Option<usize>) -> String {
    let columns = COLUMNS.len() - 1;
    let given = match spelled_out {
        Some(count) => {
            let row = |index: usize| {
                let places: Vec<String> =
                    (0..columns).map(|place| format!("${}", 2 + index * columns + place)).collect();
                format!("((select seq from head) - {}, {})", count - 1 - index, places.join(", "))
            };
            format!("values {}", (0..count).map(row).collect::<Vec<_>>().join(", "))
        }
        None => {
            let types = EventRows::types();
            let arrays: Vec<String> =
                types.iter().zip(2..).map(|(kind, place)| format!("${place}::{kind}[]")).collect();
            let names: Vec<&str> = COLUMNS[1..].iter().map(|(name, _)| *name).collect();
            format!(
                "select head.seq - $1 + given.place, {} from head, unnest({}) with ordinality as given ({}, place)",
                names.iter().map(|name| format!("given.\"{name}\"")).collect::<Vec<_>>().join(", "),
                arrays.join(", "),
                names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "),
            )
        }
    };
    format!(
        "with head as (
             insert into journal_head (id, seq) values (1, $1)
             on conflict (id) do update set seq = journal_head.seq + excluded.seq
             returning seq
         ), stored as (
             insert into event ({}) {given}
         )
         select seq from head",
        table().column_list(),
    )
}

/// Stores the keys that these events list, right after they were numbered.
pub(crate) fn insert_listed(events: &[EventRows]) -> Option<(String, Vec<Value>)> {
    let mut listed = Vec::new();
    let mut behind: usize = events.iter().map(|events| events.rows.len()).sum();
    for events in events {
        for (kind, key, place) in &events.listed {
            listed.push(json!({ "kind": kind, "key": key, "before": (behind - 1 - place).to_string() }));
        }
        behind -= events.rows.len();
    }
    if listed.is_empty() {
        return None;
    }
    let sql = sql!(
        "insert into event_listed (kind, key, seq)
         select listed.kind, listed.key, journal_head.seq - cast(listed.before as {int})
         from journal_head, {rows $1 kind key before}"
    );
    Some((sql.spelled(Dialect::Postgres).into_owned(), params![&Json::Array(listed)].to_vec()))
}

/// Raises the journal's number; gives the first of those that are now taken.
async fn draw(tx: &mut Tx, count: i64) -> Result<i64> {
    tx.rest_briefly().await?;
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
    Ok(last - count + 1)
}

async fn insert_each(tx: &mut Tx, events: &[Event], first: i64) -> Result<()> {
    for row in rows(events, first) {
        tx.run_later(Sql::from_literal(&INSERT), &row?).await?;
    }
    let listed: Vec<Result<Vec<Value>>> = listed_rows(events, first).collect();
    if listed.len() > FEW {
        return fill(tx, &listed_table(), Box::new(listed.into_iter())).await;
    }
    for row in listed {
        tx.run_later(sql!("insert into event_listed (kind, key, seq) values ($1, $2, $3)"), &row?).await?;
    }
    Ok(())
}

static INSERT: LazyLock<String> = LazyLock::new(|| {
    let places: Vec<String> = (1..=COLUMNS.len()).map(|place| format!("${place}")).collect();
    format!("insert into event ({}) values ({})", table().column_list(), places.join(", "))
});

async fn fill(tx: &mut Tx, table: &Table, rows: Rows<'_>) -> Result<()> {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    tx.fill(table, rows).await.map(|_| ())
}

/// Events that are in the database already, in tables of this transaction that nobody else sees, and have no numbers yet. So
/// others wait no longer than it takes to copy them from one table to the other.
#[derive(Debug, Default)]
pub struct Spool {
    count: i64,
}

impl Spool {
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes events to the others.
    pub async fn add(&mut self, tx: &mut Tx, events: &[Event]) -> Result<()> {
        if events.is_empty() {
            return Ok(());
        }
        if self.count == 0 {
            // Their columns are those of the tables that they stand for; places stand for numbers.
            tx.batch(
                "create temporary table event_spool (like event) on commit drop;
                 create temporary table event_listed_spool (like event_listed) on commit drop",
            )
            .await?;
        }
        let place = self.count;
        let (spool, listed) = (table().named("event_spool"), listed_table().named("event_listed_spool"));
        fill(tx, &spool, rows(events, place)).await?;
        fill(tx, &listed, listed_rows(events, place)).await?;
        events.iter().for_each(|event| tx.changed(Collection::Event, event.key));
        self.count += events.len() as i64;
        Ok(())
    }

    /// Numbers and stores all of them; gives the number of the first. From the number on everybody else waits: so the statements
    /// are prepared before it, and go out together with the commit.
    pub async fn store(self, tx: &mut Tx) -> Result<i64> {
        let copy = |table: Table, spool: &str| {
            let columns = table.column_list();
            let numbered = columns.replace("\"seq\"", "\"seq\" + $1");
            Sql::raw(format!("insert into {} ({columns}) select {numbered} from {spool}", table.quoted()))
        };
        let copies = [copy(table(), "event_spool"), copy(listed_table(), "event_listed_spool")];
        for copy in &copies {
            tx.prepare(copy.clone()).await?;
        }
        let first = draw(tx, self.count).await?;
        for copy in copies {
            tx.run_later(copy, &params![first]).await?;
        }
        Ok(first)
    }
}
