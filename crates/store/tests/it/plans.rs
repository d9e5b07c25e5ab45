//! How the engines carry out statements that have to stay fast among millions of rows.

use domain::key::SerialKey;
use domain::serial::{Parent, Serial};
use domain::warehouse::{INSIDE, OUTSIDE};
use store::serial::{links, serials, tree};
use store::warehouse;
use store::warehouse::positions::{self, Position};
use store::warehouse::{inventory, movement_views};
use store::{Db, Sql, StoreError, Tx, Value, params};
use testkit::Engine;

use super::queries::samples::{NOW, stock};
use super::queries::serial::{link, serial};
use super::queries::warehouse::{link as position_link, position};

/// Enough for a planner to prefer an index to all rows.
const UNITS: i64 = 6_000;
/// How many parts a unit has.
const PARTS: i64 = 5;

/// A tree of units, each of which has some parts, and what the planner knows of it.
async fn fill(tx: &mut Tx) -> Result<(), StoreError> {
    stock(tx).await?;
    let units: Vec<Serial> = (1..=UNITS).map(|key| Serial { data: Vec::new(), ..serial(key) }).collect();
    serials::insert_all(tx, &units, &Default::default()).await?;
    for key in 2..=UNITS {
        let parent = Parent::Serial(SerialKey((key - 2) / PARTS + 1));
        links::insert(tx, &link(key, parent, key)).await?;
    }
    tx.run(Sql::raw("analyze"), &[]).await.map(|_| ())
}

/// A tree of as many positions, each of which has some inside.
async fn fill_positions(tx: &mut Tx) -> Result<(), StoreError> {
    positions::insert(tx, &position(INSIDE)).await?;
    let name = |number: i64| if number == 0 { INSIDE.to_owned() } else { format!("p{number}") };
    let all: Vec<Position> = (1..=UNITS).map(|number| position(&name(number))).collect();
    positions::save(tx, &all).await?;
    let links: Vec<_> =
        (1..=UNITS).map(|number| position_link(number, &name(number), &name((number - 1) / PARTS))).collect();
    warehouse::links::insert_all(tx, &links).await?;
    tx.run(Sql::raw("analyze"), &[]).await.map(|_| ())
}

/// How an engine carries out a statement about a serial, line by line.
async fn plan(db: &Db, engine: Engine, text: &str) -> Vec<String> {
    let first = if text.contains("{of-any") { Value::from(vec![1_i64]) } else { Value::from(1_i64) };
    let params = if text.contains("$2") { vec![first, Value::from(NOW)] } else { vec![first] };
    plan_with(db, engine, text, params).await
}

async fn plan_with(db: &Db, engine: Engine, text: &str, params: Vec<Value>) -> Vec<String> {
    let explained = match engine {
        Engine::Sqlite => format!("explain query plan {text}"),
        Engine::Postgres => format!("explain (costs off) {text}"),
    };
    let lines = db.write("explain", async move |tx: &mut Tx| match engine {
        Engine::Sqlite => {
            let rows: Vec<(i64, i64, i64, String)> = tx.all(Sql::raw(explained.clone()), &params).await?;
            Ok::<_, StoreError>(rows.into_iter().map(|(_, _, _, line)| line).collect())
        }
        Engine::Postgres => {
            // The tables are small here: the question is whether there is an index at all.
            tx.run(Sql::raw("set local enable_seqscan = off"), &[]).await?;
            tx.all::<String>(Sql::raw(explained.clone()), &params).await
        }
    });
    lines.await.unwrap()
}

/// Whether a line of a plan reads all rows of a table of links, serials or positions.
fn reads_everything(line: &str) -> bool {
    let tables = ["serial", "position", "next"];
    tables.iter().any(|table| line.contains(&format!("SCAN {table}")) || line.contains(&format!("Seq Scan on {table}")))
        && !line.contains("USING INDEX")
        && !line.contains("USING COVERING INDEX")
}

