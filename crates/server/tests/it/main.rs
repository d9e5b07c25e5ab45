//! The service from outside: real HTTP, both engines.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on has failed")]

mod sign_in;
