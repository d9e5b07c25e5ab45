//! One folder per area; each declares its operations and holds their handlers.

pub mod administration;
pub mod attachments;
pub mod journal;
pub mod organisation;
pub mod process;
pub mod product;
pub mod production;
pub mod quality;
pub mod security;
pub mod tags;

use crate::operation::Operation;

/// Every operation of the service, area by area.
pub fn operations() -> Vec<Operation> {
    [
        security::operations(),
        organisation::operations(),
        administration::operations(),
        tags::operations(),
        process::operations(),
        product::operations(),
        production::operations(),
        journal::operations(),
        quality::operations(),
        attachments::operations(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
