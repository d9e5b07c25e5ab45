//! What an event's answer shows: records as they are after it, read in its own transaction.

use std::borrow::Cow;
use std::sync::LazyLock;

use domain::Timestamp;
use domain::collaboration::TaskStatus;
use domain::counting::{AssignmentStatus, SessionStatus};
use domain::key::{
    CountAssignmentKey, CountRecordKey, CountSessionKey, IssueKey, LinkKey, MessageKey, MovementKey, MovementListKey,
    PositionKey, SerialKey, StepExecutionKey, TaskKey, WorkSessionKey,
};
use domain::warehouse::movement::MovementStatus;
use journal::{CodedSerial, KnownJob, Outcome, OutcomeMember};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use store::Tx;

use crate::Result;
use crate::areas::collaboration::{self, TaskRecord};
use crate::areas::production::{self, BatchRecord, JobRecord, OrderRead};
use crate::error::ApiError;

/// The members of an answer. Records are written when the answer is: nobody has to wait for that in the transaction.
pub(super) struct Members(Vec<(&'static str, Member)>);

#[derive(Serialize)]
#[serde(untagged)]
enum Member {
    Batch(Option<BatchRecord>),
    Job(Option<Box<JobRecord>>),
    Json(Value),
    Task(Option<Box<TaskRecord>>),
    WorkOrder(Box<OrderRead>),
    Written(Box<RawValue>),
}

impl Members {
    /// Writes all records now; returns their approximate size, too.
    pub(super) fn written(self) -> Result<(Self, usize)> {
        let (mut all, mut bytes) = (Vec::with_capacity(self.0.len()), 0);
        for (name, member) in self.0 {
            let value = to_raw_value(&member)
                .map_err(|error| ApiError::internal(&format!("an answer can't be written: {error}"), None))?;
            bytes += name.len() + value.get().len();
            all.push((name, Member::Written(value)));
        }
        Ok((Self(all), bytes))
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl JsonSchema for Members {
    fn schema_name() -> Cow<'static, str> {
        "EventOutcome".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Shown::json_schema(generator)
    }
}

/// All members that an answer can have; its type says which it has.
#[derive(Serialize, JsonSchema)]
struct Shown {
    /// The job, as it is after the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    job_data: Option<JobRecord>,
    /// The job's active batch; null if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_data: Option<BatchRecord>,
    /// The batch that was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_batch: Option<BatchRecord>,
    /// The units that were released; empty if the product is not traced.
    #[serde(skip_serializing_if = "Option::is_none")]
    released_serial_keys: Option<Vec<String>>,
    /// The units that were scrapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    scrapped_serial_keys: Option<Vec<String>>,
    /// The record of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_record_key: Option<StepExecutionKey>,
    /// The job or order whose `extra` was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity: Option<Entity>,
    /// The order, as it is after the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    work_order: Option<OrderRead>,
    /// The serial; of many, the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    serial_key: Option<SerialKey>,
    /// The code of the serial or of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// How many serials it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// The serials with their codes, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    serials: Option<Vec<CodedSerial>>,
    /// The link between serials that began or ended; of a link of a task, the record at its other end.
    #[serde(skip_serializing_if = "Option::is_none")]
    link_key: Option<LinkKey>,
    /// The links that ended for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_link_keys: Option<Vec<LinkKey>>,
    /// The serials that were deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_keys: Option<Vec<SerialKey>>,
    /// The movement; null if its parts have used it up.
    #[serde(skip_serializing_if = "Option::is_none")]
    movement_key: Option<MovementKey>,
    /// The status of the movement, the counting session, the assignment or the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    /// The movements that were carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_movement_keys: Option<Vec<MovementKey>>,
    /// The movement that was taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    original_movement_key: Option<MovementKey>,
    /// The movement of the list that is planned again; null if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    planned_movement_key: Option<MovementKey>,
    /// The list of movements.
    #[serde(skip_serializing_if = "Option::is_none")]
    movement_list_key: Option<MovementListKey>,
    /// The movements of a new list, in the order of its rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    movement_keys: Option<Vec<MovementKey>>,
    /// How many movements were canceled.
    #[serde(skip_serializing_if = "Option::is_none")]
    canceled: Option<u64>,
    /// The counting session.
    #[serde(skip_serializing_if = "Option::is_none")]
    count_session_key: Option<CountSessionKey>,
    /// The list of the movements that correct stock after a count; null if there is nothing to correct.
    #[serde(skip_serializing_if = "Option::is_none")]
    adjustment_list_key: Option<MovementListKey>,
    /// How many records of a counting session were confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    records_to_process: Option<i64>,
    /// The record of a count.
    #[serde(skip_serializing_if = "Option::is_none")]
    count_record_key: Option<CountRecordKey>,
    /// Whether the session is done with the position of the count.
    #[serde(skip_serializing_if = "Option::is_none")]
    position_completed: Option<bool>,
    /// The position that is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    position_key: Option<PositionKey>,
    /// The records of what should have been at a position that is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    count_record_keys: Option<Vec<CountRecordKey>>,
    /// The assignment of a counting session.
    #[serde(skip_serializing_if = "Option::is_none")]
    assignment_key: Option<CountAssignmentKey>,
    /// The issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    issue_key: Option<IssueKey>,
    /// The message.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_key: Option<MessageKey>,
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    task_key: Option<TaskKey>,
    /// The task, as it is after the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<TaskRecord>,
    /// The time that was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    work_session_key: Option<WorkSessionKey>,
    /// How a task was deleted: always `soft`.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used")]
enum Status {
    Movement(MovementStatus),
    CountSession(SessionStatus),
    CountAssignment(AssignmentStatus),
    Task(TaskStatus),
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used")]
enum Entity {
    Job(JobRecord),
    WorkOrder(OrderRead),
}

/// Whether an answer may have this member.
fn is_declared(name: &str) -> bool {
    static DECLARED: LazyLock<Vec<String>> = LazyLock::new(|| {
        let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Shown>();
        schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect()
    });
    DECLARED.iter().any(|declared| declared == name)
}

/// Reads the members of an answer, as they are in this transaction.
pub(super) async fn shown(tx: &mut Tx, Outcome(members): Outcome, now: Timestamp) -> Result<Members> {
    let mut all = Vec::with_capacity(members.len());
    for (name, member) in members {
        debug_assert!(is_declared(name), "{name} is no member of an answer");
        let member = match member {
            OutcomeMember::Batch(None) => Member::Batch(None),
            OutcomeMember::Batch(Some(key)) => Member::Batch(production::batch_record(tx, key).await?),
            OutcomeMember::Job(None) => Member::Job(None),
            OutcomeMember::Job(Some(known)) => {
                let KnownJob { order, job } = *known;
                Member::Job(Some(Box::new(production::known_job_record(tx, order, job, now).await?)))
            }
            OutcomeMember::Task(key) => Member::Task(collaboration::task_record(tx, key).await?.map(Box::new)),
            OutcomeMember::WorkOrder(key) => Member::WorkOrder(Box::new(production::order_read(tx, key, now).await?)),
            OutcomeMember::Json(value) => Member::Json(value),
        };
        all.push((name, member));
    }
    Ok(Members(all))
}
