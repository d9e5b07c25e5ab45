use domain::Timestamp;
use domain::key::{FileKey, UserKey};

use crate::row::row_struct;
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

row_struct! {
    pub struct File {
        pub key: FileKey,
        pub name: String,
        pub object: String,
        pub size: i64,
        pub content_type: String,
        pub sha256: Vec<u8>,
        pub created: Timestamp,
        pub user_key: Option<UserKey>,
    }
}

/// The folder a file appears in.
#[derive(Debug, Clone)]
pub struct Folder {
    pub bucket: &'static str,
    pub object_key: String,
    pub subfolder: String,
}

pub async fn find(tx: &mut Tx, folder: &Folder, name: &str) -> Result<Option<File>> {
    tx.maybe(
        sql!(
            "select key, name, object, size, content_type, sha256, created, user_key
             from file
             where bucket = $1 and object_key = $2 and subfolder = $3 and name = $4"
        ),
        &params![folder.bucket, &folder.object_key, &folder.subfolder, name],
    )
    .await
}

pub async fn insert(tx: &mut Tx, folder: &Folder, file: &File) -> Result<()> {
    tx.run(
        sql!(
            "insert into file (key, bucket, object_key, subfolder, name, object, size, content_type, sha256, created, user_key)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
        ),
        &params![
            file.key,
            folder.bucket,
            &folder.object_key,
            &folder.subfolder,
            &file.name,
            &file.object,
            file.size,
            &file.content_type,
            file.sha256.as_slice(),
            file.created,
            file.user_key.as_ref()
        ],
    )
    .await
    .map(|_| ())
}

/// Removes the files directly in a folder; their objects are noted, to be erased once this is committed. Gives their number.
pub async fn clear(tx: &mut Tx, folder: &Folder) -> Result<u64> {
    let place = params![folder.bucket, &folder.object_key, &folder.subfolder];
    tx.run(
        sql!(
            "insert into object_gone (object)
             select distinct object
             from file
             where bucket = $1 and object_key = $2 and subfolder = $3
             on conflict (object) do nothing"
        ),
        &place,
    )
    .await?;
    tx.run(sql!("delete from file where bucket = $1 and object_key = $2 and subfolder = $3"), &place).await
}

/// Objects that were let go and that no record names.
pub async fn gone(tx: &mut Tx) -> Result<Vec<String>> {
    tx.all(
        sql!(
            "select object
             from object_gone
             where not exists (select 1 from file where file.object = object_gone.object)
             order by object
             limit 1000"
        ),
        &[],
    )
    .await
}

/// Forgets objects that are erased.
pub async fn forget_gone(tx: &mut Tx, objects: &[String]) -> Result<()> {
    tx.run(sql!("delete from object_gone where object {in $1}"), &params![objects.to_vec()]).await.map(|_| ())
}

/// Which of these objects a record names.
pub async fn named(tx: &mut Tx, objects: &[String]) -> Result<Vec<String>> {
    tx.all(sql!("select distinct object from file where object {in $1}"), &params![objects.to_vec()]).await
}
