/// The kind of record a key names; locking it locks its work order or its counting session, if it belongs to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lockable {
    Batch,
    CountAssignment,
    CountRecord,
    CountSession,
    Job,
    /// With the order that makes it, and the one in which it waits.
    Serial,
    Task,
    /// A serial alone.
    Unit,
    WorkOrder,
}

impl Lockable {
    /// Whether it belongs to a counting session, or is one.
    pub(crate) fn is_counted(self) -> bool {
        matches!(self, Self::CountAssignment | Self::CountRecord | Self::CountSession)
    }
}

/// Members whose keys name what a bulk locks before its first row. A member whose key may name different kinds of records is
/// listed once for each.
pub type Locks = &'static [(&'static str, Lockable)];
