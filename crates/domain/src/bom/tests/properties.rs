use proptest::prelude::*;

use super::*;

const CODES: [&str; 8] =
    ["a", "B", "b", "A-10", "a-9", "É", "é-much-longer-than-16-bytes", "É-much-longer-than-16-bytes"];

/// Up to eight products with codes and ids that say nothing about which is above which, and lines between them.
fn boms(acyclic: bool, most_lines: usize, quantities: impl Strategy<Value = i64>) -> impl Strategy<Value = Bom> {
    let line = (0..CODES.len(), 0..CODES.len(), quantities);
    let ids =
        Just((0..CODES.len() as i64).map(|number| number * 1_000_003 - 3_000_000).collect::<Vec<_>>()).prop_shuffle();
    let products = (ids, Just(CODES.to_vec()).prop_shuffle());
    (products, prop::collection::vec(line, 0..=most_lines)).prop_map(move |((ids, codes), lines)| {
        let lines = lines.into_iter().filter(|(a, b, _)| !acyclic || a != b).map(|(a, b, qt)| {
            let (parent, component) = if acyclic { (a.min(b), a.max(b)) } else { (a, b) };
            Line { parent: ids[parent], component: ids[component], qt: Quantity::from_millionths(qt) }
        });
        let lines = lines.collect();
        let products = ids.iter().copied().zip(codes.iter().map(|&code| code.to_owned())).collect();
        Bom { products, lines }
    })
}

/// One decimal, so that the longest path of seven lines has no more than twelve.
fn tenths() -> impl Strategy<Value = i64> {
    (1_i64..=25).prop_map(|tenths| tenths * 100_000)
}

fn any_quantity() -> impl Strategy<Value = i64> {
    prop_oneof![1_i64..=3, 1_i64..=3_000_000, 999_999_i64..=1_000_001]
}

fn levels() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![Just(None), (0_u32..=8).prop_map(Some)]
}

/// The products and lines of `bom` in another order.
fn shuffled(bom: Bom) -> impl Strategy<Value = (Bom, Bom)> {
    let other = (Just(bom.products.clone()).prop_shuffle(), Just(bom.lines.clone()).prop_shuffle());
    other.prop_map(move |(products, lines)| (bom.clone(), Bom { products, lines }))
}

impl Bom {
    /// An explosion in terms that do not depend on the order of products and lines.
    fn explosion_by_id(&self, root: i64, levels: Option<u32>) -> Explosion {
        let mut explosion = self.explode(root, qt("3"), levels).unwrap();
        let id = |place: usize| self.products[place].0 as usize;
        explosion.nodes.iter_mut().for_each(|node| node.product = id(node.product));
        explosion.totals.iter_mut().for_each(|total| total.product = id(total.product));
        explosion.lines.clear();
        explosion
    }

    fn opened_lines(&self, root: i64, levels: Option<u32>) -> Vec<(i64, i64, Quantity)> {
        let places = self.explode(root, qt("3"), levels).unwrap().lines.into_iter();
        let lines = places.map(|place| self.lines[place]).map(|line| (line.parent, line.component, line.qt));
        let mut lines: Vec<_> = lines.collect();
        lines.sort();
        lines
    }

    fn uses_by_id(&self, component: i64, levels: Option<u32>) -> Vec<(i64, Use)> {
        let uses = self.where_used(component, levels).unwrap().into_iter();
        uses.map(|used| (self.products[used.product].0, Use { product: 0, ..used })).collect()
    }
}

