//! Configuration, counters, custom data, the audit log, resets, the site's secret and what a new site starts with.

pub mod audit;
pub mod config;
pub mod counters;
pub mod custom_data;
pub mod first_start;
pub mod resets;
pub mod secrets;
