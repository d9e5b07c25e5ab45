use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{BatchKey, JobKey, PhaseKey, ProductId, ProductKey, WorkOrderKey};
use domain::production::{Job, Order, Work};
use domain::search::{Pattern, Piece};
use domain::text::fold;

use super::jobs;
use crate::columns::{self, Record, columns};
use crate::lock::Rows;
use crate::postgres::Turn;
use crate::row::row_struct;
use crate::search::Searched;
use crate::sql::{Page, Paged, Query, Sql, sql};
use crate::tx::{Link, Tx};
use crate::value::Value;
use crate::{Result, params};

columns! {
    Order in work_order {
        key,
        rev,
        wo_code,
        product_id,
        product_key,
        product_code,
        product_description,
        qt_planned,
        priority,
        project_code,
        notes,
        start_from,
        due_by,
        extra,
        output_position_key,
        traceability_level,
        serial_code_on_creation,
        bom_version,
        serial_fields,
        wo_docs,
        material_cost,
        status,
        active,
        critical,
        qt_completed,
        qt_scrap,
        progress,
        created,
        created_by,
        started,
        ended,
        place,
    }
    derived {
        searched: String = searched;
    }
    kept {
        wo_code, product_id, product_key, product_code, product_description, traceability_level, serial_code_on_creation,
        serial_fields, wo_docs, created, created_by, searched,
    }
}

pub async fn find(tx: &mut Tx, key: WorkOrderKey) -> Result<Option<Order>> {
    Order::select().filter("work_order.key = {}", key).maybe(tx).await
}

/// Those of these that there are.
pub async fn find_all(tx: &mut Tx, keys: &[i64]) -> Result<Vec<Order>> {
    Order::select().filter("work_order.key {in {}}", keys.to_vec()).all(tx, "work_order.key").await
}

/// Those that are not closed, in the order of the site queue.
pub async fn waiting(tx: &mut Tx, page: &Page) -> Result<Paged<Order>> {
    Order::select().only("work_order.status <> 'closed'").page(tx, "work_order.place, work_order.key", page).await
}

/// What an order makes.
pub async fn product_of(tx: &mut Tx, key: WorkOrderKey) -> Result<ProductKey> {
    tx.one(sql!("select product_key from work_order where key = $1"), &params![key]).await
}

/// Whether its units are traced.
pub async fn is_traced(tx: &mut Tx, key: WorkOrderKey) -> Result<bool> {
    tx.one(sql!("select traceability_level is not null from work_order where key = $1"), &params![key]).await
}

/// Locked to the end of the transaction: events of one order come one after the other.
pub async fn lock(tx: &mut Tx, key: WorkOrderKey) -> Result<Option<Order>> {
    tx.take_turns([Turn::Order(key.0)])?;
    Order::select().filter("work_order.key = {}", key).locked(Rows::Order).maybe(tx).await
}

/// Those that there are, locked in the order of their keys.
pub async fn lock_all(tx: &mut Tx, keys: &[i64]) -> Result<Vec<Order>> {
    tx.take_turns(keys.iter().map(|key| Turn::Order(*key)))?;
    Order::select().filter("work_order.key {in {}}", keys.to_vec()).locked_by(tx, Rows::Order, "work_order.key").await
}

/// Locks the orders of these jobs and batches, and these orders themselves, all in the order of their keys.
pub async fn lock_named(tx: &mut Tx, orders: Vec<i64>, jobs: Vec<i64>, batches: Vec<i64>) -> Result<Vec<i64>> {
    let named = sql!(
        "select key from work_order where key {in $1}
         union select work_order_key from job where job.key {in $2}
         union select work_order_key from batch where batch.key {in $3}"
    );
    let keys: Vec<i64> = tx.all(named, &params![orders, jobs, batches]).await?;
    tx.take_turns(keys.iter().map(|key| Turn::Order(*key)))?;
    let locked = sql!("select key from work_order where key {in $1} order by key {lock}").locked(Rows::Order);
    tx.all(locked, &params![keys]).await
}

/// Whether one of these orders is traced, or has a batch in which components were linked.
pub async fn any_with_links(tx: &mut Tx, orders: &[i64]) -> Result<bool> {
    let sql = sql!(
        "select exists (select 1 from work_order where key {in $1} and traceability_level is not null)
             or exists (select 1 from batch where work_order_key {in $1} and active and linked)
             or exists (
                 select 1
                 from batch
                 join serial_link on serial_link.batch_key = batch.key and serial_link.batch_key is not null
                 where batch.work_order_key {in $1}
             )"
    );
    tx.one(sql, &params![orders.to_vec()]).await
}

