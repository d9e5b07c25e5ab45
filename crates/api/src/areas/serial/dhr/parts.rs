//! What a unit consists of, as its record shows it.

use std::collections::{HashMap, HashSet};

use domain::Timestamp;
use domain::key::{LinkKey, ProductId, ProductKey, SerialKey};
use domain::serial::{Parent, Serial, SerialState};
use serde::{Serialize, Serializer};
use store::Tx;
use store::product::products::Name;
use store::serial::record;
use store::serial::serials::SerialView;
use store::serial::tree::{self, TreeRow};

use super::super::hierarchy::{Child, NODE_BYTES, Top, Whole};
use super::super::read::names;
use crate::Result;

/// The tree below a unit. The trees of the units in it are parts of it.
pub(super) struct Parts {
    whole: Whole,
    names: HashMap<ProductId, Name>,
}

/// How many keys one statement asks for.
const AT_ONCE: usize = 5_000;

impl Parts {
    /// `descending`: also with what is below temporary links, which only shows in the records of units inside.
    pub(super) async fn load(tx: &mut Tx, view: &SerialView, descending: bool) -> Result<Self> {
        let key = view.serial.key;
        let mut rows = if descending {
            tree::below_active(tx, key).await?
        } else {
            tree::below(tx, Parent::Serial(key), None).await?
        };
        rows.shrink_to_fit();
        tx.take_memory(rows.len() * NODE_BYTES)?;
        let products = rows.iter().map(|row| row.product_id).chain([view.serial.product_id]);
        let names = names(tx, products).await?;
        let whole = Whole::load(tx, Top::Serial(Box::new(view.clone())), rows).await?;
        Ok(Self { whole, names })
    }

    pub(super) fn name(&self, product: ProductId) -> Option<&Name> {
        self.names.get(&product)
    }

    /// The units inside that have values, parts or files of their own, in the order of the tree; those without have nothing to record.
    pub(super) async fn inner_units(&self, tx: &mut Tx, top: &Serial) -> Result<Vec<SerialKey>> {
        let active: Vec<&TreeRow> = self.in_order(top);
        let mut recorded: HashSet<SerialKey> = HashSet::new();
        for some in active.chunks(AT_ONCE) {
            let keys: Vec<i64> = some.iter().map(|row| row.child_key.0).collect();
            recorded.extend(record::with_values(tx, &keys).await?);
            let folders: HashMap<String, SerialKey> =
                some.iter().map(|row| (row.child_key.to_string(), row.child_key)).collect();
            let named: Vec<String> = folders.keys().cloned().collect();
            let with_files = record::with_files(tx, &named).await?;
            recorded.extend(with_files.iter().filter_map(|folder| folders.get(folder)).copied());
        }
        let is_recorded = |key: &SerialKey| recorded.contains(key) || self.has_parts(*key);
        Ok(active.into_iter().map(|row| row.child_key).filter(is_recorded).collect())
    }

    fn has_parts(&self, key: SerialKey) -> bool {
        let places = self.whole.below.get(&Some(key)).cloned().unwrap_or_default();
        self.whole.rows[places].iter().any(|row| !row.replaced())
    }

    /// The units under active links, each followed by what is in it.
    fn in_order(&self, top: &Serial) -> Vec<&TreeRow> {
        let mut found = Vec::new();
        let mut open = vec![self.whole.children(top.key, top.wo_key, top.product_id, false).into_iter()];
        while let Some(siblings) = open.last_mut() {
            match siblings.next() {
                None => {
                    open.pop();
                }
                Some(Child::Linked { row, .. }) if !self.whole.rows[row].replaced() => {
                    let row = &self.whole.rows[row];
                    found.push(row);
                    open.push(self.whole.children(row.child_key, row.wo_key, row.product_id, false).into_iter());
                }
                Some(_) => {}
            }
        }
        found
    }

    /// How many nodes the trees of these units show in all.
    pub(super) fn shown(&self, units: impl Iterator<Item = SerialKey>) -> usize {
        let mut below: HashMap<Option<SerialKey>, usize> = HashMap::new();
        for row in self.whole.rows.iter().rev() {
            let own = if row.is_open() { below.get(&Some(row.child_key)).copied().unwrap_or(0) } else { 0 };
            *below.entry(row.parent_key).or_default() += own + 1;
        }
        units.map(|unit| below.get(&Some(unit)).copied().unwrap_or(0) + 1).sum()
    }

    fn top<'a>(&'a self, view: &'a SerialView) -> Node<'a> {
        let serial = &view.serial;
        let children = self.whole.children(serial.key, serial.wo_key, serial.product_id, true);
        Node {
            serial_key: Some(serial.key),
            serial_code: serial.code.as_deref(),
            state: Some(view.state()),
            ..self.node_of(serial.product_id, Branches { parts: self, children })
        }
    }

