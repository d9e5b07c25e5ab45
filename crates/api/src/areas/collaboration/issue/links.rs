//! The records that issues are about, as a whole.

use std::collections::{BTreeSet, HashMap};

use domain::Timestamp;
use domain::collaboration::IssueTarget;
use domain::key::{JobKey, OperationKey, PhaseKey, ProductKey, SerialKey, WorkOrderKey};
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use store::process::{operations, phases};
use store::product::products;
use store::production::{job_views, work_orders};
use store::serial::serials;

use crate::Result;
use crate::areas::process::{OperationRecord, PhaseRecord, operation_records, phase_records};
use crate::areas::product::{ProductDetail, details};
use crate::areas::production::{JobRecord, OrderRecord, job_of_view, order_records};
use crate::areas::serial::{SerialRecord, serial_record};
use crate::areas::sharing::Shared;

/// The first record of each kind that an issue is about; null if it is about none, or if that is gone.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IssueLinks")]
pub(super) struct IssueLinks {
    job: Option<Shared<JobRecord>>,
    product: Option<Shared<ProductDetail>>,
    operation: Option<Shared<OperationRecord>>,
    phase: Option<Shared<PhaseRecord>>,
    work_order: Option<Shared<OrderRecord>>,
    serial: Option<Shared<SerialRecord>>,
}

impl IssueLinks {
    fn bytes(&self) -> usize {
        fn of<T: Serialize>(record: &Option<Shared<T>>) -> usize {
            record.as_ref().map_or(0, Shared::bytes)
        }
        of(&self.job)
            + of(&self.product)
            + of(&self.operation)
            + of(&self.phase)
            + of(&self.work_order)
            + of(&self.serial)
    }
}

/// The first of each kind that an issue is about.
#[derive(Default)]
struct First {
    job: Option<JobKey>,
    product: Option<ProductKey>,
    operation: Option<OperationKey>,
    phase: Option<PhaseKey>,
    order: Option<WorkOrderKey>,
    serial: Option<SerialKey>,
}

impl First {
    fn of(targets: Vec<IssueTarget>) -> Self {
        let mut first = Self::default();
        for target in targets {
            match target {
                IssueTarget::Job(key) => first.job = first.job.or(Some(key)),
                IssueTarget::Product(key) => first.product = first.product.or(Some(key)),
                IssueTarget::Operation(key) => first.operation = first.operation.or(Some(key)),
                IssueTarget::Phase(key) => first.phase = first.phase.or(Some(key)),
                IssueTarget::WorkOrder(key) => first.order = first.order.or(Some(key)),
                IssueTarget::Serial(key) => first.serial = first.serial.or(Some(key)),
                IssueTarget::Project(_) | IssueTarget::User(_) => {}
            }
        }
        first
    }
}

/// The records that some issues are about: each is read once, however many issues are about it.
struct Records {
    jobs: HashMap<JobKey, Shared<JobRecord>>,
    products: HashMap<ProductKey, Shared<ProductDetail>>,
    operations: HashMap<OperationKey, Shared<OperationRecord>>,
    phases: HashMap<PhaseKey, Shared<PhaseRecord>>,
    orders: HashMap<WorkOrderKey, Shared<OrderRecord>>,
    serials: HashMap<SerialKey, Shared<SerialRecord>>,
}

/// The links of issues that are about these, each one's in turn.
pub(super) async fn load(tx: &mut Tx, targets: Vec<Vec<IssueTarget>>, now: Timestamp) -> Result<Vec<IssueLinks>> {
    let firsts: Vec<First> = targets.into_iter().map(First::of).collect();
    let records = Records::load(tx, &firsts, now).await?;
    let links: Vec<IssueLinks> = firsts.into_iter().map(|first| records.of(&first)).collect();
    tx.take_memory(links.iter().map(IssueLinks::bytes).sum())?;
    Ok(links)
}

