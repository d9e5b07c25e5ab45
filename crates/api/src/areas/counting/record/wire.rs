//! The wire format of what was counted.

use std::collections::{BTreeSet, HashMap};

use domain::collection::Collection;
use domain::counting::RecordStatus;
use domain::key::{
    CountAssignmentKey, CountRecordKey, CountSessionKey, MovementKey, PositionKey, ProductKey, SerialKey, UserKey,
    record_id, revision,
};
use domain::product::TraceabilityLevel;
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use store::counting::views::{self, RecordView, SerialOfRecord};
use store::tags::Tag;
use store::warehouse::links::{self, Step};
use store::{Tx, tags};

use crate::Result;
use crate::areas::tags::{TagRecord, tag_record};

/// What somebody has counted of a product at a position, or is counting.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CountRecord")]
pub(super) struct RecordRow {
    _id: String,
    _key: CountRecordKey,
    _rev: String,
    /// The `_id` of the product.
    _from: String,
    /// The `_id` of the position.
    _to: String,
    inventory_count_session_key: CountSessionKey,
    assignment_key: Option<CountAssignmentKey>,
    /// Who counts.
    user_key: UserKey,
    status: RecordStatus,
    #[serde(flatten)]
    system: Option<SystemQuantities>,
    #[serde(flatten)]
    system_serials: Option<SystemSerials>,
    /// When the count began, and stock was asked.
    system_at: Timestamp,
    /// Null while it is being counted.
    counted_qt: Option<Quantity>,
    counted_serial_keys: Vec<SerialKey>,
    /// By code.
    counted_serials: Vec<NamedSerial>,
    counted_at: Option<Timestamp>,
    /// When it was discarded or confirmed.
    reviewed_at: Option<Timestamp>,
    /// Whether the service is done with correcting stock by it.
    processed: bool,
    /// The movements that have corrected stock by it.
    movement_keys: Vec<MovementKey>,
    /// What could not be corrected, and why.
    error_details: Option<Value>,
    notes: Option<String>,
    /// Anything, stored as it is.
    extra: Map<String, Value>,
    product_key: ProductKey,
    product_code: String,
    product_description: Option<String>,
    /// Null: its units are not traced.
    product_traceability_level: Option<TraceabilityLevel>,
    /// By name.
    product_tags: Vec<TagRecord>,
    /// The unit in which the product is counted. Empty: pieces.
    unit: String,
    position_key: PositionKey,
    position_code: String,
    position_deleted: bool,
    /// The codes on the way to the position, from the first level in `IN` or `OUT` down to itself.
    position_path: Vec<String>,
}

// What stock said, unless the session is blind. Its text must not become that of the whole row.
#[derive(Serialize, JsonSchema)]
struct SystemQuantities {
    /// What stock said when the count began, units included. Left out where the session hides it.
    system_qt: Quantity,
    /// How much more was counted; null while it is being counted. Left out where the session hides it.
    delta: Option<Quantity>,
    /// `delta` times the product's average cost; null if that is unknown. Left out where the session hides it.
    delta_value: Option<Quantity>,
}

// Which units stock had, unless the session is blind.
#[derive(Serialize, JsonSchema)]
struct SystemSerials {
    /// The units that stock had when the count began. Left out where the session hides them.
    system_serial_keys: Vec<SerialKey>,
    /// The same by code. Left out where the session hides them.
    system_serials: Vec<NamedSerial>,
}

/// A unit by key and code.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CountedSerial")]
struct NamedSerial {
    serial_key: SerialKey,
    serial_code: Option<String>,
}

/// The rows of these records; whoever sees all is not blind.
pub(super) async fn rows(tx: &mut Tx, views: Vec<RecordView>, sees_all: bool) -> Result<Vec<RecordRow>> {
    let mut about = About::load(tx, &views).await?;
    Ok(views.into_iter().map(|view| about.row(view, sees_all)).collect())
}

/// What belongs to records.
struct About {
    serials: HashMap<CountRecordKey, Vec<SerialOfRecord>>,
    movements: HashMap<CountRecordKey, Vec<MovementKey>>,
    tags: HashMap<String, Vec<Tag>>,
    paths: HashMap<PositionKey, Vec<Step>>,
}

