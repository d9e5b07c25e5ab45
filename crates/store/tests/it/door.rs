//! The write door: all or nothing, one after the other where it matters, and nobody pays for another's mistake.

use std::time::Duration;

use futures_util::future::join_all;
use store::{Commit, Constraint, Db, Presence, Sql, StoreError, Tx, Value, params};
use testkit::Engine;
use testkit::engine::Place;

async fn put(tx: &mut Tx, key: &str, value: &str) -> Result<u64, StoreError> {
    tx.run(Sql::raw("insert into config (key, value) values ($1, $2)"), &params![key, value]).await
}

async fn count(db: &Db) -> i64 {
    db.read(async |tx: &mut Tx| tx.one::<i64>(Sql::raw("select count(*) from config"), &[]).await).await.unwrap()
}

#[test]
fn a_failed_write_leaves_nothing_and_its_neighbours_stand() {
    super::on_both(async |db| {
        let writes = (0..60).map(|index| {
            db.write("mixed", async move |tx: &mut Tx| {
                put(tx, &format!("k{index}"), "1").await?;
                match index % 3 {
                    0 => Ok(()),
                    1 => Err(StoreError::Stored("refused".into())),
                    _ => panic!("a bug"),
                }
            })
        });
        let results = join_all(writes).await;
        for (index, result) in results.iter().enumerate() {
            match index % 3 {
                0 => assert!(result.is_ok(), "{index}: {result:?}"),
                1 => assert!(matches!(result, Err(StoreError::Stored(_))), "{index}: {result:?}"),
                _ => assert!(result.is_err(), "{index}"),
            }
        }
        assert_eq!(count(&db).await, 20);
    });
}

#[test]
fn work_in_the_background_is_not_counted() {
    super::on_both(async |db| {
        let counted = db.statements();
        let beside = db.background();
        beside.write("beside", async |tx: &mut Tx| put(tx, "a", "1").await).await.unwrap();
        assert_eq!(count(&beside).await, 1);
        assert_eq!((db.statements(), beside.statements()), (counted, 2));
        db.write("counted", async |tx: &mut Tx| put(tx, "b", "1").await).await.unwrap();
        assert_eq!((db.statements(), beside.statements()), (counted + 1, 2));
    });
}

#[test]
fn last_statements_are_part_of_the_write() {
    super::on_both(async |db| {
        let last = async |tx: &mut Tx, key: &'static str| {
            tx.run_later(Sql::raw("insert into config (key, value) values ($1, '1')"), &params![key]).await
        };
        // With nothing before them, with something before them, and with a read after them.
        db.write("alone", async move |tx: &mut Tx| last(tx, "a").await).await.unwrap();
        db.write("several", async move |tx: &mut Tx| {
            put(tx, "b", "1").await?;
            last(tx, "c").await?;
            last(tx, "d").await
        })
        .await
        .unwrap();
        let read_back = async move |tx: &mut Tx| {
            last(tx, "e").await?;
            tx.one::<i64>(Sql::raw("select count(*) from config"), &[]).await
        };
        assert_eq!(db.write("read back", read_back).await.unwrap(), 5);
        assert_eq!(count(&db).await, 5);

        let taken = db.write("taken", async move |tx: &mut Tx| last(tx, "a").await).await.unwrap_err();
        assert_eq!(taken.constraint(), Some(Constraint::KeyTaken));
        let spoilt = async move |tx: &mut Tx| {
            put(tx, "f", "1").await?;
            last(tx, "g").await?;
            last(tx, "a").await
        };
        assert_eq!(db.write("spoilt", spoilt).await.unwrap_err().constraint(), Some(Constraint::KeyTaken));
        let refused = async move |tx: &mut Tx| {
            last(tx, "h").await?;
            Err::<(), _>(StoreError::Stored("refused".into()))
        };
        db.write("refused", refused).await.unwrap_err();
        assert_eq!(count(&db).await, 5, "all or nothing");
    });
}

#[test]
fn parameters_go_by_their_number() {
    super::on_both(async |db| {
        let swapped = async |tx: &mut Tx| {
            let sql = Sql::raw("insert into config (value, key) values ($2, $1)");
            tx.run(sql, &params!["the key", "the value"]).await?;
            tx.one::<String>(Sql::raw("select value from config where key = $1"), &params!["the key"]).await
        };
        assert_eq!(db.write("swapped", swapped).await.unwrap(), "the value");
    });
}

