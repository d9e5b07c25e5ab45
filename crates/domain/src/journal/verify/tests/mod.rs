mod random;

use std::collections::BTreeMap;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::Timestamp;
use crate::journal::seal::{NO_HASH, Reason};
use crate::journal::{Concerns, Event, canonical};
use crate::key::{EventKey, UserKey, WorkOrderKey};

/// A journal as it is in a database, to be tampered with.
#[derive(Debug, Clone, Default)]
struct Journal {
    last: i64,
    events: BTreeMap<i64, Event>,
    digests: BTreeMap<i64, (Vec<u8>, Option<i64>)>,
    seals: BTreeMap<i64, Seal>,
}

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

fn event(seq: i64, order: i64) -> Event {
    Event {
        key: EventKey(seq * 10),
        seq,
        event_type: "JOB_STARTED".to_owned(),
        user_key: UserKey::trusted("mario"),
        sent_by: None,
        user_session_key: None,
        timestamp: NOW,
        recorded: NOW,
        description: Some(format!("number {seq}")),
        context_type: None,
        context_key: None,
        primary: true,
        event_group: EventKey(seq * 10),
        source_key: None,
        concerns: Concerns { work_order_key: Some(WorkOrderKey(order)), ..Concerns::default() },
        payload: json!({ "job_key": "x", "quantity": seq }),
    }
}

impl Journal {
    fn append(&mut self, orders: &[i64]) {
        for order in orders {
            self.last += 1;
            self.events.insert(self.last, event(self.last, *order));
        }
    }

    /// Numbers may be skipped.
    fn skip(&mut self, numbers: i64) {
        self.last += numbers;
    }

    fn head(&self) -> Head {
        let mut head = Head::default();
        self.seals.values().for_each(|seal| head.follow(seal));
        head
    }

    fn seal(&mut self) {
        let head = self.head();
        let pending = self.events.range(head.last_seq.map_or(i64::MIN, |last| last + 1)..);
        let digests: Vec<(i64, Digest)> = pending.map(|(seq, event)| (*seq, event.digest())).collect();
        if digests.is_empty() {
            return;
        }
        let seal = head.seal_events(NOW, &digests);
        self.digests.extend(digests.into_iter().map(|(seq, digest)| (seq, (digest.to_vec(), None))));
        self.seals.insert(seal.block, seal);
    }

    fn remove(&mut self, order: Option<i64>) {
        self.seal();
        let head = self.head();
        let goes = |event: &Event| order.is_none() || event.concerns.work_order_key == order.map(WorkOrderKey);
        let gone: Vec<i64> = self.events.iter().filter(|(_, event)| goes(event)).map(|(seq, _)| *seq).collect();
        let mut span = Span::default();
        gone.iter().for_each(|seq| span.add(*seq));
        let mut hasher = head.seal_removal(NOW, span, UserKey::trusted("admin"), Reason::ResetProd);
        for seq in gone {
            self.events.remove(&seq);
            let digest = self.digests.get_mut(&seq).unwrap();
            digest.1 = Some(head.block + 1);
            hasher.add(seq, &digest.0);
        }
        self.seals.insert(head.block + 1, hasher.seal());
    }

    fn sealed(&self, seq: i64) -> SealedEvent {
        let (digest, removed_in) = self.digests[&seq].clone();
        let by_removal =
            removed_in.is_some_and(|block| self.seals.get(&block).is_some_and(|seal| seal.kind == SealKind::Removal));
        SealedEvent { seq, digest, removed_in, by_removal }
    }

    /// Hands everything from a block on to the verifier, a few digests at a time.
    fn verify_from(&self, first: i64, slice: usize, anchor: Option<&Anchor>) -> Verification {
        let mut before = Head::default();
        self.seals.range(..first).for_each(|(_, seal)| before.follow(seal));
        let known = first == 1 || before.block == first - 1;
        let mut verifier = Verifier::new(first, known.then_some(before));
        for seal in self.seals.range(first..).map(|(_, seal)| seal) {
            match verifier.begin(seal) {
                Some(range) => self.hand_over(&mut verifier, range, slice),
                None => {
                    let removed = self.digests.iter().filter(|(_, (_, block))| *block == Some(seal.block));
                    verifier.digests(removed.map(|(seq, _)| self.sealed(*seq)));
                }
            }
            verifier.end();
        }
        let last = verifier.head().last_seq.unwrap_or(i64::MIN);
        if let Some((seq, (digest, _))) = self.digests.range(last.saturating_add(1)..).next() {
            verifier.leftover(*seq, digest);
        }
        if let Some(anchor) = anchor {
            verifier.anchor(anchor, self.seals.get(&anchor.block).map(|seal| seal.hash.as_slice()));
        }
        let unsealed = self.events.range(last.saturating_add(1)..).count();
        verifier.finish(self.seals.values().last(), unsealed as i64, None)
    }

