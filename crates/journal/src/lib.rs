//! The shop-floor write side. Every event takes the same path: its shape is checked, the order it concerns is locked and loaded,
//! its rules are asked, the state is changed, what follows from that is worked out, and all of it is stored with the journal's
//! next numbers, in one transaction. One module per family of events; a new type is one module and one line in [`catalogue`].

mod act;
pub mod bulk;
pub mod catalogue;
mod error;
pub mod floor;
mod kept;
pub mod offline;
mod post;
pub mod production;
pub mod seal;

pub use act::{Act, Author};
pub use catalogue::{Entry, Outcome, Postable, Shown};
pub use error::Error;
pub use post::{Common, ContextType, Posted, References, carry_out, not_allowed};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A future without its type, where the compiler could not look through it.
pub(crate) type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;
