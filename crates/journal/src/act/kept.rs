//! Orders that a bulk has at work: its next row finds them as the last one left them, and they are stored once, not after each
//! row. A hundred thousand versions of one row in one transaction would take PostgreSQL minutes.

use std::collections::HashMap;

use domain::key::{JobKey, WorkOrderKey};
use domain::production::Work;

/// So many orders are kept until they are stored.
const MOST: usize = 1_000;

#[derive(Debug, Default)]
pub(crate) struct KeptOrders {
    orders: HashMap<WorkOrderKey, KeptOrder>,
    of_job: HashMap<JobKey, WorkOrderKey>,
    /// How the row at work found the orders that it has changed; none of one that was not kept before.
    found: Vec<(WorkOrderKey, Option<Work>)>,
}

/// An order that is locked.
#[derive(Debug)]
pub(crate) struct KeptOrder {
    /// As it is stored.
    pub(crate) stored: Work,
    /// As it is.
    pub(crate) work: Work,
}

impl KeptOrders {
    pub(crate) fn of_order(&self, key: WorkOrderKey) -> Option<&Work> {
        self.orders.get(&key).map(|order| &order.work)
    }

    pub(crate) fn of_job(&self, key: JobKey) -> Option<&Work> {
        self.of_order(*self.of_job.get(&key)?)
    }

    /// What a row made of an order that it found like that.
    pub(crate) fn keep(&mut self, found: Work, work: Work) {
        let key = work.order.key;
        if let Some(order) = self.orders.get_mut(&key) {
            self.found.push((key, Some(std::mem::replace(&mut order.work, work))));
            return;
        }
        self.found.push((key, None));
        self.of_job.extend(work.jobs.iter().map(|job| (job.key, key)));
        self.orders.insert(key, KeptOrder { stored: found, work });
    }

    pub(crate) fn begin_row(&mut self) {
        self.found.clear();
    }

    /// The row was refused: its orders are what they were.
    pub(crate) fn undo_row(&mut self) {
        while let Some((key, found)) = self.found.pop() {
            match (found, self.orders.get_mut(&key)) {
                (Some(work), Some(order)) => order.work = work,
                _ => drop(self.orders.remove(&key)),
            }
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.orders.len() >= MOST
    }

    /// All of them, in the order of their keys.
    pub(crate) fn take_all(&mut self) -> Vec<KeptOrder> {
        let mut all: Vec<KeptOrder> = std::mem::take(self).orders.into_values().collect();
        all.sort_by_key(|order| order.work.order.key);
        all
    }
}
