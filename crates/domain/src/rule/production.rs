//! Rules for orders, jobs, batches and queues.

use super::rules;
use crate::Quantity;
use crate::form::FormFault;
use crate::key::{BatchKey, CounterKey, JobKey, StepKey, UserKey};
use crate::product::TraceabilityLevel;
use crate::production::Stage;

rules! {
    /// Somebody works at the job.
    JobIsActiveError, "Pause the job first." {
        job_key: JobKey,
        stage: Stage,
    }

    /// Nobody works at the job.
    JobIsNotActiveError, "Start or resume the job first." {
        job_key: JobKey,
        stage: Stage,
    }

    /// The job was started before.
    JobIsStartedError, "Resume the job instead of starting it." {
        job_key: JobKey,
        stage: Stage,
    }

    /// The job was not started yet, or nothing of it was completed.
    JobIsNotStartedError, "Start the job first, and complete a batch where one is needed." {
        job_key: JobKey,
        stage: Stage,
    }

    /// The job is closed.
    JobIsClosedError, "Take another job, or plan more of this one: then it opens again." {
        job_key: JobKey,
        stage: Stage,
    }

    /// The job has an active batch.
    JobHasActiveBatchError, "Complete or cancel the batch first." {
        job_key: JobKey,
        batch_key: Option<BatchKey>,
    }

    /// The job has no active batch.
    JobHasNoActiveBatchError, "Start or resume the job: that begins a batch." {
        job_key: JobKey,
        batch_key: Option<BatchKey>,
    }

    /// The job is assigned to nobody.
    JobHasNoAssigneeError, "Assign the job to a user." {
        job_key: JobKey,
        /// Always null.
        assigned_to: Option<UserKey>,
    }

    /// The job is assigned to another user.
    JobAssignedToOtherError, "Have the job assigned to you, or let its assignee or a supervisor do it." {
        job_key: JobKey,
        assigned_to: UserKey,
    }

    /// Another user works at the job.
    NotSessionUserError, "Let that user or a supervisor do it." {
        job_key: JobKey,
        /// Who works at it.
        user_key: UserKey,
    }

    /// The user works at another job that needs them.
    UserHasActiveJobError, "Pause the other job first, or allow unsupervised work in its phase." {
        /// The other job.
        job_key: JobKey,
    }

    /// Another job of the phase is active, and only one may be.
    ParallelJobNotAllowedError, "Pause the other job first, or allow parallel jobs in the phase." {
        /// The other job.
        job_key: JobKey,
    }

    /// The batch is not the active one of its job.
    BatchNotActiveError, "Read the job: `active_batch_key` is its active batch." {
        batch_key: BatchKey,
    }

    /// All of the job's quantity is made, scrapped or under way.
    NoQuantityLeftError, "Plan more of the job, or close it." {
        job_key: JobKey,
    }

    /// Too little waits between two phases for what is to be taken from there.
    WipNotAvailableError, "Wait until the phase before has made more, or ask for less." {
        /// `upstream`: in front of the phase; `downstream`: behind it, since the next phase has taken it.
        direction: &'static str,
        requested: Quantity,
        available: Quantity,
        /// Units that are not there.
        serial_keys: Vec<String>,
    }

    /// Quantities do not add up.
    QuantityMismatchError, "Send the expected quantity." {
        expected: Quantity,
        given: Quantity,
    }

    /// Less than what is made or under way can't be planned.
    QuantityTooSmallError, "Plan at least the minimum." {
        job_key: JobKey,
        /// Completed, scrapped and in the active batch.
        minimum: Quantity,
    }

    /// A quantity would be more than the service can keep.
    QuantityOverflow, "Use smaller quantities, or a larger unit." {
        #[serde(skip_serializing_if = "Option::is_none")]
        maximum: Option<Quantity>,
    }

    /// What is traced unit by unit can't be set by number.
    QuantityOverrideForSerialsNotAllowed, "Complete or cancel batches of units instead." {
        job_key: JobKey,
    }

    /// Steps of the batch are not done.
    StepsMissingError, "Complete the steps first." {
        step_keys: Vec<StepKey>,
    }

    /// Steps before this one are not done, and their order matters.
    StepOrderError, "Complete those steps first." {
        step_keys: Vec<StepKey>,
    }

    /// The step is done already.
    StepAlreadyDoneError, "Edit the step's record instead." {
        step_keys: Vec<StepKey>,
    }

    /// Values do not fit the fields of a form.
    FormFieldValueError, "Correct the fields that are named." {
        fields: Vec<FormFault>,
    }

    /// No counter makes the codes that are needed.
    CounterNotDefinedError, "Send the code, or set the counter in the configuration entry `system_counters`." {
        counter_key: Option<CounterKey>,
    }

    /// The next 1,000 codes of the counter are taken.
    CounterCodeTaken, "Set the counter further, or send the code." {
        counter_key: Option<CounterKey>,
    }

    /// The extra data of an order and its jobs would take too much memory.
    ExtraTooLargeError, "Keep less in `extra`: large data belongs in attached files." {
        bytes: usize,
        maximum: usize,
    }

    /// The queue follows the site queue, or the configuration lets no queue be independent.
    IndependentReorderingNotAllowed, "Make the queue independent, which the configuration has to allow." {}

    /// Products that are traced by units can't be ordered yet.
    TraceabilityNotAvailable, "Clear the product's `traceability_level`." {
        traceability_level: TraceabilityLevel,
    }
}
