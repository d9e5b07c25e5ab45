//! The context of a request: the caller, where the request comes from, and what the service offers to answer with.

use std::ops::Deref;
use std::sync::Arc;

use axum::http::StatusCode;
use domain::key::{AuditKey, UserKey, revision};
use domain::scope::Rights;
use store::attachments::files::File;
use store::security::tokens;
use store::{Db, StoreError, Tx};
use tokio::runtime::Handle;

use crate::Result;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::idempotency::repetition;
use crate::memory::Share;
use crate::reply::Done;
use crate::request::RequestInfo;
use crate::trail::{NewEntry, Trail};

/// The context of a public operation. [`Cx`] derefs to it.
#[derive(Clone)]
pub struct PublicCx {
    pub app: Arc<App>,
    /// The database, within the request's share of the memory.
    pub db: Db,
    pub(crate) share: Arc<Share>,
    pub request: Arc<RequestInfo>,
    /// Only for operations that may change something.
    pub(crate) trail: Option<Arc<Trail>>,
    /// The caller, once known; checked again wherever something changes.
    pub(crate) caller: Option<Arc<Caller>>,
}

impl Deref for PublicCx {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

impl PublicCx {
    pub(crate) fn new(app: Arc<App>, request: Arc<RequestInfo>, trail: Option<Arc<Trail>>) -> Self {
        let (db, share) = share_of(&app, None);
        Self { app, db, share, request, trail, caller: None }
    }

    /// The context of this request once its caller is known.
    #[must_use]
    pub(crate) fn asked_by(self, caller: Caller) -> Self {
        let (db, share) = share_of(&self.app, Some(caller.user_key.clone()));
        Self { db, share, caller: Some(Arc::new(caller)), ..self }
    }

    /// Reads one snapshot, for short reads.
    pub async fn read<T, F>(&self, work: F) -> Result<T>
    where
        F: AsyncFnOnce(&mut Tx) -> Result<T>,
    {
        self.db.read(work).await
    }

    /// Reads one snapshot off the request threads, on either engine: for reads with much computation in between, which keep no
    /// rows from one statement to the next.
    pub async fn read_apart<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFnOnce(&mut Tx) -> Result<T> + Send + 'static,
    {
        let (db, runtime) = (self.db.in_passing(), Handle::current());
        let reading = tokio::task::spawn_blocking(move || runtime.block_on(db.read(work)));
        reading.await.unwrap_or_else(|_| Err(StoreError::Panicked.into()))
    }

    /// Checks the caller once more, before an answer that reveals something without changing anything.
    pub async fn still_stands(&self) -> Result<()> {
        match &self.caller {
            Some(caller) => self.guard.still_stands(caller).await,
            None => Ok(()),
        }
    }

    /// 412 if the caller sent a revision and the record has another one, or doesn't exist.
    pub fn check_revision(&self, number: Option<i64>) -> Result<()> {
        let Some(wanted) = self.request.if_match.as_deref() else { return Ok(()) };
        let present = number.map(revision);
        let wanted = wanted.trim().trim_matches('"');
        let same = present.is_some_and(|present| wanted == "*" || wanted == present);
        if same { Ok(()) } else { Err(ApiError::precondition()) }
    }

    /// Notes for the audit log that somebody signs in, under the name that was sent.
    pub fn signs_in(&self, username: &str) {
        if let Some(trail) = &self.trail {
            trail.signs_in(username);
        }
    }

    pub fn signed_in(&self, user: &UserKey) {
        if let Some(trail) = &self.trail {
            trail.signed_in(user);
        }
    }

    /// Notes a field of an upload, for the audit log and to tell one upload from another.
    pub(crate) fn trail_field(&self, name: &str, value: &str) {
        if let Some(trail) = &self.trail {
            trail.field(name, value);
        }
    }

    pub(crate) fn trail_file(&self, part: &str, file: &File) {
        if let Some(trail) = &self.trail {
            trail.file(part, &file.name, file.size, &file.sha256);
        }
    }

    /// Writes the audit log entry of a refused or failed request, in a transaction of its own.
    pub(crate) async fn note_failure(&self, trail: Arc<Trail>, status: StatusCode) -> Result<()> {
        let asking = self.clone();
        self.write("audit", async move |tx: &mut Tx| {
            let entry = NewEntry { key: AuditKey(asking.new_id()?), time: asking.now(), request: &asking.request };
            trail.fail(tx, entry, status.as_u16()).await
        })
        .await
    }

    /// The caller's rights; none if nobody is signed in.
    pub(crate) fn rights(&self) -> Rights {
        self.caller.as_ref().map(|caller| caller.rights).unwrap_or_default()
    }

    /// The earlier answer to this request, if it is repeated under its key. An upload has arrived completely by then.
    pub async fn answered_before(&self) -> Result<Option<(StatusCode, String)>> {
        let Some(claim) = self.trail.as_ref().and_then(|trail| trail.claim()) else { return Ok(None) };
        let now = self.now();
        let kept = self.db.glance(async |tx: &mut Tx| store::idempotency::find(tx, &claim, now).await).await?;
        if kept.is_some() {
            self.still_stands().await?;
        }
        kept.map(|kept| repetition(&claim, self.rights(), kept)).transpose()
    }

    /// Erases what was uploaded for a change that certainly did not happen just now.
    pub async fn settle<A>(&self, uploaded: &[String], done: &Result<Done<A>>) {
        let unused = match done {
            Ok(done) => done.is_repeated(),
            Err(error) => error.is_certain(),
        };
        if unused {
            for object in uploaded {
                self.discard(object).await;
            }
        }
    }

    /// Erases an uploaded object that no record will name; if that fails, it is swept later.
    pub async fn discard(&self, object: &str) {
        if let Err(error) = self.media.erase(object).await {
            tracing::warn!(error = store::describe(&error), "an unused upload was not erased");
        }
    }

    /// Erases objects that lost their record in the last commits; if that fails, it is retried later.
    pub async fn erase_gone(&self) {
        if let Err(error) = self.media.erase_gone(&self.db).await {
            tracing::warn!(error = store::describe(&error), "replaced files were not erased");
        }
    }
}

/// What a request may use.
fn share_of(app: &App, owner: Option<UserKey>) -> (Db, Arc<Share>) {
    let share = Arc::new(app.memory.share(owner));
    (app.db.within(share.clone()), share)
}

/// The context of an operation that needs a scope.
#[derive(Clone)]
pub struct Cx {
    public: PublicCx,
    pub caller: Arc<Caller>,
}

impl Deref for Cx {
    type Target = PublicCx;

    fn deref(&self) -> &PublicCx {
        &self.public
    }
}

impl Cx {
    /// Checks once more that the caller still has their earlier rights, as the transaction itself sees them. For changes
    /// that grant rights, after taking the lock that changes withdrawing rights also hold.
    pub async fn insist(&self, tx: &mut Tx) -> Result<()> {
        Ok(tokens::insist(tx, &self.caller.token_key, &self.caller.standing.user_scope()).await?)
    }
}

/// [`PublicCx`] or [`Cx`]: the one a handler takes decides whether it is declared public or with a scope.
pub trait Context: Sized + Send + 'static {
    fn new(public: PublicCx) -> Option<Self>;
}

impl Context for PublicCx {
    fn new(public: PublicCx) -> Option<Self> {
        Some(public)
    }
}

impl Context for Cx {
    fn new(public: PublicCx) -> Option<Self> {
        let caller = public.caller.clone()?;
        Some(Cx { public, caller })
    }
}
