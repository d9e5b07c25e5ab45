//! The service from outside: real HTTP, real databases, both engines.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on has failed")]

mod config;
mod config_file;
mod conventions;
mod document;
mod first_start;
mod fuzzed;
mod nodes;
mod passwords;
mod preferences;
mod process;
mod rights;
mod sessions;
mod sign_in;
mod sweep;
mod tokens;
