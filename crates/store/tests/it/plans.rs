//! How the engines carry out statements that have to stay fast among millions of rows.

use domain::key::{ProductId, ProductKey, SerialKey};
use domain::product::ProductData;
use domain::serial::{Parent, Serial};
use domain::warehouse::{INSIDE, OUTSIDE};
use store::collaboration::{issue_types, issue_views, task_types, task_views};
use store::counting::{sessions, views};
use store::product::products;
use store::serial::{as_built, evidence, links, recall, record, serials, trace, tree};
use store::warehouse;
use store::warehouse::positions::{self, Position};
use store::warehouse::{inventory, movement_lists, movement_views, movements};
use store::{Db, Sql, StoreError, Tx, Value, params};
use testkit::Engine;

use super::queries::collaboration::issue_type;
use super::queries::collaboration_tasks::task_type;
use super::queries::counting::{SESSION, session};
use super::queries::samples::{NOW, stock};
use super::queries::serial::{link, serial};
use super::queries::warehouse::{LIST, link as position_link, list, position};

/// Enough for a planner to prefer an index to all rows.
const UNITS: i64 = 6_000;
/// How many products there is stock of.
const PRODUCTS: i64 = 20;
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
    let mut params = vec![first];
    params.extend(text.contains("$2").then(|| Value::from(NOW)));
    params.extend(text.contains("$3").then(|| Value::from(10_i64)));
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
        for text in trace::statements().chain(recall::statements()).chain([as_built::PARTS]) {
            let plan = plan(&db, engine, text).await;
            assert!(!plan.is_empty() && !plan.iter().any(|line| reads_everything(line)), "{text}\n{plan:#?}");
        }
    });
}

/// A page of a product's units is found in its order: nobody sorts all of them.
fn units_of_a_product_are_read_in_their_order(engine: Engine) {
    super::on(&[engine], async |db| {
        db.write("fill", fill).await.unwrap();
        let text = "select serial.key from serial where serial.product_id = $1 and serial.deleted is null
                    order by serial.code is null, serial.searched, serial.code, serial.key limit 10";
        let plan = plan_with(&db, engine, text, vec![Value::from(1_i64)]).await;
        let sorted = plan.iter().any(|line| line.contains("TEMP B-TREE") || line.contains("Sort"));
        assert!(!sorted && plan.iter().any(|line| line.contains("serial_")), "{plan:#?}");
    });
}

#[test]
fn units_of_a_product_are_read_in_their_order_on_sqlite() {
    units_of_a_product_are_read_in_their_order(Engine::Sqlite);
}

#[test]
fn units_of_a_product_are_read_in_their_order_on_postgres() {
    units_of_a_product_are_read_in_their_order(Engine::Postgres);
}

/// What many units contain is read by the index of links by parent.
fn parts_are_read_by_index(engine: Engine) {
    super::on(&[engine], async |db| {
        db.write("fill", fill).await.unwrap();
        let plan = plan(&db, engine, evidence::PARTS).await;
        assert!(plan.len() > 2 && !plan.iter().any(|line| reads_everything(line)), "{plan:#?}");
    });
}

