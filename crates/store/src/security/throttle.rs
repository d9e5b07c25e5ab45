//! Failed tries to prove a password, counted for all nodes by username and by address.

use domain::Timestamp;
use domain::key::UserKey;
use domain::text::fold;
use domain::user::tidy_username;

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub per_username: i64,
    pub per_address: i64,
    pub window_seconds: i64,
}

/// Whose password was to be proved.
#[derive(Debug, Clone)]
pub struct Subject(String);

impl Subject {
    pub fn username(username: &str) -> Self {
        Self(fold(&tidy_username(username)))
    }

    /// A key that no user has. It never meets a username, which has no blank in front, or trying it as one would tell that
    /// nobody has it as a key; nor another key, in whatever case.
    pub fn unknown_key(key: &UserKey) -> Self {
        Self(format!(" key {key}"))
    }

    /// The same for the same subject.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Seconds until the next try is looked at, when there were too many failures; `None` when it may go ahead.
pub async fn wait(
    tx: &mut Tx,
    subject: &Subject,
    address: &str,
    limits: Limits,
    now: Timestamp,
) -> Result<Option<i64>> {
    let since = now.plus_seconds(-limits.window_seconds);
    let by_username = blocking(tx, "username", &subject.0, limits.per_username, since).await?;
    let by_address = blocking(tx, "address", address, limits.per_address, since).await?;
    let blocking = by_username.max(by_address);
    Ok(blocking.map(|oldest| {
        let free_at = oldest.plus_seconds(limits.window_seconds);
        ((free_at.millis() - now.millis() + 999) / 1000).max(1)
    }))
}

/// The oldest failure that has to leave the window before there is room for another.
async fn blocking(tx: &mut Tx, kind: &str, subject: &str, limit: i64, since: Timestamp) -> Result<Option<Timestamp>> {
    tx.maybe(
        sql!(
            "select at
             from login_failure
             where kind = $1 and subject = $2 and at > $3
             order by at desc
             limit 1 offset $4"
        ),
        &params![kind, subject, since, limit - 1],
    )
    .await
}

/// Counts one failure; `ids` are the keys of its two rows.
pub async fn record(tx: &mut Tx, ids: [i64; 2], subject: &Subject, address: &str, now: Timestamp) -> Result<()> {
    tx.run(
        sql!(
            "insert into login_failure (key, kind, subject, at)
             values ($1, 'username', $2, $5), ($3, 'address', $4, $5)"
        ),
        &params![ids[0], subject.text(), ids[1], address, now],
    )
    .await
    .map(|_| ())
}

/// A success, or a password reset by an administrator, clears the count of the username.
pub async fn clear(tx: &mut Tx, username: &str) -> Result<()> {
    let sql = sql!("delete from login_failure where kind = 'username' and subject = $1");
    tx.run(sql, &params![Subject::username(username).text()]).await.map(|_| ())
}

pub async fn remove_old(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    tx.run(sql!("delete from login_failure where at < $1"), &params![before]).await
}
