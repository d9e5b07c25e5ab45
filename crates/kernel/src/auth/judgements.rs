//! Caches of tokens: the last check of each, and the tokens whose `last_used` is being written.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use domain::key::TokenKey;
use parking_lot::Mutex;
use store::security::tokens::Judged;

/// Checks by token, with the version of rights they were read at; outdated as soon as the version changes.
#[derive(Default)]
pub(super) struct Judgements(Mutex<HashMap<TokenKey, (u64, Arc<Judged>)>>);

/// More tokens than anybody has in use; beyond this the cache is cleared.
const JUDGEMENTS: usize = 10_000;

impl Judgements {
    pub(super) fn get(&self, key: &TokenKey, version: u64) -> Option<Arc<Judged>> {
        let kept = self.0.lock();
        kept.get(key).filter(|(read_at, _)| *read_at == version).map(|(_, judged)| judged.clone())
    }

    /// `version` is from before the read, so a change during the read makes the cached check outdated, never wrong.
    pub(super) fn keep(&self, key: &TokenKey, version: u64, judged: &Arc<Judged>) {
        let mut kept = self.0.lock();
        if kept.len() >= JUDGEMENTS {
            kept.clear();
        }
        kept.insert(key.clone(), (version, judged.clone()));
    }
}

/// Tokens whose `last_used` is being written, so that a burst of requests writes it once.
#[derive(Default)]
pub(super) struct Touches(Mutex<HashSet<TokenKey>>);

impl Touches {
    pub(super) fn begin(&self, key: &TokenKey) -> bool {
        self.0.lock().insert(key.clone())
    }

    pub(super) fn end(&self, key: &TokenKey) {
        self.0.lock().remove(key);
    }
}
