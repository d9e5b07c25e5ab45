//! The rows of a recall, as JSON and as a table.

use std::collections::{BTreeSet, HashMap};

use domain::Timestamp;
use domain::key::{BatchKey, MovementKey, PositionKey, ProductKey, SerialKey, WorkOrderKey};
use domain::serial::{Parent, SerialState};
use domain::trace::{LocationStatus, Recalled, Whereabouts};
use domain::warehouse::movement::{MovementType, References};
use schemars::JsonSchema;
use serde::Serialize;
use sheet::Cell;
use store::Tx;
use store::product::products::Name;
use store::serial::recall::{self, BatchRow, SerialRow};
use store::warehouse::movements::{self, Movement};

use super::recall::Names;
use crate::Result;
use crate::error::ApiError;
use crate::export::TableRow;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum UnitType {
    Serial,
    Batch,
}

/// A unit that is, contains or contained a suspect.
#[derive(Serialize, JsonSchema)]
pub(super) struct RecalledUnit {
    unit_type: UnitType,
    /// Null of a batch.
    serial_key: Option<SerialKey>,
    serial_code: Option<String>,
    /// Null of a serial.
    batch_key: Option<BatchKey>,
    product_key: ProductKey,
    product_code: String,
    product_description: Option<String>,
    /// Null of a batch.
    state: Option<SerialState>,
    released: Option<Timestamp>,
    /// The outermost unit that it is in today, or itself. Null if that is a batch.
    root_serial_key: Option<SerialKey>,
    root_serial_code: Option<String>,
    /// The batch that it is in today.
    root_batch_key: Option<BatchKey>,
    root_product_code: String,
    /// The order that makes it; not that of the outermost unit.
    wo_key: Option<WorkOrderKey>,
    wo_code: Option<String>,
    project_code: Option<String>,
    /// Where the outermost unit is.
    location: RecallLocation,
    /// The least number of links down to a suspect; 0 of a suspect.
    depth: u32,
    /// How many suspects it is or contains.
    via_count: u32,
    /// The keys of the first 100 of them.
    via: Vec<SerialKey>,
}

/// Where a unit is.
#[derive(Serialize, JsonSchema)]
struct RecallLocation {
    status: LocationStatus,
    /// The position that holds it, in the own warehouse or outside.
    position_key: Option<PositionKey>,
    position_code: Option<String>,
    /// The last completed movement of the unit. Neither reversals count, nor what they took back.
    last_movement: Option<LastMovement>,
}

#[derive(Serialize, JsonSchema)]
struct LastMovement {
    movement_key: MovementKey,
    #[serde(rename = "type")]
    kind: MovementType,
    end: Option<Timestamp>,
    position_from_key: PositionKey,
    position_to_key: PositionKey,
    references: Option<References>,
}

impl From<&Movement> for LastMovement {
    fn from(movement: &Movement) -> Self {
        Self {
            movement_key: movement.key,
            kind: movement.kind,
            end: movement.end_at,
            position_from_key: movement.from_key.clone(),
            position_to_key: movement.to_key.clone(),
            references: References::of(
                movement.work_order_key,
                movement.job_key,
                movement.batch_key,
                movement.origin_movement_key,
                movement.refers_to.as_ref(),
            ),
        }
    }
}

/// What a row takes in memory besides its longer texts, and what references take.
const ROW_BYTES: usize = 2_000;
const REFERENCES_BYTES: usize = 3_000;

impl RecalledUnit {
    pub(super) fn weight(&self) -> usize {
        let description = self.product_description.as_deref().map_or(0, str::len);
        let movement = self.location.last_movement.as_ref();
        let references = movement.is_some_and(|movement| movement.references.is_some());
        ROW_BYTES + 3 * description + usize::from(references) * REFERENCES_BYTES + 24 * self.via.len()
    }
}

