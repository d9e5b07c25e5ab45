use std::sync::Arc;

use domain::key::{MovementKey, MovementListKey, PositionKey, ProductKey, SerialKey};
use domain::rule::Refused;
use domain::rule::warehouse::NotMoved;
use domain::warehouse::movement::{
    LAST_ITEM, ListType, MovementStatus, MovementType, PositionRef, References, SentReferences, size,
};
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::product::products::Product;
use store::warehouse::movement_lists::MovementList;
use store::warehouse::movements::{self, Movement};

use crate::act::Act;
use crate::effects::warehouse::containers::relocate;
use crate::effects::warehouse::drafting::{Described, Draft, Reasons, Times};
use crate::effects::warehouse::moving::{By, Moved, carry_out};
use crate::effects::warehouse::naming::{Products, named_serial, product_of};
use crate::effects::warehouse::places::{Places, changed_sides, missing};
use crate::effects::warehouse::planned::{self, lock_list, must_take, put, refresh};
use crate::effects::warehouse::refusing::About;
use crate::effects::warehouse::rights::must_be_allowed;
use crate::effects::warehouse::server::positions_of;
use crate::effects::warehouse::units::find_serials;
use crate::effects::warehouse::{hold_positions, telling};
use crate::event::made::warehouse::MovementCarriedOut;
use crate::event::{ClientEvent, Lockable, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;
use crate::{Error, Result};

/// Stock is moved: as it was planned, or without a plan. A transfer without a product moves the position `position_from` itself, with
/// everything in it. Adjustments also need the scope `inventory:movement:adjust`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MovementCompleted {
    /// A planned movement. Its product, type, list and `qt_planned` stay; they may be repeated.
    movement_key: Option<MovementKey>,
    /// What it does; required without `movement_key`.
    movement_type: Option<ListType>,
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
    /// How much was planned; as much as was moved when left out.
    qt_planned: Option<Quantity>,
    /// How much was moved; required without `movement_key`, else as much as was planned when left out. Negative only of an adjustment
    /// that takes out.
    qt_confirmed: Option<Quantity>,
    /// The list it is added to.
    movement_list_key: Option<MovementListKey>,
    /// Its place in the list; the next whole number when left out.
    #[schemars(range(min = 0, max = LAST_ITEM))]
    movement_list_item: Option<i64>,
    /// False: it belongs to a customer or a supplier. When left out, as the stock that is taken.
    owned: Option<bool>,
    /// What it belongs to.
    references: Option<SentReferences>,
    /// Why; the site may ask for it.
    #[schemars(length(max = 500))]
    reason: Option<String>,
    /// Anything, stored as it is; at most 4,096 bytes as JSON.
    #[schemars(extend("x-checked-as" = "extra"))]
    extra: Option<Map<String, Value>>,
    /// When it started; when the event happened if left out.
    start: Option<Timestamp>,
    /// When it ended, at most 5 minutes ahead; when the event happened if left out.
    end: Option<Timestamp>,
}

impl Postable for MovementCompleted {
    const TYPE: ClientEvent = ClientEvent::MovementCompleted;
    const LOCKS: Locks = &[("serial_key", Lockable::Unit)];
    const MOVES_STOCK: bool = true;
    const NAMES_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] = &["SERIAL_CREATED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let times = Times::sent(act, self.start, self.end)?;
        match self.movement_key {
            Some(key) => self.carry_out_planned(act, key, times).await,
            None if self.is_of_a_position() => self.of_a_position(act, times).await,
            None => self.at_once(act, times).await,
        }
    }
}

impl MovementCompleted {
    fn is_of_a_position(&self) -> bool {
        self.movement_type == Some(ListType::Transfer) && self.product_key.is_none() && self.product_code.is_none()
    }

    fn sent_sides(&self) -> (Option<PositionKey>, Option<PositionKey>) {
        let key = |sent: &Option<PositionRef>| sent.as_ref().map(|PositionRef(key)| key.clone());
        (key(&self.position_from), key(&self.position_to))
    }

    fn references(&self) -> Option<References> {
        self.references.clone().map(References::from)
    }

