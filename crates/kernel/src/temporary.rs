//! Temporary files, from which answers are sent. A client may take its time with an answer as long as it reads on, so what all of
//! them take on the disk is limited.

use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::{Body, Bytes};
use tempfile::{SpooledData, SpooledTempFile};

/// How much of a file is kept in memory.
pub(crate) const MEMORY_BYTES: usize = 1024 * 1024;
/// How much all files of a node may have together.
const MOST: u64 = 4 * 1024 * 1024 * 1024;
const CHUNK_BYTES: usize = 256 * 1024;

static DISK: Room = Room::new(MOST);

/// What may be taken on the disk, and how much of it is.
#[derive(Debug)]
struct Room {
    most: u64,
    taken: AtomicU64,
}

impl Room {
    const fn new(most: u64) -> Self {
        Self { most, taken: AtomicU64::new(0) }
    }
}

/// What one file takes, given back when it is gone.
#[derive(Debug)]
struct Taken {
    room: &'static Room,
    bytes: u64,
}

impl Taken {
    fn more(&mut self, bytes: u64) -> Result<()> {
        self.bytes += bytes;
        let before = self.room.taken.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) <= self.room.most { Ok(()) } else { Err(ErrorKind::QuotaExceeded.into()) }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.room.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A file that is in memory as long as it is small. Writing fails with [`ErrorKind::QuotaExceeded`] when all together are too large.
#[derive(Debug)]
pub struct TempFile {
    file: SpooledTempFile,
    taken: Taken,
}

/// A file to write.
pub fn file() -> TempFile {
    TempFile::within(&DISK)
}

impl TempFile {
    fn within(room: &'static Room) -> Self {
        Self { file: SpooledTempFile::new(MEMORY_BYTES), taken: Taken { room, bytes: 0 } }
    }

    /// Its bytes, from the beginning.
    pub(crate) fn into_body(self) -> Result<Body> {
        let taken = self.taken;
        match self.file.into_inner() {
            SpooledData::InMemory(bytes) => Ok(Body::from(bytes.into_inner())),
            SpooledData::OnDisk(mut file) => {
                file.seek(SeekFrom::Start(0))?;
                let sending = Sending { file, _taken: taken };
                Ok(Body::from_stream(futures_util::stream::try_unfold(sending, next_chunk)))
            }
        }
    }
}

impl Write for TempFile {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let written = self.file.write(bytes)?;
        self.taken.more(written as u64)?;
        Ok(written)
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
}

impl Seek for TempFile {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.file.seek(to)
    }
}

/// A file on the disk that is being sent.
struct Sending<F> {
    file: F,
    _taken: Taken,
}

async fn next_chunk<F: Read + Send + 'static>(mut sending: Sending<F>) -> Result<Option<(Bytes, Sending<F>)>> {
    let reading = tokio::task::spawn_blocking(move || {
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        sending.file.by_ref().take(CHUNK_BYTES as u64).read_to_end(&mut chunk)?;
        Ok((!chunk.is_empty()).then(|| (Bytes::from(chunk), sending)))
    });
    reading.await.map_err(Error::other)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_files_together_are_limited_until_they_are_sent() {
        static SMALL: Room = Room::new(3 * MEMORY_BYTES as u64);
        let bytes = vec![7; 2 * MEMORY_BYTES];
        let mut one = TempFile::within(&SMALL);
        one.write_all(&bytes).unwrap();
        let mut other = TempFile::within(&SMALL);
        assert_eq!(other.write_all(&bytes).unwrap_err().kind(), ErrorKind::QuotaExceeded);
        drop(other);
        let body = one.into_body().unwrap();
        assert_eq!(SMALL.taken.load(Ordering::Relaxed), bytes.len() as u64, "as long as it is being sent");
        assert!(axum::body::to_bytes(body, usize::MAX).await.unwrap() == bytes);
        assert_eq!(SMALL.taken.load(Ordering::Relaxed), 0);
        TempFile::within(&SMALL).write_all(&bytes).unwrap();
    }
}
