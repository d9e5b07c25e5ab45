//! The event types, one module each. A type composes effects, of several areas if it has to, and never imports another type.

pub mod collaboration;
pub mod counting;
pub mod production;
pub mod serial;
pub mod warehouse;
