use domain::collaboration::IssueType;
use domain::collection::Collection;
use domain::form::FormField;
use domain::key::IssueTypeKey;
use domain::text::fold;

use crate::columns::{self, Record, columns};
use crate::lock::Rows;
use crate::sql::{Page, Paged, sql};
use crate::tx::Tx;
use crate::{Result, params};

columns! {
    IssueType in issue_type {
        key,
        rev,
        name,
        code,
        active,
        description,
        icon,
        critical,
        form_template,
    }
    derived {
        name_folded: String = |of| fold(&of.name);
        code_folded: Option<String> = |of| of.code.as_deref().map(fold);
    }
}

/// Which types are wanted; each condition that is given narrows them.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub key: Option<IssueTypeKey>,
    /// Ignoring case.
    pub code: Option<String>,
    pub critical: Option<bool>,
    pub active_only: bool,
}

/// By name.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<IssueType>> {
    let mut query = IssueType::select();
    if wanted.active_only {
        query = query.only("issue_type.active");
    }
    query
        .filter_if("issue_type.key = {}", wanted.key.as_ref())
        .filter_if(
            "issue_type.code_folded = {} and issue_type.code_folded is not null",
            wanted.code.as_deref().map(fold),
        )
        .filter_if("issue_type.critical = {}", wanted.critical)
        .page(tx, "issue_type.name_folded, issue_type.name, issue_type.key", page)
        .await
}

pub async fn find(tx: &mut Tx, key: &IssueTypeKey) -> Result<Option<IssueType>> {
    IssueType::select().filter("issue_type.key = {}", key).maybe(tx).await
}

/// Those of these that there are.
pub async fn find_all(tx: &mut Tx, keys: &[String]) -> Result<Vec<IssueType>> {
    IssueType::select().filter("issue_type.key {in {}}", keys.to_vec()).all(tx, "issue_type.key").await
}

/// Every type with its form.
pub(super) async fn forms(tx: &mut Tx) -> Result<Vec<(IssueTypeKey, Vec<FormField>)>> {
    tx.all(sql!("select key, form_template from issue_type"), &[]).await
}

pub async fn lock(tx: &mut Tx, key: &IssueTypeKey) -> Result<Option<IssueType>> {
    IssueType::select().filter("issue_type.key = {}", key).locked(Rows::IssueType).maybe(tx).await
}

/// A taken key or code is a constraint error.
pub async fn insert(tx: &mut Tx, issue_type: &IssueType) -> Result<()> {
    tx.changed(Collection::IssueType, &issue_type.key);
    columns::insert(tx, issue_type).await
}

/// The record as a whole; the caller raises its revision. A taken code is a constraint error.
pub async fn update(tx: &mut Tx, issue_type: &IssueType) -> Result<()> {
    tx.changed(Collection::IssueType, &issue_type.key);
    columns::update(tx, issue_type).await
}

/// How many issues have it.
pub async fn issue_count(tx: &mut Tx, key: &IssueTypeKey) -> Result<i64> {
    tx.one(sql!("select count(*) from issue where issue_type_key = $1"), &params![key]).await
}

/// Removes one that no issue has.
pub async fn remove(tx: &mut Tx, key: &IssueTypeKey) -> Result<()> {
    tx.changed(Collection::IssueType, key);
    tx.run(sql!("delete from issue_type where key = $1"), &params![key]).await.map(|_| ())
}
