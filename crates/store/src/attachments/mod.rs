//! Records of stored files.

pub mod files;
pub mod media_files;
