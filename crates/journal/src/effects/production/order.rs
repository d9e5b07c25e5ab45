//! Changes the plan of a work order.

use domain::bom_line::{ConsumptionOptions, SentLine};
use domain::collection::Collection;
use domain::fault::Faults;
use domain::key::{PhaseKey, PositionKey, ProductKey};
use domain::production::{KeptLine, MUST_BE_WHOLE, Work, material_cost, unit_material_cost};
use domain::rule::Refused;
use domain::{Change, Quantity, Timestamp, Until};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::entities;
use store::product::{components, products};
use store::production::{order_boms, order_phases, work_orders};

use super::creation::{no_output_position, output_position};
use super::floor::{Floor, lines_must_be_readable};
use super::plan::{self, Floors, JobUpdate, PlannedJobs, PlanningFacts};
use crate::act::Act;
use crate::event::made::production::OrderUpdated;
use crate::event::planned::{PlannedJob, WorkOrderUpdatedChanges};
use crate::{Error, Result};

/// A line that an order is to use. Accepts a line as it is read: members that belong to the component or the phase are
/// ignored.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "WOBomLineInput")]
#[serde(deny_unknown_fields)]
pub struct OrderLineIn {
    /// The product that is used. A line without it is refused.
    component_key: Option<ProductKey>,
    /// Per unit of the product; more than 0.
    qt: Quantity,
    /// A phase of the order; its last one when left out.
    phase_key: Option<PhaseKey>,
    /// Where the component is taken from.
    consumption_options: Option<ConsumptionOptions>,
    /// Anything, stored as it is.
    #[serde(default)]
    extra: Value,
    /// Ignored: the component has it.
    #[serde(rename = "component_code")]
    _component_code: Option<Value>,
    /// Ignored: the component has it.
    #[serde(rename = "component_description")]
    _component_description: Option<Value>,
    /// Ignored: the phase has it.
    #[serde(rename = "phase_name")]
    _phase_name: Option<Value>,
    /// Ignored: the component has it.
    #[serde(rename = "traceability_level")]
    _traceability_level: Option<Value>,
    /// Ignored: the component has it.
    #[serde(rename = "manage_inventory")]
    _manage_inventory: Option<Value>,
}

impl From<&OrderLineIn> for SentLine {
    fn from(line: &OrderLineIn) -> Self {
        Self {
            component_key: line.component_key.clone(),
            component_code: None,
            qt: line.qt,
            phase_key: line.phase_key,
            consumption_options: line.consumption_options.clone(),
            extra: line.extra.clone(),
        }
    }
}

/// Changes to a work order: members left out stay, null clears.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Changes {
    /// When it is due; a bare date means the end of that day. Also applies to open jobs.
    #[serde(default)]
    new_due_date: Change<Until>,
    /// When it may be started. Also applies to open jobs.
    #[serde(default)]
    new_from_date: Change<Timestamp>,
    /// The project it belongs to. Also applies to open jobs.
    #[serde(default)]
    #[schemars(length(max = 128))]
    new_project_code: Change<String>,
    /// All the lines that later batches use; null: none. Not for a closed order.
    #[serde(default)]
    #[schemars(length(max = 100_000))]
    new_bom: Change<Vec<OrderLineIn>>,
    /// The position where its output goes; null: as if none had been named for the order.
    #[serde(default)]
    new_output_position_key: Change<PositionKey>,
    /// The notes of the order.
    #[serde(default)]
    #[schemars(length(max = 100_000))]
    notes: Change<String>,
    /// Whether it has priority; null means no.
    #[serde(default)]
    priority: Change<bool>,
}

/// Changes the plan of an order; the current event records it.
pub(crate) async fn change(act: &mut Act<'_>, mut floor: Floor, changes: &Changes) -> Result<Work> {
    act.concern(floor.concerns()).await?;
    let (lines, output) = check(act, &floor, changes).await?;
    let project_before = floor.work.order.project_code.clone();
    let mut recorded = changes.apply(&mut floor.work, &output);
    if let Some(lines) = lines {
        lines_must_be_readable(act, &lines)?;
        recorded.wo_bom = Some(lines.iter().map(|kept| kept.line.clone()).collect());
        use_lines(act, &mut floor, &lines).await?;
    }
    act.note(&OrderUpdated { changes: recorded })?;
    let work = floor.finish(act).await?;
    if work.order.project_code != project_before {
        work_orders::renew_search(act.tx, &work.order).await?;
    }
    Ok(work)
}

/// The new lines, if there are any, and where the output goes from now on, if everything they name exists.
async fn check(
    act: &mut Act<'_>,
    floor: &Floor,
    changes: &Changes,
) -> Result<(Option<Vec<KeptLine>>, Change<PositionKey>)> {
    let order = &floor.work.order;
    let sent: Option<Vec<SentLine>> = match &changes.new_bom {
        Change::Keep => None,
        Change::Clear => Some(Vec::new()),
        Change::Set(lines) => Some(lines.iter().map(SentLine::from).collect()),
    };
    if sent.is_some() && order.ended.is_some() {
        return Err(Refused::value("The order is closed: nothing will use new lines.").into());
    }
    let mut faults = Faults::at("body");
    let mut why = "There is no such position.";
    let output = match &changes.new_output_position_key {
        Change::Clear => {
            let product = products::find(act.tx, &order.product_key).await?;
            let product = product.ok_or_else(|| Error::broken("the product of an order is not there"))?;
            why = no_output_position(&product);
            Change::Set(output_position(act.tx, &product).await?)
        }
        given => given.clone(),
    };
    if let Change::Set(key) = &output
        && !entities::exists(act.tx, Collection::Position, key.as_str()).await?
    {
        faults.within("new_output_position_key", |faults| faults.add("position_not_found", why, &json!(key)));
    }
    let mut lines = None;
    if let Some(sent) = sent {
        let phases = order_phases::aliases(act.tx, order.key).await?;
        let known = components::named(act.tx, &sent).await?;
        faults.within("new_bom", |faults| lines = Some(known.read(&sent, &phases, faults)));
    }
    Error::check(faults)?;
    let lines = lines.map(|lines| {
        let mut kept: Vec<KeptLine> = lines.into_iter().map(KeptLine::from).collect();
        order_boms::sort_for_reading(&mut kept);
        kept
    });
    Ok((lines, output))
}

