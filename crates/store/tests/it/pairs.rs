//! Pairs of stock that two nodes make at the same time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use domain::key::{PositionKey, ProductId};
use domain::warehouse::INSIDE;
use store::warehouse::{positions, stock};
use store::{Db, Sql, StoreError, Tx};
use testkit::Engine;
use testkit::engine::Place;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::queries::samples;
use super::queries::warehouse::position;

/// More than a write runs again because of conflicts.
const PAIRS: usize = 15;

fn pair(number: usize) -> stock::Pair {
    stock::Pair { product_id: ProductId(1), position_key: PositionKey::trusted(format!("p{number:02}")) }
}

async fn fill(tx: &mut Tx) -> Result<(), StoreError> {
    samples::stock(tx).await?;
    let mut all = vec![position(INSIDE)];
    all.extend((0..PAIRS).map(|number| position(pair(number).position_key.as_str())));
    positions::save(tx, &all).await
}

/// Makes a pair, and commits when it is told to.
async fn maker(db: &Db, number: usize) -> (Arc<Notify>, JoinHandle<Result<(), StoreError>>) {
    let (made, commit) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait, db) = (made.clone(), commit.clone(), db.clone());
    let work = async move |tx: &mut Tx| {
        stock::lock(tx, &BTreeSet::from([pair(number)])).await?;
        tell.notify_one();
        wait.notified().await;
        Ok::<_, StoreError>(())
    };
    let making = tokio::spawn(async move { db.write("maker", work).await });
    made.notified().await;
    (commit, making)
}

/// While a write waits for the maker of one pair, another begins to make the next one, and so on: always somebody else is first.
#[test]
fn are_locked_by_who_needs_all_of_them_although_others_are_always_first() {
    testkit::block_on(async {
        let place = Place::with_tables(Engine::Postgres).await;
        let (node, other) = (super::open(&place).await, super::open(&place).await);
        node.write("fill", fill).await.unwrap();

        let mut makers = vec![maker(&other, 0).await];
        let all: BTreeSet<stock::Pair> = (0..PAIRS).map(pair).collect();
        let needs_all = async move |tx: &mut Tx| stock::lock(tx, &all).await.map(|_| ());
        let db = node.clone();
        let locking = tokio::spawn(async move { db.write("all", needs_all).await });
        let waiting = "select count(*) from pg_stat_activity
                       where datname = current_database() and wait_event_type = 'Lock'";
        for next in 1..=PAIRS {
            while node.read(async |tx: &mut Tx| tx.one::<i64>(Sql::raw(waiting), &[]).await).await.unwrap() == 0 {
                assert!(!locking.is_finished(), "it waits for the pair {}", next - 1);
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            if next < PAIRS {
                makers.push(maker(&other, next).await);
            }
            let (commit, making) = makers.remove(0);
            commit.notify_one();
            making.await.unwrap().unwrap();
        }
        locking.await.unwrap().unwrap();
        let pairs = Sql::raw("select count(*) from stock_pair where product_id = 1 and position_key like 'p__'");
        let found = node.read(async |tx: &mut Tx| tx.one::<i64>(pairs.clone(), &[]).await).await.unwrap();
        assert_eq!(found, PAIRS as i64);
        for db in [node, other] {
            db.close().await;
        }
        place.remove().await;
    });
}
