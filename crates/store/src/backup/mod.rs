//! A site in one file, whatever its engine: all records from one snapshot, and the stored files that they name.
//!
//! The file is a plain tar: `manifest.json`, `tables/<name>.jsonl.gz`, `media/<object>`, and at last `SHA256SUMS` of all of
//! them. Tables belong to no engine: one line of JSON per row, in the order of the primary key.

mod archive;
mod restore;
mod rows;
mod take;
mod target;

use std::io;
use std::path::{Path, PathBuf};

use domain::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use archive::Backup;
pub use restore::{Restored, restore};
pub use take::{Missing, Taken, take};

use crate::error::{TxError, describe};
use crate::media::MediaError;
pub use crate::schema::{Column, Kind};
use crate::{OpenError, StoreError};

/// The layout described above.
const FORMAT: u32 = 1;

/// What belongs to the running servers or is made by the migrations, and not to the site.
pub const LEFT_OUT: &[&str] = &["lease", "migration", "node", "site_mark"];

/// The first member: what is in the file, and what is needed to read it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    /// The version of the program that took the backup.
    pub program: String,
    pub migration: i64,
    /// The site's own id; a site that was never served has none.
    pub site: Option<String>,
    pub taken: Timestamp,
    /// No key in the backup was made for a moment behind this one.
    reserved_until: i64,
    /// How many stored files the records name.
    pub files: i64,
    pub tables: Vec<TableEntry>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TableEntry {
    pub name: String,
    pub rows: u64,
    pub columns: Vec<Column>,
}

impl Manifest {
    fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }
}

/// Whoever waits for long work is told how far it is.
pub trait Progress: Send + Sync {
    fn begin(&self, what: &'static str, total: u64);
    fn advance(&self, by: u64);
}

/// Why there is no backup, or nothing was restored: one sentence for the person who asked for it.
#[derive(Debug, Error)]
pub enum BackupError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("the database failed: {}", describe(.0))]
    Store(#[from] StoreError),
    #[error("{}", describe(.0))]
    Media(#[from] MediaError),
    #[error("{} can't be written: {source}", file.display())]
    Write { file: PathBuf, source: io::Error },
    #[error("{} can't be read: {source}", file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("a temporary file can't be used: {0}")]
    Spool(io::Error),
    #[error("{} is there already: name another file, or add --replace", file.display())]
    Exists { file: PathBuf },
    #[error("another backup of this site is under way, or was broken off less than half a minute ago")]
    UnderWay,
    #[error("the backup was held up for so long that files it needs may have been erased: take it again")]
    HeldUp,
    #[error("the database holds no site yet: there is nothing to back up")]
    NoSite,
    #[error("{} is no backup of Tracewright", file.display())]
    NotABackup { file: PathBuf },
    #[error("the backup {} is damaged ({reason}): nothing was changed", file.display())]
    Damaged { file: PathBuf, reason: String },
    #[error("the backup {} was taken by a newer program ({program}, migration {found}; this one knows {known})", file.display())]
    Newer { file: PathBuf, program: String, found: i64, known: i64 },
    #[error("the target holds a site already: name an empty one, or add --replace to lose what is there")]
    Filled,
    #[error("a server runs on the target, or died less than a minute ago: stop it first")]
    Running,
    #[error("another program has the target's database open: {}", file.display())]
    OpenElsewhere { file: PathBuf },
    #[error("the media root has a file of another site under the name {object}: use an empty media root")]
    Collision { object: String },
    #[error("the backup can't be restored ({reason}); the target is as it was")]
    Refused { reason: String },
}

impl TxError for BackupError {
    fn store_error(&self) -> Option<&StoreError> {
        match self {
            BackupError::Store(error) => Some(error),
            _ => None,
        }
    }
}

fn written(file: &Path) -> impl Fn(io::Error) -> BackupError {
    move |source| BackupError::Write { file: file.to_owned(), source }
}

fn read(file: &Path) -> impl Fn(io::Error) -> BackupError {
    move |source| BackupError::Read { file: file.to_owned(), source }
}

/// The folder a file is in, also for a bare name.
fn parent(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes a rename in this folder last.
fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    Ok(())
}
