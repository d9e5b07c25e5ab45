use domain::collection::Collection;
use domain::key::{CounterKey, OperationKey, ProductId, ProductKey, TagKey};
use domain::product::{Metadata, ProductData, TraceabilityLevel};
use domain::search::Pattern;
use domain::text::fold;
use domain::{Quantity, Timestamp};
use serde_json::{Value as Json, json};

use crate::row::{FromRow, Row, row_struct};
use crate::search::Searched;
use crate::sql::{Page, Paged, Query, sql};
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

const CODE: Searched = Searched { table: "product", id: "id", column: "code_folded" };
const DESCRIPTION: Searched = Searched { table: "product", id: "id", column: "description_folded" };
const BY_CODE: &str = "product.code_folded, product.code, product.key";

fn products() -> Query {
    Query::new(
        "select product.id, product.key, product.rev, product.code, product.description, product.active,
                product.counter_key, product.traceability_level, product.manage_inventory,
                product.allow_negative_inventory, product.serial_code_on_creation, product.cost_target,
                product.cost_average, product.technical_batch_qt, product.minimum_order_qt, product.production_notes,
                product.throughput_time_target, product.processing_time_target, product.kpi_window_size,
                product.kpi_window_type, product.metadata, product.default_production_position_key,
                product.default_consumption_position_key, product.trash, product.created, product.updated,
                product.bom_version,
                (
                    select file.name
                    from file
                    where file.bucket = 'product' and file.object_key = product.key and file.subfolder = ''
                    and file.name = product.img_name
                )
         from product",
    )
}

impl FromRow for Product {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            id: row.column()?,
            key: row.column()?,
            rev: row.column()?,
            data: ProductData {
                code: row.column()?,
                description: row.column()?,
                active: row.column()?,
                counter_key: row.column()?,
                traceability_level: row.column()?,
                manage_inventory: row.column()?,
                allow_negative_inventory: row.column()?,
                serial_code_on_creation: row.column()?,
                cost_target: row.column()?,
                cost_average: row.column()?,
                technical_batch_qt: row.column()?,
                minimum_order_qt: row.column()?,
                production_notes: row.column()?,
                throughput_time_target: row.column()?,
                processing_time_target: row.column()?,
                kpi_window_size: row.column()?,
                kpi_window_type: row.column()?,
                metadata: row.column()?,
                default_production_position_key: row.column()?,
                default_consumption_position_key: row.column()?,
            },
            trash: row.column()?,
            created: row.column()?,
            updated: row.column()?,
            bom_version: row.column()?,
            img_name: row.column()?,
        })
    }
}

/// Also one in the trash.
pub async fn find(tx: &mut Tx, key: &ProductKey) -> Result<Option<Product>> {
    products().filter("product.key = {}", key).maybe(tx).await
}

/// For a change: not one in the trash.
pub async fn lock(tx: &mut Tx, key: &ProductKey) -> Result<Option<Product>> {
    products().filter("product.key = {} and not product.trash", key).locked().maybe(tx).await
}

pub async fn lock_by_code(tx: &mut Tx, code: &str) -> Result<Option<Product>> {
    products().filter("product.code = {} and not product.trash", code).locked().maybe(tx).await
}

/// Those that are there and not in the trash, locked in key order.
pub async fn lock_all(tx: &mut Tx, keys: &[String]) -> Result<Vec<Product>> {
    products().filter("product.key {in {}} and not product.trash", keys.to_vec()).locked_by(tx, "product.key").await
}

/// Locks those with these codes, in key order.
pub async fn lock_codes(tx: &mut Tx, codes: &[String]) -> Result<()> {
    let sql = sql!("select id from product where code {in $1} and not trash order by key {lock}");
    tx.all::<ProductId>(sql, &params![codes.to_vec()]).await.map(|_| ())
}

/// Those with these codes that are not in the trash.
pub async fn by_codes(tx: &mut Tx, codes: &[String]) -> Result<Vec<Product>> {
    products().filter("product.code {in {}} and not product.trash", codes.to_vec()).all(tx, "product.key").await
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
    wanted.of(products()).page(tx, BY_CODE, page).await
}

