//! The result of a batch: as it is reported, and unit by unit.

use std::collections::HashSet;

use domain::Quantity;
use domain::key::{PositionKey, ProductKey, SerialKey};
use domain::serial::Serial;
use schemars::JsonSchema;
use serde::Deserialize;

use super::sheet::StepData;

/// What is reported of a batch.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    pub(crate) pass: Quantity,
    /// The number of scrapped units if left out.
    pub(crate) scrap: Option<Quantity>,
    /// The units that are scrapped.
    pub(crate) scrap_serial_keys: Vec<SerialKey>,
    /// The units that pass, to be sure of them.
    pub(crate) batch_serial_keys: Option<Vec<SerialKey>>,
    pub(crate) scrap_reason: Option<String>,
    pub(crate) step_data: Option<Vec<StepData>>,
    /// Where components were taken from, if their lines do not say so.
    pub(crate) consumption: Vec<Source>,
}

impl Completion {
    pub(crate) fn scrapped(&self) -> Quantity {
        self.scrap.unwrap_or_default()
    }
}

/// Where a component was taken from.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Consumption")]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    /// The component.
    pub(crate) component_key: ProductKey,
    /// The position it was taken from.
    pub(crate) position_key: PositionKey,
}

/// Which units of a batch passed, and which were scrapped.
#[derive(Debug, Default)]
pub(crate) struct UnitKeys {
    pub(crate) all: Vec<SerialKey>,
    pub(crate) scrapped: HashSet<SerialKey>,
}

/// The units of a batch; none if the order's are not traced.
#[derive(Debug, Default)]
pub(crate) struct Units {
    pub(crate) passed: Vec<Serial>,
    pub(crate) scrapped: Vec<Serial>,
    /// Whether those that passed are released only with all their evidence.
    pub(crate) evidence_asked: bool,
}

fn keys(serials: &[Serial]) -> Vec<SerialKey> {
    serials.iter().map(|serial| serial.key).collect()
}

impl Units {
    /// The keys of those that passed.
    pub(crate) fn passed_keys(&self) -> Vec<SerialKey> {
        keys(&self.passed)
    }

    /// The keys of those that were scrapped.
    pub(crate) fn scrapped_keys(&self) -> Vec<SerialKey> {
        keys(&self.scrapped)
    }

    /// All keys, if there are units.
    pub(crate) fn all_keys(&self) -> Option<Vec<SerialKey>> {
        let mut all = [self.passed_keys(), self.scrapped_keys()].concat();
        all.sort_unstable();
        (!all.is_empty()).then_some(all)
    }
}
