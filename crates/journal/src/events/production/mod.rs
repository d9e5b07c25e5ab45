//! Events of production.

mod active_batch_changed;
mod batch_canceled;
mod batch_completed;
mod extra_update;
mod job_back_online;
mod job_closed;
mod job_pause_forced;
mod job_paused;
mod job_paused_offline;
mod job_reset;
mod job_resumed;
mod job_started;
mod progress_override;
mod step_completed;
mod step_edited;
mod time_override;
mod work_order_updated;

pub use active_batch_changed::ActiveBatchChanged;
pub use batch_canceled::BatchCanceled;
pub use batch_completed::BatchCompleted;
pub use extra_update::ExtraUpdate;
pub use job_back_online::JobBackOnline;
pub use job_closed::JobClosed;
pub use job_pause_forced::JobPauseForced;
pub use job_paused::JobPaused;
pub use job_paused_offline::JobPausedOffline;
pub use job_reset::JobReset;
pub use job_resumed::JobResumed;
pub use job_started::JobStarted;
pub use progress_override::ProgressOverride;
pub use step_completed::StepCompleted;
pub use step_edited::StepEdited;
pub use time_override::TimeOverride;
pub use work_order_updated::WorkOrderUpdated;
