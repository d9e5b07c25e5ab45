use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{TokenKey, UserKey, UserSessionKey};

use super::tokens;
use crate::columns::{self, Record, record};
use crate::lock::Rows;
use crate::row::{FromRow, Row};
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct UserSession in user_session {
        pub key: UserSessionKey,
        pub active: bool,
        pub user_key: UserKey,
        pub token_key: TokenKey,
        pub login_at: Timestamp,
        pub logout_at: Option<Timestamp>,
        pub scope: String,
        pub name: Option<String>,
        pub surname: Option<String>,
        pub address: Option<String>,
        pub user_agent: Option<String>,
    }
}

pub async fn insert(tx: &mut Tx, session: &UserSession) -> Result<()> {
    tx.changed(Collection::UserSession, session.key);
    columns::insert(tx, session).await?;
    let sql = sql!("update token set session_key = $2 where key = $1");
    tx.run_later(sql, &params![&session.token_key, session.key]).await?;
    tx.changed(Collection::User, &session.user_key);
    tx.run(
        sql!("update user_account set last_login = $2, last_user_session = $3, rev = rev + 1 where key = $1"),
        &params![&session.user_key, session.login_at, session.key],
    )
    .await
    .map(|_| ())
}

pub async fn find(tx: &mut Tx, key: UserSessionKey) -> Result<Option<UserSession>> {
    UserSession::select().filter("key = {}", key).maybe(tx).await
}

pub async fn lock(tx: &mut Tx, key: UserSessionKey) -> Result<Option<UserSession>> {
    UserSession::select().filter("key = {}", key).locked(Rows::UserSession).maybe(tx).await
}

/// Ends a session and its token together; one that has ended stays as it was.
pub async fn close(tx: &mut Tx, session: &UserSession, now: Timestamp) -> Result<()> {
    tx.changed(Collection::UserSession, session.key);
    tx.run(
        sql!("update user_session set active = false, logout_at = $2 where key = $1 and active"),
        &params![session.key, now],
    )
    .await?;
    tokens::revoke(tx, &session.token_key).await
}

/// Ends all sessions of a user, `but` that of one token may stay; the caller revokes the tokens.
pub async fn close_all(tx: &mut Tx, user: &UserKey, but: Option<&TokenKey>, now: Timestamp) -> Result<()> {
    let closed = tx
        .all(
            sql!(
                "update user_session set active = false, logout_at = $3
                 where user_key = $1 and active and token_key <> $2
                 returning key"
            ),
            &params![user, but.map_or("", TokenKey::as_str), now],
        )
        .await?;
    note_closed(tx, &closed);
    Ok(())
}

fn note_closed(tx: &mut Tx, closed: &[UserSessionKey]) {
    closed.iter().for_each(|key| tx.changed(Collection::UserSession, key));
}

/// Ends the sessions of a user whose token's time is over.
pub async fn close_expired(tx: &mut Tx, user: &UserKey, now: Timestamp) -> Result<()> {
    let closed = tx
        .all(
            sql!(
                "update user_session set active = false, logout_at = $2
                 where user_key = $1 and active
                 and token_key in (select key from token where user_key = $1 and expires_at <= $2)
                 returning key"
            ),
            &params![user, now],
        )
        .await?;
    note_closed(tx, &closed);
    Ok(())
}

/// A session as lists show it.
#[derive(Debug, Clone)]
pub struct ListedSession {
    pub session: UserSession,
    pub username: String,
    pub expires_at: Timestamp,
}

impl FromRow for ListedSession {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { session: UserSession::from_row(row)?, username: row.column()?, expires_at: row.column()? })
    }
}

/// Active sessions with a token that still holds, newest first.
pub async fn list(tx: &mut Tx, user: Option<&UserKey>, now: Timestamp, page: &Page) -> Result<Paged<ListedSession>> {
    Query::new(&format!(
        "select {}, user_account.username, token.expires_at
         from user_session
         join token on token.key = user_session.token_key
         join user_account on user_account.key = user_session.user_key",
        UserSession::list()
    ))
    .filter("user_session.active and not token.revoked and token.expires_at > {}", now)
    .filter_if("user_session.user_key = {}", user)
    .page(tx, "user_session.login_at desc, user_session.key desc", page)
    .await
}
