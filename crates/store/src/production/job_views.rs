//! Jobs as readers see them: with what their order, their phase and their operator say. However many are wanted, it is one
//! statement.

use domain::key::{JobKey, OperationKey, ProductKey};
use domain::product::TraceabilityLevel;
use domain::production::Job;
use serde_json::value::RawValue;

use super::jobs::{COLUMNS, FROM};
use crate::Result;
use crate::row::{FromRow, Row};
use crate::sql::Query;
use crate::tx::Tx;

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
    pub docs: Box<RawValue>,
    pub phase_alias: String,
    pub operation_key: OperationKey,
    /// In full, as the order has copied them.
    pub steps: Box<RawValue>,
    pub last_phase: bool,
    pub assignee: Option<Assignee>,
}

/// The user whom a job is assigned to.
#[derive(Debug, Clone)]
pub struct Assignee {
    pub username: String,
    pub name: Option<String>,
    pub surname: Option<String>,
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
            phase_alias: row.column()?,
            operation_key: row.column()?,
            steps: row.column()?,
            last_phase: row.column()?,
            assignee: Assignee::from_row(row)?,
        })
    }
}

impl Assignee {
    /// All three columns are empty when nobody is assigned.
    fn from_row(row: &mut Row<'_>) -> Result<Option<Self>> {
        let (username, name, surname): (Option<String>, _, _) = (row.column()?, row.column()?, row.column()?);
        Ok(username.map(|username| Self { username, name, surname }))
    }
}

fn views() -> Query {
    Query::new(&format!(
        "select {COLUMNS}, work_order.wo_code, work_order.product_key, work_order.product_code,
                work_order.product_description, work_order.traceability_level, work_order.serial_code_on_creation,
                work_order.wo_docs, order_phase.alias, order_phase.operation_key, order_phase.steps,
                not exists (
                    select 1
                    from order_phase as next
                    where next.work_order_key = job.work_order_key and next.place = order_phase.place + 1
                ),
                user_account.username, user_account.name, user_account.surname
         from {FROM}
         join work_order on work_order.key = job.work_order_key
         left join user_account on user_account.key = job.assigned_to"
    ))
}

pub async fn find(tx: &mut Tx, key: JobKey) -> Result<Option<JobView>> {
    views().filter("job.key = {}", key).maybe(tx).await
}

/// Those of some orders, by order, phase and making.
pub async fn of_orders(tx: &mut Tx, orders: &[i64]) -> Result<Vec<JobView>> {
    let wanted = views().filter("job.work_order_key {in {}}", orders.to_vec());
    wanted.all(tx, "job.work_order_key, order_phase.place, job.key").await
}
