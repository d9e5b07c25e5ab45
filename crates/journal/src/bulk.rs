//! Many events of one type, in one transaction: all of them, or none.

use domain::Timestamp;
use domain::key::{EntityKey, EventKey};
use store::journal::events::Spool;
use store::node::Node;
use store::production::work_orders;
use store::{Lock, Tx};

use crate::act::{Act, Author, KeptOrders};
use crate::effects::production::floor;
use crate::event::{Lockable, Locks, Outcome, References};
use crate::post::{Posted, carry_out};
use crate::postable::Entry;
use crate::{Boxed, Error, Result};

/// How a bulk is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// Portion by portion: a row that is refused after it has changed something takes its portion with it, which runs again.
    Bold,
    /// Each row can be undone by itself.
    Careful,
}

/// A bulk under way.
pub struct Bulk<'a> {
    act: Act<'a>,
    care: Care,
    /// How many events there were before the portion at work; none before the first.
    portion: Option<i64>,
    first_seq: Option<i64>,
    last_seq: i64,
    /// How many events were stored or spooled before those that the act holds.
    stored: i64,
    /// Events that wait in the database for their numbers.
    spool: Spool,
}

/// The keys by which a bulk locks orders.
#[derive(Debug)]
pub struct KeysToLock {
    of_type: Locks,
    orders: Vec<i64>,
    jobs: Vec<i64>,
    batches: Vec<i64>,
}

impl KeysToLock {
    /// Those of a bulk of this type; none yet.
    pub fn of(entry: &Entry) -> Self {
        Self { of_type: entry.locks, orders: Vec::new(), jobs: Vec::new(), batches: Vec::new() }
    }

    /// Adds the key in a member of a row, if its type or the references lock something by that member.
    pub fn add(&mut self, member: &str, EntityKey(key): EntityKey) {
        let own = self.of_type.iter().any(|(name, _)| *name == member);
        let locks = if own { self.of_type } else { References::LOCKS };
        for (_, record) in locks.iter().filter(|(name, _)| *name == member) {
            match record {
                Lockable::Batch => self.batches.push(key),
                Lockable::Job => self.jobs.push(key),
                Lockable::WorkOrder => self.orders.push(key),
            }
        }
    }
}

/// What became of one row.
pub enum RowResult {
    Done {
        event_key: EventKey,
        /// How many events of the bulk come before it.
        place: i64,
        outcome: Outcome,
    },
    Refused(Error),
    /// It was refused too late for a bold run: its portion has to be undone.
    NeedsCare,
}

/// How a bulk ended.
#[derive(Debug, Clone, Copy)]
pub struct SeqRange {
    pub first_seq: i64,
    pub last_seq: i64,
}

impl<'a> Bulk<'a> {
    /// Begins with events of this type.
    pub async fn begin(
        tx: &'a mut Tx,
        node: &'a Node,
        author: Author,
        now: Timestamp,
        entry: &'static Entry,
        care: Care,
    ) -> Result<Self> {
        tx.lock_shared(Lock::Bulk).await?;
        let mut act = Act::begin(tx, node, author, now).await?;
        act.kept = entry.order_alone.then(KeptOrders::default);
        Ok(Self { act, care, portion: None, first_seq: None, last_seq: 0, stored: 0, spool: Spool::default() })
    }

    /// Locks all that the rows name, before the first: two bulks with the same orders can't wait for each other.
    pub async fn hold(&mut self, keys: impl FnOnce() -> KeysToLock) -> Result<()> {
        if self.act.tx.is_sole_writer() {
            return Ok(());
        }
        let KeysToLock { orders, jobs, batches, .. } = keys();
        Ok(work_orders::lock_named(self.act.tx, orders, jobs, batches).await?)
    }

    pub fn group(&self) -> EventKey {
        self.act.group()
    }

    /// Where the orders can be seen as the last row left them.
    pub async fn tx(&mut self) -> Result<&mut Tx> {
        self.store_kept().await?;
        Ok(self.act.tx)
    }

    /// Begins a portion of rows, to whose start a bold run can go back.
    pub async fn begin_portion(&mut self) -> Result<()> {
        if self.care == Care::Careful {
            return Ok(());
        }
        self.store_kept().await?;
        if self.portion.is_some() {
            self.act.tx.release_savepoint().await?;
        }
        self.act.tx.set_savepoint().await?;
        self.portion = Some(self.act.count());
        Ok(())
    }

    /// Undoes the rows of this portion. They run again with care, and so do all that follow: nothing will be stored any more, but
    /// every bad row is to be found.
    pub async fn undo_portion(&mut self) -> Result<()> {
        self.act.tx.roll_back_to_savepoint().await?;
        self.act.forget_after(self.portion.unwrap_or(0));
        self.act.kept = self.act.kept.take().map(|_| KeptOrders::default());
        self.care = Care::Careful;
        Ok(())
    }

    /// Runs one row; it sees those before.
    pub fn row(&mut self, posted: Posted) -> Boxed<'_, RowResult> {
        Box::pin(async move {
            if self.act.kept.as_ref().is_some_and(KeptOrders::is_full) {
                self.store_kept().await?;
            }
            let (before, writes) = (self.act.count(), self.act.tx.writes());
            if self.care == Care::Careful {
                self.act.tx.set_savepoint().await?;
            }
            match carry_out(&mut self.act, posted).await {
                Ok(outcome) => {
                    if self.care == Care::Careful {
                        self.act.tx.release_savepoint().await?;
                    }
                    Ok(RowResult::Done { event_key: self.act.key_at(before), place: self.stored + before, outcome })
                }
                // Not the row is at fault, but what it runs on.
                Err(error @ (Error::Store(_) | Error::Keys(_))) => Err(error),
                Err(_) if self.care == Care::Bold && self.act.tx.writes() != writes => Ok(RowResult::NeedsCare),
                Err(refused) => {
                    if self.care == Care::Careful {
                        self.act.tx.roll_back_to_savepoint().await?;
                    }
                    self.act.forget_after(before);
                    Ok(RowResult::Refused(refused))
                }
            }
        })
    }

    /// Takes what there is out of memory, if it is much. Nobody else waits for it: numbers are drawn at the end, or nobody else
    /// can write anyway.
    pub async fn relieve(&mut self) -> Result<()> {
        match self.act.bytes() >= HELD_BYTES {
            // Nothing will be stored any more, and the spool may be undone.
            true if self.care == Care::Careful => {
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

/// About so many bytes of events are held before they are stored or spooled.
const HELD_BYTES: usize = 16 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Postable;
    use crate::events::production::{BatchCompleted, ExtraUpdate, StepEdited};

    fn keys<T: Postable>(members: &[&str]) -> KeysToLock {
        let mut keys = KeysToLock::of(&Entry::of::<T>());
        members.iter().zip(1..).for_each(|(member, key)| keys.add(member, EntityKey(key)));
        keys
    }

    #[test]
    fn a_type_says_what_its_members_name() {
        let keys = keys::<BatchCompleted>(&["active_batch_key", "completed_batch_qt"]);
        assert_eq!((keys.orders, keys.jobs, keys.batches), (vec![], vec![], vec![1]));
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
