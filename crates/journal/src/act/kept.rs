//! Orders that a bulk keeps in memory: the next row sees them as the last one left them, and they are stored once instead of
//! after each row. A hundred thousand versions of one row in one transaction would take PostgreSQL minutes.

use std::collections::{HashMap, HashSet};

use domain::key::{JobKey, WorkOrderKey};
use domain::production::{Order, Work};

/// Maximum number of orders in memory before they are stored and read anew.
const MOST: usize = 1_000;
/// Maximum memory that several orders take, in bytes.
const MOST_BYTES: usize = 32 * 1024 * 1024;
/// About how much memory a job takes, besides its notes and additional data.
const JOB_BYTES: usize = 1024;

#[derive(Debug, Default)]
pub(crate) struct KeptOrders {
    orders: HashMap<WorkOrderKey, KeptOrder>,
    of_job: HashMap<JobKey, WorkOrderKey>,
    /// The orders the current row has changed, as it found them.
    found: Vec<Work>,
    /// About how much memory the orders take.
    bytes: usize,
}

/// A locked order.
#[derive(Debug)]
pub(crate) struct KeptOrder {
    /// As it is in the database.
    pub(crate) stored: Work,
    /// As it is now.
    pub(crate) work: Work,
    pub(crate) touched: Touched,
}

/// What rows have changed since the order was stored, even if a later one has changed it back.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    pub(crate) order: bool,
    pub(crate) jobs: HashSet<JobKey>,
}

impl KeptOrders {
    pub(crate) fn of_order(&self, key: WorkOrderKey) -> Option<&Work> {
        self.orders.get(&key).map(|order| &order.work)
    }

    pub(crate) fn of_job(&self, key: JobKey) -> Option<&Work> {
        self.of_order(*self.of_job.get(&key)?)
    }

    /// Keeps an order that has just been locked and read.
    pub(crate) fn add(&mut self, work: Work) {
        let key = work.order.key;
        self.of_job.extend(work.jobs.iter().map(|job| (job.key, key)));
        self.bytes += bytes(&work);
        self.orders.insert(key, KeptOrder { stored: work.clone(), work, touched: Touched::default() });
    }

    /// Takes over what a row has made of an order.
    pub(crate) fn change(&mut self, work: Work) {
        if let Some(order) = self.orders.get_mut(&work.order.key) {
            order.touched.note(&order.work, &work);
            self.bytes += bytes(&work);
            let found = std::mem::replace(&mut order.work, work);
            self.bytes -= bytes(&found);
            self.found.push(found);
        }
    }

    pub(crate) fn begin_row(&mut self) {
        self.found.clear();
    }

    /// Restores the orders of a refused row.
    pub(crate) fn undo_row(&mut self) {
        while let Some(found) = self.found.pop() {
            if let Some(order) = self.orders.get_mut(&found.order.key) {
                self.bytes += bytes(&found);
                self.bytes -= bytes(&std::mem::replace(&mut order.work, found));
            }
        }
    }

    /// Whether there is no room for another order; there always is for one.
    pub(crate) fn is_full(&self) -> bool {
        self.orders.len() >= MOST || self.orders.len() > 1 && self.bytes >= MOST_BYTES
    }

    /// The orders that rows have changed, sorted by key.
    pub(crate) fn changed(&mut self) -> Vec<&mut KeptOrder> {
        let mut changed: Vec<_> = self.orders.values_mut().filter(|order| order.is_touched()).collect();
        changed.sort_by_key(|order| order.work.order.key);
        changed
    }
}

/// The orders that a bulk of other events has read. Rows that are refused need not read them anew: they are as they were read until
/// something is written.
#[derive(Debug, Default)]
pub(crate) struct ReadOrders {
    orders: KeptOrders,
    /// [`Tx::writes`](store::Tx::writes) when they were read.
    writes: u64,
}

impl ReadOrders {
    /// The orders, unless something was written since they were read.
    pub(crate) fn since(&self, writes: u64) -> Option<&KeptOrders> {
        (self.writes == writes).then_some(&self.orders)
    }

    pub(crate) fn add(&mut self, work: Work, writes: u64) {
        if self.writes != writes || self.orders.is_full() {
            *self = Self { writes, ..Self::default() };
        }
        self.orders.add(work);
    }

    /// Forgets them: what was written before they were read has been rolled back.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

impl KeptOrder {
    fn is_touched(&self) -> bool {
        self.touched.order || !self.touched.jobs.is_empty()
    }
}

impl Touched {
    fn note(&mut self, before: &Work, work: &Work) {
        self.order |= work.order != before.order;
        let changed = work.jobs.iter().zip(&before.jobs).filter(|(job, before)| job != before);
        self.jobs.extend(changed.map(|(job, _)| job.key));
    }
}

/// About how much memory an order takes, as it is and as it is stored. Both share what is opaque.
fn bytes(work: &Work) -> usize {
    let Order { notes, extra, serial_fields, wo_docs, .. } = &work.order;
    let jobs = work.jobs.iter().map(|job| 2 * (JOB_BYTES + length(&job.notes)) + job.extra.size());
    2 * length(notes) + extra.size() + serial_fields.size() + wo_docs.size() + jobs.sum::<usize>()
}

fn length(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, String::len)
}
