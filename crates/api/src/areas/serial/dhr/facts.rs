//! What the records of several units are made from, read at once.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use domain::key::{BatchKey, FieldKey, PhaseKey, SerialKey, UserKey, WorkOrderKey};
use store::Tx;
use store::organisation::accounts::{self, Named};
use store::process::phases;
use store::quality::fields::{self, Field};
use store::serial::record::{self, EventFacts, OrderFacts, PhaseFacts, StepFacts, UnitBatch, UnitFile};
use store::serial::serials::SerialView;

use crate::Result;

pub(super) struct Facts {
    pub(super) orders: HashMap<WorkOrderKey, OrderFacts>,
    /// In the sequence of each order.
    pub(super) phases: HashMap<WorkOrderKey, Vec<PhaseFacts>>,
    /// The names of phases that values name and no order of theirs has.
    pub(super) other_phases: HashMap<PhaseKey, String>,
    pub(super) fields: HashMap<FieldKey, Field>,
    pub(super) people: HashMap<UserKey, Named>,
    pub(super) batches: HashMap<SerialKey, Vec<UnitBatch>>,
    pub(super) steps: HashMap<BatchKey, Vec<StepFacts>>,
    /// By the key of the unit, as folders name it.
    pub(super) files: HashMap<String, Vec<UnitFile>>,
    pub(super) events: HashMap<SerialKey, Vec<EventFacts>>,
}

/// How many batches one statement asks for.
const AT_ONCE: usize = 5_000;

impl Facts {
    /// `others`: people that the records name besides.
    pub(super) async fn load(tx: &mut Tx, units: &[SerialView], others: &[UserKey]) -> Result<Self> {
        let keys: Vec<SerialKey> = units.iter().map(|view| view.serial.key).collect();
        let ints: Vec<i64> = keys.iter().map(|key| key.0).collect();
        let orders: Vec<i64> = distinct(units.iter().filter_map(|view| view.serial.wo_key).map(|key| key.0));
        let of_orders = record::orders(tx, &orders).await?;
        let phases = grouped(record::phases(tx, &orders).await?, |phase| phase.work_order_key);
        let batches = record::batches(tx, &ints).await?;
        let mut steps = Vec::new();
        for some in distinct(batches.iter().map(|batch| batch.batch_key.0)).chunks(AT_ONCE) {
            steps.extend(record::steps(tx, some).await?);
        }
        let texts: Vec<String> = keys.iter().map(ToString::to_string).collect();
        let files = grouped(record::files(tx, &texts).await?, |file| file.unit.clone());
        let mut events: HashMap<SerialKey, Vec<EventFacts>> = HashMap::new();
        for (unit, event) in record::events(tx, &keys).await? {
            events.entry(unit).or_default().push(event);
        }
        let values = || units.iter().flat_map(|view| &view.serial.data);
        let fields = distinct(values().filter_map(|entry| entry.custom_field_key.as_ref()).map(ToString::to_string));
        let fields = fields::find_all(tx, &fields).await?;
        let updating = values().filter_map(|entry| entry.last_updated_by.as_ref());
        let acting = events.values().flatten().map(|event| &event.user_key);
        let handling = units.iter().map(|view| &view.serial).flat_map(|serial| {
            [Some(&serial.created_by), serial.released_by.as_ref(), serial.scrapped_by.as_ref()].into_iter().flatten()
        });
        let people =
            updating.chain(acting).chain(steps.iter().map(|step| &step.user_key)).chain(handling).chain(others);
        let people = accounts::named(tx, &distinct(people.map(ToString::to_string))).await?;
        Ok(Self {
            other_phases: other_phases(tx, units, &phases).await?,
            orders: of_orders.into_iter().map(|order| (order.key, order)).collect(),
            phases,
            fields: fields.into_iter().map(|field| (field.key.clone(), field)).collect(),
            people: people.into_iter().map(|person| (person.key.clone(), person)).collect(),
            batches: grouped(batches, |batch| batch.serial_key),
            steps: grouped(steps, |step| step.batch_key),
            files,
            events,
        })
    }

    /// The phases of an order, in their sequence.
    pub(super) fn phases_of(&self, order: Option<WorkOrderKey>) -> &[PhaseFacts] {
        order.and_then(|order| self.phases.get(&order)).map(Vec::as_slice).unwrap_or_default()
    }

    /// What people call a user.
    pub(super) fn name_of(&self, user: &UserKey) -> String {
        let Some(person) = self.people.get(user) else { return user.to_string() };
        let names = [&person.name, &person.surname].into_iter().flatten().filter(|name| !name.is_empty());
        let full = names.map(String::as_str).collect::<Vec<_>>().join(" ");
        if full.is_empty() { person.username.clone() } else { full }
    }
}

async fn other_phases(
    tx: &mut Tx,
    units: &[SerialView],
    known: &HashMap<WorkOrderKey, Vec<PhaseFacts>>,
) -> Result<HashMap<PhaseKey, String>> {
    let is_known = |view: &SerialView, phase: PhaseKey| {
        let own = view.serial.wo_key.and_then(|order| known.get(&order));
        own.is_some_and(|phases| phases.iter().any(|one| one.phase_key == phase))
    };
    let named = units.iter().flat_map(|view| {
        let phases = view.serial.data.iter().filter_map(|entry| entry.phase_key);
        phases.filter(|phase| !is_known(view, *phase)).map(|phase| phase.0).collect::<Vec<_>>()
    });
    let named = distinct(named);
    if named.is_empty() {
        return Ok(HashMap::new());
    }
    let found = phases::find_all(tx, &named).await?;
    Ok(found.into_iter().map(|found| (found.phase.key, found.phase.alias)).collect())
}

fn distinct<K: Ord>(keys: impl Iterator<Item = K>) -> Vec<K> {
    keys.collect::<BTreeSet<K>>().into_iter().collect()
}

/// Rows by what they belong to, each group in the order of the rows.
fn grouped<K: Eq + Hash, T>(rows: Vec<T>, owner: impl Fn(&T) -> K) -> HashMap<K, Vec<T>> {
    let mut groups: HashMap<K, Vec<T>> = HashMap::new();
    for row in rows {
        groups.entry(owner(&row)).or_default().push(row);
    }
    groups
}
