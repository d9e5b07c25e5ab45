//! The records that a bulk about issues, messages and links of tasks names, locked before its first row: in whatever order its rows
//! come, it stands in nobody's way.

use std::collections::BTreeSet;

use domain::collaboration::{IssueLinkType, IssueTarget, Recipient, TaskLinkType, TaskTarget};
use domain::key::{EntityKey, NOBODY};
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
    /// What it is about, as far as such a record can be there.
    fn subjects(&self) -> impl Iterator<Item = IssueTarget> {
        let named = self.issue_data.iter().filter_map(|issue| issue.linked_to.as_deref()).flatten();
        named.filter_map(|subject| IssueTarget::of(subject.kind, &subject.key))
    }

    /// Whom a message is for, if that is held.
    fn held_recipient(&self) -> Option<TaskTarget> {
        match self.recipient.as_deref().and_then(Recipient::parse)? {
            Recipient::Issue(key) => Some(TaskTarget::Issue(key)),
            Recipient::WorkOrder(key) => Some(TaskTarget::WorkOrder(key)),
            Recipient::Serial(key) => Some(TaskTarget::Serial(key)),
            Recipient::Task(_) | Recipient::User(_) => None,
        }
    }

    /// What a task is linked to: all rows may share the kind, or the key.
    fn linked(&self, shared: &Self) -> Option<TaskTarget> {
        if self.link_type.is_none() && self.link_key.is_none() {
            return None;
        }
        let key = self.link_key.as_deref().or(shared.link_key.as_deref());
        TaskTarget::of(self.link_type.or(shared.link_type)?, key?)
    }
}

/// The keys of records that rows name, by their kind.
#[derive(Debug, Default)]
pub(crate) struct RecordKeys {
    pub(crate) orders: BTreeSet<i64>,
    pub(crate) jobs: BTreeSet<i64>,
    pub(crate) issues: BTreeSet<i64>,
    pub(crate) tasks: BTreeSet<i64>,
    pub(crate) serials: BTreeSet<i64>,
}

impl RecordKeys {
    /// Adds those that a row names itself. Those that all rows share are added once, apart: with a thousand of them in each of many
    /// rows there would be no end.
    pub(crate) fn add(&mut self, own: &RecordNames, shared: &RecordNames) {
        let issue = own.issue_data.as_ref().and_then(|issue| issue._key);
        self.issues.extend(issue.map(|EntityKey(key)| key));
        own.subjects().for_each(|subject| self.add_subject(&subject));
        for target in own.held_recipient().into_iter().chain(own.linked(shared)) {
            self.add_target(&target);
        }
    }

    fn add_target(&mut self, target: &TaskTarget) {
        match target {
            TaskTarget::Issue(key) => self.issues.insert(key.0),
            TaskTarget::WorkOrder(key) => self.orders.insert(key.0),
            TaskTarget::Serial(key) => self.serials.insert(key.0),
            TaskTarget::Task(key) => self.tasks.insert(key.0),
            // They are not held.
            TaskTarget::Product(_) => false,
        };
    }

    fn add_subject(&mut self, subject: &IssueTarget) {
        match subject {
            IssueTarget::Serial(key) => _ = self.serials.insert(key.0),
            other => self.add_concerned(other),
        }
    }

    /// Adds an order or a job: they are settled with every issue about them.
    fn add_concerned(&mut self, subject: &IssueTarget) {
        match subject {
            IssueTarget::WorkOrder(key) => _ = self.orders.insert(key.0),
            IssueTarget::Job(key) => _ = self.jobs.insert(key.0),
            _ => {}
        }
    }
}

/// How many records are read or locked at once.
const AT_ONCE: usize = 1_000;

/// Adds the orders and jobs that the issues are about now: they are settled with each of them.
pub(crate) async fn add_concerned(act: &mut Act<'_>, named: &mut RecordKeys) -> Result<()> {
    let issues: Vec<i64> = named.issues.iter().copied().collect();
    for some in issues.chunks(AT_ONCE) {
        let subjects = issue_links::of_issues(act.tx, some).await?;
        subjects.values().flatten().for_each(|subject| named.add_concerned(subject));
    }
    Ok(())
}

