//! Verifies the whole chain of seals, and stock against movements, from the command line, beside the service.

use domain::Quantity;
use domain::journal::verify::{Anchor, Mismatch, Verification};
use journal::seal::{self, VerifyRange};
use store::backup::Progress;
use store::journal::seals;
use store::warehouse::verify::{self as stock, Compared};
use store::{Db, Tx};

use crate::settings::Settings;
use crate::site::StartError;

/// How many events are verified at a time, so that the bar moves and no snapshot is held for long.
const EVENTS_AT_ONCE: i64 = 50_000;

/// What was found.
pub struct Verified {
    pub seals: Verification,
    pub stock: Compared,
}

pub async fn verify(
    settings: &Settings,
    anchor: Option<Anchor>,
    progress: &dyn Progress,
) -> Result<Verified, StartError> {
    let db = Db::open_beside(&settings.location()?).await?;
    let found = verify_all(&db, anchor, progress).await;
    db.close().await;
    found
}

async fn verify_all(db: &Db, anchor: Option<Anchor>, progress: &dyn Progress) -> Result<Verified, StartError> {
    db.check_version().await?;
    let seals = verify_seals(db, anchor, progress).await?;
    progress.begin("Stock", 1);
    let stock = db.read_long(async |tx: &mut Tx| stock::compare(tx, None).await).await?;
    progress.advance(1);
    Ok(Verified { seals, stock })
}

async fn verify_seals(db: &Db, anchor: Option<Anchor>, progress: &dyn Progress) -> Result<Verification, StartError> {
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

/// Describes in one sentence what is wrong with stock; nothing if it is what the movements say.
pub fn describe_stock(found: &Compared) -> Option<String> {
    if let Some(first) = found.differences.first() {
        let serial = first.serial_key.map(|key| format!(", serial {key}")).unwrap_or_default();
        let or_much =
            |quantity: Option<Quantity>| quantity.map_or_else(|| "too much".to_owned(), |some| some.to_string());
        return Some(format!(
            "stock is not what the movements say in {} places, first of product {}{serial} at position {} (stock {}, movements {})",
            found.differences.len(),
            first.product_code,
            first.position_code,
            or_much(first.stock_quantity),
            or_much(first.journal_quantity)
        ));
    }
    let first = found.problems.first()?;
    Some(format!(
        "{} rows of stock are wrong, first that of product {} at position {}: {}",
        found.problems.len(),
        first.product_key,
        first.position_key,
        first.kind.name()
    ))
}
