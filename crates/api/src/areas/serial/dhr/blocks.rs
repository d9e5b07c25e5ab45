//! The sections of a record as people read them.

use domain::counter::TimeZone;
use domain::serial::SerialState;
use domain::serial::evidence::is_complete;
use domain::serial::history::{self, Wording};
use domain::{Quantity, Timestamp};
use print::{Block, Column};
use serde_json::Value;

use super::gather::{Gathered, UnitRecord};
use super::parts::{PartLine, PartStanding, Parts};
use super::wire::{Acceptance, Attachment, Dates, Identification, Labels, RecordField, RecordIssue, RecordStep};

/// What printing the records of all units goes by.
pub(super) struct Printing<'a> {
    pub(super) parts: &'a Parts,
    /// Where the site is.
    pub(super) zone: &'a TimeZone,
    /// Also prints the steps.
    pub(super) step_data: bool,
}

pub(super) fn heading(wording: Wording) -> Block {
    Block::Heading { text: wording.classic.to_owned(), sub: Some(wording.batch_record.to_owned()) }
}

/// A unit by its product and its code, else its key.
pub(super) fn called(unit: &Identification) -> String {
    let code = unit.serial_code.clone().unwrap_or_else(|| unit.serial_key.to_string());
    format!("{} · {code}", unit.product_code)
}

/// The heading of a unit inside another.
pub(super) fn title(unit: &UnitRecord) -> Block {
    let unit = &unit.sections.identification;
    Block::Heading { text: called(unit), sub: unit.product_description.as_deref().map(short) }
}

/// Whether the record is complete, by whom and when it was made, and how far the journal reached: what ties the paper to the
/// journal.
pub(super) fn origin(gathered: &Gathered) -> Block {
    let journal = &gathered.journal;
    let number = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
    Block::Facts(vec![
        fact("Record", completeness(&gathered.unit)),
        fact("Generated", format!("{}, {}", gathered.generated.local(&gathered.zone), gathered.generated_by_name)),
        fact("Last event of the journal", journal.last_seq),
        fact("Sealed up to event", number(journal.sealed_seq)),
        fact("Last block of seals", number(journal.head_block)),
        fact("Hash of that block", journal.head_hash.clone().unwrap_or_default()),
    ])
}

/// Whether the record of a unit inside is complete.
pub(super) fn standing(unit: &UnitRecord) -> Block {
    Block::Facts(vec![fact("Record", completeness(unit))])
}

fn completeness(unit: &UnitRecord) -> &'static str {
    match unit.sections.missing.as_slice() {
        [] => "complete",
        missing if is_complete(missing) => "complete, not released yet",
        _ => "not complete: see the missing evidence",
    }
}

/// How many bytes the texts in the tables of a unit have, besides its components.
pub(super) fn text_printed(unit: &UnitRecord) -> usize {
    let sections = &unit.sections;
    let long = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let values = sections.acceptance.fields.iter().map(|field| {
        let user = field.last_updated_by.as_ref().map_or(0, |person| person.called.len());
        long(&field.label) + value_text(&field.value).len() + user
    });
    let steps = sections.acceptance.step_data.iter();
    let steps = steps.map(|step| long(&step.step_title) + long(&step.phase_alias) + step.operator_name.len());
    let issues = sections.acceptance.issues.iter();
    let issues = issues.map(|issue| long(&issue.title) + long(&issue.issue_type_name) + long(&issue.closed_by_name));
    let files = sections.attachments.iter().chain(&sections.labels.files).map(|file| file.name.len());
    let missing = sections.missing.iter().map(|one| one.message().len());
    let phases = sections.dates.phases.iter().map(|phase| phase.phase_alias.len());
    let named = &sections.identification;
    let facts = long(&named.product_description) + long(&named.scrap_reason);
    facts + values.chain(steps).chain(issues).chain(files).chain(missing).chain(phases).sum::<usize>()
}

