//! Stock, and the pairs of product and position that are locked before it changes.

use std::collections::{BTreeSet, HashMap};

use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{CountSessionKey, PositionKey, ProductId};
use domain::warehouse::stock::{Mark, Rewrite, Stock};
use serde_json::{Value as Json, json};

use crate::columns::{self, Record, columns};
use crate::lock::Rows;
use crate::postgres::Turn;
use crate::row::row_struct;
use crate::sql::{Sql, sql};
use crate::tx::Tx;
use crate::{Result, params};

pub use domain::warehouse::stock::Pair;

columns! {
    Stock in stock {
        key,
        rev,
        product_id,
        position_key,
        serial_key,
        quantity,
        owned,
        negative_allowed,
    }
    kept { product_id, position_key, serial_key }
}

row_struct! {
    pub struct PairRow {
        pub product_id: ProductId,
        pub position_key: PositionKey,
        pub count_by: Option<String>,
        pub locked_by: Option<CountSessionKey>,
    }
}

impl PairRow {
    fn pair(&self) -> Pair {
        Pair { product_id: self.product_id, position_key: self.position_key.clone() }
    }

    fn mark(self) -> Option<(Pair, Mark)> {
        let pair = self.pair();
        match (self.count_by, self.locked_by) {
            (Some(by), _) => Some((pair, Mark::Counting(by))),
            (None, Some(by)) => Some((pair, Mark::Locked(by))),
            (None, None) => None,
        }
    }
}

/// So many pairs or rows go with one statement.
pub(crate) const AT_ONCE: usize = 2_000;

/// So few rows change faster one by one: a list has to be read, and PostgreSQL prepares all indexes for an insert.
const FEW: usize = 4;

/// Pairs as rows of a statement: their members are `product_id` and `position_key`.
pub(crate) fn rows_of(pairs: &[&Pair]) -> Json {
    let row = |pair: &&Pair| json!({ "product_id": pair.product_id.0, "position_key": pair.position_key });
    pairs.iter().map(row).collect()
}

/// Pairs that are locked, with what lies there.
#[derive(Debug, Default)]
pub struct Locked {
    /// Which of them counts have marked.
    pub marks: HashMap<Pair, Mark>,
    /// Their rows that have no serial.
    pub rows: Vec<Stock>,
}

/// Locks pairs in their order, making those that are not there yet, and reads their stock. Whatever changes stock does this before it
/// reads any.
pub async fn lock(tx: &mut Tx, pairs: &BTreeSet<Pair>) -> Result<Locked> {
    lock_or_make(tx, pairs, None).await
}

/// The same for pairs that are counted at this moment: those that are not there yet are made with it, since a row costs most
/// when the transaction that has made it changes it.
pub async fn lock_counted(tx: &mut Tx, pairs: &BTreeSet<Pair>, at: Timestamp) -> Result<Locked> {
    lock_or_make(tx, pairs, Some(at)).await
}

async fn lock_or_make(tx: &mut Tx, pairs: &BTreeSet<Pair>, counted: Option<Timestamp>) -> Result<Locked> {
    tx.take_turns_late(
        pairs.iter().map(|pair| Turn::of_record("stock_pair", (pair.product_id.0, &pair.position_key))),
    )?;
    let all: Vec<&Pair> = pairs.iter().collect();
    let mut locked = Locked::default();
    for some in all.chunks(AT_ONCE) {
        let (found, rows) = lock_known(tx, some).await?;
        if found.len() < some.len() {
            let known: BTreeSet<Pair> = found.iter().map(PairRow::pair).collect();
            let new: Vec<&Pair> = some.iter().copied().filter(|pair| !known.contains(*pair)).collect();
            make(tx, &rows_of(&new), counted).await?;
        }
        locked.marks.extend(found.into_iter().filter_map(PairRow::mark));
        locked.rows.extend(rows);
    }
    Ok(locked)
}

/// Makes pairs, which nothing marks, and where nothing lies. When another makes one of them meanwhile, this fails, and all runs again:
/// to lock that one now would be out of order, since pairs that come after it may be held. They are all made before that, in a
/// transaction of their own, so that no other can come first again, and then stay.
async fn make(tx: &mut Tx, rows: &Json, counted: Option<Timestamp>) -> Result<()> {
    let sql = sql!(
        "insert into stock_pair (product_id, position_key, last_counted)
         select cast(listed.product_id as {int}), listed.position_key, cast($2 as {int})
         from {rows $1 product_id position_key}"
    );
    let before = sql!(
        "insert into stock_pair (product_id, position_key)
         select product.id, position.key
         from {rows $1 product_id position_key}
         join product on product.id = cast(listed.product_id as {int})
         join position on position.key = listed.position_key
         where true
         order by product.id, position.key
         on conflict (product_id, position_key) do nothing"
    );
    let made = tx.run(sql, &params![rows, counted]).await;
    made.map(|_| ()).map_err(|error| error.run_first(before, params![rows].to_vec()))
}

