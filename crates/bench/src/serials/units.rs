//! Serials by the million, in assemblies of ten levels, made by the engine itself: the same in every run.
//!
//! Each unit has a number. The units of a product follow each other, and among them those of an assembly, as they do where parts are
//! taken from the shelf in turn; they come into being lot by lot, in the course of a year.

use std::ops::Range;

use domain::key::{EPOCH_MILLIS, ID_CHARS, SerialKey};
use serde_json::{Value, json};

use crate::events::Admin;
use crate::server::{Place, Server};

pub const LEVELS: usize = 10;
/// Units of each small assembly, and of the large one.
pub const SMALL: i64 = 1_000;
pub const LARGE: i64 = 100_000;
/// How many chains there are, where there are any.
pub const CHAINS: i64 = 10_000;
/// Units that came into being by the same event.
const LOT: i64 = 1_000;
/// When the first units came into being: 2025.
const BEGIN: i64 = 1_735_689_600_000;
const WEEK: i64 = 7 * 24 * 3_600_000;
const YEAR: i64 = 365 * 24 * 3_600_000;
/// How many keys there are for each millisecond.
const KEYS: i64 = 1 << 22;

/// Small assemblies, a large one, and chains: assemblies with one unit of each level.
pub struct Units {
    pub count: i64,
    pub small: Assemblies,
    pub large: Assemblies,
    pub chains: Assemblies,
}

/// Assemblies that look the same: each unit contains so many of the next level, as long as there are any left.
#[derive(Clone, Copy)]
pub struct Assemblies {
    letter: char,
    branches: i64,
    nodes: i64,
    count: i64,
    /// The number of their first unit.
    first: i64,
}

impl Assemblies {
    const SMALL: Self = Self { letter: 'P', branches: 2, nodes: SMALL, count: 0, first: 0 };
    const LARGE: Self = Self { letter: 'Q', branches: 4, nodes: LARGE, count: 0, first: 0 };
    const CHAINS: Self = Self { letter: 'R', branches: 1, nodes: LEVELS as i64, count: 0, first: 0 };

    /// So many of them, from the unit with this number on.
    fn times(self, count: i64, first: i64) -> Self {
        Self { count, first, ..self }
    }

    /// Each level has a product of its own.
    fn levels(self) -> impl Iterator<Item = (Self, usize)> {
        (0..LEVELS).map(move |level| (self, level))
    }

    /// The product of a level, by its key.
    pub fn product(&self, level: usize) -> String {
        format!("{}{level:02}", self.letter)
    }

    /// The nodes of a level, counted from the top.
    fn nodes(&self, level: usize) -> Range<i64> {
        let above = |level: usize| (0..level).map(|level| self.branches.pow(level as u32)).sum::<i64>();
        above(level)..above(level + 1).min(self.nodes)
    }

    /// How many units of a level an assembly has.
    fn width(&self, level: usize) -> i64 {
        let nodes = self.nodes(level);
        nodes.end - nodes.start
    }

    /// The numbers of the units of a level.
    fn numbers(&self, level: usize) -> Range<i64> {
        let nodes = self.nodes(level);
        self.first + nodes.start * self.count..self.first + nodes.end * self.count
    }

    /// The number of the first unit that an assembly has of a level.
    pub fn unit(&self, assembly: i64, level: usize) -> i64 {
        self.numbers(level).start + assembly % self.count * self.width(level)
    }

    /// The number of the unit that contains a unit of a level, in terms of its `number`.
    fn parent(&self, level: usize) -> String {
        let place = format!("(number - {})", self.numbers(level).start);
        let (width, branches) = (self.width(level), self.branches);
        let (above, width_above) = (self.numbers(level - 1).start, self.width(level - 1));
        format!("{above} + {place} / {width} * {width_above} + {place} % {width} / {branches}")
    }
}

