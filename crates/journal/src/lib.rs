//! The shop-floor write side. Every event takes the same path: its shape is checked, the order it concerns is locked and
//! loaded, the rules are checked, the state is changed, what follows from that is derived, and everything is stored with the
//! journal's next numbers, in one transaction.
//!
//! The modules form layers, and imports go down only:
//!
//! ```text
//! catalogue        the list of all types
//! bulk, post       the path of a sent event
//! events/<area>/   one module per type: composes effects, never imports another event
//! postable         the trait of an event type
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
pub use event::made::serial::CodedSerial;
pub use event::made::{Made, MadePayload, MadeType, added_members, made_payloads};
pub use event::{
    ClientEvent, Common, ContextType, KnownJob, Lockable, Locks, Outcome, OutcomeMember, References, ServerEvent,
};
pub use post::{Posted, not_allowed, post_event};
pub use postable::{EventType, Postable};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A boxed future, where the compiler can't infer that the unboxed one is `Send`.
pub(crate) type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;
