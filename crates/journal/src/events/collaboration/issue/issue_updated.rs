use domain::Change;
use domain::collaboration::{DESCRIPTION_CHARS, Issue, TITLE_CHARS};
use domain::form::SentValue;
use domain::key::{IssueKey, IssueTypeKey};
use domain::rule::collaboration::IssueNotUpdated;
use schemars::JsonSchema;
use serde::Deserialize;
use store::collaboration::{issue_links, issues};

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::about::{must_be_there, targets, tell};
use crate::effects::collaboration::issues::{
    Held, fill, form_of, hold, if_type_is_gone, not_updated, outcome, settle_all, type_of,
};
use crate::event::made::collaboration::IssueSubject;
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// An open issue changes: members left out stay, null clears.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct IssueUpdated {
    /// What changes.
    issue_data: IssueChange,
}

/// What changes of an issue.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct IssueChange {
    /// The issue.
    _key: IssueKey,
    /// Its type. Values of fields that another type does not ask for stay.
    #[serde(default)]
    issue_type_key: Change<IssueTypeKey>,
    /// Its title.
    #[serde(default)]
    #[schemars(length(max = TITLE_CHARS))]
    title: Change<String>,
    /// What people should know of it.
    #[serde(default)]
    #[schemars(length(max = DESCRIPTION_CHARS))]
    description: Change<String>,
    /// Whether the orders and jobs that it is about are critical too.
    critical: Option<bool>,
    /// Values for the fields of its type; others stay.
    data: Option<Vec<SentValue>>,
    /// Everything that it is about from now on.
    #[schemars(length(max = 1000))]
    linked_to: Option<Vec<IssueSubject>>,
}

impl IssueChange {
    fn is_empty(&self) -> bool {
        !self.issue_type_key.is_given()
            && !self.title.is_given()
            && !self.description.is_given()
            && self.critical.is_none()
            && self.data.is_none()
            && self.linked_to.is_none()
    }

    /// Sets everything but values and links.
    fn apply(self, issue: &mut Issue) {
        self.issue_type_key.apply(&mut issue.issue_type_key);
        self.title.apply(&mut issue.title);
        self.description.apply(&mut issue.description);
        issue.critical = self.critical.unwrap_or(issue.critical);
    }
}

impl Postable for IssueUpdated {
    const TYPE: ClientEvent = ClientEvent::IssueUpdated;
    const LOCKS: Locks = &[];
    const NAMES_RECORDS: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut change = self.issue_data;
        let key = change._key;
        let linked_to = change.linked_to.as_deref().map(targets).transpose()?;
        let Held { mut issue, about: before } = hold(act, key, linked_to.as_deref().unwrap_or_default()).await?;
        let about = linked_to.unwrap_or_else(|| before.clone());
        let added: Vec<_> = about.iter().filter(|target| !before.contains(target)).cloned().collect();
        must_be_there(act, &added).await?;
        tell(act, key, &about).await?;
        issue.must_be_open().map_err(not_updated)?;
        if change.is_empty() {
            return Err(not_updated(IssueNotUpdated::NothingToChange));
        }
        let (data, retyped) = (change.data.take(), change.issue_type_key.is_given());
        change.apply(&mut issue);
        let issue_type = type_of(act, issue.issue_type_key.as_ref()).await?;
        let form = form_of(act, issue_type.as_ref(), &issue.data).await?;
        if data.is_some() || retyped {
            fill(act, &mut issue, &form, &data.unwrap_or_default()).await?;
        }
        issue.updated = Some(act.at);
        issues::save(act.tx, &mut issue, &form.kinds).await.map_err(if_type_is_gone)?;
        if about != before {
            issue_links::replace(act.tx, key, &about).await?;
        }
        settle_all(act, &before, &about).await?;
        Ok(outcome(key))
    }
}
