//! Verifies that the stored events are still those that were sealed. The verifier is handed blocks in order and, for each,
//! its digests and the events in its range. It holds no more of them than it is handed at once.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Serialize;

use super::canonical::Digest;
use super::seal::{Hasher, Head, Seal, SealKind, Span};
use crate::named;
use crate::text::hex;

named! {
#[schemars(rename = "JournalMismatchKind")]
    pub enum MismatchKind {
        /// An entry is missing, or does not continue the one before it.
        ChainBroken = "chain_broken",
        EventChanged = "event_changed",
        /// An event is gone, and no removal entry has it.
        EventMissing = "event_missing",
        /// An event is in a sealed range but not in its block.
        EventExtra = "event_extra",
        /// A removed event is still there.
        RemovedPresent = "removed_present",
        /// The entry or its digests do not give its hash.
        BlockChanged = "block_changed",
        /// The chain was rewritten after the anchor was taken.
        AnchorDiffers = "anchor_differs",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "JournalMismatch")]
pub struct Mismatch {
    pub block: i64,
    /// The event; null if the block as a whole is meant.
    pub seq: Option<i64>,
    pub kind: MismatchKind,
    /// A hash, a digest or a block number, by kind; null if there should be nothing.
    pub expected: Option<String>,
    /// What was found instead, in the same form; null if there is nothing.
    pub found: Option<String>,
}

/// The result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "JournalVerification")]
pub struct Verification {
    /// Whether everything that was checked is as it was sealed.
    pub ok: bool,
    /// How many blocks were checked.
    pub blocks: i64,
    /// How many stored events of these blocks were compared with their digests.
    pub events_checked: i64,
    /// How many events of these blocks were removed by an operation that may.
    pub events_removed: i64,
    /// How many stored events are in no block yet.
    pub unsealed: i64,
    /// The last block; null before the first.
    pub head_block: Option<i64>,
    /// Its hash, 64 hexadecimal characters. Keep it elsewhere, and send it as an anchor later.
    pub head_hash: Option<String>,
    /// The first thing that does not fit: lowest block, then lowest seq.
    pub first_mismatch: Option<Mismatch>,
    /// Where to continue, if this call left blocks unchecked.
    pub next_block: Option<i64>,
}

impl Verification {
    /// The result in one sentence.
    pub fn conclusion(&self) -> &'static str {
        match (self.ok, self.head_block, self.blocks) {
            (false, ..) => "Something is not as it was sealed.",
            (true, None, _) => "Nothing has been sealed yet.",
            (true, Some(_), 0) => "There is no block in this range.",
            (true, ..) => "Everything is as it was sealed.",
        }
    }
}

/// A digest as it is stored; it may have been tampered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedEvent {
    pub seq: i64,
    pub digest: Vec<u8>,
    /// The removal that took the event.
    pub removed_in: Option<i64>,
    /// Whether that block exists and is a removal.
    pub by_removal: bool,
}

/// A hash that the chain had at a block, known from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    pub block: i64,
    /// As hexadecimal text.
    pub hash: String,
}

/// The events after the first number, up to and including the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub after: i64,
    pub to: i64,
}

#[derive(Debug)]
pub struct Verifier {
    /// The block before the next one.
    head: Head,
    /// Whether that block is known: otherwise the next one can't be checked against it.
    head_known: bool,
    block: Option<Block>,
    found: Verification,
}

/// The block that is being checked.
#[derive(Debug)]
struct Block {
    seal: Seal,
    /// From the digests as they are stored.
    stored: Hasher,
    stored_span: Span,
    /// From the events as they are, and the digests of those that are gone.
    actual: Hasher,
    actual_span: Span,
    /// Digests whose event has not come yet.
    waiting: VecDeque<SealedEvent>,
    /// The first event that differs from its digest or has none.
    differs: Option<Mismatch>,
    /// The first event that is gone or should be.
    gone: Option<Mismatch>,
}

impl Verifier {
    /// `before` is the end of the chain before the first block to be checked, `None` if it should exist and does not.
    pub fn new(first_block: i64, before: Option<Head>) -> Self {
        let head_known = before.is_some();
        let head = Head { block: first_block - 1, ..before.unwrap_or_default() };
        Self { head, head_known, block: None, found: Verification::default() }
    }

