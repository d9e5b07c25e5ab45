//! A product's process as a whole.

use domain::{ErrorData, PhaseWithLines};
use std::collections::{BTreeSet, HashMap, HashSet};

use domain::Timestamp;
use domain::collection::Collection;
use domain::config::OPERATION_PARAMETERS;
use domain::fault::Faults;
use domain::key::{KEY_PATTERN, OperationKey, PhaseKey, ProductId, record_id, revision};
use domain::process::{ChosenParameters, PhaseParameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Tx;
use store::administration::config;
use store::process::operations;
use store::process::phases::{self, Phase};
use store::process::steps::{self, Owner};
use store::product::{boms, products};

use super::product_not_found;
use super::step::{self, Before, StepIn, id_of};
use crate::Result;
use crate::areas::paths::ProductPath;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Json, Name, Paging, Path, record_members};
use crate::reply::{Bare, Done, Listed};

#[derive(Serialize, JsonSchema)]
pub(super) struct PhaseData {
    _id: String,
    _key: PhaseKey,
    _rev: String,
    alias: String,
    operation_key: OperationKey,
    params: PhaseParameters,
    production_notes: Option<String>,
    steps: Vec<step::StepRecord>,
}

pub(super) async fn read(
    cx: Cx,
    Path(path): Path<ProductPath>,
    Paging(page): Paging<10_000>,
) -> Result<Listed<PhaseData>> {
    let read = async move |tx: &mut Tx| {
        let product = products::find(tx, &path.product_key).await?.ok_or_else(product_not_found)?;
        process_of(tx, product.id).await
    };
    Ok(Listed::page(cx.db.read_long(read).await?, &page))
}

async fn process_of(tx: &mut Tx, product: ProductId) -> Result<Vec<PhaseData>> {
    let phases = phases::of_product(tx, product).await?;
    let steps = steps::of_phases(tx, &keys(&phases)).await?;
    let mut steps = step::shown_by_owner(tx, steps).await?;
    let data = phases.into_iter().map(|phase| PhaseData {
        _id: record_id(Collection::Phase, phase.key),
        _key: phase.key,
        _rev: revision(phase.rev),
        alias: phase.alias,
        operation_key: phase.operation_key,
        params: phase.params,
        production_notes: phase.production_notes,
        steps: steps.remove(&Owner::Phase(phase.key)).unwrap_or_default(),
    });
    Ok(data.collect())
}

fn keys(phases: &[Phase]) -> Vec<i64> {
    phases.iter().map(|phase| phase.key.0).collect()
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "PhaseDataInput", transform = record_members)]
#[serde(deny_unknown_fields)]
struct PhaseIn {
    /// Key of the phase to overwrite; a phase without one is new.
    #[schemars(regex(pattern = KEY_PATTERN))]
    _key: Option<String>,
    /// Unique in the process.
    alias: Name<128>,
    operation_key: OperationKey,
    params: Option<ChosenParameters>,
    #[schemars(length(max = 10_000))]
    production_notes: Option<String>,
    #[serde(default)]
    #[schemars(length(max = 1000))]
    steps: Vec<StepIn>,
}

impl PhaseIn {
    fn key(&self) -> Option<PhaseKey> {
        self._key.as_deref().map(|key| PhaseKey(id_of(key)))
    }
}

/// The whole process, in order.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ProcessInput")]
pub(super) struct Process(#[schemars(length(max = 1000))] Vec<PhaseIn>);

pub(super) async fn replace(
    cx: Cx,
    Path(path): Path<ProductPath>,
    Json(process): Json<Process>,
) -> Result<Done<Bare<Vec<PhaseData>>>> {
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("replace process", async move |tx: &mut Tx| {
        let operations = process.hold_operations(tx).await?;
        let mut product = products::lock(tx, &path.product_key).await?.ok_or_else(product_not_found)?;
        let before = phases::of_product(tx, product.id).await?;
        let steps = steps::lock_of_phases(tx, &keys(&before)).await?;
        let steps = Before::load(tx, steps, process.steps()).await?;
        let mut plan = Plan { process: &process, product: product.id, before, steps, now };
        plan.check(&operations)?;
        plan.refuse_losing_lines(tx).await?;
        plan.write(tx, &asking).await?;
        products::touch(tx, &mut product, now).await?;
        Ok(Bare(process_of(tx, product.id).await?))
    })
    .await
}

impl Process {
    fn steps(&self) -> impl Iterator<Item = &StepIn> + Clone {
        self.0.iter().flat_map(|phase| &phase.steps)
    }

    /// The operations it names that exist; locked, so that none of them is deleted in the meantime.
    async fn hold_operations(&self, tx: &mut Tx) -> Result<HashSet<OperationKey>> {
        let named: BTreeSet<String> = self.0.iter().map(|phase| phase.operation_key.to_string()).collect();
        let named: Vec<String> = named.into_iter().collect();
        Ok(operations::hold_all(tx, &named).await?.into_iter().collect())
    }
}

/// A process that is about to replace another.
struct Plan<'a> {
    process: &'a Process,
    product: ProductId,
    before: Vec<Phase>,
    steps: Before,
    now: Timestamp,
}

