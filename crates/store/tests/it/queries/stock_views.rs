//! Stock, movements and their lists as they are read.

use domain::Timestamp;
use domain::key::{MovementListKey, PositionKey, ProductKey};
use domain::search::Pattern;
use domain::warehouse::movement::{ListStatus, MovementType};
use domain::warehouse::{INSIDE, OUTSIDE};
use store::warehouse::inventory::{self, Wanted};
use store::warehouse::latest::{self, Recent};
use store::warehouse::list_views::{self, Counts};
use store::warehouse::movement_views::{self, Side};
use store::warehouse::{links, positions, verify};
use store::{Db, Page, Sql, StoreError, Tx, params};

use super::run;
use super::samples::{NOW, PAGE, one, text, user};
use super::warehouse::{link, position};

const LIST: MovementListKey = MovementListKey(21);
/// More positions than are looked up one by one, and than are looked for by their codes.
const POSITIONS: i64 = 520;

fn key(text: &str) -> PositionKey {
    PositionKey::trusted(text)
}

/// What `warehouse` has put into A1 came by two movements; another is planned, and one was canceled. Many positions are in B.
async fn fill(tx: &mut Tx) -> Result<(), StoreError> {
    let list = "insert into movement_list (key, code, code_folded, type, status, due_by, created, refers_to)
                values (21, 'L-1', 'l-1', 'shipment', 'started', '2026-01-02', 1, '{\"sales_doc\":\"S\"}')";
    tx.run(Sql::raw(list), &[]).await?;
    let movements = [
        "insert into movement (
             key, type, status, from_key, to_key, product_id, qt_planned, qt_confirmed, owned, created, start_at, end_at,
             work_order_key, user_key
         )
         values (31, 'receipt', 'completed', 'OUT', 'A1', 1, 500000, 500000, true, 1, 1, 1, 1, 'mario')",
        "insert into movement (
             key, type, status, from_key, to_key, product_id, serial_key, qt_planned, qt_confirmed, owned, created, start_at,
             end_at, user_key
         )
         select 32, 'receipt', 'completed', 'OUT', 'A1', product_id, serial_key, quantity, quantity, true, 1, 2, 2, 'mario'
         from stock
         where serial_key is not null and position_key = 'A1'",
        "insert into movement (
             key, type, status, from_key, to_key, product_id, qt_planned, qt_confirmed, owned, created, movement_list_key,
             movement_list_item, user_key
         )
         values (33, 'shipment', 'planned', 'A1', 'OUT', 1, 1, 0, true, 1, 21, 2, 'mario')",
        "insert into movement (
             key, type, status, from_key, to_key, product_id, qt_planned, qt_confirmed, owned, created, end_at, movement_list_key,
             movement_list_item, user_key
         )
         values (34, 'shipment', 'canceled', 'A1', 'OUT', 1, 1, 0, true, 1, 3, 21, 1, 'mario')",
        "update product set minimum_stock_qt = 2000000, unit = 'm' where id = 1",
    ];
    for statement in movements {
        tx.run(Sql::raw(statement), &[]).await?;
    }
    let names: Vec<String> = (0..POSITIONS).map(|number| format!("B{number}")).collect();
    let mut all = vec![position("B")];
    all.extend(names.iter().map(|name| position(name)));
    positions::save(tx, &all).await?;
    let mut into = vec![link(1_000, "B", INSIDE)];
    into.extend(names.iter().enumerate().map(|(number, name)| link(1_001 + number as i64, name, "B")));
    links::insert_all(tx, &into).await
}

