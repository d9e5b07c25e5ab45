/// A record that a key names, and whose work order is locked by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lockable {
    Batch,
    Job,
    WorkOrder,
}

/// Members whose keys name what is locked before a bulk's first row. A member whose key may name one record or another stands
/// once for each.
pub type Locks = &'static [(&'static str, Lockable)];
