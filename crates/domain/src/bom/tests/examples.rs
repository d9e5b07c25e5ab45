use super::*;

const ONE: Quantity = Quantity::ONE;

/// X: 2 S, 1 C; S: 3 C.
fn scenario() -> Bom {
    let line = |parent, component, text| Line { parent, component, qt: qt(text) };
    Bom {
        products: vec![(30, "X".into()), (20, "S".into()), (10, "C".into())],
        lines: vec![line(30, 20, "2"), line(30, 10, "1"), line(20, 10, "3")],
    }
}

fn chain(length: i64) -> Bom {
    Bom::of((0..length).map(|product| (product, product + 1, ONE)))
}

/// Each product has two lines on the next.
fn diamond(levels: i64) -> Bom {
    Bom::of((0..levels).flat_map(|product| [(product, product + 1, ONE); 2]))
}

/// Code, depths, total and net of each node.
fn nodes<'b>(bom: &'b Bom, explosion: &Explosion) -> Vec<(&'b str, usize, usize, String, String)> {
    let shown = explosion.nodes.iter().map(|node| {
        let quantities = (node.qt_total.to_string(), node.qt_net.to_string());
        (bom.code(node.product), node.depth_min, node.depth_max, quantities.0, quantities.1)
    });
    shown.collect()
}

fn totals<'b>(bom: &'b Bom, explosion: &Explosion) -> Vec<(&'b str, String)> {
    explosion.totals.iter().map(|total| (bom.code(total.product), total.qt.to_string())).collect()
}

#[test]
fn a_shared_component_is_summed_over_all_ways() {
    let bom = scenario();
    let all = bom.explode(30, qt("10"), None).unwrap();
    let shown = [("S", 1, 1, "20".into(), "0".into()), ("C", 1, 2, "70".into(), "70".into())];
    assert_eq!(nodes(&bom, &all), shown);
    assert_eq!(all.nodes.iter().map(|node| node.has_lines).collect::<Vec<_>>(), [true, false]);
    assert_eq!(all.lines, [0, 1, 2]);
    assert_eq!(totals(&bom, &all), [("C", "70".into())]);
}

#[test]
fn levels_end_the_breakdown() {
    let bom = scenario();
    let one = bom.explode(30, qt("10"), Some(1)).unwrap();
    let shown = [("C", 1, 1, "10".into(), "10".into()), ("S", 1, 1, "20".into(), "20".into())];
    assert_eq!(nodes(&bom, &one), shown);
    assert_eq!(one.lines, [0, 1]);
    assert_eq!(totals(&bom, &one), [("C", "10".into()), ("S", "20".into())]);

    assert_eq!(bom.explode(30, qt("10"), Some(2)), bom.explode(30, qt("10"), None));
    assert_eq!(bom.explode(30, qt("10"), Some(u32::MAX)), bom.explode(30, qt("10"), None));
    assert_eq!(bom.explode(30, qt("10"), Some(0)), Ok(Explosion::default()));
    assert_eq!(bom.explode(10, qt("10"), None), Ok(Explosion::default()));
}

/// S is reached directly and over T, and only the second path ends at the last level.
#[test]
fn a_product_may_be_broken_down_on_one_way_and_not_on_another() {
    let (root, s, t, c) = (0, 1, 2, 3);
    let bom = Bom::of([(root, s, qt("5")), (root, t, ONE), (t, s, qt("7")), (s, c, ONE), (s, c, qt("0.5"))]);
    let two = bom.explode(root, ONE, Some(2)).unwrap();
    let shown = [
        ("P-000002", 1, 1, "1".into(), "0".into()),
        ("P-000001", 1, 2, "12".into(), "7".into()),
        ("P-000003", 2, 2, "7.5".into(), "7.5".into()),
    ];
    assert_eq!(nodes(&bom, &two), shown);
    assert_eq!(two.lines.len(), 5);
}

/// C is reached by one line and by four, and three are requested.
#[test]
fn a_way_that_is_too_long_does_not_count_as_deep() {
    let bom = Bom::of([(0, 4, ONE), (0, 1, ONE), (1, 2, ONE), (2, 3, ONE), (3, 4, ONE), (4, 5, ONE)]);
    let three = bom.explode(0, ONE, Some(3)).unwrap();
    let c = three.nodes.iter().find(|node| node.product == 4).unwrap();
    assert_eq!((c.depth_min, c.depth_max, c.qt_total, c.qt_net), (1, 1, ONE, Quantity::ZERO));
}