    fn node<'a>(&'a self, child: &'a Child) -> Node<'a> {
        match child {
            Child::Linked { row, extra_bom } => {
                let row = &self.whole.rows[*row];
                let children = if row.is_open() {
                    self.whole.children(row.child_key, row.wo_key, row.product_id, true)
                } else {
                    Vec::new()
                };
                Node {
                    serial_key: Some(row.child_key),
                    serial_code: row.code.as_deref(),
                    replaced: row.replaced(),
                    confirmed: row.confirmed(),
                    extra_bom: *extra_bom,
                    state: Some(row.state()),
                    link_key: Some(row.key),
                    linked: row.linked,
                    unlinked: row.unlinked,
                    quantity: Some(1),
                    reason: row.reason.as_deref(),
                    ..self.node_of(row.product_id, Branches { parts: self, children })
                }
            }
            Child::Expected { component, units } => {
                let (product_code, product_description) = self.whole.references.name(component).unwrap_or_default();
                Node {
                    product_key: Some(component),
                    product_code,
                    product_description,
                    expected: true,
                    expected_quantity: Some(*units),
                    ..Node::empty(Branches { parts: self, children: Vec::new() })
                }
            }
        }
    }

    fn node_of<'a>(&'a self, product: ProductId, children: Branches<'a>) -> Node<'a> {
        let name = self.names.get(&product);
        Node {
            product_key: name.map(|name| &name.key),
            product_code: name.map_or("", |name| name.code.as_str()),
            product_description: name.and_then(|name| name.description.as_deref()),
            ..Node::empty(children)
        }
    }

    /// The parts of a unit as lines, each followed by its own.
    pub(super) fn lines<'a>(&'a self, view: &'a SerialView) -> Vec<PartLine<'a>> {
        let mut lines = Vec::new();
        add_lines(&self.top(view).children, 0, &mut lines);
        lines
    }
}

/// A part of a unit, for people.
pub(super) struct PartLine<'a> {
    /// How deep it is inside, from 0 on.
    pub(super) level: usize,
    pub(super) product_code: &'a str,
    pub(super) product_description: Option<&'a str>,
    pub(super) serial_code: Option<&'a str>,
    pub(super) standing: PartStanding<'a>,
}

/// Whether a part is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartStanding<'a> {
    BuiltIn,
    Temporary,
    /// When it was taken out, and why.
    Replaced {
        at: Option<Timestamp>,
        reason: Option<&'a str>,
    },
    /// So many are missing.
    Missing(u64),
}

fn add_lines<'a>(branches: &Branches<'a>, level: usize, lines: &mut Vec<PartLine<'a>>) {
    let parts = branches.parts;
    for child in &branches.children {
        match child {
            Child::Linked { row, .. } => {
                let row = &parts.whole.rows[*row];
                let name = parts.names.get(&row.product_id);
                lines.push(PartLine {
                    level,
                    product_code: name.map_or("", |name| name.code.as_str()),
                    product_description: name.and_then(|name| name.description.as_deref()),
                    serial_code: row.code.as_deref(),
                    standing: standing(row),
                });
                if row.is_open() {
                    let children = parts.whole.children(row.child_key, row.wo_key, row.product_id, true);
                    add_lines(&Branches { parts, children }, level + 1, lines);
                }
            }
            Child::Expected { component, units } => {
                let (product_code, product_description) = parts.whole.references.name(component).unwrap_or_default();
                let standing = PartStanding::Missing(*units);
                lines.push(PartLine { level, product_code, product_description, serial_code: None, standing });
            }
        }
    }
}

fn standing(row: &TreeRow) -> PartStanding<'_> {
    match (row.replaced(), row.confirmed()) {
        (true, _) => PartStanding::Replaced { at: row.unlinked, reason: row.reason.as_deref() },
        (false, false) => PartStanding::Temporary,
        (false, true) => PartStanding::BuiltIn,
    }
}

/// The tree of one unit, written as a `SerialTreeNode` without ever being in memory as a text.
pub(super) struct Components<'a> {
    pub(super) parts: &'a Parts,
    pub(super) unit: &'a SerialView,
}

impl Serialize for Components<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        self.parts.top(self.unit).serialize(to)
    }
}

#[derive(Serialize)]
struct Node<'a> {
    serial_key: Option<SerialKey>,
    serial_code: Option<&'a str>,
    product_key: Option<&'a ProductKey>,
    product_code: &'a str,
    product_description: Option<&'a str>,
    replaced: bool,
    confirmed: bool,
    extra_bom: bool,
    expected: bool,
    expected_quantity: Option<u64>,
    state: Option<SerialState>,
    link_key: Option<LinkKey>,
    linked: Option<Timestamp>,
    unlinked: Option<Timestamp>,
    quantity: Option<u8>,
    reason: Option<&'a str>,
    children: Branches<'a>,
}

impl<'a> Node<'a> {
    fn empty(children: Branches<'a>) -> Self {
        Self {
            serial_key: None,
            serial_code: None,
            product_key: None,
            product_code: "",
            product_description: None,
            replaced: false,
            confirmed: true,
            extra_bom: false,
            expected: false,
            expected_quantity: None,
            state: None,
            link_key: None,
            linked: None,
            unlinked: None,
            quantity: None,
            reason: None,
            children,
        }
    }
}

struct Branches<'a> {
    parts: &'a Parts,
    children: Vec<Child>,
}

impl Serialize for Branches<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_seq(self.children.iter().map(|child| self.parts.node(child)))
    }
}
