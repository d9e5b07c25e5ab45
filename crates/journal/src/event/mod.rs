//! The vocabulary of events: their names, the members that all of them share, and what an answer shows. It knows no type of
//! event, and nothing of how one is carried out.

mod common;
mod locks;
mod names;
mod outcome;
mod references;

pub use common::{Common, ContextType};
pub use locks::{Lockable, Locks};
pub use names::{ClientEvent, ServerEvent};
pub use outcome::{Collection, Outcome, Shown};
pub use references::References;
