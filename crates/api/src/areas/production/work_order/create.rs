//! A new order, with copies of all that it is made by.

use std::collections::BTreeSet;

use domain::config::SYSTEM_COUNTERS;
use domain::key::{CounterKey, JobKey, MediaKey, WorkOrderKey, record_id};
use domain::production::{Job, KeptLine, Order, PhasePlan, Stage, Work, material_cost};
use domain::{Quantity, Timestamp};
use futures_util::future::BoxFuture;
use journal::effects::production::floor::order_concerns;
use journal::{Act, References, ServerEvent};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::administration::config;
use store::administration::counters::{self, Drawn};
use store::attachments::media_files::{self, Link};
use store::product::products::Product;
use store::production::order_phases::{self, OrderPhase};
use store::production::{jobs, order_boms, work_orders};
use store::{Constraint, Tx};

use super::routing::Routing;
use super::sent::{NewOrder, Plan, told};
use super::wire::{OrderRecord, order_record};
use crate::Result;
use crate::areas::product::no_process;
use crate::areas::production::{JobRecord, job_records};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Json;
use crate::reply::{Done, Envelope, envelope};

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WorkOrderCreated")]
pub(super) struct Created {
    work_order: OrderRecord,
    /// One per phase, each with the whole quantity.
    jobs: Vec<JobRecord>,
}

pub(super) async fn create(cx: Cx, Json(body): Json<NewOrder>) -> Result<Done<Envelope<Created>>> {
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("create work order", async move |tx: &mut Tx| carry_out(tx, &asking, &body, now).await).await
}

/// Boxed, so that the compiler need not look for `Send` in all that it does.
fn carry_out<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    body: &'a NewOrder,
    now: Timestamp,
) -> BoxFuture<'a, Result<Envelope<Created>>> {
    Box::pin(async move {
        let mut act = cx.act(tx, now).await?;
        act.primary(ServerEvent::WorkOrderCreated.name(), json!({}), References::default())?;
        let product = body.product(act.tx).await?;
        refuse_traced(&product)?;
        // The product is held: neither its process nor its lines change meanwhile, and it can't go.
        let routing = Routing::load(act.tx, &product).await?;
        if routing.phases.is_empty() {
            return Err(no_process(&product.data.code, "The product has no production process."));
        }
        let Plan { lines, bom_version, position } = body.plan(act.tx, &product, &routing).await?;
        let order = Order {
            key: WorkOrderKey(act.new_id()?),
            rev: 1,
            wo_code: String::new(),
            product_id: product.id,
            product_key: product.key,
            product_code: product.data.code,
            product_description: product.data.description,
            qt_planned: body.qt_planned,
            priority: body.priority,
            project_code: body.project_code.clone(),
            notes: body.notes.clone(),
            start_from: body.start_from,
            due_by: body.due_by.map(|until| until.0),
            extra: body.extra.clone(),
            output_position_key: Some(position),
            traceability_level: product.data.traceability_level,
            serial_code_on_creation: product.data.serial_code_on_creation,
            bom_version,
            serial_fields: routing.serial_fields(),
            wo_docs: routing.docs.clone(),
            material_cost: material_cost(&lines, body.qt_planned),
            status: Stage::Created,
            active: false,
            critical: false,
            qt_completed: Quantity::ZERO,
            qt_scrap: Quantity::ZERO,
            progress: Quantity::ZERO,
            created: now,
            created_by: act.author.user_key.clone(),
            started: None,
            ended: None,
            // The last of the site queue.
            place: act.next_place().await?,
        };
        let order = store(&mut act, body, order, &lines, &routing).await?;
        act.note("work_order_key", json!(order.key));
        act.note("changes", told(&order, body, &lines));
        let jobs = job_records(act.tx, &[order.key.0], now).await?.remove(&order.key).unwrap_or_default();
        act.store().await?;
        let phases = routing.phases.iter().map(|copy| copy.phase.key).collect();
        envelope("Work order created.", Created { work_order: order_record(order, lines, phases, now), jobs })
    })
}

/// Until units can be traced, such products can't be made.
fn refuse_traced(product: &Product) -> Result<()> {
    let Some(level) = product.data.traceability_level else { return Ok(()) };
    let message = "The product is traced by units, and those can't be made yet.";
    Err(ApiError::rule("TraceabilityNotAvailable", message, json!({ "traceability_level": level })))
}

/// Stores the order under its code, with its copies and its jobs.
async fn store(
    act: &mut Act<'_>,
    body: &NewOrder,
    mut order: Order,
    lines: &[KeptLine],
    routing: &Routing,
) -> Result<Order> {
    let phases = routing.of_order(order.key, lines);
    let mut jobs = Vec::with_capacity(phases.len());
    for phase in &phases {
        jobs.push(new_job(act, &order, phase).await?);
    }
    let mut work = Work { phases: phases.len() as i64, jobs, order };
    work.settle(act.now);
    order = work.order;
    order.wo_code = match &body.wo_code {
        Some(code) => code.0.clone(),
        None => draw(act.tx, act.now).await?,
    };
    work_orders::insert(act.tx, &order).await.map_err(|error| match (error.constraint(), &body.wo_code) {
        (Some(Constraint::WorkOrderCodeTaken), Some(_)) => ApiError::conflict("Another work order has this code."),
        // Somebody chose the code that was drawn while it was: the next draw knows.
        (Some(Constraint::WorkOrderCodeTaken), None) => error.run_again().into(),
        _ => error.into(),
    })?;
    order_boms::put(act.tx, order.key, lines).await?;
    order_phases::insert_all(act.tx, &phases).await?;
    jobs::insert_all(act.tx, &work.jobs).await?;
    link_media(act, &order, routing.media()).await?;
    act.concern(order_concerns(&order)).await?;
    Ok(order)
}

/// The job of one phase: all that the order asks for.
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

/// The next code of the counter for orders.
async fn draw(tx: &mut Tx, now: Timestamp) -> Result<String> {
    let slots = config::get(tx, SYSTEM_COUNTERS).await?.unwrap_or_default();
    let counter = slots["work_orders"].as_str().and_then(|key| CounterKey::new(key).ok());
    let drawn = match &counter {
        Some(key) => counters::draw(tx, key, 1, now, work_orders::taken_codes).await?,
        None => Drawn::NoCounter,
    };
    let data = json!({ "counter_key": counter });
    match drawn {
        Drawn::Codes(codes) => {
            codes.into_iter().next().ok_or_else(|| ApiError::internal("a counter drew no code", None))
        }
        Drawn::NoCounter => Err(ApiError::rule("CounterNotDefinedError", "No counter makes codes for orders.", data)),
        Drawn::AllTaken => {
            Err(ApiError::rule("CounterCodeTaken", "The next 1,000 codes of the counter are taken.", data))
        }
    }
}

/// The order keeps the media of its steps, whatever becomes of those.
async fn link_media(act: &mut Act<'_>, order: &Order, media: BTreeSet<MediaKey>) -> Result<()> {
    let from_id = record_id("WorkOrder", order.key);
    let mut links = Vec::with_capacity(media.len());
    for media_key in media {
        links.push(Link { key: act.new_id()?, media_key, from_id: from_id.clone() });
    }
    Ok(media_files::link(act.tx, &links).await?)
}
