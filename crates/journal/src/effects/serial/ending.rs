//! Releasing, scrapping and deleting serials.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::Timestamp;
use domain::config::ALLOW_SERIAL_DELETE;
use domain::key::{CounterKey, ProductId, SerialKey};
use domain::rule::serial::{
    MissingOfUnit, NotDeleted, NotReleased, NotScrapped, RefusedSerial, SerialNotDeletedError, SerialNotReleasedError,
    SerialNotScrappedError,
};
use domain::serial::evidence::Missing;
use domain::serial::{Parent, Serial};
use store::administration::config;
use store::product::products;
use store::serial::{links, serials};
use store::warehouse::stock;

use super::codes::{self, NAMED};
use super::data::fields_of;
use super::evidence;
use super::linking::{end_by_other, not_before_links};
use super::naming::concerns;
use super::stock::{movements_of, put_back, write_off};
use crate::act::Act;
use crate::event::ClientEvent;
use crate::event::made::serial::{CodedSerial, SerialsScrapped};
use crate::{Error, Result};

fn ids(serials: &[Serial]) -> Vec<i64> {
    serials.iter().map(|serial| serial.key.0).collect()
}

/// Checks that locked serials can be released by hand, and with all their evidence if it is asked for.
pub(crate) async fn must_be_releasable(
    act: &mut Act<'_>,
    serials: &[Serial],
    many: bool,
    evidence_asked: bool,
) -> Result<()> {
    let busy = serials::in_production(act.tx, &ids(serials)).await?;
    let others = serials.iter().filter(|serial| state_rule(&busy, serial).is_none()).map(|serial| serial.key);
    let others: Vec<SerialKey> = others.collect();
    let blocked = if evidence_asked { evidence::blocking(act.tx, &others).await? } else { Blocked::new() };
    let rule = |serial: &Serial| state_rule(&busy, serial).or_else(|| evidence_rule(&blocked, serial));
    not_released(serials, rule, &blocked, many).map_or(Ok(()), Err)
}

/// Checks that the records of locked serials have all their evidence.
pub(crate) async fn must_have_evidence(act: &mut Act<'_>, serials: &[Serial]) -> Result<()> {
    let keys: Vec<SerialKey> = serials.iter().map(|serial| serial.key).collect();
    let blocked = evidence::blocking(act.tx, &keys).await?;
    not_released(serials, |serial| evidence_rule(&blocked, serial), &blocked, true).map_or(Ok(()), Err)
}

/// What serials lack, of those that lack anything.
type Blocked = HashMap<SerialKey, Vec<Missing>>;

/// Why a serial is in no state to be released by hand; `busy` are those in production.
fn state_rule(busy: &HashSet<SerialKey>, serial: &Serial) -> Option<NotReleased> {
    if serial.scrapped.is_some() {
        Some(NotReleased::Scrapped)
    } else if serial.released.is_some() {
        Some(NotReleased::AlreadyReleased)
    } else {
        busy.contains(&serial.key).then_some(NotReleased::InProduction)
    }
}

fn evidence_rule(blocked: &Blocked, serial: &Serial) -> Option<NotReleased> {
    blocked.contains_key(&serial.key).then_some(NotReleased::MissingEvidence)
}

/// The refusal of a release, if a rule refuses any of the serials.
fn not_released(
    serials: &[Serial],
    rule: impl Fn(&Serial) -> Option<NotReleased>,
    blocked: &Blocked,
    many: bool,
) -> Option<Error> {
    let refused = refused(serials, rule);
    let rule = refused.first()?.rule;
    let lacking = serials.iter().filter_map(|serial| Some((serial.key, blocked.get(&serial.key)?)));
    let missing = lacking.flat_map(|(serial_key, missing)| {
        missing.iter().map(move |missing| MissingOfUnit { serial_key, missing: missing.clone() })
    });
    let missing_evidence = missing.take(NAMED).collect();
    let serials = if many { refused } else { Vec::new() };
    let why = match rule {
        NotReleased::Scrapped => "A scrapped unit can't be released.",
        NotReleased::AlreadyReleased => "A unit can't be released twice.",
        NotReleased::InProduction => "A unit in production is released when its last phase is completed.",
        NotReleased::MissingEvidence => "A unit can't be released while its record lacks evidence.",
    };
    Some(Error::rule(&SerialNotReleasedError { rule, serials, missing_evidence }, why))
}

fn refused<R: Copy>(serials: &[Serial], rule: impl Fn(&Serial) -> Option<R>) -> Vec<RefusedSerial<R>> {
    let refused =
        serials.iter().filter_map(|serial| Some(RefusedSerial { serial_key: serial.key, rule: rule(serial)? }));
    refused.take(NAMED).collect()
}

