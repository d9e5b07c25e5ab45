//! One folder per area; each declares its operations and holds their handlers.

pub mod administration;
pub mod attachments;
pub mod organisation;
pub mod security;
