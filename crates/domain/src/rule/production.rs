//! Rules for orders, jobs, batches and queues.

use schemars::JsonSchema;
use serde::Serialize;

use super::rules;
use crate::Quantity;
use crate::form::FormFault;
use crate::key::{BatchKey, CounterKey, JobKey, ProductKey, SerialKey, StepKey, UserKey};
use crate::production::Stage;

rules! {
    /// Somebody is working on the job.
    JobIsActiveError, "Pause the job first." {
        job_key: JobKey,
        stage: Stage,
    }

    /// Nobody is working on the job.
    JobIsNotActiveError, "Start or resume the job first." {
        job_key: JobKey,
        stage: Stage,
    }

    /// The job has already been started.
    JobIsStartedError, "Resume the job instead of starting it." {
        job_key: JobKey,
        stage: Stage,
    }

    /// The job has not been started yet, or nothing of it has been completed.
    JobIsNotStartedError, "Start the job first, and complete a batch where one is needed." {
        job_key: JobKey,
        stage: Stage,
    }

    /// The job is closed.
    JobIsClosedError, "Take another job, or plan more of this one, which opens it again." {
        job_key: JobKey,
        stage: Stage,
    }

    /// The job has an active batch.
    JobHasActiveBatchError, "Complete or cancel the batch first." {
        job_key: JobKey,
        batch_key: Option<BatchKey>,
    }

    /// The job has no active batch.
    JobHasNoActiveBatchError, "Start or resume the job, which opens a batch." {
        job_key: JobKey,
        batch_key: Option<BatchKey>,
    }

    /// The job is not assigned to anybody.
    JobHasNoAssigneeError, "Assign the job to a user." {
        job_key: JobKey,
        /// Always null.
        assigned_to: Option<UserKey>,
    }

    /// The job is assigned to another user.
    JobAssignedToOtherError, "Have the job assigned to you, or leave it to its assignee or a supervisor." {
        job_key: JobKey,
        assigned_to: UserKey,
    }

    /// Another user is working on the job.
    NotSessionUserError, "Leave it to that user or a supervisor." {
        job_key: JobKey,
        /// Who is working on it.
        user_key: UserKey,
    }

    /// The user is working on another job that needs them.
    UserHasActiveJobError, "Pause the other job first, or allow unsupervised work in its phase." {
        /// The other job.
        job_key: JobKey,
    }

    /// Another job of the phase is active, and only one may be.
    ParallelJobNotAllowedError, "Pause the other job first, or allow parallel jobs in the phase." {
        /// The other job.
        job_key: JobKey,
    }

    /// The batch is not the active batch of its job.
    BatchNotActiveError, "Read the job: `active_batch_key` is its active batch." {
        batch_key: BatchKey,
    }

    /// More is asked for than remains of the job's planned quantity: the rest is made, scrapped or under way.
    NoQuantityLeftError, "Plan more of the job, or close it." {
        job_key: JobKey,
    }

    /// Too little is waiting between two phases for what is to be taken.
    WipNotAvailableError, "Wait until the previous phase has made more, or ask for less." {
        /// `upstream`: too little is waiting in front of the phase; `downstream`: the next phase has already taken it.
        direction: &'static str,
        /// How much is to be taken.
        requested: Quantity,
        /// How much is waiting.
        available: Quantity,
        /// The units that are not there: the first 1,000.
        serial_keys: Vec<SerialKey>,
    }

    /// A quantity, or the sum of several, is not the expected one.
    QuantityMismatchError, "Send the expected quantity." {
        /// What it has to be.
        expected: Quantity,
        /// What it is.
        given: Quantity,
    }

    /// The planned quantity can't be less than what is made or under way.
    QuantityTooSmallError, "Plan at least the `minimum`." {
        job_key: JobKey,
        /// What is completed, scrapped and in the active batch.
        minimum: Quantity,
    }

    /// A quantity would be larger than the service can store.
    QuantityOverflow, "Use smaller quantities, or a larger unit." {
        #[serde(skip_serializing_if = "Option::is_none")]
        maximum: Option<Quantity>,
    }

    /// The completed quantity can't be set if the product is traced by units.
    QuantityOverrideForSerialsNotAllowed, "Complete or cancel batches of units instead." {
        job_key: JobKey,
    }

    /// Some steps of the batch are not done.
    StepsMissingError, "Complete the steps in `step_keys` first." {
        step_keys: Vec<StepKey>,
    }

    /// Steps before this one are not done, and the phase prescribes their order.
    StepOrderError, "Complete the steps in `step_keys` first." {
        step_keys: Vec<StepKey>,
    }

    /// The step is already done.
    StepAlreadyDoneError, "Edit the step's record instead." {
        step_keys: Vec<StepKey>,
    }

    /// Values do not fit their form fields.
    FormFieldValueError, "Correct the values of the form fields in `fields`." {
        /// The first 1,000 faults.
        fields: Vec<FormFault>,
    }

    /// There is no counter for the codes that are needed.
    CounterNotDefinedError, "Send a code, or name a counter: of orders and positions in the configuration entry `system_counters`, of serials in the product." {
        counter_key: Option<CounterKey>,
        /// The first 1,000 serials that need a code.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        serial_keys: Vec<SerialKey>,
    }

    /// The next 1,000 codes of the counter are already in use.
    CounterCodeTaken, "Move the counter forward, or send a code." {
        counter_key: Option<CounterKey>,
    }

    /// The `extra` of an order and its jobs, or of its lines, would be too large.
    ExtraTooLargeError, "Store less in `extra`: large data belongs in attached files." {
        /// How large it would be.
        bytes: usize,
        /// How large it may be.
        maximum: usize,
    }

    /// Units of the batch lack components that have to be linked by the end of this phase.
    ComponentsMissingError, "Link the missing components: `PUT /batch/{batch_key}/serial-temp-links`." {
        /// The first 1,000.
        missing: Vec<MissingComponent>,
    }

    /// The queue follows the site queue, or the configuration does not allow independent queues.
    IndependentReorderingNotAllowed, "Make the queue independent, if the configuration allows it." {}
}

/// A component that a unit lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MissingComponent {
    /// The unit.
    pub serial_key: SerialKey,
    /// The component.
    pub component_key: ProductKey,
    /// Its code.
    pub component_code: String,
    /// How many have to be linked.
    pub required: u64,
    /// How many are.
    pub linked: u64,
}

/// So many faults are told.
const MOST_FAULTS: usize = 1_000;

impl FormFieldValueError {
    /// These are the faults.
    pub fn of(mut faults: Vec<FormFault>) -> Self {
        faults.truncate(MOST_FAULTS);
        Self { fields: faults }
    }
}