async fn read(tx: &mut Tx) -> Result<(), StoreError> {
    let all = inventory::list(tx, &Wanted::within(key(INSIDE)), &PAGE).await?;
    let keys: Vec<i64> = all.rows.iter().map(|row| row.key.0).collect();
    assert_eq!((keys, all.total), (vec![4, 5], Some(2)));
    assert_eq!((all.rows[0].quantity, all.rows[0].unit.as_str()), (one(500_000), "m"));
    let later = Page { offset: 1, ..PAGE };
    let second = inventory::list(tx, &Wanted::within(key(INSIDE)), &later).await?;
    assert_eq!((second.rows[0].key.0, second.rows.len(), second.total), (5, 1, Some(2)));
    let sums = inventory::by_product(tx, &Wanted::within(key("A")), &PAGE).await?;
    assert_eq!((sums.rows[0].quantity.millionths(), sums.rows[0].positions, sums.rows[0].serials), (1_500_000, 1, 1));
    let sums = inventory::by_position(tx, &Wanted::within(key("A1")), &PAGE).await?;
    assert_eq!((sums.rows[0].quantity.millionths(), sums.rows[0].products, sums.total), (1_500_000, 1, Some(1)));
    let sums = inventory::by_product(tx, &Wanted::within(key(INSIDE)), &PAGE).await?;
    assert_eq!((sums.rows[0].quantity.millionths(), sums.rows[0].positions, sums.total), (1_500_000, 1, Some(1)));
    let sums = inventory::by_position(tx, &Wanted::within(key(INSIDE)), &PAGE).await?;
    assert_eq!((sums.rows[0].position_key.as_str(), sums.rows.len(), sums.total), ("A1", 1, Some(1)));
    let of_product = Wanted { product_key: Some(ProductKey::trusted("P")), ..Wanted::within(key(INSIDE)) };
    assert_eq!(inventory::by_position(tx, &of_product, &PAGE).await?.rows[0].products, 1);
    for (pattern, found) in [("code a*", 2), ("code b*", 0), ("*", 2)] {
        let named = Wanted { position_code: Some(Pattern::wildcard(pattern)), ..Wanted::within(key(INSIDE)) };
        assert_eq!(inventory::list(tx, &named, &PAGE).await?.rows.len(), found, "{pattern}");
    }
    for nothing in ["B", OUTSIDE, "nowhere"] {
        assert!(inventory::list(tx, &Wanted::within(key(nothing)), &PAGE).await?.rows.is_empty(), "{nothing}");
    }

    let all = movement_views::list(tx, &movement_views::Wanted::default(), &PAGE).await?;
    let keys: Vec<i64> = all.rows.iter().map(|row| row.key.0).collect();
    assert_eq!((keys, all.total), (vec![33, 34, 32, 31], Some(4)), "planned first, then the latest end");
    let of_products = movement_views::Wanted { product_code: Some(Pattern::wildcard("*")), ..Default::default() };
    let merged = movement_views::list(tx, &of_products, &PAGE).await?;
    let keys: Vec<i64> = merged.rows.iter().map(|row| row.key.0).collect();
    assert_eq!((keys, merged.total), (vec![33, 34, 32, 31], Some(4)), "one product after the other, in the same order");
    let into = movement_views::Wanted { to: Some(Side { key: key("A"), below_too: true }), ..Default::default() };
    let merged = movement_views::list(tx, &into, &PAGE).await?;
    let keys: Vec<i64> = merged.rows.iter().map(|row| row.key.0).collect();
    assert_eq!((keys, merged.total), (vec![32, 31], Some(2)), "one position after the other, in the same order");
    let rows = movement_views::of_list(tx, LIST).await?;
    let keys: Vec<i64> = rows.iter().map(|row| row.key.0).collect();
    assert_eq!((keys, rows[0].movement_list_code.as_deref()), (vec![34, 33], Some("L-1")));
    let latest = latest::positions(tx, &Recent::default(), false, None).await?;
    assert_eq!(latest, [key("A1")]);
    let from = latest::positions(tx, &Recent::default(), true, Some(1)).await?;
    assert!(from.is_empty(), "OUT is not shown");

    let list = list_views::find(tx, LIST).await?.expect("it is there");
    assert_eq!(list.references.and_then(|references| references.sales_doc).as_deref(), Some("S"));
    let counts = list_views::counts(tx, &[LIST.0]).await?;
    assert_eq!(counts[&LIST], Counts { planned: 1, completed: 0, canceled: 1 });

    let compared = verify::compare(tx, None).await?;
    assert!(compared.is_right(), "{compared:?}");
    assert_eq!((compared.stock_rows, compared.movements), (2, 2));
    let asked = ["A1", "A", INSIDE, "nowhere"].map(str::to_owned);
    let ways = links::paths(tx, &asked).await?;
    let way = |to: &str| ways[&key(to)].iter().map(|step| step.key.clone()).collect::<Vec<PositionKey>>();
    assert_eq!((way("A1"), way(INSIDE)), (vec![key(INSIDE), key("A"), key("A1")], vec![key(INSIDE)]));
    assert_eq!((way("A"), ways.len()), (vec![key(INSIDE), key("A")], 3));
    assert_eq!(links::within(tx, &key("B")).await?.len(), POSITIONS as usize + 1);
    Ok(())
}

