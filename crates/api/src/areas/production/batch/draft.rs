use domain::fault::Faults;
use domain::form::SentValue;
use domain::key::{BatchKey, StepExecutionKey, StepKey};
use futures_util::future::BoxFuture;
use journal::effects::production::{StepTarget, save_draft};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Tx;

use crate::Result;
use crate::areas::journal::Acting;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Json;
use crate::reply::{Done, Envelope, envelope};

/// What was entered at a step that is not done yet.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BatchDraft")]
pub(super) struct Draft {
    /// The existing record of the step; or send `batch_key` and `step_key`.
    execution_record_key: Option<StepExecutionKey>,
    batch_key: Option<BatchKey>,
    step_key: Option<StepKey>,
    /// Null clears a value; fields left out keep theirs.
    #[schemars(length(min = 1, max = 1000))]
    form_data: Vec<SentValue>,
}

impl Draft {
    fn target(&self) -> Result<StepTarget> {
        match (self.execution_record_key, self.batch_key, self.step_key) {
            (Some(record), None, None) => Ok(StepTarget::Record(record)),
            (None, Some(batch), Some(step)) => Ok(StepTarget::Step(batch, step)),
            (record, batch, step) => {
                let mut faults = Faults::at("body");
                let sent = json!({ "execution_record_key": record, "batch_key": batch, "step_key": step });
                faults.add("value_error", "Name either execution_record_key, or batch_key and step_key.", &sent);
                Err(ApiError::validation(faults.into_vec()))
            }
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BatchDraftSaved")]
pub(super) struct KeptDraft {
    execution_record_key: StepExecutionKey,
}

pub(super) async fn keep(cx: Cx, Json(body): Json<Draft>) -> Result<Done<Envelope<KeptDraft>>> {
    let (asking, target) = (cx.clone(), body.target()?);
    cx.change("keep draft", async move |tx: &mut Tx| write(tx, &asking, target, &body.form_data).await).await
}

/// Boxed, so that the compiler need not check all of it for `Send`.
fn write<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    target: StepTarget,
    form_data: &'a [SentValue],
) -> BoxFuture<'a, Result<Envelope<KeptDraft>>> {
    Box::pin(async move {
        let mut act = cx.act(tx, cx.now()).await?;
        let execution_record_key = save_draft(&mut act, target, form_data).await?;
        envelope("Draft saved.", KeptDraft { execution_record_key })
    })
}
