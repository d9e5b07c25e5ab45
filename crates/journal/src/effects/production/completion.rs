//! Completing a batch. The steps of [`complete`] follow the order of the contract.

use domain::production::CloseReason;
use domain::rule::Refused;
use domain::rule::production::QuantityMismatchError;
use domain::{Quantity, Total};
use serde_json::json;
use store::production::batches::{self, Batch};
use store::production::sessions::{self, WorkSession};

use super::answer::job_and_batch;
use super::bench::Bench;
use super::floor::add_closed_event;
use super::result::{Completion, Units};
use super::session::Worker;
use super::sheet::{self, StepData};
use super::units::completing;
use super::{opening, session, wip, worth};
use crate::act::Act;
use crate::event::made::production::BatchReleased;
use crate::event::{Outcome, OutcomeMember, ServerEvent};
use crate::{Error, Result};

/// Completes the active batch of a job. The running session belongs to the user who works on it.
pub(crate) async fn complete(
    act: &mut Act<'_>,
    mut bench: Bench,
    mut batch: Batch,
    session: WorkSession,
    mut completion: Completion,
) -> Result<Outcome> {
    let worker = Worker::from(&session);
    let named = completing::sort(act, &bench, &batch, &mut completion).await?;
    must_add_up(&batch, &completion)?;
    keep_step_data(act, &bench, &batch, completion.step_data.as_deref()).await?;
    let (units, supply) = completing::fill_in(act, &bench, &batch, named, &completion).await?;
    supply.carry_out(act, &batch).await?;
    session::close(act, &bench, session, act.at).await?;
    end(act, &mut bench, &mut batch, completion, &units).await?;
    go_on(act, &mut bench, worker).await?;
    show(act, bench, &batch, &units).await
}

/// Steps 6 to 10, after the session: ends the active batch, uses up its input and passes on its output.
pub(crate) async fn end(
    act: &mut Act<'_>,
    bench: &mut Bench,
    batch: &mut Batch,
    completion: Completion,
    units: &Units,
) -> Result<()> {
    end_batch(act, bench, batch, completion)?;
    let used = wip::use_up(act, bench, batch.key, batch.qt_total, units.all_keys().as_deref()).await?;
    if bench.job().forced.is_some() {
        // If all earlier output was taken back by hand, its time may still be there.
        sessions::adopt(act.tx, batch.job_key, batch.key).await?;
    }
    store_value(act, batch, used).await?;
    completing::scrap(act, batch, units).await?;
    pass_on(act, bench, batch, units).await?;
    count(bench, batch);
    Ok(())
}

/// Step 1: passed and scrapped quantity must add up to the batch.
fn must_add_up(batch: &Batch, completion: &Completion) -> Result<()> {
    let given = completion.pass + completion.scrapped();
    if given != batch.qt_total {
        let rule = QuantityMismatchError { expected: batch.qt_total, given };
        return Err(Error::rule(&rule, "What passed and what was scrapped do not add up to the batch."));
    }
    if completion.scrapped() > Quantity::ZERO && completion.scrap_reason.is_none() {
        return Err(Refused::value("Scrap needs a scrap_reason.").into());
    }
    Ok(())
}

/// Step 2: the steps were confirmed one by one, or their data is stored now; nothing mandatory may be missing.
async fn keep_step_data(act: &mut Act<'_>, bench: &Bench, batch: &Batch, sent: Option<&[StepData]>) -> Result<()> {
    if bench.job().parameters.step_check {
        if sent.is_some() {
            return Err(Refused::value("The steps of this phase are confirmed one by one.").into());
        }
        return sheet::must_all_be_done(act, bench, batch).await;
    }
    sheet::keep_all(act, bench, batch, sent.unwrap_or_default()).await
}

/// Step 6, after the session: ends the batch, not before it began.
fn end_batch(act: &Act<'_>, bench: &Bench, batch: &mut Batch, completion: Completion) -> Result<()> {
    if act.at < batch.started {
        return Err(Error::timestamp("The batch that ends began later.", Some(batch.started)));
    }
    debug_assert_eq!(bench.job().active_batch_key, Some(batch.key));
    batch.active = false;
    batch.ended = Some(act.at);
    batch.qt_pass = completion.pass;
    batch.qt_scrap = completion.scrapped();
    batch.scrap_reason = completion.scrap_reason;
    Ok(())
}

/// Stores the batch's value: the material of what passed, the work, and the value of its input; unknown if any of these is.
async fn store_value(act: &mut Act<'_>, batch: &mut Batch, used: Option<Total>) -> Result<()> {
    let sessions = sessions::of_batch(act.tx, batch.key).await?;
    batch.value = worth::costs(batch, &sessions).worth(used);
    Ok(batches::save(act.tx, batch).await?)
}

/// Step 9: what passed waits in front of the next phase, or is released by the last one.
async fn pass_on(act: &mut Act<'_>, bench: &Bench, batch: &Batch, units: &Units) -> Result<()> {
    if batch.qt_pass == Quantity::ZERO {
        return Ok(());
    }
    let traced = !units.passed.is_empty();
    match (bench.is_last_phase(), traced) {
        (false, false) => return wip::declare(act, bench, batch.key, batch.qt_pass, batch.value).await,
        (false, true) => return completing::declare(act, bench, batch, units).await,
        (true, true) => completing::release_passed(act, units).await?,
        (true, false) => {}
    }
    let order = &bench.floor.work.order;
    let payload = BatchReleased {
        batch_key: batch.key,
        product_key: order.product_key.clone(),
        work_order_key: order.key,
        qt_released: batch.qt_pass,
        serial_keys: traced.then(|| units.passed_keys()),
    };
    act.child(ServerEvent::BatchReleased.name(), bench.concerns(), &payload)?;
    Ok(())
}

/// Step 10: adds the batch to the job's quantities.
fn count(bench: &mut Bench, batch: &Batch) {
    let index = bench.index;
    bench.floor.work.complete_batch(index, batch.qt_pass, batch.qt_scrap);
    bench.job_mut().active = false;
}

/// Step 10, continued: the job is finished, or its next batch opens for the same user, or it waits.
async fn go_on(act: &mut Act<'_>, bench: &mut Bench, worker: Worker) -> Result<()> {
    let index = bench.index;
    if bench.floor.work.is_finished(index) {
        let now = act.at;
        bench.job_mut().close(CloseReason::Quantity, now);
        return add_closed_event(act, bench.concerns(), bench.job());
    }
    if bench.job().parameters.auto_new_batch && bench.floor.work.may_open_next(index) {
        opening::open(act, bench, None).await?;
        session::open(act, bench, worker).await?;
    }
    Ok(())
}

/// Step 11: settles the order, and answers.
async fn show(act: &mut Act<'_>, bench: Bench, batch: &Batch, units: &Units) -> Result<Outcome> {
    let (key, last_phase) = (bench.job().key, bench.is_last_phase());
    let Outcome(mut members) = job_and_batch(bench.finish(act).await?, key)?;
    let released = if last_phase { units.passed_keys() } else { Vec::new() };
    members.push(("completed_batch", OutcomeMember::Batch(Some(batch.key))));
    members.push(("released_serial_keys", OutcomeMember::Json(json!(released))));
    members.push(("scrapped_serial_keys", OutcomeMember::Json(json!(units.scrapped_keys()))));
    Ok(Outcome(members))
}
