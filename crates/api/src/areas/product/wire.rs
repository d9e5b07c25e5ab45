//! The wire formats of products: the forms in which they are read, and what is written.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use domain::collection::Collection;
use domain::key::{CounterKey, PhaseKey, PositionKey, ProductKey, record_id, revision};
use domain::product::{Metadata, ProductData, TraceabilityLevel, WindowType};
use domain::{Quantity, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use store::process::phases;
use store::product::products::Product;
use store::quality::fields;
use store::{Tx, tags};

use crate::Result;
use crate::areas::administration::CounterRecord;
use crate::areas::tags::{TagRecord, tag_record};
use crate::input::{Change, Given, Name, read_only, record_members};

/// A product in a list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProductBase")]
pub(crate) struct Base {
    _id: String,
    _key: ProductKey,
    _rev: String,
    /// Unique among products that are not in the trash.
    code: String,
    description: Option<String>,
    /// An inactive product gets no new work orders.
    active: bool,
    /// Whether it has an image.
    image: bool,
    /// By name.
    tags: Vec<TagRecord>,
    /// The counter of its serial codes.
    counter_key: Option<CounterKey>,
    /// Null: its units have no serials.
    traceability_level: Option<TraceabilityLevel>,
    manage_inventory: bool,
    allow_negative_inventory: bool,
    /// Whether a serial gets its code when it is created, or by the end of the first phase.
    serial_code_on_creation: bool,
}

/// All fields of a product.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ProductDetail {
    #[serde(flatten)]
    base: Base,
    trash: bool,
    created: Timestamp,
    updated: Timestamp,
    cost: Cost,
    technical_batch_qt: Quantity,
    minimum_order_qt: Quantity,
    /// Stock below it is listed as too little.
    minimum_stock_qt: Option<Quantity>,
    /// What it is counted in; empty: pieces.
    unit: String,
    production_notes: Option<String>,
    /// The routing: keys of its phases in their order.
    process_phases: Vec<PhaseKey>,
    /// 0 if there has never been a bill of materials.
    bom_version: i64,
    /// In seconds.
    throughput_time_target: Option<Quantity>,
    /// In seconds.
    processing_time_target: Option<Quantity>,
    /// Null: all closed orders.
    kpi_window_size: Option<i64>,
    kpi_window_type: WindowType,
    metadata: Vec<Metadata>,
    /// Where output goes.
    default_production_position_key: Option<PositionKey>,
    /// Where this product is taken from as a component.
    default_consumption_position_key: Option<PositionKey>,
}

