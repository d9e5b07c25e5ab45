//! Traced production: batches of units, which the first phase makes and the last one releases.

pub(crate) mod changing;
pub(crate) mod completing;
pub(crate) mod discarding;
mod files;
pub(crate) mod named;
pub(crate) mod opening;
pub(crate) mod parts;
pub(crate) mod values;
pub(crate) mod waiting;

use domain::key::SerialKey;

/// The numbers of keys, for the store.
pub(crate) fn ids(keys: &[SerialKey]) -> Vec<i64> {
    keys.iter().map(|key| key.0).collect()
}
