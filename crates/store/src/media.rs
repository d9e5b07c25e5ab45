//! The bytes of stored files: immutable objects in a folder of their own. An object is there before the commit that names it
//! and goes after the commit that drops it; in between only records decide what anybody sees.

use std::ops::Range;
use std::path::{Path as FsPath, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt, WriteMultipart};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::attachments::files;
use crate::lease;
use crate::sqlite::make_private_folder;
use crate::tx::Tx;
use crate::{Db, OpenError, StoreError};

#[derive(Debug, Error)]
pub enum MediaError {
    #[error("the file is larger than {0} bytes")]
    TooLarge(u64),
    #[error("the upload ended early")]
    Cut,
    #[error("stored files can't be reached")]
    Storage(#[from] object_store::Error),
}

impl MediaError {
    pub fn is_not_found(&self) -> bool {
        matches!(self, MediaError::Storage(object_store::Error::NotFound { .. }))
    }
}

pub struct Media {
    objects: Arc<dyn ObjectStore>,
    folder: PathBuf,
}

/// The file in the media folder that says whose it is, so that no other site ever sweeps it.
const MARKER: &str = ".tracewright-site";

/// An object that was written and synced.
#[derive(Debug, Clone)]
pub struct Stored {
    pub object: String,
    pub size: i64,
    pub sha256: Vec<u8>,
    /// The first bytes, for telling what kind of file it is.
    pub head: Vec<u8>,
}

const HEAD_BYTES: usize = 64;
const UPLOADS_AT_ONCE: usize = 4;
/// An object that no record names may belong to an upload under way; older ones are leftovers of a crash.
const LEFTOVER_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

impl Media {
    /// Objects in a local folder, which is made when it is not there. It must be empty or this site's own.
    pub fn folder(folder: &FsPath, site: &str) -> Result<Self, OpenError> {
        let unusable = |source| OpenError::Folder { folder: folder.display().to_string(), source };
        make_private_folder(folder).map_err(unusable)?;
        if !own(folder, site).map_err(unusable)? {
            return Err(OpenError::ForeignMedia { folder: folder.display().to_string() });
        }
        let objects = LocalFileSystem::new_with_prefix(folder)
            .map_err(|error| unusable(std::io::Error::other(error)))?
            .with_fsync(true);
        Ok(Self { objects: Arc::new(objects), folder: folder.to_owned() })
    }

    /// Writes a new object from a stream; a stream that is too long or breaks off leaves nothing behind.
    pub async fn put<E>(
        &self,
        parts: &[&str],
        chunks: impl futures_util::Stream<Item = Result<Bytes, E>> + Unpin,
        limit: u64,
    ) -> Result<Stored, MediaError> {
        self.write(Path::from_iter(parts.iter().map(|part| plain(part))), chunks, limit).await
    }

    /// Writes an object under the name that records already have for it, as a restore does.
    pub async fn put_back<E>(
        &self,
        object: &str,
        chunks: impl futures_util::Stream<Item = Result<Bytes, E>> + Unpin,
    ) -> Result<Stored, MediaError> {
        self.write(parse(object)?, chunks, u64::MAX).await
    }

    /// Hands the media over to another site: only a restore does, when it replaces one site by another.
    pub async fn hand_over(&self, site: &str) -> Result<(), MediaError> {
        self.objects.put(&Path::from(MARKER), site.to_owned().into()).await?;
        Ok(())
    }

    async fn write<E>(
        &self,
        path: Path,
        mut chunks: impl futures_util::Stream<Item = Result<Bytes, E>> + Unpin,
        limit: u64,
    ) -> Result<Stored, MediaError> {
        let mut upload = WriteMultipart::new(self.objects.put_multipart(&path).await?);
        let (mut size, mut digest, mut head) = (0_u64, Sha256::new(), Vec::new());
        while let Some(chunk) = chunks.next().await {
            let Ok(chunk) = chunk else {
                upload.abort().await?;
                return Err(MediaError::Cut);
            };
            size += chunk.len() as u64;
            if size > limit {
                upload.abort().await?;
                return Err(MediaError::TooLarge(limit));
            }
            let room = HEAD_BYTES - head.len();
            head.extend_from_slice(&chunk[..room.min(chunk.len())]);
            digest.update(&chunk);
            upload.wait_for_capacity(UPLOADS_AT_ONCE).await?;
            upload.put(chunk);
        }
        upload.finish().await?;
        Ok(Stored { object: path.to_string(), size: size as i64, sha256: digest.finalize().to_vec(), head })
    }

    /// The bytes of an object, or some of them.
    pub async fn get(
        &self,
        object: &str,
        range: Option<Range<u64>>,
    ) -> Result<BoxStream<'static, Result<Bytes, object_store::Error>>, MediaError> {
        let options = GetOptions { range: range.map(GetRange::Bounded), ..GetOptions::default() };
        Ok(self.objects.get_opts(&parse(object)?, options).await?.into_stream())
    }

