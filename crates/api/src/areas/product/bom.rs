use std::collections::{HashMap, HashSet};

use domain::bom_line::{BomLine, BomSource, ConsumptionOptions};
use domain::fault::Faults;
use domain::key::{BomLineKey, PhaseKey, PositionKey, ProductKey, UserKey};
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::process::phases;
use store::product::boms::{self, Deed, Line, Version};
use store::product::products::{self, Name as ProductName, Product};
use store::warehouse::positions;
use store::{Lock, Tx};

use super::structure::refuse_loops;
use super::{ProductPath, named, not_found};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Json, Name, Paging, Path, Query};
use crate::reply::{Bare, Done, Envelope, Listed, envelope};

#[derive(Deserialize, JsonSchema)]
pub(super) struct BomPath {
    product_key_or_code: Name<128>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct VersionQuery {
    /// A stored version; the present one when left out.
    #[schemars(range(min = 0))]
    version: Option<i64>,
}

pub(super) async fn read(
    cx: Cx,
    Path(path): Path<BomPath>,
    Query(query): Query<VersionQuery>,
) -> Result<Bare<Vec<BomLine>>> {
    let key = ProductKey::new(path.product_key_or_code.0).map_err(|_| not_found())?;
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let product = products::find(tx, &key).await?.ok_or_else(not_found)?;
            let mut lines = match query.version {
                None => boms::lines(tx, product.id).await?.into_iter().map(|line| line.line).collect(),
                Some(version) => boms::version_lines(tx, product.id, version)
                    .await?
                    .ok_or_else(|| ApiError::not_found("The version was"))?,
            };
            boms::sort_for_reading(&mut lines);
            Ok::<_, ApiError>(Bare(lines))
        })
        .await
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BomVersion")]
pub(super) struct VersionRecord {
    version: i64,
    created: Timestamp,
    created_by: Option<UserKey>,
    line_count: i64,
    source: BomSource,
}

fn version_record(version: Version) -> VersionRecord {
    let Version { version, created, created_by, line_count, source } = version;
    VersionRecord { version, created, created_by, line_count, source }
}

pub(super) async fn versions(
    cx: Cx,
    Path(path): Path<ProductPath>,
    Paging(page): Paging<10_000>,
) -> Result<Listed<VersionRecord>> {
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let product = products::find(tx, &path.product_key).await?.ok_or_else(not_found)?;
            let found = boms::versions(tx, product.id, &page).await?;
            let rows = found.rows.into_iter().map(version_record).collect();
            Ok::<_, ApiError>(Listed { rows, total: found.total })
        })
        .await
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ReplaceQuery {
    /// Whether the address has the product's code instead of its key.
    #[serde(default)]
    by_code: bool,
}

