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
