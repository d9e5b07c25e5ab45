use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{Assignee, MissingField, TaskField, TaskLinkType, TaskType, definitions, missing_fields, values};
use crate::form::{FieldKind, Form};
use crate::key::{FieldKey, TaskKey, TaskTypeKey, UserKey};
use crate::rule::collaboration::{TaskNotCompletedError, TaskStatusError};
use crate::{Timestamp, named};

named! {
    /// How far a task is.
    pub enum TaskStatus {
        /// Suspended.
        Pending = "pending",
        Open = "open",
        Completed = "completed",
        Canceled = "canceled",
    }
}

/// What takes a task from one status to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStep {
    Complete,
    Cancel,
    Suspend,
    Reopen,
}

impl TaskStep {
    pub const ALL: [Self; 4] = [Self::Complete, Self::Cancel, Self::Suspend, Self::Reopen];
}

impl TaskStatus {
    /// The status after a step; none if it is not taken from here.
    pub fn after(self, step: TaskStep) -> Option<Self> {
        match (step, self) {
            (TaskStep::Complete, Self::Open | Self::Pending) => Some(Self::Completed),
            (TaskStep::Cancel, Self::Open | Self::Pending) => Some(Self::Canceled),
            (TaskStep::Suspend, Self::Open | Self::Completed | Self::Canceled) => Some(Self::Pending),
            (TaskStep::Reopen, Self::Pending | Self::Completed | Self::Canceled) => Some(Self::Open),
            _ => None,
        }
    }

    /// Whether nobody works on it any more.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::Completed | Self::Canceled)
    }
}

/// Something that somebody has to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    pub key: TaskKey,
    pub rev: i64,
    pub task_type_key: TaskTypeKey,
    /// In upper case; unique.
    pub code: String,
    pub status: TaskStatus,
    /// The owner first.
    pub assigned_to: Vec<Assignee>,
    pub start_from: Option<Timestamp>,
    pub due_by: Option<Timestamp>,
    pub created: Timestamp,
    pub created_by: UserKey,
    pub closed: Option<Timestamp>,
    pub closed_by: Option<UserKey>,
    pub deleted: Option<Timestamp>,
    pub deleted_by: Option<UserKey>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub form_fields: Vec<TaskField>,
    pub extra: Map<String, Value>,
}

impl Task {
    /// Refuses a change of one that is closed.
    pub fn must_not_be_closed(&self) -> Result<(), TaskStatusError> {
        if self.status.is_closed() { Err(TaskStatusError { status: self.status }) } else { Ok(()) }
    }

    /// Takes a step; closed and who closed it follow from it.
    pub fn take(&mut self, step: TaskStep, at: Timestamp, by: &UserKey) -> Result<(), TaskStatusError> {
        self.status = self.status.after(step).ok_or(TaskStatusError { status: self.status })?;
        (self.closed, self.closed_by) =
            if self.status.is_closed() { (Some(at), Some(by.clone())) } else { (None, None) };
        Ok(())
    }
}

/// What a task lacks before it can be completed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lacking {
    pub fields: Vec<MissingField>,
    pub links: Vec<TaskLinkType>,
    pub time: bool,
}

