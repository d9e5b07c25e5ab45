//! What happens to things. Events compose effects. Nothing here imports an event, and an area imports only the areas below
//! it.

pub(crate) mod attached;
pub(crate) mod collaboration;
pub mod counting;
pub mod production;
pub mod serial;
pub mod warehouse;