/// Locks these issues and tasks, each in the order of their keys. Without any it is only noted that they come before what the rows
/// lock. The orders are locked already.
pub(crate) async fn hold(act: &mut Act<'_>, issue_keys: &BTreeSet<i64>, task_keys: &BTreeSet<i64>) -> Result<()> {
    for some in in_order(issue_keys).chunks(AT_ONCE) {
        issues::lock_keys(act.tx, some).await?;
    }
    hold_tasks(act, task_keys).await
}

/// Locks these tasks, in the order of their keys.
pub(crate) async fn hold_tasks(act: &mut Act<'_>, keys: &BTreeSet<i64>) -> Result<()> {
    for some in in_order(keys).chunks(AT_ONCE) {
        tasks::lock_keys(act.tx, some).await?;
    }
    Ok(())
}

/// These keys in their order, or one that no record has.
fn in_order(keys: &BTreeSet<i64>) -> Vec<i64> {
    if keys.is_empty() { vec![NOBODY] } else { keys.iter().copied().collect() }
}

#[cfg(test)]
mod tests {
    use domain::key::{IssueKey, JobKey, SerialKey, WorkOrderKey};
    use serde_json::{Value, json};

    use super::*;

    fn names(sent: Value) -> RecordNames {
        serde_json::from_value(sent).unwrap_or_default()
    }

    fn keys(row: Value, shared: Value) -> RecordKeys {
        let mut keys = RecordKeys::default();
        keys.add(&names(row), &names(shared));
        keys
    }

    #[test]
    fn rows_name_records_of_several_kinds() {
        let links = json!([
            { "type": "work_order", "key": WorkOrderKey(1) }, { "type": "project", "key": "P" },
            { "type": "serial", "key": SerialKey(2) }, { "type": "job", "key": JobKey(6) }
        ]);
        let found = keys(json!({ "issue_data": { "_key": IssueKey(3), "linked_to": links, "title": "T" } }), json!({}));
        assert_eq!((found.orders, found.jobs), (BTreeSet::from([1]), BTreeSet::from([6])));
        assert_eq!((found.issues, found.serials), (BTreeSet::from([3]), BTreeSet::from([2])));
        let found = keys(json!({ "recipient": format!("Issue/{}", IssueKey(4)), "content": "…" }), json!({}));
        assert_eq!((found.issues, found.tasks), (BTreeSet::from([4]), BTreeSet::new()));
    }

    #[test]
    fn rows_share_the_kind_or_the_key_of_a_link() {
        let serials = |row: Value, shared: Value| keys(row, shared).serials;
        let link = json!({ "link_type": "serial", "link_key": SerialKey(5) });
        assert_eq!(serials(json!({ "link_key": SerialKey(5) }), json!({ "link_type": "serial" })), BTreeSet::from([5]));
        assert_eq!(serials(json!({ "link_type": "serial" }), json!({ "link_key": SerialKey(5) })), BTreeSet::from([5]));
        assert_eq!(serials(link.clone(), json!({})), BTreeSet::from([5]));
        assert_eq!(serials(json!({}), link), BTreeSet::new(), "it is added once, and not with each row");
    }

    #[test]
    fn what_all_rows_share_is_not_added_with_each() {
        let links: Vec<Value> =
            (1..=1000).map(|key| json!({ "type": "work_order", "key": WorkOrderKey(key) })).collect();
        let shared = names(json!({ "issue_data": { "linked_to": links } }));
        let mut found = RecordKeys::default();
        found.add(&shared, &RecordNames::default());
        for _ in 0..100_000 {
            found.add(&RecordNames::default(), &shared);
        }
        assert_eq!(found.orders.len(), 1000);
    }

    #[test]
    fn what_cannot_be_read_names_nothing() {
        for row in [json!({ "recipient": 7 }), json!({ "issue_data": "text" }), json!({ "recipient": "User/mario" })] {
            let found = keys(row, json!({}));
            assert!(found.orders.is_empty() && found.issues.is_empty() && found.serials.is_empty());
        }
    }
}
