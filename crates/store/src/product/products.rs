use std::collections::HashMap;
use std::sync::LazyLock;

use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{CounterKey, OperationKey, ProductId, ProductKey, TagKey};
use domain::product::{Metadata, ProductData, TraceabilityLevel};
use domain::search::Pattern;
use domain::text::fold;

use crate::columns::{self, Record, columns};
use crate::lock::Rows;
use crate::row::row_struct;
use crate::search::Searched;
use crate::sql::{Page, Paged, Query, Sql, sql};
use crate::tx::Tx;
use crate::{Result, StoreError, params};

/// A product as it is stored.
#[derive(Debug, Clone)]
pub struct Product {
    pub id: ProductId,
    pub key: ProductKey,
    pub rev: i64,
    pub data: ProductData,
    pub trash: bool,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// 0 as long as there was no bill of materials.
    pub bom_version: i64,
    /// The name of its image, if the file is there. Only [`set_image`] changes it.
    pub img_name: Option<String>,
}

pub(crate) const CODE: Searched = Searched { table: "product", id: "id", column: "code_folded" };
const DESCRIPTION: Searched = Searched { table: "product", id: "id", column: "description_folded" };
const BY_CODE: &str = "product.code_folded, product.code, product.key";

columns! {
    Product in product {
        id,
        key,
        rev,
        trash,
        created,
        updated,
        bom_version,
    }
    within data: ProductData {
        code,
        description,
        active,
        counter_key,
        traceability_level,
        manage_inventory,
        allow_negative_inventory,
        serial_code_on_creation,
        cost_target,
        cost_average,
        technical_batch_qt,
        minimum_order_qt,
        production_notes,
        throughput_time_target,
        processing_time_target,
        kpi_window_size,
        kpi_window_type,
        metadata,
        default_production_position_key,
        default_consumption_position_key,
        unit,
        minimum_stock_qt,
    }
    read {
        img_name = "(
            select file.name
            from file
            where file.bucket = 'product' and file.object_key = product.key and file.subfolder = ''
            and file.name = product.img_name
        )",
    }
    derived {
        code_folded: String = |product| fold(&product.data.code);
        description_folded: String = |product| product.data.description.as_deref().map(fold).unwrap_or_default();
    }
    kept { key, trash, created, bom_version }
}

/// Also one in the trash.
pub async fn find(tx: &mut Tx, key: &ProductKey) -> Result<Option<Product>> {
    Product::select().filter("product.key = {}", key).maybe(tx).await
}

/// Those that there are, in the order of their keys; also ones in the trash.
pub async fn find_all(tx: &mut Tx, keys: &[String]) -> Result<Vec<Product>> {
    Product::select().filter("product.key {in {}}", keys.to_vec()).all(tx, "product.key").await
}

/// Those with these numbers; also ones in the trash.
pub async fn by_ids(tx: &mut Tx, ids: &[i64]) -> Result<Vec<Product>> {
    Product::select().filter("product.id {in {}}", ids.to_vec()).all(tx, "product.id").await
}

/// For a change: not one in the trash.
pub async fn lock(tx: &mut Tx, key: &ProductKey) -> Result<Option<Product>> {
    Product::select().filter("product.key = {} and not product.trash", key).locked(Rows::Product).maybe(tx).await
}

pub async fn lock_by_code(tx: &mut Tx, code: &str) -> Result<Option<Product>> {
    Product::select().filter("product.code = {} and not product.trash", code).locked(Rows::Product).maybe(tx).await
}

/// Those that are there and not in the trash, locked in key order.
pub async fn lock_all(tx: &mut Tx, keys: &[String]) -> Result<Vec<Product>> {
    Product::select()
        .filter("product.key {in {}} and not product.trash", keys.to_vec())
        .locked_by(tx, Rows::Product, "product.key")
        .await
}

/// Locks those with these codes, in key order.
pub async fn lock_codes(tx: &mut Tx, codes: &[String]) -> Result<()> {
    let sql = sql!("select id from product where code {in $1} and not trash order by key {lock}").locked(Rows::Product);
    tx.all::<ProductId>(sql, &params![codes.to_vec()]).await.map(|_| ())
}

/// Those with these codes that are not in the trash.
pub async fn by_codes(tx: &mut Tx, codes: &[String]) -> Result<Vec<Product>> {
    Product::select().filter("product.code {in {}} and not product.trash", codes.to_vec()).all(tx, "product.key").await
}

