use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use domain::Timestamp;
use domain::collection::Collection;
use domain::form::FieldKind;
use domain::key::{
    BatchKey, CounterKey, FieldKey, PositionKey, ProductId, ProductKey, SerialKey, UserKey, WorkOrderKey, record_id,
};
use domain::serial::{Serial, SerialState, Standing};
use domain::text::fold;
use serde_json::{Value as Json, json};

use crate::columns::{self, Record, columns};
use crate::lock::Rows;
use crate::row::{FromRow, Row};
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::values::{self, ValueTable};
use crate::{Result, params};

columns! {
    Serial in serial {
        key,
        rev,
        code,
        product_id,
        wo_key,
        counter_key,
        created,
        created_by,
        released,
        released_by,
        scrapped,
        scrapped_by,
        scrap_reason,
        deleted,
        deleted_by,
        data,
    }
    read {
        product_key = "(select product.key from product where product.id = serial.product_id)",
    }
    derived {
        searched: String = searched;
    }
    kept { product_id, created, created_by }
}

/// What a search looks at.
fn searched(serial: &Serial) -> String {
    fold(serial.code.as_deref().unwrap_or_default())
}

/// By code, those without one last. An index has this order.
pub(crate) const BY_CODE: &str = "serial.code is null, serial.searched, serial.code, serial.key";

/// A serial with what other records say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SerialView {
    pub serial: Serial,
    pub standing: Standing,
}

impl SerialView {
    pub fn state(&self) -> SerialState {
        self.serial.state(self.standing)
    }
}

/// Whether an active link leads to the serial.
pub(super) const USED: &str =
    "exists (select 1 from serial_link where serial_link.child_key = serial.key and not replaced)";

macro_rules! inside {
    () => {
        "(stock.position_key = 'IN' or 'IN' in (
            with recursive up (id) as (
                select position_link.parent_key
                from position_link
                where position_link.child_key = stock.position_key
                union all
                select next.parent_key
                from {along up position_link child_key}
            )
            select up.id from up
        ))"
    };
}

/// Whether what lies in a position is in the own warehouse.
pub(super) const INSIDE: &str = inside!();
/// Whether it lies in the own warehouse.
pub(super) const IN_STOCK: &str = concat!(
    "exists (
    select 1
    from stock
    where stock.serial_key = serial.key and stock.serial_key is not null
    and ",
    inside!(),
    "
)"
);
/// Whether it lies in this very position.
const LIES_IN: &str = "serial.key in (
    select stock.serial_key from stock where stock.position_key = {} and stock.serial_key is not null
)";

impl FromRow for SerialView {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let serial = Serial::from_row(row)?;
        Ok(Self { serial, standing: Standing { used: row.column()?, in_stock: row.column()? } })
    }
}

/// What a select of views lists.
pub(super) static VIEW_LIST: LazyLock<String> = LazyLock::new(|| format!("{}, {USED}, {IN_STOCK}", Serial::list()));

static VIEWS: LazyLock<String> = LazyLock::new(|| format!("select {} from serial", *VIEW_LIST));

fn views() -> Query {
    Query::new(&VIEWS)
}

/// Deleted ones too.
pub async fn view(tx: &mut Tx, key: SerialKey) -> Result<Option<SerialView>> {
    views().filter("serial.key = {}", key).maybe(tx).await
}

/// Deleted ones too.
pub async fn views_of(tx: &mut Tx, keys: &[i64]) -> Result<Vec<SerialView>> {
    views().filter("serial.key {in {}}", keys.to_vec()).all(tx, "serial.key").await
}

/// The live ones with this code, of one product or of all, by the product's code.
pub async fn with_code(tx: &mut Tx, code: &str, product: Option<&ProductKey>) -> Result<Vec<SerialView>> {
    views()
        .filter("serial.code = {} and serial.code is not null and serial.deleted is null", code)
        .filter_if("serial.product_id = (select id from product where key = {})", product)
        .all(tx, "(select product.code from product where product.id = serial.product_id), serial.key")
        .await
}

