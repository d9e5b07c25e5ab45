//! One transaction. Store functions take `&mut Tx` and never see the engine: on SQLite every verb is ready at once, on
//! PostgreSQL it really waits.

use std::collections::BTreeSet;
use std::pin::pin;

use domain::collection::Collection;
use domain::key::{UserKey, record_id};
use domain::scope::Scope;

use crate::dialect::Dialect;
use crate::journal::EventRows;
use crate::lock::{Held, Holding, Lock, Rows};
use crate::notes::Notes;
use crate::postgres::{Mode, PostgresLink, REST_BRIEFLY, Turn};
use crate::row::{FromRow, Row};
use crate::schema::Table;
use crate::sql::Sql;
use crate::sqlite;
use crate::usage::Usage;
use crate::value::Value;
use crate::{Result, StoreError, params};

pub struct Tx {
    link: Link,
    usage: Usage,
    holding: Holding,
    notes: Notes,
    /// How many statements ran that may have changed something.
    writes: u64,
}

/// How a transaction starts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Begin {
    /// One snapshot for everything that is read.
    Read,
    Write,
    /// A write that has waited for a lock in vain before.
    Again,
    /// One that has waited long: it keeps its place among those who wait.
    Patient,
    /// A change that takes long.
    Large,
    /// No transaction: one statement alone is one already.
    Alone,
}

pub(crate) enum Link {
    Sqlite(rusqlite::Connection),
    Postgres(PostgresLink),
}

/// Advisory locks of users, in a range of our own. They are taken last of all, so nobody who has one waits for another lock but that
/// of the journal's head.
const RELY_ON_RIGHTS: &str = "select pg_advisory_xact_lock_shared(1953653091, hashtext($1))";
const WITHDRAW_RIGHTS: &str = "select pg_advisory_xact_lock(1953653091, hashtext($1))";

impl Tx {
    pub(crate) fn new(link: Link, usage: Usage) -> Self {
        Self { link, usage, holding: Holding::default(), notes: Notes::default(), writes: 0 }
    }

    pub(crate) fn into_link(self) -> Link {
        self.link
    }

    pub(crate) fn link_mut(&mut self) -> &mut Link {
        &mut self.link
    }

    /// Another request begins in the same transaction.
    pub(crate) fn begin_request(&mut self, usage: Usage) {
        self.usage = usage;
        self.holding = Holding::default();
        self.notes = Notes::default();
    }

    /// Notes a record that was made, changed or removed.
    pub fn changed(&mut self, collection: Collection, key: impl std::fmt::Display) {
        self.notes.add(record_id(collection, key));
    }

    /// Notes how many records were changed, where they are too many to be named.
    pub fn changed_unnamed(&mut self, records: u64) {
        self.notes.count(records);
    }

    /// Notes that the caller needed a scope besides that of the operation.
    pub fn rely_on(&mut self, scope: Scope) {
        self.notes.rely_on(scope);
    }

    /// Notes that the transaction acts on behalf of another user, who has this scope: it must not outlive that.
    pub fn act_on_behalf_of(&mut self, user: &UserKey, user_scope: &str) {
        self.notes.on_behalf.insert(user.clone(), user_scope.to_owned());
    }

    /// Notes that a user has other rights now.
    pub(crate) fn change_rights_of(&mut self, user: &UserKey) {
        self.notes.changed_rights.insert(user.clone());
        self.withdraw_from(user);
    }

    /// Notes that tokens or rights of a user are withdrawn. PostgreSQL then commits only when nobody is under way any more who relied
    /// on them ([`Tx::hold_rights`]).
    pub(crate) fn withdraw_from(&mut self, user: &UserKey) {
        self.notes.withdrawn.insert(user.clone());
    }

    /// Notes that stored objects lost a record, to be erased after the commit if no record names them any more.
    pub(crate) fn let_objects_go(&mut self) {
        self.notes.objects_gone = true;
    }

    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Grows with every statement that may change something: what failed without that has nothing to be undone.
    pub fn writes(&self) -> u64 {
        self.writes
    }

