use domain::Timestamp;
use domain::key::{FileKey, UserKey};
use domain::text::fold;
use serde_json::{Value as Json, json};

use crate::columns::{Record, record};
use crate::row::{FromRow, Row};
use crate::schema::Schema;
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::{Result, Sql, StoreError, lease, params};

record! {
    pub struct File in file {
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
    in_folder(File::select(), folder).filter("name = {}", name).maybe(tx).await
}

pub async fn insert(tx: &mut Tx, folder: &Folder, file: &File) -> Result<()> {
    tx.run(
        sql!(
            "insert into file (key, bucket, object_key, subfolder, name, object, size, content_type, sha256, created, user_key,
                               subfolder_folded, name_folded)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
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
            file.user_key.as_ref(),
            fold(&folder.subfolder),
            fold(&file.name)
        ],
    )
    .await
    .map(|_| ())
}

/// Puts a file into its folder, in the place of one with the same name.
pub async fn put(tx: &mut Tx, folder: &Folder, file: &File) -> Result<()> {
    remove(tx, folder, std::slice::from_ref(&file.name)).await?;
    insert(tx, folder, file).await
}

fn of_record(query: Query, folder: &Folder) -> Query {
    query.filter("bucket = {}", folder.bucket).filter("object_key = {}", &folder.object_key)
}

fn in_folder(query: Query, folder: &Folder) -> Query {
    of_record(query, folder).filter("subfolder = {}", &folder.subfolder)
}

/// The files directly in a folder: file, object.
fn objects(folder: &Folder) -> Query {
    in_folder(Query::new("select key, object from file"), folder)
}

/// Removes the files directly in a folder, without those of these names.
pub async fn clear(tx: &mut Tx, folder: &Folder, but: &[String]) -> Result<usize> {
    let found = objects(folder).filter("not name {in {}}", but.to_vec()).all(tx, "key").await?;
    let_go(tx, found).await
}

/// Removes files of a folder by their names; those that are not there are passed over.
pub async fn remove(tx: &mut Tx, folder: &Folder, names: &[String]) -> Result<usize> {
    let found = objects(folder).filter("name {in {}}", names.to_vec()).all(tx, "key").await?;
    let_go(tx, found).await
}

/// Which of these names there are in a folder.
pub async fn present(tx: &mut Tx, folder: &Folder, names: &[String]) -> Result<Vec<String>> {
    tx.all(
        sql!("select name from file where bucket = $1 and object_key = $2 and subfolder = $3 and name {in $4}"),
        &params![folder.bucket, &folder.object_key, &folder.subfolder, names.to_vec()],
    )
    .await
}

/// Removes all files of a bucket, however many they are.
pub async fn clear_bucket(tx: &mut Tx, bucket: &str) -> Result<()> {
    tx.let_objects_go();
    tx.run(
        sql!(
            "insert into object_gone (object)
             select distinct object from file where bucket = $1
             on conflict (object) do nothing"
        ),
        &params![bucket],
    )
    .await?;
    tx.run(sql!("delete from file where bucket = $1"), &params![bucket]).await.map(|_| ())
}

/// Removes all files of one record, in all its folders.
pub async fn clear_record(tx: &mut Tx, bucket: &str, object_key: &str) -> Result<usize> {
    clear_records(tx, bucket, &[object_key.to_owned()]).await
}

/// Removes all files of several records, in all their folders.
pub async fn clear_records(tx: &mut Tx, bucket: &str, object_keys: &[String]) -> Result<usize> {
    let query = Query::new("select key, object from file").filter("bucket = {}", bucket);
    let found = query.filter("object_key {in {}}", object_keys.to_vec()).all(tx, "key").await?;
    let_go(tx, found).await
}

/// The files of these records: file, record.
pub async fn of_records(tx: &mut Tx, bucket: &str, object_keys: &[String]) -> Result<Vec<(FileKey, String)>> {
    let query = Query::new("select key, object_key from file").filter("bucket = {}", bucket);
    query.filter("object_key {in {}}", object_keys.to_vec()).all(tx, "key").await
}

/// Gives a file to another record as well, under a key of its own; both name the same object.
#[derive(Debug, Clone)]
pub struct Share {
    pub file: FileKey,
    pub key: FileKey,
    pub object_key: String,
}

/// The records of the files are locked.
pub async fn share(tx: &mut Tx, shares: &[Share]) -> Result<()> {
    for some in shares.chunks(5_000) {
        let row = |share: &Share| json!({ "file": share.file.0, "new_key": share.key.0, "record": share.object_key });
        tx.run(
            sql!(
                "insert into file (key, bucket, object_key, subfolder, name, object, size, content_type, sha256, created,
                                   user_key, subfolder_folded, name_folded)
                 select cast(listed.new_key as {int}), file.bucket, listed.record, file.subfolder, file.name, file.object,
                        file.size, file.content_type, file.sha256, file.created, file.user_key, file.subfolder_folded,
                        file.name_folded
                 from {rows $1 file new_key record}
                 join file on file.key = cast(listed.file as {int})"
            ),
            &params![&some.iter().map(row).collect::<Json>()],
        )
        .await?;
    }
    Ok(())
}

