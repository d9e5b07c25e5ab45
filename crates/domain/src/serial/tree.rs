//! The order in which a tree shows what a unit contains and what is missing.

use std::collections::BTreeMap;

use super::Link;
use crate::key::{LinkKey, ProductKey};
use crate::{Timestamp, Total};

/// How much of a component a unit takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub component_key: ProductKey,
    pub quantity: Total,
    /// Its units are serials, so each of them can be linked.
    pub traced: bool,
}

/// The bill of materials that a unit is compared with: in its order, with the lines of one component added up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReferenceBom {
    needs: Vec<Need>,
    /// Few enough that to compare keys is faster than to hash one.
    places: BTreeMap<ProductKey, usize>,
    /// The traced ones by their index, with the number of units.
    traced: Vec<(usize, u64)>,
}

impl FromIterator<Need> for ReferenceBom {
    fn from_iter<I: IntoIterator<Item = Need>>(lines: I) -> Self {
        let mut bom = Self::default();
        for line in lines {
            match bom.places.get(&line.component_key) {
                Some(&place) => {
                    let need = &mut bom.needs[place];
                    need.quantity = need.quantity + line.quantity;
                    need.traced |= line.traced;
                }
                None => {
                    bom.places.insert(line.component_key.clone(), bom.needs.len());
                    bom.needs.push(line);
                }
            }
        }
        let traced = bom.needs.iter().enumerate().filter(|(_, need)| need.traced);
        bom.traced = traced.map(|(place, need)| (place, need.quantity.units())).collect();
        bom
    }
}

impl ReferenceBom {
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }

    /// The index of a component in [`ReferenceBom::needs`].
    pub fn place(&self, component: &ProductKey) -> Option<usize> {
        self.places.get(component).copied()
    }

    /// Children are shown by ascending rank: those of traced components, then of the others, then extra ones.
    fn rank(&self, component: &ProductKey) -> usize {
        match self.place(component) {
            Some(place) if self.needs[place].traced => place,
            Some(place) => self.needs.len() + place,
            None => self.extra_rank(),
        }
    }

    fn extra_rank(&self) -> usize {
        2 * self.needs.len()
    }
}

/// What the order of children depends on: a link to a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeLink<'a> {
    pub key: LinkKey,
    pub component_key: &'a ProductKey,
    /// None while it is temporary.
    pub linked: Option<Timestamp>,
    pub replaced: bool,
}

impl<'a> From<&'a Link> for TreeLink<'a> {
    fn from(link: &'a Link) -> Self {
        Self { key: link.key, component_key: &link.component_key, linked: link.linked, replaced: link.replaced }
    }
}

/// A child of a node: a linked serial, or that some are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeChild {
    Linked {
        /// The index of its link.
        link: usize,
        /// The bill of materials does not name its component.
        extra_bom: bool,
    },
    Expected {
        /// The index of the component in [`ReferenceBom::needs`].
        need: usize,
        /// How many are missing.
        units: u64,
    },
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Ranked {
    rank: usize,
    temporary: bool,
    linked: Option<Timestamp>,
    key: LinkKey,
    link: usize,
    replaced: bool,
}

