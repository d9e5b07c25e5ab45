use std::collections::HashSet;

use domain::Timestamp;
use domain::counter::Frequency;
use domain::key::CounterKey;
use serde_json::Value as Json;

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

pub async fn keys(tx: &mut Tx) -> Result<HashSet<String>> {
    Ok(tx.all::<String>(sql!("select key from counter"), &[]).await?.into_iter().collect())
}

/// Key and frequency of every counter that has periods, locked in key order.
pub async fn lock_periodic(tx: &mut Tx) -> Result<Vec<(CounterKey, String)>> {
    tx.all(
        sql!(
            "select key, frequency
             from counter
             where frequency is not null
             order by key
             {lock}"
        ),
        &[],
    )
    .await
}

pub async fn set_reset_date(tx: &mut Tx, key: &CounterKey, reset_date: Timestamp) -> Result<()> {
    tx.run(sql!("update counter set reset_date = $2, rev = rev + 1 where key = $1"), &params![key, reset_date])
        .await
        .map(|_| ())
}

#[derive(Debug, Clone)]
pub struct NewCounter {
    pub key: CounterKey,
    pub name: String,
    pub template: Json,
    pub period: Option<(Frequency, Timestamp)>,
    pub next_tick: i64,
}

pub async fn insert(tx: &mut Tx, counter: &NewCounter) -> Result<()> {
    let frequency = counter.period.map(|(frequency, _)| frequency.name());
    let reset_date = counter.period.map(|(_, date)| date);
    tx.run(
        sql!(
            "insert into counter (key, name, template, frequency, next_tick, reset_date)
             values ($1, $2, $3, $4, $5, $6)"
        ),
        &params![&counter.key, &counter.name, &counter.template, frequency, counter.next_tick, reset_date],
    )
    .await
    .map(|_| ())
}
