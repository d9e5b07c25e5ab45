//! The journal: reading it, sealing it, and finding out whoever changed it behind the service's back. Events are stored here
//! without the rules of their types.

mod auditing;
mod feed;
mod reading;
mod sealing;
mod verifying;

use domain::journal::Event;
use domain::key::WorkOrderKey;
use store::{Sql, Tx};
use testkit::journal::{append, event};
use testkit::{Engine, Person, Site, Value};

/// Stores events of these work orders, each with its place as its key.
async fn store_orders(site: &Site, first_key: i64, orders: &[i64]) -> Vec<Event> {
    let events = orders.iter().zip(first_key..).map(|(order, key)| {
        let mut event = event(key, "JOB_STARTED");
        event.concerns.work_order_key = Some(WorkOrderKey(*order));
        event
    });
    append(&site.app().db, events.collect()).await
}

/// Changes what nobody may change, as somebody could who has the database's password.
pub(crate) async fn tamper(site: &Site, statement: &str, values: Vec<store::Value>) {
    const TABLES: [&str; 3] = ["event", "seal", "sealed_event"];
    let (statement, engine) = (statement.to_owned(), site.engine);
    let work = async move |tx: &mut Tx| {
        let (before, after): (Vec<String>, Vec<String>) = match engine {
            Engine::Sqlite => {
                let triggers = "select name, sql from sqlite_schema
                                where type = 'trigger' and tbl_name in ('event', 'seal', 'sealed_event')";
                let triggers: Vec<(String, String)> = tx.all(Sql::raw(triggers), &[]).await?;
                assert!(triggers.len() >= 5, "the database guards itself");
                triggers.into_iter().map(|(name, sql)| (format!("drop trigger {name}"), sql)).unzip()
            }
            Engine::Postgres => {
                let each = |word: &str| TABLES.map(|table| format!("alter table {table} {word} trigger user")).to_vec();
                (each("disable"), each("enable"))
            }
        };
        for text in before {
            tx.run(Sql::raw(text), &[]).await?;
        }
        tx.run(Sql::raw(statement.clone()), &values).await?;
        for text in after {
            tx.run(Sql::raw(text), &[]).await?;
        }
        Ok(())
    };
    site.app().write("tamper", work).await.expect("the statement runs");
}

pub(crate) async fn verify(person: &Person, query: &str) -> Value {
    person.get(&format!("/event/verify{query}")).await.detail()
}

/// Block, seq and kind of the first mismatch.
pub(crate) fn place_of(verification: &Value) -> (Value, Value, Value) {
    let first = &verification["first_mismatch"];
    (first["block"].clone(), first["seq"].clone(), first["kind"].clone())
}
