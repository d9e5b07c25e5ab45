//! What a new site starts with: its first user, configuration, counter, field, queue and reserved positions.

use domain::Timestamp;
use domain::counter::{Counter, Frequency, next_period_start, zone};
use domain::key::CounterKey;
use domain::text::fold;
use domain::warehouse::{INSIDE, RESERVED};

use super::counters::{self, Stored};
use super::{config, resets};
use crate::lock::Lock;
use crate::security::users::{self, NewUser};
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, StoreError, params};

/// False when the site has users already: then nothing is done.
pub async fn seed(tx: &mut Tx, admin: &NewUser, queue_key: &str, now: Timestamp) -> Result<bool> {
    tx.lock(Lock::Site).await?;
    if users::any(tx).await? {
        return Ok(false);
    }
    users::insert(tx, admin).await?;
    for (key, value) in domain::config::seeds() {
        config::set(tx, key, &value).await?;
    }
    default_counter(tx, now).await?;
    tx.run(
        sql!(
            "insert into custom_field (key, name, name_folded, type, slug)
             values ('separator', 'Separator', 'separator', 'separator', 'separator')"
        ),
        &[],
    )
    .await?;
    resets::clean_site_queue(tx, queue_key).await?;
    for key in RESERVED {
        tx.run(
            sql!(
                "insert into position (key, code, code_folded, owned, available, created, updated)
                 values ($1, $1, $2, $3, $3, $4, $4)"
            ),
            &params![key, fold(key), key == INSIDE, now],
        )
        .await?;
    }
    Ok(true)
}

async fn default_counter(tx: &mut Tx, now: Timestamp) -> Result<()> {
    let utc = zone("UTC").ok_or_else(|| StoreError::Stored("no UTC".to_owned()))?;
    let next_year = next_period_start(Frequency::Year, now, &utc)
        .ok_or_else(|| StoreError::Stored("the clock is at the end of the calendar".to_owned()))?;
    let counter = Counter {
        template: vec!["%y".to_owned(), "#6".to_owned()],
        frequency: Some(Frequency::Year),
        next_tick: 1,
        reset_date: Some(next_year),
    };
    let (key, name) = (CounterKey::trusted("default"), "Default".to_owned());
    counters::insert(tx, &Stored { key, rev: 1, name, counter }).await
}
