use domain::key::JobKey;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{session, shown};
use super::cancel_active;
use crate::Result;
use crate::act::Act;
use crate::catalogue::{Outcome, Postable};
use crate::floor::Bench;

/// The active batch of a paused job goes as if it had never been.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct BatchCanceled {
    job_key: JobKey,
}

impl Postable for BatchCanceled {
    const TYPE: &'static str = "BATCH_CANCELED";

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        act.must_be_supervisor()?;
        let mut bench = Bench::of_job(act, self.job_key).await?;
        bench.job().must_be_idle()?;
        cancel_active(act, &bench).await?;
        let at = bench.at;
        bench.floor.work.cancel_batch(at)?;
        session::recall_last(act, &mut bench).await?;
        shown(bench.finish(act).await?, self.job_key)
    }
}
