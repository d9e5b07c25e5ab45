//! Which events a webhook is told.

use serde::{Deserialize, Serialize};

/// Stands for the rest of a name.
const REST: char = '*';

/// Names of event types, beginnings of names such as `JOB_*`, or `*` for all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventFilter(pub Vec<String>);

impl EventFilter {
    /// Whether events of this type are told.
    pub fn fits(&self, event_type: &str) -> bool {
        self.0.iter().any(|wanted| fits(wanted, event_type))
    }
}

fn fits(wanted: &str, event_type: &str) -> bool {
    match wanted.strip_suffix(REST) {
        Some(beginning) => event_type.starts_with(beginning),
        None => event_type == wanted,
    }
}

/// Whether an entry of a filter stands for any of these types.
pub fn is_known<'a>(wanted: &str, mut types: impl Iterator<Item = &'a str>) -> bool {
    types.any(|event_type| fits(wanted, event_type))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TYPES: [&str; 4] = ["JOB_STARTED", "JOB_CLOSED", "BATCH_COMPLETED", "STEP_COMPLETED"];

    fn filter(entries: &[&str]) -> EventFilter {
        EventFilter(entries.iter().map(|entry| (*entry).to_owned()).collect())
    }

    #[test]
    fn names_beginnings_and_all() {
        let fitting = |entries: &[&str]| {
            let filter = filter(entries);
            TYPES.into_iter().filter(|event_type| filter.fits(event_type)).collect::<Vec<_>>()
        };
        assert_eq!(fitting(&["*"]), TYPES);
        assert_eq!(fitting(&["JOB_*"]), ["JOB_STARTED", "JOB_CLOSED"]);
        assert_eq!(fitting(&["STEP_COMPLETED", "JOB_S*"]), ["JOB_STARTED", "STEP_COMPLETED"]);
        assert_eq!(fitting(&["JOB_"]), [""; 0]);
        assert_eq!(fitting(&["*_COMPLETED"]), [""; 0], "a star stands at the end");
    }

    #[test]
    fn what_stands_for_no_type_is_unknown() {
        for known in ["*", "JOB_*", "J*", "BATCH_COMPLETED", "BATCH_COMPLETED*"] {
            assert!(is_known(known, TYPES.into_iter()), "{known}");
        }
        for unknown in ["JOB", "JOBS_*", "job_*", "**", "", "BATCH_COMPLETED ", "*COMPLETED"] {
            assert!(!is_known(unknown, TYPES.into_iter()), "{unknown:?}");
        }
    }

    proptest! {
        #[test]
        fn a_known_entry_fits_one_of_the_types(entry in "[A-Z_]{0,8}\\*?") {
            let fits_any = TYPES.iter().any(|event_type| filter(&[&entry]).fits(event_type));
            prop_assert_eq!(is_known(&entry, TYPES.into_iter()), fits_any);
        }
    }
}
