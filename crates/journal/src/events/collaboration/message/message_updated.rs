use domain::collaboration::CONTENT_CHARS;
use domain::key::MessageKey;
use domain::text::NOT_BLANK;
use schemars::JsonSchema;
use serde::Deserialize;
use store::collaboration::messages;

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::messages::{concerns, content, lock, not_updated, outcome, withheld};
use crate::event::made::collaboration::MessageChanged;
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// Whoever sent a message writes something else in its place.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MessageUpdated {
    /// The message.
    message_key: MessageKey,
    /// What is written now.
    #[schemars(
        length(min = 1, max = CONTENT_CHARS),
        regex(pattern = NOT_BLANK),
        extend("format" = "trimmed", "x-private" = true)
    )]
    content: String,
}

impl Postable for MessageUpdated {
    const TYPE: ClientEvent = ClientEvent::MessageUpdated;
    const LOCKS: Locks = &[];
    const WITHHELD: &'static [&'static str] = &["content"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let content = content(&self.content)?;
        let mut message = lock(act, self.message_key).await?;
        act.concern(concerns(&message.recipient)).await?;
        message.may_update(&act.author.user_key).map_err(not_updated)?;
        (message.content, message.updated) = (content, Some(act.at));
        messages::save(act.tx, &mut message).await?;
        let content_sha256 = withheld(act, &message);
        act.note(&MessageChanged { recipient: message.recipient.to_string(), content_sha256 })?;
        Ok(outcome(message.key))
    }
}
