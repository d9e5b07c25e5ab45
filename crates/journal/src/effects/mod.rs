//! What happens to things. Events compose it; nothing here imports an event, and an area imports only those below it.

pub mod production;
