//! Products: how far they are traced, and their fields.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::key::{CounterKey, FieldKey, PositionKey};
use crate::{Quantity, named};

named! {
    /// How far the units of a product are traced; a product without a level has no serials.
    pub enum TraceabilityLevel {
        /// Serials with form data; component links are optional.
        FormOnly = "form_only",
        /// Traced components must be linked.
        Complete = "complete",
    }
}

named! {
    /// What the size of the window of key figures counts.
#[schemars(rename = "StatsWindowType")]
    pub enum WindowType {
        /// Closed orders.
        Count = "count",
        /// Days.
        Time = "time",
    }
}

/// The value of a custom field of a product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProductMetadata")]
pub struct Metadata {
    pub custom_field_key: FieldKey,
    pub value: Value,
    pub label: Option<String>,
    pub hint: Option<String>,
}

/// Maximum length of the unit that a product is counted in, in characters.
pub const UNIT_CHARS: usize = 16;

/// The fields of a product that people write.
#[derive(Debug, Clone, PartialEq)]
pub struct ProductData {
    pub code: String,
    pub description: Option<String>,
    pub active: bool,
    pub counter_key: Option<CounterKey>,
    pub traceability_level: Option<TraceabilityLevel>,
    pub manage_inventory: bool,
    pub allow_negative_inventory: bool,
    pub serial_code_on_creation: bool,
    pub cost_target: Option<Quantity>,
    pub cost_average: Option<Quantity>,
    pub technical_batch_qt: Quantity,
    pub minimum_order_qt: Quantity,
    pub production_notes: Option<String>,
    pub throughput_time_target: Option<Quantity>,
    pub processing_time_target: Option<Quantity>,
    pub kpi_window_size: Option<i64>,
    pub kpi_window_type: WindowType,
    pub metadata: Vec<Metadata>,
    pub default_production_position_key: Option<PositionKey>,
    pub default_consumption_position_key: Option<PositionKey>,
    /// What it is counted in; empty: pieces.
    pub unit: String,
    /// People are told when there is less in stock.
    pub minimum_stock_qt: Option<Quantity>,
}

impl ProductData {
    /// A product with nothing but a code.
    pub fn new(code: String) -> Self {
        Self {
            code,
            description: None,
            active: true,
            counter_key: None,
            traceability_level: None,
            manage_inventory: false,
            allow_negative_inventory: false,
            serial_code_on_creation: false,
            cost_target: None,
            cost_average: None,
            technical_batch_qt: Quantity::ZERO,
            minimum_order_qt: Quantity::ZERO,
            production_notes: None,
            throughput_time_target: None,
            processing_time_target: None,
            kpi_window_size: None,
            kpi_window_type: WindowType::Count,
            metadata: Vec::new(),
            default_production_position_key: None,
            default_consumption_position_key: None,
            unit: String::new(),
            minimum_stock_qt: None,
        }
    }
}
