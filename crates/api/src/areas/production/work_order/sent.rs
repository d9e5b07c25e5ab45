//! A new order as it is sent, and what its members refer to.

use domain::bom_line::SentLine;
use domain::collection::Collection;
use domain::fault::Faults;
use domain::json::Opaque;
use domain::key::{PositionKey, ProductKey};
use domain::production::{KeptLine, MUST_BE_WHOLE};
use domain::{Quantity, Timestamp, Until};
use journal::effects::production::{NewWorkOrder, OrderLineIn, Routing, no_output_position, output_position};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::{Value, json};
use store::product::products::{self, Product};
use store::product::{boms, components};
use store::production::order_boms;
use store::{Tx, entities};

use crate::Result;
use crate::areas::product::not_found;
use crate::error::ApiError;
use crate::input::{Name, read_only, record_members};

/// The members of an order that are read-only.
fn order_members(schema: &mut Schema) {
    record_members(schema);
    let names = [
        "_key",
        "product_description",
        "traceability_level",
        "serial_code_on_creation",
        "phase_sequence",
        "bom_version",
        "status",
        "qt_completed",
        "qt_scrap",
        "qt_remaining",
        "active",
        "on_time",
        "critical",
        "progress",
        "serial_fields",
        "created",
        "created_by",
        "start",
        "end",
        "wo_docs",
        "material_cost",
        "jobs",
        "processing_time",
        "processing_cost",
        "total_cost",
        "issue_count",
    ];
    read_only(schema, &names);
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NewWorkOrder", transform = order_members, extend("x-checked-as" = "new-order"))]
#[serde(deny_unknown_fields)]
pub(super) struct NewOrder {
    /// From the counter of the configuration entry `system_counters` when left out.
    wo_code: Option<Name<128>>,
    product_key: Option<ProductKey>,
    /// Instead of the key; if both are sent, they must name the same product.
    product_code: Option<Name<128>>,
    #[schemars(extend("exclusiveMinimum" = 0))]
    qt_planned: Quantity,
    #[serde(default)]
    priority: bool,
    #[schemars(length(max = 128))]
    project_code: Option<String>,
    #[schemars(length(max = 100_000))]
    notes: Option<String>,
    start_from: Option<Timestamp>,
    /// A bare date means the end of that day.
    due_by: Option<Until>,
    /// Anything, stored as it is.
    #[serde(default)]
    extra: Value,
    /// The lines it uses; a copy of the product's when left out.
    #[schemars(length(max = 100_000))]
    wo_bom: Option<Vec<OrderLineIn>>,
    /// Where its output goes. When left out: the product's position, or that of the configuration entry
    /// `default_production_position`.
    output_position_key: Option<PositionKey>,
}

/// What the order is made by, besides its routing.
pub(super) struct Plan {
    pub(super) lines: Vec<KeptLine>,
    pub(super) bom_version: Option<i64>,
    pub(super) position: PositionKey,
}

impl NewOrder {
    /// Locks the named product, which must be live and active.
    pub(super) async fn product(&self, tx: &mut Tx) -> Result<Product> {
        let code = self.product_code.as_ref().map(|code| code.0.as_str());
        let found = match (&self.product_key, code) {
            (Some(key), _) => products::lock(tx, key).await?,
            (None, Some(code)) => products::lock_by_code(tx, code).await?,
            (None, None) => {
                return Err(fault(
                    "product_key",
                    "missing",
                    "An order needs the key or the code of its product.",
                    &Value::Null,
                ));
            }
        };
        let product = found.filter(|product| product.data.active).ok_or_else(not_found)?;
        match code.filter(|code| *code != product.data.code) {
            None => Ok(product),
            Some(code) => {
                let why = "product_key and product_code are different products.";
                Err(fault("product_code", "value_error", why, &json!(code)))
            }
        }
    }

    /// The lines and the position, or all their faults.
    pub(super) async fn plan(&self, tx: &mut Tx, product: &Product, routing: &Routing) -> Result<Plan> {
        let mut faults = Faults::at("body");
        if product.data.traceability_level.is_some() && !self.qt_planned.is_whole() {
            let sent = json!(self.qt_planned);
            faults.within("qt_planned", |faults| faults.add("multiple_of", MUST_BE_WHOLE, &sent));
        }
        let position = self.position(tx, product).await?;
        if !entities::exists(tx, Collection::Position, position.as_str()).await? {
            let sent = self.output_position_key.is_some();
            let why = if sent { "There is no such position." } else { no_output_position(product) };
            faults.within("output_position_key", |faults| faults.add("position_not_found", why, &json!(position)));
        }
        let lines = match &self.wo_bom {
            None => boms::lines(tx, product.id).await?,
            Some(sent) => {
                let sent: Vec<SentLine> = sent.iter().map(SentLine::from).collect();
                let known = components::named(tx, &sent).await?;
                let mut lines = Vec::new();
                faults.within("wo_bom", |faults| lines = known.read(&sent, &routing.aliases(), faults));
                lines
            }
        };
        ApiError::check(faults)?;
        let mut lines: Vec<KeptLine> = lines.into_iter().map(KeptLine::from).collect();
        order_boms::sort_for_reading(&mut lines);
        Ok(Plan { lines, bom_version: self.wo_bom.is_none().then_some(product.bom_version), position })
    }

    /// The requested order, of the named product.
    pub(super) fn order(&self, product: Product, bom_version: Option<i64>, position: PositionKey) -> NewWorkOrder {
        NewWorkOrder {
            wo_code: self.wo_code.as_ref().map(|code| code.0.clone()),
            product,
            qt_planned: self.qt_planned,
            priority: self.priority,
            project_code: self.project_code.clone(),
            notes: self.notes.clone(),
            start_from: self.start_from,
            due_by: self.due_by.map(|until| until.0),
            extra: Opaque::from(&self.extra),
            output_position_key: position,
            bom_version,
        }
    }

    async fn position(&self, tx: &mut Tx, product: &Product) -> Result<PositionKey> {
        match &self.output_position_key {
            Some(key) => Ok(key.clone()),
            None => Ok(output_position(tx, product).await?),
        }
    }
}

fn fault(member: &str, kind: &'static str, why: &str, sent: &Value) -> ApiError {
    let mut faults = Faults::at("body");
    faults.within(member, |faults| faults.add(kind, why, sent));
    ApiError::validation(faults.into_vec())
}
