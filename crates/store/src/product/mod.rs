//! Products and their bills of materials.

pub mod boms;
pub mod components;
pub mod products;
pub mod stats;
