//! Counting: sessions and their states, who counts what, what was counted, how it corrects stock, and what stands in the way of
//! that.

mod assignment;
mod conflict;
mod import;
mod place;
mod record;
mod session;
mod snapshot;

pub use assignment::{AssignmentStatus, CountAssignment};
pub use conflict::{Conflict, ConflictKind, Counted, Known, KnownPair, KnownSerial, conflicts, newest_of_each};
pub use import::ImportMode;
pub use place::{MarkStatus, PlaceCount};
pub use record::{Content, Correction, CountRecord, RecordStatus, counted};
pub use session::{Blindness, CountSession, CountType, SessionField, SessionStatus, SessionStep};
pub use snapshot::{ScopeType, Snapshot, SnapshotType, coverage};
