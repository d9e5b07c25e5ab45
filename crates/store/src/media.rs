//! The bytes of stored files: immutable objects in a folder of their own. An object is there before the commit that names it
//! and goes after the commit that drops it; in between only records decide what anybody sees.

use std::ops::Range;
use std::path::Path as FsPath;
use std::sync::Arc;

use bytes::Bytes;
use domain::Timestamp;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt, WriteMultipart};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::attachments::files;
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

pub struct Media {
    objects: Arc<dyn ObjectStore>,
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
const UPLOADS_AT_ONCE: usize = 4;
/// An object that no record names may belong to an upload under way; older ones are leftovers of a crash.
const LEFTOVER_AFTER_SECONDS: i64 = 24 * 60 * 60;

impl Media {
    /// Objects in a local folder, which is made when it is not there.
    pub fn folder(folder: &FsPath) -> Result<Self, OpenError> {
        let unusable = |source| OpenError::Folder { folder: folder.display().to_string(), source };
        std::fs::create_dir_all(folder).map_err(unusable)?;
        let objects = LocalFileSystem::new_with_prefix(folder)
            .map_err(|error| unusable(std::io::Error::other(error)))?
            .with_fsync(true);
        Ok(Self { objects: Arc::new(objects) })
    }

    /// Writes a new object from a stream; a stream that is too long or breaks off leaves nothing behind.
    pub async fn put<E>(
        &self,
        parts: &[&str],
        mut chunks: impl futures_util::Stream<Item = Result<Bytes, E>> + Unpin,
        limit: u64,
    ) -> Result<Stored, MediaError> {
        let path = Path::from_iter(parts.iter().copied());
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

    /// Erases what commits have let go.
    pub async fn erase_gone(&self, db: &Db) -> Result<(), StoreError> {
        loop {
            let gone = db.read(async |tx: &mut Tx| files::gone(tx).await).await?;
            if gone.is_empty() {
                return Ok(());
            }
            for object in &gone {
                self.erase(object).await.map_err(unavailable)?;
            }
            db.write("forget erased objects", async move |tx: &mut Tx| files::forget_gone(tx, &gone).await).await?;
        }
    }

    /// Erases leftovers of crashes: objects older than a day that no record names.
    pub async fn sweep(&self, db: &Db, now: Timestamp) -> Result<u64, StoreError> {
        let mut erased = 0;
        let mut listed = self.objects.list(None).try_chunks(500);
        while let Some(chunk) = listed.next().await {
            let chunk = chunk.map_err(|error| unavailable(error.1.into()))?;
            let old = |at: i64| at < now.plus_seconds(-LEFTOVER_AFTER_SECONDS).millis();
            let aged: Vec<String> = chunk
                .iter()
                .filter(|object| old(object.last_modified.timestamp_millis()))
                .map(|object| object.location.to_string())
                .collect();
            let named = db.read(async |tx: &mut Tx| files::named(tx, &aged).await).await?;
            for object in aged.iter().filter(|object| !named.contains(object)) {
                self.erase(object).await.map_err(unavailable)?;
                erased += 1;
            }
        }
        Ok(erased)
    }
}

fn unavailable(error: MediaError) -> StoreError {
    StoreError::Unavailable(Arc::new(error))
}

fn parse(object: &str) -> Result<Path, object_store::Error> {
    Ok(Path::parse(object)?)
}
