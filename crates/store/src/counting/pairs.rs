//! What counts mark and ask of products at positions. Whoever sets or clears marks has locked the pairs ([`stock::lock`]).

use std::collections::{BTreeSet, HashMap};

use domain::counting::{Content, Known, KnownPair, KnownSerial};
use domain::key::{CountRecordKey, CountSessionKey, PositionKey, ProductId, SerialKey};
use domain::warehouse::stock::Pair;
use domain::{Quantity, Timestamp};

use crate::row::row_struct;
use crate::sql::sql;
use crate::tx::Tx;
use crate::warehouse::stock::{self, AT_ONCE, rows_of};
use crate::{Result, params};

/// Somebody counts a pair from now on.
pub async fn set_counting(tx: &mut Tx, pair: &Pair, record: CountRecordKey) -> Result<()> {
    let sql = sql!("update stock_pair set counting = true, count_by = $3 where product_id = $1 and position_key = $2");
    tx.run_later(sql, &params![pair.product_id, &pair.position_key, record.to_string()]).await
}

/// Nobody counts a pair any more; if the count was completed, it is noted when.
pub async fn free(tx: &mut Tx, pair: &Pair, counted: Option<Timestamp>) -> Result<()> {
    let sql = sql!(
        "update stock_pair
         set counting = false, count_by = null, last_counted = coalesce($3, last_counted)
         where product_id = $1 and position_key = $2"
    );
    tx.run_later(sql, &params![pair.product_id, &pair.position_key, counted]).await
}

/// Notes when pairs were counted that nobody had marked; those made with it ([`stock::lock_counted`]) have it already.
pub async fn note_counted(tx: &mut Tx, pairs: &BTreeSet<Pair>, at: Timestamp) -> Result<()> {
    let all: Vec<&Pair> = pairs.iter().collect();
    for some in all.chunks(AT_ONCE) {
        let sql = sql!(
            "update stock_pair
             set last_counted = $2
             from {rows $1 product_id position_key}
             where stock_pair.product_id = cast(listed.product_id as {int})
             and stock_pair.position_key = listed.position_key
             and coalesce(stock_pair.last_counted, -1) <> $2"
        );
        tx.run_later(sql, &params![&rows_of(some), at]).await?;
    }
    Ok(())
}

/// A session corrects pairs from now on.
pub async fn lock_for(tx: &mut Tx, session: CountSessionKey, pairs: &BTreeSet<Pair>) -> Result<()> {
    let all: Vec<&Pair> = pairs.iter().collect();
    for some in all.chunks(AT_ONCE) {
        let sql = sql!(
            "update stock_pair
             set locked = true, locked_by = $2
             from {rows $1 product_id position_key}
             where stock_pair.product_id = cast(listed.product_id as {int})
             and stock_pair.position_key = listed.position_key"
        );
        tx.run_later(sql, &params![&rows_of(some), session]).await?;
    }
    Ok(())
}

/// A session is done with pairs. If it has corrected what lies there without serials, other counts are told by their number.
pub async fn unlock(tx: &mut Tx, session: CountSessionKey, pairs: &BTreeSet<Pair>, corrected: bool) -> Result<()> {
    let all: Vec<&Pair> = pairs.iter().collect();
    for some in all.chunks(AT_ONCE) {
        let sql = sql!(
            "update stock_pair
             set locked = false, locked_by = null, corrections = corrections + $3
             from {rows $1 product_id position_key}
             where stock_pair.product_id = cast(listed.product_id as {int})
             and stock_pair.position_key = listed.position_key
             and coalesce(stock_pair.locked_by, 0) = $2"
        );
        // An index on who has locked it would be read for each of the listed pairs.
        tx.run_later(sql, &params![&rows_of(some), session, i64::from(corrected)]).await?;
    }
    Ok(())
}

/// The pairs that a session counts or corrects, to be locked before they are cleared.
pub async fn marked(tx: &mut Tx, session: CountSessionKey) -> Result<BTreeSet<Pair>> {
    let sql = sql!(
        "select product_id, position_key from count_record where session_key = $1 and status = 'started'
         union
         select product_id, position_key from stock_pair where locked_by = $1 and locked_by is not null"
    );
    Ok(pairs(tx.all(sql, &params![session]).await?))
}

fn pairs(found: Vec<(ProductId, PositionKey)>) -> BTreeSet<Pair> {
    found.into_iter().map(|(product_id, position_key)| Pair { product_id, position_key }).collect()
}

/// Takes all marks of a session away, before its open records are removed.
pub async fn clear(tx: &mut Tx, session: CountSessionKey) -> Result<()> {
    let counting = sql!(
        "update stock_pair
         set counting = false, count_by = null
         from count_record
         where count_record.session_key = $1 and count_record.status = 'started'
         and stock_pair.product_id = count_record.product_id
         and stock_pair.position_key = count_record.position_key"
    );
    tx.run_later(counting, &params![session]).await?;
    let locked =
        sql!("update stock_pair set locked = false, locked_by = null where locked_by = $1 and locked_by is not null");
    tx.run_later(locked, &params![session]).await
}

/// The pairs of rows of stock.
pub async fn of_stock(tx: &mut Tx, keys: &[i64]) -> Result<BTreeSet<Pair>> {
    let sql = sql!("select distinct product_id, position_key from stock where key {in $1}");
    Ok(pairs(tx.all(sql, &params![keys.to_vec()]).await?))
}

/// The products that lie directly at a position.
pub async fn products_at(tx: &mut Tx, position: &PositionKey) -> Result<Vec<ProductId>> {
    let sql = sql!("select distinct product_id from stock where position_key = $1 order by product_id");
    tx.all(sql, &params![position]).await
}

