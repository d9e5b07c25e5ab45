//! What goes to PostgreSQL together, without waiting for an answer in between.

use std::pin::Pin;

use futures_util::future::{MaybeDone, join_all, join3, maybe_done};
use futures_util::poll;
use postgres_types::{ToSql, Type};
use tokio_postgres::Statement;

use super::Object;
use crate::journal::{EventRows, insert_events, insert_listed};
use crate::value::Value;
use crate::{Result, StoreError};

/// Statements that wait for the next flight, in the order in which they run. Whoever sends it has others wait only for what it
/// must: rows of tables that everybody adds to come last, and events, whose numbers everybody waits for, after them.
#[derive(Default)]
pub(super) struct Flight {
    statements: Vec<(String, Vec<Value>)>,
    inserts: Vec<Inserts>,
    events: Vec<EventRows>,
}

/// Rows of one table, under the statement that inserts one of them.
struct Inserts {
    text: String,
    rows: Vec<Vec<Value>>,
}

/// How many events are spelled out in their statement at most; more of them travel as arrays.
const SPELLED_OUT: usize = 4;

impl Flight {
    pub(super) fn is_empty(&self) -> bool {
        self.statements.is_empty() && self.inserts.is_empty() && self.events.is_empty()
    }

    pub(super) fn statements(&self) -> usize {
        self.statements.len()
    }

    /// Whether it gives events their numbers: from then to the commit nobody else can.
    pub(super) fn numbers(&self) -> bool {
        !self.events.is_empty()
    }

    /// Whether it changes anything.
    pub(super) fn writes(&self) -> bool {
        !self.inserts.is_empty() || self.numbers() || self.statements.iter().any(|(text, _)| changes(text))
    }

    pub(super) fn add(&mut self, text: String, params: &[Value]) {
        self.statements.push((text, params.to_vec()));
    }

    pub(super) fn insert(&mut self, text: String, rows: Vec<Vec<Value>>) {
        match self.inserts.iter_mut().find(|inserts| inserts.text == text) {
            Some(inserts) => inserts.rows.extend(rows),
            None => self.inserts.push(Inserts { text, rows }),
        }
    }

    pub(super) fn number(&mut self, events: EventRows) {
        self.events.push(events);
    }

    /// The statements that need not be the last.
    pub(super) fn without_last(&mut self) -> Self {
        Self { statements: std::mem::take(&mut self.statements), ..Self::default() }
    }

    /// Adds what another request of the same transaction has to send. What both of them only look at is looked at once: requests
    /// of one caller share the last check of its rights.
    pub(super) fn join(&mut self, other: Self) {
        for statement in other.statements {
            if changes(&statement.0) || !self.statements.contains(&statement) {
                self.statements.push(statement);
            }
        }
        other.inserts.into_iter().for_each(|inserts| self.insert(inserts.text, inserts.rows));
        self.events.extend(other.events);
    }

    /// Sends the begin, all of this, and another statement. The first error counts: after it the server runs nothing of the rest,
    /// and makes a rollback of a commit.
    pub(super) async fn send<T>(
        self,
        client: &Object,
        begin: Option<&str>,
        last: impl AsyncFnOnce(&Object) -> Result<T>,
    ) -> Result<T> {
        if self.is_empty() && begin.is_none() {
            return last(client).await;
        }
        let prepared = self.prepare(client).await?;
        let begun = async {
            match begin {
                Some(begin) => client.batch_execute(begin).await,
                None => Ok(()),
            }
        };
        let mut begun = Box::pin(maybe_done(begun));
        let _ = poll!(begun.as_mut());
        let mut sent = started(prepared.iter().map(|one| one.run(client))).await;
        let (_, _, last) = join3(begun.as_mut(), join_all(sent.iter_mut().map(Pin::as_mut)), last(client)).await;
        begun.as_mut().take_output().unwrap_or(Ok(()))?;
        for mut one in sent {
            one.as_mut().take_output().unwrap_or(Ok(()))?;
        }
        last
    }

    async fn prepare(self, client: &Object) -> Result<Vec<Prepared>> {
        let mut prepared = Vec::with_capacity(self.statements.len() + self.inserts.len() + 1);
        for (text, params) in self.statements {
            let statement = client.prepare(&text).await?;
            prepared.push(Prepared { statement, params: Params::Single(params), events: Vec::new() });
        }
        for inserts in self.inserts {
            prepared.push(inserts.prepare(client).await?);
        }
        if !self.events.is_empty() {
            prepare_events(self.events, client, &mut prepared).await?;
        }
        Ok(prepared)
    }
}

/// Whether a statement may change something.
pub(super) fn changes(text: &str) -> bool {
    !text.starts_with("select")
}

/// Polls each of them once, in their order, so that it is sent; then they only wait for their answers.
async fn started<F: Future>(futures: impl Iterator<Item = F>) -> Vec<Pin<Box<MaybeDone<F>>>> {
    let mut started: Vec<_> = futures.map(|future| Box::pin(maybe_done(future))).collect();
    for future in &mut started {
        let _ = poll!(future.as_mut());
    }
    started
}

