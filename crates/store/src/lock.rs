//! The one order in which locks are taken. SQLite has one writer and needs none of them; on PostgreSQL a transaction that
//! takes them in this order can't deadlock with another that does. Rows of one kind are locked in ascending key order.

/// Advisory locks. Rows are locked after them, but for the one that an `Idempotency-Key` takes first of all, and before the last,
/// whose holders wait for no row that others have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lock {
    /// Shared by bulks. Whoever wants the gate alone waits for them here first: at the gate, everybody else who stores events
    /// would wait behind it.
    Bulk = -1,
    /// Shared by all who store events; resets and force deletes, which remove them, have it alone.
    Gate = 0,
    /// Migrations and the first start.
    Site = 1,
    /// Handing out node numbers.
    Node = 2,
    /// Configuration entries as a whole: a PATCH reads them all, then writes.
    Config = 3,
    /// Who is who: changes of users, so that the last administrator can't be lost by two at once.
    Users = 4,
    /// Which products are made of which: changes of bills of materials, so that two at once can't close a loop.
    Bom = 5,
    /// The chain of seals: whoever adds to it.
    Seal = 6,
}

impl Lock {
    /// A number of our own range, so that other programs' advisory locks in the same database do not meet ours.
    pub(crate) fn advisory_key(self) -> i64 {
        0x7472_6163_6500 + self as i64
    }
}
