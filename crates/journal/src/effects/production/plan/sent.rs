//! The updates that planners send.

use std::borrow::Cow;

use domain::key::{JobKey, PhaseKey, UserKey, WorkOrderKey};
use domain::process::ChosenParameters;
use domain::production::Job;
use domain::{Change, Quantity, Timestamp, Until};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::event::planned::{PlanAction, PlannedJob};

/// One update of a job: `{"action": …, "data": …}`.
#[derive(Debug, Clone)]
pub enum JobUpdate {
    Insert(NewJob),
    Update(Box<JobChange>),
    Close(JobName),
}

/// Another job for a phase of an order.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewJob {
    pub work_order_key: WorkOrderKey,
    /// Of the order's routing.
    pub phase_key: PhaseKey,
    /// More than 0. The jobs of a phase need not add up to what the order asks for.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub qt_planned: Quantity,
    /// A user.
    pub assigned_to: Option<UserKey>,
    /// The order's when left out.
    #[schemars(length(max = 100_000))]
    pub notes: Option<String>,
}

/// Changes to a job: members left out stay, null clears.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobChange {
    pub _key: JobKey,
    /// At least what is made or under way. A closed job that has quantity left then opens again.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub qt_planned: Option<Quantity>,
    /// A user, or null for nobody; not while somebody is working on the job.
    #[serde(default)]
    pub assigned_to: Change<UserKey>,
    #[serde(default)]
    #[schemars(length(max = 100_000))]
    pub notes: Change<String>,
    #[serde(default)]
    pub start_from: Change<Timestamp>,
    /// A bare date means the end of that day.
    #[serde(default)]
    pub due_by: Change<Until>,
    /// Replaces all of them: members left out come from the configuration entry `default_operation_parameters`.
    pub parameters: Option<ChosenParameters>,
    /// Anything, stored as it is.
    #[serde(default)]
    pub extra: Change<Value>,
}

/// A job to be closed.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "JobToClose")]
pub struct JobName {
    pub _key: JobKey,
}

impl JobUpdate {
    /// The job it is about; a new one has no key yet.
    pub fn job(&self) -> Option<JobKey> {
        match self {
            Self::Insert(_) => None,
            Self::Update(change) => Some(change._key),
            Self::Close(job) => Some(job._key),
        }
    }

    /// The order that gets a new job.
    pub(super) fn order(&self) -> Option<WorkOrderKey> {
        match self {
            Self::Insert(job) => Some(job.work_order_key),
            _ => None,
        }
    }

    pub(super) fn assignee(&self) -> Option<&UserKey> {
        match self {
            Self::Insert(job) => job.assigned_to.as_ref(),
            Self::Update(change) => match &change.assigned_to {
                Change::Set(user) => Some(user),
                _ => None,
            },
            Self::Close(_) => None,
        }
    }
}

impl JobChange {
    /// What the journal keeps: the members of the job that were sent, with their new values.
    pub(super) fn recorded(&self, job: &Job) -> PlannedJob {
        PlannedJob {
            qt_planned: self.qt_planned.map(|_| job.qt_planned),
            assigned_to: self.assigned_to.is_given().then(|| job.assigned_to.clone()),
            notes: self.notes.is_given().then(|| job.notes.clone()),
            start_from: self.start_from.is_given().then_some(job.start_from),
            due_by: self.due_by.is_given().then_some(job.due_by),
            parameters: self.parameters.as_ref().map(|_| job.parameters.clone()),
            extra: self.extra.is_given().then(|| job.extra.clone()),
            ..PlannedJob::new(PlanAction::Update, self._key)
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SentUpdate {
    action: String,
    data: Value,
}

impl<'de> Deserialize<'de> for JobUpdate {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        fn data<T: DeserializeOwned, E: serde::de::Error>(data: Value) -> Result<T, E> {
            serde_json::from_value(data).map_err(E::custom)
        }
        let sent = SentUpdate::deserialize(from)?;
        match sent.action.as_str() {
            "insert" => data(sent.data).map(Self::Insert),
            "update" => data(sent.data).map(Self::Update),
            "close" => data(sent.data).map(Self::Close),
            other => Err(D::Error::unknown_variant(other, &["insert", "update", "close"])),
        }
    }
}

impl JsonSchema for JobUpdate {
    fn schema_name() -> Cow<'static, str> {
        "JobUpdate".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let form = |action: &str, data: Schema| {
            json_schema!({
                "type": "object",
                "title": action,
                "required": ["action", "data"],
                "properties": { "action": { "const": action }, "data": data },
                "additionalProperties": false
            })
        };
        let forms = [
            form("insert", generator.subschema_for::<NewJob>()),
            form("update", generator.subschema_for::<JobChange>()),
            form("close", generator.subschema_for::<JobName>()),
        ];
        json_schema!({ "oneOf": forms })
    }
}
