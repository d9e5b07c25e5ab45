//! Taking completed movements back.

use domain::key::{MovementKey, PositionKey};
use domain::rule::warehouse::{InventoryMovementException, NotMoved};
use domain::warehouse::INSIDE;
use domain::warehouse::movement::{
    BadReversal, MovementStatus, MovementType, References, is_beyond, opposite, reverted, size,
};
use domain::{Quantity, Total};
use store::StoreError;
use store::product::products::Product;
use store::warehouse::movement_lists::MovementList;
use store::warehouse::movements::{self, Movement};

use super::drafting::{Draft, Times};
use super::moving::{By, Moved, carry_out};
use super::naming::{about, product_of};
use super::places::{Places, hold_positions};
use super::planned::{self, lock_list};
use super::refusing::{About, overflow, refuse};
use super::telling;
use super::units::find_serials;
use crate::act::Act;
use crate::{Error, Result};

/// A movement that was taken back.
#[derive(Debug)]
pub(crate) struct Reversal {
    pub(crate) moved: Moved,
    /// How much of it.
    pub(crate) quantity: Quantity,
}

/// Takes a completed movement back, or a part of it.
pub(crate) async fn reverse(
    act: &mut Act<'_>,
    original: &Movement,
    wanted: Option<Quantity>,
    reason: Option<String>,
    by: By,
) -> Result<Reversal> {
    let product = match original.product_id {
        Some(id) if original.kind != MovementType::Reversal => product_of(act, id).await?,
        _ => return Err(about(act, original).await?.refused(NotMoved::NotReversible)),
    };
    let back = how_much(original, &product, wanted, by)?;
    not_before_its_end(act, original, by)?;
    let inside = PositionKey::trusted(INSIDE);
    let places = hold_positions(act, &[original.from_key.clone(), original.to_key.clone(), inside]).await?;
    let movement = opposite_of(act, original, back, reason, &places)?;
    let mut drafts = vec![Ok(Draft { movement, product, serial: None })];
    let units = find_serials(act, &mut drafts).await?;
    let moved = match carry_out(act, drafts, &places, &units, by).await {
        Ok(mut moved) => moved.pop(),
        // Stock may be short only because somebody has taken it back meanwhile.
        Err((_, Error::Refused(_))) if is_reversed(act, original.key).await? => {
            return Err(already_reversed(by, about(act, original).await?));
        }
        Err((_, error)) => return Err(error),
    };
    let moved = moved.ok_or_else(|| Error::broken("a reversal that moved nothing"))?;
    movements::insert_all(act.tx, std::slice::from_ref(&moved.movement)).await?;
    if !movements::set_inverse(act.tx, original.key, moved.movement.key).await? {
        return Err(already_reversed(by, About::movement(original, Some(&moved.product_key))));
    }
    Ok(Reversal { moved, quantity: size(back) })
}

async fn is_reversed(act: &mut Act<'_>, key: MovementKey) -> Result<bool> {
    let now = movements::find(act.tx, key).await?;
    Ok(now.is_some_and(|movement| movement.inverse_movement_key.is_some()))
}

/// Somebody was first.
fn already_reversed(by: By, about: About) -> Error {
    match by {
        By::Client => about.refused(NotMoved::AlreadyReversed),
        // What asks for it because of something else looks again: then it leaves out what was reversed.
        By::Server | By::Count(_) => {
            StoreError::Stored("a movement was reversed meanwhile".to_owned()).run_again().into()
        }
    }
}

/// How much of it can be taken back, with its sign.
fn how_much(original: &Movement, product: &Product, wanted: Option<Quantity>, by: By) -> Result<Quantity> {
    let about = || About::movement(original, Some(&product.key));
    if original.status != MovementStatus::Completed {
        return Err(about().refused(NotMoved::NothingToReverse));
    }
    if original.inverse_movement_key.is_some() {
        return Err(already_reversed(by, about()));
    }
    reverted(original.qt_confirmed, wanted).map_err(|bad| match bad {
        BadReversal::Nothing => about().refused(NotMoved::NothingToReverse),
        BadReversal::NotPositive => about().refused_as(
            NotMoved::QuantityInvalid,
            "quantity_to_revert has to be above 0; without it, all is taken back.",
        ),
        BadReversal::TooMuch => refuse(InventoryMovementException {
            available: Some(size(original.qt_confirmed)),
            requested: wanted,
            ..about().exception(NotMoved::ReverseTooMuch)
        }),
    })
}

