use domain::key::{UserKey, UserSessionKey};
use domain::scope::{Rights, Scope, has_word};

use crate::{Error, Result};

/// The user an event belongs to.
#[derive(Debug, Clone)]
pub struct Author {
    pub user_key: UserKey,
    /// The session of the caller's token.
    pub user_session_key: Option<UserSessionKey>,
    pub rights: Rights,
    /// Whether the scope names `admin`; to have all the rights that it stands for is not the same.
    pub admin: bool,
    /// Who sent the event on behalf of the user; `None` if the user sent it.
    pub sent_by: Option<UserKey>,
}

impl Author {
    pub fn new(user_key: UserKey, user_session_key: Option<UserSessionKey>, rights: Rights) -> Self {
        Self { user_key, user_session_key, rights, admin: false, sent_by: None }
    }

    /// The author of an event that this user sends on behalf of another. Both must have the rights an event needs.
    pub(super) fn in_the_name_of(&self, user: &UserKey, scope: &str) -> Self {
        let rights = self.rights.intersect(Rights::of(scope));
        let admin = self.admin && has_word(scope, "admin");
        Self { admin, sent_by: Some(self.user_key.clone()), ..Self::new(user.clone(), None, rights) }
    }

    pub fn may(&self, scope: Scope) -> bool {
        self.rights.contains(scope)
    }

    pub fn must_have(&self, scope: Scope) -> Result<()> {
        if self.may(scope) {
            return Ok(());
        }
        let whose =
            if self.sent_by.is_some() { " Both you and the user on whose behalf you send need it." } else { "" };
        Err(Error::scope(scope, format!("This needs the scope {}.{whose}", scope.name())))
    }
}

#[cfg(test)]
mod tests {
    use domain::ErrorData;

    use super::*;

    const JOBS: Scope = Scope::named("production:job:update");
    const ORDERS: Scope = Scope::named("production:work-order:update");

    fn author(name: &str, scope: &str) -> Author {
        Author::new(UserKey::trusted(name), None, Rights::of(scope))
    }

    #[test]
    fn a_lacking_right_is_named() {
        let operator = author("o", "operator");
        let Err(Error::Forbidden { message, data }) = operator.must_have(JOBS) else {
            panic!("an operator is refused")
        };
        assert_eq!(message, "This needs the scope production:job:update.");
        assert_eq!(*data, ErrorData::required_scope("production:job:update"));
        assert!(author("p", "production").must_have(JOBS).is_ok());
    }

    #[test]
    fn in_the_name_of_another_only_what_both_may() {
        let sender = author("s", "production:job:update production:work-order:update");
        let other = sender.in_the_name_of(&UserKey::trusted("u"), "production:job:update");
        assert!(other.may(JOBS) && !other.may(ORDERS));
        assert_eq!((other.user_key.as_str(), other.sent_by), ("u", Some(sender.user_key)));
        let weak = author("w", "operator").in_the_name_of(&UserKey::trusted("p"), "production");
        assert!(!weak.may(JOBS));
        let Err(Error::Forbidden { message, .. }) = weak.must_have(JOBS) else { panic!("the sender has no right") };
        assert!(message.ends_with("Both you and the user on whose behalf you send need it."));
    }

    #[test]
    fn an_admin_sends_as_one_only_for_another() {
        let admin = Author { admin: true, ..author("a", "admin") };
        let sent_for = |sender: &Author, scope: &str| sender.in_the_name_of(&UserKey::trusted("u"), scope).admin;
        assert!(sent_for(&admin, "viewer admin"));
        assert!(!sent_for(&admin, "operator") && !sent_for(&author("o", "operator"), "admin"));
        assert!(!sent_for(&admin, &Rights::of("admin").names().join(" ")), "the rights are not the word");
    }
}
