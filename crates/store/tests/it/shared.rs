//! Writes that share a transaction: each is all or nothing as if it were alone, and what locks keep apart stays apart.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures_util::future::join_all;
use store::{Commit, Constraint, Db, Lock, Sql, StoreError, Tx, params};
use tokio::sync::Semaphore;

async fn put(tx: &mut Tx, key: &str, value: &str) -> Result<u64, StoreError> {
    tx.run(Sql::raw("insert into config (key, value) values ($1, $2)"), &params![key, value]).await
}

async fn value(db: &Db, key: &'static str) -> i64 {
    let sql = Sql::raw("select cast(value as {int}) from config where key = $1");
    db.read(async |tx: &mut Tx| tx.one::<i64>(sql.clone(), &params![key]).await).await.unwrap()
}

async fn count(db: &Db) -> i64 {
    db.read(async |tx: &mut Tx| tx.one::<i64>(Sql::raw("select count(*) from config"), &[]).await).await.unwrap()
}

#[test]
fn one_that_fails_leaves_nothing_and_the_others_stand() {
    super::on_both(async |db| {
        let writes = (0..60).map(|index| {
            db.write_as("mixed", Commit::Shared, async move |tx: &mut Tx| {
                match index % 5 {
                    // Refused before it has changed anything, after that, by the database, and by a bug.
                    1 => return Err(StoreError::Stored("refused".into())),
                    2 => {
                        put(tx, &format!("k{index}"), "1").await?;
                        return Err(StoreError::Stored("refused".into()));
                    }
                    3 => {
                        put(tx, &format!("k{index}"), "1").await?;
                        put(tx, &format!("k{index}"), "1").await?;
                    }
                    4 => {
                        put(tx, &format!("k{index}"), "1").await?;
                        panic!("a bug");
                    }
                    _ => {}
                }
                put(tx, &format!("k{index}"), "1").await?;
                tx.run_later(
                    Sql::raw("insert into config (key, value) values ($1, '1')"),
                    &params![format!("l{index}")],
                )
                .await
            })
        });
        for (index, result) in join_all(writes).await.into_iter().enumerate() {
            match index % 5 {
                0 => assert!(result.is_ok(), "{index}: {result:?}"),
                3 => assert_eq!(result.unwrap_err().constraint(), Some(Constraint::KeyTaken), "{index}"),
                4 => assert!(matches!(result, Err(StoreError::Panicked)), "{index}: {result:?}"),
                _ => assert!(matches!(result, Err(StoreError::Stored(_))), "{index}: {result:?}"),
            }
        }
        assert_eq!(count(&db).await, 24);
    });
}

/// Raises a number that everybody reads before, behind what keeps them apart.
async fn raise(db: &Db, apart: impl AsyncFn(&mut Tx) -> Result<i64, StoreError> + Send + Sync + Copy + 'static) {
    db.write("first", async |tx: &mut Tx| put(tx, "number", "0").await).await.unwrap();
    let writes = (0..40).map(|index| {
        db.write_as("raise", Commit::Shared, async move |tx: &mut Tx| {
            // Some only look on, so that groups have several members.
            if index % 2 == 0 {
                return tx.one::<i64>(Sql::raw("select count(*) from config"), &[]).await;
            }
            let number = apart(tx).await?;
            let sql = Sql::raw("update config set value = $1 where key = 'number'");
            tx.run(sql, &params![(number + 1).to_string()]).await?;
            Ok(number)
        })
    });
    for result in join_all(writes).await {
        result.unwrap();
    }
    assert_eq!(value(db, "number").await, 20);
}

const NUMBER: &str = "select cast(value as {int}) from config where key = 'number'";

#[test]
fn a_lock_keeps_them_apart() {
    super::on_both(async |db| {
        raise(&db, async |tx: &mut Tx| {
            tx.lock(Lock::Config).await?;
            tx.one::<i64>(Sql::raw(NUMBER), &[]).await
        })
        .await;
    });
}

#[test]
fn a_locked_row_keeps_them_apart() {
    super::on_both(async |db| {
        raise(&db, async |tx: &mut Tx| tx.one::<i64>(Sql::raw(format!("{NUMBER} {{lock}}")), &[]).await).await;
    });
}