    fn count(&mut self, sql: &Sql) {
        self.usage.count_statement();
        self.writes += u64::from(!sql.0.starts_with("select"));
        if let Some(rows) = sql.1 {
            self.holding.note(Held::Rows(rows));
        }
    }

    /// How much memory there is for all requests together.
    pub fn memory(&self) -> usize {
        self.usage.memory()
    }

    /// Takes memory for what a change puts together for its answer, besides the rows that it reads.
    pub fn take_memory(&self, bytes: usize) -> Result<()> {
        self.usage.take_memory(bytes)
    }

    /// Sets a savepoint, to which [`Tx::roll_back_to_savepoint`] goes back; a later one takes its place.
    pub async fn set_savepoint(&mut self) -> Result<()> {
        self.batch("savepoint latest").await
    }

    /// Undoes what was done since the savepoint, also after a statement that failed, and releases it.
    pub async fn roll_back_to_savepoint(&mut self) -> Result<()> {
        self.batch("rollback to savepoint latest").await?;
        if let Link::Postgres(link) = &mut self.link {
            link.mend();
        }
        self.release_savepoint().await
    }

    pub async fn release_savepoint(&mut self) -> Result<()> {
        self.batch("release savepoint latest").await
    }

    /// All rows.
    pub async fn all<T: FromRow>(&mut self, sql: Sql, params: &[Value]) -> Result<Vec<T>> {
        self.count(&sql);
        match &mut self.link {
            Link::Sqlite(connection) => sqlite_rows(connection, &sql, params, &mut self.usage),
            Link::Postgres(link) => {
                let rows = link.query(&sql.spelled(Dialect::Postgres), params, &mut self.usage).await?;
                rows.into_iter().map(|row| Row::postgres(&row).read(&sql)).collect()
            }
        }
    }

    /// The rows of two statements in one round trip. The first locks its rows, under turns that were taken before; the second sees
    /// what the first has waited for. In a shared transaction there must be as many locked rows as expected; else it runs alone.
    pub(crate) async fn locked_with<A: FromRow, B: FromRow>(
        &mut self,
        (first, first_params): (Sql, &[Value]),
        expected: usize,
        (second, second_params): (Sql, &[Value]),
    ) -> Result<(Vec<A>, Vec<B>)> {
        if let Link::Sqlite(_) = self.link {
            return Ok((self.all(first, first_params).await?, self.all(second, second_params).await?));
        }
        self.count(&first);
        self.count(&second);
        let Link::Postgres(link) = &mut self.link else { return Err(StoreError::RowCount(0)) };
        let texts = (first.spelled(Dialect::Postgres), second.spelled(Dialect::Postgres));
        let (first, second) =
            link.query_locked((&texts.0, first_params), expected, (&texts.1, second_params), &mut self.usage).await?;
        let first = first.iter().map(|row| A::from_row(&mut Row::postgres(row))).collect::<Result<_>>()?;
        let second = second.iter().map(|row| B::from_row(&mut Row::postgres(row))).collect::<Result<_>>()?;
        Ok((first, second))
    }

    /// All rows, of a text that callers put together by what they ask for: there are too many to keep each prepared.
    pub(crate) async fn all_once<T: FromRow>(&mut self, sql: Sql, params: &[Value]) -> Result<Vec<T>> {
        if let Link::Postgres(link) = &mut self.link {
            self.usage.count_statement();
            let rows = link.query_once(&sql.spelled(Dialect::Postgres), params, &mut self.usage).await?;
            return rows.into_iter().map(|row| Row::postgres(&row).read(&sql)).collect();
        }
        self.all(sql, params).await
    }

