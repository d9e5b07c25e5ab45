//! What all operations share: how an operation is declared, and the path of a request from its bytes to the answer. It knows
//! no operation.

pub mod app;
mod aside;
pub mod auth;
mod change;
pub mod chunked;
pub mod clock;
pub mod coding;
pub mod cx;
mod docs;
pub mod download;
pub mod error;
pub mod export;
pub mod feed;
pub mod fixed;
mod frame;
pub mod handler;
mod idempotency;
pub mod import;
pub mod input;
pub mod memory;
pub mod openapi;
pub mod operation;
mod places;
pub mod prove;
pub mod random;
pub mod receive;
mod redaction;
pub mod reply;
pub mod request;
mod router;
pub mod seldom;
mod strangers;
pub mod stream;
mod temporary;
pub mod trail;

pub use app::{App, Settings};
pub use clock::Clock;
pub use error::ApiError;
pub use request::new_request_id;
pub use router::router;

pub type Result<T, E = ApiError> = std::result::Result<T, E>;
