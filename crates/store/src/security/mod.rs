//! People who sign in, their tokens and sessions, and the count of failed attempts.

pub mod sessions;
pub mod throttle;
pub mod tokens;
pub mod users;