/// The record of a unit reads what belongs to it, and nothing of the others.
fn records_are_read_by_index(engine: Engine) {
    super::on(&[engine], async |db| {
        db.write("fill", fill).await.unwrap();
        if engine == Engine::Sqlite {
            // What it knows to be empty it reads without an index.
            let forget = async |tx: &mut Tx| {
                tx.run(Sql::raw("delete from sqlite_stat1"), &[]).await?;
                tx.run(Sql::raw("analyze sqlite_schema"), &[]).await
            };
            db.write("forget", forget).await.unwrap();
        }
        let [values, with_files, orders, phases, batches, steps, files, events] = record::statements();
        let by_key =
            [values, orders, phases, batches, steps, events].map(|text| (text, vec![Value::from(vec![1_i64])]));
        let one = || Value::from(vec!["1".to_owned()]);
        let by_text = [
            (with_files, vec![one()]),
            (files, vec![one()]),
            (record::listed_statement(), vec![Value::from("serial"), one()]),
        ];
        for (text, params) in by_key.into_iter().chain(by_text) {
            let plan = plan_with(&db, engine, text, params).await;
            let tables =
                ["serial", "batch", "batch_serial", "step_execution", "order_phase", "work_order", "file", "event"];
            let scan = |line: &String| {
                let names = |table: &&str| {
                    let ends = |kind: &str| {
                        line.split(kind).nth(1).is_some_and(|rest| rest.split([' ', ')']).next() == Some(*table))
                    };
                    ends("SCAN ") || ends("Seq Scan on ")
                };
                tables.iter().any(names) && !line.contains(" INDEX ")
            };
            let of_released = |line: &String| line.contains("serial_released");
            assert!(!plan.is_empty() && !plan.iter().any(scan), "{text}\n{plan:#?}");
            assert!(!plan.iter().any(of_released), "{text}\n{plan:#?}");
        }
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

/// More products like the first.
async fn add_products(tx: &mut Tx) -> Result<(), StoreError> {
    let first = products::by_ids(tx, &[1]).await?.remove(0);
    let all: Vec<_> = (2..=PRODUCTS)
        .map(|id| {
            let key = ProductKey::trusted(format!("K{id}"));
            let data = ProductData { code: format!("C{id}"), ..first.data.clone() };
            products::Product { id: ProductId(id), key, data, ..first.clone() }
        })
        .collect();
    products::save(tx, &all).await
}

/// As many movements into those positions, each of which also holds some of one of the products.
async fn fill_movements(tx: &mut Tx) -> Result<(), StoreError> {
    stock(tx).await?;
    add_products(tx).await?;
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
         select 1 + value % {products}, position.key from number join position on position.key = 'p' || value",
        "insert into stock (key, product_id, position_key, quantity)
         {numbers}
         select value, 1 + value % {products}, position.key, 1 from number join position on position.key = 'p' || value",
    ];
    for statement in statements {
        let text = statement.replace("{numbers}", numbers).replace("{products}", &PRODUCTS.to_string());
        tx.run(Sql::raw(text), &params![UNITS]).await?;
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
        if engine == Engine::Postgres {
            for (text, params) in movement_views::merged_statements() {
                let plan = plan_with(&db, engine, &text, params).await;
                assert!(plan.iter().any(|line| line.contains("Merge Append")), "{text}\n{plan:#?}");
            }
        }
        for serials_only in [false, true] {
            for (text, params) in inventory::page_statements(serials_only) {
                let plan = plan_with(&db, engine, &text, params).await;
                let everything =
                    plan.iter().any(|line| line.contains("SCAN stock") || line.contains("Seq Scan on stock"));
                let others = serials_only && !plan.iter().any(|line| line.contains("stock_of_serials"));
                assert!(!everything && !others, "{text}\n{plan:#?}");
            }
        }
    });
}

/// The same in a list, every other of them still planned.
async fn fill_list(tx: &mut Tx) -> Result<(), StoreError> {
    fill_movements(tx).await?;
    movement_lists::insert(tx, &list()).await?;
    let sql = "update movement
               set movement_list_key = $1, movement_list_item = key,
                   status = case when key % 2 = 0 then 'planned' else 'completed' end,
                   end_at = case when key % 2 = 0 then cast(null as {int}) else end_at end";
    tx.run(Sql::raw(sql), &params![LIST]).await?;
    tx.run(Sql::raw("analyze"), &[]).await.map(|_| ())
}

/// What has become of a list is looked up, and not counted.
fn the_state_of_a_list_is_looked_up(engine: Engine) {
    super::on(&[engine], async |db| {
        db.write("fill", fill_list).await.unwrap();
        let plan = plan_with(&db, engine, movements::TALLY, vec![Value::from(LIST.0)]).await;
        let others = |line: &String| {
            (line.contains("SEARCH movement") || line.contains("Index") && line.contains(" on movement"))
                && !line.contains("movement_begun_in_list")
                && !line.contains("movement_ended_in_list")
        };
        let sorted = plan.iter().any(|line| line.contains("Sort") || line.contains("TEMP B-TREE"));
        assert!(plan.len() > 5 && !sorted && !plan.iter().any(others), "{plan:#?}");
    });
}

/// As many records of counts, one for each position, half of them waiting to be processed.
async fn fill_counts(tx: &mut Tx) -> Result<(), StoreError> {
    fill_movements(tx).await?;
    sessions::insert(tx, &session(SESSION)).await?;
    let records = "insert into count_record (
                       key, session_key, product_id, position_key, user_key, status, system_qt, system_at, counted_qt, counted_at,
                       processed
                   )
                   select movement.key, cast($1 as {int}), 1, movement.to_key, 'mario', 'confirmed', 1, 1, 2, 1, movement.key > 3000
                   from movement";
    tx.run(Sql::raw(records), &params![SESSION]).await?;
    tx.run(Sql::raw("analyze"), &[]).await.map(|_| ())
}

