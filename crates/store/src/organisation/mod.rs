//! People as an administrator sees them, departments, and tokens for programs.

pub mod accounts;
pub mod api_tokens;
pub mod departments;
