//! Lines of bills of materials.

mod sent;

pub use sent::{Component, KnownComponents, SentLine};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Quantity;
use crate::key::{BomLineKey, PhaseKey, PositionKey, ProductId, ProductKey};
use crate::product::TraceabilityLevel;

/// Where a component is taken from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
// A quantity may be text when it is read but not when it is written, so one schema can't serve both.
#[schemars(inline)]
#[serde(deny_unknown_fields, default)]
pub struct ConsumptionOptions {
    /// The position it is taken from by default.
    pub consumption_position_key: Option<PositionKey>,
    /// Only from that position.
    pub consumption_position_mandatory: bool,
    /// When stock is short, what is available is enough if it is at least `minimum_quantity`.
    pub minimum_quantity_if_negative: bool,
    /// Per batch; null is 0.
    #[schemars(range(min = 0))]
    pub minimum_quantity: Option<Quantity>,
}

/// A line as it is read: of the current bill of materials, or of a stored version with codes and names as they were.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BomLineRead")]
pub struct BomLine {
    pub bom_line_key: BomLineKey,
    /// Its index in the list that was sent, from 0 on.
    pub line_no: i64,
    pub component_key: ProductKey,
    pub component_code: String,
    pub component_description: Option<String>,
    /// Per unit of the parent.
    pub qt: Quantity,
    pub phase_key: PhaseKey,
    /// The phase's alias.
    pub phase_name: String,
    /// Of the component.
    pub traceability_level: Option<TraceabilityLevel>,
    /// Of the component.
    pub manage_inventory: bool,
    pub consumption_options: ConsumptionOptions,
    pub extra: Value,
}

/// A line with the number by which its component is stored, and the cost of a unit of it.
#[derive(Debug, Clone)]
pub struct Line {
    pub component_id: ProductId,
    /// `None` if unknown.
    pub cost_average: Option<Quantity>,
    pub line: BomLine,
}

crate::named! {
    /// How a version of a bill of materials came about.
    pub enum BomSource {
        /// It was sent.
        Put = "put",
        /// It came with a copied product.
        Copy = "copy",
        /// Its lines went to the last phase of a copied process.
        ProcessCopy = "process_copy",
    }
}
