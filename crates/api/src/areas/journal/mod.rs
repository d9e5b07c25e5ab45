//! What happened on the shop floor: sending events, reading them, and the proof that none was altered.

mod author;

pub(crate) use author::author;

use crate::operation::Operation;

pub fn operations() -> Vec<Operation> {
    Vec::new()
}
