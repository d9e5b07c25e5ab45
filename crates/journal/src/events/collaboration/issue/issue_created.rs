use domain::collaboration::{DESCRIPTION_CHARS, FORM_VALUES, Issue, TITLE_CHARS};
use domain::form::SentValue;
use domain::key::{IssueKey, IssueTypeKey};
use domain::rule::collaboration::IssueNotCreated;
use schemars::JsonSchema;
use serde::Deserialize;
use store::collaboration::{issue_links, issues};

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::about::{lock_orders, must_be_there, targets, tell};
use crate::effects::collaboration::issues::{
    close, fill, form_of, if_type_is_gone, not_created, outcome, settle_all, type_of,
};
use crate::event::made::collaboration::IssueSubject;
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// Somebody reports an issue: something that has to be looked after. While it is open and critical, the orders and jobs that it is about
/// are critical too.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct IssueCreated {
    /// The issue.
    issue_data: NewIssue,
}

/// An issue that is reported.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewIssue {
    /// Its type, which has to be active. It may be given later, but before the issue is closed.
    issue_type_key: Option<IssueTypeKey>,
    /// Its title.
    #[schemars(length(max = TITLE_CHARS))]
    title: Option<String>,
    /// What people should know of it.
    #[schemars(length(max = DESCRIPTION_CHARS))]
    description: Option<String>,
    /// What the type says when left out; false without a type.
    critical: Option<bool>,
    /// Values for the fields of the type.
    #[schemars(length(max = FORM_VALUES))]
    data: Option<Vec<SentValue>>,
    /// False closes it at once, by the rules of closing.
    #[serde(default = "yes")]
    open: bool,
    /// What it is about.
    #[schemars(length(max = 1000))]
    linked_to: Option<Vec<IssueSubject>>,
}

fn yes() -> bool {
    true
}

impl Postable for IssueCreated {
    const TYPE: ClientEvent = ClientEvent::IssueCreated;
    const LOCKS: Locks = &[];
    const NAMES_RECORDS: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let new = self.issue_data;
        let about = targets(&new.linked_to.unwrap_or_default())?;
        let issue_type = type_of(act, new.issue_type_key.as_ref()).await?;
        if issue_type.as_ref().is_some_and(|issue_type| !issue_type.active) {
            return Err(not_created(IssueNotCreated::TypeInactive));
        }
        lock_orders(act, &about).await?;
        must_be_there(act, &about).await?;
        let key = IssueKey(act.new_id()?);
        tell(act, key, &about).await?;
        let otherwise = || issue_type.as_ref().is_some_and(|issue_type| issue_type.critical);
        let mut issue = Issue {
            key,
            rev: 1,
            issue_type_key: new.issue_type_key,
            title: new.title,
            description: new.description,
            created: act.at,
            created_by: act.author.user_key.clone(),
            updated: None,
            closed: None,
            closed_by: None,
            critical: new.critical.unwrap_or_else(otherwise),
            open: true,
            data: Vec::new(),
        };
        let form = form_of(act, issue_type.as_ref(), &[]).await?;
        fill(act, &mut issue, &form, &new.data.unwrap_or_default()).await?;
        if !new.open {
            close(act, &mut issue, &form)?;
        }
        issues::insert(act.tx, &issue, &form.kinds).await.map_err(if_type_is_gone)?;
        issue_links::replace(act.tx, key, &about).await?;
        settle_all(act, issue.is_pressing(), &[], &about).await?;
        Ok(outcome(key))
    }
}
