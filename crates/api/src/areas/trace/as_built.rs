//! The units of a product as they were planned and as they were built.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use domain::collection::Collection;
use domain::key::{ProductId, ProductKey, SerialKey, WorkOrderKey, id_from_text};
use domain::product::TraceabilityLevel;
use domain::serial::{Need, ReferenceBom};
use domain::text::compare;
use domain::trace::{Compared, LineStatus, compare as compare_built};
use domain::{ErrorData, Quantity, Timestamp, named};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::product::products::{self, Name};
use store::production::order_boms;
use store::serial::as_built::{self, BuiltUnit, Part};
use store::serial::trace;
use store::{Page, Paged, Tx};

use super::graph::put;
use crate::Result;
use crate::areas::serial::names;
use crate::chunked::{CHUNK_BYTES, ChunkedList};
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
    #[schemars(with = "Vec<SerialKey>")]
    serial_key: Vec<String>,
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
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct AsBuilt {
    serial_key: SerialKey,
    serial_code: Option<String>,
    /// The order that makes it; null for goods received.
    wo_key: Option<WorkOrderKey>,
    bom_source: BomSource,
    /// Whether nothing is missing.
    complete: bool,
    /// In the order of the bill of materials, then what it does not name.
    lines: Vec<AsBuiltLine<'static>>,
}

/// A component as it was planned and as it was built in.
#[derive(Serialize, JsonSchema)]
struct AsBuiltLine<'a> {
    component_key: &'a ProductKey,
    component_code: &'a str,
    component_description: Option<&'a str>,
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
    serials: Vec<AsBuiltSerial<'a>>,
}

/// A unit that was built in.
#[derive(Serialize, JsonSchema)]
struct AsBuiltSerial<'a> {
    serial_key: SerialKey,
    serial_code: Option<&'a str>,
    product_key: &'a ProductKey,
    /// Always 1.
    quantity: u8,
    linked: Timestamp,
}

/// What is kept until the answer is sent, besides the rows: of a line of a plan, of a unit, and of a unit that was built in, with its
/// text while that is written.
const LINE_BYTES: usize = 400;
const UNIT_BYTES: usize = 200;
const PART_BYTES: usize = 300;

pub(super) async fn list(
    cx: Cx,
    Path(path): Path<ProductPath>,
    Query(query): Query<AsBuiltQuery>,
    Paging(page): Paging<200>,
) -> Result<ChunkedList<AsBuilt>> {
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let product = products::find(tx, &path.product_key).await?;
            let product = product.ok_or_else(|| ApiError::missing(Collection::Product))?.id;
            let Paged { rows, total } = units(tx, product, &query.serial_key, &page).await?;
            let whole = Whole::load(tx, product, rows).await?;
            Ok::<_, ApiError>(ChunkedList::new(Text::new(whole), total))
        })
        .await
}

/// One page of the units of a product: of those that are named, or of all.
async fn units(tx: &mut Tx, product: ProductId, named: &[String], page: &Page) -> Result<Paged<BuiltUnit>> {
    if named.is_empty() {
        return Ok(as_built::units(tx, product, page).await?);
    }
    let sent: BTreeSet<&str> = named.iter().map(String::as_str).collect();
    let keys: BTreeSet<i64> = sent.iter().filter_map(|text| id_from_text(text)).collect();
    let keys: Vec<i64> = keys.into_iter().collect();
    let found = if keys.is_empty() { Vec::new() } else { as_built::units_of(tx, product, &keys).await? };
    if found.len() < sent.len() {
        return Err(strangers(tx, &sent, &found).await?);
    }
    let Listed { rows, total } = Listed::page(found, page);
    Ok(Paged { rows, total })
}

