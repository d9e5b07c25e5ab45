//! What errors that are not rules say besides their message. Each member belongs to some operations only.

use schemars::{Schema, SchemaGenerator};
use serde::Serialize;

use crate::production::Stage;
use crate::rule::warehouse::RowFault;

macro_rules! error_data {
    ($($(#[$attribute:meta])+ $member:ident: $type:ty,)+) => {
        #[derive(Debug, Default, Clone, PartialEq, Serialize, schemars::JsonSchema)]
        pub struct ErrorData {
            $($(#[$attribute])+ #[serde(skip_serializing_if = "Option::is_none")] pub $member: Option<$type>,)+
        }
    };
}

error_data! {
    /// Which of several reasons it is. Of 401: `token`, the token is not valid; `credentials`, the username or password is wrong;
    /// `owner`, it belongs to another user. Of counters: `counter_in_use_as_system_counter`,
    /// `counter_in_use_by_products` or `counter_in_use_by_serials`.
    code: &'static str,
    /// Of 403: the scope that is missing.
    required_scope: String,
    /// Of 500: finds the cause in the log.
    error_id: String,
    /// The place of the refused event in `events`, counting from 0.
    index: usize,
    /// How many records use it.
    total: i64,
    /// Some of the products that use it.
    sample: Vec<ProductName>,
    /// The entries of the configuration that name the counter.
    slots: Vec<String>,
    /// The `_id` of each record that was not found.
    missing: Vec<String>,
    /// The keys that were sent of records that there are not, or that were deleted; of as-built, also of serials of another product.
    unknown: Vec<String>,
    /// Required columns that the file lacks.
    missing_columns: Vec<String>,
    /// The codes of the products it concerns.
    product_codes: Vec<String>,
    /// The codes of the products whose bills of materials use it.
    used_in: Vec<String>,
    /// The codes of its open work orders.
    work_order_codes: Vec<String>,
    /// The status of the work order.
    status: Stage,
    /// Each way in which the product would be a part of itself, as the codes along it; the first and last are the same.
    loops: Vec<Vec<String>>,
    /// The loops, as text.
    data: Vec<String>,
    /// How many positions are in it.
    child_positions: i64,
    /// How many rows of stock lie in it.
    stock_rows: i64,
    /// How many of its products are being counted, or locked by a counting session.
    counts: i64,
    /// How many issues have the type.
    issue_count: i64,
    /// How many live tasks have the type.
    task_count: i64,
    /// What is wrong with which row of a list of movements or assignments.
    errors: Vec<RowFault>,
    /// The phases whose lines of the bill of materials would be lost.
    phases: Vec<PhaseWithLines>,
    /// The file that was not found.
    filename: String,
    /// The slug that is taken.
    slug: String,
    /// The field that has the slug or the key.
    field_key: String,
    /// The key that is taken.
    #[serde(rename = "_key")]
    key: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ProductName {
    #[serde(rename = "_key")]
    pub key: String,
    pub code: String,
    pub description: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PhaseWithLines {
    pub phase_key: String,
    pub alias: String,
    /// How many lines belong to the phase.
    pub line_count: i64,
}

impl ErrorData {
    pub fn schema(generator: &mut SchemaGenerator) -> Schema {
        <Self as schemars::JsonSchema>::json_schema(generator)
    }

    pub fn required_scope(scope: &str) -> Self {
        Self { required_scope: Some(scope.to_owned()), ..Self::default() }
    }
}
