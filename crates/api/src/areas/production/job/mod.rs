//! The work of single phases: reading jobs, planning them, and what operators' devices report.

mod heartbeat;
mod read;
mod session;
mod update;
mod wip;
mod wire;

pub(super) use wire::AssignedUser;
pub(crate) use wire::{JobRecord, job_records, known_job_record, record};

use domain::collection::Collection;
use domain::key::JobKey;
use schemars::JsonSchema;
use serde::Deserialize;

use super::TAG;
use crate::error::ApiError;
use crate::operation::{LARGE_BODY, Operation, get, post};
use crate::scope;

#[derive(Deserialize, JsonSchema)]
struct JobPath {
    /// The key of a job.
    job_key: JobKey,
}

#[derive(Deserialize, JsonSchema)]
struct OfJob {
    /// The key of a job.
    job_key: JobKey,
}

fn not_found() -> ApiError {
    ApiError::missing(Collection::Job)
}

const ABSENT: &str = "No such job.";

/// Operations that read and plan jobs.
pub(super) fn planning() -> Vec<Operation> {
    vec![
        get("list_jobs", "/job", TAG, "List jobs", read::list).scope(scope!("production:job:read")).describe(
            "Lists jobs by site queue, then by phase; jobs of closed orders come last. All filters combine; a \
             repeated filter means any of its values. The stage `planned` is the same as `created`.",
        ),
        post("update_jobs", "/job/update", TAG, "Plan jobs", update::update)
            .scope(scope!("production:job:update"))
            .body_limit(LARGE_BODY)
            .describe(
                "Splits, replans, assigns and closes jobs of one or more orders. The updates run in the order \
                 sent, and either all or none take effect. A job that gets another assignee goes to the end of \
                 that user's queue. Closing works like the event `JOB_CLOSED`, but a job that was never started \
                 is deleted, unless it is the last of its phase. The answer has the jobs that were created, \
                 changed or closed. Rules may refuse an update: a quantity is less than what is made or under way \
                 (`QuantityTooSmallError`), or the jobs of a phase exceed 1e12 (`QuantityOverflow`); the job to \
                 be reassigned or closed is being worked on (`JobIsActiveError`); the job to be closed is already \
                 closed (`JobIsClosedError`) or has an active batch (`JobHasActiveBatchError`).",
            )
            .error(
                422,
                "The body does not fit, or updates are refused: one fault for each, with the index of the update \
                 in `loc` and the name of the rule as `type`. Unknown records are faults of type \
                 `work_order_not_found`, `phase_not_of_order`, `job_not_found` or `user_not_found`. Only \
                 `ExtraTooLargeError` comes as a rule error of its own.",
            ),
        get("get_job", "/job/{job_key}", TAG, "Read a job", read::one)
            .scope(scope!("production:job:read"))
            .describe(
                "Returns a job with the lines of its phase and the notes of its product, phase and order. Lines have \
                 the serials that were built into the active batch or its units, temporary ones too.",
            )
            .error(404, ABSENT),
        get("get_job_time", "/job/{job_key}/time", TAG, "Read the time spent on a job", read::time)
            .scope(scope!("production:job:read"))
            .describe("Returns the milliseconds of all work sessions that count, with the running one up to now.")
            .error(404, ABSENT),
    ]
}

/// Operations around the work on a job.
pub(super) fn at_work() -> Vec<Operation> {
    vec![
        post("send_heartbeat", "/job/{job_key}/heartbeat", TAG, "Send a heartbeat", heartbeat::beat)
            .scope(scope!("traceability:event:create"))
            .describe(
                "A device sends heartbeats while somebody is working on a job. After the first one, the session \
                 is paused when nothing is heard from it for `max_offline` seconds. `active` says whether the \
                 session is still running.",
            )
            .unaudited()
            .error(404, ABSENT),
        get("get_last_work_session", "/work-session", TAG, "Read the last work session of a job", session::last)
            .scope(scope!("production:work-session:read"))
            .describe("Returns the session that was started last, running or not; null if there is none.")
            .error(404, ABSENT),
        get("get_wip", "/wip", TAG, "Read the work in progress around a job", wip::read)
            .scope(scope!("traceability:batch-execution-record:read"))
            .describe("Returns how much is free in front of the job's phase and in front of the next one.")
            .error(404, ABSENT),
    ]
}
