//! The bytes of stored files: immutable objects in a folder of their own. An object is there before the commit that names it
//! and goes after the commit that drops it; in between only records decide what anybody sees.

mod folder;
mod http;
mod owner;
mod s3;
mod upload;

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt};
use sha2::{Digest, Sha256};
use thiserror::Error;

pub use s3::{S3, S3Keys};
use upload::Upload;

use crate::attachments::files;
use crate::lease;
use crate::tx::Tx;
use crate::{Db, OpenError, StoreError, describe};

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

    /// Whether the storage as a whole did not answer, and the next object would fare no better.
    fn is_outage(&self) -> bool {
        matches!(self, MediaError::Storage(object_store::Error::Generic { store: "S3", .. }))
    }
}

/// Where the objects are.
#[derive(Clone)]
pub enum Root {
    Folder(PathBuf),
    S3(S3),
}

impl Root {
    /// Why it can't be used, for the person who starts the server.
    fn reason(&self, error: &object_store::Error) -> String {
        match self {
            Root::Folder(_) => root_cause(error),
            Root::S3(_) => s3::reason(error),
        }
    }
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Root::Folder(folder) => write!(f, "{}", folder.display()),
            Root::S3(s3) => write!(f, "{s3}"),
        }
    }
}

pub struct Media {
    objects: Arc<dyn ObjectStore>,
    root: Root,
    site: String,
}

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
/// An object that no record names may belong to an upload under way; older ones are leftovers of a crash.
const LEFTOVER_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

impl Media {
    /// A folder is made when it is not there, a bucket is not. What is there already must be nobody's or this site's own.
    pub async fn open(root: Root, site: &str) -> Result<Self, OpenError> {
        let unusable = |reason| OpenError::Media { root: root.to_string(), reason };
        let objects = match &root {
            Root::Folder(folder) => folder::open(folder)
                .map(|objects| Arc::new(objects) as _)
                .map_err(|error| unusable(error.to_string()))?,
            Root::S3(s3) => s3::open(s3).map_err(unusable)?,
        };
        let owned = owner::claim(&*objects, site).await.map_err(|error| unusable(root.reason(&error)))?;
        if !owned {
            return Err(OpenError::ForeignMedia { root: root.to_string() });
        }
        Ok(Self { objects, root, site: site.to_owned() })
    }

    /// Writes a new object from a stream; a stream that is too long or breaks off leaves nothing behind.
    pub async fn put<E>(
        &self,
        parts: &[&str],
        chunks: impl Stream<Item = Result<Bytes, E>> + Unpin,
        limit: u64,
    ) -> Result<Stored, MediaError> {
        self.write(Path::from_iter(parts.iter().map(|part| plain(part))), chunks, limit).await
    }

    /// Writes an object under the name that records already have for it, as a restore does.
    pub async fn put_back<E>(
        &self,
        object: &str,
        chunks: impl Stream<Item = Result<Bytes, E>> + Unpin,
    ) -> Result<Stored, MediaError> {
        self.write(parse(object)?, chunks, u64::MAX).await
    }

    /// Hands the media over to another site: only a restore does, when it replaces one site by another.
    pub async fn hand_over(&self, site: &str) -> Result<(), MediaError> {
        Ok(owner::hand_over(&*self.objects, site).await?)
    }

