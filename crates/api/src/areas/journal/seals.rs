use domain::journal::seal::Seal;
use domain::journal::verify::{Anchor, Verification};
use journal::seal::{self, VerifyRange};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Tx;
use store::journal::seals;
use tokio::sync::Semaphore;

use crate::Result;
use crate::cx::Cx;
use crate::input::{Paging, Query};
use crate::reply::{Envelope, Listed, envelope};

#[derive(Deserialize, JsonSchema)]
pub(super) struct SealQuery {
    /// The first block to return.
    #[serde(default = "first_block")]
    #[schemars(range(min = 1))]
    from_block: i64,
}

fn first_block() -> i64 {
    1
}

pub(super) async fn list(cx: Cx, Query(query): Query<SealQuery>, Paging(page): Paging<10_000>) -> Result<Listed<Seal>> {
    let found = cx.db.read_long(async move |tx: &mut Tx| seals::list(tx, query.from_block, &page).await).await?;
    Ok(Listed { rows: found.rows, total: found.total })
}

const HASH: &str = "^[0-9a-fA-F]{64}$";

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-checked-as" = "verify-query"))]
pub(super) struct VerifyQuery {
    /// The first block to check.
    #[serde(default = "first_block")]
    #[schemars(range(min = 1))]
    from_block: i64,
    /// The last block to check; all of them when left out.
    #[schemars(range(min = 1))]
    to_block: Option<i64>,
    /// A block whose hash is known from elsewhere, with `anchor_hash`.
    #[schemars(range(min = 1))]
    anchor_block: Option<i64>,
    /// The `head_hash` of an earlier verification whose `head_block` was `anchor_block`.
    #[schemars(regex(pattern = HASH))]
    anchor_hash: Option<String>,
}

/// A verification takes seconds of work and a connection: each node runs one at a time.
static TURN: Semaphore = Semaphore::const_new(1);

pub(super) async fn verify(cx: Cx, Query(query): Query<VerifyQuery>) -> Result<Envelope<Verification>> {
    let asked = range(query);
    let turn = TURN.acquire().await;
    let verifying = async move |tx: &mut Tx| {
        let _turn = turn;
        Ok(seal::verify(tx, &asked).await?)
    };
    let found = cx.read_apart(verifying).await?;
    envelope(found.conclusion(), found)
}

fn range(query: VerifyQuery) -> VerifyRange {
    let anchor = query.anchor_block.zip(query.anchor_hash).map(|(block, hash)| Anchor { block, hash });
    VerifyRange { from_block: query.from_block, to_block: query.to_block, anchor, events_at_once: seal::EVENTS_AT_ONCE }
}
