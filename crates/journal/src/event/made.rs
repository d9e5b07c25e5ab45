//! The payloads of events that the service makes, and what it adds to those that are sent. Each is declared once: events are made
//! from these types, and the API's document and the catalogue of events describe them.

use domain::counting::ImportMode;
use domain::form::FieldValue;
use domain::key::{
    BatchKey, CountRecordKey, CountSessionKey, EventKey, FieldKey, FormFieldKey, JobKey, MovementKey, MovementListKey,
    PhaseKey, PositionKey, ProductKey, QueueKey, SerialKey, UserKey, UserSessionKey, WorkOrderKey, WorkSessionKey,
};
use domain::production::CloseReason;
use domain::serial::Serial;
use domain::warehouse::movement::{MovementType, References};
use domain::{Quantity, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use super::planned::{WorkOrderCreatedChanges, WorkOrderDeletedChanges, WorkOrderUpdatedChanges};

/// A payload, or a part of one, that the service makes.
pub trait Made: Serialize {
    /// The types of the events that have it.
    const TYPES: &'static [&'static str];
}

/// Such a payload, with its Rust type erased.
pub struct MadePayload {
    /// The types of the events that have it.
    pub types: &'static [MadeType],
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

impl MadePayload {
    /// The type of that name, if its events have this payload.
    pub fn of(&self, event_type: &str) -> Option<&'static MadeType> {
        self.types.iter().find(|made| made.name == event_type)
    }
}

/// A type of events that the service makes.
pub struct MadeType {
    pub name: &'static str,
    meaning: &'static [&'static str],
    /// When the service makes one that follows from no other event, as the end of a sentence; empty if it never does.
    pub when: &'static str,
}

impl MadeType {
    /// What it means; for a type that is also sent: what it means that the service makes one.
    pub fn meaning(&self) -> String {
        let lines: Vec<&str> = self.meaning.iter().map(|line| line.trim()).collect();
        lines.join(" ")
    }
}

