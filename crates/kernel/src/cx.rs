//! The context of a request: who asks, from where, and what the service offers to answer with.

use std::ops::Deref;
use std::sync::Arc;

use axum::http::StatusCode;
use domain::key::{AuditKey, UserKey, revision};
use store::Tx;
use store::attachments::files::File;
use store::security::tokens;

use crate::Result;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::idempotency::repetition;
use crate::reply::Done;
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
    pub(crate) caller: Option<Arc<Caller>>,
}

impl Deref for Open {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

impl Open {
    pub(crate) fn new(app: Arc<App>, request: Arc<RequestInfo>, trail: Option<Arc<Trail>>) -> Self {
        Self { app, request, trail, caller: None }
    }

    /// The same once it is known who asks.
    #[must_use]
    pub(crate) fn asked_by(self, caller: Caller) -> Self {
        Self { caller: Some(Arc::new(caller)), ..self }
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
