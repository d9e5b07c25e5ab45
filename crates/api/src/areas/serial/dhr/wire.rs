//! The Device History Record as JSON.

use domain::form::FieldKind;
use domain::key::{
    BatchKey, EventKey, FieldKey, FormFieldKey, IssueKey, JobKey, PhaseKey, ProductKey, SerialKey, StepKey, UserKey,
    WorkOrderKey,
};
use domain::production::StepStatus;
use domain::serial::SerialState;
use domain::serial::evidence::Missing;
use domain::serial::history::{self, Wording};
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::super::hierarchy::SerialTreeNode;
use super::gather::{Gathered, UnitRecord};
use super::parts::Components;

/// The Device History Record of a unit, which is also its batch record.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeviceHistoryRecord")]
pub(super) struct RecordText<'a> {
    headings: Headings,
    generated: Timestamp,
    generated_by: &'a UserKey,
    journal: &'a JournalState,
    identification: &'a Identification,
    dates_of_manufacture: &'a Dates,
    quantity_manufactured: &'a Manufactured,
    quantity_released: &'a Released,
    /// What is not there yet.
    missing_evidence: &'a [Missing],
    /// Whether nothing is missing but the release.
    complete: bool,
    acceptance_records: &'a Acceptance,
    labels: &'a Labels,
    /// What the unit consists of, with replaced parts and missing ones.
    #[schemars(with = "SerialTreeNode")]
    components: Components<'a>,
    /// The stored files of the unit.
    attachments: &'a [Attachment],
    /// What happened to the unit, in the order it was stored.
    events: &'a [RecordEvent],
    /// With `include_children`, the records of the units inside that have values, parts or files of their own; they have none in turn.
    children: Vec<RecordText<'a>>,
}

impl<'a> RecordText<'a> {
    /// The record with those of the units inside.
    pub(super) fn whole(gathered: &'a Gathered) -> Self {
        let children = gathered.inner.iter().map(|unit| Self::of(gathered, unit, Vec::new())).collect();
        Self::of(gathered, &gathered.unit, children)
    }

    fn of(gathered: &'a Gathered, unit: &'a UnitRecord, children: Vec<Self>) -> Self {
        let sections = &unit.sections;
        Self {
            headings: Headings::new(),
            generated: gathered.generated,
            generated_by: &gathered.generated_by,
            journal: &gathered.journal,
            identification: &sections.identification,
            dates_of_manufacture: &sections.dates,
            quantity_manufactured: &sections.manufactured,
            quantity_released: &sections.released,
            missing_evidence: &sections.missing,
            complete: domain::serial::evidence::is_complete(&sections.missing),
            acceptance_records: &sections.acceptance,
            labels: &sections.labels,
            components: Components { parts: &gathered.parts, unit: &unit.view },
            attachments: &sections.attachments,
            events: &sections.events,
            children,
        }
    }
}

/// What the record says of one unit.
pub(super) struct Sections {
    pub(super) identification: Identification,
    pub(super) dates: Dates,
    pub(super) manufactured: Manufactured,
    pub(super) released: Released,
    pub(super) missing: Vec<Missing>,
    pub(super) acceptance: Acceptance,
    pub(super) labels: Labels,
    pub(super) attachments: Vec<Attachment>,
    pub(super) events: Vec<RecordEvent>,
}

/// The two wordings of a section.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordHeading")]
struct Heading {
    /// As a Device History Record names it.
    classic: &'static str,
    /// As a batch record by ISO 13485 names it.
    batch_record: &'static str,
}

impl From<Wording> for Heading {
    fn from(Wording { classic, batch_record }: Wording) -> Self {
        Self { classic, batch_record }
    }
}

/// How each section is headed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordHeadings")]
struct Headings {
    record: Heading,
    identification: Heading,
    dates_of_manufacture: Heading,
    quantity_manufactured: Heading,
    quantity_released: Heading,
    missing_evidence: Heading,
    acceptance_records: Heading,
    labels: Heading,
    components: Heading,
    attachments: Heading,
    events: Heading,
    children: Heading,
}

impl Headings {
    fn new() -> Self {
        Self {
            record: history::RECORD.into(),
            identification: history::IDENTIFICATION.into(),
            dates_of_manufacture: history::DATES.into(),
            quantity_manufactured: history::MANUFACTURED.into(),
            quantity_released: history::RELEASED.into(),
            missing_evidence: history::MISSING.into(),
            acceptance_records: history::ACCEPTANCE.into(),
            labels: history::LABELS.into(),
            components: history::COMPONENTS.into(),
            attachments: history::ATTACHMENTS.into(),
            events: history::EVENTS.into(),
            children: history::CHILDREN.into(),
        }
    }
}

