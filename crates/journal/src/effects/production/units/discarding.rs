//! Units that are taken back as if they had never been made.

use domain::key::SerialKey;
use store::serial::{links, serials};

use super::ids;
use crate::act::Act;
use crate::effects::production::bench::Bench;
use crate::effects::serial::linking::{end_all, hold_genealogy};
use crate::effects::serial::stock::{Whereabouts, movements_of};
use crate::event::ClientEvent;
use crate::event::made::serial::UnitsDiscarded;
use crate::{Error, Result};

/// Discards units of a batch: their links end, and those that nothing else refers to are removed, the others deleted.
pub(crate) async fn discard(act: &mut Act<'_>, bench: &Bench, units: &[SerialKey]) -> Result<()> {
    if units.is_empty() {
        return Ok(());
    }
    let keys = ids(units);
    if !links::active_below_all(act.tx, &keys).await?.is_empty() {
        hold_genealogy(act).await?;
        let below = links::active_below_all(act.tx, &keys).await?;
        let mut places = Whereabouts::default();
        places.of_taken(act, &movements_of(&below)).await?;
        places.hold(act).await?;
    }
    let created = serials::lock_all(act.tx, &keys).await?.iter().map(|unit| unit.created).max();
    if let Some(created) = created {
        act.not_before(created);
        if act.at < created {
            return Err(Error::timestamp("A unit that goes was created later.", Some(created)));
        }
    }
    let below = links::active_below_all(act.tx, &keys).await?;
    end_all(act, below, "parent deleted").await?;
    let removed = serials::without_trace(act.tx, &keys).await?;
    let (gone, kept): (Vec<SerialKey>, Vec<SerialKey>) = units.iter().partition(|key| removed.contains(key));
    let user = act.author.user_key.clone();
    let at = act.at;
    serials::delete(act.tx, &ids(&kept), at, &user).await?;
    serials::remove_all(act.tx, &ids(&gone)).await?;
    let payload = UnitsDiscarded { deleted_serial_keys: units.to_vec(), removed_serial_keys: gone };
    act.child(ClientEvent::SerialDeleted.name(), bench.concerns(), &payload)?;
    Ok(())
}
