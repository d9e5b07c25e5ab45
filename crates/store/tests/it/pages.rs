//! Lists that find the keys of a page first: pages follow each other in the order of the whole list, ties included, and each row
//! has all of its record.

use domain::Quantity;
use domain::counting::CountType;
use domain::key::{CountSessionKey, PositionKey, ProductId, ProductKey};
use domain::product::ProductData;
use domain::serial::Serial;
use domain::warehouse::{INSIDE, OUTSIDE, PositionData};
use serde_json::json;
use store::counting::{assignments, sessions, views};
use store::product::products;
use store::serial::serials;
use store::warehouse::positions::{self, Position};
use store::warehouse::{contents, inventory, links, list_views, movement_views};
use store::{Page, Paged, Sql, StoreError, Tx, params};

use super::queries::counting::{SESSION, session};
use super::queries::samples::{NOW, stock};
use super::queries::serial::serial;
use super::queries::warehouse::{link, position};

/// So many positions are in A. Their codes fall as their keys rise.
const PLACES: i64 = 10;
/// More records than are read as a whole at once.
const ROUNDS: i64 = 12;
/// Without codes.
const UNITS: i64 = 5;

fn key(text: &str) -> PositionKey {
    PositionKey::trusted(text)
}

fn place(number: i64) -> Position {
    let data = PositionData::new(format!("Code {}", PLACES - 1 - number));
    Position { data, ..position(&format!("p{number}")) }
}

fn product(id: i64, code: &str, minimum: i64) -> products::Product {
    let description = Some(format!("What {code} is"));
    let minimum_stock_qt = Some(Quantity::from_millionths(minimum));
    products::Product {
        id: ProductId(id),
        key: ProductKey::trusted(format!("K{id}")),
        rev: 1,
        data: ProductData { description, minimum_stock_qt, ..ProductData::new(code.to_owned()) },
        trash: false,
        created: NOW,
        updated: NOW,
        bom_version: 0,
        img_name: None,
    }
}

/// Each statement for so many numbers, from 0 on.
const FOR_EACH: [(&str, i64); 6] = [
    (
        "insert into stock_pair (product_id, position_key) select 1, 'p' || value from number",
        PLACES,
    ),
    (
        "insert into stock (key, product_id, position_key, serial_key, quantity)
         select 100 + value, 1, 'p0', 1 + value, 1000000 from number",
        UNITS,
    ),
    (
        "insert into count_assignment (key, session_key, target_type, position_key, status, created, created_by, extra)
         select 200 + value, 41 + value / 10, 'position', 'p' || (value % 10), 'planned', 1, 'mario', '{\"at\":' || value || '}'
         from number",
        2 * PLACES,
    ),
    (
        "insert into count_record (
             key, session_key, product_id, position_key, user_key, status, system_qt, system_at, counted_qt, counted_at, notes
         )
         select 300 + value, 41, 1, 'p' || (value % 10), 'mario', 'discarded', 1, 1, 2, 1, 'note ' || value from number",
        ROUNDS * PLACES,
    ),
    (
        "insert into movement_list (key, code, code_folded, type, status, due_by, created, extra)
         select 400 + value, 'L' || (9 - value), 'l' || (9 - value), 'shipment', 'planned', '2026-01-0' || (1 + value / 4), 1,
                '{\"at\":' || value || '}'
         from number",
        PLACES,
    ),
    ("insert into stock_pair (product_id, position_key) select 2 + value, 'p0' from number", 1),
];

