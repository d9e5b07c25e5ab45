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

/// The columns that name a row of another table, and that no index begins with.
async fn unindexed_references(db: &Db, engine: Engine) -> Vec<(String, String, String)> {
    let sql = match engine {
        Engine::Sqlite => {
            "select tables.name, keys.\"from\", keys.\"table\"
             from sqlite_schema as tables
             join pragma_foreign_key_list(tables.name) as keys
             where tables.type = 'table' and keys.seq = 0
             and not exists (
                 select 1
                 from pragma_index_list(tables.name) as indexes
                 join pragma_index_info(indexes.name) as parts
                 where parts.seqno = 0 and parts.name = keys.\"from\"
             )
             and not exists (
                 select 1
                 from pragma_table_info(tables.name) as columns
                 where columns.name = keys.\"from\" and columns.pk = 1
             )
             order by 1, 2"
        }
        Engine::Postgres => {
            "select tables.relname::text, columns.attname::text, others.relname::text
             from pg_constraint
             join pg_class as tables on tables.oid = pg_constraint.conrelid
             join pg_class as others on others.oid = pg_constraint.confrelid
             join pg_attribute as columns
                 on columns.attrelid = tables.oid and columns.attnum = pg_constraint.conkey[1]
             where pg_constraint.contype = 'f'
             and not exists (
                 select 1 from pg_index where pg_index.indrelid = tables.oid and pg_index.indkey[0] = columns.attnum
             )
             order by 1, 2"
        }
    };
    db.read(async |tx: &mut Tx| tx.all(Sql::raw(sql), &[]).await).await.unwrap()
}

/// Whoever removes a row has the engine look for rows that name it: without an index, through a whole table for each.
#[test]
fn rows_that_are_removed_are_looked_for_by_an_index() {
    const NEVER_REMOVED: [&str; 4] = ["audit", "operation", "position", "user_session"];
    testkit::block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let place = Place::new(engine).await;
            let db = super::open(&place).await;
            let mut found = unindexed_references(&db, engine).await;
            found.retain(|(_, _, to)| !NEVER_REMOVED.contains(&to.as_str()));
            db.close().await;
            place.remove().await;
            assert_eq!(found, [], "{engine:?}");
        }
    });
}
