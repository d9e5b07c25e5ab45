use domain::journal::seal::{Head, Seal};
use domain::journal::verify::{Anchor, Range, Verification, Verifier};
use store::journal::{events, seals};
use store::{Page, Result, Tx};

/// How many events one verification checks, about.
pub const EVENTS_AT_ONCE: i64 = 1_000_000;

/// How many blocks, and how many digests, are in memory at once.
const BLOCKS: i64 = 500;
const DIGESTS: usize = 10_000;

/// Which part of the chain to verify.
#[derive(Debug, Clone)]
pub struct VerifyRange {
    pub from_block: i64,
    /// Inclusive.
    pub to_block: Option<i64>,
    pub anchor: Option<Anchor>,
    /// Verification ends before the block that would exceed this number of events, unless it is the first.
    pub events_at_once: i64,
}

/// Recomputes everything from the stored events and compares it with the chain, in one snapshot.
pub async fn verify(tx: &mut Tx, range: &VerifyRange) -> Result<Verification> {
    let head = seals::last(tx).await?;
    let mut verifier = Verifier::new(range.from_block, before(tx, range.from_block).await?);
    let next_block = verify_blocks(tx, &mut verifier, range).await?;

    let last_seq = seals::last_seq(tx, i64::MAX).await?;
    let to_the_end = verifier.head().block == head.as_ref().map_or(0, |seal| seal.block);
    if to_the_end && let Some(leftover) = seals::leftover(tx, last_seq).await? {
        verifier.leftover(leftover.seq, &leftover.digest);
    }
    let (given, known) = (events::head(tx).await?, seals::last_known(tx).await?);
    if to_the_end && given > known {
        verifier.cut_off(known + 1, given);
    }
    if let Some(anchor) = &range.anchor {
        let present = seals::find(tx, anchor.block).await?;
        verifier.anchor(anchor, present.as_ref().map(|seal| seal.hash.as_slice()));
    }
    let unsealed = seals::count_pending(tx, last_seq).await?;
    Ok(verifier.finish(head.as_ref(), unsealed, next_block))
}

/// The end of the chain before a block; `None` if it is missing.
async fn before(tx: &mut Tx, block: i64) -> Result<Option<Head>> {
    if block == 1 {
        return Ok(Some(Head::default()));
    }
    match seals::find(tx, block - 1).await? {
        Some(seal) => seals::head_at(tx, seal).await.map(Some),
        None => Ok(None),
    }
}

/// Returns the first block that was left for another time.
async fn verify_blocks(tx: &mut Tx, verifier: &mut Verifier, range: &VerifyRange) -> Result<Option<i64>> {
    let to_block = range.to_block.unwrap_or(i64::MAX);
    let page = Page { limit: BLOCKS, offset: 0, count: false };
    let mut next = range.from_block;
    let mut events = 0_i64;
    loop {
        let blocks = seals::list(tx, next, &page).await?.rows;
        let complete = blocks.len() < BLOCKS as usize;
        for seal in blocks {
            if seal.block > to_block {
                return Ok(None);
            }
            if events > 0 && events.saturating_add(seal.count) > range.events_at_once {
                return Ok(Some(seal.block));
            }
            events += verify_block(tx, verifier, &seal).await?;
            next = seal.block.saturating_add(1);
        }
        if complete {
            return Ok(None);
        }
    }
}

/// Returns the number of its events.
async fn verify_block(tx: &mut Tx, verifier: &mut Verifier, seal: &Seal) -> Result<i64> {
    let mut events = 0;
    match verifier.begin(seal) {
        Some(mut range) => {
            while range.after < range.to {
                let digests = seals::digests(tx, range, DIGESTS as i64).await?;
                let end = match digests.last() {
                    Some(last) if digests.len() == DIGESTS => last.seq,
                    _ => range.to,
                };
                events += digests.len() as i64;
                verifier.digests(digests);
                seals::each_event(tx, Range { to: end, ..range }, |seq, digest| verifier.event(seq, digest)).await?;
                verifier.settle();
                range.after = end;
            }
        }
        None => {
            seals::each_removed(tx, seal.block, |sealed| {
                events += 1;
                verifier.digests([sealed]);
            })
            .await?;
        }
    }
    verifier.end();
    Ok(events)
}
