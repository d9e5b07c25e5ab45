use std::sync::Arc;

use domain::key::{MovementKey, SerialKey};
use domain::rule::Refused;
use domain::rule::warehouse::NotMoved;
use domain::warehouse::movement::{MovementStatus, PositionRef, rest, size, suits};
use domain::{Quantity, Total};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::product::products::Product;
use store::warehouse::movements::{self, Movement};

use crate::act::Act;
use crate::effects::warehouse::drafting::{Draft, Reasons, Times, unsuited};
use crate::effects::warehouse::moving::{By, Moved, carry_out};
use crate::effects::warehouse::naming::{named_serial, product_of};
use crate::effects::warehouse::places::{changed_sides, missing};
use crate::effects::warehouse::refusing::{About, ONE_UNIT, WHOLE_UNITS};
use crate::effects::warehouse::rights::must_be_allowed;
use crate::effects::warehouse::server::{positions_of, store_all};
use crate::effects::warehouse::units::find_serials;
use crate::effects::warehouse::{hold_positions, planned, telling};
use crate::event::made::warehouse::{InventoryChanged, MovementChanged};
use crate::event::{ClientEvent, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;
use crate::{Error, Result};

/// A planned movement is changed, canceled, or carried out as a whole or in parts. Adjustments also need the scope
/// `inventory:movement:adjust`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MovementUpdated {
    /// The planned movement; or `_key`.
    movement_key: Option<MovementKey>,
    /// The same as `movement_key`.
    _key: Option<MovementKey>,
    /// How much is planned from now on.
    qt_planned: Option<Quantity>,
    /// How much was moved: all that is planned or more completes the movement, less is a part of it.
    qt_confirmed: Option<Quantity>,
    /// Where it begins from now on, by key or id.
    position_from: Option<PositionRef>,
    /// Where it ends from now on, by key or id.
    position_to: Option<PositionRef>,
    /// The parts that were carried out: each becomes a movement of its own, and what is left stays planned.
    #[schemars(length(min = 1, max = 10000))]
    split_into: Option<Vec<MovementPart>>,
    /// Why; the site may ask for it.
    #[schemars(length(max = 500))]
    reason: Option<String>,
    /// Cancels it.
    #[serde(default)]
    cancel: bool,
}

/// A part of a planned movement that was carried out.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MovementPart {
    /// Where it began, by key or id; as planned when left out.
    position_from: Option<PositionRef>,
    /// Where it ended, by key or id; as planned when left out.
    position_to: Option<PositionRef>,
    /// The serial, if units of the product are traced; or `serial_code`.
    serial_key: Option<SerialKey>,
    /// The code of the serial. A receipt makes the serial if there is none.
    #[schemars(length(min = 1, max = 256))]
    serial_code: Option<String>,
    /// How much was moved.
    qt_confirmed: Quantity,
    /// How much of it was planned; as much when left out.
    qt_planned: Option<Quantity>,
}

impl Postable for MovementUpdated {
    const TYPE: ClientEvent = ClientEvent::MovementUpdated;
    const LOCKS: Locks = &[];
    const MOVES_STOCK: bool = true;
    const NAMES_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] = &["SERIAL_CREATED", "MOVEMENT_COMPLETED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let found = planned::find(act, self.key()?).await?;
        let product = match found.product_id {
            Some(id) => product_of(act, id).await?,
            None => return Err(Error::broken("a planned movement without a product")),
        };
        must_be_allowed(act, found.kind)?;
        act.concern(telling::concerns(&found, Some(&product.key))).await?;
        if self.cancel {
            return self.canceled(act, found).await;
        }
        let (changed, drafts) = self.changed(act, &found, &product)?;
        let reasons = Reasons::load(act).await?;
        let mut positions = positions_of(&drafts);
        positions.extend([changed.from_key.clone(), changed.to_key.clone()]);
        let places = hold_positions(act, &positions).await?;
        places.must_be_live(&changed)?;
        let (found, list) = planned::lock(act, &found).await?;
        // Others may have carried out parts of it meanwhile.
        let (changed, mut drafts) = self.changed(act, &found, &product)?;
        // All parts share the reason.
        if let Some(Ok(draft)) = drafts.first() {
            reasons.must_be_given(draft)?;
        }
        let done = match drafts.is_empty() {
            true => Done::nothing(store(act, changed).await?),
            false => {
                let units = find_serials(act, &mut drafts).await?;
                let moved = carry_out(act, drafts, &places, &units, By::Client).await.map_err(|(_, error)| error)?;
                finish(act, changed, &product, moved).await?
            }
        };
        planned::refresh(act, list).await?;
        done.tell(act)
    }
}

