//! Both engines end up with the same tables, and a start on a finished database does nothing.

use store::{Db, Sql, Tx};
use testkit::Engine;
use testkit::engine::Place;

type Column = (String, String, bool);

async fn columns(db: &Db, engine: Engine) -> Vec<Column> {
    let sql = match engine {
        Engine::Sqlite => {
            "select tables.name, columns.name, columns.\"notnull\" = 1 or columns.pk > 0
             from sqlite_schema as tables
             join pragma_table_info(tables.name) as columns
             where tables.type = 'table' and tables.name not like 'sqlite_%' and tables.name not like '%_trigram%'
             order by 1, 2"
        }
        Engine::Postgres => {
            "select table_name::text collate \"C\", column_name::text collate \"C\", is_nullable = 'NO'
             from information_schema.columns
             where table_schema = 'public'
             order by 1, 2"
        }
    };
    db.read(async |tx: &mut Tx| tx.all::<Column>(Sql::raw(sql), &[]).await).await.unwrap()
}

async fn indexes(db: &Db, engine: Engine) -> Vec<String> {
    let sql = match engine {
        // The embedded engine's indexes of trigrams are tables.
        Engine::Sqlite => {
            "select name from sqlite_schema where type = 'index' and sql is not null
             union select name from sqlite_schema where type = 'table' and name like '%_trigram'
             order by 1"
        }
        Engine::Postgres => {
            "select indexname::text collate \"C\" from pg_indexes
             where schemaname = 'public' and indexname not like '%_pkey' order by 1"
        }
    };
    db.read(async |tx: &mut Tx| tx.all::<String>(Sql::raw(sql), &[]).await).await.unwrap()
}

#[test]
fn the_engines_have_the_same_columns_and_indexes() {
    testkit::block_on(async {
        let mut seen = Vec::new();
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let place = Place::new(engine).await;
            let db = super::open(&place).await;
            seen.push((columns(&db, engine).await, indexes(&db, engine).await));
            db.close().await;
            place.remove().await;
        }
        assert!(seen[0].0.len() > 80, "{}", seen[0].0.len());
        assert_eq!(seen[0].0, seen[1].0);
        assert_eq!(seen[0].1, seen[1].1);
    });
}

#[test]
fn a_second_start_has_nothing_to_do() {
    testkit::block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let place = Place::new(engine).await;
            let (db, first) = Db::open(&super::location(&place)).await.unwrap();
            db.close().await;
            drop(db);
            assert!(!first.applied.is_empty());
            assert!(first.safety_copy.is_none(), "there was nothing to save");
            let (db, second) = Db::open(&super::location(&place)).await.unwrap();
            assert!(second.applied.is_empty());
            db.close().await;
            place.remove().await;
        }
    });
}
