//! What was counted, taken from a file.

use std::collections::{BTreeMap, BTreeSet};

use domain::counting::{Content, CountSession, ImportMode, SessionStatus};
use domain::key::PositionKey;
use domain::warehouse::stock::Pair;
use store::counting::{marks, records};

use super::completing::{NewCount, record_all};
use super::finding::must_be;
use super::system::lock_system;
use crate::act::Act;
use crate::effects::warehouse::hold_positions;
use crate::{Error, Result};

/// How many records an import has made and discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportedCounts {
    pub added: u64,
    pub discarded: u64,
}

/// Stores what was counted of pairs in a session that is locked. Its records of the same pairs are discarded, or all of them.
pub(crate) async fn import(
    act: &mut Act<'_>,
    session: &CountSession,
    mode: ImportMode,
    counted: BTreeMap<Pair, Content>,
) -> Result<ImportedCounts> {
    must_be(session, SessionStatus::Completed)?;
    let pairs: BTreeSet<Pair> = counted.keys().cloned().collect();
    let places: Vec<PositionKey> = pairs.iter().map(|pair| pair.position_key.clone()).collect();
    hold_positions(act, &places).await?;
    let serials: Vec<_> = counted.values().flat_map(|content| content.serials.iter().copied()).collect();
    let system = lock_system(act, &pairs, serials).await?;
    let mut counts = Vec::with_capacity(counted.len());
    for (pair, content) in counted {
        let stock = system.stock.get(&pair).ok_or_else(|| Error::broken("a pair without its stock"))?;
        counts.push(NewCount::at_once(act, session, &pair, stock, content)?);
    }
    let added = counts.len() as u64;
    let discarded = match mode {
        ImportMode::Update => {
            let discarded = records::discard_of_pairs(act.tx, session.key, &pairs, act.at).await?;
            record_all(act, session, counts).await?;
            discarded
        }
        ImportMode::Replace => {
            let discarded = records::discard_all(act.tx, session.key, act.at).await?;
            record_all(act, session, counts).await?;
            // Whatever is counted anew leaves its position done.
            let left = discarded.iter().filter(|pair| !pairs.contains(pair));
            let left: BTreeSet<PositionKey> = left.map(|pair| pair.position_key.clone()).collect();
            marks::withdraw(act.tx, session.key, &left.into_iter().collect::<Vec<_>>()).await?;
            discarded.len()
        }
    };
    Ok(ImportedCounts { added, discarded: discarded as u64 })
}