impl Records {
    async fn load(tx: &mut Tx, firsts: &[First], now: Timestamp) -> Result<Self> {
        Ok(Self {
            jobs: jobs(tx, distinct(firsts, |first| first.job), now).await?,
            products: products(tx, distinct(firsts, |first| first.product.clone())).await?,
            operations: operations(tx, distinct(firsts, |first| first.operation.clone())).await?,
            phases: phases(tx, distinct(firsts, |first| first.phase)).await?,
            orders: orders(tx, distinct(firsts, |first| first.order), now).await?,
            serials: serials(tx, distinct(firsts, |first| first.serial)).await?,
        })
    }

    fn of(&self, first: &First) -> IssueLinks {
        IssueLinks {
            job: first.job.and_then(|key| self.jobs.get(&key).cloned()),
            product: first.product.as_ref().and_then(|key| self.products.get(key).cloned()),
            operation: first.operation.as_ref().and_then(|key| self.operations.get(key).cloned()),
            phase: first.phase.and_then(|key| self.phases.get(&key).cloned()),
            work_order: first.order.and_then(|key| self.orders.get(&key).cloned()),
            serial: first.serial.and_then(|key| self.serials.get(&key).cloned()),
        }
    }
}

fn distinct<K: Ord>(firsts: &[First], key: impl Fn(&First) -> Option<K>) -> Vec<K> {
    firsts.iter().filter_map(key).collect::<BTreeSet<K>>().into_iter().collect()
}

async fn jobs(tx: &mut Tx, keys: Vec<JobKey>, now: Timestamp) -> Result<HashMap<JobKey, Shared<JobRecord>>> {
    let found = job_views::in_order(tx, keys).await?;
    Ok(found.into_iter().map(|view| (view.job.key, Shared::new(job_of_view(view, now)))).collect())
}

async fn products(tx: &mut Tx, keys: Vec<ProductKey>) -> Result<HashMap<ProductKey, Shared<ProductDetail>>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
    let found = products::find_all(tx, &keys).await?;
    let keys: Vec<ProductKey> = found.iter().map(|product| product.key.clone()).collect();
    Ok(keys.into_iter().zip(details(tx, found).await?.into_iter().map(Shared::new)).collect())
}

async fn operations(tx: &mut Tx, keys: Vec<OperationKey>) -> Result<HashMap<OperationKey, Shared<OperationRecord>>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
    let found = operations::find_all(tx, &keys).await?;
    let keys: Vec<OperationKey> = found.iter().map(|operation| operation.key.clone()).collect();
    Ok(keys.into_iter().zip(operation_records(tx, found).await?.into_iter().map(Shared::new)).collect())
}

async fn phases(tx: &mut Tx, keys: Vec<PhaseKey>) -> Result<HashMap<PhaseKey, Shared<PhaseRecord>>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<i64> = keys.iter().map(|key| key.0).collect();
    let found = phases::find_all(tx, &ids).await?;
    let keys: Vec<PhaseKey> = found.iter().map(|found| found.phase.key).collect();
    Ok(keys.into_iter().zip(phase_records(tx, found).await?.into_iter().map(Shared::new)).collect())
}

async fn orders(
    tx: &mut Tx,
    keys: Vec<WorkOrderKey>,
    now: Timestamp,
) -> Result<HashMap<WorkOrderKey, Shared<OrderRecord>>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<i64> = keys.iter().map(|key| key.0).collect();
    let found = work_orders::find_all(tx, &ids).await?;
    let keys: Vec<WorkOrderKey> = found.iter().map(|order| order.key).collect();
    Ok(keys.into_iter().zip(order_records(tx, found, now).await?.into_iter().map(Shared::new)).collect())
}

async fn serials(tx: &mut Tx, keys: Vec<SerialKey>) -> Result<HashMap<SerialKey, Shared<SerialRecord>>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<i64> = keys.iter().map(|key| key.0).collect();
    let found = serials::views_of(tx, &ids).await?;
    Ok(found.into_iter().map(|view| (view.serial.key, Shared::new(serial_record(view)))).collect())
}