/// The live ones that a batch works or worked on, by code.
pub async fn of_batch(tx: &mut Tx, batch: BatchKey) -> Result<Vec<SerialView>> {
    views()
        .filter("serial.key in (select serial_key from batch_serial where batch_key = {})", batch)
        .only("serial.deleted is null")
        .all(tx, BY_CODE)
        .await
}

/// Live and not scrapped ones to choose from.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    pub code: Option<domain::search::Pattern>,
    pub wo_key: Option<WorkOrderKey>,
    pub product_key: Option<ProductKey>,
    pub batch_key: Option<BatchKey>,
    pub free_only: bool,
    /// Only those that lie in the own warehouse.
    pub in_stock_only: bool,
    /// Only those that lie in this very position of it.
    pub in_position: Option<PositionKey>,
    pub include_unreleased: bool,
}

pub(crate) const CODE: crate::search::Searched =
    crate::search::Searched { table: "serial", id: "key", column: "searched" };

pub async fn choose(tx: &mut Tx, choice: &Choice, page: &crate::Page) -> Result<crate::Paged<SerialView>> {
    let mut query = views().only("serial.deleted is null").only("serial.scrapped is null");
    if let Some(pattern) = &choice.code {
        query = query.matching(CODE, pattern);
    }
    query = query
        .filter_if("serial.wo_key = {} and serial.wo_key is not null", choice.wo_key)
        .filter_if("serial.product_id = (select id from product where key = {})", choice.product_key.as_ref())
        .filter_if("serial.key in (select serial_key from batch_serial where batch_key = {})", choice.batch_key);
    let in_stock_only = choice.in_stock_only || choice.in_position.is_some();
    if choice.free_only || in_stock_only {
        query = query.only(&format!("not {USED}"));
    }
    if in_stock_only {
        query = query.only(IN_STOCK).filter_if(LIES_IN, choice.in_position.as_ref());
    }
    if !choice.include_unreleased {
        query = query.only("serial.released is not null");
    }
    query.page(tx, BY_CODE, page).await
}

/// Locked to the end of the transaction; deleted ones too.
pub async fn lock(tx: &mut Tx, key: SerialKey) -> Result<Option<Serial>> {
    Serial::select().filter("serial.key = {}", key).locked(Rows::Serial).maybe(tx).await
}

/// Those that there are, locked in the order of their keys; deleted ones too.
pub async fn lock_all(tx: &mut Tx, keys: &[i64]) -> Result<Vec<Serial>> {
    Serial::select().filter("serial.key {in {}}", keys.to_vec()).locked_by(tx, Rows::Serial, "serial.key").await
}

/// Locks those that there are, in the order of their keys; deleted ones too.
pub async fn lock_keys(tx: &mut Tx, keys: &[i64]) -> Result<()> {
    let sql = sql!("select key from serial where key {in $1} order by key {lock}").locked(Rows::Serial);
    tx.all::<SerialKey>(sql, &params![keys.to_vec()]).await.map(|_| ())
}

/// Which of these serials there are; not those that were deleted.
pub async fn live(tx: &mut Tx, keys: &[i64]) -> Result<HashSet<SerialKey>> {
    let sql = sql!("select key from serial where key {in $1} and deleted is null");
    Ok(tx.all::<SerialKey>(sql, &params![keys.to_vec()]).await?.into_iter().collect())
}

/// Which of these serials an active link leads to.
pub async fn used(tx: &mut Tx, keys: &[i64]) -> Result<HashSet<SerialKey>> {
    let sql = sql!("select child_key from serial_link where child_key {in $1} and not replaced");
    Ok(tx.all::<SerialKey>(sql, &params![keys.to_vec()]).await?.into_iter().collect())
}

