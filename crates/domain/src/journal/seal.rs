//! Entries of the chain of seals: each covers some events by number and digest, and the entry before it by its hash.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::canonical;
use crate::key::UserKey;
use crate::text::hex;
use crate::{Timestamp, named};

named! {
    pub enum SealKind {
        /// Events that were stored.
        Events = "events",
        /// Events that were removed.
        Removal = "removal",
    }
}

named! {
    /// The operation that removes events.
    pub enum Reason {
        ResetProd = "reset_prod",
        ForceDeleteWorkOrder = "force_delete_work_order",
    }
}

/// One entry of the chain of seals.
// Its hashes are bytes of any length, and its reason is any text, since it may have been tampered with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Seal {
    pub block: i64,
    pub kind: SealKind,
    /// The number of the first event it covers.
    pub first_seq: Option<i64>,
    /// The number of the last event it covers.
    pub last_seq: Option<i64>,
    /// How many events it covers.
    pub count: i64,
    pub sealed: Timestamp,
    /// Who removed the events.
    pub user_key: Option<UserKey>,
    /// What removed them: `reset_prod` or `force_delete_work_order`.
    pub reason: Option<String>,
    #[serde(serialize_with = "write_hex")]
    #[schemars(with = "String")]
    pub prev_hash: Vec<u8>,
    #[serde(serialize_with = "write_hex")]
    #[schemars(with = "String")]
    pub hash: Vec<u8>,
}

fn write_hex<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&hex(bytes))
}

/// Stands for the hash before the first block.
pub const NO_HASH: [u8; 32] = [0; 32];

/// The end of the chain, which the next entry continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub block: i64,
    pub hash: Vec<u8>,
    /// The last event that is in a block; `None` before the first.
    pub last_seq: Option<i64>,
}

impl Default for Head {
    fn default() -> Self {
        Self { block: 0, hash: NO_HASH.to_vec(), last_seq: None }
    }
}

/// Which events an entry covers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    pub first_seq: Option<i64>,
    pub last_seq: Option<i64>,
    pub count: i64,
}

impl Span {
    /// Adds the next event; events come in order of their numbers.
    pub fn add(&mut self, seq: i64) {
        self.first_seq = self.first_seq.or(Some(seq));
        self.last_seq = Some(seq);
        self.count += 1;
    }
}

impl Head {
    /// The next entry, for these stored events, in order.
    pub fn seal_events(&self, sealed: Timestamp, digests: &[(i64, canonical::Digest)]) -> Seal {
        let mut span = Span::default();
        digests.iter().for_each(|(seq, _)| span.add(*seq));
        let mut hasher = Hasher::new(self.entry(SealKind::Events, sealed, span));
        digests.iter().for_each(|(seq, digest)| hasher.add(*seq, digest));
        hasher.seal()
    }

    /// The next entry, for events that `by` removes; [`Hasher::add`] takes their digests.
    pub fn seal_removal(&self, sealed: Timestamp, span: Span, by: UserKey, reason: Reason) -> Hasher {
        let mut entry = self.entry(SealKind::Removal, sealed, span);
        entry.user_key = Some(by);
        entry.reason = Some(reason.name().to_owned());
        Hasher::new(entry)
    }

    fn entry(&self, kind: SealKind, sealed: Timestamp, span: Span) -> Seal {
        Seal {
            block: self.block + 1,
            kind,
            first_seq: span.first_seq,
            last_seq: span.last_seq,
            count: span.count,
            sealed,
            user_key: None,
            reason: None,
            prev_hash: self.hash.clone(),
            hash: Vec::new(),
        }
    }

    /// Moves the end of the chain past this entry.
    pub fn follow(&mut self, seal: &Seal) {
        self.block = seal.block;
        self.hash.clone_from(&seal.hash);
        if seal.kind == SealKind::Events {
            self.last_seq = self.last_seq.max(seal.last_seq);
        }
    }
}

/// Computes the hash of an entry as its events are added.
#[derive(Debug, Clone)]
pub struct Hasher {
    entry: Seal,
    state: Sha256,
}

impl Hasher {
    pub fn new(entry: Seal) -> Self {
        let mut state = Sha256::new_with_prefix(&entry.prev_hash);
        let mut members = json!(entry);
        if let Some(members) = members.as_object_mut() {
            members.retain(|name, _| name != "prev_hash" && name != "hash");
        }
        state.update(canonical::bytes(&members));
        Self { entry, state }
    }

    /// Adds the next event; events come in order of their numbers.
    pub fn add(&mut self, seq: i64, digest: &[u8]) {
        self.state.update(seq.to_be_bytes());
        self.state.update(digest);
    }

    pub fn hash(self) -> canonical::Digest {
        self.state.finalize().into()
    }

    /// The entry with its hash.
    pub fn seal(self) -> Seal {
        Seal { hash: self.state.finalize().to_vec(), ..self.entry }
    }
}
