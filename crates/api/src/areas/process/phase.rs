//! Phases and their steps by key, including trashed ones.

use std::collections::{HashMap, HashSet};

use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{OperationKey, PhaseKey, ProductKey, StepKey, record_id, revision};
use domain::process::PhaseParameters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::process::phases::{self, PhaseOf};
use store::process::steps;

use super::{PhasePath, step};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path, Query};
use crate::reply::Listed;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Phase")]
pub(crate) struct PhaseRecord {
    _id: String,
    _key: PhaseKey,
    _rev: String,
    alias: String,
    product_key: ProductKey,
    operation_key: OperationKey,
    params: PhaseParameters,
    /// Keys of its steps, in order.
    step_sequence: Vec<StepKey>,
    production_notes: Option<String>,
    trashed: Option<Timestamp>,
}

fn record(PhaseOf { phase, product_key }: PhaseOf, step_sequence: Vec<StepKey>) -> PhaseRecord {
    PhaseRecord {
        _id: record_id(Collection::Phase, phase.key),
        _key: phase.key,
        _rev: revision(phase.rev),
        alias: phase.alias,
        product_key,
        operation_key: phase.operation_key,
        params: phase.params,
        step_sequence,
        production_notes: phase.production_notes,
        trashed: phase.trashed,
    }
}

/// Phases with the keys of their steps, in the same order.
pub(crate) async fn phase_records(tx: &mut Tx, phases: Vec<PhaseOf>) -> Result<Vec<PhaseRecord>> {
    let keys: Vec<i64> = phases.iter().map(|found| found.phase.key.0).collect();
    let mut steps: HashMap<PhaseKey, Vec<StepKey>> = HashMap::new();
    for (phase, step) in steps::keys_of_phases(tx, &keys).await? {
        steps.entry(phase).or_default().push(step);
    }
    let form = |found: PhaseOf| {
        let own = steps.remove(&found.phase.key);
        record(found, own.unwrap_or_default())
    };
    Ok(phases.into_iter().map(form).collect())
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct PhasesQuery {
    /// The keys of the phases; without any, the list is empty.
    #[serde(default)]
    phase_key: Vec<PhaseKey>,
}

pub(super) async fn read(
    cx: Cx,
    Query(query): Query<PhasesQuery>,
    Paging(page): Paging<10_000>,
) -> Result<Listed<PhaseRecord>> {
    let mut seen = HashSet::new();
    let asked: Vec<PhaseKey> = query.phase_key.into_iter().filter(|key| seen.insert(*key)).collect();
    if asked.is_empty() {
        return Ok(Listed::page(Vec::new(), &page));
    }
    let read = async move |tx: &mut Tx| {
        let ids: Vec<i64> = asked.iter().map(|key| key.0).collect();
        let found = phases::find_all(tx, &ids).await?;
        let found = phase_records(tx, found).await?.into_iter();
        let mut found: HashMap<PhaseKey, PhaseRecord> = found.map(|phase| (phase._key, phase)).collect();
        let found = asked.iter().map(|key| found.remove(key).ok_or_else(|| ApiError::not_found("A phase was")));
        found.collect::<Result<Vec<PhaseRecord>>>()
    };
    Ok(Listed::page(cx.db.read_long(read).await?, &page))
}

pub(super) async fn procedure(
    cx: Cx,
    Path(path): Path<PhasePath>,
    Paging(page): Paging<10_000>,
) -> Result<Listed<step::StepRecord>> {
    let read = async move |tx: &mut Tx| {
        if !phases::exists(tx, path.phase_key).await? {
            return Err(ApiError::missing(Collection::Phase));
        }
        let steps = steps::of_phases(tx, &[path.phase_key.0]).await?;
        step::shown(tx, steps).await
    };
    let steps = cx.db.read_long(read).await?;
    Ok(Listed::page(steps.into_iter().map(|(_, step)| step).collect(), &page))
}
