//! The tree of a serial: everything that is in the outermost unit that contains it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use domain::Timestamp;
use domain::key::{BatchKey, LinkKey, ProductId, ProductKey, SerialKey, WorkOrderKey};
use domain::serial::{Parent, ReferenceBom, SerialState, TreeChild, TreeLink, order_children};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::production::batches;
use store::serial::references::References;
use store::serial::serials::{self, SerialView};
use store::serial::tree::{self, TreeRow};

use super::not_found;
use super::read::names;
use crate::Result;
use crate::chunked::{CHUNK_BYTES, Chunked};
use crate::cx::Cx;
use crate::input::Query;

#[derive(Deserialize, JsonSchema)]
pub(super) struct TreeQuery {
    /// The key of a serial.
    serial_key: SerialKey,
    /// Also shows what the bills of materials expect and is not there.
    #[serde(default = "yes")]
    include_expected_components: bool,
    /// With the parts that were in it at this moment, by the times of the events; a date alone is its first moment. Codes, states and
    /// bills of materials are those of today.
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
    /// Of today, with `as_of` too. Null of an expected component, and of a batch.
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

/// What a node takes while the tree is put together and sent, besides its row.
pub(super) const NODE_BYTES: usize = 400;

pub(super) async fn tree(cx: Cx, Query(query): Query<TreeQuery>) -> Result<Chunked<Vec<SerialTreeNode>>> {
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
            let top = match root {
                Parent::Serial(root) if root == key => Top::Serial(Box::new(view)),
                _ => Top::load(tx, root).await?,
            };
            let mut rows = tree::below(tx, root, as_of).await?;
            rows.shrink_to_fit();
            tx.take_memory(rows.len() * NODE_BYTES)?;
            let whole = Whole::load(tx, top, rows).await?;
            Ok(Chunked::new(Text::new(whole, query.include_expected_components)))
        })
        .await
}

/// The outermost unit, or batch.
pub(super) enum Top {
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

/// Everything a tree shows.
pub(super) struct Whole {
    top: Top,
    /// Sorted by level, then by parent.
    pub(super) rows: Vec<TreeRow>,
    /// Where the rows of each parent are; those of a batch have none.
    pub(super) below: HashMap<Option<SerialKey>, Range<usize>>,
    /// The keys of products, and the members that show them, as JSON.
    products: BTreeMap<ProductId, (ProductKey, Vec<u8>)>,
    /// The members that show the product of the outermost unit or batch.
    top_product: Vec<u8>,
    pub(super) references: References,
}

impl Whole {
    pub(super) async fn load(tx: &mut Tx, top: Top, rows: Vec<TreeRow>) -> Result<Self> {
        let mut below = HashMap::new();
        let mut start = 0;
        for of_parent in rows.chunk_by(|one, next| one.parent_key == next.parent_key) {
            below.insert(of_parent[0].parent_key, start..start + of_parent.len());
            start += of_parent.len();
        }
        let own = match &top {
            Top::Serial(view) => Some((view.serial.wo_key, view.serial.product_id)),
            Top::Batch(..) => None,
        };
        let open = rows.iter().filter(|row| !row.replaced()).map(|row| (row.wo_key, row.product_id));
        let references = References::load(tx, own.into_iter().chain(open)).await?;
        let own = own.map(|(_, product)| product);
        let names = names(tx, rows.iter().map(|row| row.product_id).chain(own)).await?.into_values();
        let products: BTreeMap<ProductId, (ProductKey, Vec<u8>)> = names
            .map(|name| {
                (name.id, (name.key.clone(), product_members(&name.key, &name.code, name.description.as_deref())))
            })
            .collect();
        let top_product = match &top {
            Top::Serial(view) => products[&view.serial.product_id].1.clone(),
            Top::Batch(_, key) => {
                let product = store::product::products::find(tx, key).await?.ok_or_else(not_found)?;
                product_members(key, &product.data.code, product.data.description.as_deref())
            }
        };
        Ok(Self { top, rows, below, products, top_product, references })
    }

    /// The children of a unit of this order and product.
    pub(super) fn children(
        &self,
        parent: SerialKey,
        order: Option<WorkOrderKey>,
        product: ProductId,
        expected: bool,
    ) -> Vec<Child> {
        self.ordered(Some(parent), self.references.of(order, product), expected)
    }

    fn ordered(&self, parent: Option<SerialKey>, bom: Option<&ReferenceBom>, expected: bool) -> Vec<Child> {
        let places = self.below.get(&parent).cloned().unwrap_or_default();
        let links = self.rows[places.clone()].iter().map(|row| TreeLink {
            key: row.key,
            component_key: &self.products[&row.product_id].0,
            linked: row.linked,
            replaced: row.replaced(),
        });
        let shown = |child| match (child, bom) {
            (TreeChild::Linked { link, extra_bom }, _) => Some(Child::Linked { row: places.start + link, extra_bom }),
            (TreeChild::Expected { need, units }, Some(bom)) if expected => {
                Some(Child::Expected { component: bom.needs()[need].component_key.clone(), units })
            }
            (TreeChild::Expected { .. }, _) => None,
        };
        order_children(bom, links).into_iter().filter_map(shown).collect()
    }
}

/// A node below another.
pub(super) enum Child {
    Linked { row: usize, extra_bom: bool },
    Expected { component: ProductKey, units: u64 },
}

/// Writes the list with the one tree. Members are written one by one, since trees are large and their members always the same.
struct Text {
    whole: Whole,
    /// Whether it shows what is expected.
    expected: bool,
    /// The children still to be written of the node that is being written, and of those that contain it.
    open: Vec<std::vec::IntoIter<Child>>,
    /// Whether the next node is the first in its list.
    first: bool,
    begun: bool,
    out: Vec<u8>,
}

impl Iterator for Text {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        if !self.begun {
            self.begun = true;
            self.out.push(b'[');
            let children = self.top();
            self.open(children);
        }
        while self.out.len() < CHUNK_BYTES
            && let Some(siblings) = self.open.last_mut()
        {
            match siblings.next() {
                Some(child) => {
                    let children = self.child(child);
                    self.open(children);
                }
                None => self.close(),
            }
        }
        let room = Vec::with_capacity(CHUNK_BYTES + CHUNK_BYTES / 16);
        Some(std::mem::replace(&mut self.out, room)).filter(|piece| !piece.is_empty())
    }
}

