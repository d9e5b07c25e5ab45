use domain::collection::Collection;
use domain::key::{OperationKey, ProductKey};
use domain::process::PhaseParameters;
use domain::text::fold;

use crate::columns::{self, Record, record};
use crate::lock::Rows;
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    /// A kind of work, with what a phase of it starts from.
    pub struct Operation in operation {
        pub key: OperationKey,
        pub rev: i64,
        pub name: String,
        pub code: Option<String>,
        pub description: Option<String>,
        pub default_phase_parameters: PhaseParameters,
        pub default_phase_notes: Option<String>,
    }
    derived {
        name_folded: String = |operation| fold(&operation.name);
    }
}

fn operations() -> Query {
    Operation::select().only("not deleted")
}

/// By name ignoring case.
pub async fn list(tx: &mut Tx, page: &Page) -> Result<Paged<Operation>> {
    operations().page(tx, "name_folded, name, key", page).await
}

/// Those of these that there are.
pub async fn find_all(tx: &mut Tx, keys: &[String]) -> Result<Vec<Operation>> {
    operations().filter("key {in {}}", keys.to_vec()).all(tx, "key").await
}

pub async fn lock(tx: &mut Tx, key: &OperationKey) -> Result<Option<Operation>> {
    operations().filter("key = {}", key).locked(Rows::Operation).maybe(tx).await
}

/// Which of these there are; each stays until the end of the transaction.
pub async fn hold_all(tx: &mut Tx, keys: &[String]) -> Result<Vec<OperationKey>> {
    tx.all(
        sql!("select key from operation where key {in $1} and not deleted order by key {lock}").locked(Rows::Operation),
        &params![keys.to_vec()],
    )
    .await
}

/// A taken key, also that of a deleted operation, is a constraint error.
pub async fn insert(tx: &mut Tx, operation: &Operation) -> Result<()> {
    tx.changed(Collection::Operation, &operation.key);
    columns::insert(tx, operation).await
}

/// The record as a whole; the caller raises its revision.
pub async fn update(tx: &mut Tx, operation: &Operation) -> Result<()> {
    tx.changed(Collection::Operation, &operation.key);
    columns::update(tx, operation).await
}

/// The record stays for the phases that had it.
pub async fn delete(tx: &mut Tx, key: &OperationKey) -> Result<()> {
    tx.changed(Collection::Operation, key);
    tx.run(sql!("update operation set deleted = true, rev = rev + 1 where key = $1"), &params![key]).await.map(|_| ())
}

/// The live products with a phase of each of these operations, by code: operation, product, its code.
pub async fn users(tx: &mut Tx, keys: &[String]) -> Result<Vec<(OperationKey, ProductKey, String)>> {
    tx.all(
        sql!(
            "select phase.operation_key, product.key, product.code
             from phase
             join product on product.id = phase.product_id
             where phase.operation_key {in $1} and phase.trashed is null and not product.trash
             group by phase.operation_key, product.key, product.code, product.code_folded
             order by product.code_folded, product.code, product.key"
        ),
        &params![keys.to_vec()],
    )
    .await
}
