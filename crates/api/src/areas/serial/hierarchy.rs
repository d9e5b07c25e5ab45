//! The tree of a serial: everything that is in the outermost unit that contains it.

use std::collections::{BTreeSet, HashMap};

use domain::Timestamp;
use domain::key::{BatchKey, LinkKey, ProductId, ProductKey, SerialKey, WorkOrderKey};
use domain::serial::{Need, Parent, ReferenceBom, SerialState, TreeChild, TreeLink, order_children};
use schemars::JsonSchema;
use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Deserialize, Serialize, Serializer};
use store::Tx;
use store::product::products::Name;
use store::production::{batches, order_boms};
use store::serial::serials::{self, SerialView};
use store::serial::tree::{self, TreeRow};

use super::not_found;
use super::read::names;
use crate::Result;
use crate::cx::Cx;
use crate::input::Query;
use crate::reply::Written;

#[derive(Deserialize, JsonSchema)]
pub(super) struct TreeQuery {
    /// The key of a serial.
    serial_key: SerialKey,
    /// Also shows what the bills of materials expect and is not there.
    #[serde(default = "yes")]
    include_expected_components: bool,
    /// As it was at this moment.
    as_of: Option<Timestamp>,
}

fn yes() -> bool {
    true
}

/// A unit in a tree, or what is expected in its place.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct SerialTreeNode {
    /// Null of an expected component, and of a batch.
    serial_key: Option<SerialKey>,
    serial_code: Option<String>,
    /// Of a batch at the top; else it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_key: Option<BatchKey>,
    product_key: ProductKey,
    product_code: String,
    product_description: Option<String>,
    /// Whether it was taken out; then what it contains is not shown.
    replaced: bool,
    /// False: linked until its batch is completed; what it contains is not shown.
    confirmed: bool,
    /// Whether the bill of materials does not name it.
    extra_bom: bool,
    /// Whether it is missing.
    expected: bool,
    /// How many are missing.
    expected_quantity: Option<u64>,
    /// Null of an expected component, and of a batch.
    state: Option<SerialState>,
    /// Null at the top.
    link_key: Option<LinkKey>,
    linked: Option<Timestamp>,
    unlinked: Option<Timestamp>,
    /// Null at the top.
    quantity: Option<u8>,
    /// Why it was taken out.
    reason: Option<String>,
    /// What it contains, in the order of the bill of materials.
    children: Vec<SerialTreeNode>,
}

pub(super) async fn tree(cx: Cx, Query(query): Query<TreeQuery>) -> Result<Written<Vec<SerialTreeNode>>> {
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let (key, as_of) = (query.serial_key, query.as_of);
            let view = serials::view(tx, key).await?.ok_or_else(not_found)?;
            if as_of.is_some_and(|moment| view.serial.created > moment) {
                return Err(not_found());
            }
            let root = match tree::above(tx, key, as_of).await?.last().and_then(domain::serial::Link::parent) {
                Some(parent) => parent,
                None => Parent::Serial(key),
            };
            let top = Top::load(tx, root).await?;
            let rows = tree::below(tx, root, as_of).await?;
            let whole = Whole::load(tx, top, rows).await?;
            Written::new(&Listed(&whole, query.include_expected_components))
        })
        .await
}

/// The outermost unit, or batch.
enum Top {
    Serial(Box<SerialView>),
    Batch(BatchKey, ProductKey),
}

impl Top {
    async fn load(tx: &mut Tx, parent: Parent) -> Result<Self> {
        Ok(match parent {
            Parent::Serial(key) => Top::Serial(Box::new(serials::view(tx, key).await?.ok_or_else(not_found)?)),
            Parent::Batch(key) => {
                let (batch, product) = batches::view(tx, key).await?.ok_or_else(not_found)?;
                Top::Batch(batch.key, product)
            }
        })
    }
}

/// The reference bills of materials of some units.
pub(super) struct References {
    of_orders: HashMap<WorkOrderKey, ReferenceBom>,
    of_products: HashMap<ProductId, ReferenceBom>,
    /// Components by their keys.
    names: HashMap<ProductKey, (String, Option<String>)>,
}

