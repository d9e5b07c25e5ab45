//! Production figures of a product.

use std::collections::HashMap;

use domain::key::PhaseKey;
use domain::product::WindowType;
use domain::production::{mean_seconds, pass_yield, rate, rolled_yield, seconds_per_unit};
use domain::{Quantity, Timestamp, Total};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::product::products;
use store::product::stats::{self, Output, PhaseName, Since, Worked};

use super::not_found;
use crate::Result;
use crate::areas::paths::ProductPath;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Path, Query};
use crate::reply::Bare;

const DAY_SECONDS: i64 = 86_400;

#[derive(Deserialize, JsonSchema)]
pub(super) struct StatsQuery {
    /// What the window counts, closed orders or days; the product's `kpi_window_type` when left out.
    window_type: Option<WindowType>,
    /// The size of the window; the product's `kpi_window_size` when left out.
    #[schemars(range(min = 1))]
    window_size: Option<i64>,
}

/// Over the orders closed in the window, without canceled batches.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProductStats")]
pub(super) struct Stats {
    window: Window,
    /// Regardless of the window.
    open_work_orders: i64,
    /// What is left to make of them; null beyond 1e12, like all quantities here.
    open_qt: Option<Quantity>,
    units_made: Option<Quantity>,
    units_scrapped: Option<Quantity>,
    /// The units that these orders have released.
    serials_released: i64,
    /// Seconds of work per unit made; null if none was made.
    mean_processing_time: Option<Quantity>,
    /// Seconds from start to end; null without orders.
    mean_throughput_time: Option<Quantity>,
    /// 0 to 1; null without orders.
    on_time_rate: Option<Quantity>,
    phases: Vec<PhaseStats>,
    /// The product of the phases' yields.
    rolled_yield: Option<Quantity>,
    /// Those of them that no batch which was canceled had worked on.
    first_pass_units: i64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StatsWindow")]
struct Window {
    #[serde(rename = "type")]
    kind: WindowType,
    /// Closed orders or days; null: all.
    size: Option<i64>,
    /// When it begins: for a number of orders, the end of the first of them.
    from: Option<Timestamp>,
    to: Timestamp,
}

#[derive(Serialize, JsonSchema)]
struct PhaseStats {
    phase_key: PhaseKey,
    /// As the newest order calls it.
    alias: String,
    qt_pass: Option<Quantity>,
    qt_scrap: Option<Quantity>,
    /// The share of processed units that passed; null if none was processed.
    first_pass_yield: Option<Quantity>,
    /// Seconds of work per unit that passed; null if none did.
    mean_processing_time: Option<Quantity>,
}

pub(super) async fn read(
    cx: Cx,
    Path(path): Path<ProductPath>,
    Query(query): Query<StatsQuery>,
) -> Result<Bare<Stats>> {
    let now = cx.now();
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let product = products::find(tx, &path.product_key).await?.ok_or_else(not_found)?;
            let kind = query.window_type.unwrap_or(product.data.kpi_window_type);
            let size = query.window_size.or(product.data.kpi_window_size);
            let (since, begins) = match (kind, size) {
                (_, None) => (Since::EVER, None),
                (WindowType::Count, Some(orders)) => (stats::since_last(tx, product.id, orders).await?, None),
                (WindowType::Time, Some(days)) => match days_before(now, days) {
                    Some(begins) => (Since::time(begins), Some(begins)),
                    None => (Since::EVER, None),
                },
            };
            let closed = stats::closed(tx, product.id, since).await?;
            let open = stats::open(tx, product.id).await?;
            let names = stats::phases(tx, product.id, since).await?;
            let output = stats::output(tx, product.id, since).await?;
            let worked = stats::worked(tx, product.id, since).await?;
            let released = stats::released_units(tx, product.id, since).await?;
            let all_worked = worked.iter().map(|worked| worked.millis).sum();
            let phases = phases(names, output, worked);
            Ok::<_, ApiError>(Bare(Stats {
                window: Window { kind, size, from: begins.or(closed.first_end), to: now },
                open_work_orders: open.orders,
                open_qt: open.remaining.quantity(),
                units_made: closed.completed.quantity(),
                units_scrapped: closed.scrapped.quantity(),
                serials_released: released.units,
                mean_processing_time: seconds_per_unit(all_worked, closed.completed),
                mean_throughput_time: mean_seconds(closed.throughput, closed.orders),
                on_time_rate: rate(count(closed.on_time), count(closed.orders)),
                rolled_yield: rolled_yield(phases.iter().map(|phase| phase.first_pass_yield)),
                phases,
                first_pass_units: released.first_pass,
            }))
        })
        .await
}

/// A number of days ago; `None` if that is before anything can have been made.
fn days_before(now: Timestamp, days: i64) -> Option<Timestamp> {
    let begins = now.millis().checked_sub(days.checked_mul(DAY_SECONDS * 1000)?)?;
    (begins >= 0).then(|| Timestamp::from_millis(begins))
}

/// A count, as the rate functions take it.
fn count(number: i64) -> Total {
    Total::from_millionths(number.into())
}

fn phases(names: Vec<PhaseName>, output: Vec<Output>, worked: Vec<Worked>) -> Vec<PhaseStats> {
    let output: HashMap<PhaseKey, Output> = output.into_iter().map(|output| (output.phase_key, output)).collect();
    let worked: HashMap<PhaseKey, i128> = worked.into_iter().map(|worked| (worked.phase_key, worked.millis)).collect();
    let figures = |PhaseName { phase_key, alias }| {
        let (pass, scrap) =
            output.get(&phase_key).map_or((Total::ZERO, Total::ZERO), |output| (output.pass, output.scrap));
        PhaseStats {
            phase_key,
            alias,
            qt_pass: pass.quantity(),
            qt_scrap: scrap.quantity(),
            first_pass_yield: pass_yield(pass, scrap),
            mean_processing_time: seconds_per_unit(worked.get(&phase_key).copied().unwrap_or(0), pass),
        }
    };
    names.into_iter().map(figures).collect()
}
