//! Tells without a query whether a check of a token still holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rusqlite::Connection;
use rusqlite::hooks::Action;

/// What a check reads (`security/tokens.rs`).
const TABLES: [&str; 2] = ["token", "user_account"];

/// Grows with every change of a token or a user: when it is made, so that the same transaction notices, and again when it is
/// committed, so that nobody keeps what they read in between.
#[derive(Debug, Clone, Default)]
pub(super) struct RightsVersion {
    version: Arc<AtomicU64>,
    /// There is a change that may not be committed yet.
    changed: Arc<AtomicBool>,
}

impl RightsVersion {
    /// Watches what a connection writes. SQLite reports every row but those that `replace` removes, and those of a `delete`
    /// without a condition: no statement on these tables does either.
    pub(super) fn watch(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let watching = self.clone();
        connection.update_hook(Some(move |_: Action, _: &str, table: &str, _: i64| {
            if TABLES.contains(&table) {
                watching.changed.store(true, Ordering::Relaxed);
                watching.version.fetch_add(1, Ordering::Release);
            }
        }))
    }

    /// Runs after a commit, before its answers go out.
    pub(super) fn committed(&self) {
        if self.changed.swap(false, Ordering::Relaxed) {
            self.version.fetch_add(1, Ordering::Release);
        }
    }

    pub(super) fn get(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }
}
