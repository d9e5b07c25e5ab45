//! Which position is in which.

use std::collections::HashMap;
use std::iter::successors;

use domain::collection::Collection;
use domain::key::{PositionKey, PositionLinkKey};
use domain::warehouse::PositionTree;
use serde_json::{Value as Json, json};

use crate::columns::{self, record};
use crate::row::row_struct;
use crate::sql::{Sql, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct PositionLink in position_link {
        pub key: PositionLinkKey,
        pub rev: i64,
        pub child_key: PositionKey,
        pub parent_key: PositionKey,
    }
    kept { child_key }
}

/// The statements that follow links to any depth: a test looks at how the engines carry them out.
pub fn deep_statements() -> [&'static str; 5] {
    [PATH, BELOW, HEIGHT, WITHIN, CONSUMPTION]
}

row_struct! {
    /// A step of the way to a position.
    pub struct Step {
        pub key: PositionKey,
        pub code: String,
    }
}

/// The way to a position: from the first level below the reserved one down to the position itself. A reserved one has none.
pub async fn path(tx: &mut Tx, key: &PositionKey) -> Result<Vec<Step>> {
    tx.all(Sql::from_literal(PATH), &params![key]).await
}

const PATH: &str = "with recursive up (child_key, id, level) as (
         select position_link.child_key, position_link.parent_key, cast(1 as {int})
         from position_link
         where position_link.child_key = $1
         union all
         select next.child_key, next.parent_key, up.level + 1
         from {along up position_link child_key}
     )
     select position.key, position.code
     from up
     cross join position
     where position.key = up.child_key
     order by up.level desc";

row_struct! {
    /// A position of a tree.
    pub struct Node {
        pub parent_key: PositionKey,
        pub key: PositionKey,
        pub code: String,
        pub fixed: bool,
        pub available: bool,
    }
}

/// Everything below a position, at any depth, by code.
pub async fn below(tx: &mut Tx, key: &PositionKey) -> Result<Vec<Node>> {
    tx.all(Sql::from_literal(BELOW), &params![key]).await
}

const BELOW: &str = "with recursive below (parent_key, id) as (
         select position_link.parent_key, position_link.child_key
         from position_link
         where position_link.parent_key = $1
         union all
         select next.parent_key, next.child_key
         from {along below position_link parent_key}
     )
     select below.parent_key, position.key, position.code, position.fixed, position.available
     from below
     cross join position
     where position.key = below.id
     order by position.code_folded, position.key";

/// A position and everything below it, at any depth; nothing if there is no such position.
pub async fn within(tx: &mut Tx, key: &PositionKey) -> Result<Vec<PositionKey>> {
    tx.all(Sql::from_literal(WITHIN), &params![key]).await
}

const WITHIN: &str = "with recursive inside (id) as (
         select position.key
         from position
         where position.key = $1
         union all
         select next.child_key
         from {along inside position_link parent_key}
     )
     select inside.id from inside";

/// These positions and everything below them, each once.
pub async fn within_all(tx: &mut Tx, keys: &[String]) -> Result<Vec<PositionKey>> {
    let sql = sql!(
        "with recursive inside (id) as (
             select position.key
             from position
             where position.key {in $1}
             union
             select next.child_key
             from {along inside position_link parent_key}
         )
         select inside.id from inside"
    );
    tx.all(sql, &params![keys.to_vec()]).await
}

/// A position on the way to others: its key, its code, and what it is in.
type OnTheWay = (PositionKey, String, Option<PositionKey>);

