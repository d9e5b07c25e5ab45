//! Many events of one type in one transaction: all of them, or none.

use domain::Timestamp;
use domain::key::{EntityKey, EventKey};
use store::journal::events::Spool;
use store::node::Node;
use store::production::{unit_wip, work_orders};
use store::serial::serials;
use store::{Lock, Tx};

use crate::act::{Act, Author, KeptOrders, KeptStock, ReadOrders};
pub use crate::effects::collaboration::gathering::RecordNames;
use crate::effects::collaboration::gathering::{self as named_records, RecordKeys};
use crate::effects::counting::holding::{CountKeys, hold_sessions};
use crate::effects::production::floor;
use crate::effects::serial::evidence;
use crate::effects::serial::linking::hold_genealogy;
use crate::effects::serial::stock::is_kept;
pub use crate::effects::warehouse::gathering::StockNames;
use crate::effects::warehouse::{gathering, moving};
use crate::event::{Lockable, Locks, Outcome, References};
use crate::post::{Posted, post_event};
use crate::postable::EventType;
use crate::{Boxed, Error, Result};

/// How finely the rows of a bulk can be rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Savepoints {
    /// One savepoint per chunk. If a row is refused after it has changed something, its whole chunk is rolled back and runs
    /// again.
    PerChunk,
    /// One savepoint per row.
    PerRow,
}

/// A bulk in progress.
pub struct Bulk<'a> {
    act: Act<'a>,
    savepoints: Savepoints,
    may_change_links: bool,
    counts: bool,
    moves_stock: bool,
    may_move_stock: bool,
    asks_for_evidence: bool,
    names_records: bool,
    names_tasks: bool,
    /// How many events there were before the current chunk; `None` before the first.
    chunk: Option<i64>,
    first_seq: Option<i64>,
    last_seq: i64,
    /// How many events were stored or spooled before those in the act.
    stored: i64,
    /// Events that wait in the database for their numbers.
    spool: Spool,
}

/// The keys by which a bulk locks orders, issues, tasks, counting sessions, serials and stock.
#[derive(Debug)]
pub struct KeysToLock {
    of_type: Locks,
    orders: Vec<i64>,
    jobs: Vec<i64>,
    batches: Vec<i64>,
    serials: Vec<i64>,
    units: Vec<i64>,
    counted: CountKeys,
    names_records: bool,
    records: RecordKeys,
    names_stock: bool,
    stock: Vec<StockNames>,
    may_spare_stock: bool,
    /// Whether a row may move stock.
    moves: bool,
}

impl KeysToLock {
    /// No keys yet, for a bulk of this type.
    pub fn of(event_type: &EventType) -> Self {
        let (orders, jobs, batches, serials, units, counted, records, stock) = Default::default();
        let (of_type, names_stock, may_spare_stock) =
            (event_type.locks, event_type.names_stock, event_type.may_spare_stock);
        let (names_records, moves) = (event_type.names_records, !may_spare_stock);
        Self {
            of_type,
            orders,
            jobs,
            batches,
            serials,
            units,
            counted,
            names_records,
            records,
            names_stock,
            stock,
            may_spare_stock,
            moves,
        }
    }

    /// Whether rows of the type can say that they move no stock.
    pub fn may_spare_stock(&self) -> bool {
        self.may_spare_stock
    }

    /// Notes what a row says of stock: `says` gives the value of a member that is true or false.
    pub fn note_stock(&mut self, says: impl Fn(&str) -> Option<bool>) {
        let scraps = ["scrap", "scrap_replaced"].into_iter().any(|member| says(member) == Some(true));
        self.moves |= scraps || says("process_inventory") != Some(false);
    }

    /// Whether rows of the type name records of several kinds.
    pub fn names_records(&self) -> bool {
        self.names_records
    }

    /// Adds the records that a row names itself, given what all rows share; that is added once, as if it were a row.
    pub fn add_records(&mut self, own: &RecordNames, shared: &RecordNames) {
        self.records.add(own, shared);
    }

    /// Whether rows of the type name the stock that they move.
    pub fn names_stock(&self) -> bool {
        self.names_stock
    }

    /// Adds the stock that a row names.
    pub fn add_stock(&mut self, names: StockNames) {
        self.stock.push(names);
    }

