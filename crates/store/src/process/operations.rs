use domain::collection::Collection;
use domain::key::{OperationKey, ProductKey};
use domain::process::PhaseParameters;
use domain::text::fold;
use serde_json::json;

use crate::row::row_struct;
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

row_struct! {
    /// A kind of work, with what a phase of it starts from.
    pub struct Operation {
        pub key: OperationKey,
        pub rev: i64,
        pub name: String,
        pub code: Option<String>,
        pub description: Option<String>,
        pub default_phase_parameters: PhaseParameters,
        pub default_phase_notes: Option<String>,
    }
}

fn operations() -> Query {
    Query::new(
        "select key, rev, name, code, description, default_phase_parameters, default_phase_notes
         from operation",
    )
    .filter("deleted = {}", false)
}

/// By name ignoring case.
pub async fn list(tx: &mut Tx, page: &Page) -> Result<Paged<Operation>> {
    operations().page(tx, "name_folded, name, key", page).await
}

pub async fn lock(tx: &mut Tx, key: &OperationKey) -> Result<Option<Operation>> {
    operations().filter("key = {}", key).locked().maybe(tx).await
}

/// Which of these there are; each stays until the end of the transaction.
pub async fn hold_all(tx: &mut Tx, keys: &[String]) -> Result<Vec<OperationKey>> {
    tx.all(
        sql!("select key from operation where key {in $1} and not deleted order by key {lock}"),
        &params![keys.to_vec()],
    )
    .await
}

/// A taken key, also that of a deleted operation, is a constraint error.
pub async fn insert(tx: &mut Tx, operation: &Operation) -> Result<()> {
    tx.changed(Collection::Operation, &operation.key);
    tx.run(
        sql!(
            "insert into operation (key, rev, name, name_folded, code, description, default_phase_parameters,
                                    default_phase_notes)
             values ($1, $2, $3, $4, $5, $6, $7, $8)"
        ),
        &values(operation),
    )
    .await
    .map(|_| ())
}

/// The record as a whole; the caller raises its revision.
pub async fn update(tx: &mut Tx, operation: &Operation) -> Result<()> {
    tx.changed(Collection::Operation, &operation.key);
    tx.run(
        sql!(
            "update operation
             set rev = $2, name = $3, name_folded = $4, code = $5, description = $6, default_phase_parameters = $7,
                 default_phase_notes = $8
             where key = $1"
        ),
        &values(operation),
    )
    .await
    .map(|_| ())
}

fn values(operation: &Operation) -> [Value; 8] {
    params![
        &operation.key,
        operation.rev,
        &operation.name,
        fold(&operation.name),
        operation.code.as_deref(),
        operation.description.as_deref(),
        &json!(operation.default_phase_parameters),
        operation.default_phase_notes.as_deref()
    ]
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
