mod wire;

pub(crate) use wire::{JobRecord, job_record, job_records};

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    Vec::new()
}