/// Which of these serials wait between phases or are booked by a job.
pub async fn in_wip(tx: &mut Tx, keys: &[i64]) -> Result<HashSet<SerialKey>> {
    let sql =
        sql!("select serial_key from wip where serial_key {in $1} and serial_key is not null and used_by is null");
    Ok(tx.all::<SerialKey>(sql, &params![keys.to_vec()]).await?.into_iter().collect())
}

/// Which of these serials an active batch works on.
pub async fn in_active_batch(tx: &mut Tx, keys: &[i64]) -> Result<HashSet<SerialKey>> {
    let sql = sql!(
        "select batch_serial.serial_key
         from batch_serial
         join batch on batch.key = batch_serial.batch_key
         where batch_serial.serial_key {in $1} and batch.active"
    );
    Ok(tx.all::<SerialKey>(sql, &params![keys.to_vec()]).await?.into_iter().collect())
}

/// Which of these serials wait between phases, are booked by a job, or are in an active batch.
pub async fn in_production(tx: &mut Tx, keys: &[i64]) -> Result<HashSet<SerialKey>> {
    let mut busy = in_wip(tx, keys).await?;
    busy.extend(in_active_batch(tx, keys).await?);
    Ok(busy)
}

/// Which of these codes live serials of a product have.
pub async fn taken_codes(tx: &mut Tx, product: ProductId, codes: &[String]) -> Result<HashSet<String>> {
    let sql = sql!("select code from serial where product_id = $1 and code {in $2} and deleted is null");
    Ok(tx.all::<String>(sql, &params![product, codes.to_vec()]).await?.into_iter().collect())
}

/// The live ones of a product with these codes.
pub async fn keys_of_codes(tx: &mut Tx, product: ProductId, codes: &[String]) -> Result<HashMap<String, SerialKey>> {
    let sql = sql!("select code, key from serial where product_id = $1 and code {in $2} and deleted is null");
    let found: Vec<(String, SerialKey)> = tx.all(sql, &params![product, codes.to_vec()]).await?;
    Ok(found.into_iter().collect())
}

/// So many codes go with one statement.
const CODES_AT_ONCE: usize = 10_000;

/// The live ones with these codes, of any product.
pub async fn keys_with_codes(tx: &mut Tx, codes: &[String]) -> Result<HashMap<(ProductId, String), SerialKey>> {
    let mut found = HashMap::with_capacity(codes.len());
    for some in codes.chunks(CODES_AT_ONCE) {
        let sql = sql!(
            "select product_id, code, key
             from serial
             where code {in $1} and code is not null and deleted is null"
        );
        let rows: Vec<(ProductId, String, SerialKey)> = tx.all(sql, &params![some.to_vec()]).await?;
        found.extend(rows.into_iter().map(|(product, code, key)| ((product, code), key)));
    }
    Ok(found)
}

/// How many live ones without a code would draw it from this counter.
pub async fn waiting_for_counter(tx: &mut Tx, counter: &CounterKey) -> Result<i64> {
    let sql = sql!("select count(*) from serial where counter_key = $1 and code is null and deleted is null");
    tx.one(sql, &params![counter]).await
}

/// From so many on, the audit log only has their number.
const NAMED: usize = 200;

/// Stores new ones; a taken code is a constraint error.
pub async fn insert_all(tx: &mut Tx, serials: &[Serial], kinds: &HashMap<FieldKey, FieldKind>) -> Result<()> {
    let [one] = serials else {
        if serials.len() < NAMED {
            serials.iter().for_each(|serial| tx.changed(Collection::Serial, serial.key));
        } else {
            tx.changed_unnamed(serials.len() as u64);
        }
        columns::insert_many(tx, serials).await?;
        return insert_values(tx, serials, kinds).await;
    };
    tx.changed(Collection::Serial, one.key);
    columns::insert(tx, one).await?;
    insert_values(tx, serials, kinds).await
}

