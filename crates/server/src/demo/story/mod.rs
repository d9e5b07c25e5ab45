//! What the story tells, as tables.

pub(super) mod catalogue;
pub(super) mod days;
pub(super) mod forms;
pub(super) mod orders;
pub(crate) mod people;
pub(super) mod routing;
pub(super) mod shelves;
