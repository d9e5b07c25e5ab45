use std::collections::BTreeSet;

use domain::Quantity;
use domain::key::{
    BatchKey, MovementKey, MovementListKey, PositionKey, PositionLinkKey, ProductId, SerialKey, StockKey,
};
use domain::search::Pattern;
use domain::serial::Serial;
use domain::warehouse::movement::{ListStatus, MovementStatus, MovementType, References, Tally};
use domain::warehouse::stock::{Mark, Rewrite, Stock};
use domain::warehouse::{INSIDE, OUTSIDE, PositionData, RESERVED};
use serde_json::Map;
use store::serial::serials;
use store::warehouse::contents;
use store::warehouse::links::{self, PositionLink};
use store::warehouse::movement_lists::{self, MovementList};
use store::warehouse::movements::{self, Movement};
use store::warehouse::positions::{self, Position, Wanted};
use store::warehouse::stock::{self, Locked, Pair};
use store::{Db, Sql, StoreError, Tx, params};

use super::run;
use super::samples::{NOW, PAGE, text, user};
use super::serial::{kinds, serial};

fn key(text: &str) -> PositionKey {
    PositionKey::trusted(text)
}

pub(crate) fn position(text: &str) -> Position {
    Position {
        key: key(text),
        rev: 1,
        data: PositionData::new(format!("Code {text}")),
        created: NOW,
        updated: NOW,
        deleted: false,
        parent_key: None,
    }
}

pub(crate) fn link(number: i64, child: &str, parent: &str) -> PositionLink {
    PositionLink { key: PositionLinkKey(number), rev: 1, child_key: key(child), parent_key: key(parent) }
}

const UNCODED: i64 = 9_001;

/// A in IN, A1 and A2 in A; A1 holds some of the product P, and a serial of it.
async fn fill(tx: &mut Tx) -> Result<(), StoreError> {
    for reserved in RESERVED {
        positions::insert(tx, &position(reserved)).await?;
    }
    positions::insert(tx, &position("A")).await?;
    positions::save(tx, &[position("A1"), position("A2")]).await?;
    links::insert_all(tx, &[link(1, "A", INSIDE), link(2, "A1", "A"), link(3, "A2", "A")]).await?;
    let pair = Sql::raw("insert into stock_pair (product_id, position_key) values (1, 'A1')");
    tx.run(pair, &[]).await?;
    let stock = "insert into stock (key, product_id, position_key, serial_key, quantity) values ($1, 1, 'A1', $2, $3)";
    tx.run(Sql::raw(stock), &params![4_i64, None::<i64>, 500_000_i64]).await?;
    serials::insert_all(tx, &[Serial { code: None, ..serial(UNCODED) }], &kinds()).await?;
    tx.run(Sql::raw(stock), &params![5_i64, Some(UNCODED), 1_000_000_i64]).await.map(|_| ())
}

/// What is stored is read back, in its place.
async fn read(tx: &mut Tx) -> Result<(), StoreError> {
    let found = positions::find(tx, &key("A1")).await?.expect("it is there");
    assert_eq!((found.data, found.parent_key), (position("A1").data, Some(key("A"))));
    let way: Vec<PositionKey> = links::path(tx, &key("A1")).await?.into_iter().map(|step| step.key).collect();
    assert_eq!(way, [key("A"), key("A1")]);
    assert!(links::path(tx, &key(INSIDE)).await?.is_empty());
    let below: Vec<(PositionKey, PositionKey)> =
        links::below(tx, &key(INSIDE)).await?.into_iter().map(|node| (node.key, node.parent_key)).collect();
    assert_eq!(below, [(key("A"), key(INSIDE)), (key("A1"), key("A")), (key("A2"), key("A"))]);
    assert_eq!((links::height(tx, &key(INSIDE)).await?, links::height(tx, &key("A2")).await?), (2, 0));
    assert_eq!((links::children(tx, &key("A")).await?, contents::stock_rows(tx, &key("A1")).await?), (2, 2));
    assert_eq!(links::tree(tx).await?.parent(&key("A2")), Some(&key("A")));
    let held = contents::list(tx, &key("A1"), None, &PAGE).await?;
    let keys: Vec<i64> = held.rows.iter().map(|row| row.key).collect();
    assert_eq!((keys, held.total), (vec![4, 5], Some(2)), "the serial has no code");
    let mut exported = Vec::new();
    let all = Wanted { search: None, keys: Vec::new(), contains: None, fixed_only: false, ..wanted() };
    let all = Wanted { product_keys: Vec::new(), product_codes: Vec::new(), ..all };
    positions::each(tx, &all, |row| {
        exported.push((Some(row.code.clone()), row.parent_code.clone()));
        Ok::<_, StoreError>(())
    })
    .await?;
    let code = |text: &str| Some(format!("Code {text}"));
    assert_eq!(exported, [(code("A"), code(INSIDE)), (code("A1"), code("A")), (code("A2"), code("A"))]);
    assert_eq!(positions::taken_codes(tx, &text("CODE a")).await?, text("CODE a").into_iter().collect());
    Ok(())
}