    /// Adds the key in a member of a row, if its type or the references lock something by that member.
    pub fn add(&mut self, member: &str, EntityKey(key): EntityKey) {
        let own = self.of_type.iter().any(|(name, _)| *name == member);
        let locks = if own { self.of_type } else { References::LOCKS };
        for (_, record) in locks.iter().filter(|(name, _)| *name == member) {
            match record {
                Lockable::Batch => self.batches.push(key),
                Lockable::CountAssignment => self.counted.assignments.push(key),
                Lockable::CountRecord => self.counted.records.push(key),
                Lockable::CountSession => self.counted.sessions.push(key),
                Lockable::Job => self.jobs.push(key),
                Lockable::Serial => self.serials.push(key),
                Lockable::Task => _ = self.records.tasks.insert(key),
                Lockable::Unit => self.units.push(key),
                Lockable::WorkOrder => self.orders.push(key),
            }
        }
    }
}

/// The result of one row.
pub enum RowResult {
    Done {
        event_key: EventKey,
        /// How many events of the bulk come before it.
        place: i64,
        outcome: Outcome,
    },
    Refused(Error),
    /// It was refused after it had changed something: its chunk has to be rolled back.
    NeedsRowSavepoints,
}

/// The numbers of a bulk's events.
#[derive(Debug, Clone, Copy)]
pub struct SeqRange {
    pub first_seq: i64,
    pub last_seq: i64,
}

impl<'a> Bulk<'a> {
    /// Begins a bulk of events of this type.
    pub async fn begin(
        tx: &'a mut Tx,
        node: &'a Node,
        author: Author,
        now: Timestamp,
        event_type: &'static EventType,
        savepoints: Savepoints,
    ) -> Result<Self> {
        tx.lock_shared(Lock::Bulk).await?;
        let mut act = Act::begin(tx, node, author, now).await?;
        act.kept = event_type.order_alone.then(KeptOrders::default);
        act.read = (!event_type.order_alone).then(ReadOrders::default);
        // Savepoints of rows would take back pairs that are remembered.
        act.stock = (event_type.names_stock && savepoints == Savepoints::PerChunk).then(KeptStock::default);
        Ok(Self {
            act,
            savepoints,
            may_change_links: event_type.may_change_links,
            counts: event_type.locks.iter().any(|(_, record)| record.is_counted()),
            moves_stock: event_type.moves_stock,
            may_move_stock: event_type.may_move_stock,
            asks_for_evidence: event_type.asks_for_evidence,
            names_records: event_type.names_records,
            names_tasks: event_type.locks.iter().any(|(_, record)| *record == Lockable::Task),
            chunk: None,
            first_seq: None,
            last_seq: 0,
            stored: 0,
            spool: Spool::default(),
        })
    }

    /// Locks everything the rows name, before the first row: two bulks with the same orders or serials can't deadlock.
    pub async fn hold(&mut self, keys: impl FnOnce() -> KeysToLock) -> Result<()> {
        if self.act.tx.is_sole_writer() {
            // Nobody is in the way: it is only noted that orders, sessions and links come before what the rows lock.
            work_orders::lock_named(self.act.tx, Vec::new(), Vec::new(), Vec::new()).await?;
            self.hold_records(&RecordKeys::default()).await?;
            self.hold_sessions(CountKeys::default()).await?;
            self.hold_links(self.may_change_links || self.may_move_stock || self.asks_for_evidence).await?;
            return self.hold_stock(self.moves_stock || self.may_move_stock).await;
        }
        let KeysToLock {
            mut orders,
            mut jobs,
            batches,
            serials,
            mut units,
            counted,
            mut records,
            names_stock,
            stock,
            moves,
            ..
        } = keys();
        named_records::add_concerned(&mut self.act, &mut records).await?;
        orders.extend(&records.orders);
        jobs.extend(&records.jobs);
        units.extend(&records.serials);
        if !serials.is_empty() {
            orders.extend(unit_wip::orders_concerned(self.act.tx, &serials).await?);
        }
        let locked = work_orders::lock_named(self.act.tx, orders, jobs, batches).await?;
        self.hold_records(&records).await?;
        self.hold_sessions(counted).await?;
        let kept = self.may_move_stock && moves && is_kept(&mut self.act).await?;
        let asked = self.asks_for_evidence && evidence::is_asked_for(self.act.tx).await?;
        let concerned =
            self.may_change_links && (!serials.is_empty() || work_orders::any_with_links(self.act.tx, &locked).await?);
        self.hold_links(concerned || kept || asked).await?;
        if names_stock {
            return gathering::hold(&mut self.act, &stock, &units).await;
        }
        // Units that are scrapped leave stock whether or not it is kept.
        self.hold_stock(self.moves_stock || kept || !serials.is_empty()).await?;
        units.extend(serials);
        if units.is_empty() {
            return Ok(());
        }
        Ok(serials::lock_keys(self.act.tx, &units).await?)
    }

