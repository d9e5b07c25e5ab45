use domain::Quantity;
use domain::fault::Faults;
use domain::key::{DepartmentKey, UserKey};
use domain::password::TEMPORARY_SECONDS;
use domain::preferences;
use domain::user::tidy_username;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use store::organisation::accounts::{self, Account, HOME_SITE};
use store::{Lock, Tx};

use super::guard::{check_department, check_username, read_scope, taken, within_rights};
use super::wire::user_members;
use crate::Result;
use crate::auth::temporary_password;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Json, Name};
use crate::reply::{Done, Envelope, NoStore, envelope};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = user_members)]
pub(super) struct NewUser {
    /// Made by the server when left out.
    _key: Option<UserKey>,
    /// No blanks, nothing invisible; unique ignoring case, and told apart from all others by the eye.
    username: Name<64>,
    /// Coarse and fine-grained scopes, separated by blanks; may be empty.
    scope: String,
    #[schemars(length(max = 128))]
    name: Option<String>,
    #[schemars(length(max = 128))]
    surname: Option<String>,
    #[schemars(length(max = 254), regex(pattern = "^[^@]+@[^@]+$"))]
    email: Option<String>,
    #[schemars(length(min = 1, max = 64))]
    site_key: Option<String>,
    department_key: Option<DepartmentKey>,
    #[schemars(range(min = 0))]
    hourly_cost: Option<Quantity>,
    preferences: Option<Map<String, Value>>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Created {
    user_key: UserKey,
    /// Shown here and never again.
    temp_psw: String,
}

/// The address of a list, which a user's address must not hide.
const RESERVED: &str = "api-tokens";

pub(super) async fn create(cx: Cx, Json(body): Json<NewUser>) -> Result<Done<NoStore<Envelope<Created>>>> {
    let account = account(&cx, body)?;
    within_rights(&cx.caller, &account.scope)?;
    let password = temporary_password();
    let hash = cx.passwords.hash(cx.caller.user_key.as_str(), password.clone()).await?;
    let (asking, until) = (cx.clone(), cx.now().plus_seconds(TEMPORARY_SECONDS));
    let created = cx.change("create user", async move |tx: &mut Tx| {
        tx.lock(Lock::Users).await?;
        asking.insist(tx).await?;
        let mut faults = Faults::at("body");
        check_department(tx, account.department_key.as_ref(), &mut faults).await?;
        ApiError::check(faults)?;
        accounts::insert(tx, &account, &hash, Some(until)).await?;
        let detail = Created { user_key: account.key.clone(), temp_psw: password.clone() };
        Ok(NoStore(envelope("User created.", detail)?))
    });
    created.await.map_err(taken)
}

fn account(cx: &Cx, body: NewUser) -> Result<Account> {
    let mut faults = Faults::at("body");
    let username = tidy_username(&body.username.0);
    check_username(&username, &mut faults);
    let scope = read_scope(&body.scope, &mut faults);
    let mut stored = Map::new();
    if let Some(preferences) = &body.preferences {
        faults.within("preferences", |faults| stored = preferences::merge(&stored, preferences, faults));
    }
    if body._key.as_ref().is_some_and(|key| key.as_str() == RESERVED) {
        faults.within("_key", |faults| faults.add("value_error", "This key is reserved.", &json!(RESERVED)));
    }
    ApiError::check(faults)?;
    Ok(Account {
        key: body._key.map_or_else(|| cx.new_key().map(UserKey::trusted), Ok)?,
        rev: 1,
        username,
        scope,
        name: body.name,
        surname: body.surname,
        email: body.email,
        site_key: body.site_key.unwrap_or_else(|| HOME_SITE.to_owned()),
        department_key: body.department_key,
        hourly_cost: body.hourly_cost,
        preferences: stored,
        active: true,
        reset_password: true,
        trash: false,
        created_at: cx.now(),
        last_login: None,
        last_user_session: None,
    })
}
