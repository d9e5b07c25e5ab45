use domain::Timestamp;
use domain::collection::Collection;
use domain::form::FieldValue;
use domain::key::{BatchKey, EventKey, JobKey, StepExecutionKey, StepKey, UserKey, WorkSessionKey};
use domain::production::StepStatus;
use serde_json::json;

use crate::row::row_struct;
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

row_struct! {
    /// What was entered at one step for one batch.
    pub struct StepExecution {
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
}

fn executions() -> Query {
    Query::new(
        "select key, rev, job_key, batch_key, step_key, user_key, work_session_key, completed, status, form_data, modified,
                canceled
         from step_execution",
    )
}

pub async fn find(tx: &mut Tx, key: StepExecutionKey) -> Result<Option<StepExecution>> {
    executions().filter("key = {}", key).maybe(tx).await
}

/// Those of a batch that count.
pub async fn of_batch(tx: &mut Tx, batch: BatchKey) -> Result<Vec<StepExecution>> {
    executions().filter("batch_key = {} and canceled is null", batch).all(tx, "key").await
}

/// The same of several batches.
pub async fn of_batches(tx: &mut Tx, batches: &[i64]) -> Result<Vec<StepExecution>> {
    executions().filter("batch_key {in {}} and canceled is null", batches.to_vec()).all(tx, "key").await
}

/// Inserts a new one or replaces a known one; its revision rises.
pub async fn save(tx: &mut Tx, execution: &mut StepExecution) -> Result<()> {
    execution.rev += 1;
    tx.changed(Collection::StepExecutionData, execution.key);
    tx.run(
        sql!(
            "insert into step_execution (key, rev, job_key, batch_key, step_key, user_key, work_session_key, completed,
                                         status, form_data, modified, canceled)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
             on conflict (key) do update
             set rev = excluded.rev, user_key = excluded.user_key, work_session_key = excluded.work_session_key,
                 completed = excluded.completed, status = excluded.status, form_data = excluded.form_data,
                 modified = excluded.modified, canceled = excluded.canceled"
        ),
        &params![
            execution.key,
            execution.rev,
            execution.job_key,
            execution.batch_key,
            execution.step_key,
            &execution.user_key,
            execution.work_session_key,
            execution.completed,
            execution.status,
            &json!(execution.form_data),
            execution.modified,
            execution.canceled,
        ],
    )
    .await
    .map(|_| ())
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
