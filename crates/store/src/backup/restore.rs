//! Bringing a backup back, on either engine.

use std::io::{BufRead, Read};

use bytes::Bytes;
use futures_util::{StreamExt, stream};

use super::archive::Backup;
use super::rows::{Rows, Spool};
use super::target::{Found, Target, loosen_references};
use super::{BackupError, LEFT_OUT, Progress};
use crate::attachments::files;
use crate::media::{Media, MediaError};
use crate::migrate::{self, MIGRATIONS, Migration};
use crate::schema::{Schema, Table};
use crate::tx::Tx;
use crate::{Constraint, Location, OpenError, Result, StoreError, node};

/// What was restored.
#[derive(Debug)]
pub struct Restored {
    pub rows: u64,
    pub files: u64,
    /// Files that records name and that the backup did not have either.
    pub missing: u64,
}

/// Puts the site of the backup in the place of what the target holds. Up to the last step the target is as it was: files
/// are added under names that none of its records has, and its records change in one step.
pub async fn restore(
    backup: &Backup,
    location: &Location,
    open_media: impl AsyncFn(&str) -> Result<Media, OpenError>,
    replace: bool,
    progress: &dyn Progress,
) -> Result<Restored, BackupError> {
    restore_with(MIGRATIONS, backup, location, open_media, replace, progress).await
}

async fn restore_with(
    steps: &'static [Migration],
    backup: &Backup,
    location: &Location,
    open_media: impl AsyncFn(&str) -> Result<Media, OpenError>,
    replace: bool,
    progress: &dyn Progress,
) -> Result<Restored, BackupError> {
    let plan = Plan::new(steps, backup)?;
    backup.check(progress)?;
    let (target, found) = Target::claim(location, steps).await?;
    if found.filled && !replace {
        return Err(BackupError::Filled);
    }
    let place = MediaPlace::open(backup, &found, open_media).await?;
    let files = match &place {
        Some(place) => place.fill(backup, progress).await?,
        None => 0,
    };
    progress.begin("Records", backup.manifest.rows());
    let ready = target.rebuild(async |tx: &mut Tx| plan.fill(tx, found.objects, progress).await).await?;
    if let Some(place) = &place {
        place.hand_over().await?;
    }
    if let Err(error) = ready.commit().await {
        if let Some(place) = &place {
            place.hand_back().await?;
        }
        return Err(error);
    }
    let missing = backup.manifest.files.unsigned_abs().saturating_sub(files);
    Ok(Restored { rows: backup.manifest.rows(), files, missing })
}

/// The media root, and whose it was.
struct MediaPlace {
    media: Media,
    site: String,
    /// The other site that it belonged to.
    before: Option<String>,
}

impl MediaPlace {
    /// The backup's own media root, an empty one, or that of the site which is replaced; no other.
    async fn open(
        backup: &Backup,
        found: &Found,
        open_media: impl AsyncFn(&str) -> Result<Media, OpenError>,
    ) -> Result<Option<Self>, BackupError> {
        let Some(site) = backup.manifest.site.clone() else { return Ok(None) };
        match (open_media(&site).await, &found.site) {
            (Err(OpenError::ForeignMedia { .. }), Some(before)) => {
                let media = open_media(before).await?;
                Ok(Some(Self { media, site, before: Some(before.clone()) }))
            }
            (media, _) => Ok(Some(Self { media: media?, site, before: None })),
        }
    }

    async fn fill(&self, backup: &Backup, progress: &dyn Progress) -> Result<u64, BackupError> {
        progress.begin("Stored files", backup.manifest.files.unsigned_abs());
        let mut files = 0;
        backup
            .each_object(async |object: &str, bytes: &mut dyn Read| {
                if !self.has_already(object, bytes).await? {
                    let chunks = stream::iter(std::iter::from_fn(|| next_chunk(bytes).transpose()));
                    match self.media.put_back(object, chunks).await {
                        Err(MediaError::Cut) => return Err(backup.refuse(format!("media/{object} can't be read"))),
                        stored => stored?,
                    };
                }
                files += 1;
                progress.advance(1);
                Ok(())
            })
            .await?;
        Ok(files)
    }

