//! Who has which jobs.

use domain::key::{JobKey, UserKey};
use journal::effects::production::in_order;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::organisation::accounts;
use store::production::{job_views, queues};

use super::super::job::{AssignedUser, JobRecord, record};
use super::wire::by_operator;
use crate::Result;
use crate::cx::Cx;
use crate::input::Query;
use crate::reply::{Envelope, envelope};

#[derive(Deserialize, JsonSchema)]
pub(super) struct AssignmentQuery {
    /// Only this operator's jobs, besides the unassigned ones.
    user_key: Option<UserKey>,
}

/// Who has which jobs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JobAssignment")]
pub(super) struct Assignment {
    assigned_jobs_by_operator: Vec<OperatorJobs>,
    /// In the order of the site queue.
    unassigned_jobs: Vec<JobRecord>,
}

#[derive(Serialize, JsonSchema)]
struct OperatorJobs {
    operator: AssignedUser,
    /// Open jobs in the order of the operator's queue.
    assigned_jobs: Vec<JobRecord>,
    /// Whether that queue has a sequence of its own.
    independent: bool,
}

/// Users with this word in their scope work on jobs.
const OPERATOR: &str = "operator";

pub(super) async fn read(cx: Cx, Query(query): Query<AssignmentQuery>) -> Result<Envelope<Assignment>> {
    let now = cx.now();
    let assigned = async move |tx: &mut Tx| {
        let mut operators = accounts::with_scope(tx, OPERATOR).await?;
        operators.retain(|operator| query.user_key.as_ref().is_none_or(|wanted| operator.key == *wanted));
        let queues = queues::all(tx).await?;
        let (mut waiting, unassigned) = by_operator(queues::open_jobs(tx).await?);
        let mut assigned: Vec<(accounts::Named, Vec<JobKey>, bool)> = Vec::with_capacity(operators.len());
        for operator in operators {
            let stored = queues.iter().find(|queue| queue.subqueue_target_key.as_ref() == Some(&operator.key));
            let queue = stored.cloned().unwrap_or_else(|| queues::Queue::of_operator(operator.key.clone()));
            let jobs = in_order(&queue, waiting.remove(&operator.key).unwrap_or_default());
            assigned.push((operator, jobs, queue.independent));
        }
        let shown = assigned.iter().flat_map(|(_, jobs, _)| jobs).chain(&unassigned).copied().collect();
        let mut records = job_views::in_order(tx, shown).await?.into_iter().map(|job| record(job, now));
        let assigned_jobs_by_operator = assigned
            .into_iter()
            .map(|(operator, jobs, independent)| OperatorJobs {
                operator: AssignedUser::from(operator),
                assigned_jobs: records.by_ref().take(jobs.len()).collect(),
                independent,
            })
            .collect();
        Ok::<_, crate::ApiError>(Assignment { assigned_jobs_by_operator, unassigned_jobs: records.collect() })
    };
    envelope("Jobs listed by operator.", cx.db.read_long(assigned).await?)
}
