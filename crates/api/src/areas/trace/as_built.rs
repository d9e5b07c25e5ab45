//! The units of a product as they were planned and as they were built.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::collection::Collection;
use domain::key::{ProductId, ProductKey, SerialKey, WorkOrderKey};
use domain::product::TraceabilityLevel;
use domain::serial::{Need, ReferenceBom};
use domain::text::compare;
use domain::trace::{Compared, LineStatus, compare as compare_built};
use domain::{Quantity, Timestamp, named};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::product::products;
use store::production::order_boms;
use store::serial::as_built::{self, BuiltUnit, Part};
use store::{Page, Paged, Tx};

use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path, Query};
use crate::reply::Listed;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ProductPath {
    /// The key of a product.
    product_key: ProductKey,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct AsBuiltQuery {
    /// Only these serials, which have to be of the product; without it, all that were not deleted.
    #[serde(default)]
    serial_key: Vec<SerialKey>,
}

named! {
    /// Which bill of materials a unit is compared with.
    #[schemars(rename = "AsBuiltBomSource")]
    pub enum BomSource {
        /// That of its work order.
        WorkOrder = "work_order",
        /// The present one of its product.
        Product = "product",
    }
}

/// A unit as it was planned and as it was built.
#[derive(Serialize, JsonSchema)]
pub(super) struct AsBuilt {
    serial_key: SerialKey,
    serial_code: Option<String>,
    /// The order that makes it; null for goods received.
    wo_key: Option<WorkOrderKey>,
    bom_source: BomSource,
    /// Whether nothing is missing.
    complete: bool,
    /// In the order of the bill of materials, then what it does not name.
    lines: Vec<AsBuiltLine>,
}

/// A component as it was planned and as it was built in.
#[derive(Serialize, JsonSchema)]
struct AsBuiltLine {
    component_key: ProductKey,
    component_code: String,
    component_description: Option<String>,
    /// How units of the component are traced; null if they are not.
    traceability_level: Option<TraceabilityLevel>,
    /// Of a traced component whole units. Null if it is out of range.
    planned_qt: Option<Quantity>,
    /// Null if units of the component are not traced.
    built_qt: Option<Quantity>,
    /// What was built less what was planned. Null if units of the component are not traced.
    delta: Option<Quantity>,
    status: LineStatus,
    /// The units that were built in, by the time they were linked.
    serials: Vec<AsBuiltSerial>,
}

/// A unit that was built in.
#[derive(Serialize, JsonSchema)]
struct AsBuiltSerial {
    serial_key: SerialKey,
    serial_code: Option<String>,
    product_key: ProductKey,
    /// Always 1.
    quantity: u8,
    linked: Timestamp,
}

/// What a line takes, with its text, besides the row of its component.
const LINE_BYTES: usize = 600;
/// What a unit that was built in takes in the answer, besides its row.
const SERIAL_BYTES: usize = 300;

pub(super) async fn list(
    cx: Cx,
    Path(path): Path<ProductPath>,
    Query(query): Query<AsBuiltQuery>,
    Paging(page): Paging<200>,
) -> Result<Listed<AsBuilt>> {
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let product = products::find(tx, &path.product_key).await?;
            let product = product.ok_or_else(|| ApiError::missing(Collection::Product))?.id;
            let found = units(tx, product, &query.serial_key, &page).await?;
            let plans = Plans::load(tx, product, &found.rows).await?;
            let keys: Vec<i64> = found.rows.iter().map(|unit| unit.key.0).collect();
            let parts = as_built::parts(tx, &keys).await?;
            let lines: usize = found.rows.iter().map(|unit| plans.of(unit).bom.needs().len()).sum();
            tx.take_memory(lines * LINE_BYTES + parts.len() * (LINE_BYTES + SERIAL_BYTES))?;
            let mut of_units: HashMap<SerialKey, Vec<Part>> = HashMap::new();
            for part in parts {
                of_units.entry(part.parent_key).or_default().push(part);
            }
            let compared = |unit: BuiltUnit| {
                let parts = of_units.remove(&unit.key).unwrap_or_default();
                let lines = plans.of(&unit).lines(parts);
                AsBuilt {
                    serial_key: unit.key,
                    serial_code: unit.code,
                    bom_source: if unit.wo_key.is_some() { BomSource::WorkOrder } else { BomSource::Product },
                    wo_key: unit.wo_key,
                    complete: lines.iter().all(|line| line.status != LineStatus::Missing),
                    lines,
                }
            };
            let rows = found.rows.into_iter().map(compared).collect();
            Ok::<_, ApiError>(Listed { rows, total: found.total })
        })
        .await
}

/// One page of the units of a product: of those that are named, or of all.
async fn units(tx: &mut Tx, product: ProductId, named: &[SerialKey], page: &Page) -> Result<Paged<BuiltUnit>> {
    if named.is_empty() {
        return Ok(as_built::units(tx, product, page).await?);
    }
    let keys: BTreeSet<i64> = named.iter().map(|key| key.0).collect();
    let keys: Vec<i64> = keys.into_iter().collect();
    let found = as_built::units_of(tx, product, &keys).await?;
    if found.len() < keys.len() {
        return Err(ApiError::missing(Collection::Serial));
    }
    let Listed { rows, total } = Listed::page(found, page);
    Ok(Paged { rows, total })
}