    /// Hands the rows to `take` one at a time, without ever holding all of them.
    pub async fn each<E: From<StoreError>>(
        &mut self,
        sql: Sql,
        params: &[Value],
        mut take: impl FnMut(&mut Row<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.usage.count_statement();
        match &mut self.link {
            Link::Sqlite(connection) => {
                let mut statement =
                    connection.prepare_cached(&sql.spelled(Dialect::Sqlite)).map_err(StoreError::from)?;
                bind(&mut statement, params)?;
                let mut rows = statement.raw_query();
                while let Some(row) = rows.next().map_err(StoreError::from)? {
                    take(&mut Row::sqlite(row))?;
                }
                Ok(())
            }
            Link::Postgres(link) => {
                let mut rows = pin!(link.stream(&sql.spelled(Dialect::Postgres), params).await?);
                while let Some(row) = link.next_of(rows.as_mut()).await? {
                    take(&mut Row::postgres(&row))?;
                }
                Ok(())
            }
        }
    }

    /// Fills a table from rows whose values fit its columns; returns how many there were.
    pub(crate) async fn fill<E: From<StoreError>>(
        &mut self,
        table: &Table,
        rows: impl Iterator<Item = Result<Vec<Value>, E>>,
    ) -> Result<u64, E> {
        self.usage.count_statement();
        match &mut self.link {
            Link::Sqlite(connection) => sqlite::fill(connection, table, rows),
            Link::Postgres(link) => link.copy_in(table, rows).await,
        }
    }

    /// Runs several statements without parameters, as migrations are.
    pub(crate) async fn batch(&mut self, text: &str) -> Result<()> {
        match &mut self.link {
            Link::Sqlite(connection) => Ok(connection.execute_batch(text)?),
            Link::Postgres(link) => link.batch(text).await,
        }
    }

    pub(crate) fn dialect(&self) -> Dialect {
        match self.link {
            Link::Sqlite(_) => Dialect::Sqlite,
            Link::Postgres(_) => Dialect::Postgres,
        }
    }

    /// The row, or none. More than one is an error of ours.
    pub async fn maybe<T: FromRow>(&mut self, sql: Sql, params: &[Value]) -> Result<Option<T>> {
        let mut rows = self.all(sql, params).await?;
        match rows.len() {
            0 | 1 => Ok(rows.pop()),
            many => Err(StoreError::RowCount(many)),
        }
    }

    /// Exactly one row.
    pub async fn one<T: FromRow>(&mut self, sql: Sql, params: &[Value]) -> Result<T> {
        self.maybe(sql, params).await?.ok_or(StoreError::RowCount(0))
    }

    /// Runs a statement that gives no rows; returns how many it touched.
    pub async fn run(&mut self, sql: Sql, params: &[Value]) -> Result<u64> {
        self.count(&sql);
        match &mut self.link {
            Link::Sqlite(connection) => sqlite_run(connection, &sql, params),
            Link::Postgres(link) => link.execute(&sql.spelled(Dialect::Postgres), params).await,
        }
    }

    /// Runs a statement whose answer nobody waits for. PostgreSQL gets it in one round trip with the next statement, or with
    /// the commit; an error shows then, so it is for statements that no caller can make fail.
    pub async fn run_later(&mut self, sql: Sql, params: &[Value]) -> Result<()> {
        self.count(&sql);
        match &mut self.link {
            Link::Sqlite(connection) => sqlite_run(connection, &sql, params).map(|_| ()),
            Link::Postgres(link) => link.run_later(sql.spelled(Dialect::Postgres).into_owned(), params).await,
        }
    }

    /// Inserts rows of a table that everybody adds to. PostgreSQL gets them at the end of the transaction, in one statement with
    /// others of the same text, which is `insert into … values ($1, $2, …)`.
    pub(crate) async fn insert_last(&mut self, sql: Sql, rows: Vec<Vec<Value>>) -> Result<()> {
        match &mut self.link {
            Link::Sqlite(_) => {
                for row in rows {
                    self.run(sql.clone(), &row).await?;
                }
            }
            Link::Postgres(link) => {
                link.insert_last(sql.spelled(Dialect::Postgres).into_owned(), rows);
                self.count(&sql);
            }
        }
        Ok(())
    }

    /// From now on PostgreSQL ends the transaction if it rests for more than a few seconds between two statements.
    pub(crate) async fn rest_briefly(&mut self) -> Result<()> {
        match &mut self.link {
            Link::Sqlite(_) => Ok(()),
            Link::Postgres(link) => link.run_later(REST_BRIEFLY.to_owned(), &[]).await,
        }
    }

    /// Whether other requests share the transaction, each by statements of its own.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(&self.link, Link::Postgres(link) if link.is_shared())
    }

