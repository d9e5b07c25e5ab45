//! One transaction on a connection. It begins together with its first statement, and a connection that is dropped in the middle
//! of one is thrown away, never handed on.

use std::pin::{Pin, pin};

use futures_util::TryStreamExt;
use futures_util::future::{join_all, join3, try_join};
use postgres_types::{ToSql, Type};
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::{Row, RowStream, Statement};

use super::Object;
use super::turns::{Held, Turn};
use crate::journal::Number;
use crate::schema::Table;
use crate::tx::Begin;
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
            // It would have to do all of its work again.
            Begin::Large => Some(
                "begin isolation level read committed; set local lock_timeout = '120s'; set local statement_timeout = '30min'",
            ),
            Begin::Alone => None,
        }
    }
}

/// A pooled connection in or before a transaction.
pub(crate) struct PostgresLink {
    client: Option<Object>,
    begin: Option<Begin>,
    /// A statement failed: PostgreSQL would answer a commit with a silent rollback.
    failed: bool,
    /// Statements whose answers nobody waits for; they go out together with the next one, or with the commit.
    waiting: Vec<Waiting>,
    /// Those for which everybody else waits: they go out with the commit, behind all others.
    last: Vec<Waiting>,
    numbering: Option<OwnedMutexGuard<()>>,
    held: Held,
    large: bool,
    _share: Option<OwnedSemaphorePermit>,
}

impl PostgresLink {
    pub(super) fn new(client: Object, begin: Begin, held: Held, share: Option<OwnedSemaphorePermit>) -> Self {
        let large = matches!(begin, Begin::Large);
        Self {
            client: Some(client),
            begin: Some(begin),
            failed: false,
            waiting: Vec::new(),
            last: Vec::new(),
            numbering: None,
            held,
            large,
            _share: share,
        }
    }

    pub(crate) fn is_large(&self) -> bool {
        self.large
    }

    pub(crate) fn take_turns(&mut self, wanted: impl IntoIterator<Item = Turn>) -> Result<()> {
        self.held.take(wanted)
    }

    /// The order of a job or of a batch, if it is known here.
    pub(crate) fn order_of(&self, key: i64) -> Option<i64> {
        self.held.turns().order_of(key)
    }

    pub(crate) fn remember_order(&self, key: i64, order: i64) {
        self.held.turns().remember(key, order);
    }

    fn client(&self) -> Result<&Object> {
        self.client.as_ref().ok_or_else(|| StoreError::unavailable("the transaction has ended"))
    }

    /// Keeps a statement until another one goes out.
    pub(crate) async fn run_later(&mut self, text: String, params: &[Value]) -> Result<()> {
        self.waiting.push(Waiting { text, params: params.to_vec(), number: None });
        if self.waiting.len() < TOGETHER { Ok(()) } else { self.with_begin(async |_| Ok(())).await }
    }

    /// Keeps a statement until the end, behind all others; the least number that its rows have goes to `number`. Others wait from it
    /// to the commit, so there are few of them and they go out together, never before.
    pub(crate) fn run_last(&mut self, text: String, params: &[Value], number: Option<Number>) {
        self.last.push(Waiting { text, params: params.to_vec(), number });
    }

    /// Sends what waits, also what was to go out last.
    pub(crate) async fn flush(&mut self) -> Result<()> {
        self.append_last().await;
        if self.waiting.is_empty() { Ok(()) } else { self.with_begin(async |_| Ok(())).await }
    }

    /// What was to go out last goes out next. The turn at that is kept to the end of the transaction, as the lock behind it is: so
    /// nobody waits for the turn who has the lock.
    async fn append_last(&mut self) {
        if !self.last.is_empty() && self.numbering.is_none() {
            self.numbering = self.held.turns().clone().numbering().await;
        }
        self.waiting.append(&mut self.last);
    }

    /// Runs `statement`, in one round trip with what waits and, when it is the first, with the begin.
    async fn with_begin<T>(&mut self, statement: impl AsyncFnOnce(&Object) -> Result<T>) -> Result<T> {
        let begin = self.begin.and_then(Begin::text);
        if begin.is_some() {
            self.begin = None;
        }
        let waiting = std::mem::take(&mut self.waiting);
        let client = self.client()?;
        let answer = together(client, begin, &waiting, statement).await;
        if answer.as_ref().is_err_and(StoreError::is_read_only) {
            client.distrust_all();
        }
        self.failed |= answer.is_err();
        answer
    }

    pub(crate) async fn query(&mut self, text: &str, params: &[Value]) -> Result<Vec<Row>> {
        self.with_begin(async |client| {
            let statement = client.prepare(text).await?;
            Ok(client.query(&statement, &borrowed(params)).await?)
        })
        .await
    }