struct Prepared {
    statement: Statement,
    params: Params,
    /// Those that get their numbers from its answer.
    events: Vec<EventRows>,
}

enum Params {
    Single(Vec<Value>),
    /// A number, and the columns of rows.
    Columns(Option<i64>, Vec<Column>),
}

impl Prepared {
    async fn run(&self, client: &Object) -> Result<()> {
        let params: Vec<&(dyn ToSql + Sync)> = match &self.params {
            Params::Single(params) => params.iter().map(|value| value as _).collect(),
            Params::Columns(number, columns) => {
                let number = number.iter().map(|number| number as &(dyn ToSql + Sync));
                number.chain(columns.iter().map(Column::as_param)).collect()
            }
        };
        if self.events.is_empty() {
            client.execute(&self.statement, &params).await?;
            return Ok(());
        }
        let mut last: i64 = client.query_one(&self.statement, &params).await?.try_get(0)?;
        for events in self.events.iter().rev() {
            last -= events.rows.len() as i64;
            events.first.set(last + 1);
        }
        Ok(())
    }
}

impl Inserts {
    async fn prepare(mut self, client: &Object) -> Result<Prepared> {
        let statement = client.prepare(&self.text).await?;
        if self.rows.len() == 1 {
            let params = Params::Single(self.rows.remove(0));
            return Ok(Prepared { statement, params, events: Vec::new() });
        }
        let types = statement.params().to_vec();
        let Some((into, _)) = self.text.split_once("values (") else {
            return Err(StoreError::unavailable("rows are inserted by another statement than insert into … values"));
        };
        let arrays: Vec<String> = types.iter().zip(1..).map(|(kind, place)| format!("${place}::{kind}[]")).collect();
        let statement = client.prepare(&format!("{into}select * from unnest({})", arrays.join(", "))).await?;
        let params = Params::Columns(None, columns(&types, &self.rows.iter().collect::<Vec<_>>())?);
        Ok(Prepared { statement, params, events: Vec::new() })
    }
}

/// One statement for the events of all requests, and one for the keys that they list.
async fn prepare_events(events: Vec<EventRows>, client: &Object, prepared: &mut Vec<Prepared>) -> Result<()> {
    let listed = insert_listed(&events);
    let count: usize = events.iter().map(|events| events.rows.len()).sum();
    let rows: Vec<&Vec<Value>> = events.iter().flat_map(|events| &events.rows).collect();
    let (text, params) = if count <= SPELLED_OUT {
        let all = rows.into_iter().flatten().cloned();
        (insert_events(Some(count)), Params::Single(std::iter::once(Value::Int(count as i64)).chain(all).collect()))
    } else {
        (insert_events(None), Params::Columns(Some(count as i64), columns(&EventRows::types(), &rows)?))
    };
    prepared.push(Prepared { statement: client.prepare(&text).await?, params, events });
    if let Some((text, params)) = listed {
        let statement = client.prepare(&text).await?;
        prepared.push(Prepared { statement, params: Params::Single(params), events: Vec::new() });
    }
    Ok(())
}

/// The values of one column, row by row.
enum Column {
    Ints(Vec<Option<i64>>),
    Bools(Vec<Option<bool>>),
    Texts(Vec<Option<String>>),
    Bytes(Vec<Option<Vec<u8>>>),
}

impl Column {
    fn as_param(&self) -> &(dyn ToSql + Sync) {
        match self {
            Column::Ints(values) => values,
            Column::Bools(values) => values,
            Column::Texts(values) => values,
            Column::Bytes(values) => values,
        }
    }
}

fn columns(types: &[Type], rows: &[&Vec<Value>]) -> Result<Vec<Column>> {
    let of = |(place, kind): (usize, &Type)| {
        let values = rows.iter().map(|row| row.get(place).unwrap_or(&Value::Null));
        macro_rules! column {
            ($column:ident, $variant:ident) => {
                values
                    .map(|value| match value {
                        Value::Null => Ok(None),
                        Value::$variant(value) => Ok(Some(value.clone())),
                        other => Err(StoreError::Stored(format!("{other:?} in a column of {kind}"))),
                    })
                    .collect::<Result<_>>()
                    .map(Column::$column)
            };
        }
        match *kind {
            Type::INT8 => column!(Ints, Int),
            Type::BOOL => column!(Bools, Bool),
            Type::TEXT => column!(Texts, Text),
            Type::BYTEA => column!(Bytes, Bytes),
            _ => Err(StoreError::Stored(format!("rows with a column of {kind}"))),
        }
    };
    types.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_look_at_is_looked_at_once() {
        let flight = |user: &str| {
            let (mut flight, user) = (Flight::default(), [Value::Text(user.to_owned())]);
            flight.add("select 1 / (select count(*) from token where key = $1)".to_owned(), &user);
            flight.add("update token set last_used = 1 where key = $1".to_owned(), &user);
            flight
        };
        let mut all = flight("a");
        all.join(flight("a"));
        assert_eq!(all.statements(), 3, "each changes what it has to");
        all.join(flight("b"));
        assert_eq!(all.statements(), 5);
    }
}
