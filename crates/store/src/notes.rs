//! What a transaction did, noted by the functions that do it: for the audit log, and for what follows its commit.

use std::collections::HashSet;

/// So many records are named; beyond that they are only counted.
const NAMED: usize = 1000;

#[derive(Debug, Default)]
pub struct Notes {
    targets: Vec<String>,
    known: HashSet<String>,
    unnamed: usize,
    pub(crate) objects_gone: bool,
}

impl Notes {
    pub(crate) fn add(&mut self, id: String) {
        if self.known.contains(&id) {
            return;
        }
        if self.targets.len() < NAMED {
            self.targets.push(id.clone());
        }
        self.known.insert(id);
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

    /// Whether stored objects lost a record.
    pub fn objects_gone(&self) -> bool {
        self.objects_gone
    }
}