/// Declares payloads: the types of their events, each with its meaning and perhaps with when the service makes one by itself, and
/// the members.
macro_rules! payloads {
    ($(#[doc = $about:literal])+ $list:ident { $(
        $name:ident for $($(#[doc = $meaning:literal])* $type:literal $(when $when:literal)?,)+ {
            $($(#[$attribute:meta])* $field:ident: $kind:ty,)*
        }
    )+ }) => {
        $(
            #[derive(Debug, Clone, Serialize, JsonSchema)]
            pub(crate) struct $name { $($(#[$attribute])* pub(crate) $field: $kind,)* }

            impl Made for $name {
                const TYPES: &'static [&'static str] = &[$($type),+];
            }
        )+

        $(#[doc = $about])+
        pub static $list: &[MadePayload] = &[$(
            MadePayload {
                types: &[$(MadeType { name: $type, meaning: &[$($meaning),*], when: concat!($($when)?) }),+],
                schema: <$name as JsonSchema>::json_schema,
            },
        )+];
    };
}

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

        UnitsMade for
            /// Units come into being with a batch of the first phase, or because the batch grows.
            "SERIAL_CREATED",
        {
            /// Their product.
            product_key: ProductKey,
            /// The order that makes them.
            wo_key: WorkOrderKey,
            /// Always null: they are in production.
            released: Option<Timestamp>,
            /// The new serials.
            serials: Vec<CodedSerial>,
        }

        UnitChanged for
            /// A unit gets its code, or the values that were entered for its batch; or a correction takes back what a phase has done
            /// to it.
            "SERIAL_UPDATED",
        {
            /// The serial.
            serial_key: SerialKey,
            /// The code it got; left out if it got none.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "String")]
            serial_code: Option<String>,
            /// The values it got.
            serial_data: Vec<FieldValue>,
            /// The phases whose values were emptied.
            remove_data_from_phases: Vec<PhaseKey>,
            /// Whether its release was taken back.
            unrelease: bool,
            /// Whether its scrap was taken back.
            unscrap: bool,
            /// The values that fields had before, where they have changed.
            previous: Vec<PreviousValue>,
        }

        UnitsReleased for
            /// The units that passed in a batch of the last phase are finished.
            "SERIAL_RELEASED",
        {
            /// The serials.
            serial_keys: Vec<SerialKey>,
            /// When.
            released: Timestamp,
            /// The serials, with their codes.
            serials: Vec<CodedSerial>,
        }

        UnitsDiscarded for
            /// Units leave the batch that made them, as if they had never been made. Those that nothing else refers to are removed,
            /// the others deleted.
            "SERIAL_DELETED",
        {
            /// All of them.
            deleted_serial_keys: Vec<SerialKey>,
            /// Those that were removed: their records are gone.
            removed_serial_keys: Vec<SerialKey>,
        }

        SerialLinkedByBatch for
            /// The completed batch confirms a temporary link.
            "SERIAL_LINKED",
        {
            /// What is built in.
            child_serial_key: SerialKey,
            /// The unit it is built into; null if it is a batch.
            parent_serial_key: Option<SerialKey>,
            /// The batch it is done in.
            batch_key: Option<BatchKey>,
            /// The order it is done for.
            wo_key: Option<WorkOrderKey>,
            /// The component of the bill of materials it stands for.
            component_key: ProductKey,
            /// The phase it is done in.
            phase_key: Option<PhaseKey>,
            /// The job it is done in.
            job_key: Option<JobKey>,
            /// Always 1.
            quantity: Quantity,
            /// Always false: the batch takes its components out of stock by itself.
            process_inventory: bool,
        }

        SerialUnlinkedByOther for
            /// A link ends because something else takes its place, because the unit is scrapped or deleted, or because its batch is
            /// canceled.
            "SERIAL_UNLINKED",
        {
            /// What is taken out.
            child_serial_key: SerialKey,
            /// The unit it is taken out of.
            parent_serial_key: Option<SerialKey>,
            /// The batch it is taken out of.
            batch_key: Option<BatchKey>,
            /// Why.
            reason: Option<String>,
            /// Whether it was put back into stock.
            process_inventory: bool,
            /// Whether it was scrapped: then an event of its own says so.
            scrap: bool,
        }

        SerialsScrapped for
            /// Units are scrapped because of another event.
            "SERIAL_SCRAPPED",
        {
            /// The serials.
            serial_keys: Vec<SerialKey>,
            /// Why.
            reason: String,
            /// Whether their components were taken out.
            release_components: bool,
        }

        SerialsReceived for
            /// Units come into being with a receipt that names codes which no serial of the product has.
            "SERIAL_CREATED",
        {
            /// Their product.
            product_key: ProductKey,
            /// When: they are finished at once.
            released: Timestamp,
            /// The new serials.
            serials: Vec<CodedSerial>,
        }

        MovementPlannedByOther for
            /// A row of a list is planned, or planned again after a movement was taken back.
            "MOVEMENT_PLANNED",
        {
            /// The movement.
            movement_key: MovementKey,
            /// What it does.
            movement_type: MovementType,
            /// The product.
            product_key: ProductKey,
            /// The serial; null if none is named.
            serial_key: Option<SerialKey>,
            /// Where it begins.
            position_from: PositionKey,
            /// Where it ends.
            position_to: PositionKey,
            /// How much is planned.
            qt_planned: Quantity,
            /// Its list.
            movement_list_key: Option<MovementListKey>,
            /// Its place in the list.
            movement_list_item: Option<i64>,
            /// What it belongs to.
            references: Option<References>,
        }

        MovementCompletedByOther for
            /// A row of a list, or a part of one, is carried out; production, a link or a scrapped serial moves stock; or stock is
            /// corrected after a count.
            "MOVEMENT_COMPLETED" when "a count is corrected in several steps, since it has more than 5,000 corrections. Those of the \
                last step follow from `COUNT_APPLIED`",
        {
            /// The movement.
            movement_key: MovementKey,
            /// What it does.
            movement_type: MovementType,
            /// The product.
            product_key: ProductKey,
            /// The serial; null if units are not traced.
            serial_key: Option<SerialKey>,
            /// Where it begins.
            position_from: PositionKey,
            /// Where it ends.
            position_to: PositionKey,
            /// How much was planned.
            qt_planned: Quantity,
            /// How much was moved.
            qt_confirmed: Quantity,
            /// False: it belongs to a customer or a supplier.
            owned: bool,
            /// Its list.
            movement_list_key: Option<MovementListKey>,
            /// Its place in the list.
            movement_list_item: Option<i64>,
            /// What it belongs to.
            references: Option<References>,
            /// What it did to stock.
            stock_changes: Vec<InventoryChanged>,
        }

        MovementReversedByOther for
            /// A movement of production or of a link is taken back because that is.
            "MOVEMENT_REVERSED",
        {
            /// The movement that is taken back.
            original_movement_key: MovementKey,
            /// The movement that takes it back.
            movement_key: MovementKey,
            /// How much of it.
            quantity_to_revert: Quantity,
            /// What it did to stock.
            stock_changes: Vec<InventoryChanged>,
        }

        InventoryChanged for
            /// There is more or less of a product at a position.
            "INVENTORY_CHANGED" when "stock changes. It is not stored by itself: the event of the movement has it in `stock_changes`",
        {
            /// Where.
            position_key: PositionKey,
            /// The product.
            product_key: ProductKey,
            /// The serial; null if units are not traced.
            serial_key: Option<SerialKey>,
            /// How much more, or less if it is negative.
            quantity_change: Quantity,
        }

        CountImported for
            /// What was counted is taken from a file.
            "COUNT_IMPORTED" when "counts are imported (`POST /inventory/count-record/import`)",
        {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// Which records the file takes the place of.
            import_mode: ImportMode,
            /// The name of the file.
            filename: String,
            /// How many rows it has.
            rows_total: u64,
            /// How many records it makes.
            rows_added: u64,
            /// How many records were discarded.
            rows_discarded: u64,
        }

        CountApplied for
            /// A record of a count is processed: stock is corrected by what follows, as far as it could be.
            "COUNT_APPLIED" when "a counting session is confirmed, for each record that it corrects stock by",
        {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The record.
            count_record_key: CountRecordKey,
            /// The list of the corrections.
            movement_list_key: Option<MovementListKey>,
        }

        CountSessionApplied for
            /// A counting session is over: its last record is processed, or there was nothing to correct.
            "COUNT_SESSION_APPLIED" when "the last record of a counting session is processed",
        {
            /// The counting session.
            count_session_key: CountSessionKey,
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

        SerialsMade for "SERIAL_CREATED", {
            /// The new serials, in the order of their codes or numbers.
            serials: Vec<CodedSerial>,
        }

        SerialChanged for "SERIAL_UPDATED", {
            /// The values that fields had before, where they have changed.
            previous: Vec<PreviousValue>,
            /// The code it had before, if it has another one now.
            #[serde(skip_serializing_if = "Option::is_none")]
            previous_code: Option<String>,
        }

        SerialsReleased for "SERIAL_RELEASED", {
            /// The serials, with the codes that they have now.
            serials: Vec<CodedSerial>,
        }

        SerialsDeleted for "SERIAL_DELETED", {
            /// All serials that were deleted.
            deleted_serial_keys: Vec<SerialKey>,
        }

        MovementNoted for "MOVEMENT_PLANNED", {
            /// The movement.
            movement_key: MovementKey,
            /// Its place in the list, if it is in one.
            movement_list_item: Option<i64>,
        }

        MovementChanged for "MOVEMENT_UPDATED", {
            /// The movements that were carried out: the row itself, or its parts.
            completed_movement_keys: Vec<MovementKey>,
            /// What the row itself did to stock; parts have events of their own.
            stock_changes: Vec<InventoryChanged>,
        }

        MovementCarriedOut for "MOVEMENT_COMPLETED", {
            /// The movement.
            movement_key: MovementKey,
            /// Whose it is, whether or not that was said.
            owned: bool,
            /// What it did to stock; nothing where a position was moved.
            stock_changes: Vec<InventoryChanged>,
        }

        MovementTakenBack for "MOVEMENT_REVERSED", {
            /// The movement that takes it back.
            movement_key: MovementKey,
            /// The movement of the list that is planned again; null if there is none.
            planned_movement_key: Option<MovementKey>,
            /// What it did to stock.
            stock_changes: Vec<InventoryChanged>,
        }

        ListMade for "WAREHOUSE_LIST_CREATED", {
            /// The list.
            movement_list_key: MovementListKey,
            /// Its movements, in the order of the rows.
            movement_keys: Vec<MovementKey>,
        }

        ListEnded for "WAREHOUSE_LIST_CLOSED", {
            /// How many movements were canceled.
            canceled: u64,
        }

        CountsConfirmed for "COUNT_SESSION_CONFIRMED", {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The list of the movements that correct stock; null if there is nothing to correct.
            adjustment_list_key: Option<MovementListKey>,
            /// How many records were confirmed.
            records_to_process: i64,
        }

        SessionNamed for
            "COUNT_SESSION_STARTED", "COUNT_SESSION_COMPLETED", "COUNT_SESSION_RESUMED", "COUNT_SESSION_CANCELED",
            "ASSIGNMENT_STARTED", "ASSIGNMENT_COMPLETED",
        {
            /// The counting session.
            count_session_key: CountSessionKey,
        }

        CountBegun for "COUNT_STARTED", {
            /// The record of the count.
            count_record_key: CountRecordKey,
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The product.
            product_key: ProductKey,
            /// The position.
            position_key: PositionKey,
        }

        CountEnded for "COUNT_COMPLETED", {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The product.
            product_key: ProductKey,
            /// The position.
            position_key: PositionKey,
            /// The positions that the session is done with from now on.
            completed_position_keys: Vec<PositionKey>,
        }

        CountGivenUp for "COUNT_CANCELED", {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The product.
            product_key: ProductKey,
            /// The position.
            position_key: PositionKey,
        }

        CountRejected for "COUNT_DISCARDED", {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The product.
            product_key: ProductKey,
            /// The position.
            position_key: PositionKey,
            /// The positions that the session is no longer done with.
            withdrawn_position_keys: Vec<PositionKey>,
        }

        EmptyCounted for "POSITION_CONFIRMED_EMPTY", {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The records of what should have been there.
            count_record_keys: Vec<CountRecordKey>,
            /// The positions that the session is done with from now on.
            completed_position_keys: Vec<PositionKey>,
        }
    }
}

/// A serial with its code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SerialName")]
pub struct CodedSerial {
    /// The serial.
    pub serial_key: SerialKey,
    /// Its code; null if it has none.
    pub code: Option<String>,
}

impl From<&Serial> for CodedSerial {
    fn from(serial: &Serial) -> Self {
        Self { serial_key: serial.key, code: serial.code.clone() }
    }
}

/// What a field of a serial held before.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PreviousFieldValue")]
pub(crate) struct PreviousValue {
    /// The field of a form.
    pub(crate) form_field_key: Option<FormFieldKey>,
    /// The custom field.
    pub(crate) custom_field_key: Option<FieldKey>,
    /// What it held.
    pub(crate) value: Value,
}