/// A page of a large count is read position by position, and what waits to be processed by its index.
fn counts_are_read_by_index(engine: Engine) {
    super::on(&[engine], async |db| {
        db.write("fill", fill_counts).await.unwrap();
        let next = "select key from count_record where session_key = $1 and status = 'confirmed' and not processed
                    order by key limit 500";
        let next = (next.to_owned(), vec![Value::from(SESSION)]);
        for (text, params) in [views::first_page(SESSION), next] {
            let plan = plan_with(&db, engine, &text, params).await;
            let everything =
                |line: &String| line.ends_with("SCAN count_record") || line.contains("Seq Scan on count_record");
            assert!(!plan.iter().any(everything), "{text}\n{plan:#?}");
            assert!(plan.iter().any(|line| line.contains("count_record_")), "{text}\n{plan:#?}");
        }
    });
}

/// As many issues, and as many tasks of one user.
async fn fill_collaboration(tx: &mut Tx) -> Result<(), StoreError> {
    stock(tx).await?;
    issue_types::insert(tx, &issue_type()).await?;
    task_types::insert(tx, &task_type()).await?;
    let numbers = "with recursive number (value) as (
                       select cast(1 as {int}) union all select value + 1 from number where value < $1
                   )";
    let statements = [
        "insert into issue (key, issue_type_key, created, created_by, critical, open, searched)
         {numbers}
         select value, 'scratch', value, 'mario', false, true, 'issue ' || value from number",
        "insert into task (
             key, task_type_key, live_type_key, code, code_folded, status, created, created_by, searched, due_sort, start_sort,
             closed_sort
         )
         {numbers}
         select value, 'check', 'check', 'T-' || value, 't-' || value, 'open', value, 'mario', 'valve ' || value, value,
                value, 9223372036854775807
         from number",
    ];
    for statement in statements {
        tx.run(Sql::raw(statement.replace("{numbers}", numbers)), &params![UNITS]).await?;
    }
    let assigned = "insert into task_assignee (
                        user_key, due_sort, created, start_sort, closed_sort, task_key, owner, status, live_type_key
                    )
                    select 'mario', due_sort, created, start_sort, closed_sort, key, true, status, 'check' from task";
    tx.run(Sql::raw(assigned), &[]).await?;
    tx.run(Sql::raw("analyze"), &[]).await.map(|_| ())
}

/// Pages of issues and tasks are found in their order, whatever they are narrowed by.
fn issues_and_tasks_are_read_in_their_order(engine: Engine) {
    super::on(&[engine], async |db| {
        db.write("fill", fill_collaboration).await.unwrap();
        let statements = issue_views::ordered_statements().into_iter().chain(task_views::ordered_statements());
        for (text, params) in statements {
            let plan = plan_with(&db, engine, &text, params).await;
            // PostgreSQL may sort what it takes for a few rows.
            let sorted = plan.iter().any(|line| line.contains("TEMP B-TREE"));
            let by_index = plan.iter().any(|line| ["issue_", "task_"].iter().any(|index| line.contains(index)));
            // A search may fit half of all.
            let by_trigrams = plan.iter().any(|line| line.contains("_trigram"));
            assert!(by_index && !sorted && !by_trigrams, "{text}\n{plan:#?}");
        }
        if engine == Engine::Postgres {
            // Of most tasks it would sort them.
            for (text, params) in task_views::first_statements(UNITS / 20) {
                let plan = plan_with(&db, engine, &text, params).await;
                let sorted = plan.iter().any(|line| line.contains("Sort"));
                assert!(!sorted && plan.iter().any(|line| line.contains("task_")), "{text}\n{plan:#?}");
            }
        }
    });
}

#[test]
fn issues_and_tasks_are_read_in_their_order_on_sqlite() {
    issues_and_tasks_are_read_in_their_order(Engine::Sqlite);
}

#[test]
fn issues_and_tasks_are_read_in_their_order_on_postgres() {
    issues_and_tasks_are_read_in_their_order(Engine::Postgres);
}

#[test]
fn counts_are_read_by_index_on_sqlite() {
    counts_are_read_by_index(Engine::Sqlite);
}

#[test]
fn counts_are_read_by_index_on_postgres() {
    counts_are_read_by_index(Engine::Postgres);
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

#[test]
fn parts_are_read_by_index_on_sqlite() {
    parts_are_read_by_index(Engine::Sqlite);
}

#[test]
fn parts_are_read_by_index_on_postgres() {
    parts_are_read_by_index(Engine::Postgres);
}

#[test]
fn records_are_read_by_index_on_sqlite() {
    records_are_read_by_index(Engine::Sqlite);
}

#[test]
fn records_are_read_by_index_on_postgres() {
    records_are_read_by_index(Engine::Postgres);
}

#[test]
fn the_state_of_a_list_is_looked_up_on_sqlite() {
    the_state_of_a_list_is_looked_up(Engine::Sqlite);
}

#[test]
fn the_state_of_a_list_is_looked_up_on_postgres() {
    the_state_of_a_list_is_looked_up(Engine::Postgres);
}
