//! The feed of this node: how far the journal goes, and the newest messages, for whoever follows it. One look serves all of them:
//! after a commit of this node, and every half second for the commits of others.

mod recent;

use std::sync::Arc;
use std::time::Duration;

use domain::notification::{Portion, Told};
use parking_lot::Mutex;
use store::journal::events;
use store::notification::feed;
use store::{Db, StoreError, Tx, describe};
use tokio::sync::{Notify, Semaphore, watch};

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
    ended: watch::Sender<bool>,
    recent: Mutex<Recent>,
    at_the_end: Semaphore,
    behind: Semaphore,
}

impl Feed {
    pub(crate) fn new() -> Self {
        Self {
            newest: watch::Sender::new(0),
            wanted: Notify::new(),
            ended: watch::Sender::new(false),
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

    /// Follows the journal while somebody wants to know; it rests otherwise.
    pub async fn follow(&self, db: &Db) {
        let urgent = db.urgent();
        loop {
            if self.newest.receiver_count() == 0 {
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
        let head = db.glance(async |tx: &mut Tx| events::head(tx).await).await?;
        self.newest.send_if_modified(|newest| std::mem::replace(newest, head) != head);
        Ok(())
    }

    /// The messages of the next events after a number, some of them at a time. `resumed`: it may be in the middle of a group
    /// of events.
    pub async fn after(&self, db: &Db, seq: i64, resumed: bool) -> store::Result<Portion<Arc<Told>>> {
        let (known, is_behind) = self.known(seq);
        if let Some(known) = known {
            return Ok(known);
        }
        let turns = if is_behind { &self.behind } else { &self.at_the_end };
        let _turn = turns.acquire().await.map_err(|_| StoreError::Abandoned)?;
        // Somebody else may have read it in the meantime.
        if let (Some(known), _) = self.known(seq) {
            return Ok(known);
        }
        let start = feed::Start { seq, newest: *self.newest.borrow(), resumed };
        let Portion { told, reached } = db.read_long(async move |tx: &mut Tx| feed::after(tx, start).await).await?;
        let read = Portion { told: told.into_iter().map(Arc::new).collect(), reached };
        self.recent.lock().keep(seq, &read);
        Ok(read)
    }

    /// What is known of the events after a number, and whether what is known begins behind it.
    fn known(&self, seq: i64) -> (Option<Portion<Arc<Told>>>, bool) {
        let recent = self.recent.lock();
        (recent.after(seq), seq < recent.to())
    }

    /// The service stops: whoever follows the journal ends.
    pub fn end(&self) {
        self.ended.send_replace(true);
    }

    /// Waits until the service stops.
    pub async fn ended(&self) {
        let mut ended = self.ended.subscribe();
        let _ = ended.wait_for(|ended| *ended).await;
    }
}