    /// Nobody else changes the issues and tasks that rows of this bulk name.
    async fn hold_records(&mut self, named: &RecordKeys) -> Result<()> {
        match (self.names_records, self.names_tasks) {
            (true, _) => named_records::hold(&mut self.act, &named.issues, &named.tasks).await,
            (false, true) => named_records::hold_tasks(&mut self.act, &named.tasks).await,
            (false, false) => Ok(()),
        }
    }

    /// Nobody else counts in the sessions that rows of this bulk name.
    async fn hold_sessions(&mut self, named: CountKeys) -> Result<()> {
        if self.counts { hold_sessions(&mut self.act, named).await } else { Ok(()) }
    }

    /// Nobody else moves stock or positions, if rows of this bulk may.
    async fn hold_stock(&mut self, concerned: bool) -> Result<()> {
        if concerned {
            self.act.tx.lock(Lock::Positions).await?;
            self.act.tx.will_move_stock();
        }
        Ok(())
    }

    /// Nobody else changes links, if rows of this bulk may.
    async fn hold_links(&mut self, concerned: bool) -> Result<()> {
        if concerned {
            hold_genealogy(&mut self.act).await?;
        }
        Ok(())
    }

    pub fn group(&self) -> EventKey {
        self.act.group()
    }

    /// The transaction, after storing the orders in memory, so that queries see them as the last row left them.
    pub async fn tx(&mut self) -> Result<&mut Tx> {
        self.store_kept().await?;
        Ok(self.act.tx)
    }

    /// Begins a chunk of rows with a savepoint, unless each row has its own.
    pub async fn begin_chunk(&mut self) -> Result<()> {
        if self.savepoints == Savepoints::PerRow {
            return Ok(());
        }
        self.store_kept().await?;
        if self.chunk.is_some() {
            self.act.tx.release_savepoint().await?;
        }
        self.act.tx.set_savepoint().await?;
        self.chunk = Some(self.act.count());
        Ok(())
    }

    /// Rolls back the rows of this chunk. They run again with a savepoint for each row, and so do all that follow: nothing
    /// will be stored any more, but every bad row has to be found.
    pub async fn roll_back_chunk(&mut self) -> Result<()> {
        self.act.tx.roll_back_to_savepoint().await?;
        self.act.forget_after(self.chunk.unwrap_or(0));
        self.act.forget_orders();
        self.act.stock = None;
        self.savepoints = Savepoints::PerRow;
        Ok(())
    }

