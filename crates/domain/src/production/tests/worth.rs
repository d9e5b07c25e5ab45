//! Whatever is made, scrapped, taken back or set by hand: the total value equals the total cost.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::shop::part_of;
use super::*;
use crate::Total;
use crate::key::{BatchKey, WipKey};

#[derive(Debug, Clone)]
enum Deed {
    /// Makes a quantity in a phase: some millionths in the first, thousandths of what is free in a later one.
    Make { place: i64, quantity: i64, scrap: i64, work: (i64, Quantity), unit: Option<Quantity> },
    /// The batches of a phase took this long together.
    Time { place: i64, millis: i64 },
    /// Takes back thousandths of what can be taken back of a phase, with its time or without.
    Less { place: i64, part: i64, with_time: bool },
}

#[derive(Debug, Clone)]
struct Batch {
    place: i64,
    scrap: Quantity,
    costs: Costs,
    value: Option<Quantity>,
}

/// A row of output that waits in front of a phase, or was used up there.
#[derive(Debug, Clone)]
struct Row {
    place: i64,
    output: Output,
}

impl Row {
    fn is_free(&self) -> bool {
        self.output.used_by.is_none()
    }
}

#[derive(Debug, Default)]
struct Shelf {
    phases: i64,
    keys: i64,
    batches: BTreeMap<BatchKey, Batch>,
    rows: Vec<Row>,
    /// Work of a phase whose batches are all gone.
    left: BTreeMap<i64, Vec<(i64, Quantity)>>,
}

impl Shelf {
    fn key(&mut self) -> i64 {
        self.keys += 1;
        self.keys
    }

    fn free(&self, place: i64) -> Quantity {
        let free = self.rows.iter().filter(|row| row.place == place && row.is_free());
        free.map(|row| row.output.quantity).sum::<Total>().quantity().unwrap()
    }

    fn attempt(&mut self, deed: Deed) {
        match deed {
            Deed::Make { place, quantity, scrap, work, unit } => {
                let quantity = match place {
                    0 => Quantity::from_millionths(quantity),
                    later => part_of(self.free(later), quantity % 1001),
                };
                if quantity > Quantity::ZERO {
                    self.make(place, quantity, part_of(quantity, scrap), work, unit);
                }
            }
            Deed::Time { place, millis } => {
                let batches = || self.batches.iter().filter(|(_, batch)| batch.place == place);
                let keys: BTreeSet<BatchKey> = batches().map(|(key, _)| *key).collect();
                let weights: Vec<Quantity> = batches().map(|(_, batch)| batch.costs.pass + batch.scrap).collect();
                for (key, millis) in keys.iter().zip(shares(millis, &weights)) {
                    self.batches.get_mut(key).unwrap().costs.work = vec![(millis, qt("36"))];
                }
                self.left.remove(&place);
                self.carry(&keys);
            }
            Deed::Less { place, part, with_time } => self.less(place, part, with_time),
        }
    }

    fn make(&mut self, place: i64, total: Quantity, scrap: Quantity, work: (i64, Quantity), unit: Option<Quantity>) {
        let (key, pass) = (BatchKey(self.key()), total - scrap);
        if place > 0 {
            self.hand(total, |row| row.place == place && row.is_free(), |output| output.used_by = Some(key));
        }
        let mut work = vec![work];
        work.extend(self.left.remove(&place).unwrap_or_default());
        let costs = Costs { unit_material_cost: unit, pass, work };
        let used = self.rows.iter().filter(|row| row.output.used_by == Some(key)).map(|row| row.output.value).sum();
        let value = costs.worth(used);
        self.batches.insert(key, Batch { place, scrap, costs, value });
        if pass > Quantity::ZERO && place + 1 < self.phases {
            let key_of_row = WipKey(self.key());
            let output = Output { key: key_of_row, made_by: key, used_by: None, of_unit: false, quantity: pass, value };
            self.rows.push(Row { place: place + 1, output });
        }
    }

    /// Takes a quantity out of some rows, smallest first, and changes what was taken; the last row is split.
    fn hand(&mut self, quantity: Quantity, from: impl Fn(&Row) -> bool, change: impl Fn(&mut Output)) {
        let mut rows: Vec<Free> =
            self.rows.iter().filter(|row| from(row)).map(|Row { output, .. }| free(output)).collect();
        rows.sort_by_key(|row| (row.quantity, row.key));
        for portion in take(&rows, quantity).expect("there is so much") {
            let at = self.rows.iter().position(|row| row.output.key == portion.key).unwrap();
            let mut taken = self.rows[at].clone();
            (taken.output.quantity, taken.output.value) = (portion.quantity, portion.value);
            match portion.rest {
                None => drop(self.rows.remove(at)),
                Some(rest) => {
                    (self.rows[at].output.quantity, self.rows[at].output.value) = rest;
                    taken.output.key = WipKey(self.key());
                }
            }
            change(&mut taken.output);
            self.rows.push(taken);
        }
    }

