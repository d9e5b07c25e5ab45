//! Confirming what was counted: either something stands in the way, or stock is corrected by the newest record of each pair.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::counting::{
    Conflict, CountRecord, CountSession, Counted, SessionStatus, SessionStep, conflicts, newest_of_each,
};
use domain::key::{PositionKey, SerialKey};
use domain::rule::counting::{ConflictingRecord, CountConflict, CountConflictException};
use domain::warehouse::stock::Pair;
use store::counting::{pairs, records, serials, sessions};
use store::product::products::{self, Name};
use store::warehouse::{positions, stock};

use super::adjusting::make_list;
use super::applying::finish;
use super::finding::{after, must_be, must_have_begun};
use super::snapshots::{self, Moment};
use super::system::lock_serials;
use crate::act::Act;
use crate::{Error, Result};

/// Confirms what was counted in a session that is locked. If there is something to correct, the service does so from now on;
/// otherwise the session is over.
pub(crate) async fn confirm(act: &mut Act<'_>, session: &mut CountSession) -> Result<()> {
    must_be(session, SessionStatus::Completed)?;
    must_have_begun(act, session.completed)?;
    let counted = live(act, session).await?;
    let codes = hold(act, &counted).await?;
    let pairs = lock(act, &counted).await?;
    must_not_conflict(act, session, &counted, &pairs, &codes).await?;
    let newest = newest_of_each(&counted);
    let corrected: BTreeSet<Pair> = newest
        .iter()
        .map(|place| &counted[*place])
        .filter(|record| !record.correction().is_none())
        .map(|record| record.pair.clone())
        .collect();
    review(act, &counted, &newest, corrected.is_empty()).await?;
    session.records_to_process = newest.len() as i64;
    session.confirmed_by = Some(act.author.user_key.clone());
    session.processing_started = Some(act.at);
    snapshots::take(act, session, Moment::PostCount).await?;
    if corrected.is_empty() {
        return finish(act, session, SessionStep::ConfirmAsIs).await;
    }
    pairs::lock_for(act.tx, session.key, &corrected).await?;
    session.adjustment_list_key = Some(make_list(act, session).await?);
    session.status = after(session, SessionStep::Confirm)?;
    Ok(sessions::save(act.tx, session).await?)
}

/// The live records of a session.
async fn live(act: &mut Act<'_>, session: &CountSession) -> Result<Vec<Counted>> {
    let live = records::live_of_session(act.tx, session.key).await?;
    let keys: Vec<i64> = live.iter().map(|record| record.key.0).collect();
    let mut serials = serials::of_records(act.tx, &keys).await?;
    live.into_iter()
        .map(|record| -> Result<Counted> {
            let own = serials.remove(&record.key).unwrap_or_default();
            let (system, counted) = serials::contents(&record, &own);
            let CountRecord { key, user_key, system_at, system_corrections, counted_at, .. } = record;
            let counted_at = counted_at.ok_or_else(|| Error::broken("a live record without a count"))?;
            let pair = Pair { product_id: record.product_id, position_key: record.position_key };
            Ok(Counted { key, pair, user_key, system, system_at, counted, counted_at, system_corrections })
        })
        .collect()
}

/// The codes of positions, also of deleted ones.
type Codes = HashMap<PositionKey, String>;

/// Holds the positions of records.
async fn hold(act: &mut Act<'_>, counted: &[Counted]) -> Result<Codes> {
    let keys: BTreeSet<String> = counted.iter().map(|record| record.pair.position_key.to_string()).collect();
    let held = positions::hold(act.tx, &keys.into_iter().collect::<Vec<_>>()).await?;
    Ok(held.into_iter().map(|position| (position.key, position.data.code)).collect())
}

/// The serials that were found.
fn found(counted: &[Counted]) -> BTreeSet<SerialKey> {
    counted.iter().flat_map(|record| record.correction().found).collect()
}

/// Locks the serials that were found, then all pairs that were counted and those where these serials lie. Returns the pairs that
/// were counted.
async fn lock(act: &mut Act<'_>, counted: &[Counted]) -> Result<BTreeSet<Pair>> {
    let found = found(counted);
    lock_serials(act, &found).await?;
    let pairs: BTreeSet<Pair> = counted.iter().map(|record| record.pair.clone()).collect();
    let mut all = pairs::places_of(act.tx, &numbers(&found)).await?;
    all.extend(pairs.iter().cloned());
    stock::lock(act.tx, &all).await?;
    Ok(pairs)
}

fn numbers(serials: &BTreeSet<SerialKey>) -> Vec<i64> {
    serials.iter().map(|serial| serial.0).collect()
}

/// Checks that nothing stands in the way; otherwise all that does is told.
async fn must_not_conflict(
    act: &mut Act<'_>,
    session: &CountSession,
    counted: &[Counted],
    pairs: &BTreeSet<Pair>,
    codes: &Codes,
) -> Result<()> {
    let known = pairs::known(act.tx, session.key, pairs, &numbers(&found(counted))).await?;
    let conflicts = conflicts(counted, &known);
    if conflicts.is_empty() {
        return Ok(());
    }
    let ids: BTreeSet<i64> = conflicts.iter().map(|conflict| conflict.pair.product_id.0).collect();
    let names = products::names_by_id(act.tx, &ids.into_iter().collect::<Vec<_>>()).await?;
    let names: BTreeMap<_, Name> = names.into_iter().map(|name| (name.id, name)).collect();
    let all: Option<Vec<CountConflict>> = conflicts
        .into_iter()
        .map(|conflict| {
            let name = names.get(&conflict.pair.product_id)?;
            let code = codes.get(&conflict.pair.position_key)?;
            Some(told(conflict, name, code, counted))
        })
        .collect();
    let conflicts = all.ok_or_else(|| Error::broken("a count without its product or its position"))?;
    let rule = CountConflictException { rule: "conflicts", conflicts };
    Err(Error::rule(&rule, "What was counted contradicts itself or what has happened since."))
}

fn told(conflict: Conflict, product: &Name, position_code: &str, counted: &[Counted]) -> CountConflict {
    let Conflict { kind, pair, serial_key, available, records } = conflict;
    let record = |place: usize| {
        let Counted { key, user_key, system, counted, counted_at, .. } = &counted[place];
        // Otherwise the answer would grow with the square of the serials.
        let shown = counted.serials.iter().copied().filter(|counted| serial_key.is_none_or(|about| about == *counted));
        ConflictingRecord {
            count_record_key: *key,
            user_key: user_key.clone(),
            system_qt: system.whole(),
            counted_qt: counted.whole(),
            counted_serial_keys: shown.collect(),
            counted_at: *counted_at,
        }
    };
    CountConflict {
        kind,
        product_key: product.key.clone(),
        product_code: product.code.clone(),
        position_key: pair.position_key,
        position_code: position_code.to_owned(),
        serial_key,
        available,
        records: records.into_iter().map(record).collect(),
    }
}

/// Confirms the newest record of each pair, and discards those that agree with it.
async fn review(act: &mut Act<'_>, counted: &[Counted], newest: &[usize], processed: bool) -> Result<()> {
    let confirmed: BTreeSet<i64> = newest.iter().map(|place| counted[*place].key.0).collect();
    let others: Vec<i64> = counted.iter().map(|record| record.key.0).filter(|key| !confirmed.contains(key)).collect();
    records::discard(act.tx, &others, act.at).await?;
    let confirmed: Vec<i64> = confirmed.into_iter().collect();
    Ok(records::confirm(act.tx, &confirmed, act.at, processed).await?)
}