/// Which of the serials that were sent are not among those of the product, and why.
async fn strangers(tx: &mut Tx, sent: &BTreeSet<&str>, found: &[BuiltUnit]) -> Result<ApiError> {
    let of_product: HashSet<i64> = found.iter().map(|unit| unit.key.0).collect();
    let is_stranger = |text: &&str| id_from_text(text).is_none_or(|key| !of_product.contains(&key));
    let unknown: Vec<String> = sent.iter().copied().filter(is_stranger).map(str::to_owned).collect();
    let keys: Vec<i64> = unknown.iter().filter_map(|text| id_from_text(text)).collect();
    let message = match trace::units(tx, &keys).await?.len() {
        0 => "Some of the serials were not found.",
        others if others == unknown.len() => "Some of the serials are of another product.",
        _ => "Some of the serials were not found, and some are of another product.",
    };
    Ok(ApiError::not_found_with(message, &ErrorData { unknown: Some(unknown), ..ErrorData::default() }))
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
    /// All that the bill of materials names.
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

    /// How many lines they have together.
    fn lines(&self) -> usize {
        self.of_orders.values().chain([&self.of_product]).map(|plan| plan.bom.needs().len()).sum()
    }

    fn of(&self, unit: &BuiltUnit) -> &Plan {
        match unit.wo_key {
            Some(order) => self.of_orders.get(&order).unwrap_or(&self.empty),
            None => &self.of_product,
        }
    }
}

/// Everything that the answer shows, each text once, however many units show it.
struct Whole {
    units: Vec<BuiltUnit>,
    plans: Plans,
    /// By unit, component and the time they were linked.
    parts: Vec<Part>,
    /// Where the parts of each unit are.
    of_units: HashMap<SerialKey, Range<usize>>,
    /// Those of the parts.
    products: HashMap<ProductId, Name>,
}

/// A line of a unit.
struct Line {
    /// Its place in the bill of materials, which does not name what is extra.
    need: Option<usize>,
    /// Where its parts are.
    parts: Range<usize>,
    compared: Compared,
}

impl Whole {
    async fn load(tx: &mut Tx, product: ProductId, units: Vec<BuiltUnit>) -> Result<Self> {
        let plans = Plans::load(tx, product, &units).await?;
        let keys: Vec<i64> = units.iter().map(|unit| unit.key.0).collect();
        let mut parts = as_built::parts(tx, &keys).await?;
        tx.take_memory(plans.lines() * LINE_BYTES + units.len() * UNIT_BYTES + parts.len() * PART_BYTES)?;
        let products = names(tx, parts.iter().map(|part| part.product_id)).await?;
        parts.sort_unstable_by(|one, next| {
            let of_component = (one.parent_key, &one.component_key).cmp(&(next.parent_key, &next.component_key));
            of_component.then_with(|| (one.linked, one.key).cmp(&(next.linked, next.key)))
        });
        let mut of_units = HashMap::new();
        let mut start = 0;
        for of_unit in parts.chunk_by(|one, next| one.parent_key == next.parent_key) {
            of_units.insert(of_unit[0].parent_key, start..start + of_unit.len());
            start += of_unit.len();
        }
        Ok(Self { units, plans, parts, of_units, products })
    }

    /// The lines of a unit: in the order of its bill of materials, then what that does not name by code.
    fn lines(&self, unit: &BuiltUnit) -> Vec<Line> {
        let needs = self.plans.of(unit).bom.needs();
        let parts = self.of_units.get(&unit.key).cloned().unwrap_or_default();
        let mut start = parts.start;
        let mut built: BTreeMap<&ProductKey, Range<usize>> = BTreeMap::new();
        for same in self.parts[parts].chunk_by(|one, next| one.component_key == next.component_key) {
            built.insert(&same[0].component_key, start..start + same.len());
            start += same.len();
        }
        let line = |need: Option<usize>, parts: Range<usize>| {
            let compared = compare_built(need.map(|place| &needs[place]), parts.len() as u64);
            Line { need, parts, compared }
        };
        let mut lines: Vec<Line> = Vec::with_capacity(needs.len() + built.len());
        for (place, need) in needs.iter().enumerate() {
            lines.push(line(Some(place), built.remove(&need.component_key).unwrap_or_default()));
        }
        lines.extend(built.into_values().map(|parts| line(None, parts)));
        let code = |line: &Line| self.product(&self.parts[line.parts.start]).map_or("", |name| name.code.as_str());
        lines[needs.len()..].sort_by(|one, next| compare(code(one), code(next)));
        lines
    }