#[test]
fn a_component_is_used_directly_and_in_what_uses_it() {
    let bom = scenario();
    let used = |component: i64, levels: Option<u32>| {
        let uses = bom.where_used(component, levels).unwrap().into_iter();
        let shown = uses.map(|used| {
            let quantities = (used.qt_direct.map(|qt| qt.to_string()), used.qt_total.to_string());
            (bom.code(used.product), used.level, used.direct(), quantities.0, quantities.1)
        });
        shown.collect::<Vec<_>>()
    };
    let s = ("S", 1, true, Some("3".to_owned()), "3".to_owned());
    assert_eq!(used(10, None), [s.clone(), ("X", 1, true, Some("1".into()), "7".into())]);
    assert_eq!(used(10, Some(1)), [s, ("X", 1, true, Some("1".into()), "1".into())]);
    assert_eq!(used(30, None), []);

    let chain = chain(2).where_used(2, None).unwrap();
    assert_eq!((chain[1].product, chain[1].level, chain[1].qt_direct, chain[1].qt_total), (0, 2, None, ONE));
}

#[test]
fn a_loop_is_named_from_the_edited_product_back_to_it() {
    let line = |parent, component| Line { parent, component, qt: ONE };
    let mut bom = Bom {
        products: vec![(1, "P-100".into()), (2, "SUB".into()), (3, "C-1".into()), (4, "C-2".into())],
        lines: vec![line(1, 2), line(2, 3)],
    };
    assert!(bom.loops(3).is_empty());
    bom.lines.extend([line(3, 1), line(3, 4)]);
    assert_eq!(bom.loops(3), [["C-1", "P-100", "SUB", "C-1"]]);
    bom.lines.push(line(3, 3));
    assert_eq!(bom.loops(3), [&["C-1", "C-1"][..], &["C-1", "P-100", "SUB", "C-1"]]);
}

#[test]
fn the_shortest_loop_comes_first_by_code_whatever_its_case() {
    let codes = [(1, "edited"), (2, "top"), (3, "b"), (4, "A"), (5, "B"), (6, "long"), (7, "longer")];
    let pairs = [(1, 2), (2, 6), (6, 7), (7, 1), (2, 3), (2, 4), (2, 5), (3, 1), (5, 1), (4, 7)];
    let bom = Bom {
        products: codes.map(|(id, code)| (id, code.to_owned())).into(),
        lines: pairs.map(|(parent, component)| Line { parent, component, qt: ONE }).into(),
    };
    assert_eq!(bom.loops(1), [["edited", "top", "B", "edited"]]);
}

#[test]
fn a_ring_of_200_is_found() {
    let ring = Bom::of((0..200).map(|product| (product, (product + 1) % 200, ONE)));
    let found = ring.loops(7);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].len(), 201);
    assert_eq!(found[0][..2], ["P-000007", "P-000008"]);
    assert_eq!(found[0][199..], ["P-000006", "P-000007"]);
}

#[test]
fn at_most_a_hundred_loops_are_named() {
    let bom = Bom::of((1..=150).flat_map(|component| [(0, component, ONE), (component, 0, ONE)]));
    let found = bom.loops(0);
    assert_eq!(found.len(), MOST_LOOPS);
    assert_eq!(found[99], ["P-000000", "P-000100", "P-000000"]);
}

#[test]
fn shared_sub_assemblies_are_worked_out_once() {
    let bom = diamond(26);
    let all = bom.explode(0, ONE, None).unwrap();
    assert_eq!(all.nodes.len(), 26);
    assert_eq!(totals(&bom, &all), [("P-000026", (1_i64 << 26).to_string())]);
    assert_eq!(totals(&bom, &bom.explode(0, ONE, Some(13)).unwrap()), [("P-000013", (1_i64 << 13).to_string())]);
    assert_eq!(bom.where_used(26, None).unwrap()[25].qt_total.to_string(), (1_i64 << 26).to_string());
}

#[test]
fn what_grows_beyond_the_limit_is_an_error() {
    let bom = diamond(60);
    assert_eq!(bom.explode(0, ONE, None), Err(BomError::QuantityOverflow));
    assert_eq!(bom.where_used(60, None), Err(BomError::QuantityOverflow));
    assert_eq!(bom.explode(0, ONE, Some(40)), Err(BomError::QuantityOverflow));
    assert!(bom.explode(0, ONE, Some(39)).is_ok());
    assert!(bom.where_used(60, Some(39)).is_ok());

    let most = Bom::of([(0, 1, Quantity::MAX)]);
    assert_eq!(most.explode(0, ONE, None).unwrap().nodes[0].qt_total, Quantity::MAX);
    assert_eq!(most.explode(0, qt("1.000001"), None), Err(BomError::QuantityOverflow));
    let sum = Bom::of([(0, 1, Quantity::MAX), (0, 1, qt("0.000001"))]);
    assert_eq!(sum.where_used(1, None), Err(BomError::QuantityOverflow));
}

