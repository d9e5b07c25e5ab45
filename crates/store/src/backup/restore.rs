//! Bringing a backup back, on either engine.

use std::io::{BufRead, Read};

use bytes::Bytes;
use futures_util::stream;

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
                // Objects of one site never change, so writing one again changes nothing; another site's is not ours to touch.
                if self.before.is_some() && self.media.has(object).await? {
                    return Err(BackupError::Collision { object: object.to_owned() });
                }
                let chunks = stream::iter(std::iter::from_fn(|| next_chunk(bytes).transpose()));
                match self.media.put_back(object, chunks).await {
                    Err(MediaError::Cut) => return Err(backup.refuse(format!("media/{object} can't be read"))),
                    stored => stored?,
                };
                files += 1;
                progress.advance(1);
                Ok(())
            })
            .await?;
        Ok(files)
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
            && listed.iter().zip(&tables).all(|(entry, table)| entry.name == table.name && entry.columns == table.columns);
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
        files::let_go(tx, &some).await?;
    }
}
