//! The file of a backup: members with their checksums, written in one go and looked at whole before anything is restored.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use domain::Timestamp;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tar::{Archive, Builder, Entry, EntryWriter, Header};
use tempfile::NamedTempFile;

use super::rows::Spool;
use super::{BackupError, FORMAT, Manifest, Progress, parent, read, sync_folder, written};
use crate::error::OpenError;
use crate::migrate::{self, Migration};

const MANIFEST: &str = "manifest.json";
const SUMS: &str = "SHA256SUMS";
const MEDIA: &str = "media/";
/// A manifest lists tables and columns; more than this is none.
const MANIFEST_LIMIT: u64 = 16 * 1024 * 1024;

fn table_member(table: &str) -> String {
    format!("tables/{table}.jsonl.gz")
}

/// A backup that is being written, under a temporary name beside the one it will get.
pub(super) struct Draft {
    tar: Builder<BufWriter<NamedTempFile>>,
    header: Header,
    sums: Spool,
    file: PathBuf,
}

impl Draft {
    pub(super) fn new(file: &Path, now: Timestamp) -> Result<Self, BackupError> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        // Readable by its owner alone, as all temporary files are: it holds password hashes and the signing secret.
        let draft = tempfile::Builder::new().prefix(&format!(".{name}.")).suffix(".part").tempfile_in(parent(file));
        let mut header = Header::new_gnu();
        header.set_mode(0o600);
        header.set_mtime(u64::try_from(now.seconds()).unwrap_or_default());
        Ok(Self {
            tar: Builder::new(BufWriter::new(draft.map_err(written(file))?)),
            header,
            sums: Spool::new()?,
            file: file.to_owned(),
        })
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    pub(super) fn member<'a>(&'a mut self, name: &'a str) -> Result<Member<'a>, BackupError> {
        let entry = self.tar.append_writer(&mut self.header, name).map_err(written(&self.file))?;
        Ok(Member { entry, digest: Sha256::new(), sums: &mut self.sums, name, file: &self.file })
    }

    pub(super) fn manifest(&mut self, manifest: &Manifest) -> Result<(), BackupError> {
        let file = self.file.clone();
        let mut member = self.member(MANIFEST)?;
        serde_json::to_writer_pretty(&mut member, manifest).map_err(|error| written(&file)(error.into()))?;
        member.finish()
    }

    /// Writes one table, whose rows `fill` hands over.
    pub(super) async fn table(
        &mut self,
        table: &str,
        fill: impl AsyncFnOnce(&mut dyn Write) -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        let (name, file) = (table_member(table), self.file.clone());
        let mut packed = GzEncoder::new(self.member(&name)?, Compression::fast());
        fill(&mut packed).await?;
        packed.finish().map_err(written(&file))?.finish()
    }

    /// Adds the checksums and flushes everything to disk; gives the size.
    pub(super) fn complete(mut self) -> Result<Complete, BackupError> {
        let sums = std::mem::replace(&mut self.sums, Spool::new()?);
        let file = self.file.clone();
        let mut member = self.member(SUMS)?;
        io::copy(&mut sums.read()?, &mut member).map_err(written(&file))?;
        member.finish()?;
        let buffer = self.tar.into_inner().map_err(written(&file))?;
        let draft = buffer.into_inner().map_err(|error| written(&file)(error.into_error()))?;
        draft.as_file().sync_all().map_err(written(&file))?;
        let size = draft.as_file().metadata().map_err(written(&file))?.len();
        Ok(Complete { draft, file, size })
    }
}

/// The name of an object's member.
pub(super) fn media_member(object: &str) -> String {
    format!("{MEDIA}{object}")
}

/// A backup that lacks only its name.
pub(super) struct Complete {
    draft: NamedTempFile,
    file: PathBuf,
    pub(super) size: u64,
}

impl Complete {
    pub(super) fn keep(self, replace: bool) -> Result<(), BackupError> {
        let kept = if replace { self.draft.persist(&self.file) } else { self.draft.persist_noclobber(&self.file) };
        kept.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => BackupError::Exists { file: self.file.clone() },
            _ => written(&self.file)(error.error),
        })?;
        sync_folder(parent(&self.file)).map_err(written(&self.file))
    }
}

/// A member that is being written.
pub(super) struct Member<'a> {
    entry: EntryWriter<'a>,
    digest: Sha256,
    sums: &'a mut Spool,
    name: &'a str,
    file: &'a Path,
}

impl Member<'_> {
    pub(super) fn finish(self) -> Result<(), BackupError> {
        self.entry.finish().map_err(written(self.file))?;
        self.sums.push(&sum_line(self.digest, self.name))
    }
}

impl Write for Member<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.entry.write(bytes)?;
        self.digest.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.entry.flush()
    }
}

/// As `sha256sum` writes it.
fn sum_line(digest: Sha256, name: &str) -> String {
    let hex: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex}  {name}")
}

/// A backup to be looked at or restored.
pub struct Backup {
    file: PathBuf,
    handle: File,
    pub manifest: Manifest,
}

#[derive(Deserialize)]
struct Version {
    format: u32,
    program: String,
    migration: i64,
}

impl Backup {
    /// Opens the file, and refuses what is no backup or newer than this program.
    pub fn open(file: &Path) -> Result<Self, BackupError> {
        Self::open_for(migrate::MIGRATIONS, file)
    }

