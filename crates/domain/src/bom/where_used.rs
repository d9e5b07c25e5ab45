//! What a component is used in, up to a number of levels.

use super::amount::Amount;
use super::cone::Cone;
use super::flow::Flow;
use super::graph::{Direction, Graph};
use super::{BomError, Line, Product};
use crate::Quantity;
use crate::text::sort_by_text;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    pub product: usize,
    /// The fewest lines between the two; 1 is direct.
    pub level: usize,
    /// The sum of the product's own lines on the component, if it has any.
    pub qt_direct: Option<Quantity>,
    /// Per unit of the product, over all paths of at most `levels` lines.
    pub qt_total: Quantity,
}

impl Use {
    pub fn direct(&self) -> bool {
        self.qt_direct.is_some()
    }
}

/// Every product that contains `component` within `levels` lines once, by level, then code.
///
/// `lines` must have all lines on the component and on what contains it; more do no harm.
pub fn where_used(
    products: &[Product],
    lines: &[Line],
    component: i64,
    levels: Option<u32>,
) -> Result<Vec<Use>, BomError> {
    let graph = Graph::new(products, lines, Direction::Up)?;
    let cone = Cone::new(&graph, graph.number(component)?, levels)?;
    let flow = Flow::new(&cone, Quantity::ONE.into())?;

    let mut direct = vec![Amount::ZERO; cone.len()];
    for line in cone.steps(Cone::START) {
        direct[line.to] = direct[line.to].plus(line.qt.into())?;
    }
    let uses = (Cone::START + 1..cone.len()).map(|parent| {
        let level = cone.depth_min(parent);
        Use {
            product: cone.in_graph(parent),
            level,
            qt_direct: (level == 1).then(|| direct[parent].written()),
            qt_total: flow.total(parent).written(),
        }
    });
    let mut uses: Vec<Use> = uses.collect();
    sort_by_text(&mut uses, |used| products[used.product].code);
    uses.sort_by_cached_key(|used| used.level);
    Ok(uses)
}
