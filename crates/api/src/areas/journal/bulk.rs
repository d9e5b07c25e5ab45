//! Many events in one request. Rows are read one at a time, so that memory does not grow with their contents.

use domain::ErrorData;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Range;

use bytes::Bytes;
use domain::Fault;
use domain::fault::{Faults, MOST_FAULTS, bounded};
use domain::key::EntityKey;
use domain::rule::journal::BulkRejected;
use futures_util::future::BoxFuture;
use journal::bulk::{Bulk, KeysToLock, RecordNames, RowResult, Savepoints, SeqRange, StockNames};
use journal::catalogue::POSTABLE;
use journal::{Posted, not_allowed};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use store::Tx;

use super::act::Acting;
use super::post::Accepted;
use super::sent::{KnownType, SentType, TOO_MUCH, is_bearable};
use super::shown::shown;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Clipped, Part, PlaceOf, Query, Shape, Source, json_body};
use crate::reply::{Done, Envelope, envelope};

/// Maximum number of events in one request.
const MOST: usize = 100_000;
/// How many rows run again when one of them is refused after it has changed something.
const CHUNK: usize = 500;
/// Maximum number of bad rows in an answer.
const TOLD: usize = 1_000;
/// Maximum size of the results that are held until the answer, in bytes.
const RESULT_BYTES: usize = 256 * 1024 * 1024;
pub(super) const BODY_BYTES: usize = 128 * 1024 * 1024;
/// So many entries of shared lists go into all events together: each may become a row, and a few bytes stand for all of them.
const MOST_LISTED: usize = 300_000;
/// How much of an unknown name is repeated.
const NAME_CHARS: usize = 128;

#[derive(JsonSchema)]
#[schemars(rename = "SentEvents", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used: rows are read one at a time")]
pub(super) struct BulkFields {
    /// Members of every event that does not override them, including `event_type`. The context applies to all events.
    #[schemars(schema_with = "shared_schema")]
    shared_data: Map<String, Value>,
    /// Each as it would be sent alone, without the shared members.
    #[schemars(length(min = 1, max = 100_000))]
    events: Vec<Map<String, Value>>,
}

fn shared_schema(_: &mut SchemaGenerator) -> Schema {
    let types: Vec<&str> = POSTABLE.iter().map(|entry| entry.name).collect();
    json_schema!({
        "type": "object",
        "required": ["event_type"],
        "properties": { "event_type": { "enum": types } },
        "additionalProperties": true
    })
}

/// Events of one type whose rows have not been parsed yet.
pub(super) struct SentBulk {
    kind: SentType,
    /// Members of every row, which a row may override.
    shared: Map<String, Value>,
    /// Members that no row can override.
    context: Map<String, Value>,
    body: Bytes,
    /// Where each row is in the body.
    rows: Vec<Range<usize>>,
}

impl Part for SentBulk {
    const PLACE: PlaceOf = PlaceOf::JsonBody;
    type Fields = BulkFields;

    fn read(source: &Source, _: &Shape, faults: &mut Vec<Fault>) -> Option<Self> {
        let members: Members<'_> = json_body(source, faults)?;
        let mut wrong = Faults::at("body");
        let shared = member::<Map<String, Value>>(members.shared, "shared_data", &mut wrong);
        let rows = member::<UnreadRows<'_>>(members.rows, "events", &mut wrong);
        for name in &members.unknown {
            wrong.add_unknown(name, "There is no such member.");
        }
        if let Some(rows) = &rows
            && !(1..=MOST).contains(&rows.count)
        {
            let kind = if rows.count == 0 { "too_short" } else { "too_long" };
            let why = format!("Must have 1 to {MOST} entries.");
            wrong.within("events", |wrong| wrong.add(kind, why, &json!(rows.count)));
        }
        if let (Some(shared), Some(rows)) = (members.shared, &rows)
            && shared.get().len().saturating_mul(rows.count) > BODY_BYTES
        {
            let why = format!("Is part of every event: more than {BODY_BYTES} bytes in all.");
            wrong.within("shared_data", |wrong| wrong.add("too_long", why, &Value::Null));
        }
        if let (Some(shared), Some(rows)) = (&shared, &rows) {
            let entries: usize = shared.values().map(listed).sum();
            if entries.saturating_mul(rows.count) > MOST_LISTED {
                let why = format!("Its lists are part of every event: more than {MOST_LISTED} entries in all.");
                wrong.within("shared_data", |wrong| wrong.add("too_long", why, &json!(entries)));
            }
        }
        let kind = shared.as_ref().and_then(|shared| {
            let name = shared.get("event_type").unwrap_or(&Value::Null);
            let mut kind = None;
            wrong.within("shared_data", |wrong| kind = SentType::of(name, wrong));
            kind
        });
        let shared = shared.map(Value::Object);
        if let Some(trail) = &source.trail {
            let count = rows.as_ref().map(|rows| rows.count);
            trail.body(&Value::Null, |room| summary(kind, shared.as_ref(), count, room));
        }
        faults.extend(wrong.into_vec());
        let (Some(Value::Object(mut shared)), Some(rows), Some(kind)) = (shared, rows, kind) else { return None };
        let context = ["event_type", "context_type", "context_key"]
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), shared.remove(name)?)))
            .collect();
        let start = source.body.as_ptr() as usize;
        let place = |row: &&RawValue| {
            let from = row.get().as_ptr() as usize - start;
            from..from + row.get().len()
        };
        let rows = rows.found.iter().map(place).collect();
        faults.is_empty().then(|| Self { kind, shared, context, body: source.body.clone(), rows })
    }
}

