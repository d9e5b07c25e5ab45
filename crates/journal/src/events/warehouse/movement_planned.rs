use domain::Quantity;
use domain::key::{MovementListKey, ProductKey, SerialKey};
use domain::rule::Refused;
use domain::warehouse::movement::{LAST_ITEM, ListType, MovementType, PositionRef, SentReferences};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::warehouse::movements;

use crate::Result;
use crate::act::Act;
use crate::effects::warehouse::drafting::Described;
use crate::effects::warehouse::naming::Products;
use crate::effects::warehouse::planned::{lock_list, must_take, put, refresh};
use crate::effects::warehouse::rights::{LISTS, must_be_allowed};
use crate::effects::warehouse::server::positions_of;
use crate::effects::warehouse::units::{find_serials, must_not_be_in_stock};
use crate::effects::warehouse::{hold_positions, telling};
use crate::event::made::warehouse::MovementNoted;
use crate::event::{ClientEvent, Lockable, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;

/// A movement of stock is planned, by itself or in a list. Stock is looked at when it is carried out. Adjustments also need the scope
/// `inventory:movement:adjust`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MovementPlanned {
    /// What it does.
    movement_type: ListType,
    /// The product; or `product_code`.
    product_key: Option<ProductKey>,
    /// The code of the product.
    product_code: Option<String>,
    /// Where it begins, by key or id. Of a shipment or consumption `IN` when left out; an adjustment has one position, here or as
    /// `position_to`.
    position_from: Option<PositionRef>,
    /// Where it ends, by key or id. Of a receipt or production `IN` when left out.
    position_to: Option<PositionRef>,
    /// The serial, if units of the product are traced; or `serial_code`.
    serial_key: Option<SerialKey>,
    /// The code of the serial. A receipt makes the serial if there is none.
    #[schemars(length(min = 1, max = 256))]
    serial_code: Option<String>,
    /// How much; 1 when left out. Negative only of an adjustment that takes out.
    qt_planned: Option<Quantity>,
    /// The list it is added to, which needs the scope `inventory:movement-list:create`.
    movement_list_key: Option<MovementListKey>,
    /// Its place in the list; the next whole number when left out.
    #[schemars(range(min = 0, max = LAST_ITEM))]
    movement_list_item: Option<i64>,
    /// False: it belongs to a customer or a supplier. When left out, as the stock that is taken.
    owned: Option<bool>,
    /// What it belongs to.
    references: Option<SentReferences>,
    /// Why.
    #[schemars(length(max = 500))]
    reason: Option<String>,
    /// Anything, stored as it is; at most 4,096 bytes as JSON.
    #[serde(default)]
    #[schemars(extend("x-checked-as" = "extra"))]
    extra: Map<String, Value>,
}

impl Postable for MovementPlanned {
    const TYPE: ClientEvent = ClientEvent::MovementPlanned;
    const LOCKS: Locks = &[("serial_key", Lockable::Unit)];
    const MOVES_STOCK: bool = true;
    const NAMES_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] = &["SERIAL_CREATED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let (list_key, item) = (self.movement_list_key, self.movement_list_item);
        if list_key.is_some() {
            act.must_have(LISTS)?;
        } else if item.is_some() {
            return Err(Refused::value("movement_list_item is for movements of a list.").into());
        }
        let described = self.described();
        must_be_allowed(act, described.kind)?;
        if is_of_a_position(&described) {
            let why = "Send product_key or product_code. A position itself can't be planned to move: MOVEMENT_COMPLETED moves it at once.";
            return Err(Refused::value(why).into());
        }
        let names = [(described.product_key.as_ref(), described.product_code.as_ref())];
        let products = Products::load(act, names.into_iter()).await?;
        let mut drafts = [Ok(described.planned(act, &products)?)];
        let places = hold_positions(act, &positions_of(&drafts)).await?;
        let list = match list_key {
            Some(key) => Some(lock_list(act, key).await?),
            None => None,
        };
        if let (Some(list), Ok(draft)) = (&list, &mut drafts[0]) {
            must_take(list, draft.movement.kind)?;
            put(act, list, &mut draft.movement, item).await?;
        }
        find_serials(act, &mut drafts).await?;
        must_not_be_in_stock(act, &mut drafts).await?;
        let [draft] = drafts;
        let draft = draft?;
        places.must_be_live(&draft.movement)?;
        act.concern(telling::concerns(&draft.movement, Some(&draft.product.key))).await?;
        movements::insert_all(act.tx, std::slice::from_ref(&draft.movement)).await?;
        refresh(act, list).await?;
        let movement_list_item = draft.movement.movement_list_item;
        act.note(&MovementNoted { movement_key: draft.movement.key, movement_list_item })?;
        Ok(Outcome(vec![("movement_key", OutcomeMember::Json(json!(draft.movement.key)))]))
    }
}

impl MovementPlanned {
    fn described(self) -> Described {
        Described {
            kind: self.movement_type.into(),
            product_key: self.product_key,
            product_code: self.product_code,
            serial_key: self.serial_key,
            serial_code: self.serial_code,
            from: self.position_from.map(|PositionRef(key)| key),
            to: self.position_to.map(|PositionRef(key)| key),
            qt_planned: self.qt_planned,
            qt_confirmed: None,
            owned: self.owned,
            references: self.references.map(Into::into),
            reason: self.reason,
            extra: self.extra,
        }
    }
}

fn is_of_a_position(described: &Described) -> bool {
    described.kind == MovementType::Transfer && described.product_key.is_none() && described.product_code.is_none()
}
