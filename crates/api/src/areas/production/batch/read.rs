use std::collections::HashMap;

use domain::form::FieldValue;
use domain::key::{StepExecutionKey, StepKey};
use domain::process::StepKind;
use domain::production::StepStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::production::executions::{self, StepExecution};
use store::production::{batches, order_phases};

use super::wire::{BatchRecord, record};
use super::{BatchPath, not_found};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Path;
use crate::reply::{Envelope, envelope};

/// A batch with what was entered at its steps.
#[derive(Serialize, JsonSchema)]
pub(super) struct BatchDetail {
    #[serde(flatten)]
    batch: BatchRecord,
    /// One entry for each step of the job, in order.
    step_data: Vec<StepData>,
}

/// What was entered at one step.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BatchStepData")]
struct StepData {
    /// Key of the step.
    _key: StepKey,
    #[serde(rename = "type")]
    kind: StepKind,
    done: bool,
    /// Done, and flagged for review.
    critical: bool,
    form_data: Vec<FieldValue>,
    /// Null if nothing has been entered.
    execution_record_key: Option<StepExecutionKey>,
}

/// The members of a copied step that are needed here.
#[derive(Deserialize)]
struct Step {
    _key: StepKey,
    #[serde(rename = "type")]
    kind: StepKind,
}

pub(super) async fn read(cx: Cx, Path(path): Path<BatchPath>) -> Result<Envelope<BatchDetail>> {
    let read = async |tx: &mut Tx| {
        let (batch, product) = batches::view(tx, path.batch_key).await?.ok_or_else(not_found)?;
        let steps = order_phases::steps(tx, batch.work_order_key, batch.phase_key).await?;
        let steps: Vec<Step> = serde_json::from_value(steps)
            .map_err(|error| ApiError::internal(&format!("steps of an order: {error}"), None))?;
        let entered = executions::of_batch(tx, batch.key).await?;
        let mut entered: HashMap<StepKey, StepExecution> =
            entered.into_iter().map(|record| (record.step_key, record)).collect();
        let step_data = steps.into_iter().map(|step| step_data(&step, entered.remove(&step._key))).collect();
        Ok(BatchDetail { batch: record(batch, product), step_data })
    };
    envelope("Batch found.", cx.read(read).await?)
}

fn step_data(step: &Step, entered: Option<StepExecution>) -> StepData {
    let status = entered.as_ref().map_or(StepStatus::ToDo, |entered| entered.status);
    StepData {
        _key: step._key,
        kind: step.kind,
        done: status != StepStatus::ToDo,
        critical: status == StepStatus::Critical,
        execution_record_key: entered.as_ref().map(|entered| entered.key),
        form_data: entered.map(|entered| entered.form_data).unwrap_or_default(),
    }
}
