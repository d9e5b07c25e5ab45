//! Record keys. High-volume records have 64-bit ids made by the service (time, node, sequence), shown as 13 characters of
//! `0-9a-v` that sort like the numbers; all others have text keys. Every kind of key is its own type.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use crate::Timestamp;
use crate::collection::Collection;

/// Length of the text of an id made by the service.
pub const ID_CHARS: usize = 13;
const ALPHABET: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";
const NODE_BITS: u32 = 10;
const SEQUENCE_BITS: u32 = 12;
/// How many nodes can make keys at the same time.
pub const NODES: i64 = 1 << NODE_BITS;
/// Keys count milliseconds from the start of 2024: 41 bits of them last until 2093.
pub const EPOCH_MILLIS: i64 = 1_704_067_200_000;
const LAST_MILLIS: i64 = EPOCH_MILLIS + (1 << 41) - 1;

/// A map by ids that the service gave out. Nobody can choose them so that they collide, so that a fast hash is safe.
pub type IdMap<Id, T> = FxHashMap<Id, T>;
/// A set of such ids.
pub type IdSet<Id> = FxHashSet<Id>;

/// The pattern of the keys that a [`KeyMaker`] makes.
pub const ID_PATTERN: &str = "^[0-7][0-9a-v]{12}$";

/// When a key of a [`KeyMaker`] was made.
pub fn made_at(id: i64) -> Timestamp {
    Timestamp::from_millis(EPOCH_MILLIS + (id >> (NODE_BITS + SEQUENCE_BITS)))
}

/// The pattern of every `_key`, for schemas.
pub const KEY_PATTERN: &str = "^[A-Za-z0-9_.:@()+,=;$!*'%-]{1,64}$";

pub fn is_key(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:@()+,=;$!*'%-".contains(&byte))
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("a key is 1 to 64 characters of A-Z a-z 0-9 _ . : @ ( ) + , = ; $ ! * ' % -")]
pub struct NotAKey;

pub fn id_to_text(id: i64) -> String {
    with_text(id, str::to_owned)
}

/// Calls with the text of an id, which is on the stack: answers contain many.
pub(crate) fn with_text<T>(id: i64, take: impl FnOnce(&str) -> T) -> T {
    let mut text = [b'0'; ID_CHARS];
    let mut rest = id as u64;
    for place in text.iter_mut().rev() {
        *place = ALPHABET[(rest & 31) as usize];
        rest >>= 5;
    }
    take(str::from_utf8(&text).unwrap_or_default())
}

/// The id of a text, or `None` if the text is not one of our ids: such a record cannot exist.
pub fn id_from_text(text: &str) -> Option<i64> {
    if text.len() != ID_CHARS {
        return None;
    }
    let mut id: u64 = 0;
    for byte in text.bytes() {
        let digit = ALPHABET.iter().position(|&known| known == byte)? as u64;
        id = id.checked_mul(32)?.checked_add(digit)?;
    }
    i64::try_from(id).ok()
}

/// Declares key types for records whose keys people may choose.
#[macro_export]
macro_rules! text_key {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn new(text: impl Into<String>) -> Result<Self, $crate::key::NotAKey> {
                let text = text.into();
                if $crate::key::is_key(&text) { Ok(Self(text)) } else { Err($crate::key::NotAKey) }
            }

            /// For keys from our own database or our own key maker.
            pub fn trusted(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(from)?;
                Self::new(text).map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> { stringify!($name).into() }
            fn inline_schema() -> bool { true }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "pattern": $crate::key::KEY_PATTERN })
            }
        }
    )+};
}

