//! The warehouse: positions, what they hold, and what moves between them.

mod inventory;
mod movement;
mod movement_list;
mod position;

use crate::operation::{Operation, Tag};

const TAG: Tag = Tag::Warehouse;

pub fn operations() -> Vec<Operation> {
    [position::operations(), inventory::operations(), movement::operations(), movement_list::operations()]
        .into_iter()
        .flatten()
        .collect()
}

fn yes() -> bool {
    true
}
