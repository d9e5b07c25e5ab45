use domain::Timestamp;
use domain::collection::Collection;
use domain::form::FieldValue;
use domain::key::{BatchKey, EventKey, JobKey, StepExecutionKey, StepKey, UserKey, WorkSessionKey};
use domain::production::StepStatus;

use crate::columns::{self, Record, record};
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

record! {
    /// What was entered at one step for one batch.
    pub struct StepExecution in step_execution {
        pub key: StepExecutionKey,
        pub rev: i64,
        pub job_key: JobKey,
        pub batch_key: BatchKey,
        pub step_key: StepKey,
        pub user_key: UserKey,
        pub work_session_key: Option<WorkSessionKey>,
        /// None as long as it is only kept for later.
        pub completed: Option<Timestamp>,
        pub status: StepStatus,
        pub form_data: Vec<FieldValue>,
        /// The event that changed it after it was done.
        pub modified: Option<EventKey>,
        pub canceled: Option<EventKey>,
    }
    kept { job_key, batch_key, step_key }
}

pub async fn find(tx: &mut Tx, key: StepExecutionKey) -> Result<Option<StepExecution>> {
    StepExecution::select().filter("key = {}", key).maybe(tx).await
}

/// Those of a batch that count.
pub async fn of_batch(tx: &mut Tx, batch: BatchKey) -> Result<Vec<StepExecution>> {
    StepExecution::select().filter("batch_key = {} and canceled is null", batch).all(tx, "key").await
}

/// Those of several batches that count.
pub async fn of_batches(tx: &mut Tx, batches: &[i64]) -> Result<Vec<StepExecution>> {
    StepExecution::select().filter("batch_key {in {}} and canceled is null", batches.to_vec()).all(tx, "key").await
}

/// Inserts a new one or replaces a known one; its revision rises.
pub async fn save(tx: &mut Tx, execution: &mut StepExecution) -> Result<()> {
    execution.rev += 1;
    tx.changed(Collection::StepExecutionData, execution.key);
    columns::replace(tx, execution).await
}

/// What was entered for a batch that is taken back counts no more.
pub async fn cancel_of_batch(tx: &mut Tx, batch: BatchKey, by: EventKey) -> Result<()> {
    let sql = sql!(
        "update step_execution set canceled = $2, rev = rev + 1 where batch_key = $1 and canceled is null returning key"
    );
    let canceled: Vec<StepExecutionKey> = tx.all(sql, &params![batch, by]).await?;
    canceled.iter().for_each(|key| tx.changed(Collection::StepExecutionData, key));
    Ok(())
}