/// The shared members that the type declares, and the number of rows.
fn summary(kind: Option<SentType>, shared: Option<&Value>, count: Option<usize>, room: usize) -> Clipped {
    const FRAME: usize = 64;
    let room = room - FRAME;
    let told = match (kind, shared) {
        (Some(SentType::Sent(kind)), Some(shared)) => kind.summary(shared, room),
        _ => Clipped { text: "null".to_owned(), cut: false },
    };
    Clipped { text: format!("{{\"shared_data\":{},\"events\":{}}}", told.text, json!(count)), cut: told.cut }
}

/// The members of a bulk, not yet parsed.
#[derive(Default)]
struct Members<'a> {
    shared: Option<&'a RawValue>,
    rows: Option<&'a RawValue>,
    /// Names of unknown members: only the first ones, since no more are reported.
    unknown: Vec<String>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader<'a>(PhantomData<&'a ()>);

        impl<'de: 'a, 'a> Visitor<'de> for Reader<'a> {
            type Value = Members<'a>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'a>, A::Error> {
                let mut members = Members::default();
                while let Some(name) = map.next_key::<Cow<'_, str>>()? {
                    match &*name {
                        "shared_data" => members.shared = Some(map.next_value()?),
                        "events" => members.rows = Some(map.next_value()?),
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            if members.unknown.len() < MOST_FAULTS {
                                members.unknown.push(name.chars().take(NAME_CHARS).collect());
                            }
                        }
                    }
                }
                Ok(members)
            }
        }

        from.deserialize_map(Reader(PhantomData))
    }
}

/// The rows, not yet parsed; beyond the maximum they are only counted.
struct UnreadRows<'a> {
    found: Vec<&'a RawValue>,
    count: usize,
}

impl<'de: 'a, 'a> Deserialize<'de> for UnreadRows<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader<'a>(PhantomData<&'a ()>);

        impl<'de: 'a, 'a> Visitor<'de> for Reader<'a> {
            type Value = UnreadRows<'a>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<UnreadRows<'a>, A::Error> {
                let mut rows = UnreadRows { found: Vec::new(), count: 0 };
                while rows.count < MOST
                    && let Some(row) = list.next_element()?
                {
                    rows.found.push(row);
                    rows.count += 1;
                }
                while list.next_element::<IgnoredAny>()?.is_some() {
                    rows.count += 1;
                }
                Ok(rows)
            }
        }

        from.deserialize_seq(Reader(PhantomData))
    }
}

fn member<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>, name: &str, faults: &mut Faults) -> Option<T> {
    let Some(raw) = raw else {
        faults.within(name, |faults| faults.add("missing", "Is required.", &Value::Null));
        return None;
    };
    if name == "shared_data" && !is_bearable(raw.get().as_bytes()) {
        faults.within(name, |faults| faults.add("too_long", TOO_MUCH, &Value::Null));
        return None;
    }
    let read = serde_json::from_str(raw.get());
    if let Err(error) = &read {
        faults.within(name, |faults| faults.add("value_error", format!("{error}."), &Value::Null));
    }
    read.ok()
}

/// How many entries the lists in a value have.
fn listed(value: &Value) -> usize {
    match value {
        Value::Array(entries) => entries.len() + entries.iter().map(listed).sum::<usize>(),
        Value::Object(members) => members.values().map(listed).sum(),
        _ => 0,
    }
}

/// Why a row could not be read. It is JSON, as the whole body is, but a text in it may escape half a character.
fn unread(text: &[u8], error: &serde_json::Error) -> Fault {
    let place = ["body".into()];
    match text {
        [b'{', ..] => Fault::new("json_invalid", &place, format!("Is not valid JSON: {error}."), &Value::Null),
        _ => Fault::new("object_type", &place, "Must be an object.", &Value::Null),
    }
}

