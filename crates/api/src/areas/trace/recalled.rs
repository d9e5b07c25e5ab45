//! The rows of a recall, as JSON and as a table.

use domain::Timestamp;
use domain::key::{BatchKey, IdMap, IdSet, MovementKey, PositionKey, ProductKey, SerialKey, WorkOrderKey};
use domain::serial::{Parent, SerialState};
use domain::text::fold;
use domain::trace::{LocationStatus, Recalled, Whereabouts};
use domain::warehouse::movement::{MovementType, References};
use schemars::JsonSchema;
use serde::Serialize;
use sheet::Cell;
use store::Tx;
use store::product::products::Name;
use store::serial::recall::{self, BatchRow, SerialRow};
use store::warehouse::movements::{self, Movement};

use super::recall::{Line, Names};
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
pub(super) struct RecalledUnit<'a> {
    unit_type: UnitType,
    /// Null of a batch.
    serial_key: Option<SerialKey>,
    serial_code: Option<&'a str>,
    /// Null of a serial.
    batch_key: Option<BatchKey>,
    product_key: &'a ProductKey,
    product_code: &'a str,
    product_description: Option<&'a str>,
    /// Null of a batch.
    state: Option<SerialState>,
    released: Option<Timestamp>,
    /// The outermost unit that it is in today, or itself. Null if that is a batch.
    root_serial_key: Option<SerialKey>,
    root_serial_code: Option<&'a str>,
    /// The batch that it is in today.
    root_batch_key: Option<BatchKey>,
    root_product_code: &'a str,
    /// The order that makes it; not that of the outermost unit.
    wo_key: Option<WorkOrderKey>,
    wo_code: Option<&'a str>,
    project_code: Option<&'a str>,
    /// Where the outermost unit is.
    location: RecallLocation<'a>,
    /// The least number of links down to a suspect; 0 of a suspect.
    depth: u32,
    /// How many suspects it is or contains.
    via_count: u32,
    /// The keys of the first 100 of them.
    via: Vec<SerialKey>,
}

/// Where a unit is.
#[derive(Serialize, JsonSchema)]
struct RecallLocation<'a> {
    status: LocationStatus,
    /// The position that holds it, in the own warehouse or outside.
    position_key: Option<&'a PositionKey>,
    position_code: Option<&'a str>,
    /// The last completed movement of the unit. Neither reversals count, nor what they took back.
    last_movement: Option<LastMovement<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct LastMovement<'a> {
    movement_key: MovementKey,
    #[serde(rename = "type")]
    kind: MovementType,
    end: Option<Timestamp>,
    position_from_key: &'a PositionKey,
    position_to_key: &'a PositionKey,
    references: Option<References>,
}

