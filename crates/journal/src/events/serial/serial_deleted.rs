use domain::key::SerialKey;
use domain::scope::Scope;
use domain::serial::Parent;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::serial::links;

use crate::Result;
use crate::act::Act;
use crate::effects::serial::ending::delete;
use crate::effects::serial::linking::hold_genealogy;
use crate::effects::serial::naming::{concerns, lock};
use crate::effects::serial::rights::CORRECT;
use crate::effects::serial::stock::{Whereabouts, movements_of};
use crate::event::made::serial::SerialsDeleted;
use crate::event::{ClientEvent, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;

/// A unit that should not be there is deleted; its code is free again.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SerialDeleted {
    /// The serial.
    serial_key: SerialKey,
    /// Keeps the record, readable by its key; false removes it, if nothing refers to it.
    #[serde(default = "yes")]
    soft: bool,
    /// Deletes everything it contains as well.
    #[serde(default)]
    delete_children: bool,
}

fn yes() -> bool {
    true
}

impl Postable for SerialDeleted {
    const TYPE: ClientEvent = ClientEvent::SerialDeleted;
    const SCOPE: Option<Scope> = Some(CORRECT);
    const LOCKS: Locks = &[];
    const MAY_MOVE_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] = &["SERIAL_UNLINKED", "MOVEMENT_REVERSED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        hold_genealogy(act).await?;
        if !self.delete_children {
            let mut places = Whereabouts::default();
            let below = links::active_below(act.tx, Parent::Serial(self.serial_key)).await?;
            places.of_taken(act, &movements_of(&below)).await?;
            places.hold(act).await?;
        }
        let serial = lock(act, "serial_key", self.serial_key).await?;
        act.concern(concerns(std::slice::from_ref(&serial))).await?;
        let deleted = delete(act, serial, self.soft, self.delete_children).await?;
        act.note(&SerialsDeleted { deleted_serial_keys: deleted.clone() })?;
        Ok(Outcome(vec![
            ("serial_key", OutcomeMember::Json(json!(self.serial_key))),
            ("deleted_keys", OutcomeMember::Json(json!(deleted))),
        ]))
    }
}