    fn hand_over(&self, verifier: &mut Verifier, Range { mut after, to }: Range, slice: usize) {
        while after < to {
            let digests: Vec<SealedEvent> =
                self.digests.range(after + 1..=to).take(slice).map(|(seq, _)| self.sealed(*seq)).collect();
            let end = if digests.len() < slice { to } else { digests.last().unwrap().seq };
            verifier.digests(digests);
            for (seq, event) in self.events.range(after + 1..=end) {
                verifier.event(*seq, Some(&event.digest()));
            }
            verifier.settle();
            after = end;
        }
    }

    fn verify(&self) -> Verification {
        self.verify_from(1, 3, None)
    }

    fn anchor(&self) -> Anchor {
        let (block, seal) = self.seals.last_key_value().unwrap();
        Anchor { block: *block, hash: hex(&seal.hash) }
    }

    #[track_caller]
    fn expect(&self, block: i64, seq: Option<i64>, kind: MismatchKind) -> Mismatch {
        let found = self.verify().first_mismatch.expect("a mismatch");
        assert_eq!((found.block, found.seq, found.kind), (block, seq, kind), "{found:?}");
        found
    }

    /// Makes the chain consistent again, as a patient attacker would.
    fn rewrite(&mut self) {
        let old = std::mem::take(&mut self.seals);
        let mut head = Head::default();
        for (seq, digest) in self.digests.iter_mut().filter(|(_, digest)| digest.1.is_none()) {
            digest.0 = self.events[seq].digest().to_vec();
        }
        for seal in old.into_values() {
            let covered: Vec<i64> = match seal.kind {
                SealKind::Events => {
                    let from = head.last_seq.map_or(i64::MIN, |last| last + 1);
                    self.digests.range(from..=seal.last_seq.unwrap()).map(|(seq, _)| *seq).collect()
                }
                SealKind::Removal => self
                    .digests
                    .iter()
                    .filter(|(_, digest)| digest.1 == Some(seal.block))
                    .map(|(seq, _)| *seq)
                    .collect(),
            };
            let mut hasher = Hasher::new(Seal { prev_hash: head.hash.clone(), ..seal });
            covered.iter().for_each(|seq| hasher.add(*seq, &self.digests[seq].0));
            let seal = hasher.seal();
            head.follow(&seal);
            self.seals.insert(seal.block, seal);
        }
    }
}

/// Blocks: 1 has events 1 to 3, 2 has 6 and 7, 3 removes order 7 (events 2 and 6), 4 has 8, and 9 is not sealed.
fn sample() -> Journal {
    let mut journal = Journal::default();
    journal.append(&[5, 7, 5]);
    journal.seal();
    journal.skip(2);
    journal.append(&[7, 5]);
    journal.remove(Some(7));
    journal.append(&[5]);
    journal.seal();
    journal.append(&[5]);
    journal
}

#[test]
fn the_hash_is_what_the_contract_says() {
    let journal = sample();
    let mut prev = NO_HASH.to_vec();
    let texts = [
        r#"{"block":1,"count":3,"first_seq":1,"kind":"events","last_seq":3,"sealed":"2027-01-15T08:00:00.000Z"}"#,
        r#"{"block":2,"count":2,"first_seq":6,"kind":"events","last_seq":7,"sealed":"2027-01-15T08:00:00.000Z"}"#,
        r#"{"block":3,"count":2,"first_seq":2,"kind":"removal","last_seq":6,"reason":"reset_prod","sealed":"2027-01-15T08:00:00.000Z","user_key":"admin"}"#,
    ];
    for ((seal, text), seqs) in journal.seals.values().zip(texts).zip([vec![1, 2, 3], vec![6, 7], vec![2, 6]]) {
        let mut bytes = [prev.as_slice(), text.as_bytes()].concat();
        for seq in seqs {
            bytes.extend((seq as u64).to_be_bytes());
            bytes.extend(&journal.digests[&seq].0);
        }
        prev = Sha256::digest(bytes).to_vec();
        assert_eq!(seal.hash, prev);
    }
    let text = r#"{"_key":"000000000000a","description":"number 1","event_group":"000000000000a","event_type":"JOB_STARTED","payload":{"job_key":"x","quantity":1},"primary":true,"recorded":"2027-01-15T08:00:00.000Z","seq":1,"timestamp":"2027-01-15T08:00:00.000Z","user_key":"mario","work_order_key":"0000000000005"}"#;
    assert_eq!(event(1, 5).digest().as_slice(), Sha256::digest(text).as_slice());
}