impl Plan<'_> {
    fn check(&self, operations: &HashSet<OperationKey>) -> Result<()> {
        let known: HashSet<PhaseKey> = self.before.iter().map(|phase| phase.key).collect();
        let (mut keys, mut aliases, mut step_keys) = (HashSet::new(), HashSet::new(), HashSet::new());
        let mut faults = Faults::at("body");
        for (index, phase) in self.process.0.iter().enumerate() {
            faults.within(index, |faults| {
                let mut fault = |member: &str, kind: &'static str, why: &str, sent: &str| {
                    faults.within(member, |faults| faults.add(kind, why, &json!(sent)));
                };
                if let Some(sent) = &phase._key {
                    if !keys.insert(sent) {
                        fault("_key", "value_error", "Another phase of this request has the same key.", sent);
                    } else if !phase.key().is_some_and(|key| known.contains(&key)) {
                        fault("_key", "phase_not_of_product", "The process has no such phase.", sent);
                    }
                }
                if !aliases.insert(&phase.alias.0) {
                    fault("alias", "value_error", "Another phase of this process has the same alias.", &phase.alias.0);
                }
                if !operations.contains(&phase.operation_key) {
                    fault(
                        "operation_key",
                        "operation_not_found",
                        "There is no such operation.",
                        phase.operation_key.as_str(),
                    );
                }
                faults.within("steps", |faults| {
                    self.steps.check(&phase.steps, &mut step_keys, faults);
                });
            });
        }
        ApiError::check(faults)
    }

    fn kept(&self) -> HashSet<PhaseKey> {
        self.process.0.iter().filter_map(PhaseIn::key).collect()
    }

    /// 409 if a removed phase has lines of the bill of materials.
    async fn refuse_losing_lines(&self, tx: &mut Tx) -> Result<()> {
        let kept = self.kept();
        let dropped: Vec<&Phase> = self.before.iter().filter(|phase| !kept.contains(&phase.key)).collect();
        if dropped.is_empty() {
            return Ok(());
        }
        let keys: Vec<i64> = dropped.iter().map(|phase| phase.key.0).collect();
        let counts: HashMap<PhaseKey, i64> = boms::line_counts(tx, &keys).await?.into_iter().collect();
        let losing = dropped.iter().filter_map(|phase| {
            let lines = counts.get(&phase.key)?;
            Some(PhaseWithLines { phase_key: phase.key.to_string(), alias: phase.alias.clone(), line_count: *lines })
        });
        let losing: Vec<_> = losing.collect();
        if losing.is_empty() {
            return Ok(());
        }
        let why = "Lines of the bill of materials belong to phases that would be removed.";
        Err(ApiError::conflict_with(why, &ErrorData { phases: Some(losing), ..ErrorData::default() }))
    }

    /// Trashes the old process first, so that places and aliases can be swapped.
    async fn write(&mut self, tx: &mut Tx, cx: &Cx) -> Result<()> {
        if !self.before.is_empty() {
            let kept = self.kept();
            let (kept, dropped): (Vec<i64>, Vec<i64>) =
                keys(&self.before).into_iter().partition(|key| kept.contains(&PhaseKey(*key)));
            steps::drop_from_phases(tx, &kept, self.now).await?;
            steps::trash(tx, &dropped, self.now).await?;
            phases::trash(tx, &[self.product.0], self.now).await?;
        }
        let site = site_parameters(tx).await?;
        let written: Result<Vec<Phase>> =
            self.process.0.iter().enumerate().map(|(place, phase)| self.phase(cx, phase, place, &site)).collect();
        let written = written?;
        phases::save(tx, &written).await?;
        let sent = self.process.0.iter().map(|phase| phase.steps.as_slice());
        let sent: Vec<(Owner, &[StepIn])> = written.iter().map(|phase| Owner::Phase(phase.key)).zip(sent).collect();
        self.steps.save(tx, cx, &sent).await
    }

    fn phase(&self, cx: &Cx, sent: &PhaseIn, place: usize, site: &PhaseParameters) -> Result<Phase> {
        let before = sent.key().and_then(|key| self.before.iter().find(|phase| phase.key == key));
        let params = sent.params.clone().unwrap_or_default().complete(site);
        Ok(Phase {
            key: before.map_or_else(|| cx.new_id().map(PhaseKey), |before| Ok(before.key))?,
            rev: before.map_or(1, |before| before.rev + 1),
            product_id: self.product,
            place: place as i64,
            alias: sent.alias.0.clone(),
            operation_key: sent.operation_key.clone(),
            params: params.with_steps(sent.steps.len()),
            production_notes: sent.production_notes.clone(),
            trashed: None,
        })
    }
}

/// The site's default parameters of phases and operations.
pub(super) async fn site_parameters(tx: &mut Tx) -> Result<PhaseParameters> {
    Ok(PhaseParameters::of_site(config::get(tx, OPERATION_PARAMETERS).await?))
}