/// What some rows show.
pub(super) struct Details {
    serials: HashMap<SerialKey, SerialRow>,
    batches: HashMap<BatchKey, BatchRow>,
    /// The last movements of outermost units.
    movements: HashMap<MovementKey, Movement>,
}

impl Details {
    pub(super) async fn load(tx: &mut Tx, names: &mut Names, units: &[Recalled]) -> Result<Self> {
        let (mut serial_keys, mut batch_keys) = (BTreeSet::new(), BTreeSet::new());
        for node in units.iter().flat_map(|unit| [unit.unit, unit.top]) {
            match node {
                Parent::Serial(key) => serial_keys.insert(key.0),
                Parent::Batch(key) => batch_keys.insert(key.0),
            };
        }
        let serials = recall::serials(tx, &serial_keys.into_iter().collect::<Vec<_>>()).await?;
        let batches = recall::batches(tx, &batch_keys.into_iter().collect::<Vec<_>>()).await?;
        let serials: HashMap<SerialKey, SerialRow> = serials.into_iter().map(|row| (row.key, row)).collect();
        let batches: HashMap<BatchKey, BatchRow> = batches.into_iter().map(|row| (row.key, row)).collect();
        let products = serials.values().map(|row| row.product_id).chain(batches.values().map(|row| row.product_id));
        names.load(tx, products).await?;
        let tops = units.iter().filter_map(|unit| match unit.top {
            Parent::Serial(key) => serials.get(&key)?.movement_key,
            Parent::Batch(_) => None,
        });
        let keys: Vec<i64> = tops.map(|key| key.0).collect::<BTreeSet<i64>>().into_iter().collect();
        let found = if keys.is_empty() { Vec::new() } else { movements::find_all(tx, &keys).await? };
        let movements = found.into_iter().map(|movement| (movement.key, movement)).collect();
        Ok(Self { serials, batches, movements })
    }

    pub(super) fn row(&self, names: &Names, unit: &Recalled, via: Vec<SerialKey>) -> Result<RecalledUnit> {
        let (root_serial_key, root_serial_code, root_batch_key, root_product) = match unit.top {
            Parent::Serial(key) => {
                let top = self.serial(key)?;
                (Some(key), top.code.clone(), None, top.product_id)
            }
            Parent::Batch(key) => (None, None, Some(key), self.batch(key)?.product_id),
        };
        let root_product_code = names.of(root_product)?.code.clone();
        let location = self.location(unit.top)?;
        let row = match unit.unit {
            Parent::Serial(key) => {
                let serial = self.serial(key)?;
                let Name { key: product_key, code, description, .. } = names.of(serial.product_id)?;
                RecalledUnit {
                    unit_type: UnitType::Serial,
                    serial_key: Some(key),
                    serial_code: serial.code.clone(),
                    batch_key: None,
                    product_key: product_key.clone(),
                    product_code: code.clone(),
                    product_description: description.clone(),
                    state: Some(serial.state()),
                    released: serial.released,
                    root_serial_key,
                    root_serial_code,
                    root_batch_key,
                    root_product_code,
                    wo_key: serial.wo_key,
                    wo_code: serial.wo_code.clone(),
                    project_code: serial.project_code.clone(),
                    location,
                    depth: unit.depth,
                    via_count: unit.via_count,
                    via,
                }
            }
            Parent::Batch(key) => {
                let batch = self.batch(key)?;
                let Name { key: product_key, code, description, .. } = names.of(batch.product_id)?;
                RecalledUnit {
                    unit_type: UnitType::Batch,
                    serial_key: None,
                    serial_code: None,
                    batch_key: Some(key),
                    product_key: product_key.clone(),
                    product_code: code.clone(),
                    product_description: description.clone(),
                    state: None,
                    released: None,
                    root_serial_key,
                    root_serial_code,
                    root_batch_key,
                    root_product_code,
                    wo_key: Some(batch.wo_key),
                    wo_code: Some(batch.wo_code.clone()),
                    project_code: batch.project_code.clone(),
                    location,
                    depth: unit.depth,
                    via_count: unit.via_count,
                    via,
                }
            }
        };
        Ok(row)
    }