#[test]
fn what_is_as_it_was_verifies() {
    let journal = sample();
    let found = journal.verify();
    let head = journal.anchor();
    let expected = Verification {
        ok: true,
        blocks: 4,
        events_checked: 4,
        events_removed: 2,
        unsealed: 1,
        head_block: Some(4),
        head_hash: Some(head.hash.clone()),
        first_mismatch: None,
        next_block: None,
    };
    assert_eq!(found, expected);
    assert!(journal.verify_from(1, 1, Some(&head)).ok);
    let middle = journal.verify_from(3, 10, Some(&head));
    assert_eq!((middle.ok, middle.blocks, middle.events_checked, middle.events_removed), (true, 2, 1, 0));
    let empty = Journal::default().verify();
    assert_eq!(empty, Verification { ok: true, ..Verification::default() });
    assert!(journal.verify_from(5, 10, None).ok, "nothing is left to look at");
}

#[test]
fn a_removal_of_nothing_is_an_entry_too() {
    let mut journal = Journal::default();
    journal.remove(None);
    let seal = &journal.seals[&1];
    assert_eq!((seal.first_seq, seal.last_seq, seal.count), (None, None, 0));
    assert!(journal.verify().ok);
    journal.append(&[1, 2]);
    journal.remove(None);
    journal.remove(None);
    let found = journal.verify();
    assert_eq!((found.ok, found.blocks, found.events_checked, found.events_removed), (true, 4, 0, 2));
}

#[test]
fn a_changed_event_is_told_from_a_changed_digest() {
    let mut journal = sample();
    let (true_digest, original) = (hex(&journal.digests[&7].0), journal.clone());
    journal.events.get_mut(&7).unwrap().payload = json!({ "job_key": "x", "quantity": 8 });
    let found = journal.expect(2, Some(7), MismatchKind::EventChanged);
    assert_eq!(found.expected, Some(true_digest.clone()));
    assert_eq!(found.found, Some(hex(&journal.events[&7].digest())));
    // With its digest: the block no longer gives its hash.
    journal.digests.get_mut(&7).unwrap().0 = journal.events[&7].digest().to_vec();
    journal.expect(2, None, MismatchKind::BlockChanged);

    let mut journal = original;
    journal.digests.get_mut(&7).unwrap().0[0] ^= 1;
    let found = journal.expect(2, Some(7), MismatchKind::BlockChanged);
    assert_eq!((found.expected, found.found), (Some(true_digest), Some(hex(&journal.digests[&7].0))));
}

#[test]
fn an_event_that_can_not_be_read_has_changed() {
    let journal = sample();
    let mut verifier = Verifier::new(1, Some(Head::default()));
    verifier.begin(&journal.seals[&1]);
    verifier.digests((1..=3).map(|seq| journal.sealed(seq)));
    verifier.event(1, None);
    verifier.event(3, Some(&journal.events[&3].digest()));
    verifier.end();
    let found = verifier.finish(None, 0, None).first_mismatch.unwrap();
    assert_eq!((found.block, found.seq, found.kind, found.found), (1, Some(1), MismatchKind::EventChanged, None));
}

