//! The one order in which locks are taken, of rows and others. SQLite has one writer and needs none of them; on PostgreSQL a
//! transaction that takes them in this order can't deadlock with another that does. Every lock is noted, on both engines, and a
//! debug build panics at one that comes too late: so the tests on SQLite find it as well.
//!
//! Rows of one kind are locked by one statement, in the order of their keys. More rows of a kind that is held already are not
//! refused, since most are held themselves: a bulk locks all orders of its rows first, and each row asks for its own again. What
//! a bulk does not gather, users and phases, two bulks can still lock crosswise; the database then ends one of them, which runs
//! again.
//!
//! Codes are drawn from [`Rows::Counter`] last of all. The row of the journal's head is raised by an update that goes out with the commit, behind everything.

/// Advisory locks.
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
    /// Which serials contain which: changes of links, so that two at once can't close a loop.
    Genealogy = 7,
    /// Positions as a tree: whoever makes, changes or deletes one, so that two at once can't close a loop, and none ends up in one that
    /// is gone.
    Positions = 8,
    /// How many webhooks there are: whoever makes one.
    Webhooks = 9,
}

impl Lock {
    /// A number of our own range, so that other programs' advisory locks in the same database do not meet ours.
    pub(crate) fn advisory_key(self) -> i64 {
        0x7472_6163_6500 + self as i64
    }
}

/// Rows that a statement locks, by their table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    ApiToken,
    Config,
    CountSession,
    Counter,
    CustomData,
    CustomField,
    Department,
    Issue,
    IssueType,
    Job,
    Listening,
    ListValue,
    Media,
    Message,
    Movement,
    MovementList,
    Operation,
    Order,
    Phase,
    Position,
    Product,
    Queue,
    Serial,
    Step,
    StockPair,
    Tag,
    Task,
    TaskType,
    User,
    UserSession,
    Webhook,
}

/// What a transaction holds to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    Lock(Lock),
    Rows(Rows),
}

/// The order, first to last.
const ORDER: &[Held] = &[
    Held::Lock(Lock::Bulk),
    Held::Lock(Lock::Gate),
    Held::Lock(Lock::Site),
    Held::Lock(Lock::Node),
    Held::Lock(Lock::Config),
    Held::Lock(Lock::Users),
    Held::Lock(Lock::Bom),
    Held::Rows(Rows::Config),
    Held::Rows(Rows::CustomData),
    // A tag stays while it is put on records.
    Held::Rows(Rows::Tag),
    Held::Rows(Rows::IssueType),
    Held::Rows(Rows::TaskType),
    // A process holds the operations that it names, then is written from the product down to its steps and their media.
    Held::Rows(Rows::Operation),
    Held::Rows(Rows::Product),
    // Whoever reorders a queue holds it, then the orders whose places change.
    Held::Rows(Rows::Queue),
    Held::Rows(Rows::Order),
    Held::Rows(Rows::Job),
    // An issue is about orders and jobs, which are critical by it.
    Held::Rows(Rows::Issue),
    Held::Rows(Rows::Task),
    Held::Rows(Rows::Message),
    // What is counted waits for its session, then for what moves.
    Held::Rows(Rows::CountSession),
    // An order's event asks what its user is busy with, then its phase.
    Held::Rows(Rows::User),
    Held::Rows(Rows::UserSession),
    Held::Rows(Rows::ApiToken),
    Held::Rows(Rows::Department),
    Held::Lock(Lock::Webhooks),
    Held::Rows(Rows::Webhook),
    Held::Rows(Rows::Phase),
    Held::Rows(Rows::Step),
    Held::Rows(Rows::Media),
    Held::Rows(Rows::CustomField),
    Held::Rows(Rows::ListValue),
    Held::Lock(Lock::Genealogy),
    // Whoever changes the tree of positions holds it, then the positions.
    Held::Lock(Lock::Positions),
    // What moves holds the positions that it leaves and reaches, then what it was planned by, and stock last.
    Held::Rows(Rows::Position),
    Held::Rows(Rows::MovementList),
    Held::Rows(Rows::Movement),
    Held::Rows(Rows::Serial),
    Held::Rows(Rows::StockPair),
    Held::Rows(Rows::Counter),
    // Whoever listens for silence holds nothing else.
    Held::Rows(Rows::Listening),
    // Its holders wait for no row that others have.
    Held::Lock(Lock::Seal),
];

/// What a transaction has locked so far.
#[derive(Debug, Default)]
pub(crate) struct Holding(Vec<Held>);

impl Holding {
    /// Notes a lock that is about to be taken; a debug build panics where it comes too late.
    pub(crate) fn note(&mut self, held: Held) {
        if cfg!(debug_assertions) && !self.0.contains(&held) {
            let place = |held: &Held| ORDER.iter().position(|other| other == held);
            let late = self.0.iter().find(|other| place(other) > place(&held));
            assert!(place(&held).is_some(), "{held:?} has no place in the order of locks");
            assert!(late.is_none(), "{held:?} is locked after {late:?}");
            self.0.push(held);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_in_their_order_are_fine_and_so_are_more_of_a_kind() {
        let mut holding = Holding::default();
        for held in ORDER {
            holding.note(*held);
            holding.note(*held);
        }
        holding.note(ORDER[0]);
    }

    #[test]
    #[should_panic = "Rows(Order) is locked after Some(Rows(User))"]
    fn a_row_that_is_locked_too_late_is_refused() {
        let mut holding = Holding::default();
        holding.note(Held::Rows(Rows::User));
        holding.note(Held::Rows(Rows::Order));
    }

    #[test]
    #[should_panic = "Lock(Bom) is locked after Some(Rows(Product))"]
    fn an_advisory_lock_behind_rows_is_refused() {
        let mut holding = Holding::default();
        holding.note(Held::Rows(Rows::Product));
        holding.note(Held::Lock(Lock::Bom));
    }
}