/// All of them, by code, a part at a time: those after `after` in that order.
pub async fn list_after(tx: &mut Tx, wanted: &Wanted, after: Option<&Product>, limit: i64) -> Result<Vec<Product>> {
    let mut query = wanted.of(products());
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

/// Inserts new products and replaces what people write about known ones, whose revisions the caller has raised by one. A taken
/// key or code is a constraint error; a product that was changed since it was read makes the transaction run again.
pub async fn save(tx: &mut Tx, products: &[Product]) -> Result<()> {
    for some in products.chunks(AT_ONCE) {
        let written = tx.run(
            sql!(
                "insert into product (
                     id, key, rev, code, code_folded, description, description_folded, active, counter_key,
                     traceability_level, manage_inventory, allow_negative_inventory, serial_code_on_creation, cost_target,
                     cost_average, technical_batch_qt, minimum_order_qt, production_notes, throughput_time_target,
                     processing_time_target, kpi_window_size, kpi_window_type, metadata, default_production_position_key,
                     default_consumption_position_key, created, updated
                 )
                 select cast(id as {int}), key, cast(rev as {int}), code, code_folded, description, description_folded,
                        cast(active as {bool}), counter_key, traceability_level, cast(manage_inventory as {bool}),
                        cast(allow_negative_inventory as {bool}), cast(serial_code_on_creation as {bool}),
                        cast(cost_target as {int}), cast(cost_average as {int}), cast(technical_batch_qt as {int}),
                        cast(minimum_order_qt as {int}), production_notes, cast(throughput_time_target as {int}),
                        cast(processing_time_target as {int}), cast(kpi_window_size as {int}), kpi_window_type, metadata,
                        default_production_position_key, default_consumption_position_key, cast(created as {int}),
                        cast(updated as {int})
                 from {rows $1 id key rev code code_folded description description_folded active counter_key traceability_level manage_inventory allow_negative_inventory serial_code_on_creation cost_target cost_average technical_batch_qt minimum_order_qt production_notes throughput_time_target processing_time_target kpi_window_size kpi_window_type metadata default_production_position_key default_consumption_position_key created updated}
                 where true
                 on conflict (id) do update
                 set rev = excluded.rev, code = excluded.code, code_folded = excluded.code_folded,
                     description = excluded.description, description_folded = excluded.description_folded,
                     active = excluded.active, counter_key = excluded.counter_key,
                     traceability_level = excluded.traceability_level, manage_inventory = excluded.manage_inventory,
                     allow_negative_inventory = excluded.allow_negative_inventory,
                     serial_code_on_creation = excluded.serial_code_on_creation, cost_target = excluded.cost_target,
                     cost_average = excluded.cost_average, technical_batch_qt = excluded.technical_batch_qt,
                     minimum_order_qt = excluded.minimum_order_qt, production_notes = excluded.production_notes,
                     throughput_time_target = excluded.throughput_time_target,
                     processing_time_target = excluded.processing_time_target, kpi_window_size = excluded.kpi_window_size,
                     kpi_window_type = excluded.kpi_window_type, metadata = excluded.metadata,
                     default_production_position_key = excluded.default_production_position_key,
                     default_consumption_position_key = excluded.default_consumption_position_key,
                     updated = excluded.updated
                 where product.rev = excluded.rev - 1 and not product.trash"
            ),
            &params![&some.iter().map(row).collect::<Json>()],
        )
        .await?;
        if written != some.len() as u64 {
            return Err(StoreError::Stored("a product was changed meanwhile".to_owned()).run_again());
        }
        some.iter().for_each(|product| tx.changed(Collection::Product, &product.key));
    }
    Ok(())
}

fn row(product: &Product) -> Json {
    let data = &product.data;
    json!({
        "id": product.id.0,
        "key": product.key,
        "rev": product.rev,
        "code": data.code,
        "code_folded": fold(&data.code),
        "description": data.description,
        "description_folded": data.description.as_deref().map(fold).unwrap_or_default(),
        "active": data.active,
        "counter_key": data.counter_key,
        "traceability_level": data.traceability_level,
        "manage_inventory": data.manage_inventory,
        "allow_negative_inventory": data.allow_negative_inventory,
        "serial_code_on_creation": data.serial_code_on_creation,
        "cost_target": data.cost_target.map(Quantity::millionths),
        "cost_average": data.cost_average.map(Quantity::millionths),
        "technical_batch_qt": data.technical_batch_qt.millionths(),
        "minimum_order_qt": data.minimum_order_qt.millionths(),
        "production_notes": data.production_notes,
        "throughput_time_target": data.throughput_time_target.map(Quantity::millionths),
        "processing_time_target": data.processing_time_target.map(Quantity::millionths),
        "kpi_window_size": data.kpi_window_size,
        "kpi_window_type": data.kpi_window_type,
        "metadata": json!(data.metadata).to_string(),
        "default_production_position_key": data.default_production_position_key,
        "default_consumption_position_key": data.default_consumption_position_key,
        "created": product.created.millis(),
        "updated": product.updated.millis(),
    })
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
