//! The writer thread: waiting requests run one after the other in one transaction, and are answered after its one
//! commit. Thirty-two clients then pay for one flush to disk instead of thirty-two.
//!
//! Most requests that are refused are refused before they write, and then there is nothing to undo. So a group runs
//! without savepoints first; when a request fails after it has written, the group runs again with one for each request.
//!
//! Large changes, such as bulks, run alone and hold everybody else up. Between two of them all that wait have their turn, so
//! nobody ever waits for more than one of them; and what waited so long that its client is gone is not begun.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;
use std::time::Instant;

use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::rights::RightsVersion;
use crate::error::TxError;
use crate::presence::Presence;
use crate::tx::{Link, Tx};
use crate::usage::Usage;
use crate::{Result, StoreError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Keep,
    Undo,
}

/// A write that waits for its turn; it may be run again when the group it was in is lost.
pub(crate) trait Job: Send {
    /// Whether it wants a commit of its own.
    fn alone(&self) -> bool;
    /// Whether nobody waits for it any more.
    fn abandoned(&self) -> bool;
    /// Where what it uses is counted.
    fn usage(&self) -> Usage;
    fn run(&mut self, tx: &mut Tx) -> Verdict;
    fn answer(self: Box<Self>, fate: Fate);
}

/// What became of the transaction that a request was part of.
#[derive(Clone)]
pub(crate) enum Fate {
    /// It is committed, or the request alone was undone: what it concluded holds.
    Settled,
    /// Everything in it is undone; what the request itself concluded was concluded from what no longer is.
    Lost(StoreError),
    /// This request broke it; its own error says best what happened.
    Broken(StoreError),
}

/// What a write does in its transaction.
pub(crate) type Run<T, E> = Box<dyn FnMut(&mut Tx) -> Result<T, E> + Send>;

struct WriteJob<T, E> {
    run: Run<T, E>,
    alone: bool,
    asked_by: Option<Presence>,
    asked: Instant,
    usage: Usage,
    result: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<T: Send, E: TxError> Job for WriteJob<T, E> {
    fn alone(&self) -> bool {
        self.alone
    }

    fn abandoned(&self) -> bool {
        self.reply.is_closed() || self.asked_by.as_ref().is_some_and(|client| client.is_gone(self.asked.elapsed()))
    }

    fn usage(&self) -> Usage {
        self.usage.clone()
    }

    fn run(&mut self, tx: &mut Tx) -> Verdict {
        let result = (self.run)(tx);
        let verdict = if result.is_ok() { Verdict::Keep } else { Verdict::Undo };
        self.result = Some(result);
        verdict
    }

    fn answer(self: Box<Self>, fate: Fate) {
        let result = match (fate, self.result) {
            (Fate::Settled, Some(result)) => result,
            (Fate::Settled, None) => Err(StoreError::Panicked.into()),
            (Fate::Broken(_), Some(Err(own))) => Err(own),
            (Fate::Broken(error) | Fate::Lost(error), _) => Err(error.into()),
        };
        // Whoever asked may be gone; the write stands all the same.
        let _ = self.reply.send(result);
    }
}

/// Drives a transaction's closure by one poll: on SQLite nothing in it ever waits.
pub(crate) fn poll_once<T, E: TxError, W: Future<Output = Result<T, E>>>(work: impl FnOnce() -> W) -> Result<T, E> {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let future = pin!(work());
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => {
                tracing::error!("a transaction waited for something other than its database");
                Err(StoreError::Panicked.into())
            }
        }
    }));
    outcome.unwrap_or_else(|_| Err(StoreError::Panicked.into()))
}

pub(crate) struct Writer {
    queue: Mutex<Option<mpsc::Sender<Box<dyn Job>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    commits: Arc<AtomicU64>,
    rights: RightsVersion,
}

