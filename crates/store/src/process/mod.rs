//! How products are made: operations, the phases of each product's process, and their steps.

pub mod operations;
pub mod phases;
pub mod steps;
