//! A warehouse with movements by the million, made by the engine itself: the same in every run, with the stock that they make.
//!
//! Movements come in blocks: lots of products that are not traced, then units of traced ones. A lot is received in a bin, a part of it
//! goes on to a second and a third one, some is shipped, some consumed. A unit is received and brought to another bin.

use std::ops::Range;

use domain::key::{EPOCH_MILLIS, MovementListKey};
use serde_json::json;

use crate::events::Admin;
use crate::server::{Place, Server};

/// Halls with aisles, aisles with racks, racks with bins.
pub const POSITIONS: i64 = HALLS + AISLES + RACKS + BINS;
pub const HALLS: i64 = 10;
pub const AISLES: i64 = 9 * HALLS;
pub const RACKS: i64 = 10 * AISLES;
pub const BINS: i64 = 10 * RACKS;
/// Products without and with serials.
pub const PRODUCTS: i64 = 900;
const TRACED: i64 = 100;
/// Bins that have the same product.
const SPREAD: i64 = 60;
/// How far they are apart.
const APART: i64 = 149;

/// Movements of a lot, and of a unit.
const OF_LOT: i64 = 5;
const OF_UNIT: i64 = 2;
/// Lots and units of a block, and their movements together.
const LOTS: i64 = 48;
const UNITS: i64 = 5;
const BLOCK: i64 = LOTS * OF_LOT + UNITS * OF_UNIT;
/// Shipments of a list that was carried out, and rows of one that is planned.
const SHIPPED: i64 = 50;
const PLANNED: i64 = 10;
/// So many movements for each planned list.
const FOR_PLANNED: i64 = 5_000;

/// When the first movement was: 2025.
const BEGIN: i64 = 1_735_689_600_000;
const YEAR: i64 = 365 * 24 * 3_600_000;
/// How many keys there are for each millisecond.
const KEYS: i64 = 1 << 22;

pub struct Depot {
    /// Completed ones.
    pub movements: i64,
}

impl Depot {
    /// With so many blocks' worth of movements.
    pub fn new(movements: i64) -> Self {
        Self { movements: movements / BLOCK * BLOCK }
    }

    fn lots(&self) -> i64 {
        self.movements / BLOCK * LOTS
    }

    fn units(&self) -> i64 {
        self.movements / BLOCK * UNITS
    }

    /// Lists that were carried out.
    pub fn lists(&self) -> i64 {
        self.lots() / SHIPPED
    }

    pub fn planned_lists(&self) -> i64 {
        self.movements / FOR_PLANNED
    }

    /// The key of a list that was carried out.
    pub fn list(&self, number: i64) -> MovementListKey {
        MovementListKey((self.time(self.first_of(number)) - EPOCH_MILLIS) * KEYS)
    }

    /// The number of the first movement of the first lot of a list.
    fn first_of(&self, list: i64) -> i64 {
        let lot = list * SHIPPED;
        lot / LOTS * BLOCK + lot % LOTS * OF_LOT
    }

    /// The time between two movements.
    fn pace(&self) -> i64 {
        YEAR / self.movements
    }

    /// When the movement with a number was.
    fn time(&self, number: i64) -> i64 {
        BEGIN + number * self.pace()
    }

    /// Stores everything, while no server runs.
    pub async fn fill(&self, place: &Place) {
        make_products(place).await;
        let tables = ["position", "position_link", "serial", "movement_list", "movement", "stock_pair", "stock"];
        let numbers = |numbers: Range<i64>| place.numbers(numbers);
        place.fill(&tables, &self.statements(numbers)).await;
    }

    /// `numbers` is what the engine reads numbers from.
    fn statements(&self, numbers: impl Fn(Range<i64>) -> String) -> Vec<String> {
        let mut statements = positions(&numbers);
        statements.extend([
            self.completed_lists(&numbers(0..self.lists())),
            self.moved_lots(&numbers(0..self.lots() * OF_LOT)),
            self.serials(&numbers(0..self.units())),
            self.moved_units(&numbers(0..self.units() * OF_UNIT)),
            PAIRS.to_owned(),
            STOCK.to_owned(),
            self.to_be_shipped(&numbers(0..self.planned_lists())),
            self.planned(&numbers(0..self.planned_lists() * PLANNED)),
        ]);
        statements
    }