fn wanted() -> Wanted {
    Wanted {
        is_in: key(INSIDE),
        search: Some(Pattern::wildcard("code*")),
        keys: text("A1"),
        contains: Some(key("A2")),
        product_keys: text("P"),
        product_codes: text("P-1"),
        fixed_only: true,
    }
}

pub(crate) const LIST: MovementListKey = MovementListKey(70);

pub(crate) fn list() -> MovementList {
    MovementList {
        key: LIST,
        rev: 1,
        code: "W-1".to_owned(),
        kind: MovementType::Shipment,
        status: ListStatus::Planned,
        due_by: "2026-03-01".to_owned(),
        created: NOW,
        start_at: None,
        end_at: None,
        closed: None,
        notes: None,
        refers_to: None,
        extra: Map::new(),
    }
}

/// A planned shipment from A1, in the list.
fn movement(number: i64) -> Movement {
    Movement {
        key: MovementKey(number),
        rev: 1,
        kind: MovementType::Shipment,
        status: MovementStatus::Planned,
        from_key: key("A1"),
        to_key: key(OUTSIDE),
        product_id: Some(ProductId(1)),
        serial_key: None,
        qt_planned: Quantity::ONE,
        qt_confirmed: Quantity::ZERO,
        owned: true,
        owner_open: true,
        created: NOW,
        start_at: None,
        end_at: None,
        movement_list_key: Some(LIST),
        movement_list_item: Some(number),
        inverse_movement_key: None,
        origin_movement_key: None,
        work_order_key: None,
        job_key: None,
        batch_key: Some(BatchKey(1)),
        count_session_key: None,
        count_record_key: None,
        refers_to: Some(References { sales_doc: Some("S".to_owned()), ..References::default() }),
        reason: Some("why".to_owned()),
        user_key: user(),
        extra: Map::new(),
    }
}

fn pairs() -> BTreeSet<Pair> {
    ["A", "A1"].map(|place| Pair { product_id: ProductId(1), position_key: key(place) }).into_iter().collect()
}

/// Planned movements are carried out, taken back and counted.
async fn move_stock(tx: &mut Tx) -> Result<(), StoreError> {
    movement_lists::insert(tx, &list()).await?;
    movement_lists::lock_keys(tx, &[LIST.0]).await?;
    let mut list = movement_lists::lock(tx, LIST).await?.expect("it is there");
    let many: Vec<Movement> = (80..84).map(movement).collect();
    movements::insert_all(tx, &many).await?;
    assert_eq!(movements::last_item(tx, LIST).await?, 83);
    assert_eq!(movements::tally(tx, LIST).await?, Tally { planned: true, ..Tally::default() });
    assert_eq!(movements::planned_of_item(tx, LIST, 80, ProductId(1)).await?.len(), 1);
    assert!(!movements::item_has_another_product(tx, LIST, 80, Some(ProductId(1))).await?);
    assert!(movements::item_has_another_product(tx, LIST, 80, Some(ProductId(2))).await?);
    movements::lock_keys(tx, &[80]).await?;
    let mut done = movements::lock(tx, MovementKey(80)).await?.expect("it is there");
    assert_eq!(done.refers_to, movement(80).refers_to);
    (done.status, done.start_at, done.end_at) = (MovementStatus::Completed, Some(NOW), Some(NOW));
    assert!(movements::change_planned(tx, &mut done).await?);
    assert!(!movements::change_planned(tx, &mut done).await?, "it is not planned any more");
    assert!(movements::set_inverse(tx, MovementKey(80), MovementKey(81)).await?);
    assert!(!movements::set_inverse(tx, MovementKey(80), MovementKey(81)).await?, "only once");
    assert!(movements::remove_planned(tx, MovementKey(82)).await?);
    assert_eq!(movements::cancel_planned(tx, LIST, NOW).await?, 2);
    let ended = Tally { planned: false, completed: true, canceled: true, first_start: Some(NOW), last_end: Some(NOW) };
    assert_eq!(movements::tally(tx, LIST).await?, ended);
    assert_eq!(movements::of_batch(tx, BatchKey(1)).await?.len(), 3, "also the one that was reversed");
    movement_lists::set_state(tx, &mut list, ended.state()).await?;
    movement_lists::close(tx, &mut list, ListStatus::Completed, NOW).await?;
    assert_eq!(movement_lists::taken_codes(tx, MovementType::Shipment, &text("W-1")).await?.len(), 1);
    assert!(movements::find(tx, MovementKey(82)).await?.is_none());
    assert!(movements::find_all(tx, &[82]).await?.is_empty());
    Ok(())
}