    /// Whether events get their numbers in one flight with the commit.
    pub(crate) fn numbers_last(&self) -> bool {
        matches!(self.link, Link::Postgres(_))
    }

    /// Stores events with the commit; their numbers are known when the transaction has ended.
    pub(crate) fn store_last(&mut self, events: EventRows) {
        if let Link::Postgres(link) = &mut self.link {
            link.store_last(events);
            self.usage.count_statement();
            self.writes += 1;
        }
    }

    /// Waits for what was to be run later or last.
    pub async fn flush(&mut self) -> Result<()> {
        match &mut self.link {
            Link::Sqlite(_) => Ok(()),
            Link::Postgres(link) => link.flush().await,
        }
    }

    /// Ends the transaction with [`StoreError::Outdated`] unless the count that `sql` gives is 1. PostgreSQL gets it in one
    /// round trip with the next statement, which then fails in its place: it costs no time of its own.
    pub async fn insist(&mut self, sql: Sql, params: &[Value]) -> Result<()> {
        self.count(&sql);
        match &mut self.link {
            Link::Sqlite(connection) => match sqlite_rows::<i64>(connection, &sql, params, &mut self.usage)?[..] {
                [1] => Ok(()),
                _ => Err(StoreError::Outdated),
            },
            Link::Postgres(link) => {
                link.run_later(format!("select 1 / ({})", sql.spelled(Dialect::Postgres)), params).await
            }
        }
    }

    /// Holds the rights of the user, and of those on whose behalf the transaction acts, to its end: whoever withdraws them waits for
    /// it. Waits in turn for all who rely on rights that it withdraws itself. All in the order of the users, so that nobody waits for
    /// each other. The embedded engine has one writer and need not.
    pub(crate) async fn hold_rights(&mut self, user: Option<&UserKey>) -> Result<()> {
        let Link::Postgres(link) = &mut self.link else { return Ok(()) };
        let withdrawn = &self.notes.withdrawn;
        let users: BTreeSet<&UserKey> = user.into_iter().chain(self.notes.on_behalf.keys()).chain(withdrawn).collect();
        for user in users {
            let lock = if withdrawn.contains(user) { WITHDRAW_RIGHTS } else { RELY_ON_RIGHTS };
            link.run_later(lock.to_owned(), &params![user]).await?;
        }
        Ok(())
    }

    /// Waits, together with the commit, for all who rely on rights that are withdrawn.
    pub(crate) async fn wait_for_rights(&mut self) -> Result<()> {
        if self.notes.withdrawn.is_empty() { Ok(()) } else { self.hold_rights(None).await }
    }

    /// Has the engine read a statement without running it.
    pub async fn prepare(&mut self, sql: Sql) -> Result<()> {
        match &mut self.link {
            Link::Sqlite(connection) => Ok(connection.prepare_cached(&sql.spelled(Dialect::Sqlite)).map(|_| ())?),
            Link::Postgres(link) => link.prepare(&sql.spelled(Dialect::Postgres)).await,
        }
    }

    /// Whether nobody else can write until this transaction ends, so that no lock is needed.
    pub fn is_sole_writer(&self) -> bool {
        self.dialect() == Dialect::Sqlite
    }

    /// Takes a lock until the end of the transaction. Locks are taken in the order of `lock.rs`.
    pub async fn lock(&mut self, lock: Lock) -> Result<()> {
        self.must_be_alone()?;
        self.take_turns([Turn::Lock(lock)])?;
        self.advise(lock, "select pg_advisory_xact_lock($1)").await
    }

    /// Takes a lock until the end of the transaction, beside all others who take it shared.
    pub async fn lock_shared(&mut self, lock: Lock) -> Result<()> {
        self.advise(lock, "select pg_advisory_xact_lock_shared($1)").await
    }

