//! Results found the slow way, by walking every path from one product to the next.

use std::collections::BTreeMap;

use super::*;
use crate::text::fold;

impl Bom {
    fn place(&self, id: i64) -> usize {
        self.products.iter().position(|product| product.0 == id).unwrap()
    }

    /// How codes sort.
    fn by_code(&self, place: usize) -> (String, &str) {
        (fold(self.code(place)), self.code(place))
    }

    /// The lines of every path down from `root`, of at most this many lines.
    fn ways(&self, root: i64, levels: usize) -> Vec<Vec<Line>> {
        let mut ways: Vec<Vec<Line>> = vec![vec![]];
        let mut next = 0;
        while next < ways.len() {
            let way = ways[next].clone();
            let end = way.last().map_or(root, |line| line.component);
            if way.len() < levels {
                let longer = self.lines.iter().filter(|line| line.parent == end);
                ways.extend(longer.map(|&line| way.iter().copied().chain([line]).collect()));
            }
            next += 1;
        }
        ways.remove(0);
        ways
    }
}

/// Of one product with another below it, over all paths between the two; amounts in units of 1e-12.
#[derive(Default)]
struct Between {
    lengths: Vec<usize>,
    total: i128,
    at_limit: i128,
}

/// Exact as long as no amount has more than 12 decimals.
fn amount(qt: Quantity, way: &[Line]) -> i128 {
    way.iter().fold(i128::from(qt.millionths()) * 1_000_000, |amount, line| {
        let product = amount * i128::from(line.qt.millionths());
        assert_eq!(product % 1_000_000, 0, "the oracle does not round");
        product / 1_000_000
    })
}

fn written(units: i128) -> Quantity {
    let (whole, rest) = (units / 1_000_000, units % 1_000_000);
    let up = match rest.cmp(&500_000) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => whole % 2,
        std::cmp::Ordering::Greater => 1,
    };
    Quantity::from_millionths((whole + up) as i64)
}

fn all_below(bom: &Bom, root: i64, qt: Quantity, levels: usize) -> BTreeMap<i64, Between> {
    let mut below: BTreeMap<i64, Between> = BTreeMap::new();
    for way in bom.ways(root, levels) {
        let between = below.entry(way.last().unwrap().component).or_default();
        between.lengths.push(way.len());
        between.total += amount(qt, &way);
        if way.len() == levels {
            between.at_limit += amount(qt, &way);
        }
    }
    below
}

pub(super) fn explode(bom: &Bom, root: i64, qt: Quantity, levels: Option<u32>) -> Explosion {
    let levels = levels.map_or(usize::MAX, |levels| levels as usize);
    let below = all_below(bom, root, qt, levels);
    let nodes = below.iter().map(|(&id, between)| {
        let has_lines = bom.lines.iter().any(|line| line.parent == id);
        Node {
            product: bom.place(id),
            depth_min: *between.lengths.iter().min().unwrap(),
            depth_max: *between.lengths.iter().max().unwrap(),
            qt_total: written(between.total),
            qt_net: written(if has_lines { between.at_limit } else { between.total }),
            has_lines,
        }
    });
    let mut nodes: Vec<Node> = nodes.collect();
    nodes.sort_by_key(|node| bom.by_code(node.product));
    let totals = nodes.iter().filter(|node| node.qt_net > Quantity::ZERO);
    let totals = totals.map(|node| Total { product: node.product, qt: node.qt_net }).collect();
    nodes.sort_by_key(|node| node.depth_max);
    let depth_min = |id: i64| below.get(&id).and_then(|between| between.lengths.iter().min().copied());
    let opened = |id: i64| if id == root { levels > 0 } else { depth_min(id).is_some_and(|depth| depth < levels) };
    let lines = (0..bom.lines.len()).filter(|&place| opened(bom.lines[place].parent)).collect();
    Explosion { nodes, lines, totals }
}

pub(super) fn where_used(bom: &Bom, component: i64, levels: Option<u32>) -> Vec<Use> {
    let levels = levels.map_or(usize::MAX, |levels| levels as usize);
    let uses = bom.products.iter().enumerate().filter_map(|(product, &(parent, _))| {
        let between = all_below(bom, parent, Quantity::ONE, levels).remove(&component)?;
        let own = bom.lines.iter().filter(|line| (line.parent, line.component) == (parent, component));
        let own: Vec<i64> = own.map(|line| line.qt.millionths()).collect();
        Some(Use {
            product,
            level: *between.lengths.iter().min().unwrap(),
            qt_direct: (!own.is_empty()).then(|| Quantity::from_millionths(own.iter().sum())),
            qt_total: written(between.total),
        })
    });
    let mut uses: Vec<Use> = uses.collect();
    uses.sort_by_key(|used| (used.level, bom.by_code(used.product)));
    uses
}

pub(super) fn loops(bom: &Bom, edited: i64) -> Vec<Vec<usize>> {
    let by_codes = |way: &[usize]| way.iter().map(|&place| bom.by_code(place)).collect::<Vec<_>>();
    let mut shortest: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for way in bom.ways(edited, bom.products.len()) {
        if way.last().unwrap().component == edited {
            let ids = [edited].into_iter().chain(way.iter().map(|line| line.component));
            let way: Vec<usize> = ids.map(|id| bom.place(id)).collect();
            let best = shortest.entry(way[1]).or_insert_with(|| way.clone());
            if (way.len(), by_codes(&way)) < (best.len(), by_codes(best)) {
                *best = way;
            }
        }
    }
    let mut loops: Vec<Vec<usize>> = shortest.into_values().collect();
    loops.sort_by(|a, b| by_codes(a).cmp(&by_codes(b)));
    loops
}

/// What arrives at each of the products 0, 1, 2, … after 0, 1, 2, … lines, for whole quantities.
pub(super) fn arrivals(bom: &Bom, root: i64, levels: usize) -> Vec<Vec<i64>> {
    let mut arrivals = vec![vec![0; bom.products.len()]];
    arrivals[0][root as usize] = 1;
    for depth in 0..levels {
        let mut next = vec![0; bom.products.len()];
        for line in &bom.lines {
            let qt = line.qt.millionths() / 1_000_000;
            next[line.component as usize] += arrivals[depth][line.parent as usize] * qt;
        }
        arrivals.push(next);
    }
    arrivals
}