    /// Without a plan.
    async fn at_once(self, act: &mut Act<'_>, times: Times) -> Result<Outcome> {
        let kind: MovementType = self.movement_type.ok_or_else(|| missing("movement_type"))?.into();
        let (list_key, item) = (self.movement_list_key, self.movement_list_item);
        if list_key.is_none() && item.is_some() {
            return Err(Refused::value("movement_list_item is for movements of a list.").into());
        }
        must_be_allowed(act, kind)?;
        let reasons = Reasons::load(act).await?;
        let names = [(self.product_key.as_ref(), self.product_code.as_ref())];
        let products = Products::load(act, names.into_iter()).await?;
        let mut draft = self.described(kind).ready(act, &products)?;
        reasons.must_be_given(&draft)?;
        times.stamp(&mut draft.movement);
        let mut drafts = vec![Ok(draft)];
        let places = hold_positions(act, &positions_of(&drafts)).await?;
        let list = match list_key {
            Some(key) => Some(lock_list(act, key).await?),
            None => None,
        };
        if let (Some(list), Some(Ok(draft))) = (&list, drafts.first_mut()) {
            must_take(list, kind)?;
            put(act, list, &mut draft.movement, item).await?;
        }
        let moved = finish(act, drafts, &places).await?;
        match list {
            // It counts what it has.
            Some(_) => movements::insert_all(act.tx, std::slice::from_ref(&moved.movement)).await?,
            None => movements::insert_unread(act.tx, &moved.movement).await?,
        }
        end(act, moved, list).await
    }

    fn described(self, kind: MovementType) -> Described {
        let ((from, to), references) = (self.sent_sides(), self.references());
        Described {
            kind,
            product_key: self.product_key,
            product_code: self.product_code,
            serial_key: self.serial_key,
            serial_code: self.serial_code,
            from,
            to,
            qt_planned: self.qt_planned,
            qt_confirmed: self.qt_confirmed,
            owned: self.owned,
            references,
            reason: self.reason,
            extra: self.extra.unwrap_or_default(),
        }
    }

    /// As it was planned.
    async fn carry_out_planned(self, act: &mut Act<'_>, key: MovementKey, times: Times) -> Result<Outcome> {
        let found = planned::find(act, key).await?;
        must_be_allowed(act, found.kind)?;
        let product = match found.product_id {
            Some(id) => product_of(act, id).await?,
            None => return Err(Error::broken("a planned movement without a product")),
        };
        let drafts = vec![Ok(self.drafted(act, &found, &product, times)?)];
        let reasons = Reasons::load(act).await?;
        let places = hold_positions(act, &positions_of(&drafts)).await?;
        let (found, list) = planned::lock(act, &found).await?;
        // Others may have changed it meanwhile.
        let draft = self.drafted(act, &found, &product, times)?;
        reasons.must_be_given(&draft)?;
        let mut moved = finish(act, vec![Ok(draft)], &places).await?;
        planned::save(act, &mut moved.movement).await?;
        end(act, moved, list).await
    }

    /// A planned movement as it is to be carried out.
    fn drafted(&self, act: &Act<'_>, found: &Movement, product: &Arc<Product>, times: Times) -> Result<Draft> {
        self.must_repeat(found, product)?;
        let mut movement = self.changed(act, found)?;
        let serial = named_serial(self.serial_key, self.serial_code.as_deref())?;
        if serial.is_some() {
            movement.serial_key = None;
        }
        // Several units are carried out one by one.
        let traced = product.data.traceability_level.is_some() && movement.kind != MovementType::Adjustment;
        if traced && size(movement.qt_confirmed) > Quantity::ONE {
            return Err(About::product(&product.key).refused(NotMoved::SerialRequired));
        }
        times.stamp(&mut movement);
        Ok(Draft { movement, product: product.clone(), serial })
    }

    /// What is fixed may only be repeated.
    fn must_repeat(&self, found: &Movement, product: &Product) -> Result<()> {
        let differs = |field: &str, sent: Option<String>, known: Option<String>| match sent {
            Some(sent) if known.as_ref() != Some(&sent) => Err(Error::mismatch(field, sent, known)),
            _ => Ok(()),
        };
        let kind = self.movement_type.map(|kind| kind.name().to_owned());
        differs("movement_type", kind, Some(found.kind.name().to_owned()))?;
        differs("product_key", self.product_key.as_ref().map(ToString::to_string), Some(product.key.to_string()))?;
        let code = self.product_code.as_ref().map(|code| code.trim().to_owned());
        differs("product_code", code, Some(product.data.code.clone()))?;
        let list = |key: Option<MovementListKey>| key.map(|key| key.to_string());
        differs("movement_list_key", list(self.movement_list_key), list(found.movement_list_key))?;
        let item = |item: Option<i64>| item.map(|item| item.to_string());
        differs("movement_list_item", item(self.movement_list_item), item(found.movement_list_item))?;
        let planned = self.qt_planned.map(|planned| planned.to_string());
        differs("qt_planned", planned, Some(found.qt_planned.to_string()))
    }

