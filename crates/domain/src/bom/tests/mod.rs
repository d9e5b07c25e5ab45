//! Small random bills of materials against an oracle that walks every path, and large ones that must finish.

mod examples;
mod oracle;
mod properties;

use super::*;

/// Products and lines to query, with their codes.
#[derive(Debug, Clone)]
struct Bom {
    products: Vec<(i64, String)>,
    lines: Vec<Line>,
}

impl Bom {
    /// Products 0, 1, 2, …, whose codes sort alike.
    fn of(lines: impl IntoIterator<Item = (i64, i64, Quantity)>) -> Self {
        let lines = lines.into_iter().map(|(parent, component, qt)| Line { parent, component, qt });
        let lines: Vec<Line> = lines.collect();
        let last = lines.iter().map(|line| line.parent.max(line.component)).max().unwrap_or(0);
        Self { products: (0..=last).map(|id| (id, format!("P-{id:06}"))).collect(), lines }
    }

    fn products(&self) -> Vec<Product<'_>> {
        self.products.iter().map(|(id, code)| Product { id: *id, code }).collect()
    }

    fn code(&self, place: usize) -> &str {
        &self.products[place].1
    }

    /// Each loop as codes.
    fn loops(&self, edited: i64) -> Vec<Vec<&str>> {
        let loops = loops(&self.products(), &self.lines, edited).unwrap();
        loops.into_iter().map(|way| way.into_iter().map(|place| self.code(place)).collect()).collect()
    }

    fn explode(&self, root: i64, qt: Quantity, levels: Option<u32>) -> Result<Explosion, BomError> {
        explode(&self.products(), &self.lines, root, qt, levels)
    }

    fn where_used(&self, component: i64, levels: Option<u32>) -> Result<Vec<Use>, BomError> {
        where_used(&self.products(), &self.lines, component, levels)
    }
}

fn qt(text: &str) -> Quantity {
    text.parse().unwrap()
}
