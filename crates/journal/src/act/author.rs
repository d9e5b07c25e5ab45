use domain::key::{UserKey, UserSessionKey};
use domain::scope::{Rights, Scope};

use crate::{Error, Result};

/// Who is behind an event.
#[derive(Debug, Clone)]
pub struct Author {
    pub user_key: UserKey,
    /// The session that the caller's token belongs to.
    pub user_session_key: Option<UserSessionKey>,
    pub rights: Rights,
    /// Who sends it in the name of the user; nobody when it is the user.
    pub sent_by: Option<UserKey>,
}

impl Author {
    pub fn new(user_key: UserKey, user_session_key: Option<UserSessionKey>, rights: Rights) -> Self {
        Self { user_key, user_session_key, rights, sent_by: None }
    }

    /// Another user, in whose name this one sends. What an event needs by right both must have.
    pub(super) fn in_the_name_of(&self, user: &UserKey, rights: Rights) -> Self {
        let rights = self.rights.intersect(rights);
        Self { sent_by: Some(self.user_key.clone()), ..Self::new(user.clone(), None, rights) }
    }

    pub fn may(&self, scope: Scope) -> bool {
        self.rights.contains(scope)
    }

    pub fn must_have(&self, scope: Scope) -> Result<()> {
        if self.may(scope) {
            return Ok(());
        }
        Err(Error::scope(scope, format!("This needs the scope {}.", scope.name())))
    }
}