/// Declares key types for high-volume records with service-made ids.
#[macro_export]
macro_rules! id_key {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub i64);

        impl $name {
            /// Calls with its text, which is on the stack.
            pub fn with_text<T>(self, take: impl FnOnce(&str) -> T) -> T {
                $crate::key::with_text(self.0, take)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&$crate::key::id_to_text(self.0))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $crate::key::with_text(self.0, |text| to.serialize_str(text))
            }
        }

        /// Any well-formed key is accepted; one that we cannot have made becomes an id that no record has.
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(from)?;
                if !$crate::key::is_key(&text) {
                    return Err(serde::de::Error::custom($crate::key::NotAKey));
                }
                Ok(Self($crate::key::id_from_text(&text).unwrap_or($crate::key::NOBODY)))
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> { stringify!($name).into() }
            fn inline_schema() -> bool { true }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "pattern": $crate::key::KEY_PATTERN })
            }
        }
    )+};
}

/// The id of no record: ids are never negative.
pub const NOBODY: i64 = -1;

text_key! {
    /// A person or an integration that signs in.
    UserKey,
    /// A signed token's record: 32 random hexadecimal characters, also its `jti`.
    TokenKey,
    /// A counter that generates codes.
    CounterKey,
    DepartmentKey,
    PositionKey,
    /// A custom field of quality forms.
    FieldKey,
    /// A value of a choice field's list.
    ListValueKey,
    TagKey,
    ProductKey,
    /// A kind of work that phases perform.
    OperationKey,
    /// A field of a form, unique within it.
    FormFieldKey,
    /// The site's queue of orders, or an operator's of jobs.
    QueueKey,
    IssueTypeKey,
    TaskTypeKey,
    /// Where events are sent.
    WebhookKey,
}

id_key! {
    /// The record of one signed-in session.
    UserSessionKey,
    /// The record of a stored file.
    FileKey,
    /// A file that is linked to records.
    MediaKey,
    /// A file that waits to be imported.
    ImportKey,
    /// An entry of the audit log.
    AuditKey,
    WorkOrderKey,
    /// The number by which stored records refer to a product; people know it by its key.
    ProductId,
    /// One phase of a product's process.
    PhaseKey,
    /// One step of a phase, or of an operation's template.
    StepKey,
    /// One line of a bill of materials.
    BomLineKey,
    /// The work of one phase of an order, or a part of it.
    JobKey,
    BatchKey,
    /// The time one user spends on a job.
    WorkSessionKey,
    /// What was entered at one step for one batch.
    StepExecutionKey,
    /// Output of a phase on its way to the next.
    WipKey,
    /// An entry of the journal.
    EventKey,
    /// A record whose kind is given beside it.
    EntityKey,
    SerialKey,
    /// What a serial contains, or once contained.
    LinkKey,
    /// That a position is in another.
    PositionLinkKey,
    /// What lies at a position, of one product or one serial.
    StockKey,
    IssueKey,
    /// What somebody has written to a user, or beside a record.
    MessageKey,
    TaskKey,
    /// That a task is linked to a record.
    TaskLinkKey,
    MovementKey,
    /// Movements that are planned, carried out and closed together.
    MovementListKey,
    /// A time in which products or positions are counted.
    CountSessionKey,
    /// Who is to count what.
    CountAssignmentKey,
    /// What was counted of a product at a position.
    CountRecordKey,
    /// Stock as it was at a moment.
    SnapshotKey,
    /// An event that is sent to a webhook.
    DeliveryKey,
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("this node has used up its reserved keys and could not renew its lease")]
pub struct KeysExhausted;

/// The end of a reserve is for keys alone: the clock is followed only up to here before it. So a clock that is set forward,
/// or a database that was unreachable, leaves millions of keys until the reserve is renewed.
pub const SPARE_MILLIS: i64 = 4_000;

/// Makes ids that never repeat: 41 bits of milliseconds, 10 of node, 12 of sequence. It never goes back, whatever the clock
/// does, and never beyond `reserved_until`, where the next holder of the node number starts.
#[derive(Debug, Clone)]
pub struct KeyMaker {
    node: i64,
    millis: i64,
    sequence: i64,
    reserved_until: i64,
}