#[test]
fn missing_extra_and_returned_events() {
    let original = sample();
    let mut journal = original.clone();
    journal.events.remove(&3);
    assert_eq!(journal.expect(1, Some(3), MismatchKind::EventMissing).found, None);
    // Marked as removed, by a block that doesn't exist, or that did not remove it.
    for (removed_in, block, seq, kind) in [
        (999, 1, Some(3), MismatchKind::EventMissing),
        (2, 1, Some(3), MismatchKind::EventMissing),
        (3, 3, None, MismatchKind::BlockChanged),
    ] {
        journal.digests.get_mut(&3).unwrap().1 = Some(removed_in);
        journal.expect(block, seq, kind);
    }

    for (seq, block) in [(0, 1), (-7, 1), (4, 2), (5, 2)] {
        let mut journal = original.clone();
        journal.events.insert(seq, event(seq, 5));
        let found = journal.expect(block, Some(seq), MismatchKind::EventExtra);
        assert_eq!(found.expected, None);
    }

    let mut journal = original.clone();
    journal.events.insert(6, event(6, 7));
    journal.expect(2, Some(6), MismatchKind::RemovedPresent);
    // No longer removed, neither by its mark nor in fact: the removal entry still has it.
    journal.digests.get_mut(&6).unwrap().1 = None;
    journal.expect(3, None, MismatchKind::BlockChanged);

    let mut journal = original;
    journal.digests.get_mut(&1).unwrap().1 = Some(3);
    journal.expect(1, Some(1), MismatchKind::RemovedPresent);
}

#[test]
fn entries_that_change_or_go() {
    let original = sample();
    let mut journal = original.clone();
    journal.seals.get_mut(&2).unwrap().sealed = Timestamp::from_millis(0);
    let found = journal.expect(2, None, MismatchKind::BlockChanged);
    assert_eq!(found.expected, Some(hex(&original.seals[&2].hash)));
    assert_ne!(found.found, found.expected);

    let mut journal = original.clone();
    journal.seals.get_mut(&3).unwrap().prev_hash[5] ^= 1;
    journal.expect(3, None, MismatchKind::ChainBroken);

    for block in 1..=4 {
        let mut journal = original.clone();
        journal.seals.remove(&block);
        // Without the last block the digests are still there.
        let seq = (block == 4).then_some(8);
        let missing = journal.verify().first_mismatch.unwrap();
        match block {
            // What it removed is gone and in no entry.
            3 => assert_eq!((missing.block, missing.seq, missing.kind), (1, Some(2), MismatchKind::EventMissing)),
            _ => assert_eq!((missing.block, missing.seq, missing.kind), (block, seq, MismatchKind::ChainBroken)),
        }
    }
    let mut journal = original;
    journal.seals.remove(&2);
    let found = journal.verify_from(3, 10, None).first_mismatch.unwrap();
    assert_eq!((found.block, found.kind), (2, MismatchKind::ChainBroken), "what it should continue is not there");
}

#[test]
fn only_an_anchor_shows_a_chain_written_anew() {
    let mut journal = sample();
    let (head, early) = (journal.anchor(), Anchor { block: 1, hash: hex(&journal.seals[&1].hash).to_uppercase() });
    assert!(journal.verify_from(1, 3, Some(&early)).ok, "in either case");
    journal.events.get_mut(&7).unwrap().description = None;
    journal.rewrite();
    assert!(journal.verify().ok);
    assert!(journal.verify_from(1, 3, Some(&early)).ok, "block 1 is as it was");
    let found = journal.verify_from(1, 3, Some(&head)).first_mismatch.unwrap();
    assert_eq!((found.block, found.kind), (4, MismatchKind::AnchorDiffers));
    let gone = Anchor { block: 40, ..head };
    let found = journal.verify_from(1, 3, Some(&gone)).first_mismatch.unwrap();
    assert_eq!((found.block, found.kind, found.found), (40, MismatchKind::AnchorDiffers, None));
}

/// Events that were sealed before events could be sent on behalf of others are written as they were then.
#[test]
fn who_sent_an_event_is_sealed_and_nobody_is_left_out() {
    let written = |event: &Event| String::from_utf8(canonical::bytes(&json!(event))).unwrap();
    let mut event = event(1, 7);
    let before = r#"{"_key":"000000000000a","description":"number 1","event_group":"000000000000a","event_type":"JOB_STARTED","payload":{"job_key":"x","quantity":1},"primary":true,"recorded":"2027-01-15T08:00:00.000Z","seq":1,"timestamp":"2027-01-15T08:00:00.000Z","user_key":"mario","work_order_key":"0000000000007"}"#;
    assert_eq!(written(&event), before);
    event.sent_by = Some(UserKey::trusted("gateway"));
    assert_eq!(written(&event), before.replace(r#""seq":1,"#, r#""sent_by":"gateway","seq":1,"#));
}
