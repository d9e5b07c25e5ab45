//! What a product is made of, down to a number of levels.

use super::graph::{Graph, Way};
use super::reach::reach;
use super::{BomError, Line, Product};
use crate::Quantity;

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
    let root = graph.number(root)?;
    let mut reached = reach(&graph, root, qt, levels)?;

    let limit = levels.map_or(usize::MAX, |levels| levels as usize);
    let mut opened = vec![false; graph.len()];
    opened[root] = limit > 0;
    for component in &reached {
        opened[component.product] = component.depth_min < limit;
    }
    let lines = graph.origins().iter().enumerate().filter(|&(_, &parent)| opened[parent]).map(|(place, _)| place);

    reached.sort_unstable_by_key(|component| component.product);
    let totals =
        reached.iter().map(|component| Total { product: graph.place(component.product), qt: component.net.written() });
    let totals = totals.filter(|total| total.qt > Quantity::ZERO).collect();
    reached.sort_by_key(|component| component.depth_max);
    let nodes = reached.iter().map(|component| Node {
        product: graph.place(component.product),
        depth_min: component.depth_min,
        depth_max: component.depth_max,
        qt_total: component.total.written(),
        qt_net: component.net.written(),
        has_lines: !graph.steps(component.product).is_empty(),
    });
    Ok(Explosion { nodes: nodes.collect(), lines: lines.collect(), totals })
}
