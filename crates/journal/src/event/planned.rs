//! What the journal keeps of the plan of an order: the parts of payloads that tell of it.

use domain::json::Opaque;
use domain::key::{JobKey, PhaseKey, PositionKey, ProductKey, UserKey};
use domain::process::PhaseParameters;
use domain::production::OrderLine;
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

/// What the journal keeps of a new order.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct WorkOrderCreatedChanges {
    /// Its code.
    pub(crate) wo_code: String,
    /// Its product.
    pub(crate) product_key: ProductKey,
    /// The code of its product.
    pub(crate) product_code: String,
    /// The planned quantity.
    pub(crate) qt_planned: Quantity,
    /// Whether it has priority.
    pub(crate) priority: bool,
    /// The project it belongs to.
    pub(crate) project_code: Option<String>,
    /// Its notes.
    pub(crate) notes: Option<String>,
    /// When it may be started.
    pub(crate) start_from: Option<Timestamp>,
    /// When it is due.
    pub(crate) due_by: Option<Timestamp>,
    /// Its additional data, as it was sent.
    pub(crate) extra: Opaque,
    /// The position where its output goes.
    pub(crate) output_position_key: Option<PositionKey>,
    /// The version of the product's bill of materials that it uses; null if it has lines of its own.
    pub(crate) bom_version: Option<i64>,
    /// Its lines, if they are its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<OrderLine>")]
    pub(crate) wo_bom: Option<Vec<OrderLine>>,
}

/// What the journal keeps of a deleted order.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct WorkOrderDeletedChanges {
    /// Its code.
    pub(crate) wo_code: String,
}

/// What has changed in the plan of an order, with the new values. Members left out stay.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(crate) struct WorkOrderUpdatedChanges {
    /// The planned quantity.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Quantity")]
    pub(crate) qt_planned: Option<Quantity>,
    /// When it is due; null: at no particular time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) due_by: Option<Option<Timestamp>>,
    /// When it may be started; null: at any time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start_from: Option<Option<Timestamp>>,
    /// The project it belongs to; null: to none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) project_code: Option<Option<String>>,
    /// The position where its output goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output_position_key: Option<Option<PositionKey>>,
    /// Its notes; null: it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) notes: Option<Option<String>>,
    /// Whether it has priority; null: it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) priority: Option<Option<bool>>,
    /// All its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<OrderLine>")]
    pub(crate) wo_bom: Option<Vec<OrderLine>>,
    /// The jobs that were planned by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<PlannedJob>")]
    pub(crate) jobs: Option<Vec<PlannedJob>>,
}

/// What the journal keeps of a job that was planned by hand: the new values of what has changed. Members left out stay.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct PlannedJob {
    /// The phase of a job that is added or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PhaseKey")]
    pub(crate) phase_key: Option<PhaseKey>,
    /// The planned quantity.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Quantity")]
    pub(crate) qt_planned: Option<Quantity>,
    /// Whom it is assigned to; null: nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) assigned_to: Option<Option<UserKey>>,
    /// Its notes; null: it has none, or a new job has those of the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) notes: Option<Option<String>>,
    /// When it may be started; null: at any time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start_from: Option<Option<Timestamp>>,
    /// When it is due; null: at no particular time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) due_by: Option<Option<Timestamp>>,
    /// How its work is organised.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PhaseParameters")]
    pub(crate) parameters: Option<PhaseParameters>,
    /// Its additional data, as it was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Opaque")]
    pub(crate) extra: Option<Opaque>,
    /// What was done with the job.
    pub(crate) action: PlanAction,
    /// The job.
    pub(crate) job_key: JobKey,
}

/// What a planner did with a job.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PlanAction {
    /// It was added.
    Insert,
    /// It was changed.
    Update,
    /// It was closed by hand.
    Close,
    /// It was to be closed, but nobody had started it, so it was deleted.
    Delete,
}

impl PlannedJob {
    /// A job of which nothing has changed yet.
    pub(crate) fn new(action: PlanAction, job_key: JobKey) -> Self {
        Self {
            phase_key: None,
            qt_planned: None,
            assigned_to: None,
            notes: None,
            start_from: None,
            due_by: None,
            parameters: None,
            extra: None,
            action,
            job_key,
        }
    }
}