/// What an empty section reads.
const NONE: &str = "none";
/// Deeper parts are marked like those of this level.
const MOST_MARKED: usize = 12;

impl Printing<'_> {
    /// Adds the sections of a unit, in the order of the record.
    pub(super) fn add(&self, unit: &UnitRecord, blocks: &mut Vec<Block>) {
        let sections = &unit.sections;
        blocks.extend([heading(history::IDENTIFICATION), self.identification(&sections.identification)]);
        blocks.push(heading(history::DATES));
        blocks.extend(self.dates(&sections.dates));
        let manufactured = &sections.manufactured;
        let facts = vec![
            fact("Units", manufactured.unit),
            fact("Planned by the work order", quantity(manufactured.work_order_planned)),
            fact("Completed by the work order", quantity(manufactured.work_order_completed)),
        ];
        blocks.extend([heading(history::MANUFACTURED), Block::Facts(facts)]);
        let released = sections.released.work_order_released.map(|units| units.to_string()).unwrap_or_default();
        let facts = vec![fact("Units", sections.released.unit), fact("Released units of the work order", released)];
        blocks.extend([heading(history::RELEASED), Block::Facts(facts)]);
        let missing = sections.missing.iter().map(|one| vec![one.message()]);
        blocks.extend([heading(history::MISSING), table(&["Missing"], missing.collect())]);
        blocks.push(heading(history::ACCEPTANCE));
        blocks.extend(self.acceptance(&sections.acceptance));
        blocks.extend([heading(history::LABELS), labels(&sections.labels)]);
        let lines = self.parts.lines(&unit.view).into_iter().map(|line| component(line, self.zone)).collect();
        let columns = ["Product", "Description", "Serial"];
        blocks.extend([heading(history::COMPONENTS), table(&columns, lines)]);
        blocks.extend([heading(history::ATTACHMENTS), attachments(&sections.attachments)]);
    }

    fn time(&self, time: Timestamp) -> String {
        time.local(self.zone)
    }

    fn maybe_time(&self, time: Option<Timestamp>) -> String {
        time.map(|time| self.time(time)).unwrap_or_default()
    }

    /// When something was done, and by whom.
    fn deed(&self, time: Timestamp, by: Option<&str>) -> String {
        let time = self.time(time);
        by.map_or_else(|| time.clone(), |by| format!("{time}, {by}"))
    }

    fn identification(&self, unit: &Identification) -> Block {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let mut facts = vec![
            fact("Serial code", text(&unit.serial_code)),
            fact("Serial key", unit.serial_key),
            fact("Product", &unit.product_code),
            fact("Description", text(&unit.product_description)),
            fact("Work order", text(&unit.wo_code)),
            fact("Project", text(&unit.project_code)),
            fact("State", in_words(unit.state)),
            fact("Created", self.deed(unit.created, Some(&unit.created_by_name))),
        ];
        if let Some(released) = unit.released {
            facts.push(fact("Released", self.deed(released, unit.released_by_name.as_deref())));
        }
        if let Some(scrapped) = unit.scrapped {
            facts.push(fact("Scrapped", self.deed(scrapped, unit.scrapped_by_name.as_deref())));
            facts.push(fact("Reason", text(&unit.scrap_reason)));
        }
        Block::Facts(facts)
    }

    fn dates(&self, dates: &Dates) -> Vec<Block> {
        let facts = Block::Facts(vec![
            fact("Created", self.time(dates.created)),
            fact("First start", self.maybe_time(dates.first_start)),
            fact("Last end", self.maybe_time(dates.last_end)),
            fact("Released", self.maybe_time(dates.released)),
        ]);
        if dates.phases.is_empty() {
            return vec![facts];
        }
        let phases = dates
            .phases
            .iter()
            .map(|phase| vec![phase.phase_alias.clone(), self.maybe_time(phase.start), self.maybe_time(phase.end)]);
        vec![facts, table(&["Phase", "Start", "End"], phases.collect())]
    }

    fn acceptance(&self, acceptance: &Acceptance) -> Vec<Block> {
        let fields = acceptance.fields.iter().map(|field| self.field(field)).collect();
        let mut blocks = vec![table(&["Field", "Value", "Last update", "User"], fields)];
        if self.step_data && !acceptance.step_data.is_empty() {
            let steps = acceptance.step_data.iter().map(|step| self.step(step)).collect();
            blocks.push(table(&["Step", "Phase", "Status", "Completed", "Operator"], steps));
        }
        if !acceptance.issues.is_empty() {
            let issues = acceptance.issues.iter().map(|issue| self.issue(issue)).collect();
            blocks.push(table(&["Issue", "Type", "Critical", "Created", "Closed"], issues));
        }
        blocks
    }

    fn field(&self, field: &RecordField) -> Vec<String> {
        vec![
            field.label.clone().unwrap_or_default(),
            value_text(&field.value),
            self.maybe_time(field.last_updated),
            field.last_updated_by.as_ref().map(|person| person.called.clone()).unwrap_or_default(),
        ]
    }

    fn step(&self, step: &RecordStep) -> Vec<String> {
        vec![
            step.step_title.clone().unwrap_or_else(|| step.step_key.to_string()),
            step.phase_alias.clone().unwrap_or_default(),
            step.status.name().to_owned(),
            self.maybe_time(step.timestamp),
            step.operator_name.clone(),
        ]
    }

    fn issue(&self, issue: &RecordIssue) -> Vec<String> {
        vec![
            issue.title.clone().unwrap_or_else(|| issue.issue_key.to_string()),
            issue.issue_type_name.clone().unwrap_or_default(),
            if issue.critical { "yes" } else { "no" }.to_owned(),
            self.time(issue.created),
            match issue.closed {
                Some(closed) => self.deed(closed, issue.closed_by_name.as_deref()),
                None => "open".to_owned(),
            },
        ]
    }
}

