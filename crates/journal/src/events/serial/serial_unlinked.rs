use domain::key::{BatchKey, SerialKey};
use domain::rule::Refused;
use domain::rule::serial::NotLinked;
use domain::serial::{Link, Parent};
use domain::text::is_blank;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::serial::{links, serials};

use crate::act::Act;
use crate::effects::serial::ending::scrap_by_other;
use crate::effects::serial::linking::{end, hold_genealogy, link_concerns, refused};
use crate::effects::serial::stock::{Whereabouts, movements_of, put_back};
use crate::event::{ClientEvent, Lockable, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;
use crate::{Error, Result};

/// A unit is taken out of the one that contains it. The link is kept, with its end.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SerialUnlinked {
    /// What is taken out.
    child_serial_key: SerialKey,
    /// The unit it is taken out of; or `batch_key`.
    parent_serial_key: Option<SerialKey>,
    /// The batch it is taken out of.
    batch_key: Option<BatchKey>,
    /// Why.
    #[schemars(length(max = 500))]
    reason: Option<String>,
    /// Puts it back into stock, if it was taken from there.
    #[serde(default = "yes")]
    process_inventory: bool,
    /// Scraps it; needs a reason.
    #[serde(default)]
    scrap: bool,
}

fn yes() -> bool {
    true
}

impl Postable for SerialUnlinked {
    const TYPE: ClientEvent = ClientEvent::SerialUnlinked;
    const LOCKS: Locks = &[("batch_key", Lockable::Batch)];
    const MAY_MOVE_STOCK: bool = true;
    const MAY_SPARE_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] = &["SERIAL_SCRAPPED", "MOVEMENT_COMPLETED", "MOVEMENT_REVERSED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let parent = self.parent_serial_key.map(Parent::Serial).or(self.batch_key.map(Parent::Batch));
        let parent = parent.ok_or_else(|| Refused::value("Send parent_serial_key or batch_key."))?;
        let reason = self.reason.clone().filter(|reason| !is_blank(reason));
        if self.scrap && reason.is_none() {
            return Err(Refused::value("Scrap needs a reason.").into());
        }
        hold_genealogy(act).await?;
        let link = links::active_of(act.tx, self.child_serial_key).await?.filter(|link| link.parent() == Some(parent));
        let places = self.hold_stock(act, link.as_ref()).await?;
        // The unit too: whoever completes its batch counts what it contains.
        let named = [Some(self.child_serial_key), self.parent_serial_key].into_iter().flatten().map(|key| key.0);
        let found = serials::lock_all(act.tx, &named.collect::<Vec<_>>()).await?.into_iter();
        places.must_be_right(act).await?;
        let child = found.into_iter().find(|serial| serial.key == self.child_serial_key && serial.deleted.is_none());
        let child = child.ok_or_else(|| Error::missing("child_serial_key", self.child_serial_key))?;
        let link = link.ok_or_else(|| refused(NotLinked::NoSuchLink, "The unit does not contain the serial."))?;
        act.concern(link_concerns(&link)).await?;
        let taken = movements_of([&link]);
        let key = end(act, link, reason.clone()).await?;
        if self.process_inventory && !self.scrap {
            put_back(act, &taken).await?;
        }
        if let Some(reason) = reason.filter(|_| self.scrap) {
            scrap_by_other(act, std::slice::from_ref(&child), &reason).await?;
        }
        Ok(Outcome(vec![("link_key", OutcomeMember::Json(json!(key)))]))
    }
}

impl SerialUnlinked {
    /// Holds where the part goes back to, or lies if it is scrapped.
    async fn hold_stock(&self, act: &mut Act<'_>, link: Option<&Link>) -> Result<Whereabouts> {
        let mut places = Whereabouts::default();
        match self.scrap {
            true => places.of_serials(act, &[self.child_serial_key.0]).await?,
            false if self.process_inventory => drop(places.of_taken(act, &movements_of(link)).await?),
            false => {}
        }
        places.hold(act).await?;
        Ok(places)
    }
}
