//! Products and lines with dense numbers: a product's number is its rank by code, so that comparing numbers compares codes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::{BomError, Line, Product};
use crate::Quantity;
use crate::text::fold;

pub(super) struct Graph {
    /// Number to place in the slice of products.
    places: Vec<usize>,
    numbers: Numbers,
    /// For each line as given, the number of the product it starts from.
    origins: Vec<usize>,
    /// The steps from product `n` are `steps[starts[n]..starts[n + 1]]`.
    starts: Vec<usize>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) to: usize,
    pub(super) qt: Quantity,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// From parents to components.
    Down,
    /// From components to parents.
    Up,
}

impl Graph {
    pub(super) fn new(products: &[Product], lines: &[Line], way: Way) -> Result<Self, BomError> {
        let places = places_by_code(products);
        let numbers = Numbers::new(products, &places);

        let mut origins = Vec::with_capacity(lines.len());
        let mut unsorted = Vec::with_capacity(lines.len());
        let mut starts = vec![0; products.len() + 1];
        for line in lines {
            let (from, to) = match way {
                Way::Down => (line.parent, line.component),
                Way::Up => (line.component, line.parent),
            };
            let from = numbers.of(from)?;
            origins.push(from);
            unsorted.push(Step { to: numbers.of(to)?, qt: line.qt });
            starts[from] += 1;
        }

        // Counts become ends; each step placed moves its product's end down to where the next one goes.
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut steps = unsorted.clone();
        for (&from, step) in origins.iter().zip(unsorted) {
            starts[from] -= 1;
            steps[starts[from]] = step;
        }
        Ok(Self { places, numbers, origins, starts, steps })
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn number(&self, id: i64) -> Result<usize, BomError> {
        self.numbers.of(id)
    }

    pub(super) fn place(&self, number: usize) -> usize {
        self.places[number]
    }

    pub(super) fn origins(&self) -> &[usize] {
        &self.origins
    }

    pub(super) fn steps(&self, from: usize) -> &[Step] {
        &self.steps[self.starts[from]..self.starts[from + 1]]
    }
}

fn places_by_code(products: &[Product]) -> Vec<usize> {
    let folded: Vec<String> = products.iter().map(|product| fold(product.code)).collect();
    let mut places: Vec<(u128, usize)> = folded.iter().map(|code| beginning(code)).zip(0..).collect();
    places.sort_unstable_by(|(a_beginning, a), (b_beginning, b)| {
        a_beginning.cmp(b_beginning).then_with(|| {
            let whole = |place: usize| (&folded[place], products[place].code, products[place].id);
            whole(*a).cmp(&whole(*b))
        })
    });
    places.into_iter().map(|(_, place)| place).collect()
}

/// The first 16 bytes as a number that compares like them, so that most comparisons touch no text.
fn beginning(text: &str) -> u128 {
    let mut bytes = [0; 16];
    let shown = text.len().min(16);
    bytes[..shown].copy_from_slice(&text.as_bytes()[..shown]);
    u128::from_be_bytes(bytes)
}

struct Numbers(HashMap<i64, usize, BuildHasherDefault<IdHasher>>);

impl Numbers {
    fn new(products: &[Product], places: &[usize]) -> Self {
        Self(places.iter().enumerate().map(|(number, &place)| (products[place].id, number)).collect())
    }

    fn of(&self, id: i64) -> Result<usize, BomError> {
        self.0.get(&id).copied().ok_or(BomError::UnknownProduct(id))
    }
}

/// Ids are made by the database, never by a client, so they need no hashing that withstands an attack.
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
