use domain::Quantity;
use domain::journal::Concerns;
use domain::key::{ProductKey, SerialKey};
use domain::scope::Scope;
use domain::serial::CODE_CHARS;
use domain::warehouse::movement::{LAST_ITEM, ListType, PositionRef, References, SentReferences};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::act::Act;
use crate::effects::warehouse::drafting::Described;
use crate::effects::warehouse::listing::{MadeList, NewList, NewRow, create};
use crate::effects::warehouse::rights::LISTS;
use crate::event::made::warehouse::ListMade;
use crate::event::{ClientEvent, Locks, Outcome, OutcomeMember, References as EventReferences};
use crate::postable::Postable;
use crate::{Error, Result};

/// A list of movements is made: they are planned together, or carried out at once. All of them, or none.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewMovementList")]
pub struct WarehouseListCreated {
    /// Unique among the lists of the type; stored in upper case.
    #[schemars(length(min = 1, max = CODE_CHARS), extend("format" = "trimmed"))]
    code: String,
    /// The type of all its movements.
    #[serde(rename = "type")]
    kind: ListType,
    /// Whether its movements are planned, or carried out at once.
    #[serde(default)]
    status: NewListStatus,
    /// A day, `YYYY-MM-DD`; today when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}$"), extend("x-checked-as" = "day", "x-must" = "be a day such as 2026-01-31"))]
    due_by: Option<String>,
    /// A remark.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2000))]
    notes: Option<String>,
    /// What its movements belong to; what a row says itself wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    references: Option<SentReferences>,
    /// Anything, stored as it is; at most 4,096 bytes as JSON.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schemars(extend("x-checked-as" = "extra"))]
    extra: Map<String, Value>,
    /// Rows name products by `product_code` instead of `product_key`.
    #[serde(default)]
    by_code: bool,
    /// Its movements.
    #[serde(default)]
    #[schemars(length(max = 10000))]
    movements: Vec<NewListRow>,
}

/// How a list begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum NewListStatus {
    /// Its movements are planned.
    #[default]
    Planned,
    /// Its movements are carried out at once.
    Completed,
}

/// A row of a list.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewMovementListRow")]
struct NewListRow {
    /// Where it begins, by key or id. Of a shipment or consumption `IN` when left out; an adjustment has one position, here or as
    /// `position_to`.
    #[serde(skip_serializing_if = "Option::is_none")]
    position_from: Option<PositionRef>,
    /// Where it ends, by key or id. Of a receipt or production `IN` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    position_to: Option<PositionRef>,
    /// That of the list, if it is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    movement_type: Option<ListType>,
    /// The product, unless `by_code` is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    product_key: Option<ProductKey>,
    /// The code of the product, if `by_code` is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    product_code: Option<String>,
    /// The serial, if units of the product are traced; or `serial_code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    serial_key: Option<SerialKey>,
    /// The code of the serial. A receipt makes the serial if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    serial_code: Option<String>,
    /// How much is planned; 1 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    qt_planned: Option<Quantity>,
    /// How much is moved, if the list is carried out at once; as much as is planned when left out or 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    qt_confirmed: Option<Quantity>,
    /// Its place in the list; the next whole number when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = LAST_ITEM))]
    movement_list_item: Option<i64>,
    /// False: it belongs to a customer or a supplier. When left out, as the stock that is taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    owned: Option<bool>,
    /// What it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    references: Option<SentReferences>,
    /// Why; the site may ask for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    reason: Option<String>,
    /// Anything, stored as it is; at most 4,096 bytes as JSON.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schemars(extend("x-checked-as" = "extra"))]
    extra: Map<String, Value>,
}

impl Postable for WarehouseListCreated {
    const TYPE: ClientEvent = ClientEvent::WarehouseListCreated;
    const SCOPE: Option<Scope> = Some(LISTS);
    const LOCKS: Locks = &[];
    const MOVES_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] = &["SERIAL_CREATED", "MOVEMENT_PLANNED", "MOVEMENT_COMPLETED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let MadeList { movement_list_key, movement_keys } = make(act, self).await?;
        Ok(Outcome(vec![
            ("movement_list_key", OutcomeMember::Json(json!(movement_list_key))),
            ("movement_keys", OutcomeMember::Json(json!(movement_keys))),
        ]))
    }
}

/// Makes a list because an operation asks for it.
pub async fn create_list(act: &mut Act<'_>, list: WarehouseListCreated) -> Result<MadeList> {
    let payload = serde_json::to_value(&list).map_err(|error| Error::broken(&format!("a list: {error}")))?;
    act.primary(ClientEvent::WarehouseListCreated.name(), payload, EventReferences::default())?;
    make(act, list).await
}

async fn make(act: &mut Act<'_>, list: WarehouseListCreated) -> Result<MadeList> {
    act.concern(Concerns::default()).await?;
    let made = create(act, list.new_list()).await?;
    let (movement_list_key, movement_keys) = (made.movement_list_key, made.movement_keys.clone());
    act.note(&ListMade { movement_list_key, movement_keys })?;
    Ok(made)
}

impl WarehouseListCreated {
    fn new_list(self) -> NewList {
        let (kind, by_code) = (self.kind, self.by_code);
        NewList {
            code: self.code,
            kind: kind.into(),
            completed: self.status == NewListStatus::Completed,
            due_by: self.due_by,
            notes: self.notes,
            references: self.references.map(References::from).unwrap_or_default(),
            extra: self.extra,
            by_code,
            rows: self.movements.into_iter().map(|row| row.new_row(kind)).collect(),
        }
    }
}

impl NewListRow {
    fn new_row(self, kind: ListType) -> NewRow {
        let described = Described {
            kind: self.movement_type.unwrap_or(kind).into(),
            product_key: self.product_key,
            product_code: self.product_code,
            serial_key: self.serial_key,
            serial_code: self.serial_code,
            from: self.position_from.map(|PositionRef(key)| key),
            to: self.position_to.map(|PositionRef(key)| key),
            qt_planned: self.qt_planned,
            qt_confirmed: self.qt_confirmed,
            owned: self.owned,
            references: self.references.map(References::from),
            reason: self.reason,
            extra: self.extra,
        };
        NewRow { described, item: self.movement_list_item }
    }
}
