//! Questions about all bills of materials together: loops, explosions and uses.

use domain::ErrorData;
use std::collections::{BTreeSet, HashSet};

use domain::Quantity;
use domain::bom::{self, BomError};
use domain::key::{BomLineKey, PhaseKey, ProductId, ProductKey};
use domain::product::TraceabilityLevel;
use domain::rule::production::QuantityOverflow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::product::boms::{self, Edge, Line, LineBelow};
use store::product::products::{self, Name, Product};

use super::not_found;
use crate::Result;
use crate::areas::paths::ProductPath;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path, Query};
use crate::reply::{Listed, Written};

/// 403 if the new lines of a product make it a part of itself, with the codes along each loop.
pub(super) async fn refuse_loops(tx: &mut Tx, product: &Product, lines: &[Line]) -> Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let above: HashSet<ProductId> = boms::ids_above(tx, product.id).await?.into_iter().collect();
    if !lines.iter().any(|line| above.contains(&line.component_id)) {
        return Ok(());
    }
    let above = boms::lines_above(tx, product.id).await?;
    let names = names_of(tx, product, above.iter().map(|line| line.parent.0)).await?;
    let loops = bom::loops(&graph_products(&names), &upward(&above), product.id.0).map_err(refusal)?;
    let codes =
        |places: &Vec<usize>| -> Vec<String> { places.iter().map(|place| names[*place].code.clone()).collect() };
    let loops: Vec<Vec<String>> = loops.iter().map(codes).collect();
    let data = Some(loops.iter().map(|codes| codes.join(" -> ")).collect());
    let data = ErrorData { loops: Some(loops), data, ..ErrorData::default() };
    Err(ApiError::forbidden_with("The product would be a part of itself.", &data))
}

/// The names of the product and others, sorted by id.
async fn names_of(tx: &mut Tx, product: &Product, others: impl Iterator<Item = i64>) -> Result<Vec<Name>> {
    let ids: BTreeSet<i64> = others.chain([product.id.0]).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    Ok(products::names_by_id(tx, &ids).await?)
}

fn graph_products(names: &[Name]) -> Vec<bom::Product<'_>> {
    names.iter().map(|name| bom::Product { id: name.id.0, code: &name.code }).collect()
}

fn upward(edges: &[Edge]) -> Vec<bom::Line> {
    let line = |edge: &Edge| bom::Line { parent: edge.parent.0, component: edge.component.0, qt: edge.qt };
    edges.iter().map(line).collect()
}

fn refusal(error: BomError) -> ApiError {
    match error {
        BomError::QuantityOverflow => ApiError::rule(&QuantityOverflow { maximum: None }, "A quantity exceeds 1e12."),
        BomError::Loop | BomError::UnknownProduct(_) => {
            ApiError::internal(&format!("stored bills of materials: {error}"), None)
        }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ExplodeQuery {
    /// Number of units; more than 0.
    #[schemars(extend("exclusiveMinimum" = 0))]
    qt: Option<Quantity>,
    /// Number of levels; all of them when left out.
    #[schemars(range(min = 1, max = 1_000_000))]
    levels: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Explosion<'a> {
    product_key: &'a ProductKey,
    product_code: &'a str,
    qt: Quantity,
    /// As requested; null means all.
    levels: Option<u32>,
    /// Every component once, by the longest path to it and by code.
    nodes: Vec<ExplosionNode<'a>>,
    /// Every line of every expanded product once, by parent and position.
    lines: Vec<ExplosionLine<'a>>,
    /// What is not broken down, by code.
    totals: Vec<ExplosionTotal<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct ExplosionNode<'a> {
    product_key: &'a ProductKey,
    product_code: &'a str,
    product_description: Option<&'a str>,
    depth_min: usize,
    depth_max: usize,
    /// Over all paths of at most `levels` lines.
    qt_total: Quantity,
    /// The part that is not broken down.
    qt_net: Quantity,
    has_bom: bool,
    traceability_level: Option<TraceabilityLevel>,
}

#[derive(Serialize, JsonSchema)]
struct ExplosionLine<'a> {
    parent_key: &'a ProductKey,
    parent_code: &'a str,
    bom_line_key: BomLineKey,
    component_key: &'a ProductKey,
    component_code: &'a str,
    phase_key: PhaseKey,
    /// Per unit of the parent.
    qt: Quantity,
}

#[derive(Serialize, JsonSchema)]
struct ExplosionTotal<'a> {
    product_key: &'a ProductKey,
    product_code: &'a str,
    product_description: Option<&'a str>,
    qt: Quantity,
}

