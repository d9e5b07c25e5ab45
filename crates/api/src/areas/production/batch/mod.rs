mod wire;

pub(crate) use wire::{BatchRecord, batch_record};

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    Vec::new()
}