/// Takes the turn at the order of a job or a batch, which this statement finds where it is not known.
async fn take_turn_of(tx: &mut Tx, key: i64, sql: Sql) -> Result<()> {
    let Link::Postgres(link) = tx.link_mut() else { return Ok(()) };
    let order = match link.order_of(key) {
        Some(order) => Some(order),
        None => tx.maybe(sql, &params![key]).await?,
    };
    let Some(order) = order else { return Ok(()) };
    if let Link::Postgres(link) = tx.link_mut() {
        link.remember_order(key, order);
    }
    tx.take_turns([Turn::Order(order)])
}

/// All work of an order, locked.
pub async fn lock_work(tx: &mut Tx, key: WorkOrderKey) -> Result<Option<Work>> {
    static OF_KEY: LazyLock<LockedWork> = LazyLock::new(|| LockedWork::of("{}"));
    tx.take_turns([Turn::Order(key.0)])?;
    locked_work(tx, &OF_KEY, key.0).await
}

/// All work of the order of a job, locked.
pub async fn lock_work_of_job(tx: &mut Tx, job: JobKey) -> Result<Option<Work>> {
    static OF_JOB: LazyLock<LockedWork> =
        LazyLock::new(|| LockedWork::of("(select work_order_key from job where job.key = {})"));
    take_turn_of(tx, job.0, sql!("select work_order_key from job where key = $1")).await?;
    locked_work(tx, &OF_JOB, job.0).await
}

/// All work of the order of a batch, locked.
pub async fn lock_work_of_batch(tx: &mut Tx, batch: BatchKey) -> Result<Option<Work>> {
    static OF_BATCH: LazyLock<LockedWork> =
        LazyLock::new(|| LockedWork::of("(select work_order_key from batch where batch.key = {})"));
    take_turn_of(tx, batch.0, sql!("select work_order_key from batch where key = $1")).await?;
    locked_work(tx, &OF_BATCH, batch.0).await
}

/// The statements that lock and read the order whose key an expression is, and its jobs.
struct LockedWork {
    order: Sql,
    jobs: Sql,
}

impl LockedWork {
    fn of(key: &str) -> Self {
        let order = Order::select().filter(&format!("work_order.key = {key}"), 0).locked(Rows::Order);
        Self { order: order.parts().0.for_good(), jobs: jobs::of_order_at(key, 0).0.for_good() }
    }
}

/// The order that these statements find by a value, and its jobs, which are read when the lock is held.
async fn locked_work(tx: &mut Tx, statements: &LockedWork, value: i64) -> Result<Option<Work>> {
    let LockedWork { order, jobs } = statements;
    let params = params![value];
    let (mut orders, jobs) = tx.locked_with((order.clone(), &params), 1, (jobs.clone(), &params)).await?;
    Ok(orders.pop().map(|order| work(order, jobs)))
}

/// All work of locked orders.
pub async fn works_of(tx: &mut Tx, orders: Vec<Order>) -> Result<Vec<Work>> {
    let keys: Vec<i64> = orders.iter().map(|order| order.key.0).collect();
    let mut of_orders: HashMap<WorkOrderKey, Vec<Job>> = HashMap::new();
    for job in jobs::of_orders(tx, &keys).await? {
        of_orders.entry(job.work_order_key).or_default().push(job);
    }
    let works = orders.into_iter().map(|order| {
        let jobs = of_orders.remove(&order.key).unwrap_or_default();
        work(order, jobs)
    });
    Ok(works.collect())
}

/// All of a locked order's work.
pub async fn work_of(tx: &mut Tx, order: Order) -> Result<Work> {
    let jobs = jobs::of_order(tx, order.key).await?;
    Ok(work(order, jobs))
}

fn work(order: Order, jobs: Vec<Job>) -> Work {
    // Every phase has a job.
    let phases = jobs.last().map_or(0, |job| job.phase_place + 1);
    Work { order, jobs, phases }
}

/// A taken code is a constraint error.
pub async fn insert(tx: &mut Tx, order: &Order) -> Result<()> {
    tx.changed(Collection::WorkOrder, order.key);
    columns::insert(tx, order).await
}

/// Whether its own code fits a pattern.
pub(crate) const CODE_FITS: &str = "{part-matches work_order searched 1 {}}";
/// Whether the code of its project fits a pattern.
pub(crate) const PROJECT_FITS: &str =
    "(work_order.project_code is not null and {part-matches work_order searched 3 {}})";

/// What a search looks at: nothing is found across the border of two codes.
fn searched(order: &Order) -> String {
    let project = order.project_code.as_deref().unwrap_or_default();
    fold(&format!("{}\u{1f}{}\u{1f}{project}", order.wo_code, order.product_code))
}

/// Has it found by what its codes are now. Apart from [`save`], which every event does.
pub async fn renew_search(tx: &mut Tx, order: &Order) -> Result<()> {
    let sql = sql!("update work_order set searched = $2 where key = $1");
    tx.run(sql, &params![order.key, searched(order)]).await.map(|_| ())
}

/// Stores what has changed of an order; its revision rises.
pub async fn save(tx: &mut Tx, before: &Order, order: &mut Order) -> Result<()> {
    order.rev = before.rev + 1;
    tx.changed(Collection::WorkOrder, order.key);
    columns::changes(before, order).run_later(tx).await
}

