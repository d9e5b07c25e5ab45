//! Counts, movements and corrections of several people, by a seed or at once. Whoever counts sees the truth; whatever happens in
//! between, stock is the truth plus what has moved since, once it is corrected.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join_all;
use testkit::on_both_engines;

use super::*;
use crate::production::random::{Dice, new_seed, walks_by_other_seeds};
use crate::warehouse::depot::moves;

const SEED: u64 = 0xc0de;
const STEPS: usize = 120;
/// Of a walk by a seed that `make fuzz` says.
const MANY_STEPS: usize = 400;
const WALKERS: usize = 4;
const STEPS_AT_ONCE: usize = 30;
const POSITIONS: [&str; 3] = ["A1", "A2", "IN"];
const UNITS: usize = 6;

on_both_engines! {
    async fn stock_is_what_was_counted_and_what_moved_since(site) {
        let done = run(site, SEED, STEPS).await;
        for what in ["moved goods", "moved a unit", "counted", "canceled a count", "discarded", "applied", "conflicts"] {
            assert!(done.contains_key(what), "{what} never happened: {done:?}");
        }
    }

    async fn stock_is_what_was_counted_by_any_seed(site) {
        run(site, new_seed(), STEPS).await;
    }

    /// Who comes first is not in the seed, so this is not the same every time.
    async fn stock_is_the_truth_though_all_work_at_once(site) {
        let hall = hall(site).await;
        let seed = new_seed();
        let truth = Truth::new(&hall).await;
        let walkers = (0..WALKERS).map(|number| truth.walk(&hall, Dice(seed.wrapping_add((number as u64 + 1) * 0x9e37_79b9).max(1))));
        let moved: Vec<BTreeMap<&str, i64>> = join_all(walkers).await;
        settled(site).await;
        // What nobody has corrected yet.
        let session = hall.started().await;
        for position in POSITIONS {
            truth.count(&hall, &session, position).await.expect("nobody else counts");
        }
        hall.apply(site, &session).await;
        for position in POSITIONS {
            let net: i64 = moved.iter().map(|moved| moved.get(position).copied().unwrap_or_default()).sum();
            assert_eq!(goods_at(&hall, position).await, truth.at_first[position] + net, "{position}: {moved:?}");
        }
        audit(site, hall.keeper()).await;
    }
}

walks_by_other_seeds!(MANY_STEPS);

async fn goods_at(hall: &Hall, position: &str) -> i64 {
    let rows = hall.depot.get(&format!("/inventory?product_key=P&position_key={position}")).await;
    rows.as_array().unwrap().iter().map(|row| row["quantity"].as_i64().unwrap()).sum()
}

/// What really lies in the positions at the start, which is not what stock says.
struct Truth {
    at_first: BTreeMap<&'static str, i64>,
    /// How much more there is than stock says.
    off_by: BTreeMap<&'static str, i64>,
}

impl Truth {
    async fn new(hall: &Hall) -> Self {
        let off_by = BTreeMap::from([("A1", 3), ("A2", -4), ("IN", 7)]);
        let mut at_first = BTreeMap::new();
        for position in POSITIONS {
            hall.depot.received(position, 60.0).await;
            at_first.insert(position, 60 + off_by[position]);
        }
        Self { at_first, off_by }
    }

    /// Counts a position as it is; none if somebody else is at it. Nothing moves there meanwhile, so that what is missing of the
    /// truth is what no session has corrected yet.
    async fn count(&self, hall: &Hall, session: &str, position: &'static str) -> Option<String> {
        let answer = begin(&hall.x, session, "P", position).await;
        if answer.status != 200 {
            assert_eq!(answer.status, 422, "{}", answer.text);
            return None;
        }
        let record = text(&answer.detail()["count_record_key"]);
        let path = format!("/movement?movement_type=adjustment&position_to={position}&search_graph=false&limit=10000");
        let corrections = hall.depot.get(&path).await;
        let corrected: i64 =
            corrections.as_array().unwrap().iter().map(|row| row["qt_confirmed"].as_i64().unwrap()).sum();
        let there = goods_at(hall, position).await + self.off_by[position] - corrected;
        complete(&hall.x, &record, json!(there)).await.expect(200);
        Some(record)
    }