    /// Takes back the newest batches of a phase until this much is taken back.
    fn less(&mut self, place: i64, part: i64, with_time: bool) {
        let keys: Vec<BatchKey> =
            self.batches.iter().filter(|(_, batch)| batch.place == place).map(|(key, _)| *key).rev().collect();
        let made: Total = keys.iter().map(|key| self.batches[key].costs.pass).sum();
        let made = made.quantity().unwrap();
        let most = if place + 1 < self.phases { made.min(self.free(place + 1)) } else { made };
        let (mut left, mut changed, mut newest, mut spent) = (part_of(most, part), BTreeSet::new(), None, Vec::new());
        for key in keys {
            let less = self.batches[&key].costs.pass.min(left);
            left = left - less;
            if less == Quantity::ZERO {
                newest = newest.or(Some(key));
                continue;
            }
            let mut batch = self.batches.remove(&key).unwrap();
            self.withdraw(place, key, less, &mut changed);
            if place > 0 {
                self.hand(less, |row| row.output.used_by == Some(key), |output| output.used_by = None);
            }
            let work = std::mem::take(&mut batch.costs.work);
            batch.costs.pass = batch.costs.pass - less;
            if batch.costs.pass + batch.scrap > Quantity::ZERO {
                let rest = BatchKey(self.key());
                for row in &mut self.rows {
                    row.output.made_by = if row.output.made_by == key { rest } else { row.output.made_by };
                    row.output.used_by = row.output.used_by.map(|user| if user == key { rest } else { user });
                }
                batch.costs.work = if with_time { Vec::new() } else { work };
                self.batches.insert(rest, batch);
                changed.insert(rest);
                newest = newest.or(Some(rest));
            } else if !with_time {
                spent.extend(work);
            }
        }
        match newest {
            Some(newest) => {
                self.batches.get_mut(&newest).unwrap().costs.work.extend(spent);
                changed.insert(newest);
            }
            None => self.left.entry(place).or_default().extend(spent),
        }
        self.carry(&changed);
    }

    /// Removes this much of a batch's output; what the next phase took of it is swapped for that of others with as much
    /// free.
    fn withdraw(&mut self, place: i64, batch: BatchKey, quantity: Quantity, changed: &mut BTreeSet<BatchKey>) {
        if place + 1 == self.phases {
            return;
        }
        let mut left = quantity;
        while left > Quantity::ZERO {
            let free: Vec<usize> = (0..self.rows.len())
                .filter(|at| self.rows[*at].place == place + 1 && self.rows[*at].is_free())
                .collect();
            let own = free.iter().copied().find(|at| self.rows[*at].output.made_by == batch);
            let at = own.or(free.last().copied()).expect("as much is free");
            let Output { made_by: other, key, quantity: there, .. } = self.rows[at].output;
            let taken = self
                .rows
                .iter()
                .find(|row| row.output.made_by == batch && !row.is_free())
                .map(|row| row.output.clone());
            let amount = match &taken {
                Some(taken) if other != batch => left.min(there).min(taken.quantity),
                _ => left.min(there),
            };
            self.hand(amount, |row| row.output.key == key, |output| output.quantity = Quantity::ZERO);
            self.rows.retain(|row| row.output.quantity > Quantity::ZERO);
            if let Some(taken) = taken.filter(|_| other != batch) {
                self.hand(amount, |row| row.output.key == taken.key, |output| output.made_by = other);
                changed.insert(other);
            }
            left = left - amount;
        }
    }

    fn carry(&mut self, changed: &BTreeSet<BatchKey>) {
        let mut cone = changed.clone();
        for _ in 0..self.phases {
            let users = self.rows.iter().filter(|row| cone.contains(&row.output.made_by));
            let users: Vec<BatchKey> = users.filter_map(|row| row.output.used_by).collect();
            cone.extend(users);
        }
        let entry = |(key, batch): (&BatchKey, &Batch)| BatchValue {
            key: *key,
            place: batch.place,
            costs: batch.costs.clone(),
            value: batch.value,
        };
        let mut books = Books {
            entries: self.batches.iter().filter(|(key, _)| cone.contains(key)).map(entry).collect(),
            output: self.rows.iter().map(|row| row.output.clone()).collect(),
        };
        books.recalculate();
        for entry in books.entries {
            self.batches.get_mut(&entry.key).unwrap().value = entry.value;
        }
        for output in books.output {
            let row = self.rows.iter_mut().find(|row| row.output.key == output.key).unwrap();
            row.output = output;
        }
    }