/// How far the journal reached when the record was made. Keep it with the record: the chain of seals proves later that the events
/// up to `sealed_seq` were not altered, and each value of the record can be compared with the event in `events` that set it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordJournalState")]
pub(super) struct JournalState {
    /// The number of the last event.
    pub(super) last_seq: i64,
    /// The last event that the chain of seals covers, up to `head_block`; null before the first block. Later events are sealed within
    /// seconds.
    pub(super) sealed_seq: Option<i64>,
    /// The last block of the chain of seals; null before the first.
    pub(super) head_block: Option<i64>,
    /// Its hash, 64 hexadecimal characters.
    pub(super) head_hash: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordIdentification")]
pub(super) struct Identification {
    pub(super) serial_key: SerialKey,
    pub(super) serial_code: Option<String>,
    pub(super) product_key: ProductKey,
    pub(super) product_code: String,
    pub(super) product_description: Option<String>,
    /// The order that makes it; null for goods received.
    pub(super) wo_key: Option<WorkOrderKey>,
    pub(super) wo_code: Option<String>,
    pub(super) project_code: Option<String>,
    pub(super) state: SerialState,
    pub(super) created: Timestamp,
    pub(super) created_by: UserKey,
    /// What people call the user, for the document; so with the others.
    #[serde(skip)]
    pub(super) created_by_name: String,
    pub(super) released: Option<Timestamp>,
    pub(super) released_by: Option<UserKey>,
    #[serde(skip)]
    pub(super) released_by_name: Option<String>,
    pub(super) scrapped: Option<Timestamp>,
    #[serde(skip)]
    pub(super) scrapped_by_name: Option<String>,
    pub(super) scrap_reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordDates")]
pub(super) struct Dates {
    pub(super) created: Timestamp,
    pub(super) released: Option<Timestamp>,
    /// When the first batch began to work on it.
    pub(super) first_start: Option<Timestamp>,
    /// When the last batch was done with it; null while one is at work.
    pub(super) last_end: Option<Timestamp>,
    /// The phases of its order, in their sequence.
    pub(super) phases: Vec<PhaseDates>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordPhaseDates")]
pub(super) struct PhaseDates {
    pub(super) phase_key: PhaseKey,
    pub(super) phase_alias: String,
    /// Null as long as no batch of the phase has worked on it.
    pub(super) start: Option<Timestamp>,
    /// Null while a batch of the phase is at work.
    pub(super) end: Option<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordQuantityManufactured")]
pub(super) struct Manufactured {
    /// Always 1.
    pub(super) unit: u8,
    pub(super) work_order_planned: Option<Quantity>,
    pub(super) work_order_completed: Option<Quantity>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordQuantityReleased")]
pub(super) struct Released {
    /// 1 if the unit is released, else 0.
    pub(super) unit: u8,
    /// How many units of its order are released.
    pub(super) work_order_released: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordAcceptance")]
pub(super) struct Acceptance {
    /// The values of its fields: those of no phase first, then by the sequence of the phases.
    pub(super) fields: Vec<RecordField>,
    /// The steps that were carried out for it, by phase and step.
    pub(super) step_data: Vec<RecordStep>,
    /// The issues about it, what is in it, or its order, open and closed, the oldest first.
    pub(super) issues: Vec<RecordIssue>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RecordField {
    pub(super) form_field_key: Option<FormFieldKey>,
    pub(super) custom_field_key: Option<FieldKey>,
    /// What people read beside the value: that of the form, else that of the custom field.
    pub(super) label: Option<String>,
    pub(super) field_type: Option<FieldKind>,
    pub(super) mandatory: bool,
    /// The value, as its type has it; null if it is empty.
    pub(super) value: Value,
    pub(super) phase_key: Option<PhaseKey>,
    pub(super) phase_alias: Option<String>,
    pub(super) batch_key: Option<BatchKey>,
    pub(super) step_key: Option<StepKey>,
    pub(super) last_updated: Option<Timestamp>,
    pub(super) last_updated_by: Option<RecordPerson>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RecordPerson {
    pub(super) user_key: UserKey,
    pub(super) name: Option<String>,
    pub(super) surname: Option<String>,
    /// What people call the user, for the document.
    #[serde(skip)]
    pub(super) called: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RecordStep {
    pub(super) step_key: StepKey,
    /// Null if the order has no such step any more.
    pub(super) step_title: Option<String>,
    pub(super) batch_key: BatchKey,
    pub(super) job_key: JobKey,
    pub(super) phase_key: PhaseKey,
    pub(super) phase_alias: Option<String>,
    pub(super) status: StepStatus,
    /// When it was completed; null as long as it is to do.
    pub(super) timestamp: Option<Timestamp>,
    pub(super) operator_key: UserKey,
    pub(super) operator_name: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RecordIssue {
    pub(super) issue_key: IssueKey,
    pub(super) issue_type_name: Option<String>,
    pub(super) title: Option<String>,
    pub(super) critical: bool,
    pub(super) open: bool,
    pub(super) created: Timestamp,
    pub(super) closed: Option<Timestamp>,
    pub(super) closed_by: Option<UserKey>,
    /// What people call the user, for the document.
    #[serde(skip)]
    pub(super) closed_by_name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordLabels")]
pub(super) struct Labels {
    pub(super) product_code: String,
    pub(super) serial_code: Option<String>,
    /// The files of fields whose slug begins with `label`.
    pub(super) files: Vec<Attachment>,
}

/// A stored file of a unit.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "RecordAttachment")]
pub(super) struct Attachment {
    pub(super) serial_key: SerialKey,
    /// The field that has it; null for a file of the unit as a whole.
    pub(super) form_field_key: Option<String>,
    pub(super) phase_key: Option<PhaseKey>,
    pub(super) name: String,
    /// Where it is served.
    pub(super) path: String,
    /// In bytes.
    pub(super) size: i64,
    /// Its digest, 64 hexadecimal characters.
    pub(super) sha256: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RecordEvent {
    pub(super) seq: i64,
    pub(super) event_key: EventKey,
    pub(super) event_type: String,
    pub(super) timestamp: Timestamp,
    pub(super) user_key: UserKey,
    pub(super) user_name: String,
    pub(super) description: Option<String>,
}
