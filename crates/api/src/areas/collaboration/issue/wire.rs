//! The wire format of issues.

use domain::Timestamp;
use domain::collaboration::{IssueLinkType, IssueTarget};
use domain::collection::Collection;
use domain::key::{IssueKey, IssueTypeKey, UserKey, record_id, revision};
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use store::collaboration::issue_links::{self, Shown};
use store::collaboration::issue_views::IssueView;

use super::data::{IssueField, KnownFields};
use super::links::IssueLinks;
use crate::Result;

/// Something that somebody has to look after.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Issue")]
pub(in super::super) struct IssueRecord {
    _id: String,
    _key: IssueKey,
    _rev: String,
    issue_type_key: Option<IssueTypeKey>,
    /// Of its type.
    issue_type_name: Option<String>,
    /// Of its type.
    icon: Option<String>,
    title: Option<String>,
    description: Option<String>,
    created: Timestamp,
    created_by: UserKey,
    updated: Option<Timestamp>,
    /// Null while it is open.
    closed: Option<Timestamp>,
    closed_by: Option<UserKey>,
    /// While it is open, the orders and jobs that it is about are critical too.
    critical: bool,
    open: bool,
    /// The fields of its type in their order, then values that the type does not ask for.
    data: Vec<IssueField>,
    /// The name of the first phase that it is about.
    phase_alias: Option<String>,
    /// What it is about, in the order in which that was sent.
    linked_to: Vec<LinkedTo>,
    /// The first record of each kind that it is about, as a whole; only with `with_links`, and of a single issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) links: Option<IssueLinks>,
}

/// A record that an issue is about.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IssueLink")]
pub(super) struct LinkedTo {
    #[serde(rename = "type")]
    kind: IssueLinkType,
    /// Of a project, its code.
    key: String,
    /// What people know it by: a code, of a phase its alias, of a user the username, of a job the code of its order.
    code: Option<String>,
}

/// Issues as readers see them, with what they are about, in a constant number of statements.
pub(super) async fn with_targets(tx: &mut Tx, issues: Vec<IssueView>) -> Result<Vec<(IssueRecord, Vec<IssueTarget>)>> {
    if issues.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<i64> = issues.iter().map(|view| view.issue.key.0).collect();
    let fields = KnownFields::load(tx, &issues).await?;
    let mut links = issue_links::shown(tx, &keys).await?;
    let form = |view: IssueView| {
        let links = links.remove(&view.issue.key).unwrap_or_default();
        let targets = links.iter().map(|shown| shown.target.clone()).collect();
        (record(view, links, &fields), targets)
    };
    Ok(issues.into_iter().map(form).collect())
}

/// Likewise, without the records that they are about.
pub(in super::super) async fn records(tx: &mut Tx, issues: Vec<IssueView>) -> Result<Vec<IssueRecord>> {
    Ok(with_targets(tx, issues).await?.into_iter().map(|(record, _)| record).collect())
}

fn record(view: IssueView, links: Vec<Shown>, fields: &KnownFields) -> IssueRecord {
    let issue = view.issue;
    let first_phase = links.iter().find(|shown| shown.target.kind() == IssueLinkType::Phase);
    IssueRecord {
        _id: record_id(Collection::Issue, issue.key),
        _key: issue.key,
        _rev: revision(issue.rev),
        issue_type_key: issue.issue_type_key,
        issue_type_name: view.issue_type_name,
        icon: view.icon,
        title: issue.title,
        description: issue.description,
        created: issue.created,
        created_by: issue.created_by,
        updated: issue.updated,
        closed: issue.closed,
        closed_by: issue.closed_by,
        critical: issue.critical,
        open: issue.open,
        data: fields.shown(view.form_template, issue.data),
        phase_alias: first_phase.and_then(|shown| shown.code.clone()),
        linked_to: links.into_iter().map(linked_to).collect(),
        links: None,
    }
}

fn linked_to(shown: Shown) -> LinkedTo {
    LinkedTo { kind: shown.target.kind(), key: shown.target.key(), code: shown.code }
}
