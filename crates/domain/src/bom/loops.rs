//! Which components of a product contain it.

use std::cmp::min_by;

use super::graph::{Direction, Graph};
use super::{BomError, Line, Product};
use crate::text::{compare, sort_by_text};

/// Maximum number of loops that are reported.
pub const MOST_LOOPS: usize = 100;

/// One shortest loop for each component of `edited` that contains it or is it, as indexes in `products`: from the edited
/// product over the component back to itself. Of several shortest ones the first by code is taken, and the loops are sorted
/// by code too.
///
/// `lines` must have the new lines of the edited product and all lines on it and on what contains it; more do no harm. Codes
/// matter only if there is a loop at all. If `lines` are those that a search upwards from the edited product finds, there is
/// a loop exactly if any of them has that product as its parent.
pub fn loops(products: &[Product], lines: &[Line], edited: i64) -> Result<Vec<Vec<usize>>, BomError> {
    let upwards = Graph::new(products, lines, Direction::Up)?;
    let target = upwards.number(edited)?;
    let ways_back = WaysBack::new(products, &upwards, target);

    let own_lines = lines.iter().filter(|line| line.parent == edited);
    let mut offending: Vec<usize> = own_lines.map(|line| upwards.number(line.component)).collect::<Result<_, _>>()?;
    offending.retain(|&component| ways_back.distance[component].is_some());
    offending.sort_unstable();
    offending.dedup();
    sort_by_text(&mut offending, |component| products[component].code);
    offending.truncate(MOST_LOOPS);
    Ok(offending.into_iter().map(|component| ways_back.closed_by(component)).collect())
}

/// The shortest paths down to one product, from every product that contains it.
struct WaysBack {
    target: usize,
    /// The number of lines, if there is a path.
    distance: Vec<Option<usize>>,
    /// The next product on the path; of several, the first by code.
    next: Vec<usize>,
}

impl WaysBack {
    /// Breadth first, so that all products at one distance are known before the first one further away is visited.
    fn new(products: &[Product], upwards: &Graph, target: usize) -> Self {
        let by_code = |a: &usize, b: &usize| compare(products[*a].code, products[*b].code);
        let mut distance = vec![None; upwards.len()];
        let mut next = vec![target; upwards.len()];
        let mut found = vec![target];
        distance[target] = Some(0);
        let mut visited = 0;
        while let Some(&product) = found.get(visited) {
            visited += 1;
            let further = distance[product].map(|lines| lines + 1);
            for step in upwards.steps(product) {
                if distance[step.to].is_none() {
                    distance[step.to] = further;
                    next[step.to] = product;
                    found.push(step.to);
                } else if distance[step.to] == further {
                    next[step.to] = min_by(next[step.to], product, by_code);
                }
            }
        }
        Self { target, distance, next }
    }

    fn closed_by(&self, component: usize) -> Vec<usize> {
        let mut way = vec![self.target, component];
        let mut at = component;
        while at != self.target {
            at = self.next[at];
            way.push(at);
        }
        way
    }
}