    /// What [`Depot::time`] is to the engine.
    fn time_of(&self, number: &str) -> String {
        format!("({BEGIN} + ({number}) * {})", self.pace())
    }

    /// The key of what came into being with a movement.
    fn key_of(&self, number: &str) -> String {
        format!("(({} - {EPOCH_MILLIS}) * {KEYS})", self.time_of(number))
    }

    /// What [`Depot::list`] is to the engine.
    fn list_of(&self, number: &str) -> String {
        self.key_of(&lot_begins(&format!("({number}) * {SHIPPED}")))
    }

    /// A planned list comes behind all movements.
    fn planned_list_of(&self, number: &str) -> String {
        self.key_of(&format!("{} + ({number})", self.movements))
    }

    fn completed_lists(&self, numbers: &str) -> String {
        let (key, code) = (self.list_of("number"), code("S", 8, "number"));
        let time = self.time_of(&lot_begins(&format!("number * {SHIPPED}")));
        let month = digits(2, &format!("number * 12 / {} + 1", self.lists()));
        let day = digits(2, "number % 28 + 1");
        format!(
            "insert into movement_list (key, code, code_folded, type, status, due_by, created, start_at, end_at)
             select {key}, {code}, lower({code}), 'shipment', 'completed', '2025-' || {month} || '-' || {day}, {time},
                 {time}, {time} + 1000
             from {numbers}"
        )
    }

    fn to_be_shipped(&self, numbers: &str) -> String {
        let (key, code) = (self.planned_list_of("number"), code("N", 8, "number"));
        let (month, day) = (digits(2, "number % 12 + 1"), digits(2, "number % 28 + 1"));
        let time = BEGIN + YEAR;
        format!(
            "insert into movement_list (key, code, code_folded, type, status, due_by, created)
             select {key}, {code}, lower({code}), 'shipment', 'planned', '2026-' || {month} || '-' || {day}, {time}
             from {numbers}"
        )
    }

    /// Of ten pieces, three stay in the first bin, one in the second and two in the third.
    fn moved_lots(&self, numbers: &str) -> String {
        let number = format!("{} + step", lot_begins("lot"));
        let (key, time) = (self.key_of(&number), self.time_of(&number));
        let bin = |step: i64| bin_of(&format!("lot % {PRODUCTS} * 9"), &format!("lot / {PRODUCTS} + {step}"));
        let (first, second, third) = (bin(0), bin(1), bin(2));
        let list = self.list_of(&format!("lot / {SHIPPED}"));
        let product = code("P", 3, &format!("lot % {PRODUCTS}"));
        let quantity = "case step when 0 then 10000000 when 1 then 4000000 when 2 then 2000000 when 3 then 3000000
                 else 1000000 end";
        format!(
            "insert into movement (key, type, status, from_key, to_key, product_id, qt_planned, qt_confirmed, owned, created,
                 start_at, end_at, movement_list_key, movement_list_item, user_key)
             select {key},
                 case step when 0 then 'receipt' when 3 then 'shipment' when 4 then 'consumption' else 'transfer' end,
                 'completed',
                 case step when 0 then 'OUT' when 1 then {first} when 3 then {first} else {second} end,
                 case step when 0 then {first} when 1 then {second} when 2 then {third} when 3 then 'OUT' else 'NULL' end,
                 product.id, {quantity}, {quantity}, true, {time}, {time}, {time},
                 case when step = 3 then {list} end, case when step = 3 then lot % {SHIPPED} + 1 end, 'bench'
             from (select number / {OF_LOT} as lot, number % {OF_LOT} as step from {numbers}) as part
             cross join product
             where product.key = {product}"
        )
    }

    fn serials(&self, numbers: &str) -> String {
        let number = unit_begins("number");
        let (key, time) = (self.key_of(&number), self.time_of(&number));
        let (product, code) = (code("T", 2, &format!("number % {TRACED}")), code("U", 8, "number"));
        format!(
            "insert into serial (key, code, product_id, created, created_by, released, released_by, data, searched)
             select {key}, {code}, product.id, {time}, 'bench', {time}, 'bench', '[]', lower({code})
             from {numbers}
             cross join product
             where product.key = {product}"
        )
    }

    fn moved_units(&self, numbers: &str) -> String {
        let number = format!("{} + step", unit_begins("item"));
        let (key, time) = (self.key_of(&number), self.time_of(&number));
        let serial = self.key_of(&unit_begins("item"));
        let bin = |step: i64| bin_of(&format!("item % {TRACED} * 83"), &format!("item / {TRACED} + {step}"));
        let (first, second) = (bin(0), bin(1));
        let product = code("T", 2, &format!("item % {TRACED}"));
        format!(
            "insert into movement (key, type, status, from_key, to_key, product_id, serial_key, qt_planned, qt_confirmed,
                 owned, created, start_at, end_at, user_key)
             select {key}, case step when 0 then 'receipt' else 'transfer' end, 'completed',
                 case step when 0 then 'OUT' else {first} end, case step when 0 then {first} else {second} end,
                 product.id, {serial}, 1000000, 1000000, true, {time}, {time}, {time}, 'bench'
             from (select number / {OF_UNIT} as item, number % {OF_UNIT} as step from {numbers}) as part
             cross join product
             where product.key = {product}"
        )
    }

    fn planned(&self, numbers: &str) -> String {
        let key = self.key_of(&format!("{} + number", self.movements));
        let list = self.planned_list_of(&format!("number / {PLANNED}"));
        let bin = bin_of(&format!("number % {PRODUCTS} * 9"), &format!("number / {PRODUCTS}"));
        let product = code("P", 3, &format!("number % {PRODUCTS}"));
        let time = BEGIN + YEAR;
        format!(
            "insert into movement (key, type, status, from_key, to_key, product_id, qt_planned, qt_confirmed, owned,
                 owner_open, created, movement_list_key, movement_list_item, user_key)
             select {key}, 'shipment', 'planned', {bin}, 'OUT', product.id, 1000000, 0, true, true, {time}, {list},
                 number % {PLANNED} + 1, 'bench'
             from {numbers}
             cross join product
             where product.key = {product}"
        )
    }
}

