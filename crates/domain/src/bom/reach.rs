//! What an amount of one product reaches: every product on the way with the amount that arrives there.
//!
//! Each product is worked out once, in an order in which everything that leads to it comes first. A limit on levels asks
//! for more only where a product is reached on ways of different lengths and some of them go on beyond the limit: there
//! amounts are kept apart by the number of lines they have come.

use super::BomError;
use super::amount::Amount;
use super::graph::{Graph, Step};
use crate::Quantity;

const NEVER: usize = usize::MAX;

pub(super) struct Reached {
    pub(super) product: usize,
    pub(super) depth_min: usize,
    pub(super) depth_max: usize,
    /// Over all ways of at most `levels` lines.
    pub(super) total: Amount,
    /// The part of it that goes no further.
    pub(super) net: Amount,
}

/// All products within `levels` lines of `start`, without itself.
pub(super) fn reach(graph: &Graph, start: usize, qt: Quantity, levels: Option<u32>) -> Result<Vec<Reached>, BomError> {
    let cone = Cone::new(graph, start, levels)?;
    let mut flow = Flow { cone: &cone, arrived: vec![Arrived::default(); graph.len()] };
    if cone.goes_beyond(0, start) {
        flow.by_depth(start, qt.into())?;
    } else {
        flow.arrived[start].together(0, qt.into())?;
    }
    flow.at_once()?;

    let products = cone.order.iter().filter(|&&product| product != start);
    products.map(|&product| flow.reached(product)).collect()
}

/// The products within the limit and the lines of those that are opened: reached before the limit.
struct Cone<'g> {
    graph: &'g Graph,
    limit: usize,
    depth_min: Vec<usize>,
    /// The products, each after all that lead to it.
    order: Vec<usize>,
    /// The most lines that follow; not needed without a limit.
    height: Vec<usize>,
}

impl<'g> Cone<'g> {
    fn new(graph: &'g Graph, start: usize, levels: Option<u32>) -> Result<Self, BomError> {
        let limit = levels.map_or(usize::MAX, |levels| levels as usize);
        let depth_min = vec![NEVER; graph.len()];
        let mut cone = Self { graph, limit, depth_min, order: Vec::new(), height: Vec::new() };
        let found = cone.search(start);
        cone.order = cone.sorted(start, &found)?;
        if levels.is_some() {
            cone.height = cone.heights();
        }
        Ok(cone)
    }

    fn opened(&self, product: usize) -> &'g [Step] {
        if self.depth_min[product] < self.limit { self.graph.steps(product) } else { &[] }
    }

    /// Whether a way that has come to `product` in `depth` lines goes on for more than the limit.
    fn goes_beyond(&self, depth: usize, product: usize) -> bool {
        self.limit != usize::MAX && depth + self.height[product] > self.limit
    }

    /// Breadth first, for the least depths.
    fn search(&mut self, start: usize) -> Vec<usize> {
        let mut found = vec![start];
        self.depth_min[start] = 0;
        let mut visited = 0;
        while let Some(&product) = found.get(visited) {
            visited += 1;
            let depth = self.depth_min[product] + 1;
            for step in self.opened(product) {
                if self.depth_min[step.to] == NEVER {
                    self.depth_min[step.to] = depth;
                    found.push(step.to);
                }
            }
        }
        found
    }

    fn sorted(&self, start: usize, found: &[usize]) -> Result<Vec<usize>, BomError> {
        let mut awaited = vec![0_usize; self.graph.len()];
        for step in found.iter().flat_map(|&product| self.opened(product)) {
            awaited[step.to] += 1;
        }
        if awaited[start] > 0 {
            return Err(BomError::Loop);
        }
        let mut order = Vec::with_capacity(found.len());
        order.push(start);
        let mut visited = 0;
        while let Some(&product) = order.get(visited) {
            visited += 1;
            for step in self.opened(product) {
                awaited[step.to] -= 1;
                if awaited[step.to] == 0 {
                    order.push(step.to);
                }
            }
        }
        if order.len() < found.len() { Err(BomError::Loop) } else { Ok(order) }
    }

    fn heights(&self) -> Vec<usize> {
        let mut height = vec![0; self.graph.len()];
        for &product in self.order.iter().rev() {
            height[product] = self.opened(product).iter().map(|step| height[step.to] + 1).max().unwrap_or(0);
        }
        height
    }
}

struct Flow<'c> {
    cone: &'c Cone<'c>,
    arrived: Vec<Arrived>,
}

/// What has arrived at a product.
#[derive(Clone, Copy, Default)]
struct Arrived {
    /// By ways from which nothing goes beyond the limit, and the depth of the longest of them.
    together: Amount,
    together_depth: Option<usize>,
    /// By all other ways, the depth of the longest of them, and the part that came by as many lines as allowed.
    apart: Amount,
    apart_depth: Option<usize>,
    at_limit: Amount,
}

impl Arrived {
    fn together(&mut self, depth: usize, amount: Amount) -> Result<(), BomError> {
        self.together = self.together.plus(amount)?;
        self.together_depth = self.together_depth.max(Some(depth));
        Ok(())
    }
}

impl Flow<'_> {
    /// Goes on depth by depth as long as something lies beyond the limit, and leaves the rest to `at_once`.
    fn by_depth(&mut self, start: usize, qt: Amount) -> Result<(), BomError> {
        let (mut here, mut there) = (vec![start], Vec::new());
        let mut amounts_here = vec![Amount::ZERO; self.arrived.len()];
        let mut amounts_there = amounts_here.clone();
        amounts_here[start] = qt;
        for depth in 0..=self.cone.limit {
            for product in here.drain(..) {
                let amount = std::mem::take(&mut amounts_here[product]);
                let arrived = &mut self.arrived[product];
                arrived.apart = arrived.apart.plus(amount)?;
                if depth == self.cone.limit {
                    arrived.at_limit = amount;
                    continue;
                }
                for step in self.cone.opened(product) {
                    let (further, amount) = (depth + 1, amount.times(step.qt)?);
                    let arrived = &mut self.arrived[step.to];
                    if !self.cone.goes_beyond(further, step.to) {
                        arrived.together(further, amount)?;
                        continue;
                    }
                    amounts_there[step.to] = amounts_there[step.to].plus(amount)?;
                    if arrived.apart_depth != Some(further) {
                        arrived.apart_depth = Some(further);
                        there.push(step.to);
                    }
                }
            }
            if there.is_empty() {
                break;
            }
            std::mem::swap(&mut here, &mut there);
            std::mem::swap(&mut amounts_here, &mut amounts_there);
        }
        Ok(())
    }

    /// Passes on what arrives together, each product once.
    fn at_once(&mut self) -> Result<(), BomError> {
        for &product in &self.cone.order {
            let Arrived { together, together_depth: Some(depth), .. } = self.arrived[product] else {
                continue;
            };
            for step in self.cone.opened(product) {
                self.arrived[step.to].together(depth + 1, together.times(step.qt)?)?;
            }
        }
        Ok(())
    }

    fn reached(&self, product: usize) -> Result<Reached, BomError> {
        let arrived = &self.arrived[product];
        let total = arrived.together.plus(arrived.apart)?;
        Ok(Reached {
            product,
            depth_min: self.cone.depth_min[product],
            depth_max: arrived.together_depth.max(arrived.apart_depth).unwrap_or_default(),
            total,
            net: if self.cone.opened(product).is_empty() { total } else { arrived.at_limit },
        })
    }
}
