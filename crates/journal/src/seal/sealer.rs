use std::sync::Arc;

use domain::Timestamp;
use parking_lot::Mutex;
use store::journal::seals;
use store::{Db, Lock, Result, Tx};

use super::{add, prepare};

/// Seals stored events into blocks, again and again. Every node has one; the first to come does the work.
pub struct Sealer {
    db: Db,
    /// The version of the embedded database at which nothing was left to seal.
    idle_at: Mutex<Option<u64>>,
}

impl Sealer {
    pub fn new(db: &Db) -> Self {
        Self { db: db.background(), idle_at: Mutex::new(None) }
    }

    /// Seals everything that was committed before, and returns how many events that were. If there is nothing to seal it writes
    /// nothing, and on the embedded database it doesn't even look unless something was committed since the last time.
    pub async fn seal(&self, now: Timestamp) -> Result<usize> {
        let version = self.db.version();
        let mut sealed = 0;
        if version.is_some() && version == *self.idle_at.lock() {
            return Ok(sealed);
        }
        while self.db.glance(async |tx: &mut Tx| seals::any_pending(tx).await).await? {
            let (events, has_more) = match version {
                Some(_) => self.seal_embedded(now).await?,
                None => self.seal_shared(now).await?,
            };
            sealed += events;
            // What has come in the meantime waits for the next time: a block for every few events would cost more than the
            // events.
            if !has_more {
                return Ok(sealed);
            }
        }
        *self.idle_at.lock() = version;
        Ok(sealed)
    }

    /// Events never change, so they are read and hashed before queueing for the only writer. Returns how many were sealed, and whether
    /// there is more than one block can hold.
    async fn seal_embedded(&self, now: Timestamp) -> Result<(usize, bool)> {
        let prepared = self.db.read_long(async move |tx: &mut Tx| prepare(tx, now).await).await?;
        let Some(prepared) = prepared.map(Arc::new) else { return Ok((0, false)) };
        self.db
            .write("seal", async move |tx: &mut Tx| {
                // A removal may have sealed the pending events in the meantime: then look again.
                if seals::head(tx).await? != prepared.head {
                    return Ok((0, true));
                }
                add(tx, &prepared).await?;
                Ok((prepared.digests.len(), prepared.is_full()))
            })
            .await
    }

    /// Seals where several nodes try: the one that gets the lock does it.
    async fn seal_shared(&self, now: Timestamp) -> Result<(usize, bool)> {
        self.db
            .write("seal", async move |tx: &mut Tx| {
                if !tx.try_lock(Lock::Seal).await? {
                    return Ok((0, false));
                }
                let Some(prepared) = prepare(tx, now).await? else { return Ok((0, false)) };
                add(tx, &prepared).await?;
                Ok((prepared.digests.len(), prepared.is_full()))
            })
            .await
    }
}
