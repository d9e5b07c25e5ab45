//! The feed of this node: how far the journal goes, and the newest messages, for whoever follows it. One look serves all of them:
//! after a commit of this node, and every half second for the commits of others.

mod recent;

use std::sync::Arc;
use std::time::Duration;

use domain::notification::{Portion, Told};
use parking_lot::Mutex;
use store::notification::feed::{self, End};
use store::{Db, StoreError, Tx, describe};
use tokio::sync::{Notify, Semaphore, SemaphorePermit, watch};

use crate::seldom::Seldom;
use recent::Recent;

/// How often it looks for what other nodes have stored.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How long it rests after each look: many commits in a row need no look each.
const REST: Duration = Duration::from_millis(20);
/// So many read at a time what happened before, while others follow the end of the journal.
const CATCHING_UP: usize = 2;

pub struct Feed {
    newest: watch::Sender<i64>,
    wanted: Notify,
    course: watch::Sender<Course>,
    recent: Mutex<Recent>,
    at_the_end: Semaphore,
    behind: Semaphore,
}

/// Whether whoever follows the journal may go on.
#[derive(Debug, Clone, Copy, Default)]
struct Course {
    /// How often the journal has lost its end.
    breaks: u64,
    stopped: bool,
}

/// Where somebody reads on, and whose turn that takes.
#[derive(Debug, Clone)]
pub struct Reader {
    pub seq: i64,
    /// Whether it may be in the middle of a group of events.
    pub resumed: bool,
    /// A user reads what happened before with one stream at a time.
    pub turn: Arc<Semaphore>,
}

impl Feed {
    pub(crate) fn new() -> Self {
        Self {
            newest: watch::Sender::new(0),
            wanted: Notify::new(),
            course: watch::Sender::default(),
            recent: Mutex::default(),
            at_the_end: Semaphore::new(1),
            behind: Semaphore::new(CATCHING_UP),
        }
    }

    /// The number of the newest event that can be read, kept up to date as long as somebody has a receiver. At first it may be an
    /// old one: whoever has to know where the journal ends right now asks the database.
    pub fn newest(&self) -> watch::Receiver<i64> {
        let newest = self.newest.subscribe();
        self.wanted.notify_one();
        newest
    }

    /// The number of the newest event right now, for whoever begins. What was removed before is not told to them.
    pub async fn head(&self, db: &Db) -> store::Result<i64> {
        let end = db.glance(async |tx: &mut Tx| feed::end(tx).await).await?;
        self.recent.lock().notice_removal(end.removal);
        Ok(end.seq)
    }