/// The children of a node, given the links that start there.
///
/// The traced components come first, in the order of the bill of materials: the linked serials of each, by time and key
/// with temporary ones last, and then what is missing. Serials of components that are not traced follow, then those of
/// components that the bill does not name. A batch has no bill of materials, and so neither extra nor expected children.
pub fn order_children<'a>(bom: Option<&ReferenceBom>, links: impl IntoIterator<Item = TreeLink<'a>>) -> Vec<TreeChild> {
    let ranked = |(link, TreeLink { key, component_key, linked, replaced }): (usize, TreeLink<'_>)| {
        let rank = bom.map_or(0, |bom| bom.rank(component_key));
        Ranked { rank, temporary: linked.is_none(), linked, key, link, replaced }
    };
    let mut ranked: Vec<Ranked> = links.into_iter().enumerate().map(ranked).collect();
    ranked.sort_unstable();
    let mut children = Vec::with_capacity(ranked.len());
    let mut rest = ranked.as_slice();
    for &(need, units) in bom.map(|bom| bom.traced.as_slice()).unwrap_or_default() {
        let (own, others) = rest.split_at(rest.iter().take_while(|child| child.rank == need).count());
        children.extend(own.iter().map(|child| TreeChild::Linked { link: child.link, extra_bom: false }));
        let active = own.iter().filter(|child| !child.replaced).count() as u64;
        if active < units {
            children.push(TreeChild::Expected { need, units: units - active });
        }
        rest = others;
    }
    let extra_rank = bom.map(ReferenceBom::extra_rank);
    let extra = |child: &Ranked| extra_rank == Some(child.rank);
    children.extend(rest.iter().map(|child| TreeChild::Linked { link: child.link, extra_bom: extra(child) }));
    children
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quantity;
    use proptest::prelude::*;

    /// A child as a reader sees it: the number of its link, or of the component that is missing.
    #[derive(Debug, Clone, PartialEq, Eq)]
    enum Shown {
        Linked(i64, bool),
        Expected(usize, u64),
    }

    #[derive(Debug, Clone)]
    struct Line {
        component: usize,
        millionths: i64,
        traced: bool,
    }

    #[derive(Debug, Clone)]
    struct Child {
        key: i64,
        component: usize,
        linked: Option<i64>,
        replaced: bool,
    }

    fn product(number: usize) -> ProductKey {
        ProductKey::trusted(format!("p{number}"))
    }

    fn bom(lines: &[Line]) -> ReferenceBom {
        let needs = lines.iter().map(|line| Need {
            component_key: product(line.component),
            quantity: Quantity::from_millionths(line.millionths).into(),
            traced: line.traced,
        });
        needs.collect()
    }

    fn shown(bom: Option<&ReferenceBom>, links: &[Child]) -> Vec<Shown> {
        let products: Vec<ProductKey> = (0..10).map(product).collect();
        let tree_links = links.iter().map(|link| TreeLink {
            key: LinkKey(link.key),
            component_key: &products[link.component],
            linked: link.linked.map(Timestamp::from_millis),
            replaced: link.replaced,
        });
        let number = |need: usize| {
            let key = &bom.unwrap().needs()[need].component_key;
            products.iter().position(|product| product == key).unwrap()
        };
        let children = order_children(bom, tree_links).into_iter().map(|child| match child {
            TreeChild::Linked { link, extra_bom } => Shown::Linked(links[link].key, extra_bom),
            TreeChild::Expected { need, units } => Shown::Expected(number(need), units),
        });
        children.collect()
    }

    fn line(component: usize, millionths: i64, traced: bool) -> Line {
        Line { component, millionths, traced }
    }

    fn link(key: i64, component: usize, linked: Option<i64>, replaced: bool) -> Child {
        Child { key, component, linked, replaced }
    }

    #[test]
    fn components_in_order_then_what_is_missing_then_the_others() {
        let bom = bom(&[line(1, 1_000_000, true), line(2, 2_000_000, true), line(3, 4_000_000, false)]);
        let links = [
            link(1, 9, Some(1), false),
            link(2, 3, Some(1), false),
            link(3, 2, Some(5), false),
            link(4, 1, Some(9), false),
            link(5, 1, Some(2), true),
        ];
        let expected = [
            Shown::Linked(5, false),
            Shown::Linked(4, false),
            Shown::Linked(3, false),
            Shown::Expected(2, 1),
            Shown::Linked(2, false),
            Shown::Linked(1, true),
        ];
        assert_eq!(shown(Some(&bom), &links), expected);
    }

    #[test]
    fn lines_of_one_component_are_added_up_and_then_rounded() {
        let halves = bom(&[line(1, 500_000, true), line(2, 1, true), line(1, 500_000, true)]);
        assert_eq!(shown(Some(&halves), &[]), [Shown::Expected(1, 1), Shown::Expected(2, 1)]);
        assert_eq!(halves.place(&product(2)), Some(1));
        let none = bom(&[line(1, 0, true)]);
        assert!(shown(Some(&none), &[]).is_empty());
    }

    #[test]
    fn temporary_ones_come_last_and_count() {
        let bom = bom(&[line(1, 3_000_000, true)]);
        let links = [link(1, 1, None, false), link(3, 1, Some(7), false), link(2, 1, Some(7), true)];
        let expected =
            [Shown::Linked(2, false), Shown::Linked(3, false), Shown::Linked(1, false), Shown::Expected(1, 1)];
        assert_eq!(shown(Some(&bom), &links), expected);
    }

    #[test]
    fn without_a_bill_of_materials_nothing_is_extra_and_with_an_empty_one_everything() {
        let links = [link(1, 4, Some(2), false), link(2, 3, Some(1), false)];
        assert_eq!(shown(None, &links), [Shown::Linked(2, false), Shown::Linked(1, false)]);
        assert_eq!(shown(Some(&bom(&[])), &links), [Shown::Linked(2, true), Shown::Linked(1, true)]);
    }

    /// The contract, word for word and slowly.
    fn plainly(lines: &[Line], links: &[Child]) -> Vec<Shown> {
        let of = |component: usize| {
            let mut own: Vec<&Child> = links.iter().filter(|link| link.component == component).collect();
            own.sort_by_key(|link| (link.linked.unwrap_or(i64::MAX), link.key));
            own
        };
        let mut components: Vec<usize> = Vec::new();
        for line in lines {
            if !components.contains(&line.component) {
                components.push(line.component);
            }
        }
        let lines_of = |component: usize| lines.iter().filter(move |line| line.component == component);
        let is_traced = |component: &usize| lines_of(*component).any(|line| line.traced);
        let (traced, untraced): (Vec<usize>, Vec<usize>) = components.iter().copied().partition(is_traced);
        let mut all = Vec::new();
        for component in traced {
            let own = of(component);
            all.extend(own.iter().map(|link| Shown::Linked(link.key, false)));
            let mut missing: i64 = lines_of(component).map(|line| line.millionths).sum();
            missing -= own.iter().filter(|link| !link.replaced).count() as i64 * 1_000_000;
            if missing > 0 {
                all.push(Shown::Expected(component, (missing as u64).div_ceil(1_000_000)));
            }
        }
        for component in untraced {
            all.extend(of(component).iter().map(|link| Shown::Linked(link.key, false)));
        }
        let mut extra: Vec<&Child> = links.iter().filter(|link| !components.contains(&link.component)).collect();
        extra.sort_by_key(|link| (link.linked.unwrap_or(i64::MAX), link.key));
        all.extend(extra.iter().map(|link| Shown::Linked(link.key, true)));
        all
    }

    prop_compose! {
        fn lines()(all in prop::collection::vec((0..6_usize, 0..4_000_000_i64, any::<bool>()), 0..8)) -> Vec<Line> {
            all.into_iter().map(|(component, millionths, traced)| line(component, millionths, traced)).collect()
        }
    }

    prop_compose! {
        fn links()(
            all in prop::collection::vec((0..8_usize, prop::option::of(0..4_i64), any::<bool>()), 0..15),
        ) -> Vec<Child> {
            let numbered = all.into_iter().zip(0_i64..);
            let links = numbered.map(|((component, linked, ended), key)| {
                link(key, component, linked, ended && linked.is_some())
            });
            links.collect()
        }
    }

    proptest! {
        #[test]
        fn children_come_as_the_contract_says(lines in lines(), links in links()) {
            prop_assert_eq!(shown(Some(&bom(&lines)), &links), plainly(&lines, &links));
        }

        #[test]
        fn every_link_is_shown_once_and_nothing_is_expected_that_is_there(lines in lines(), links in links()) {
            let bom = bom(&lines);
            let children = shown(Some(&bom), &links);
            let mut keys: Vec<i64> = Vec::new();
            for child in &children {
                match child {
                    Shown::Linked(key, _) => keys.push(*key),
                    Shown::Expected(component, units) => {
                        let own = links.iter().filter(|link| link.component == *component);
                        let active = own.filter(|link| !link.replaced).count() as u64;
                        let need = &bom.needs()[bom.place(&product(*component)).unwrap()];
                        prop_assert!(*units > 0 && need.traced);
                        prop_assert_eq!(active + units, need.quantity.units());
                    }
                }
            }
            keys.sort_unstable();
            prop_assert_eq!(keys, (0..links.len() as i64).collect::<Vec<_>>());
        }

        #[test]
        fn the_order_of_rows_does_not_matter(
            lines in lines(),
            (links, mixed) in links().prop_flat_map(|links| (Just(links.clone()), Just(links).prop_shuffle())),
            has_bom: bool,
        ) {
            let bom = bom(&lines);
            let bom = has_bom.then_some(&bom);
            prop_assert_eq!(shown(bom, &links), shown(bom, &mixed));
        }
    }
}