impl References {
    /// Loads those of units with these orders and products.
    pub(super) async fn load(
        tx: &mut Tx,
        units: impl Iterator<Item = (Option<WorkOrderKey>, ProductId)>,
    ) -> Result<Self> {
        let (mut orders, mut products) = (BTreeSet::new(), BTreeSet::new());
        for (order, product) in units {
            match order {
                Some(order) => orders.insert(order.0),
                None => products.insert(product.0),
            };
        }
        let mut names = HashMap::new();
        let mut of_orders = HashMap::new();
        let orders: Vec<i64> = orders.into_iter().collect();
        for (order, mut lines) in order_boms::of_orders(tx, &orders).await? {
            lines.sort_by_cached_key(|kept| {
                let line = &kept.line;
                (domain::text::fold(&line.component_code), line.component_code.clone())
            });
            for kept in &lines {
                let line = &kept.line;
                names.insert(
                    line.component_key.clone(),
                    (line.component_code.clone(), line.component_description.clone()),
                );
            }
            let needs = lines.into_iter().map(|kept| Need {
                component_key: kept.line.component_key,
                quantity: kept.line.qt.into(),
                traced: kept.line.traceability_level.is_some(),
            });
            of_orders.insert(order, needs.collect());
        }
        let products: Vec<i64> = products.into_iter().collect();
        let mut lines: HashMap<ProductId, Vec<tree::NeedRow>> = HashMap::new();
        for row in tree::needs_of_products(tx, &products).await? {
            lines.entry(row.product_id).or_default().push(row);
        }
        let mut of_products = HashMap::new();
        for (product, mut rows) in lines {
            rows.sort_by_cached_key(|row| (domain::text::fold(&row.code), row.code.clone()));
            for row in &rows {
                names.insert(row.component_key.clone(), (row.code.clone(), row.description.clone()));
            }
            let needs = rows.into_iter().map(|row| Need {
                component_key: row.component_key,
                quantity: row.quantity.into(),
                traced: row.traced,
            });
            of_products.insert(product, needs.collect());
        }
        Ok(Self { of_orders, of_products, names })
    }

    /// The bill of materials of a unit; one without any has an empty one.
    pub(super) fn of(&self, order: Option<WorkOrderKey>, product: ProductId) -> Option<&ReferenceBom> {
        static EMPTY: std::sync::LazyLock<ReferenceBom> = std::sync::LazyLock::new(|| std::iter::empty().collect());
        let found = match order {
            Some(order) => self.of_orders.get(&order),
            None => self.of_products.get(&product),
        };
        Some(found.unwrap_or(&EMPTY))
    }
}

/// Everything a tree shows.
struct Whole {
    top: Top,
    top_name: (String, Option<String>),
    rows: Vec<TreeRow>,
    /// The places of the rows of each parent; those of a batch have none.
    below: HashMap<Option<SerialKey>, Vec<usize>>,
    names: HashMap<ProductId, Name>,
    references: References,
}

impl Whole {
    async fn load(tx: &mut Tx, top: Top, rows: Vec<TreeRow>) -> Result<Self> {
        let mut below: HashMap<Option<SerialKey>, Vec<usize>> = HashMap::new();
        for (place, row) in rows.iter().enumerate() {
            below.entry(row.parent_key).or_default().push(place);
        }
        let own = match &top {
            Top::Serial(view) => Some((view.serial.wo_key, view.serial.product_id)),
            Top::Batch(..) => None,
        };
        let open = rows.iter().filter(|row| row.is_open()).map(|row| (row.wo_key, row.product_id));
        let references = References::load(tx, own.into_iter().chain(open)).await?;
        let own = own.map(|(_, product)| product);
        let names = names(tx, rows.iter().map(|row| row.product_id).chain(own)).await?;
        let top_name = match &top {
            Top::Serial(view) => {
                let name = names.get(&view.serial.product_id);
                name.map(|name| (name.code.clone(), name.description.clone())).unwrap_or_default()
            }
            Top::Batch(_, product) => {
                let product = store::product::products::find(tx, product).await?.ok_or_else(not_found)?;
                (product.data.code, product.data.description)
            }
        };
        Ok(Self { top, top_name, rows, below, names, references })
    }

    fn children(&self, parent: Option<SerialKey>, bom: Option<&ReferenceBom>) -> Vec<TreeChild> {
        let places = self.below.get(&parent).map(Vec::as_slice).unwrap_or_default();
        let links = places.iter().map(|place| {
            let row = &self.rows[*place];
            TreeLink { key: row.key, component_key: &row.component_key, linked: row.linked, replaced: row.replaced }
        });
        let mut children = order_children(bom, links);
        for child in &mut children {
            if let TreeChild::Linked { link, .. } = child {
                *link = places[*link];
            }
        }
        children
    }
}

/// The list with the one tree; whether it shows what is expected.
struct Listed<'a>(&'a Whole, bool);

impl Serialize for Listed<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(Some(1))?;
        list.serialize_element(&Node { whole: self.0, expected: self.1, of: Of::Top })?;
        list.end()
    }
}

struct Node<'a> {
    whole: &'a Whole,
    expected: bool,
    of: Of<'a>,
}

enum Of<'a> {
    Top,
    Linked { row: &'a TreeRow, extra_bom: bool },
    Expected { component: &'a ProductKey, units: u64 },
}

/// The members of a node.
#[derive(Default)]
struct Members<'a> {
    serial_key: Option<SerialKey>,
    serial_code: Option<&'a str>,
    batch_key: Option<BatchKey>,
    product_key: Option<&'a ProductKey>,
    product_code: &'a str,
    product_description: Option<&'a str>,
    replaced: bool,
    confirmed: bool,
    extra_bom: bool,
    expected_quantity: Option<u64>,
    state: Option<SerialState>,
    link_key: Option<LinkKey>,
    linked: Option<Timestamp>,
    unlinked: Option<Timestamp>,
    quantity: Option<u8>,
    reason: Option<&'a str>,
}

