//! One folder per area; each declares its operations and holds their handlers.

pub mod administration;
pub mod attachments;
pub mod organisation;
pub mod security;

use crate::operation::Operation;

/// Every operation of the service, area by area.
pub fn operations() -> Vec<Operation> {
    [security::operations(), organisation::operations(), administration::operations()].into_iter().flatten().collect()
}