impl Text {
    fn new(whole: Whole, expected: bool) -> Self {
        Self { whole, expected, open: Vec::new(), first: true, begun: false, out: Vec::new() }
    }

    fn open(&mut self, children: Vec<Child>) {
        self.out.extend_from_slice(b",\"children\":[");
        self.open.push(children.into_iter());
        self.first = true;
    }

    fn close(&mut self) {
        self.out.extend_from_slice(b"]}");
        self.open.pop();
        self.first = false;
        if self.open.is_empty() {
            self.out.push(b']');
        }
    }

    /// Writes what the outermost unit or batch shows of itself; returns what it contains.
    fn top(&mut self) -> Vec<Child> {
        let Self { whole, out, expected, .. } = self;
        let (state, children) = match &whole.top {
            Top::Serial(view) => {
                let serial = &view.serial;
                put(out, "{\"serial_key\":", &serial.key);
                put(out, ",\"serial_code\":", &serial.code);
                let children = whole.children(serial.key, serial.wo_key, serial.product_id, *expected);
                (Some(view.state()), children)
            }
            Top::Batch(key, _) => {
                out.extend_from_slice(b"{\"serial_key\":null,\"serial_code\":null");
                put(out, ",\"batch_key\":", key);
                (None, whole.ordered(None, None, *expected))
            }
        };
        out.extend_from_slice(&whole.top_product);
        out.extend_from_slice(b",\"replaced\":false,\"confirmed\":true,\"extra_bom\":false");
        out.extend_from_slice(b",\"expected\":false,\"expected_quantity\":null");
        put(out, ",\"state\":", &state);
        out.extend_from_slice(NO_LINK);
        children
    }

    /// Writes what a node below another shows of itself; returns what it contains.
    fn child(&mut self, child: Child) -> Vec<Child> {
        let Self { whole, out, expected, first, .. } = self;
        if !std::mem::take(first) {
            out.push(b',');
        }
        match child {
            Child::Linked { row, extra_bom } => {
                let row = &whole.rows[row];
                row.child_key.with_text(|key| put_plain(out, "{\"serial_key\":", key));
                put(out, ",\"serial_code\":", &row.code);
                out.extend_from_slice(&whole.products[&row.product_id].1);
                put_flag(out, ",\"replaced\":", row.replaced());
                put_flag(out, ",\"confirmed\":", row.confirmed());
                put_flag(out, ",\"extra_bom\":", extra_bom);
                out.extend_from_slice(b",\"expected\":false,\"expected_quantity\":null");
                put_plain(out, ",\"state\":", row.state().name());
                row.key.with_text(|key| put_plain(out, ",\"link_key\":", key));
                put_time(out, ",\"linked\":", row.linked);
                put_time(out, ",\"unlinked\":", row.unlinked);
                put(out, ",\"quantity\":1,\"reason\":", &row.reason);
                if row.is_open() {
                    return whole.children(row.child_key, row.wo_key, row.product_id, *expected);
                }
            }
            Child::Expected { component, units } => {
                out.extend_from_slice(b"{\"serial_key\":null,\"serial_code\":null");
                let name = whole.references.name(&component);
                let (code, description) = name.unwrap_or_default();
                out.extend_from_slice(&product_members(&component, code, description));
                out.extend_from_slice(b",\"replaced\":false,\"confirmed\":true,\"extra_bom\":false,\"expected\":true");
                put(out, ",\"expected_quantity\":", &units);
                out.extend_from_slice(b",\"state\":null");
                out.extend_from_slice(NO_LINK);
            }
        }
        Vec::new()
    }
}

/// The members of a link where there is none.
const NO_LINK: &[u8] = b",\"link_key\":null,\"linked\":null,\"unlinked\":null,\"quantity\":null,\"reason\":null";

fn product_members(key: &ProductKey, code: &str, description: Option<&str>) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out, ",\"product_key\":", key);
    put(&mut out, ",\"product_code\":", code);
    put(&mut out, ",\"product_description\":", &description);
    out
}

/// Writes a name with its punctuation, and a text without characters that JSON escapes.
fn put_plain(out: &mut Vec<u8>, name: &str, text: &str) {
    out.extend_from_slice(name.as_bytes());
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

fn put_flag(out: &mut Vec<u8>, name: &str, value: bool) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

fn put_time(out: &mut Vec<u8>, name: &str, time: Option<Timestamp>) {
    match time {
        Some(time) => time.with_text(|text| put_plain(out, name, text)),
        None => {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b"null");
        }
    }
}

/// Writes a name with its punctuation, and a value.
fn put(out: &mut Vec<u8>, name: &str, value: &(impl Serialize + ?Sized)) {
    out.extend_from_slice(name.as_bytes());
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "texts, numbers and times can be written as JSON");
}
