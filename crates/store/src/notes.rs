//! What a transaction did, noted by the functions that do it: for the audit log, and for what follows its commit.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use domain::collection::Collection;
use domain::key::UserKey;
use domain::scope::{Rights, Scope};

/// So many records are named; beyond that they are only counted.
pub(crate) const NAMED: i64 = 1000;

#[derive(Debug, Default)]
pub struct Notes {
    targets: Vec<String>,
    known: HashSet<String>,
    unnamed: usize,
    pub(crate) objects_gone: bool,
    relied_on: Rights,
    /// Whose tokens or rights it withdraws.
    pub(crate) withdrawn: BTreeSet<UserKey>,
    /// Those of them who have other rights now.
    pub(crate) changed_rights: BTreeSet<UserKey>,
    /// On whose behalf it acts, with the scope that was found.
    pub(crate) on_behalf: BTreeMap<UserKey, String>,
}

impl Notes {
    pub(crate) fn add(&mut self, id: String) {
        if self.known.contains(&id) {
            return;
        }
        if self.targets.len() < NAMED as usize {
            self.targets.push(id.clone());
        }
        self.known.insert(id);
    }

    pub(crate) fn rely_on(&mut self, scope: Scope) {
        self.relied_on = self.relied_on.with(scope);
    }

    /// How many records of a collection are known by their names.
    pub(crate) fn known_of(&self, collection: Collection) -> u64 {
        let of = |id: &&String| id.split_once('/').is_some_and(|(name, _)| name == collection.name());
        self.known.iter().filter(of).count() as u64
    }

    pub(crate) fn count(&mut self, records: u64) {
        self.unnamed += records as usize;
    }

    /// The `_id`s of the first records made, changed or removed, each once.
    pub fn targets(&self) -> &[String] {
        &self.targets
    }

    pub fn total(&self) -> usize {
        self.known.len() + self.unnamed
    }

    /// The scopes without which the transaction would have been refused, besides that of the operation.
    pub fn relied_on(&self) -> Rights {
        self.relied_on
    }

    /// Whether a record was made, changed or removed.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.known.contains(id)
    }

    /// Whether stored objects lost a record.
    pub fn objects_gone(&self) -> bool {
        self.objects_gone
    }
}
