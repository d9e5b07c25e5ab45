use domain::collaboration::{CONTENT_CHARS, Message};
use domain::key::MessageKey;
use domain::rule::collaboration::MessageNotPosted;
use domain::text::NOT_BLANK;
use schemars::JsonSchema;
use serde::Deserialize;
use store::collaboration::messages;

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::messages::{
    RECIPIENT_PATTERN, SENDER_PATTERN, concerns, content, hold_recipient, not_posted, outcome, withheld,
};
use crate::event::made::collaboration::MessageSent;
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// Somebody writes to a user, or beside an issue, a task, an order or a serial. Of a message to a user, the journal keeps only the digest
/// of what is written.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MessagePosted {
    /// Whom or what it is for: `Issue/`, `Task/`, `WorkOrder/`, `Serial/` or `User/`, and the key.
    #[schemars(
        regex(pattern = RECIPIENT_PATTERN),
        extend("x-must" = "be Issue/, Task/, WorkOrder/, Serial/ or User/ and a key")
    )]
    recipient: String,
    /// What is written.
    #[schemars(
        length(min = 1, max = CONTENT_CHARS),
        regex(pattern = NOT_BLANK),
        extend("format" = "trimmed", "x-private" = true)
    )]
    content: String,
    /// Who writes it: the user whose event it is, by the key or as `User/` and the key.
    #[schemars(regex(pattern = SENDER_PATTERN))]
    sender: Option<String>,
}

impl Postable for MessagePosted {
    const TYPE: ClientEvent = ClientEvent::MessagePosted;
    const LOCKS: Locks = &[];
    const NAMES_RECORDS: bool = true;
    const WITHHELD: &'static [&'static str] = &["content"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let sender = act.author.user_key.clone();
        let named = self.sender.as_deref().map(|named| named.strip_prefix("User/").unwrap_or(named));
        if named.is_some_and(|named| named != sender.as_str()) {
            return Err(not_posted(MessageNotPosted::WrongSender));
        }
        let content = content(&self.content)?;
        let recipient = hold_recipient(act, &self.recipient).await?;
        act.concern(concerns(&recipient)).await?;
        let key = MessageKey(act.new_id()?);
        let message =
            Message { key, rev: 1, sender, recipient, content, created: act.at, updated: None, deleted: None };
        messages::insert(act.tx, &message).await?;
        let content_sha256 = withheld(act, &message);
        act.note(&MessageSent { message_key: key, content_sha256 })?;
        Ok(outcome(key))
    }
}
