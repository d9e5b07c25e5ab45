//! The context of a request: who asks, from where, and what the service offers to answer with.

use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use domain::key::{AuditKey, UserKey, revision};
use store::attachments::files::File;
use store::security::tokens;
use store::{StoreError, Tx};

use crate::Result;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::idempotency::{self, repetition};
use crate::reply::{Answer, Done};
use crate::request::RequestInfo;
use crate::trail::{Line, Trail};

/// The context of a public operation.
#[derive(Clone)]
pub struct Open {
    pub app: Arc<App>,
    pub request: Arc<RequestInfo>,
    /// Of an operation that may change something.
    pub(crate) trail: Option<Arc<Trail>>,
    /// Who asks, once that is known; judged again wherever something changes.
    caller: Option<Arc<Caller>>,
}

impl Deref for Open {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

/// A change that takes as long as this has its caller judged at its end, too.
const LONG: Duration = Duration::from_millis(250);
/// So often a change begins anew because its caller's rights have grown meanwhile.
const BEGINNINGS: usize = 5;

impl Open {
    pub(crate) fn new(app: Arc<App>, request: Arc<RequestInfo>, trail: Option<Arc<Trail>>) -> Self {
        Self { app, request, trail, caller: None }
    }

    /// The same once it is known who asks.
    #[must_use]
    pub(crate) fn asked_by(self, caller: Option<Caller>) -> Self {
        Self { caller: caller.map(Arc::new), ..self }
    }

    /// Who asks, as long as that is only believed.
    pub(crate) fn believed(&self) -> Option<&Caller> {
        self.caller.as_deref().filter(|caller| caller.standing.is_believed())
    }

    /// Who asks, if that is known.
    pub(crate) fn user_key(&self) -> Option<&UserKey> {
        self.caller.as_ref().map(|caller| &caller.user_key)
    }

    /// Judges who asks once more, before something is told that is no change.
    pub async fn still_stands(&self) -> Result<()> {
        match &self.caller {
            Some(caller) => self.guard.still_stands(caller).await,
            None => Ok(()),
        }
    }

    /// 412 when the caller named a revision and the record has another, or is not there.
    pub fn check_revision(&self, number: Option<i64>) -> Result<()> {
        let Some(wanted) = self.request.if_match.as_deref() else { return Ok(()) };
        let present = number.map(revision);
        let wanted = wanted.trim().trim_matches('"');
        let same = present.is_some_and(|present| wanted == "*" || wanted == present);
        if same { Ok(()) } else { Err(ApiError::precondition()) }
    }

    /// Somebody signs in: the audit log notes the name as it was sent, and whose it turns out to be.
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

    /// A field and a file of an upload, for the audit log and for telling one upload from another.
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

    /// Leaves the line of what was refused or failed, in a transaction of its own.
    pub(crate) async fn note_failure(&self, trail: Arc<Trail>, status: StatusCode) -> Result<()> {
        let asking = self.clone();
        self.write("audit", async move |tx: &mut Tx| {
            let line = Line { key: AuditKey(asking.new_id()?), time: asking.now(), request: &asking.request };
            trail.fail(tx, line, status.as_u16()).await
        })
        .await
    }

    /// The answer that was given to this request before, if it comes again under its key. An upload has arrived by then.
    pub async fn answered_before(&self) -> Result<Option<(StatusCode, String)>> {
        let Some(claim) = self.trail.as_ref().and_then(|trail| trail.claim()) else { return Ok(None) };
        let now = self.now();
        let kept = self.db.glance(async |tx: &mut Tx| store::idempotency::find(tx, &claim, now).await).await?;
        if kept.is_some() {
            self.still_stands().await?;
        }
        kept.map(|kept| repetition(&claim, kept)).transpose()
    }

