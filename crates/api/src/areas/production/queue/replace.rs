use std::hash::Hash;

use domain::config::INDEPENDENT_QUEUES;
use domain::fault::Faults;
use domain::key::{JobKey, UserKey, WorkOrderKey};
use domain::production::{Misnamed, QueueKind, exchange_places, misnamed, reorder};
use futures_util::future::BoxFuture;
use journal::{References, ServerEvent};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::administration::config;
use store::production::queues;
use store::{Lock, Tx};

use super::wire::{QueueRecord, in_order, record};
use super::{OperatorPath, must_be_there};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Given, Json, Path, read_only, record_members};
use crate::reply::{Done, Envelope, envelope};

/// The one site that there is.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
enum Site {
    #[default]
    #[serde(rename = "0")]
    Home,
}

/// What readers get of a queue besides what writers send.
fn queue_members(schema: &mut Schema) {
    record_members(schema);
    read_only(schema, &["_key"]);
}

/// A queue as it is to be. What is left out stays.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "QueueIn", transform = queue_members)]
pub(super) struct WholeQueue {
    /// The site's when left out.
    #[serde(rename = "type")]
    kind: Option<QueueKind>,
    #[serde(default)]
    #[serde(rename = "site_key")]
    _site_key: Site,
    /// The operator, for a queue of type `o`.
    subqueue_target_key: Option<UserKey>,
    /// Of the site queue: open orders in their new order. Those left out follow behind.
    #[serde(default)]
    work_orders: Given<Vec<WorkOrderKey>>,
    /// Of an operator's queue.
    #[serde(default)]
    jobs: Given<Vec<JobKey>>,
    #[serde(default)]
    independent: Given<bool>,
}

/// What an operator's queue is to be. What is left out stays.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "OperatorQueueIn")]
pub(super) struct OperatorChange {
    #[serde(default)]
    #[serde(rename = "site_key")]
    _site_key: Site,
    /// Open jobs of the operator in their new order, only for a queue that is or becomes independent. Those left out follow
    /// behind.
    #[serde(default)]
    jobs: Given<Vec<JobKey>>,
    /// True gives the queue an order of its own, if the configuration allows it; false takes it away.
    #[serde(default)]
    independent: Given<bool>,
}

pub(super) async fn any(cx: Cx, Json(body): Json<WholeQueue>) -> Result<Done<Envelope<QueueRecord>>> {
    body.check()?;
    let asking = cx.clone();
    cx.change("replace queue", async move |tx: &mut Tx| match &body.subqueue_target_key {
        None => site(tx, &asking, body.work_orders.0.as_deref()).await,
        Some(user) => operator(tx, &asking, user, body.jobs.0.as_deref(), body.independent.0).await,
    })
    .await
}

pub(super) async fn of_operator(
    cx: Cx,
    Path(path): Path<OperatorPath>,
    Json(body): Json<OperatorChange>,
) -> Result<Done<Envelope<QueueRecord>>> {
    let asking = cx.clone();
    cx.change("replace operator queue", async move |tx: &mut Tx| {
        operator(tx, &asking, &path.operator_key, body.jobs.0.as_deref(), body.independent.0).await
    })
    .await
}

impl WholeQueue {
    /// One kind of queue has what the other has not.
    fn check(&self) -> Result<()> {
        let mut faults = Faults::at("body");
        let mut fault = |member: &str, kind: &'static str, why: &str, sent: serde_json::Value| {
            faults.within(member, |faults| faults.add(kind, why, &sent));
        };
        let jobs = self.jobs.0.as_ref().filter(|jobs| !jobs.is_empty());
        let orders = self.work_orders.0.as_ref().filter(|orders| !orders.is_empty());
        match (self.kind.unwrap_or(QueueKind::Site), &self.subqueue_target_key) {
            (QueueKind::Site, target) => {
                if target.is_some() {
                    fault("subqueue_target_key", "value_error", "Only a queue of type o is a user's.", json!(target));
                }
                if jobs.is_some() {
                    fault("jobs", "value_error", "Orders wait in the site queue, no jobs.", json!(jobs));
                }
                if self.independent.0 == Some(true) {
                    fault("independent", "value_error", "Only a queue of type o can be independent.", json!(true));
                }
            }
            (QueueKind::Operator, target) => {
                if target.is_none() {
                    fault("subqueue_target_key", "value_error", "An operator's queue says whose it is.", json!(null));
                }
                if orders.is_some() {
                    fault("work_orders", "value_error", "Jobs wait in an operator's queue, no orders.", json!(orders));
                }
            }
        }
        ApiError::check(faults)
    }
}

