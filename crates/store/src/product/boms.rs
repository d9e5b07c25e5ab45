pub use domain::bom_line::Line;
use domain::bom_line::{BomLine, BomSource, ConsumptionOptions};
use domain::collection::Collection;
use domain::key::{BomLineKey, PhaseKey, ProductId, UserKey};
use domain::text::fold;
use domain::{Quantity, Timestamp};
use serde_json::{Value as Json, json};

use super::products::Product;
use crate::row::{FromRow, Row, row_struct};
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::{Result, StoreError, params};

impl FromRow for Line {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            component_id: row.column()?,
            cost_average: row.column()?,
            line: BomLine {
                bom_line_key: row.column()?,
                line_no: row.column()?,
                component_key: row.column()?,
                component_code: row.column()?,
                component_description: row.column()?,
                qt: row.column()?,
                phase_key: row.column()?,
                phase_name: row.column()?,
                traceability_level: row.column()?,
                manage_inventory: row.column()?,
                consumption_options: ConsumptionOptions {
                    consumption_position_key: row.column()?,
                    consumption_position_mandatory: row.column()?,
                    minimum_quantity_if_negative: row.column()?,
                    minimum_quantity: row.column()?,
                },
                extra: row.column::<Option<Json>>()?.unwrap_or(Json::Null),
            },
        })
    }
}

/// The present lines of a product in the order they were sent.
pub async fn lines(tx: &mut Tx, product: ProductId) -> Result<Vec<Line>> {
    tx.all(
        sql!(
            "select component.id, component.cost_average, bom_line.key, bom_line.line_no, component.key, component.code, component.description,
                    bom_line.qt, phase.key, phase.alias, component.traceability_level, component.manage_inventory,
                    bom_line.consumption_position_key, bom_line.consumption_position_mandatory,
                    bom_line.minimum_quantity_if_negative, bom_line.minimum_quantity, bom_line.extra
             from bom_line
             join product as component on component.id = bom_line.component_id
             join phase on phase.key = bom_line.phase_key
             where bom_line.product_id = $1
             order by bom_line.line_no"
        ),
        &params![product],
    )
    .await
}

/// The order in which people read lines: by component, phase and place.
pub fn sort_for_reading(lines: &mut [BomLine]) {
    lines.sort_by_cached_key(|line| {
        let (code, phase) = (&line.component_code, &line.phase_name);
        (fold(code), code.clone(), fold(phase), phase.clone(), line.line_no)
    });
}

row_struct! {
    /// What is known of a version besides its lines.
    pub struct Version {
        pub version: i64,
        pub created: Timestamp,
        pub created_by: Option<UserKey>,
        pub line_count: i64,
        pub source: BomSource,
    }
}

/// Newest first.
pub async fn versions(tx: &mut Tx, product: ProductId, page: &Page) -> Result<Paged<Version>> {
    Query::new("select version, created, created_by, line_count, source from bom_version")
        .filter("product_id = {}", product)
        .page(tx, "version desc", page)
        .await
}

/// The lines of a stored version as they were.
pub async fn version_lines(tx: &mut Tx, product: ProductId, version: i64) -> Result<Option<Vec<BomLine>>> {
    let stored: Option<String> = tx
        .maybe(sql!("select lines from bom_version where product_id = $1 and version = $2"), &params![product, version])
        .await?;
    let read =
        |text: String| domain::json::read_stored_as(&text).map_err(|error| StoreError::Stored(error.to_string()));
    stored.map(read).transpose()
}

/// Who stores a version, when and why.
#[derive(Debug, Clone)]
pub struct Deed {
    pub source: BomSource,
    pub by: UserKey,
    pub now: Timestamp,
}

/// So many lines go with one statement.
const AT_ONCE: usize = 5_000;

/// Makes these the lines of a product in the place of all before, and stores them as its next version. The caller holds the
/// product's row; loops are the caller's to look for.
pub async fn replace(tx: &mut Tx, product: &mut Product, lines: &[Line], deed: &Deed) -> Result<()> {
    tx.run(sql!("delete from bom_line where product_id = $1"), &params![product.id]).await?;
    for some in lines.chunks(AT_ONCE) {
        let rows: Json = some.iter().map(|line| row(product.id, line)).collect();
        tx.run(
            sql!(
                "insert into bom_line (
                     key, product_id, line_no, component_id, qt, phase_key, consumption_position_key,
                     consumption_position_mandatory, minimum_quantity_if_negative, minimum_quantity, extra
                 )
                 select cast(key as {int}), cast(product_id as {int}), cast(line_no as {int}), cast(component_id as {int}),
                        cast(qt as {int}), cast(phase_key as {int}), consumption_position_key,
                        cast(consumption_position_mandatory as {bool}), cast(minimum_quantity_if_negative as {bool}),
                        cast(minimum_quantity as {int}), extra
                 from {rows $1 key product_id line_no component_id qt phase_key consumption_position_key consumption_position_mandatory minimum_quantity_if_negative minimum_quantity extra}"
            ),
            &params![&rows],
        )
        .await?;
    }
    store_version(tx, product, lines, deed).await
}

