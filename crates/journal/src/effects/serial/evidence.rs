//! The evidence that the records of units lack, and the issues about them, for many units at once.

mod descent;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use domain::config::BLOCK_RELEASE;
use domain::key::{BatchKey, FieldKey, SerialKey};
use domain::serial::evidence::{BatchWork, FieldFacts, Missing, UnitRecord, named_files};
use store::administration::config;
use store::collaboration::about_units::AboutUnit;
use store::quality::fields;
use store::serial::evidence::{self, EvidenceUnit};
use store::{Result, Tx};

use super::codes::NAMED;
use super::linking::hold_genealogy;
use crate::act::Act;

/// So many units are looked at together.
const AT_ONCE: usize = 1_000;
/// What a piece of missing evidence takes until the answer is sent.
const MISSING_BYTES: usize = 400;
/// What an issue takes in each record that shows it.
const ISSUE_BYTES: usize = 100;

/// What is known of a unit's evidence.
#[derive(Debug, Default)]
pub struct Evidence {
    /// What its record lacks.
    pub missing: Vec<Missing>,
    /// The issues about it, what is in it, or its order, the oldest first.
    pub issues: Vec<Arc<AboutUnit>>,
}

/// The evidence of each of these serials that exists; deleted ones too.
pub async fn of_units(tx: &mut Tx, serials: &[SerialKey]) -> Result<HashMap<SerialKey, Evidence>> {
    let mut all = HashMap::with_capacity(serials.len());
    for some in serials.chunks(AT_ONCE) {
        let found = of_some(tx, some).await?;
        let bytes = |unit: &Evidence| unit.missing.len() * MISSING_BYTES + unit.issues.len() * ISSUE_BYTES;
        tx.take_memory(found.values().map(bytes).sum::<usize>())?;
        all.extend(found);
    }
    Ok(all)
}

/// Whether units are released only with all their evidence.
pub(crate) async fn is_asked_for(tx: &mut Tx) -> Result<bool> {
    Ok(config::get(tx, BLOCK_RELEASE).await?.and_then(|entry| entry.as_bool()) == Some(true))
}

/// Likewise. If so, nobody else changes links until the transaction ends: what a unit contains at any depth is part of its evidence.
pub(crate) async fn hold(act: &mut Act<'_>) -> crate::Result<bool> {
    let asked = is_asked_for(act.tx).await?;
    if asked {
        hold_genealogy(act).await?;
    }
    Ok(asked)
}

/// What keeps these serials from being released where evidence is asked for, of as many as an error names.
pub(crate) async fn blocking(tx: &mut Tx, serials: &[SerialKey]) -> Result<HashMap<SerialKey, Vec<Missing>>> {
    let mut blocked = HashMap::new();
    for some in serials.chunks(AT_ONCE) {
        let found = of_some(tx, some).await?.into_iter().filter_map(|(key, Evidence { mut missing, .. })| {
            missing.retain(Missing::blocks_release);
            missing.truncate(NAMED);
            (!missing.is_empty()).then_some((key, missing))
        });
        blocked.extend(found);
        if blocked.len() >= NAMED {
            break;
        }
    }
    Ok(blocked)
}

async fn of_some(tx: &mut Tx, serials: &[SerialKey]) -> Result<HashMap<SerialKey, Evidence>> {
    let units = evidence::units(tx, &serials.iter().map(|key| key.0).collect::<Vec<_>>()).await?;
    let fields = mandatory_fields(tx, &units).await?;
    let orders: BTreeSet<i64> = units.iter().filter_map(|unit| unit.wo_key).map(|order| order.0).collect();
    let phases = evidence::phases(tx, &orders.into_iter().collect::<Vec<_>>()).await?;
    let stepped = units.iter().filter(|unit| unit.wo_key.is_some_and(|order| phases.contains_key(&order)));
    let (batches, work) = work_on(tx, stepped.map(|unit| unit.key.0).collect()).await?;
    let with_files = units.iter().filter(|unit| names_files(unit)).map(|unit| unit.key);
    let files = evidence::files(tx, &with_files.collect::<Vec<_>>()).await?;
    let mut found = descent::look(tx, &units).await?;
    let of_unit = |unit: &EvidenceUnit| {
        let own = batches.get(&unit.key).into_iter().flatten();
        let record = UnitRecord {
            has_code: unit.code.is_some(),
            is_released: unit.released.is_some(),
            data: &unit.data,
            phases: unit.wo_key.and_then(|order| phases.get(&order)).map(Vec::as_slice).unwrap_or_default(),
            batches: own.filter_map(|batch| work.get(batch)).collect(),
            files: files.get(&unit.key),
        };
        let issues = found.issues.remove(&unit.key).unwrap_or_default();
        let mut in_tree = found.components.remove(&unit.key).unwrap_or_default();
        in_tree.extend(issues.iter().filter(|issue| issue.open && issue.critical).map(|issue| open_issue(issue)));
        (unit.key, Evidence { missing: record.missing(&fields, in_tree), issues })
    };
    Ok(units.iter().map(of_unit).collect())
}

fn open_issue(issue: &AboutUnit) -> Missing {
    Missing::Issue {
        issue_key: issue.issue_key,
        issue_type_name: issue.issue_type_name.clone(),
        title: issue.title.clone(),
    }
}

fn names_files(unit: &EvidenceUnit) -> bool {
    unit.data.iter().any(|entry| named_files(&entry.value).next().is_some())
}

/// The custom fields that some units have mandatory values of.
async fn mandatory_fields(tx: &mut Tx, units: &[EvidenceUnit]) -> Result<HashMap<FieldKey, FieldFacts>> {
    let mandatory = units.iter().flat_map(|unit| &unit.data).filter(|entry| entry.mandatory == Some(true));
    let keys: HashSet<&FieldKey> = mandatory.filter_map(|entry| entry.custom_field_key.as_ref()).collect();
    let keys: Vec<String> = keys.into_iter().map(ToString::to_string).collect();
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let found = fields::find_all(tx, &keys).await?.into_iter();
    let facts = found.map(|field| {
        let label = field.default_label.unwrap_or(field.name);
        (field.key, FieldFacts { kind: field.kind, label })
    });
    Ok(facts.collect())
}

/// The batches of each unit, and what each batch did.
type Work = (HashMap<SerialKey, Vec<BatchKey>>, HashMap<BatchKey, BatchWork>);

async fn work_on(tx: &mut Tx, units: Vec<i64>) -> Result<Work> {
    if units.is_empty() {
        return Ok(Work::default());
    }
    let mut batches: HashMap<SerialKey, Vec<BatchKey>> = HashMap::new();
    let mut named: BTreeSet<i64> = BTreeSet::new();
    for (unit, batch) in evidence::batches_of(tx, &units).await? {
        batches.entry(unit).or_default().push(batch);
        named.insert(batch.0);
    }
    let work = evidence::work_of(tx, &named.into_iter().collect::<Vec<_>>()).await?;
    Ok((batches, work))
}
