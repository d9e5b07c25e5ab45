//! Where a backup is restored: built aside, and put in the place of what was there in one step.

use std::fs::File;
use std::path::PathBuf;

use rusqlite::OpenFlags;

use super::rows::Spool;
use super::{BackupError, LEFT_OUT, sync_folder, written};
use crate::administration::secrets;
use crate::attachments::files;
use crate::lock::Lock;
use crate::migrate::{self, Migration};
use crate::origin;
use crate::postgres::{Object, Postgres, end};
use crate::schema::Schema;
use crate::sqlite::{DATABASE, Share, lock_swap, make_private_file, open_connection, own_folder};
use crate::tx::{Begin, Link, Tx};
use crate::usage::Usage;
use crate::{Location, OpenError, Result, Sql, StoreError, lease, node};

/// The name under which a database is built in the data folder.
const BUILDING: &str = "tracewright.restoring.db";

/// What a target held before.
pub(super) struct Found {
    pub(super) filled: bool,
    pub(super) site: Option<String>,
    /// The objects that its records name.
    pub(super) objects: Spool,
}

/// A target that nobody else uses as long as this lives.
pub(super) enum Target {
    Folder { folder: PathBuf, _locks: [File; 2] },
    Postgres { postgres: Postgres, number: i64, steps: &'static [Migration], _lock: Object },
}

/// Everything is restored but not yet visible.
pub(super) enum Ready {
    Folder { building: Building, folder: PathBuf },
    Postgres(Tx),
}

impl Target {
    pub(super) async fn claim(location: &Location, steps: &'static [Migration]) -> Result<(Self, Found), BackupError> {
        match location {
            Location::Folder { folder, .. } => {
                let locks = [own_folder(folder, steps)?, lock_swap(folder, Share::Exclusive, steps)?];
                let target = Target::Folder { folder: folder.clone(), _locks: locks };
                let found = look_in_folder(folder.join(DATABASE), steps).await?;
                Ok((target, found))
            }
            Location::Postgres { url, .. } => claim_postgres(url, steps).await,
        }
    }

    /// Runs `fill` on an empty database that takes the place of the present one when all is ready.
    pub(super) async fn rebuild(
        &self,
        fill: impl AsyncFnOnce(&mut Tx) -> Result<(), BackupError>,
    ) -> Result<Ready, BackupError> {
        match self {
            Target::Folder { folder, .. } => {
                let building = Building::new(folder.join(BUILDING))?;
                let mut tx = building.begin()?;
                fill(&mut tx).await?;
                refuse_broken_references(&mut tx).await?;
                tx.batch("commit").await?;
                building.close(tx)?;
                Ok(Ready::Folder { building, folder: folder.clone() })
            }
            Target::Postgres { postgres, number, steps, .. } => {
                let mut tx = postgres.begin(Begin::Write).await?;
                match replace_postgres(&mut tx, *number, steps, fill).await {
                    Ok(()) => Ok(Ready::Postgres(tx)),
                    Err(error) => {
                        end(tx, false).await?;
                        Err(error)
                    }
                }
            }
        }
    }
}

impl Ready {
    pub(super) async fn commit(self) -> Result<(), BackupError> {
        match self {
            Ready::Folder { building, folder } => building.put_in_place(&folder),
            Ready::Postgres(tx) => Ok(end(tx, true).await?),
        }
    }
}

async fn look(tx: &mut Tx, number: i64, steps: &'static [Migration]) -> Result<Found, BackupError> {
    let mut found = Found { filled: false, site: None, objects: Spool::new()? };
    if number == 0 {
        return Ok(found);
    }
    let (done, _) = migrate::split(steps, number)?;
    let schema = Schema::of(done)?;
    for table in schema.tables.iter().filter(|table| !LEFT_OUT.contains(&table.name.as_str())) {
        let some = format!("select count(*) from (select 1 from {} limit 1) as first_row", table.quoted());
        found.filled |= tx.one::<i64>(Sql::raw(some), &[]).await? > 0;
    }
    found.site = secrets::get(tx, "site").await?.map(|id| String::from_utf8_lossy(&id).into_owned());
    files::each_named(tx, &schema, |object| found.objects.push(&object)).await?;
    Ok(found)
}

async fn look_in_folder(file: PathBuf, steps: &'static [Migration]) -> Result<Found, BackupError> {
    if !file.exists() {
        return Ok(Found { filled: false, site: None, objects: Spool::new()? });
    }
    let at = file.display().to_string();
    let number = origin::of_file(&file, steps)?.number_at(&at)?;
    let failed = |error: StoreError| OpenError::Database { at: at.clone(), reason: crate::describe(&error) };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = open_connection(&file, flags).map_err(|error| failed(error.into()))?;
    let mut tx = Tx::new(Link::Sqlite(connection), Usage::default());
    let found = look(&mut tx, number, steps).await?;
    if let Link::Sqlite(connection) = tx.into_link() {
        connection.close().map_err(|(_, error)| failed(error.into()))?;
    }
    // The last to close a database leaves no log; another file in its place would be read together with it.
    if file.with_extension("db-wal").exists() {
        return Err(BackupError::OpenElsewhere { file });
    }
    Ok(found)
}

/// A database file that goes with this value unless it is put in place.
pub(super) struct Building {
    file: PathBuf,
}

impl Building {
    fn new(file: PathBuf) -> Result<Self, BackupError> {
        let building = Self { file };
        building.remove();
        make_private_file(&building.file).map_err(written(&building.file))?;
        Ok(building)
    }

