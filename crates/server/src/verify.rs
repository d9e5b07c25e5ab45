//! Verifies the whole chain of seals from the command line, beside the service.

use domain::journal::verify::{Anchor, Mismatch, Verification};
use journal::seal::{self, VerifyRange};
use store::backup::Progress;
use store::journal::seals;
use store::{Db, Tx};

use crate::settings::Settings;
use crate::site::StartError;

/// How many events are verified at a time, so that the bar moves and no snapshot is held for long.
const EVENTS_AT_ONCE: i64 = 50_000;

pub async fn verify(
    settings: &Settings,
    anchor: Option<Anchor>,
    progress: &dyn Progress,
) -> Result<Verification, StartError> {
    let db = Db::open_beside(&settings.location()?).await?;
    let found = verify_all(&db, anchor, progress).await;
    db.close().await;
    found
}

async fn verify_all(db: &Db, anchor: Option<Anchor>, progress: &dyn Progress) -> Result<Verification, StartError> {
    db.check_version().await?;
    let last = db.read(async |tx: &mut Tx| seals::last(tx).await).await?;
    progress.begin("Seals", last.map_or(0, |seal| seal.block.unsigned_abs()));
    let mut all = Verification::default();
    let mut next_block = Some(1);
    while let Some(from_block) = next_block {
        let range = VerifyRange { from_block, to_block: None, anchor: anchor.clone(), events_at_once: EVENTS_AT_ONCE };
        let found = db.read_long(async move |tx: &mut Tx| seal::verify(tx, &range).await).await?;
        progress.advance(found.blocks.unsigned_abs());
        next_block = found.next_block;
        all = all.followed_by(found);
    }
    Ok(all)
}

/// A hash as people write it.
pub fn parse_hash(text: &str) -> Result<String, String> {
    let fits = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if fits { Ok(text.to_ascii_lowercase()) } else { Err("a hash has 64 hexadecimal digits".to_owned()) }
}

/// Describes a mismatch in one sentence.
pub fn describe(mismatch: &Mismatch) -> String {
    let place = match mismatch.seq {
        Some(seq) => format!("block {}, event {seq}", mismatch.block),
        None => format!("block {}", mismatch.block),
    };
    let or_nothing = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
    format!(
        "the journal is not as it was sealed: {} at {place} (expected {}, found {})",
        mismatch.kind.name(),
        or_nothing(&mismatch.expected),
        or_nothing(&mismatch.found)
    )
}