/// Makes the products of all movements.
async fn make_products(place: &Place) {
    let server = Server::start(place);
    let mut admin = Admin::new(&server).await;
    for number in 0..PRODUCTS {
        let key = product(number);
        admin.post("/product", json!({ "_key": key, "code": key })).await;
    }
    for number in 0..TRACED {
        let key = format!("T{number:02}");
        admin.post("/product", json!({ "_key": key, "code": key, "traceability_level": "form_only" })).await;
    }
}

/// One without serials, by its key, which is its code as well. So it is with positions.
pub fn product(number: i64) -> String {
    format!("P{:03}", number % PRODUCTS)
}

pub fn hall(number: i64) -> String {
    format!("H{}", number % HALLS)
}

pub fn aisle(number: i64) -> String {
    format!("A{:02}", number % AISLES)
}

pub fn rack(number: i64) -> String {
    format!("R{:03}", number % RACKS)
}

pub fn bin(number: i64) -> String {
    format!("B{:04}", number % BINS)
}

/// A number with so many digits, to the engine.
fn digits(count: u32, number: &str) -> String {
    // Without its first digit, a number has its zeros.
    format!("substr(cast({} + ({number}) as text), 2)", 10_i64.pow(count))
}

/// A letter and a number with so many digits, to the engine.
fn code(letter: &str, count: u32, number: &str) -> String {
    format!("'{letter}' || {}", digits(count, number))
}

/// The number of the first movement of a lot, to the engine.
fn lot_begins(lot: &str) -> String {
    format!("({lot}) / {LOTS} * {BLOCK} + ({lot}) % {LOTS} * {OF_LOT}")
}

/// The number of the first movement of a unit, to the engine.
fn unit_begins(unit: &str) -> String {
    format!("({unit}) / {UNITS} * {BLOCK} + {} + ({unit}) % {UNITS} * {OF_UNIT}", LOTS * OF_LOT)
}

/// One of the bins that have the same product, to the engine.
fn bin_of(first: &str, place: &str) -> String {
    code("B", 4, &format!("({first} + ({place}) % {SPREAD} * {APART}) % {BINS}"))
}