impl SentBulk {
    /// A row merged with the shared members, or its faults.
    fn event(&self, kind: &'static KnownType, index: usize) -> Result<Posted, Vec<Fault>> {
        let text = self.rows.get(index).and_then(|place| self.body.get(place.clone())).unwrap_or_default();
        if !is_bearable(text) {
            return Err(vec![Fault::new("too_long", &["body".into()], TOO_MUCH, &Value::Null)]);
        }
        let row: Map<String, Value> = serde_json::from_slice(text).map_err(|error| vec![unread(text, &error)])?;
        let mut event = self.shared.clone();
        let own_type = row.get("event_type").filter(|own| self.context.get("event_type") != Some(own));
        if let Some(own) = own_type {
            let loc = ["body".into(), "event_type".into()];
            return Err(vec![Fault::new("event_type_differs", &loc, "All events must have the shared type.", own)]);
        }
        event.extend(row);
        event.extend(self.context.clone());
        kind.read(Value::Object(event))
    }

    /// The keys in all rows that can be read without full parsing; faulty rows are reported later.
    fn keys_to_lock(&self, kind: &KnownType) -> KeysToLock {
        let mut keys = KeysToLock::of(kind.event_type);
        for (member, value) in &self.shared {
            let listed = Vec::<EntityKey>::deserialize(value).unwrap_or_default();
            EntityKey::deserialize(value).into_iter().chain(listed).for_each(|key| keys.add(member, key));
        }
        let shared = StockNames::deserialize(Value::Object(self.shared.clone())).unwrap_or_default();
        let shared_records = RecordNames::deserialize(Value::Object(self.shared.clone())).unwrap_or_default();
        if keys.names_records() {
            keys.add_records(&shared_records, &RecordNames::default());
        }
        let rows = self.rows.iter().filter_map(|place| self.body.get(place.clone()));
        for text in rows.filter(|text| is_bearable(text)) {
            if keys.names_stock() {
                let own: StockNames = serde_json::from_slice(text).unwrap_or_default();
                keys.add_stock(own.or(&shared));
            }
            if keys.names_records() {
                let own: RecordNames = serde_json::from_slice(text).unwrap_or_default();
                keys.add_records(&own, &shared_records);
            }
            let members: BTreeMap<&str, &RawValue> = serde_json::from_slice(text).unwrap_or_default();
            if keys.may_spare_stock() {
                let own = |member: &str| members.get(member).and_then(|value| value.get().parse().ok());
                keys.note_stock(|member| own(member).or_else(|| self.shared.get(member)?.as_bool()));
            }
            for (member, value) in members {
                let listed: Vec<EntityKey> = serde_json::from_str(value.get()).unwrap_or_default();
                serde_json::from_str(value.get()).into_iter().chain(listed).for_each(|key| keys.add(member, key));
            }
        }
        keys
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct BulkQuery {
    /// Whether the answer contains the result of each row.
    #[serde(default)]
    results: bool,
}

/// The result of a bulk.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventsAccepted")]
pub(super) struct AcceptedEvents {
    event_count: usize,
    /// The number of the first stored event.
    first_seq: i64,
    /// The number of the last stored event, including those that the service made.
    last_seq: i64,
    /// One for each row, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<Accepted>>,
}

pub(super) async fn post(
    cx: Cx,
    Query(query): Query<BulkQuery>,
    sent: SentBulk,
) -> Result<Done<Envelope<AcceptedEvents>>> {
    let asking = cx.clone();
    let results = query.results;
    cx.change("post events", async move |tx: &mut Tx| run_in_tx(tx, &asking, &sent, results).await).await
}

/// Boxed, so that the compiler need not check everything the events can lead to for `Send`.
fn run_in_tx<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    sent: &'a SentBulk,
    results: bool,
) -> BoxFuture<'a, Result<Envelope<AcceptedEvents>>> {
    Box::pin(async move {
        let kind = match sent.kind {
            SentType::Sent(kind) => kind,
            SentType::ServerOnly(event) => return Err(not_allowed(event).into()),
        };
        match (BulkRun { cx, sent, kind, results }).all(tx).await? {
            BulkResult::Stored(accepted) => envelope("Events stored.", accepted),
            BulkResult::Rejected(rejections) => Err(rejections.into_error(sent.rows.len())),
        }
    })
}

/// Runs all rows.
struct BulkRun<'a> {
    cx: &'a Cx,
    sent: &'a SentBulk,
    kind: &'static KnownType,
    results: bool,
}

enum BulkResult {
    Stored(AcceptedEvents),
    Rejected(Rejections),
}

