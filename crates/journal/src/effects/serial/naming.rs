//! The serials that an event is about.

use std::collections::{HashMap, HashSet};

use domain::journal::Concerns;
use domain::key::SerialKey;
use domain::rule::Refused;
use domain::serial::{MOST_SERIALS, Serial};
use serde_json::json;
use store::serial::serials;

use crate::act::Act;
use crate::event::made::serial::CodedSerial;
use crate::event::{Outcome, OutcomeMember};
use crate::{Error, Result};

/// Locks a live serial.
pub(crate) async fn lock(act: &mut Act<'_>, field: &str, key: SerialKey) -> Result<Serial> {
    let found = serials::lock(act.tx, key).await?.filter(|serial| serial.deleted.is_none());
    found.ok_or_else(|| Error::missing(field, key))
}

/// The keys that an event sends, either one or many.
pub(crate) fn named(one: Option<SerialKey>, many: Option<Vec<SerialKey>>) -> Result<Vec<SerialKey>> {
    let keys = match (one, many) {
        (Some(key), None) => vec![key],
        (None, Some(keys)) if !keys.is_empty() => keys,
        _ => return Err(Refused::value("Send either serial_key or serial_keys.").into()),
    };
    if keys.len() > MOST_SERIALS {
        return Err(Refused::value(format!("At most {MOST_SERIALS} serials at once.")).into());
    }
    let mut seen = HashSet::with_capacity(keys.len());
    Ok(keys.into_iter().filter(|key| seen.insert(*key)).collect())
}

/// Locks live serials, in the order of their keys; returns them in the order they are named.
pub(crate) async fn lock_all(act: &mut Act<'_>, field: &str, keys: &[SerialKey]) -> Result<Vec<Serial>> {
    let ids: Vec<i64> = keys.iter().map(|key| key.0).collect();
    let found = serials::lock_all(act.tx, &ids).await?.into_iter().filter(|serial| serial.deleted.is_none());
    let mut live: HashMap<SerialKey, Serial> = found.map(|serial| (serial.key, serial)).collect();
    keys.iter().map(|key| live.remove(key).ok_or_else(|| Error::missing(field, key))).collect()
}

/// What an event about these serials concerns: what is the same for all of them.
pub(crate) fn concerns(serials: &[Serial]) -> Concerns {
    let Some(first) = serials.first() else { return Concerns::default() };
    let same_product = serials.iter().all(|serial| serial.product_id == first.product_id);
    let same_order = serials.iter().all(|serial| serial.wo_key == first.wo_key);
    Concerns {
        serial_key: (serials.len() == 1).then_some(first.key),
        product_key: same_product.then(|| first.product_key.clone()),
        work_order_key: first.wo_key.filter(|_| same_order),
        ..Concerns::default()
    }
}

/// What the answer to an event about one or many serials shows.
pub(crate) fn outcome(serials: &[CodedSerial]) -> Outcome {
    let first = serials.first().map(|serial| serial.serial_key);
    Outcome(vec![
        ("serial_key", OutcomeMember::Json(json!(first))),
        ("count", OutcomeMember::Json(json!(serials.len()))),
        ("serials", OutcomeMember::Json(json!(serials))),
    ])
}
