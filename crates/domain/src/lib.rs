//! Pure types and rules of production traceability: no async, no SQL, no HTTP and no clock. Everything that can be decided
//! from values alone is decided and tested here.

pub mod bom;
pub mod bom_line;
pub mod change;
pub mod collaboration;
pub mod collection;
pub mod config;
pub mod counter;
pub mod counting;
mod decimal;
mod error_data;
pub mod fault;
pub mod file_name;
pub mod filter;
pub mod form;
pub mod journal;
pub mod json;
pub mod key;
pub mod look;
pub mod named;
pub mod notification;
pub mod password;
pub mod preferences;
pub mod process;
pub mod product;
pub mod production;
pub mod quantity;
pub mod rule;
pub mod scope;
pub mod search;
pub mod serial;
pub mod slug;
pub mod text;
pub mod time;
pub mod trace;
pub mod user;
pub mod warehouse;

pub use change::{Change, Given};
pub use error_data::{ErrorData, PhaseWithLines, ProductName};
pub use fault::{Fault, Loc};
pub use quantity::{Quantity, Total};
pub use time::{Timestamp, Until};
