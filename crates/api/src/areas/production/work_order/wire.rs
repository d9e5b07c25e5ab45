//! The wire format of work orders.

use std::collections::HashMap;

use domain::collection::Collection;
use domain::json::Opaque;
use domain::key::{PhaseKey, PositionKey, ProductKey, UserKey, WorkOrderKey, record_id, revision};
use domain::product::TraceabilityLevel;
use domain::production::{KeptLine, Order, OrderDoc, OrderLine, Stage, on_time, work_cost};
use domain::serial::SerialValue;
use domain::{Quantity, Timestamp, Total};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::Tx;
use store::collaboration::counts;
use store::production::{order_boms, order_phases, sessions, work_orders};

use crate::Result;
use crate::areas::production::{JobRecord, job_records};
use crate::error::ApiError;

/// An order to make a quantity of a product.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WorkOrder")]
pub(crate) struct OrderRecord {
    _id: String,
    _key: WorkOrderKey,
    _rev: String,
    /// Unique among all orders.
    wo_code: String,
    product_key: ProductKey,
    /// As it was when the order was created.
    product_code: String,
    product_description: Option<String>,
    qt_planned: Quantity,
    priority: bool,
    project_code: Option<String>,
    notes: Option<String>,
    start_from: Option<Timestamp>,
    due_by: Option<Timestamp>,
    /// Anything.
    extra: Opaque,
    /// The lines it uses, by component and phase; later changes to the product do not affect them.
    wo_bom: Vec<OrderLine>,
    /// Where its output goes.
    output_position_key: Option<PositionKey>,
    traceability_level: Option<TraceabilityLevel>,
    serial_code_on_creation: bool,
    /// The routing when it was created: keys of the phases in their order.
    phase_sequence: Vec<PhaseKey>,
    /// The version of the product's bill of materials that it copied; null if it was given lines of its own.
    bom_version: Option<i64>,
    status: Stage,
    qt_completed: Quantity,
    qt_scrap: Quantity,
    qt_remaining: Quantity,
    /// Whether somebody is working on one of its jobs right now.
    active: bool,
    on_time: bool,
    critical: bool,
    /// In percent.
    progress: Quantity,
    /// The fields that its units have, without values.
    #[schemars(with = "Vec<SerialValue>")]
    serial_fields: Value,
    created: Timestamp,
    created_by: UserKey,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    /// The product's documents when it was created.
    #[schemars(with = "Vec<OrderDoc>")]
    wo_docs: Opaque,
    /// Of the whole planned quantity; null if the cost of a component is unknown.
    material_cost: Option<Quantity>,
}

/// An order with its jobs and what was spent on it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WorkOrderRead")]
pub(crate) struct OrderRead {
    #[serde(flatten)]
    order: OrderRecord,
    /// By phase, then by creation.
    jobs: Vec<JobRecord>,
    /// In milliseconds; running sessions count up to now. Null if they are too many to be represented.
    processing_time: Option<i64>,
    /// The hours of all sessions, each at its cost; null beyond 1e12.
    processing_cost: Option<Quantity>,
    /// Material and work; null if the cost of the material is unknown, and beyond 1e12.
    total_cost: Option<Quantity>,
    /// How many issues are about the order itself, open or closed.
    issue_count: i64,
}

pub(super) fn order_record(order: Order, lines: Vec<KeptLine>, phases: Vec<PhaseKey>, now: Timestamp) -> OrderRecord {
    OrderRecord {
        _id: record_id(Collection::WorkOrder, order.key),
        _key: order.key,
        _rev: revision(order.rev),
        qt_remaining: order.qt_remaining(),
        on_time: on_time(order.due_by, order.ended, now),
        wo_code: order.wo_code,
        product_key: order.product_key,
        product_code: order.product_code,
        product_description: order.product_description,
        qt_planned: order.qt_planned,
        priority: order.priority,
        project_code: order.project_code,
        notes: order.notes,
        start_from: order.start_from,
        due_by: order.due_by,
        extra: order.extra,
        wo_bom: lines.into_iter().map(|kept| kept.line).collect(),
        output_position_key: order.output_position_key,
        traceability_level: order.traceability_level,
        serial_code_on_creation: order.serial_code_on_creation,
        phase_sequence: phases,
        bom_version: order.bom_version,
        status: order.status,
        qt_completed: order.qt_completed,
        qt_scrap: order.qt_scrap,
        active: order.active,
        critical: order.critical,
        progress: order.progress,
        serial_fields: with_all_members(order.serial_fields.value()),
        created: order.created,
        created_by: order.created_by,
        start: order.started,
        end: order.ended,
        wo_docs: order.wo_docs,
        material_cost: order.material_cost,
    }
}

