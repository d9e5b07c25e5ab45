//! Payloads about orders, jobs, batches, steps and work sessions.

use domain::form::FieldValue;
use domain::key::{
    BatchKey, EventKey, JobKey, PhaseKey, ProductKey, QueueKey, SerialKey, UserKey, UserSessionKey, WorkOrderKey,
    WorkSessionKey,
};
use domain::production::CloseReason;
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Made, MadePayload, MadeType};
use crate::event::planned::{WorkOrderCreatedChanges, WorkOrderDeletedChanges, WorkOrderUpdatedChanges};

payloads! {
    /// The payloads of events that the service makes.
    MADE {
        BatchCreated for
            /// A batch of a job opens. One that a supervisor's override of the progress opens is complete at once.
            "BATCH_CREATED",
        {
            /// The job of the batch.
            job_key: JobKey,
            /// The phase that the batch goes through.
            phase_key: PhaseKey,
            /// The order of the job.
            work_order_key: WorkOrderKey,
            /// The product of the order.
            product_key: ProductKey,
            /// The batch.
            batch_key: BatchKey,
            /// How much it is.
            quantity: Quantity,
            /// The units, if the order's are traced.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Vec<SerialKey>")]
            serial_keys: Option<Vec<SerialKey>>,
        }

        BatchReleased for
            /// What passed in a batch of the last phase is released: it is finished.
            "BATCH_RELEASED",
        {
            /// The batch.
            batch_key: BatchKey,
            /// The product of the order.
            product_key: ProductKey,
            /// The order of the batch.
            work_order_key: WorkOrderKey,
            /// How much passed.
            qt_released: Quantity,
            /// The units, if the order's are traced.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Vec<SerialKey>")]
            serial_keys: Option<Vec<SerialKey>>,
        }

        WipChanged for
            /// What passed in a batch now waits in front of the next phase.
            "WIP_DECLARED",
            /// A batch takes what it works on from what waits in front of its phase; no other batch can take that any more.
            "WIP_BOOKED",
            /// A batch gives back what it has booked or used up: it waits in front of the phase again.
            "WIP_UNBOOKED",
            /// A completed batch has used up what it booked; or a batch is taken back, and what passed in it no longer waits in
            /// front of the next phase.
            "WIP_REMOVED",
        {
            /// The job of the batch.
            job_key: JobKey,
            /// The batch.
            batch_key: BatchKey,
            /// How much it is.
            quantity: Quantity,
            /// The units, if the order's are traced.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Vec<SerialKey>")]
            serial_keys: Option<Vec<SerialKey>>,
        }

        WorkSessionCreated for
            /// A user starts working on a job, or an override sets the time that somebody has worked.
            "WORK_SESSION_CREATED",
        {
            /// The work session.
            work_session_key: WorkSessionKey,
            /// Who is working.
            user_key: UserKey,
            /// The job that the user is working on.
            job_key: JobKey,
            /// The batch that the user is working on.
            batch_key: BatchKey,
            /// The order of the job.
            work_order_key: WorkOrderKey,
            /// The phase of the job.
            phase_key: PhaseKey,
            /// The product of the order.
            product_key: ProductKey,
            /// The session in which the user is signed in; null if there is none.
            user_session_key: Option<UserSessionKey>,
            /// The override that set the time; left out unless there was one.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "EventKey")]
            forced: Option<EventKey>,
        }

        WorkSessionClosed for
            /// A user stops working on a job, or an override has set the time that somebody has worked.
            "WORK_SESSION_CLOSED",
        {
            /// The work session.
            work_session_key: WorkSessionKey,
            /// When it ended.
            work_session_end: Timestamp,
            /// How long it took, in milliseconds.
            duration: i64,
        }

        WorkSessionCanceled for
            /// The time of a work session no longer counts.
            "WORK_SESSION_CANCELED",
        {
            /// The work session.
            work_session_key: WorkSessionKey,
        }

        QueueUpdated for
            /// A queue gets another sequence.
            "QUEUE_UPDATED" when "a queue is reordered (`PUT /queue`, `PUT /queue/operator/{operator_key}`)",
        {
            /// The queue.
            queue_key: QueueKey,
            /// Of the site queue: all its orders in their new sequence.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Vec<WorkOrderKey>")]
            work_orders: Option<Vec<WorkOrderKey>>,
            /// Of an operator's queue: all its jobs in their new sequence.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Vec<JobKey>")]
            jobs: Option<Vec<JobKey>>,
            /// Of an operator's queue: whether it has a sequence of its own; otherwise it follows the site queue.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "bool")]
            independent: Option<bool>,
        }

        WorkOrderCreated for
            /// A work order is created, with its jobs.
            "WORK_ORDER_CREATED" when "an order is created (`POST /work-order`)",
        {
            /// The order.
            work_order_key: WorkOrderKey,
            /// The order as it was created.
            changes: WorkOrderCreatedChanges,
        }

        WorkOrderTurned for
            /// An order starts, because one of its jobs is started or closed.
            "WORK_ORDER_STARTED",
            /// An order closes, because the last of its open jobs has closed.
            "WORK_ORDER_CLOSED",
            /// A closed order opens again, because it has an open job again.
            "WORK_ORDER_REOPENED",
        {
            /// The order.
            work_order_key: WorkOrderKey,
        }

        WorkOrderDeleted for
            /// An order that was not started is deleted.
            "WORK_ORDER_DELETED" when "an order is deleted (`DELETE /work-order/{work_order_key}`)",
        {
            /// The order.
            work_order_key: WorkOrderKey,
            /// What is left of the order.
            changes: WorkOrderDeletedChanges,
        }

        WorkOrderChanged for
            "WORK_ORDER_UPDATED" when "an order or its jobs are planned anew (`PATCH /work-order/{work_order_key}`, \
                `PATCH /work-order/{work_order_key}/update-quantities`, `POST /job/update`)",
        {
            /// The order.
            work_order_key: WorkOrderKey,
            /// What has changed.
            changes: WorkOrderUpdatedChanges,
        }

        JobClosedByItself for
            /// The job has closed because of that event; after `WORK_ORDER_UPDATED` also because a planner has closed it.
            "JOB_CLOSED",
        {
            /// The job.
            job_key: JobKey,
            /// Why it closed.
            close_reason: CloseReason,
        }

        BatchCompletedBySteps for
            /// The last step of a batch has completed the batch; all of it passed.
            "BATCH_COMPLETED",
        {
            /// The batch.
            active_batch_key: BatchKey,
            /// All of the batch.
            completed_batch_qt: Quantity,
        }

        JobFoundOffline for
            /// The job is then paused as if the operator had stopped when it was last heard from.
            "JOB_PAUSED_OFFLINE" when "the operator's device is silent for longer than the job's `max_offline` allows",
        {
            /// The job.
            job_key: JobKey,
            /// When it was last heard from.
            work_session_end: Timestamp,
        }
    }
}

payloads! {
    /// The members that the service adds to the payloads of events that are sent.
    ADDED {
        StepRecordChanged for "STEP_EDITED", {
            /// What had been entered until then.
            previous_form_data: Vec<FieldValue>,
        }

        BatchUnits for "BATCH_COMPLETED", "BATCH_CANCELED", {
            /// All units of the batch; left out if the order's are not traced.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            serial_keys: Vec<SerialKey>,
        }

        OrderUpdated for "WORK_ORDER_UPDATED", {
            /// What has changed.
            changes: WorkOrderUpdatedChanges,
        }
    }
}