async fn fill(tx: &mut Tx) -> Result<(), StoreError> {
    stock(tx).await?;
    products::save(tx, &[product(2, "A-1", 5_000_000), product(3, "B-1", 1)]).await?;
    let mut all = vec![position(INSIDE), position(OUTSIDE), position("A")];
    all.extend((0..PLACES).map(place));
    for position in &mut all {
        position.data.extra.insert("of".to_owned(), json!(position.key.as_str()));
    }
    positions::save(tx, &all).await?;
    let inside = (0..PLACES).map(|number| link(2 + number, &format!("p{number}"), "A"));
    links::insert_all(tx, &[vec![link(1, "A", INSIDE)], inside.collect()].concat()).await?;
    let units: Vec<Serial> = (1..=UNITS).map(|key| Serial { code: None, data: Vec::new(), ..serial(key) }).collect();
    serials::insert_all(tx, &units, &Default::default()).await?;
    sessions::insert(tx, &session(SESSION)).await?;
    sessions::insert(tx, &session(CountSessionKey(42))).await?;
    for (statement, numbers) in FOR_EACH {
        let counted = "with recursive number (value) as (
                           select cast(0 as {int}) union all select value + 1 from number where value < $1
                       )
                       select";
        tx.run(Sql::raw(statement.replacen("select", counted, 1)), &params![numbers - 1]).await?;
    }
    let more = [
        "insert into stock (key, product_id, position_key, quantity) values (110, 1, 'p0', 1000000)",
        "insert into stock (key, product_id, position_key, quantity) values (111, 2, 'p0', 3000000)",
        "insert into stock (key, product_id, position_key, quantity) values (112, 1, 'p7', 1000000)",
        "insert into count_assignment (key, session_key, target_type, product_id, status, created, created_by)
         values (190, 42, 'product', 1, 'planned', 1, 'mario')",
        "insert into count_assignment (key, session_key, target_type, product_id, status, created, created_by)
         values (191, 41, 'product', 2, 'canceled', 1, 'mario')",
    ];
    for statement in more {
        tx.run(Sql::raw(statement), &[]).await?;
    }
    Ok(())
}

/// What a list shows of each row, of the whole and of pages.
async fn shown<T>(
    tx: &mut Tx,
    list: impl AsyncFn(&mut Tx, &Page) -> Result<Paged<T>, StoreError>,
    show: impl Fn(&T) -> String,
) -> Result<Vec<String>, StoreError> {
    let whole = list(tx, &Page { limit: 1_000, offset: 0, count: true }).await?;
    assert_eq!(whole.total, Some(whole.rows.len() as i64));
    let all: Vec<String> = whole.rows.iter().map(&show).collect();
    for limit in [1, 3] {
        for offset in 0..all.len() + 2 {
            let page = list(tx, &Page { limit, offset: offset as i64, count: true }).await?;
            let rows: Vec<String> = page.rows.iter().map(&show).collect();
            let wanted: Vec<String> = all.iter().skip(offset).take(limit as usize).cloned().collect();
            assert_eq!((rows, page.total), (wanted, whole.total), "{limit} from {offset}");
        }
    }
    Ok(all)
}

/// The numbers of places by their codes, so many times each, those of one place by key.
fn by_code(times: i64) -> impl Iterator<Item = i64> {
    (0..PLACES).rev().flat_map(move |place| (0..times).map(move |time| place + time * PLACES))
}

fn texts(numbers: impl Iterator<Item = i64>, show: impl Fn(i64) -> String) -> Vec<String> {
    numbers.map(show).collect()
}

async fn positions_come_by_code(tx: &mut Tx) -> Result<(), StoreError> {
    let show = |position: &Position| {
        assert_eq!(position.data.extra["of"], json!(position.key.as_str()));
        format!("{} {}", position.key, position.data.code)
    };
    let within = |root: &str| positions::Wanted::within(key(root));
    let places = texts(by_code(1), |number| format!("p{number} Code {}", PLACES - 1 - number));
    let below = shown(tx, async |tx: &mut Tx, page: &Page| positions::list(tx, &within("A"), page).await, show).await?;
    assert_eq!(below, places);
    let all =
        shown(tx, async |tx: &mut Tx, page: &Page| positions::list(tx, &within(INSIDE), page).await, show).await?;
    assert_eq!(all, [places, vec!["A Code A".to_owned()]].concat());
    Ok(())
}

