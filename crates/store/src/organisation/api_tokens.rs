use domain::Timestamp;
use domain::key::{TokenKey, UserKey};

use crate::Result;
use crate::lock::Rows;
use crate::row::row_struct;
use crate::sql::{Page, Paged, Query};
use crate::tx::Tx;

row_struct! {
    pub struct ApiToken {
        pub key: TokenKey,
        pub revoked: bool,
        pub user_key: UserKey,
        pub issued_at: Timestamp,
        pub expires_at: Timestamp,
        pub scope: Option<String>,
        pub description: Option<String>,
        pub last_used: Option<Timestamp>,
    }
}

fn tokens() -> Query {
    Query::new("select key, revoked, user_key, issued_at, expires_at, scope, description, last_used from token")
}

/// Those that were not revoked, newest first.
pub async fn list(tx: &mut Tx, user: &UserKey, page: &Page) -> Result<Paged<ApiToken>> {
    tokens()
        .filter("context = 'API' and not revoked and user_key = {}", user)
        .page(tx, "issued_at desc, key", page)
        .await
}

pub async fn lock(tx: &mut Tx, key: &TokenKey) -> Result<Option<ApiToken>> {
    tokens().filter("context = 'API' and key = {}", key).locked(Rows::ApiToken).maybe(tx).await
}
