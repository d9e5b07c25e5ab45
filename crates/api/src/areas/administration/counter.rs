use domain::Timestamp;
use domain::collection::Collection;
use domain::config::SYSTEM_COUNTERS;
use domain::counter::{Counter, Frequency, MOST_PARTS, TimeZone, next_period_start};
use domain::fault::Faults;
use domain::key::{CounterKey, record_id, revision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::administration::config;
use store::administration::counters::{self, Stored};
use store::product::products;
use store::{Lock, Tx};

use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Change, Given, Json, KeyedJson, Paging, Path, Query, record_members};
use crate::reply::{Done, Envelope, Listed, envelope};

#[derive(Deserialize, JsonSchema)]
pub(super) struct CounterPath {
    counter_key: CounterKey,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Every {
    Year,
    Month,
    Week,
    Day,
}

impl From<Every> for Frequency {
    fn from(every: Every) -> Self {
        match every {
            Every::Year => Frequency::Year,
            Every::Month => Frequency::Month,
            Every::Week => Frequency::Week,
            Every::Day => Frequency::Day,
        }
    }
}

impl From<Frequency> for Every {
    fn from(frequency: Frequency) -> Self {
        match frequency {
            Frequency::Year => Every::Year,
            Frequency::Month => Every::Month,
            Frequency::Week => Every::Week,
            Frequency::Day => Every::Day,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Counter")]
pub(crate) struct CounterRecord {
    _id: String,
    _key: CounterKey,
    _rev: String,
    name: String,
    template: Vec<String>,
    frequency: Option<Every>,
    next_tick: i64,
    /// From here on the tick starts anew.
    reset_date: Option<Timestamp>,
}

pub(crate) fn record(stored: Stored) -> CounterRecord {
    CounterRecord {
        _id: record_id(Collection::Counter, &stored.key),
        _rev: revision(stored.rev),
        _key: stored.key,
        name: stored.name,
        template: stored.counter.template,
        frequency: stored.counter.frequency.map(Every::from),
        next_tick: stored.counter.next_tick,
        reset_date: stored.counter.reset_date,
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CountersQuery {
    /// Exact name.
    name: Option<String>,
    key: Option<CounterKey>,
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<CountersQuery>,
    Paging(page): Paging<10_000>,
) -> Result<Listed<CounterRecord>> {
    let found = cx
        .db
        .read_long(async move |tx: &mut Tx| counters::list(tx, query.name.as_deref(), query.key.as_ref(), &page).await)
        .await?;
    Ok(Listed { rows: found.rows.into_iter().map(record).collect(), total: found.total })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = record_members, extend("x-checked-as" = "new-counter"))]
pub(super) struct NewCounter {
    /// Made by the server when left out.
    _key: Option<CounterKey>,
    #[serde(default)]
    #[schemars(length(max = 128))]
    name: String,
    /// Dates (`%Y %y %m %d %j %H %M %S %G %V`), the tick (`#6`: six digits), and plain text.
    #[schemars(length(min = 1, max = MOST_PARTS))]
    template: Vec<String>,
    frequency: Option<Every>,
    #[schemars(range(min = 1))]
    next_tick: Option<i64>,
    /// Set by the server; if it is sent, it is the start of a period.
    reset_date: Option<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CounterKeyOnly {
    counter_key: CounterKey,
}

pub(super) async fn create(cx: Cx, Json(body): Json<NewCounter>) -> Result<Done<Envelope<CounterKeyOnly>>> {
    let key = body._key.map_or_else(|| cx.new_key().map(CounterKey::trusted), Ok)?;
    let (name, now) = (body.name, cx.now());
    let counter = Counter {
        template: body.template,
        frequency: body.frequency.map(Frequency::from),
        next_tick: body.next_tick.unwrap_or(1),
        reset_date: body.reset_date,
    };
    let created = cx.change("create counter", async move |tx: &mut Tx| {
        // The site's time zone must not change meanwhile.
        tx.lock(Lock::Config).await?;
        let mut counter = counter.clone();
        settle(&mut counter, now, &counters::site_zone(tx).await?)?;
        counters::insert(tx, &key, &name, &counter).await?;
        envelope("Counter created.", CounterKeyOnly { counter_key: key.clone() })
    });
    created.await.map_err(ApiError::or_key_taken)
}

/// Refuses what is wrong with a counter, and gives it the start of its next period.
fn settle(counter: &mut Counter, now: Timestamp, zone: &TimeZone) -> Result<()> {
    let mut faults = Faults::at("body");
    counter.check(&mut faults);
    match (counter.frequency, counter.reset_date) {
        (None, None) => {}
        (Some(_), None) => {
            counter.begin_period(now, zone);
        }
        (Some(frequency), Some(date)) => {
            let just_before = Timestamp::from_millis(date.millis() - 1);
            if next_period_start(frequency, just_before, zone) != Some(date) {
                let why = format!("Must be the start of a {} in the site's time zone.", frequency.name());
                faults.within("reset_date", |faults| faults.add("value_error", why, &json!(date)));
            }
        }
        (None, Some(date)) => {
            let why = "Without frequency there is none.";
            faults.within("reset_date", |faults| faults.add("value_error", why, &json!(date)));
        }
    }
    ApiError::check(faults)
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = record_members)]
pub(super) struct CounterChange {
    /// The same as in the address, if it is sent at all.
    _key: Option<CounterKey>,
    #[serde(default)]
    #[schemars(length(max = 128))]
    name: Given<String>,
    #[serde(default)]
    #[schemars(length(min = 1, max = MOST_PARTS), extend("x-checked-as" = "counter-template"))]
    template: Given<Vec<String>>,
    #[serde(default)]
    frequency: Change<Every>,
    #[serde(default)]
    #[schemars(range(min = 1))]
    next_tick: Given<i64>,
    /// Null, or left out with a new frequency: set by the server.
    #[serde(default)]
    reset_date: Change<Timestamp>,
}

pub(super) async fn change(
    cx: Cx,
    Path(path): Path<CounterPath>,
    KeyedJson(body): KeyedJson<CounterChange>,
) -> Result<Done<Envelope<CounterRecord>>> {
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("change counter", async move |tx: &mut Tx| {
        tx.lock(Lock::Config).await?;
        let before = load(tx, &asking, &path.counter_key).await?;
        let mut after = before.clone();
        after.rev += 1;
        after.counter.end_period(now);
        let body = body.clone();
        body.name.apply(&mut after.name);
        body.template.apply(&mut after.counter.template);
        body.next_tick.apply(&mut after.counter.next_tick);
        let mut every = after.counter.frequency.map(Every::from);
        body.frequency.apply(&mut every);
        after.counter.frequency = every.map(Frequency::from);
        if after.counter.frequency != before.counter.frequency {
            after.counter.reset_date = None;
        }
        body.reset_date.apply(&mut after.counter.reset_date);
        settle(&mut after.counter, now, &counters::site_zone(tx).await?)?;
        counters::update(tx, &after.key, &after.name, &after.counter).await?;
        envelope("Counter changed.", record(after))
    })
    .await
}

pub(super) async fn remove(cx: Cx, Path(path): Path<CounterPath>) -> Result<Done<Envelope<CounterKeyOnly>>> {
    let asking = cx.clone();
    cx.change("delete counter", async move |tx: &mut Tx| {
        // Configuration entries name counters, and must not begin to while this one goes.
        tx.lock(Lock::Config).await?;
        let counter = load(tx, &asking, &path.counter_key).await?;
        let slots = slots_of(tx, &counter.key).await?;
        if !slots.is_empty() {
            let data = json!({ "code": "counter_in_use_as_system_counter", "slots": slots });
            return Err(ApiError::conflict_with("This counter is in use by the configuration.", data));
        }
        let (total, sample) = products::of_counter(tx, &counter.key).await?;
        if total > 0 {
            let shown = |(key, code, description)| json!({ "_key": key, "code": code, "description": description });
            let sample: Vec<Value> = sample.into_iter().map(shown).collect();
            let data = json!({ "code": "counter_in_use_by_products", "total": total, "sample": sample });
            return Err(ApiError::conflict_with("This counter is in use by products.", data));
        }
        products::forget_counter(tx, &counter.key).await?;
        counters::remove(tx, &counter.key).await?;
        envelope("Counter deleted.", CounterKeyOnly { counter_key: counter.key })
    })
    .await
}

/// The slots of the configuration that draw from it.
async fn slots_of(tx: &mut Tx, key: &CounterKey) -> Result<Vec<String>> {
    let entry = config::get(tx, SYSTEM_COUNTERS).await?;
    let slots = entry.as_ref().and_then(|entry| entry.as_object()).into_iter().flatten();
    Ok(slots.filter(|(_, counter)| counter.as_str() == Some(key.as_str())).map(|(slot, _)| slot.clone()).collect())
}

async fn load(tx: &mut Tx, cx: &Cx, key: &CounterKey) -> Result<Stored> {
    let stored = counters::lock(tx, key).await?.ok_or_else(|| ApiError::missing(Collection::Counter))?;
    cx.check_revision(Some(stored.rev))?;
    Ok(stored)
}