/// PostgreSQL's number of the transaction tells who shares one.
#[test]
fn those_that_wait_share_a_transaction() {
    super::on_postgres(async |db| {
        let writes = (0..64).map(|_| {
            db.write_as("share", Commit::Shared, async |tx: &mut Tx| {
                tx.one::<i64>(Sql::raw("select cast(cast(pg_current_xact_id() as text) as bigint)"), &[]).await
            })
        });
        let transactions: BTreeSet<i64> = join_all(writes).await.into_iter().map(Result::unwrap).collect();
        assert!(transactions.len() < 16, "{transactions:?}");
    });
}

/// Whoever was in the transaction of a connection that breaks runs again, once.
#[test]
fn a_broken_connection_is_nobodys_fault() {
    super::on_postgres(async |db| {
        let broken = Arc::new(AtomicBool::new(false));
        let writes = (0..32).map(|index| {
            let broken = broken.clone();
            db.write_as("broken", Commit::Shared, async move |tx: &mut Tx| {
                put(tx, &format!("k{index}"), "1").await?;
                if index == 20 && !broken.swap(true, Ordering::Relaxed) {
                    tx.one::<bool>(Sql::raw("select pg_terminate_backend(pg_backend_pid())"), &[]).await?;
                }
                Ok::<_, StoreError>(())
            })
        });
        for result in join_all(writes).await {
            result.unwrap();
        }
        assert_eq!(count(&db).await, 32);
    });
}

/// Whoever finds no seat runs alone, as do all others until a group comes to its end.
#[test]
fn groups_that_hang_hold_up_nobody_else() {
    super::on_postgres(async |db| {
        let (begun, go_on) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let mut hanging = Vec::new();
        // Each begins when the one before it hangs, so that there are two groups.
        for index in 0..2 {
            let (db, told, waited) = (db.clone(), begun.clone(), go_on.clone());
            hanging.push(tokio::spawn(async move {
                db.write_as("hang", Commit::Shared, async move |tx: &mut Tx| {
                    put(tx, &format!("h{index}"), "1").await?;
                    told.add_permits(1);
                    waited.acquire().await.unwrap().forget();
                    Ok::<_, StoreError>(())
                })
                .await
            }));
            begun.acquire().await.unwrap().forget();
        }
        for index in 0..10 {
            let write = async move |tx: &mut Tx| put(tx, &format!("k{index}"), "1").await;
            db.write_as("others", Commit::Shared, write).await.unwrap();
        }
        assert_eq!(count(&db).await, 10);
        go_on.add_permits(2);
        for one in hanging {
            one.await.unwrap().unwrap();
        }
        db.write_as("again", Commit::Shared, async |tx: &mut Tx| put(tx, "a", "1").await).await.unwrap();
        assert_eq!(count(&db).await, 13);
    });
}

/// A connection that ends while a group is committed tells nothing of the commit: nobody runs again, who might be stored twice.
#[test]
fn after_a_commit_of_unknown_outcome_nobody_runs_again() {
    super::on_postgres(async |db| {
        let trap = async |tx: &mut Tx| {
            let function = "create function end_connection() returns trigger language plpgsql as
                            'begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5); return null; end'";
            tx.run(Sql::raw(function), &[]).await?;
            let trigger = "create constraint trigger trap after insert on config deferrable initially deferred
                           for each row execute function end_connection()";
            tx.run(Sql::raw(trigger), &[]).await
        };
        db.write("trap", trap).await.unwrap();
        let runs = Arc::new(AtomicUsize::new(0));
        let writes = (0..8).map(|index| {
            let runs = runs.clone();
            db.write_as("unknown", Commit::Shared, async move |tx: &mut Tx| {
                runs.fetch_add(1, Ordering::Relaxed);
                put(tx, &format!("k{index}"), "1").await
            })
        });
        for result in join_all(writes).await {
            assert!(matches!(result, Err(StoreError::Unavailable(_))), "{result:?}");
        }
        assert_eq!(runs.load(Ordering::Relaxed), 8);
    });
}
