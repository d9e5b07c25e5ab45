//! The payloads of events that the service makes, and what it adds to those that are sent. Each is declared once: events are made
//! from these types, and the API's document describes them.

use domain::form::FieldValue;
use domain::key::{
    BatchKey, EventKey, JobKey, PhaseKey, PositionKey, ProductKey, QueueKey, UserKey, UserSessionKey, WorkOrderKey,
    WorkSessionKey,
};
use domain::production::{CloseReason, OrderLine};
use domain::{Quantity, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value};

/// A payload, or a part of one, that the service makes.
pub trait Made: Serialize {
    /// The types of the events that have it.
    const TYPES: &'static [&'static str];
}

/// Such a payload, with its Rust type erased.
pub struct MadePayload {
    pub types: &'static [&'static str],
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

/// Declares them: the types of events, and the members.
macro_rules! made {
    ($($(#[doc = $doc:literal])+ $name:ident for $($type:literal),+ { $($(#[$attribute:meta])* $field:ident: $kind:ty,)* })+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Debug, Clone, Serialize, JsonSchema)]
            pub(crate) struct $name { $($(#[$attribute])* pub(crate) $field: $kind,)* }

            impl Made for $name {
                const TYPES: &'static [&'static str] = &[$($type),+];
            }
        )+

        pub static MADE: &[MadePayload] = &[$(
            MadePayload { types: <$name as Made>::TYPES, schema: <$name as JsonSchema>::json_schema },
        )+];
    };
}

made! {
    /// A job begins a batch.
    BatchCreated for "BATCH_CREATED" {
        job_key: JobKey,
        phase_key: PhaseKey,
        work_order_key: WorkOrderKey,
        product_key: ProductKey,
        batch_key: BatchKey,
        quantity: Quantity,
    }

    /// What passed the last phase is released.
    BatchReleased for "BATCH_RELEASED" {
        batch_key: BatchKey,
        product_key: ProductKey,
        work_order_key: WorkOrderKey,
        qt_released: Quantity,
    }

    /// Work in progress between two phases: declared by the one, booked, freed or taken back by the other.
    WipChanged for "WIP_DECLARED", "WIP_BOOKED", "WIP_UNBOOKED", "WIP_REMOVED" {
        job_key: JobKey,
        batch_key: Option<BatchKey>,
        quantity: Quantity,
    }

    /// Somebody begins to work.
    WorkSessionCreated for "WORK_SESSION_CREATED" {
        work_session_key: WorkSessionKey,
        user_key: UserKey,
        job_key: Option<JobKey>,
        batch_key: Option<BatchKey>,
        work_order_key: Option<WorkOrderKey>,
        phase_key: Option<PhaseKey>,
        product_key: ProductKey,
        user_session_key: Option<UserSessionKey>,
        /// The event that set the time by hand.
        #[serde(skip_serializing_if = "Option::is_none")]
        forced: Option<EventKey>,
    }

    /// Somebody stops working.
    WorkSessionClosed for "WORK_SESSION_CLOSED" {
        work_session_key: WorkSessionKey,
        work_session_end: Timestamp,
        /// In milliseconds.
        duration: i64,
    }

    /// The time of a session no longer counts.
    WorkSessionCanceled for "WORK_SESSION_CANCELED" {
        work_session_key: WorkSessionKey,
    }

    /// A queue gets another order.
    QueueUpdated for "QUEUE_UPDATED" {
        queue_key: QueueKey,
        /// Of the site queue.
        #[serde(skip_serializing_if = "Option::is_none")]
        work_orders: Option<Vec<WorkOrderKey>>,
        /// Of an operator's queue.
        #[serde(skip_serializing_if = "Option::is_none")]
        jobs: Option<Vec<JobKey>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        independent: Option<bool>,
    }

    /// An order is made.
    WorkOrderCreated for "WORK_ORDER_CREATED" {
        work_order_key: WorkOrderKey,
        changes: WorkOrderCreatedChanges,
    }

    /// An order starts, closes or opens again, because of one of its jobs.
    WorkOrderTurned for "WORK_ORDER_STARTED", "WORK_ORDER_CLOSED", "WORK_ORDER_REOPENED" {
        work_order_key: WorkOrderKey,
    }

    /// An order that was not started is deleted.
    WorkOrderDeleted for "WORK_ORDER_DELETED" {
        work_order_key: WorkOrderKey,
        changes: WorkOrderDeletedChanges,
    }

    /// The plan of an order changes.
    WorkOrderChanged for "WORK_ORDER_UPDATED" {
        work_order_key: WorkOrderKey,
        /// The members that changed, with their new values.
        changes: Map<String, Value>,
    }

    /// A job closes because of another event.
    JobClosedByItself for "JOB_CLOSED" {
        job_key: JobKey,
        /// Why it closed by itself.
        close_reason: Option<CloseReason>,
    }

    /// The last step of a batch completes it.
    BatchCompletedBySteps for "BATCH_COMPLETED" {
        active_batch_key: BatchKey,
        completed_batch_qt: Quantity,
    }

    /// A step's record is corrected.
    StepRecordChanged for "STEP_EDITED" {
        /// The values before.
        previous_form_data: Vec<FieldValue>,
    }

    /// The service pauses a job that is not heard from.
    JobFoundOffline for "JOB_PAUSED_OFFLINE" {
        job_key: JobKey,
        /// When it was last heard from.
        work_session_end: Timestamp,
    }
}

/// What the journal keeps of a new order.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct WorkOrderCreatedChanges {
    pub(crate) wo_code: String,
    pub(crate) product_key: ProductKey,
    pub(crate) product_code: String,
    pub(crate) qt_planned: Quantity,
    pub(crate) priority: bool,
    pub(crate) project_code: Option<String>,
    pub(crate) notes: Option<String>,
    pub(crate) start_from: Option<Timestamp>,
    pub(crate) due_by: Option<Timestamp>,
    pub(crate) extra: Value,
    pub(crate) output_position_key: Option<PositionKey>,
    /// The version of the product's bill of materials that it has.
    pub(crate) bom_version: Option<i64>,
    /// Its own bill of materials, if it differs from the product's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) wo_bom: Option<Vec<OrderLine>>,
}

/// What the journal keeps of a deleted order.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct WorkOrderDeletedChanges {
    pub(crate) wo_code: String,
}
