//! A start on a database that is somebody else's: it is told so, and nothing is touched.

use std::path::Path;

use api::Clock;
use domain::Timestamp;
use rusqlite::Connection;
use sha2::{Digest, Sha256};
use testkit::engine::Place;
use testkit::{ADMIN_PASSWORD, Engine, Site, block_on, json};

/// Databases that are not ours: somebody's tables; a history that is no history of ours, twice; one that says what ours would say.
const FOREIGN: [&str; 4] = [
    "create table customer (id integer primary key, name text); insert into customer values (1, 'Ada')",
    "create table migration (version text); insert into migration values ('2024-01-01')",
    "create table migration (number bigint, name text); insert into migration values (1, 'init'), (2, 'users')",
    "create table migration (number bigint, name text); insert into migration values (1, '0001_foundation')",
];

fn clock() -> Clock {
    Clock::manual(Timestamp::parse("2027-03-01T08:00:00Z").unwrap())
}

async fn refusal(settings: &tracewright::Settings) -> String {
    match tracewright::start(settings, clock()).await {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it started"),
    }
}

/// Every file of a folder with its digest.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), Sha256::digest(std::fs::read(&path).unwrap()).to_vec()))
        .collect();
    found.sort();
    found
}

#[test]
fn a_foreign_file_is_left_as_it_was() {
    block_on(async {
        for (journal, tables) in FOREIGN.iter().flat_map(|tables| ["delete", "wal"].map(|journal| (journal, tables))) {
            let place = Place::new(Engine::Sqlite).await;
            let folder = place.data_folder().unwrap();
            std::fs::create_dir_all(&folder).unwrap();
            let foreign = Connection::open(folder.join("tracewright.db")).unwrap();
            let tables = tables.replace("bigint", "integer");
            foreign.execute_batch(&format!("pragma journal_mode = {journal}; {tables}")).unwrap();
            drop(foreign);
            let before = files(&folder);
            assert_eq!(before.len(), 1);
            let refused = refusal(&place.settings()).await;
            assert!(refused.contains("none of ours") && refused.contains("nothing was changed"), "{refused}");
            assert_eq!(files(&folder), before, "{journal} {tables}");
            // Nor do the commands touch it.
            let location = place.settings().location().unwrap();
            let refused = store::Db::open_beside(&location).await.err().unwrap().to_string();
            assert!(refused.contains("none of ours"), "{refused}");
            assert_eq!(files(&folder), before);
        }
    });
}

/// Somebody's program may still be at work on it.
#[test]
fn a_foreign_file_with_a_log_is_left_as_it_was() {
    block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        let folder = place.data_folder().unwrap();
        std::fs::create_dir_all(&folder).unwrap();
        let foreign = Connection::open(folder.join("tracewright.db")).unwrap();
        foreign.execute_batch(&format!("pragma journal_mode = wal; {}", FOREIGN[0])).unwrap();
        let before = files(&folder);
        assert_eq!(before.len(), 3, "the file, its log and the log's index");
        let refused = refusal(&place.settings()).await;
        assert!(refused.contains("customer"), "{refused}");
        let same = |name: &str| files(&folder).iter().find(|(file, _)| file.ends_with(name)).cloned();
        for name in ["tracewright.db", "tracewright.db-wal"] {
            assert_eq!(same(name), before.iter().find(|(file, _)| file.ends_with(name)).cloned(), "{name}");
        }
        let left: i64 = foreign.query_row("select count(*) from customer", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 1);
    });
}

/// All that a database has: tables and where they are stored, functions, extensions.
const ALL: &str =
    "select relname, relkind, relfilenode from pg_class where relnamespace = 'public'::regnamespace order by 1;
    select proname from pg_proc where pronamespace = 'public'::regnamespace order by 1;
    select extname from pg_extension order by 1;
    select query_to_xml('select * from ' || relname, true, false, '') from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname";

/// The same on PostgreSQL, where not all that somebody makes is a table.
const FOREIGN_WITHOUT_TABLES: [&str; 7] = [
    "create view report as select 1 as one",
    "create type colour as enum ('red', 'green')",
    "create domain percent as int check (value between 0 and 100)",
    "create type point_3d as (x int, y int, z int)",
    "create type span as range (subtype = int)",
    "create function one() returns int language sql as 'select 1'",
    // Beside what a first start of ours that was cut off leaves.
    "create table migration (number bigint primary key, name text not null); create type colour as enum ('red')",
];

#[test]
fn a_foreign_database_is_left_as_it_was() {
    block_on(async {
        for tables in FOREIGN.into_iter().chain(FOREIGN_WITHOUT_TABLES) {
            let place = Place::new(Engine::Postgres).await;
            place.sql(tables).await;
            let before = place.sql(ALL).await;
            let refused = refusal(&place.settings()).await;
            assert!(refused.contains("none of ours") && refused.contains("nothing was changed"), "{refused}");
            assert!(!refused.contains("password"), "{refused}");
            let location = place.settings().location().unwrap();
            let refused = store::Db::open_beside(&location).await.err().unwrap().to_string();
            assert!(refused.contains("none of ours"), "{refused}");
            assert_eq!(place.sql(ALL).await, before);
            place.remove().await;
        }
    });
}

/// What an extension brought with it is nobody's.
#[test]
fn a_database_with_extensions_alone_is_empty() {
    block_on(async {
        let place = Place::new(Engine::Postgres).await;
        place.sql("create extension pg_trgm").await;
        let running = tracewright::start(&place.settings(), clock()).await.expect("it starts");
        running.stop().await;
        place.remove().await;
    });
}

/// A site that version 6 has left.
pub(crate) async fn old_site(engine: Engine) -> Place {
    let place = Place::new(engine).await;
    match place.data_folder() {
        Some(folder) => {
            std::fs::create_dir_all(&folder).unwrap();
            let old = Connection::open(folder.join("tracewright.db")).unwrap();
            old.execute_batch(include_str!("../../fixtures/version-6.sqlite.sql")).unwrap();
        }
        None => {
            place.sql(include_str!("../../fixtures/version-6.postgres.sql")).await;
        }
    }
    place
}

/// A site from before there was a mark gets it and goes on, with all that it had.
#[test]
fn a_site_from_before_the_mark_goes_on() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = Site::start_at(old_site(engine).await, clock()).await;
            let admin = site.visitor("admin").sign_in(ADMIN_PASSWORD).await;
            let product = admin.get("/product/A").await.expect(200).body;
            assert_eq!(product["description"], "Kept from before");
            let job = admin.get("/job?active=true").await.detail()[0].clone();
            let body = json!({ "event_type": "BATCH_COMPLETED", "active_batch_key": job["active_batch_key"], "completed_batch_qt": 1 });
            admin.post("/event", body).await.expect(200);
            assert_eq!(site.count("site_mark").await, 1);
            let copies =
                site.place.data_folder().map(|folder| folder.join("tracewright.before-migration-7.db").is_file());
            assert!(copies.unwrap_or(true), "what was there is kept beside it");
            site.stop().await;
        }
    });
}

/// Whoever takes the mark away, or half of the tables, does not get them made anew.
#[test]
fn a_site_without_its_mark_or_its_tables_is_refused() {
    block_on(async {
        for (harm, told) in [("delete from site_mark", "mark"), ("drop table secret", "secret")] {
            let place = Place::new(Engine::Postgres).await;
            tracewright::start(&place.settings(), clock()).await.expect("it starts").stop().await;
            place.sql(harm).await;
            let refused = refusal(&place.settings()).await;
            assert!(refused.contains(told), "{refused}");
            place.remove().await;
        }
    });
}
