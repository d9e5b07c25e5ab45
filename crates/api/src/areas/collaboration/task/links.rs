//! What a task is linked to, as a whole.

use std::collections::{BTreeSet, HashMap};

use domain::Timestamp;
use domain::collaboration::{TaskLink, TaskLinkType, TaskTarget};
use domain::key::{TaskKey, TaskLinkKey};
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use store::collaboration::{issue_views, task_links, task_views};
use store::product::products;
use store::production::work_orders;
use store::serial::serials;

use super::wire::{TaskRecord, record};
use crate::Result;
use crate::areas::collaboration::issue::{self, IssueRecord};
use crate::areas::product::{ProductDetail, details};
use crate::areas::production::{OrderRecord, order_records};
use crate::areas::serial::{SerialRecord, serial_record};

/// A record that a task is linked to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskLink")]
pub(super) struct LinkShown {
    /// The key of the link, as events answer it.
    link_key: TaskLinkKey,
    #[serde(rename = "type")]
    kind: TaskLinkType,
    /// The key of the record.
    key: String,
    /// What people know it by: a code, of an issue its title.
    code: Option<String>,
    /// The record as a whole, as its `type` has it; null if it is gone.
    l: Option<Linked>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum Linked {
    Issue(Box<IssueRecord>),
    WorkOrder(Box<OrderRecord>),
    Product(Box<ProductDetail>),
    Serial(Box<SerialRecord>),
    Task(Box<TaskRecord>),
}

/// What people know a record by, and the record.
type Found = HashMap<TaskTarget, (Option<String>, Linked)>;

/// What a task is linked to, the oldest link first, in a constant number of statements.
pub(super) async fn of_task(tx: &mut Tx, task: TaskKey, now: Timestamp) -> Result<Vec<LinkShown>> {
    let links = task_links::of_task(tx, task).await?;
    let targets: Vec<TaskTarget> = links.iter().map(|link| link.seen_from(task)).collect();
    let mut found = load(tx, &targets, now).await?;
    let shown = |(link, target): (TaskLink, TaskTarget)| {
        let (code, l) = found.remove(&target).unzip();
        LinkShown { link_key: link.key, kind: target.kind(), key: target.key(), code: code.flatten(), l }
    };
    Ok(links.into_iter().zip(targets).map(shown).collect())
}

async fn load(tx: &mut Tx, targets: &[TaskTarget], now: Timestamp) -> Result<Found> {
    let ids = |kind: TaskLinkType| {
        let of_kind = targets.iter().filter(|target| target.kind() == kind);
        of_kind.filter_map(TaskTarget::id).collect::<BTreeSet<i64>>().into_iter().collect::<Vec<i64>>()
    };
    let mut found = Found::new();
    issues(tx, &ids(TaskLinkType::Issue), &mut found).await?;
    orders(tx, &ids(TaskLinkType::WorkOrder), now, &mut found).await?;
    serials(tx, &ids(TaskLinkType::Serial), &mut found).await?;
    tasks(tx, &ids(TaskLinkType::Task), &mut found).await?;
    let of_kind = targets.iter().filter(|target| target.kind() == TaskLinkType::Product);
    products(tx, &of_kind.map(TaskTarget::key).collect::<Vec<String>>(), &mut found).await?;
    Ok(found)
}

async fn issues(tx: &mut Tx, keys: &[i64], found: &mut Found) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let views = issue_views::find_all(tx, keys).await?;
    let names: Vec<_> = views.iter().map(|view| (view.issue.key, view.issue.title.clone())).collect();
    let records = issue::records(tx, views).await?;
    found.extend(
        names
            .into_iter()
            .zip(records)
            .map(|((key, title), record)| (TaskTarget::Issue(key), (title, Linked::Issue(Box::new(record))))),
    );
    Ok(())
}

async fn orders(tx: &mut Tx, keys: &[i64], now: Timestamp, found: &mut Found) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let orders = work_orders::find_all(tx, keys).await?;
    let names: Vec<_> = orders.iter().map(|order| (order.key, order.wo_code.clone())).collect();
    let records = order_records(tx, orders, now).await?;
    found.extend(
        names.into_iter().zip(records).map(|((key, code), record)| {
            (TaskTarget::WorkOrder(key), (Some(code), Linked::WorkOrder(Box::new(record))))
        }),
    );
    Ok(())
}

async fn serials(tx: &mut Tx, keys: &[i64], found: &mut Found) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let views = serials::views_of(tx, keys).await?;
    found.extend(views.into_iter().map(|view| {
        let (key, code) = (view.serial.key, view.serial.code.clone());
        (TaskTarget::Serial(key), (code, Linked::Serial(Box::new(serial_record(view)))))
    }));
    Ok(())
}

async fn tasks(tx: &mut Tx, keys: &[i64], found: &mut Found) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let views = task_views::find_all(tx, keys).await?;
    found.extend(views.into_iter().map(|view| {
        let (key, code) = (view.key, view.code.clone());
        (TaskTarget::Task(key), (Some(code), Linked::Task(Box::new(record(view)))))
    }));
    Ok(())
}

async fn products(tx: &mut Tx, keys: &[String], found: &mut Found) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let products = products::find_all(tx, keys).await?;
    let names: Vec<_> = products.iter().map(|product| (product.key.clone(), product.data.code.clone())).collect();
    let records = details(tx, products).await?;
    found.extend(
        names
            .into_iter()
            .zip(records)
            .map(|((key, code), record)| (TaskTarget::Product(key), (Some(code), Linked::Product(Box::new(record))))),
    );
    Ok(())
}
