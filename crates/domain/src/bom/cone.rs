//! The part of a graph within a number of steps of one product.

use super::BomError;
use super::graph::{Graph, Step};

const NOT_REACHED: usize = usize::MAX;

/// The products within the limit, and the steps from those that are expanded: reached before the limit.
///
/// They are renumbered: the start is 0, and every product comes after all that lead to it.
pub(super) struct Cone {
    limit: usize,
    /// The graph's number of each product.
    products: Vec<usize>,
    depth_min: Vec<usize>,
    /// The steps from a product are `steps[starts[product]..starts[product + 1]]`.
    starts: Vec<usize>,
    steps: Vec<Step>,
    /// The longest path that follows each product, if some path from the start is longer than the limit.
    height: Option<Vec<usize>>,
}

impl Cone {
    pub(super) const START: usize = 0;

    pub(super) fn new(graph: &Graph, start: usize, levels: Option<u32>) -> Result<Self, BomError> {
        let limit = levels.map_or(usize::MAX, |levels| levels as usize);
        let search = Search::new(graph, start, limit);
        let products = search.sorted(start)?;
        let mut cone = search.numbered_anew(products);
        if levels.is_some() {
            cone.height = Some(cone.heights()).filter(|height| height[Self::START] > limit);
        }
        Ok(cone)
    }

    /// The number of products, including the start.
    pub(super) fn len(&self) -> usize {
        self.products.len()
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    pub(super) fn in_graph(&self, product: usize) -> usize {
        self.products[product]
    }

    pub(super) fn depth_min(&self, product: usize) -> usize {
        self.depth_min[product]
    }

    pub(super) fn is_opened(&self, product: usize) -> bool {
        self.depth_min[product] < self.limit
    }

    pub(super) fn steps(&self, from: usize) -> &[Step] {
        &self.steps[self.starts[from]..self.starts[from + 1]]
    }

    /// Whether some path that reaches `product` in `depth` steps goes on for more than the limit.
    pub(super) fn goes_beyond(&self, depth: usize, product: usize) -> bool {
        self.height.as_ref().is_some_and(|height| depth + height[product] > self.limit)
    }

    /// For each product, the longest path within the limit by which it is reached.
    pub(super) fn depths_max(&self) -> Vec<usize> {
        if self.height.is_some() { self.longest_within_limit() } else { self.longest() }
    }

    fn heights(&self) -> Vec<usize> {
        let mut height = vec![0; self.len()];
        for product in (0..self.len()).rev() {
            height[product] = self.steps(product).iter().map(|step| height[step.to] + 1).max().unwrap_or(0);
        }
        height
    }

    fn longest(&self) -> Vec<usize> {
        let mut longest = vec![0; self.len()];
        for product in 0..self.len() {
            let further = longest[product] + 1;
            for step in self.steps(product) {
                longest[step.to] = further.max(longest[step.to]);
            }
        }
        longest
    }

    /// Handles 64 depths at once: bit n of a product says whether it is reached in `base` + n steps.
    fn longest_within_limit(&self) -> Vec<usize> {
        let mut longest = vec![0; self.len()];
        let mut bits = vec![0_u64; self.len()];
        // The last bit of the previous 64 depths, which becomes the first of these.
        let mut carry = vec![0_u64; self.len()];
        let mut touched = Touched::new(self.len());
        let mut carrying = Vec::new();
        bits[Self::START] = 1;
        touched.add(Self::START);
        for base in (0..=self.limit).step_by(64) {
            let within_limit = u64::MAX >> 63_usize.saturating_sub(self.limit - base);
            while let Some(product) = touched.take_first() {
                let depths = std::mem::take(&mut bits[product]) & within_limit;
                let onward = depths << 1 | std::mem::replace(&mut carry[product], depths >> 63);
                if onward != 0 {
                    for step in self.steps(product) {
                        bits[step.to] |= onward;
                        touched.add(step.to);
                    }
                }
                if depths != 0 {
                    longest[product] = base + depths.ilog2() as usize;
                }
                if carry[product] != 0 {
                    carrying.push(product);
                }
            }
            if carrying.is_empty() {
                break;
            }
            touched.start_again();
            carrying.drain(..).for_each(|product| touched.add(product));
        }
        longest
    }
}

/// A set of products that yields the first one; none may be added before one that was already yielded, until it restarts.
struct Touched {
    words: Vec<u64>,
    at: usize,
}

impl Touched {
    fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], at: 0 }
    }

    fn start_again(&mut self) {
        self.at = 0;
    }

    fn add(&mut self, product: usize) {
        self.words[product / 64] |= 1 << (product % 64);
    }

    fn take_first(&mut self) -> Option<usize> {
        self.at += self.words[self.at..].iter().position(|&word| word != 0)?;
        let word = &mut self.words[self.at];
        let product = self.at * 64 + word.trailing_zeros() as usize;
        *word &= *word - 1;
        Some(product)
    }
}

/// What is within the limit, with the graph's numbers.
struct Search<'g> {
    graph: &'g Graph,
    limit: usize,
    depth_min: Vec<usize>,
    found: Vec<usize>,
}

impl<'g> Search<'g> {
    /// Breadth first, to find the smallest depths.
    fn new(graph: &'g Graph, start: usize, limit: usize) -> Self {
        let depth_min = vec![NOT_REACHED; graph.len()];
        let mut search = Self { graph, limit, depth_min, found: Vec::with_capacity(graph.len()) };
        search.depth_min[start] = 0;
        search.found.push(start);
        let mut visited = 0;
        while let Some(&product) = search.found.get(visited) {
            visited += 1;
            let depth = search.depth_min[product] + 1;
            for step in search.opened(product) {
                if search.depth_min[step.to] == NOT_REACHED {
                    search.depth_min[step.to] = depth;
                    search.found.push(step.to);
                }
            }
        }
        search
    }

    fn opened(&self, product: usize) -> &'g [Step] {
        if self.depth_min[product] < self.limit { self.graph.steps(product) } else { &[] }
    }

    /// Each product after all that lead to it.
    fn sorted(&self, start: usize) -> Result<Vec<usize>, BomError> {
        let mut awaited = vec![0_usize; self.graph.len()];
        for step in self.found.iter().flat_map(|&product| self.opened(product)) {
            awaited[step.to] += 1;
        }
        if awaited[start] > 0 {
            return Err(BomError::Loop);
        }
        let mut sorted = Vec::with_capacity(self.found.len());
        sorted.push(start);
        let mut visited = 0;
        while let Some(&product) = sorted.get(visited) {
            visited += 1;
            for step in self.opened(product) {
                awaited[step.to] -= 1;
                if awaited[step.to] == 0 {
                    sorted.push(step.to);
                }
            }
        }
        if sorted.len() < self.found.len() { Err(BomError::Loop) } else { Ok(sorted) }
    }

    fn numbered_anew(self, products: Vec<usize>) -> Cone {
        let mut anew = vec![NOT_REACHED; self.graph.len()];
        for (number, &product) in products.iter().enumerate() {
            anew[product] = number;
        }
        let mut starts = Vec::with_capacity(products.len() + 1);
        let mut steps = Vec::with_capacity(self.graph.origins().len());
        for &product in &products {
            starts.push(steps.len());
            steps.extend(self.opened(product).iter().map(|step| Step { to: anew[step.to], qt: step.qt }));
        }
        starts.push(steps.len());
        let depth_min = products.iter().map(|&product| self.depth_min[product]).collect();
        Cone { limit: self.limit, products, depth_min, starts, steps, height: None }
    }
}
