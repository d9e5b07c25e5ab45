use domain::key::IssueKey;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use store::collaboration::issues;

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::about::concern;
use crate::effects::collaboration::issues::{Held, hold, outcome, settle_all};
use crate::effects::collaboration::rights::DELETE_ISSUES;
use crate::event::made::collaboration::{IssueRemoved, IssueSnapshot};
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// An issue that should not be there is removed, with its links, messages and files.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct IssueDeleted {
    /// The issue that is removed.
    issue_data: DeletedIssue,
}

/// An issue that is removed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeletedIssue {
    /// The issue.
    _key: IssueKey,
}

impl Postable for IssueDeleted {
    const TYPE: ClientEvent = ClientEvent::IssueDeleted;
    const SCOPE: Option<Scope> = Some(DELETE_ISSUES);
    const LOCKS: Locks = &[];
    const NAMES_RECORDS: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let DeletedIssue { _key: key } = self.issue_data;
        let Held { issue, about } = hold(act, key, &[]).await?;
        let records = concern(act, key, &about).await?;
        let pressed = issue.is_pressing();
        act.note(&IssueRemoved { issue_key: key, records, snapshot: IssueSnapshot::of(issue, &about) })?;
        issues::remove(act.tx, key).await?;
        settle_all(act, pressed, &about, &[]).await?;
        Ok(outcome(key))
    }
}
