//! Counts that end: what was counted is stored, takes the place of what its user counted before, and may be the last of a
//! position.

use std::collections::{BTreeMap, BTreeSet};

use domain::counting::{Content, CountRecord, CountSession, RecordStatus};
use domain::key::{CountRecordKey, PositionKey, SerialKey, UserKey};
use domain::warehouse::stock::Pair;
use serde_json::Map;
use store::counting::pairs::{self, StockOf};
use store::counting::serials::{self, CountSerial};
use store::counting::{marks, records};

use crate::Result;
use crate::act::Act;

/// A count that ends.
#[derive(Debug)]
pub(crate) struct NewCount {
    /// As it is stored: completed.
    pub(crate) record: CountRecord,
    /// It began before, and has marked its pair since; otherwise it begins and ends now.
    pub(crate) begun: bool,
    /// The serials that stock had there when it began.
    pub(crate) in_system: BTreeSet<SerialKey>,
    /// The serials that were counted.
    pub(crate) counted: BTreeSet<SerialKey>,
}

impl NewCount {
    /// One that begins and ends now; the pair is locked.
    pub(crate) fn at_once(
        act: &Act<'_>,
        session: &CountSession,
        pair: &Pair,
        stock: &StockOf,
        counted: Content,
    ) -> Result<Self> {
        let record = CountRecord {
            status: RecordStatus::Completed,
            counted_qt: Some(counted.whole()),
            counted_at: Some(act.at),
            ..new_record(act, session, pair, stock, CountRecordKey(act.new_id()?))
        };
        let in_system = stock.content.serials.clone();
        Ok(Self { record, begun: false, in_system, counted: counted.serials })
    }

    /// Its serials, with how often they have moved so far.
    fn serials(&self, moves: &BTreeMap<SerialKey, i64>) -> impl Iterator<Item = CountSerial> {
        self.in_system.union(&self.counted).map(move |serial| CountSerial {
            record_key: self.record.key,
            serial_key: *serial,
            in_system: self.in_system.contains(serial),
            counted: self.counted.contains(serial),
            moves: Some(moves.get(serial).copied().unwrap_or_default()),
        })
    }
}

/// The record of a count that begins, with what stock says; the pair is locked.
pub(crate) fn new_record(
    act: &Act<'_>,
    session: &CountSession,
    pair: &Pair,
    stock: &StockOf,
    key: CountRecordKey,
) -> CountRecord {
    CountRecord {
        key,
        rev: 1,
        session_key: session.key,
        product_id: pair.product_id,
        position_key: pair.position_key.clone(),
        assignment_key: None,
        user_key: act.author.user_key.clone(),
        status: RecordStatus::Started,
        system_qt: stock.content.whole(),
        system_at: act.now,
        started_at: None,
        system_corrections: stock.corrections,
        counted_qt: None,
        counted_at: None,
        reviewed_at: None,
        processed: false,
        done: None,
        error_details: None,
        notes: None,
        extra: Map::new(),
    }
}

/// Stores counts that end. What the same users have counted there before is discarded. The session is locked, the positions are
/// held, and the serials and pairs are locked. Returns the positions that this session is done with from now on.
pub(crate) async fn complete(
    act: &mut Act<'_>,
    session: &CountSession,
    counts: Vec<NewCount>,
) -> Result<Vec<PositionKey>> {
    discard_earlier(act, session, &counts).await?;
    record_all(act, session, counts).await
}

/// The same where nothing is left to be discarded.
pub(crate) async fn record_all(
    act: &mut Act<'_>,
    session: &CountSession,
    counts: Vec<NewCount>,
) -> Result<Vec<PositionKey>> {
    let moves = moves_of(act, &counts).await?;
    let rows: Vec<CountSerial> = counts.iter().flat_map(|count| count.serials(&moves)).collect();
    let (mut positions, mut marked): (BTreeSet<PositionKey>, BTreeSet<Pair>) = Default::default();
    let mut new = Vec::with_capacity(counts.len());
    for NewCount { mut record, begun, .. } in counts {
        positions.insert(record.position_key.clone());
        if begun {
            pairs::free(act.tx, &record.pair(), record.counted_at).await?;
            records::save(act.tx, &mut record).await?;
        } else {
            marked.insert(record.pair());
            new.push(record);
        }
    }
    records::insert_all(act.tx, &new).await?;
    serials::save_all(act.tx, &rows).await?;
    pairs::note_counted(act.tx, &marked, act.at).await?;
    let positions: Vec<PositionKey> = positions.into_iter().collect();
    Ok(marks::settle(act.tx, session.key, &positions, act.at).await?)
}

async fn discard_earlier(act: &mut Act<'_>, session: &CountSession, counts: &[NewCount]) -> Result<()> {
    let mut of_users: BTreeMap<&UserKey, BTreeSet<Pair>> = BTreeMap::new();
    for NewCount { record, .. } in counts {
        of_users.entry(&record.user_key).or_default().insert(record.pair());
    }
    for (user, pairs) in of_users {
        records::discard_earlier(act.tx, session.key, &pairs, user, act.at).await?;
    }
    Ok(())
}

/// How often the serials of counts have moved so far.
async fn moves_of(act: &mut Act<'_>, counts: &[NewCount]) -> Result<BTreeMap<SerialKey, i64>> {
    let all = counts.iter().flat_map(|count| count.in_system.union(&count.counted));
    let keys: BTreeSet<i64> = all.map(|serial| serial.0).collect();
    let keys: Vec<i64> = keys.into_iter().collect();
    Ok(serials::moves(act.tx, &keys).await?.into_iter().collect())
}
