//! Whether the database takes writes. One on a full disk, or one that has become read-only, still answers every read.

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::error::{TxError, describe};
use crate::{Result, StoreError};

#[derive(Default)]
pub(crate) struct Writable {
    refusal: Mutex<Option<StoreError>>,
    refused: Notify,
}

impl Writable {
    /// Remembers a write that the database refused.
    pub(crate) fn note<T, E: TxError>(&self, result: &Result<T, E>) {
        let Some(error) = result.as_ref().err().and_then(TxError::store_error) else { return };
        if !error.is_unwritable() {
            return;
        }
        if self.refusal.lock().replace(error.clone()).is_none() {
            tracing::error!(error = describe(error), "the database takes no writes: not ready until one succeeds");
            self.refused.notify_one();
        }
    }

    /// A write has changed the database. One that had nothing to change would succeed on a full disk as well.
    pub(crate) fn prove(&self) {
        if self.refusal.lock().take().is_some() {
            tracing::info!("the database takes writes again");
        }
    }

    pub(crate) fn refusal(&self) -> Option<StoreError> {
        self.refusal.lock().clone()
    }

    /// Waits until a write is refused for the first time since one succeeded.
    pub(crate) async fn refused(&self) {
        self.refused.notified().await;
    }
}