/// What a component is called, and how it is traced.
struct Component {
    code: String,
    description: Option<String>,
    traceability_level: Option<TraceabilityLevel>,
}

/// What units are compared with.
#[derive(Default)]
struct Plan {
    bom: ReferenceBom,
    components: HashMap<ProductKey, Component>,
}

impl Plan {
    /// From the lines of a bill of materials, in any order.
    fn new(mut lines: Vec<(ProductKey, Quantity, Component)>) -> Self {
        lines.sort_by(|(_, _, one), (_, _, next)| compare(&one.code, &next.code));
        let needs = lines.iter().map(|(key, quantity, component)| Need {
            component_key: key.clone(),
            quantity: (*quantity).into(),
            traced: component.traceability_level.is_some(),
        });
        let bom = needs.collect();
        let mut components: HashMap<ProductKey, Component> = HashMap::new();
        for (key, _, component) in lines {
            let level = component.traceability_level;
            let known = components.entry(key).or_insert(component);
            known.traceability_level = known.traceability_level.or(level);
        }
        Self { bom, components }
    }

    /// The lines of a unit with these parts.
    fn lines(&self, mut parts: Vec<Part>) -> Vec<AsBuiltLine> {
        parts.sort_by_key(|part| (part.linked, part.key));
        let mut built: BTreeMap<ProductKey, Vec<Part>> = BTreeMap::new();
        for part in parts {
            built.entry(part.component_key.clone()).or_default().push(part);
        }
        let mut lines = Vec::with_capacity(self.bom.needs().len());
        for need in self.bom.needs() {
            if let Some(component) = self.components.get(&need.component_key) {
                let parts = built.remove(&need.component_key).unwrap_or_default();
                lines.push(line(&need.component_key, component, Some(need), parts));
            }
        }
        let planned = lines.len();
        for (key, parts) in built {
            let Some(first) = parts.first() else { continue };
            let component = Component {
                code: first.product_code.clone(),
                description: first.product_description.clone(),
                traceability_level: first.traceability_level,
            };
            lines.push(line(&key, &component, None, parts));
        }
        lines[planned..].sort_by(|one, next| compare(&one.component_code, &next.component_code));
        lines
    }
}

fn line(key: &ProductKey, component: &Component, need: Option<&Need>, parts: Vec<Part>) -> AsBuiltLine {
    let Compared { planned, built, delta, status } = compare_built(need, parts.len() as u64);
    AsBuiltLine {
        component_key: key.clone(),
        component_code: component.code.clone(),
        component_description: component.description.clone(),
        traceability_level: component.traceability_level,
        planned_qt: planned.quantity(),
        built_qt: built.and_then(domain::Total::quantity),
        delta: delta.and_then(domain::Total::quantity),
        status,
        serials: parts.into_iter().map(serial).collect(),
    }
}

fn serial(part: Part) -> AsBuiltSerial {
    AsBuiltSerial {
        serial_key: part.key,
        serial_code: part.code,
        product_key: part.product_key,
        quantity: 1,
        linked: part.linked,
    }
}

/// The plans of some units of one product.
struct Plans {
    of_orders: HashMap<WorkOrderKey, Plan>,
    of_product: Plan,
    /// Of an order without lines.
    empty: Plan,
}

impl Plans {
    async fn load(tx: &mut Tx, product: ProductId, units: &[BuiltUnit]) -> Result<Self> {
        let orders: BTreeSet<i64> = units.iter().filter_map(|unit| unit.wo_key).map(|key| key.0).collect();
        let orders: Vec<i64> = orders.into_iter().collect();
        let mut of_orders = HashMap::new();
        if !orders.is_empty() {
            for (order, lines) in order_boms::of_orders(tx, &orders).await? {
                let lines = lines.into_iter().map(|kept| {
                    let component = Component {
                        code: kept.line.component_code,
                        description: kept.line.component_description,
                        traceability_level: kept.line.traceability_level,
                    };
                    (kept.line.component_key, kept.line.qt, component)
                });
                of_orders.insert(order, Plan::new(lines.collect()));
            }
        }
        let mut of_product = Plan::default();
        if units.iter().any(|unit| unit.wo_key.is_none()) {
            let lines = as_built::planned(tx, product).await?.into_iter().map(|line| {
                let component = Component {
                    code: line.code,
                    description: line.description,
                    traceability_level: line.traceability_level,
                };
                (line.component_key, line.quantity, component)
            });
            of_product = Plan::new(lines.collect());
        }
        Ok(Self { of_orders, of_product, empty: Plan::default() })
    }

    fn of(&self, unit: &BuiltUnit) -> &Plan {
        match unit.wo_key {
            Some(order) => self.of_orders.get(&order).unwrap_or(&self.empty),
            None => &self.of_product,
        }
    }
}
