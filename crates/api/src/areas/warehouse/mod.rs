//! The warehouse: positions, what they hold, and what moves between them.

mod inventory;
mod movement;
mod movement_list;
mod position;

use domain::search::Pattern;

use crate::operation::{Operation, Tag};

const TAG: Tag = Tag::Warehouse;

pub fn operations() -> Vec<Operation> {
    [position::operations(), inventory::operations(), movement::operations(), movement_list::operations()]
        .into_iter()
        .flatten()
        .collect()
}

/// The pattern of a text with wildcards, if anything is searched for.
fn wildcard(text: Option<String>) -> Option<Pattern> {
    text.filter(|text| !text.is_empty()).map(|text| Pattern::wildcard(&text))
}

fn yes() -> bool {
    true
}