#[test]
fn constraints_have_one_name_on_both_engines() {
    super::on_both(async |db| {
        let twice = async |tx: &mut Tx| {
            put(tx, "k", "1").await?;
            put(tx, "k", "2").await
        };
        let error = db.write("twice", twice).await.unwrap_err();
        assert_eq!(error.constraint(), Some(Constraint::KeyTaken));

        let orphan = async |tx: &mut Tx| {
            let sql = "insert into token (key, signature, user_key, issued_at, expires_at, context)
                       values ('t', $1, 'nobody', 0, 0, 'API')";
            tx.run(Sql::raw(sql), &params![vec![1_u8]]).await
        };
        assert_eq!(db.write("orphan", orphan).await.unwrap_err().constraint(), Some(Constraint::Reference));

        let bad = async |tx: &mut Tx| {
            let sql = "insert into counter (key, name, template, next_tick) values ('c', '', '[]', 0)";
            tx.run(Sql::raw(sql), &[]).await
        };
        assert_eq!(db.write("bad", bad).await.unwrap_err().constraint(), Some(Constraint::Check));

        let users = async |tx: &mut Tx| {
            for key in ["a", "b"] {
                let sql = "insert into user_account (key, username, username_folded, scope, password_hash, created_at)
                           values ($1, 'U', 'u', '', '', 0)";
                tx.run(Sql::raw(sql), &params![key]).await?;
            }
            Ok::<_, StoreError>(())
        };
        assert_eq!(db.write("users", users).await.unwrap_err().constraint(), Some(Constraint::UsernameTaken));
        assert_eq!(count(&db).await, 0);
    });
}

#[test]
fn lists_nulls_and_types_come_back() {
    super::on_both(async |db| {
        let keys = vec!["a".to_owned(), "c".to_owned(), "it's".to_owned()];
        let work = async move |tx: &mut Tx| {
            for key in ["a", "b", "c", "it's"] {
                put(tx, key, "1").await?;
            }
            let sql = Sql::raw("select key from config where key {in $1} order by key");
            tx.all::<String>(sql, &params![keys.clone()]).await
        };
        assert_eq!(db.write("lists", work).await.unwrap(), ["a", "c", "it's"]);
        let typed = async |tx: &mut Tx| {
            let sql = "insert into user_session (key, active, user_key, token_key, login_at, scope, address)
                       values ($1, $2, $3, 't', $4, '', $5)";
            let user = "insert into user_account (key, username, username_folded, scope, password_hash, created_at)
                        values ('u', 'U', 'u', '', '', 0)";
            tx.run(Sql::raw(user), &[]).await?;
            tx.run(Sql::raw(sql), &params![i64::MAX, true, "u", -1_i64, Value::Null]).await?;
            let back = Sql::raw("select key, active, login_at, address from user_session");
            tx.one::<(i64, bool, i64, Option<String>)>(back, &[]).await
        };
        assert_eq!(db.write("typed", typed).await.unwrap(), (i64::MAX, true, -1, None));
    });
}

/// Read, think, write: with the lock, nothing is lost.
#[test]
fn locked_counters_lose_no_step() {
    super::on_both(async |db| {
        db.write("start", async |tx: &mut Tx| put(tx, "n", "0").await).await.unwrap();
        let steps = (0..50).map(|_| {
            db.write("step", async |tx: &mut Tx| {
                let sql = Sql::raw("select value from config where key = 'n' {lock}");
                let value: String = tx.one(sql, &[]).await?;
                let next = (value.parse::<i64>().unwrap() + 1).to_string();
                tx.run(Sql::raw("update config set value = $1 where key = 'n'"), &params![next]).await
            })
        });
        assert!(join_all(steps).await.iter().all(Result::is_ok));
        let read = db.read(async |tx: &mut Tx| tx.one::<String>(Sql::raw("select value from config"), &[]).await);
        assert_eq!(read.await.unwrap(), "50");
    });
}