    /// Objects of one site never change, so writing one again changes nothing. Among another site's there may be one of an
    /// earlier try; any other of the same name is not ours to touch.
    async fn has_already(&self, object: &str, bytes: &mut dyn Read) -> Result<bool, BackupError> {
        if self.before.is_none() {
            return Ok(false);
        }
        let mut present = match self.media.get(object, None).await {
            Err(error) if error.is_not_found() => return Ok(false),
            present => present?,
        };
        let collision = || BackupError::Collision { object: object.to_owned() };
        while let Some(chunk) = present.next().await {
            let chunk = chunk.map_err(MediaError::from)?;
            let mut same = vec![0; chunk.len()];
            if bytes.read_exact(&mut same).is_err() || same != chunk {
                return Err(collision());
            }
        }
        match bytes.read(&mut [0]) {
            Ok(0) => Ok(true),
            _ => Err(collision()),
        }
    }

    async fn hand_over(&self) -> Result<(), MediaError> {
        match self.before {
            Some(_) => self.media.hand_over(&self.site).await,
            None => Ok(()),
        }
    }

    async fn hand_back(&self) -> Result<(), MediaError> {
        match &self.before {
            Some(before) => self.media.hand_over(before).await,
            None => Ok(()),
        }
    }
}

fn next_chunk(bytes: &mut dyn Read) -> std::io::Result<Option<Bytes>> {
    let mut chunk = Vec::with_capacity(CHUNK);
    bytes.take(CHUNK as u64).read_to_end(&mut chunk)?;
    Ok((!chunk.is_empty()).then(|| Bytes::from(chunk)))
}

const CHUNK: usize = 1024 * 1024;

/// How a backup becomes tables.
struct Plan<'a> {
    backup: &'a Backup,
    /// The steps that made its tables, and the later ones.
    then: &'static [Migration],
    since: &'static [Migration],
    tables: Vec<Table>,
}

impl<'a> Plan<'a> {
    fn new(steps: &'static [Migration], backup: &'a Backup) -> Result<Self, BackupError> {
        let (then, since) = backup.steps(steps)?;
        let mut tables = Schema::of(then)?.tables;
        tables.retain(|table| !LEFT_OUT.contains(&table.name.as_str()));
        let listed = &backup.manifest.tables;
        let same = listed.len() == tables.len()
            && listed
                .iter()
                .zip(&tables)
                .all(|(entry, table)| entry.name == table.name && entry.columns == table.columns);
        if !same {
            return Err(backup.refuse(format!("its tables are not those of migration {}", backup.manifest.migration)));
        }
        Ok(Self { backup, then, since, tables })
    }

    async fn fill(&self, tx: &mut Tx, replaced: Spool, progress: &dyn Progress) -> Result<(), BackupError> {
        migrate::run(tx, self.then).await?;
        let references = loosen_references(tx).await?;
        self.records(tx, progress).await?;
        for reference in references {
            tx.batch(&reference).await.map_err(|error| self.reference_refused(error))?;
        }
        migrate::run(tx, self.since).await?;
        node::start_all_after(tx, self.backup.manifest.reserved_until).await?;
        let_go(tx, replaced).await
    }

    async fn records(&self, tx: &mut Tx, progress: &dyn Progress) -> Result<(), BackupError> {
        let mut seen = 0;
        self.backup
            .each_table(async |name: &str, lines: &mut dyn BufRead| {
                let entry = self.backup.manifest.tables.iter().find(|entry| entry.name == name);
                let (Some(table), Some(entry)) = (self.tables.iter().find(|table| table.name == name), entry) else {
                    return Ok(());
                };
                let rows = Rows::new(table, lines).inspect(|_| progress.advance(1));
                let filled = tx.fill(table, rows).await.map_err(|error| self.row_refused(name, error))?;
                if filled != entry.rows {
                    return Err(self.backup.refuse(format!("{name} has {filled} rows instead of {}", entry.rows)));
                }
                seen += 1;
                Ok(())
            })
            .await?;
        if seen != self.tables.len() {
            return Err(self.backup.refuse(format!("{seen} of {} tables are there", self.tables.len())));
        }
        Ok(())
    }

