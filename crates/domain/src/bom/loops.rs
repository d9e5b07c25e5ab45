//! Which components of a product contain it.

use super::graph::{Graph, Way};
use super::{BomError, Line, Product};

/// At most so many loops are named.
pub const MOST_LOOPS: usize = 100;

/// One shortest loop for each component of `edited` that contains it or is it, as places in `products`: from the edited
/// product over the component back to itself. Of several shortest ones it is the first by code, and so are the loops
/// ordered.
///
/// `lines` hold the new lines of the edited product and all lines on it and on what contains it; more do no harm.
/// Codes are only needed where there is a loop at all. If `lines` are those that a search upwards from the edited
/// product finds, there is one exactly if any of them has that product as its parent.
pub fn loops(products: &[Product], lines: &[Line], edited: i64) -> Result<Vec<Vec<usize>>, BomError> {
    let graph = Graph::new(products, lines, Way::Up)?;
    let edited_number = graph.number(edited)?;
    let ways_back = WaysBack::to(edited_number, &graph);

    let own_lines = lines.iter().filter(|line| line.parent == edited);
    let mut offending: Vec<usize> = own_lines.map(|line| graph.number(line.component)).collect::<Result<_, _>>()?;
    offending.retain(|&component| ways_back.exists_from(component));
    offending.sort_unstable();
    offending.dedup();
    offending.truncate(MOST_LOOPS);

    let closed = offending.into_iter().map(|component| {
        let there = std::iter::once(edited_number);
        there.chain(ways_back.from(component)).map(|number| graph.place(number)).collect()
    });
    Ok(closed.collect())
}

/// The shortest ways down to one product, from every product that contains it.
struct WaysBack {
    /// How many lines it is, where there is a way.
    distance: Vec<Option<usize>>,
    /// The next product on the way, of several the first by code; the target leads nowhere.
    next: Vec<usize>,
}

impl WaysBack {
    fn to(target: usize, upwards: &Graph) -> Self {
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
                    next[step.to] = next[step.to].min(product);
                }
            }
        }
        Self { distance, next }
    }

    fn exists_from(&self, product: usize) -> bool {
        self.distance[product].is_some()
    }

    fn from(&self, product: usize) -> impl Iterator<Item = usize> {
        let onward = |&at: &usize| (self.distance[at] > Some(0)).then(|| self.next[at]);
        std::iter::successors(Some(product), onward)
    }
}