    /// Erases an object; one that is not there is erased already.
    pub async fn erase(&self, object: &str) -> Result<(), MediaError> {
        match self.objects.delete(&parse(object)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Erases what commits have let go, unless a backup is under way. An object that can't be erased does not keep the others.
    pub async fn erase_gone(&self, db: &Db) -> Result<(), StoreError> {
        loop {
            let gone = db.read(async |tx: &mut Tx| files::gone(tx).await).await?;
            let (mut erased, mut failure) = (Vec::new(), None);
            for object in gone {
                match self.erase(&object).await {
                    Ok(()) => erased.push(object),
                    Err(error) => failure = Some(error),
                }
            }
            if erased.is_empty() {
                return failure.map_or(Ok(()), |error| Err(unavailable(error)));
            }
            db.write("forget erased objects", async move |tx: &mut Tx| files::forget_gone(tx, &erased).await).await?;
        }
    }

    /// Erases leftovers of crashes: objects older than a day that no record names, and uploads that were never finished.
    /// `holder` keeps the lease of it all the while, and stops when another node has it or a backup is under way.
    pub async fn sweep(&self, db: &Db, holder: &str) -> Result<u64, StoreError> {
        let folder = self.folder.clone();
        let aged = tokio::task::spawn_blocking(move || aged_objects(&folder)).await.unwrap_or_default();
        let mut erased = 0;
        for chunk in aged.chunks(500) {
            let (objects, holder) = (chunk.to_vec(), holder.to_owned());
            let named = db.write("sweep", async move |tx: &mut Tx| {
                if lease::is_held(tx, lease::BACKUP).await? || !lease::hold(tx, "sweep", &holder).await? {
                    return Ok::<_, StoreError>(None);
                }
                files::named(tx, &objects).await.map(Some)
            });
            let Some(named) = named.await? else { return Ok(erased) };
            for object in chunk.iter().filter(|object| !named.contains(object)) {
                match std::fs::remove_file(self.folder.join(object)) {
                    Ok(()) => erased += 1,
                    Err(error) => tracing::warn!(%error, object, "a leftover was not erased"),
                }
            }
        }
        Ok(erased)
    }
}

/// A part of an object's path as every file system and storage takes it: letters, digits, `_` and `-`, all else as `=XX`.
fn plain(part: &str) -> String {
    let spelled = part.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => char::from(byte).to_string(),
        other => format!("={other:02X}"),
    });
    spelled.collect()
}

/// Whether the folder is this site's; an empty one becomes it. Nodes may do this at the same time.
fn own(folder: &FsPath, site: &str) -> std::io::Result<bool> {
    let marker = folder.join(MARKER);
    if marker.try_exists()? {
        return Ok(std::fs::read_to_string(&marker)?.trim() == site);
    }
    for entry in std::fs::read_dir(folder)? {
        // Marks of other nodes, finished or not, are no foreign files.
        if !entry?.file_name().to_string_lossy().starts_with(MARKER) {
            return Ok(marker.try_exists()? && std::fs::read_to_string(&marker)?.trim() == site);
        }
    }
    // Written whole before it gets its name, and the name is given once: the first node decides, all others read.
    let draft = tempfile::Builder::new().prefix(MARKER).tempfile_in(folder)?;
    std::fs::write(draft.path(), site)?;
    if let Err(error) = draft.persist_noclobber(&marker)
        && error.error.kind() != std::io::ErrorKind::AlreadyExists
    {
        return Err(error.error);
    }
    Ok(std::fs::read_to_string(&marker)?.trim() == site)
}

/// Files of our own making that are old enough to be leftovers, relative to the folder.
fn aged_objects(folder: &FsPath) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(facts) = entry.metadata() else { continue };
            if facts.is_dir() {
                folders.push(path);
            } else if facts.modified().is_ok_and(is_aged)
                && entry.file_name().to_str().is_some_and(is_object_name)
                && let Some(relative) = path.strip_prefix(folder).ok().and_then(FsPath::to_str)
            {
                found.push(relative.to_owned());
            }
        }
    }
    found
}

/// A key of ours, or one with the mark of an upload under way.
fn is_object_name(name: &str) -> bool {
    domain::key::id_from_text(name.split('#').next().unwrap_or(name)).is_some()
}

/// By the clock of the disk, which stamped the file.
fn is_aged(modified: SystemTime) -> bool {
    modified.elapsed().is_ok_and(|age| age > LEFTOVER_AFTER)
}

fn unavailable(error: MediaError) -> StoreError {
    StoreError::Unavailable(Arc::new(error))
}

fn parse(object: &str) -> Result<Path, object_store::Error> {
    Ok(Path::parse(object)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_objects_are_plain_and_differ() {
        assert_eq!(plain("company_logo"), "company_logo");
        assert_eq!(plain("a.b:c%d/.."), "a=2Eb=3Ac=25d=2F=2E=2E");
        assert_ne!(plain("a=2E"), plain("a."));
        assert!(plain(&"é".repeat(32)).len() < 255);
    }

    #[test]
    fn nodes_that_start_at_once_agree_on_the_folder() {
        let root = tempfile::tempdir().unwrap();
        for round in 0..20 {
            let folder = root.path().join(round.to_string());
            let owned = std::thread::scope(|threads| {
                let start = |site: &'static str| {
                    let folder = folder.clone();
                    threads.spawn(move || Media::folder(&folder, site).is_ok())
                };
                let nodes: Vec<_> = ["one", "one", "one", "two"].map(start).into_iter().collect();
                nodes.into_iter().map(|node| node.join().unwrap()).collect::<Vec<bool>>()
            });
            assert!(owned == [true, true, true, false] || owned == [false, false, false, true], "{owned:?}");
        }
    }

    #[test]
    fn a_folder_belongs_to_one_site() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("media");
        assert!(Media::folder(&folder, "one").is_ok());
        assert!(Media::folder(&folder, "one").is_ok());
        assert!(matches!(Media::folder(&folder, "two"), Err(OpenError::ForeignMedia { .. })));
        let foreign = root.path().join("documents");
        std::fs::create_dir(&foreign).unwrap();
        std::fs::write(foreign.join("thesis.txt"), "years of work").unwrap();
        assert!(matches!(Media::folder(&foreign, "one"), Err(OpenError::ForeignMedia { .. })));
    }
}
