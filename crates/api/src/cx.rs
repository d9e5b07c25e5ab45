//! The context of a request: who asks, from where, and what the service offers to answer with.

use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

use domain::Timestamp;
use domain::key::{TokenKey, UserKey, revision};
use domain::scope::{Rights, has_word};

use crate::Result;
use crate::app::App;
use crate::auth::TokenContext;
use crate::error::ApiError;

/// Facts of the request that do not depend on who asks.
#[derive(Debug, Clone)]
pub struct RequestInfo {
    pub id: String,
    pub address: IpAddr,
    pub user_agent: Option<String>,
    /// The revision that the caller believes a record to have.
    pub if_match: Option<String>,
}

/// The user behind a checked token, as the database knows it right now.
#[derive(Debug, Clone)]
pub struct Caller {
    pub user_key: UserKey,
    pub username: String,
    /// The user's present scope text; of an API token the narrower one it was made with.
    pub scope: String,
    pub user_scope: String,
    pub rights: Rights,
    pub token_key: TokenKey,
    pub context: TokenContext,
    pub expires_at: Timestamp,
    /// Only closing a session lets an expired token in.
    pub expired: bool,
}

impl Caller {
    /// Whether a coarse scope stands in the user's scope and, for an API token, in the token's as well.
    pub fn has_coarse(&self, word: &str) -> bool {
        has_word(&self.scope, word) && has_word(&self.user_scope, word)
    }
}

/// The context of a public operation.
#[derive(Clone)]
pub struct Open {
    pub app: Arc<App>,
    pub request: Arc<RequestInfo>,
}

impl Deref for Open {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

impl Open {
    /// 412 when the caller named a revision and the record has another, or is not there.
    pub fn check_revision(&self, number: Option<i64>) -> Result<()> {
        let Some(wanted) = self.request.if_match.as_deref() else { return Ok(()) };
        let present = number.map(revision);
        let wanted = wanted.trim().trim_matches('"');
        let same = present.is_some_and(|present| wanted == "*" || wanted == present);
        if same { Ok(()) } else { Err(ApiError::precondition()) }
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

/// `Open` or `Cx`: which of the two a handler takes decides whether it is declared public or with a scope.
pub trait Context: Sized + Send + 'static {
    fn new(open: Open, caller: Option<Caller>) -> Option<Self>;
}

impl Context for Open {
    fn new(open: Open, _: Option<Caller>) -> Option<Self> {
        Some(open)
    }
}

impl Context for Cx {
    fn new(open: Open, caller: Option<Caller>) -> Option<Self> {
        caller.map(|caller| Cx { open, caller: Arc::new(caller) })
    }
}
