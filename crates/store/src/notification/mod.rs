//! Notifications: the journal as it is told to those who follow it.

pub mod deliveries;
pub mod feed;
pub mod webhooks;