    /// Runs one row, which sees the rows before it.
    pub fn row(&mut self, posted: Posted) -> Boxed<'_, RowResult> {
        Box::pin(async move {
            if self.act.kept.as_ref().is_some_and(KeptOrders::is_full) {
                self.store_kept().await?;
                self.act.forget_orders();
            }
            let (before, writes) = (self.act.count(), self.act.tx.writes());
            if self.savepoints == Savepoints::PerRow {
                self.act.tx.set_savepoint().await?;
            }
            match post_event(&mut self.act, &posted).await {
                Ok(outcome) => {
                    if self.savepoints == Savepoints::PerRow {
                        self.act.tx.release_savepoint().await?;
                    }
                    Ok(RowResult::Done { event_key: self.act.key_at(before), place: self.stored + before, outcome })
                }
                // Not the fault of the row, but of the database.
                Err(error @ (Error::Store(_) | Error::Keys(_))) => Err(error),
                Err(_) if self.savepoints == Savepoints::PerChunk && self.act.tx.writes() != writes => {
                    Ok(RowResult::NeedsRowSavepoints)
                }
                Err(refused) => {
                    if self.savepoints == Savepoints::PerRow {
                        self.act.tx.roll_back_to_savepoint().await?;
                    }
                    if self.act.tx.writes() != writes {
                        self.act.read.iter_mut().for_each(ReadOrders::clear);
                    }
                    self.act.forget_after(before);
                    Ok(RowResult::Refused(refused))
                }
            }
        })
    }

    /// Moves events out of memory, if there are many. Nobody else waits for that: either numbers are assigned at the end, or
    /// nobody else can write anyway.
    pub async fn relieve(&mut self) -> Result<()> {
        match self.act.bytes() >= HELD_BYTES {
            // Nothing will be stored any more, and the spool may be rolled back.
            true if self.savepoints == Savepoints::PerRow => {
                self.stored += self.act.take_events().len() as i64;
                Ok(())
            }
            true if self.act.tx.is_sole_writer() => self.store().await,
            true => self.spool().await,
            false => Ok(()),
        }
    }

    pub async fn finish(&mut self) -> Result<SeqRange> {
        if self.spool.is_empty() {
            self.store().await?;
        } else {
            self.store_kept().await?;
            self.spool().await?;
            let first = std::mem::take(&mut self.spool).store(self.act.tx).await?;
            self.first_seq = Some(first);
            self.last_seq = first + self.stored - 1;
        }
        Ok(SeqRange { first_seq: self.first_seq.unwrap_or_default(), last_seq: self.last_seq })
    }

    async fn store_kept(&mut self) -> Result<()> {
        moving::store_kept(&mut self.act).await?;
        floor::store_kept(&mut self.act).await
    }

    async fn spool(&mut self) -> Result<()> {
        let events = self.act.take_events();
        self.spool.add(self.act.tx, &events).await?;
        self.stored += events.len() as i64;
        Ok(())
    }

    fn store(&mut self) -> Boxed<'_, ()> {
        Box::pin(async move {
            self.store_kept().await?;
            let events = self.act.store_some().await?;
            if let (Some(first), Some(last)) = (events.first(), events.last()) {
                self.first_seq = self.first_seq.or(Some(first.seq));
                self.last_seq = last.seq;
                self.stored += events.len() as i64;
            }
            Ok(())
        })
    }
}

/// Events are stored or spooled once they take about this many bytes.
const HELD_BYTES: usize = 16 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Postable;
    use crate::events::production::{BatchCompleted, ExtraUpdate, StepEdited};
    use crate::events::serial::{SerialLinked, SerialScrapped, SerialUnlinked};

    fn keys<T: Postable>(members: &[&str]) -> KeysToLock {
        let mut keys = KeysToLock::of(&EventType::of::<T>());
        members.iter().zip(1..).for_each(|(member, key)| keys.add(member, EntityKey(key)));
        keys
    }

    #[test]
    fn a_type_says_what_its_members_name() {
        let keys = keys::<BatchCompleted>(&["active_batch_key", "completed_batch_qt"]);
        assert_eq!((keys.orders, keys.jobs, keys.batches), (vec![], vec![], vec![1]));
    }

    /// Links that take nothing out of stock hold nobody up who moves some.
    #[test]
    fn rows_can_say_that_they_move_no_stock() {
        fn moves<T: Postable>(rows: &[&[(&str, bool)]]) -> bool {
            let mut keys = KeysToLock::of(&EventType::of::<T>());
            for row in rows.iter().take(if keys.may_spare_stock() { rows.len() } else { 0 }) {
                keys.note_stock(|member| row.iter().find(|(name, _)| *name == member).map(|(_, value)| *value));
            }
            keys.moves
        }
        let spared: &[(&str, bool)] = &[("process_inventory", false)];
        assert!(!moves::<SerialLinked>(&[spared, spared]));
        assert!(moves::<SerialLinked>(&[spared, &[]]));
        assert!(moves::<SerialLinked>(&[&[("process_inventory", false), ("scrap_replaced", true)]]));
        assert!(moves::<SerialUnlinked>(&[&[("process_inventory", false), ("scrap", true)]]));
        assert!(moves::<SerialScrapped>(&[spared]), "it has no such member");
    }

    #[test]
    fn a_key_that_may_name_several_records_is_looked_for_among_all_of_them() {
        let keys = keys::<ExtraUpdate>(&["entity_key"]);
        assert_eq!((keys.orders, keys.jobs, keys.batches), (vec![1], vec![1], vec![]));
    }

    #[test]
    fn references_lock_too_and_members_of_other_types_do_not() {
        let keys =
            keys::<StepEdited>(&["execution_record_key", "job_key", "batch_key", "work_order_key", "entity_key"]);
        assert_eq!((keys.orders, keys.jobs, keys.batches), (vec![4], vec![2], vec![3]));
    }
}
