//! The vocabulary of events: their names, the members all of them share, and what an answer shows. It knows no event type,
//! and nothing about how one is carried out.

mod common;
mod locks;
pub(crate) mod made;
mod names;
mod outcome;
pub(crate) mod planned;
mod references;

pub use common::{Common, ContextType};
pub use locks::{Lockable, Locks};
pub use names::{ClientEvent, ServerEvent};
pub use outcome::{KnownJob, Outcome, OutcomeMember};
pub use references::References;
pub(crate) use references::agree;