    /// Also what a restore that was killed left.
    fn remove(&self) {
        for extension in ["db", "db-wal", "db-shm"] {
            let _ = std::fs::remove_file(self.file.with_extension(extension));
        }
    }

    fn begin(&self) -> Result<Tx> {
        let connection = open_connection(&self.file, OpenFlags::default())?;
        // Nothing has to survive here before it is all there; then it is flushed as a whole. References are looked at last.
        connection.execute_batch(
            "pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off; begin immediate;",
        )?;
        Ok(Tx::new(Link::Sqlite(connection), Usage::default()))
    }

    fn close(&self, tx: Tx) -> Result<(), BackupError> {
        if let Link::Sqlite(connection) = tx.into_link() {
            // From its first moment on the database can be read beside its server.
            connection.execute_batch("pragma journal_mode = wal;").map_err(StoreError::from)?;
            connection.close().map_err(|(_, error)| StoreError::from(error))?;
        }
        let file = File::options().write(true).open(&self.file).map_err(written(&self.file))?;
        file.sync_all().map_err(written(&self.file))
    }

    fn put_in_place(self, folder: &std::path::Path) -> Result<(), BackupError> {
        let place = folder.join(DATABASE);
        std::fs::rename(&self.file, &place).map_err(written(&place))?;
        sync_folder(folder).map_err(written(&place))
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        self.remove();
    }
}

async fn refuse_broken_references(tx: &mut Tx) -> Result<(), BackupError> {
    let broken: Vec<(String, Option<i64>)> = tx.all(Sql::raw("pragma foreign_key_check"), &[]).await?;
    match broken.first() {
        None => Ok(()),
        Some((table, _)) => {
            Err(BackupError::Refused { reason: format!("a record of {table} refers to one that is not there") })
        }
    }
}

async fn claim_postgres(url: &str, steps: &'static [Migration]) -> Result<(Target, Found), BackupError> {
    let postgres = Postgres::open_for_command(url, 2).await?;
    let client = postgres.client().await?;
    // Servers that start wait here, in their migrations.
    client.batch_execute("set lock_timeout = '5s'").await.map_err(StoreError::from)?;
    let site = Lock::Site.advisory_key();
    client.execute("select pg_advisory_lock($1)", &[&site]).await.map_err(|_| BackupError::Running)?;
    let mut tx = postgres.begin(Begin::Read).await?;
    let number = origin::of(&mut tx, steps).await?.number_at(postgres.shown())?;
    refuse_in_use(&mut tx, number).await?;
    let found = look(&mut tx, number, steps).await?;
    end(tx, true).await?;
    Ok((Target::Postgres { postgres, number, steps, _lock: client }, found))
}

async fn refuse_in_use(tx: &mut Tx, number: i64) -> Result<(), BackupError> {
    if number == 0 {
        return Ok(());
    }
    if node::running(tx).await? > 0 {
        return Err(BackupError::Running);
    }
    if lease::is_held(tx, lease::BACKUP).await? {
        return Err(BackupError::UnderWay);
    }
    Ok(())
}

/// In one transaction: the old tables go, the new ones come and are filled.
async fn replace_postgres(
    tx: &mut Tx,
    number: i64,
    steps: &'static [Migration],
    fill: impl AsyncFnOnce(&mut Tx) -> Result<(), BackupError>,
) -> Result<(), BackupError> {
    migrate::trigrams(tx).await?;
    if number > 0 {
        tx.batch("lock table node, lease in access exclusive mode").await?;
        refuse_in_use(tx, number).await?;
        let (done, _) = migrate::split(steps, number)?;
        let schema = Schema::of(done)?;
        let tables: Vec<String> = schema.tables.iter().map(|table| table.quoted()).collect();
        // Without cascade: what others have built upon our tables is theirs to remove.
        tx.batch(&format!("drop table migration, {}", tables.join(", "))).await?;
        for function in migrate::postgres_functions(done) {
            tx.batch(&format!("drop function if exists {function}")).await?;
        }
    }
    fill(tx).await
}

/// Takes the references away from PostgreSQL's tables while they are filled; gives the statements that bring them back.
pub(super) async fn loosen_references(tx: &mut Tx) -> Result<Vec<String>> {
    if let Link::Sqlite(_) = tx.link_mut() {
        return Ok(Vec::new());
    }
    let references: Vec<(String, String, String)> = tx
        .all(
            Sql::raw(
                "select conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid)
                 from pg_constraint
                 where contype = 'f' and connamespace = current_schema()::regnamespace
                 order by 1, 2",
            ),
            &[],
        )
        .await?;
    let mut back = Vec::new();
    for (table, name, definition) in references {
        tx.batch(&format!("alter table {table} drop constraint {name}")).await?;
        back.push(format!("alter table {table} add constraint {name} {definition}"));
    }
    Ok(back)
}