async fn contents_have_the_descriptions_of_their_products(tx: &mut Tx) -> Result<(), StoreError> {
    let show = |held: &contents::Held| {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        format!("{} {} {}", held.key, text(&held.code), text(&held.product_description))
    };
    let of =
        |place: &'static str| async move |tx: &mut Tx, page: &Page| contents::list(tx, &key(place), None, page).await;
    let mut wanted = vec!["111 A-1 What A-1 is".to_owned(), "110 P-1 Wheel".to_owned()];
    wanted.extend((0..UNITS).map(|unit| format!("{}  Wheel", 100 + unit)));
    assert_eq!(shown(tx, of("p0"), show).await?, wanted);
    let places = texts(by_code(1), |number| format!("{} Code {} ", 2 + number, PLACES - 1 - number));
    assert_eq!(shown(tx, of("A"), show).await?, places);
    Ok(())
}

async fn sums_come_by_product(tx: &mut Tx) -> Result<(), StoreError> {
    let show = |found: &inventory::OfProduct| {
        let description = found.product_description.as_deref().unwrap_or_default();
        let (quantity, positions, serials) = (found.quantity.millionths(), found.positions, found.serials);
        format!("{} {description} {quantity} {positions} {serials}", found.product_key)
    };
    for root in ["A", INSIDE] {
        let wanted = inventory::Wanted::within(key(root));
        let list = async |tx: &mut Tx, page: &Page| inventory::by_product(tx, &wanted, page).await;
        assert_eq!(shown(tx, list, show).await?, ["K2 What A-1 is 3000000 1 0", "P Wheel 7000000 2 5"], "{root}");
        let short = inventory::below_minimum(tx, &wanted).await?;
        let short: Vec<String> = short.iter().map(show).collect();
        assert_eq!(short, ["K2 What A-1 is 3000000 1 0", "K3 What B-1 is 0 0 0"], "{root}");
    }
    Ok(())
}

async fn assignments_come_by_target(tx: &mut Tx) -> Result<(), StoreError> {
    let show = |view: &assignments::AssignmentView| {
        let at = view.extra.get("at").map(ToString::to_string).unwrap_or_default();
        format!("{} {} {at}", view.key.0, view.target_code)
    };
    let first = |first: Option<CountType>| {
        let wanted = assignments::Wanted { first, ..assignments::Wanted::default() };
        async move |tx: &mut Tx, page: &Page| assignments::list(tx, &wanted, page).await
    };
    let places = texts(by_code(2), |at| format!("{} Code {} {at}", 200 + at, PLACES - 1 - at % PLACES));
    let [one, other] = ["191 A-1 ", "190 P-1 "].map(|text| vec![text.to_owned()]);
    let both = [one.clone(), other.clone()].concat();
    assert_eq!(shown(tx, first(None), show).await?, [one, places.clone(), other].concat());
    assert_eq!(shown(tx, first(Some(CountType::Product)), show).await?, [both.clone(), places.clone()].concat());
    assert_eq!(shown(tx, first(Some(CountType::Position)), show).await?, [places, both].concat());
    let of_session = assignments::views_of_session(tx, SESSION).await?;
    let of_session: Vec<String> = of_session.iter().map(show).collect();
    assert_eq!(of_session, texts(by_code(1), |at| format!("{} Code {} {at}", 200 + at, PLACES - 1 - at)));
    Ok(())
}

async fn records_come_by_position(tx: &mut Tx) -> Result<(), StoreError> {
    let show = |view: &views::RecordView| {
        let notes = view.record.notes.clone().unwrap_or_default();
        format!("{} {} {notes}", view.record.key.0, view.position_code)
    };
    let records = texts(by_code(ROUNDS), |number| {
        format!("{} Code {} note {number}", 300 + number, PLACES - 1 - number % PLACES)
    });
    let of_product = views::Wanted { product_key: Some(ProductKey::trusted("P")), ..views::Wanted::default() };
    for wanted in [views::Wanted::default(), of_product] {
        let list = async |tx: &mut Tx, page: &Page| views::list(tx, &wanted, page).await;
        assert_eq!(shown(tx, list, show).await?, records);
        let mut exported = Vec::new();
        views::each(tx, &wanted, |view| {
            exported.push(show(&view));
            Ok::<_, StoreError>(())
        })
        .await?;
        assert_eq!(exported, records);
    }
    Ok(())
}