/// The ways to many positions: each from the reserved one down to the position itself. What several ways share is read once.
pub async fn paths(tx: &mut Tx, keys: &[String]) -> Result<HashMap<PositionKey, Vec<Step>>> {
    let sql = sql!(
        "with recursive up (id, holder) as (
             select position.key,
                    (select position_link.parent_key from position_link where position_link.child_key = position.key)
             from position
             where position.key {in $1}
             union
             select up.holder,
                    (select position_link.parent_key from position_link where position_link.child_key = up.holder)
             from up
             where up.holder is not null
         )
         select next.key, next.code, up.holder
         from {along up position key}"
    );
    let found: Vec<OnTheWay> = tx.all(sql, &params![keys.to_vec()]).await?;
    let found: HashMap<&str, &OnTheWay> = found.iter().map(|position| (position.0.as_str(), position)).collect();
    let ways = keys.iter().filter_map(|key| {
        let holder = *found.get(key.as_str())?;
        let up = successors(Some(holder), |(_, _, parent)| found.get(parent.as_ref()?.as_str()).copied());
        // Positions form no round; if they did, it would end here.
        let way = up.take(found.len()).map(|(key, code, _)| Step { key: key.clone(), code: code.clone() });
        let mut way: Vec<Step> = way.collect();
        way.reverse();
        Some((holder.0.clone(), way))
    });
    Ok(ways.collect())
}

/// How many levels there are below a position.
pub async fn height(tx: &mut Tx, key: &PositionKey) -> Result<i64> {
    tx.one(Sql::from_literal(HEIGHT), &params![key]).await
}

const HEIGHT: &str = "with recursive below (id, level) as (
         select position_link.child_key, cast(1 as {int})
         from position_link
         where position_link.parent_key = $1
         union all
         select next.child_key, below.level + 1
         from {along below position_link parent_key}
     )
     select coalesce(max(below.level), 0) from below";

/// Whether something may be consumed from a position: what it says itself, or the nearest that contains it and says so.
pub async fn allows_consumption(tx: &mut Tx, key: &PositionKey) -> Result<bool> {
    Ok(tx.maybe(Sql::from_literal(CONSUMPTION), &params![key]).await?.unwrap_or(true))
}

const CONSUMPTION: &str = "with recursive up (child_key, id, level) as (
         select position_link.child_key, position_link.parent_key, cast(1 as {int})
         from position_link
         where position_link.child_key = $1
         union all
         select next.child_key, next.parent_key, up.level + 1
         from {along up position_link child_key}
     )
     select position.allow_consumption
     from up
     cross join position
     where position.key = up.child_key and position.allow_consumption is not null
     order by up.level
     limit 1";

/// All of them.
pub async fn tree(tx: &mut Tx) -> Result<PositionTree> {
    let sql = sql!("select child_key, parent_key from position_link");
    Ok(tx.all::<(PositionKey, PositionKey)>(sql, &[]).await?.into_iter().collect())
}

/// How many positions are directly in one.
pub async fn children(tx: &mut Tx, key: &PositionKey) -> Result<i64> {
    tx.one(sql!("select count(*) from position_link where parent_key = $1"), &params![key]).await
}

/// So many links go with one statement.
const AT_ONCE: usize = 2_000;

/// Puts new positions into others.
pub async fn insert_all(tx: &mut Tx, links: &[PositionLink]) -> Result<()> {
    for some in links.chunks(AT_ONCE) {
        some.iter().for_each(|link| tx.changed(Collection::IsInPosition, link.key));
        columns::insert_all(tx, some).await?;
    }
    Ok(())
}

/// A position, and the one that it is in from now on.
pub type Move = (PositionKey, PositionKey);

/// Puts positions into others than before.
pub async fn change_all(tx: &mut Tx, moves: &[Move]) -> Result<()> {
    for some in moves.chunks(AT_ONCE) {
        let row = |(child, parent): &Move| json!({ "child_key": child, "parent_key": parent });
        let rows: Json = some.iter().map(row).collect();
        let sql = sql!(
            "update position_link
             set parent_key = listed.parent_key, rev = rev + 1
             from {rows $1 child_key parent_key}
             where position_link.child_key = listed.child_key
             returning key"
        );
        let changed: Vec<PositionLinkKey> = tx.all(sql, &params![&rows]).await?;
        changed.into_iter().for_each(|key| tx.changed(Collection::IsInPosition, key));
    }
    Ok(())
}

/// Takes a position out of the one that it is in.
pub async fn remove(tx: &mut Tx, child: &PositionKey) -> Result<()> {
    let sql = sql!("delete from position_link where child_key = $1 returning key");
    let gone: Vec<PositionLinkKey> = tx.all(sql, &params![child]).await?;
    gone.into_iter().for_each(|key| tx.changed(Collection::IsInPosition, key));
    Ok(())
}
