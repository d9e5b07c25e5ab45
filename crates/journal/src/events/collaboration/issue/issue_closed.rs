use domain::collaboration::FORM_VALUES;
use domain::form::SentValue;
use domain::key::{IssueKey, IssueTypeKey};
use domain::rule::collaboration::IssueNotClosed;
use schemars::JsonSchema;
use serde::Deserialize;
use store::collaboration::issues;

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::about::tell;
use crate::effects::collaboration::issues::{
    Held, close, fill, form_of, hold, if_type_is_gone, not_closed, outcome, settle_all, type_of,
};
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// An issue is dealt with. It needs a type, and the mandatory fields of the type have to be filled.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct IssueClosed {
    /// The issue that is closed.
    issue_data: ClosedIssue,
}

/// An issue that is closed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ClosedIssue {
    /// The issue.
    _key: IssueKey,
    /// Its type, if it gets one or another one.
    issue_type_key: Option<IssueTypeKey>,
    /// Values for the fields of its type; others stay.
    #[schemars(length(max = FORM_VALUES))]
    data: Option<Vec<SentValue>>,
}

impl Postable for IssueClosed {
    const TYPE: ClientEvent = ClientEvent::IssueClosed;
    const LOCKS: Locks = &[];
    const NAMES_RECORDS: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let ClosedIssue { _key: key, issue_type_key, data } = self.issue_data;
        let Held { mut issue, about } = hold(act, key, &[]).await?;
        tell(act, key, &about).await?;
        if !issue.open {
            return Err(not_closed(IssueNotClosed::AlreadyClosed));
        }
        let pressed = issue.is_pressing();
        issue.issue_type_key = issue_type_key.or(issue.issue_type_key);
        issue.may_close().map_err(not_closed)?;
        let issue_type = type_of(act, issue.issue_type_key.as_ref()).await?;
        let form = form_of(act, issue_type.as_ref(), &issue.data).await?;
        fill(act, &mut issue, &form, &data.unwrap_or_default()).await?;
        close(act, &mut issue, &form)?;
        issue.updated = Some(act.at);
        issues::save(act.tx, &mut issue, &form.kinds).await.map_err(if_type_is_gone)?;
        settle_all(act, pressed, &about, &[]).await?;
        Ok(outcome(key))
    }
}
