//! What a component is used in, up to a number of levels.

use super::amount::Amount;
use super::graph::{Graph, Way};
use super::reach::reach;
use super::{BomError, Line, Product};
use crate::Quantity;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    pub product: usize,
    /// The fewest lines between the two; 1 is direct.
    pub level: usize,
    /// The sum of the product's own lines on the component, if it has any.
    pub qt_direct: Option<Quantity>,
    /// Per unit of the product, over all ways of at most `levels` lines.
    pub qt_total: Quantity,
}

impl Use {
    pub fn direct(&self) -> bool {
        self.qt_direct.is_some()
    }
}

/// Every product that contains `component` within `levels` lines once, by level, then code.
///
/// `lines` hold all lines on the component and on what contains it; more do no harm.
pub fn where_used(
    products: &[Product],
    lines: &[Line],
    component: i64,
    levels: Option<u32>,
) -> Result<Vec<Use>, BomError> {
    let graph = Graph::new(products, lines, Way::Up)?;
    let component = graph.number(component)?;
    let mut reached = reach(&graph, component, Quantity::ONE, levels)?;

    let mut direct = vec![Amount::ZERO; graph.len()];
    for line in graph.steps(component) {
        direct[line.to] = direct[line.to].plus(line.qt.into())?;
    }
    reached.sort_unstable_by_key(|parent| (parent.depth_min, parent.product));
    let uses = reached.iter().map(|parent| Use {
        product: graph.place(parent.product),
        level: parent.depth_min,
        qt_direct: (parent.depth_min == 1).then(|| direct[parent.product].written()),
        qt_total: parent.total.written(),
    });
    Ok(uses.collect())
}
