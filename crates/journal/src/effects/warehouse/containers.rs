//! Positions that are moved themselves, with everything in them.

use domain::key::PositionKey;
use domain::rule::warehouse::NotMoved;
use domain::warehouse::movement::is_beyond;
use domain::warehouse::{DEEPEST, NOWHERE, is_reserved, way_down};
use store::Lock;
use store::warehouse::links;
use store::warehouse::positions::{self, Position};

use super::places::hold_positions;
use super::refusing::About;
use crate::act::Act;
use crate::{Error, Result};

/// Puts a carrier into another position.
pub(crate) async fn relocate(act: &mut Act<'_>, container: &PositionKey, parent: &PositionKey) -> Result<()> {
    let refuse = |at: &PositionKey, rule| Err(About::position(at).refused(rule));
    act.tx.lock(Lock::Positions).await?;
    let locked = positions::lock(act.tx, container).await?;
    let places = hold_positions(act, &[container.clone(), parent.clone()]).await?;
    places.live("position_from", container)?;
    let locked = locked.ok_or_else(|| Error::missing("position_from", container))?;
    let target = places.live("position_to", parent)?;
    if is_reserved(container) || locked.data.fixed {
        return refuse(container, NotMoved::PositionFixed);
    }
    if container == parent || locked.parent_key.as_ref() == Some(parent) {
        return refuse(parent, NotMoved::SamePosition);
    }
    if parent.as_str() == NOWHERE {
        return Err(About::position(parent).refused_as(NotMoved::PositionUnavailable, "No position can be in NULL."));
    }
    if !(target.data.available || is_beyond(parent)) {
        return refuse(parent, NotMoved::PositionUnavailable);
    }
    if !locked.data.available {
        return refuse(container, NotMoved::PositionUnavailable);
    }
    let way: Vec<PositionKey> = links::path(act.tx, parent).await?.into_iter().map(|step| step.key).collect();
    if way_down(container, &way).is_some() {
        return refuse(parent, NotMoved::PositionCycle);
    }
    let level = way.len() as i64 + 1 + links::height(act.tx, container).await?;
    if level > DEEPEST as i64 {
        return refuse(parent, NotMoved::PositionTooDeep);
    }
    links::change_all(act.tx, &[(container.clone(), parent.clone())]).await?;
    let moved = Position { rev: locked.rev + 1, updated: act.now, ..locked };
    Ok(positions::update(act.tx, &moved).await?)
}