/// Stock changes under the locks of its pairs.
async fn change_stock(tx: &mut Tx) -> Result<(), StoreError> {
    assert_eq!(positions::hold(tx, &text("A1")).await?.len(), 1);
    assert!(stock::lock(tx, &pairs()).await?.marks.is_empty());
    let mark = Sql::raw("update stock_pair set counting = true, count_by = 'c' where position_key = 'A'");
    tx.run(mark, &[]).await?;
    let Locked { marks, rows: found } = stock::lock(tx, &pairs()).await?;
    assert_eq!(marks.into_values().collect::<Vec<_>>(), [Mark::Counting("c".to_owned())]);
    assert_eq!(found.iter().map(|row| row.quantity.millionths()).collect::<Vec<_>>(), [500_000]);
    let serial = stock::of_serials(tx, &[UNCODED]).await?;
    assert_eq!(serial[0].serial_key, Some(SerialKey(UNCODED)));
    let changed = Stock { rev: 2, quantity: Quantity::ONE, ..found[0].clone() };
    let made = Stock { key: StockKey(6), position_key: key("A"), ..changed.clone() };
    let rewrite = Rewrite { removed: vec![serial[0].clone()], changed: vec![changed], made: vec![made] };
    stock::rewrite(tx, &rewrite).await?;
    assert!(stock::of_serials(tx, &[UNCODED]).await?.is_empty());
    let mut left = stock::lock(tx, &pairs()).await?.rows;
    left.sort_by_key(|row| row.key);
    assert_eq!(left, [rewrite.changed, rewrite.made].concat());
    // Two rows are written in another way than one.
    let otherwise = |row: &Stock| Stock { rev: 3, owned: false, negative_allowed: true, ..row.clone() };
    let both = Rewrite { changed: left.iter().map(otherwise).collect(), ..Rewrite::default() };
    stock::rewrite(tx, &both).await?;
    let mut left = stock::lock(tx, &pairs()).await?.rows;
    left.sort_by_key(|row| row.key);
    assert_eq!(left, both.changed);
    assert!(links::allows_consumption(tx, &key("A1")).await?);
    let barred = "update position set allow_consumption = false where key = 'A'";
    tx.run(Sql::raw(barred), &[]).await?;
    assert!(!links::allows_consumption(tx, &key("A1")).await?, "as the nearest that says so");
    Ok(())
}

pub(super) async fn run(db: &Db) {
    db.write("fill positions", fill).await.unwrap();
    db.write("read positions", read).await.unwrap();
    let other = Pattern::substring("p-1");
    run!(db, tx:
        positions::lock(tx, &key("A1")),
        positions::lock_codes(tx, &text("code a1")),
        positions::by_codes(tx, &text("code a1")),
        positions::list(tx, &wanted(), &PAGE),
        positions::update(tx, &position("A1")),
        positions::save(tx, &[position("A1"), position("A2")]),
        positions::delete(tx, &key("A2"), NOW),
        contents::busy_pairs(tx, &key("A1")),
        links::change_all(tx, &[(key("A2"), key(INSIDE))]),
        links::remove(tx, &key("A2")),
    );
    let searched =
        db.write("search contents", async move |tx: &mut Tx| contents::list(tx, &key("A1"), Some(&other), &PAGE).await);
    assert_eq!(searched.await.unwrap().rows.len(), 2, "both are of the product");
    // Taken back: others read what was there before.
    let moved =
        db.write("move stock", async |tx: &mut Tx| move_stock(tx).await.and(Err::<(), _>(StoreError::Outdated)));
    assert!(matches!(moved.await, Err(StoreError::Outdated)));
    let changed =
        db.write("change stock", async |tx: &mut Tx| change_stock(tx).await.and(Err::<(), _>(StoreError::Outdated)));
    assert!(matches!(changed.await, Err(StoreError::Outdated)));
}
