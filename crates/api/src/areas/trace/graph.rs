//! The graph of a serial: what it is part of and what is in it.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use domain::collection::Collection;
use domain::key::{BatchKey, LinkKey, ProductId, ProductKey, SerialKey, UserKey, WorkOrderKey, record_id};
use domain::serial::{Parent, SerialState, Standing};
use domain::text::compare;
use domain::trace::{Graph, Hop, MOST_LEVELS, MOST_NODES, Walk, Way};
use domain::{ErrorData, Timestamp, named};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::product::products::Name;
use store::serial::serials;
use store::serial::trace::{self, TraceBatch, TraceLink, TraceUnit, Which};

use crate::Result;
use crate::areas::serial::names;
use crate::chunked::{CHUNK_BYTES, Chunked};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Path, Query};

#[derive(Deserialize, JsonSchema)]
pub(super) struct SerialPath {
    /// The key of a serial.
    serial_key: SerialKey,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TraceDirection")]
pub(super) enum Direction {
    Down,
    Up,
    #[default]
    Both,
}

impl Direction {
    fn ways(self) -> &'static [Way] {
        match self {
            Direction::Down => &[Way::Down],
            Direction::Up => &[Way::Up],
            Direction::Both => &[Way::Up, Way::Down],
        }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct TraceQuery {
    /// `down`: what the serial contains. `up`: what contains it.
    #[serde(default)]
    direction: Direction,
    /// How many levels there are above and below the serial at most; without it, all.
    #[schemars(range(min = 1, max = 1000))]
    depth: Option<i64>,
    /// By the links that held at this moment, by the times of the events; a date alone is its first moment. States are those of today.
    as_of: Option<Timestamp>,
    /// Also by links that have ended; ignored with `as_of`.
    #[serde(default)]
    include_replaced: bool,
}

impl TraceQuery {
    fn which(&self) -> Which {
        match self.as_of {
            Some(moment) => Which::AsOf(moment),
            None if self.include_replaced => Which::Ever,
            None => Which::Active,
        }
    }
}

/// What a serial is part of, and what is in it.
#[derive(JsonSchema)]
#[schemars(rename = "Trace")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Traced {
    /// The id of the serial: `Serial/` and its key.
    start: String,
    direction: Direction,
    as_of: Option<Timestamp>,
    /// Whether there are more nodes than are shown.
    truncated: bool,
    /// By level, code and id; each once.
    nodes: Vec<TraceNode>,
    /// From what contains to what is contained, in the order in which the links were made.
    edges: Vec<TraceEdge>,
}

named! {
    /// What a node stands for.
    #[schemars(rename = "TraceNodeType")]
    pub enum NodeType {
        Serial = "serial",
        /// A batch of an order that is not traced.
        Batch = "batch",
    }
}

/// A unit or a batch.
#[derive(Serialize, JsonSchema)]
struct TraceNode {
    /// `Serial/` or `Batch/` and the key.
    id: String,
    r#type: NodeType,
    /// How far it is from the start: 0 is the start, negative what contains it. The least where there are several.
    level: i32,
    /// Null of a batch.
    serial_key: Option<SerialKey>,
    /// Null of a serial.
    batch_key: Option<BatchKey>,
    /// The serial's code, if it has one. Null of a batch.
    code: Option<String>,
    product_key: ProductKey,
    product_code: String,
    product_description: Option<String>,
    /// The order that makes it; null for goods received.
    wo_key: Option<WorkOrderKey>,
    /// Of today, with `as_of` too. Null of a batch.
    state: Option<SerialState>,
}

/// That a unit or batch contains a serial, or once contained it.
#[derive(Serialize, JsonSchema)]
struct TraceEdge {
    /// The key of the link.
    _key: LinkKey,
    /// The id of what contains the serial.
    from: String,
    /// The id of the serial.
    to: String,
    component_key: ProductKey,
    /// Always 1.
    quantity: u8,
    /// False: temporary, until the batch is completed.
    confirmed: bool,
    /// Whether the link has ended.
    replaced: bool,
    linked: Option<Timestamp>,
    linked_by: Option<UserKey>,
    unlinked: Option<Timestamp>,
    /// Why the link has ended.
    reason: Option<String>,
}

/// What a node takes while the graph is put together and sent, besides its rows.
const NODE_BYTES: usize = 400;

pub(super) async fn graph(
    cx: Cx,
    Path(path): Path<SerialPath>,
    Query(query): Query<TraceQuery>,
) -> Result<Chunked<Traced>> {
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let key = path.serial_key;
            let view = serials::view(tx, key).await?.ok_or_else(|| ApiError::missing(Collection::Serial))?;
            if query.as_of.is_some_and(|moment| view.serial.created > moment) {
                let message = "The serial did not exist yet at the moment of as_of.";
                return Err(ApiError::not_found_with(message, &ErrorData::default()));
            }
            let (graph, edges) = walk(tx, key, &query).await?;
            tx.take_memory(graph.nodes().len() * NODE_BYTES)?;
            let whole = Whole::load(tx, &query, key, &graph, edges).await?;
            Ok(Chunked::new(Text { whole, at: 0, out: Vec::new() }))
        })
        .await
}