    fn audit(&self) {
        let (mut worth, mut cost) = (Some(Total::ZERO), Some(Total::ZERO));
        let add = |sum: &mut Option<Total>, more: Option<Total>| *sum = sum.zip(more).map(|(sum, more)| sum + more);
        for (key, batch) in &self.batches {
            let used: Option<Total> =
                self.rows.iter().filter(|row| row.output.used_by == Some(*key)).map(|row| row.output.value).sum();
            assert_eq!(batch.value, batch.costs.worth(used));
            let made = || self.rows.iter().filter(|row| row.output.made_by == *key).map(|row| &row.output);
            if batch.costs.pass == Quantity::ZERO || batch.place + 1 == self.phases {
                assert_eq!(made().count(), 0);
                add(&mut worth, batch.value.map(Total::from));
            } else {
                assert_eq!(made().map(|row| row.quantity).sum::<Total>(), Total::from(batch.costs.pass));
                assert_eq!(made().map(|row| row.value).sum::<Option<Total>>(), batch.value.map(Total::from));
                assert!(made().all(|row| row.value.is_none_or(|value| !value.is_negative())));
            }
            add(&mut cost, batch.costs.material());
            add(&mut cost, batch.costs.work());
        }
        add(&mut worth, self.rows.iter().filter(|row| row.is_free()).map(|row| row.output.value).sum());
        if worth.is_some() && cost.is_some() {
            assert_eq!(worth, cost, "released batches, output on its way and scrap, and material and work");
        }
    }
}

fn free(output: &Output) -> Free {
    Free { key: output.key, quantity: output.quantity, value: output.value }
}

fn deeds(phases: i64, unknown_tenths: i64) -> impl Strategy<Value = Vec<Deed>> {
    let place = 0..phases;
    let unit = (0..10_i64, (0..5_000_000_i64).prop_map(Quantity::from_millionths))
        .prop_map(move |(roll, cost)| (roll >= unknown_tenths).then_some(cost));
    let work = (0..10_000_000_i64, (0..90_000_000_i64).prop_map(Quantity::from_millionths));
    let scrap = prop_oneof![4 => Just(0_i64), 2 => 0..=1000_i64, 1 => Just(1000_i64)];
    let deed = prop_oneof![
        8 => (place.clone(), 1..=5_000_000_i64, scrap, work, unit)
            .prop_map(|(place, quantity, scrap, work, unit)| Deed::Make { place, quantity, scrap, work, unit }),
        2 => (place.clone(), 0..=100_000_000_i64).prop_map(|(place, millis)| Deed::Time { place, millis }),
        3 => (place, prop_oneof![0..=1000_i64, Just(1000)], any::<bool>())
            .prop_map(|(place, part, with_time)| Deed::Less { place, part, with_time }),
    ];
    prop::collection::vec(deed, 0..=30)
}

fn run(phases: i64, deeds: Vec<Deed>) -> Shelf {
    let mut shelf = Shelf { phases, ..Shelf::default() };
    for deed in deeds {
        shelf.attempt(deed);
        shelf.audit();
    }
    shelf
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_there_is_is_worth_what_it_cost((phases, deeds) in (1..=4_i64).prop_flat_map(|phases| (Just(phases), deeds(phases, 0)))) {
        let shelf = run(phases, deeds);
        prop_assert!(shelf.batches.values().all(|batch| batch.value.is_some()));
    }

    #[test]
    fn what_is_unknown_stays_unknown_until_it_is_gone((phases, deeds) in (1..=4_i64).prop_flat_map(|phases| (Just(phases), deeds(phases, 1)))) {
        run(phases, deeds);
    }
}

#[test]
fn the_last_digit_is_given_to_somebody() {
    let output = |key, quantity: &str| Output {
        key: WipKey(key),
        made_by: BatchKey(1),
        used_by: Some(BatchKey(key + 1)),
        of_unit: false,
        quantity: qt(quantity),
        value: None,
    };
    let entry = |key, place, work: Vec<(i64, Quantity)>| BatchValue {
        key: BatchKey(key),
        place,
        costs: Costs { unit_material_cost: Some(Quantity::ZERO), pass: qt("1"), work },
        value: None,
    };
    let mut books = Books {
        entries: vec![
            entry(2, 1, vec![]),
            entry(3, 1, vec![]),
            entry(4, 1, vec![]),
            entry(1, 0, vec![(1_000, qt("36"))]),
        ],
        output: vec![output(1, "1"), output(2, "1"), output(3, "1")],
    };
    books.recalculate();
    let values: Vec<String> = books.entries.iter().map(|entry| entry.value.unwrap().to_string()).collect();
    assert_eq!(values, ["0.01", "0.003333", "0.003334", "0.003333"]);
}
