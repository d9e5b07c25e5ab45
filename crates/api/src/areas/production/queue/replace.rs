use domain::fault::Faults;
use domain::key::{JobKey, UserKey, WorkOrderKey};
use domain::production::QueueKind;
use futures_util::future::BoxFuture;
use journal::effects::production::{OperatorQueue, SiteQueue};
use journal::events::production::{update_operator_queue, update_site_queue};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::json;
use store::Tx;

use super::wire::{QueueRecord, record};
use super::{OperatorPath, must_be_there};
use crate::Result;
use crate::areas::journal::Acting;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Given, Json, Path, read_only, record_members};
use crate::reply::{Done, Envelope, envelope};

/// The only site.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[schemars(rename = "SiteKey")]
enum Site {
    #[default]
    #[serde(rename = "0")]
    Home,
}

/// The members of a queue that are read-only.
fn queue_members(schema: &mut Schema) {
    record_members(schema);
    read_only(schema, &["_key"]);
}

/// The new state of a queue. Members left out stay.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "QueueInput", transform = queue_members)]
pub(super) struct WholeQueue {
    /// The site queue when left out.
    #[serde(rename = "type")]
    kind: Option<QueueKind>,
    #[serde(default)]
    #[serde(rename = "site_key")]
    _site_key: Site,
    /// The operator, for a queue of type `o`.
    subqueue_target_key: Option<UserKey>,
    /// For the site queue: open orders in their new sequence. Those left out follow behind.
    #[serde(default)]
    work_orders: Given<Vec<WorkOrderKey>>,
    /// For an operator's queue.
    #[serde(default)]
    jobs: Given<Vec<JobKey>>,
    #[serde(default)]
    independent: Given<bool>,
}

/// The new state of an operator's queue. Members left out stay.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "OperatorQueueInput")]
pub(super) struct OperatorChange {
    #[serde(default)]
    #[serde(rename = "site_key")]
    _site_key: Site,
    /// Open jobs of the operator in their new sequence, only for a queue that is or becomes independent. Those left out
    /// follow behind.
    #[serde(default)]
    jobs: Given<Vec<JobKey>>,
    /// True gives the queue a sequence of its own, if the configuration allows it; false takes it away.
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
    /// Refuses members that belong to the other kind of queue.
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
                    fault(
                        "subqueue_target_key",
                        "value_error",
                        "Only a queue of type o has an operator.",
                        json!(target),
                    );
                }
                if jobs.is_some() {
                    fault("jobs", "value_error", "The site queue contains orders, not jobs.", json!(jobs));
                }
                if self.independent.0 == Some(true) {
                    fault("independent", "value_error", "Only a queue of type o can be independent.", json!(true));
                }
            }
            (QueueKind::Operator, target) => {
                if target.is_none() {
                    fault("subqueue_target_key", "value_error", "An operator's queue needs its operator.", json!(null));
                }
                if orders.is_some() {
                    fault(
                        "work_orders",
                        "value_error",
                        "An operator's queue contains jobs, not orders.",
                        json!(orders),
                    );
                }
            }
        }
        ApiError::check(faults)
    }
}

/// Moves the named orders to the front; the others keep their sequence behind them.
fn site<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    named: Option<&'a [WorkOrderKey]>,
) -> BoxFuture<'a, Result<Envelope<QueueRecord>>> {
    Box::pin(async move {
        let mut act = cx.act(tx, cx.now()).await?;
        let queue = SiteQueue::hold(&mut act).await?;
        cx.check_revision(Some(queue.rev()))?;
        let (queue, order) = update_site_queue(&mut act, queue, named).await?;
        act.store().await?;
        envelope("Queue updated.", record(queue, order, Vec::new()))
    })
}

/// Gives an operator's queue a sequence of its own, or takes it away.
fn operator<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    user: &'a UserKey,
    named: Option<&'a [JobKey]>,
    independent: Option<bool>,
) -> BoxFuture<'a, Result<Envelope<QueueRecord>>> {
    Box::pin(async move {
        must_be_there(tx, user).await?;
        let mut act = cx.act(tx, cx.now()).await?;
        let queue = OperatorQueue::hold(&mut act, user).await?;
        cx.check_revision(Some(queue.rev()))?;
        let (queue, order) = update_operator_queue(&mut act, queue, named, independent).await?;
        act.store().await?;
        envelope("Queue updated.", record(queue, Vec::new(), order))
    })
}