/// What stock says of a pair.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StockOf {
    pub content: Content,
    /// How often counting sessions have corrected it.
    pub corrections: i64,
}

/// What stock says of pairs; each of them is there.
pub async fn stock_of(tx: &mut Tx, pairs: &BTreeSet<Pair>) -> Result<HashMap<Pair, StockOf>> {
    let mut found: HashMap<Pair, StockOf> = pairs.iter().map(|pair| (pair.clone(), StockOf::default())).collect();
    let all: Vec<&Pair> = pairs.iter().collect();
    for some in all.chunks(AT_ONCE) {
        let rows = sql!(
            "select stock.product_id, stock.position_key, stock.serial_key, stock.quantity
             from {rows $1 product_id position_key}
             cross join stock
             where stock.product_id = cast(listed.product_id as {int})
             and stock.position_key = listed.position_key"
        );
        let params = params![&rows_of(some)];
        let rows: Vec<(ProductId, PositionKey, Option<SerialKey>, Quantity)> = tx.all(rows, &params).await?;
        for (product_id, position_key, serial, quantity) in rows {
            let content = &mut found.entry(Pair { product_id, position_key }).or_default().content;
            match serial {
                Some(serial) => content.serials.extend([serial]),
                None => content.quantity = quantity,
            }
        }
        let corrections = sql!(
            "select stock_pair.product_id, stock_pair.position_key, stock_pair.corrections
             from {rows $1 product_id position_key}
             cross join stock_pair
             where stock_pair.product_id = cast(listed.product_id as {int})
             and stock_pair.position_key = listed.position_key
             and stock_pair.corrections > 0"
        );
        let corrections: Vec<(ProductId, PositionKey, i64)> = tx.all(corrections, &params).await?;
        for (product_id, position_key, number) in corrections {
            found.entry(Pair { product_id, position_key }).or_default().corrections = number;
        }
    }
    Ok(found)
}

row_struct! {
    pub struct PairRow {
        pub product_id: ProductId,
        pub position_key: PositionKey,
        pub quantity: Option<Quantity>,
        pub may_lack: bool,
        pub traced: bool,
        pub busy: bool,
        pub corrections: i64,
    }
}

row_struct! {
    pub struct SerialRow {
        pub key: SerialKey,
        pub product_id: Option<ProductId>,
        pub position_key: Option<PositionKey>,
        pub blocked: bool,
    }
}

/// All that decides whether a session can correct these pairs, where it has found these serials. The serials are locked, then
/// the pairs, together with those where the serials lie ([`places_of`]).
pub async fn known(tx: &mut Tx, session: CountSessionKey, pairs: &BTreeSet<Pair>, found: &[i64]) -> Result<Known> {
    let mut known = Known { serials: known_serials(tx, found).await?, ..Known::default() };
    let mut asked = pairs.clone();
    asked.extend(known.serials.values().filter_map(|serial| serial.pair.clone()));
    let all: Vec<&Pair> = asked.iter().collect();
    for some in all.chunks(AT_ONCE) {
        let sql = sql!(
            "select stock_pair.product_id, stock_pair.position_key, stock.quantity, product.allow_negative_inventory,
                    product.traceability_level is not null,
                    stock_pair.counting or (stock_pair.locked and stock_pair.locked_by <> $2), stock_pair.corrections
             from {rows $1 product_id position_key}
             cross join stock_pair
             join product on product.id = stock_pair.product_id
             left join stock on stock.product_id = stock_pair.product_id and stock.position_key = stock_pair.position_key
                  and stock.serial_key is null
             where stock_pair.product_id = cast(listed.product_id as {int})
             and stock_pair.position_key = listed.position_key"
        );
        for row in tx.all::<PairRow>(sql, &params![&rows_of(some), session]).await? {
            let PairRow { product_id, position_key, quantity, may_lack, traced, busy, corrections } = row;
            let quantity = quantity.unwrap_or_default();
            // What is traced has no number below zero.
            let may_lack = may_lack && !traced;
            let pair = KnownPair { quantity, may_lack, traced, busy, corrections };
            known.pairs.insert(Pair { product_id, position_key }, pair);
        }
    }
    Ok(known)
}

/// The pairs where these serials lie.
pub async fn places_of(tx: &mut Tx, serials: &[i64]) -> Result<BTreeSet<Pair>> {
    Ok(stock::of_serials(tx, serials).await?.iter().map(domain::warehouse::stock::Stock::pair).collect())
}

async fn known_serials(tx: &mut Tx, keys: &[i64]) -> Result<HashMap<SerialKey, KnownSerial>> {
    let mut known = HashMap::with_capacity(keys.len());
    for some in keys.chunks(AT_ONCE) {
        let sql = sql!(
            "select serial.key, stock.product_id, stock.position_key,
                    serial.deleted is not null or serial.scrapped is not null or serial.released is null
                    or exists (
                        select 1 from serial_link where serial_link.child_key = serial.key and not serial_link.replaced
                    )
             from serial
             left join stock on stock.serial_key = serial.key and stock.serial_key is not null
             where serial.key {in $1}"
        );
        for row in tx.all::<SerialRow>(sql, &params![some.to_vec()]).await? {
            let pair = row.product_id.zip(row.position_key);
            let pair = pair.map(|(product_id, position_key)| Pair { product_id, position_key });
            known.insert(row.key, KnownSerial { pair, blocked: row.blocked });
        }
    }
    Ok(known)
}
