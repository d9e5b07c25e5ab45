use domain::key::MessageKey;
use schemars::JsonSchema;
use serde::Deserialize;
use store::collaboration::messages;

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::messages::{concerns, lock, not_deleted, outcome};
use crate::effects::collaboration::rights::rely_on_admin;
use crate::event::made::collaboration::MessageGone;
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// A message is emptied, by whoever sent it or by an administrator.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MessageDeleted {
    /// The message.
    message_key: MessageKey,
}

impl Postable for MessageDeleted {
    const TYPE: ClientEvent = ClientEvent::MessageDeleted;
    const LOCKS: Locks = &[];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut message = lock(act, self.message_key).await?;
        act.concern(concerns(&message.recipient)).await?;
        message.may_delete(&act.author.user_key, act.author.admin).map_err(not_deleted)?;
        if message.sender != act.author.user_key {
            rely_on_admin(act);
        }
        if message.deleted.is_none() {
            message.delete(act.at);
            messages::save(act.tx, &mut message).await?;
        }
        act.note(&MessageGone { recipient: message.recipient.to_string() })?;
        Ok(outcome(message.key))
    }
}
