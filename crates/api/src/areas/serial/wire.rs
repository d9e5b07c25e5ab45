use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{CounterKey, ProductKey, SerialKey, UserKey, WorkOrderKey, record_id, revision};
use domain::serial::{SerialState, SerialValue};
use schemars::JsonSchema;
use serde::Serialize;
use store::serial::serials::SerialView;

/// A unit that is traced by itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Serial")]
pub(crate) struct SerialRecord {
    _id: String,
    _key: SerialKey,
    _rev: String,
    /// Upper-cased; unique among the live serials of its product. Null: it has none yet.
    code: Option<String>,
    product_key: ProductKey,
    /// The order that makes it; null for goods received.
    wo_key: Option<WorkOrderKey>,
    /// The counter that its code comes from.
    counter_key: Option<CounterKey>,
    /// Always 1.
    quantity: u8,
    created: Timestamp,
    created_by: UserKey,
    /// Null while it is in production.
    released: Option<Timestamp>,
    released_by: Option<UserKey>,
    scrapped: Option<Timestamp>,
    scrapped_by: Option<UserKey>,
    scrap_reason: Option<String>,
    deleted: Option<Timestamp>,
    deleted_by: Option<UserKey>,
    /// The values of its fields.
    data: Vec<SerialValue>,
    /// What it is at the moment.
    state: SerialState,
}

pub(crate) fn record(view: SerialView) -> SerialRecord {
    let state = view.state();
    let serial = view.serial;
    SerialRecord {
        _id: record_id(Collection::Serial, serial.key),
        _key: serial.key,
        _rev: revision(serial.rev),
        code: serial.code,
        product_key: serial.product_key,
        wo_key: serial.wo_key,
        counter_key: serial.counter_key,
        quantity: 1,
        created: serial.created,
        created_by: serial.created_by,
        released: serial.released,
        released_by: serial.released_by,
        scrapped: serial.scrapped,
        scrapped_by: serial.scrapped_by,
        scrap_reason: serial.scrap_reason,
        deleted: serial.deleted,
        deleted_by: serial.deleted_by,
        data: serial.data,
        state,
    }
}