    async fn write<E>(
        &self,
        path: Path,
        chunks: impl Stream<Item = Result<Bytes, E>> + Unpin,
        limit: u64,
    ) -> Result<Stored, MediaError> {
        let mut upload = Upload::new(self.objects.clone(), path.clone());
        match pour(chunks, &mut upload, &path, limit).await {
            Ok(stored) => Ok(upload.finish().await.map(|()| stored)?),
            Err(refusal) => {
                if let Err(error) = upload.abort().await {
                    tracing::warn!(error = describe(&error), "what was stored of a refused upload was not erased");
                }
                Err(refusal)
            }
        }
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
                if failure.as_ref().is_some_and(MediaError::is_outage) {
                    break;
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
        if !owner::is_owner(&*self.objects, &self.site).await.map_err(unavailable)? {
            tracing::error!(root = %self.root, "stored files are not swept: they carry the mark of another site");
            return Ok(0);
        }
        let aged = self.aged_objects().await?;
        let mut erased = 0;
        for chunk in aged.chunks(500) {
            let (objects, holder) = (chunk.to_vec(), holder.to_owned());
            let named = db.write("sweep", async move |tx: &mut Tx| {
                if lease::is_held(tx, lease::BACKUP).await? || !lease::hold(tx, "sweep", &holder).await? {
                    return Ok::<_, StoreError>(None);
                }
                files::objects_named(tx, &objects).await.map(Some)
            });
            let Some(named) = named.await? else { return Ok(erased) };
            for object in chunk.iter().filter(|object| !named.contains(object)) {
                match self.erase_leftover(object).await {
                    Ok(()) => erased += 1,
                    Err(error) if error.is_outage() => return Err(unavailable(error)),
                    Err(error) => tracing::warn!(error = describe(&error), object, "a leftover was not erased"),
                }
            }
        }
        Ok(erased)
    }

    async fn aged_objects(&self) -> Result<Vec<String>, StoreError> {
        match &self.root {
            Root::Folder(folder) => {
                let folder = folder.clone();
                let found = tokio::task::spawn_blocking(move || folder::aged_objects(&folder)).await;
                Ok(found.unwrap_or_default())
            }
            Root::S3(_) => s3::aged_objects(&*self.objects).await.map_err(unavailable),
        }
    }

    /// In a folder it may be an unfinished upload, whose name no object can have.
    async fn erase_leftover(&self, object: &str) -> Result<(), MediaError> {
        match &self.root {
            Root::Folder(folder) => std::fs::remove_file(folder.join(object))
                .map_err(|error| object_store::Error::Generic { store: "media", source: Box::new(error) }.into()),
            Root::S3(_) => self.erase(object).await,
        }
    }
}

/// Hands a stream to an upload, piece by piece, and tells what it was.
async fn pour<E>(
    mut chunks: impl Stream<Item = Result<Bytes, E>> + Unpin,
    upload: &mut Upload,
    path: &Path,
    limit: u64,
) -> Result<Stored, MediaError> {
    let (mut size, mut digest, mut head) = (0_u64, Sha256::new(), Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| MediaError::Cut)?;
        size += chunk.len() as u64;
        if size > limit {
            return Err(MediaError::TooLarge(limit));
        }
        let room = HEAD_BYTES - head.len();
        head.extend_from_slice(&chunk[..room.min(chunk.len())]);
        digest.update(&chunk);
        upload.put(chunk).await?;
    }
    Ok(Stored { object: path.to_string(), size: size as i64, sha256: digest.finalize().to_vec(), head })
}

/// A part of an object's path as every file system and storage takes it: letters, digits, `_` and `-`, all else as `=XX`.
fn plain(part: &str) -> String {
    let spelled = part.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => char::from(byte).to_string(),
        other => format!("={other:02X}"),
    });
    spelled.collect()
}

/// A key of ours, or one with the mark of an upload under way.
fn is_object_name(name: &str) -> bool {
    domain::key::id_from_text(name.split('#').next().unwrap_or(name)).is_some()
}

/// By the clock of the disk or the storage, which stamped the object.
fn is_aged(modified: SystemTime) -> bool {
    modified.elapsed().is_ok_and(|age| age > LEFTOVER_AFTER)
}

fn unavailable(error: impl Into<MediaError>) -> StoreError {
    StoreError::Media(Arc::new(error.into()))
}

fn root_cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), root_cause)
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

    async fn is_open_to(folder: &std::path::Path, site: &str) -> bool {
        match Media::open(Root::Folder(folder.to_owned()), site).await {
            Ok(_) => true,
            Err(OpenError::ForeignMedia { .. }) => false,
            Err(error) => panic!("{error}"),
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn nodes_that_start_at_once_agree_on_the_folder() {
        let root = tempfile::tempdir().unwrap();
        for round in 0..20 {
            let folder = root.path().join(round.to_string());
            let start = |site: &'static str| {
                let folder = folder.clone();
                tokio::spawn(async move { is_open_to(&folder, site).await })
            };
            let nodes = ["one", "one", "one", "two"].map(start);
            let owned: Vec<bool> =
                futures_util::future::join_all(nodes).await.into_iter().map(|node| node.unwrap()).collect();
            assert!(owned == [true, true, true, false] || owned == [false, false, false, true], "{owned:?}");
        }
    }

    #[tokio::test]
    async fn a_folder_belongs_to_one_site() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("media");
        assert!(is_open_to(&folder, "one").await);
        assert!(is_open_to(&folder, "one").await);
        assert!(!is_open_to(&folder, "two").await);
        let foreign = root.path().join("documents");
        std::fs::create_dir(&foreign).unwrap();
        std::fs::write(foreign.join("thesis.txt"), "years of work").unwrap();
        assert!(!is_open_to(&foreign, "one").await);
    }
}