impl BulkRun<'_> {
    fn all<'b>(&'b self, tx: &'b mut Tx) -> BoxFuture<'b, Result<BulkResult>> {
        Box::pin(async move {
            let now = self.cx.now();
            let mut bulk =
                Bulk::begin(tx, &self.cx.node, self.cx.author(), now, self.kind.event_type, Savepoints::PerChunk)
                    .await?;
            bulk.hold(|| self.sent.keys_to_lock(self.kind)).await?;
            let group = bulk.group();
            let (mut rejections, mut results, mut bytes) = (Rejections::default(), Vec::new(), 0);
            let (mut index, mut start) = (0, (0, 0, 0));
            while index < self.sent.rows.len() {
                if index % CHUNK == 0 {
                    bulk.begin_chunk().await?;
                    start = (index, rejections.failed, results.len());
                }
                let this = index;
                index += 1;
                let posted = match self.sent.event(self.kind, this) {
                    Ok(posted) => posted,
                    Err(faults) => {
                        rejections.add_faults(this, faults);
                        continue;
                    }
                };
                match bulk.row(posted).await? {
                    RowResult::NeedsRowSavepoints => {
                        bulk.roll_back_chunk().await?;
                        index = start.0;
                        rejections.forget_after(start.1);
                        results.truncate(start.2);
                        continue;
                    }
                    RowResult::Refused(journal::Error::Invalid(faults)) => rejections.add_faults(this, faults),
                    RowResult::Refused(journal::Error::KeyTaken(member)) => {
                        let loc = ["body".into(), member.into()];
                        let taken = Fault::new("value_error", &loc, "The key is taken.", &Value::Null);
                        rejections.add_faults(this, vec![taken]);
                    }
                    // A missing right is reported before anything else, with the row that needs it and nothing more.
                    RowResult::Refused(journal::Error::Forbidden { message, data }) => {
                        return Err(forbidden(this, &message, *data));
                    }
                    RowResult::Refused(error) => rejections.add(this, ApiError::from(error)),
                    RowResult::Done { event_key, place, outcome } if self.results && rejections.is_empty() => {
                        let tx = bulk.tx().await?;
                        let (shown, size) = shown(tx, outcome, now).await?.written()?;
                        bytes += size;
                        // Once here, and once in the answer.
                        tx.take_memory(2 * size)?;
                        if bytes > RESULT_BYTES {
                            return Err(ApiError::too_much(
                                "The results do not fit into one answer: send the events without results=true.",
                            ));
                        }
                        results.push(Accepted::new(event_key, place.into(), group, shown));
                    }
                    RowResult::Done { .. } => {}
                }
                if rejections.is_empty() {
                    bulk.relieve().await?;
                }
            }
            if !rejections.is_empty() {
                return Ok(BulkResult::Rejected(rejections));
            }
            let SeqRange { first_seq, last_seq } = bulk.finish().await?;
            // Positions become numbers: the numbers of one transaction are consecutive.
            results.iter_mut().for_each(|accepted| accepted.count_from(first_seq));
            let event_count = self.sent.rows.len();
            let results = self.results.then_some(results);
            Ok(BulkResult::Stored(AcceptedEvents { event_count, first_seq, last_seq, results }))
        })
    }
}

/// The 403 the row would get on its own, with its index.
fn forbidden(index: usize, message: &str, data: ErrorData) -> ApiError {
    ApiError::forbidden_with(message, &ErrorData { index: Some(index), ..data })
}

/// The faulty rows.
#[derive(Default)]
struct Rejections {
    failed: usize,
    told: Vec<Value>,
    /// The total number of their faults.
    faults: usize,
}

impl Rejections {
    fn is_empty(&self) -> bool {
        self.failed == 0
    }

    /// Keeps only the first ones.
    fn forget_after(&mut self, failed: usize) {
        self.failed = failed;
        self.told.truncate(failed);
    }

    /// Adds the faults of a row's shape: the location of the first, and all of them.
    fn add_faults(&mut self, index: usize, mut faults: Vec<Fault>) {
        let room = MOST_FAULTS.saturating_sub(self.faults).max(1);
        faults = bounded(faults, room);
        self.faults += faults.len();
        for fault in &mut faults {
            fault.loc.splice(0..1, ["body".into(), "events".into(), index.into()]);
        }
        let (message, loc) = faults.first().map(|fault| (fault.msg.clone(), fault.loc.clone())).unwrap_or_default();
        self.tell(index, json!({ "error_type": "ValidationError", "message": message, "loc": loc, "faults": faults }));
    }

    fn add(&mut self, index: usize, error: ApiError) {
        self.tell(index, error.into_detail());
    }

    fn tell(&mut self, index: usize, detail: Value) {
        self.failed += 1;
        if self.told.len() < TOLD {
            let mut told = json!({ "index": index });
            if let (Some(told), Value::Object(detail)) = (told.as_object_mut(), detail) {
                told.extend(detail);
            }
            self.told.push(told);
        }
    }

    fn into_error(self, total: usize) -> ApiError {
        let rule = BulkRejected { total_events: total, failed: self.failed, errors: self.told };
        ApiError::rule(&rule, "Nothing was stored: some of the events are refused.")
    }
}
