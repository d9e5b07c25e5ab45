//! Who may change whom: nobody can exceed their own rights, and there is always an administrator.

use domain::collection::Collection;
use domain::fault::Faults;
use domain::key::{DepartmentKey, UserKey};
use domain::scope::{Rights, has_word, tidy, unknown_words};
use serde_json::json;
use store::organisation::accounts::{self, Account};
use store::organisation::departments;
use store::{Constraint, Lock, Tx};

use crate::Result;
use crate::auth::Caller;
use crate::cx::Cx;
use crate::error::ApiError;

/// The user to be changed, locked, if the caller may change them.
pub(super) async fn load(tx: &mut Tx, cx: &Cx, key: &UserKey) -> Result<Account> {
    tx.lock(Lock::Users).await?;
    // The previous holder of the lock may have withdrawn rights from the caller.
    cx.insist(tx).await?;
    let account = accounts::lock(tx, key).await?.ok_or_else(|| ApiError::missing(Collection::User))?;
    within_rights(&cx.caller, &account.scope)?;
    cx.check_revision(Some(account.rev))?;
    Ok(account)
}

/// 403 for a scope that includes more than the caller has.
pub(super) fn within_rights(caller: &Caller, scope: &str) -> Result<()> {
    if Rights::of(scope).within(caller.rights) {
        return Ok(());
    }
    Err(ApiError::forbidden("This user has, or would get, rights beyond your own."))
}

/// Fails if no active administrator is left. Called after a user who was one has been written.
pub(super) async fn keep_an_admin(tx: &mut Tx, before: &Account) -> Result<()> {
    let was_admin = before.active && has_word(&before.scope, "admin");
    if was_admin && accounts::active_admins(tx).await? == 0 {
        return Err(ApiError::conflict("This is the last active user with the scope admin."));
    }
    Ok(())
}

/// Words separated by single spaces; a word that is not a scope is a fault.
pub(super) fn read_scope(text: &str, faults: &mut Faults) -> String {
    for word in unknown_words(text) {
        faults.within("scope", |faults| faults.add("value_error", "Is not a scope.", &json!(word)));
    }
    tidy(text)
}

pub(super) fn check_username(username: &str, faults: &mut Faults) {
    if let Some(why) = domain::user::username_objection(username) {
        faults.within("username", |faults| faults.add("value_error", why, &json!(username)));
    }
}

pub(super) async fn check_department(tx: &mut Tx, key: Option<&DepartmentKey>, faults: &mut Faults) -> Result<()> {
    let Some(key) = key else { return Ok(()) };
    if departments::lock(tx, key).await?.is_none() {
        faults.within("department_key", |faults| faults.add("value_error", "No such department.", &json!(key)));
    }
    Ok(())
}

/// Turns a taken username or key into a conflict.
pub(super) fn taken(error: ApiError) -> ApiError {
    match error.constraint() {
        Some(Constraint::UsernameTaken) => ApiError::conflict("The username is taken."),
        Some(Constraint::UsernameAlike) => ApiError::conflict("The username looks like that of another user."),
        _ => error.or_key_taken(),
    }
}
