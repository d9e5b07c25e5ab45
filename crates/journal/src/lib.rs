//! The shop-floor write side. Every event takes the same path: its shape is checked, the order it concerns is locked and loaded,
//! its rules are asked, the state is changed, what follows from that is worked out, and all of it is stored with the journal's
//! next numbers, in one transaction.
//!
//! The modules are floors, and imports go down only:
//!
//! ```text
//! catalogue        the list of all types
//! bulk, post       the path of a sent event
//! events/<area>/   one module per type: composes effects, never imports another event
//! postable         what a type of event is
//! effects/<area>/  what happens to things: never imports an event
//! act              who, when, the transaction, the events so far
//! event            the vocabulary: names, members that all share, what an answer shows
//! ```
//!
//! [`seal`] and [`offline`] stand beside them.

mod act;
pub mod bulk;
pub mod catalogue;
pub mod effects;
mod error;
mod event;
pub mod events;
pub mod offline;
mod post;
mod postable;
pub mod seal;

pub use act::{Act, Author};
pub use error::Error;
pub use event::{
    ClientEvent, Collection, Common, ContextType, Lockable, Locks, Outcome, References, ServerEvent, Shown,
};
pub use post::{Posted, carry_out, not_allowed};
pub use postable::{Entry, Postable};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A future without its type, where the compiler could not look through it.
pub(crate) type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;
