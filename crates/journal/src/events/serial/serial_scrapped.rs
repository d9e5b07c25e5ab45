use domain::key::SerialKey;
use domain::serial::Parent;
use domain::text::NOT_BLANK;
use schemars::JsonSchema;
use serde::Deserialize;
use store::serial::links;

use crate::Result;
use crate::act::Act;
use crate::effects::production::units::{ids, waiting};
use crate::effects::serial::ending::{must_be_scrappable, scrap};
use crate::effects::serial::linking::{end_by_other, hold_genealogy, not_before_links};
use crate::effects::serial::naming::{concerns, lock_all, named, outcome};
use crate::effects::serial::stock::{Whereabouts, movements_of, put_back};
use crate::event::made::serial::CodedSerial;
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// Units are scrapped. They keep their codes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SerialScrapped {
    /// The serial; or `serial_keys`.
    serial_key: Option<SerialKey>,
    /// Up to 100,000 serials.
    #[schemars(length(min = 1))]
    serial_keys: Option<Vec<SerialKey>>,
    /// Why.
    #[schemars(length(min = 1, max = 500), regex(pattern = NOT_BLANK))]
    reason: String,
    /// Takes their components out, so that they can be used again.
    #[serde(default)]
    release_components: bool,
}

impl Postable for SerialScrapped {
    const TYPE: ClientEvent = ClientEvent::SerialScrapped;
    const LOCKS: Locks = &[("serial_key", Lockable::Serial), ("serial_keys", Lockable::Serial)];
    const MAY_CHANGE_LINKS: bool = true;
    const MAY_MOVE_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] =
        &["SERIAL_UNLINKED", "JOB_CLOSED", "WORK_ORDER_CLOSED", "MOVEMENT_COMPLETED", "MOVEMENT_REVERSED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let many = self.serial_keys.is_some();
        let keys = named(self.serial_key, self.serial_keys)?;
        let floors = waiting::lock_orders(act, &keys).await?;
        let mut places = Whereabouts::default();
        if self.release_components {
            hold_genealogy(act).await?;
            let below = links::active_below_all(act.tx, &ids(&keys)).await?;
            places.of_taken(act, &movements_of(&below)).await?;
        }
        places.of_serials(act, &ids(&keys)).await?;
        places.hold(act).await?;
        let field = if many { "serial_keys" } else { "serial_key" };
        let serials = lock_all(act, field, &keys).await?;
        places.must_be_right(act).await?;
        act.concern(concerns(&serials)).await?;
        must_be_scrappable(act, &serials, many).await?;
        if self.release_components {
            let mut below = Vec::new();
            for serial in &serials {
                below.extend(links::active_below(act.tx, Parent::Serial(serial.key)).await?);
            }
            not_before_links(act, &below);
            let taken = movements_of(&below);
            for link in below {
                end_by_other(act, link, Some(self.reason.clone()), true).await?;
            }
            put_back(act, &taken).await?;
        }
        scrap(act, &serials, &self.reason).await?;
        waiting::take_out(act, floors, &keys).await?;
        Ok(outcome(&serials.iter().map(CodedSerial::from).collect::<Vec<_>>()))
    }
}
