use domain::Timestamp;
use domain::collection::Collection;
use domain::form::FormField;
use domain::key::{OperationKey, PhaseKey, StepKey};
use domain::process::StepKind;

use crate::columns::{self, Record, columns};
use crate::lock::Rows;
use crate::row::{FromRow, Row};
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, StoreError, params};

/// Whose step it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Owner {
    Phase(PhaseKey),
    /// One that new phases of the operation start from.
    Operation(OperationKey),
}

#[derive(Debug, Clone)]
pub struct Step {
    pub key: StepKey,
    pub rev: i64,
    pub owner: Owner,
    /// In the order of its owner; none when a phase went on without it.
    pub place: Option<i64>,
    pub title: String,
    pub description: Option<String>,
    pub kind: StepKind,
    pub form_fields: Vec<FormField>,
    pub trashed: Option<Timestamp>,
}

impl FromRow for Owner {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        match (row.column()?, row.column()?) {
            (Some(phase), None) => Ok(Owner::Phase(phase)),
            (None, Some(operation)) => Ok(Owner::Operation(operation)),
            _ => Err(StoreError::Stored("a step has no owner, or two".to_owned())),
        }
    }
}

impl Owner {
    fn phase(&self) -> Option<PhaseKey> {
        match self {
            Owner::Phase(key) => Some(*key),
            Owner::Operation(_) => None,
        }
    }

    fn operation(&self) -> Option<OperationKey> {
        match self {
            Owner::Phase(_) => None,
            Owner::Operation(key) => Some(key.clone()),
        }
    }
}

columns! {
    Step in step {
        key,
        rev,
        place,
        title,
        description,
        kind as type,
        form_fields,
        trashed,
    }
    read {
        owner = "step.phase_key, step.operation_key",
    }
    derived {
        phase_key: Option<PhaseKey> = |step| step.owner.phase();
        operation_key: Option<OperationKey> = |step| step.owner.operation();
    }
    kept { operation_key }
}

/// The steps of these phases, each phase's in order; of a trashed phase those it had last.
pub async fn of_phases(tx: &mut Tx, phases: &[i64]) -> Result<Vec<Step>> {
    Step::select().filter("phase_key {in {}} and place is not null", phases.to_vec()).all(tx, "phase_key, place").await
}

/// The keys of the steps of these phases, each with its phase.
pub async fn keys_of_phases(tx: &mut Tx, phases: &[i64]) -> Result<Vec<(PhaseKey, StepKey)>> {
    tx.all(
        sql!(
            "select phase_key, key
             from step
             where phase_key {in $1} and place is not null
             order by phase_key, place"
        ),
        &params![phases.to_vec()],
    )
    .await
}

pub async fn of_operations(tx: &mut Tx, operations: &[String]) -> Result<Vec<Step>> {
    Step::select().filter("operation_key {in {}}", operations.to_vec()).all(tx, "operation_key, place").await
}

/// The steps of live phases, in their order, locked: what is linked to them stays as it is.
pub async fn lock_of_phases(tx: &mut Tx, phases: &[i64]) -> Result<Vec<Step>> {
    let query = Step::select().filter("phase_key {in {}} and place is not null", phases.to_vec());
    Ok(in_order(query.locked_by(tx, Rows::Step, "key").await?))
}

/// The steps of an operation, in their order, locked: what is linked to them stays as it is.
pub async fn lock_of_operation(tx: &mut Tx, operation: &OperationKey) -> Result<Vec<Step>> {
    Ok(in_order(Step::select().filter("operation_key = {}", operation).locked_by(tx, Rows::Step, "key").await?))
}

fn in_order(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_by_key(|step| step.place);
    steps
}

/// Also a trashed one.
pub async fn find(tx: &mut Tx, key: StepKey) -> Result<Option<Step>> {
    Step::select().filter("key = {}", key).maybe(tx).await
}

/// For a change of what is linked to it: not a trashed one, nor one of a product in the trash. Raises its revision.
pub async fn touch(tx: &mut Tx, key: StepKey) -> Result<bool> {
    let found = tx
        .run(
            sql!(
                "update step
                 set rev = rev + 1
                 where key = $1 and trashed is null
                 and (
                     operation_key is not null
                     or exists (
                         select 1
                         from phase
                         join product on product.id = phase.product_id
                         where phase.key = step.phase_key and not product.trash
                     )
                 )"
            ),
            &params![key],
        )
        .await?;
    if found > 0 {
        tx.changed(Collection::Step, key);
    }
    Ok(found > 0)
}

/// Trashes the steps of live phases that are about to be trashed themselves.
pub async fn trash(tx: &mut Tx, phases: &[i64], now: Timestamp) -> Result<()> {
    let sql = sql!(
        "update step
         set trashed = $2, rev = rev + 1
         where phase_key {in $1} and place is not null
         returning key"
    );
    let trashed: Vec<StepKey> = tx.all(sql, &params![phases.to_vec(), now]).await?;
    trashed.iter().for_each(|key| tx.changed(Collection::Step, key));
    Ok(())
}

/// Trashes the steps of phases that go on without them; what they keep is saved anew.
pub async fn drop_from_phases(tx: &mut Tx, phases: &[i64], now: Timestamp) -> Result<()> {
    let sql = sql!(
        "update step
         set trashed = $2, place = null, rev = rev + 1
         where phase_key {in $1} and place is not null
         returning key"
    );
    let dropped: Vec<StepKey> = tx.all(sql, &params![phases.to_vec(), now]).await?;
    dropped.iter().for_each(|key| tx.changed(Collection::Step, key));
    Ok(())
}

/// Takes the steps of an operation out of their places; what it keeps is saved anew, and the rest has to be removed.
pub async fn displace(tx: &mut Tx, operation: &OperationKey, now: Timestamp) -> Result<()> {
    tx.run(sql!("update step set trashed = $2, place = null where operation_key = $1"), &params![operation, now])
        .await
        .map(|_| ())
}

/// Removes steps of an operation.
pub async fn remove(tx: &mut Tx, keys: &[i64]) -> Result<()> {
    keys.iter().for_each(|key| tx.changed(Collection::Step, StepKey(*key)));
    tx.run(sql!("delete from step where key {in $1}"), &params![keys.to_vec()]).await.map(|_| ())
}

/// So many steps go with one statement.
const AT_ONCE: usize = 2_000;

/// Inserts new steps and replaces known ones; the caller raises their revisions.
pub async fn save(tx: &mut Tx, steps: &[Step]) -> Result<()> {
    for some in steps.chunks(AT_ONCE) {
        columns::replace_all(tx, some).await?;
        some.iter().for_each(|step| tx.changed(Collection::Step, step.key));
    }
    Ok(())
}
