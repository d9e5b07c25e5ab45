use crate::Timestamp;
use crate::key::{BatchKey, JobKey, LinkKey, MovementKey, PhaseKey, ProductKey, SerialKey, UserKey, WorkOrderKey};

/// That a unit, or a batch of an order that is not traced, contains a serial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub key: LinkKey,
    pub rev: i64,
    pub parent_key: Option<SerialKey>,
    pub parent_batch_key: Option<BatchKey>,
    pub child_key: SerialKey,
    /// The component of the bill of materials that it stands for.
    pub component_key: ProductKey,
    pub wo_key: Option<WorkOrderKey>,
    pub phase_key: Option<PhaseKey>,
    pub job_key: Option<JobKey>,
    pub batch_key: Option<BatchKey>,
    /// False: temporary, until the batch is completed.
    pub confirmed: bool,
    /// Ended, and kept for ever.
    pub replaced: bool,
    pub reason: Option<String>,
    pub linked: Option<Timestamp>,
    pub linked_by: Option<UserKey>,
    pub unlinked: Option<Timestamp>,
    pub unlinked_by: Option<UserKey>,
    /// The movement that took the child out of stock.
    pub movement_key: Option<MovementKey>,
}

/// What contains a serial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Parent {
    Serial(SerialKey),
    Batch(BatchKey),
}

impl Link {
    pub fn parent(&self) -> Option<Parent> {
        self.parent_key.map(Parent::Serial).or(self.parent_batch_key.map(Parent::Batch))
    }

    /// Whether it held at that moment.
    pub fn held_at(&self, time: Timestamp) -> bool {
        self.linked.is_some_and(|linked| linked <= time) && self.unlinked.is_none_or(|unlinked| unlinked > time)
    }
}
