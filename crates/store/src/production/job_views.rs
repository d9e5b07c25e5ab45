//! Jobs as readers see them: with what their order, their phase and their operator say. However many are wanted, it is one
//! statement.

use std::sync::LazyLock;

use domain::Timestamp;
use domain::json::Opaque;
use domain::key::{JobKey, OperationKey, ProductKey, UserKey};
use domain::product::TraceabilityLevel;
use domain::production::{Job, Order, Stage};
use serde_json::value::RawValue;

use crate::columns::Record;
use crate::organisation::accounts::Named;
use crate::row::{FromRow, Row, row_struct};
use crate::sql::{Page, Paged, Query, Sql, sql};
use crate::tx::Tx;
use crate::{Result, params};

#[derive(Debug)]
pub struct JobView {
    pub job: Job,
    pub wo_code: String,
    pub product_key: ProductKey,
    pub product_code: String,
    pub product_description: Option<String>,
    pub traceability_level: Option<TraceabilityLevel>,
    pub serial_code_on_creation: bool,
    /// Documents of the product, as the order has copied them.
    pub docs: Opaque,
    pub around: Around,
}

/// What neither a job nor its order says.
#[derive(Debug)]
pub struct Around {
    pub phase_alias: String,
    pub operation_key: OperationKey,
    /// In full, as the order has copied them.
    pub steps: Box<RawValue>,
    pub last_phase: bool,
    /// The issues about it.
    pub issues_total: i64,
    pub issues_open: i64,
    /// The user whom it is assigned to.
    pub assignee: Option<Named>,
}

/// What [`of_known`] reads.
struct AroundKnown {
    rev: i64,
    last_online: Option<Timestamp>,
    around: Around,
}

impl FromRow for AroundKnown {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { rev: row.column()?, last_online: row.column()?, around: Around::from_row(row)? })
    }
}

impl FromRow for JobView {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            job: Job::from_row(row)?,
            wo_code: row.column()?,
            product_key: row.column()?,
            product_code: row.column()?,
            product_description: row.column()?,
            traceability_level: row.column()?,
            serial_code_on_creation: row.column()?,
            docs: row.column()?,
            around: Around::from_row(row)?,
        })
    }
}

impl FromRow for Around {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            phase_alias: row.column()?,
            operation_key: row.column()?,
            steps: row.column()?,
            last_phase: row.column()?,
            issues_total: row.column()?,
            issues_open: row.column()?,
            assignee: assignee(row)?,
        })
    }
}

/// All columns are empty when nobody is assigned.
fn assignee(row: &mut Row<'_>) -> Result<Option<Named>> {
    let (key, username) = (row.column::<Option<UserKey>>()?, row.column::<Option<String>>()?);
    let (name, surname) = (row.column()?, row.column()?);
    Ok(key.zip(username).map(|(key, username)| Named { key, username, name, surname }))
}

/// The columns of [`Around`].
const AROUND: &str = "order_phase.alias, order_phase.operation_key, order_phase.steps,
    not exists (
        select 1
        from order_phase as next
        where next.work_order_key = job.work_order_key and next.place = order_phase.place + 1
    ),
    (
        select count(*)
        from issue_rel
        where issue_rel.type = 'job' and issue_rel.record_id = job.key and issue_rel.record_id is not null
    ),
    (
        select count(*)
        from issue_rel
        join issue on issue.key = issue_rel.issue_key
        where issue_rel.type = 'job' and issue_rel.record_id = job.key and issue_rel.record_id is not null
        and issue.open
    ),
    user_account.key, user_account.username, user_account.name, user_account.surname";

fn views() -> Query {
    static SELECT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "select {}, work_order.wo_code, work_order.product_key, work_order.product_code,
                work_order.product_description, work_order.traceability_level, work_order.serial_code_on_creation,
                work_order.wo_docs, {AROUND}
         from {}
         join work_order on work_order.key = job.work_order_key
         left join user_account on user_account.key = job.assigned_to",
            Job::list(),
            Job::FROM
        )
    });
    Query::new(&SELECT)
}

pub async fn find(tx: &mut Tx, key: JobKey) -> Result<Option<JobView>> {
    views().filter("job.key = {}", key).maybe(tx).await
}