    fn serial(&self, key: SerialKey) -> Result<&SerialRow> {
        self.serials.get(&key).ok_or_else(|| ApiError::internal("a recall without one of its serials", None))
    }

    fn batch(&self, key: BatchKey) -> Result<&BatchRow> {
        self.batches.get(&key).ok_or_else(|| ApiError::internal("a recall without one of its batches", None))
    }

    fn location(&self, top: Parent) -> Result<RecallLocation> {
        let Parent::Serial(key) = top else {
            let status = LocationStatus::Untracked;
            return Ok(RecallLocation { status, position_key: None, position_code: None, last_movement: None });
        };
        let serial = self.serial(key)?;
        let last = serial.movement_key.and_then(|key| self.movements.get(&key));
        let known = Whereabouts {
            held: serial.position_key.is_some(),
            inside: serial.in_stock,
            last: last.map(|movement| movement.kind),
            scrapped: serial.scrapped.is_some(),
            released: serial.released.is_some(),
        };
        Ok(RecallLocation {
            status: known.status(),
            position_key: serial.position_key.clone(),
            position_code: serial.position_code.clone(),
            last_movement: last.map(LastMovement::from),
        })
    }
}

pub(super) const COLUMNS: &[&str] = &[
    "unit_type",
    "serial_key",
    "serial_code",
    "batch_key",
    "product_key",
    "product_code",
    "product_description",
    "state",
    "released",
    "root_serial_key",
    "root_serial_code",
    "root_batch_key",
    "root_product_code",
    "wo_key",
    "wo_code",
    "project_code",
    "location_status",
    "position_key",
    "position_code",
    "last_movement_key",
    "last_movement_type",
    "last_movement_end",
    "partner_name",
    "sales_doc",
    "depth",
    "via_count",
    "via",
];

impl TableRow for RecalledUnit {
    fn cells(&self) -> Vec<Cell<'_>> {
        fn shown<'a>(value: Option<impl std::fmt::Display>) -> Cell<'a> {
            Cell::maybe(value, |value| Cell::text(value.to_string()))
        }
        fn text(value: Option<&str>) -> Cell<'_> {
            Cell::maybe(value, Cell::text)
        }
        let last = self.location.last_movement.as_ref();
        let references = last.and_then(|movement| movement.references.as_ref());
        let via: Vec<String> = self.via.iter().map(ToString::to_string).collect();
        let unit_type = match self.unit_type {
            UnitType::Serial => "serial",
            UnitType::Batch => "batch",
        };
        vec![
            Cell::text(unit_type),
            shown(self.serial_key),
            text(self.serial_code.as_deref()),
            shown(self.batch_key),
            Cell::text(self.product_key.as_str()),
            Cell::text(self.product_code.as_str()),
            text(self.product_description.as_deref()),
            text(self.state.map(SerialState::name)),
            shown(self.released),
            shown(self.root_serial_key),
            text(self.root_serial_code.as_deref()),
            shown(self.root_batch_key),
            Cell::text(self.root_product_code.as_str()),
            shown(self.wo_key),
            text(self.wo_code.as_deref()),
            text(self.project_code.as_deref()),
            Cell::text(self.location.status.name()),
            text(self.location.position_key.as_ref().map(PositionKey::as_str)),
            text(self.location.position_code.as_deref()),
            shown(last.map(|movement| movement.movement_key)),
            text(last.map(|movement| movement.kind.name())),
            shown(last.and_then(|movement| movement.end)),
            text(references.and_then(|references| references.partner_name.as_deref())),
            text(references.and_then(|references| references.sales_doc.as_deref())),
            Cell::number(self.depth),
            Cell::number(self.via_count),
            Cell::text(via.join(";")),
        ]
    }
}
