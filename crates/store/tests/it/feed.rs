//! What is told of the journal, page by page.

use domain::journal::Event;
use domain::key::EventKey;
use domain::notification::{Portion, Told};
use store::notification::feed::{self, PAGE, Start};
use store::{Db, Tx};
use testkit::journal::{append, event};

async fn after(db: &Db, seq: i64, newest: i64, resumed: bool) -> Portion<Told> {
    let start = Start { seq, newest, resumed };
    db.read(async |tx: &mut Tx| feed::after(tx, start).await).await.unwrap()
}

fn spans(portion: &Portion<Told>) -> Vec<(i64, i64)> {
    portion.told.iter().map(|told| (told.first, told.last)).collect()
}

/// Groups of these sizes, one after the other.
async fn store(db: &Db, sizes: &[usize]) {
    let mut key = 0;
    for size in sizes {
        let group = EventKey(key);
        let of_group = (key..key + *size as i64).map(|key| Event { event_group: group, ..event(key, "JOB_STARTED") });
        append(db, of_group.collect()).await;
        key += *size as i64;
    }
}

#[test]
fn a_page_ends_with_a_group() {
    super::on_both(async |db| {
        store(&db, &[90, 90, 90, 1]).await;
        let first = after(&db, 0, 0, false).await;
        assert_eq!((first.told.len(), first.reached), (180, 180), "the third group does not fit");
        let second = after(&db, first.reached, 0, false).await;
        assert_eq!((second.told.len(), second.reached), (91, 271));
        let none = after(&db, 271, 271, false).await;
        assert_eq!((none.told.len(), none.reached), (0, 271));
        let removed = after(&db, 271, 300, false).await;
        assert_eq!(removed.reached, 300, "what could be read before and is not there was removed");
    });
}

#[test]
fn a_large_group_is_read_to_its_end() {
    super::on_both(async |db| {
        let large = 3 * PAGE;
        store(&db, &[10, large, 5]).await;
        let first = after(&db, 0, 0, false).await;
        assert_eq!((first.told.len(), first.reached), (10, 10));
        let last = 10 + large as i64;
        let bulk = after(&db, 10, 0, false).await;
        assert_eq!((spans(&bulk), bulk.reached), (vec![(11, last)], last));
        assert_eq!(bulk.told[0].notices[0].subjects.event_count, Some(large as i64));
        let rest = after(&db, last, 0, false).await;
        assert_eq!((rest.told.len(), rest.reached), (5, last + 5));
    });
}

/// Whether it is a bulk does not depend on where somebody begins.
#[test]
fn the_rest_of_a_bulk_is_told_as_one() {
    super::on_both(async |db| {
        store(&db, &[101, 100]).await;
        let rest = after(&db, 99, 0, true).await;
        let mut expected = vec![(100, 101)];
        expected.extend((102..=201).map(|seq| (seq, seq)));
        assert_eq!(spans(&rest), expected);
        assert_eq!(rest.told[0].notices[0].subjects.event_count, Some(2));
        let small = after(&db, 150, 0, true).await;
        assert_eq!(spans(&small), (151..=201).map(|seq| (seq, seq)).collect::<Vec<_>>());
    });
}
