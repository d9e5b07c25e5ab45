//! The units that an event names for a batch.

use std::collections::HashSet;

use domain::fault::Faults;
use domain::key::SerialKey;
use domain::rule::Refused;
use domain::serial::code_of;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::production::unit_wip;
use store::serial::serials;

use super::ids;
use crate::act::Act;
use crate::effects::production::bench::Bench;
use crate::effects::serial::codes::NAMED;
use crate::{Error, Result};

/// A unit of a batch: the key of its serial, or an object with the key or the code.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "UnitReference")]
pub(crate) enum BatchUnit {
    Key(SerialKey),
    Named(NamedUnit),
}

/// A unit of a batch by the key or the code of its serial.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "UnitByKeyOrCode")]
pub(crate) struct NamedUnit {
    /// The serial; not in the first phase, which makes its units.
    serial_key: Option<SerialKey>,
    /// Its code. In the first phase: the code that the new unit gets; when left out, it gets one of the counter, at the latest
    /// when the batch is completed.
    #[schemars(length(min = 1, max = 256))]
    serial_code: Option<String>,
}

impl BatchUnit {
    fn key(&self) -> Option<SerialKey> {
        match self {
            BatchUnit::Key(key) => Some(*key),
            BatchUnit::Named(named) => named.serial_key,
        }
    }

    fn code(&self) -> Option<&str> {
        match self {
            BatchUnit::Key(_) => None,
            BatchUnit::Named(named) => named.serial_code.as_deref(),
        }
    }
}

/// The codes that are sent, as they are stored, each at the place of its unit.
fn codes(sent: &[BatchUnit]) -> Result<Vec<Option<String>>> {
    let (mut faults, mut read) = (Faults::at("body"), Vec::with_capacity(sent.len()));
    faults.within("batch_serials", |faults| {
        for (index, unit) in sent.iter().enumerate() {
            let code = unit.code().map(|code| (code, code_of(code)));
            if let Some((sent, None)) = &code {
                let why = "A code has 1 to 128 characters, without control characters.";
                faults.within(index, |faults| faults.add("value_error", why, &json!(sent)));
            }
            read.push(code.and_then(|(_, code)| code));
        }
    });
    Error::check(faults)?;
    Ok(read)
}

/// The codes for new units; none for those that do not bring one.
pub(super) fn codes_for_new(sent: &[BatchUnit]) -> Result<Vec<Option<String>>> {
    if sent.iter().any(|unit| unit.key().is_some()) {
        return Err(Refused::value("The first phase makes its units: send codes instead of keys.").into());
    }
    codes(sent)
}

/// The keys of the units that are sent, each of them once.
pub(super) async fn keys(act: &mut Act<'_>, bench: &Bench, sent: &[BatchUnit]) -> Result<Vec<SerialKey>> {
    let codes = codes(sent)?;
    let named: Vec<String> = codes.iter().flatten().cloned().collect();
    let product = bench.floor.work.order.product_id;
    let known = match named.is_empty() {
        true => Default::default(),
        false => serials::keys_of_codes(act.tx, product, &named).await?,
    };
    let (mut keys, mut seen) = (Vec::with_capacity(sent.len()), HashSet::with_capacity(sent.len()));
    for (unit, code) in sent.iter().zip(codes) {
        let by_code = match &code {
            Some(code) => Some(*known.get(code).ok_or_else(|| Error::missing("batch_serials", code))?),
            None => None,
        };
        let key = match (unit.key(), by_code) {
            (Some(key), Some(other)) if key != other => return Err(Error::mismatch("batch_serials", key, code)),
            (Some(key), _) | (None, Some(key)) => key,
            (None, None) => return Err(Refused::value("Name each unit by its key or its code.").into()),
        };
        if !seen.insert(key) {
            return Err(Refused::value(format!("The unit {key} is named twice.")).into());
        }
        keys.push(key);
    }
    Ok(keys)
}

/// Checks that all of these units wait in front of the job's phase. What begins with them does not begin before they were created.
pub(super) async fn must_wait_in_front(act: &mut Act<'_>, bench: &Bench, units: &[SerialKey]) -> Result<()> {
    let job = bench.job();
    let free = unit_wip::free_in_front(act.tx, job.work_order_key, job.phase_key, &ids(units)).await?;
    let absent: Vec<SerialKey> = units.iter().copied().filter(|key| !free.contains_key(key)).collect();
    if absent.is_empty() {
        free.into_values().for_each(|created| act.not_before(created));
        return Ok(());
    }
    let known = serials::live(act.tx, &ids(&absent)).await?;
    if let Some(unknown) = absent.iter().find(|key| !known.contains(key)) {
        return Err(Error::missing("batch_serials", unknown));
    }
    let absent = absent.into_iter().take(NAMED).collect();
    Err(bench.floor.work.units_not_in_front(bench.index, units.len(), absent).into())
}
