//! Random journals: genuine ones verify, and a single change of any kind is found.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Deed {
    Append(Vec<i64>),
    Skip(i64),
    Seal,
    Remove(i64),
    RemoveAll,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        4 => prop::collection::vec(1_i64..4, 1..6).prop_map(Deed::Append),
        1 => (1_i64..4).prop_map(Deed::Skip),
        3 => Just(Deed::Seal),
        2 => (1_i64..4).prop_map(Deed::Remove),
        1 => Just(Deed::RemoveAll),
    ];
    prop::collection::vec(deed, 1..12)
}

fn play(deeds: &[Deed]) -> Journal {
    let mut journal = Journal::default();
    for deed in deeds {
        match deed {
            Deed::Append(orders) => journal.append(orders),
            Deed::Skip(numbers) => journal.skip(*numbers),
            Deed::Seal => journal.seal(),
            Deed::Remove(order) => journal.remove(Some(*order)),
            Deed::RemoveAll => journal.remove(None),
        }
    }
    journal.seal();
    journal
}

/// Every way to change one thing.
fn forgeries(journal: &Journal) -> Vec<(String, Journal)> {
    let mut forged = Vec::new();
    let mut forge = |what: String, change: &dyn Fn(&mut Journal)| {
        let mut copy = journal.clone();
        change(&mut copy);
        forged.push((what, copy));
    };
    for seq in journal.events.keys() {
        let changes: [fn(&mut Event); 8] = [
            |event| event.description = None,
            |event| event.user_key = UserKey::trusted("luigi"),
            |event| event.timestamp = Timestamp::from_millis(event.timestamp.millis() + 1),
            |event| event.recorded = Timestamp::from_millis(0),
            |event| event.primary = !event.primary,
            |event| event.concerns.work_order_key = None,
            |event| event.source_key = Some(event.key),
            |event| event.payload["quantity"] = json!(0.5),
        ];
        for (index, change) in changes.into_iter().enumerate() {
            forge(format!("event {seq} {index}"), &|journal| change(journal.events.get_mut(seq).unwrap()));
        }
        forge(format!("event {seq} goes"), &|journal| drop(journal.events.remove(seq)));
    }
    let last = journal.head().last_seq.unwrap_or(0);
    // Before the first block, every event is an unsealed one.
    let any_block = journal.head().last_seq.is_some();
    for seq in (-1..=last).filter(|seq| any_block && !journal.events.contains_key(seq)) {
        forge(format!("event {seq} comes"), &|journal| drop(journal.events.insert(seq, event(seq, 1))));
    }
    for seq in -1..=last + 1 {
        match journal.digests.get(&seq) {
            None => {
                forge(format!("digest {seq} comes"), &|journal| drop(journal.digests.insert(seq, (vec![7; 32], None))));
            }
            Some((digest, removed_in)) => {
                forge(format!("digest {seq} goes"), &|journal| drop(journal.digests.remove(&seq)));
                for bytes in [vec![], digest[1..].to_vec(), vec![9; 32]] {
                    forge(format!("digest {seq} {bytes:?}"), &|journal| {
                        journal.digests.get_mut(&seq).unwrap().0 = bytes.clone();
                    });
                }
                for block in (0..=journal.head().block + 1).map(Some).chain([None]).filter(|block| block != removed_in)
                {
                    forge(format!("digest {seq} removed in {block:?}"), &|journal| {
                        journal.digests.get_mut(&seq).unwrap().1 = block;
                    });
                }
            }
        }
    }
    for block in journal.seals.keys() {
        let changes: [fn(&mut Seal); 10] = [
            |seal| seal.kind = if seal.kind == SealKind::Events { SealKind::Removal } else { SealKind::Events },
            |seal| seal.first_seq = seal.first_seq.map_or(Some(1), |_| None),
            |seal| seal.last_seq = seal.last_seq.map_or(Some(1), |_| None),
            |seal| seal.last_seq = seal.last_seq.map_or(Some(0), |last| Some(last + 1)),
            |seal| seal.last_seq = seal.last_seq.map_or(Some(-1), |last| Some(last - 1)),
            |seal| seal.count += 1,
            |seal| seal.sealed = Timestamp::from_millis(1),
            |seal| seal.user_key = seal.user_key.as_ref().map_or(Some(UserKey::trusted("x")), |_| None),
            |seal| seal.prev_hash = vec![1; 32],
            |seal| seal.hash = vec![2; 32],
        ];
        for (index, change) in changes.into_iter().enumerate() {
            forge(format!("block {block} {index}"), &|journal| change(journal.seals.get_mut(block).unwrap()));
        }
        forge(format!("block {block} reason"), &|journal| {
            let reason = &mut journal.seals.get_mut(block).unwrap().reason;
            *reason = reason.as_ref().map_or(Some("x".to_owned()), |_| None);
        });
        forge(format!("block {block} goes"), &|journal| drop(journal.seals.remove(block)));
    }
    forged
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn lawful_journals_verify(deeds in deeds(), slice in 1_usize..8) {
        let journal = play(&deeds);
        let anchor = (!journal.seals.is_empty()).then(|| journal.anchor());
        let found = journal.verify_from(1, slice, anchor.as_ref());
        prop_assert_eq!(&found.first_mismatch, &None);
        prop_assert_eq!(found.events_checked as usize, journal.events.len());
        prop_assert_eq!(found.events_checked + found.events_removed, journal.digests.len() as i64);
        prop_assert_eq!(found.unsealed, 0);
        for block in 1..=journal.head().block {
            prop_assert!(journal.verify_from(block, slice, anchor.as_ref()).ok);
        }
    }

    #[test]
    fn any_single_change_is_found(deeds in deeds(), slice in 1_usize..8) {
        let journal = play(&deeds);
        prop_assume!(!journal.seals.is_empty());
        let anchor = journal.anchor();
        for (what, forged) in forgeries(&journal) {
            prop_assert!(!forged.verify_from(1, slice, Some(&anchor)).ok, "{} was not found", what);
        }
    }
}
