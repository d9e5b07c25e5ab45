//! All types of events that clients send. A new type is one line here.

use crate::events::production::{
    ActiveBatchChanged, BatchCanceled, BatchCompleted, ExtraUpdate, JobBackOnline, JobClosed, JobPauseForced,
    JobPaused, JobPausedOffline, JobReset, JobResumed, JobStarted, ProgressOverride, StepCompleted, StepEdited,
    TimeOverride, WorkOrderUpdated,
};
use crate::postable::Entry;

/// In the order of the API's document.
pub static POSTABLE: &[Entry] = &[
    Entry::of::<JobStarted>(),
    Entry::of::<JobResumed>(),
    Entry::of::<JobPaused>(),
    Entry::of::<JobPauseForced>(),
    Entry::of::<JobPausedOffline>(),
    Entry::of::<JobBackOnline>(),
    Entry::of::<JobClosed>(),
    Entry::of::<ActiveBatchChanged>(),
    Entry::of::<BatchCompleted>(),
    Entry::of::<StepCompleted>(),
    Entry::of::<StepEdited>(),
    Entry::of::<WorkOrderUpdated>(),
    Entry::of::<BatchCanceled>(),
    Entry::of::<JobReset>(),
    Entry::of::<ProgressOverride>(),
    Entry::of::<TimeOverride>(),
    Entry::of::<ExtraUpdate>(),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{ClientEvent, ServerEvent};

    #[test]
    fn every_event_of_clients_has_one_line() {
        let mut listed: Vec<&str> = POSTABLE.iter().map(|entry| entry.name).collect();
        let mut named: Vec<&str> = ClientEvent::ALL.iter().map(|event| event.name()).collect();
        listed.sort_unstable();
        named.sort_unstable();
        assert_eq!(listed, named);
    }

    #[test]
    fn no_event_is_both_sent_and_only_made() {
        let both = ServerEvent::ALL.iter().filter(|event| ClientEvent::parse(event.name()).is_some());
        assert_eq!(both.count(), 0);
    }

    /// By their schema: a name that is misspelt would lock nothing.
    #[test]
    fn a_type_locks_by_members_that_it_has() {
        for entry in POSTABLE {
            let schema = (entry.schema)(&mut schemars::SchemaGenerator::default());
            for (member, _) in entry.locks {
                assert!(
                    schema.get("properties").is_some_and(|has| has.get(member).is_some()),
                    "{}: {member}",
                    entry.name
                );
            }
        }
    }
}