    /// Begins the next block. Returns the range of its events, to be handed over in order; a removal has none, only digests.
    pub fn begin(&mut self, seal: &Seal) -> Option<Range> {
        let next = self.head.block + 1;
        if seal.block != next || !self.head_known {
            let missing = if self.head_known { next } else { self.head.block };
            self.note(missing, MismatchKind::ChainBroken, Some(missing.to_string()), Some(seal.block.to_string()));
        } else if seal.prev_hash != self.head.hash {
            self.note(seal.block, MismatchKind::ChainBroken, Some(hex(&self.head.hash)), Some(hex(&seal.prev_hash)));
        }
        self.head_known = true;
        let range = Range { after: self.head.last_seq.unwrap_or(i64::MIN), to: seal.last_seq.unwrap_or(i64::MIN) };
        self.head.follow(seal);
        let hasher = Hasher::new(seal.clone());
        self.block = Some(Block {
            seal: seal.clone(),
            stored: hasher.clone(),
            stored_span: Span::default(),
            actual: hasher,
            actual_span: Span::default(),
            waiting: VecDeque::new(),
            differs: None,
            gone: None,
        });
        (seal.kind == SealKind::Events).then_some(range)
    }

    fn note(&mut self, block: i64, kind: MismatchKind, expected: Option<String>, found: Option<String>) {
        self.found.note(Mismatch { block, seq: None, kind, expected, found });
    }

    /// Takes digests of the block, in order.
    pub fn digests(&mut self, digests: impl IntoIterator<Item = SealedEvent>) {
        let Some(block) = &mut self.block else { return };
        match block.seal.kind {
            SealKind::Events => block.waiting.extend(digests),
            SealKind::Removal => digests.into_iter().for_each(|sealed| block.keep(&sealed)),
        }
    }

    /// Takes an event in the block's range, as its digest, or `None` if it can no longer be read. All digests up to it have
    /// been handed over.
    pub fn event(&mut self, seq: i64, digest: Option<&Digest>) {
        let Some(block) = &mut self.block else { return };
        while let Some(sealed) = block.waiting.pop_front_if(|sealed| sealed.seq < seq) {
            block.without_event(&sealed, &mut self.found);
        }
        let sealed = block.waiting.pop_front_if(|sealed| sealed.seq == seq);
        block.with_event(seq, digest, sealed.as_ref());
        self.found.events_checked += 1;
    }

    /// All events that belong to the digests so far have been handed over.
    pub fn settle(&mut self) {
        let Some(block) = &mut self.block else { return };
        while let Some(sealed) = block.waiting.pop_front() {
            block.without_event(&sealed, &mut self.found);
        }
    }

    /// Ends the block.
    pub fn end(&mut self) {
        self.settle();
        let Some(block) = self.block.take() else { return };
        block.judge(&mut self.found);
        self.found.blocks += 1;
    }

    /// The end of the chain as far as it was checked.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// A digest behind the last block: its block was removed.
    pub fn leftover(&mut self, seq: i64, digest: &[u8]) {
        let (block, found) = (self.head.block + 1, Some(hex(digest)));
        self.found.note(Mismatch { block, seq: Some(seq), kind: MismatchKind::ChainBroken, expected: None, found });
    }

    /// Numbers that were given to events of which nothing is left, neither the events nor their digests.
    pub fn cut_off(&mut self, first: i64, last: i64) {
        let (block, kind) = (self.head.block + 1, MismatchKind::EventMissing);
        self.found.note(Mismatch { block, seq: Some(first), kind, expected: Some(last.to_string()), found: None });
    }

    /// Compares the anchor with the hash that its block has now, if the block exists.
    pub fn anchor(&mut self, anchor: &Anchor, present: Option<&[u8]>) {
        let found = present.map(hex);
        if !found.as_deref().is_some_and(|hash| hash.eq_ignore_ascii_case(&anchor.hash)) {
            self.note(anchor.block, MismatchKind::AnchorDiffers, Some(anchor.hash.to_ascii_lowercase()), found);
        }
    }