/// Makes the products of all units, each with its bill of materials.
pub async fn make_products(place: &Place) {
    let server = Server::start(place);
    let mut admin = Admin::new(&server).await;
    let levels = || [Assemblies::SMALL, Assemblies::LARGE, Assemblies::CHAINS].into_iter().flat_map(Assemblies::levels);
    make_traced(&mut admin, levels().map(|(assemblies, level)| traced(&assemblies.product(level)))).await;
    for (assemblies, level) in levels().filter(|(_, level)| level + 1 < LEVELS) {
        let line = json!({ "component_key": assemblies.product(level + 1), "qt": assemblies.branches });
        admin.send("PUT", &format!("/product/{}/bom", assemblies.product(level)), json!([line])).await;
    }
}

/// A product whose units are traced.
pub fn traced(key: &str) -> Value {
    json!({ "_key": key, "code": key, "traceability_level": "form_only" })
}

/// Makes products with a process each, so that they can have bills of materials.
pub async fn make_traced(admin: &mut Admin, products: impl IntoIterator<Item = Value>) {
    admin.post("/operation", json!({ "_key": "units", "name": "Units" })).await;
    for product in products {
        let process = format!("/product/{}/process", product["_key"].as_str().expect("a key"));
        admin.post("/product", product).await;
        let phase = json!({ "alias": "Assembly", "operation_key": "units", "steps": [] });
        admin.send("PUT", &process, json!([phase])).await;
    }
}

impl Units {
    /// So many thousands, of which the large assembly is a part.
    pub fn new(count: i64) -> Self {
        let small = Assemblies::SMALL.times((count - LARGE) / SMALL, 0);
        Self { count, small, large: Assemblies::LARGE.times(1, count - LARGE), chains: Assemblies::CHAINS }
    }

    /// Chains, and so many thousands of other units in small assemblies.
    pub fn beside_chains(others: i64) -> Self {
        let (small, chains) = (Assemblies::SMALL.times(others / SMALL, 0), Assemblies::CHAINS.times(CHAINS, others));
        Self { count: others + CHAINS * LEVELS as i64, small, large: Assemblies::LARGE, chains }
    }

    /// The levels of all assemblies that there are.
    fn levels(&self) -> impl Iterator<Item = (Assemblies, usize)> {
        let all = [self.small, self.large, self.chains].into_iter().filter(|all| all.count > 0);
        all.flat_map(Assemblies::levels)
    }

    /// Stores all units, which are in no assembly yet, while no server runs. Their products are there.
    pub async fn fill(&self, place: &Place) {
        let serials = self.levels().map(|(all, level)| {
            let (code, created) = (self.code_of(&all.product(level)), self.created());
            format!(
                "insert into serial (key, code, product_id, created, created_by, released, released_by, data, searched)
                 select {key}, {code}, (select id from product where key = '{product}'), {created}, 'bench', {created},
                     'bench', '[]', lower({code})
                 from {numbers}",
                key = self.key_of("number"),
                product = all.product(level),
                numbers = place.numbers(all.numbers(level)),
            )
        });
        // The events of that time are not there, only what the journal has of their units.
        let listed = format!(
            "insert into event_listed (kind, key, seq)
             select 'serial', {}, -1 - number / {LOT}
             from (select number, {} as key from {}) as unit",
            key_text(),
            self.key_of("number"),
            place.numbers(0..self.count)
        );
        let statements: Vec<String> = serials.chain([listed]).collect();
        place.fill(&["serial", "event_listed"], &statements).await;
    }

    /// Puts the stored units together, while no server runs.
    pub async fn link(&self, place: &Place) {
        let links = self.levels().filter(|(_, level)| *level > 0).map(|(all, level)| {
            format!(
                "insert into serial_link (key, parent_key, child_key, component_key, confirmed, linked, linked_by)
                 select {key}, {parent}, {key}, '{product}', true, {created}, 'bench'
                 from {numbers}",
                key = self.key_of("number"),
                parent = self.key_of(&all.parent(level)),
                product = all.product(level),
                created = self.created(),
                numbers = place.numbers(all.numbers(level)),
            )
        });
        place.fill(&["serial_link"], &links.collect::<Vec<_>>()).await;
    }