/// What stands where a fact or a cell has no value, so that nobody takes it for one that was left out.
const NO_VALUE: &str = "–";

fn in_words(state: SerialState) -> &'static str {
    match state {
        SerialState::Deleted => "deleted",
        SerialState::Scrapped => "scrapped",
        SerialState::Used => "built in",
        SerialState::InStock => "in stock",
        SerialState::Released => "released",
        SerialState::Wip => "in production",
        SerialState::Uncoded => "in production, without a code",
    }
}

fn or_none(value: String) -> String {
    if value.trim().is_empty() { NO_VALUE.to_owned() } else { value }
}

fn fact(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), or_none(value.to_string()))
}

/// Longer texts about parts are cut: each is shown wherever the part is.
const LONGEST: usize = 200;

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn quantity(quantity: Option<Quantity>) -> String {
    quantity.map(|quantity| quantity.to_string()).unwrap_or_default()
}

fn table(columns: &[&str], rows: Vec<Vec<String>>) -> Block {
    if rows.is_empty() {
        return Block::Paragraph(NONE.to_owned());
    }
    let rows = rows.into_iter().map(|row| row.into_iter().map(or_none).collect()).collect();
    Block::Table { columns: columns.iter().map(|heading| Column::new(*heading)).collect(), rows }
}

fn labels(labels: &Labels) -> Block {
    let mut facts =
        vec![fact("Product", &labels.product_code), fact("Serial", labels.serial_code.clone().unwrap_or_default())];
    facts.extend(labels.files.iter().map(|file| fact("File", format!("{} ({})", file.name, file.sha256))));
    Block::Facts(facts)
}

fn attachments(attachments: &[Attachment]) -> Block {
    let row = |file: &Attachment| vec![file.name.clone(), file.size.to_string(), file.sha256.clone()];
    table(&["File", "Bytes", "SHA-256"], attachments.iter().map(row).collect())
}

