//! What a user, a clock, a disk or a node may do to the service, and what becomes of it then.

mod figures;
mod quantities;
mod undone;
