use domain::Timestamp;
use domain::key::SerialKey;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::act::Act;
use crate::effects::serial::ending::{must_be_releasable, release};
use crate::effects::serial::evidence;
use crate::effects::serial::naming::{concerns, lock_all, named, outcome};
use crate::event::made::serial::SerialsReleased;
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// Units are finished. One without a code gets the next one of its counter.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SerialReleased {
    /// The serial; or `serial_keys`.
    serial_key: Option<SerialKey>,
    /// Up to 100,000 serials.
    #[schemars(length(min = 1))]
    serial_keys: Option<Vec<SerialKey>>,
    /// When; when left out, at the time of the event.
    released: Option<Timestamp>,
}

impl Postable for SerialReleased {
    const TYPE: ClientEvent = ClientEvent::SerialReleased;
    const LOCKS: Locks = &[("serial_key", Lockable::Unit), ("serial_keys", Lockable::Unit)];
    const ASKS_FOR_EVIDENCE: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let many = self.serial_keys.is_some();
        let keys = named(self.serial_key, self.serial_keys)?;
        let field = if many { "serial_keys" } else { "serial_key" };
        let evidence_asked = evidence::hold(act).await?;
        let serials = lock_all(act, field, &keys).await?;
        act.concern(concerns(&serials)).await?;
        must_be_releasable(act, &serials, many, evidence_asked).await?;
        serials.iter().for_each(|serial| act.not_before(serial.created));
        let released = release(act, &serials, self.released.unwrap_or(act.at)).await?;
        let outcome = outcome(&released);
        act.note(&SerialsReleased { serials: released })?;
        Ok(outcome)
    }
}