/// Nothing is taken back before it was done.
fn not_before_its_end(act: &mut Act<'_>, original: &Movement, by: By) -> Result<()> {
    let Some(end) = original.end_at else { return Ok(()) };
    act.not_before(end);
    if by == By::Client && act.at < end {
        return Err(Error::timestamp("The movement ended later.", Some(end)));
    }
    Ok(())
}

/// The movement that takes another one back: what would come into a deleted position comes into the warehouse.
fn opposite_of(
    act: &Act<'_>,
    original: &Movement,
    back: Quantity,
    reason: Option<String>,
    places: &Places,
) -> Result<Movement> {
    let adjusts = original.from_key == original.to_key;
    let comes_in = |key: &PositionKey| {
        if is_beyond(key) || places.is_live(key) { key.clone() } else { PositionKey::trusted(INSIDE) }
    };
    let qt_confirmed = if adjusts { opposite(back) } else { back };
    let (from_key, to_key) = match adjusts {
        true if qt_confirmed.is_negative() => (original.to_key.clone(), original.from_key.clone()),
        true => (comes_in(&original.from_key), comes_in(&original.from_key)),
        false => (original.to_key.clone(), comes_in(&original.from_key)),
    };
    if !adjusts && from_key == to_key {
        return Err(About::position(&original.from_key).refused(NotMoved::PositionDeleted));
    }
    let references = References {
        origin_movement_key: Some(original.key.to_string()),
        ..original.refers_to.clone().unwrap_or_default()
    };
    let mut movement = Movement {
        key: MovementKey(act.new_id()?),
        rev: 1,
        kind: MovementType::Reversal,
        from_key,
        to_key,
        qt_planned: Quantity::ZERO,
        qt_confirmed,
        owner_open: false,
        created: act.at,
        movement_list_key: None,
        movement_list_item: None,
        inverse_movement_key: None,
        origin_movement_key: Some(original.key),
        work_order_key: None,
        job_key: None,
        batch_key: None,
        count_session_key: None,
        count_record_key: None,
        refers_to: Some(references),
        reason,
        user_key: act.author.user_key.clone(),
        ..original.clone()
    };
    Times::of_event(act).stamp(&mut movement);
    Ok(movement)
}

/// Locks the list to which a movement that is taken back gives its quantity back. None if it has none, or one that takes nothing.
pub(crate) async fn lock_its_list(act: &mut Act<'_>, original: &Movement) -> Result<Option<MovementList>> {
    let Some(key) = original.movement_list_key else { return Ok(None) };
    let list = lock_list(act, key).await?;
    Ok(Some(list).filter(|list| list.closed.is_none() && list.kind != MovementType::Adjustment))
}

/// Plans in a list that is locked what was taken back. Returns the planned movement.
pub(crate) async fn plan_again(
    act: &mut Act<'_>,
    list: MovementList,
    original: &Movement,
    back: Quantity,
) -> Result<Option<MovementKey>> {
    let (Some(id), Some(item)) = (original.product_id, original.movement_list_item) else { return Ok(None) };
    let product = product_of(act, id).await?;
    if product.trash {
        return Ok(None);
    }
    let rows = movements::planned_of_item(act.tx, list.key, item, id).await?;
    let traced = product.data.traceability_level.is_some();
    let fits = |row: &&Movement| !traced || row.serial_key.is_none() || row.serial_key == original.serial_key;
    let key = match rows.iter().find(fits) {
        Some(row) => {
            let mut row = row.clone();
            if row.serial_key.is_none() {
                let planned = (Total::from(row.qt_planned) + Total::from(back)).quantity();
                row.qt_planned = planned.ok_or_else(overflow)?;
                planned::save(act, &mut row).await?;
            }
            row.key
        }
        None => {
            let row = Movement {
                key: MovementKey(act.new_id()?),
                rev: 1,
                status: MovementStatus::Planned,
                qt_planned: back,
                qt_confirmed: Quantity::ZERO,
                owner_open: true,
                created: act.at,
                start_at: None,
                end_at: None,
                inverse_movement_key: None,
                reason: None,
                user_key: act.author.user_key.clone(),
                ..original.clone()
            };
            movements::insert_all(act.tx, std::slice::from_ref(&row)).await?;
            telling::planned(act, &row, &product.key)?;
            row.key
        }
    };
    planned::refresh(act, Some(list)).await?;
    Ok(Some(key))
}