    fn product(&self, part: &Part) -> Option<&Name> {
        self.products.get(&part.product_id)
    }

    /// A line as it is shown; none of a component that nothing is known of.
    fn shown(&self, unit: &BuiltUnit, line: &Line) -> Option<AsBuiltLine<'_>> {
        let plan = self.plans.of(unit);
        let parts = &self.parts[line.parts.clone()];
        let (component_key, component_code, component_description, traceability_level) = match line.need {
            Some(place) => {
                let key = &plan.bom.needs()[place].component_key;
                let component = plan.components.get(key)?;
                (key, component.code.as_str(), component.description.as_deref(), component.traceability_level)
            }
            None => {
                let first = parts.first()?;
                let name = self.product(first)?;
                (&first.component_key, name.code.as_str(), name.description.as_deref(), name.traceability_level)
            }
        };
        let Compared { planned, built, delta, status } = line.compared;
        Some(AsBuiltLine {
            component_key,
            component_code,
            component_description,
            traceability_level,
            planned_qt: planned.quantity(),
            built_qt: built.and_then(domain::Total::quantity),
            delta: delta.and_then(domain::Total::quantity),
            status,
            serials: parts.iter().filter_map(|part| self.serial(part)).collect(),
        })
    }

    fn serial<'a>(&'a self, part: &'a Part) -> Option<AsBuiltSerial<'a>> {
        let product_key = &self.product(part)?.key;
        let Part { key, linked, .. } = *part;
        Some(AsBuiltSerial { serial_key: key, serial_code: part.code.as_deref(), product_key, quantity: 1, linked })
    }
}

/// Writes the list, line by line.
struct Text {
    whole: Whole,
    /// How many units are begun.
    begun: usize,
    /// The lines still to be written of the last of them; none between two units.
    open: Option<std::vec::IntoIter<Line>>,
    /// Whether the next line is the first of its unit.
    first: bool,
    ended: bool,
    out: Vec<u8>,
}

impl Text {
    fn new(whole: Whole) -> Self {
        Self { whole, begun: 0, open: None, first: true, ended: false, out: vec![b'['] }
    }

    /// Writes what comes in front of the lines of the next unit; the end behind the last.
    fn begin(&mut self) {
        let Self { whole, begun, open, first, ended, out } = self;
        let Some(unit) = whole.units.get(*begun) else {
            out.push(b']');
            *ended = true;
            return;
        };
        let lines = whole.lines(unit);
        let bom_source = if unit.wo_key.is_some() { BomSource::WorkOrder } else { BomSource::Product };
        put(out, if *begun > 0 { ",{\"serial_key\":" } else { "{\"serial_key\":" }, &unit.key);
        put(out, ",\"serial_code\":", &unit.code);
        put(out, ",\"wo_key\":", &unit.wo_key);
        put(out, ",\"bom_source\":", &bom_source);
        put(out, ",\"complete\":", &lines.iter().all(|line| line.compared.status != LineStatus::Missing));
        out.extend_from_slice(b",\"lines\":[");
        *begun += 1;
        *first = true;
        *open = Some(lines.into_iter());
    }

    /// Writes the next line of the unit that is open, or what comes behind its lines.
    fn go_on(&mut self) {
        let Self { whole, begun, open, first, out, .. } = self;
        let Some(line) = open.as_mut().and_then(Iterator::next) else {
            out.extend_from_slice(b"]}");
            *open = None;
            return;
        };
        let unit = begun.checked_sub(1).and_then(|place| whole.units.get(place));
        if let Some(shown) = unit.and_then(|unit| whole.shown(unit, &line)) {
            put(out, if std::mem::take(first) { "" } else { "," }, &shown);
        }
    }
}

impl Iterator for Text {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        while self.out.len() < CHUNK_BYTES && !self.ended {
            match self.open {
                Some(_) => self.go_on(),
                None => self.begin(),
            }
        }
        Some(std::mem::take(&mut self.out)).filter(|piece| !piece.is_empty())
    }
}
