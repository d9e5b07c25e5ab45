use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::Timestamp;
use crate::collection::Collection;
use crate::key::{IssueKey, MessageKey, SerialKey, TaskKey, UserKey, WorkOrderKey, id_from_text, is_key, record_id};
use crate::rule::collaboration::{MessageNotDeleted, MessageNotUpdated};
use crate::text::{hex, is_blank};

/// Maximum length of a message, in characters.
pub const CONTENT_CHARS: usize = 10_000;

/// What somebody has written to a user, or beside a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub key: MessageKey,
    pub rev: i64,
    pub sender: UserKey,
    pub recipient: Recipient,
    /// Empty once it is deleted.
    pub content: String,
    pub created: Timestamp,
    pub updated: Option<Timestamp>,
    pub deleted: Option<Timestamp>,
}

/// Whom or what a message is sent to; shown as an `_id`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Recipient {
    Issue(IssueKey),
    Task(TaskKey),
    WorkOrder(WorkOrderKey),
    Serial(SerialKey),
    User(UserKey),
}

impl Recipient {
    /// The recipient with this `_id`; `None` for another form. A key that the service can't have made is one that no record has.
    pub fn parse(id: &str) -> Option<Self> {
        let (collection, key) = id.split_once('/').filter(|(_, key)| is_key(key))?;
        let number = || id_from_text(key).unwrap_or(crate::key::NOBODY);
        Some(match Collection::named(collection)? {
            Collection::Issue => Self::Issue(IssueKey(number())),
            Collection::Task => Self::Task(TaskKey(number())),
            Collection::WorkOrder => Self::WorkOrder(WorkOrderKey(number())),
            Collection::Serial => Self::Serial(SerialKey(number())),
            Collection::User => Self::User(UserKey::new(key).ok()?),
            _ => return None,
        })
    }

    pub fn collection(&self) -> Collection {
        match self {
            Self::Issue(_) => Collection::Issue,
            Self::Task(_) => Collection::Task,
            Self::WorkOrder(_) => Collection::WorkOrder,
            Self::Serial(_) => Collection::Serial,
            Self::User(_) => Collection::User,
        }
    }

    pub fn key(&self) -> String {
        match self {
            Self::Issue(key) => key.to_string(),
            Self::Task(key) => key.to_string(),
            Self::WorkOrder(key) => key.to_string(),
            Self::Serial(key) => key.to_string(),
            Self::User(key) => key.to_string(),
        }
    }

    /// Whether only some may read what is sent there.
    pub fn is_private(&self) -> bool {
        matches!(self, Self::User(_))
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&record_id(self.collection(), self.key()))
    }
}

impl Message {
    /// Whether this user may change it.
    pub fn may_update(&self, user: &UserKey) -> Result<(), MessageNotUpdated> {
        match (self.sender == *user, self.deleted) {
            (false, _) => Err(MessageNotUpdated::NotSender),
            (true, Some(_)) => Err(MessageNotUpdated::Deleted),
            (true, None) => Ok(()),
        }
    }

    /// Whether this user may delete it.
    pub fn may_delete(&self, user: &UserKey, is_admin: bool) -> Result<(), MessageNotDeleted> {
        if is_admin || self.sender == *user { Ok(()) } else { Err(MessageNotDeleted::NotSender) }
    }

    /// Whether this user may read it.
    pub fn may_read(&self, user: &UserKey) -> bool {
        match &self.recipient {
            Recipient::User(recipient) => recipient == user || self.sender == *user,
            _ => true,
        }
    }

    /// Takes its content away.
    pub fn delete(&mut self, at: Timestamp) {
        self.content.clear();
        self.deleted = Some(at);
    }
}

/// The content as it is stored: trimmed. `None` if it is empty or too long.
pub fn content_of(text: &str) -> Option<String> {
    let content = text.trim();
    let fits = !is_blank(content) && content.chars().count() <= CONTENT_CHARS;
    fits.then(|| content.to_owned())
}

/// What events say of the content of a message to a user.
pub fn content_sha256(content: &str) -> String {
    hex(&Sha256::digest(content.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(recipient: Recipient) -> Message {
        Message {
            key: MessageKey(1),
            rev: 1,
            sender: UserKey::trusted("mario"),
            recipient,
            content: "Hi".to_owned(),
            created: Timestamp::from_millis(1),
            updated: None,
            deleted: None,
        }
    }

    #[test]
    fn recipients_are_read_from_their_ids() {
        for id in ["Issue/000000000001g", "Task/000000000001g", "WorkOrder/000000000001g", "Serial/000000000001g"] {
            let recipient = Recipient::parse(id).unwrap();
            assert_eq!((recipient.to_string().as_str(), recipient.is_private()), (id, false));
        }
        let user = Recipient::parse("User/mario").unwrap();
        assert_eq!((user.to_string().as_str(), user.is_private()), ("User/mario", true));
        for bad in ["", "Issue", "Issue/", "Product/p", "user/mario", "User/a b", "User/a/b", "Nothing/x"] {
            assert_eq!(Recipient::parse(bad), None, "{bad}");
        }
        assert_eq!(Recipient::parse("Issue/other"), Some(Recipient::Issue(IssueKey(crate::key::NOBODY))));
    }

    #[test]
    fn messages_are_their_senders() {
        let (mario, luigi) = (UserKey::trusted("mario"), UserKey::trusted("luigi"));
        let mut message = message(Recipient::Issue(IssueKey(1)));
        assert_eq!(message.may_update(&mario), Ok(()));
        assert_eq!(message.may_update(&luigi), Err(MessageNotUpdated::NotSender));
        assert_eq!(message.may_delete(&luigi, false), Err(MessageNotDeleted::NotSender));
        assert_eq!((message.may_delete(&luigi, true), message.may_delete(&mario, false)), (Ok(()), Ok(())));
        message.delete(Timestamp::from_millis(2));
        assert_eq!((message.content.as_str(), message.may_update(&mario)), ("", Err(MessageNotUpdated::Deleted)));
        assert_eq!(message.may_update(&luigi), Err(MessageNotUpdated::NotSender));
    }

    #[test]
    fn messages_to_a_user_are_between_two() {
        let to_luigi = message(Recipient::User(UserKey::trusted("luigi")));
        let reads = |message: &Message, user: &str| message.may_read(&UserKey::trusted(user));
        assert!(reads(&to_luigi, "luigi") && reads(&to_luigi, "mario") && !reads(&to_luigi, "peach"));
        assert!(reads(&message(Recipient::Task(TaskKey(1))), "peach"));
    }

    #[test]
    fn content_is_trimmed_and_not_empty() {
        assert_eq!(content_of(" a \n b\t").as_deref(), Some("a \n b"));
        assert_eq!(
            content_of(&format!(" {} ", "é".repeat(CONTENT_CHARS))).map(|text| text.chars().count()),
            Some(10_000)
        );
        for bad in ["", " \n", "\u{200b}", &"é".repeat(CONTENT_CHARS + 1)] {
            assert_eq!(content_of(bad), None);
        }
        assert_eq!(content_sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    proptest! {
        #[test]
        fn recipients_come_back(id in 0..i64::MAX, key in "[a-z0-9_.-]{1,20}") {
            for recipient in [
                Recipient::Issue(IssueKey(id)),
                Recipient::Task(TaskKey(id)),
                Recipient::WorkOrder(WorkOrderKey(id)),
                Recipient::Serial(SerialKey(id)),
                Recipient::User(UserKey::trusted(key)),
            ] {
                prop_assert_eq!(Recipient::parse(&recipient.to_string()), Some(recipient));
            }
        }
    }
}