/// A product with its documents, image and counter.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProductFull")]
pub(super) struct Full {
    #[serde(flatten)]
    pub(super) detail: ProductDetail,
    pub(super) docs: Vec<Doc>,
    pub(super) img_name: Option<String>,
    pub(super) counter: Option<CounterRecord>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProductDoc")]
pub(super) struct Doc {
    pub(super) name: String,
    /// In bytes.
    pub(super) size: i64,
}

/// Money per unit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ProductCost")]
pub(super) struct Cost {
    target: Option<Quantity>,
    average: Option<Quantity>,
}

/// The base form of products.
pub(crate) async fn bases(tx: &mut Tx, products: Vec<Product>) -> Result<Vec<Base>> {
    let mut tags = tags_of(tx, &products).await?;
    let form = |product: Product| {
        let tags = tags.remove(product.key.as_str()).unwrap_or_default();
        base(&product, tags)
    };
    Ok(products.into_iter().map(form).collect())
}

/// The detail form of products, in a constant number of statements.
pub(crate) async fn details(tx: &mut Tx, products: Vec<Product>) -> Result<Vec<ProductDetail>> {
    let mut tags = tags_of(tx, &products).await?;
    let ids: Vec<i64> = products.iter().map(|product| product.id.0).collect();
    let mut phases_of: HashMap<i64, Vec<PhaseKey>> = HashMap::new();
    for (product, phase, _) in phases::of_products(tx, &ids).await? {
        phases_of.entry(product.0).or_default().push(phase);
    }
    let known = known_fields(tx, &products).await?;
    let form = |product: Product| {
        let tags = tags.remove(product.key.as_str()).unwrap_or_default();
        let phases = phases_of.remove(&product.id.0).unwrap_or_default();
        let base = base(&product, tags);
        let Product { data, trash, created, updated, bom_version, .. } = product;
        ProductDetail {
            base,
            trash,
            created,
            updated,
            cost: Cost { target: data.cost_target, average: data.cost_average },
            technical_batch_qt: data.technical_batch_qt,
            minimum_order_qt: data.minimum_order_qt,
            minimum_stock_qt: data.minimum_stock_qt,
            unit: data.unit,
            production_notes: data.production_notes,
            process_phases: phases,
            bom_version,
            throughput_time_target: data.throughput_time_target,
            processing_time_target: data.processing_time_target,
            kpi_window_size: data.kpi_window_size,
            kpi_window_type: data.kpi_window_type,
            metadata: data
                .metadata
                .into_iter()
                .filter(|entry| known.contains(entry.custom_field_key.as_str()))
                .collect(),
            default_production_position_key: data.default_production_position_key,
            default_consumption_position_key: data.default_consumption_position_key,
        }
    };
    Ok(products.into_iter().map(form).collect())
}

/// The detail form of one product.
pub(super) async fn detail(tx: &mut Tx, product: Product) -> Result<ProductDetail> {
    let mut forms = details(tx, vec![product]).await?;
    forms.pop().ok_or_else(|| crate::ApiError::internal("a product without its form", None))
}

fn base(product: &Product, tags: Vec<TagRecord>) -> Base {
    let data = &product.data;
    Base {
        _id: record_id(Collection::Product, &product.key),
        _key: product.key.clone(),
        _rev: revision(product.rev),
        code: data.code.clone(),
        description: data.description.clone(),
        active: data.active,
        image: product.img_name.is_some(),
        tags,
        counter_key: data.counter_key.clone(),
        traceability_level: data.traceability_level,
        manage_inventory: data.manage_inventory,
        allow_negative_inventory: data.allow_negative_inventory,
        serial_code_on_creation: data.serial_code_on_creation,
    }
}

async fn tags_of(tx: &mut Tx, products: &[Product]) -> Result<HashMap<String, Vec<TagRecord>>> {
    let keys: Vec<String> = products.iter().map(|product| product.key.to_string()).collect();
    let mut found: HashMap<String, Vec<TagRecord>> = HashMap::new();
    for tagged in tags::of_records(tx, Collection::Product, &keys).await? {
        found.entry(tagged.record_key).or_default().push(tag_record(tagged.tag));
    }
    Ok(found)
}

/// The custom fields in the products' metadata that exist: values of others are not shown.
async fn known_fields(tx: &mut Tx, products: &[Product]) -> Result<HashSet<String>> {
    let named: HashSet<&str> = products
        .iter()
        .flat_map(|product| &product.data.metadata)
        .map(|entry| entry.custom_field_key.as_str())
        .collect();
    if named.is_empty() {
        return Ok(HashSet::new());
    }
    let named: Vec<String> = named.into_iter().map(str::to_owned).collect();
    Ok(fields::kinds(tx, &named).await?.into_keys().map(|key| key.to_string()).collect())
}

/// The members of a product that are read-only.
fn product_members(schema: &mut Schema) {
    record_members(schema);
    read_only(
        schema,
        &[
            "image",
            "tags",
            "trash",
            "created",
            "updated",
            "process_phases",
            "bom_version",
            "docs",
            "img_name",
            "counter",
        ],
    );
}

/// The fields of a product to change; those left out stay.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = product_members)]
pub(super) struct ProductChange {
    /// Must match the key in the address, if sent.
    #[schemars(extend("x-checked-as" = "product-key"))]
    pub(super) _key: Option<ProductKey>,
    /// Unique among products that are not in the trash.
    #[serde(default)]
    pub(super) code: Given<Name<128>>,
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    description: Change<String>,
    /// An inactive product gets no new work orders.
    #[serde(default)]
    active: Given<bool>,
    /// The counter of its serial codes.
    #[serde(default)]
    counter_key: Change<CounterKey>,
    /// Null: its units have no serials.
    #[serde(default)]
    traceability_level: Change<TraceabilityLevel>,
    #[serde(default)]
    manage_inventory: Given<bool>,
    #[serde(default)]
    allow_negative_inventory: Given<bool>,
    /// Whether a serial gets its code when it is created, or by the end of the first phase.
    #[serde(default)]
    serial_code_on_creation: Given<bool>,
    /// Money per unit; members left out stay as they are, and null clears both.
    #[serde(default)]
    cost: Change<CostChange>,
    #[serde(default)]
    #[schemars(range(min = 0))]
    technical_batch_qt: Given<Quantity>,
    #[serde(default)]
    #[schemars(range(min = 0))]
    minimum_order_qt: Given<Quantity>,
    /// Stock below it is listed as too little; null: none is.
    #[serde(default)]
    #[schemars(range(min = 0))]
    minimum_stock_qt: Change<Quantity>,
    /// What it is counted in; empty: pieces.
    #[serde(default)]
    #[schemars(length(max = 16))]
    unit: Given<String>,
    #[serde(default)]
    #[schemars(length(max = 100_000))]
    production_notes: Change<String>,
    /// In seconds.
    #[serde(default)]
    #[schemars(range(min = 0))]
    throughput_time_target: Change<Quantity>,
    /// In seconds.
    #[serde(default)]
    #[schemars(range(min = 0))]
    processing_time_target: Change<Quantity>,
    /// Null: all closed orders.
    #[serde(default)]
    #[schemars(range(min = 1))]
    kpi_window_size: Change<i64>,
    #[serde(default)]
    kpi_window_type: Given<WindowType>,
    /// Values of custom fields, each field once.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    metadata: Given<Vec<Metadata>>,
    /// Where output goes.
    #[serde(default)]
    default_production_position_key: Change<PositionKey>,
    /// Where this product is taken from as a component.
    #[serde(default)]
    default_consumption_position_key: Change<PositionKey>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProductCostChange")]
pub(super) struct CostChange {
    #[serde(default)]
    target: Change<Quantity>,
    #[serde(default)]
    average: Change<Quantity>,
}

impl ProductChange {
    pub(super) fn apply(self, data: &mut ProductData) {
        if let Some(Name(code)) = self.code.0 {
            data.code = code;
        }
        self.description.apply(&mut data.description);
        self.active.apply(&mut data.active);
        self.counter_key.apply(&mut data.counter_key);
        self.traceability_level.apply(&mut data.traceability_level);
        self.manage_inventory.apply(&mut data.manage_inventory);
        self.allow_negative_inventory.apply(&mut data.allow_negative_inventory);
        self.serial_code_on_creation.apply(&mut data.serial_code_on_creation);
        match self.cost {
            Change::Keep => {}
            Change::Clear => (data.cost_target, data.cost_average) = (None, None),
            Change::Set(cost) => {
                cost.target.apply(&mut data.cost_target);
                cost.average.apply(&mut data.cost_average);
            }
        }
        self.technical_batch_qt.apply(&mut data.technical_batch_qt);
        self.minimum_order_qt.apply(&mut data.minimum_order_qt);
        self.minimum_stock_qt.apply(&mut data.minimum_stock_qt);
        if let Some(unit) = self.unit.0 {
            data.unit = unit.trim().to_owned();
        }
        self.production_notes.apply(&mut data.production_notes);
        self.throughput_time_target.apply(&mut data.throughput_time_target);
        self.processing_time_target.apply(&mut data.processing_time_target);
        self.kpi_window_size.apply(&mut data.kpi_window_size);
        self.kpi_window_type.apply(&mut data.kpi_window_type);
        self.metadata.apply(&mut data.metadata);
        self.default_production_position_key.apply(&mut data.default_production_position_key);
        self.default_consumption_position_key.apply(&mut data.default_consumption_position_key);
    }
}

/// What the members of a whole product mean where that differs from those of a change.
const WHOLE: [(&str, &str); 2] = [
    (
        "_key",
        "When creating: the key of the new product, generated by the service when left out. When replacing: must match the \
         key in the address, if sent.",
    ),
    ("cost", "Money per unit; members left out become null."),
];

/// A whole product; fields left out get their defaults, except the code, which is required.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub(super) struct WholeProduct(ProductChange);

impl JsonSchema for WholeProduct {
    fn schema_name() -> Cow<'static, str> {
        "ProductInput".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = ProductChange::json_schema(generator);
        schema.insert("required".to_owned(), serde_json::json!(["code"]));
        if let Some(members) = schema.ensure_object().get_mut("properties") {
            for (name, text) in WHOLE {
                members[name]["description"] = serde_json::json!(text);
            }
        }
        schema.insert(
            "description".to_owned(),
            serde_json::json!(
                "A whole product. Members left out get their defaults: `active` is true and other flags are false, \
                 `kpi_window_type` is `count`, `technical_batch_qt` and `minimum_order_qt` are 0, `unit` and `metadata` are \
                 empty, and everything else is null."
            ),
        );
        schema
    }
}

impl WholeProduct {
    pub(super) fn key(&self) -> Option<&ProductKey> {
        self.0._key.as_ref()
    }

    pub(super) fn into_data(self) -> ProductData {
        let mut data = ProductData::new(String::new());
        self.0.apply(&mut data);
        data
    }
}