/// What stock is compared with shows in differences and problems.
async fn spoil(tx: &mut Tx) -> Result<(), StoreError> {
    tx.run(Sql::raw("update stock set quantity = $1 where key = 4"), &params![700_000_i64]).await?;
    tx.run(Sql::raw("update stock_pair set counting = true, count_by = 'mario'"), &[]).await?;
    let compared = verify::compare(tx, Some(&ProductKey::trusted("P"))).await?;
    let [difference] = compared.differences.as_slice() else { panic!("{compared:?}") };
    assert_eq!((difference.stock_quantity, difference.journal_quantity), (Some(one(700_000)), Some(one(500_000))));
    assert_eq!(compared.problems.iter().map(|problem| problem.kind.name()).collect::<Vec<_>>(), ["stale_flag"]);
    tx.run(Sql::raw("update stock set quantity = $1 where key = 4"), &params![500_000_i64]).await?;
    tx.run(Sql::raw("update stock_pair set counting = false, count_by = null"), &[]).await.map(|_| ())
}

fn stock() -> Wanted {
    Wanted {
        root: key("A"),
        position_key: Some(key("A1")),
        position_code: Some(Pattern::wildcard("code*")),
        product_key: Some(ProductKey::trusted("P")),
        product_code: Some(Pattern::wildcard("p*")),
        serials_only: true,
        serial_code: Some(Pattern::wildcard("s*")),
        serial_keys: vec![1],
        owned: Some(true),
    }
}

fn movements() -> movement_views::Wanted {
    let pattern = Some(Pattern::wildcard("code*1"));
    movement_views::Wanted {
        kind: Some(MovementType::Shipment),
        status: Some(ListStatus::Planned),
        without_planned: true,
        without_completed: true,
        start_from: Some(NOW),
        start_to: Some(NOW),
        end_from: Some(NOW),
        end_to: Some(Timestamp::from_millis(2_000)),
        product_key: Some(ProductKey::trusted("P")),
        product_code: pattern.clone(),
        serial_code: pattern.clone(),
        list_code: pattern.clone(),
        wo_code: pattern,
        serial_keys: vec![1],
        list_keys: vec![LIST.0],
        from: Some(Side { key: key("B"), below_too: true }),
        to: Some(Side { key: key("A"), below_too: true }),
        either_side: true,
    }
}

fn lists() -> list_views::Wanted {
    list_views::Wanted {
        search: Some(Pattern::substring("l-1")),
        keys: vec![LIST.0],
        statuses: vec![ListStatus::Started],
        kind: Some(MovementType::Shipment),
        product_keys: text("P"),
        product_codes: text("P-1"),
        due_from: Some("2026-01-02".to_owned()),
        due_to: Some("2026-01-02".to_owned()),
        open_only: true,
    }
}

pub(super) async fn run(db: &Db) {
    db.write("fill stock", fill).await.unwrap();
    db.write("read stock", read).await.unwrap();
    db.write("spoil stock", spoil).await.unwrap();
    assert_eq!(movement_views::ordered_statements().len(), 15);
    assert!(movement_views::merged_statements().iter().all(|(text, _)| text.contains("union all")));
    let [first, ..] = inventory::page_statements(false);
    assert!(first.0.contains("product.code_folded"));
    let recent = || Recent { user_key: Some(user()), kind: Some(MovementType::Receipt) };
    run!(db, tx:
        inventory::list(tx, &stock(), &PAGE),
        inventory::list(tx, &Wanted::within(key("B")), &PAGE),
        inventory::by_product(tx, &stock(), &PAGE),
        inventory::by_position(tx, &stock(), &PAGE),
        inventory::below_minimum(tx, &stock()),
        movement_views::list(tx, &movements(), &PAGE),
        latest::positions(tx, &recent(), false, Some(1)),
        latest::products(tx, &recent(), None),
        list_views::list(tx, &lists(), &PAGE),
        positions::with_keys(tx, &text("A1")),
    );
}