    /// Takes a lock until the end of the transaction, beside all others who take it shared, and in turn with those who take it alone:
    /// these would wait for ever if others kept passing them.
    pub async fn lock_shared_in_turn(&mut self, lock: Lock) -> Result<()> {
        if let Link::Postgres(link) = &mut self.link {
            link.take_turns([Turn::Lock(lock)], Mode::Shared)?;
            if link.is_shared() {
                self.holding.note(Held::Lock(lock));
                return link.share_in_group(lock).await;
            }
        }
        self.lock_shared(lock).await
    }

    /// Notes that all that moving stock locks may be locked from now on, in whatever order many movements do it.
    pub fn will_move_stock(&mut self) {
        for rows in [Rows::Position, Rows::MovementList, Rows::Movement, Rows::Serial, Rows::StockPair] {
            self.holding.note(Held::Rows(rows));
        }
    }

    /// Takes a lock if nobody has it; says whether it did.
    pub async fn try_lock(&mut self, lock: Lock) -> Result<bool> {
        self.must_be_alone()?;
        self.holding.note(Held::Lock(lock));
        match self.link {
            Link::Sqlite(_) => Ok(true),
            Link::Postgres(_) => {
                let sql = Sql::raw("select pg_try_advisory_xact_lock($1)");
                self.one(sql, &params![lock.advisory_key()]).await
            }
        }
    }

    /// Takes one of PostgreSQL's advisory locks, before the next statement runs; the embedded engine has one writer and needs
    /// none.
    async fn advise(&mut self, lock: Lock, statement: &'static str) -> Result<()> {
        self.holding.note(Held::Lock(lock));
        match self.link {
            Link::Sqlite(_) => Ok(()),
            Link::Postgres(ref link) if link.holds_shared(lock) => Ok(()),
            Link::Postgres(_) => self.run_later(Sql::raw(statement), &params![lock.advisory_key()]).await,
        }
    }

    /// Ends a transaction that is shared with others, so that it runs again by itself.
    fn must_be_alone(&self) -> Result<()> {
        match &self.link {
            Link::Sqlite(_) => Ok(()),
            Link::Postgres(link) => link.must_be_alone(),
        }
    }

    /// Takes turns to the end of the transaction, before the locks that they stand for; see [`crate::postgres::Turns`].
    pub(crate) fn take_turns(&mut self, wanted: impl IntoIterator<Item = Turn>) -> Result<()> {
        match &mut self.link {
            Link::Sqlite(_) => Ok(()),
            Link::Postgres(link) => link.take_turns(wanted, Mode::Alone),
        }
    }

    /// Takes turns before locks that may be taken late. A large change, which would have to begin anew, waits in the database
    /// instead.
    pub(crate) fn take_turns_late(&mut self, wanted: impl IntoIterator<Item = Turn>) -> Result<()> {
        match &mut self.link {
            Link::Postgres(link) if link.is_large() => link.take_turns(wanted, Mode::Alone).or(Ok(())),
            _ => self.take_turns(wanted),
        }
    }
}

fn sqlite_rows<T: FromRow>(
    connection: &rusqlite::Connection,
    sql: &Sql,
    params: &[Value],
    usage: &mut Usage,
) -> Result<Vec<T>> {
    let mut statement = connection.prepare_cached(&sql.spelled(Dialect::Sqlite))?;
    bind(&mut statement, params)?;
    let mut rows = statement.raw_query();
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(Row::sqlite_with(row, usage).read(sql)?);
    }
    Ok(found)
}

fn sqlite_run(connection: &rusqlite::Connection, sql: &Sql, params: &[Value]) -> Result<u64> {
    let mut statement = connection.prepare_cached(&sql.spelled(Dialect::Sqlite))?;
    bind(&mut statement, params)?;
    Ok(statement.raw_execute()? as u64)
}

/// By number; the last ones may not occur in the statement.
fn bind(statement: &mut rusqlite::Statement<'_>, params: &[Value]) -> Result<()> {
    for (index, value) in params.iter().enumerate().take(statement.parameter_count()) {
        statement.raw_bind_parameter(index + 1, value)?;
    }
    Ok(())
}
