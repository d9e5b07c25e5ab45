//! The memory that rows take.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use store::{Allowance, Db, Result, Sql, StoreError, Tx};

use crate::on_both;

const KIB: usize = 1024;

/// So much, and how much of it is taken.
struct Purse {
    most: usize,
    taken: AtomicUsize,
    times: AtomicUsize,
}

impl Purse {
    fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: AtomicUsize::new(0), times: AtomicUsize::new(0) })
    }

    fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    fn times(&self) -> usize {
        self.times.load(Ordering::Relaxed)
    }
}

impl Allowance for Purse {
    fn take(&self, bytes: usize) -> Result<()> {
        self.times.fetch_add(1, Ordering::Relaxed);
        let taken = self.taken.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if taken > self.most { Err(StoreError::Large) } else { Ok(()) }
    }

    fn most(&self) -> usize {
        self.most
    }
}

/// Rows of 100 KiB of text.
async fn texts(tx: &mut Tx, rows: usize) -> Result<Vec<String>> {
    let text = "x".repeat(100 * KIB);
    let mut all = vec!["select $1"; rows].join(" union all ");
    all = all.replace("$1", "cast($1 as text)");
    tx.all(Sql::raw(all), &[text.into()]).await
}

fn twice(db: &Db) -> impl Future<Output = Result<()>> + use<> {
    let db = db.clone();
    async move {
        db.read(async |tx: &mut Tx| {
            texts(tx, 2).await?;
            texts(tx, 2).await.map(|_| ())
        })
        .await
    }
}

#[test]
fn the_rows_of_a_read_count_together() {
    on_both(async |db| {
        let purse = Purse::new(usize::MAX);
        twice(&db.within(purse.clone())).await.unwrap();
        let both = purse.taken();
        assert!(both >= 4 * 100 * KIB, "{both}");
        let purse = Purse::new(usize::MAX);
        twice(&db.within(purse.clone()).in_passing()).await.unwrap();
        assert_eq!(purse.taken(), both / 2, "the larger statement counts");
        let purse = Purse::new(usize::MAX);
        let change = async |tx: &mut Tx| {
            texts(tx, 1).await?;
            texts(tx, 2).await?;
            texts(tx, 1).await.map(|_| ())
        };
        db.within(purse.clone()).write("test", change).await.unwrap();
        assert_eq!(purse.taken(), both / 2);
    });
}

#[test]
fn what_does_not_fit_is_not_read() {
    on_both(async |db| {
        let purse = Purse::new(1024 * KIB);
        let small = db.within(purse.clone());
        assert!(matches!(small.read(async |tx: &mut Tx| texts(tx, 500).await).await, Err(StoreError::Large)));
        assert!(purse.taken() < 2 * 1024 * KIB, "it ends with the first row too many");
        twice(&db).await.expect("the connection serves others");
        twice(&db.background()).await.expect("who works in the background asks for nothing");
    });
}

/// What is asked for in one piece can always be had, however large it is; so a row must not be asked for in several.
#[test]
fn a_large_row_is_asked_for_at_once() {
    on_both(async |db| {
        let purse = Purse::new(usize::MAX);
        let row = Sql::raw("select cast($1 as text), cast($2 as text), cast($1 as text)");
        let values = ["x".repeat(100 * KIB).into(), "y".repeat(KIB).into()];
        let read = async |tx: &mut Tx| tx.one::<(String, String, String)>(row.clone(), &values).await;
        db.within(purse.clone()).read(read).await.unwrap();
        assert_eq!(purse.times(), 1);
        assert!(purse.taken() > 600 * KIB, "{}", purse.taken());
    });
}

#[test]
fn parsed_json_weighs_more_than_its_text() {
    on_both(async |db| {
        let weigh = async |text: String| {
            let purse = Purse::new(usize::MAX);
            let read = async |tx: &mut Tx| tx.one::<String>(Sql::raw("select cast($1 as text)"), &[text.into()]).await;
            db.within(purse.clone()).read(read).await.unwrap();
            purse.taken()
        };
        for count in [50, 50 * KIB] {
            let (text, list) = (weigh("1,".repeat(count)).await, weigh(format!("[{}1]", "1,".repeat(count))).await);
            assert!(list > text + count * 32, "{text} {list}");
        }
    });
}
