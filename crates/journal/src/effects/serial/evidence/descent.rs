//! The trees of units: what components are missing in them, and what issues there are about them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use domain::Timestamp;
use domain::key::{IssueKey, ProductId, ProductKey, SerialKey, WorkOrderKey};
use domain::serial::evidence::{Missing, lacking};
use store::collaboration::about_units::{self, AboutUnit};
use store::serial::evidence::{self, EvidenceUnit, Part};
use store::serial::references::References;
use store::{Result, Tx};

/// How many units one statement asks for the parts of.
const PARENTS: usize = 5_000;

/// What is found in the trees of units, by the unit that is looked at.
pub(super) struct Found {
    /// The components that it lacks, and that units inside it lack, the nearest first.
    pub(super) components: HashMap<SerialKey, Vec<Missing>>,
    /// The issues about it, units inside it, and its order, the oldest first.
    pub(super) issues: HashMap<SerialKey, Vec<Arc<AboutUnit>>>,
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
    /// False while the batch that it is for is not completed: then nobody looks at what it contains.
    confirmed: bool,
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

/// Looks at units and at everything in them.
pub(super) async fn look(tx: &mut Tx, units: &[EvidenceUnit]) -> Result<Found> {
    let mut issues = Issues::default();
    issues.load_of_orders(tx, units).await?;
    let top = |unit: &EvidenceUnit| Node {
        key: unit.key,
        code: unit.code.clone(),
        order: unit.wo_key,
        product: unit.product_id,
        top: unit.key,
        level: 0,
        confirmed: true,
    };
    let mut open: Vec<Node> = units.iter().map(top).collect();
    let mut found: Vec<(SerialKey, usize, SerialKey, Missing)> = Vec::new();
    while !open.is_empty() {
        // The last come first: so few wait, however large the trees are.
        let mut nodes = open.split_off(open.len().saturating_sub(PARENTS));
        issues.load_of_units(tx, &nodes).await?;
        nodes.retain(|node| node.confirmed);
        if nodes.is_empty() {
            continue;
        }
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
            open.extend(own.iter().map(|part| Node {
                key: part.key,
                code: part.code.clone(),
                order: part.wo_key,
                product: part.product_id,
                top: node.top,
                level: node.level + 1,
                confirmed: part.confirmed,
            }));
        }
    }
    found.sort_by_key(|(top, level, parent, _)| (*top, *level, *parent));
    let mut components: HashMap<SerialKey, Vec<Missing>> = HashMap::new();
    for (top, _, _, missing) in found {
        components.entry(top).or_default().push(missing);
    }
    Ok(Found { components, issues: issues.in_order() })
}

/// The issues about units, by the unit that is looked at; each once, by when it was created.
#[derive(Default)]
struct Issues(HashMap<SerialKey, BTreeMap<(Timestamp, IssueKey), Arc<AboutUnit>>>);

impl Issues {
    /// Those about the orders of units.
    async fn load_of_orders(&mut self, tx: &mut Tx, units: &[EvidenceUnit]) -> Result<()> {
        let orders: BTreeSet<i64> = units.iter().filter_map(|unit| unit.wo_key).map(|order| order.0).collect();
        let found = about_units::of(tx, &[], &orders.into_iter().collect::<Vec<_>>()).await?;
        let tops = units.iter().filter_map(|unit| Some((unit.wo_key?, unit.key)));
        self.add(found, |issue| issue.wo_key, tops);
        Ok(())
    }

    /// Those about units in the trees.
    async fn load_of_units(&mut self, tx: &mut Tx, nodes: &[Node]) -> Result<()> {
        let keys: BTreeSet<i64> = nodes.iter().map(|node| node.key.0).collect();
        let found = about_units::of(tx, &keys.into_iter().collect::<Vec<_>>(), &[]).await?;
        self.add(found, |issue| issue.serial_key, nodes.iter().map(|node| (node.key, node.top)));
        Ok(())
    }

    /// Adds issues, by what each is about, to the units that are looked at and have to do with that.
    fn add<K: Eq + Hash>(
        &mut self,
        found: Vec<AboutUnit>,
        about: impl Fn(&AboutUnit) -> Option<K>,
        tops: impl Iterator<Item = (K, SerialKey)>,
    ) {
        if found.is_empty() {
            return;
        }
        let mut concerned: HashMap<K, Vec<SerialKey>> = HashMap::new();
        for (key, top) in tops {
            concerned.entry(key).or_default().push(top);
        }
        for issue in found.into_iter().map(Arc::new) {
            for top in about(&issue).and_then(|key| concerned.get(&key)).into_iter().flatten() {
                self.0.entry(*top).or_default().insert((issue.created, issue.issue_key), issue.clone());
            }
        }
    }

    fn in_order(self) -> HashMap<SerialKey, Vec<Arc<AboutUnit>>> {
        self.0.into_iter().map(|(top, issues)| (top, issues.into_values().collect())).collect()
    }
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
