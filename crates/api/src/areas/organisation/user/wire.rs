use domain::collection::Collection;
use domain::key::{DepartmentKey, UserKey, UserSessionKey, record_id, revision};
use domain::{Quantity, Timestamp};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value};
use store::organisation::accounts::Shown;

use crate::areas::attachments::{address, user_folder};
use crate::auth::Caller;
use crate::input::{read_only, record_members};
use crate::scope;

/// The members of a user that are read-only.
pub(super) fn user_members(schema: &mut Schema) {
    let shown = ["created_at", "last_login", "last_user_session", "trash", "logged_in", "department", "image"];
    record_members(schema);
    read_only(schema, &shown);
}

/// A user in a list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UserSummary")]
pub(super) struct UserLine {
    _id: String,
    _key: UserKey,
    _rev: String,
    username: String,
    /// Coarse and fine-grained scopes, separated by spaces.
    scope: String,
    name: Option<String>,
    surname: Option<String>,
    email: Option<String>,
    site_key: String,
    department_key: Option<DepartmentKey>,
    department: Option<DepartmentName>,
    /// Null for callers without `org:user:write`.
    hourly_cost: Option<Quantity>,
    active: bool,
    created_at: Timestamp,
    last_login: Option<Timestamp>,
    /// Whether the user has an open session.
    logged_in: bool,
    /// Where the image is served.
    image: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct DepartmentName {
    _key: DepartmentKey,
    name: String,
    code: Option<String>,
}

/// A user with everything that is stored about them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "User")]
pub(super) struct UserRecord {
    #[serde(flatten)]
    line: UserLine,
    preferences: Map<String, Value>,
    /// Whether the user has to choose a new password at the next sign-in.
    reset_password: bool,
    last_user_session: Option<UserSessionKey>,
    trash: bool,
}

pub(super) fn line(user: Shown, caller: &Caller) -> UserLine {
    let Shown { account, image, department, logged_in } = user;
    let sees_cost = caller.rights.contains(scope!("org:user:write"));
    UserLine {
        _id: record_id(Collection::User, &account.key),
        _rev: revision(account.rev),
        image: image.map(|name| address(&user_folder(&account.key), &name)),
        _key: account.key,
        username: account.username,
        scope: account.scope,
        name: account.name,
        surname: account.surname,
        email: account.email,
        site_key: account.site_key,
        department_key: account.department_key,
        department: department.map(|(key, name, code)| DepartmentName { _key: key, name, code }),
        hourly_cost: account.hourly_cost.filter(|_| sees_cost),
        active: account.active,
        created_at: account.created_at,
        last_login: account.last_login,
        logged_in,
    }
}

pub(super) fn record(user: Shown, caller: &Caller) -> UserRecord {
    let account = &user.account;
    let (reset_password, trash) = (account.reset_password, account.trash);
    let last_user_session = account.last_user_session;
    let preferences = domain::preferences::shown(&account.preferences);
    UserRecord { line: line(user, caller), preferences, reset_password, last_user_session, trash }
}
