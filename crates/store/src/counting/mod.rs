//! Counting what lies in positions: sessions, who counts what, what was counted, which positions are done, and stock as it was.

pub mod applying;
pub mod assignments;
pub mod at_position;
pub mod marks;
pub mod pairs;
pub mod records;
pub mod serials;
pub mod sessions;
pub mod snapshots;
pub mod views;
