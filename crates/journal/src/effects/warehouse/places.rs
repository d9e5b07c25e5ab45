//! The positions that movements leave and reach.

use std::collections::{BTreeSet, HashMap};

use domain::key::PositionKey;
use domain::rule::warehouse::NotMoved;
use domain::warehouse::OUTSIDE;
use domain::warehouse::movement::{BadSides, MovementType, Sides, is_beyond, sides};
use serde_json::Value;
use store::warehouse::movements::Movement;
use store::warehouse::positions::{self, Position};

use super::refusing::About;
use crate::act::Act;
use crate::{Error, Result};

/// Positions that are held.
#[derive(Debug, Default)]
pub(crate) struct Places(HashMap<PositionKey, Position>);

/// Nobody changes or deletes these positions until the transaction ends. Done before serials are locked.
pub(crate) async fn hold_positions(act: &mut Act<'_>, keys: &[PositionKey]) -> Result<Places> {
    let keys: BTreeSet<String> = keys.iter().map(ToString::to_string).collect();
    let found = positions::hold(act.tx, &keys.into_iter().collect::<Vec<_>>()).await?;
    Ok(Places(found.into_iter().map(|position| (position.key.clone(), position)).collect()))
}

impl Places {
    /// A live one; `field` is the member that names it.
    pub(crate) fn live(&self, field: &str, key: &PositionKey) -> Result<&Position> {
        let position = self.0.get(key).ok_or_else(|| Error::missing(field, key))?;
        if position.deleted {
            return Err(About::position(key).refused(NotMoved::PositionDeleted));
        }
        Ok(position)
    }

    pub(crate) fn is_live(&self, key: &PositionKey) -> bool {
        self.0.get(key).is_some_and(|position| !position.deleted)
    }

    /// Checks that both positions of a movement are there.
    pub(crate) fn must_be_live(&self, movement: &Movement) -> Result<()> {
        self.live("position_from", &movement.from_key)?;
        self.live("position_to", &movement.to_key)?;
        Ok(())
    }

    /// Checks that something can be moved between them now.
    pub(crate) fn must_be_usable(&self, movement: &Movement) -> Result<()> {
        self.must_be_live(movement)?;
        if matches!(movement.kind, MovementType::Adjustment | MovementType::Reversal) {
            return Ok(());
        }
        for key in [&movement.from_key, &movement.to_key] {
            let usable = is_beyond(key) || self.0.get(key).is_some_and(|position| position.data.available);
            if !usable {
                return Err(About::position(key).refused(NotMoved::PositionUnavailable));
            }
        }
        Ok(())
    }
}

/// The sides of a movement, given what was sent.
pub(crate) fn sides_of(kind: MovementType, from: Option<PositionKey>, to: Option<PositionKey>) -> Result<Sides> {
    sides(kind, from, to).map_err(|bad| match bad {
        BadSides::Forced(key) => About::position(&key).refused(NotMoved::ForcedPosition),
        BadSides::Reserved(key) => About::position(&key).refused_as(NotMoved::PositionUnavailable, holds_nothing(&key)),
        BadSides::Same(key) => About::position(&key).refused(NotMoved::SamePosition),
        BadSides::Two(key) => {
            let why = "An adjustment has one position: send it as position_from or as position_to.";
            About::position(&key).refused_as(NotMoved::ForcedPosition, why)
        }
        BadSides::None => missing_as("position_from", "Is required, or position_to."),
        BadSides::Missing(member) => missing(member),
    })
}

/// How goods go where nothing can be put, and how they come from there.
fn holds_nothing(beyond: &PositionKey) -> &'static str {
    if beyond.as_str() == OUTSIDE {
        "OUT holds no stock: goods leave by a shipment, and come in by a receipt."
    } else {
        "NULL holds no stock: goods are used up by a consumption, and made by a production."
    }
}

/// A member that has to be sent.
pub(crate) fn missing(member: &'static str) -> Error {
    missing_as(member, "Is required.")
}

fn missing_as(member: &'static str, why: &'static str) -> Error {
    let mut faults = domain::fault::Faults::at("body");
    faults.within(member, |faults| faults.add("missing", why, &Value::Null));
    Error::Invalid(faults.into_vec())
}

/// The sides of a planned movement of which some are changed.
pub(crate) fn changed_sides(planned: &Movement, from: Option<PositionKey>, to: Option<PositionKey>) -> Result<Sides> {
    if planned.kind == MovementType::Adjustment && (from.is_some() || to.is_some()) {
        return sides_of(planned.kind, from, to);
    }
    let from = from.unwrap_or_else(|| planned.from_key.clone());
    sides_of(planned.kind, Some(from), Some(to.unwrap_or_else(|| planned.to_key.clone())))
}
