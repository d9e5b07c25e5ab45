//! A new order, with copies of all that it is made by.

use std::collections::BTreeSet;

use domain::bom_line::SentLine;
use domain::config::{PRODUCTION_POSITION, SYSTEM_COUNTERS};
use domain::fault::Faults;
use domain::key::{CounterKey, JobKey, MediaKey, PositionKey, ProductKey, WorkOrderKey, record_id};
use domain::production::{Job, KeptLine, Order, PhasePlan, Stage, Work, material_cost};
use domain::{Quantity, Timestamp, Until};
use futures_util::future::BoxFuture;
use journal::catalogue::Made;
use journal::production::order::OrderLineIn;
use journal::{Act, References};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::administration::config;
use store::administration::counters::{self, Drawn};
use store::attachments::media_files::{self, Link};
use store::product::products::{self, Product};
use store::product::{boms, components};
use store::production::order_phases::{self, OrderPhase};
use store::production::{jobs, order_boms, work_orders};
use store::{Constraint, Tx, entities};

use super::routing::Routing;
use super::wire::{OrderRecord, order_record};
use crate::Result;
use crate::areas::journal::author;
use crate::areas::product::{no_process, not_found};
use crate::areas::production::{JobRecord, job_records};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Json, Name, read_only, record_members};
use crate::reply::{Done, Envelope, envelope};

/// What readers get of an order besides what writers send.
fn order_members(schema: &mut Schema) {
    record_members(schema);
    let names = [
        "_key",
        "product_description",
        "traceability_level",
        "serial_code_on_creation",
        "phase_sequence",
        "bom_version",
        "status",
        "qt_completed",
        "qt_scrap",
        "qt_remaining",
        "active",
        "on_time",
        "critical",
        "progress",
        "serial_fields",
        "created",
        "created_by",
        "start",
        "end",
        "wo_docs",
        "material_cost",
        "jobs",
        "processing_time",
        "processing_cost",
        "total_cost",
        "issue_count",
    ];
    read_only(schema, &names);
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NewWorkOrder", transform = order_members)]
#[serde(deny_unknown_fields)]
pub(super) struct NewOrder {
    /// From the counter of the configuration entry `system_counters` when left out.
    wo_code: Option<Name<128>>,
    product_key: Option<ProductKey>,
    /// Instead of the key; if both are sent, they are the same product's.
    product_code: Option<Name<128>>,
    #[schemars(extend("exclusiveMinimum" = 0))]
    qt_planned: Quantity,
    #[serde(default)]
    priority: bool,
    #[schemars(length(max = 128))]
    project_code: Option<String>,
    #[schemars(length(max = 100_000))]
    notes: Option<String>,
    start_from: Option<Timestamp>,
    /// A bare date means the end of that day.
    due_by: Option<Until>,
    /// Anything, kept as it is.
    #[serde(default)]
    extra: Value,
    /// The lines that it uses; a copy of the product's when left out.
    #[schemars(length(max = 100_000))]
    wo_bom: Option<Vec<OrderLineIn>>,
    /// Where its output goes: the product's, or that of the configuration entry `default_production_position`, when left out.
    output_position_key: Option<PositionKey>,
}

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
        let author = author(tx, cx).await?;
        let mut act = Act::begin(tx, &cx.node, &author, now).await?;
        act.primary(Made::WorkOrderCreated.name(), json!({}), References::default())?;
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
            // Numbers that the server makes grow: it is the last of the site queue.
            place: act.new_id()?,
        };
        let order = store(&mut act, body, order, &lines, &routing).await?;
        act.note("work_order_key", json!(order.key));
        act.note("changes", changes(&order, body.wo_bom.is_some().then_some(&lines)));
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

/// What the order is made by besides its routing.
struct Plan {
    lines: Vec<KeptLine>,
    bom_version: Option<i64>,
    position: PositionKey,
}

