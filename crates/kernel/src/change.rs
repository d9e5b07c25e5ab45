//! The one way of an operation to change something.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use domain::Timestamp;
use domain::key::AuditKey;
use futures_util::future::BoxFuture;
use store::idempotency::Claim;
use store::{Commit, Db, StoreError, Tx};

use crate::Result;
use crate::cx::Open;
use crate::error::ApiError;
use crate::idempotency;
use crate::reply::{Answer, Done};
use crate::trail::{Line, Trail};

/// A change that takes as long as this has its caller judged at its end, too.
const LONG: Duration = Duration::from_millis(250);
/// So often a change begins anew because its caller's rights have grown meanwhile.
const BEGINNINGS: usize = 5;

impl Open {
    /// Carries out what the operation changes: all of it or nothing, with its line in the audit log and, under an
    /// `Idempotency-Key`, with its answer. `work` may run more than once and changes nothing but `tx`. Whoever asks is judged
    /// again in the same transaction: a body may take minutes to arrive, and rights may end meanwhile.
    pub fn change<A, F>(&self, name: &'static str, work: F) -> impl Future<Output = Result<Done<A>>> + use<A, F>
    where
        A: Answer,
        F: AsyncFn(&mut Tx) -> Result<A> + Send + Sync + 'static,
    {
        // Nothing of it borrows from the request: only so does the compiler see that a handler can change threads. And it is
        // compiled anew for every handler: what needs neither type is in `Change`.
        let open = self.clone();
        async move {
            let work = Arc::new(work);
            for _ in 0..BEGINNINGS {
                let change = Arc::new(Change::new(&open, A::SECRET)?);
                let (changing, work) = (change.clone(), work.clone());
                let all = async move |tx: &mut Tx| {
                    let now = changing.open.now();
                    if let Some(repeated) = changing.begin(tx, now).await? {
                        return Ok(repeated);
                    }
                    let begun = Instant::now();
                    let answer = work(tx).await?;
                    changing.end(tx, now, begun, Box::new(answer)).await
                };
                let ended = change.db().write_as(name, change.commit(), all).await;
                if let Some(done) = change.conclude(ended).await? {
                    return done.of();
                }
            }
            Err(ApiError::unavailable())
        }
    }
}

/// A change under way: all that happens around a handler's own work.
struct Change {
    open: Open,
    trail: Arc<Trail>,
    claim: Option<Claim>,
}

/// What a handler answers, its type folded away.
trait Made: Send {
    fn body(&self, status: StatusCode) -> Result<String>;
    fn into_any(self: Box<Self>) -> Box<dyn Any + Send>;
}

impl<A: Answer> Made for A {
    fn body(&self, status: StatusCode) -> Result<String> {
        Answer::body(self, status)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any + Send> {
        self
    }
}

/// A transaction that is ready to be committed.
struct Ended {
    done: Done<Box<dyn Any + Send>>,
    objects_gone: bool,
}

impl Done<Box<dyn Any + Send>> {
    /// The same as what the handler answered.
    fn of<A: Answer>(self) -> Result<Done<A>> {
        self.try_map(|answer| match answer.downcast::<A>() {
            Ok(answer) => Ok(*answer),
            Err(_) => Err(ApiError::internal("the answer has another type than its handler's", None)),
        })
    }
}

impl Change {
    fn new(open: &Open, secret: bool) -> Result<Self> {
        let Some(trail) = open.trail.clone() else {
            return Err(ApiError::internal("an operation that only reads tried to change something", None));
        };
        let claim = if secret { None } else { trail.claim() };
        Ok(Self { open: open.clone(), trail, claim })
    }

    fn db(&self) -> &Db {
        if self.trail.urgent() && self.trail.commit() != Commit::Alone { &self.open.urgent } else { &self.open.db }
    }

    /// A key is claimed before the work, and what is refused afterwards has to be undone: nobody else should have to run again.
    fn commit(&self) -> Commit {
        match self.trail.commit() {
            Commit::Shared if self.claim.is_some() => Commit::Usual,
            commit => commit,
        }
    }

    /// What comes before the work; if the same was asked before, it is the answer of then.
    fn begin<'a>(&'a self, tx: &'a mut Tx, now: Timestamp) -> BoxFuture<'a, Result<Option<Ended>>> {
        Box::pin(async move {
            if let Some(caller) = &self.open.caller {
                self.open.guard.insist(tx, caller).await?;
            }
            let Some(claim) = &self.claim else { return Ok(None) };
            let before = idempotency::begin(tx, claim, now).await?;
            Ok(before.map(|(status, body)| Ended { done: Done::repeated(status, body), objects_gone: false }))
        })
    }

    /// What comes after it.
    fn end<'a>(
        &'a self,
        tx: &'a mut Tx,
        now: Timestamp,
        begun: Instant,
        answer: Box<dyn Made>,
    ) -> BoxFuture<'a, Result<Ended>> {
        Box::pin(async move {
            // Whoever waited for a lock, or had much to do, is judged once more; where nobody else can write meanwhile,
            // nothing can have changed.
            if let Some(caller) = &self.open.caller
                && !tx.is_sole_writer()
                && begun.elapsed() >= LONG
            {
                self.open.guard.insist(tx, caller).await?;
            }
            let body = match &self.claim {
                Some(_) => {
                    // The answer may show what is known only then.
                    tx.flush().await?;
                    Some(answer.body(self.trail.status())?)
                }
                None => None,
            };
            let line = Line { key: AuditKey(self.open.new_id()?), time: now, request: &self.open.request };
            self.trail.succeed(tx, line, self.claim.as_ref().zip(body.as_deref())).await?;
            let done = body.map_or_else(|| Done::fresh(answer.into_any()), Done::kept);
            Ok(Ended { done, objects_gone: tx.notes().objects_gone() })
        })
    }

    /// What follows the commit; nothing when the change has to begin anew.
    async fn conclude(&self, ended: Result<Ended>) -> Result<Option<Done<Box<dyn Any + Send>>>> {
        match (ended, &self.open.caller) {
            (Err(ApiError::Store(StoreError::Outdated)), Some(caller)) => {
                self.open.guard.judge_again(caller).await?;
                Ok(None)
            }
            (ended, _) => {
                let Ended { done, objects_gone } = ended?;
                if objects_gone {
                    self.open.erase_gone().await;
                }
                Ok(Some(done))
            }
        }
    }
}
