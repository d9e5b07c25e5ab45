//! Failed tries to prove a password, counted for all nodes by username and by address.

use std::net::{IpAddr, Ipv6Addr};

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

    /// A text that is equal for equal subjects.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Under which address everything counts that comes from one: whoever has an IPv6 address has all of its /64.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

fn network_of(address: &str) -> String {
    address.parse().map_or_else(|_| address.to_owned(), |address| network(address).to_string())
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
    let by_address = blocking(tx, "address", &network_of(address), limits.per_address, since).await?;
    Ok(by_username.max(by_address).map(|oldest| seconds_until_free(oldest, limits, now)))
}

/// Seconds until the next try from an address is looked at, of which not more is known than that it is refused; `None` when it may
/// go ahead.
pub async fn wait_of_address(tx: &mut Tx, address: &str, limits: Limits, now: Timestamp) -> Result<Option<i64>> {
    let since = now.plus_seconds(-limits.window_seconds);
    let blocking = blocking(tx, "address", &network_of(address), limits.per_address, since).await?;
    Ok(blocking.map(|oldest| seconds_until_free(oldest, limits, now)))
}

fn seconds_until_free(oldest: Timestamp, limits: Limits, now: Timestamp) -> i64 {
    let free_at = oldest.plus_seconds(limits.window_seconds);
    ((free_at.millis() - now.millis() + 999) / 1000).max(1)
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
        &params![ids[0], subject.text(), ids[1], network_of(address), now],
    )
    .await
    .map(|_| ())
}

/// Counts a failure that names nobody.
pub async fn record_of_address(tx: &mut Tx, id: i64, address: &str, now: Timestamp) -> Result<()> {
    tx.run(
        sql!("insert into login_failure (key, kind, subject, at) values ($1, 'address', $2, $3)"),
        &params![id, network_of(address), now],
    )
    .await
    .map(|_| ())
}

/// Whether the audit log has its line of this window about the address, which is refused over and over.
pub async fn is_noted(tx: &mut Tx, address: &str, limits: Limits, now: Timestamp) -> Result<bool> {
    let since = now.plus_seconds(-limits.window_seconds);
    let noted: Option<Timestamp> = tx
        .maybe(
            sql!("select at from noted_refusals where subject = $1 and at > $2"),
            &params![network_of(address), since],
        )
        .await?;
    Ok(noted.is_some())
}

/// Takes the one line that an address has in each window; of many who ask at once, one gets it.
pub async fn take_note(tx: &mut Tx, address: &str, limits: Limits, now: Timestamp) -> Result<bool> {
    let since = now.plus_seconds(-limits.window_seconds);
    let taken = tx
        .run(
            sql!(
                "insert into noted_refusals (subject, at)
                 values ($1, $2)
                 on conflict (subject) do update set at = excluded.at where noted_refusals.at <= $3"
            ),
            &params![network_of(address), now, since],
        )
        .await?;
    Ok(taken > 0)
}

/// A success, or a password reset by an administrator, clears the count of the username.
pub async fn clear(tx: &mut Tx, username: &str) -> Result<()> {
    let sql = sql!("delete from login_failure where kind = 'username' and subject = $1");
    tx.run(sql, &params![Subject::username(username).text()]).await.map(|_| ())
}

pub async fn remove_old(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    tx.run(sql!("delete from noted_refusals where at < $1"), &params![before]).await?;
    tx.run(sql!("delete from login_failure where at < $1"), &params![before]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_address_counts_as_its_network() {
        for (address, counted) in [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2::", "2001:db8:1:2::"),
            ("2001:db8:1:3::1", "2001:db8:1:3::"),
            ("198.51.100.7", "198.51.100.7"),
            ("::ffff:198.51.100.7", "198.51.100.7"),
            ("no address", "no address"),
        ] {
            assert_eq!(network_of(address), counted);
        }
    }
}
