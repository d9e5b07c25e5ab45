//! The only crate that knows SQL and stored files. [`Db`] opens transactions, [`Tx`] runs statements, and each area's
//! module holds plain functions over a `Tx`. Nothing above this crate sees which engine is behind.

pub mod backup;
mod columns;
mod db;
mod dialect;
mod error;
pub mod lease;
mod lock;
pub mod media;
mod migrate;
pub mod node;
mod notes;
mod origin;
mod postgres;
mod presence;
mod row;
mod schema;
mod search;
mod sql;
mod sqlite;
mod tries;
mod tx;
mod usage;
mod value;
pub mod values;
mod writable;

pub mod administration;
pub mod attachments;
pub mod collaboration;
pub mod counting;
pub mod entities;
pub mod idempotency;
pub mod imports;
pub mod journal;
pub mod notification;
pub mod organisation;
pub mod process;
pub mod product;
pub mod production;
pub mod quality;
pub mod security;
pub mod serial;
pub mod tags;
pub mod warehouse;

#[doc(hidden)]
pub use columns::made_statements;
pub use db::{Commit, Db, Location};
pub use error::{Constraint, OpenError, StoreError, TxError, describe};
pub use lock::Lock;
pub use migrate::Migrated;
pub use notes::Notes;
pub use presence::Presence;
pub use row::{FromColumn, FromRow, Row};
pub use sql::{Page, Paged, Sql};
#[doc(hidden)]
pub use sql::{places_built, sorted_statements};
pub use tx::Tx;
pub use usage::Allowance;
pub use value::Value;

pub type Result<T, E = StoreError> = std::result::Result<T, E>;
