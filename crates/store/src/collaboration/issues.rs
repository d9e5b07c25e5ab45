use std::collections::HashMap;

use domain::collaboration::{Issue, Recipient, TaskTarget};
use domain::collection::Collection;
use domain::form::FieldKind;
use domain::key::{FieldKey, IssueKey, record_id};
use domain::text::fold;

use super::{issue_links, messages, task_links};
use crate::attachments::{files, media_files};
use crate::columns::{self, Record, columns};
use crate::lock::Rows;
use crate::sql::sql;
use crate::tx::Tx;
use crate::values::{self, ValueTable};
use crate::{Result, params};

columns! {
    Issue in issue {
        key,
        rev,
        issue_type_key,
        title,
        description,
        created,
        created_by,
        updated,
        closed,
        closed_by,
        critical,
        open,
        data,
    }
    derived {
        searched: String = searched;
    }
    kept { created, created_by }
}

pub(super) const VALUES: ValueTable = ValueTable { table: "issue_value", record: "issue_key" };

/// What a search looks at: nothing is found across the border of two texts. Its key comes first, since a title may hold anything.
fn searched(issue: &Issue) -> String {
    let text = |text: Option<&str>| fold(text.unwrap_or_default());
    format!("{}\u{1f}{}\u{1f}{}", issue.key, text(issue.title.as_deref()), text(issue.description.as_deref()))
}

pub async fn find(tx: &mut Tx, key: IssueKey) -> Result<Option<Issue>> {
    Issue::select().filter("issue.key = {}", key).maybe(tx).await
}

/// Locked to the end of the transaction: its events come one after the other. The orders that it is about are locked before.
pub async fn lock(tx: &mut Tx, key: IssueKey) -> Result<Option<Issue>> {
    Issue::select().filter("issue.key = {}", key).locked(Rows::Issue).maybe(tx).await
}

/// Locks those that there are, in the order of their keys, and reads nothing of them.
pub async fn lock_keys(tx: &mut Tx, keys: &[i64]) -> Result<()> {
    let sql = sql!("select key from issue where key {in $1} order by key {lock}").locked(Rows::Issue);
    tx.all::<IssueKey>(sql, &params![keys.to_vec()]).await.map(|_| ())
}

/// Stores a new one, without what it is about.
pub async fn insert(tx: &mut Tx, issue: &Issue, kinds: &HashMap<FieldKey, FieldKind>) -> Result<()> {
    tx.changed(Collection::Issue, issue.key);
    columns::insert(tx, issue).await?;
    insert_values(tx, issue, kinds).await
}

/// Stores what has become of one that is locked; its revision rises.
pub async fn save(tx: &mut Tx, issue: &mut Issue, kinds: &HashMap<FieldKey, FieldKind>) -> Result<()> {
    tx.changed(Collection::Issue, issue.key);
    issue.rev += 1;
    columns::update(tx, issue).await?;
    clear_values(tx, issue.key).await?;
    insert_values(tx, issue, kinds).await
}

async fn clear_values(tx: &mut Tx, key: IssueKey) -> Result<()> {
    tx.run(sql!("delete from issue_value where issue_key = $1"), &params![key]).await.map(|_| ())
}

async fn insert_values(tx: &mut Tx, issue: &Issue, kinds: &HashMap<FieldKey, FieldKind>) -> Result<()> {
    let values = issue.data.iter().map(|value| (&value.custom_field_key, &value.value));
    let rows = values::rows_of(issue.key.0, values, kinds);
    VALUES.insert(tx, rows).await
}

/// Removes one that is locked, with its links, messages and files.
pub async fn remove(tx: &mut Tx, key: IssueKey) -> Result<()> {
    tx.changed(Collection::Issue, key);
    messages::clear(tx, &[Recipient::Issue(key)]).await?;
    task_links::let_go(tx, &TaskTarget::Issue(key)).await?;
    issue_links::clear(tx, key).await?;
    clear_values(tx, key).await?;
    tx.run(sql!("delete from issue where key = $1"), &params![key]).await?;
    media_files::let_go(tx, &[record_id(Collection::Issue, key)]).await?;
    files::clear_record(tx, "issue", &key.to_string()).await.map(|_| ())
}