fn positions(numbers: &impl Fn(Range<i64>) -> String) -> Vec<String> {
    let halls = (HALLS, code("H", 1, "number"), "'IN'".to_owned());
    let aisles = (AISLES, code("A", 2, "number"), code("H", 1, &format!("number / {}", AISLES / HALLS)));
    let racks = (RACKS, code("R", 3, "number"), code("A", 2, &format!("number / {}", RACKS / AISLES)));
    let bins = (BINS, code("B", 4, "number"), code("R", 3, &format!("number / {}", BINS / RACKS)));
    let mut statements = Vec::new();
    let mut links = 0;
    for (count, key, parent) in [halls, aisles, racks, bins] {
        let numbers = numbers(0..count);
        statements.push(format!(
            "insert into position (key, code, code_folded, created, updated)
             select {key}, {key}, lower({key}), {BEGIN}, {BEGIN}
             from {numbers}"
        ));
        statements.push(format!(
            "insert into position_link (key, child_key, parent_key)
             select {links} + 1 + number, {key}, {parent}
             from {numbers}"
        ));
        links += count;
    }
    statements
}

/// Each product at each position that movements leave or reach.
const PAIRS: &str = "insert into stock_pair (product_id, position_key)
    select distinct product_id, position_key
    from (
        select product_id, from_key as position_key from movement
        union all
        select product_id, to_key from movement
    ) as moved
    where position_key not in ('OUT', 'NULL')";
/// What movements leave behind.
const STOCK: &str = "insert into stock (key, product_id, position_key, serial_key, quantity)
    select row_number() over (order by product_id, position_key, serial_key), product_id, position_key, serial_key, quantity
    from (
        select product_id, position_key, serial_key, cast(sum(change) as bigint) as quantity
        from (
            select product_id, from_key as position_key, serial_key, -qt_confirmed as change from movement
            union all
            select product_id, to_key, serial_key, qt_confirmed from movement
        ) as moved
        where position_key not in ('OUT', 'NULL')
        group by product_id, position_key, serial_key
    ) as summed
    where quantity <> 0";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::sqlite_numbers;
    use rusqlite::Connection;

    /// What the tables need to take the rows.
    const TABLES: &str = "
        create table product (id integer primary key, key text unique);
        create table position (key text primary key, code text, code_folded text unique, created integer, updated integer);
        create table position_link (key integer primary key, child_key text unique, parent_key text);
        create table serial (key integer primary key, code text, product_id integer, created integer, created_by text,
            released integer, released_by text, data text, searched text);
        create table movement_list (key integer primary key, code text unique, code_folded text, type text, status text,
            due_by text, created integer, start_at integer, end_at integer);
        create table movement (key integer primary key, type text, status text, from_key text, to_key text,
            product_id integer, serial_key integer, qt_planned integer, qt_confirmed integer, owned integer,
            owner_open integer, created integer, start_at integer, end_at integer, movement_list_key integer,
            movement_list_item integer, user_key text);
        create table stock_pair (product_id integer, position_key text, primary key (product_id, position_key));
        create table stock (key integer primary key, product_id integer, position_key text, serial_key integer,
            quantity integer);";

    #[test]
    fn movements_leave_stock_behind() {
        let depot = Depot::new(50_000);
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(TABLES).unwrap();
        for number in 0..PRODUCTS + TRACED {
            let key = if number < PRODUCTS { product(number) } else { format!("T{:02}", number - PRODUCTS) };
            connection.execute("insert into product (key) values (?1)", [key]).unwrap();
        }
        depot.statements(sqlite_numbers).iter().for_each(|statement| connection.execute_batch(statement).unwrap());
        let count = |text: &str| connection.query_row(text, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("select count(*) from position"), POSITIONS);
        assert_eq!(count("select count(*) from position_link"), POSITIONS);
        assert_eq!(count("select count(*) from movement where status = 'completed'"), depot.movements);
        assert_eq!(count("select count(*) from movement where status = 'planned'"), depot.planned_lists() * PLANNED);
        assert_eq!(count("select count(*) from stock where serial_key is not null"), depot.units());
        assert_eq!(count("select count(*) from stock where quantity <= 0"), 0);
        assert_eq!(count("select count(*) from stock where position_key not in (select key from position)"), 0);
        let lots = "select coalesce(sum(quantity), 0) from stock where serial_key is null";
        assert_eq!(count(lots), depot.lots() * 6_000_000);
        let list = depot.list(7).0;
        assert_eq!(count(&format!("select count(*) from movement where movement_list_key = {list}")), SHIPPED);
        assert_eq!(count(&format!("select count(*) from movement_list where key = {list}")), 1);
    }
}
