//! The wire format of movements.

use domain::collection::Collection;
use domain::key::{MovementKey, MovementListKey, PositionKey, ProductKey, SerialKey, UserKey, record_id, revision};
use domain::warehouse::movement::{MovementStatus, MovementType, References};
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use sheet::Cell;
use store::warehouse::movement_views::MovementView;

use crate::export::TableRow;

/// A movement with the codes of what it names.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Movement")]
pub(in crate::areas::warehouse) struct MovementRecord {
    _id: String,
    _key: MovementKey,
    _rev: String,
    /// The `_id` of the position it comes from.
    _from: String,
    /// The `_id` of the position it goes to.
    _to: String,
    #[serde(rename = "type")]
    kind: MovementType,
    /// Null: the position itself is moved.
    product_key: Option<ProductKey>,
    serial_key: Option<SerialKey>,
    qt_planned: Quantity,
    /// What was moved. Negative where an adjustment takes something away.
    qt_confirmed: Quantity,
    status: MovementStatus,
    created: Timestamp,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    /// False: it belongs to a customer or a supplier.
    owned: bool,
    movement_list_key: Option<MovementListKey>,
    movement_list_item: Option<i64>,
    /// The movement that reversed this one.
    inverse_movement_key: Option<MovementKey>,
    references: Option<References>,
    reason: Option<String>,
    user_key: UserKey,
    /// Anything, stored as it is.
    extra: Map<String, Value>,
    position_from_key: PositionKey,
    position_from_code: String,
    position_from_deleted: bool,
    position_to_key: PositionKey,
    position_to_code: String,
    position_to_deleted: bool,
    movement_list_code: Option<String>,
    product_code: Option<String>,
    product_description: Option<String>,
    /// The unit in which the product is counted. Empty: pieces.
    unit: Option<String>,
    serial_code: Option<String>,
}

pub(in crate::areas::warehouse) fn record(view: MovementView) -> MovementRecord {
    MovementRecord {
        _id: record_id(Collection::Movement, view.key),
        _key: view.key,
        _rev: revision(view.rev),
        _from: record_id(Collection::Position, &view.from_key),
        _to: record_id(Collection::Position, &view.to_key),
        kind: view.kind,
        references: references(&view),
        product_key: view.product_key,
        serial_key: view.serial_key,
        qt_planned: view.qt_planned,
        qt_confirmed: view.qt_confirmed,
        status: view.status,
        created: view.created,
        start: view.start,
        end: view.end,
        owned: view.owned,
        movement_list_key: view.movement_list_key,
        movement_list_item: view.movement_list_item,
        inverse_movement_key: view.inverse_movement_key,
        reason: view.reason,
        user_key: view.user_key,
        extra: view.extra,
        position_from_key: view.from_key,
        position_from_code: view.from_code,
        position_from_deleted: view.from_deleted,
        position_to_key: view.to_key,
        position_to_code: view.to_code,
        position_to_deleted: view.to_deleted,
        movement_list_code: view.movement_list_code,
        product_code: view.product_code,
        product_description: view.product_description,
        unit: view.unit,
        serial_code: view.serial_code,
    }
}

fn references(view: &MovementView) -> Option<References> {
    References::of(
        view.work_order_key,
        view.job_key,
        view.batch_key,
        view.origin_movement_key,
        view.references.as_ref(),
    )
}

pub(super) const COLUMNS: &[&str] = &[
    "_key",
    "type",
    "status",
    "product_key",
    "product_code",
    "product_description",
    "serial_key",
    "serial_code",
    "qt_planned",
    "qt_confirmed",
    "unit",
    "position_from_key",
    "position_from_code",
    "position_to_key",
    "position_to_code",
    "created",
    "start",
    "end",
    "owned",
    "movement_list_key",
    "movement_list_code",
    "movement_list_item",
    "inverse_movement_key",
    "origin_movement_key",
    "work_order_key",
    "job_key",
    "batch_key",
    "transfer_doc",
    "sales_doc",
    "purchase_doc",
    "partner_name",
    "partner_code",
    "reason",
    "user_key",
];

impl TableRow for MovementRecord {
    fn cells(&self) -> Vec<Cell<'_>> {
        let time = |time: Timestamp| Cell::text(time.to_string());
        let key = |key: Option<String>| Cell::maybe(key, Cell::text);
        let reference = |of: fn(&References) -> &Option<String>| {
            Cell::maybe(self.references.as_ref().and_then(|references| of(references).as_deref()), Cell::text)
        };
        vec![
            Cell::text(self._key.to_string()),
            Cell::text(self.kind.name()),
            Cell::text(self.status.name()),
            key(self.product_key.as_ref().map(ToString::to_string)),
            Cell::maybe(self.product_code.as_deref(), Cell::text),
            Cell::maybe(self.product_description.as_deref(), Cell::text),
            key(self.serial_key.map(|key| key.to_string())),
            Cell::maybe(self.serial_code.as_deref(), Cell::text),
            Cell::number(self.qt_planned),
            Cell::number(self.qt_confirmed),
            Cell::maybe(self.unit.as_deref(), Cell::text),
            Cell::text(self.position_from_key.as_str()),
            Cell::text(self.position_from_code.as_str()),
            Cell::text(self.position_to_key.as_str()),
            Cell::text(self.position_to_code.as_str()),
            time(self.created),
            Cell::maybe(self.start, time),
            Cell::maybe(self.end, time),
            Cell::Boolean(self.owned),
            key(self.movement_list_key.map(|key| key.to_string())),
            Cell::maybe(self.movement_list_code.as_deref(), Cell::text),
            Cell::maybe(self.movement_list_item, Cell::number),
            key(self.inverse_movement_key.map(|key| key.to_string())),
            reference(|references| &references.origin_movement_key),
            reference(|references| &references.work_order_key),
            reference(|references| &references.job_key),
            reference(|references| &references.batch_key),
            reference(|references| &references.transfer_doc),
            reference(|references| &references.sales_doc),
            reference(|references| &references.purchase_doc),
            reference(|references| &references.partner_name),
            reference(|references| &references.partner_code),
            Cell::maybe(self.reason.as_deref(), Cell::text),
            Cell::text(self.user_key.as_str()),
        ]
    }
}
