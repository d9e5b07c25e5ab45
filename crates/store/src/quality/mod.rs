//! Definitions of custom fields and the lists of choice fields.

pub mod fields;
pub mod lists;
