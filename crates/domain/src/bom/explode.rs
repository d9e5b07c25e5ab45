//! What a product is made of, down to a number of levels.

use super::cone::Cone;
use super::flow::Flow;
use super::graph::{Direction, Graph};
use super::{BomError, Line, Product};
use crate::Quantity;
use crate::text::sort_by_text;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explosion {
    /// Every component once, by depth_max, then code.
    pub nodes: Vec<Node>,
    /// The indexes of the lines of all expanded products, those with lines above the last level, in the order given.
    pub lines: Vec<usize>,
    /// What is not broken down, if it is more than zero as written, by code.
    pub totals: Vec<Total>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    pub product: usize,
    /// The shortest and the longest path by which it is reached, within the requested levels.
    pub depth_min: usize,
    pub depth_max: usize,
    pub qt_total: Quantity,
    /// All of it if the product has no lines, otherwise what is reached at the last level.
    pub qt_net: Quantity,
    pub has_lines: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    pub product: usize,
    pub qt: Quantity,
}

/// Breaks down `qt` of the product `root`, over all paths of at most `levels` lines.
///
/// `lines` must have all lines of the root and of what it contains; more do no harm. Those of products beyond the last level
/// only decide on `has_lines`.
pub fn explode(
    products: &[Product],
    lines: &[Line],
    root: i64,
    qt: Quantity,
    levels: Option<u32>,
) -> Result<Explosion, BomError> {
    let graph = Graph::new(products, lines, Direction::Down)?;
    let cone = Cone::new(&graph, graph.number(root)?, levels)?;
    let flow = Flow::new(&cone, qt.into())?;
    let depths_max = cone.depths_max();

    let nodes = (Cone::START + 1..cone.len()).map(|product| {
        let total = flow.total(product);
        let net = if cone.steps(product).is_empty() { total } else { flow.cut_off(product) };
        let in_graph = cone.in_graph(product);
        Node {
            product: in_graph,
            depth_min: cone.depth_min(product),
            depth_max: depths_max[product],
            qt_total: total.written(),
            qt_net: net.written(),
            has_lines: !graph.steps(in_graph).is_empty(),
        }
    });
    let mut nodes: Vec<Node> = nodes.collect();
    sort_by_text(&mut nodes, |node| products[node.product].code);
    let net = nodes.iter().filter(|node| node.qt_net > Quantity::ZERO);
    let totals = net.map(|node| Total { product: node.product, qt: node.qt_net }).collect();
    nodes.sort_by_cached_key(|node| node.depth_max);

    let mut opened = vec![false; graph.len()];
    (0..cone.len()).for_each(|product| opened[cone.in_graph(product)] = cone.is_opened(product));
    let parents = graph.origins().iter().enumerate();
    let lines = parents.filter(|&(_, &parent)| opened[parent]).map(|(place, _)| place).collect();
    Ok(Explosion { nodes, lines, totals })
}