/// Gives files to records, in a folder of each with this bucket and subfolder; those that have a file of that name keep it. The
/// records of the files are locked.
pub async fn share_into(tx: &mut Tx, into: &Folder, shares: &[Share]) -> Result<()> {
    for some in shares.chunks(5_000) {
        let row = |share: &Share| json!({ "file": share.file.0, "new_key": share.key.0, "record": share.object_key });
        tx.run(
            sql!(
                "insert into file (key, bucket, object_key, subfolder, name, object, size, content_type, sha256, created,
                                   user_key, subfolder_folded, name_folded)
                 select cast(listed.new_key as {int}), $2, listed.record, $3, file.name, file.object,
                        file.size, file.content_type, file.sha256, file.created, file.user_key, $4, file.name_folded
                 from {rows $1 file new_key record}
                 join file on file.key = cast(listed.file as {int})
                 where true
                 on conflict (bucket, object_key, subfolder, name) do nothing"
            ),
            &params![
                &some.iter().map(row).collect::<Json>(),
                into.bucket,
                &into.subfolder,
                fold(&into.subfolder)
            ],
        )
        .await?;
    }
    Ok(())
}

/// The files of these names in a folder.
pub async fn named(tx: &mut Tx, folder: &Folder, names: &[String]) -> Result<Vec<File>> {
    in_folder(File::select(), folder).filter("name {in {}}", names.to_vec()).all(tx, "name").await
}

/// Removes records of files; their objects are noted, to be erased once this is committed. Gives their number.
async fn let_go(tx: &mut Tx, files: Vec<(FileKey, String)>) -> Result<usize> {
    if files.is_empty() {
        return Ok(0);
    }
    let (keys, objects): (Vec<i64>, Vec<String>) = files.into_iter().map(|(key, object)| (key.0, object)).unzip();
    objects_gone(tx, &objects).await?;
    let removed = tx.run(sql!("delete from file where key {in $1}"), &params![keys]).await?;
    Ok(removed as usize)
}

/// Notes objects that lose a record in this transaction.
pub(crate) async fn objects_gone(tx: &mut Tx, objects: &[String]) -> Result<()> {
    tx.let_objects_go();
    tx.run(
        sql!("insert into object_gone (object) select value from {each $1} where true on conflict (object) do nothing"),
        &params![objects.to_vec()],
    )
    .await
    .map(|_| ())
}

/// Every column by which a record names an object: table, column. An object that none of them names is nobody's.
pub(crate) const NAMING: &[(&str, &str)] = &[("file", "object"), ("import_file", "object"), ("media", "object")];

/// All names of objects in these tables, each once.
fn all_names(tables: &Schema) -> String {
    let known = NAMING.iter().filter(|(table, _)| tables.table(table).is_some());
    let each: Vec<String> = known.map(|(table, column)| format!("select {column} as object from {table}")).collect();
    match each.as_slice() {
        [] => "select '' as object where false".to_owned(),
        each => format!("select distinct object from ({}) as named", each.join(" union all ")),
    }
}

/// How many objects records name.
pub(crate) async fn count_named(tx: &mut Tx, tables: &Schema) -> Result<i64> {
    tx.one(Sql::raw(format!("select count(*) from ({}) as counted", all_names(tables))), &[]).await
}

/// Hands every object that a record names to `take`, in order.
pub(crate) async fn each_named<E: From<StoreError>>(
    tx: &mut Tx,
    tables: &Schema,
    mut take: impl FnMut(String) -> Result<(), E>,
) -> Result<(), E> {
    tx.each(Sql::raw(format!("{} order by object", all_names(tables))), &[], |row| take(row.column()?)).await
}

fn named_by_nobody() -> String {
    let conditions = NAMING.iter().map(|(table, column)| {
        format!("not exists (select 1 from {table} where {table}.{column} = object_gone.object)")
    });
    conditions.collect::<Vec<_>>().join(" and ")
}

/// Objects that were let go and that no record names; none as long as a backup may need them.
pub async fn gone(tx: &mut Tx) -> Result<Vec<String>> {
    let statement = format!(
        "select object
         from object_gone
         where {}
         and not exists (select 1 from lease where name = $1 and until >= {{now}})
         order by object
         limit 1000",
        named_by_nobody()
    );
    tx.all(Sql::raw(statement), &params![lease::BACKUP]).await
}

/// Notes those of the objects that no record names.
pub(crate) async fn unnamed_gone(tx: &mut Tx, mut objects: Vec<String>) -> Result<()> {
    let named = objects_named(tx, &objects).await?;
    objects.retain(|object| !named.contains(object));
    objects_gone(tx, &objects).await
}

/// Forgets objects that are erased.
pub async fn forget_gone(tx: &mut Tx, objects: &[String]) -> Result<()> {
    tx.run(sql!("delete from object_gone where object {in $1}"), &params![objects.to_vec()]).await.map(|_| ())
}

/// Which of these objects a record names.
pub async fn objects_named(tx: &mut Tx, objects: &[String]) -> Result<Vec<String>> {
    let each: Vec<String> = NAMING
        .iter()
        .map(|(table, column)| ["select ", column, " from ", table, " where ", column, " {in $1}"].concat())
        .collect();
    tx.all(Sql::raw(each.join(" union ")), &params![objects.to_vec()]).await
}

/// A file with the folder it is in.
#[derive(Debug, Clone)]
pub struct Listed {
    pub file: File,
    pub subfolder: String,
}

impl FromRow for Listed {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { file: File::from_row(row)?, subfolder: row.column()? })
    }
}

/// The files of a folder and, if wanted, of all folders in it, by folder and name.
pub async fn list(tx: &mut Tx, folder: &Folder, recursive: bool, page: &Page) -> Result<Paged<Listed>> {
    let select = format!("select {}, file.subfolder from file", File::list());
    let query = of_record(Query::new(&select), folder);
    let query = match (recursive, folder.subfolder.as_str()) {
        (true, "") => query,
        (true, below) => query.filter("(subfolder = {} or substr(subfolder, 1, length({}) + 1) = {} || '/')", below),
        (false, exactly) => query.filter("subfolder = {}", exactly),
    };
    query.page(tx, "subfolder_folded = '', subfolder_folded, subfolder, name_folded, name", page).await
}