    /// Carries out what the operation changes: all of it or nothing, with its line in the audit log and, under an
    /// `Idempotency-Key`, with its answer. `work` may run more than once and changes nothing but `tx`. Whoever asks is judged
    /// again in the same transaction: a body may take minutes to arrive, and rights may end meanwhile.
    pub fn change<A, F>(&self, name: &'static str, work: F) -> impl Future<Output = Result<Done<A>>> + use<A, F>
    where
        A: Answer,
        F: AsyncFn(&mut Tx) -> Result<A> + Send + Sync + 'static,
    {
        // Nothing of it borrows from the request: only so does the compiler see that a handler can change threads.
        let open = self.clone();
        async move {
            let Some(trail) = open.trail.clone() else {
                return Err(ApiError::internal("an operation that only reads tried to change something", None));
            };
            let work = Arc::new(work);
            for _ in 0..BEGINNINGS {
                let (writing, trail, work) = (open.clone(), trail.clone(), work.clone());
                let claim = if A::SECRET { None } else { trail.claim() };
                let (alone, urgent) = (trail.alone(), trail.urgent());
                let all = async move |tx: &mut Tx| {
                    let now = writing.now();
                    if let Some(caller) = &writing.caller {
                        writing.guard.insist(tx, caller).await?;
                    }
                    if let Some(claim) = &claim
                        && let Some((status, body)) = idempotency::begin(tx, claim, now).await?
                    {
                        return Ok((Done::repeated(status, body), false));
                    }
                    let begun = Instant::now();
                    let answer = work(tx).await?;
                    // Whoever waited for a lock, or had much to do, is judged once more; where nobody else can write
                    // meanwhile, nothing can have changed.
                    if let Some(caller) = &writing.caller
                        && !tx.is_sole_writer()
                        && begun.elapsed() >= LONG
                    {
                        writing.guard.insist(tx, caller).await?;
                    }
                    let body = match &claim {
                        Some(_) => {
                            // The answer may show what is known only then.
                            tx.flush().await?;
                            Some(answer.body(trail.status())?)
                        }
                        None => None,
                    };
                    let line = Line { key: AuditKey(writing.new_id()?), time: now, request: &writing.request };
                    trail.succeed(tx, line, claim.as_ref().zip(body.as_deref())).await?;
                    let done = body.map_or_else(|| Done::fresh(answer), Done::kept);
                    Ok((done, tx.notes().objects_gone()))
                };
                let done = match (alone, urgent) {
                    (true, _) => open.app.write_alone(name, all).await,
                    (false, true) => open.app.urgent.write(name, all).await,
                    (false, false) => open.app.write(name, all).await,
                };
                match (done, &open.caller) {
                    // What it was judged by was of a moment ago: the whole request begins anew.
                    (Err(ApiError::Store(StoreError::Outdated)), Some(caller)) if !caller.standing.is_believed() => {
                        open.guard.judge_again(caller).await?;
                    }
                    (done, caller) => {
                        let (done, objects_gone) = done?;
                        caller.iter().for_each(|caller| caller.standing.confirm());
                        if objects_gone {
                            open.erase_gone().await;
                        }
                        return Ok(done);
                    }
                }
            }
            Err(ApiError::unavailable())
        }
    }

    /// Erases what was uploaded for a change that certainly did not happen now.
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

    /// Erases an uploaded object that no record will name; a leftover is swept later.
    pub async fn discard(&self, object: &str) {
        if let Err(error) = self.media.erase(object).await {
            tracing::warn!(error = store::describe(&error), "an unused upload was not erased");
        }
    }

    /// Erases what the last commits let go; what fails is made up for later.
    pub async fn erase_gone(&self) {
        if let Err(error) = self.media.erase_gone(&self.db).await {
            tracing::warn!(error = store::describe(&error), "replaced files were not erased");
        }
    }
}

/// The context of an operation that needs a scope.
#[derive(Clone)]
pub struct Cx {
    open: Open,
    pub caller: Arc<Caller>,
}

impl Deref for Cx {
    type Target = Open;

    fn deref(&self) -> &Open {
        &self.open
    }
}

impl Cx {
    /// Insists once more that the caller still has the rights of before, by what the transaction itself sees: for changes that
    /// give rights, after the lock that whoever takes rights away holds too.
    pub async fn insist(&self, tx: &mut Tx) -> Result<()> {
        Ok(tokens::insist(tx, &self.caller.token_key, &self.caller.standing.user_scope()).await?)
    }
}

/// `Open` or `Cx`: which of the two a handler takes decides whether it is declared public or with a scope.
pub trait Context: Sized + Send + 'static {
    fn new(open: Open) -> Option<Self>;
}

impl Context for Open {
    fn new(open: Open) -> Option<Self> {
        Some(open)
    }
}

impl Context for Cx {
    fn new(open: Open) -> Option<Self> {
        let caller = open.caller.clone()?;
        Some(Cx { open, caller })
    }
}
