//! One object on its way: a small one goes by a single request when it is complete, a larger one in parts meanwhile.

use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayloadMut, Result, WriteMultipart};

/// The least that storages take for a part.
const PART_BYTES: usize = 5 * 1024 * 1024;
const PARTS_AT_ONCE: usize = 4;

pub(super) struct Upload {
    objects: Arc<dyn ObjectStore>,
    path: Path,
    begun: PutPayloadMut,
    parts: Option<WriteMultipart>,
}

impl Upload {
    pub(super) fn new(objects: Arc<dyn ObjectStore>, path: Path) -> Self {
        Self { objects, path, begun: PutPayloadMut::new(), parts: None }
    }

    /// Takes more bytes, and waits while too many are on their way.
    pub(super) async fn put(&mut self, chunk: Bytes) -> Result<()> {
        if let Some(parts) = &mut self.parts {
            parts.wait_for_capacity(PARTS_AT_ONCE).await?;
            parts.put(chunk);
            return Ok(());
        }
        self.begun.push(chunk);
        if self.begun.content_length() >= PART_BYTES {
            let upload = self.objects.put_multipart(&self.path).await?;
            let parts = self.parts.insert(WriteMultipart::new_with_chunk_size(upload, PART_BYTES));
            for chunk in std::mem::take(&mut self.begun).freeze() {
                parts.put(chunk);
            }
        }
        Ok(())
    }

    /// Returns when the object is stored for good.
    pub(super) async fn finish(self) -> Result<()> {
        match self.parts {
            Some(parts) => parts.finish().await.map(|_| ()),
            None => self.objects.put(&self.path, self.begun.into()).await.map(|_| ()),
        }
    }

    /// Leaves nothing behind. A part that arrives after the end of its upload would stay: each has to arrive or fail first.
    pub(super) async fn abort(self) -> Result<()> {
        let Some(mut parts) = self.parts else { return Ok(()) };
        while parts.wait_for_capacity(1).await.is_err() {}
        parts.abort().await
    }
}
