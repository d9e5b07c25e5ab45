//! The service under attack, fault and skew: whatever happens, nobody is harmed who did nothing wrong.

mod clocks;
mod places;
mod turns;