/// 1 × 0.1 × 0.000005 × 0.00005 is 2.5e-11, whose last digit is the twelfth decimal.
#[test]
fn amounts_keep_twelve_digits_under_way() {
    let bom = Bom::of([(0, 1, qt("0.1")), (1, 2, qt("0.000005")), (2, 3, qt("0.00005")), (3, 4, qt("100000"))]);
    let all = bom.explode(0, ONE, None).unwrap();
    assert_eq!(all.nodes[2].qt_total, Quantity::ZERO);
    assert_eq!(all.nodes[3].qt_total, qt("0.000002"), "2.5 millionths are written as the even neighbour");
    assert_eq!(all.totals.len(), 1);
}

#[test]
fn stored_loops_are_an_error_and_no_hang() {
    let below = Bom::of([(0, 1, ONE), (1, 2, ONE), (2, 1, ONE)]);
    assert_eq!(below.explode(0, ONE, None), Err(BomError::Loop));
    assert_eq!(below.explode(0, ONE, Some(50)), Err(BomError::Loop));
    assert_eq!(below.explode(1, ONE, None), Err(BomError::Loop));
    assert_eq!(below.where_used(2, None), Err(BomError::Loop));
    assert_eq!(below.where_used(0, None), Ok(Vec::new()));
    assert_eq!(below.explode(0, ONE, Some(1)).unwrap().nodes.len(), 1, "it lies beyond the last level");
    assert!(below.loops(0).is_empty());
    assert_eq!(Bom::of([(0, 0, ONE)]).explode(0, ONE, Some(1)), Err(BomError::Loop));
}

#[test]
fn a_product_that_was_not_given_is_an_error() {
    let products = [Product { id: 1, code: "A" }];
    let lines = [Line { parent: 1, component: 2, qt: ONE }];
    assert_eq!(explode(&products, &lines, 1, ONE, None), Err(BomError::UnknownProduct(2)));
    assert_eq!(where_used(&products, &[], 3, None), Err(BomError::UnknownProduct(3)));
    assert_eq!(loops(&products, &lines, 1), Err(BomError::UnknownProduct(2)));
}

#[test]
fn a_chain_may_be_as_deep_as_it_likes() {
    let length = 100_000;
    let mut bom = chain(length);
    let all = bom.explode(0, ONE, None).unwrap();
    assert_eq!(all.nodes.last().map(|node| node.depth_max), Some(100_000));
    let half = bom.explode(0, ONE, Some(50_000)).unwrap();
    assert_eq!(
        (half.nodes.len(), half.lines.len(), totals(&bom, &half)),
        (50_000, 50_000, vec![("P-050000", "1".into())])
    );
    assert_eq!(bom.where_used(length, None).unwrap().len(), 100_000);
    bom.lines.push(Line { parent: length, component: 0, qt: ONE });
    assert_eq!(bom.loops(length)[0].len(), 100_002);
}

#[test]
fn a_product_may_have_as_many_lines_as_it_likes() {
    let bom = Bom::of((1..=100_000).map(|component| (0, component, qt("0.5"))));
    let all = bom.explode(0, qt("3"), None).unwrap();
    assert_eq!((all.nodes.len(), all.lines.len(), all.totals.len()), (100_000, 100_000, 100_000));
    assert!(all.totals.iter().all(|total| total.qt == qt("1.5")));
    let used = bom.where_used(77_777, None).unwrap();
    assert_eq!((used.len(), used[0].qt_direct), (1, Some(qt("0.5"))));
}

/// Every product has lines on all later ones, so it is reached at every depth.
#[test]
fn a_dense_structure_may_be_cut_at_any_level() {
    let bom =
        Bom::of((0..300).flat_map(|parent| (parent + 1..300).map(move |component| (parent, component, qt("0.005")))));
    let all = bom.explode(0, ONE, None).unwrap();
    assert_eq!((all.nodes[0].product, all.nodes[298].product, all.nodes[298].depth_max), (1, 299, 299));
    let cut = bom.explode(0, ONE, Some(150)).unwrap();
    assert_eq!((cut.nodes.len(), cut.nodes[298].depth_min, cut.nodes[298].depth_max), (299, 1, 150));
    let depths: Vec<usize> = cut.nodes.iter().map(|node| node.depth_max).collect();
    assert!(depths.is_sorted() && depths[..149] == (1..150).collect::<Vec<_>>());
}