fn trees_are_read_by_index(engine: Engine) {
    super::on(&[engine], async |db| {
        db.write("fill", fill).await.unwrap();
        let mut looked_at = 0;
        for text in tree::deep_statements() {
            let plan = plan(&db, engine, text).await;
            assert!(plan.len() > 2 && !plan.iter().any(|line| reads_everything(line)), "{text}\n{plan:#?}");
            looked_at += 1;
        }
        assert_eq!(looked_at, 6);
    });
}

/// A tree of positions is read by its links, from the top or from the bottom.
fn positions_are_read_by_index(engine: Engine) {
    super::on(&[engine], async |db| {
        db.write("fill", fill_positions).await.unwrap();
        for text in warehouse::links::deep_statements() {
            let plan = plan_with(&db, engine, text, vec![Value::from("p7")]).await;
            assert!(plan.len() > 2 && !plan.iter().any(|line| reads_everything(line)), "{text}\n{plan:#?}");
        }
    });
}

/// As many movements into those positions, each of which also holds some.
async fn fill_movements(tx: &mut Tx) -> Result<(), StoreError> {
    stock(tx).await?;
    fill_positions(tx).await?;
    positions::insert(tx, &position(OUTSIDE)).await?;
    let numbers = "with recursive number (value) as (
                       select cast(1 as {int}) union all select value + 1 from number where value < $1
                   )";
    let statements = [
        "insert into movement (
             key, type, status, from_key, to_key, product_id, qt_planned, qt_confirmed, owned, created, start_at, end_at, user_key
         )
         {numbers}
         select value, 'receipt', 'completed', 'OUT', position.key, 1, 1, 1, true, value, value, value, 'mario'
         from number
         join position on position.key = 'p' || value",
        "insert into stock_pair (product_id, position_key)
         {numbers}
         select 1, position.key from number join position on position.key = 'p' || value",
        "insert into stock (key, product_id, position_key, quantity)
         {numbers}
         select value, 1, position.key, 1 from number join position on position.key = 'p' || value",
    ];
    for statement in statements {
        tx.run(Sql::raw(statement.replace("{numbers}", numbers)), &params![UNITS]).await?;
    }
    tx.run(Sql::raw("analyze"), &[]).await.map(|_| ())
}

/// Lists are found in their order: nobody sorts millions of movements for a page of them.
fn movements_are_read_in_their_order(engine: Engine) {
    super::on(&[engine], async |db| {
        db.write("fill", fill_movements).await.unwrap();
        for (text, params) in movement_views::ordered_statements() {
            let plan = plan_with(&db, engine, &text, params).await;
            // PostgreSQL may sort what it takes for a few rows.
            let sorted = plan.iter().any(|line| line.contains("TEMP B-TREE"));
            let by_index = plan.iter().any(|line| line.contains("movement_"));
            assert!(by_index && !sorted, "{text}\n{plan:#?}");
        }
        let (text, params) = inventory::first_page();
        let plan = plan_with(&db, engine, &text, params).await;
        let everything = plan.iter().any(|line| line.contains("SCAN stock") || line.contains("Seq Scan on stock"));
        assert!(!everything, "{text}\n{plan:#?}");
    });
}

#[test]
fn movements_are_read_in_their_order_on_sqlite() {
    movements_are_read_in_their_order(Engine::Sqlite);
}

#[test]
fn movements_are_read_in_their_order_on_postgres() {
    movements_are_read_in_their_order(Engine::Postgres);
}

#[test]
fn positions_are_read_by_index_on_sqlite() {
    positions_are_read_by_index(Engine::Sqlite);
}

#[test]
fn positions_are_read_by_index_on_postgres() {
    positions_are_read_by_index(Engine::Postgres);
}

#[test]
fn trees_are_read_by_index_on_sqlite() {
    trees_are_read_by_index(Engine::Sqlite);
}

#[test]
fn trees_are_read_by_index_on_postgres() {
    trees_are_read_by_index(Engine::Postgres);
}
