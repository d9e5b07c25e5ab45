//! Every place where the store puts a statement together is run on both engines: what `Query` and `Update` make is in no literal
//! that could be found in the source.

mod administration;
mod attachments;
pub(super) mod collaboration;
pub(super) mod collaboration_tasks;
pub(super) mod counting;
mod feed;
mod journal;
mod organisation;
mod process;
mod product;
mod production;
pub(super) mod samples;
pub(super) mod serial;
mod source;
mod stock_views;
mod units;
pub(super) mod warehouse;
mod webhooks;

use std::collections::BTreeSet;

use domain::key::{BatchKey, JobKey, ProductKey, WorkOrderKey};
use store::product::products;
use store::production::{batches, jobs, work_orders};
use store::{StoreError, Tx};

use samples::{batch, job, order, product, stock};

/// Runs each call in a transaction of its own; those that find nothing may say so.
macro_rules! run {
    ($db:ident, $tx:ident: $($call:expr),+ $(,)?) => {$(
        let answer = Box::pin($db.write("query", async move |$tx: &mut Tx| $call.await.map(|_| ()))).await;
        match answer {
            Ok(()) | Err(StoreError::RowCount(0)) => {}
            Err(error) => panic!("{}\n{error:?}", stringify!($call)),
        }
    )+};
}

use run;

#[test]
fn what_is_stored_is_read_back() {
    super::on_both(async |db| {
        db.write("stock", stock).await.unwrap();
        db.write("read", async |tx: &mut Tx| {
            assert_eq!(work_orders::find(tx, WorkOrderKey(1)).await?, Some(order()));
            assert_eq!(jobs::find(tx, JobKey(1)).await?, Some(job()));
            let found = products::find(tx, &ProductKey::trusted("P")).await?;
            assert_eq!(found.map(|found| found.data), Some(product().data));
            let found = batches::find(tx, BatchKey(1)).await?;
            assert_eq!(format!("{found:?}"), format!("{:?}", Some(batch())));
            Ok::<_, StoreError>(())
        })
        .await
        .unwrap();
        db.write("save", production::save).await.unwrap();
    });
}

#[test]
fn every_query_is_run() {
    super::on_both(async |db| {
        db.write("stock", stock).await.unwrap();
        administration::run(&db).await;
        attachments::run(&db).await;
        journal::run(&db).await;
        feed::run(&db).await;
        organisation::run(&db).await;
        process::run(&db).await;
        product::run(&db).await;
        production::run(&db).await;
        serial::run(&db).await;
        units::run(&db).await;
        warehouse::run(&db).await;
        stock_views::run(&db).await;
        counting::run(&db).await;
        collaboration::run(&db).await;
        collaboration_tasks::run(&db).await;
        webhooks::run(&db).await;
    });
    let built: BTreeSet<(String, u32)> =
        store::places_built().into_iter().map(|(file, line)| (file.replace('\\', "/"), line)).collect();
    let missed: Vec<_> = source::places().into_iter().filter(|place| !built.contains(place)).collect();
    assert!(missed.is_empty(), "no statement was run that is put together at\n{missed:#?}");
    keys_are_sorted();
}

/// What lists large records in an order. Nobody is charged for what an engine sorts, so it sorts their keys.
const BY_KEYS: [&str; 7] = [
    "warehouse/contents.rs",
    "warehouse/inventory/rows.rs",
    "warehouse/inventory/sums.rs",
    "warehouse/list_views.rs",
    "warehouse/positions.rs",
    "counting/assignments.rs",
    "counting/views.rs",
];
/// Columns of theirs that may be large.
const LARGE: [&str; 4] = [".description", ".extra", ".notes", ".error_details"];

fn keys_are_sorted() {
    let sorted = store::sorted_statements();
    for name in BY_KEYS {
        let of_file: Vec<&String> =
            sorted.iter().filter(|((file, _), _)| file.ends_with(name)).map(|(_, text)| text).collect();
        assert!(!of_file.is_empty(), "{name} puts nothing in order");
        for text in of_file {
            let order = text.rsplit("order by ").next().unwrap();
            let by_key = !order.contains(',') && [".key", ".id"].iter().any(|key| order.ends_with(key));
            // All records of counts are streamed as they are, position by position.
            let streamed = text.contains("from position cross join count_record");
            let whole = LARGE.iter().any(|column| text.contains(column));
            assert!(by_key || streamed || !whole, "{name} has whole rows sorted:\n{text}");
        }
    }
}
