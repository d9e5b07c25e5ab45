//! Answers that are repeated to a request with the same `Idempotency-Key`, stored in the transaction of the change.

use domain::Timestamp;
use domain::key::UserKey;
use domain::scope::Rights;

use crate::postgres::Turn;
use crate::row::row_struct;
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// A stored answer counts so long.
pub const LIFE_SECONDS: i64 = 24 * 60 * 60;

/// Whose key it is, and what was asked under it.
#[derive(Debug, Clone)]
pub struct Claim {
    pub user_key: UserKey,
    pub key: String,
    /// Over method, path, query, and the body or the parts of an upload.
    pub fingerprint: Vec<u8>,
}

impl Kept {
    /// The scopes the change relied on besides that of its operation.
    pub fn relied_on(&self) -> Rights {
        Rights::of(&self.scopes)
    }
}

row_struct! {
    pub struct Kept {
        pub fingerprint: Vec<u8>,
        pub status: i64,
        pub body: String,
        pub scopes: String,
    }
}

/// Takes the key for this transaction, or gives what was answered under it. A request that comes at the same time waits here
/// until the first is committed or undone.
pub async fn claim(tx: &mut Tx, claim: &Claim, now: Timestamp) -> Result<Option<Kept>> {
    tx.take_turns([Turn::of_record("idempotency", (claim.user_key.as_str(), &claim.key))])?;
    let taken = tx
        .run(
            sql!(
                "insert into idempotency (user_key, key, fingerprint, created, status, body)
                 values ($1, $2, $3, $4, 0, '')
                 on conflict (user_key, key) do update
                 set fingerprint = excluded.fingerprint, created = excluded.created
                 where idempotency.created <= $5"
            ),
            &params![&claim.user_key, &claim.key, claim.fingerprint.as_slice(), now, now.plus_seconds(-LIFE_SECONDS)],
        )
        .await?;
    if taken == 1 { Ok(None) } else { find(tx, claim, now).await }
}

pub async fn find(tx: &mut Tx, claim: &Claim, now: Timestamp) -> Result<Option<Kept>> {
    tx.maybe(
        sql!(
            "select fingerprint, status, body, scopes
             from idempotency
             where user_key = $1 and key = $2 and created > $3"
        ),
        &params![&claim.user_key, &claim.key, now.plus_seconds(-LIFE_SECONDS)],
    )
    .await
}

/// Stores the answer, and the scopes that the transaction relied on.
pub async fn keep(tx: &mut Tx, claim: &Claim, status: u16, body: &str) -> Result<()> {
    let scopes = tx.notes().relied_on().names().join(" ");
    tx.run_later(
        sql!("update idempotency set status = $3, body = $4, scopes = $5 where user_key = $1 and key = $2"),
        &params![&claim.user_key, &claim.key, i64::from(status), body, scopes],
    )
    .await
}

pub async fn remove_old(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    let before = now.plus_seconds(-LIFE_SECONDS);
    tx.run(sql!("delete from idempotency where created <= $1"), &params![before]).await
}