/// The lines in the order they are to have.
#[derive(Clone, Deserialize, JsonSchema)]
pub(super) struct NewBom(#[schemars(length(max = 100_000))] Vec<BomLineWriteIn>);

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BomLineWriteIn {
    /// Passed over: every replace makes new keys.
    #[serde(rename = "bom_line_key")]
    _bom_line_key: Option<Value>,
    component_key: Option<ProductKey>,
    /// Instead of the key; if both are sent, they are the same product's.
    component_code: Option<Name<128>>,
    /// Per unit of the parent; more than 0.
    qt: Quantity,
    /// A phase of the product; its last one when left out.
    phase_key: Option<PhaseKey>,
    /// Passed over: it is the component's.
    #[serde(rename = "traceability_level")]
    _traceability_level: Option<Value>,
    consumption_options: Option<ConsumptionOptions>,
    /// Anything, kept as it is.
    #[serde(default)]
    extra: Value,
    #[serde(rename = "type")]
    _type: Option<LineType>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
enum LineType {
    BomLine,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BomReplaced")]
pub(super) struct Replaced {
    version: i64,
    line_count: usize,
}

pub(super) async fn replace(
    cx: Cx,
    Path(path): Path<BomPath>,
    Query(query): Query<ReplaceQuery>,
    Json(body): Json<NewBom>,
) -> Result<Done<Envelope<Replaced>>> {
    let (asking, product) = (cx.clone(), path.product_key_or_code.0);
    let deed = Deed { source: BomSource::Put, by: cx.caller.user_key.clone(), now: cx.now() };
    cx.change("replace bill of materials", async move |tx: &mut Tx| {
        tx.lock(Lock::Bom).await?;
        let found = named(tx, &product, query.by_code).await?;
        let mut product = found.ok_or_else(if query.by_code { not_found } else { ApiError::product_unauthorized })?;
        asking.check_revision(Some(product.rev))?;
        let lines = resolve(tx, &asking, &product, &body.0).await?;
        boms::replace(tx, &mut product, &lines, &deed).await?;
        refuse_loops(tx, &product, &lines).await?;
        let replaced = Replaced { version: product.bom_version, line_count: lines.len() };
        envelope("Bill of materials replaced.", replaced)
    })
    .await
}

/// The lines with all that they name; every fault of every line at once.
async fn resolve(tx: &mut Tx, cx: &Cx, product: &Product, sent: &[BomLineWriteIn]) -> Result<Vec<Line>> {
    let phases: Vec<(PhaseKey, String)> =
        phases::of_products(tx, &[product.id.0]).await?.into_iter().map(|(_, key, alias)| (key, alias)).collect();
    let Some(last_phase) = phases.last() else {
        let message = "The product has no production process: its lines would belong to no phase.";
        return Err(ApiError::rule("NoProcessError", message, json!({ "product_code": product.data.code })));
    };
    let components = Components::load(tx, sent).await?;
    let positions = known_positions(tx, sent).await?;
    let mut faults = Faults::at("body");
    let mut lines = Vec::with_capacity(sent.len());
    for (index, line) in sent.iter().enumerate() {
        faults.within(index, |faults| {
            if line.qt <= Quantity::ZERO {
                faults.within("qt", |faults| faults.add("greater_than", "Must be more than 0.", &json!(line.qt)));
            }
            check_options(line.consumption_options.as_ref(), &positions, faults);
            let phase = match line.phase_key {
                None => Some(last_phase),
                Some(key) => phases.iter().find(|(known, _)| *known == key),
            };
            if phase.is_none() {
                let why = "Is no phase of the product's process.";
                faults.within("phase_key", |faults| faults.add("phase_not_of_product", why, &json!(line.phase_key)));
            }
            if let (Some(component), Some(phase)) = (components.of(line, faults), phase) {
                lines.push(resolved(index, line, component, phase));
            }
        });
    }
    ApiError::check(faults)?;
    for line in &mut lines {
        line.line.bom_line_key = BomLineKey(cx.new_id()?);
    }
    Ok(lines)
}

/// A line without its key, which it gets when all lines are right.
fn resolved(index: usize, line: &BomLineWriteIn, component: &ProductName, phase: &(PhaseKey, String)) -> Line {
    Line {
        component_id: component.id,
        line: BomLine {
            bom_line_key: BomLineKey(0),
            line_no: index as i64,
            component_key: component.key.clone(),
            component_code: component.code.clone(),
            component_description: component.description.clone(),
            qt: line.qt,
            phase_key: phase.0,
            phase_name: phase.1.clone(),
            traceability_level: component.traceability_level,
            manage_inventory: component.manage_inventory,
            consumption_options: line.consumption_options.clone().unwrap_or_default(),
            extra: line.extra.clone(),
        },
    }
}

/// The products that lines name, loaded together.
struct Components {
    by_key: HashMap<ProductKey, ProductName>,
    by_code: HashMap<String, ProductName>,
    trashed_codes: HashSet<String>,
}

impl Components {
    async fn load(tx: &mut Tx, sent: &[BomLineWriteIn]) -> Result<Self> {
        let keys: HashSet<&str> =
            sent.iter().filter_map(|line| line.component_key.as_ref()).map(ProductKey::as_str).collect();
        let codes: HashSet<&str> =
            sent.iter().filter_map(|line| line.component_code.as_ref()).map(|code| code.0.as_str()).collect();
        let texts = |texts: HashSet<&str>| -> Vec<String> { texts.into_iter().map(str::to_owned).collect() };
        let by_key = match texts(keys) {
            keys if keys.is_empty() => Vec::new(),
            keys => products::names_by_key(tx, &keys).await?,
        };
        let codes = texts(codes);
        let by_code = if codes.is_empty() { Vec::new() } else { products::names_by_code(tx, &codes).await? };
        let by_code: HashMap<String, ProductName> = by_code.into_iter().map(|name| (name.code.clone(), name)).collect();
        let missing: Vec<String> = codes.into_iter().filter(|code| !by_code.contains_key(code)).collect();
        let trashed = if missing.is_empty() { Vec::new() } else { products::trashed_codes(tx, &missing).await? };
        Ok(Self {
            by_key: by_key.into_iter().map(|name| (name.key.clone(), name)).collect(),
            by_code,
            trashed_codes: trashed.into_iter().collect(),
        })
    }

    /// The component of a line, or what is wrong with it.
    fn of(&self, line: &BomLineWriteIn, faults: &mut Faults) -> Option<&ProductName> {
        let code = line.component_code.as_ref().map(|code| &code.0);
        match (&line.component_key, code) {
            (None, None) => {
                let why = "A line names its component by component_key or component_code.";
                refuse("component_key", "component_missing", why, &Value::Null, faults)
            }
            (Some(key), None) => self.by_key(key, faults),
            (None, Some(code)) => self.by_code(code, faults),
            (Some(key), Some(code)) => {
                let found = (self.by_key(key, faults), self.by_code(code, faults));
                let (one, other) = (found.0?, found.1?);
                if one.id == other.id {
                    return Some(one);
                }
                let why = "component_key and component_code are different products.";
                refuse("component_code", "component_ambiguous", why, &json!(code), faults)
            }
        }
    }

    fn by_key(&self, key: &ProductKey, faults: &mut Faults) -> Option<&ProductName> {
        let found = self.by_key.get(key);
        match found {
            Some(name) if !name.trash => Some(name),
            Some(_) => refuse("component_key", "component_trashed", "Is in the trash.", &json!(key), faults),
            None => refuse("component_key", "component_not_found", "There is no such product.", &json!(key), faults),
        }
    }

    fn by_code(&self, code: &str, faults: &mut Faults) -> Option<&ProductName> {
        match self.by_code.get(code) {
            Some(name) => Some(name),
            None if self.trashed_codes.contains(code) => {
                refuse("component_code", "component_trashed", "Is in the trash.", &json!(code), faults)
            }
            None => refuse("component_code", "component_not_found", "There is no such product.", &json!(code), faults),
        }
    }
}

fn refuse<T>(member: &str, kind: &'static str, why: &str, input: &Value, faults: &mut Faults) -> Option<T> {
    faults.within(member, |faults| faults.add(kind, why, input));
    None
}

async fn known_positions(tx: &mut Tx, sent: &[BomLineWriteIn]) -> Result<HashSet<PositionKey>> {
    let options = sent.iter().filter_map(|line| line.consumption_options.as_ref());
    let named: HashSet<&str> =
        options.filter_map(|options| options.consumption_position_key.as_ref()).map(|key| key.as_str()).collect();
    if named.is_empty() {
        return Ok(HashSet::new());
    }
    let named: Vec<String> = named.into_iter().map(str::to_owned).collect();
    Ok(positions::which_exist(tx, &named).await?.into_iter().collect())
}

fn check_options(options: Option<&ConsumptionOptions>, positions: &HashSet<PositionKey>, faults: &mut Faults) {
    let Some(options) = options else { return };
    let fault = match &options.consumption_position_key {
        Some(key) if !positions.contains(key) => Some(("position_not_found", "There is no such position.")),
        None if options.consumption_position_mandatory => Some(("missing", "A mandatory position has to be named.")),
        _ => None,
    };
    if let Some((kind, why)) = fault {
        let sent = json!(options.consumption_position_key);
        faults.within("consumption_options", |faults| {
            faults.within("consumption_position_key", |faults| faults.add(kind, why, &sent));
        });
    }
}
