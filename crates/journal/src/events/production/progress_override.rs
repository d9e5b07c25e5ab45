use std::collections::BTreeSet;

use domain::Quantity;
use domain::key::{BatchKey, JobKey};
use domain::production::Stage;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use store::production::batches::{self, Batch};
use store::production::{executions, sessions};

use crate::Result;
use crate::act::Act;
use crate::effects::production::answer::job_and_batch;
use crate::effects::production::batch;
use crate::effects::production::bench::Bench;
use crate::effects::production::completion;
use crate::effects::production::floor::add_closed_event;
use crate::effects::production::result::{Completion, UnitKeys, Units};
use crate::effects::production::rights::SUPERVISE;
use crate::effects::production::supply::Supply;
use crate::effects::production::undoing::{OVERRIDDEN, end_links};
use crate::effects::production::{session, taking_back, wip, worth};
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// A supervisor sets how much of a job is completed.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ProgressOverride {
    /// The job.
    job_key: JobKey,
    /// The new completed quantity: at most the planned quantity minus the scrap.
    #[schemars(range(min = 0))]
    new_job_qt_completed: Quantity,
    /// An increase counts with the standard time; the time of what is taken back no longer counts.
    #[serde(default)]
    should_adjust_duration: bool,
}

impl Postable for ProgressOverride {
    const TYPE: ClientEvent = ClientEvent::ProgressOverride;
    const SCOPE: Option<Scope> = Some(SUPERVISE);
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const MAY_MOVE_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] = &[
        "WORK_SESSION_CREATED",
        "WORK_SESSION_CLOSED",
        "WORK_SESSION_CANCELED",
        "BATCH_CREATED",
        "BATCH_RELEASED",
        "WIP_DECLARED",
        "WIP_BOOKED",
        "WIP_UNBOOKED",
        "WIP_REMOVED",
        "JOB_CLOSED",
        "WORK_ORDER_STARTED",
        "WORK_ORDER_CLOSED",
        "WORK_ORDER_REOPENED",
        "SERIAL_UNLINKED",
        "MOVEMENT_COMPLETED",
        "MOVEMENT_REVERSED",
    ];
    const MAY_CHANGE_LINKS: bool = true;
    const ORDER_ALONE: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        let index = bench.index;
        let difference = bench.floor.work.override_by(index, self.new_job_qt_completed)?;
        if difference > Quantity::ZERO {
            let duration = self.should_adjust_duration.then(|| bench.job().standard_time(difference)).transpose()?;
            complete_more(act, &mut bench, difference, duration).await?;
        } else {
            complete_less(act, &mut bench, Quantity::ZERO - difference, self.should_adjust_duration).await?;
        }
        bench.job_mut().forced = Some(act.key());
        bench.floor.work.restage(index, act.at);
        if bench.job().stage == Stage::Closed {
            add_closed_event(act, bench.concerns(), bench.job())?;
        }
        if self.should_adjust_duration {
            session::recall_last(act, &mut bench).await?;
        }
        job_and_batch(bench.finish(act).await?, self.job_key)
    }
}

/// Adds a batch that begins and ends at once.
async fn complete_more(act: &mut Act<'_>, bench: &mut Bench, quantity: Quantity, duration: Option<i64>) -> Result<()> {
    let new = batch::new(act, bench, quantity, Some(act.key()))?;
    // It is never active, so no index has to be updated twice.
    let mut batch = Batch { active: false, ended: Some(act.at), ..new };
    batch::begin(act, bench, &batch).await?;
    Supply::hold(act, bench, &batch, quantity, &[], &UnitKeys::default()).await?.carry_out(act, &batch).await?;
    if let Some((user, duration)) = bench.job().assigned_to.clone().zip(duration) {
        session::force(act, bench, &batch, &user, duration).await?;
    }
    let completion = Completion { pass: quantity, ..Completion::default() };
    completion::end(act, bench, &mut batch, completion, &Units::default()).await
}

/// Takes back the newest batches until this much is taken back.
async fn complete_less(act: &mut Act<'_>, bench: &mut Bench, quantity: Quantity, with_time: bool) -> Result<()> {
    let completed = batches::completed(act.tx, bench.job().key).await?;
    taking_back::hold_made(act, bench, &cut_batches(&completed, quantity)).await?;
    let (mut left, mut changed, mut newest) = (quantity, BTreeSet::new(), None);
    for batch in completed {
        let less = batch.qt_pass.min(left);
        // Batches that were only scrapped stay.
        let stays = match less {
            Quantity::ZERO => Some(batch.key),
            less => cut(act, bench, batch, less, with_time, &mut changed).await?,
        };
        newest = newest.or(stays);
        left = left - less;
        if left == Quantity::ZERO && newest.is_some() {
            break;
        }
    }
    if let Some(newest) = newest.filter(|_| !with_time) {
        // The time that still counts was spent on what is left.
        sessions::adopt(act.tx, bench.job().key, newest).await?;
        changed.insert(newest);
    }
    worth::recalculate(act, changed).await
}

/// The newest batches, out of which this much is taken back.
fn cut_batches(newest_first: &[Batch], quantity: Quantity) -> Vec<BatchKey> {
    let mut left = quantity;
    let mut cut = Vec::new();
    for batch in newest_first.iter().filter(|batch| batch.qt_pass > Quantity::ZERO) {
        if left == Quantity::ZERO {
            break;
        }
        left = left - batch.qt_pass.min(left);
        cut.push(batch.key);
    }
    cut
}

/// Takes back this much of what passed in a batch. The batch is canceled; a forced batch takes its place with what is left.
async fn cut(
    act: &mut Act<'_>,
    bench: &mut Bench,
    mut batch: Batch,
    less: Quantity,
    with_time: bool,
    changed: &mut BTreeSet<BatchKey>,
) -> Result<Option<BatchKey>> {
    executions::cancel_of_batch(act.tx, batch.key, act.key()).await?;
    if with_time {
        session::cancel_of_batch(act, bench, batch.key).await?;
    }
    wip::take_back(act, bench, batch.key, (less, less), changed).await?;
    let index = bench.index;
    bench.floor.work.take_back(index, less);
    batch::cancel(act, &mut batch).await?;
    if less == batch.qt_total {
        taking_back::take_back(act, batch.key).await?;
        end_links(act, batch.key, OVERRIDDEN).await?;
        return Ok(None);
    }
    let rest = replace(act, bench, &batch, less).await?;
    taking_back::take_back_part(act, bench, &batch, &rest).await?;
    changed.insert(rest.key);
    Ok(Some(rest.key))
}

async fn replace(act: &mut Act<'_>, bench: &Bench, old: &Batch, less: Quantity) -> Result<Batch> {
    let rest = Batch {
        ended: Some(act.at),
        active: false,
        qt_pass: old.qt_pass - less,
        qt_scrap: old.qt_scrap,
        scrap_reason: old.scrap_reason.clone(),
        unit_material_cost: old.unit_material_cost,
        ..batch::new(act, bench, old.qt_total - less, Some(act.key()))?
    };
    batch::store_new(act, bench, &rest, None).await?;
    sessions::hand_over(act.tx, old.key, rest.key).await?;
    store::production::wip::hand_over(act.tx, old.key, rest.key).await?;
    Ok(rest)
}
