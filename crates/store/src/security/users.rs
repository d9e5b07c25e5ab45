use domain::Timestamp;
use domain::collection::Collection;
use domain::key::UserKey;
use domain::text::fold;
use domain::user::tidy_username;
use serde_json::{Map, Value as Json};

use crate::lock::Rows;
use crate::organisation::accounts::{self, Account, HOME_SITE};
use crate::postgres::Turn;
use crate::row::row_struct;
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

row_struct! {
    /// What a sign-in needs to know of a user.
    pub struct Credentials {
        pub key: UserKey,
        pub username: String,
        pub scope: String,
        pub name: Option<String>,
        pub surname: Option<String>,
        pub preferences: Map<String, Json>,
        pub password_hash: String,
        pub active: bool,
        pub reset_password: bool,
        /// Until when the password is good, if it is a temporary one.
        pub password_until: Option<Timestamp>,
    }
}

fn credentials() -> Query {
    Query::new(
        "select key, username, scope, name, surname, preferences, password_hash, active, reset_password, password_until
         from user_account",
    )
}

pub async fn by_username(tx: &mut Tx, username: &str) -> Result<Option<Credentials>> {
    let as_sent = fold(username);
    let found = credentials().filter("username_folded = {} and not trash", &as_sent).maybe(tx).await?;
    // Names are kept in their composed form; those of older users as they were sent then.
    let composed = fold(&tidy_username(username));
    if found.is_some() || composed == as_sent {
        return Ok(found);
    }
    credentials().filter("username_folded = {} and not trash", composed).maybe(tx).await
}

/// Not one in the trash.
pub async fn by_key(tx: &mut Tx, key: &UserKey) -> Result<Option<Credentials>> {
    credentials().filter("key = {} and not trash", key).maybe(tx).await
}

/// A user who is not in the trash, locked to the end of the transaction: sign-ins of one user happen one after the other.
pub async fn lock(tx: &mut Tx, key: &UserKey) -> Result<Option<Credentials>> {
    tx.take_turns_late([Turn::of_record("user_account", key.as_str())])?;
    credentials().filter("key = {} and not trash", key).locked(Rows::User).maybe(tx).await
}

#[derive(Debug, Clone)]
pub struct NewUser {
    pub key: UserKey,
    pub username: String,
    pub scope: String,
    pub password_hash: String,
    pub reset_password: bool,
    /// Until when the password is good, if it is a temporary one.
    pub password_until: Option<Timestamp>,
    pub created_at: Timestamp,
}

/// A taken username or key is a constraint error.
pub async fn insert(tx: &mut Tx, user: &NewUser) -> Result<()> {
    let account = Account {
        key: user.key.clone(),
        rev: 1,
        username: user.username.clone(),
        scope: user.scope.clone(),
        name: None,
        surname: None,
        email: None,
        site_key: HOME_SITE.to_owned(),
        department_key: None,
        hourly_cost: None,
        preferences: Map::new(),
        active: true,
        reset_password: user.reset_password,
        trash: false,
        created_at: user.created_at,
        last_login: None,
        last_user_session: None,
    };
    accounts::insert(tx, &account, &user.password_hash, user.password_until).await
}

/// Replaces the password; with a time it is a temporary one, and its owner has to choose another at the next sign-in.
pub async fn set_password(tx: &mut Tx, key: &UserKey, hash: &str, until: Option<Timestamp>) -> Result<()> {
    tx.changed(Collection::User, key);
    tx.run(
        sql!(
            "update user_account
             set password_hash = $2, reset_password = $3, password_until = $4, rev = rev + 1
             where key = $1"
        ),
        &params![key, hash, until.is_some(), until],
    )
    .await
    .map(|_| ())
}

/// Replaces the hash of a password that stays, made with today's parameters.
pub async fn set_hash(tx: &mut Tx, key: &UserKey, hash: &str) -> Result<()> {
    tx.changed(Collection::User, key);
    let sql = sql!("update user_account set password_hash = $2, rev = rev + 1 where key = $1");
    tx.run(sql, &params![key, hash]).await.map(|_| ())
}

pub async fn set_preferences(tx: &mut Tx, key: &UserKey, preferences: &Map<String, Json>) -> Result<()> {
    tx.changed(Collection::User, key);
    tx.run(sql!("update user_account set preferences = $2, rev = rev + 1 where key = $1"), &params![key, preferences])
        .await
        .map(|_| ())
}

row_struct! {
    /// A line of `tracewright user list`.
    pub struct UserLine {
        pub key: UserKey,
        pub username: String,
        pub scope: String,
        pub active: bool,
        pub last_login: Option<Timestamp>,
    }
}

pub async fn list(tx: &mut Tx) -> Result<Vec<UserLine>> {
    tx.all(
        sql!(
            "select key, username, scope, active, last_login
             from user_account
             where not trash
             order by username_folded, key"
        ),
        &[],
    )
    .await
}

pub async fn any(tx: &mut Tx) -> Result<bool> {
    let found: Option<i64> = tx.maybe(sql!("select cast(1 as {int}) from user_account limit 1"), &[]).await?;
    Ok(found.is_some())
}
