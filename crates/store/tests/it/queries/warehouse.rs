use domain::key::{PositionKey, PositionLinkKey};
use domain::search::Pattern;
use domain::serial::Serial;
use domain::warehouse::{INSIDE, PositionData, RESERVED};
use store::serial::serials;
use store::warehouse::contents;
use store::warehouse::links::{self, PositionLink};
use store::warehouse::positions::{self, Position, Wanted};
use store::{Db, Sql, StoreError, Tx, params};

use super::run;
use super::samples::{NOW, PAGE, text};
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
        exported.push((row.position.key.clone(), row.parent_code.clone()));
        Ok::<_, StoreError>(())
    })
    .await?;
    let code = |text: &str| Some(format!("Code {text}"));
    assert_eq!(exported, [(key("A"), code(INSIDE)), (key("A1"), code("A")), (key("A2"), code("A"))]);
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
}
