use domain::Quantity;
use domain::collection::Collection;
use domain::fault::Faults;
use domain::key::{DepartmentKey, UserKey};
use domain::preferences;
use domain::scope::tidy;
use domain::user::tidy_username;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use store::Tx;
use store::organisation::accounts::{self, Account};
use store::security::{sessions, tokens};

use super::UserKeyOnly;
use super::guard::{check_department, check_username, keep_an_admin, load, read_scope, taken, within_rights};
use super::wire::{UserRecord, record, user_members};
use crate::Result;
use crate::areas::paths::UserPath;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Change, Given, KeyedJson, Name, Path};
use crate::reply::{Done, Envelope, envelope};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = user_members)]
pub(super) struct UserChange {
    /// Must match the key in the address, if sent.
    _key: Option<UserKey>,
    #[serde(default)]
    #[schemars(extend("x-checked-as" = "username"))]
    username: Given<Name<64>>,
    #[serde(default)]
    #[schemars(extend("x-checked-as" = "scope"))]
    scope: Given<String>,
    #[serde(default)]
    #[schemars(length(max = 128))]
    name: Change<String>,
    #[serde(default)]
    #[schemars(length(max = 128))]
    surname: Change<String>,
    #[serde(default)]
    #[schemars(length(max = 254), regex(pattern = "^[^@]+@[^@]+$"))]
    email: Change<String>,
    #[serde(default)]
    #[schemars(length(min = 1, max = 64))]
    site_key: Given<String>,
    #[serde(default)]
    department_key: Change<DepartmentKey>,
    #[serde(default)]
    #[schemars(range(min = 0))]
    hourly_cost: Change<Quantity>,
    #[serde(default)]
    #[schemars(extend("x-checked-as" = "preferences"))]
    preferences: Given<Map<String, Value>>,
    #[serde(default)]
    active: Given<bool>,
    #[serde(default)]
    reset_password: Given<bool>,
}

pub(super) async fn change(
    cx: Cx,
    Path(path): Path<UserPath>,
    KeyedJson(body): KeyedJson<UserChange>,
) -> Result<Done<Envelope<UserRecord>>> {
    check(&body)?;
    let (asking, now) = (cx.clone(), cx.now());
    let changed = cx.change("change user", async move |tx: &mut Tx| {
        let before = load(tx, &asking, &path.user_key).await?;
        let mut account = before.clone();
        let mut faults = Faults::at("body");
        apply(body.clone(), &mut account, &mut faults);
        if account.department_key != before.department_key {
            check_department(tx, account.department_key.as_ref(), &mut faults).await?;
        }
        ApiError::check(faults)?;
        within_rights(&asking.caller, &account.scope)?;
        accounts::update(tx, &before, &account).await?;
        keep_an_admin(tx, &before).await?;
        if !account.active {
            sessions::close_all(tx, &account.key, None, now).await?;
            tokens::revoke_personal(tx, &account.key, None).await?;
        }
        let shown = accounts::find(tx, &account.key, now).await?;
        let shown = shown.ok_or_else(|| ApiError::missing(Collection::User))?;
        envelope("User changed.", record(shown, &asking.caller))
    });
    changed.await.map_err(taken)
}

/// Checks that need no stored user.
fn check(change: &UserChange) -> Result<()> {
    let mut faults = Faults::at("body");
    if let Some(Name(username)) = &change.username.0 {
        check_username(&tidy_username(username), &mut faults);
    }
    if let Some(scope) = &change.scope.0 {
        read_scope(scope, &mut faults);
    }
    if let Some(preferences) = &change.preferences.0 {
        faults.within("preferences", |faults| {
            preferences::merge(&Map::new(), preferences, faults);
        });
    }
    ApiError::check(faults)
}

fn apply(change: UserChange, account: &mut Account, faults: &mut Faults) {
    account.rev += 1;
    if let Some(Name(username)) = change.username.0 {
        account.username = tidy_username(&username);
    }
    if let Some(scope) = change.scope.0 {
        account.scope = tidy(&scope);
    }
    change.name.apply(&mut account.name);
    change.surname.apply(&mut account.surname);
    change.email.apply(&mut account.email);
    change.site_key.apply(&mut account.site_key);
    change.department_key.apply(&mut account.department_key);
    change.hourly_cost.apply(&mut account.hourly_cost);
    change.active.apply(&mut account.active);
    change.reset_password.apply(&mut account.reset_password);
    if let Some(preferences) = change.preferences.0 {
        faults.within("preferences", |faults| {
            account.preferences = preferences::merge(&account.preferences, &preferences, faults);
        });
    }
}

pub(super) async fn remove(cx: Cx, Path(path): Path<UserPath>) -> Result<Done<Envelope<UserKeyOnly>>> {
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("delete user", async move |tx: &mut Tx| {
        let before = load(tx, &asking, &path.user_key).await?;
        if before.key == asking.caller.user_key {
            return Err(ApiError::conflict("You can't delete your own account."));
        }
        let account = Account { rev: before.rev + 1, trash: true, active: false, ..before.clone() };
        accounts::update(tx, &before, &account).await?;
        keep_an_admin(tx, &before).await?;
        sessions::close_all(tx, &account.key, None, now).await?;
        tokens::revoke_all(tx, &account.key).await?;
        envelope("User deleted.", UserKeyOnly { user_key: account.key })
    })
    .await
}