/// Two transactions that lock the same rows in opposite order: the engine stops one, the door runs it again.
#[test]
fn deadlocks_are_not_shown_to_anybody() {
    super::on_both(async |db| {
        db.write("rows", async |tx: &mut Tx| {
            put(tx, "a", "0").await?;
            put(tx, "b", "0").await
        })
        .await
        .unwrap();
        let crossing = (0..16).map(|index| {
            let (first, second) = if index % 2 == 0 { ("a", "b") } else { ("b", "a") };
            db.write("crossing", async move |tx: &mut Tx| {
                for key in [first, second] {
                    let add = "update config set value = cast(cast(value as {int}) + 1 as text) where key = $1";
                    tx.run(Sql::raw(add), &params![key]).await?;
                }
                Ok::<_, StoreError>(())
            })
        });
        for result in join_all(crossing).await {
            result.unwrap();
        }
        let values = db.read(async |tx: &mut Tx| tx.all::<String>(Sql::raw("select value from config"), &[]).await);
        assert_eq!(values.await.unwrap(), ["16", "16"]);
    });
}

#[test]
fn a_read_sees_one_snapshot() {
    super::on_both(async |db| {
        let looked = db
            .read(async |tx: &mut Tx| {
                let before: i64 = tx.one(Sql::raw("select count(*) from config"), &[]).await?;
                db.write("between", async |tx: &mut Tx| put(tx, "k", "1").await).await?;
                let after: i64 = tx.one(Sql::raw("select count(*) from config"), &[]).await?;
                Ok::<_, StoreError>((before, after))
            })
            .await;
        assert_eq!(looked.unwrap(), (0, 0));
        assert_eq!(count(&db).await, 1);
    });
}

/// Readiness rests on it. What changes nothing succeeds on a full disk too, and proves nothing.
#[test]
fn a_refused_write_is_remembered_until_one_succeeds() {
    testkit::block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        let db = super::open(&place).await;
        let now = domain::Timestamp::parse("2027-03-01T08:00:00Z").unwrap();
        let node = store::node::Node::take(&db, "test".to_owned(), now).await.unwrap();
        db.ping().await.unwrap();
        let full = async |tx: &mut Tx| {
            tx.all::<i64>(Sql::raw("pragma max_page_count = 1"), &[]).await?;
            put(tx, "large", &"x".repeat(200_000)).await
        };
        assert!(matches!(db.write("full", full).await, Err(StoreError::Full(_))));
        for _ in 0..2 {
            assert!(matches!(db.ping().await, Err(StoreError::Full(_))));
            db.write("nothing", async |_: &mut Tx| Ok::<_, StoreError>(())).await.unwrap();
        }
        db.write_refused().await;
        node.renew(&db, now.plus_seconds(1)).await.unwrap();
        db.ping().await.unwrap();
        db.close().await;
    });
}

#[test]
fn a_full_disk_fails_whoever_needs_the_room_and_nobody_else() {
    testkit::block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        let db = super::open(&place).await;
        let pages = async |tx: &mut Tx| tx.one::<i64>(Sql::raw("pragma page_count"), &[]).await;
        let pages = db.write("pages", pages).await.unwrap();
        let limit = async move |tx: &mut Tx| {
            tx.all::<i64>(Sql::raw(format!("pragma max_page_count = {}", pages + 8)), &[]).await
        };
        db.write("limit", limit).await.unwrap();
        let writes = (0..40).map(|index| {
            db.write("some", async move |tx: &mut Tx| {
                let size = if index % 4 == 0 { 200_000 } else { 10 };
                put(tx, &format!("k{index}"), &"x".repeat(size)).await
            })
        });
        let results = join_all(writes).await;
        for (index, result) in results.iter().enumerate() {
            match index % 4 {
                0 => assert!(matches!(result, Err(StoreError::Full(_))), "{index}: {result:?}"),
                _ => assert!(result.is_ok(), "{index}: {result:?}"),
            }
        }
        assert_eq!(count(&db).await, 30);
        let more = async |tx: &mut Tx| tx.all::<i64>(Sql::raw("pragma max_page_count = 1000000"), &[]).await;
        db.write("more", more).await.unwrap();
        db.write("fits now", async |tx: &mut Tx| put(tx, "large", &"x".repeat(200_000)).await).await.unwrap();
        db.close().await;
    });
}

