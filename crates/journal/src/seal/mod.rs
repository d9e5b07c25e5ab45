//! Seals stored events, removes events, and verifies that nothing else was touched.

mod removal;
mod sealer;
mod verification;

pub use removal::{Remover, remove};
pub use sealer::Sealer;
pub use verification::{EVENTS_AT_ONCE, VerifyRange, verify};

use domain::Timestamp;
use domain::journal::Digest;
use domain::journal::seal::{Head, Seal};
use store::journal::seals;
use store::{Result, Tx};

/// Maximum number of events in a block.
const BLOCK: i64 = 10_000;

/// A block that is ready to be added to the chain.
#[derive(Debug)]
struct Prepared {
    /// The end of the chain that it continues.
    head: Head,
    seal: Seal,
    digests: Vec<(i64, Digest)>,
}

impl Prepared {
    fn is_full(&self) -> bool {
        self.digests.len() as i64 == BLOCK
    }
}

/// Builds the next block from events that are not sealed yet.
async fn prepare(tx: &mut Tx, now: Timestamp) -> Result<Option<Prepared>> {
    let head = seals::head(tx).await?;
    let digests = seals::pending(tx, head.last_seq, BLOCK).await?;
    if digests.is_empty() {
        return Ok(None);
    }
    let seal = head.seal_events(now, &digests);
    Ok(Some(Prepared { head, seal, digests }))
}

/// Appends it to the chain, which only the caller may extend.
async fn add(tx: &mut Tx, Prepared { seal, digests, .. }: &Prepared) -> Result<()> {
    seals::insert_digests(tx, digests).await?;
    seals::insert(tx, seal).await
}
