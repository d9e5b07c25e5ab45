//! Messages: whom or what they are for, and what the journal keeps of them.

use domain::collaboration::{CONTENT_CHARS, Message, Recipient, content_of, content_sha256};
use domain::fault::Faults;
use domain::journal::Concerns;
use domain::key::MessageKey;
use domain::rule::collaboration::{
    MessageNotDeleted, MessageNotDeletedError, MessageNotPosted, MessageNotPostedError, MessageNotUpdated,
    MessageNotUpdatedError,
};
use serde_json::{Value, json};
use store::collaboration::messages;
use store::entities;

use crate::act::Act;
use crate::event::{Outcome, OutcomeMember};
use crate::{Error, Result};

/// How the `_id` of a recipient is written.
pub(crate) const RECIPIENT_PATTERN: &str = "^(Issue|Task|WorkOrder|Serial|User)/[A-Za-z0-9_.:@()+,=;$!*'%-]{1,64}$";
/// How a sender is named: by the key, or by the `_id`.
pub(crate) const SENDER_PATTERN: &str = "^(User/)?[A-Za-z0-9_.:@()+,=;$!*'%-]{1,64}$";

/// Holds the recipient of a new message: what can be removed stays until the transaction ends.
pub(crate) async fn hold_recipient(act: &mut Act<'_>, sent: &str) -> Result<Recipient> {
    let missing = || Error::missing("recipient", sent);
    let recipient = Recipient::parse(sent).ok_or_else(missing)?;
    let (collection, key) = (recipient.collection(), recipient.key());
    let known = match recipient {
        Recipient::Issue(_) | Recipient::WorkOrder(_) | Recipient::Serial(_) => {
            entities::hold(act.tx, collection, &key).await?
        }
        Recipient::Task(_) | Recipient::User(_) => entities::exists(act.tx, collection, &key).await?,
    };
    if known { Ok(recipient) } else { Err(missing()) }
}

/// Locks a message.
pub(crate) async fn lock(act: &mut Act<'_>, key: MessageKey) -> Result<Message> {
    messages::lock(act.tx, key).await?.ok_or_else(|| Error::missing("message_key", key))
}

/// What an event about a message concerns: the record that it is for.
pub(crate) fn concerns(recipient: &Recipient) -> Concerns {
    let mut concerns = Concerns::default();
    match recipient {
        Recipient::Issue(key) => concerns.issue_key = Some(*key),
        Recipient::Task(key) => concerns.task_key = Some(*key),
        Recipient::WorkOrder(key) => concerns.work_order_key = Some(*key),
        Recipient::Serial(key) => concerns.serial_key = Some(*key),
        Recipient::User(_) => {}
    }
    concerns
}

/// What is written, as it is stored.
pub(crate) fn content(sent: &str) -> Result<String> {
    content_of(sent).ok_or_else(|| {
        let mut faults = Faults::at("body");
        let why = format!("Must have 1 to {CONTENT_CHARS} characters.");
        faults.within("content", |faults| faults.add("value_error", why, &Value::Null));
        Error::Invalid(faults.into_vec())
    })
}

/// Of a message to a user, the journal keeps no content but its digest, which this gives.
pub(crate) fn withheld(act: &mut Act<'_>, message: &Message) -> Option<String> {
    if !message.recipient.is_private() {
        return None;
    }
    act.withhold("content");
    Some(content_sha256(&message.content))
}

/// What the answer shows.
pub(crate) fn outcome(key: MessageKey) -> Outcome {
    Outcome(vec![("message_key", OutcomeMember::Json(json!(key)))])
}

pub(crate) fn not_posted(rule: MessageNotPosted) -> Error {
    let message = match rule {
        MessageNotPosted::WrongSender => "The sender is another user than the one whose event it is.",
    };
    Error::rule(&MessageNotPostedError { rule }, message)
}

pub(crate) fn not_updated(rule: MessageNotUpdated) -> Error {
    let message = match rule {
        MessageNotUpdated::NotSender => "Somebody else has sent the message.",
        MessageNotUpdated::Deleted => "The message was deleted.",
    };
    Error::rule(&MessageNotUpdatedError { rule }, message)
}

pub(crate) fn not_deleted(rule: MessageNotDeleted) -> Error {
    let message = match rule {
        MessageNotDeleted::NotSender => "Somebody else has sent the message.",
    };
    Error::rule(&MessageNotDeletedError { rule }, message)
}

#[cfg(test)]
mod tests {
    use domain::key::{KEY_PATTERN, TaskKey, UserKey};

    use super::*;

    #[test]
    fn keys_in_patterns_are_written_like_all_keys() {
        let key = KEY_PATTERN.trim_start_matches('^');
        assert!(RECIPIENT_PATTERN.ends_with(key) && SENDER_PATTERN.ends_with(key));
    }

    #[test]
    fn an_event_concerns_the_record_that_a_message_is_for() {
        assert_eq!(concerns(&Recipient::Task(TaskKey(1))).task_key, Some(TaskKey(1)));
        assert_eq!(concerns(&Recipient::User(UserKey::trusted("mario"))), Concerns::default());
    }
}
