use std::collections::HashSet;

use domain::Timestamp;
use domain::collection::Collection;
use domain::key::PositionKey;
use domain::search::Pattern;
use domain::text::fold;
use domain::warehouse::{INSIDE, OUTSIDE, PositionData};

use super::links;
use crate::columns::{self, Record, columns};
use crate::lock::{Lock, Rows};
use crate::row::{FromRow, row_struct};
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, StoreError, params};

/// A position as it is stored.
#[derive(Debug, Clone)]
pub struct Position {
    pub key: PositionKey,
    pub rev: i64,
    pub data: PositionData,
    pub created: Timestamp,
    pub updated: Timestamp,
    pub deleted: bool,
    /// What it is in; none of a reserved or deleted one. Only links change it.
    pub parent_key: Option<PositionKey>,
}

columns! {
    Position in position {
        key,
        rev,
        created,
        updated,
        deleted,
    }
    within data: PositionData {
        code,
        owned,
        available,
        fixed,
        disposable,
        allow_consumption,
        extra,
    }
    read {
        parent_key = "(select position_link.parent_key from position_link where position_link.child_key = position.key)",
    }
    derived {
        code_folded: String = |position| fold(&position.data.code);
    }
    kept { created, deleted }
}

/// The live positions with these keys or codes: key, code.
pub async fn named(tx: &mut Tx, texts: &[String]) -> Result<Vec<(PositionKey, String)>> {
    let folded: Vec<String> = texts.iter().map(|text| fold(text)).collect();
    let sql = sql!("select key, code from position where (key {in $1} or code_folded {in $2}) and not deleted");
    tx.all(sql, &params![texts.to_vec(), folded]).await
}

/// Which of these live positions there are.
pub async fn which_exist(tx: &mut Tx, keys: &[String]) -> Result<Vec<PositionKey>> {
    tx.all(sql!("select key from position where key {in $1} and not deleted"), &params![keys.to_vec()]).await
}

/// A live one.
pub async fn find(tx: &mut Tx, key: &PositionKey) -> Result<Option<Position>> {
    Position::select().filter("position.key = {} and not position.deleted", key).maybe(tx).await
}

/// The live ones with these keys.
pub async fn with_keys(tx: &mut Tx, keys: &[String]) -> Result<Vec<Position>> {
    Position::select()
        .filter("position.key {in {}} and not position.deleted", keys.to_vec())
        .all(tx, "position.key")
        .await
}

/// A live one, for a change.
pub async fn lock(tx: &mut Tx, key: &PositionKey) -> Result<Option<Position>> {
    Position::select().filter("position.key = {} and not position.deleted", key).locked(Rows::Position).maybe(tx).await
}

/// Those that there are, deleted ones too: as long as the transaction lasts, others may move stock there as well, but nobody changes or
/// deletes a position. Locks on their rows would not do: many who share them would keep one from ever changing a position.
pub async fn hold(tx: &mut Tx, keys: &[String]) -> Result<Vec<Position>> {
    tx.lock_shared_in_turn(Lock::Positions).await?;
    Position::select().filter("position.key {in {}}", keys.to_vec()).all(tx, "position.key").await
}

/// Locks the live ones with these folded codes, in key order.
pub async fn lock_codes(tx: &mut Tx, folded: &[String]) -> Result<()> {
    let sql = sql!("select key from position where code_folded {in $1} and not deleted order by key {lock}")
        .locked(Rows::Position);
    tx.all::<PositionKey>(sql, &params![folded.to_vec()]).await.map(|_| ())
}

/// The live ones with these folded codes.
pub async fn by_codes(tx: &mut Tx, folded: &[String]) -> Result<Vec<Position>> {
    Position::select()
        .filter("position.code_folded {in {}} and not position.deleted", folded.to_vec())
        .all(tx, "position.key")
        .await
}

/// Which of these codes live positions have, ignoring case.
pub async fn taken_codes(tx: &mut Tx, codes: &[String]) -> Result<HashSet<String>> {
    let folded: Vec<String> = codes.iter().map(|code| fold(code)).collect();
    let sql = sql!("select code_folded from position where code_folded {in $1} and not deleted");
    let taken: HashSet<String> = tx.all::<String>(sql, &params![folded]).await?.into_iter().collect();
    Ok(codes.iter().filter(|code| taken.contains(&fold(code))).cloned().collect())
}

/// Which positions a list shows: those in one of them, at any depth; each other condition that is given narrows it.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub is_in: PositionKey,
    /// Of the code.
    pub search: Option<Pattern>,
    pub keys: Vec<String>,
    /// Only what this one is in, at any depth.
    pub contains: Option<PositionKey>,
    /// Only those with stock of one of these products.
    pub product_keys: Vec<String>,
    pub product_codes: Vec<String>,
    pub fixed_only: bool,
}

impl Wanted {
    /// Everything in a position.
    pub fn within(is_in: PositionKey) -> Self {
        Self {
            is_in,
            search: None,
            keys: Vec::new(),
            contains: None,
            product_keys: Vec::new(),
            product_codes: Vec::new(),
            fixed_only: false,
        }
    }

    /// A select of these columns of what is wanted, with its level.
    fn by_level(&self, columns: &str) -> Query {
        self.narrow(Query::new(&format!("select {columns}")).join(BELOW, &self.is_in).only("position.key = inside.id"))
    }

