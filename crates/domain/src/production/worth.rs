//! The values of batches, and how they are passed on from phase to phase.
//!
//! The value of a batch is the material of what passed, the work on it, and the value of everything it was made from.
//! Material and work are each rounded once, to the nearest millionth, halves away from zero; everything else is sums of
//! millionths. All of it moves on with what passed, and so into the batches of the next phase: the rows of a batch's output
//! always add up exactly to the batch's value. A batch of which nothing passed keeps its value, as the cost of the scrap. So
//! at any time released batches, output between phases and scrap are together worth what material and work of all completed
//! batches cost, to the last digit.

use std::collections::HashMap;

use super::{shares, work_cost};
use crate::key::{BatchKey, WipKey};
use crate::quantity::nearest;
use crate::{Quantity, Total};

/// The inputs to the value of a completed batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    /// `None` if the cost of a component is unknown.
    pub unit_material_cost: Option<Quantity>,
    pub pass: Quantity,
    /// Milliseconds of sessions, and what an hour of each costs.
    pub work: Vec<(i64, Quantity)>,
}

impl Costs {
    /// The value of the batch, given the value of its input; `None` if a part is unknown, or if it can't be represented.
    pub fn worth(&self, used: Option<Total>) -> Option<Quantity> {
        (self.material()? + self.work()? + used?).quantity()
    }

    pub fn material(&self) -> Option<Total> {
        let unit = i128::from(self.unit_material_cost?.millionths());
        let exact = unit * i128::from(self.pass.millionths());
        Some(Total::from_millionths(nearest(exact, i128::from(Quantity::ONE.millionths()))))
    }

    pub fn work(&self) -> Option<Total> {
        work_cost(self.work.iter().map(|(millis, hourly)| (i128::from(*millis), *hourly)))
    }
}

/// A batch whose value is to be recalculated.
#[derive(Debug, Clone)]
pub struct BatchValue {
    pub key: BatchKey,
    /// The index of its phase, or any number that grows from phase to phase.
    pub place: i64,
    pub costs: Costs,
    pub value: Option<Quantity>,
}

/// Output of a batch: free, booked, or used up by a batch of the next phase.
#[derive(Debug, Clone)]
pub struct Output {
    pub key: WipKey,
    pub made_by: BatchKey,
    pub used_by: Option<BatchKey>,
    /// Whether it is one unit.
    pub of_unit: bool,
    pub quantity: Quantity,
    pub value: Option<Quantity>,
}

/// Batches with all the output they used and made. Output of other batches keeps its value.
#[derive(Debug, Clone, Default)]
pub struct Books {
    pub entries: Vec<BatchValue>,
    pub output: Vec<Output>,
}

impl Books {
    /// Recalculates the value of every batch from its costs, and passes it on to its output and to those who used it.
    pub fn recalculate(&mut self) {
        self.entries.sort_by_key(|entry| (entry.place, entry.key));
        self.output.sort_by_key(|row| row.key);
        let (mut made, mut used) = (HashMap::<_, Vec<usize>>::new(), HashMap::<_, Vec<usize>>::new());
        for (at, row) in self.output.iter().enumerate() {
            made.entry(row.made_by).or_default().push(at);
            if let Some(user) = row.used_by {
                used.entry(user).or_default().push(at);
            }
        }
        for entry in &mut self.entries {
            let used = used.remove(&entry.key).unwrap_or_default();
            entry.value = entry.costs.worth(used.iter().map(|at| self.output[*at].value).sum());
            let made = made.remove(&entry.key).unwrap_or_default();
            let rows: Vec<&Output> = made.iter().map(|at| &self.output[*at]).collect();
            for (at, value) in made.into_iter().zip(divide(entry.value, &rows)) {
                self.output[at].value = value;
            }
        }
    }
}

/// Divides the value of a batch among the rows of its output, by quantity; the parts add up exactly.
fn divide(value: Option<Quantity>, rows: &[&Output]) -> Vec<Option<Quantity>> {
    if rows.iter().all(|row| row.of_unit) {
        return divide_among_units(value, rows.len());
    }
    match value {
        None => vec![None; rows.len()],
        Some(value) => {
            let quantities: Vec<Quantity> = rows.iter().map(|row| row.quantity).collect();
            let parts = shares(value.millionths(), &quantities).into_iter();
            parts.map(|part| Some(Quantity::from_millionths(part))).collect()
        }
    }
}

/// Divides the value of a batch among its units: equal parts, and the last gets what is left over.
pub fn divide_among_units(value: Option<Quantity>, units: usize) -> Vec<Option<Quantity>> {
    let Some(last) = units.checked_sub(1) else { return Vec::new() };
    let each = value.map(|value| Quantity::from_millionths(value.millionths() / units as i64));
    let rest = value.map(|value| Quantity::from_millionths(value.millionths() % units as i64));
    let mut parts = vec![each; units];
    parts[last] = each.zip(rest).map(|(each, rest)| each + rest);
    parts
}
