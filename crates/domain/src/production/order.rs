use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Stage;
use crate::json::Opaque;
use crate::key::{PositionKey, ProductId, ProductKey, UserKey, WorkOrderKey};
use crate::product::TraceabilityLevel;
use crate::{Quantity, Timestamp};

/// A document that the product had when the order was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WorkOrderDoc")]
pub struct OrderDoc {
    pub name: String,
    pub size: i64,
}

/// An order to make a quantity of a product.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    pub key: WorkOrderKey,
    pub rev: i64,
    pub wo_code: String,
    pub product_id: ProductId,
    pub product_key: ProductKey,
    pub product_code: String,
    pub product_description: Option<String>,
    pub qt_planned: Quantity,
    pub priority: bool,
    pub project_code: Option<String>,
    pub notes: Option<String>,
    pub start_from: Option<Timestamp>,
    pub due_by: Option<Timestamp>,
    pub extra: Opaque,
    pub output_position_key: Option<PositionKey>,
    pub traceability_level: Option<TraceabilityLevel>,
    pub serial_code_on_creation: bool,
    /// Of the product's bill of materials; `None` if the order was given its own lines.
    pub bom_version: Option<i64>,
    pub serial_fields: Opaque,
    pub wo_docs: Opaque,
    pub material_cost: Option<Quantity>,
    pub status: Stage,
    pub active: bool,
    pub critical: bool,
    pub qt_completed: Quantity,
    pub qt_scrap: Quantity,
    /// In percent.
    pub progress: Quantity,
    pub created: Timestamp,
    pub created_by: UserKey,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    /// In the site queue, while it is not closed.
    pub place: i64,
}

impl Order {
    /// Whether its units are traced one by one.
    pub fn is_traced(&self) -> bool {
        self.traceability_level.is_some()
    }

    pub fn qt_remaining(&self) -> Quantity {
        (self.qt_planned - self.qt_completed - self.qt_scrap).or_zero()
    }
}

/// Whether something is on time, or has ended on time.
pub fn on_time(due_by: Option<Timestamp>, ended: Option<Timestamp>, now: Timestamp) -> bool {
    due_by.is_none_or(|due| ended.unwrap_or(now) <= due)
}
