//! Rules for counting.

use schemars::JsonSchema;
use serde::Serialize;

use super::rules;
use crate::counting::{ConflictKind, CountAssignment, CountRecord, CountSession};
use crate::key::{CountAssignmentKey, CountRecordKey, CountSessionKey, PositionKey, ProductKey, SerialKey, UserKey};
use crate::{Quantity, Timestamp, named};

rules! {
    /// It can't be counted like that.
    CountException, "See `rule`." {
        rule: NotCounted,
        /// Of `wrong_state`: the state of the session, the assignment or the record.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<&'static str>,
        /// The product that it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        product_key: Option<ProductKey>,
        /// The position that it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        position_key: Option<PositionKey>,
        /// The serial that it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        serial_key: Option<SerialKey>,
        /// Of `wrong_state`, if it is about the session.
        #[serde(skip_serializing_if = "Option::is_none")]
        count_session_key: Option<CountSessionKey>,
        /// Of `wrong_state` and `other_user`, if it is about an assignment.
        #[serde(skip_serializing_if = "Option::is_none")]
        assignment_key: Option<CountAssignmentKey>,
        /// Of `already_counting`: the record of the other count. Of `wrong_state` and `other_user`, if it is about a record.
        #[serde(skip_serializing_if = "Option::is_none")]
        count_record_key: Option<CountRecordKey>,
        /// Of `records_open`: the records of the counts that have not ended.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        count_record_keys: Vec<CountRecordKey>,
        /// Of `children_open`: the positions in it that nobody has counted.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        position_keys: Vec<PositionKey>,
        /// Of `field_locked`: the fields that can't be changed any more.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        fields: Vec<&'static str>,
    }

    /// What was counted contradicts itself or what has happened since. Nothing was changed.
    CountConflictException, "Discard the records of `conflicts` that are wrong, or count again." {
        /// Always `conflicts`.
        rule: &'static str,
        /// All that stands in the way.
        conflicts: Vec<CountConflict>,
    }
}

named! {
    /// Why it can't be counted.
    #[schemars(rename = "CountRule")]
    pub enum NotCounted {
        /// The session, the assignment or the record is in another state.
        WrongState = "wrong_state",
        /// It is another user's.
        OtherUser = "other_user",
        /// Somebody counts the product at the position.
        AlreadyCounting = "already_counting",
        /// The assignment does not cover the product at the position.
        NotInAssignment = "not_in_assignment",
        /// The position was deleted, or holds no stock.
        PositionNotCountable = "position_not_countable",
        /// Say how much there is; of a product whose units are traced, which serials.
        QuantityMissing = "quantity_missing",
        /// The quantity is not the number of serials.
        QuantityMismatch = "quantity_mismatch",
        /// There is no such serial of the product, or it was deleted.
        SerialUnknown = "serial_unknown",
        /// A serial is named twice.
        SerialRepeated = "serial_repeated",
        /// Counts have not ended.
        RecordsOpen = "records_open",
        /// Positions in it were not counted.
        ChildrenOpen = "children_open",
        /// Fields can't be changed any more.
        FieldLocked = "field_locked",
    }
}

/// What stands in the way of correcting stock.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CountConflict {
    pub kind: ConflictKind,
    pub product_key: ProductKey,
    pub product_code: String,
    pub position_key: PositionKey,
    pub position_code: String,
    /// Of `serial_twice`, `serial_blocked`, and of `busy` if it is about a serial that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial_key: Option<SerialKey>,
    /// Of `shortage`: how much is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available: Option<Quantity>,
    pub records: Vec<ConflictingRecord>,
}

/// A record that can't be confirmed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ConflictingRecord {
    pub count_record_key: CountRecordKey,
    pub user_key: UserKey,
    pub system_qt: Quantity,
    pub counted_qt: Quantity,
    /// The serials that were counted; where it is about one serial, only that one.
    pub counted_serial_keys: Vec<SerialKey>,
    pub counted_at: Timestamp,
}

impl CountException {
    /// About nothing in particular.
    pub fn of(rule: NotCounted) -> Self {
        Self {
            rule,
            status: None,
            product_key: None,
            position_key: None,
            serial_key: None,
            count_session_key: None,
            assignment_key: None,
            count_record_key: None,
            count_record_keys: Vec::new(),
            position_keys: Vec::new(),
            fields: Vec::new(),
        }
    }

    /// A session in that state can't do this.
    pub fn session_is(session: &CountSession) -> Self {
        let (status, count_session_key) = (Some(session.status.name()), Some(session.key));
        Self { status, count_session_key, ..Self::of(NotCounted::WrongState) }
    }

    /// An assignment in that state can't do this.
    pub fn assignment_is(assignment: &CountAssignment) -> Self {
        let (status, assignment_key) = (Some(assignment.status.name()), Some(assignment.key));
        Self { status, assignment_key, ..Self::of(NotCounted::WrongState) }
    }

    /// A record in that state can't do this.
    pub fn record_is(record: &CountRecord) -> Self {
        let (status, count_record_key) = (Some(record.status.name()), Some(record.key));
        Self { status, count_record_key, ..Self::of(NotCounted::WrongState) }
    }
}
