//! Orders that a bulk keeps in memory: the next row sees them as the last one left them, and they are stored once instead of
//! after each row. A hundred thousand versions of one row in one transaction would take PostgreSQL minutes.

use std::collections::HashMap;

use domain::key::{JobKey, WorkOrderKey};
use domain::production::Work;

/// Maximum number of orders in memory before they are stored.
const MOST: usize = 1_000;

#[derive(Debug, Default)]
pub(crate) struct KeptOrders {
    orders: HashMap<WorkOrderKey, KeptOrder>,
    of_job: HashMap<JobKey, WorkOrderKey>,
    /// The orders the current row has changed, as it found them; `None` for one that was not in memory before.
    found: Vec<(WorkOrderKey, Option<Work>)>,
}

/// A locked order.
#[derive(Debug)]
pub(crate) struct KeptOrder {
    /// As it is in the database.
    pub(crate) stored: Work,
    /// As it is now.
    pub(crate) work: Work,
}

impl KeptOrders {
    pub(crate) fn of_order(&self, key: WorkOrderKey) -> Option<&Work> {
        self.orders.get(&key).map(|order| &order.work)
    }

    pub(crate) fn of_job(&self, key: JobKey) -> Option<&Work> {
        self.of_order(*self.of_job.get(&key)?)
    }

    /// Keeps an order that a row has changed; `found` is how the row found it.
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

    /// Restores the orders of a refused row.
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

    /// Takes all orders, sorted by key.
    pub(crate) fn take_all(&mut self) -> Vec<KeptOrder> {
        let mut all: Vec<KeptOrder> = std::mem::take(self).orders.into_values().collect();
        all.sort_by_key(|order| order.work.order.key);
        all
    }
}