/// What a transfer locks is spelled out: a list costs each engine more than the rows it finds.
async fn lock_known(tx: &mut Tx, pairs: &[&Pair]) -> Result<(Vec<PairRow>, Vec<Stock>)> {
    let (pairs_sql, stock_sql, params) = match pairs {
        [one, other] => {
            let params = params![one.product_id, &one.position_key, other.product_id, &other.position_key];
            (two_pairs(), of_two_pairs(), params.to_vec())
        }
        _ => (listed_pairs(), of_listed_pairs(), params![&rows_of(pairs)].to_vec()),
    };
    tx.locked_with((pairs_sql, &params), pairs.len(), (stock_sql, &params)).await
}

fn two_pairs() -> Sql {
    sql!(
        "select stock_pair.product_id, stock_pair.position_key, stock_pair.count_by, stock_pair.locked_by
         from (values (cast($1 as {int}), cast($2 as text)), (cast($3 as {int}), cast($4 as text))) as listed
         cross join stock_pair
         where stock_pair.product_id = listed.column1
         and stock_pair.position_key = listed.column2
         order by stock_pair.product_id, stock_pair.position_key
         {lock}"
    )
    .locked(Rows::StockPair)
}

fn listed_pairs() -> Sql {
    sql!(
        "select stock_pair.product_id, stock_pair.position_key, stock_pair.count_by, stock_pair.locked_by
         from {rows $1 product_id position_key}
         cross join stock_pair
         where stock_pair.product_id = cast(listed.product_id as {int})
         and stock_pair.position_key = listed.position_key
         order by stock_pair.product_id, stock_pair.position_key
         {lock}"
    )
    .locked(Rows::StockPair)
}

/// The rows of two pairs that have no serial.
fn of_two_pairs() -> Sql {
    sql!(
        "select stock.key, stock.rev, stock.product_id, stock.position_key, stock.serial_key, stock.quantity, stock.owned,
                stock.negative_allowed
         from (values (cast($1 as {int}), cast($2 as text)), (cast($3 as {int}), cast($4 as text))) as listed
         cross join stock
         where stock.product_id = listed.column1
         and stock.position_key = listed.column2
         and stock.serial_key is null"
    )
}

/// The same of any number of pairs.
fn of_listed_pairs() -> Sql {
    sql!(
        "select stock.key, stock.rev, stock.product_id, stock.position_key, stock.serial_key, stock.quantity, stock.owned,
                stock.negative_allowed
         from {rows $1 product_id position_key}
         cross join stock
         where stock.product_id = cast(listed.product_id as {int})
         and stock.position_key = listed.position_key
         and stock.serial_key is null"
    )
}

/// The rows of serials, wherever they lie.
pub async fn of_serials(tx: &mut Tx, keys: &[i64]) -> Result<Vec<Stock>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    Stock::select()
        .filter("stock.serial_key {in {}} and stock.serial_key is not null", keys.to_vec())
        .all(tx, "stock.key")
        .await
}

/// What a transfer changes, in one statement.
async fn change_two(tx: &mut Tx, rows: [&Stock; 2]) -> Result<()> {
    let sql = sql!(
        "update stock
         set rev = listed.column2, quantity = listed.column3, owned = listed.column4, negative_allowed = listed.column5
         from (
             values (cast($1 as {int}), cast($2 as {int}), cast($3 as {int}), cast($4 as {bool}), cast($5 as {bool})),
                    (cast($6 as {int}), cast($7 as {int}), cast($8 as {int}), cast($9 as {bool}), cast($10 as {bool}))
         ) as listed
         where stock.key = listed.column1"
    );
    let [one, other] = rows;
    let params = params![
        one.key,
        one.rev,
        one.quantity,
        one.owned,
        one.negative_allowed,
        other.key,
        other.rev,
        other.quantity,
        other.owned,
        other.negative_allowed,
    ];
    tx.run_later(sql, &params).await
}

/// Stores what has become of rows whose pairs are locked.
pub async fn rewrite(tx: &mut Tx, rewrite: &Rewrite) -> Result<()> {
    let Rewrite { removed, changed, made } = rewrite;
    let keys = removed.iter().chain(changed).chain(made).map(|row| row.key);
    keys.for_each(|key| tx.changed(Collection::IsInPosition, key));
    for some in removed.chunks(AT_ONCE) {
        let keys: Vec<i64> = some.iter().map(|row| row.key.0).collect();
        tx.run_later(sql!("delete from stock where key {in $1}"), &params![keys]).await?;
    }
    match &changed[..] {
        [one, other] if !tx.is_sole_writer() => change_two(tx, [one, other]).await?,
        few if few.len() <= FEW => {
            for row in few {
                columns::update_later(tx, row).await?;
            }
        }
        many => {
            for some in many.chunks(AT_ONCE) {
                columns::replace_all_later(tx, some).await?;
            }
        }
    }
    for some in made.chunks(AT_ONCE) {
        columns::insert_all_later(tx, some).await?;
    }
    Ok(())
}
