use domain::Timestamp;
use domain::config::{INDEPENDENT_QUEUES, KEY_PATTERN, KNOWN, TIMEZONE, patch};
use domain::counter::zone;
use domain::fault::Faults;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use store::administration::{config, counters};
use store::attachments::files;
use store::production::queues;
use store::{Lock, Tx};

use crate::Result;
use crate::areas::attachments::config_folder;
use crate::cx::{Cx, PublicCx};
use crate::error::ApiError;
use crate::input::Json;
use crate::reply::{Done, Envelope, envelope};

type Entries = Map<String, Value>;

/// Entries by key.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("propertyNames" = { "pattern": KEY_PATTERN }, "x-told" = KNOWN))]
pub(super) struct ConfigChange(Entries);

pub(super) async fn read(cx: PublicCx) -> Result<Envelope<Entries>> {
    let entries = cx.read(async |tx: &mut Tx| Ok(config::all(tx).await?)).await?;
    envelope("Configuration read.", entries)
}

pub(super) async fn change(cx: Cx, Json(ConfigChange(change)): Json<ConfigChange>) -> Result<Done<Envelope<Entries>>> {
    let now = cx.now();
    cx.change("change config", async move |tx: &mut Tx| {
        tx.lock(Lock::Config).await?;
        let mut current = config::all(tx).await?;
        let counters = counters::keys(tx).await?;
        let mut faults = Faults::at("body");
        let written = patch(&current, &change, &counters, &mut faults);
        ApiError::check(faults)?;
        for (key, value) in written {
            config::set(tx, &key, &value).await?;
            // An entry with a new value no longer has a file.
            files::clear(tx, &config_folder(&key), &[]).await?;
            if key == TIMEZONE {
                move_counter_resets(tx, &value, now).await?;
            }
            current.insert(key, value);
        }
        if change.get(INDEPENDENT_QUEUES) == Some(&Value::Bool(false)) {
            queues::end_independence(tx).await?;
        }
        envelope("Configuration changed.", current)
    })
    .await
}

/// Counters use the site's time zone: when it changes, their next period starts at another instant.
async fn move_counter_resets(tx: &mut Tx, name: &Value, now: Timestamp) -> Result<()> {
    let Some(zone) = name.as_str().and_then(zone) else { return Ok(()) };
    for mut stored in counters::lock_periodic(tx).await? {
        stored.counter.end_period(now);
        stored.counter.begin_period(now, &zone);
        counters::set_state(tx, &stored.key, stored.counter.next_tick, stored.counter.reset_date).await?;
    }
    Ok(())
}
