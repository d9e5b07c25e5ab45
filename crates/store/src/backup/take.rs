//! Taking a backup while the site is being used.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::Timestamp;
use futures_util::StreamExt;
use tokio::task::JoinHandle;

use super::archive::{Draft, media_member};
use super::rows::{Spool, write_row};
use super::{BackupError, FORMAT, LEFT_OUT, Manifest, Progress, TableEntry, written};
use crate::administration::secrets;
use crate::attachments::files;
use crate::media::{Media, MediaError};
use crate::migrate::{self, MIGRATIONS, Migration};
use crate::schema::{Schema, Table};
use crate::tx::Tx;
use crate::{Db, Location, OpenError, Result, Sql, StoreError, lease, node};

/// What a backup holds.
#[derive(Debug)]
pub struct Taken {
    pub rows: u64,
    pub files: u64,
    pub bytes: u64,
    pub missing: Missing,
}

/// Stored files that records name and that are not there.
#[derive(Debug, Default)]
pub struct Missing {
    pub count: u64,
    /// Some of them.
    pub objects: Vec<String>,
}

const MISSING_NAMED: usize = 20;

/// Writes the whole site into `file`. The site goes on meanwhile; what is committed after the start is not in the backup.
pub async fn take(
    location: &Location,
    open_media: impl AsyncFnOnce(&str) -> Result<Media, OpenError>,
    file: &Path,
    replace: bool,
    now: Timestamp,
    progress: Arc<dyn Progress>,
) -> Result<Taken, BackupError> {
    take_with(location, open_media, Order { steps: MIGRATIONS, file, replace, now, progress }).await
}

pub(super) struct Order<'a> {
    pub(super) steps: &'static [Migration],
    pub(super) file: &'a Path,
    pub(super) replace: bool,
    pub(super) now: Timestamp,
    pub(super) progress: Arc<dyn Progress>,
}

pub(super) async fn take_with(
    location: &Location,
    open_media: impl AsyncFnOnce(&str) -> Result<Media, OpenError>,
    order: Order<'_>,
) -> Result<Taken, BackupError> {
    if !order.replace && order.file.exists() {
        return Err(BackupError::Exists { file: order.file.to_owned() });
    }
    let db = Db::open_beside_with(location, order.steps).await?;
    let taken = match Hold::take(&db, order.steps).await {
        Ok(hold) => {
            let taken = write(&db, &hold, open_media, order).await;
            hold.release().await;
            taken
        }
        Err(error) => Err(error),
    };
    db.close().await;
    taken
}

async fn write(
    db: &Db,
    hold: &Hold,
    open_media: impl AsyncFnOnce(&str) -> Result<Media, OpenError>,
    Order { steps, file, replace, now, progress }: Order<'_>,
) -> Result<Taken, BackupError> {
    let draft = Draft::new(file, now)?;
    let records = Records { steps, draft, objects: Spool::new()?, progress: progress.clone(), now };
    let (Records { mut draft, objects, .. }, manifest) =
        db.read_long(async move |tx: &mut Tx| records.copy(tx).await).await?;
    let mut taken = Taken { rows: manifest.rows(), files: 0, bytes: 0, missing: Missing::default() };
    if let (Some(site), true) = (&manifest.site, manifest.files > 0) {
        progress.begin("Stored files", manifest.files.unsigned_abs());
        let media = open_media(site).await?;
        for object in objects.lines()? {
            hold.check()?;
            copy_object(&media, &object?, file, &mut draft, &mut taken).await?;
            progress.advance(1);
        }
    }
    let complete = draft.complete()?;
    taken.bytes = complete.size;
    // Only now is it sure that no file was erased before it was copied.
    if !hold.renew().await? {
        return Err(BackupError::HeldUp);
    }
    complete.keep(replace)?;
    Ok(taken)
}

async fn copy_object(
    media: &Media,
    object: &str,
    file: &Path,
    draft: &mut Draft,
    taken: &mut Taken,
) -> Result<(), BackupError> {
    let mut chunks = match media.get(object, None).await {
        Err(error) if error.is_not_found() => {
            taken.missing.count += 1;
            if taken.missing.objects.len() < MISSING_NAMED {
                taken.missing.objects.push(object.to_owned());
            }
            return Ok(());
        }
        chunks => chunks?,
    };
    let name = media_member(object);
    let mut member = draft.member(&name)?;
    while let Some(chunk) = chunks.next().await {
        member.write_all(&chunk.map_err(MediaError::from)?).map_err(written(file))?;
    }
    taken.files += 1;
    member.finish()
}

/// The records of one snapshot on their way into the file, and the names of the objects they name.
struct Records {
    steps: &'static [Migration],
    draft: Draft,
    objects: Spool,
    progress: Arc<dyn Progress>,
    now: Timestamp,
}

