//! What a user, a clock, a disk or a node may do, and what must not come of it.

mod foreign;
mod newer;
mod outage;
mod pressure;