fn row(product: ProductId, Line { component_id, line, .. }: &Line) -> Json {
    let options = &line.consumption_options;
    json!({
        "key": line.bom_line_key.0,
        "product_id": product.0,
        "line_no": line.line_no,
        "component_id": component_id.0,
        "qt": line.qt.millionths(),
        "phase_key": line.phase_key.0,
        "consumption_position_key": options.consumption_position_key,
        "consumption_position_mandatory": options.consumption_position_mandatory,
        "minimum_quantity_if_negative": options.minimum_quantity_if_negative,
        "minimum_quantity": options.minimum_quantity.map(Quantity::millionths),
        "extra": (!line.extra.is_null()).then(|| line.extra.to_string()),
    })
}

async fn store_version(tx: &mut Tx, product: &mut Product, lines: &[Line], deed: &Deed) -> Result<()> {
    let stored: Vec<&BomLine> = lines.iter().map(|line| &line.line).collect();
    let text = serde_json::to_string(&stored).map_err(|error| StoreError::Stored(error.to_string()))?;
    product.bom_version += 1;
    product.rev += 1;
    tx.run(
        sql!(
            "insert into bom_version (product_id, version, created, created_by, line_count, source, lines)
             values ($1, $2, $3, $4, $5, $6, $7)"
        ),
        &params![product.id, product.bom_version, deed.now, &deed.by, lines.len() as i64, deed.source, text],
    )
    .await?;
    tx.run(
        sql!("update product set bom_version = $2, rev = $3 where id = $1"),
        &params![product.id, product.bom_version, product.rev],
    )
    .await?;
    tx.changed(Collection::Product, &product.key);
    Ok(())
}

/// All lines of a product go to one phase, as its next version.
pub async fn move_to_phase(
    tx: &mut Tx,
    product: &mut Product,
    keys: impl Iterator<Item = BomLineKey>,
    phase: (PhaseKey, &str),
    deed: &Deed,
) -> Result<()> {
    let mut moved = lines(tx, product.id).await?;
    for (line, key) in moved.iter_mut().zip(keys) {
        line.line.bom_line_key = key;
        line.line.phase_key = phase.0;
        line.line.phase_name = phase.1.to_owned();
    }
    replace(tx, product, &moved, deed).await
}

/// How many lines of the present bill of materials each of these phases has; those without are left out.
pub async fn line_counts(tx: &mut Tx, phases: &[i64]) -> Result<Vec<(PhaseKey, i64)>> {
    tx.all(
        sql!("select phase_key, count(*) from bom_line where phase_key {in $1} group by phase_key"),
        &params![phases.to_vec()],
    )
    .await
}

/// How many lines the present bill of materials of each of these products has; those without are left out.
pub async fn line_counts_of_products(tx: &mut Tx, products: &[i64]) -> Result<Vec<(ProductId, i64)>> {
    tx.all(
        sql!("select product_id, count(*) from bom_line where product_id {in $1} group by product_id"),
        &params![products.to_vec()],
    )
    .await
}

row_struct! {
    /// A line as the walk over all bills of materials sees it.
    pub struct Edge {
        pub parent: ProductId,
        pub component: ProductId,
        pub qt: Quantity,
    }
}

/// The product and whatever contains it, on any level; each is visited once.
pub async fn ids_above(tx: &mut Tx, product: ProductId) -> Result<Vec<ProductId>> {
    tx.all(
        sql!(
            "with recursive above (id) as (
                 select cast($1 as {int})
                 union
                 select next.product_id from {along above bom_line component_id}
             )
             select id from above"
        ),
        &params![product],
    )
    .await
}

/// Every line on the way from a product up to whatever contains it; each product is visited once.
pub async fn lines_above(tx: &mut Tx, product: ProductId) -> Result<Vec<Edge>> {
    tx.all(
        sql!(
            "with recursive above (id) as (
                 select cast($1 as {int})
                 union
                 select next.product_id from {along above bom_line component_id}
             )
             select next.product_id, next.component_id, next.qt from {along above bom_line component_id}"
        ),
        &params![product],
    )
    .await
}

row_struct! {
    /// A line below a product.
    pub struct LineBelow {
        pub key: BomLineKey,
        pub parent: ProductId,
        pub component: ProductId,
        pub phase_key: PhaseKey,
        pub qt: Quantity,
        pub line_no: i64,
    }
}

/// Every line below a product, down to what has none; each product is visited once.
pub async fn lines_below(tx: &mut Tx, product: ProductId) -> Result<Vec<LineBelow>> {
    tx.all(
        sql!(
            "with recursive below (id) as (
                 select cast($1 as {int})
                 union
                 select next.component_id from {along below bom_line product_id}
             )
             select next.key, next.product_id, next.component_id, next.phase_key, next.qt, next.line_no
             from {along below bom_line product_id}"
        ),
        &params![product],
    )
    .await
}