    /// A select of these columns of what is wanted. In the own warehouse is what is not outside: that is found sooner than the tree
    /// is walked.
    async fn select(&self, tx: &mut Tx, columns: &str) -> Result<Query> {
        if self.is_in.as_str() != INSIDE {
            return Ok(self.by_level(columns));
        }
        let outside = links::within(tx, &PositionKey::trusted(OUTSIDE)).await?;
        let outside: Vec<String> = outside.iter().map(ToString::to_string).collect();
        let all = Query::new(&format!("select {columns} from position"))
            .only("position.key not in ('IN', 'NULL')")
            .filter("not (position.key {in {}})", outside);
        Ok(self.narrow(all))
    }

    fn narrow(&self, query: Query) -> Query {
        let mut query = query
            .only("not position.deleted")
            .filter_if("{matches position code_folded {}}", self.search.clone().map(Value::Pattern))
            .filter_any("position.key {in {}}", &self.keys)
            .filter_if(ABOVE, self.contains.as_ref())
            .filter_any(HOLDS_KEY, &self.product_keys)
            .filter_any(HOLDS_CODE, &self.product_codes);
        if self.fixed_only {
            query = query.only("position.fixed");
        }
        query
    }
}

/// Everything below a position, with its level.
const BELOW: &str = "from (
        with recursive below (id, level) as (
            select position_link.child_key, cast(1 as {int})
            from position_link
            where position_link.parent_key = {}
            union all
            select next.child_key, below.level + 1
            from {along below position_link parent_key}
        )
        select below.id, below.level from below
    ) as inside
    cross join position";
const ABOVE: &str = "position.key in (
    with recursive above (id) as (
        select position_link.parent_key
        from position_link
        where position_link.child_key = {}
        union all
        select next.parent_key
        from {along above position_link child_key}
    )
    select above.id from above
)";
const HOLDS_KEY: &str = "position.key in (
    select stock.position_key from product cross join stock where product.key {in {}} and stock.product_id = product.id
)";
const HOLDS_CODE: &str = "position.key in (
    select stock.position_key from product cross join stock where product.code {in {}} and stock.product_id = product.id
)";

/// By code, which no two live ones share. Finds the keys of a page first: only what is on the page is read as a whole.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<Position>> {
    let found = keys(tx, wanted, page).await?;
    let keys = found.rows.iter().map(ToString::to_string).collect();
    let key_of = |position: &Position| position.key.to_string();
    let rows = Position::select().in_order(tx, "position.key", keys, key_of).await?;
    Ok(Paged { rows, total: found.total })
}

/// Their keys, by code.
pub async fn keys(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<PositionKey>> {
    wanted.select(tx, "position.key").await?.page(tx, "position.code_folded", page).await
}

row_struct! {
    /// A position as a table shows it. All of them are sorted: it has nothing large.
    pub struct TableRow {
        pub code: String,
        pub parent_code: Option<String>,
        pub owned: bool,
        pub available: bool,
        pub fixed: bool,
        pub disposable: bool,
        pub allow_consumption: Option<bool>,
    }
}

const TABLE_ROW: &str = "position.code,
    (
        select parent.code
        from position_link
        join position as parent on parent.key = position_link.parent_key
        where position_link.child_key = position.key
    ),
    position.owned, position.available, position.fixed, position.disposable, position.allow_consumption";

/// Hands over all of them, one at a time: those that contain others before these, each level by code.
pub async fn each<E: From<StoreError>>(
    tx: &mut Tx,
    wanted: &Wanted,
    mut take: impl FnMut(&TableRow) -> Result<(), E>,
) -> Result<(), E> {
    let (sql, params) = wanted.by_level(TABLE_ROW).ordered("inside.level, position.code_folded");
    tx.each(sql, &params, |row| take(&TableRow::from_row(row)?)).await
}

/// A taken key or code is a constraint error.
pub async fn insert(tx: &mut Tx, position: &Position) -> Result<()> {
    tx.changed(Collection::Position, &position.key);
    columns::insert(tx, position).await
}

/// What people write of a position that is locked; the caller raises its revision. A taken code is a constraint error.
pub async fn update(tx: &mut Tx, position: &Position) -> Result<()> {
    tx.changed(Collection::Position, &position.key);
    columns::update(tx, position).await
}

/// So many positions go with one statement.
const AT_ONCE: usize = 2_000;

/// Inserts new positions and replaces what people write of known ones, which are locked and whose revisions the caller has raised. A
/// taken key or code is a constraint error.
pub async fn save(tx: &mut Tx, positions: &[Position]) -> Result<()> {
    for some in positions.chunks(AT_ONCE) {
        some.iter().for_each(|position| tx.changed(Collection::Position, &position.key));
        columns::replace_all(tx, some).await?;
    }
    Ok(())
}

/// Marks a position that is locked as deleted; its revision rises, and its code is free.
pub async fn delete(tx: &mut Tx, key: &PositionKey, now: Timestamp) -> Result<()> {
    tx.changed(Collection::Position, key);
    let sql = sql!("update position set deleted = true, updated = $2, rev = rev + 1 where key = $1");
    tx.run(sql, &params![key, now]).await.map(|_| ())
}
