//! Traces of units, and units as they were built, through HTTP.

mod as_built;
mod graph;
mod recall;
mod recall_random;

use testkit::{Value, json, on_both_engines};

use crate::production::{all_at_once, event, later};
use crate::serials::{Plant, each, link_with, plant, text, unlink};