impl NewOrder {
    /// The live and active product that is named, locked.
    async fn product(&self, tx: &mut Tx) -> Result<Product> {
        let code = self.product_code.as_ref().map(|code| code.0.as_str());
        let found = match (&self.product_key, code) {
            (Some(key), _) => products::lock(tx, key).await?,
            (None, Some(code)) => products::lock_by_code(tx, code).await?,
            (None, None) => {
                return Err(fault(
                    "product_key",
                    "missing",
                    "An order names its product by key or code.",
                    &Value::Null,
                ));
            }
        };
        let product = found.filter(|product| product.data.active).ok_or_else(not_found)?;
        match code.filter(|code| *code != product.data.code) {
            None => Ok(product),
            Some(code) => {
                let why = "product_key and product_code are different products.";
                Err(fault("product_code", "value_error", why, &json!(code)))
            }
        }
    }

    /// The lines and the position, or all that is wrong with them.
    async fn plan(&self, tx: &mut Tx, product: &Product, routing: &Routing) -> Result<Plan> {
        let mut faults = Faults::at("body");
        let position = self.position(tx, product).await?;
        if !entities::exists(tx, "Position", position.as_str()).await? {
            let why = "There is no such position.";
            faults.within("output_position_key", |faults| faults.add("position_not_found", why, &json!(position)));
        }
        let lines = match &self.wo_bom {
            None => boms::lines(tx, product.id).await?,
            Some(sent) => {
                let sent: Vec<SentLine> = sent.iter().map(SentLine::from).collect();
                let known = components::named(tx, &sent).await?;
                let mut lines = Vec::new();
                faults.within("wo_bom", |faults| lines = known.read(&sent, &routing.aliases(), faults));
                lines
            }
        };
        ApiError::check(faults)?;
        let mut lines: Vec<KeptLine> = lines.into_iter().map(KeptLine::from).collect();
        order_boms::sort_for_reading(&mut lines);
        Ok(Plan { lines, bom_version: self.wo_bom.is_none().then_some(product.bom_version), position })
    }

    async fn position(&self, tx: &mut Tx, product: &Product) -> Result<PositionKey> {
        let named = self.output_position_key.as_ref().or(product.data.default_production_position_key.as_ref());
        if let Some(key) = named {
            return Ok(key.clone());
        }
        let configured = config::get(tx, PRODUCTION_POSITION).await?;
        Ok(PositionKey::trusted(configured.as_ref().and_then(Value::as_str).unwrap_or("IN")))
    }
}

fn fault(member: &str, kind: &'static str, why: &str, sent: &Value) -> ApiError {
    let mut faults = Faults::at("body");
    faults.within(member, |faults| faults.add(kind, why, sent));
    ApiError::validation(faults.into_vec())
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
    let jobs: Result<Vec<Job>> = phases.iter().map(|phase| new_job(act, &order, phase)).collect();
    let mut work = Work { phases: phases.len() as i64, jobs: jobs?, order };
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
    act.concern(journal::floor::order_concerns(&order))?;
    Ok(order)
}

/// The job of one phase: all that the order asks for.
fn new_job(act: &Act<'_>, order: &Order, phase: &OrderPhase) -> Result<Job> {
    let plan = PhasePlan {
        phase_key: phase.phase_key,
        place: phase.place,
        step_count: phase.step_count,
        unit_material_cost: phase.unit_material_cost,
        parameters: phase.params.clone(),
    };
    Ok(Job::new(JobKey(act.new_id()?), order, plan, order.qt_planned, act.new_id()?))
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

/// What the journal tells of it.
fn changes(order: &Order, lines: Option<&Vec<KeptLine>>) -> Value {
    let mut changes = json!({
        "wo_code": order.wo_code,
        "product_key": order.product_key,
        "product_code": order.product_code,
        "qt_planned": order.qt_planned,
        "priority": order.priority,
        "project_code": order.project_code,
        "notes": order.notes,
        "start_from": order.start_from,
        "due_by": order.due_by,
        "extra": order.extra,
        "output_position_key": order.output_position_key,
        "bom_version": order.bom_version,
    });
    if let Some(lines) = lines {
        changes["wo_bom"] = lines.iter().map(|kept| json!(kept.line)).collect();
    }
    changes
}