    /// The key of the unit with a number.
    pub fn key(&self, number: i64) -> SerialKey {
        SerialKey((BEGIN + number / LOT * self.pace() - EPOCH_MILLIS) * KEYS + number % LOT)
    }

    /// The code of the unit with a number.
    pub fn code(&self, number: i64) -> String {
        let (all, level) = self.levels().find(|(all, level)| all.numbers(*level).contains(&number)).expect("a unit");
        let week = number / LOT * self.pace() / WEEK + 1;
        format!("{}-25W{week:02}-{number:08}", all.product(level))
    }

    /// The time between two lots.
    fn pace(&self) -> i64 {
        YEAR / (self.count / LOT)
    }

    /// What [`Units::key`] is to the engine.
    fn key_of(&self, number: &str) -> String {
        format!("(({BEGIN} + ({number}) / {LOT} * {} - {EPOCH_MILLIS}) * {KEYS} + ({number}) % {LOT})", self.pace())
    }

    /// What [`Units::code`] is to the engine, for a unit of a product.
    fn code_of(&self, product: &str) -> String {
        let week = format!("number / {LOT} * {} / {WEEK} + 1", self.pace());
        // Without its first digit, a number has its zeros.
        format!(
            "'{product}-25W' || substr(cast(100 + {week} as text), 2) || '-' || substr(cast(100000000 + number as text), 2)"
        )
    }

    fn created(&self) -> String {
        format!("({BEGIN} + number / {LOT} * {})", self.pace())
    }
}

/// The text of `key`, as answers and the journal show it.
fn key_text() -> String {
    let digit = |place: usize| {
        let shift = 5 * (ID_CHARS - 1 - place);
        format!("substr('0123456789abcdefghijklmnopqrstuv', cast(((key >> {shift}) & 31) + 1 as integer), 1)")
    };
    (0..ID_CHARS).map(digit).collect::<Vec<_>>().join(" || ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::sqlite_numbers;
    use rusqlite::Connection;

    #[test]
    fn the_engine_makes_the_same_keys_and_codes() {
        the_same_are_made(&Units::new(200_000));
        the_same_are_made(&Units::beside_chains(100_000));
    }

    fn the_same_are_made(units: &Units) {
        let connection = Connection::open_in_memory().unwrap();
        for number in [0, 1, 999, 51_234, 99_999, 100_000, 100_001, 199_999] {
            let code = units.code(number);
            let (product, _) = code.split_once('-').unwrap();
            let text = format!(
                "select key, {}, {} from (select number, {} as key from (select cast(?1 as integer) as number))",
                key_text(),
                units.code_of(product),
                units.key_of("number")
            );
            let made: (i64, String, String) =
                connection.query_row(&text, [number], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
            let key = units.key(number);
            assert_eq!(made, (key.0, key.to_string(), code));
        }
    }

    #[test]
    fn every_unit_has_its_place_in_an_assembly() {
        all_have_their_places(&Units::new(200_000));
        all_have_their_places(&Units::beside_chains(20_000));
    }

    fn all_have_their_places(units: &Units) {
        let connection = Connection::open_in_memory().unwrap();
        let mut next = 0;
        for (all, level) in units.levels() {
            let numbers = all.numbers(level);
            assert_eq!(numbers.start, next, "no number is left out");
            next = numbers.end;
            if level == 0 {
                continue;
            }
            let text = format!(
                "select min(parent), max(parent), max(children)
                 from (select parent, count(*) as children
                       from (select {} as parent from {})
                       group by parent)",
                all.parent(level),
                sqlite_numbers(numbers)
            );
            let (first, last, most): (i64, i64, i64) =
                connection.query_row(&text, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
            let above = all.numbers(level - 1);
            assert_eq!((first, most), (above.start, all.branches));
            assert!(above.contains(&last) && last >= all.unit(all.count - 1, level - 1));
        }
        assert_eq!(next, units.count);
    }
}
