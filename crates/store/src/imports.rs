//! Files between the two steps of an import: tried, found good, not carried out yet.

use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{ImportKey, TokenKey, UserKey};
use serde_json::{Map, Value as Json};

use crate::attachments::files::objects_gone;
use crate::columns::{self, Record, record};
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// A file is kept so long.
pub const LIFE_SECONDS: i64 = 24 * 60 * 60;

record! {
    pub struct ImportFile in import_file {
        pub key: ImportKey,
        /// What it is imported into.
        pub target: String,
        pub mode: String,
        /// Further fields of the form.
        pub fields: Map<String, Json>,
        pub user_key: UserKey,
        /// Of the session it was tried in.
        pub token_key: TokenKey,
        pub filename: String,
        pub object: String,
        pub created: Timestamp,
    }
}

pub async fn insert(tx: &mut Tx, file: &ImportFile) -> Result<()> {
    tx.changed(Collection::ImportFile, file.key);
    columns::insert(tx, file).await
}

pub async fn find(tx: &mut Tx, target: &str, key: ImportKey, now: Timestamp) -> Result<Option<ImportFile>> {
    let kept = ImportFile::select().filter("key = {}", key).filter("target = {}", target);
    kept.filter("created > {}", now.plus_seconds(-LIFE_SECONDS)).maybe(tx).await
}

/// Takes a file away, to carry it out in this transaction; false when another has done so.
pub async fn take(tx: &mut Tx, file: &ImportFile) -> Result<bool> {
    let taken = tx.run(sql!("delete from import_file where key = $1"), &params![file.key]).await?;
    if taken == 1 {
        tx.changed(Collection::ImportFile, file.key);
        objects_gone(tx, std::slice::from_ref(&file.object)).await?;
    }
    Ok(taken == 1)
}

/// Removes files that nobody carried out in time; their objects are noted, to be erased. Gives their number.
pub async fn remove_old(tx: &mut Tx, now: Timestamp) -> Result<usize> {
    let before = now.plus_seconds(-LIFE_SECONDS);
    let objects: Vec<String> =
        tx.all(sql!("delete from import_file where created <= $1 returning object"), &params![before]).await?;
    if !objects.is_empty() {
        objects_gone(tx, &objects).await?;
    }
    Ok(objects.len())
}