/// Which of these codes orders have.
pub async fn taken_codes(tx: &mut Tx, codes: &[String]) -> Result<HashSet<String>> {
    let sql = sql!("select wo_code from work_order where wo_code {in $1}");
    Ok(tx.all::<String>(sql, &params![codes.to_vec()]).await?.into_iter().collect())
}

/// The codes of the orders of a product that are not closed, in order.
pub async fn open_codes(tx: &mut Tx, product: ProductId) -> Result<Vec<String>> {
    let sql = sql!("select wo_code from work_order where product_id = $1 and ended is null order by key");
    let mut codes: Vec<String> = tx.all(sql, &params![product]).await?;
    codes.sort_by_cached_key(|code| (fold(code), code.clone()));
    Ok(codes)
}

/// Which orders a list shows; each condition that is given narrows it.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// In the order's code, the product's or the project's.
    pub search: Option<Pattern>,
    pub open: bool,
    pub closed: bool,
    pub product_key: Option<ProductKey>,
    pub started_from: Option<Timestamp>,
    pub started_to: Option<Timestamp>,
    pub ended_from: Option<Timestamp>,
    pub ended_to: Option<Timestamp>,
}

const KEYS: &str = "select work_order.key from work_order";
pub(crate) const SEARCHED: Searched = Searched { table: "work_order", id: "key", column: "searched" };

/// When an order ended, and the end of time for open ones: word for word what the index of lists has.
const LISTED: &str = "coalesce(work_order.ended, 9223372036854775807)";
const END_OF_TIME: i64 = i64::MAX;

/// Open ones first, then those that ended last.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<Order>> {
    let mut query = Query::new(KEYS);
    if let Some(pattern) = &wanted.search {
        query = query.matching(SEARCHED, pattern);
    }
    query = match (wanted.open, wanted.closed) {
        (true, true) => query,
        (true, false) => query.only(&format!("{LISTED} >= {END_OF_TIME}")),
        (false, true) => query.only(&format!("{LISTED} < {END_OF_TIME}")),
        (false, false) => query.only("1 = 0"),
    };
    let found = query
        .filter_if(
            "work_order.product_id = (select product.id from product where product.key = {})",
            wanted.product_key.as_ref(),
        )
        .filter_if("work_order.started >= {}", wanted.started_from)
        .filter_if("work_order.started <= {}", wanted.started_to)
        .filter_if("work_order.ended >= {}", wanted.ended_from)
        .filter_if("work_order.ended <= {}", wanted.ended_to)
        .page(tx, &format!("{LISTED} desc, work_order.key"), page)
        .await?;
    Ok(Paged { rows: in_order(tx, found.rows).await?, total: found.total })
}

/// These orders, in this order.
async fn in_order(tx: &mut Tx, keys: Vec<WorkOrderKey>) -> Result<Vec<Order>> {
    let keys = keys.into_iter().map(|key| key.0).collect();
    Order::select().in_order(tx, "work_order.key", keys, |order: &Order| order.key.0).await
}

/// The keys of orders with such a code; `None` if there are more than so many.
pub async fn keys_of_code(tx: &mut Tx, pattern: &Pattern, most: usize) -> Result<Option<Vec<i64>>> {
    let texts = pattern.pieces().iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.as_str()),
        _ => None,
    });
    // An index has all codes of an order together.
    let longest = Pattern::substring(texts.max_by_key(|text| text.chars().count()).unwrap_or_default());
    let page = Page { limit: most as i64 + 1, offset: 0, count: false };
    let found: Paged<WorkOrderKey> = Query::new(KEYS)
        .matching(SEARCHED, &longest)
        .filter(CODE_FITS, Value::Pattern(pattern.clone()))
        .page(tx, "work_order.key", &page)
        .await?;
    Ok((found.rows.len() <= most).then(|| found.rows.into_iter().map(|key| key.0).collect()))
}

row_struct! {
    /// A phase of an order that has an open job.
    pub struct OpenWork {
        pub work_order_key: WorkOrderKey,
        pub wo_code: String,
        pub product_key: ProductKey,
        pub product_code: String,
        pub phase_key: PhaseKey,
        pub phase_alias: String,
    }
}

/// By order, the oldest first.
pub async fn open_work(tx: &mut Tx) -> Result<Vec<OpenWork>> {
    tx.all(
        sql!(
            "select work_order.key, work_order.wo_code, work_order.product_key, work_order.product_code,
                    order_phase.phase_key, order_phase.alias
             from job
             join work_order on work_order.key = job.work_order_key
             join order_phase on order_phase.work_order_key = job.work_order_key
             and order_phase.phase_key = job.phase_key
             where job.stage <> 'closed'
             order by work_order.key, order_phase.place"
        ),
        &[],
    )
    .await
}
