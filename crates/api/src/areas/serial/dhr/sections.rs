//! What the record of one unit says, from what was read for it.

use std::collections::HashMap;

use domain::key::{PhaseKey, UserKey};
use domain::serial::history::{WorkSpan, field_of_folder, span};
use domain::serial::{Serial, SerialValue};
use domain::text::hex;
use journal::effects::serial::evidence::Evidence;
use store::attachments::files::Folder;
use store::collaboration::about_units::AboutUnit;
use store::product::products::Name;
use store::serial::record::{PhaseFacts, StepFacts, UnitBatch, UnitFile};
use store::serial::serials::SerialView;

use super::facts::Facts;
use super::gather::StoredFile;
use super::wire::{
    Acceptance, Attachment, Dates, Identification, Labels, Manufactured, PhaseDates, RecordEvent, RecordField,
    RecordIssue, RecordPerson, RecordStep, Released, Sections,
};
use crate::areas::attachments::address;

/// The sections of a unit's record, and where the bytes of its attachments are.
pub(super) fn sections(
    facts: &mut Facts,
    view: &SerialView,
    name: Option<&Name>,
    evidence: Evidence,
) -> (Sections, Vec<StoredFile>) {
    let serial = &view.serial;
    let batches = facts.batches.remove(&serial.key).unwrap_or_default();
    let events = facts.events.remove(&serial.key).unwrap_or_default();
    let files = facts.files.remove(&serial.key.to_string()).unwrap_or_default();
    let facts = &*facts;
    let product_code = name.map(|name| name.code.clone()).unwrap_or_default();
    let attached: Vec<(Attachment, bool, StoredFile)> =
        files.into_iter().map(|file| attachment(facts, serial, file)).collect();
    let labels = attached.iter().filter(|(_, is_label, _)| *is_label).map(|(file, ..)| file.clone()).collect();
    let (attachments, stored) = attached.into_iter().map(|(file, _, stored)| (file, stored)).unzip();
    let order = serial.wo_key.and_then(|key| facts.orders.get(&key));
    let sections = Sections {
        identification: Identification {
            serial_key: serial.key,
            serial_code: serial.code.clone(),
            product_key: serial.product_key.clone(),
            product_code: product_code.clone(),
            product_description: name.and_then(|name| name.description.clone()),
            wo_key: serial.wo_key,
            wo_code: order.map(|order| order.wo_code.clone()),
            project_code: order.and_then(|order| order.project_code.clone()),
            state: view.state(),
            created: serial.created,
            created_by: serial.created_by.clone(),
            created_by_name: facts.name_of(&serial.created_by),
            released: serial.released,
            released_by: serial.released_by.clone(),
            released_by_name: serial.released_by.as_ref().map(|user| facts.name_of(user)),
            scrapped: serial.scrapped,
            scrapped_by_name: serial.scrapped_by.as_ref().map(|user| facts.name_of(user)),
            scrap_reason: serial.scrap_reason.clone(),
        },
        dates: dates(facts.phases_of(serial.wo_key), serial, &batches),
        manufactured: Manufactured {
            unit: 1,
            work_order_planned: order.map(|order| order.qt_planned),
            work_order_completed: order.map(|order| order.qt_completed),
        },
        released: Released {
            unit: u8::from(serial.released.is_some()),
            work_order_released: order.map(|order| order.released),
        },
        missing: evidence.missing,
        acceptance: Acceptance {
            fields: fields(facts, serial),
            step_data: steps(facts, facts.phases_of(serial.wo_key), &batches),
            issues: evidence.issues.iter().map(|issue| record_issue(facts, issue)).collect(),
        },
        labels: Labels { product_code, serial_code: serial.code.clone(), files: labels },
        attachments,
        events: events
            .into_iter()
            .map(|event| RecordEvent {
                seq: event.seq,
                event_key: event.key,
                user_name: facts.name_of(&event.user_key),
                event_type: event.event_type,
                timestamp: event.timestamp,
                user_key: event.user_key,
                description: event.description,
            })
            .collect(),
    };
    (sections, stored)
}

fn dates(phases: &[PhaseFacts], serial: &Serial, batches: &[UnitBatch]) -> Dates {
    let work: Vec<WorkSpan> = batches
        .iter()
        .map(|batch| WorkSpan { phase_key: batch.phase_key, started: batch.started, ended: batch.ended })
        .collect();
    let whole = span(&work);
    let of_phase = |phase: &PhaseFacts| {
        let own = span(work.iter().filter(|one| one.phase_key == phase.phase_key));
        PhaseDates { phase_key: phase.phase_key, phase_alias: phase.alias.clone(), start: own.start, end: own.end }
    };
    Dates {
        created: serial.created,
        released: serial.released,
        first_start: whole.start,
        last_end: whole.end,
        phases: phases.iter().map(of_phase).collect(),
    }
}

