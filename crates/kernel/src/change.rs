//! The only way for an operation to change something.

use std::any::Any;
use std::sync::Arc;

use axum::http::StatusCode;
use domain::Timestamp;
use domain::key::AuditKey;
use futures_util::future::BoxFuture;
use store::idempotency::Claim;
use store::{Commit, Db, StoreError, Tx};

use crate::Result;
use crate::cx::PublicCx;
use crate::error::ApiError;
use crate::idempotency;
use crate::reply::{Answer, Done};
use crate::trail::{NewEntry, Trail};

/// How often a change starts over because rights that it relies on have changed in the meantime.
const BEGINNINGS: usize = 5;

impl PublicCx {
    /// Runs the operation's change: all of it or nothing, together with its audit log entry and, under an `Idempotency-Key`,
    /// its answer. `work` may run more than once and must change nothing but `tx`. The caller is checked again in the same
    /// transaction: a body may take minutes to arrive, and rights may be withdrawn in the meantime.
    pub fn change<A, F>(&self, name: &'static str, work: F) -> impl Future<Output = Result<Done<A>>> + use<A, F>
    where
        A: Answer,
        F: AsyncFn(&mut Tx) -> Result<A> + Send + Sync + 'static,
    {
        // Nothing here borrows from the request: only then can the compiler see that a handler's future is `Send`. This
        // function is compiled again for every handler, so whatever needs neither type is in `Change`.
        let cx = self.clone();
        async move {
            let work = Arc::new(work);
            for _ in 0..BEGINNINGS {
                let change = Arc::new(Change::new(&cx, A::SECRET)?);
                let (changing, work) = (change.clone(), work.clone());
                let all = async move |tx: &mut Tx| {
                    let now = changing.cx.now();
                    if let Some(repeated) = changing.begin(tx, now).await? {
                        return Ok(repeated);
                    }
                    let answer = work(tx).await?;
                    changing.end(tx, now, Box::new(answer)).await
                };
                let ended = change.db().write_as(name, change.commit(), all).await;
                if let Some(done) = change.conclude(ended).await? {
                    return done.of();
                }
            }
            tracing::warn!(name, "rights changed each time that a change was tried");
            Err(ApiError::rights_keep_changing())
        }
    }
}

/// A change in progress: everything around a handler's own work.
struct Change {
    cx: PublicCx,
    trail: Arc<Trail>,
    claim: Option<Claim>,
}

/// A handler's answer, with its type erased.
trait ErasedAnswer: Send {
    fn body(&self, status: StatusCode) -> Result<String>;
    fn into_any(self: Box<Self>) -> Box<dyn Any + Send>;
}

impl<A: Answer> ErasedAnswer for A {
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
    /// Restores the type of the handler's answer.
    fn of<A: Answer>(self) -> Result<Done<A>> {
        self.try_map(|answer| match answer.downcast::<A>() {
            Ok(answer) => Ok(*answer),
            Err(_) => Err(ApiError::internal("the answer has another type than its handler's", None)),
        })
    }
}

impl Change {
    fn new(cx: &PublicCx, secret: bool) -> Result<Self> {
        let Some(trail) = cx.trail.clone() else {
            return Err(ApiError::internal("an operation that only reads tried to change something", None));
        };
        let claim = if secret { None } else { trail.claim() };
        Ok(Self { cx: cx.clone(), trail, claim })
    }

    fn db(&self) -> &Db {
        if self.trail.urgent() && self.trail.commit() != Commit::Alone { &self.cx.urgent } else { &self.cx.db }
    }

    /// A key is claimed before the work, and what is refused afterwards has to be undone: nobody else should have to run again. Nor
    /// should anybody wait for a large body.
    fn commit(&self) -> Commit {
        match self.trail.commit() {
            Commit::Shared if self.claim.is_some() || self.trail.is_large() => Commit::Usual,
            commit => commit,
        }
    }

    /// Runs before the work. If the same request was answered before, returns that answer.
    fn begin<'a>(&'a self, tx: &'a mut Tx, now: Timestamp) -> BoxFuture<'a, Result<Option<Ended>>> {
        Box::pin(async move {
            // Events that share a transaction are checked at its end, and before they are told why they were refused.
            if let Some(caller) = &self.cx.caller
                && (tx.is_sole_writer() || self.commit() != Commit::Shared)
            {
                self.cx.guard.insist(tx, caller).await?;
            }
            let Some(claim) = &self.claim else { return Ok(None) };
            let before = idempotency::begin(tx, claim, self.cx.rights(), now).await?;
            Ok(before.map(|(status, body)| Ended { done: Done::repeated(status, body), objects_gone: false }))
        })
    }

    /// Runs after the work.
    fn end<'a>(
        &'a self,
        tx: &'a mut Tx,
        now: Timestamp,
        answer: Box<dyn ErasedAnswer>,
    ) -> BoxFuture<'a, Result<Ended>> {
        Box::pin(async move {
            // Where nobody else can write in the meantime, nothing can have changed.
            if let Some(caller) = &self.cx.caller
                && !tx.is_sole_writer()
            {
                self.cx.guard.insist_to_the_end(tx, caller).await?;
            }
            let body = match &self.claim {
                Some(_) => {
                    // The answer may show values that are known only now.
                    tx.flush().await?;
                    Some(answer.body(self.trail.status())?)
                }
                None => None,
            };
            let entry = NewEntry { key: AuditKey(self.cx.new_id()?), time: now, request: &self.cx.request };
            self.trail.succeed(tx, entry, self.claim.as_ref().zip(body.as_deref())).await?;
            let done = body.map_or_else(|| Done::fresh(answer.into_any()), Done::kept);
            Ok(Ended { done, objects_gone: tx.notes().objects_gone() })
        })
    }

    /// Runs after the commit. Returns nothing if the change has to start over.
    async fn conclude(&self, ended: Result<Ended>) -> Result<Option<Done<Box<dyn Any + Send>>>> {
        match (ended, &self.cx.caller) {
            (Err(ApiError::Store(StoreError::Outdated)), Some(caller)) => {
                self.cx.guard.judge_again(caller).await?;
                Ok(None)
            }
            (Err(refused), Some(caller))
                if !matches!(refused, ApiError::Store(_)) && self.commit() == Commit::Shared =>
            {
                self.cx.guard.still_stands(caller).await?;
                Err(refused)
            }
            (ended, _) => {
                let Ended { done, objects_gone } = ended?;
                if objects_gone {
                    self.cx.erase_gone().await;
                }
                Ok(Some(done))
            }
        }
    }
}