impl<'a> From<&'a Movement> for LastMovement<'a> {
    fn from(movement: &'a Movement) -> Self {
        Self {
            movement_key: movement.key,
            kind: movement.kind,
            end: movement.end_at,
            position_from_key: &movement.from_key,
            position_to_key: &movement.to_key,
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

/// What a row takes in memory besides its longer texts, what is read for it, and what references take.
const ROW_BYTES: usize = 2_000;
const DETAIL_BYTES: usize = 500;
const REFERENCES_BYTES: usize = 3_000;

impl RecalledUnit<'_> {
    pub(super) fn weight(&self) -> usize {
        let description = self.product_description.map_or(0, str::len);
        let movement = self.location.last_movement.as_ref();
        let references = movement.is_some_and(|movement| movement.references.is_some());
        ROW_BYTES + 3 * description + usize::from(references) * REFERENCES_BYTES + 24 * self.via.len()
    }
}

fn each_once(mut keys: Vec<i64>) -> Vec<i64> {
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// How many units are asked for by one statement.
const AT_ONCE: usize = 1_000;

/// What some rows show.
pub(super) struct Details<'a> {
    /// The serials that an active link leads to.
    used: &'a IdSet<SerialKey>,
    serials: IdMap<SerialKey, SerialRow>,
    batches: IdMap<BatchKey, BatchRow>,
    /// The last movements of outermost units.
    movements: IdMap<MovementKey, Movement>,
}

impl<'a> Details<'a> {
    pub(super) fn new(used: &'a IdSet<SerialKey>) -> Self {
        Self { used, serials: IdMap::default(), batches: IdMap::default(), movements: IdMap::default() }
    }

    /// Adds what these units show.
    pub(super) async fn load(&mut self, tx: &mut Tx, names: &mut Names, units: &[Recalled]) -> Result<()> {
        for some in units.chunks(AT_ONCE) {
            self.load_some(tx, some).await?;
        }
        let products = self.serials.values().map(|row| row.product_id);
        names.load(tx, products.chain(self.batches.values().map(|row| row.product_id))).await
    }

    async fn load_some(&mut self, tx: &mut Tx, units: &[Recalled]) -> Result<()> {
        let (mut serials, mut batches) = (Vec::with_capacity(units.len()), Vec::new());
        for node in units.iter().flat_map(|unit| [unit.unit, unit.top]) {
            match node {
                Parent::Serial(key) => serials.push(key.0),
                Parent::Batch(key) => batches.push(key.0),
            }
        }
        let (serials, batches) = (each_once(serials), each_once(batches));
        self.serials.extend(recall::serials(tx, &serials).await?.into_iter().map(|row| (row.key, row)));
        self.batches.extend(recall::batches(tx, &batches).await?.into_iter().map(|row| (row.key, row)));
        let tops = units.iter().filter_map(|unit| match unit.top {
            Parent::Serial(key) => self.serials.get(&key)?.movement_key,
            Parent::Batch(_) => None,
        });
        let movements = each_once(tops.map(|key| key.0).collect());
        if !movements.is_empty() {
            let found = movements::find_all(tx, &movements).await?;
            self.movements.extend(found.into_iter().map(|movement| (movement.key, movement)));
        }
        Ok(())
    }

    /// What it takes in memory.
    pub(super) fn weight(&self) -> usize {
        let records = self.serials.len() + self.batches.len() + self.movements.len();
        let references = self.movements.values().filter(|movement| movement.refers_to.is_some()).count();
        records * DETAIL_BYTES + references * REFERENCES_BYTES
    }

    /// These units as far as they were not deleted, in no order.
    pub(super) fn lines(&self, units: Vec<Recalled>) -> Vec<Line> {
        let line = |unit: Recalled| {
            let (product_id, code, key) = match unit.unit {
                Parent::Serial(key) => {
                    let serial = self.serials.get(&key).filter(|serial| serial.deleted.is_none())?;
                    (serial.product_id, serial.code.clone(), key.0)
                }
                Parent::Batch(key) => (self.batches.get(&key)?.product_id, None, key.0),
            };
            let searched = code.as_deref().map(fold).unwrap_or_default();
            Some(Line { unit, product_id, rank: 0, code, searched, key })
        };
        units.into_iter().filter_map(line).collect()
    }

    pub(super) fn row<'b>(
        &'b self,
        names: &'b Names,
        unit: &Recalled,
        via: Vec<SerialKey>,
    ) -> Result<RecalledUnit<'b>> {
        let (root_serial_key, root_serial_code, root_batch_key, root_product) = match unit.top {
            Parent::Serial(key) => {
                let top = self.serial(key)?;
                (Some(key), top.code.as_deref(), None, top.product_id)
            }
            Parent::Batch(key) => (None, None, Some(key), self.batch(key)?.product_id),
        };
        let root_product_code = names.of(root_product)?.code.as_str();
        let location = self.location(unit.top)?;
        let row = match unit.unit {
            Parent::Serial(key) => {
                let serial = self.serial(key)?;
                let Name { key: product_key, code, description, .. } = names.of(serial.product_id)?;
                RecalledUnit {
                    unit_type: UnitType::Serial,
                    serial_key: Some(key),
                    serial_code: serial.code.as_deref(),
                    batch_key: None,
                    product_key,
                    product_code: code,
                    product_description: description.as_deref(),
                    state: Some(serial.state(self.used.contains(&key))),
                    released: serial.released,
                    root_serial_key,
                    root_serial_code,
                    root_batch_key,
                    root_product_code,
                    wo_key: serial.wo_key,
                    wo_code: serial.wo_code.as_deref(),
                    project_code: serial.project_code.as_deref(),
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
                    product_key,
                    product_code: code,
                    product_description: description.as_deref(),
                    state: None,
                    released: None,
                    root_serial_key,
                    root_serial_code,
                    root_batch_key,
                    root_product_code,
                    wo_key: Some(batch.wo_key),
                    wo_code: Some(&batch.wo_code),
                    project_code: batch.project_code.as_deref(),
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

    fn location(&self, top: Parent) -> Result<RecallLocation<'_>> {
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
            position_key: serial.position_key.as_ref(),
            position_code: serial.position_code.as_deref(),
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

impl TableRow for RecalledUnit<'_> {
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
            text(self.serial_code),
            shown(self.batch_key),
            Cell::text(self.product_key.as_str()),
            Cell::text(self.product_code),
            text(self.product_description),
            text(self.state.map(SerialState::name)),
            shown(self.released),
            shown(self.root_serial_key),
            text(self.root_serial_code),
            shown(self.root_batch_key),
            Cell::text(self.root_product_code),
            shown(self.wo_key),
            text(self.wo_code),
            text(self.project_code),
            Cell::text(self.location.status.name()),
            text(self.location.position_key.map(PositionKey::as_str)),
            text(self.location.position_code),
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
