//! Reads stored files from a thread that may wait.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use store::{Presence, StoreError};
use tokio::runtime::Handle;

use super::gather::StoredFile;
use crate::Result;
use crate::app::App;
use crate::error::ApiError;

pub(super) struct Shelf {
    app: Arc<App>,
    runtime: Handle,
    /// Whoever waits for what is read.
    asked_by: Option<Presence>,
}

impl Shelf {
    /// Within a runtime, for whoever asks right now.
    pub(super) fn new(app: Arc<App>) -> Self {
        Self { app, runtime: Handle::current(), asked_by: Presence::asking_now() }
    }

    /// Whether somebody still waits for what is made of the files.
    pub(super) fn is_wanted(&self) -> bool {
        !self.asked_by.as_ref().is_some_and(Presence::has_given_up)
    }

    /// An error once nobody waits any more.
    pub(super) fn go_on(&self) -> Result<()> {
        if self.is_wanted() { Ok(()) } else { Err(StoreError::Abandoned.into()) }
    }

    /// The bytes of a file; `None` if they are no longer stored.
    pub(super) fn open(&self, file: &StoredFile) -> Result<Option<Reading<'_>>> {
        self.go_on()?;
        match self.runtime.block_on(self.app.media.get(&file.object, None)) {
            Ok(stream) => {
                let pieces = stream.map(|piece| piece.map_err(|error| unread(&error))).boxed();
                Ok(Some(Reading { shelf: self, pieces }))
            }
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(unread(&error)),
        }
    }

    /// All bytes of a file.
    pub(super) fn read(&self, file: &StoredFile) -> Result<Option<Vec<u8>>> {
        let Some(mut reading) = self.open(file)? else { return Ok(None) };
        let mut bytes = Vec::new();
        while let Some(piece) = reading.next()? {
            bytes.extend_from_slice(&piece);
        }
        Ok(Some(bytes))
    }
}

/// A file that is being read.
pub(super) struct Reading<'a> {
    shelf: &'a Shelf,
    pieces: BoxStream<'static, Result<Bytes>>,
}

impl Reading<'_> {
    pub(super) fn next(&mut self) -> Result<Option<Bytes>> {
        self.shelf.go_on()?;
        self.shelf.runtime.block_on(self.pieces.next()).transpose()
    }
}

fn unread(error: &dyn std::fmt::Display) -> ApiError {
    ApiError::internal(&format!("reading a file: {error}"), None)
}
