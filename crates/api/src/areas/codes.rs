//! Codes that the site's counters make for new records.

use domain::config::SYSTEM_COUNTERS;
use domain::key::CounterKey;
use domain::rule::production::{CounterCodeTaken, CounterNotDefinedError};
use store::Tx;
use store::administration::config;
use store::administration::counters::Drawn;

use crate::Result;
use crate::error::ApiError;

/// The counter that makes codes for a kind of record, if the site has named one.
pub(super) async fn counter_of(tx: &mut Tx, slot: &str) -> Result<Option<CounterKey>> {
    let slots = config::get(tx, SYSTEM_COUNTERS).await?.unwrap_or_default();
    Ok(slots[slot].as_str().and_then(|key| CounterKey::new(key).ok()))
}

/// The one code that was drawn; `missing` says that no counter makes codes.
pub(super) fn drawn_code(drawn: Drawn, counter_key: Option<CounterKey>, missing: &'static str) -> Result<String> {
    match drawn {
        Drawn::Codes(codes) => {
            codes.into_iter().next().ok_or_else(|| ApiError::internal("a counter drew no code", None))
        }
        Drawn::NoCounter => {
            Err(ApiError::rule(&CounterNotDefinedError { counter_key, serial_keys: Vec::new() }, missing))
        }
        Drawn::AllTaken => {
            Err(ApiError::rule(&CounterCodeTaken { counter_key }, "The next 1,000 codes of the counter are taken."))
        }
    }
}
