//! The warehouse: positions, and what they hold.

mod position;

use crate::operation::{Operation, Tag};

const TAG: Tag = Tag::Warehouse;

pub fn operations() -> Vec<Operation> {
    position::operations()
}