impl Writer {
    pub(crate) fn start(mut connection: Connection, most_at_once: usize) -> rusqlite::Result<Self> {
        let rights = RightsVersion::default();
        rights.watch(&mut connection)?;
        let (queue, waiting) = mpsc::channel();
        let tx = Tx::new(Link::Sqlite(connection), Usage::default());
        let commits = Arc::new(AtomicU64::new(0));
        let (counted, watched) = (commits.clone(), rights.clone());
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || WriterThread { tx, most_at_once, commits: counted, rights: watched }.run(&waiting))
            .map_err(|error| tracing::error!(%error, "the writer thread did not start"))
            .ok();
        Ok(Self { queue: Mutex::new(Some(queue)), thread: Mutex::new(thread), commits, rights })
    }

    /// How many commits there were.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    /// Grows with every change of what a check of a token reads.
    pub(crate) fn rights_version(&self) -> u64 {
        self.rights.get()
    }

    /// Adds a write to those that wait; its answer comes after the commit.
    pub(crate) fn ask<T, E>(&self, run: Run<T, E>, alone: bool, usage: Usage) -> oneshot::Receiver<Result<T, E>>
    where
        T: Send + 'static,
        E: TxError,
    {
        let (reply, answer) = oneshot::channel();
        let (asked_by, asked) = (Presence::asking_now(), Instant::now());
        self.submit(Box::new(WriteJob { run, alone, asked_by, asked, usage, result: None, reply }));
        answer
    }

    pub(crate) fn submit(&self, job: Box<dyn Job>) {
        let queue = self.queue.lock().clone();
        let refused = match queue {
            Some(queue) => queue.send(job).err().map(|unsent| unsent.0),
            None => Some(job),
        };
        if let Some(job) = refused {
            job.answer(Fate::Lost(StoreError::unavailable("the database is closed")));
        }
    }

    /// Finishes what waits, closes the database and returns when its file is at rest.
    pub(crate) fn close(&self) {
        self.queue.lock().take();
        if let Some(thread) = self.thread.lock().take() {
            let _ = thread.join();
        }
    }
}

/// What a failed request is rolled back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// The start of the group.
    Whole,
    /// A savepoint of its own.
    Each,
}

enum Trace {
    Clean,
    /// What a failed request wrote is still there.
    Spoilt,
}

/// Who waits. Those that run alone take turns with all others.
#[derive(Default)]
struct Queue {
    together: VecDeque<Box<dyn Job>>,
    alone: VecDeque<Box<dyn Job>>,
    /// The others had the last turn.
    is_turn_of_one: bool,
}

impl Queue {
    fn add(&mut self, job: Box<dyn Job>) {
        if job.alone() { self.alone.push_back(job) } else { self.together.push_back(job) }
    }

    fn is_empty(&self) -> bool {
        self.together.is_empty() && self.alone.is_empty()
    }

    /// Those that share the next commit.
    fn next(&mut self, most_at_once: usize) -> Vec<Box<dyn Job>> {
        if self.together.is_empty() || (self.is_turn_of_one && !self.alone.is_empty()) {
            self.is_turn_of_one = false;
            return self.alone.pop_front().into_iter().collect();
        }
        self.is_turn_of_one = true;
        let count = self.together.len().min(most_at_once.max(1));
        self.together.drain(..count).collect()
    }
}

struct WriterThread {
    tx: Tx,
    /// How many requests share one commit at most.
    most_at_once: usize,
    commits: Arc<AtomicU64>,
    rights: RightsVersion,
}

impl WriterThread {
    fn run(mut self, waiting: &mpsc::Receiver<Box<dyn Job>>) {
        let mut queue = Queue::default();
        loop {
            if queue.is_empty() {
                match waiting.recv() {
                    Ok(job) => queue.add(job),
                    Err(_) => break,
                }
            }
            waiting.try_iter().for_each(|job| queue.add(job));
            let group = queue.next(self.most_at_once);
            self.run_group(group);
        }
        let Link::Sqlite(connection) = self.tx.into_link() else { return };
        if let Err((_, error)) = connection.close() {
            tracing::warn!(%error, "the database did not close cleanly");
        }
    }

