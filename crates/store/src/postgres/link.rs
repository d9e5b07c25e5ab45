//! One transaction on a connection. It begins together with its first statement, and a connection that is dropped in the middle
//! of one is thrown away, never handed on.

use std::borrow::Cow;
use std::pin::{Pin, pin};

use futures_util::TryStreamExt;
use futures_util::future::try_join;
use parking_lot::Mutex;
use postgres_types::{ToSql, Type};
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::{Row, RowStream, Statement};

use super::Object;
use super::flight::{Flight, changes};
use super::group::{Fate, Seat};
use super::turns::{HeldTurns, Mode, Turn};
use crate::dialect::ROW_LOCK;
use crate::journal::EventRows;
use crate::lock::Lock;
use crate::row::weight_of_row;
use crate::schema::Table;
use crate::tx::Begin;
use crate::usage::Usage;
use crate::value::Value;
use crate::{Result, StoreError};

impl Begin {
    fn text(self) -> Option<&'static str> {
        match self {
            Begin::Read => Some("begin isolation level repeatable read read only"),
            // Who waits for a lock longer than that gives its connection back and comes again.
            Begin::Write => Some("begin isolation level read committed; set local lock_timeout = '500ms'"),
            // What others hold for longer is asked for now and then, without standing in anybody's way.
            Begin::Again => Some("begin isolation level read committed; set local lock_timeout = '100ms'"),
            // Only few at a time: each keeps a connection. Without that, others would be first for ever.
            Begin::Patient => Some("begin isolation level read committed; set local lock_timeout = '20s'"),
            // It would have to do all of its work again.
            Begin::Large => Some(
                "begin isolation level read committed; set local lock_timeout = '120s'; set local statement_timeout = '30min'",
            ),
            Begin::Alone => None,
        }
    }
}

/// A transaction, on a connection of its own or in a group.
pub(crate) struct PostgresLink {
    line: Line,
    begin: Option<Begin>,
    /// A statement failed: PostgreSQL would answer a commit with a silent rollback.
    failed: bool,
    /// Whether statements went out that may have changed something.
    wrote: bool,
    /// What nobody waits for goes out together with the next statement, or with the commit.
    waiting: Flight,
    numbering: Option<OwnedMutexGuard<()>>,
    held: HeldTurns,
    large: bool,
    _share: Option<OwnedSemaphorePermit>,
}

/// Where the statements of a transaction go.
enum Line {
    Own(Object),
    Shared(Seat),
    Ended,
}

/// From the numbers of events to the commit everybody else waits: a node that freezes there must not hold them for long.
pub(crate) const REST_BRIEFLY: &str = "set local idle_in_transaction_session_timeout = '5s'";

/// A transaction whose order is larger shares with nobody.
const LARGE_BYTES: usize = 256 * 1024;

/// How many statements wait for the next one at most.
const TOGETHER: usize = 28;

impl PostgresLink {
    pub(super) fn new(client: Object, begin: Begin, held: HeldTurns, share: Option<OwnedSemaphorePermit>) -> Self {
        Self::on(Line::Own(client), Some(begin), held, share)
    }

    pub(super) fn in_group(mut seat: Seat, held: HeldTurns) -> Self {
        seat.note_use();
        Self::on(Line::Shared(seat), None, held, None)
    }

    fn on(line: Line, begin: Option<Begin>, held: HeldTurns, share: Option<OwnedSemaphorePermit>) -> Self {
        Self {
            line,
            begin,
            failed: false,
            wrote: false,
            waiting: Flight::default(),
            numbering: None,
            held,
            large: matches!(begin, Some(Begin::Large)),
            _share: share,
        }
    }