/// Which products a list shows; each condition that is given narrows it.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Of the code.
    pub search: Option<Pattern>,
    /// Whether the description may fit `search` instead.
    pub search_description: bool,
    /// In code or description.
    pub include_text: Option<Pattern>,
    pub exclude_text: Option<Pattern>,
    pub tag_key: Option<TagKey>,
    pub include_tags: Vec<TagKey>,
    /// Any of them is enough.
    pub include_any: bool,
    pub exclude_tags: Vec<TagKey>,
    /// Only who has all of them is left out.
    pub exclude_all: bool,
    pub operation_key: Option<OperationKey>,
    pub active_only: bool,
    pub traceability_only: bool,
}

impl Wanted {
    /// Narrows a query down to what is wanted.
    fn of(&self, query: Query) -> Query {
        let mut query = query.only("not product.trash");
        if let Some(pattern) = &self.search {
            query = match self.search_description {
                true => query.matching_either(CODE, DESCRIPTION, pattern),
                false => query.matching(CODE, pattern),
            };
        }
        if let Some(pattern) = &self.include_text {
            query = query.matching_either(CODE, DESCRIPTION, pattern);
        }
        if let Some(pattern) = &self.exclude_text {
            query = query.matching_neither(CODE, DESCRIPTION, pattern);
        }
        if self.active_only {
            query = query.only("product.active");
        }
        if self.traceability_only {
            query = query.only("product.traceability_level is not null");
        }
        query = query.filter_if(
            "exists (
                 select 1 from phase
                 where phase.product_id = product.id and phase.trashed is null and phase.operation_key = {}
             )",
            self.operation_key.as_ref(),
        );
        if let Some(key) = &self.tag_key {
            query = query.filter(TAGGED_ANY, texts(std::slice::from_ref(key)));
        }
        if !self.include_tags.is_empty() {
            query = match self.include_any {
                true => query.filter(TAGGED_ANY, texts(&self.include_tags)),
                false => query.filter(&format!("not {NOT_TAGGED_ALL}"), texts(&self.include_tags)),
            };
        }
        if !self.exclude_tags.is_empty() {
            query = match self.exclude_all {
                true => query.filter(NOT_TAGGED_ALL, texts(&self.exclude_tags)),
                false => query.filter(&format!("not {TAGGED_ANY}"), texts(&self.exclude_tags)),
            };
        }
        query
    }
}

const TAGGED_ANY: &str = "exists (
    select 1 from has_tag
    where has_tag.collection = 'Product' and has_tag.record_key = product.key and has_tag.tag_key {in {}}
)";
/// One of the listed tags is missing.
const NOT_TAGGED_ALL: &str = "exists (
    select 1 from {each {}}
    where not exists (
        select 1 from has_tag
        where has_tag.collection = 'Product' and has_tag.record_key = product.key and has_tag.tag_key = listed.value
    )
)";

fn texts(keys: &[TagKey]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}

/// By code.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<Product>> {
    wanted.of(Product::select()).page(tx, BY_CODE, page).await
}

/// All of them, by code, a part at a time: those after `after` in that order.
pub async fn list_after(tx: &mut Tx, wanted: &Wanted, after: Option<&Product>, limit: i64) -> Result<Vec<Product>> {
    let mut query = wanted.of(Product::select());
    if let Some(after) = after {
        let last = params![fold(&after.data.code), &after.data.code, &after.key];
        query = query.filter_row("(product.code_folded, product.code, product.key) > ({}, {}, {})", last);
    }
    Ok(query.page(tx, BY_CODE, &Page { limit, offset: 0, count: false }).await?.rows)
}

/// The values of custom fields of all of them that have any.
pub async fn list_metadata(tx: &mut Tx, wanted: &Wanted) -> Result<Vec<Vec<Metadata>>> {
    let query = wanted.of(Query::new("select product.metadata from product")).only("product.metadata <> '[]'");
    query.all(tx, "product.id").await
}

/// So many products go with one statement.
const AT_ONCE: usize = 2_000;

/// Only those that nobody has changed meanwhile.
static SAVE: LazyLock<String> = LazyLock::new(|| {
    format!("{} where product.rev = excluded.rev - 1 and not product.trash", Product::statements().replace_all())
});