    /// Follows the journal while somebody wants to know; it rests otherwise.
    pub async fn follow(&self, db: &Db) {
        let urgent = db.urgent();
        loop {
            if self.newest.receiver_count() == 0 {
                // Nobody notices what happens to the journal in the meantime.
                self.recent.lock().forget();
                self.newest.send_replace(0);
                self.wanted.notified().await;
            }
            if let Err(error) = self.look(&urgent).await
                && !db.is_outdated()
            {
                static UNREAD: Seldom = Seldom::new();
                if let Some(times) = UNREAD.times() {
                    tracing::warn!(times, error = describe(&error), "the end of the journal could not be read");
                }
            }
            tokio::time::sleep(REST).await;
            tokio::select! {
                () = db.written() => {}
                () = self.wanted.notified() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    }

    async fn look(&self, db: &Db) -> store::Result<()> {
        let known = *self.newest.borrow();
        let end = db.glance(async |tx: &mut Tx| feed::end(tx).await).await?;
        self.note(end, known);
        Ok(())
    }

    /// Notes where the journal ends. It was known up to `known` when that was asked; others may have read on in the meantime. What
    /// was removed is not told any more. A database that has lost its last commits gives their numbers to other events: whoever has
    /// heard of the lost ones connects again.
    fn note(&self, end: End, known: i64) {
        let lost = end.seq < known;
        {
            let mut recent = self.recent.lock();
            if lost {
                recent.forget();
            }
            recent.notice_removal(end.removal);
        }
        self.newest.send_if_modified(|newest| {
            let now = if lost { end.seq } else { end.seq.max(*newest) };
            std::mem::replace(newest, now) != now
        });
        if lost {
            tracing::warn!("the journal has lost its end: all streams begin anew");
            self.course.send_modify(|course| course.breaks += 1);
        }
    }

    /// The messages of the next events, some of them at a time.
    pub async fn after(&self, db: &Db, reader: &Reader) -> store::Result<Portion<Arc<Told>>> {
        let seq = reader.seq;
        let (known, is_behind) = self.known(seq);
        if let Some(known) = known {
            return Ok(known);
        }
        let _own = if is_behind { Some(turn(&reader.turn).await?) } else { None };
        let _turn = turn(if is_behind { &self.behind } else { &self.at_the_end }).await?;
        // Somebody else may have read it in the meantime.
        if let (Some(known), _) = self.known(seq) {
            return Ok(known);
        }
        let age = self.recent.lock().age();
        let start = feed::Start { seq, newest: *self.newest.borrow(), resumed: reader.resumed };
        let Portion { told, reached } = db.read_long(async move |tx: &mut Tx| feed::after(tx, start).await).await?;
        let read = Portion { told: told.into_iter().map(Arc::new).collect(), reached };
        self.reach(reached);
        let mut recent = self.recent.lock();
        // It may have been read before something was removed.
        if recent.age() == age {
            recent.keep(seq, &read);
        }
        Ok(read)
    }

    /// Notes that the journal was read up to here, which no look may have found yet: if it loses that, somebody has heard of it.
    fn reach(&self, seq: i64) {
        self.newest.send_if_modified(|newest| {
            let further = seq > *newest;
            *newest = seq.max(*newest);
            further
        });
    }

    /// What is known of the events after a number, and whether what is known begins behind it.
    fn known(&self, seq: i64) -> (Option<Portion<Arc<Told>>>, bool) {
        let recent = self.recent.lock();
        (recent.after(seq), seq < recent.to())
    }

    /// The service stops: whoever follows the journal ends.
    pub fn end(&self) {
        self.course.send_modify(|course| course.stopped = true);
    }

    /// Somebody who begins to follow the journal.
    pub(crate) fn follower(&self) -> Follower {
        let course = self.course.subscribe();
        let breaks = course.borrow().breaks;
        Follower { course, breaks }
    }
}

async fn turn(turns: &Semaphore) -> store::Result<SemaphorePermit<'_>> {
    turns.acquire().await.map_err(|_| StoreError::Abandoned)
}

/// Tells when it is over.
#[derive(Debug)]
pub(crate) struct Follower {
    course: watch::Receiver<Course>,
    breaks: u64,
}

impl Follower {
    /// Waits until the service stops, or the journal has lost its end.
    pub(crate) async fn ended(&mut self) {
        let breaks = self.breaks;
        let _ = self.course.wait_for(|course| course.stopped || course.breaks != breaks).await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    /// As if nobody had read on since it was asked.
    fn note(feed: &Feed, end: End) {
        let known = *feed.newest.borrow();
        feed.note(end, known);
    }

    #[test]
    fn a_late_answer_is_no_loss() {
        let feed = Feed::new();
        let newest = feed.newest();
        note(&feed, End { seq: 10, removal: 0 });
        let mut follower = feed.follower();
        feed.reach(15);
        feed.note(End { seq: 12, removal: 0 }, 10);
        assert!(follower.ended().now_or_never().is_none());
        assert_eq!(*newest.borrow(), 15);
    }

    #[test]
    fn a_journal_that_has_lost_its_end_begins_anew() {
        let feed = Feed::new();
        let newest = feed.newest();
        note(&feed, End { seq: 10, removal: 0 });
        let mut follower = feed.follower();
        feed.recent.lock().keep(5, &Portion { told: Vec::new(), reached: 10 });
        note(&feed, End { seq: 11, removal: 0 });
        assert!(follower.ended().now_or_never().is_none() && feed.known(5).0.is_some());
        note(&feed, End { seq: 9, removal: 0 });
        assert!(follower.ended().now_or_never().is_some());
        assert!(feed.known(5).0.is_none() && *newest.borrow() == 9);
        let mut next = feed.follower();
        assert!(next.ended().now_or_never().is_none(), "who comes later follows the new end");
        feed.end();
        assert!(next.ended().now_or_never().is_some());
        assert!(feed.follower().ended().now_or_never().is_some(), "nobody begins after the stop");
    }

    /// Events are read as soon as they are committed, and told before the next look.
    #[test]
    fn an_end_that_was_only_read_is_missed_as_well() {
        let feed = Feed::new();
        note(&feed, End { seq: 10, removal: 0 });
        feed.reach(11);
        feed.reach(9);
        let mut follower = feed.follower();
        assert_eq!(*feed.newest().borrow(), 11);
        note(&feed, End { seq: 10, removal: 0 });
        assert!(follower.ended().now_or_never().is_some());
    }

    #[test]
    fn what_was_removed_is_forgotten() {
        let feed = Feed::new();
        note(&feed, End { seq: 10, removal: 3 });
        feed.recent.lock().keep(5, &Portion { told: Vec::new(), reached: 10 });
        note(&feed, End { seq: 10, removal: 3 });
        assert!(feed.known(5).0.is_some());
        note(&feed, End { seq: 10, removal: 4 });
        assert!(feed.known(5).0.is_none());
    }
}
