//! Benchmarks of tasks: pages among a million of them, whatever they are narrowed by.

mod board;
mod reading;

pub use reading::measure;
