//! Products and their bills of materials.

pub mod products;
