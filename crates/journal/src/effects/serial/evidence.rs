//! The evidence that the records of units lack, for many units at once.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::config::BLOCK_RELEASE;
use domain::key::{BatchKey, FieldKey, ProductId, ProductKey, SerialKey, WorkOrderKey};
use domain::serial::evidence::{BatchWork, FieldFacts, Missing, UnitRecord, lacking, named_files};
use store::administration::config;
use store::quality::fields;
use store::serial::evidence::{self, EvidenceUnit, Part};
use store::serial::references::References;
use store::{Result, Tx};

use super::codes::NAMED;
use super::linking::hold_genealogy;
use crate::act::Act;

/// So many units are looked at together.
const AT_ONCE: usize = 1_000;
/// How many units one statement asks for the parts of.
const PARENTS: usize = 5_000;
/// What a piece of missing evidence takes until the answer is sent.
const MISSING_BYTES: usize = 400;

/// What the record of each of these serials lacks. Each that exists has a list, which may be empty; deleted ones too.
pub async fn missing(tx: &mut Tx, serials: &[SerialKey]) -> Result<HashMap<SerialKey, Vec<Missing>>> {
    let mut all = HashMap::with_capacity(serials.len());
    for some in serials.chunks(AT_ONCE) {
        let found = of_some(tx, some).await?;
        tx.take_memory(found.values().map(Vec::len).sum::<usize>() * MISSING_BYTES)?;
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
        let found = of_some(tx, some).await?.into_iter().filter_map(|(key, mut missing)| {
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

async fn of_some(tx: &mut Tx, serials: &[SerialKey]) -> Result<HashMap<SerialKey, Vec<Missing>>> {
    let units = evidence::units(tx, &serials.iter().map(|key| key.0).collect::<Vec<_>>()).await?;
    let fields = mandatory_fields(tx, &units).await?;
    let orders: BTreeSet<i64> = units.iter().filter_map(|unit| unit.wo_key).map(|order| order.0).collect();
    let phases = evidence::phases(tx, &orders.into_iter().collect::<Vec<_>>()).await?;
    let stepped = units.iter().filter(|unit| unit.wo_key.is_some_and(|order| phases.contains_key(&order)));
    let (batches, work) = work_on(tx, stepped.map(|unit| unit.key.0).collect()).await?;
    let with_files = units.iter().filter(|unit| names_files(unit)).map(|unit| unit.key);
    let files = evidence::files(tx, &with_files.collect::<Vec<_>>()).await?;
    let mut components = missing_components(tx, &units).await?;
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
        (unit.key, record.missing(&fields, components.remove(&unit.key).unwrap_or_default()))
    };
    Ok(units.iter().map(of_unit).collect())
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

/// A unit in the tree of one that is looked at.
struct Node {
    key: SerialKey,
    code: Option<String>,
    order: Option<WorkOrderKey>,
    product: ProductId,
    /// The unit that is looked at.
    top: SerialKey,
    level: usize,
}

/// Which units have to contain all their components.
struct Complete {
    orders: HashSet<WorkOrderKey>,
    products: HashSet<ProductId>,
}

impl Complete {
    async fn load(tx: &mut Tx, nodes: &[Node]) -> Result<Self> {
        let orders: BTreeSet<i64> = nodes.iter().filter_map(|node| node.order).map(|order| order.0).collect();
        let without = nodes.iter().filter(|node| node.order.is_none());
        let products: BTreeSet<i64> = without.map(|node| node.product.0).collect();
        let orders = evidence::complete_orders(tx, &orders.into_iter().collect::<Vec<_>>()).await?;
        let products = evidence::complete_products(tx, &products.into_iter().collect::<Vec<_>>()).await?;
        Ok(Self { orders, products })
    }

    fn has(&self, node: &Node) -> bool {
        match node.order {
            Some(order) => self.orders.contains(&order),
            None => self.products.contains(&node.product),
        }
    }
}

/// The components that units lack, and that units inside them lack: by unit, the nearest first.
async fn missing_components(tx: &mut Tx, units: &[EvidenceUnit]) -> Result<HashMap<SerialKey, Vec<Missing>>> {
    let top = |unit: &EvidenceUnit| Node {
        key: unit.key,
        code: unit.code.clone(),
        order: unit.wo_key,
        product: unit.product_id,
        top: unit.key,
        level: 0,
    };
    let mut open: Vec<Node> = units.iter().map(top).collect();
    let mut found: Vec<(SerialKey, usize, SerialKey, Missing)> = Vec::new();
    while !open.is_empty() {
        // The last come first: so few wait, however large the trees are.
        let nodes = open.split_off(open.len().saturating_sub(PARENTS));
        let keys: BTreeSet<i64> = nodes.iter().map(|node| node.key.0).collect();
        let parts = evidence::parts(tx, &keys.into_iter().collect::<Vec<_>>()).await?;
        let complete = Complete::load(tx, &nodes).await?;
        let asked = nodes.iter().filter(|node| complete.has(node)).map(|node| (node.order, node.product));
        let references = References::load(tx, asked.collect::<Vec<_>>().into_iter()).await?;
        for node in &nodes {
            let own = of_parent(&parts, node.key);
            if complete.has(node) {
                let lacking = lacking_in(node, own, &references).into_iter();
                found.extend(lacking.map(|missing| (node.top, node.level, node.key, missing)));
            }
            open.extend(own.iter().filter(|part| part.confirmed).map(|part| Node {
                key: part.key,
                code: part.code.clone(),
                order: part.wo_key,
                product: part.product_id,
                top: node.top,
                level: node.level + 1,
            }));
        }
    }
    found.sort_by_key(|(top, level, parent, _)| (*top, *level, *parent));
    let mut by_unit: HashMap<SerialKey, Vec<Missing>> = HashMap::new();
    for (top, _, _, missing) in found {
        by_unit.entry(top).or_default().push(missing);
    }
    Ok(by_unit)
}

/// The parts of one unit among those of many, which are sorted by parent.
fn of_parent(parts: &[Part], parent: SerialKey) -> &[Part] {
    let rest = &parts[parts.partition_point(|part| part.parent_key < parent)..];
    &rest[..rest.partition_point(|part| part.parent_key == parent)]
}

/// The components that a unit lacks itself.
fn lacking_in(node: &Node, parts: &[Part], references: &References) -> Vec<Missing> {
    let mut linked: HashMap<&ProductKey, u64> = HashMap::new();
    for part in parts {
        *linked.entry(&part.product_key).or_default() += 1;
    }
    let bom = references.of(node.order, node.product);
    let lacking = bom.into_iter().flat_map(|bom| lacking(bom, &linked)).map(|(need, quantity)| Missing::Component {
        parent_serial_key: node.key,
        parent_code: node.code.clone(),
        product_key: need.component_key.clone(),
        product_code: references.name(&need.component_key).map_or_else(String::new, |(code, _)| code.to_owned()),
        quantity,
    });
    lacking.collect()
}