    pub(super) fn open_for(steps: &[Migration], file: &Path) -> Result<Self, BackupError> {
        let foreign = || BackupError::NotABackup { file: file.to_owned() };
        let handle = File::open(file).map_err(read(file))?;
        let mut text = String::new();
        {
            let mut archive = Archive::new(&handle);
            let first = archive.entries_with_seek().ok().and_then(|mut entries| entries.next());
            let entry = first.and_then(Result::ok).ok_or_else(foreign)?;
            if *entry.path_bytes() != *MANIFEST.as_bytes() {
                return Err(foreign());
            }
            let _ = entry.take(MANIFEST_LIMIT).read_to_string(&mut text);
        }
        let unreadable = |error: serde_json::Error| BackupError::Damaged {
            file: file.to_owned(),
            reason: format!("{MANIFEST} can't be read: {error}"),
        };
        let version: Version = serde_json::from_str(&text).map_err(unreadable)?;
        let known = migrate::last_number(steps);
        if version.format > FORMAT || version.migration > known {
            let Version { program, migration, .. } = version;
            return Err(BackupError::Newer { file: file.to_owned(), program, found: migration, known });
        }
        let manifest = serde_json::from_str(&text).map_err(unreadable)?;
        Ok(Self { file: file.to_owned(), handle, manifest })
    }

    fn damaged(&self, reason: impl ToString) -> BackupError {
        BackupError::Damaged { file: self.file.clone(), reason: reason.to_string() }
    }

    /// Reads the whole file and holds every member against its checksum.
    pub fn check(&self, progress: &dyn Progress) -> Result<(), BackupError> {
        let size = self.handle.metadata().map_err(read(&self.file))?.len();
        progress.begin("Checking", size);
        let mut found = Spool::new()?;
        let mut complete = None;
        for member in self.members()?.entries()? {
            let (name, mut entry) = member?;
            if complete.is_some() {
                return Err(self.damaged(format!("{name} comes after the end")));
            }
            if name == SUMS {
                let sums = std::mem::replace(&mut found, Spool::new()?);
                complete = Some(self.compare(sums, entry)?);
                continue;
            }
            let digest = self.digest(&mut entry, progress)?;
            found.push(&sum_line(digest, &name))?;
        }
        complete.ok_or_else(|| self.damaged("it is cut short"))
    }

    fn digest(&self, entry: &mut impl Read, progress: &dyn Progress) -> Result<Sha256, BackupError> {
        let (mut digest, mut buffer) = (Sha256::new(), vec![0; 256 * 1024]);
        loop {
            match entry.read(&mut buffer).map_err(|error| self.damaged(error))? {
                0 => return Ok(digest),
                count => {
                    digest.update(&buffer[..count]);
                    progress.advance(count as u64);
                }
            }
        }
    }

    /// Whether the members found are exactly those that were written.
    fn compare(&self, found: Spool, sums: impl Read) -> Result<(), BackupError> {
        let (mut found, mut sums) = (found.read()?, BufReader::new(sums));
        loop {
            let (mut wanted, mut present) = (String::new(), String::new());
            sums.read_line(&mut wanted).map_err(|error| self.damaged(error))?;
            found.read_line(&mut present).map_err(BackupError::Spool)?;
            if wanted != present {
                let name = wanted.trim_end().split("  ").nth(1).unwrap_or("its end");
                return Err(self.damaged(format!("{name} is not as it was written")));
            }
            if wanted.is_empty() {
                return Ok(());
            }
        }
    }

    fn members(&self) -> Result<Members<'_>, BackupError> {
        let mut handle = &self.handle;
        handle.rewind().map_err(read(&self.file))?;
        Ok(Members { archive: Archive::new(handle), backup: self })
    }

    /// Hands over every stored file in turn: its object and its bytes.
    pub(super) async fn each_object(
        &self,
        mut take: impl AsyncFnMut(&str, &mut dyn Read) -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        for member in self.members()?.entries()? {
            let (name, mut entry) = member?;
            if let Some(object) = name.strip_prefix(MEDIA) {
                take(object, &mut entry).await?;
            }
        }
        Ok(())
    }

    /// Hands over every table in turn: its name and its lines.
    pub(super) async fn each_table(
        &self,
        mut take: impl AsyncFnMut(&str, &mut dyn BufRead) -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        for member in self.members()?.entries()? {
            let (name, entry) = member?;
            let table = self.manifest.tables.iter().find(|table| table_member(&table.name) == name);
            if let Some(table) = table {
                take(&table.name, &mut BufReader::with_capacity(64 * 1024, GzDecoder::new(entry))).await?;
            }
        }
        Ok(())
    }

    pub(super) fn refuse(&self, reason: impl Into<String>) -> BackupError {
        BackupError::Refused { reason: reason.into() }
    }

    /// The steps that made the backup's tables, and those that came later.
    pub(super) fn steps(
        &self,
        steps: &'static [Migration],
    ) -> Result<(&'static [Migration], &'static [Migration]), OpenError> {
        migrate::split(steps, self.manifest.migration)
    }
}

struct Members<'a> {
    archive: Archive<&'a File>,
    backup: &'a Backup,
}

impl<'a> Members<'a> {
    fn entries(
        &mut self,
    ) -> Result<impl Iterator<Item = Result<(String, Entry<'_, &'a File>), BackupError>>, BackupError> {
        let backup = self.backup;
        let entries = self.archive.entries_with_seek().map_err(read(&backup.file))?;
        Ok(entries.map(move |entry| {
            let entry = entry.map_err(|error| backup.damaged(error))?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            Ok((name, entry))
        }))
    }
}
