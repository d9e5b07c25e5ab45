use domain::collaboration::{DESCRIPTION_CHARS, FORM_VALUES, Issue, IssueTarget, TITLE_CHARS};
use domain::form::SentValue;
use domain::key::{IssueKey, IssueTypeKey};
use domain::rule::collaboration::IssueNotUpdated;
use domain::{Change, Given};
use schemars::JsonSchema;
use serde::Deserialize;
use store::collaboration::{issue_links, issues};

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::about::{must_be_there, targets, tell_change, without};
use crate::effects::collaboration::issues::{
    Held, fill, form_of, hold, if_type_is_gone, not_updated, outcome, settle_all, type_of,
};
use crate::event::made::collaboration::IssueSubject;
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// An open issue changes: members left out stay, null clears what can be empty.
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
    #[serde(default)]
    critical: Given<bool>,
    /// Values for the fields of its type; others stay.
    #[serde(default)]
    #[schemars(length(max = FORM_VALUES))]
    data: Given<Vec<SentValue>>,
    /// Everything that it is about from now on.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    linked_to: Change<Vec<IssueSubject>>,
}

impl IssueChange {
    fn is_empty(&self) -> bool {
        !self.issue_type_key.is_given()
            && !self.title.is_given()
            && !self.description.is_given()
            && self.critical.0.is_none()
            && self.data.0.is_none()
            && !self.linked_to.is_given()
    }

    /// Sets everything but values and links.
    fn apply(self, issue: &mut Issue) {
        self.issue_type_key.apply(&mut issue.issue_type_key);
        self.title.apply(&mut issue.title);
        self.description.apply(&mut issue.description);
        self.critical.apply(&mut issue.critical);
    }

    /// What it is about from now on, if that changes.
    fn linked_to(&self) -> Result<Option<Vec<IssueTarget>>> {
        match &self.linked_to {
            Change::Keep => Ok(None),
            Change::Clear => Ok(Some(Vec::new())),
            Change::Set(sent) => targets(sent).map(Some),
        }
    }
}

impl Postable for IssueUpdated {
    const TYPE: ClientEvent = ClientEvent::IssueUpdated;
    const LOCKS: Locks = &[];
    const NAMES_RECORDS: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut change = self.issue_data;
        let key = change._key;
        let linked_to = change.linked_to()?;
        let Held { mut issue, about: before } = hold(act, key, linked_to.as_deref().unwrap_or_default()).await?;
        let about = linked_to.unwrap_or_else(|| before.clone());
        let added: Vec<_> = without(&about, &before).cloned().collect();
        must_be_there(act, &added).await?;
        tell_change(act, key, &before, &about).await?;
        issue.must_be_open().map_err(not_updated)?;
        if change.is_empty() {
            return Err(not_updated(IssueNotUpdated::NothingToChange));
        }
        let (data, retyped) = (change.data.0.take(), change.issue_type_key.is_given());
        let pressed = issue.is_pressing();
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
        settle_all(act, pressed || issue.is_pressing(), &before, &about).await?;
        Ok(outcome(key))
    }
}