/// Goes from a serial as far as the query says; gives the nodes, and the links between them by key.
async fn walk(tx: &mut Tx, start: SerialKey, query: &TraceQuery) -> Result<(Graph, Vec<TraceLink>)> {
    let which = query.which();
    let mut graph = Graph::new(start, MOST_NODES);
    let new = |way: &Way| (*way, Walk::new(start, *way), Vec::new());
    let mut walks: Vec<(Way, Walk, Vec<TraceLink>)> = query.direction.ways().iter().map(new).collect();
    for _ in 0..query.depth.map_or(MOST_LEVELS, |depth| depth as usize) {
        for (way, walk, links) in &mut walks {
            if walk.is_over() {
                continue;
            }
            let wanted = walk.wanted();
            let keys: Vec<i64> = wanted.iter().map(|key| key.0).collect();
            let found = match way {
                Way::Up => trace::above(tx, &keys, which).await?,
                // One more than fits tells that there are more.
                Way::Down => trace::below_at_most(tx, &keys, which, graph.room() + 1).await?,
            };
            walk.learn(&wanted, found.iter().map(hop));
            links.extend(found);
            walk.step(&mut graph);
        }
        if graph.is_truncated() || walks.iter().all(|(_, walk, _)| walk.is_over()) {
            break;
        }
    }
    let counting = walks.into_iter().flat_map(|(_, walk, links)| {
        let counts = walk.counts().to_vec();
        links.into_iter().zip(counts).filter(|(_, counts)| *counts).map(|(link, _)| link)
    });
    let mut edges: Vec<TraceLink> = counting.collect();
    edges.sort_unstable_by_key(|link| link.key);
    // A link may have been above the serial at one time, and below it at another.
    edges.dedup_by_key(|link| link.key);
    Ok((graph, edges))
}

fn hop(link: &TraceLink) -> Hop {
    Hop { parent: link.parent, child: link.child_key, linked: link.linked, unlinked: link.unlinked }
}

fn id_of(node: Parent) -> String {
    match node {
        Parent::Serial(key) => record_id(Collection::Serial, key),
        Parent::Batch(key) => record_id(Collection::Batch, key),
    }
}

/// A node, with what it shows.
enum Node {
    Serial(TraceUnit, SerialState),
    Batch(TraceBatch),
}

impl Node {
    fn parent(&self) -> Parent {
        match self {
            Node::Serial(unit, _) => Parent::Serial(unit.key),
            Node::Batch(batch) => Parent::Batch(batch.key),
        }
    }

    fn product(&self) -> ProductId {
        match self {
            Node::Serial(unit, _) => unit.product_id,
            Node::Batch(batch) => batch.product_id,
        }
    }

    fn code(&self) -> &str {
        match self {
            Node::Serial(unit, _) => unit.code.as_deref().unwrap_or_default(),
            Node::Batch(_) => "",
        }
    }

    /// By code, those without one last, then by id.
    fn order(&self, other: &Self) -> Ordering {
        let id = |node: &Self| match node {
            Node::Batch(batch) => (0, batch.key.0),
            Node::Serial(unit, _) => (1, unit.key.0),
        };
        compare(self.code(), other.code()).then_with(|| id(self).cmp(&id(other)))
    }
}

/// The serials that are certainly used today, as these links say.
fn used_today(which: Which, links: &[TraceLink]) -> HashSet<SerialKey> {
    let active = links.iter().filter(|link| !link.replaced && !matches!(which, Which::AsOf(_)));
    active.map(|link| link.child_key).collect()
}

/// Serials with their states of today. Of those that are used it does not matter where they lie.
async fn units(tx: &mut Tx, serials: &[i64], used: &HashSet<SerialKey>) -> Result<Vec<Node>> {
    let others: Vec<i64> = serials.iter().copied().filter(|key| !used.contains(&SerialKey(*key))).collect();
    let standings = trace::standings(tx, &others).await?;
    let units = trace::units(tx, serials).await?.into_iter().map(|unit| {
        let standing = standings.get(&unit.key).copied().unwrap_or(Standing { used: true, in_stock: false });
        let state = unit.state(standing);
        Node::Serial(unit, state)
    });
    Ok(units.collect())
}

