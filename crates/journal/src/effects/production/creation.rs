//! Creates an order, with copies of everything it is made by.

use std::collections::BTreeSet;

use domain::collection::Collection;
use domain::config::{PRODUCTION_POSITION, SYSTEM_COUNTERS};
use domain::json::Opaque;
use domain::key::{CounterKey, JobKey, MediaKey, PositionKey, WorkOrderKey, record_id};
use domain::production::{Job, KeptLine, Order, PhasePlan, Stage, Work, material_cost};
use domain::rule::production::{CounterCodeTaken, CounterNotDefinedError};
use domain::warehouse::INSIDE;
use domain::{Quantity, Timestamp};
use serde_json::Value;
use store::administration::config;
use store::administration::counters::{self, Drawn};
use store::attachments::media_files::{self, Link};
use store::product::products::Product;
use store::production::order_phases::{self, OrderPhase};
use store::production::{jobs, order_boms, work_orders};
use store::{Constraint, Tx};

use super::floor::{lines_must_be_readable, must_be_readable};
use super::routing::Routing;
use crate::act::Act;
use crate::{Error, Result};

/// What is requested for a new order.
pub struct NewWorkOrder {
    /// Drawn from the counter for orders if left out.
    pub wo_code: Option<String>,
    /// Locked: neither its process nor its lines can change in the meantime.
    pub product: Product,
    pub qt_planned: Quantity,
    pub priority: bool,
    pub project_code: Option<String>,
    pub notes: Option<String>,
    pub start_from: Option<Timestamp>,
    pub due_by: Option<Timestamp>,
    pub extra: Opaque,
    pub output_position_key: PositionKey,
    /// Of the product's lines; `None` if the order has lines of its own.
    pub bom_version: Option<i64>,
}

/// Stores the order under its code, with its copies and its jobs. If a requested code is taken, the error is
/// [`Constraint::WorkOrderCodeTaken`].
pub(crate) async fn create(
    act: &mut Act<'_>,
    new: NewWorkOrder,
    lines: &[KeptLine],
    routing: &Routing,
) -> Result<Order> {
    let wo_code = new.wo_code.clone();
    lines_must_be_readable(act, lines)?;
    let order = order(act, new, lines, routing).await?;
    let phases = routing.of_order(order.key, lines);
    let mut jobs = Vec::with_capacity(phases.len());
    for phase in &phases {
        jobs.push(new_job(act, &order, phase).await?);
    }
    let mut work = Work { phases: phases.len() as i64, jobs, order };
    must_be_readable(act, work.extra_size())?;
    work.settle(act.now);
    let mut order = work.order;
    let chosen = wo_code.is_some();
    order.wo_code = match wo_code {
        Some(code) => code,
        None => draw(act.tx, act.now).await?,
    };
    work_orders::insert(act.tx, &order).await.map_err(|error| match error.constraint() {
        // Somebody chose the drawn code at the same time: the next attempt sees that.
        Some(Constraint::WorkOrderCodeTaken) if !chosen => error.run_again(),
        _ => error,
    })?;
    order_boms::put(act.tx, order.key, lines).await?;
    order_phases::insert_all(act.tx, &phases).await?;
    jobs::insert_all(act.tx, &work.jobs).await?;
    link_media(act, &order, routing.media()).await?;
    Ok(order)
}

/// The new order, without its code.
async fn order(act: &mut Act<'_>, new: NewWorkOrder, lines: &[KeptLine], routing: &Routing) -> Result<Order> {
    let product = new.product;
    Ok(Order {
        key: WorkOrderKey(act.new_id()?),
        rev: 1,
        wo_code: String::new(),
        product_id: product.id,
        product_key: product.key,
        product_code: product.data.code,
        product_description: product.data.description,
        qt_planned: new.qt_planned,
        priority: new.priority,
        project_code: new.project_code,
        notes: new.notes,
        start_from: new.start_from,
        due_by: new.due_by,
        extra: new.extra,
        output_position_key: Some(new.output_position_key),
        traceability_level: product.data.traceability_level,
        serial_code_on_creation: product.data.serial_code_on_creation,
        bom_version: new.bom_version,
        serial_fields: routing.serial_fields(),
        wo_docs: routing.docs(),
        material_cost: material_cost(lines, new.qt_planned),
        status: Stage::Created,
        active: false,
        critical: false,
        qt_completed: Quantity::ZERO,
        qt_scrap: Quantity::ZERO,
        progress: Quantity::ZERO,
        created: act.now,
        created_by: act.author.user_key.clone(),
        started: None,
        ended: None,
        // At the end of the site queue.
        place: act.next_place().await?,
    })
}

/// The job of one phase, for the whole quantity of the order.
async fn new_job(act: &mut Act<'_>, order: &Order, phase: &OrderPhase) -> Result<Job> {
    let plan = PhasePlan {
        phase_key: phase.phase_key,
        place: phase.place,
        step_count: phase.step_count,
        unit_material_cost: phase.unit_material_cost,
        parameters: phase.params.clone(),
    };
    Ok(Job::new(JobKey(act.new_id()?), order, plan, order.qt_planned, act.next_place().await?))
}

/// Where the output of an order goes if nobody names a position: to that of the product, else to that of the site.
pub async fn output_position(tx: &mut Tx, product: &Product) -> store::Result<PositionKey> {
    if let Some(position) = &product.data.default_production_position_key {
        return Ok(position.clone());
    }
    let configured = config::get(tx, PRODUCTION_POSITION).await?;
    Ok(PositionKey::trusted(configured.as_ref().and_then(Value::as_str).unwrap_or(INSIDE)))
}

/// What to say if there is no such position as [`output_position`] names: nobody has sent it.
pub fn no_output_position(product: &Product) -> &'static str {
    if product.data.default_production_position_key.is_some() {
        "There is no such position: the product's default_production_position_key names it."
    } else {
        "There is no such position: the configuration entry default_production_position names it."
    }
}

/// Draws the next code from the counter for orders.
async fn draw(tx: &mut Tx, now: Timestamp) -> Result<String> {
    let slots = config::get(tx, SYSTEM_COUNTERS).await?.unwrap_or_default();
    let counter = slots["work_orders"].as_str().and_then(|key| CounterKey::new(key).ok());
    let drawn = match &counter {
        Some(key) => counters::draw(tx, key, 1, now, work_orders::taken_codes).await?,
        None => Drawn::NoCounter,
    };
    let counter_key = counter.clone();
    match drawn {
        Drawn::Codes(codes) => codes.into_iter().next().ok_or_else(|| Error::broken("a counter drew no code")),
        Drawn::NoCounter => Err(Error::rule(
            &CounterNotDefinedError { counter_key, serial_keys: Vec::new() },
            "No counter makes codes for orders.",
        )),
        Drawn::AllTaken => {
            Err(Error::rule(&CounterCodeTaken { counter_key }, "The next 1,000 codes of the counter are taken."))
        }
    }
}

/// Links the media of the order's steps to the order, so that it keeps them even if the steps change.
async fn link_media(act: &mut Act<'_>, order: &Order, media: BTreeSet<MediaKey>) -> Result<()> {
    let from_id = record_id(Collection::WorkOrder, order.key);
    let mut links = Vec::with_capacity(media.len());
    for media_key in media {
        links.push(Link { key: act.new_id()?, media_key, from_id: from_id.clone() });
    }
    Ok(media_files::link(act.tx, &links).await?)
}