/// Releases locked serials; those without a code get one from their counter, or that of their product.
pub(crate) async fn release(act: &mut Act<'_>, serials: &[Serial], released: Timestamp) -> Result<Vec<CodedSerial>> {
    if released > act.now.max(act.at) {
        return Err(Error::timestamp("A release can't lie in the future.", None));
    }
    if let Some(created) = serials.iter().map(|serial| serial.created).max().filter(|created| released < *created) {
        return Err(Error::timestamp("The unit was created later.", Some(created)));
    }
    let mut coded: Vec<CodedSerial> = serials.iter().map(CodedSerial::from).collect();
    let drawn = draw_missing(act, serials, &HashSet::new()).await?;
    let codes: Vec<(SerialKey, String)> =
        drawn.iter().map(|(place, code)| (serials[*place].key, code.clone())).collect();
    serials::set_codes(act.tx, &codes).await?;
    for (place, code) in drawn {
        coded[place].code = Some(code);
    }
    let user = act.author.user_key.clone();
    serials::release(act.tx, &ids(serials), released, &user).await?;
    Ok(coded)
}

/// Draws codes for those that have none, in the order of their keys; the place of each among the serials. Some may stay without one
/// if there is no counter.
pub(crate) async fn draw_missing(
    act: &mut Act<'_>,
    serials: &[Serial],
    may_lack: &HashSet<SerialKey>,
) -> Result<Vec<(usize, String)>> {
    let uncoded: Vec<usize> = (0..serials.len()).filter(|place| serials[*place].code.is_none()).collect();
    let own: BTreeSet<ProductId> = uncoded
        .iter()
        .map(|place| &serials[*place])
        .filter(|serial| serial.counter_key.is_none())
        .map(|serial| serial.product_id)
        .collect();
    let counters = products::counters_of(act.tx, &own.iter().map(|id| id.0).collect::<Vec<_>>()).await?;
    let counter_of = |serial: &Serial| -> Option<CounterKey> {
        serial.counter_key.clone().or_else(|| counters.get(&serial.product_id).cloned())
    };
    // Counters are locked in the order of their keys.
    let mut groups: Vec<(Option<CounterKey>, ProductId, Vec<usize>)> = Vec::new();
    for place in uncoded {
        let (counter, product) = (counter_of(&serials[place]), serials[place].product_id);
        if counter.is_none() && may_lack.contains(&serials[place].key) {
            continue;
        }
        match groups.iter_mut().find(|(known, of, _)| *known == counter && *of == product) {
            Some((_, _, places)) => places.push(place),
            None => groups.push((counter, product, vec![place])),
        }
    }
    groups.sort_by(|one, other| {
        (one.0.as_ref().map(CounterKey::as_str), one.1).cmp(&(other.0.as_ref().map(CounterKey::as_str), other.1))
    });
    let mut drawn = Vec::new();
    for (counter, product, places) in groups {
        let keys: Vec<SerialKey> = places.iter().map(|place| serials[*place].key).collect();
        let codes = codes::draw(act, product, counter.as_ref(), places.len(), &keys, HashSet::new()).await?;
        drawn.extend(places.into_iter().zip(codes));
    }
    Ok(drawn)
}

/// Checks that locked serials can be scrapped by hand.
pub(crate) async fn must_be_scrappable(act: &mut Act<'_>, serials: &[Serial], many: bool) -> Result<()> {
    if let Some(created) = serials.iter().map(|serial| serial.created).max() {
        act.not_before(created);
        if act.at < created {
            return Err(Error::timestamp("The unit was created later.", Some(created)));
        }
    }
    let keys = ids(serials);
    let used = serials::used(act.tx, &keys).await?;
    let busy = serials::in_active_batch(act.tx, &keys).await?;
    let rule = |serial: &Serial| {
        if serial.scrapped.is_some() {
            Some(NotScrapped::AlreadyScrapped)
        } else if used.contains(&serial.key) {
            Some(NotScrapped::Used)
        } else {
            busy.contains(&serial.key).then_some(NotScrapped::InActiveBatch)
        }
    };
    let refused = refused(serials, rule);
    let Some(rule) = refused.first().map(|serial| serial.rule) else { return Ok(()) };
    let serials = if many { refused } else { Vec::new() };
    let why = match rule {
        NotScrapped::AlreadyScrapped => "A unit can't be scrapped twice.",
        NotScrapped::Used => "A unit that is built in can't be scrapped: take it out first.",
        NotScrapped::InActiveBatch => "A unit of an active batch is scrapped when the batch is completed.",
    };
    Err(Error::rule(&SerialNotScrappedError { rule, serials }, why))
}