    /// Moves, counts and corrects for a while; what has moved, by position.
    async fn walk(&self, hall: &Hall, mut dice: Dice) -> BTreeMap<&'static str, i64> {
        let mut moved = BTreeMap::new();
        let mut session = hall.started().await;
        for _ in 0..STEPS_AT_ONCE {
            let position = *dice.pick(&POSITIONS);
            match dice.roll(8) {
                0..=4 => {
                    let much = 1 + dice.roll(2) as i64;
                    let (kind, side, change) = match dice.roll(2) {
                        0 => ("shipment", "position_from", -much),
                        _ => ("receipt", "position_to", much),
                    };
                    let sent = json!({ "product_key": "P", side: position, "qt_confirmed": much });
                    let answer = moves(hall.keeper(), kind, sent).await;
                    match answer.status {
                        200 => *moved.entry(position).or_default() += change,
                        _ => assert!(
                            ["counting", "locked", "insufficient_stock"]
                                .contains(&answer.body["detail"]["rule"].as_str().unwrap()),
                            "{}",
                            answer.text
                        ),
                    }
                }
                5 | 6 => _ = self.count(hall, &session, position).await,
                _ => {
                    hall.step(&session, "COMPLETED").await.expect(200);
                    let confirmed = hall.step(&session, "CONFIRMED").await;
                    if confirmed.status != 200 {
                        conflicts(confirmed);
                        hall.step(&session, "CANCELED").await.expect(200);
                    }
                    session = hall.started().await;
                }
            }
        }
        hall.step(&session, "CANCELED").await.expect(200);
        moved
    }
}

/// What the test knows of a count.
struct Known {
    key: String,
    user: usize,
    product: &'static str,
    position: &'static str,
    system: i64,
    counted: i64,
    missing: BTreeSet<usize>,
    found: BTreeSet<usize>,
    /// All units that were counted.
    units: BTreeSet<usize>,
    /// How often each unit had moved when it was counted.
    moves: Vec<usize>,
    /// How often sessions had corrected the goods when the count began.
    corrections: usize,
}

/// The naive idea of stock that the service is held against.
struct Walker<'a> {
    hall: &'a Hall,
    people: [Person; 2],
    dice: Dice,
    serials: Vec<String>,
    goods: BTreeMap<&'static str, i64>,
    /// Where each unit lies.
    units: Vec<Option<&'static str>>,
    moves: Vec<usize>,
    corrections: BTreeMap<&'static str, usize>,
    session: String,
    records: Vec<Known>,
    done: BTreeMap<&'static str, usize>,
}

/// How often each thing was done.
async fn run(site: &Site, seed: u64, steps: usize) -> BTreeMap<&'static str, usize> {
    let hall = hall(site).await;
    let people = [hall.x.clone(), counter(site, "y").await];
    let mut serials = Vec::new();
    for number in 0..UNITS {
        serials.push(hall.unit(&format!("S-{number}")).await);
    }
    let session = hall.started().await;
    let mut walker = Walker {
        hall: &hall,
        people,
        dice: Dice(seed),
        serials,
        goods: POSITIONS.into_iter().map(|position| (position, 0)).collect(),
        units: vec![None; UNITS],
        moves: vec![0; UNITS],
        corrections: POSITIONS.into_iter().map(|position| (position, 0)).collect(),
        session,
        records: Vec::new(),
        done: BTreeMap::new(),
    };
    for _ in 0..steps {
        site.clock.advance_seconds(1 + walker.dice.roll(100) as i64);
        match walker.dice.roll(16) {
            0..=4 => walker.move_goods().await,
            5..=7 => walker.move_unit().await,
            8..=11 => walker.count().await,
            12 => walker.give_up().await,
            13 => walker.discard().await,
            _ => walker.apply(site).await,
        }
    }
    walker.apply(site).await;
    audit(site, hall.keeper()).await;
    walker.done
}