#[test]
fn a_closed_database_says_so() {
    super::on_both(async |db| {
        db.close().await;
        let late = db.write("late", async |tx: &mut Tx| put(tx, "k", "1").await).await;
        assert!(matches!(late, Err(StoreError::Unavailable(_))), "{late:?}");
    });
}

/// A handler that is dropped half way takes its transaction with it and spoils no connection.
#[test]
fn a_dropped_write_is_undone() {
    testkit::block_on(async {
        let place = Place::new(Engine::Postgres).await;
        let db = super::open(&place).await;
        let begun = std::sync::Arc::new(tokio::sync::Notify::new());
        let (writing, signal) = (db.clone(), begun.clone());
        let dropped = tokio::spawn(async move {
            writing
                .write("dropped", async move |tx: &mut Tx| {
                    put(tx, "k", "1").await?;
                    signal.notify_one();
                    std::future::pending::<Result<u64, StoreError>>().await
                })
                .await
        });
        begun.notified().await;
        dropped.abort();
        let _ = dropped.await;
        let again =
            (0..8).map(|index| db.write("again", async move |tx: &mut Tx| put(tx, &format!("k{index}"), "1").await));
        assert!(join_all(again).await.iter().all(Result::is_ok));
        db.write("same key", async |tx: &mut Tx| put(tx, "k", "2").await).await.unwrap();
        assert_eq!(count(&db).await, 9);
        db.close().await;
        place.remove().await;
    });
}

/// What an answered write relies on: a killed process alone would not show the difference.
#[test]
fn the_embedded_database_flushes_every_commit_and_is_private() {
    testkit::block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        let db = super::open(&place).await;
        let pragmas = async |tx: &mut Tx| {
            let synchronous: i64 = tx.one(Sql::raw("pragma synchronous"), &[]).await?;
            let journal: String = tx.one(Sql::raw("pragma journal_mode"), &[]).await?;
            let references: i64 = tx.one(Sql::raw("pragma foreign_keys"), &[]).await?;
            Ok::<_, StoreError>((synchronous, journal, references))
        };
        assert_eq!(db.write("pragmas", pragmas).await.unwrap(), (2, "wal".to_owned(), 1));
        let file = place.data_folder().unwrap().join("tracewright.db");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            for file in [file.clone(), file.with_extension("db-wal")] {
                assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0, "{}", file.display());
            }
        }
        count(&db).await;
        db.close().await;
        assert!(!file.with_extension("db-wal").exists(), "at rest everything is in the file");
        let late = db.read(async |tx: &mut Tx| tx.one::<i64>(Sql::raw("select 1"), &[]).await).await;
        assert!(matches!(late, Err(StoreError::Unavailable(_))), "{late:?}");
    });
}

/// Holds the writer of an embedded database until the sender goes.
fn occupy(db: &Db) -> (std::sync::mpsc::Sender<()>, tokio::task::JoinHandle<()>) {
    let (free, freed) = std::sync::mpsc::channel::<()>();
    let (freed, db) = (std::sync::Mutex::new(freed), db.clone());
    let (begin, begun) = std::sync::mpsc::channel();
    let begin = std::sync::Mutex::new(begin);
    let busy = tokio::spawn(async move {
        let hold = async move |_: &mut Tx| {
            let _ = begin.lock().unwrap().send(());
            let _ = freed.lock().unwrap().recv();
            Ok::<_, StoreError>(())
        };
        db.write("hold", hold).await.unwrap();
    });
    begun.recv().unwrap();
    (free, busy)
}

#[test]
fn what_nobody_waits_for_any_more_is_not_begun() {
    testkit::block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        let db = super::open(&place).await;
        let (free, busy) = occupy(&db);
        let (gone, here) = (Presence::default(), Presence::default());
        let ask = async |key: &'static str, presence: &Presence| {
            let put = db.write("put", async move |tx: &mut Tx| put(tx, key, "1").await);
            presence.clone().asking(put).await
        };
        let leave = async {
            // It may be done with sending and still want its answer.
            here.close();
            gone.leave();
            drop(free);
            busy.await.unwrap();
        };
        let (lost, kept, ()) = tokio::join!(ask("gone", &gone), ask("here", &here), leave);
        assert!(matches!(lost, Err(StoreError::Abandoned)));
        kept.unwrap();
        assert_eq!(count(&db).await, 1);
        db.close().await;
        place.remove().await;
    });
}

