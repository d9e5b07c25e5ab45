//! All event types that clients send. A new type is one line here.

use crate::events::collaboration::{
    IssueClosed, IssueCreated, IssueDeleted, IssueReopened, IssueUpdated, MessageDeleted, MessagePosted,
    MessageUpdated, TaskCanceled, TaskCompleted, TaskCreated, TaskDeleted, TaskLinked, TaskReopened, TaskSuspended,
    TaskTimeRecorded, TaskUnlinked, TaskUpdated,
};
use crate::events::counting::{
    AssignmentCompleted, AssignmentStarted, CountCanceled, CountCompleted, CountDiscarded, CountSessionCanceled,
    CountSessionCompleted, CountSessionConfirmed, CountSessionResumed, CountSessionStarted, CountStarted,
    PositionConfirmedEmpty,
};
use crate::events::production::{
    ActiveBatchChanged, BatchCanceled, BatchCompleted, ExtraUpdate, JobBackOnline, JobClosed, JobPauseForced,
    JobPaused, JobPausedOffline, JobReset, JobResumed, JobStarted, ProgressOverride, StepCompleted, StepEdited,
    TimeOverride, WorkOrderUpdated,
};
use crate::events::serial::{
    SerialCreated, SerialDeleted, SerialLinked, SerialReleased, SerialScrapped, SerialUnlinked, SerialUpdated,
};
use crate::events::warehouse::{
    MovementCompleted, MovementPlanned, MovementReversed, MovementUpdated, WarehouseListClosed, WarehouseListCreated,
};
use crate::postable::EventType;

/// In the order of the API's document.
pub static POSTABLE: &[EventType] = &[
    EventType::of::<JobStarted>(),
    EventType::of::<JobResumed>(),
    EventType::of::<JobPaused>(),
    EventType::of::<JobPauseForced>(),
    EventType::of::<JobPausedOffline>(),
    EventType::of::<JobBackOnline>(),
    EventType::of::<JobClosed>(),
    EventType::of::<ActiveBatchChanged>(),
    EventType::of::<BatchCompleted>(),
    EventType::of::<StepCompleted>(),
    EventType::of::<StepEdited>(),
    EventType::of::<WorkOrderUpdated>(),
    EventType::of::<BatchCanceled>(),
    EventType::of::<JobReset>(),
    EventType::of::<ProgressOverride>(),
    EventType::of::<TimeOverride>(),
    EventType::of::<ExtraUpdate>(),
    EventType::of::<SerialCreated>(),
    EventType::of::<SerialUpdated>(),
    EventType::of::<SerialReleased>(),
    EventType::of::<SerialLinked>(),
    EventType::of::<SerialUnlinked>(),
    EventType::of::<SerialDeleted>(),
    EventType::of::<SerialScrapped>(),
    EventType::of::<MovementPlanned>(),
    EventType::of::<MovementUpdated>(),
    EventType::of::<MovementCompleted>(),
    EventType::of::<MovementReversed>(),
    EventType::of::<WarehouseListCreated>(),
    EventType::of::<WarehouseListClosed>(),
    EventType::of::<CountSessionStarted>(),
    EventType::of::<CountSessionCompleted>(),
    EventType::of::<CountSessionResumed>(),
    EventType::of::<CountSessionConfirmed>(),
    EventType::of::<CountSessionCanceled>(),
    EventType::of::<CountStarted>(),
    EventType::of::<CountCompleted>(),
    EventType::of::<CountCanceled>(),
    EventType::of::<CountDiscarded>(),
    EventType::of::<PositionConfirmedEmpty>(),
    EventType::of::<AssignmentStarted>(),
    EventType::of::<AssignmentCompleted>(),
    EventType::of::<IssueCreated>(),
    EventType::of::<IssueUpdated>(),
    EventType::of::<IssueClosed>(),
    EventType::of::<IssueReopened>(),
    EventType::of::<IssueDeleted>(),
    EventType::of::<MessagePosted>(),
    EventType::of::<MessageUpdated>(),
    EventType::of::<MessageDeleted>(),
    EventType::of::<TaskCreated>(),
    EventType::of::<TaskUpdated>(),
    EventType::of::<TaskCompleted>(),
    EventType::of::<TaskCanceled>(),
    EventType::of::<TaskSuspended>(),
    EventType::of::<TaskReopened>(),
    EventType::of::<TaskLinked>(),
    EventType::of::<TaskUnlinked>(),
    EventType::of::<TaskTimeRecorded>(),
    EventType::of::<TaskDeleted>(),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{ClientEvent, ServerEvent};

    #[test]
    fn every_event_of_clients_has_one_line() {
        let mut listed: Vec<&str> = POSTABLE.iter().map(|event_type| event_type.name).collect();
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

    /// Checked against the schema: a misspelt name would lock nothing.
    #[test]
    fn a_type_locks_by_members_that_it_has() {
        for event_type in POSTABLE {
            let schema = (event_type.schema)(&mut schemars::SchemaGenerator::default());
            for (member, _) in event_type.locks {
                assert!(
                    schema.get("properties").is_some_and(|has| has.get(member).is_some()),
                    "{}: {member}",
                    event_type.name
                );
            }
        }
    }
}
