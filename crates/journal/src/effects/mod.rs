//! What happens to things. Events compose effects. Nothing here imports an event, and an area imports only the areas below
//! it.

pub mod production;
pub mod serial;