/// Orders of earlier versions have copied fewer members of their fields.
fn with_all_members(mut fields: Value) -> Value {
    for field in fields.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        for member in ["multiple", "hidden"] {
            field.entry(member).or_insert(Value::Null);
        }
    }
    fields
}

/// Orders without their jobs, in the same order, in a constant number of statements.
pub(crate) async fn order_records(tx: &mut Tx, orders: Vec<Order>, now: Timestamp) -> Result<Vec<OrderRecord>> {
    let keys: Vec<i64> = orders.iter().map(|order| order.key.0).collect();
    let mut lines: HashMap<WorkOrderKey, Vec<KeptLine>> = order_boms::of_orders(tx, &keys).await?.into_iter().collect();
    let mut phases: HashMap<WorkOrderKey, Vec<PhaseKey>> = HashMap::new();
    for (order, phase) in order_phases::keys_of_orders(tx, &keys).await? {
        phases.entry(order).or_default().push(phase);
    }
    let form = |order: Order| {
        let (lines, phases) = (lines.remove(&order.key), phases.remove(&order.key));
        order_record(order, lines.unwrap_or_default(), phases.unwrap_or_default(), now)
    };
    Ok(orders.into_iter().map(form).collect())
}

/// Orders with everything that belongs to them, in a constant number of statements.
pub(crate) async fn order_reads(tx: &mut Tx, orders: Vec<Order>, now: Timestamp) -> Result<Vec<OrderRead>> {
    if orders.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<i64> = orders.iter().map(|order| order.key.0).collect();
    let issues = counts::of_orders(tx, &keys).await?;
    let mut worked: HashMap<WorkOrderKey, Vec<(i128, Quantity)>> = HashMap::new();
    for at_rate in sessions::worked_for(tx, &keys, now).await? {
        worked.entry(at_rate.work_order_key).or_default().push((at_rate.duration, at_rate.hourly_cost));
    }
    let mut jobs = job_records(tx, &keys, now).await?;
    let read = |order: OrderRecord| {
        let key = order._key;
        let work = worked.remove(&key).unwrap_or_default();
        let processing_time = work.iter().map(|(millis, _)| millis).sum::<i128>();
        let processing_cost = work_cost(work);
        let total_cost = order.material_cost.zip(processing_cost).map(|(material, work)| Total::from(material) + work);
        OrderRead {
            jobs: jobs.remove(&key).unwrap_or_default(),
            processing_time: i64::try_from(processing_time).ok(),
            processing_cost: processing_cost.and_then(Total::quantity),
            total_cost: total_cost.and_then(Total::quantity),
            issue_count: issues.get(&key).copied().unwrap_or(0),
            order,
        }
    };
    Ok(order_records(tx, orders, now).await?.into_iter().map(read).collect())
}

/// An order as it is in this transaction.
pub(crate) async fn order_read(tx: &mut Tx, key: WorkOrderKey, now: Timestamp) -> Result<OrderRead> {
    let order = work_orders::find(tx, key).await?.ok_or_else(not_found)?;
    let mut reads = order_reads(tx, vec![order], now).await?;
    reads.pop().ok_or_else(|| ApiError::internal("an order without its form", None))
}

pub(super) fn not_found() -> ApiError {
    ApiError::missing(Collection::WorkOrder)
}