/// What has become of a planned movement.
struct Done {
    /// None if it is used up.
    movement: Option<MovementKey>,
    status: MovementStatus,
    completed: Vec<MovementKey>,
    stock_changes: Vec<InventoryChanged>,
}

impl Done {
    fn nothing(movement: Movement) -> Self {
        let (key, status) = (Some(movement.key), movement.status);
        Self { movement: key, status, completed: Vec::new(), stock_changes: Vec::new() }
    }

    fn tell(self, act: &mut Act<'_>) -> Result<Outcome> {
        let outcome = Outcome(vec![
            ("movement_key", OutcomeMember::Json(json!(self.movement))),
            ("status", OutcomeMember::Json(json!(self.status))),
            ("completed_movement_keys", OutcomeMember::Json(json!(self.completed))),
        ]);
        let (completed_movement_keys, stock_changes) = (self.completed, self.stock_changes);
        act.note(&MovementChanged { completed_movement_keys, stock_changes })?;
        Ok(outcome)
    }
}

async fn store(act: &mut Act<'_>, mut movement: Movement) -> Result<Movement> {
    planned::save(act, &mut movement).await?;
    Ok(movement)
}

/// Stores what was carried out, and what is left of the planned movement.
async fn finish(act: &mut Act<'_>, planned: Movement, product: &Product, mut moved: Vec<Moved>) -> Result<Done> {
    // The movement itself, as a whole.
    if let [one] = &mut moved[..]
        && one.movement.key == planned.key
    {
        planned::save(act, &mut one.movement).await?;
        let (key, stock_changes) = (one.movement.key, std::mem::take(&mut one.changes));
        let status = MovementStatus::Completed;
        return Ok(Done { movement: Some(key), status, completed: vec![key], stock_changes });
    }
    let parts: Vec<Quantity> = moved.iter().map(|part| part.movement.qt_confirmed).collect();
    let left = rest(planned.qt_planned, &parts).map_err(|_| bad_quantity(product, OTHER_SIGN))?;
    let completed = store_all(act, moved).await?;
    let Some(left) = left else {
        if !movements::remove_planned(act.tx, planned.key).await? {
            return Err(planned::not_open(act, &planned).await?);
        }
        let status = MovementStatus::Completed;
        return Ok(Done { movement: None, status, completed, stock_changes: Vec::new() });
    };
    let rest = store(act, Movement { qt_planned: left, ..planned }).await?;
    Ok(Done { completed, ..Done::nothing(rest) })
}

const OTHER_SIGN: &str = "qt_confirmed has the sign of what is planned, and can't be 0.";

fn bad_quantity(product: &Product, why: &'static str) -> Error {
    About::product(&product.key).refused_as(NotMoved::QuantityInvalid, why)
}

impl MovementUpdated {
    fn key(&self) -> Result<MovementKey> {
        match (self.movement_key, self._key) {
            (Some(key), Some(same)) if key != same => Err(Error::mismatch("_key", same, Some(key.to_string()))),
            (Some(key), _) | (None, Some(key)) => Ok(key),
            (None, None) => Err(missing("movement_key")),
        }
    }

    async fn canceled(self, act: &mut Act<'_>, found: Movement) -> Result<Outcome> {
        if self.qt_confirmed.is_some() || self.split_into.is_some() {
            return Err(Refused::value("What is canceled is not carried out.").into());
        }
        let (found, list) = planned::lock(act, &found).await?;
        let reason = self.reason.or(found.reason);
        let end_at = Some(act.at);
        let canceled = Movement { status: MovementStatus::Canceled, end_at, reason, ..found };
        let canceled = store(act, canceled).await?;
        planned::refresh(act, list).await?;
        Done::nothing(canceled).tell(act)
    }

