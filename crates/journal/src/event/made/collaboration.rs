//! Payloads about issues, messages and tasks.

use domain::Timestamp;
use domain::collaboration::{Issue, IssueLinkType, IssueTarget};
use domain::form::FieldValue;
use domain::key::{IssueKey, IssueTypeKey, JobKey, MessageKey, ProductKey, SerialKey, TaskKey, UserKey, WorkOrderKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, MadePayload, MadeType};

payloads! {
    /// The members that the service adds to the payloads of events that are sent.
    ADDED {
        IssueAbout for "ISSUE_CREATED", "ISSUE_UPDATED", "ISSUE_CLOSED", "ISSUE_REOPENED", {
            /// The issue.
            issue_key: IssueKey,
            #[serde(flatten)]
            records: IssueRecords,
        }

        IssueRemoved for "ISSUE_DELETED", {
            /// The issue.
            issue_key: IssueKey,
            #[serde(flatten)]
            records: IssueRecords,
            /// The issue as it was.
            snapshot: IssueSnapshot,
        }

        MessageSent for "MESSAGE_POSTED", {
            /// The message.
            message_key: MessageKey,
            /// Of a message to a user, in place of `content`: the SHA-256 of what is written, in lower-case hexadecimal digits.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "String")]
            content_sha256: Option<String>,
        }

        MessageChanged for "MESSAGE_UPDATED", {
            /// Whom or what it is for.
            recipient: String,
            /// Of a message to a user, in place of `content`: the SHA-256 of what is written, in lower-case hexadecimal digits.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "String")]
            content_sha256: Option<String>,
        }

        MessageGone for "MESSAGE_DELETED", {
            /// Whom or what it was for.
            recipient: String,
        }

        TaskMade for "TASK_CREATED", {
            /// The task.
            task_key: TaskKey,
            /// Its code.
            task_code: String,
            /// Whom it is assigned to.
            newly_assigned: Vec<UserKey>,
        }

        TaskChanged for "TASK_UPDATED", {
            /// The code of the task.
            task_code: String,
            /// The title of the task, as it is now.
            task_title: Option<String>,
            /// Those whom it is assigned to now and was not before.
            newly_assigned: Vec<UserKey>,
        }

        TaskNamed for
            "TASK_COMPLETED", "TASK_CANCELED", "TASK_SUSPENDED", "TASK_REOPENED", "TASK_LINKED", "TASK_UNLINKED",
            "TASK_TIME_RECORDED", "TASK_DELETED",
        {
            /// The code of the task.
            task_code: String,
        }
    }
}

/// The records that an issue is about, or was until the event, where there are several of a kind.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct IssueRecords {
    /// The orders that it is about, if there are several; those of its jobs are among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) work_order_keys: Vec<WorkOrderKey>,
    /// The jobs that it is about, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) job_keys: Vec<JobKey>,
    /// The products that it is about, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) product_keys: Vec<ProductKey>,
    /// The serials that it is about, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) serial_keys: Vec<SerialKey>,
}

/// A record that an issue is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IssueSubject {
    /// What kind of record it is.
    #[serde(rename = "type")]
    pub(crate) kind: IssueLinkType,
    /// Its key; of a project, its code, which need not be known.
    #[schemars(length(min = 1, max = 128))]
    pub(crate) key: String,
}

impl From<&IssueTarget> for IssueSubject {
    fn from(target: &IssueTarget) -> Self {
        Self { kind: target.kind(), key: target.key() }
    }
}

/// What the journal keeps of an issue that was deleted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct IssueSnapshot {
    /// The issue.
    #[serde(rename = "_key")]
    key: IssueKey,
    /// Its type.
    issue_type_key: Option<IssueTypeKey>,
    /// Its title.
    title: Option<String>,
    /// Its description.
    description: Option<String>,
    /// When it was created.
    created: Timestamp,
    /// Who created it.
    created_by: UserKey,
    /// When it was changed last.
    updated: Option<Timestamp>,
    /// When it was closed.
    closed: Option<Timestamp>,
    /// Who closed it.
    closed_by: Option<UserKey>,
    /// Whether it was critical.
    critical: bool,
    /// Whether it was open.
    open: bool,
    /// What was entered in its fields.
    data: Vec<FieldValue>,
    /// What it was about.
    linked_to: Vec<IssueSubject>,
}

impl IssueSnapshot {
    pub(crate) fn of(issue: Issue, about: &[IssueTarget]) -> Self {
        Self {
            key: issue.key,
            issue_type_key: issue.issue_type_key,
            title: issue.title,
            description: issue.description,
            created: issue.created,
            created_by: issue.created_by,
            updated: issue.updated,
            closed: issue.closed,
            closed_by: issue.closed_by,
            critical: issue.critical,
            open: issue.open,
            data: issue.data,
            linked_to: about.iter().map(IssueSubject::from).collect(),
        }
    }
}
