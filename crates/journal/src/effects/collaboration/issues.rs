//! Issues: how they are found and locked, and how they are closed.

use domain::collaboration::{Issue, IssueTarget, IssueType, jobs_of, orders_of};
use domain::form::{FieldValue, SentValue};
use domain::key::{IssueKey, IssueTypeKey};
use domain::rule::collaboration::{
    IssueNotClosed, IssueNotClosedError, IssueNotCreated, IssueNotCreatedError, IssueNotUpdated, IssueNotUpdatedError,
};
use serde_json::json;
use store::collaboration::{issue_links, issue_types, issues};
use store::{Constraint, StoreError};

use super::about::{lock_orders, without};
use super::critical::settle;
use super::forms::{KnownForm, Owner};
use crate::act::Act;
use crate::event::{Outcome, OutcomeMember};
use crate::{Error, Result};

/// An issue that is locked, with what it is about.
pub(crate) struct Held {
    pub(crate) issue: Issue,
    pub(crate) about: Vec<IssueTarget>,
}

/// Locks an issue, and before it the orders that it is about, or will be.
pub(crate) async fn hold(act: &mut Act<'_>, key: IssueKey, after: &[IssueTarget]) -> Result<Held> {
    let mut concerned = issue_links::of_issue(act.tx, key).await?;
    concerned.extend(after.iter().cloned());
    lock_orders(act, &concerned).await?;
    let issue = issues::lock(act.tx, key).await?.ok_or_else(|| Error::missing_as("_key", "issue", key))?;
    let about = issue_links::of_issue(act.tx, key).await?;
    if without(&about, &concerned).next().is_some() {
        return Err(StoreError::Stored("an issue was linked meanwhile".to_owned()).run_again().into());
    }
    Ok(Held { issue, about })
}

/// The type of this key, if one is named.
pub(crate) async fn type_of(act: &mut Act<'_>, key: Option<&IssueTypeKey>) -> Result<Option<IssueType>> {
    let Some(key) = key else { return Ok(None) };
    let found = issue_types::find(act.tx, key).await?;
    found.map(Some).ok_or_else(|| Error::missing("issue_type_key", key))
}

/// The form of a type, for an issue that has these values; an issue without a type has an empty one.
pub(crate) async fn form_of(
    act: &mut Act<'_>,
    issue_type: Option<&IssueType>,
    values: &[FieldValue],
) -> Result<KnownForm> {
    let fields = issue_type.map(|issue_type| issue_type.form_template.clone()).unwrap_or_default();
    KnownForm::load(act.tx, fields, values).await
}

/// Enters values into an issue; others stay.
pub(crate) async fn fill(act: &mut Act<'_>, issue: &mut Issue, form: &KnownForm, sent: &[SentValue]) -> Result<()> {
    let old = std::mem::take(&mut issue.data);
    issue.data = form.merged(act, Owner::Issue(issue.key), old, sent).await?;
    Ok(())
}

/// Closes an issue, if it has a type and everything that its form asks for.
pub(crate) fn close(act: &mut Act<'_>, issue: &mut Issue, form: &KnownForm) -> Result<()> {
    issue.may_close().map_err(not_closed)?;
    let missing = form.missing(&issue.data);
    if !missing.is_empty() {
        return Err(Error::rule(
            &IssueNotClosedError::missing(missing),
            "Mandatory fields of the issue are not filled.",
        ));
    }
    act.not_before(issue.created);
    issue.close(act.at, &act.author.user_key);
    Ok(())
}

/// Settles the orders and jobs that an issue was or is about. An issue that presses neither before nor after changes none of them.
pub(crate) async fn settle_all(
    act: &mut Act<'_>,
    pressing: bool,
    before: &[IssueTarget],
    after: &[IssueTarget],
) -> Result<()> {
    if !pressing {
        return Ok(());
    }
    let concerned = || before.iter().chain(after);
    let (orders, jobs) = (orders_of(concerned()), jobs_of(concerned()));
    settle(act, &orders, &jobs).await
}

/// A type that was removed at the same time is not there any more when the event runs again.
pub(crate) fn if_type_is_gone(error: StoreError) -> StoreError {
    match error.constraint() {
        Some(Constraint::Reference) => error.run_again(),
        _ => error,
    }
}

/// What the answer shows.
pub(crate) fn outcome(key: IssueKey) -> Outcome {
    Outcome(vec![("issue_key", OutcomeMember::Json(json!(key)))])
}

pub(crate) fn not_created(rule: IssueNotCreated) -> Error {
    let message = match rule {
        IssueNotCreated::TypeInactive => "New issues can't have the type.",
    };
    Error::rule(&IssueNotCreatedError { rule }, message)
}

pub(crate) fn not_updated(rule: IssueNotUpdated) -> Error {
    let message = match rule {
        IssueNotUpdated::Closed => "The issue is closed.",
        IssueNotUpdated::NothingToChange => "The event changes nothing.",
        IssueNotUpdated::AlreadyOpen => "The issue is open.",
    };
    Error::rule(&IssueNotUpdatedError { rule }, message)
}

pub(crate) fn not_closed(rule: IssueNotClosed) -> Error {
    let message = match rule {
        IssueNotClosed::AlreadyClosed => "The issue is closed already.",
        IssueNotClosed::NoType => "An issue without a type can't be closed.",
        IssueNotClosed::MissingFields => "Mandatory fields of the issue are not filled.",
    };
    Error::rule(&IssueNotClosedError::of(rule), message)
}
