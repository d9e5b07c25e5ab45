//! Notifications: what people and programs are told of the journal as it grows.

pub mod notice;
mod portion;
pub mod topic;
pub mod webhook;

pub use notice::{Happened, Notice};
pub use portion::{Gathering, MOST_SINGLE, Portion, Told};
pub use topic::{Kind, Topic, Topics};