proptest! {
    #[test]
    fn explosions_sum_up_all_ways(bom in boms(true, 16, tenths()), levels in levels(), tenths in 1_i64..=30) {
        let (root, qt) = (bom.products[0].0, Quantity::from_millionths(tenths * 100_000));
        prop_assert_eq!(bom.explode(root, qt, levels).unwrap(), oracle::explode(&bom, root, qt, levels));
    }

    #[test]
    fn uses_sum_up_all_ways(bom in boms(true, 16, tenths()), levels in levels()) {
        let component = bom.products[7].0;
        prop_assert_eq!(bom.where_used(component, levels).unwrap(), oracle::where_used(&bom, component, levels));
    }

    #[test]
    fn loops_are_the_shortest_ways_back(bom in boms(false, 11, Just(1))) {
        let edited = bom.products[0].0;
        prop_assert_eq!(loops(&bom.products(), &bom.lines, edited).unwrap(), oracle::loops(&bom, edited));
    }

    #[test]
    fn what_contains_and_what_is_contained_agree(bom in boms(true, 20, tenths()), levels in levels()) {
        for (parent, &(parent_id, _)) in bom.products.iter().enumerate() {
            let nodes = bom.explode(parent_id, Quantity::ONE, levels).unwrap().nodes;
            for (component, &(component_id, _)) in bom.products.iter().enumerate() {
                let uses = bom.where_used(component_id, levels).unwrap();
                let above = uses.iter().find(|used| used.product == parent).map(|used| (used.level, used.qt_total));
                let below = nodes.iter().find(|node| node.product == component);
                prop_assert_eq!(above, below.map(|node| (node.depth_min, node.qt_total)));
            }
        }
    }

    /// A long chain with a few shortcuts, so that paths of very many lengths lead to a product and many are too long.
    #[test]
    fn deep_structures_are_cut_exactly(
        length in 2_i64..=250,
        shortcuts in prop::collection::vec((0_i64..250, 2_i64..100), 0..=20),
        levels in 1_usize..=250,
    ) {
        let shortcuts = shortcuts.into_iter().map(|(from, by)| (from, from + by)).filter(|&(_, to)| to <= length);
        let pairs = (0..length).map(|product| (product, product + 1)).chain(shortcuts);
        let bom = Bom::of(pairs.map(|(parent, component)| (parent, component, Quantity::ONE)));
        let arrivals = oracle::arrivals(&bom, 0, levels);
        let explosion = bom.explode(0, Quantity::ONE, Some(levels as u32)).unwrap();
        for node in &explosion.nodes {
            let by_depth: Vec<i64> = arrivals.iter().map(|arrived| arrived[node.product]).collect();
            let whole = |count: i64| Quantity::from_millionths(count * 1_000_000);
            let net = if node.has_lines { by_depth[levels] } else { by_depth.iter().sum() };
            prop_assert_eq!(Some(node.depth_min), by_depth.iter().position(|&count| count > 0));
            prop_assert_eq!(Some(node.depth_max), by_depth.iter().rposition(|&count| count > 0));
            prop_assert_eq!(node.qt_total, whole(by_depth.iter().sum()));
            prop_assert_eq!(node.qt_net, whole(net));
        }
        let reached = (1..=length as usize).filter(|&product| arrivals.iter().any(|arrived| arrived[product] > 0));
        prop_assert_eq!(explosion.nodes.len(), reached.count());
    }

    #[test]
    fn the_order_of_rows_does_not_matter(
        (bom, other) in boms(true, 20, any_quantity()).prop_flat_map(shuffled), levels in levels(),
    ) {
        for &(id, _) in &bom.products {
            prop_assert_eq!(bom.explosion_by_id(id, levels), other.explosion_by_id(id, levels));
            prop_assert_eq!(bom.opened_lines(id, levels), other.opened_lines(id, levels));
            prop_assert_eq!(bom.uses_by_id(id, levels), other.uses_by_id(id, levels));
        }
    }

    #[test]
    fn the_order_of_rows_does_not_matter_to_loops((bom, other) in boms(false, 20, Just(1)).prop_flat_map(shuffled)) {
        for &(id, _) in &bom.products {
            prop_assert_eq!(bom.loops(id), other.loops(id));
        }
    }

    /// Lines of products that are not expanded affect `has_lines` alone, down to the last digit.
    #[test]
    fn lines_beyond_the_levels_may_be_left_out(bom in boms(true, 20, any_quantity()), levels in 1_u32..=6) {
        let root = bom.products[0].0;
        let mut all = bom.explode(root, qt("3"), Some(levels)).unwrap();
        let lines = all.lines.iter().map(|&place| bom.lines[place]).collect();
        let mut fewer = Bom { lines, ..bom }.explode(root, qt("3"), Some(levels)).unwrap();
        for explosion in [&mut all, &mut fewer] {
            explosion.nodes.iter_mut().for_each(|node| node.has_lines = false);
            explosion.lines.clear();
        }
        prop_assert_eq!(all, fewer);
    }

    #[test]
    fn any_graph_is_answered_or_refused(bom in boms(false, 30, any_quantity()), levels in levels()) {
        for &(id, _) in &bom.products {
            let acyclic = bom.explode(id, Quantity::ONE, None) != Err(BomError::Loop);
            prop_assert!(bom.explode(id, Quantity::ONE, levels).is_ok() || !acyclic);
            let _ = bom.where_used(id, levels);
        }
    }
}
