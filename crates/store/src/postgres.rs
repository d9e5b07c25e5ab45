//! PostgreSQL behind a pool. A transaction begins together with its first statement, and a connection that is dropped in
//! the middle of one is thrown away, never handed on.

use std::pin::{Pin, pin};
use std::time::Duration;

use deadpool_postgres::{Client, Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod};
use futures_util::TryStreamExt;
use futures_util::future::{join_all, join3};
use postgres_types::Type;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::{NoTls, Row, RowStream};

use crate::error::describe;
use crate::schema::Table;
use crate::tx::Begin;
use crate::value::Value;
use crate::{OpenError, Result, StoreError};

pub(crate) struct Postgres {
    pool: Pool,
}

impl Begin {
    fn text(self) -> Option<&'static str> {
        match self {
            Begin::Read => Some("begin isolation level repeatable read read only"),
            Begin::Write => Some("begin isolation level read committed"),
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
}

impl Postgres {
    pub(crate) async fn open(url: &str, connections: usize) -> Result<Self, OpenError> {
        let shown = without_password(url);
        let failed = |reason: String| OpenError::Database { at: shown.clone(), reason };
        let mut config: tokio_postgres::Config = url.parse().map_err(|error| failed(describe(&error)))?;
        // Recursive statements look expensive to the planner; compiling them takes longer than running them.
        let options = config.get_options().map(|given| format!("{given} -c jit=off"));
        config.options(options.as_deref().unwrap_or("-c jit=off"));
        config.application_name("tracewright");
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(5));
        }
        // A host that vanished must not be waited for.
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(Duration::from_secs(30));
        }
        config.keepalives_idle(Duration::from_secs(15)).keepalives_interval(Duration::from_secs(5));
        let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let pool = Pool::builder(manager)
            .max_size(connections)
            .wait_timeout(Some(Duration::from_secs(10)))
            .create_timeout(Some(Duration::from_secs(5)))
            .runtime(deadpool_postgres::Runtime::Tokio1)
            .post_create(Hook::async_fn(|client: &mut deadpool_postgres::ClientWrapper, _| {
                Box::pin(async move {
                    // A node that stops in the middle must not hold its locks for ever.
                    client
                        .batch_execute("set idle_in_transaction_session_timeout = '60s'; set lock_timeout = '30s'; set timezone = 'UTC'")
                        .await
                        .map_err(HookError::Backend)
                })
            }))
            .build()
            .map_err(|error| failed(error.to_string()))?;
        // The first connection tells a wrong address now instead of at the first request.
        drop(pool.get().await.map_err(|error| failed(describe(&error)))?);
        Ok(Self { pool })
    }

    pub(crate) async fn client(&self) -> Result<Client> {
        Ok(self.pool.get().await?)
    }

    pub(crate) async fn link(&self, begin: Begin) -> Result<PostgresLink> {
        Ok(PostgresLink {
            client: Some(self.pool.get().await?),
            begin: Some(begin),
            failed: false,
            waiting: Vec::new(),
        })
    }

    pub(crate) fn close(&self) {
        self.pool.close();
    }
}

impl PostgresLink {
    fn client(&self) -> Result<&Object> {
        self.client.as_ref().ok_or_else(|| StoreError::unavailable("the transaction has ended"))
    }

    /// Keeps a statement until another one goes out.
    pub(crate) async fn run_later(&mut self, text: String, params: &[Value]) -> Result<()> {
        self.waiting.push(Waiting { text, params: params.to_vec() });
        if self.waiting.len() < TOGETHER { Ok(()) } else { self.with_begin(async |_| Ok(())).await }
    }

    /// Runs `statement`, in one round trip with what waits and, when it is the first, with the begin.
    async fn with_begin<T>(&mut self, statement: impl AsyncFnOnce(&Object) -> Result<T>) -> Result<T> {
        let begin = self.begin.and_then(Begin::text);
        if begin.is_some() {
            self.begin = None;
        }
        let waiting = std::mem::take(&mut self.waiting);
        let answer = together(self.client()?, begin, &waiting, statement).await;
        self.failed |= answer.is_err();
        answer
    }

    pub(crate) async fn query(&mut self, text: &str, params: &[Value]) -> Result<Vec<tokio_postgres::Row>> {
        self.with_begin(async |client| {
            let statement = client.prepare_cached(text).await?;
            Ok(client.query(&statement, &borrowed(params)).await?)
        })
        .await
    }

    pub(crate) async fn stream(&mut self, text: &str, params: &[Value]) -> Result<RowStream> {
        self.with_begin(async |client| {
            let statement = client.prepare_cached(text).await?;
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
        self.with_begin(async |client| Ok(client.prepare_cached(text).await.map(|_| ())?)).await
    }

    pub(crate) async fn execute(&mut self, text: &str, params: &[Value]) -> Result<u64> {
        self.with_begin(async |client| {
            let statement = client.prepare_cached(text).await?;
            Ok(client.execute(&statement, &borrowed(params)).await?)
        })
        .await
    }

    /// Ends the transaction; only a connection that ended it cleanly goes back to the pool.
    pub(crate) async fn end(mut self, commit: bool) -> Result<()> {
        let keep = commit && !self.failed;
        if !keep {
            self.waiting.clear();
        }
        if self.begin.is_some() && self.waiting.is_empty() {
            // Nothing was ever sent: nothing to end.
            return Ok(());
        }
        let end = if keep { "commit" } else { "rollback" };
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
    for Waiting { text, params } in waiting {
        prepared.push((client.prepare_cached(text).await?, params));
    }
    let begun = async {
        match begin {
            Some(begin) => client.batch_execute(begin).await,
            None => Ok(()),
        }
    };
    let ran = prepared.iter().map(async |(statement, params)| client.execute(statement, &borrowed(params)).await);
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

fn borrowed(params: &[Value]) -> Vec<&(dyn postgres_types::ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn postgres_types::ToSql + Sync)).collect()
}

/// The address of a database without its password, for messages.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split('?').next().and_then(|plain| plain.split_once("://")) else {
        return "given by --database".to_owned();
    };
    match rest.rsplit_once('@') {
        Some((credentials, place)) => {
            let user = credentials.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{place}")
        }
        None => format!("{scheme}://{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn messages_never_show_a_password() {
        assert_eq!(without_password("postgres://u:secret@h/db"), "postgres://u@h/db");
        assert_eq!(without_password("postgres://h/db"), "postgres://h/db");
        assert_eq!(without_password("host=h password=secret"), "given by --database");
        assert_eq!(without_password("postgres:///db?host=h&password=secret"), "postgres:///db");
    }
}