impl About {
    async fn load(tx: &mut Tx, views: &[RecordView]) -> Result<Self> {
        let keys: Vec<i64> = views.iter().map(|view| view.record.key.0).collect();
        let products: BTreeSet<String> = views.iter().map(|view| view.product_key.to_string()).collect();
        let positions: BTreeSet<String> = views.iter().map(|view| view.record.position_key.to_string()).collect();
        let products: Vec<String> = products.into_iter().collect();
        let positions: Vec<String> = positions.into_iter().collect();
        let mut of_products: HashMap<String, Vec<Tag>> = HashMap::new();
        for tagged in tags::of_records(tx, Collection::Product, &products).await? {
            of_products.entry(tagged.record_key).or_default().push(tagged.tag);
        }
        Ok(Self {
            serials: views::serials_of(tx, &keys).await?,
            movements: views::movements_of(tx, &keys).await?,
            tags: of_products,
            paths: links::paths(tx, &positions).await?,
        })
    }

    /// Without the reserved position at the top, unless it is that one.
    fn path(&self, position: &PositionKey) -> Vec<String> {
        let shown = match self.paths.get(position).map(Vec::as_slice) {
            Some([_, below @ ..]) if !below.is_empty() => below,
            Some(all) => all,
            None => &[],
        };
        shown.iter().map(|step| step.code.clone()).collect()
    }

    fn tags(&self, product: &ProductKey) -> Vec<TagRecord> {
        self.tags.get(product.as_str()).into_iter().flatten().cloned().map(tag_record).collect()
    }

    fn row(&mut self, view: RecordView, sees_all: bool) -> RecordRow {
        let blind = view.blind.within(view.session_status, sees_all);
        let record = view.record;
        let serials = self.serials.remove(&record.key).unwrap_or_default();
        let named = |wanted: fn(&SerialOfRecord) -> bool| -> Vec<NamedSerial> {
            serials.iter().filter(|serial| wanted(serial)).map(name).collect()
        };
        let (in_system, counted) = (named(|serial| serial.in_system), named(|serial| serial.counted));
        let delta = record.delta();
        let delta_value = delta.zip(view.cost_average).and_then(|(delta, cost)| delta.times(cost));
        RecordRow {
            _id: record_id(Collection::CountRecord, record.key),
            _key: record.key,
            _rev: revision(record.rev),
            _from: record_id(Collection::Product, &view.product_key),
            _to: record_id(Collection::Position, &record.position_key),
            inventory_count_session_key: record.session_key,
            assignment_key: record.assignment_key,
            user_key: record.user_key,
            status: record.status,
            system: (!blind.quantities).then_some(SystemQuantities { system_qt: record.system_qt, delta, delta_value }),
            system_serials: (!blind.serials)
                .then(|| SystemSerials { system_serial_keys: keys(&in_system), system_serials: in_system }),
            system_at: record.system_at,
            counted_qt: record.counted_qt,
            counted_serial_keys: keys(&counted),
            counted_serials: counted,
            counted_at: record.counted_at,
            reviewed_at: record.reviewed_at,
            processed: record.processed,
            movement_keys: self.movements.remove(&record.key).unwrap_or_default(),
            error_details: record.error_details,
            notes: record.notes,
            extra: record.extra,
            product_tags: self.tags(&view.product_key),
            product_key: view.product_key,
            product_code: view.product_code,
            product_description: view.product_description,
            product_traceability_level: view.traceability_level,
            unit: view.unit,
            position_path: self.path(&record.position_key),
            position_key: record.position_key,
            position_code: view.position_code,
            position_deleted: view.position_deleted,
        }
    }
}

fn name(serial: &SerialOfRecord) -> NamedSerial {
    NamedSerial { serial_key: serial.serial_key, serial_code: serial.serial_code.clone() }
}

fn keys(serials: &[NamedSerial]) -> Vec<SerialKey> {
    serials.iter().map(|serial| serial.serial_key).collect()
}
