use std::collections::{HashMap, HashSet};

use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{BatchKey, LinkKey, MovementKey, ProductKey, SerialKey, UserKey};
use domain::serial::{Link, Parent};
use serde_json::{Value as Json, json};

use crate::columns::{self, Record, columns};
use crate::sql::{Sql, sql};
use crate::tx::Tx;
use crate::{Result, params};

columns! {
    Link in serial_link {
        key,
        rev,
        parent_key,
        parent_batch_key,
        child_key,
        component_key,
        wo_key,
        phase_key,
        job_key,
        batch_key,
        confirmed,
        replaced,
        reason,
        linked,
        linked_by,
        unlinked,
        unlinked_by,
        movement_key,
    }
    kept { parent_key, parent_batch_key, child_key }
}

/// The active link to a serial, temporary or not.
pub async fn active_of(tx: &mut Tx, child: SerialKey) -> Result<Option<Link>> {
    Link::select().filter("child_key = {} and not replaced", child).maybe(tx).await
}

/// The active links to several serials, temporary or not.
pub async fn active_to(tx: &mut Tx, children: &[i64]) -> Result<Vec<Link>> {
    Link::select().filter("child_key {in {}} and not replaced", children.to_vec()).all(tx, "key").await
}

/// When the last link to a serial ended that has ended.
pub async fn last_end(tx: &mut Tx, child: SerialKey) -> Result<Option<Timestamp>> {
    tx.one(sql!("select max(unlinked) from serial_link where child_key = $1"), &params![child]).await
}

/// When the last link to any of these serials ended that has ended.
pub async fn last_end_of(tx: &mut Tx, children: &[i64]) -> Result<Option<Timestamp>> {
    tx.one(sql!("select max(unlinked) from serial_link where child_key {in $1}"), &params![children.to_vec()]).await
}

/// The active links that start at a serial or a batch, in the order in which they were made.
pub async fn active_below(tx: &mut Tx, parent: Parent) -> Result<Vec<Link>> {
    match parent {
        Parent::Serial(key) => {
            Link::select()
                .filter("parent_key = {} and parent_key is not null and not replaced", key)
                .all(tx, "key")
                .await
        }
        Parent::Batch(key) => {
            let condition = "parent_batch_key = {} and parent_batch_key is not null and not replaced";
            Link::select().filter(condition, key).all(tx, "key").await
        }
    }
}

/// The active links of a batch and of its units that were made in it, in the order in which they were made. A part that was only built
/// into another unit meanwhile is none of its own.
pub async fn active_of_batch(tx: &mut Tx, batch: BatchKey) -> Result<Vec<Link>> {
    active_of_batches(tx, &[batch.0]).await
}

/// The same of several batches.
pub async fn active_of_batches(tx: &mut Tx, batches: &[i64]) -> Result<Vec<Link>> {
    let own = "parent_batch_key is not null or exists (
        select 1
        from batch_serial
        where batch_serial.batch_key = serial_link.batch_key and batch_serial.serial_key = serial_link.parent_key
    )";
    let condition = format!("batch_key {{in {{}}}} and batch_key is not null and not replaced and ({own})");
    Link::select().filter(&condition, batches.to_vec()).all(tx, "key").await
}

/// The active links that start at several serials, in the order in which they were made.
pub async fn active_below_all(tx: &mut Tx, parents: &[i64]) -> Result<Vec<Link>> {
    let condition = "parent_key {in {}} and parent_key is not null and not replaced";
    Link::select().filter(condition, parents.to_vec()).all(tx, "key").await
}

/// The temporary links of a batch, in the order in which they were made.
pub async fn temporary_of_batch(tx: &mut Tx, batch: BatchKey) -> Result<Vec<Link>> {
    let condition = "batch_key = {} and batch_key is not null and not replaced and not confirmed";
    Link::select().filter(condition, batch).all(tx, "key").await
}

/// How many units of each component several serials contain.
pub async fn counts_below(tx: &mut Tx, parents: &[i64]) -> Result<HashMap<(SerialKey, ProductKey), u64>> {
    let sql = sql!(
        "select parent_key, component_key, count(*)
         from serial_link
         where parent_key {in $1} and parent_key is not null and not replaced
         group by parent_key, component_key"
    );
    let counted: Vec<(SerialKey, ProductKey, i64)> = tx.all(sql, &params![parents.to_vec()]).await?;
    let counted = counted.into_iter();
    Ok(counted.map(|(parent, component, count)| ((parent, component), count.unsigned_abs())).collect())
}

/// A second active link to a serial is a constraint error.
pub async fn insert(tx: &mut Tx, link: &Link) -> Result<()> {
    tx.changed(Collection::Contains, link.key);
    columns::insert(tx, link).await
}

