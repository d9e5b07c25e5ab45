//! The service from outside: real HTTP, real databases, both engines.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on has failed")]

mod api_tokens;
mod audit;
mod backup;
mod boms;
mod config;
mod config_file;
mod conventions;
mod counters;
mod custom_data;
mod departments;
mod document;
mod fields;
mod files;
mod first_start;
mod fuzzed;
mod idempotency;
mod imports;
mod media;
mod media_s3;
mod nodes;
mod passwords;
mod preferences;
mod process;
mod processes;
mod product_tables;
mod products;
mod resets;
mod rights;
mod sessions;
mod sign_in;
mod sweep;
mod tags;
mod tokens;
mod users;
mod work_orders;
