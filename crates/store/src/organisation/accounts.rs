use std::collections::HashSet;

use domain::collection::Collection;
use domain::key::{DepartmentKey, UserKey, UserSessionKey};
use domain::look::skeleton;
use domain::search::Pattern;
use domain::text::fold;
use domain::{Quantity, Timestamp};
use serde_json::{Map, Value as Json};

use crate::columns::{self, Record, record};
use crate::lock::{Lock, Rows};
use crate::row::{FromRow, Row, row_struct};
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Constraint, Result, StoreError, params};

/// The site that users belong to unless told otherwise.
pub const HOME_SITE: &str = "0";

record! {
    /// A user as it is stored, without the password.
    pub struct Account in user_account {
        pub key: UserKey,
        pub rev: i64,
        pub username: String,
        pub scope: String,
        pub name: Option<String>,
        pub surname: Option<String>,
        pub email: Option<String>,
        pub site_key: String,
        pub department_key: Option<DepartmentKey>,
        pub hourly_cost: Option<Quantity>,
        pub preferences: Map<String, Json>,
        pub active: bool,
        pub reset_password: bool,
        pub trash: bool,
        pub created_at: Timestamp,
        pub last_login: Option<Timestamp>,
        pub last_user_session: Option<UserSessionKey>,
    }
    derived {
        username_folded: String = |account| fold(&account.username);
        name_folded: String = |account| folded(&account.name);
        surname_folded: String = |account| folded(&account.surname);
        email_folded: String = |account| folded(&account.email);
        skeleton: String = |account| skeleton(&account.username);
    }
    kept { created_at, last_login, last_user_session, skeleton }
}

fn folded(text: &Option<String>) -> String {
    fold(text.as_deref().unwrap_or(""))
}

/// A user with what other records say of it.
#[derive(Debug, Clone)]
pub struct Shown {
    pub account: Account,
    /// The name of the image among the user's files.
    pub image: Option<String>,
    /// Key, name and code.
    pub department: Option<(DepartmentKey, String, Option<String>)>,
    pub logged_in: bool,
}

impl FromRow for Shown {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let account = Account::from_row(row)?;
        let image = row.column()?;
        let department: (Option<DepartmentKey>, Option<String>, Option<String>) =
            (row.column()?, row.column()?, row.column()?);
        let department = match department {
            (Some(key), Some(name), code) => Some((key, name, code)),
            _ => None,
        };
        Ok(Self { account, image, department, logged_in: row.column()? })
    }
}

/// The present moment decides who is signed in.
fn shown(now: Timestamp) -> Query {
    Query::new(&format!(
        "select {}, file.name, department.key, department.name, department.code, coalesce(signed_in.present, false)
         from user_account
         left join department on department.key = user_account.department_key
         left join file on file.bucket = 'user' and file.object_key = user_account.key and file.subfolder = ''
              and file.name = user_account.image",
        Account::list()
    ))
    .join(
        "left join (
             select distinct user_session.user_key, true as present
             from user_session
             join token on token.key = user_session.token_key
             where user_session.active and not token.revoked and token.expires_at > {}
         ) as signed_in on signed_in.user_key = user_account.key",
        now,
    )
}

/// Also from the trash.
pub async fn find(tx: &mut Tx, key: &UserKey, now: Timestamp) -> Result<Option<Shown>> {
    shown(now).filter("user_account.key = {}", key).maybe(tx).await
}

#[derive(Debug, Default)]
pub struct Wanted {
    pub active_only: bool,
    pub search: Option<Pattern>,
    pub department: Option<DepartmentKey>,
    /// One word of the user's scope.
    pub scope: Option<String>,
}

/// By surname and name; the trash is never listed.
pub async fn list(tx: &mut Tx, wanted: &Wanted, now: Timestamp, page: &Page) -> Result<Paged<Shown>> {
    let searched = wanted.search.clone().map(Value::Pattern);
    shown(now)
        .filter("user_account.trash = {}", false)
        .filter_if("user_account.active = {}", wanted.active_only.then_some(true))
        .filter_if(
            "({matches user_account username_folded {}} or {matches user_account name_folded {}}
              or {matches user_account surname_folded {}} or {matches user_account email_folded {}})",
            searched,
        )
        .filter_if("user_account.department_key = {}", wanted.department.as_ref())
        .filter_if(WITH_WORD, wanted.scope.as_ref().map(|word| format!("% {word} %")))
        .page(tx, BY_NAME, page)
        .await
}

/// Empty names last.
const BY_NAME: &str =
    "user_account.surname_folded = '', user_account.surname_folded, coalesce(user_account.surname, ''),
    user_account.name_folded = '', user_account.name_folded, coalesce(user_account.name, ''), user_account.key";

/// The words of a stored scope are separated by one blank, and hold no character that LIKE knows.
const WITH_WORD: &str = "' ' || user_account.scope || ' ' like {}";

row_struct! {
    /// A user as others see it.
    pub struct Named {
        pub key: UserKey,
        pub username: String,
        pub name: Option<String>,
        pub surname: Option<String>,
    }
}

/// Those who have a word in their scope, by surname and name; the trash is never listed.
pub async fn with_scope(tx: &mut Tx, word: &str) -> Result<Vec<Named>> {
    Query::new("select key, username, name, surname from user_account")
        .only("not trash")
        .filter(WITH_WORD, format!("% {word} %"))
        .all(tx, BY_NAME)
        .await
}

/// Not one in the trash; locked to the end of the transaction.
pub async fn lock(tx: &mut Tx, key: &UserKey) -> Result<Option<Account>> {
    Account::select().filter("key = {} and not trash", key).locked(Rows::User).maybe(tx).await
}