/// A second active link to a serial is a constraint error.
pub async fn insert_all(tx: &mut Tx, links: &[Link]) -> Result<()> {
    if links.is_empty() {
        return Ok(());
    }
    links.iter().for_each(|link| tx.changed(Collection::Contains, link.key));
    columns::insert_all(tx, links).await
}

/// Stores what may change of a link; its revision rises.
pub async fn save(tx: &mut Tx, link: &mut Link) -> Result<()> {
    link.rev += 1;
    tx.changed(Collection::Contains, link.key);
    columns::update(tx, link).await
}

/// Confirms temporary links; their revisions rise.
pub async fn confirm_all(tx: &mut Tx, links: &[i64], at: Timestamp, by: &UserKey) -> Result<()> {
    links.iter().for_each(|key| tx.changed(Collection::Contains, LinkKey(*key)));
    let sql = sql!(
        "update serial_link set confirmed = true, linked = $2, linked_by = $3, rev = rev + 1
         where key {in $1} and not confirmed"
    );
    tx.run(sql, &params![links.to_vec(), at, by]).await.map(|_| ())
}

/// Notes the movements that took children of links out of stock; the revisions of the links rise.
pub async fn set_movements(tx: &mut Tx, taken: &[(LinkKey, MovementKey)]) -> Result<()> {
    if taken.is_empty() {
        return Ok(());
    }
    taken.iter().for_each(|(link, _)| tx.changed(Collection::Contains, *link));
    let row = |(link, movement): &(LinkKey, MovementKey)| json!({ "key": link.0.to_string(), "movement": movement.0.to_string() });
    let rows: Json = taken.iter().map(row).collect();
    let sql = sql!(
        "update serial_link
         set movement_key = cast(listed.movement as {int}), rev = rev + 1
         from {rows $1 key movement}
         where serial_link.key = cast(listed.key as {int})"
    );
    tx.run(sql, &params![&rows]).await.map(|_| ())
}

/// Removes temporary links.
pub async fn remove_all(tx: &mut Tx, links: &[i64]) -> Result<()> {
    links.iter().for_each(|key| tx.changed(Collection::Contains, LinkKey(*key)));
    tx.run(sql!("delete from serial_link where key {in $1} and not confirmed"), &params![links.to_vec()])
        .await
        .map(|_| ())
}

/// Removes a temporary link.
pub async fn remove(tx: &mut Tx, key: LinkKey) -> Result<()> {
    tx.changed(Collection::Contains, key);
    tx.run(sql!("delete from serial_link where key = $1 and not confirmed"), &params![key]).await.map(|_| ())
}

/// What contains these serials, and what contains that, over links that had not ended at that moment: parents by child.
pub async fn above_all(tx: &mut Tx, serials: &[i64], at: Timestamp) -> Result<HashMap<SerialKey, Vec<SerialKey>>> {
    let mut above: HashMap<SerialKey, Vec<SerialKey>> = HashMap::new();
    let mut known: HashSet<i64> = serials.iter().copied().collect();
    let mut level = serials.to_vec();
    while !level.is_empty() {
        let sql = sql!(
            "select child_key, parent_key
             from serial_link
             where child_key {in $1} and parent_key is not null and (unlinked is null or unlinked > $2)
             order by child_key, parent_key"
        );
        let found: Vec<(SerialKey, SerialKey)> = tx.all(sql, &params![std::mem::take(&mut level), at]).await?;
        for (child, parent) in found {
            above.entry(child).or_default().push(parent);
            if known.insert(parent.0) {
                level.push(parent.0);
            }
        }
    }
    Ok(above)
}

/// How many levels there are above each of these serials, over active links.
pub async fn levels_above(tx: &mut Tx, serials: &[i64]) -> Result<HashMap<SerialKey, i64>> {
    let sql = sql!(
        "with recursive up (start, id, level) as (
             select key, key, cast(0 as {int}) from serial where key {in $1}
             union all
             select up.start, next.parent_key, up.level + 1
             from {along up serial_link child_key}
             where next.parent_key is not null and not next.replaced
         )
         select start, max(level) from up group by start"
    );
    levels(tx, sql, serials).await
}

/// How many levels there are below each of these serials, over active links.
pub async fn levels_below(tx: &mut Tx, serials: &[i64]) -> Result<HashMap<SerialKey, i64>> {
    let sql = sql!(
        "with recursive down (start, id, level) as (
             select key, key, cast(0 as {int}) from serial where key {in $1}
             union all
             select down.start, next.child_key, down.level + 1
             from {along down serial_link parent_key}
             where not next.replaced
         )
         select start, max(level) from down group by start"
    );
    levels(tx, sql, serials).await
}

async fn levels(tx: &mut Tx, sql: Sql, serials: &[i64]) -> Result<HashMap<SerialKey, i64>> {
    if serials.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(tx.all(sql, &params![serials.to_vec()]).await?.into_iter().collect())
}