impl<'a> Node<'a> {
    fn members(&self) -> Members<'a> {
        let whole = self.whole;
        match &self.of {
            Of::Top => {
                let (code, description) = &whole.top_name;
                let mut members = Members {
                    product_code: code,
                    product_description: description.as_deref(),
                    confirmed: true,
                    ..Members::default()
                };
                match &whole.top {
                    Top::Serial(view) => {
                        members.serial_key = Some(view.serial.key);
                        members.serial_code = view.serial.code.as_deref();
                        members.product_key = Some(&view.serial.product_key);
                        members.state = Some(view.state());
                    }
                    Top::Batch(key, product) => {
                        members.batch_key = Some(*key);
                        members.product_key = Some(product);
                    }
                }
                members
            }
            Of::Linked { row, extra_bom } => {
                let name = whole.names.get(&row.product_id);
                Members {
                    serial_key: Some(row.child_key),
                    serial_code: row.code.as_deref(),
                    batch_key: None,
                    product_key: Some(name.map_or(&row.component_key, |name| &name.key)),
                    product_code: name.map(|name| name.code.as_str()).unwrap_or_default(),
                    product_description: name.and_then(|name| name.description.as_deref()),
                    replaced: row.replaced,
                    confirmed: row.confirmed,
                    extra_bom: *extra_bom,
                    expected_quantity: None,
                    state: Some(row.state()),
                    link_key: Some(row.key),
                    linked: row.linked,
                    unlinked: row.unlinked,
                    quantity: Some(1),
                    reason: row.reason.as_deref(),
                }
            }
            Of::Expected { component, units } => {
                let name = whole.references.names.get(*component);
                Members {
                    product_key: Some(component),
                    product_code: name.map(|(code, _)| code.as_str()).unwrap_or_default(),
                    product_description: name.and_then(|(_, description)| description.as_deref()),
                    confirmed: true,
                    expected_quantity: Some(*units),
                    ..Members::default()
                }
            }
        }
    }

    /// What it contains, and the bill of materials it is compared with.
    fn children(&self) -> (Vec<TreeChild>, Option<&'a ReferenceBom>) {
        let whole = self.whole;
        match &self.of {
            Of::Top => match &whole.top {
                Top::Serial(view) => {
                    let bom = whole.references.of(view.serial.wo_key, view.serial.product_id);
                    (whole.children(Some(view.serial.key), bom), bom)
                }
                Top::Batch(..) => (whole.children(None, None), None),
            },
            Of::Linked { row, .. } if row.is_open() => {
                let bom = whole.references.of(row.wo_key, row.product_id);
                (whole.children(Some(row.child_key), bom), bom)
            }
            Of::Linked { .. } | Of::Expected { .. } => (Vec::new(), None),
        }
    }
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let members = self.members();
        let batch = members.batch_key.is_some();
        let mut node = to.serialize_struct("SerialTreeNode", if batch { 18 } else { 17 })?;
        node.serialize_field("serial_key", &members.serial_key)?;
        node.serialize_field("serial_code", &members.serial_code)?;
        if batch {
            node.serialize_field("batch_key", &members.batch_key)?;
        }
        node.serialize_field("product_key", &members.product_key)?;
        node.serialize_field("product_code", members.product_code)?;
        node.serialize_field("product_description", &members.product_description)?;
        node.serialize_field("replaced", &members.replaced)?;
        node.serialize_field("confirmed", &members.confirmed)?;
        node.serialize_field("extra_bom", &members.extra_bom)?;
        node.serialize_field("expected", &members.expected_quantity.is_some())?;
        node.serialize_field("expected_quantity", &members.expected_quantity)?;
        node.serialize_field("state", &members.state)?;
        node.serialize_field("link_key", &members.link_key)?;
        node.serialize_field("linked", &members.linked)?;
        node.serialize_field("unlinked", &members.unlinked)?;
        node.serialize_field("quantity", &members.quantity)?;
        node.serialize_field("reason", &members.reason)?;
        let (children, bom) = self.children();
        node.serialize_field("children", &Children { whole: self.whole, expected: self.expected, children, bom })?;
        node.end()
    }
}

struct Children<'a> {
    whole: &'a Whole,
    expected: bool,
    children: Vec<TreeChild>,
    bom: Option<&'a ReferenceBom>,
}

impl Serialize for Children<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(None)?;
        for child in &self.children {
            let of = match (*child, self.bom) {
                (TreeChild::Linked { link, extra_bom }, _) => Of::Linked { row: &self.whole.rows[link], extra_bom },
                (TreeChild::Expected { need, units }, Some(bom)) if self.expected => {
                    Of::Expected { component: &bom.needs()[need].component_key, units }
                }
                (TreeChild::Expected { .. }, _) => continue,
            };
            list.serialize_element(&Node { whole: self.whole, expected: self.expected, of })?;
        }
        list.end()
    }
}
