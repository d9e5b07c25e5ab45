//! What happens to issues, messages and tasks.

pub(crate) mod about;
pub(crate) mod assigning;
pub(crate) mod codes;
pub(crate) mod critical;
pub(crate) mod forms;
pub(crate) mod gathering;
pub(crate) mod issues;
pub(crate) mod linking;
pub(crate) mod messages;
pub(crate) mod rights;
pub(crate) mod tasks;
