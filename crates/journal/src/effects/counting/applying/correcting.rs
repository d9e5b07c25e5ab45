//! One step: the corrections of its records, on the stock of now.

use std::collections::{BTreeMap, BTreeSet};

use domain::Quantity;
use domain::counting::{CountRecord, CountSession};
use domain::key::SerialKey;
use domain::rule::Refused;
use serde_json::{Map, Value, json};
use store::counting::{pairs, records, sessions};
use store::warehouse::movements::{self, Movement};
use store::warehouse::stock::Pair;

use super::floor::Floor;
use super::parts::{self, Part};
use crate::Result;
use crate::act::Act;
use crate::effects::warehouse::drafting::Draft;
use crate::effects::warehouse::moving::{By, Moved, carry_out_each};
use crate::effects::warehouse::telling;
use crate::event::ServerEvent;
use crate::event::made::counting::CountApplied;

/// A correction of a serial, or of what has none: movements that are carried out together.
struct Planned {
    /// The place of its part.
    part: usize,
    serial_key: Option<SerialKey>,
    drafts: Result<Vec<Draft>>,
}

/// What has become of the corrections of a part.
#[derive(Default)]
struct Done {
    moved: Vec<Moved>,
    refused: Vec<(Option<SerialKey>, Box<Refused>)>,
}

/// Corrects stock by the next records of a session that is locked, as far as they fit one step.
pub(super) async fn correct(act: &mut Act<'_>, session: &mut CountSession, records: Vec<CountRecord>) -> Result<()> {
    let parts = parts::next(act, records).await?;
    let mut floor = Floor::lock(act, session, &parts).await?;
    let (mut about, mut groups) = (Vec::new(), Vec::new());
    for Planned { part, serial_key, drafts } in plan(act, &mut floor, session, &parts) {
        about.push((part, serial_key));
        groups.push(drafts);
    }
    let by = By::Count(session.key);
    let carried_out = carry_out_each(act, groups, &floor.positions, &floor.units, by).await?;
    let mut done: BTreeMap<usize, Done> = BTreeMap::new();
    for ((part, serial_key), result) in about.into_iter().zip(carried_out) {
        let done = done.entry(part).or_default();
        match result {
            Ok(moved) => done.moved.extend(moved),
            Err(refused) => done.refused.push((serial_key, refused)),
        }
    }
    settle(act, session, &floor, parts, done).await
}

/// Everything that has to be done, in the order of the records.
fn plan(act: &Act<'_>, floor: &mut Floor, session: &CountSession, parts: &[Part]) -> Vec<Planned> {
    let mut planned = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        let (record, here) = (&part.record, part.record.pair());
        if part.begins && part.quantity != Quantity::ZERO {
            let drafts = floor.draft(act, session, record, &here, None, part.quantity).map(|draft| vec![draft]);
            planned.push(Planned { part: place, serial_key: None, drafts });
        }
        for serial in &part.serials {
            let steps = floor.serials.plan(serial, &here);
            if steps.is_empty() {
                continue;
            }
            let serial_key = Some(serial.serial_key);
            let draft = |(at, much): (Pair, Quantity)| floor.draft(act, session, record, &at, serial_key, much);
            planned.push(Planned { part: place, serial_key, drafts: steps.into_iter().map(draft).collect() });
        }
    }
    planned
}

/// Stores what was done, and tells of it.
async fn settle(
    act: &mut Act<'_>,
    session: &mut CountSession,
    floor: &Floor,
    parts: Vec<Part>,
    mut done: BTreeMap<usize, Done>,
) -> Result<()> {
    let mut new: Vec<Movement> = Vec::new();
    let (mut corrected, mut looked_at): (BTreeSet<Pair>, BTreeSet<Pair>) = Default::default();
    for (place, part) in parts.into_iter().enumerate() {
        let Done { mut moved, refused } = done.remove(&place).unwrap_or_default();
        for one in &mut moved {
            session.movements_created += 1;
            one.movement.movement_list_item = Some(session.movements_created);
        }
        tell(act, session, floor, &part, &moved).await?;
        new.extend(moved.into_iter().map(|moved| moved.movement));
        let Part { mut record, quantity, serials, ends, .. } = part;
        note_refused(&mut record, refused);
        if ends {
            record.processed = true;
            session.movements_failed += i64::from(record.error_details.is_some());
            let pairs =
                if quantity != Quantity::ZERO && !is_refused(&record) { &mut corrected } else { &mut looked_at };
            pairs.insert(record.pair());
        } else {
            record.done = serials.last().map(|serial| serial.serial_key);
        }
        records::save(act.tx, &mut record).await?;
    }
    movements::insert_all(act.tx, &new).await?;
    pairs::unlock(act.tx, session.key, &corrected, true).await?;
    pairs::unlock(act.tx, session.key, &looked_at, false).await?;
    Ok(sessions::save(act.tx, session).await?)
}

/// Tells of a record that is processed, and of its movements. Those of a part before the last stand for themselves.
async fn tell(act: &mut Act<'_>, session: &CountSession, floor: &Floor, part: &Part, moved: &[Moved]) -> Result<()> {
    if !part.ends {
        for one in moved {
            telling::completed_by_itself(act, one).await?;
        }
        return Ok(());
    }
    let payload = CountApplied {
        count_session_key: session.key,
        count_record_key: part.record.key,
        movement_list_key: session.adjustment_list_key,
    };
    act.make(ServerEvent::CountApplied.name(), &payload)?;
    act.concern(floor.concerns(&part.record)?).await?;
    for one in moved {
        telling::completed(act, one)?;
    }
    Ok(())
}

/// Whether what has no serial could not be corrected.
fn is_refused(record: &CountRecord) -> bool {
    record.error_details.as_ref().is_some_and(|details| details.get("error_type").is_some())
}

/// Notes what could not be corrected: a refusal of what has no serial as it is told to clients, and those of serials in a list.
fn note_refused(record: &mut CountRecord, refused: Vec<(Option<SerialKey>, Box<Refused>)>) {
    if refused.is_empty() {
        return;
    }
    let mut details = match record.error_details.take() {
        Some(Value::Object(details)) => details,
        _ => Map::new(),
    };
    let mut serials = match details.remove(SERIALS) {
        Some(Value::Array(serials)) => serials,
        _ => Vec::new(),
    };
    for (serial_key, refused) in refused {
        match serial_key {
            None => details.extend(told(*refused)),
            Some(serial_key) => {
                let mut told = told(*refused);
                told.insert("serial_key".to_owned(), json!(serial_key));
                serials.push(Value::Object(told));
            }
        }
    }
    if !serials.is_empty() {
        details.insert(SERIALS.to_owned(), Value::Array(serials));
    }
    record.error_details = Some(Value::Object(details));
}

/// The member of the details that lists serials.
const SERIALS: &str = "serials";

fn told(refused: Refused) -> Map<String, Value> {
    let mut told = Map::new();
    told.insert("error_type".to_owned(), json!(refused.error_type));
    told.insert("message".to_owned(), json!(refused.message));
    if let Value::Object(data) = refused.data {
        told.extend(data);
    }
    told
}
