use domain::key::IssueKey;
use schemars::JsonSchema;
use serde::Deserialize;
use store::collaboration::issues;

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::about::tell;
use crate::effects::collaboration::forms::kinds_of;
use crate::effects::collaboration::issues::{Held, hold, not_updated, outcome, settle_all};
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// A closed issue has to be looked after again.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct IssueReopened {
    /// The issue that is opened again.
    issue_data: ReopenedIssue,
}

/// An issue that is opened again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReopenedIssue {
    /// The issue.
    _key: IssueKey,
    /// Whether it is critical; as before when left out.
    critical: Option<bool>,
}

impl Postable for IssueReopened {
    const TYPE: ClientEvent = ClientEvent::IssueReopened;
    const LOCKS: Locks = &[];
    const NAMES_RECORDS: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let ReopenedIssue { _key: key, critical } = self.issue_data;
        let Held { mut issue, about } = hold(act, key, &[]).await?;
        tell(act, key, &about).await?;
        issue.must_be_closed().map_err(not_updated)?;
        issue.reopen();
        issue.critical = critical.unwrap_or(issue.critical);
        issue.updated = Some(act.at);
        let kinds = kinds_of(act.tx, &issue.data).await?;
        issues::save(act.tx, &mut issue, &kinds).await?;
        settle_all(act, issue.is_pressing(), &about, &[]).await?;
        Ok(outcome(key))
    }
}
