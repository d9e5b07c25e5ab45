//! Positions, what is in them, and what moves it.

pub mod contents;
pub mod inventory;
pub mod latest;
pub mod links;
pub mod list_views;
pub mod movement_lists;
pub mod movement_views;
pub mod movements;
pub mod positions;
pub mod stock;
pub mod verify;