/// Inserts new products and replaces what people write about known ones, whose revisions the caller has raised by one. A taken
/// key or code is a constraint error; a product that was changed since it was read makes the transaction run again.
pub async fn save(tx: &mut Tx, products: &[Product]) -> Result<()> {
    for some in products.chunks(AT_ONCE) {
        let written = tx.run(Sql::from_literal(&SAVE), &[columns::rows(some)]).await?;
        if written != some.len() as u64 {
            return Err(StoreError::Stored("a product was changed meanwhile".to_owned()).run_again());
        }
        some.iter().for_each(|product| tx.changed(Collection::Product, &product.key));
    }
    Ok(())
}

/// The name of its image from now on; the product is locked.
pub async fn set_image(tx: &mut Tx, product: &mut Product, name: Option<&str>, now: Timestamp) -> Result<()> {
    product.img_name = name.map(str::to_owned);
    touch(tx, product, now).await?;
    tx.run(sql!("update product set img_name = $2 where id = $1"), &params![product.id, name]).await.map(|_| ())
}

/// Moves it to the trash; the product is locked.
pub async fn trash(tx: &mut Tx, product: &mut Product, now: Timestamp) -> Result<()> {
    product.trash = true;
    touch(tx, product, now).await?;
    tx.run(sql!("update product set trash = true where id = $1"), &params![product.id]).await.map(|_| ())
}

/// Something that belongs to it was changed; the product is locked.
pub async fn touch(tx: &mut Tx, product: &mut Product, now: Timestamp) -> Result<()> {
    touch_all(tx, std::slice::from_mut(product), now).await
}

pub async fn touch_all(tx: &mut Tx, products: &mut [Product], now: Timestamp) -> Result<()> {
    for product in &mut *products {
        product.rev += 1;
        product.updated = now;
        tx.changed(Collection::Product, &product.key);
    }
    let ids: Vec<i64> = products.iter().map(|product| product.id.0).collect();
    let sql = sql!("update product set rev = rev + 1, updated = $2 where id {in $1}");
    tx.run(sql, &params![ids, now]).await.map(|_| ())
}

/// The codes of the live products of whose bills of materials this one is a component.
pub async fn used_in(tx: &mut Tx, id: ProductId) -> Result<Vec<String>> {
    tx.all(
        sql!(
            "select product.code
             from product
             where not product.trash
             and product.id in (select bom_line.product_id from bom_line where bom_line.component_id = $1)
             order by product.code_folded, product.code"
        ),
        &params![id],
    )
    .await
}

/// How many live products draw their serial codes from a counter, and the first of them.
pub async fn of_counter(
    tx: &mut Tx,
    counter: &domain::key::CounterKey,
) -> Result<(i64, Vec<(ProductKey, String, Option<String>)>)> {
    let total =
        tx.one(sql!("select count(*) from product where counter_key = $1 and not trash"), &params![counter]).await?;
    let sample = tx
        .all(
            sql!(
                "select key, code, description
                 from product
                 where counter_key = $1 and not trash
                 order by code_folded, code, key
                 limit 5"
            ),
            &params![counter],
        )
        .await?;
    Ok((total, sample))
}

/// Products in the trash let go of a counter that is about to be removed.
/// The counters of these products, as far as they have one.
pub async fn counters_of(tx: &mut Tx, ids: &[i64]) -> Result<HashMap<ProductId, CounterKey>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = sql!("select id, counter_key from product where id {in $1} and counter_key is not null");
    Ok(tx.all::<(ProductId, CounterKey)>(sql, &params![ids.to_vec()]).await?.into_iter().collect())
}

pub async fn forget_counter(tx: &mut Tx, counter: &CounterKey) -> Result<()> {
    let sql =
        sql!("update product set counter_key = null, rev = rev + 1 where counter_key = $1 and trash returning key");
    let changed: Vec<ProductKey> = tx.all(sql, &params![counter]).await?;
    changed.iter().for_each(|key| tx.changed(Collection::Product, key));
    Ok(())
}

row_struct! {
    /// What other records show of a product.
    pub struct Name {
        pub id: ProductId,
        pub key: ProductKey,
        pub code: String,
        pub description: Option<String>,
        pub active: bool,
        pub trash: bool,
        pub traceability_level: Option<TraceabilityLevel>,
        pub manage_inventory: bool,
    }
}

fn names() -> Query {
    Query::new("select id, key, code, description, active, trash, traceability_level, manage_inventory from product")
}

pub async fn names_by_id(tx: &mut Tx, ids: &[i64]) -> Result<Vec<Name>> {
    names().filter("id {in {}}", ids.to_vec()).all(tx, "id").await
}