/// A job that is in memory with its order, both as this transaction has stored them: only what lies around them is read, and what
/// heartbeats change without their lock.
pub async fn of_known(tx: &mut Tx, order: Order, job: Job) -> Result<JobView> {
    static OF_JOB: LazyLock<Sql> = LazyLock::new(|| {
        let select = format!(
            "select job.rev, job.last_online, {AROUND} from {} left join user_account on user_account.key = job.assigned_to",
            Job::FROM
        );
        Query::new(&select).filter("job.key = {}", 0).parts().0.for_good()
    });
    let AroundKnown { rev, last_online, around } = tx.one(OF_JOB.clone(), &params![job.key]).await?;
    Ok(JobView {
        job: Job { rev, last_online, ..job },
        wo_code: order.wo_code,
        product_key: order.product_key,
        product_code: order.product_code,
        product_description: order.product_description,
        traceability_level: order.traceability_level,
        serial_code_on_creation: order.serial_code_on_creation,
        docs: order.wo_docs,
        around,
    })
}

/// Those of some orders, by order, phase and making. They are sorted here: an engine that sorts rows holds all of them before the
/// first one counts as memory of its request.
pub async fn of_orders(tx: &mut Tx, orders: &[i64]) -> Result<Vec<JobView>> {
    let wanted = views().filter("job.work_order_key {in {}}", orders.to_vec());
    let mut found: Vec<JobView> = wanted.all(tx, "job.work_order_key").await?;
    found.sort_by_key(|JobView { job, .. }| (job.work_order_key, job.phase_place, job.key));
    Ok(found)
}

/// Which jobs are wanted; all conditions combine, and an empty list asks for nothing.
#[derive(Debug, Default)]
pub struct Wanted {
    pub keys: Vec<i64>,
    pub orders: Vec<i64>,
    pub phases: Vec<i64>,
    pub assigned_to: Vec<String>,
    pub stages: Vec<Stage>,
    pub active: Option<bool>,
}

/// The order of the site queue, behind it the orders that are closed; then the phases.
const BY_SITE_QUEUE: &str =
    "case when work_order.status <> 'closed' then 0 else 1 end, work_order.place, work_order.key,
    order_phase.place, job.key";

pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<JobView>> {
    let Paged { rows: keys, total } = wanted.keys().page(tx, BY_SITE_QUEUE, page).await?;
    Ok(Paged { rows: in_order(tx, keys).await?, total })
}

/// These jobs, in this order. What is large of a job is read only of those that are shown.
pub async fn in_order(tx: &mut Tx, keys: Vec<JobKey>) -> Result<Vec<JobView>> {
    let keys = keys.into_iter().map(|key| key.0).collect();
    views().in_order(tx, "job.key", keys, |view: &JobView| view.job.key.0).await
}

impl Wanted {
    fn keys(&self) -> Query {
        let ints = |values: &[i64]| (!values.is_empty()).then(|| values.to_vec());
        let stages: Vec<String> = self.stages.iter().map(|stage| stage.name().to_owned()).collect();
        let from = Job::FROM;
        let keys =
            Query::new(&format!("select job.key from {from} join work_order on work_order.key = job.work_order_key"));
        // Word for word what the indexes of open jobs have.
        let open_only = !stages.is_empty() && !self.stages.contains(&Stage::Closed);
        let keys = if open_only { keys.only("job.stage <> 'closed'") } else { keys };
        let keys = match self.active {
            Some(true) => keys.only("job.active"),
            Some(false) => keys.only("not job.active"),
            None => keys,
        };
        keys.filter_if("job.key {in {}}", ints(&self.keys))
            .filter_if("job.work_order_key {in {}}", ints(&self.orders))
            .filter_if("job.phase_key {in {}}", ints(&self.phases))
            .filter_any("job.assigned_to {in {}}", &self.assigned_to)
            .filter_any("job.stage {in {}}", &stages)
    }
}

row_struct! {
    /// What people noted for those who do a job.
    pub struct Notes {
        pub product: Option<String>,
        pub phase: Option<String>,
        pub order: Option<String>,
    }
}

pub async fn notes(tx: &mut Tx, key: JobKey) -> Result<Notes> {
    tx.one(
        sql!(
            "select product.production_notes, phase.production_notes, work_order.notes
             from job
             join work_order on work_order.key = job.work_order_key
             join product on product.id = work_order.product_id
             join phase on phase.key = job.phase_key
             where job.key = $1"
        ),
        &params![key],
    )
    .await
}
