//! The choices people have when they search for open work.

use std::collections::HashMap;

use domain::key::{PhaseKey, ProductKey, WorkOrderKey};
use domain::text::fold;
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use store::production::work_orders;

use crate::Result;
use crate::cx::Cx;
use crate::reply::{Envelope, envelope};

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WorkOrderSearchOptions")]
pub(super) struct Options {
    phases: Vec<PhaseChoice>,
    products: Vec<ProductChoice>,
    wo_codes: Vec<OrderChoice>,
}

#[derive(Serialize, JsonSchema)]
struct PhaseChoice {
    _key: PhaseKey,
    /// Its alias.
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct ProductChoice {
    _key: ProductKey,
    /// Its code.
    name: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WorkOrderChoice")]
struct OrderChoice {
    _key: WorkOrderKey,
    /// Its code.
    name: String,
}

pub(super) async fn read(cx: Cx) -> Result<Envelope<Options>> {
    let open = cx.db.read_long(async move |tx: &mut Tx| work_orders::open_work(tx).await).await?;
    let (mut phases, mut products, mut orders) = (HashMap::new(), HashMap::new(), HashMap::new());
    // The newest order comes last, so its names win.
    for work in open {
        phases.insert(work.phase_key, work.phase_alias);
        products.insert(work.product_key, work.product_code);
        orders.insert(work.work_order_key, work.wo_code);
    }
    let options = Options {
        phases: by_name(phases, |_key, name| PhaseChoice { _key, name }),
        products: by_name(products, |_key, name| ProductChoice { _key, name }),
        wo_codes: by_name(orders, |_key, name| OrderChoice { _key, name }),
    };
    envelope("Search options listed.", options)
}

fn by_name<K: Ord + Clone, T>(names: HashMap<K, String>, choice: impl Fn(K, String) -> T) -> Vec<T> {
    let mut names: Vec<(K, String)> = names.into_iter().collect();
    names.sort_by_cached_key(|(key, name)| (fold(name), name.clone(), key.clone()));
    names.into_iter().map(|(key, name)| choice(key, name)).collect()
}