impl KeyMaker {
    /// `from` is the first millisecond this holder may use, `reserved_until` the last.
    pub fn new(node: i64, from: i64, reserved_until: i64) -> Self {
        debug_assert!((0..NODES).contains(&node));
        let (from, reserved_until) = (from.max(EPOCH_MILLIS), reserved_until.min(LAST_MILLIS));
        Self { node, millis: from, sequence: 0, reserved_until }
    }

    pub fn node(&self) -> i64 {
        self.node
    }

    pub fn extend(&mut self, reserved_until: i64) {
        self.reserved_until = self.reserved_until.max(reserved_until).min(LAST_MILLIS);
    }

    /// Whether the clock can no longer be followed until the reserve is extended.
    pub fn is_low(&self, now_millis: i64) -> bool {
        now_millis.min(LAST_MILLIS) > self.reserved_until - SPARE_MILLIS
    }

    /// Makes no more keys. The next holder starts after the returned millisecond.
    pub fn close(&mut self) -> i64 {
        (self.sequence, self.reserved_until) = (1 << SEQUENCE_BITS, self.millis);
        self.millis
    }

    pub fn next(&mut self, now_millis: i64) -> Result<i64, KeysExhausted> {
        let now = now_millis.min(self.reserved_until - SPARE_MILLIS);
        if now > self.millis {
            self.millis = now;
            self.sequence = 0;
        } else if self.sequence == 1 << SEQUENCE_BITS {
            self.millis += 1;
            self.sequence = 0;
        }
        if self.millis > self.reserved_until {
            return Err(KeysExhausted);
        }
        let id = ((self.millis - EPOCH_MILLIS) << (NODE_BITS + SEQUENCE_BITS))
            | (self.node << SEQUENCE_BITS)
            | self.sequence;
        self.sequence += 1;
        Ok(id)
    }
}

/// Makes places at the end of queues. They follow the number of the last event, not a clock: anyone who can see an earlier
/// change gets a later place, on any node.
#[derive(Debug, Default)]
pub struct PlaceMaker {
    head: i64,
    sequence: i64,
}

impl PlaceMaker {
    /// `head` is the number of the last event that the caller can see.
    pub fn next(&mut self, node: i64, head: i64) -> i64 {
        if head > self.head {
            (self.head, self.sequence) = (head, 0);
        } else if self.sequence == 1 << SEQUENCE_BITS {
            (self.head, self.sequence) = (self.head + 1, 0);
        }
        let place = (self.head << (NODE_BITS + SEQUENCE_BITS)) | (node << SEQUENCE_BITS) | self.sequence;
        self.sequence += 1;
        place
    }
}

/// The `_id` of a record: `<Collection>/<_key>`.
pub fn record_id(collection: Collection, key: impl fmt::Display) -> String {
    format!("{collection}/{key}")
}