/// Holds a user to the end of the transaction, so that what a user is busy with is asked by one at a time.
pub async fn hold(tx: &mut Tx, key: &UserKey) -> Result<()> {
    tx.all::<UserKey>(sql!("select key from user_account where key = $1 {lock}").locked(Rows::User), &params![key])
        .await
        .map(|_| ())
}

/// The scope of a user who is not in the trash, and whether the user is active.
pub async fn standing(tx: &mut Tx, key: &UserKey) -> Result<Option<(String, bool)>> {
    tx.maybe(sql!("select scope, active from user_account where key = $1 and not trash"), &params![key]).await
}

/// What an hour of a user costs, if that is known, and the entry of the configuration that says what it costs otherwise.
pub async fn hourly_cost(tx: &mut Tx, key: &UserKey, otherwise: &str) -> Result<(Option<Quantity>, Option<Json>)> {
    let sql =
        sql!("select (select hourly_cost from user_account where key = $1), (select value from config where key = $2)");
    tx.one(sql, &params![key, otherwise]).await
}

/// Which of these users there are; not those in the trash.
pub async fn live(tx: &mut Tx, keys: &[String]) -> Result<HashSet<UserKey>> {
    let sql = sql!("select key from user_account where key {in $1} and not trash");
    Ok(tx.all::<UserKey>(sql, &params![keys.to_vec()]).await?.into_iter().collect())
}

/// What these users are called, also those in the trash.
pub async fn usernames(tx: &mut Tx, keys: &[String]) -> Result<Vec<(UserKey, String)>> {
    tx.all(sql!("select key, username from user_account where key {in $1}"), &params![keys.to_vec()]).await
}

/// These users by name, also those in the trash.
pub async fn named(tx: &mut Tx, keys: &[String]) -> Result<Vec<Named>> {
    let sql = sql!("select key, username, name, surname from user_account where key {in $1}");
    tx.all(sql, &params![keys.to_vec()]).await
}

/// How many active users have the word `admin` in their scope.
pub async fn active_admins(tx: &mut Tx) -> Result<i64> {
    tx.one(
        sql!("select count(*) from user_account where active and not trash and ' ' || scope || ' ' like '% admin %'"),
        &[],
    )
    .await
}

/// A taken key or username is a constraint error.
pub async fn insert(
    tx: &mut Tx,
    account: &Account,
    password_hash: &str,
    password_until: Option<Timestamp>,
) -> Result<()> {
    refuse_taken(tx, account).await?;
    tx.changed(Collection::User, &account.key);
    let password = [("password_hash", password_hash.into()), ("password_until", password_until.into())];
    columns::insert_with(tx, account, &password).await
}

/// A name that is taken also looks like another: which of the two the database would name is up to the engine.
async fn refuse_taken(tx: &mut Tx, account: &Account) -> Result<()> {
    if account.trash {
        return Ok(());
    }
    let sql = sql!(
        "select cast(1 as {int}) from user_account
         where username_folded = $1 and key <> $2 and not trash"
    );
    match tx.maybe::<i64>(sql, &params![fold(&account.username), &account.key]).await? {
        Some(_) => Err(StoreError::Constraint(Constraint::UsernameTaken)),
        None => Ok(()),
    }
}

/// The record as a whole, without the password, instead of what it was before; the caller raises its revision.
pub async fn update(tx: &mut Tx, before: &Account, account: &Account) -> Result<()> {
    refuse_taken(tx, account).await?;
    tx.changed(Collection::User, &account.key);
    let rights = |account: &Account| (account.scope.clone(), account.active, account.trash);
    if rights(account) != rights(before) {
        tx.change_rights_of(&account.key);
    }
    let sql = sql!("update user_account set skeleton = $3 where key = $1 and username <> $2");
    tx.run(sql, &params![&account.key, &account.username, skeleton(&account.username)]).await?;
    columns::update(tx, account).await
}

/// Two users whose names nobody can tell apart.
#[derive(Debug)]
pub struct LookAlikes {
    pub older: UserKey,
    pub newer: UserKey,
}

/// Gives users whose skeleton is not kept theirs, the oldest first. One that looks like another stays without, and is told of.
pub async fn fill_skeletons(tx: &mut Tx) -> Result<Vec<LookAlikes>> {
    tx.lock(Lock::Users).await?;
    let without: Vec<(UserKey, String)> = tx
        .all(
            sql!("select key, username from user_account where skeleton = '' and not trash order by created_at, key"),
            &[],
        )
        .await?;
    let mut alike = Vec::new();
    for (key, username) in without {
        let skeleton = skeleton(&username);
        let sql = sql!("select key from user_account where skeleton = $1 and skeleton <> '' and not trash");
        if let Some(older) = tx.maybe::<UserKey>(sql, &params![&skeleton]).await? {
            alike.push(LookAlikes { older, newer: key });
            continue;
        }
        tx.run(sql!("update user_account set skeleton = $2 where key = $1"), &params![&key, &skeleton]).await?;
    }
    Ok(alike)
}

/// Whether there are users whose skeleton is not kept.
pub async fn any_without_skeleton(tx: &mut Tx) -> Result<bool> {
    let sql = sql!("select cast(1 as {int}) from user_account where skeleton = '' and not trash limit 1");
    tx.maybe::<i64>(sql, &[]).await.map(|found| found.is_some())
}

/// Which of the user's files is the image.
pub async fn set_image(tx: &mut Tx, key: &UserKey, name: Option<&str>) -> Result<()> {
    tx.changed(Collection::User, key);
    tx.run(sql!("update user_account set image = $2, rev = rev + 1 where key = $1"), &params![key, name])
        .await
        .map(|_| ())
}
