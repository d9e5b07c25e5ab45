use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{OperationKey, PhaseKey, ProductId, ProductKey};
use domain::process::PhaseParameters;

use crate::columns::{self, Record, record};
use crate::row::{FromRow, Row};
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct Phase in phase {
        pub key: PhaseKey,
        pub rev: i64,
        pub product_id: ProductId,
        /// In the order of its process.
        pub place: i64,
        /// Unique in its process.
        pub alias: String,
        pub operation_key: OperationKey,
        pub params: PhaseParameters,
        pub production_notes: Option<String>,
        /// Since when its process has it no more.
        pub trashed: Option<Timestamp>,
    }
    kept { product_id }
}

fn live(products: &[i64]) -> Query {
    Phase::select().filter("product_id {in {}} and trashed is null", products.to_vec())
}

/// The phases of these products, each product's in their order: product, phase, alias.
pub async fn of_products(tx: &mut Tx, products: &[i64]) -> Result<Vec<(ProductId, PhaseKey, String)>> {
    tx.all(
        sql!(
            "select product_id, key, alias
             from phase
             where product_id {in $1} and trashed is null
             order by product_id, place"
        ),
        &params![products.to_vec()],
    )
    .await
}

/// The process of a product, in order.
pub async fn of_product(tx: &mut Tx, product: ProductId) -> Result<Vec<Phase>> {
    live(&[product.0]).all(tx, "place").await
}

/// The phases of these products that carry out an operation, by product and place. Their products are locked.
pub async fn with_operation(tx: &mut Tx, products: &[i64], operation: &OperationKey) -> Result<Vec<Phase>> {
    live(products).filter("operation_key = {}", operation).all(tx, "product_id, place").await
}

/// A phase with the key of its product.
#[derive(Debug, Clone)]
pub struct PhaseOf {
    pub phase: Phase,
    pub product_key: ProductKey,
}

impl FromRow for PhaseOf {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { phase: Phase::from_row(row)?, product_key: row.column()? })
    }
}

/// Also trashed ones.
pub async fn find_all(tx: &mut Tx, keys: &[i64]) -> Result<Vec<PhaseOf>> {
    let select =
        format!("select {}, product.key from phase join product on product.id = phase.product_id", Phase::list());
    Query::new(&select).filter("phase.key {in {}}", keys.to_vec()).all(tx, "phase.key").await
}

pub async fn exists(tx: &mut Tx, key: PhaseKey) -> Result<bool> {
    Ok(tx.maybe::<i64>(sql!("select key from phase where key = $1"), &params![key]).await?.is_some())
}

/// Trashes the whole processes of products; what they keep is saved anew.
pub async fn trash(tx: &mut Tx, products: &[i64], now: Timestamp) -> Result<()> {
    let sql =
        sql!("update phase set trashed = $2, rev = rev + 1 where product_id {in $1} and trashed is null returning key");
    let trashed: Vec<PhaseKey> = tx.all(sql, &params![products.to_vec(), now]).await?;
    trashed.iter().for_each(|key| tx.changed(Collection::Phase, key));
    Ok(())
}

/// So many phases go with one statement.
const AT_ONCE: usize = 2_000;

/// Inserts new phases and replaces known ones; the caller raises their revisions.
pub async fn save(tx: &mut Tx, phases: &[Phase]) -> Result<()> {
    for some in phases.chunks(AT_ONCE) {
        columns::replace_all(tx, some).await?;
        some.iter().for_each(|phase| tx.changed(Collection::Phase, phase.key));
    }
    Ok(())
}
