use domain::bom_line::{BomLine, BomSource, ConsumptionOptions, SentLine};
use domain::fault::Faults;
use domain::key::{BomLineKey, PhaseKey, ProductKey, UserKey};
use domain::rule::records::NoProcessError;
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::process::phases;
use store::product::boms::{self, Deed, Line, Version};
use store::product::components;
use store::product::products::{self, Product};
use store::{Lock, Tx};

use super::structure::refuse_loops;
use super::{named, not_found};
use crate::Result;
use crate::areas::paths::ProductPath;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Json, Name, Paging, Path, Query};
use crate::reply::{Bare, Done, Envelope, Listed, envelope};

#[derive(Deserialize, JsonSchema)]
pub(super) struct BomPath {
    /// The key of a product; a replacement with `by_code=true` takes its code instead.
    product_key_or_code: Name<128>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct VersionQuery {
    /// A stored version; the current one when left out.
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
    /// Whether the address names the product by its code instead of its key.
    #[serde(default)]
    by_code: bool,
}

/// The lines in their new order.
#[derive(Clone, Deserialize, JsonSchema)]
pub(super) struct NewBom(#[schemars(length(max = 100_000))] Vec<BomLineWriteIn>);

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BomLineWriteIn {
    /// Ignored: every replacement generates new keys.
    #[serde(rename = "bom_line_key")]
    _bom_line_key: Option<Value>,
    component_key: Option<ProductKey>,
    /// Instead of the key; if both are sent, they must name the same product.
    component_code: Option<Name<128>>,
    /// Per unit of the parent; more than 0.
    qt: Quantity,
    /// A phase of the product; its last one when left out.
    phase_key: Option<PhaseKey>,
    /// Ignored: it belongs to the component.
    #[serde(rename = "traceability_level")]
    _traceability_level: Option<Value>,
    consumption_options: Option<ConsumptionOptions>,
    /// Anything, stored as it is.
    #[serde(default)]
    extra: Value,
    #[serde(rename = "type")]
    _type: Option<LineType>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[schemars(rename = "BomLineType")]
enum LineType {
    BomLine,
}

impl From<BomLineWriteIn> for SentLine {
    fn from(line: BomLineWriteIn) -> Self {
        Self {
            component_key: line.component_key,
            component_code: line.component_code.map(|code| code.0),
            qt: line.qt,
            phase_key: line.phase_key,
            consumption_options: line.consumption_options,
            extra: line.extra,
        }
    }
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
    let sent: Vec<SentLine> = body.0.into_iter().map(SentLine::from).collect();
    let deed = Deed { source: BomSource::Put, by: cx.caller.user_key.clone(), now: cx.now() };
    cx.change("replace bill of materials", async move |tx: &mut Tx| {
        tx.lock(Lock::Bom).await?;
        let found = named(tx, &product, query.by_code).await?;
        let mut product = found.ok_or_else(if query.by_code { not_found } else { ApiError::product_unauthorized })?;
        asking.check_revision(Some(product.rev))?;
        let lines = resolve(tx, &asking, &product, &sent).await?;
        boms::replace(tx, &mut product, &lines, &deed).await?;
        refuse_loops(tx, &product, &lines).await?;
        let replaced = Replaced { version: product.bom_version, line_count: lines.len() };
        envelope("Bill of materials replaced.", replaced)
    })
    .await
}

/// The lines with everything they name; all faults of all lines at once.
async fn resolve(tx: &mut Tx, cx: &Cx, product: &Product, sent: &[SentLine]) -> Result<Vec<Line>> {
    let phases: Vec<(PhaseKey, String)> =
        phases::of_products(tx, &[product.id.0]).await?.into_iter().map(|(_, key, alias)| (key, alias)).collect();
    if phases.is_empty() {
        return Err(no_process(
            &product.data.code,
            "The product has no production process: its lines would belong to no phase.",
        ));
    }
    let known = components::named(tx, sent).await?;
    let mut faults = Faults::at("body");
    let mut lines = known.read(sent, &phases, &mut faults);
    ApiError::check(faults)?;
    for line in &mut lines {
        line.line.bom_line_key = BomLineKey(cx.new_id()?);
    }
    Ok(lines)
}

/// 422: the request needs phases, and the product has none.
pub(crate) fn no_process(product_code: &str, message: &'static str) -> ApiError {
    ApiError::rule(&NoProcessError { product_code: product_code.to_owned() }, message)
}
