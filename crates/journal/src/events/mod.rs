//! The types of events, one module each. A type composes effects, of several areas where it has to, and never imports another.

pub mod production;
