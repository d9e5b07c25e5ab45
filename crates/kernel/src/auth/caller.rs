//! The caller of a request, and the state of the database that the check of the token relied on.

use std::sync::Arc;

use domain::Timestamp;
use domain::key::{TokenKey, UserKey, UserSessionKey};
use domain::scope::{Rights, Scope, has_word};
use parking_lot::Mutex;

use super::token::TokenContext;

/// The user behind a checked token, as the database knows them right now.
#[derive(Debug, Clone)]
pub struct Caller {
    pub user_key: UserKey,
    pub username: String,
    /// The user's current scope text; for an API token, the narrower one it was made with.
    pub scope: String,
    pub user_scope: String,
    pub rights: Rights,
    pub token_key: TokenKey,
    /// The session that was opened with the token.
    pub session_key: Option<UserSessionKey>,
    pub context: TokenContext,
    pub expires_at: Timestamp,
    /// Only closing a session accepts an expired token.
    pub expired: bool,
    /// The scope the operation requires.
    pub required: Scope,
    /// The state of the database that the check relied on.
    pub(crate) standing: Standing,
}

impl Caller {
    /// Whether the user's scope contains this coarse scope and, for an API token, the token's scope as well.
    pub fn has_coarse(&self, word: &str) -> bool {
        has_word(&self.scope, word) && has_word(&self.user_scope, word)
    }
}

/// What a check of the token relied on; the check holds as long as neither has changed.
#[derive(Debug, Clone)]
pub struct Standing(Arc<Mutex<Ground>>);

#[derive(Debug)]
struct Ground {
    version: Option<u64>,
    user_scope: String,
}

impl Standing {
    pub(super) fn new(version: Option<u64>, user_scope: &str) -> Self {
        Self(Arc::new(Mutex::new(Ground { version, user_scope: user_scope.to_owned() })))
    }

    pub(super) fn set(&self, version: Option<u64>, user_scope: &str) {
        *self.0.lock() = Ground { version, user_scope: user_scope.to_owned() };
    }

    pub(super) fn version(&self) -> Option<u64> {
        self.0.lock().version
    }

    pub(crate) fn user_scope(&self) -> String {
        self.0.lock().user_scope.clone()
    }
}