    /// The planned movement with what is sent, and what is carried out of it.
    fn changed(
        &self,
        act: &Act<'_>,
        found: &Movement,
        product: &Arc<Product>,
    ) -> Result<(Movement, Vec<Result<Draft>>)> {
        let changed = self.with_changes(act, found, product)?;
        let parts = self.parts(act, &changed, product)?;
        Ok((changed, parts.into_iter().map(Ok).collect()))
    }

    fn with_changes(&self, act: &Act<'_>, found: &Movement, product: &Product) -> Result<Movement> {
        let key = |sent: &Option<PositionRef>| sent.as_ref().map(|PositionRef(key)| key.clone());
        let sides = changed_sides(found, key(&self.position_from), key(&self.position_to))?;
        let mut movement = found.clone();
        (movement.from_key, movement.to_key) = (sides.from, sides.to);
        movement.qt_planned = self.qt_planned.unwrap_or(found.qt_planned);
        movement.reason = self.reason.clone().or(movement.reason);
        movement.user_key = act.author.user_key.clone();
        if !suits(movement.kind, movement.qt_planned) {
            return Err(bad_quantity(product, unsuited(movement.kind)));
        }
        let traced = product.data.traceability_level.is_some();
        if traced && movement.serial_key.is_some() && size(movement.qt_planned) != Quantity::ONE {
            return Err(bad_quantity(product, ONE_UNIT));
        }
        if traced && !movement.qt_planned.is_whole() {
            return Err(bad_quantity(product, WHOLE_UNITS));
        }
        Ok(movement)
    }

    /// What was carried out: nothing, all of it, or parts.
    fn parts(&self, act: &Act<'_>, planned: &Movement, product: &Arc<Product>) -> Result<Vec<Draft>> {
        let other_sign = |_| bad_quantity(product, OTHER_SIGN);
        let Some(split) = &self.split_into else {
            let Some(confirmed) = self.qt_confirmed else { return Ok(Vec::new()) };
            let left = rest(planned.qt_planned, &[confirmed]).map_err(other_sign)?;
            let mut movement = Movement { qt_confirmed: confirmed, ..planned.clone() };
            if left.is_some() {
                movement = Movement { key: MovementKey(act.new_id()?), rev: 1, qt_planned: confirmed, ..movement };
                movement.created = act.at;
            }
            Times::of_event(act).stamp(&mut movement);
            return Ok(vec![Draft { movement, product: product.clone(), serial: None }]);
        };
        let sum: Total = split.iter().map(|part| part.qt_confirmed).sum();
        if self.qt_confirmed.is_some_and(|confirmed| Total::from(confirmed) != sum) {
            let why = "qt_confirmed is not the sum of the parts: send their sum, or leave it out beside split_into.";
            return Err(bad_quantity(product, why));
        }
        let quantities: Vec<Quantity> = split.iter().map(|part| part.qt_confirmed).collect();
        rest(planned.qt_planned, &quantities).map_err(other_sign)?;
        split.iter().map(|part| part.draft(act, planned, product)).collect()
    }
}

impl MovementPart {
    /// A movement of its own.
    fn draft(&self, act: &Act<'_>, planned: &Movement, product: &Arc<Product>) -> Result<Draft> {
        let key = |sent: &Option<PositionRef>| sent.as_ref().map(|PositionRef(key)| key.clone());
        let sides = changed_sides(planned, key(&self.position_from), key(&self.position_to))?;
        let serial = named_serial(self.serial_key, self.serial_code.as_deref())?;
        let qt_planned = self.qt_planned.unwrap_or(self.qt_confirmed);
        if !suits(planned.kind, qt_planned) {
            return Err(bad_quantity(product, unsuited(planned.kind)));
        }
        let mut movement = Movement {
            key: MovementKey(act.new_id()?),
            rev: 1,
            from_key: sides.from,
            to_key: sides.to,
            serial_key: planned.serial_key.filter(|_| serial.is_none()),
            qt_planned,
            qt_confirmed: self.qt_confirmed,
            created: act.at,
            ..planned.clone()
        };
        Times::of_event(act).stamp(&mut movement);
        Ok(Draft { movement, product: product.clone(), serial })
    }
}