    fn run_group(&mut self, group: Vec<Box<dyn Job>>) {
        let (abandoned, group): (Vec<_>, Vec<_>) = group.into_iter().partition(|job| job.abandoned());
        answer_all(abandoned, &StoreError::Abandoned);
        if !group.is_empty() {
            self.run_guarded(group, Guard::Whole);
        }
    }

    fn run_guarded(&mut self, mut group: Vec<Box<dyn Job>>, guard: Guard) {
        if let Err(error) = self.command("begin immediate") {
            return answer_all(group, &error);
        }
        for (index, job) in group.iter_mut().enumerate() {
            match self.run_job(job.as_mut(), guard) {
                Ok(Trace::Clean) => {}
                Ok(Trace::Spoilt) => return self.undo(group),
                Err(error) => return self.start_over(group, index, error),
            }
        }
        match self.command("commit") {
            Ok(()) => {
                self.commits.fetch_add(1, Ordering::Release);
                self.rights.committed();
                group.into_iter().for_each(|job| job.answer(Fate::Settled));
            }
            Err(error) => {
                let _ = self.command("rollback");
                answer_all(group, &error);
            }
        }
    }

    /// Fails when the engine undid the whole transaction, as it does when the disk is full.
    fn run_job(&mut self, job: &mut dyn Job, guard: Guard) -> Result<Trace> {
        if guard == Guard::Each {
            self.command("savepoint request")?;
        }
        let before = self.changes();
        self.tx.begin_request(job.usage());
        let verdict = job.run(&mut self.tx);
        if self.transaction_lost() {
            return Err(StoreError::unavailable("the database undid the transaction"));
        }
        let spoilt = verdict == Verdict::Undo && self.changes() != before;
        if guard == Guard::Whole {
            return Ok(if spoilt { Trace::Spoilt } else { Trace::Clean });
        }
        if spoilt {
            self.command("rollback to request")?;
        }
        self.command("release request")?;
        Ok(Trace::Clean)
    }

    /// A request failed after it had written, without a savepoint to go back to.
    fn undo(&mut self, group: Vec<Box<dyn Job>>) {
        match self.command("rollback") {
            Err(error) => answer_all(group, &error),
            Ok(()) if group.len() == 1 => group.into_iter().for_each(|job| job.answer(Fate::Settled)),
            Ok(()) => self.run_guarded(group, Guard::Each),
        }
    }

    /// One request took the group's transaction with it. It gets its own error; the others run again, each alone.
    fn start_over(&mut self, group: Vec<Box<dyn Job>>, culprit: usize, error: StoreError) {
        if !self.transaction_lost() {
            let _ = self.command("rollback");
        }
        for (index, job) in group.into_iter().enumerate() {
            if index == culprit {
                job.answer(Fate::Broken(error.clone()));
            } else {
                self.run_group(vec![job]);
            }
        }
    }

    /// How many rows this connection ever changed.
    fn changes(&mut self) -> u64 {
        self.connection().map_or(0, Connection::total_changes)
    }

    fn connection(&mut self) -> Option<&Connection> {
        match self.tx.link_mut() {
            Link::Sqlite(connection) => Some(connection),
            Link::Postgres(_) => None,
        }
    }

    fn transaction_lost(&mut self) -> bool {
        self.connection().is_none_or(|connection| connection.is_autocommit())
    }

    fn command(&mut self, text: &str) -> Result<()> {
        let Some(connection) = self.connection() else {
            return Err(StoreError::unavailable("the writer has no embedded database"));
        };
        Ok(connection.prepare_cached(text)?.raw_execute().map(|_| ())?)
    }
}

fn answer_all(group: Vec<Box<dyn Job>>, error: &StoreError) {
    for job in group {
        job.answer(Fate::Lost(error.clone()));
    }
}
