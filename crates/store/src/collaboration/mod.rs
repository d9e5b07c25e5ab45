//! Collaboration: issues and what they are about, messages, and tasks.

pub mod about_units;
pub mod counts;
pub mod critical;
mod issue_fields;
pub mod issue_links;
pub mod issue_types;
pub mod issue_views;
pub mod issues;
pub mod messages;
mod task_few;
pub mod task_links;
pub mod task_time;
pub mod task_types;
pub mod task_views;
pub mod tasks;