impl Walker<'_> {
    fn note(&mut self, what: &'static str) {
        *self.done.entry(what).or_default() += 1;
    }

    async fn move_goods(&mut self) {
        let position = *self.dice.pick(&POSITIONS);
        let much = 1 + self.dice.roll(9) as i64;
        let leaves = self.dice.roll(2) == 0;
        let (kind, side) = if leaves { ("shipment", "position_from") } else { ("receipt", "position_to") };
        let sent = json!({ "product_key": "P", side: position, "qt_confirmed": much });
        let answer = self.hall.depot.moves(kind, sent).await;
        if leaves && self.goods[position] < much {
            crate::warehouse::depot::refusal(answer, "insufficient_stock");
            return;
        }
        answer.expect(200);
        *self.goods.get_mut(position).unwrap() += if leaves { -much } else { much };
        self.note("moved goods");
    }

    async fn move_unit(&mut self) {
        let unit = self.dice.roll(UNITS);
        let to = *self.dice.pick(&POSITIONS);
        let mut sent = json!({ "product_key": "T", "serial_key": self.serials[unit], "qt_confirmed": 1 });
        let (kind, place) = match self.units[unit] {
            None => {
                sent["position_to"] = json!(to);
                ("receipt", Some(to))
            }
            Some(from) if from == to => {
                sent["position_from"] = json!(from);
                ("shipment", None)
            }
            Some(from) => {
                sent["position_from"] = json!(from);
                sent["position_to"] = json!(to);
                ("transfer", Some(to))
            }
        };
        self.hall.depot.moved(kind, sent).await;
        self.units[unit] = place;
        self.moves[unit] += 1;
        self.note("moved a unit");
    }

    fn units_at(&self, position: &str) -> BTreeSet<usize> {
        (0..UNITS).filter(|unit| self.units[*unit] == Some(position)).collect()
    }

    async fn count(&mut self) {
        let position = *self.dice.pick(&POSITIONS);
        let user = self.dice.roll(2);
        let product = *self.dice.pick(&["P", "P", "T"]);
        let mut known = Known {
            key: begun(&self.people[user], &self.session, product, position).await,
            user,
            product,
            position,
            system: 0,
            counted: 0,
            missing: BTreeSet::new(),
            found: BTreeSet::new(),
            units: BTreeSet::new(),
            moves: self.moves.clone(),
            corrections: self.corrections[position],
        };
        let sent = if product == "P" {
            known.system = self.goods[position];
            known.counted = (known.system + [-1, 0, 0, 2][self.dice.roll(4)]).max(0);
            json!(known.counted)
        } else {
            let system = self.units_at(position);
            let mut counted = system.clone();
            // Mostly as it is; sometimes one is missing, or another is found.
            let odd = self.dice.roll(UNITS * 2);
            if odd < UNITS && !counted.remove(&odd) {
                counted.insert(odd);
            }
            known.missing = system.difference(&counted).copied().collect();
            known.found = counted.difference(&system).copied().collect();
            known.units = counted;
            known.units.iter().map(|unit| self.serials[*unit].clone()).collect()
        };
        complete(&self.people[user], &known.key, sent).await.expect(200);
        self.records.retain(|record| (record.user, record.product, record.position) != (user, product, position));
        self.records.push(known);
        self.note("counted");
    }

    async fn give_up(&mut self) {
        let position = *self.dice.pick(&POSITIONS);
        let record = begun(&self.people[0], &self.session, "P", position).await;
        event(&self.people[0], "COUNT_CANCELED", json!({ "count_key": record })).await.expect(200);
        self.note("canceled a count");
    }

    async fn discard(&mut self) {
        if self.records.is_empty() {
            return;
        }
        let place = self.dice.roll(self.records.len());
        let record = self.records.remove(place);
        discard(self.hall.keeper(), &record.key).await.expect(200);
        self.note("discarded");
    }

    /// Whether the records contradict each other, or would take more than there is.
    fn contradict(&self) -> bool {
        let change = |record: &Known| (record.counted - record.system, record.missing.clone(), record.found.clone());
        let mut newest: BTreeMap<(&str, &str), &Known> = BTreeMap::new();
        let mut places: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for record in &self.records {
            if let Some(earlier) = newest.insert((record.product, record.position), record)
                && change(earlier) != change(record)
            {
                return true;
            }
            for unit in &record.units {
                places.entry(*unit).or_default().insert(record.position);
            }
        }
        places.values().any(|places| places.len() > 1)
            || newest.values().any(|record| {
                let short =
                    record.counted < record.system && self.goods[record.position] + record.counted < record.system;
                record.product == "P" && (short || self.corrections[record.position] > record.corrections)
            })
    }

    /// Confirms what was counted, and does the same to the naive stock.
    async fn apply(&mut self, site: &Site) {
        self.hall.step(&self.session, "COMPLETED").await.expect(200);
        let answer = self.hall.step(&self.session, "CONFIRMED").await;
        if self.contradict() {
            conflicts(answer);
            self.hall.step(&self.session, "CANCELED").await.expect(200);
            self.note("conflicts");
        } else {
            answer.expect(200);
            applied(site, self.hall.keeper(), &self.session).await;
            self.correct();
            self.note("applied");
        }
        self.records.clear();
        self.session = self.hall.started().await;
        for position in POSITIONS {
            assert_eq!(goods_at(self.hall, position).await, self.goods[position], "{position}");
            let units: Vec<String> = self.units_at(position).iter().map(|unit| format!("S-{unit}")).collect();
            assert_eq!(self.hall.units_at(position).await, units, "{position}");
        }
    }

    fn correct(&mut self) {
        let mut newest: BTreeMap<(&str, &str), &Known> = BTreeMap::new();
        for record in &self.records {
            newest.insert((record.product, record.position), record);
        }
        for ((product, position), record) in newest {
            if product == "P" {
                let change = record.counted - record.system;
                *self.goods.get_mut(position).unwrap() += change;
                *self.corrections.get_mut(position).unwrap() += usize::from(change != 0);
                continue;
            }
            let rests = |unit: &&usize| self.moves[**unit] == record.moves[**unit];
            let missing: Vec<usize> = record.missing.iter().filter(rests).copied().collect();
            let found: Vec<usize> = record.found.iter().filter(rests).copied().collect();
            for unit in missing {
                if self.units[unit] == Some(record.position) {
                    self.units[unit] = None;
                }
            }
            for unit in found {
                self.units[unit] = Some(record.position);
            }
        }
    }
}