pub(super) async fn explode(
    cx: Cx,
    Path(path): Path<ProductPath>,
    Query(query): Query<ExplodeQuery>,
) -> Result<Written<Explosion<'static>>> {
    let qt = query.qt.unwrap_or(Quantity::ONE);
    let levels = query.levels;
    let (product, below, names) = cx
        .db
        .read_long(async move |tx: &mut Tx| {
            let product = products::find(tx, &path.product_key).await?.ok_or_else(not_found)?;
            let below = boms::lines_below(tx, product.id).await?;
            let names = names_of(tx, &product, below.iter().map(|line| line.component.0)).await?;
            Ok::<_, ApiError>((product, below, names))
        })
        .await?;
    apart(move || Written::new(&exploded(&product, below, &names, qt, levels)?)).await
}

/// Computes and serialises what may be large, off the request threads.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let working = tokio::task::spawn_blocking(work).await;
    working.map_err(|_| ApiError::internal("working out a structure panicked", None))?
}

/// `names` are sorted by id.
fn exploded<'a>(
    product: &'a Product,
    mut below: Vec<LineBelow>,
    names: &'a [Name],
    qt: Quantity,
    levels: Option<u32>,
) -> Result<Explosion<'a>> {
    // All of them exist: lines refer to products, which are never removed, and the graph rejects unknown ones.
    let place_of = |id: ProductId| names.binary_search_by_key(&id, |name| name.id).unwrap_or_default();
    below.sort_by_cached_key(|line| (&names[place_of(line.parent)].code, line.parent, line.line_no));
    let graph = |line: &LineBelow| bom::Line { parent: line.parent.0, component: line.component.0, qt: line.qt };
    let lines: Vec<bom::Line> = below.iter().map(graph).collect();
    let found = bom::explode(&graph_products(names), &lines, product.id.0, qt, levels).map_err(refusal)?;
    let node = |node: &bom::Node| {
        let name = &names[node.product];
        ExplosionNode {
            product_key: &name.key,
            product_code: &name.code,
            product_description: name.description.as_deref(),
            depth_min: node.depth_min,
            depth_max: node.depth_max,
            qt_total: node.qt_total,
            qt_net: node.qt_net,
            has_bom: node.has_lines,
            traceability_level: name.traceability_level,
        }
    };
    let line = |place: &usize| {
        let line = &below[*place];
        let (parent, component) = (&names[place_of(line.parent)], &names[place_of(line.component)]);
        ExplosionLine {
            parent_key: &parent.key,
            parent_code: &parent.code,
            bom_line_key: line.key,
            component_key: &component.key,
            component_code: &component.code,
            phase_key: line.phase_key,
            qt: line.qt,
        }
    };
    let total = |total: &bom::Total| {
        let name = &names[total.product];
        ExplosionTotal {
            product_key: &name.key,
            product_code: &name.code,
            product_description: name.description.as_deref(),
            qt: total.qt,
        }
    };
    Ok(Explosion {
        product_key: &product.key,
        product_code: &product.data.code,
        qt,
        levels,
        nodes: found.nodes.iter().map(node).collect(),
        lines: found.lines.iter().map(line).collect(),
        totals: found.totals.iter().map(total).collect(),
    })
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct WhereUsedQuery {
    /// Number of levels; all of them when left out.
    #[schemars(range(min = 1, max = 1_000_000))]
    levels: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct WhereUsed {
    product_key: ProductKey,
    product_code: String,
    product_description: Option<String>,
    active: bool,
    /// The shortest distance; 1 is direct.
    level: usize,
    /// Whether one of its own lines names the product.
    direct: bool,
    /// The sum of its own lines.
    qt_direct: Option<Quantity>,
    /// In one unit of it, over all paths of at most `levels` lines.
    qt_total: Quantity,
}

pub(super) async fn where_used(
    cx: Cx,
    Path(path): Path<ProductPath>,
    Query(query): Query<WhereUsedQuery>,
    Paging(page): Paging<10_000>,
) -> Result<Listed<WhereUsed>> {
    let (product, above, names) = cx
        .db
        .read_long(async move |tx: &mut Tx| {
            let product = products::find(tx, &path.product_key).await?.ok_or_else(not_found)?;
            let above = boms::lines_above(tx, product.id).await?;
            let names = names_of(tx, &product, above.iter().map(|line| line.parent.0)).await?;
            Ok::<_, ApiError>((product, above, names))
        })
        .await?;
    apart(move || {
        let uses = bom::where_used(&graph_products(&names), &upward(&above), product.id.0, query.levels);
        // Trashed products are left out: nobody has to maintain their lines.
        let live: Vec<bom::Use> =
            uses.map_err(refusal)?.into_iter().filter(|used| !names[used.product].trash).collect();
        let Listed { rows, total } = Listed::page(live, &page);
        let rows = rows.iter().map(|used| shown(&names[used.product], used)).collect();
        Ok(Listed { rows, total })
    })
    .await
}

fn shown(name: &Name, used: &bom::Use) -> WhereUsed {
    WhereUsed {
        product_key: name.key.clone(),
        product_code: name.code.clone(),
        product_description: name.description.clone(),
        active: name.active,
        level: used.level,
        direct: used.direct(),
        qt_direct: used.qt_direct,
        qt_total: used.qt_total,
    }
}