/// Makes later batches use these lines.
async fn use_lines(act: &mut Act<'_>, floor: &mut Floor, lines: &[KeptLine]) -> Result<()> {
    floor.touch();
    let order = &mut floor.work.order;
    order.bom_version = None;
    order.material_cost = material_cost(lines, order.qt_planned);
    let mut costs: Vec<(PhaseKey, Option<Quantity>)> =
        floor.work.jobs.iter().map(|job| (job.phase_key, unit_material_cost(lines, job.phase_key))).collect();
    costs.dedup();
    order_boms::put(act.tx, order.key, lines).await?;
    Ok(order_phases::set_unit_costs(act.tx, order.key, costs.into_iter()).await?)
}

impl Changes {
    /// Applies the changes to the order, and its dates and project to open jobs. Returns what has changed.
    fn apply(&self, work: &mut Work, output: &Change<PositionKey>) -> WorkOrderUpdatedChanges {
        let order = &mut work.order;
        let due_by = self.new_due_date.clone().map(|until| until.0);
        let mut priority = Some(order.priority);
        let recorded = WorkOrderUpdatedChanges {
            due_by: set(&due_by, &mut order.due_by),
            start_from: set(&self.new_from_date, &mut order.start_from),
            project_code: set(&self.new_project_code, &mut order.project_code),
            output_position_key: set(output, &mut order.output_position_key),
            notes: set(&self.notes, &mut order.notes),
            priority: set(&self.priority, &mut priority),
            ..WorkOrderUpdatedChanges::default()
        };
        order.priority = priority.unwrap_or(false);
        for job in work.jobs.iter_mut().filter(|job| job.is_open()) {
            due_by.clone().apply(&mut job.due_by);
            self.new_from_date.clone().apply(&mut job.start_from);
            self.new_project_code.clone().apply(&mut job.project_code);
        }
        recorded
    }
}

/// Applies a change. Returns the new value, unless it stays.
fn set<T: Clone>(change: &Change<T>, place: &mut Option<T>) -> Option<Option<T>> {
    change.is_given().then(|| {
        change.clone().apply(place);
        place.clone()
    })
}

/// Changes the planned quantity: all of it for each job, or as the updates say. The current event records it.
pub(crate) async fn replan(
    act: &mut Act<'_>,
    mut floor: Floor,
    quantity: Quantity,
    updates: Option<&[JobUpdate]>,
) -> Result<Work> {
    act.concern(floor.concerns()).await?;
    if floor.work.order.is_traced() && !quantity.is_whole() {
        let mut faults = Faults::at("body");
        faults.within("new_quantity", |faults| faults.add("multiple_of", MUST_BE_WHOLE, &json!(quantity)));
        return Err(Error::Invalid(faults.into_vec()));
    }
    let mut recorded = WorkOrderUpdatedChanges { qt_planned: Some(quantity), ..WorkOrderUpdatedChanges::default() };
    match updates {
        None => floor.work.plan(quantity)?,
        Some(updates) => {
            let jobs;
            (floor, jobs) = replan_jobs(act, floor, updates).await?;
            recorded.jobs = Some(jobs);
            floor.work.order.qt_planned = quantity;
        }
    }
    act.note(&OrderUpdated { changes: recorded })?;
    let lines = order_boms::of_order(act.tx, floor.work.order.key).await?;
    floor.work.order.material_cost = material_cost(&lines, quantity);
    floor.finish(act).await
}

/// Plans jobs of one order by hand. Returns what the journal records of them.
async fn replan_jobs(act: &mut Act<'_>, floor: Floor, updates: &[JobUpdate]) -> Result<(Floor, Vec<PlannedJob>)> {
    let order = floor.work.order.key;
    let mut floors = Floors::from([(order, floor)]);
    let known = PlanningFacts::load(act, &floors, updates).await?;
    let mut faults = Faults::at("body");
    let mut planned = PlannedJobs::default();
    faults.within("job_updates", |faults| {
        must_have_quantities(updates, faults);
        planned = plan::plan(&known, &mut floors, updates, faults);
    });
    Error::check(faults)?;
    let floor = floors.remove(&order).ok_or_else(|| Error::broken("an order went while its jobs were planned"))?;
    Ok((floor, planned.recorded(order)))
}

/// Checks that each update has a quantity.
fn must_have_quantities(updates: &[JobUpdate], faults: &mut Faults) {
    for (index, update) in updates.iter().enumerate() {
        let given = match update {
            JobUpdate::Insert(_) => true,
            JobUpdate::Update(change) => change.qt_planned.is_some(),
            JobUpdate::Close(_) => false,
        };
        if !given {
            faults.within(index, |faults| {
                faults.within("data", |faults| {
                    faults.within("qt_planned", |faults| faults.add("missing", "Is required here.", &Value::Null));
                });
            });
        }
    }
}
