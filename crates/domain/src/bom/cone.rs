//! The part of a graph within a number of lines of one product.

use super::BomError;
use super::graph::{Graph, Step};

const NOT_REACHED: usize = usize::MAX;

/// The products within the limit, and the steps from those that are opened: reached before the limit.
pub(super) struct Cone<'g> {
    graph: &'g Graph,
    pub(super) start: usize,
    pub(super) limit: usize,
    depth_min: Vec<usize>,
    /// The products, each after all that lead to it.
    pub(super) order: Vec<usize>,
    /// The most steps that follow each product, where some way from the start is longer than the limit.
    height: Option<Vec<usize>>,
}

impl<'g> Cone<'g> {
    pub(super) fn new(graph: &'g Graph, start: usize, levels: Option<u32>) -> Result<Self, BomError> {
        let limit = levels.map_or(usize::MAX, |levels| levels as usize);
        let depth_min = vec![NOT_REACHED; graph.len()];
        let mut cone = Self { graph, start, limit, depth_min, order: Vec::new(), height: None };
        let found = cone.search();
        cone.order = cone.sorted(&found)?;
        if levels.is_some() {
            cone.height = Some(cone.heights()).filter(|height| height[start] > limit);
        }
        Ok(cone)
    }

    /// How many products the graph has.
    pub(super) fn len(&self) -> usize {
        self.graph.len()
    }

    /// The products that are reached, without the start, in the order of their numbers.
    pub(super) fn reached(&self) -> Vec<usize> {
        let mut reached = Vec::with_capacity(self.order.len());
        reached.extend((0..self.len()).filter(|&product| self.depth_min[product] != NOT_REACHED));
        reached.retain(|&product| product != self.start);
        reached
    }

    pub(super) fn depth_min(&self, product: usize) -> usize {
        self.depth_min[product]
    }

    pub(super) fn opened(&self, product: usize) -> &'g [Step] {
        if self.is_opened(product) { self.graph.steps(product) } else { &[] }
    }

    pub(super) fn is_opened(&self, product: usize) -> bool {
        // What is not reached is as far away as can be.
        self.depth_min[product] < self.limit
    }

    /// Whether some way that has come to `product` in `depth` steps goes on for more than the limit.
    pub(super) fn goes_beyond(&self, depth: usize, product: usize) -> bool {
        self.height.as_ref().is_some_and(|height| depth + height[product] > self.limit)
    }

    /// Finds what is within the limit, breadth first.
    fn search(&mut self) -> Vec<usize> {
        let mut found = vec![self.start];
        self.depth_min[self.start] = 0;
        let mut visited = 0;
        while let Some(&product) = found.get(visited) {
            visited += 1;
            let depth = self.depth_min[product] + 1;
            for step in self.opened(product) {
                if self.depth_min[step.to] == NOT_REACHED {
                    self.depth_min[step.to] = depth;
                    found.push(step.to);
                }
            }
        }
        found
    }

    fn sorted(&self, found: &[usize]) -> Result<Vec<usize>, BomError> {
        let mut awaited = vec![0_usize; self.graph.len()];
        for step in found.iter().flat_map(|&product| self.opened(product)) {
            awaited[step.to] += 1;
        }
        if awaited[self.start] > 0 {
            return Err(BomError::Loop);
        }
        let mut order = Vec::with_capacity(found.len());
        order.push(self.start);
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

    /// For each product the most steps within the limit by which it is reached.
    pub(super) fn depths_max(&self) -> Vec<usize> {
        if self.height.is_some() { self.longest_within_limit() } else { self.longest() }
    }

    fn longest(&self) -> Vec<usize> {
        let mut longest = vec![0; self.graph.len()];
        for &product in &self.order {
            let depth = longest[product] + 1;
            for step in self.opened(product) {
                longest[step.to] = depth.max(longest[step.to]);
            }
        }
        longest
    }

    /// Looks at 64 depths at once: a product's bits say by how many steps beyond `base` it is reached.
    fn longest_within_limit(&self) -> Vec<usize> {
        let mut longest = vec![0; self.graph.len()];
        let mut bits = vec![0_u64; self.graph.len()];
        // The last bit of the 64 depths before, which goes on as the first of these.
        let mut carry = vec![0_u64; self.graph.len()];
        bits[self.start] = 1;
        for base in (0..=self.limit).step_by(64) {
            let within_limit = u64::MAX >> 63_usize.saturating_sub(self.limit - base);
            let mut goes_on = 0;
            for &product in &self.order {
                let depths = std::mem::take(&mut bits[product]) & within_limit;
                let onward = depths << 1 | std::mem::replace(&mut carry[product], depths >> 63);
                if onward != 0 {
                    for step in self.opened(product) {
                        bits[step.to] |= onward;
                    }
                }
                if depths != 0 {
                    longest[product] = base + depths.ilog2() as usize;
                }
                goes_on |= carry[product];
            }
            if goes_on == 0 {
                break;
            }
        }
        longest
    }
}
