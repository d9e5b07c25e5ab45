use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{TokenKey, UserKey, UserSessionKey, record_id};

use crate::row::row_struct;
use crate::sql::{Sql, sql};
use crate::tx::Tx;
use crate::{Result, params};

#[derive(Debug, Clone)]
pub struct NewToken {
    pub key: TokenKey,
    /// SHA-256 of the token's third segment.
    pub signature: Vec<u8>,
    pub user_key: UserKey,
    pub issued_at: Timestamp,
    pub expires_at: Timestamp,
    pub context: &'static str,
    pub scope: Option<String>,
    pub description: Option<String>,
}

pub async fn insert(tx: &mut Tx, token: &NewToken) -> Result<()> {
    tx.changed(Collection::Token, &token.key);
    tx.run(
        sql!(
            "insert into token (key, signature, user_key, issued_at, expires_at, context, scope, description)
             values ($1, $2, $3, $4, $5, $6, $7, $8)"
        ),
        &params![
            &token.key,
            token.signature.as_slice(),
            &token.user_key,
            token.issued_at,
            token.expires_at,
            token.context,
            token.scope.as_deref(),
            token.description.as_deref()
        ],
    )
    .await
    .map(|_| ())
}

row_struct! {
    /// A token with what its user is right now: all that judges a request.
    pub struct Judged {
        pub signature: Vec<u8>,
        pub revoked: bool,
        pub expires_at: Timestamp,
        pub context: String,
        pub token_scope: Option<String>,
        pub last_used: Option<Timestamp>,
        pub user_key: UserKey,
        pub username: String,
        pub user_scope: String,
        pub user_usable: bool,
        /// The session that it was used to open.
        pub session_key: Option<UserSessionKey>,
    }
}

pub async fn judge(tx: &mut Tx, key: &TokenKey) -> Result<Option<Judged>> {
    tx.maybe(
        sql!(
            "select token.signature, token.revoked, token.expires_at, token.context, token.scope, token.last_used,
                    user_account.key, user_account.username, user_account.scope,
                    user_account.active and not user_account.trash, token.session_key
             from token
             join user_account on user_account.key = token.user_key
             where token.key = $1"
        ),
        &params![key],
    )
    .await
}

/// Insists that a token still holds and that its user may still do what it could when it was judged.
pub async fn insist(tx: &mut Tx, key: &TokenKey, user_scope: &str) -> Result<()> {
    tx.insist(standing(), &params![key, user_scope]).await
}

/// The same at the end of a change, also for those on whose behalf it acts: it holds until the change is committed. What the change
/// itself has withdrawn is not asked for any more.
pub async fn insist_to_the_end(tx: &mut Tx, user: &UserKey, key: &TokenKey, user_scope: &str) -> Result<()> {
    tx.hold_rights(Some(user)).await?;
    if !tx.notes().has(&record_id(Collection::Token, key)) {
        match tx.notes().changed_rights.contains(user) {
            true => tx.insist(unrevoked(), &params![key]).await?,
            false => tx.insist(standing(), &params![key, user_scope]).await?,
        }
    }
    for (other, scope) in tx.notes().on_behalf.clone() {
        tx.insist(usable(), &params![&other, scope]).await?;
    }
    Ok(())
}

fn standing() -> Sql {
    sql!(
        "select count(*)
         from token
         join user_account on user_account.key = token.user_key
         where token.key = $1 and not token.revoked and user_account.active and not user_account.trash
         and user_account.scope = $2"
    )
}

fn unrevoked() -> Sql {
    sql!("select count(*) from token where key = $1 and not revoked")
}

fn usable() -> Sql {
    sql!("select count(*) from user_account where key = $1 and active and not trash and scope = $2")
}

pub async fn touch(tx: &mut Tx, key: &TokenKey, now: Timestamp) -> Result<()> {
    tx.run(sql!("update token set last_used = $2 where key = $1"), &params![key, now]).await.map(|_| ())
}

pub async fn revoke(tx: &mut Tx, key: &TokenKey) -> Result<()> {
    tx.changed(Collection::Token, key);
    let sql = sql!("update token set revoked = true where key = $1 returning user_key");
    let user: Option<UserKey> = tx.maybe(sql, &params![key]).await?;
    user.iter().for_each(|user| tx.withdraw_from(user));
    Ok(())
}

/// All tokens of a user that stand for a signed-in person, not the API tokens; `but` one may stay.
pub async fn revoke_personal(tx: &mut Tx, user: &UserKey, but: Option<&TokenKey>) -> Result<()> {
    tx.withdraw_from(user);
    let revoked = tx
        .all(
            sql!(
                "update token set revoked = true
                 where user_key = $1 and context in ('USER_SESSION', 'PASSWORD_RESET') and not revoked and key <> $2
                 returning key"
            ),
            &params![user, but.map_or("", TokenKey::as_str)],
        )
        .await?;
    note_revoked(tx, &revoked);
    Ok(())
}

/// Every token of a user.
pub async fn revoke_all(tx: &mut Tx, user: &UserKey) -> Result<()> {
    tx.withdraw_from(user);
    let sql = sql!("update token set revoked = true where user_key = $1 and not revoked returning key");
    let revoked = tx.all(sql, &params![user]).await?;
    note_revoked(tx, &revoked);
    Ok(())
}

fn note_revoked(tx: &mut Tx, revoked: &[TokenKey]) {
    revoked.iter().for_each(|key| tx.changed(Collection::Token, key));
}

/// Forgets tokens whose time ended before `before`.
pub async fn remove_expired(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    tx.run(sql!("delete from token where expires_at < $1"), &params![before]).await
}