/// Stores what has changed of a serial; its revision rises.
pub async fn save(
    tx: &mut Tx,
    before: &Serial,
    serial: &mut Serial,
    kinds: &HashMap<FieldKey, FieldKind>,
) -> Result<()> {
    serial.rev = before.rev + 1;
    tx.changed(Collection::Serial, serial.key);
    let mut update = columns::changes(before, serial);
    if before.code != serial.code {
        update.set("searched", searched(serial));
    }
    update.run_later(tx).await?;
    if before.data == serial.data {
        return Ok(());
    }
    tx.run(sql!("delete from serial_value where serial_key = $1"), &params![serial.key]).await?;
    insert_values(tx, std::slice::from_ref(serial), kinds).await
}

/// So many serials go with one statement.
const AT_ONCE: usize = 1_000;

/// Stores many that are locked, as a whole; their revisions rise.
pub async fn save_all(tx: &mut Tx, serials: &mut [Serial], kinds: &HashMap<FieldKey, FieldKind>) -> Result<()> {
    for some in serials.chunks_mut(AT_ONCE) {
        some.iter_mut().for_each(|serial| serial.rev += 1);
        some.iter().for_each(|serial| tx.changed(Collection::Serial, serial.key));
        columns::replace_all(tx, some).await?;
        let keys: Vec<i64> = some.iter().map(|serial| serial.key.0).collect();
        tx.run(sql!("delete from serial_value where serial_key {in $1}"), &params![keys]).await?;
        insert_values(tx, some, kinds).await?;
    }
    Ok(())
}

pub(super) const VALUES: ValueTable = ValueTable { table: "serial_value", record: "serial_key" };

async fn insert_values(tx: &mut Tx, serials: &[Serial], kinds: &HashMap<FieldKey, FieldKind>) -> Result<()> {
    let of_serial = |serial: &Serial| {
        let values = serial.data.iter().filter_map(|entry| Some((entry.custom_field_key.as_ref()?, &entry.value)));
        values::rows_of(serial.key.0, values, kinds)
    };
    let mut rows = serials.iter().flat_map(of_serial).peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    tx.fill(&VALUES.columns(), rows).await.map(|_| ())
}

/// Marks many as released; their revisions rise. Codes that were drawn are beside the keys.
pub async fn release(tx: &mut Tx, keys: &[i64], at: Timestamp, by: &UserKey) -> Result<()> {
    keys.iter().for_each(|key| tx.changed(Collection::Serial, SerialKey(*key)));
    let sql = sql!("update serial set released = $2, released_by = $3, rev = rev + 1 where key {in $1}");
    tx.run(sql, &params![keys.to_vec(), at, by]).await.map(|_| ())
}

/// Marks many as scrapped; their revisions rise.
pub async fn scrap(tx: &mut Tx, keys: &[i64], at: Timestamp, by: &UserKey, reason: &str) -> Result<()> {
    keys.iter().for_each(|key| tx.changed(Collection::Serial, SerialKey(*key)));
    let sql =
        sql!("update serial set scrapped = $2, scrapped_by = $3, scrap_reason = $4, rev = rev + 1 where key {in $1}");
    tx.run(sql, &params![keys.to_vec(), at, by, reason]).await.map(|_| ())
}

/// Gives serials their codes; a taken one is a constraint error.
pub async fn set_codes(tx: &mut Tx, codes: &[(SerialKey, String)]) -> Result<()> {
    if codes.is_empty() {
        return Ok(());
    }
    let row =
        |(key, code): &(SerialKey, String)| json!({ "key": key.0.to_string(), "code": code, "folded": fold(code) });
    let rows: Json = codes.iter().map(row).collect();
    let sql = sql!(
        "update serial
         set code = listed.code, searched = listed.folded, rev = rev + 1
         from {rows $1 key code folded}
         where serial.key = cast(listed.key as {int})"
    );
    tx.run(sql, &params![&rows]).await.map(|_| ())
}

