//! Products and lines with dense numbers: a product's number is its index in the given slice.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::{BomError, Line, Product};
use crate::Quantity;

pub(super) struct Graph {
    numbers: HashMap<i64, usize, BuildHasherDefault<IdHasher>>,
    /// For each given line, the product it starts from.
    origins: Vec<usize>,
    /// The steps from a product are `steps[starts[product]..starts[product + 1]]`.
    starts: Vec<usize>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) to: usize,
    pub(super) qt: Quantity,
}

#[derive(Clone, Copy)]
pub(super) enum Direction {
    /// From parents to components.
    Down,
    /// From components to parents.
    Up,
}

impl Graph {
    pub(super) fn new(products: &[Product], lines: &[Line], way: Direction) -> Result<Self, BomError> {
        let numbers = products.iter().enumerate().map(|(number, product)| (product.id, number)).collect();
        let starts = vec![0; products.len() + 1];
        let origins = Vec::with_capacity(lines.len());
        let mut graph = Self { numbers, origins, starts, steps: Vec::new() };

        let mut as_given = Vec::with_capacity(lines.len());
        for line in lines {
            let (from, to) = match way {
                Direction::Down => (line.parent, line.component),
                Direction::Up => (line.component, line.parent),
            };
            let from = graph.number(from)?;
            as_given.push(Step { to: graph.number(to)?, qt: line.qt });
            graph.origins.push(from);
            graph.starts[from] += 1;
        }
        graph.group_by_origin(as_given);
        Ok(graph)
    }

    /// Turns the counts in `starts` into offsets, and puts the steps there.
    fn group_by_origin(&mut self, as_given: Vec<Step>) {
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.steps.clone_from(&as_given);
        for (&from, step) in self.origins.iter().zip(as_given) {
            self.starts[from] -= 1;
            self.steps[self.starts[from]] = step;
        }
    }

    /// The number of products.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn number(&self, id: i64) -> Result<usize, BomError> {
        self.numbers.get(&id).copied().ok_or(BomError::UnknownProduct(id))
    }

    pub(super) fn origins(&self) -> &[usize] {
        &self.origins
    }

    pub(super) fn steps(&self, from: usize) -> &[Step] {
        &self.steps[self.starts[from]..self.starts[from + 1]]
    }
}

/// Ids are made by the service, never by a client, so their hash need not resist attacks.
#[derive(Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write_i64(&mut self, id: i64) {
        let mixed = (id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_i64((self.0 as i64).rotate_left(8) ^ i64::from(byte));
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