    pub(crate) fn is_large(&self) -> bool {
        self.large
    }

    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.line, Line::Shared(_))
    }

    /// Refuses what the members of a group can't do, being one transaction.
    pub(crate) fn must_be_alone(&self) -> Result<()> {
        match self.line {
            Line::Shared(_) => Err(StoreError::alone()),
            _ => Ok(()),
        }
    }

    /// Whether a lock that many share at a time is held already.
    pub(crate) fn holds_shared(&self, lock: Lock) -> bool {
        matches!(&self.line, Line::Shared(seat) if seat.shares(lock))
    }

    pub(crate) fn take_turns(&mut self, wanted: impl IntoIterator<Item = Turn>, mode: Mode) -> Result<()> {
        self.held.take(wanted, mode)
    }

    /// Takes a lock that many share for the whole group, which does not wait for it.
    pub(crate) async fn share_in_group(&mut self, lock: Lock) -> Result<()> {
        let Line::Shared(seat) = &self.line else { return Ok(()) };
        if seat.shares(lock) {
            return Ok(());
        }
        let taken = self
            .with_begin(async |client| {
                let statement = client.prepare("select pg_try_advisory_xact_lock_shared($1)").await?;
                Ok(client.query_one(&statement, &[&lock.advisory_key()]).await?.get::<_, bool>(0))
            })
            .await?;
        match &self.line {
            Line::Shared(seat) if taken => seat.note_shared(lock),
            _ => return Err(StoreError::alone()),
        }
        Ok(())
    }

    /// The order of a job or of a batch, if it is known here.
    pub(crate) fn order_of(&self, key: i64) -> Option<i64> {
        self.held.turns().order_of(key)
    }

    pub(crate) fn remember_order(&self, key: i64, order: i64) {
        self.held.turns().remember(key, order);
    }

    fn client(&self) -> Result<&Object> {
        match &self.line {
            Line::Own(client) => Ok(client),
            Line::Shared(seat) => Ok(seat.client()),
            Line::Ended => Err(StoreError::unavailable("the transaction has ended")),
        }
    }

    /// Keeps a statement until another one goes out.
    pub(crate) async fn run_later(&mut self, text: String, params: &[Value]) -> Result<()> {
        self.refuse_locks(&text)?;
        self.waiting.add(text, params);
        if self.waiting.statements() < TOGETHER { Ok(()) } else { self.with_begin(async |_| Ok(())).await }
    }

    /// Keeps rows until the end. They go out in one statement with all that come under the same text, which inserts one of them.
    pub(crate) fn insert_last(&mut self, text: String, rows: Vec<Vec<Value>>) {
        self.waiting.insert(text, rows);
    }

    /// Keeps events until the end, behind everything else, since others wait from their numbers to the commit.
    pub(crate) fn store_last(&mut self, events: EventRows) {
        self.waiting.number(events);
    }

    /// Sends what waits, also what was to go out last.
    pub(crate) async fn flush(&mut self) -> Result<()> {
        let mut flight = std::mem::take(&mut self.waiting);
        if flight.is_empty() {
            return Ok(());
        }
        if flight.numbers() {
            flight.add(REST_BRIEFLY.to_owned(), &[]);
        }
        if let Line::Own(_) = self.line {
            self.wait_to_number(&flight).await;
        }
        self.send(flight, async |_| Ok(())).await
    }

    /// Takes the turn at numbering events. It is kept to the end of the transaction, as the lock behind it is: so nobody waits for
    /// the turn who has the lock.
    async fn wait_to_number(&mut self, flight: &Flight) {
        if flight.numbers() && self.numbering.is_none() {
            self.numbering = self.held.turns().clone().numbering().await;
        }
    }

    /// Runs `statement`, in one round trip with what waits and, when it is the first, with the begin.
    async fn with_begin<T>(&mut self, statement: impl AsyncFnOnce(&Object) -> Result<T>) -> Result<T> {
        let flight = self.waiting.without_last();
        self.send(flight, statement).await
    }

    async fn send<T>(&mut self, flight: Flight, statement: impl AsyncFnOnce(&Object) -> Result<T>) -> Result<T> {
        let begin = self.begin.and_then(Begin::text);
        if begin.is_some() {
            self.begin = None;
        }
        self.wrote |= flight.writes();
        let client = self.client()?;
        let answer = flight.send(client, begin, statement).await;
        if answer.as_ref().is_err_and(StoreError::is_read_only) {
            client.distrust_all();
        }
        // What is too large to be read breaks nothing.
        self.failed |= answer.as_ref().is_err_and(|error| !matches!(error, StoreError::Large | StoreError::Crowded));
        answer
    }

    /// Looks at a statement that is about to go out.
    fn look_at(&mut self, text: &str) -> Result<()> {
        self.wrote |= changes(text);
        self.refuse_locks(text)
    }

    /// In a group row locks keep nobody apart.
    fn refuse_locks(&self, text: &str) -> Result<()> {
        if text.contains(ROW_LOCK) { self.must_be_alone() } else { Ok(()) }
    }

    pub(crate) async fn query(&mut self, text: &str, params: &[Value], usage: &mut Usage) -> Result<Vec<Row>> {
        self.look_at(text)?;
        self.with_begin(async |client| {
            let statement = client.prepare(text).await?;
            collect(client.query_raw(&statement, params.iter()).await?, |row| usage.take(weight_of_row(row))).await
        })
        .await
    }

    /// The text of a statement that locks rows: a group does not wait for them.
    fn without_waiting<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.is_shared() { Cow::Owned(format!("{text} skip locked")) } else { Cow::Borrowed(text) }
    }

    /// Another node has what is missing, or it is not there: alone, the transaction finds out.
    fn must_have(&self, found: usize, expected: usize) -> Result<()> {
        if found < expected { self.must_be_alone() } else { Ok(()) }
    }

    /// Rows that are locked, under turns, and others, in one round trip: these are read when the locks are held. A group does not
    /// wait for the locks, and is left by one that lacks any of so many.
    pub(crate) async fn query_locked(
        &mut self,
        locked: (&str, &[Value]),
        expected: usize,
        others: (&str, &[Value]),
        usage: &mut Usage,
    ) -> Result<(Vec<Row>, Vec<Row>)> {
        let text = self.without_waiting(locked.0);
        let both = self
            .with_begin(async |client| {
                let statements = (client.prepare(&text).await?, client.prepare(others.0).await?);
                let usage = Mutex::new(usage);
                let query = async |statement: &Statement, params: &[Value]| {
                    let rows = client.query_raw(statement, params.iter()).await?;
                    collect(rows, |row| usage.lock().take(weight_of_row(row))).await
                };
                try_join(query(&statements.0, locked.1), query(&statements.1, others.1)).await
            })
            .await?;
        self.must_have(both.0.len(), expected)?;
        // Nor do others wait for what is large.
        let bytes: usize = both.0.iter().chain(&both.1).map(Row::raw_size_bytes).sum();
        if bytes > LARGE_BYTES {
            self.must_be_alone()?;
        }
        Ok(both)
    }

    /// All rows of a text that callers put together: it is not kept prepared.
    pub(crate) async fn query_once(&mut self, text: &str, params: &[Value], usage: &mut Usage) -> Result<Vec<Row>> {
        self.look_at(text)?;
        self.with_begin(async |client| {
            let params = params.iter().map(|value| (value, value.postgres_type()));
            collect(client.query_typed_raw(text, params).await?, |row| usage.take(weight_of_row(row))).await
        })
        .await
    }

    pub(crate) async fn stream(&mut self, text: &str, params: &[Value]) -> Result<RowStream> {
        self.must_be_alone()?;
        self.with_begin(async |client| {
            let statement = client.prepare(text).await?;
            Ok(client.query_raw(&statement, params.iter()).await?)
        })
        .await
    }

    /// The next row of a stream; the connection reads ahead no more than a buffer of it.
    pub(crate) async fn next_of(&mut self, rows: Pin<&mut RowStream>) -> Result<Option<Row>> {
        let next = TryStreamExt::try_next(&mut { rows }).await;
        self.failed |= next.is_err();
        Ok(next?)
    }

    /// What failed was undone to a savepoint before it.
    pub(crate) fn mend(&mut self) {
        self.failed = false;
    }

    pub(crate) async fn batch(&mut self, text: &str) -> Result<()> {
        self.must_be_alone()?;
        self.with_begin(async |client| Ok(client.batch_execute(text).await?)).await
    }

    /// Fills a table without a round trip for every row.
    pub(crate) async fn copy_in<E: From<StoreError>>(
        &mut self,
        table: &Table,
        rows: impl Iterator<Item = Result<Vec<Value>, E>>,
    ) -> Result<u64, E> {
        self.must_be_alone()?;
        let text = format!("copy {} ({}) from stdin (format binary)", table.quoted(), table.column_list());
        let sink = self.with_begin(async |client| Ok(client.copy_in(&text).await?)).await?;
        // Until the copy is complete there is nothing to commit.
        let failed = std::mem::replace(&mut self.failed, true);
        let types: Vec<Type> = table.columns.iter().map(|column| column.kind.postgres_type()).collect();
        let mut copy = pin!(BinaryCopyInWriter::new(sink, &types));
        for row in rows {
            copy.as_mut().write(&borrowed(&row?)).await.map_err(StoreError::from)?;
        }
        let filled = copy.finish().await.map_err(StoreError::from)?;
        self.failed = failed;
        Ok(filled)
    }

    pub(crate) async fn prepare(&mut self, text: &str) -> Result<()> {
        self.with_begin(async |client| Ok(client.prepare(text).await.map(|_| ())?)).await
    }

    pub(crate) async fn execute(&mut self, text: &str, params: &[Value]) -> Result<u64> {
        self.look_at(text)?;
        self.with_begin(async |client| {
            let statement = client.prepare(text).await?;
            Ok(client.execute(&statement, &borrowed(params)).await?)
        })
        .await
    }

    /// Ends the transaction; only a connection that ended it cleanly goes back to the pool.
    pub(crate) async fn end(mut self, commit: bool) -> Result<()> {
        let keep = commit && !self.failed;
        let flight = std::mem::take(&mut self.waiting);
        if let Line::Shared(_) = self.line {
            return self.end_in_group(keep.then_some(flight)).await;
        }
        let flight = if keep { flight } else { Flight::default() };
        if self.begin.is_some() && flight.is_empty() {
            // Nothing was ever sent: nothing to end.
            return Ok(());
        }
        let end = if keep { "commit" } else { "rollback" };
        self.wait_to_number(&flight).await;
        self.send(flight, async |client| Ok(client.batch_execute(end).await?)).await?;
        self.begin = Some(Begin::Read);
        if commit && !keep {
            return Err(StoreError::unavailable("a statement failed and its transaction was to be committed"));
        }
        Ok(())
    }

    /// Ends as a member of a group: what it concluded holds once the group is committed.
    async fn end_in_group(&mut self, flight: Option<Flight>) -> Result<()> {
        let Line::Shared(seat) = std::mem::replace(&mut self.line, Line::Ended) else { return Ok(()) };
        // Whoever was refused before it changed anything has nothing to be undone.
        let flight = flight.or_else(|| (!self.failed && !self.wrote).then(Flight::default));
        match seat.end(flight).await {
            Fate::Committed => Ok(()),
            Fate::Lost => Err(StoreError::alone()),
            Fate::Unknown(error) => Err(error),
        }
    }

    /// Leaves its group before it has concluded anything.
    pub(crate) fn give_up(mut self) {
        if let Line::Shared(seat) = std::mem::replace(&mut self.line, Line::Ended)
            && !self.failed
            && !self.wrote
        {
            seat.give_up();
        }
    }
}

impl Drop for PostgresLink {
    fn drop(&mut self) {
        if self.begin.is_none()
            && let Line::Own(client) = std::mem::replace(&mut self.line, Line::Ended)
        {
            drop(Object::take(client));
        }
    }
}

fn borrowed(params: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

/// All rows, of which each is looked at as it arrives: the connection reads ahead no more than a buffer.
async fn collect(rows: RowStream, mut look: impl FnMut(&Row) -> Result<()>) -> Result<Vec<Row>> {
    let mut rows = pin!(rows);
    let mut found = Vec::new();
    while let Some(row) = rows.as_mut().try_next().await? {
        look(&row)?;
        found.push(row);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever waited for a lock has to see what its holder did, whatever the database's own default is.
    #[test]
    fn changes_say_how_they_are_isolated() {
        for begin in [Begin::Write, Begin::Again, Begin::Patient, Begin::Large] {
            assert!(begin.text().unwrap().starts_with("begin isolation level read committed;"), "{begin:?}");
        }
    }
}