    /// `head` is the last block.
    pub fn finish(self, head: Option<&Seal>, unsealed: i64, next_block: Option<i64>) -> Verification {
        Verification {
            ok: self.found.first_mismatch.is_none(),
            unsealed,
            head_block: head.map(|seal| seal.block),
            head_hash: head.map(|seal| hex(&seal.hash)),
            next_block,
            ..self.found
        }
    }
}

impl Verification {
    /// Merges this result with that of the verification that continued it.
    #[must_use]
    pub fn followed_by(self, next: Self) -> Self {
        let mut all = Self {
            blocks: self.blocks + next.blocks,
            events_checked: self.events_checked + next.events_checked,
            events_removed: self.events_removed + next.events_removed,
            first_mismatch: self.first_mismatch,
            ..next
        };
        if let Some(mismatch) = next.first_mismatch {
            all.note(mismatch);
        }
        all.ok = all.first_mismatch.is_none();
        all
    }

    /// Of two mismatches in one place, the first stays.
    fn note(&mut self, mismatch: Mismatch) {
        let place = |mismatch: &Mismatch| (mismatch.block, mismatch.seq);
        if self.first_mismatch.as_ref().is_none_or(|first| place(&mismatch) < place(first)) {
            self.first_mismatch = Some(mismatch);
        }
    }
}

impl Block {
    fn keep(&mut self, sealed: &SealedEvent) {
        self.stored.add(sealed.seq, &sealed.digest);
        self.stored_span.add(sealed.seq);
    }

    fn mismatch(&self, seq: i64, kind: MismatchKind, expected: Option<String>, found: Option<String>) -> Mismatch {
        Mismatch { block: self.seal.block, seq: Some(seq), kind, expected, found }
    }

    fn without_event(&mut self, sealed: &SealedEvent, all: &mut Verification) {
        self.keep(sealed);
        self.actual.add(sealed.seq, &sealed.digest);
        self.actual_span.add(sealed.seq);
        let removed = sealed.by_removal && sealed.removed_in > Some(self.seal.block);
        if removed {
            all.events_removed += 1;
        } else if self.gone.is_none() {
            self.gone = Some(self.mismatch(sealed.seq, MismatchKind::EventMissing, Some(hex(&sealed.digest)), None));
        }
    }

    fn with_event(&mut self, seq: i64, digest: Option<&Digest>, sealed: Option<&SealedEvent>) {
        let found = digest.map(|digest| hex(digest));
        self.actual.add(seq, digest.map_or(&[], |digest| digest.as_slice()));
        self.actual_span.add(seq);
        if let Some(sealed) = sealed {
            self.keep(sealed);
            if sealed.removed_in.is_some() && self.gone.is_none() {
                self.gone = Some(self.mismatch(seq, MismatchKind::RemovedPresent, None, found.clone()));
            }
        }
        let expected = sealed.map(|sealed| hex(&sealed.digest));
        if expected != found && self.differs.is_none() {
            let kind = if sealed.is_some() { MismatchKind::EventChanged } else { MismatchKind::EventExtra };
            self.differs = Some(self.mismatch(seq, kind, expected, found));
        }
    }

    /// Decides by the hash whether events differ from genuine digests, or digests from genuine events.
    fn judge(self, all: &mut Verification) {
        let says = |span: Span| {
            let Seal { first_seq, last_seq, count, .. } = self.seal;
            span == Span { first_seq, last_seq, count }
        };
        let stored_hash = self.stored.hash();
        let digests_are_true = stored_hash.as_slice() == self.seal.hash && says(self.stored_span);
        let events_are_true = self.actual.hash().as_slice() == self.seal.hash && says(self.actual_span);
        let changed = |seq, expected, found| Mismatch {
            block: self.seal.block,
            seq,
            kind: MismatchKind::BlockChanged,
            expected,
            found,
        };
        let differs = match self.differs {
            differs if digests_are_true => differs,
            // The event has the digest that was sealed; the stored digest has changed.
            Some(differs) if events_are_true => Some(changed(differs.seq, differs.found, differs.expected)),
            _ => Some(changed(None, Some(hex(&self.seal.hash)), Some(hex(&stored_hash)))),
        };
        differs.into_iter().chain(self.gone).for_each(|mismatch| all.note(mismatch));
    }
}

#[cfg(test)]
mod tests;