async fn movement_lists_come_by_day(tx: &mut Tx) -> Result<(), StoreError> {
    let show = |view: &list_views::ListView| format!("{} {} {}", view.due_by, view.code, view.extra["at"]);
    let wanted = list_views::Wanted { keys: (400..410).collect(), ..list_views::Wanted::default() };
    let list = async |tx: &mut Tx, page: &Page| list_views::list(tx, &wanted, page).await;
    let days = [(1, 0..4), (2, 4..8), (3, 8..10)];
    let lists =
        days.into_iter().flat_map(|(day, at)| at.rev().map(move |at| format!("2026-01-0{day} L{} {at}", 9 - at)));
    assert_eq!(shown(tx, list, show).await?, lists.collect::<Vec<_>>());
    Ok(())
}

/// Movements into some of the places and out of others; some have not ended, and several end at once.
async fn add_movements(tx: &mut Tx) -> Result<(), StoreError> {
    for number in 0..MOVEMENTS {
        let (status, end) = match ended(number) {
            Some(end) => ("completed", Some(end)),
            None => ("planned", None),
        };
        let row = "insert into movement (
                       key, type, status, from_key, to_key, product_id, qt_planned, qt_confirmed, owned, created, start_at, end_at,
                       user_key
                   )
                   values ($1, 'transfer', $2, $3, $4, 1, 1, $5, true, 1, $6, $6, 'mario')";
        let places = [number % 4, 4 + number % 3].map(|place| format!("p{place}"));
        let [from, to] = &places;
        tx.run(Sql::raw(row), &params![500 + number, status, from, to, i64::from(end.is_some()), end]).await?;
    }
    Ok(())
}

const MOVEMENTS: i64 = 40;

fn ended(number: i64) -> Option<i64> {
    (number % 7 > 0).then_some(1_000 + number * 5 % 8)
}

async fn movements_of_places_come_by_their_end(tx: &mut Tx) -> Result<(), StoreError> {
    let mut numbers: Vec<i64> = (0..MOVEMENTS).collect();
    numbers.sort_by_key(|number| std::cmp::Reverse((ended(*number).unwrap_or(i64::MAX), *number)));
    let show = |view: &movement_views::MovementView| view.key.0.to_string();
    for below_too in [true, false] {
        let place = if below_too { "A" } else { "p2" };
        let side = || Some(movement_views::Side { key: key(place), below_too });
        let wanted = movement_views::Wanted { from: side(), ..Default::default() };
        let from = async |tx: &mut Tx, page: &Page| movement_views::list(tx, &wanted, page).await;
        let there = numbers.iter().filter(|number| below_too || **number % 4 == 2);
        assert_eq!(shown(tx, from, show).await?, texts(there.copied(), |number| (500 + number).to_string()));
    }
    Ok(())
}

/// Products in the trash with the codes of others, at the same places and at others.
async fn add_stock_with_codes_of_others(tx: &mut Tx) -> Result<(), StoreError> {
    let named_alike = [(4, "P-1"), (5, "p-1"), (6, "a-1")];
    let all: Vec<_> =
        named_alike.iter().map(|(id, code)| products::Product { trash: true, ..product(*id, code, 1) }).collect();
    products::save(tx, &all).await?;
    for (number, (product, place)) in [(4, "p0"), (4, "p9"), (5, "p0"), (5, "p7"), (6, "p0")].into_iter().enumerate() {
        let pair = "insert into stock_pair (product_id, position_key) values ($1, $2)";
        tx.run(Sql::raw(pair), &params![ProductId(product), place]).await?;
        let row = "insert into stock (key, product_id, position_key, quantity) values ($3, $1, $2, 1)";
        tx.run(Sql::raw(row), &params![ProductId(product), place, 120 + number as i64]).await?;
    }
    Ok(())
}

