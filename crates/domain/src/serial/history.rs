//! What the Device History Record of a unit says, as far as it follows from values alone.

use jiff::tz::TimeZone;

use crate::Timestamp;
use crate::key::{PhaseKey, SerialKey};

/// A section of the record, worded as the regulation of the United States names it, and as ISO 13485 does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wording {
    pub classic: &'static str,
    pub batch_record: &'static str,
}

const fn wording(classic: &'static str, batch_record: &'static str) -> Wording {
    Wording { classic, batch_record }
}

pub const RECORD: Wording = wording("Device History Record", "Batch record (ISO 13485, 7.5.1)");
pub const IDENTIFICATION: Wording = wording("Unique identification of the device", "Identification (7.5.8)");
pub const DATES: Wording = wording("Dates of manufacture", "Dates of production (7.5.1)");
pub const MANUFACTURED: Wording = wording("Quantity manufactured", "Amount manufactured (7.5.1)");
pub const RELEASED: Wording = wording("Quantity released for distribution", "Amount approved for distribution (7.5.1)");
pub const MISSING: Wording = wording("Missing evidence", "Open requirements before release (8.2.6)");
pub const ACCEPTANCE: Wording = wording("Acceptance records", "Evidence of conformity (8.2.6)");
pub const LABELS: Wording = wording("Primary identification label and labeling", "Labelling (7.5.1)");
pub const COMPONENTS: Wording = wording("Components", "Traceability of components (7.5.9)");
pub const ATTACHMENTS: Wording = wording("Attachments", "Attached records (4.2.5)");
pub const EVENTS: Wording = wording("Events", "History of production (7.5.9)");
pub const CHILDREN: Wording = wording("Records of built-in units", "Batch records of components (7.5.9)");

/// The name of a record's file, without its extension: neither a path nor anything a header or a shell reads in another way.
pub fn record_name(code: Option<&str>, key: SerialKey, at: Timestamp, zone: &TimeZone) -> String {
    let unit = code.map_or_else(|| key.to_string(), str::to_owned);
    let plain = |char: char| if char.is_ascii_alphanumeric() || "._-".contains(char) { char } else { '_' };
    format!("DHR_{}_{}", unit.chars().map(plain).collect::<String>(), at.local_stamp(zone))
}

/// When a batch worked on a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkSpan {
    pub phase_key: PhaseKey,
    pub started: Timestamp,
    /// None while it is still at work.
    pub ended: Option<Timestamp>,
}

/// When a phase worked on a unit: from the start of its first batch to the end of its last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PhaseSpan {
    pub start: Option<Timestamp>,
    /// None while a batch is still at work.
    pub end: Option<Timestamp>,
}

/// The span of all this work, of one phase or of several.
pub fn span<'a>(work: impl IntoIterator<Item = &'a WorkSpan>) -> PhaseSpan {
    let (mut start, mut ends): (Option<Timestamp>, Option<Option<Timestamp>>) = (None, None);
    for one in work {
        start = Some(start.map_or(one.started, |start| start.min(one.started)));
        ends = Some(match (ends, one.ended) {
            (None, end) => end,
            (Some(Some(last)), Some(end)) => Some(last.max(end)),
            _ => None,
        });
    }
    PhaseSpan { start, end: ends.flatten() }
}

/// The field that a file belongs to, by the folder it is in: files of a field are in a folder of its key.
pub fn field_of_folder(subfolder: &str) -> Option<&str> {
    subfolder.split('/').next().filter(|field| !field.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn files_are_named_by_code_else_by_key() {
        let time = Timestamp::parse("2026-01-31T08:00:00Z").unwrap();
        let name = |code| record_name(code, SerialKey(1), time, &TimeZone::UTC);
        assert_eq!(name(Some("SN-00001")), "DHR_SN-00001_20260131_080000");
        assert_eq!(name(Some("A/B \"ÄÖ\"")), "DHR_A_B______20260131_080000");
        assert_eq!(name(None), format!("DHR_{}_20260131_080000", SerialKey(1)));
    }

    #[test]
    fn the_span_of_a_phase_is_open_while_a_batch_is_at_work() {
        let work = |started, ended: Option<i64>| WorkSpan {
            phase_key: PhaseKey(1),
            started: at(started),
            ended: ended.map(at),
        };
        assert_eq!(span(&[]), PhaseSpan::default());
        assert_eq!(span(&[work(5, Some(9)), work(2, Some(4))]), PhaseSpan { start: Some(at(2)), end: Some(at(9)) });
        assert_eq!(span(&[work(5, None), work(2, Some(4))]), PhaseSpan { start: Some(at(2)), end: None });
        assert_eq!(span(&[work(2, Some(4)), work(5, None)]), PhaseSpan { start: Some(at(2)), end: None });
    }

    #[test]
    fn files_belong_to_the_field_of_their_folder() {
        assert_eq!(field_of_folder(""), None);
        assert_eq!(field_of_folder("f1"), Some("f1"));
        assert_eq!(field_of_folder("f1/more"), Some("f1"));
    }

    proptest! {
        #[test]
        fn names_are_safe_whatever_the_code(code in "\\PC{1,40}", millis in 0_i64..4_000_000_000_000) {
            let name = record_name(Some(&code), SerialKey(1), at(millis), &TimeZone::UTC);
            prop_assert!(name.chars().all(|char| char.is_ascii_alphanumeric() || "._-".contains(char)), "{}", name);
            prop_assert_eq!(name.chars().count(), "DHR__20260131_080000".len() + code.chars().count());
        }

        #[test]
        fn a_span_does_not_depend_on_the_order(
            work in prop::collection::vec((0_i64..50, prop::option::of(50_i64..99)), 1..6),
        ) {
            let work: Vec<WorkSpan> = work
                .into_iter()
                .map(|(started, ended)| WorkSpan { phase_key: PhaseKey(1), started: at(started), ended: ended.map(at) })
                .collect();
            let found = span(&work);
            prop_assert_eq!(found, span(work.iter().rev()));
            prop_assert_eq!(found.start, work.iter().map(|one| one.started).min());
            let all_ended = work.iter().all(|one| one.ended.is_some());
            prop_assert_eq!(found.end, work.iter().filter_map(|one| one.ended).max().filter(|_| all_ended));
        }
    }
}
