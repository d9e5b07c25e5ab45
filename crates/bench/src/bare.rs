//! Queries run by the engine alone: rows only, which nobody looks at.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio_postgres::types::{FromSql, ToSql, Type};

use crate::floor::DATABASE;

/// Every line below a product: rows only, each product visited once.
pub const BELOW: &str = "with recursive below (id) as (
        select id from product where key = $1
        union
        select bom_line.component_id from below cross join bom_line where bom_line.product_id = below.id
    )
    select bom_line.key, bom_line.product_id, bom_line.component_id, bom_line.phase_key, bom_line.qt
    from below
    cross join bom_line
    where bom_line.product_id = below.id";
/// Every line above one.
pub const ABOVE: &str = "with recursive above (id) as (
        select id from product where key = $1
        union
        select bom_line.product_id from above cross join bom_line where bom_line.component_id = above.id
    )
    select bom_line.product_id, bom_line.component_id, bom_line.qt, bom_line.qt, bom_line.qt
    from above
    cross join bom_line
    where bom_line.component_id = above.id";
/// Every link below a serial, with the serial it leads to: rows only, in no order. `{step}` is how the engine is kept on the index
/// of links.
pub const TREE: &str = "with recursive tree (link_key, id) as (
        select key, child_key from serial_link where parent_key = $1 and confirmed and not replaced
        union all
        select next.key, next.child_key from {step} where next.confirmed and not next.replaced
    )
    select serial_link.parent_key, serial_link.key, serial_link.component_key, serial_link.confirmed,
        serial_link.replaced, serial_link.reason, serial_link.linked, serial_link.unlinked, serial.key, serial.code,
        serial.product_id, serial.wo_key, serial.deleted, serial.scrapped, serial.released
    from tree
    cross join serial_link
    cross join serial
    where serial_link.key = tree.link_key and serial.key = tree.id";
pub const SQLITE_STEP: &str = "tree cross join serial_link as next on next.parent_key = tree.id";
pub const POSTGRES_STEP: &str = "tree cross join lateral (
        select key, child_key, confirmed, replaced from serial_link where parent_key = tree.id offset 0
    ) as next";
/// The outermost units that hold serials of a product: rows only, each once, in no order. Looked up one by one, links are found
/// by their index in every step; `{unit}` is how the engine is kept on that of serials.
pub const RECALL: &str = "with recursive above (id, parent_id) as (
        select serial.key, (select parent_key from serial_link where child_key = serial.key and not replaced)
        from serial
        where serial.product_id = (select id from product where key = $1) and serial.deleted is null
        union
        select above.parent_id,
            (select parent_key from serial_link where child_key = above.parent_id and not replaced)
        from above
        where above.parent_id is not null
    )
    select serial.key, serial.code, serial.product_id, serial.wo_key, serial.deleted, serial.scrapped, serial.released
    from above
    cross join {unit}
    where above.parent_id is null";
pub const SQLITE_UNIT: &str = "serial on serial.key = above.id";
pub const POSTGRES_UNIT: &str = "lateral (select * from serial where key = above.id offset 0) as serial";

/// What a query gets as its parameter.
pub trait Key: rusqlite::ToSql + ToSql + Sync {}

impl<T: rusqlite::ToSql + ToSql + Sync> Key for T {}

/// A query, on a connection of its own.
pub struct Bare {
    query: String,
    engine: Engine,
}

enum Engine {
    Sqlite(Connection),
    Postgres(tokio_postgres::Client, tokio_postgres::Statement),
}

impl Bare {
    pub fn sqlite(folder: &Path, query: &str) -> Self {
        let connection = Connection::open(folder.join(DATABASE)).unwrap();
        Self { query: query.to_owned(), engine: Engine::Sqlite(connection) }
    }

    pub async fn postgres(url: &str, query: &str) -> Self {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        // As on the connections of the service.
        client.batch_execute("set jit = off; set parallel_setup_cost = 100000").await.unwrap();
        let statement = client.prepare(query).await.unwrap();
        Self { query: query.to_owned(), engine: Engine::Postgres(client, statement) }
    }

    /// How long it takes.
    pub async fn time(&self, key: &impl Key) -> Duration {
        match &self.engine {
            Engine::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(&self.query).unwrap();
                let columns = statement.column_count();
                let begun = Instant::now();
                let mut rows = statement.query([key]).unwrap();
                while let Some(row) = rows.next().unwrap() {
                    (0..columns).for_each(|column| _ = std::hint::black_box(row.get_ref(column).unwrap()));
                }
                begun.elapsed()
            }
            Engine::Postgres(client, statement) => {
                let begun = Instant::now();
                for row in client.query(statement, &[key]).await.unwrap() {
                    (0..row.len()).for_each(|column| _ = std::hint::black_box(row.get::<_, Size>(column).0));
                }
                begun.elapsed()
            }
        }
    }
}

/// How many bytes a column has, of whatever type it is.
struct Size(usize);

impl<'a> FromSql<'a> for Size {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw.len()))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(0))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
