//! Work orders: what is planned of them changes.

use domain::Quantity;
use domain::bom_line::{ConsumptionOptions, SentLine};
use domain::key::{PhaseKey, ProductKey};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// A line that an order is to use. Takes what readers get: what belongs to component and phase is passed over.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "WOBomLineInput")]
#[serde(deny_unknown_fields)]
pub struct OrderLineIn {
    /// Has to be there.
    component_key: Option<ProductKey>,
    /// Per unit of the product; more than 0.
    qt: Quantity,
    /// A phase of the order; its last one when left out.
    phase_key: Option<PhaseKey>,
    consumption_options: Option<ConsumptionOptions>,
    /// Anything, kept as it is.
    #[serde(default)]
    extra: Value,
    #[serde(rename = "component_code")]
    _component_code: Option<Value>,
    #[serde(rename = "component_description")]
    _component_description: Option<Value>,
    #[serde(rename = "phase_name")]
    _phase_name: Option<Value>,
    #[serde(rename = "traceability_level")]
    _traceability_level: Option<Value>,
    #[serde(rename = "manage_inventory")]
    _manage_inventory: Option<Value>,
}

impl From<&OrderLineIn> for SentLine {
    fn from(line: &OrderLineIn) -> Self {
        Self {
            component_key: line.component_key.clone(),
            component_code: None,
            qt: line.qt,
            phase_key: line.phase_key,
            consumption_options: line.consumption_options.clone(),
            extra: line.extra.clone(),
        }
    }
}