    /// Two in one round trip. The second sees what the first waited for.
    pub(crate) async fn query_both(
        &mut self,
        first: (&str, &[Value]),
        second: (&str, &[Value]),
    ) -> Result<(Vec<Row>, Vec<Row>)> {
        self.with_begin(async |client| {
            let statements = (client.prepare(first.0).await?, client.prepare(second.0).await?);
            let params = (borrowed(first.1), borrowed(second.1));
            let both = try_join(client.query(&statements.0, &params.0), client.query(&statements.1, &params.1)).await?;
            Ok(both)
        })
        .await
    }

    /// The same for a text that callers put together: it is not kept prepared.
    pub(crate) async fn query_once(&mut self, text: &str, params: &[Value]) -> Result<Vec<Row>> {
        self.with_begin(async |client| Ok(client.query_typed(text, &typed(params)).await?)).await
    }

    pub(crate) async fn stream(&mut self, text: &str, params: &[Value]) -> Result<RowStream> {
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
        self.with_begin(async |client| Ok(client.batch_execute(text).await?)).await
    }

    /// Fills a table without a round trip for every row.
    pub(crate) async fn copy_in<E: From<StoreError>>(
        &mut self,
        table: &Table,
        rows: impl Iterator<Item = Result<Vec<Value>, E>>,
    ) -> Result<u64, E> {
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
        self.with_begin(async |client| {
            let statement = client.prepare(text).await?;
            Ok(client.execute(&statement, &borrowed(params)).await?)
        })
        .await
    }

    /// Ends the transaction; only a connection that ended it cleanly goes back to the pool.
    pub(crate) async fn end(mut self, commit: bool) -> Result<()> {
        let keep = commit && !self.failed;
        if !keep {
            self.waiting.clear();
            self.last.clear();
        }
        if self.begin.is_some() && self.waiting.is_empty() && self.last.is_empty() {
            // Nothing was ever sent: nothing to end.
            return Ok(());
        }
        let end = if keep { "commit" } else { "rollback" };
        self.append_last().await;
        self.with_begin(async |client| Ok(client.batch_execute(end).await?)).await?;
        self.begin = Some(Begin::Read);
        if commit && !keep {
            return Err(StoreError::unavailable("a statement failed and its transaction was to be committed"));
        }
        Ok(())
    }
}

struct Waiting {
    text: String,
    params: Vec<Value>,
    number: Option<Number>,
}

impl Waiting {
    async fn run(&self, client: &Object, statement: &Statement) -> Result<()> {
        let params = borrowed(&self.params);
        let Some(number) = &self.number else {
            client.execute(statement, &params).await?;
            return Ok(());
        };
        let rows = client.query(statement, &params).await?;
        let mut numbers = Vec::with_capacity(rows.len());
        for row in &rows {
            numbers.push(row.try_get::<_, i64>(0)?);
        }
        numbers.into_iter().min().into_iter().for_each(|least| number.set(least));
        Ok(())
    }
}

/// So many statements go out together; only so few are sent exactly in their order.
const TOGETHER: usize = 28;

/// Sends the begin, the waiting statements and another one without waiting for an answer in between; the first error counts.
/// After one of them has failed the server carries out none of the others, and makes a rollback of a commit.
async fn together<T>(
    client: &Object,
    begin: Option<&str>,
    waiting: &[Waiting],
    statement: impl AsyncFnOnce(&Object) -> Result<T>,
) -> Result<T> {
    let mut prepared = Vec::with_capacity(waiting.len());
    for one in waiting {
        prepared.push((one, client.prepare(&one.text).await?));
    }
    let begun = async {
        match begin {
            Some(begin) => client.batch_execute(begin).await,
            None => Ok(()),
        }
    };
    let ran = prepared.iter().map(async |(waiting, statement)| waiting.run(client, statement).await);
    let (begun, ran, answer) = join3(begun, join_all(ran), statement(client)).await;
    begun?;
    for answer in ran {
        answer?;
    }
    answer
}

impl Drop for PostgresLink {
    fn drop(&mut self) {
        if self.begin.is_none()
            && let Some(client) = self.client.take()
        {
            drop(Object::take(client));
        }
    }
}

fn borrowed(params: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn typed(params: &[Value]) -> Vec<(&(dyn ToSql + Sync), Type)> {
    params.iter().map(|value| (value as &(dyn ToSql + Sync), value.postgres_type())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever waited for a lock has to see what its holder did, whatever the database's own default is.
    #[test]
    fn changes_say_how_they_are_isolated() {
        for begin in [Begin::Write, Begin::Again, Begin::Large] {
            assert!(begin.text().unwrap().starts_with("begin isolation level read committed;"), "{begin:?}");
        }
    }
}
