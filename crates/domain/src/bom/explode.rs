//! What a product is made of, down to a number of levels.

use super::cone::Cone;
use super::flow::Flow;
use super::graph::{Graph, Way};
use super::{BomError, Line, Product};
use crate::Quantity;
use crate::text::sort_by_text;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explosion {
    /// Every component once, by depth_max, then code.
    pub nodes: Vec<Node>,
    /// The places of the lines of all opened products, those with lines above the last level, in the order given.
    pub lines: Vec<usize>,
    /// What is not broken down, where it is written as more than zero, by code.
    pub totals: Vec<Total>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    pub product: usize,
    /// The fewest and the most lines by which it is reached, of those within the levels asked for.
    pub depth_min: usize,
    pub depth_max: usize,
    pub qt_total: Quantity,
    /// All of it if the product has no lines, else what arrives at the last level.
    pub qt_net: Quantity,
    pub has_lines: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    pub product: usize,
    pub qt: Quantity,
}

/// Breaks down `qt` of the product `root`, over all ways of at most `levels` lines.
///
/// `lines` hold all lines of the root and of what it contains; more do no harm. Those of products beyond the last
/// level only decide on `has_lines`.
pub fn explode(
    products: &[Product],
    lines: &[Line],
    root: i64,
    qt: Quantity,
    levels: Option<u32>,
) -> Result<Explosion, BomError> {
    let graph = Graph::new(products, lines, Way::Down)?;
    let cone = Cone::new(&graph, graph.number(root)?, levels)?;
    let flow = Flow::new(&cone, qt.into())?;
    let depths_max = cone.depths_max();

    let by_place = cone.reached().into_iter().map(|product| {
        let total = flow.total(product);
        let net = if cone.opened(product).is_empty() { total } else { flow.cut_off(product) };
        Node {
            product,
            depth_min: cone.depth_min(product),
            depth_max: depths_max[product],
            qt_total: total.written(),
            qt_net: net.written(),
            has_lines: !graph.steps(product).is_empty(),
        }
    });
    let by_place: Vec<Node> = by_place.collect();

    let mut order: Vec<usize> = (0..by_place.len()).collect();
    sort_by_text(&mut order, |node| products[by_place[node].product].code);
    let totals = order.iter().map(|&node| Total { product: by_place[node].product, qt: by_place[node].qt_net });
    let totals = totals.filter(|total| total.qt > Quantity::ZERO).collect();
    order.sort_by_cached_key(|&node| by_place[node].depth_max);
    let nodes = order.iter().map(|&node| by_place[node]).collect();

    let parents = graph.origins().iter().enumerate();
    let lines = parents.filter(|&(_, &parent)| cone.is_opened(parent)).map(|(place, _)| place).collect();
    Ok(Explosion { nodes, lines, totals })
}
