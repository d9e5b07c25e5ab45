use super::*;
use crate::key::{PositionKey, ProductId};
use proptest::prelude::*;

fn pair(position: &str) -> Pair {
    Pair { product_id: ProductId(1), position_key: PositionKey::trusted(position) }
}

fn content(units: i64, serials: &[i64]) -> Content {
    Content {
        quantity: Quantity::from_millionths(units * 1_000_000),
        serials: serials.iter().copied().map(SerialKey).collect(),
    }
}

fn record(key: i64, position: &str, system: Content, counted: Content) -> Counted {
    Counted {
        key: CountRecordKey(key),
        pair: pair(position),
        user_key: UserKey::trusted("mario"),
        system,
        system_at: Timestamp::from_millis(key),
        counted,
        counted_at: Timestamp::from_millis(key),
        system_corrections: 0,
    }
}

/// Ten are at A and at B, and nothing is known of serials.
fn known() -> Known {
    let here = KnownPair { quantity: content(10, &[]).quantity, ..KnownPair::default() };
    Known { pairs: ["A", "B"].map(|place| (pair(place), here)).into(), serials: HashMap::new() }
}

fn told(records: &[Counted], known: &Known) -> Vec<(&'static str, Vec<usize>)> {
    conflicts(records, known).into_iter().map(|conflict| (conflict.kind.name(), conflict.records)).collect()
}

#[test]
fn counts_that_agree_are_none() {
    let nine = |key| record(key, "A", content(10, &[]), content(9, &[]));
    assert!(told(&[nine(1), nine(2)], &known()).is_empty());
    // Two were shipped between the counts: both say that one is missing.
    let later = record(3, "A", content(8, &[]), content(7, &[]));
    assert!(told(&[nine(1), later], &known()).is_empty());
}

#[test]
fn counts_that_differ_are_told_with_all_records_of_the_pair() {
    let of = |key, counted| record(key, "A", content(10, &[]), content(counted, &[]));
    let records = [of(1, 9), of(2, 8), record(3, "B", content(10, &[]), content(9, &[]))];
    assert_eq!(told(&records, &known()), [("different_counts", vec![0, 1])]);
    assert_eq!(newest_of_each(&records), [1, 2]);
}

#[test]
fn a_serial_is_counted_in_one_position() {
    let records =
        [record(1, "A", content(0, &[]), content(0, &[7])), record(2, "B", content(0, &[7]), content(0, &[7]))];
    let found = conflicts(&records, &Known::default());
    let [twice] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((twice.kind, twice.serial_key), (ConflictKind::SerialTwice, Some(SerialKey(7))));
    assert_eq!(twice.records, [0, 1]);
    let again = [records[1].clone(), Counted { key: CountRecordKey(3), ..records[1].clone() }];
    assert!(told(&again, &Known::default()).is_empty(), "two people have counted it in the same");
}

#[test]
fn no_more_is_taken_than_is_left() {
    let records = [record(1, "A", content(20, &[]), content(9, &[]))];
    let found = conflicts(&records, &known());
    assert_eq!((found[0].kind, found[0].available), (ConflictKind::Shortage, Some(content(10, &[]).quantity)));
    let mut may = known();
    may.pairs.insert(pair("A"), KnownPair { may_lack: true, ..may.pair(&pair("A")) });
    assert!(told(&records, &may).is_empty());
    // What is below zero already may become more.
    let low = KnownPair { quantity: content(-5, &[]).quantity, ..KnownPair::default() };
    let low = Known { pairs: HashMap::from([(pair("A"), low)]), serials: HashMap::new() };
    assert!(told(&[record(1, "A", content(0, &[]), content(2, &[]))], &low).is_empty());
}

#[test]
fn others_who_count_or_correct_are_in_the_way() {
    let mut busy = known();
    busy.pairs.insert(pair("B"), KnownPair { busy: true, corrections: 1, ..busy.pair(&pair("B")) });
    let right = record(1, "B", content(10, &[]), content(10, &[]));
    assert_eq!(told(std::slice::from_ref(&right), &busy), [("counted_elsewhere", vec![0])]);
    let seen = Counted { system_corrections: 1, ..right.clone() };
    assert!(told(&[seen], &busy).is_empty(), "what is right needs no correction");
    let wrong = Counted { counted: content(9, &[]), ..right };
    assert_eq!(told(&[wrong], &busy), [("busy", vec![0]), ("counted_elsewhere", vec![0])]);
    // A serial that was found lies where another session counts.
    busy.serials.insert(SerialKey(7), KnownSerial { pair: Some(pair("B")), blocked: true });
    let found = record(2, "A", content(0, &[]), content(0, &[7]));
    assert_eq!(told(&[found], &busy), [("busy", vec![0]), ("serial_blocked", vec![0])]);
}

fn records() -> impl Strategy<Value = Vec<Counted>> {
    let one = (0..3_usize, 0..4_i64, 0..4_i64, prop::collection::btree_set(0..6_i64, 0..4), 0..5_i64);
    prop::collection::vec(one, 0..12).prop_map(|all| {
        let made = all.into_iter().enumerate().map(|(key, (place, system, counted, serials, at))| {
            let serials: Vec<i64> = serials.into_iter().collect();
            let record = record(key as i64, ["A", "B", "C"][place], content(system, &[]), content(counted, &serials));
            Counted { system_at: Timestamp::from_millis(at), ..record }
        });
        made.collect()
    })
}

proptest! {
    /// Compared with looking at each two records.
    #[test]
    fn what_two_records_contradict_each_other_in_is_told(records in records()) {
        let found = conflicts(&records, &Known::default());
        let told = |kind: ConflictKind, one: usize, other: usize| {
            found.iter().any(|conflict| conflict.kind == kind && [one, other].iter().all(|place| conflict.records.contains(place)))
        };
        for (one, first) in records.iter().enumerate() {
            for (other, second) in records.iter().enumerate().skip(one + 1) {
                if first.pair != second.pair {
                    let shared = !first.counted.serials.is_disjoint(&second.counted.serials);
                    prop_assert_eq!(told(ConflictKind::SerialTwice, one, other), shared);
                } else if first.correction() != second.correction() {
                    prop_assert!(told(ConflictKind::DifferentCounts, one, other));
                }
            }
        }
    }

    /// Of each pair one record counts: no other is newer.
    #[test]
    fn the_newest_of_each_pair_counts(records in records()) {
        let newest = newest_of_each(&records);
        let pairs: BTreeSet<&Pair> = records.iter().map(|record| &record.pair).collect();
        prop_assert_eq!(newest.iter().map(|place| &records[*place].pair).collect::<BTreeSet<_>>(), pairs);
        for place in newest {
            let when = |record: &Counted| (record.system_at, record.key);
            let others = records.iter().filter(|record| record.pair == records[place].pair);
            prop_assert!(others.map(when).all(|other| other <= when(&records[place])));
        }
    }
}