/// How a stored revision number is shown: opaque to clients, different after every write.
pub fn revision(number: i64) -> String {
    format!("_{number:x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_follow_the_contract() {
        assert!(is_key("a"));
        assert!(is_key("A1_.:@()+,=;$!*'%-"));
        assert!(is_key(&"x".repeat(64)));
        for bad in ["", "a b", "a/b", "é", "a\0", &"x".repeat(65)] {
            assert!(!is_key(bad), "{bad:?}");
        }
    }

    #[test]
    fn an_exhausted_reserve_is_an_error_and_a_longer_one_goes_on() {
        let at = |millis: i64| EPOCH_MILLIS + millis;
        let mut keys = KeyMaker::new(3, at(100), at(100));
        for _ in 0..1 << SEQUENCE_BITS {
            keys.next(at(5_000)).unwrap();
        }
        assert_eq!(keys.next(at(5_000)), Err(KeysExhausted));
        keys.extend(at(6_000));
        assert!(keys.next(at(5_000)).is_ok());
    }

    #[test]
    fn a_clock_set_forward_leaves_keys_until_the_reserve_is_renewed() {
        let at = |millis: i64| EPOCH_MILLIS + millis;
        let mut keys = KeyMaker::new(0, at(0), at(10_000));
        assert!(!keys.is_low(at(5_000)));
        let mut last = keys.next(at(5_000)).unwrap();
        assert!(keys.is_low(at(600_000)));
        for _ in 0..1_000_000 {
            let key = keys.next(at(600_000)).unwrap();
            assert!(key > last);
            last = key;
        }
        keys.extend(at(610_000));
        assert!(!keys.is_low(at(600_000)));
        assert!(keys.next(at(600_000)).unwrap() > last);
    }

    #[test]
    fn a_closed_maker_gives_back_what_it_did_not_use() {
        let at = |millis: i64| EPOCH_MILLIS + millis;
        let mut keys = KeyMaker::new(0, at(0), at(10_000));
        let last = keys.next(at(1_000)).unwrap();
        let used = keys.close();
        assert_eq!(used, at(1_000));
        assert_eq!((keys.next(at(2_000)), keys.next(at(2_000))), (Err(KeysExhausted), Err(KeysExhausted)));
        assert!(KeyMaker::new(0, used + 1, used + 10_000).next(at(0)).unwrap() > last);
    }

    #[test]
    fn places_follow_the_journal_on_every_node() {
        let (mut one, mut two) = (PlaceMaker::default(), PlaceMaker::default());
        let places = [one.next(7, 5), two.next(3, 6), one.next(7, 7), two.next(3, 9)];
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
        let many: Vec<i64> = (0..10_000).map(|_| one.next(7, 9)).collect();
        assert!(many.windows(2).all(|pair| pair[0] < pair[1]), "also more than a sequence holds");
    }

    #[test]
    fn keys_stay_positive_to_the_last_and_then_end() {
        let mut keys = KeyMaker::new(NODES - 1, LAST_MILLIS, i64::MAX);
        let last = (0..1 << SEQUENCE_BITS).map(|_| keys.next(i64::MAX).unwrap()).last().unwrap();
        assert_eq!(last, i64::MAX);
        assert_eq!(keys.next(i64::MAX), Err(KeysExhausted));
        let mut early = KeyMaker::new(0, 0, EPOCH_MILLIS);
        assert_eq!(early.next(0), Ok(0), "a clock before the epoch makes keys of its first moment");
    }

    #[test]
    fn foreign_texts_name_nobody() {
        let key: UserSessionKey = serde_json::from_str("\"admin\"").unwrap();
        assert_eq!(key.0, NOBODY);
        assert_eq!(id_from_text("ZZZZZZZZZZZZZ"), None);
        assert_eq!(id_from_text("vvvvvvvvvvvvv"), None);
    }

    proptest! {
        #[test]
        fn texts_sort_like_ids_and_come_back(a in 0..i64::MAX, b in 0..i64::MAX) {
            prop_assert_eq!(id_from_text(&id_to_text(a)), Some(a));
            prop_assert_eq!(a.cmp(&b), id_to_text(a).cmp(&id_to_text(b)));
        }

        #[test]
        fn ids_grow_whatever_the_clock_does(clock in prop::collection::vec(0i64..1_000, 1..200)) {
            let mut keys = KeyMaker::new(7, 0, EPOCH_MILLIS + 2_000);
            let mut last = -1;
            for now in clock {
                let id = keys.next(EPOCH_MILLIS + now).unwrap();
                prop_assert!(id > last);
                last = id;
            }
        }

        #[test]
        fn two_nodes_never_make_the_same_id(clock in prop::collection::vec(0i64..50, 1..100)) {
            let (mut one, mut two) = (KeyMaker::new(1, 0, EPOCH_MILLIS + 100), KeyMaker::new(2, 0, EPOCH_MILLIS + 100));
            let mut seen = std::collections::HashSet::new();
            for now in clock {
                prop_assert!(seen.insert(one.next(EPOCH_MILLIS + now).unwrap()));
                prop_assert!(seen.insert(two.next(EPOCH_MILLIS + now).unwrap()));
            }
        }
    }
}