/// Whether anything but events refers to a serial: links, batches, work in progress, movements, counts, issues, tasks, messages or
/// files.
pub async fn has_history(tx: &mut Tx, key: SerialKey) -> Result<bool> {
    let sql = sql!(
        "select exists (select 1 from serial_link where child_key = $1)
             or exists (select 1 from serial_link where parent_key = $1)
             or exists (select 1 from batch_serial where serial_key = $1)
             or exists (select 1 from wip where serial_key = $1)
             or exists (select 1 from movement where serial_key = $1)
             or exists (select 1 from count_serial where serial_key = $1)
             or exists (select 1 from issue_rel where type = 'serial' and record_id = $1 and record_id is not null)
             or exists (select 1 from task_rel where type = 'serial' and record_id = $1 and record_id is not null)
             or exists (select 1 from message where recipient = $3)
             or exists (select 1 from file where bucket = 'serial' and object_key = $2)"
    );
    tx.one(sql, &params![key, key.to_string(), record_id(Collection::Serial, key)]).await
}

/// Those of these serials that have no code, and that nothing but batches, temporary links and events refers to.
pub async fn without_trace(tx: &mut Tx, keys: &[i64]) -> Result<HashSet<SerialKey>> {
    let sql = sql!(
        "select key
         from serial
         where key {in $1} and code is null
         and not exists (select 1 from serial_link where child_key = serial.key)
         and not exists (select 1 from serial_link where parent_key = serial.key and parent_key is not null and confirmed)
         and not exists (select 1 from wip where serial_key = serial.key and serial_key is not null)
         and not exists (select 1 from movement where serial_key = serial.key and serial_key is not null)
         and not exists (select 1 from count_serial where serial_key = serial.key)
         and not exists (
             select 1 from issue_rel where type = 'serial' and record_id = serial.key and record_id is not null
         )
         and not exists (
             select 1 from task_rel where type = 'serial' and record_id = serial.key and record_id is not null
         )"
    );
    let mut found: HashSet<SerialKey> = tx.all::<SerialKey>(sql, &params![keys.to_vec()]).await?.into_iter().collect();
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    let sql = sql!(
        "select object_key from file where bucket = 'serial' and object_key {in $1}
         union
         select record_key from has_tag where collection = $2 and record_key {in $1}
         union
         select recipient from message where recipient {in $3}"
    );
    let ids: Vec<String> = found.iter().map(|key| record_id(Collection::Serial, key)).collect();
    let named: Vec<String> = tx.all(sql, &params![texts, Collection::Serial.name(), ids]).await?;
    let named: HashSet<String> = named.into_iter().collect();
    found.retain(|key| !named.contains(&key.to_string()) && !named.contains(&record_id(Collection::Serial, key)));
    Ok(found)
}

/// Marks many as deleted; their revisions rise.
pub async fn delete(tx: &mut Tx, keys: &[i64], at: Timestamp, by: &UserKey) -> Result<()> {
    keys.iter().for_each(|key| tx.changed(Collection::Serial, SerialKey(*key)));
    let sql = sql!("update serial set deleted = $2, deleted_by = $3, rev = rev + 1 where key {in $1}");
    tx.run(sql, &params![keys.to_vec(), at, by]).await.map(|_| ())
}

/// Removes serials that nothing but batches refers to.
pub async fn remove_all(tx: &mut Tx, keys: &[i64]) -> Result<()> {
    keys.iter().for_each(|key| tx.changed(Collection::Serial, SerialKey(*key)));
    for sql in [
        sql!("delete from batch_serial where serial_key {in $1}"),
        sql!("delete from serial_value where serial_key {in $1}"),
        sql!("delete from serial where key {in $1}"),
    ] {
        tx.run(sql, &params![keys.to_vec()]).await?;
    }
    Ok(())
}

/// Removes a serial that nothing refers to.
pub async fn remove(tx: &mut Tx, key: SerialKey) -> Result<()> {
    tx.changed(Collection::Serial, key);
    tx.run(sql!("delete from serial_value where serial_key = $1"), &params![key]).await?;
    tx.run(sql!("delete from serial where key = $1"), &params![key]).await.map(|_| ())
}