async fn stock_comes_by_codes(tx: &mut Tx) -> Result<(), StoreError> {
    let show = |row: &inventory::Stocked| format!("{} {} {}", row.product_code, row.position_code, row.key.0);
    let of = |serials_only| inventory::Wanted { serials_only, ..inventory::Wanted::within(key(INSIDE)) };
    let units: Vec<String> = (0..UNITS).map(|unit| format!("P-1 Code 9 {}", 100 + unit)).collect();
    let list = async |tx: &mut Tx, page: &Page| inventory::list(tx, &of(true), page).await;
    assert_eq!(shown(tx, list, show).await?, units);
    let list = async |tx: &mut Tx, page: &Page| inventory::list(tx, &of(false), page).await;
    let rest = ["P-1 Code 9 110", "P-1 Code 9 120", "p-1 Code 2 123", "p-1 Code 9 122"].map(ToOwned::to_owned);
    let first = ["A-1 Code 9 111", "a-1 Code 9 124", "P-1 Code 0 121", "P-1 Code 2 112"].map(ToOwned::to_owned);
    assert_eq!(shown(tx, list, show).await?, [first.to_vec(), units, rest.to_vec()].concat());
    Ok(())
}

/// So many units that they are counted place by place, of three products with almost the same code.
async fn add_many_units(tx: &mut Tx) -> Result<(), StoreError> {
    const MANY: i64 = 1_200;
    let units: Vec<Serial> = (0..MANY)
        .map(|number| Serial {
            code: (number % 3 > 0).then(|| format!("S{}", number * 7 % MANY)),
            ..serial(1_000 + number)
        })
        .collect();
    serials::insert_all(tx, &units, &Default::default()).await?;
    let places = [(1, ["p1", "p7"]), (4, ["p0", "p9"]), (5, ["p7", "p0"])];
    for number in 0..MANY {
        let (product, places) = places[number as usize / 2 % 3];
        let row =
            "insert into stock (key, product_id, position_key, serial_key, quantity) values ($1, $2, $3, $1, 1000000)";
        tx.run(Sql::raw(row), &params![1_000 + number, ProductId(product), places[number as usize % 2]]).await?;
    }
    Ok(())
}

/// A page of many is the same part of the whole, which is sorted as a whole.
async fn pages_of_many_units_are_parts_of_the_whole(tx: &mut Tx) -> Result<(), StoreError> {
    for serials_only in [false, true] {
        let wanted = inventory::Wanted { serials_only, ..inventory::Wanted::within(key(INSIDE)) };
        let keys = async |tx: &mut Tx, limit, offset| {
            let found = inventory::list(tx, &wanted, &Page { limit, offset, count: false }).await?;
            Ok::<Vec<i64>, StoreError>(found.rows.iter().map(|row| row.key.0).collect())
        };
        let whole = keys(tx, 5_000, 0).await?;
        assert!(whole.len() > 1_200);
        for limit in [29, 200] {
            for (number, part) in whole.chunks(limit).enumerate() {
                assert_eq!(keys(tx, limit as i64, (number * limit) as i64).await?, part, "page {number} of {limit}");
            }
        }
        assert!(keys(tx, 29, whole.len() as i64).await?.is_empty());
    }
    Ok(())
}

#[test]
fn pages_follow_each_other() {
    super::on_both(async |db| {
        db.write("fill", fill).await.unwrap();
        let read = async |tx: &mut Tx| {
            positions_come_by_code(tx).await?;
            contents_have_the_descriptions_of_their_products(tx).await?;
            sums_come_by_product(tx).await?;
            assignments_come_by_target(tx).await?;
            records_come_by_position(tx).await?;
            movement_lists_come_by_day(tx).await
        };
        db.read(read).await.unwrap();
        db.write("add movements", add_movements).await.unwrap();
        db.read(movements_of_places_come_by_their_end).await.unwrap();
        db.write("add stock", add_stock_with_codes_of_others).await.unwrap();
        db.read(stock_comes_by_codes).await.unwrap();
        db.write("add more", add_many_units).await.unwrap();
        db.read(pages_of_many_units_are_parts_of_the_whole).await.unwrap();
    });
}
