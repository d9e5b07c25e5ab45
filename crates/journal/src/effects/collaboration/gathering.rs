//! The records that a bulk about issues, messages and links of tasks names, locked before its first row: in whatever order its rows
//! come, it stands in nobody's way.

use std::collections::BTreeSet;

use domain::collaboration::{IssueLinkType, IssueTarget, Recipient, TaskLinkType, TaskTarget, jobs_of, orders_of};
use domain::key::{EntityKey, IssueKey, NOBODY};
use serde::Deserialize;
use store::collaboration::{issue_links, issues, tasks};

use crate::Result;
use crate::act::Act;

/// What a row says of the records that it is about. A row that can't be read is refused when it runs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct RecordNames {
    issue_data: Option<IssueNames>,
    recipient: Option<String>,
    link_type: Option<TaskLinkType>,
    link_key: Option<String>,
}

/// What the data of an issue says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct IssueNames {
    _key: Option<EntityKey>,
    linked_to: Option<Vec<SubjectName>>,
}

#[derive(Debug, Clone, Deserialize)]
struct SubjectName {
    #[serde(rename = "type")]
    kind: IssueLinkType,
    key: String,
}

impl RecordNames {
    /// These, and those of all rows where it says nothing.
    #[must_use]
    pub fn or(self, shared: &Self) -> Self {
        let shared = shared.clone();
        Self {
            issue_data: self.issue_data.or(shared.issue_data),
            recipient: self.recipient.or(shared.recipient),
            link_type: self.link_type.or(shared.link_type),
            link_key: self.link_key.or(shared.link_key),
        }
    }

    /// The issues, orders and other records that it names.
    fn targets(&self) -> (Option<EntityKey>, Vec<IssueTarget>, Option<TaskTarget>) {
        let issue = self.issue_data.clone().unwrap_or_default();
        let named = issue.linked_to.iter().flatten();
        let subjects = named.filter_map(|subject| IssueTarget::of(subject.kind, &subject.key)).collect();
        let recipient = self.recipient.as_deref().and_then(Recipient::parse).and_then(|recipient| match recipient {
            Recipient::Issue(key) => Some(TaskTarget::Issue(key)),
            Recipient::WorkOrder(key) => Some(TaskTarget::WorkOrder(key)),
            Recipient::Serial(key) => Some(TaskTarget::Serial(key)),
            // They are not held.
            Recipient::Task(_) | Recipient::User(_) => None,
        });
        let linked = self.link_type.zip(self.link_key.as_deref()).and_then(|(kind, key)| TaskTarget::of(kind, key));
        (issue._key, subjects, recipient.or(linked))
    }
}

/// The keys of records that rows name, by their kind.
#[derive(Debug, Default)]
pub(crate) struct RecordKeys {
    pub(crate) orders: Vec<i64>,
    pub(crate) jobs: Vec<i64>,
    pub(crate) issues: Vec<i64>,
    pub(crate) tasks: Vec<i64>,
    pub(crate) serials: Vec<i64>,
}

impl RecordKeys {
    /// Adds those that a row names.
    pub(crate) fn add(&mut self, names: &RecordNames) {
        let (issue, subjects, other) = names.targets();
        self.issues.extend(issue.map(|EntityKey(key)| key));
        self.add_subjects(&subjects);
        match other {
            Some(TaskTarget::Issue(key)) => self.issues.push(key.0),
            Some(TaskTarget::WorkOrder(key)) => self.orders.push(key.0),
            Some(TaskTarget::Serial(key)) => self.serials.push(key.0),
            Some(TaskTarget::Task(key)) => self.tasks.push(key.0),
            // They are not held.
            Some(TaskTarget::Product(_)) | None => {}
        }
    }

    fn add_subjects(&mut self, subjects: &[IssueTarget]) {
        self.orders.extend(orders_of(subjects).into_iter().map(|key| key.0));
        self.jobs.extend(jobs_of(subjects).into_iter().map(|key| key.0));
        self.serials.extend(subjects.iter().filter_map(|target| match target {
            IssueTarget::Serial(key) => Some(key.0),
            _ => None,
        }));
    }
}

/// How many issues are read at once.
const AT_ONCE: usize = 1_000;

/// Adds the orders and jobs that the issues are about now: they are settled with each of them.
pub(crate) async fn add_concerned(act: &mut Act<'_>, named: &mut RecordKeys) -> Result<()> {
    let issues = named.issues.clone();
    for some in issues.chunks(AT_ONCE) {
        for subjects in issue_links::of_issues(act.tx, some).await?.into_values() {
            named.orders.extend(orders_of(&subjects).into_iter().map(|key| key.0));
            named.jobs.extend(jobs_of(&subjects).into_iter().map(|key| key.0));
        }
    }
    Ok(())
}

/// Locks these issues and tasks, each in the order of their keys. Without any it is only noted that they come before what the rows
/// lock. The orders are locked already.
pub(crate) async fn hold(act: &mut Act<'_>, issue_keys: &[i64], task_keys: &[i64]) -> Result<()> {
    let mut keys: BTreeSet<IssueKey> = issue_keys.iter().copied().map(IssueKey).collect();
    if keys.is_empty() {
        keys.insert(IssueKey(NOBODY));
    }
    for key in keys {
        issues::lock(act.tx, key).await?;
    }
    hold_tasks(act, task_keys).await
}

/// Locks these tasks, in the order of their keys.
pub(crate) async fn hold_tasks(act: &mut Act<'_>, keys: &[i64]) -> Result<()> {
    let keys: BTreeSet<i64> = keys.iter().copied().collect();
    tasks::lock_all(act.tx, &keys.into_iter().collect::<Vec<_>>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use domain::key::{SerialKey, WorkOrderKey};
    use serde_json::{Value, json};

    use super::*;

    fn keys(row: Value, shared: Value) -> RecordKeys {
        let read = |value: Value| serde_json::from_value::<RecordNames>(value).unwrap_or_default();
        let mut keys = RecordKeys::default();
        keys.add(&read(row).or(&read(shared)));
        keys
    }

    #[test]
    fn rows_name_records_of_several_kinds() {
        let links = json!([
            { "type": "work_order", "key": WorkOrderKey(1) }, { "type": "project", "key": "P" },
            { "type": "serial", "key": SerialKey(2) }
        ]);
        let found = keys(json!({ "issue_data": { "_key": IssueKey(3), "linked_to": links, "title": "T" } }), json!({}));
        assert_eq!((found.orders, found.jobs, found.issues, found.serials), (vec![1], vec![], vec![3], vec![2]));
        let found = keys(json!({ "recipient": format!("Issue/{}", IssueKey(4)), "content": "…" }), json!({}));
        assert_eq!((found.issues, found.tasks), (vec![4], vec![]));
        let shared = json!({ "link_type": "serial" });
        assert_eq!(keys(json!({ "link_key": SerialKey(5) }), shared).serials, [5]);
    }

    #[test]
    fn what_cannot_be_read_names_nothing() {
        for row in [json!({ "recipient": 7 }), json!({ "issue_data": "text" }), json!({ "recipient": "User/mario" })] {
            let found = keys(row, json!({}));
            assert!(found.orders.is_empty() && found.issues.is_empty() && found.serials.is_empty());
        }
    }
}