#[test]
fn a_read_ends_when_its_client_leaves_or_the_database_closes() {
    testkit::block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        let db = super::open(&place).await;
        let endless = async || {
            let count = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
            db.read_long(async move |tx: &mut Tx| tx.one::<i64>(Sql::raw(count), &[]).await).await
        };
        let (gone, here) = (Presence::default(), Presence::default());
        let (left, ()) = tokio::join!(gone.clone().asking(endless()), async { gone.leave() });
        assert!(matches!(left, Err(StoreError::Unavailable(_))), "{left:?}");
        assert_eq!(count(&db).await, 0, "its connection is good for the next one");
        let (closed, ()) = tokio::join!(here.asking(endless()), db.close());
        assert!(matches!(closed, Err(StoreError::Unavailable(_))), "{closed:?}");
        place.remove().await;
    });
}

#[test]
fn reads_leave_connections_to_changes() {
    super::on_postgres(async |db| {
        let read = |db: Db| async move {
            let hold = async |tx: &mut Tx| {
                tx.one::<i64>(Sql::raw("select count(*) from config"), &[]).await?;
                std::future::pending::<Result<(), StoreError>>().await
            };
            db.read(hold).await
        };
        let reads: Vec<_> = (0..20).map(|_| tokio::spawn(read(db.clone()))).collect();
        let holding = async || {
            let count = "select count(*) from pg_stat_activity
                where datname = current_database() and state = 'idle in transaction'";
            db.urgent().read(async |tx: &mut Tx| tx.one::<i64>(Sql::raw(count), &[]).await).await.unwrap()
        };
        // Two thirds of the six connections for requests.
        while holding().await < 4 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let change = db.write("change", async |tx: &mut Tx| put(tx, "k", "1").await);
        assert_eq!(tokio::time::timeout(Duration::from_secs(8), change).await.unwrap().unwrap(), 1);
        reads.iter().for_each(tokio::task::JoinHandle::abort);
    });
}

#[test]
fn postgres_stops_reading_for_a_client_that_left() {
    super::on_postgres(async |db| {
        let nap = async |tx: &mut Tx| tx.one::<String>(Sql::raw("select cast(pg_sleep(60) as text)"), &[]).await;
        let naps = async || {
            let count = "select count(*) from pg_stat_activity
                where datname = current_database() and state = 'active' and query like 'select cast(pg_sleep%'";
            db.read(async |tx: &mut Tx| tx.one::<i64>(Sql::raw(count), &[]).await).await.unwrap()
        };
        {
            let mut reading = std::pin::pin!(db.read(nap));
            while naps().await == 0 {
                let _ = tokio::time::timeout(Duration::from_millis(20), &mut reading).await;
            }
        }
        let ended = async {
            while naps().await > 0 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), ended).await.unwrap();
    });
}

#[test]
fn nobody_waits_for_more_than_one_large_write() {
    testkit::block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        let db = super::open(&place).await;
        let (free, busy) = occupy(&db);
        let order = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let ask = |name: &'static str, alone: bool| {
            let (db, order) = (db.clone(), order.clone());
            let work = async move |_: &mut Tx| {
                order.lock().unwrap().push(name);
                Ok::<_, StoreError>(())
            };
            async move { db.write_as(name, if alone { Commit::Alone } else { Commit::Shared }, work).await }
        };
        // All of them are asked for, in this order, before the first has its turn.
        let all = [("a1", true), ("a2", true), ("a3", true), ("s1", false), ("s2", false)];
        let asked = join_all(all.map(|(name, alone)| ask(name, alone)));
        let free_later = async {
            tokio::task::yield_now().await;
            drop(free);
        };
        let (done, ()) = tokio::join!(asked, free_later);
        busy.await.unwrap();
        assert!(done.iter().all(Result::is_ok));
        let order = order.lock().unwrap().clone();
        assert_eq!(order, ["a1", "s1", "s2", "a2", "a3"]);
        db.close().await;
        place.remove().await;
    });
}