impl Lacking {
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl From<Lacking> for TaskNotCompletedError {
    fn from(lacking: Lacking) -> Self {
        Self { missing_fields: lacking.fields, missing_links: lacking.links, missing_time: lacking.time }
    }
}

/// What a task lacks, all at once: given the types of its custom fields, the kinds of records that it is linked to, and whether
/// time was recorded for it.
pub fn lacking(
    task: &Task,
    kinds: &HashMap<FieldKey, FieldKind>,
    task_type: &TaskType,
    linked: &[TaskLinkType],
    time_recorded: bool,
) -> Lacking {
    let fields = definitions(&task.form_fields);
    let required = task_type.link_settings.iter().filter(|setting| setting.required);
    Lacking {
        fields: missing_fields(&Form { fields: &fields, kinds }, &values(&task.form_fields), |field| {
            field.label.clone()
        }),
        links: required.map(|setting| setting.kind).filter(|kind| !linked.contains(kind)).collect(),
        time: task_type.require_time_entry && !time_recorded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collaboration::{LinkSetting, every_setting};
    use crate::key::FormFieldKey;
    use proptest::prelude::*;
    use serde_json::json;

    fn field(key: &str, mandatory: bool, value: Value) -> TaskField {
        TaskField {
            form_field_key: FormFieldKey::trusted(key),
            custom_field_key: FieldKey::trusted(key),
            label: Some(key.to_uppercase()),
            hint: None,
            mandatory,
            multiple: false,
            hidden: false,
            value,
            last_updated: None,
        }
    }

    fn task(status: TaskStatus, form_fields: Vec<TaskField>) -> Task {
        Task {
            key: TaskKey(1),
            rev: 1,
            task_type_key: TaskTypeKey::trusted("check"),
            code: "T-1".to_owned(),
            status,
            assigned_to: Vec::new(),
            start_from: None,
            due_by: None,
            created: Timestamp::from_millis(1),
            created_by: UserKey::trusted("mario"),
            closed: None,
            closed_by: None,
            deleted: None,
            deleted_by: None,
            title: None,
            description: None,
            form_fields,
            extra: Map::new(),
        }
    }

    fn task_type(require_time_entry: bool, required: &[TaskLinkType]) -> TaskType {
        let setting = |kind: &TaskLinkType| LinkSetting { enabled: true, required: true, ..LinkSetting::off(*kind) };
        TaskType {
            key: TaskTypeKey::trusted("check"),
            rev: 1,
            name: "Check".to_owned(),
            description: None,
            icon: None,
            active: true,
            created: Timestamp::from_millis(1),
            form_fields: Vec::new(),
            require_time_entry,
            link_settings: every_setting(&required.iter().map(setting).collect::<Vec<_>>()),
        }
    }

    #[test]
    fn statuses_follow_the_table() {
        use TaskStatus::{Canceled, Completed, Open, Pending};
        let table = [
            (Open, [Some(Completed), Some(Canceled), Some(Pending), None]),
            (Pending, [Some(Completed), Some(Canceled), None, Some(Open)]),
            (Completed, [None, None, Some(Pending), Some(Open)]),
            (Canceled, [None, None, Some(Pending), Some(Open)]),
        ];
        for (status, after) in table {
            assert_eq!(TaskStep::ALL.map(|step| status.after(step)), after, "{status:?}");
        }
    }

    #[test]
    fn everything_that_is_missing_is_told_at_once() {
        let fields = vec![
            field("text", true, json!(" ")),
            field("box", true, json!(false)),
            field("answer", true, json!(false)),
            field("free", false, Value::Null),
        ];
        let kinds = HashMap::from([
            (FieldKey::trusted("text"), FieldKind::Text),
            (FieldKey::trusted("box"), FieldKind::Boolean),
            (FieldKey::trusted("answer"), FieldKind::Ternary),
            (FieldKey::trusted("free"), FieldKind::Text),
        ]);
        let kind = task_type(true, &[TaskLinkType::Serial, TaskLinkType::Task]);
        let task = task(TaskStatus::Open, fields);
        let all = lacking(&task, &kinds, &kind, &[TaskLinkType::Task], false);
        let labels: Vec<Option<&str>> = all.fields.iter().map(|field| field.label.as_deref()).collect();
        assert_eq!(labels, [Some("TEXT"), Some("BOX")], "an answer may be no");
        assert_eq!((all.links.as_slice(), all.time), (&[TaskLinkType::Serial][..], true));
        let linked = [TaskLinkType::Task, TaskLinkType::Serial];
        assert_eq!(lacking(&task, &kinds, &kind, &linked, true).links, []);
        assert!(lacking(&self::task(TaskStatus::Open, Vec::new()), &kinds, &kind, &linked, true).is_nothing());
        assert!(!lacking(&self::task(TaskStatus::Open, Vec::new()), &kinds, &kind, &linked, false).is_nothing());
    }

    proptest! {
        /// Whatever steps are taken: a task has a time of closing if and only if it is closed, and a refused step changes nothing.
        #[test]
        fn closed_tasks_say_when(steps in prop::collection::vec(0..TaskStep::ALL.len(), 0..12)) {
            let mut task = task(TaskStatus::Open, Vec::new());
            for (at, step) in steps.into_iter().enumerate() {
                let before = task.clone();
                let now = Timestamp::from_millis(at as i64 + 10);
                match task.take(TaskStep::ALL[step], now, &UserKey::trusted("luigi")) {
                    Ok(()) => prop_assert_eq!(task.closed, task.status.is_closed().then_some(now)),
                    Err(refused) => {
                        prop_assert_eq!(refused.status, before.status);
                        prop_assert_eq!(&task, &before);
                    }
                }
                prop_assert_eq!(task.closed.is_some(), task.closed_by.is_some());
                prop_assert_eq!(task.must_not_be_closed().is_ok(), task.closed.is_none());
            }
        }
    }
}