impl Records {
    async fn copy(mut self, tx: &mut Tx) -> Result<(Self, Manifest), BackupError> {
        refuse_other_migration(tx, self.steps).await?;
        let schema = Schema::of(self.steps)?;
        let tables: Vec<&Table> =
            schema.tables.iter().filter(|table| !LEFT_OUT.contains(&table.name.as_str())).collect();
        let manifest = self.manifest(tx, &schema, &tables).await?;
        self.draft.manifest(&manifest)?;
        self.progress.begin("Records", manifest.rows());
        for (table, entry) in tables.iter().zip(&manifest.tables) {
            self.table(tx, table, entry.rows).await?;
        }
        files::each_named(tx, &schema, |object| self.objects.push(&object)).await?;
        Ok((self, manifest))
    }

    async fn manifest(&self, tx: &mut Tx, schema: &Schema, tables: &[&Table]) -> Result<Manifest, BackupError> {
        let site = secrets::get(tx, "site").await?.map(|id| String::from_utf8_lossy(&id).into_owned());
        let mut entries = Vec::new();
        for table in tables {
            let rows: i64 = tx.one(Sql::raw(format!("select count(*) from {}", table.quoted())), &[]).await?;
            let columns = table.columns.clone();
            entries.push(TableEntry { name: table.name.clone(), rows: rows.unsigned_abs(), columns });
        }
        Ok(Manifest {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            migration: migrate::last_number(self.steps),
            site,
            taken: self.now,
            reserved_until: node::reserved_until(tx).await?,
            files: files::count_named(tx, schema).await?,
            tables: entries,
        })
    }

    async fn table(&mut self, tx: &mut Tx, table: &Table, rows: u64) -> Result<(), BackupError> {
        let text = format!("select {} from {} order by {}", table.column_list(), table.quoted(), table.order());
        let (progress, file) = (&self.progress, self.draft.file().to_owned());
        let mut copied = 0;
        let fill = async |mut out: &mut dyn Write| {
            tx.each(Sql::raw(text), &[], |row| {
                let cells = table.columns.iter().map(|column| row.value(column.kind));
                let cells = cells.collect::<Result<Vec<_>>>()?;
                write_row(cells, &mut out).map_err(written(&file))?;
                copied += 1;
                progress.advance(1);
                Ok(())
            })
            .await
        };
        self.draft.table(&table.name, fill).await?;
        if copied != rows {
            return Err(StoreError::Stored(format!("{} has {copied} rows and counts {rows}", table.name)).into());
        }
        Ok(())
    }
}

/// A backup never migrates: the server that runs may be another version's.
async fn refuse_other_migration(tx: &mut Tx, steps: &[Migration]) -> Result<(), BackupError> {
    match migrate::number(tx).await? {
        0 => Err(BackupError::NoSite),
        found => Ok(migrate::refuse_other(found, steps)?),
    }
}

/// The lease that keeps every stored file where it is, renewed until it is given back. If the process dies, it runs out.
struct Hold {
    db: Db,
    holder: String,
    lost: Arc<AtomicBool>,
    renewing: JoinHandle<()>,
}

impl Hold {
    async fn take(db: &Db, steps: &'static [Migration]) -> Result<Self, BackupError> {
        let mut random = [0; 8];
        let _ = getrandom::fill(&mut random);
        let holder = format!("backup {:016x}", u64::from_le_bytes(random));
        let name = holder.clone();
        let held = db
            .write("hold all files", async move |tx: &mut Tx| {
                refuse_other_migration(tx, steps).await?;
                Ok::<_, BackupError>(lease::hold(tx, lease::BACKUP, &name).await?)
            })
            .await?;
        if !held {
            return Err(BackupError::UnderWay);
        }
        let lost = Arc::new(AtomicBool::new(false));
        let renewing = tokio::spawn(renew_again_and_again(db.clone(), holder.clone(), lost.clone()));
        Ok(Self { db: db.clone(), holder, lost, renewing })
    }

    async fn renew(&self) -> Result<bool> {
        renew(&self.db, &self.holder).await
    }

    fn check(&self) -> Result<(), BackupError> {
        if self.lost.load(Ordering::Relaxed) { Err(BackupError::HeldUp) } else { Ok(()) }
    }

    async fn release(self) {
        self.renewing.abort();
        let holder = self.holder;
        let released =
            self.db.write("let files go", async move |tx: &mut Tx| lease::release(tx, lease::BACKUP, &holder).await);
        if let Err(error) = released.await {
            tracing::debug!(%error, "the lease of the backup runs out by itself");
        }
    }
}

async fn renew(db: &Db, holder: &str) -> Result<bool> {
    let holder = holder.to_owned();
    db.write("hold all files", async move |tx: &mut Tx| lease::keep(tx, lease::BACKUP, &holder).await).await
}

async fn renew_again_and_again(db: Db, holder: String, lost: Arc<AtomicBool>) {
    let mut turns = tokio::time::interval(Duration::from_millis(lease::LIFE_MILLIS.unsigned_abs() / 3));
    loop {
        turns.tick().await;
        match renew(&db, &holder).await {
            Ok(true) => {}
            Ok(false) => {
                lost.store(true, Ordering::Relaxed);
                return;
            }
            Err(error) => tracing::debug!(%error, "the lease of the backup was not renewed"),
        }
    }
}