/// Puts the orders that are named first; the others follow behind in their old order.
fn site<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    named: Option<&'a [WorkOrderKey]>,
) -> BoxFuture<'a, Result<Envelope<QueueRecord>>> {
    Box::pin(async move {
        let mut act = cx.act(tx, cx.now()).await?;
        let mut queue = queues::hold_site(act.tx).await?;
        cx.check_revision(Some(queue.rev))?;
        let mut waiting = queues::hold_orders(act.tx).await?;
        waiting.sort_by_key(|(order, place)| (*place, *order));
        let order = ordered(waiting.iter().map(|(order, _)| *order).collect(), named, "work_orders")?;
        let moved = exchange_places(&waiting, &order);
        if !moved.is_empty() {
            queues::place_orders(act.tx, &moved).await?;
        }
        queues::save(act.tx, &mut queue).await?;
        let payload = json!({ "queue_key": queue.key, "work_orders": order });
        act.primary(ServerEvent::QueueUpdated.name(), payload, References::default())?;
        act.store().await?;
        envelope("Queue written.", record(queue, order, Vec::new()))
    })
}

/// Gives an operator's queue an order of its own, or takes it away.
fn operator<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    user: &'a UserKey,
    named: Option<&'a [JobKey]>,
    wanted: Option<bool>,
) -> BoxFuture<'a, Result<Envelope<QueueRecord>>> {
    Box::pin(async move {
        must_be_there(tx, user).await?;
        let mut act = cx.act(tx, cx.now()).await?;
        // What the configuration allows now, it allows until this is done.
        act.tx.lock_shared(Lock::Config).await?;
        let mut queue = queues::hold(act.tx, user).await?;
        cx.check_revision(Some(queue.rev))?;
        let independent = wanted.unwrap_or(queue.independent);
        must_be_allowed(act.tx, wanted, named.is_some() && !independent).await?;
        let reordered = independent && (named.is_some() || !queue.independent);
        let jobs = match reordered {
            true => queues::hold_jobs_of(act.tx, user).await?,
            false => queues::jobs_of(act.tx, user).await?,
        };
        // An order of its own counts only as long as it keeps it.
        queue.independent &= independent;
        let order = ordered(in_order(&queue, jobs.clone()), named, "jobs")?;
        if reordered {
            let places: Vec<(JobKey, i64)> = jobs.iter().map(|job| (job.key, job.place)).collect();
            let moved = exchange_places(&places, &order);
            if !moved.is_empty() {
                queues::place_jobs(act.tx, &moved).await?;
            }
        }
        queue.independent = independent;
        queues::save(act.tx, &mut queue).await?;
        let payload = json!({ "queue_key": queue.key, "jobs": order, "independent": independent });
        act.primary(ServerEvent::QueueUpdated.name(), payload, References::default())?;
        act.store().await?;
        envelope("Queue written.", record(queue, Vec::new(), order))
    })
}

/// Only an independent queue has an order of its own, and only where the site allows it.
async fn must_be_allowed(tx: &mut Tx, wanted: Option<bool>, dependent_order: bool) -> Result<()> {
    let refused = |message: &str| Err(ApiError::rule("IndependentReorderingNotAllowed", message, json!({})));
    if wanted == Some(true) {
        let entry = config::get(tx, INDEPENDENT_QUEUES).await?;
        if !entry.and_then(|entry| entry.as_bool()).unwrap_or(false) {
            return refused("The configuration allows no queue to be independent.");
        }
    }
    if dependent_order {
        return refused("The queue follows the site queue: only an independent one has an order of its own.");
    }
    Ok(())
}

/// The new order, or everything that is wrong with what was named.
fn ordered<K: Copy + Eq + Hash + Serialize>(waiting: Vec<K>, named: Option<&[K]>, member: &str) -> Result<Vec<K>> {
    let named = named.unwrap_or_default();
    let mut faults = Faults::at("body");
    faults.within(member, |faults| {
        for (index, wrong) in misnamed(&waiting, named) {
            let why = match wrong {
                Misnamed::Absent => "It does not wait in this queue: it is closed, or not there.",
                Misnamed::Again => "It was named before.",
            };
            faults.within(index, |faults| faults.add("value_error", why, &json!(named[index])));
        }
    });
    ApiError::check(faults)?;
    Ok(reorder(&waiting, named))
}
