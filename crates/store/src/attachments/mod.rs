//! Records of stored files.

pub mod files;
