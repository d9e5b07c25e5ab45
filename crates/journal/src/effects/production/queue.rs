//! The sequence in which orders and jobs wait.

use std::hash::Hash;

use domain::config::INDEPENDENT_QUEUES;
use domain::fault::Faults;
use domain::key::{JobKey, UserKey, WorkOrderKey};
use domain::production::{Misnamed, exchange_places, misnamed, reorder};
use domain::rule::production::IndependentReorderingNotAllowed;
use serde::Serialize;
use serde_json::json;
use store::administration::config;
use store::production::queues::{self, Queue, Waiting};
use store::{Lock, Tx};

use crate::act::Act;
use crate::{Error, Result};

/// The site queue, locked.
pub struct SiteQueue(Queue);

/// An operator's queue, locked.
pub struct OperatorQueue {
    queue: Queue,
    user: UserKey,
}

/// The actual sequence of an operator's queue; the jobs are passed in the sequence of the site queue.
pub fn in_order(queue: &Queue, mut jobs: Vec<Waiting>) -> Vec<JobKey> {
    if queue.independent {
        jobs.sort_by_key(|job| (job.place, job.key));
    }
    jobs.into_iter().map(|job| job.key).collect()
}

impl SiteQueue {
    pub async fn hold(act: &mut Act<'_>) -> Result<Self> {
        Ok(Self(queues::hold_site(act.tx).await?))
    }

    pub fn rev(&self) -> i64 {
        self.0.rev
    }

    /// Moves the named orders to the front; the others keep their sequence behind them.
    pub(crate) async fn reorder(
        self,
        act: &mut Act<'_>,
        named: Option<&[WorkOrderKey]>,
    ) -> Result<(Queue, Vec<WorkOrderKey>)> {
        let Self(mut queue) = self;
        let mut waiting = queues::hold_orders(act.tx).await?;
        waiting.sort_by_key(|(order, place)| (*place, *order));
        let order = ordered(&waiting.iter().map(|(order, _)| *order).collect::<Vec<_>>(), named, "work_orders")?;
        let moved = exchange_places(&waiting, &order);
        if !moved.is_empty() {
            queues::place_orders(act.tx, &moved).await?;
        }
        queues::save(act.tx, &mut queue).await?;
        Ok((queue, order))
    }
}

impl OperatorQueue {
    pub async fn hold(act: &mut Act<'_>, user: &UserKey) -> Result<Self> {
        // The configuration must not change until this is done.
        act.tx.lock_shared(Lock::Config).await?;
        Ok(Self { queue: queues::hold(act.tx, user).await?, user: user.clone() })
    }

    pub fn rev(&self) -> i64 {
        self.queue.rev
    }

    /// Gives the queue a sequence of its own, or takes it away.
    pub(crate) async fn reorder(
        self,
        act: &mut Act<'_>,
        named: Option<&[JobKey]>,
        wanted: Option<bool>,
    ) -> Result<(Queue, Vec<JobKey>)> {
        let Self { mut queue, user } = self;
        let independent = wanted.unwrap_or(queue.independent);
        must_be_allowed(act.tx, wanted, named.is_some() && !independent).await?;
        let reordered = independent && (named.is_some() || !queue.independent);
        let jobs = match reordered {
            true => queues::hold_jobs_of(act.tx, &user).await?,
            false => queues::jobs_of(act.tx, &user).await?,
        };
        // A sequence of its own counts only while the queue is independent.
        queue.independent &= independent;
        let order = ordered(&in_order(&queue, jobs.clone()), named, "jobs")?;
        if reordered {
            let places: Vec<(JobKey, i64)> = jobs.iter().map(|job| (job.key, job.place)).collect();
            let moved = exchange_places(&places, &order);
            if !moved.is_empty() {
                queues::place_jobs(act.tx, &moved).await?;
            }
        }
        queue.independent = independent;
        queues::save(act.tx, &mut queue).await?;
        Ok((queue, order))
    }
}

/// Checks that the site allows independent queues; only an independent queue has a sequence of its own.
async fn must_be_allowed(tx: &mut Tx, wanted: Option<bool>, dependent_order: bool) -> Result<()> {
    let refused = |message: &'static str| Err(Error::rule(&IndependentReorderingNotAllowed {}, message));
    if wanted == Some(true) {
        let entry = config::get(tx, INDEPENDENT_QUEUES).await?;
        if !entry.and_then(|entry| entry.as_bool()).unwrap_or(false) {
            return refused("The configuration does not allow independent queues.");
        }
    }
    if dependent_order {
        return refused("The queue follows the site queue: only an independent one has an order of its own.");
    }
    Ok(())
}

/// The new sequence, or all faults of what was named.
fn ordered<K: Copy + Eq + Hash + Serialize>(waiting: &[K], named: Option<&[K]>, member: &str) -> Result<Vec<K>> {
    let named = named.unwrap_or_default();
    let mut faults = Faults::at("body");
    faults.within(member, |faults| {
        for (index, wrong) in misnamed(waiting, named) {
            let why = match wrong {
                Misnamed::Absent => "It is not in this queue; it may be closed.",
                Misnamed::Again => "It is named twice.",
            };
            faults.within(index, |faults| faults.add("value_error", why, &json!(named[index])));
        }
    });
    Error::check(faults)?;
    Ok(reorder(waiting, named))
}
