//! Configuration, counters, the site's secret and what a new site starts with.

pub mod config;
pub mod counters;
pub mod first_start;
pub mod secrets;