/// Marks locked serials as scrapped, and takes them out of stock.
pub(crate) async fn scrap(act: &mut Act<'_>, serials: &[Serial], reason: &str) -> Result<()> {
    write_off(act, serials, reason).await?;
    let user = act.author.user_key.clone();
    Ok(serials::scrap(act.tx, &ids(serials), act.at, &user, reason).await?)
}

/// Scraps serials because of the current event, and tells of it.
pub(crate) async fn scrap_by_other(act: &mut Act<'_>, serials: &[Serial], reason: &str) -> Result<()> {
    let payload = SerialsScrapped {
        serial_keys: serials.iter().map(|serial| serial.key).collect(),
        reason: reason.to_owned(),
        release_components: false,
    };
    act.child(ClientEvent::SerialScrapped.name(), concerns(serials), &payload)?;
    scrap(act, serials, reason).await
}

fn not_deleted(rule: NotDeleted, of: Option<SerialKey>) -> Error {
    Error::rule(&SerialNotDeletedError { rule, serial_key: of }, "The serial can't be deleted.")
}

/// Deletes a serial, with everything below it if that is wanted. Returns the keys of those that were deleted.
pub(crate) async fn delete(act: &mut Act<'_>, top: Serial, soft: bool, children: bool) -> Result<Vec<SerialKey>> {
    if config::get(act.tx, ALLOW_SERIAL_DELETE).await?.and_then(|entry| entry.as_bool()) != Some(true) {
        return Err(not_deleted(NotDeleted::NotAllowed, None));
    }
    let key = top.key;
    let mut gone = vec![top];
    let mut at = 0;
    while children && at < gone.len() {
        let below: Vec<i64> = links::active_below(act.tx, Parent::Serial(gone[at].key))
            .await?
            .iter()
            .map(|link| link.child_key.0)
            .collect();
        if !below.is_empty() {
            gone.extend(serials::lock_all(act.tx, &below).await?);
        }
        at += 1;
    }
    let deleted: HashSet<SerialKey> = gone.iter().map(|serial| serial.key).collect();
    for serial in &gone {
        let of = (serial.key != key).then_some(serial.key);
        must_be_deletable(act, serial, &deleted, soft).await.map_err(|rule| match rule {
            Ok(rule) => not_deleted(rule, of),
            Err(error) => error,
        })?;
    }
    let mut below = Vec::new();
    for serial in &gone {
        act.not_before(serial.created);
        below.extend(links::active_below(act.tx, Parent::Serial(serial.key)).await?);
    }
    not_before_links(act, &below);
    let taken = movements_of(below.iter().filter(|link| !deleted.contains(&link.child_key)));
    for link in below {
        let process_inventory = !deleted.contains(&link.child_key);
        end_by_other(act, link, Some("parent deleted".to_owned()), process_inventory).await?;
    }
    put_back(act, &taken).await?;
    for serial in gone {
        delete_one(act, serial, soft).await?;
    }
    Ok(deleted.into_iter().collect::<BTreeSet<_>>().into_iter().collect())
}

async fn must_be_deletable(
    act: &mut Act<'_>,
    serial: &Serial,
    with: &HashSet<SerialKey>,
    soft: bool,
) -> std::result::Result<(), std::result::Result<NotDeleted, Error>> {
    let failed = |error: store::StoreError| Err(Error::from(error));
    let link = links::active_of(act.tx, serial.key).await.map_err(failed)?;
    let by_other = link.is_some_and(|link| link.parent_key.is_none_or(|parent| !with.contains(&parent)));
    if by_other {
        return Err(Ok(NotDeleted::Used));
    }
    let key = [serial.key.0];
    if !stock::of_serials(act.tx, &key).await.map_err(failed)?.is_empty() {
        return Err(Ok(NotDeleted::InStock));
    }
    if !serials::in_active_batch(act.tx, &key).await.map_err(failed)?.is_empty() {
        return Err(Ok(NotDeleted::InActiveBatch));
    }
    if !serials::in_wip(act.tx, &key).await.map_err(failed)?.is_empty() {
        return Err(Ok(NotDeleted::InProduction));
    }
    if !soft && serials::has_history(act.tx, serial.key).await.map_err(failed)? {
        return Err(Ok(NotDeleted::HasHistory));
    }
    Ok(())
}

async fn delete_one(act: &mut Act<'_>, before: Serial, soft: bool) -> Result<()> {
    if !soft {
        return Ok(serials::remove(act.tx, before.key).await?);
    }
    let mut serial = before.clone();
    serial.deleted = Some(act.at);
    serial.deleted_by = Some(act.author.user_key.clone());
    let fields = fields_of(act, &before, &[]).await?;
    Ok(serials::save(act.tx, &before, &mut serial, &fields.kinds).await?)
}