/// Everything a graph shows.
struct Whole {
    /// All that comes in front of the nodes.
    head: Vec<u8>,
    /// With their levels, in order.
    nodes: Vec<(i32, Node)>,
    edges: Vec<TraceLink>,
    products: HashMap<ProductId, Name>,
}

impl Whole {
    async fn load(
        tx: &mut Tx,
        query: &TraceQuery,
        start: SerialKey,
        graph: &Graph,
        edges: Vec<TraceLink>,
    ) -> Result<Self> {
        let levels: HashMap<Parent, i32> = graph.nodes().collect();
        let (mut serials, mut batches) = (Vec::new(), Vec::new());
        for node in levels.keys() {
            match node {
                Parent::Serial(key) => serials.push(key.0),
                Parent::Batch(key) => batches.push(key.0),
            }
        }
        serials.sort_unstable();
        let units = units(tx, &serials, &used_today(query.which(), &edges)).await?;
        let batches = trace::batches(tx, &batches).await?.into_iter().map(Node::Batch);
        let mut nodes: Vec<(i32, Node)> = units
            .into_iter()
            .chain(batches)
            .map(|node| (levels.get(&node.parent()).copied().unwrap_or(0), node))
            .collect();
        nodes.sort_unstable_by(|(level, node), (other, next)| level.cmp(other).then_with(|| node.order(next)));
        let products = names(tx, nodes.iter().map(|(_, node)| node.product())).await?;
        let mut head = Vec::new();
        put(&mut head, "{\"start\":", &id_of(Parent::Serial(start)));
        put(&mut head, ",\"direction\":", &query.direction);
        put(&mut head, ",\"as_of\":", &query.as_of);
        put(&mut head, ",\"truncated\":", &graph.is_truncated());
        head.extend_from_slice(b",\"nodes\":[");
        Ok(Self { head, nodes, edges, products })
    }

    fn node(&self, (level, node): &(i32, Node)) -> TraceNode {
        let (id, product) = (id_of(node.parent()), &self.products[&node.product()]);
        let (product_key, product_code) = (product.key.clone(), product.code.clone());
        let product_description = product.description.clone();
        let (level, r#type) = (*level, if let Node::Serial(..) = node { NodeType::Serial } else { NodeType::Batch });
        let (serial_key, batch_key, code, wo_key, state) = match node {
            Node::Serial(unit, state) => (Some(unit.key), None, unit.code.clone(), unit.wo_key, Some(*state)),
            Node::Batch(batch) => (None, Some(batch.key), None, Some(batch.wo_key), None),
        };
        TraceNode {
            id,
            r#type,
            level,
            serial_key,
            batch_key,
            code,
            product_key,
            product_code,
            product_description,
            wo_key,
            state,
        }
    }
}

fn edge(link: &TraceLink) -> TraceEdge {
    TraceEdge {
        _key: link.key,
        from: id_of(link.parent),
        to: id_of(Parent::Serial(link.child_key)),
        component_key: link.component_key.clone(),
        quantity: 1,
        confirmed: link.confirmed,
        replaced: link.replaced,
        linked: link.linked,
        linked_by: link.linked_by.clone(),
        unlinked: link.unlinked,
        reason: link.reason.clone(),
    }
}

/// Writes a graph: its nodes, then its edges, then the end.
struct Text {
    whole: Whole,
    /// How many of those are written.
    at: usize,
    out: Vec<u8>,
}

impl Iterator for Text {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let Self { whole, at, out } = self;
        let (nodes, all) = (whole.nodes.len(), whole.nodes.len() + whole.edges.len());
        while out.len() < CHUNK_BYTES && *at <= all {
            match *at {
                0 => out.extend_from_slice(&whole.head),
                place if place == nodes => out.extend_from_slice(b"],\"edges\":["),
                place if place < all => out.push(b','),
                _ => {}
            }
            match (whole.nodes.get(*at), at.checked_sub(nodes).and_then(|place| whole.edges.get(place))) {
                (Some(node), _) => put(out, "", &whole.node(node)),
                (None, Some(link)) => put(out, "", &edge(link)),
                (None, None) => out.extend_from_slice(b"]}"),
            }
            *at += 1;
        }
        Some(std::mem::take(out)).filter(|piece| !piece.is_empty())
    }
}

/// Writes a name with its punctuation, and a value.
pub(super) fn put(out: &mut Vec<u8>, name: &str, value: &(impl Serialize + ?Sized)) {
    out.extend_from_slice(name.as_bytes());
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "texts, numbers and times can be written as JSON");
}