fn component(line: PartLine<'_>, zone: &TimeZone) -> Vec<String> {
    let code = line.serial_code.unwrap_or(NO_VALUE);
    let serial = match line.standing {
        PartStanding::BuiltIn => code.to_owned(),
        PartStanding::Temporary => format!("{code} (temporary)"),
        PartStanding::Replaced { at, reason } => {
            let at = at.map(|at| format!(" {}", at.local(zone))).unwrap_or_default();
            let why = reason.filter(|reason| !reason.is_empty()).map(|reason| format!(": {}", short(reason)));
            format!("{code} (replaced{at}{})", why.unwrap_or_default())
        }
        PartStanding::Missing(units) => format!("({units} missing)"),
    };
    let mark = "· ".repeat(line.level.min(MOST_MARKED));
    vec![format!("{mark}{}", line.product_code), line.product_description.map(short).unwrap_or_default(), serial]
}

/// A value of any type of field, for people.
fn value_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(value_text).collect::<Vec<_>>().join(", "),
        // A choice has a value, a file a name.
        Value::Object(members) => {
            members.get("value").or_else(|| members.get("name")).map_or_else(|| value.to_string(), value_text)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_read_as_people_entered_them() {
        let cases = [
            (json!(null), ""),
            (json!(true), "yes"),
            (json!(1.50), "1.5"),
            (json!("red"), "red"),
            (json!({ "_key": "g1", "value": "First" }), "First"),
            (json!([{ "name": "a.pdf", "size": 3 }, { "name": "b.png", "size": 4 }]), "a.pdf, b.png"),
            (json!(["x", "y"]), "x, y"),
        ];
        for (value, text) in cases {
            assert_eq!(value_text(&value), text);
        }
    }

    #[test]
    fn parts_say_where_they_are_and_whether_they_are_there() {
        let line = |level, serial_code, standing| {
            let part = PartLine { level, product_code: "C", product_description: None, serial_code, standing };
            component(part, &TimeZone::UTC)
        };
        let at = domain::Timestamp::parse("2026-11-17T09:00:00Z").ok();
        let replaced = |reason| PartStanding::Replaced { at, reason };
        assert_eq!(line(0, Some("C-1"), PartStanding::BuiltIn), ["C", "", "C-1"]);
        let shown = ["· · C", "", "C-2 (replaced 2026-11-17 09:00:00 +00:00: noise)"];
        assert_eq!(line(2, Some("C-2"), replaced(Some("noise"))), shown);
        assert_eq!(line(0, None, replaced(None))[2], "– (replaced 2026-11-17 09:00:00 +00:00)");
        assert_eq!(line(1, None, PartStanding::Missing(2)), ["· C", "", "(2 missing)"]);
        assert_eq!(line(900, None, PartStanding::Missing(1))[0].matches('·').count(), MOST_MARKED);
    }

    #[test]
    fn long_descriptions_are_cut_and_empty_cells_marked() {
        let long = "ä".repeat(LONGEST + 1);
        let standing = PartStanding::BuiltIn;
        let part =
            PartLine { level: 0, product_code: "C", product_description: Some(&long), serial_code: None, standing };
        assert_eq!(
            component(part, &TimeZone::UTC),
            ["C".to_owned(), format!("{}…", "ä".repeat(LONGEST)), "–".to_owned()]
        );
        let Block::Table { rows, .. } = table(&["Phase", "Start"], vec![vec!["Weld".to_owned(), String::new()]]) else {
            panic!("no table");
        };
        assert_eq!(rows, [["Weld", "–"]]);
    }

    #[test]
    fn an_empty_table_reads_none() {
        assert!(matches!(table(&["Kind"], Vec::new()), Block::Paragraph(text) if text == NONE));
        assert!(
            matches!(heading(history::RECORD), Block::Heading { sub: Some(sub), .. } if sub == "Batch record (ISO 13485, 7.5.1)")
        );
    }
}
