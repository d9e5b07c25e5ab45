//! The data for the benchmarks of bills of materials: the same in every run, written through the store.

use domain::Quantity;
use domain::Timestamp;
use domain::bom_line::{BomLine, BomSource, ConsumptionOptions};
use domain::key::{BomLineKey, PhaseKey, ProductId, ProductKey, UserKey};
use domain::product::ProductData;
use serde_json::Value;
use store::product::boms::{self, Deed, Line};
use store::product::products::{self, Product};
use store::{Db, Sql, StoreError, Tx};

use crate::server::Place;

pub const LEVELS: usize = 20;
pub const WIDTH: usize = 250;
/// Lines of each product, except those of the last level.
pub const LINES: usize = 21;
pub const STORED_LINES: usize = (LEVELS - 1) * WIDTH * LINES;
/// Products of the dense diamond, each with two lines on the next.
pub const DIAMOND: usize = 26;
/// Products of the ring, each with a line on the next; the last line would close it.
pub const RING: usize = 200;

/// The product of a level; level 0 contains all others, the last is bought.
pub fn level(level: usize, number: usize) -> String {
    format!("L{level:02}-{number:03}")
}

pub fn diamond(number: usize) -> String {
    format!("D{number:02}")
}

pub fn ring(number: usize) -> String {
    format!("R{number:03}")
}

/// Fills the database while no server runs on it.
pub async fn fill(place: &Place) {
    let (db, _) = Db::open(&place.location()).await.expect("the database opens");
    db.write("dataset", async |tx: &mut Tx| fill_in(tx).await).await.expect("the dataset is stored");
    db.close().await;
    place.settle().await;
}

async fn fill_in(tx: &mut Tx) -> Result<(), StoreError> {
    let levels = (0..LEVELS).flat_map(|depth| (0..WIDTH).map(move |number| level(depth, number)));
    let codes: Vec<String> = levels.chain((0..DIAMOND).map(diamond)).chain((0..RING).map(ring)).collect();
    let mut all: Vec<Product> = codes.into_iter().enumerate().map(|(index, code)| product(index, code)).collect();
    products::save(tx, &all).await?;
    processes(tx).await?;
    let mut keys = (1..).map(BomLineKey);
    // Twenty lines of a twentieth each: the totals stay readable over twenty levels.
    let share = Quantity::from_millionths(1_000_000 / LINES as i64);
    for index in 0..(LEVELS - 1) * WIDTH {
        let below = (index / WIDTH + 1) * WIDTH;
        let components: Vec<usize> = (0..LINES).map(|line| below + (index * 31 + line * 37) % WIDTH).collect();
        replace(tx, &mut all, index, &components, share, &mut keys).await?;
    }
    let (diamonds, rings) = (LEVELS * WIDTH, LEVELS * WIDTH + DIAMOND);
    for index in diamonds..rings - 1 {
        replace(tx, &mut all, index, &[index + 1, index + 1], Quantity::ONE, &mut keys).await?;
    }
    for index in rings..rings + RING - 1 {
        replace(tx, &mut all, index, &[index + 1], Quantity::ONE, &mut keys).await?;
    }
    Ok(())
}

fn now() -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000)
}

fn product(index: usize, code: String) -> Product {
    Product {
        id: ProductId(index as i64 + 1),
        key: ProductKey::trusted(code.clone()),
        rev: 1,
        data: ProductData { description: Some(format!("Product {index} of the dataset")), ..ProductData::new(code) },
        trash: false,
        created: now(),
        updated: now(),
        bom_version: 0,
        img_name: None,
    }
}

/// One phase for each product.
async fn processes(tx: &mut Tx) -> Result<(), StoreError> {
    const PARAMETERS: &str = r#"{"parallel_job_allowed":true,"step_check":false,"step_check_force_order":false,"production_batch_qt":1,"auto_new_batch":true,"max_offline":300,"std_processing_time":60,"unsupervised_work_allowed":false,"display_job_timer":false}"#;
    let operation =
        "insert into operation (key, name, name_folded, default_phase_parameters) values ('work', 'Work', 'work', $1)";
    tx.run(Sql::raw(operation), &store::params![PARAMETERS]).await?;
    let phases = "insert into phase (key, product_id, place, alias, operation_key, params)
                  select id, id, 0, 'Assembly', 'work', $1 from product";
    tx.run(Sql::raw(phases), &store::params![PARAMETERS]).await?;
    Ok(())
}

async fn replace(
    tx: &mut Tx,
    all: &mut [Product],
    index: usize,
    components: &[usize],
    qt: Quantity,
    keys: &mut impl Iterator<Item = BomLineKey>,
) -> Result<(), StoreError> {
    let phase_key = PhaseKey(all[index].id.0);
    let lines: Vec<Line> = components
        .iter()
        .zip(keys)
        .enumerate()
        .map(|(line_no, (component, bom_line_key))| {
            let component = &all[*component];
            let line = BomLine {
                bom_line_key,
                line_no: line_no as i64,
                component_key: component.key.clone(),
                component_code: component.data.code.clone(),
                component_description: component.data.description.clone(),
                qt,
                phase_key,
                phase_name: "Assembly".to_owned(),
                traceability_level: None,
                manage_inventory: false,
                consumption_options: ConsumptionOptions::default(),
                extra: Value::Null,
            };
            Line { component_id: component.id, cost_average: None, line }
        })
        .collect();
    let deed = Deed { source: BomSource::Put, by: UserKey::trusted("bench"), now: now() };
    boms::replace(tx, &mut all[index], &lines, &deed).await
}