    /// A row that the database does not take is the backup's fault; everything else is told as it is.
    fn row_refused(&self, table: &str, error: BackupError) -> BackupError {
        match error {
            BackupError::Store(StoreError::Constraint(constraint)) => {
                self.backup.refuse(format!("a record of {table} breaks the rule {constraint:?}"))
            }
            other => other,
        }
    }

    fn reference_refused(&self, error: StoreError) -> BackupError {
        match error.constraint() {
            Some(Constraint::Reference) => self.backup.refuse("a record refers to one that is not there"),
            _ => error.into(),
        }
    }
}

/// The files of what was replaced are erased by the service, as all that lost their records.
async fn let_go(tx: &mut Tx, replaced: Spool) -> Result<(), BackupError> {
    let mut objects = replaced.lines()?;
    loop {
        let some = objects.by_ref().take(500).collect::<Result<Vec<String>, BackupError>>()?;
        if some.is_empty() {
            return Ok(());
        }
        files::unnamed_gone(tx, some).await?;
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use domain::Timestamp;

    use super::*;
    use crate::backup::take::{Order, take_with};
    use crate::postgres::Postgres;
    use crate::{Db, Sql, params};

    struct Quiet;
    impl Progress for Quiet {
        fn begin(&self, _: &'static str, _: u64) {}
        fn advance(&self, _: u64) {}
    }

    const FIRST: Migration = Migration { number: 1, name: MIGRATIONS[0].name, text: MIGRATIONS[0].text };
    /// Tables that refer to themselves and to each other, and one that is searched.
    const TREES: Migration = Migration {
        number: 2,
        name: "0002_trees",
        text: "create table tree (key {id}, parent {int} references tree (key), name {text} not null, \"end\" {bool}) {strict};
               {trigram tree key name};
               create table leaf (key {text} primary key, tree {int} references tree (key), twin {text} references leaf (key)) {strict};
               alter table tree add column leaf {text} references leaf (key);
               -- postgres:
               create function grow() returns trigger language plpgsql as $$ begin return new; end $$;
               create trigger tree_grows before insert on tree for each row execute function grow();
               -- both:",
    };
    const LATER: Migration = Migration {
        number: 3,
        name: "0003_later",
        text: "alter table tree add column size {int} not null default 7;
               update tree set size = 8 where parent is null;
               create table crown (tree {int} references tree (key), \"from\" {int}, primary key (\"from\", tree)) {strict};",
    };
    const THEN: &[Migration] = &[FIRST, TREES];
    const NOW: &[Migration] = &[FIRST, TREES, LATER];

    /// A folder, or a schema of its own in the test cluster's database.
    async fn places(root: &Path) -> [Location; 2] {
        let url = std::env::var("TRACEWRIGHT_TEST_POSTGRES").expect("run the tests by `make test`");
        let name = format!("t_restore_{}", std::process::id());
        let cluster = Postgres::open(&url, 1).await.unwrap();
        cluster.client().await.unwrap().batch_execute(&format!("create database {name}")).await.unwrap();
        let url = url.replace("/postgres?", &format!("/{name}?"));
        [Location::Folder { folder: root.join("data"), write_group: 1 }, Location::Postgres { url, connections: 2 }]
    }

    async fn no_media(_: &str) -> Result<Media, OpenError> {
        Err(OpenError::Nothing { at: "here".to_owned() })
    }

    async fn taken(location: &Location, steps: &'static [Migration], file: PathBuf) -> PathBuf {
        let now = Timestamp::from_millis(0);
        let order = Order { steps, file: &file, replace: false, now, progress: Arc::new(Quiet) };
        take_with(location, no_media, order).await.unwrap();
        file
    }

    async fn restored(location: &Location, steps: &'static [Migration], file: &Path) -> Result<Restored, BackupError> {
        let backup = Backup::open_for(steps, file)?;
        restore_with(steps, &backup, location, no_media, true, &Quiet).await
    }

    async fn change(location: &Location, statements: &'static [&str]) {
        let db = Db::open_beside_with(location, NOW).await.unwrap();
        db.write("change", async move |tx: &mut Tx| {
            for statement in statements {
                tx.batch(statement).await?;
            }
            Ok::<_, StoreError>(())
        })
        .await
        .unwrap();
        db.close().await;
    }

    /// An old backup comes back in a newer program, on either engine, with references in every direction.
    #[tokio::test]
    async fn old_backups_restore_into_newer_programs() {
        let root = tempfile::tempdir().unwrap();
        let [folder, postgres] = places(root.path()).await;
        let mut backups = Vec::new();
        for location in [&folder, &postgres] {
            let (target, _) = Target::claim(location, THEN).await.unwrap();
            let made = target.rebuild(async |tx: &mut Tx| Ok(migrate::run(tx, THEN).await?)).await.unwrap();
            made.commit().await.unwrap();
            drop(target);
            change(
                location,
                &[
                    "insert into tree (key, parent, name, \"end\") values (3, null, 'oak', true)",
                    "insert into leaf (key, tree) values ('z', 3)",
                    "insert into tree (key, parent, name, leaf) values (1, 3, 'sprout of the oak', 'z')",
                    "insert into leaf (key, tree, twin) values ('a', 1, 'z')",
                    "update leaf set twin = 'a' where key = 'z'",
                    "update tree set leaf = 'a' where key = 3",
                ],
            )
            .await;
            let file = root.path().join(format!("second-{}.tar", backups.len()));
            backups.push(taken(location, THEN, file).await);
        }
        let bytes: Vec<Vec<u8>> = backups.iter().map(|file| std::fs::read(file).unwrap()).collect();
        assert!(bytes[0] == bytes[1], "nothing in a backup tells the engine");
        let now = Timestamp::from_millis(0);
        let order = Order { steps: NOW, file: Path::new("none.tar"), replace: false, now, progress: Arc::new(Quiet) };
        let too_old = take_with(&folder, no_media, order).await.unwrap_err().to_string();
        assert!(too_old.contains("has migration 2 and this program needs 3"), "{too_old}");
        let too_new = Backup::open_for(&[FIRST], &backups[0]).err().unwrap().to_string();
        assert!(too_new.contains("newer program"), "{too_new}");

        for (location, file) in [(&postgres, &backups[0]), (&folder, &backups[1])] {
            assert_eq!(restored(location, NOW, file).await.unwrap().rows, 4);
            let db = Db::open_beside_with(location, NOW).await.unwrap();
            let found = db
                .read(async |tx: &mut Tx| {
                    let sizes: Vec<(i64, Option<i64>, i64, Option<String>)> =
                        tx.all(Sql::raw("select key, parent, size, leaf from tree order by key"), &[]).await?;
                    let twins: Vec<(String, Option<String>)> =
                        tx.all(Sql::raw("select key, twin from leaf order by key"), &[]).await?;
                    let pattern = domain::search::Pattern::substring("out of the");
                    let search = Sql::raw("select key from tree where {indexed tree key name $1}");
                    let searched: Vec<i64> = tx.all(search, &params![crate::Value::Pattern(pattern)]).await?;
                    Ok::<_, StoreError>((sizes, twins, searched, migrate::number(tx).await?))
                })
                .await
                .unwrap();
            db.close().await;
            let text = |text: &str| Some(text.to_owned());
            assert_eq!(found.0, [(1, Some(3), 7, text("z")), (3, None, 8, text("a"))]);
            assert_eq!(found.1, [("a".to_owned(), text("z")), ("z".to_owned(), text("a"))]);
            assert_eq!((found.2, found.3), (vec![1], 3));
            broken_references_are_still_refused(location).await;
        }
    }

    /// What was loosened for the restore is back.
    async fn broken_references_are_still_refused(location: &Location) {
        let db = Db::open_beside_with(location, NOW).await.unwrap();
        let orphan = async |tx: &mut Tx| {
            tx.run(Sql::raw("insert into tree (key, parent, name) values (9, 99, 'orphan')"), &[]).await
        };
        let refused = db.write("orphan", orphan).await.unwrap_err();
        assert_eq!(refused.constraint(), Some(Constraint::Reference));
        db.close().await;
    }
}