    /// The planned movement with what is sent.
    fn changed(&self, act: &Act<'_>, found: &Movement) -> Result<Movement> {
        let (from, to) = self.sent_sides();
        let sides = changed_sides(found, from, to)?;
        let mut movement = found.clone();
        (movement.from_key, movement.to_key) = (sides.from, sides.to);
        movement.qt_confirmed = self.qt_confirmed.unwrap_or(found.qt_planned);
        if let Some(owned) = self.owned {
            (movement.owned, movement.owner_open) = (owned, false);
        }
        if let Some(references) = self.references() {
            movement.refers_to = references.or(&found.refers_to.clone().unwrap_or_default()).filled();
        }
        movement.reason = self.reason.clone().or(movement.reason);
        if let Some(extra) = &self.extra {
            movement.extra = extra.clone();
        }
        movement.user_key = act.author.user_key.clone();
        Ok(movement)
    }

    /// A position is moved itself.
    async fn of_a_position(self, act: &mut Act<'_>, times: Times) -> Result<Outcome> {
        let references = self.references();
        let (Some(PositionRef(container)), Some(PositionRef(parent))) = (self.position_from, self.position_to) else {
            return Err(Refused::value("Send position_from and position_to.").into());
        };
        let about = About::position(&container);
        let quantities = [self.qt_planned, self.qt_confirmed];
        if quantities.into_iter().flatten().any(|quantity| quantity != Quantity::ONE) {
            let why = "A position is moved as one: leave the quantities out, or send 1.";
            return Err(about.refused_as(NotMoved::QuantityInvalid, why));
        }
        if self.serial_key.is_some() || self.serial_code.is_some() {
            let why = "A position is moved with everything in it: leave the serial out.";
            return Err(about.refused_as(NotMoved::SerialNotAllowed, why));
        }
        if self.movement_list_key.is_some() || self.movement_list_item.is_some() {
            return Err(Refused::value("A position is moved by itself, not in a list.").into());
        }
        if Reasons::load(act).await?.lacks(MovementType::Transfer, self.reason.as_deref()) {
            return Err(about.refused(NotMoved::ReasonMissing));
        }
        let mut movement = Movement {
            key: MovementKey(act.new_id()?),
            rev: 1,
            kind: MovementType::Transfer,
            status: MovementStatus::Completed,
            from_key: container,
            to_key: parent,
            product_id: None,
            serial_key: None,
            qt_planned: Quantity::ONE,
            qt_confirmed: Quantity::ONE,
            owned: self.owned.unwrap_or(true),
            owner_open: false,
            created: act.at,
            start_at: None,
            end_at: None,
            movement_list_key: None,
            movement_list_item: None,
            inverse_movement_key: None,
            origin_movement_key: None,
            work_order_key: None,
            job_key: None,
            batch_key: None,
            count_session_key: None,
            count_record_key: None,
            refers_to: references.and_then(References::filled),
            reason: self.reason,
            user_key: act.author.user_key.clone(),
            extra: self.extra.unwrap_or_default(),
        };
        times.stamp(&mut movement);
        act.concern(telling::concerns(&movement, None)).await?;
        relocate(act, &movement.from_key, &movement.to_key).await?;
        movements::insert_all(act.tx, std::slice::from_ref(&movement)).await?;
        let owned = movement.owned;
        act.note(&MovementCarriedOut { movement_key: movement.key, owned, stock_changes: Vec::new() })?;
        Ok(outcome(&movement))
    }
}

/// Finds the serial, and moves stock.
async fn finish(act: &mut Act<'_>, mut drafts: Vec<Result<Draft>>, places: &Places) -> Result<Moved> {
    let units = find_serials(act, &mut drafts).await?;
    if let Some(Ok(Draft { movement, product, .. })) = drafts.first() {
        act.concern(telling::concerns(movement, Some(&product.key))).await?;
    }
    let moved = carry_out(act, drafts, places, &units, By::Client).await.map_err(|(_, error)| error)?.pop();
    moved.ok_or_else(|| Error::broken("a movement that moved nothing"))
}

/// Brings the list up to date, and tells what was done.
async fn end(act: &mut Act<'_>, moved: Moved, list: Option<MovementList>) -> Result<Outcome> {
    refresh(act, list).await?;
    let Movement { key: movement_key, owned, .. } = moved.movement;
    act.note(&MovementCarriedOut { movement_key, owned, stock_changes: moved.changes })?;
    Ok(outcome(&moved.movement))
}

fn outcome(movement: &Movement) -> Outcome {
    Outcome(vec![
        ("movement_key", OutcomeMember::Json(json!(movement.key))),
        ("serial_key", OutcomeMember::Json(json!(movement.serial_key))),
    ])
}
