//! Payloads about serials.

use domain::form::FieldValue;
use domain::key::{BatchKey, FieldKey, FormFieldKey, JobKey, PhaseKey, ProductKey, SerialKey, WorkOrderKey};
use domain::serial::Serial;
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Made, MadePayload, MadeType};

payloads! {
    /// The payloads of events that the service makes.
    MADE {
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
    }
}

payloads! {
    /// The members that the service adds to the payloads of events that are sent.
    ADDED {
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