/// Values of no phase first, then by the sequence of the phases, and those of phases of other orders last.
fn fields(facts: &Facts, serial: &Serial) -> Vec<RecordField> {
    let phases = facts.phases_of(serial.wo_key);
    let places: HashMap<PhaseKey, usize> =
        phases.iter().enumerate().map(|(place, phase)| (phase.phase_key, place)).collect();
    let place =
        |entry: &&SerialValue| entry.phase_key.map(|phase| (places.get(&phase).copied().unwrap_or(usize::MAX), phase));
    let mut entries: Vec<&SerialValue> = serial.data.iter().collect();
    entries.sort_by_key(place);
    let alias = |phase: PhaseKey| {
        let own = places.get(&phase).map(|place| &phases[*place].alias);
        own.or_else(|| facts.other_phases.get(&phase)).cloned()
    };
    let field = |entry: &SerialValue| {
        let custom = entry.custom_field_key.as_ref().and_then(|key| facts.fields.get(key));
        let of_custom = || custom.map(|field| field.default_label.clone().unwrap_or_else(|| field.name.clone()));
        RecordField {
            form_field_key: entry.form_field_key.clone(),
            custom_field_key: entry.custom_field_key.clone(),
            label: entry.label.clone().or_else(of_custom),
            field_type: custom.map(|field| field.kind),
            mandatory: entry.mandatory.unwrap_or(false),
            value: entry.value.clone(),
            phase_key: entry.phase_key,
            phase_alias: entry.phase_key.and_then(alias),
            batch_key: entry.batch_key,
            step_key: entry.step_key,
            last_updated: entry.last_updated,
            last_updated_by: entry.last_updated_by.as_ref().map(|user| person(facts, user)),
        }
    };
    entries.into_iter().map(field).collect()
}

fn person(facts: &Facts, user: &UserKey) -> RecordPerson {
    let known = facts.people.get(user);
    RecordPerson {
        user_key: user.clone(),
        name: known.and_then(|person| person.name.clone()),
        surname: known.and_then(|person| person.surname.clone()),
        called: facts.name_of(user),
    }
}

/// By the sequence of phases and of the steps in them, then by the time they were completed.
fn steps(facts: &Facts, phases: &[PhaseFacts], batches: &[UnitBatch]) -> Vec<RecordStep> {
    let mut found = Vec::new();
    for batch in batches {
        let phase = phases.iter().position(|phase| phase.phase_key == batch.phase_key);
        let copies = phase.map(|place| phases[place].steps.as_slice()).unwrap_or_default();
        for step in facts.steps.get(&batch.batch_key).into_iter().flatten() {
            let copy = copies.iter().position(|copy| copy.key == step.step_key);
            let title = copy.map(|place| copies[place].title.clone());
            let rank = (phase.unwrap_or(usize::MAX), copy.unwrap_or(usize::MAX), step.completed, batch.batch_key);
            found.push((rank, record_step(facts, batch, step, title, phase.map(|place| &phases[place]))));
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, step)| step).collect()
}

fn record_step(
    facts: &Facts,
    batch: &UnitBatch,
    step: &StepFacts,
    step_title: Option<String>,
    phase: Option<&PhaseFacts>,
) -> RecordStep {
    RecordStep {
        step_key: step.step_key,
        step_title,
        batch_key: batch.batch_key,
        job_key: batch.job_key,
        phase_key: batch.phase_key,
        phase_alias: phase.map(|phase| phase.alias.clone()),
        status: step.status,
        timestamp: step.completed,
        operator_key: step.user_key.clone(),
        operator_name: facts.name_of(&step.user_key),
    }
}

fn record_issue(facts: &Facts, issue: &AboutUnit) -> RecordIssue {
    RecordIssue {
        issue_key: issue.issue_key,
        issue_type_name: issue.issue_type_name.clone(),
        title: issue.title.clone(),
        critical: issue.critical,
        open: issue.open,
        created: issue.created,
        closed: issue.closed,
        closed_by: issue.closed_by.clone(),
        closed_by_name: issue.closed_by.as_ref().map(|user| facts.name_of(user)),
    }
}

/// A file of a unit, whether it is one of its labels, and where its bytes are.
fn attachment(facts: &Facts, serial: &Serial, file: UnitFile) -> (Attachment, bool, StoredFile) {
    let field = field_of_folder(&file.subfolder);
    let of_field = |entry: &&SerialValue| entry.form_field_key.as_ref().map(|key| key.as_str()) == field;
    let entry = field.and_then(|_| serial.data.iter().find(of_field));
    let custom = entry.and_then(|entry| entry.custom_field_key.as_ref()).and_then(|key| facts.fields.get(key));
    let folder =
        if file.subfolder.is_empty() { file.unit.clone() } else { format!("{}/{}", file.unit, file.subfolder) };
    let attachment = Attachment {
        serial_key: serial.key,
        form_field_key: field.map(str::to_owned),
        phase_key: entry.and_then(|entry| entry.phase_key),
        path: address(
            &Folder { bucket: "serial", object_key: file.unit.clone(), subfolder: file.subfolder.clone() },
            &file.name,
        ),
        name: file.name.clone(),
        size: file.size,
        sha256: hex(&file.sha256),
    };
    let stored = StoredFile {
        archived: format!("attachments/{folder}/{}", file.name),
        object: file.object,
        size: u64::try_from(file.size).unwrap_or(0),
        content_type: file.content_type,
        drawn: false,
    };
    (attachment, custom.is_some_and(|field| field.slug.starts_with("label")), stored)
}
