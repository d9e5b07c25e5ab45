use serde_json::{Map, Value};

use crate::key::{CountSessionKey, MovementListKey, SnapshotKey, UserKey};
use crate::{Quantity, Timestamp, named};

named! {
    /// What the targets of a counting session are.
    #[schemars(rename = "CountType")]
    pub enum CountType {
        Position = "position",
        Product = "product",
    }
}

named! {
    #[schemars(rename = "CountSessionStatus")]
    pub enum SessionStatus {
        Planned = "planned",
        /// People count.
        Started = "started",
        /// What was counted is reviewed.
        Completed = "completed",
        /// Stock is being corrected.
        Processing = "processing",
        /// Stock was corrected.
        Applied = "applied",
        Canceled = "canceled",
    }
}

/// What takes a session from one state to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStep {
    Start,
    Complete,
    Resume,
    /// There is something to correct.
    Confirm,
    /// There is nothing to correct.
    ConfirmAsIs,
    /// The last record was processed.
    Apply,
    Cancel,
    /// A reset of the site, which cancels whatever is not over.
    Reset,
}

impl SessionStep {
    pub const ALL: [Self; 8] = [
        Self::Start,
        Self::Complete,
        Self::Resume,
        Self::Confirm,
        Self::ConfirmAsIs,
        Self::Apply,
        Self::Cancel,
        Self::Reset,
    ];
}

impl SessionStatus {
    /// The state after a step; none if it is not taken from here.
    pub fn after(self, step: SessionStep) -> Option<Self> {
        Some(match (step, self) {
            (SessionStep::Start, Self::Planned) | (SessionStep::Resume, Self::Completed) => Self::Started,
            (SessionStep::Complete, Self::Started) => Self::Completed,
            (SessionStep::Confirm, Self::Completed) => Self::Processing,
            (SessionStep::ConfirmAsIs, Self::Completed) | (SessionStep::Apply, Self::Processing) => Self::Applied,
            (SessionStep::Cancel, Self::Started | Self::Completed) => Self::Canceled,
            (SessionStep::Reset, Self::Planned | Self::Started | Self::Completed | Self::Processing) => Self::Canceled,
            _ => return None,
        })
    }

    /// Whether nothing happens to it any more.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Applied | Self::Canceled)
    }

    /// Whether targets can be added to it.
    pub fn takes_assignments(self) -> bool {
        matches!(self, Self::Planned | Self::Started)
    }

    /// Which of these fields can't be changed any more.
    pub fn locked(self, fields: &[SessionField]) -> Vec<SessionField> {
        fields.iter().copied().filter(|field| self.locks(*field)).collect()
    }

    fn locks(self, field: SessionField) -> bool {
        match field {
            SessionField::Description | SessionField::Notes => false,
            SessionField::ScheduledEnd => self.is_over(),
            SessionField::Code
            | SessionField::Type
            | SessionField::BlindQuantities
            | SessionField::BlindSerials
            | SessionField::ScheduledStart => self != Self::Planned,
        }
    }
}

named! {
    /// A field of a counting session that people change.
    #[schemars(rename = "CountSessionField")]
    pub enum SessionField {
        Code = "code",
        Description = "description",
        Type = "type",
        BlindQuantities = "blind_quantities",
        BlindSerials = "blind_serials",
        ScheduledStart = "scheduled_start",
        ScheduledEnd = "scheduled_end",
        Notes = "notes",
    }
}

/// A time in which products or positions are counted, and stock is corrected by it.
#[derive(Debug, Clone, PartialEq)]
pub struct CountSession {
    pub key: CountSessionKey,
    pub rev: i64,
    /// Unique.
    pub code: String,
    pub description: Option<String>,
    pub notes: Option<String>,
    pub kind: CountType,
    pub status: SessionStatus,
    /// Counters see nothing of what stock says.
    pub blind_quantities: bool,
    /// Counters do not see which serials stock has.
    pub blind_serials: bool,
    pub scheduled_start: Option<Timestamp>,
    pub scheduled_end: Option<Timestamp>,
    pub created: Timestamp,
    pub created_by: UserKey,
    pub started: Option<Timestamp>,
    pub completed: Option<Timestamp>,
    pub applied: Option<Timestamp>,
    /// In percent; kept once it is over.
    pub coverage: Option<Quantity>,
    pub baseline_snapshot_key: Option<SnapshotKey>,
    pub post_count_snapshot_key: Option<SnapshotKey>,
    pub post_adjustment_snapshot_key: Option<SnapshotKey>,
    pub adjustment_list_key: Option<MovementListKey>,
    /// How many records were confirmed.
    pub records_to_process: i64,
    pub movements_created: i64,
    pub movements_failed: i64,
    pub processing_started: Option<Timestamp>,
    pub processing_completed: Option<Timestamp>,
    /// In whose name stock is corrected.
    pub confirmed_by: Option<UserKey>,
    pub extra: Map<String, Value>,
}

/// What somebody does not see of the records of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Blindness {
    /// Neither what stock said nor the difference, and no serials of stock.
    pub quantities: bool,
    /// No serials of stock.
    pub serials: bool,
}

impl Blindness {
    /// What a caller does not see of a session: whoever may apply counts sees all, and so does everybody once it is over.
    #[must_use]
    pub fn of(session: &CountSession, may_apply: bool) -> Self {
        let asked = Self { quantities: session.blind_quantities, serials: session.blind_serials };
        asked.within(session.status, may_apply)
    }

    /// The same, of a session that asks for this and is in that state.
    #[must_use]
    pub fn within(self, status: SessionStatus, may_apply: bool) -> Self {
        if may_apply || status.is_over() {
            return Self::default();
        }
        Self { quantities: self.quantities, serials: self.quantities || self.serials }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_where_the_table_says() {
        use SessionStatus::{Applied, Canceled, Completed, Planned, Processing, Started};
        let table = [
            (Planned, SessionStep::Start, Started),
            (Started, SessionStep::Complete, Completed),
            (Completed, SessionStep::Resume, Started),
            (Completed, SessionStep::Confirm, Processing),
            (Completed, SessionStep::ConfirmAsIs, Applied),
            (Processing, SessionStep::Apply, Applied),
            (Started, SessionStep::Cancel, Canceled),
            (Completed, SessionStep::Cancel, Canceled),
            (Planned, SessionStep::Reset, Canceled),
            (Started, SessionStep::Reset, Canceled),
            (Completed, SessionStep::Reset, Canceled),
            (Processing, SessionStep::Reset, Canceled),
        ];
        for status in SessionStatus::ALL {
            for step in SessionStep::ALL {
                let wanted = table.iter().find(|(from, by, _)| (from, by) == (status, &step)).map(|(_, _, to)| *to);
                assert_eq!(status.after(step), wanted, "{status:?} {step:?}");
            }
        }
    }

    #[test]
    fn what_is_over_stays() {
        for status in SessionStatus::ALL {
            let stays = SessionStep::ALL.iter().all(|step| status.after(*step).is_none());
            assert_eq!(stays, status.is_over(), "{status:?}");
        }
    }

    #[test]
    fn fields_are_locked_step_by_step() {
        let locked = |status: SessionStatus| -> Vec<&str> {
            status.locked(SessionField::ALL).into_iter().map(SessionField::name).collect()
        };
        assert!(locked(SessionStatus::Planned).is_empty());
        let begun = ["code", "type", "blind_quantities", "blind_serials", "scheduled_start"];
        for status in [SessionStatus::Started, SessionStatus::Completed, SessionStatus::Processing] {
            assert_eq!(locked(status), begun, "{status:?}");
        }
        for status in [SessionStatus::Applied, SessionStatus::Canceled] {
            assert_eq!(locked(status).len(), 6, "all but the description and the notes of {status:?}");
        }
    }

    #[test]
    fn only_counters_are_blind_and_only_until_it_is_over() {
        let both = Blindness { quantities: true, serials: true };
        let serials = Blindness { quantities: false, serials: true };
        for status in SessionStatus::ALL {
            assert_eq!(both.within(*status, true), Blindness::default(), "{status:?}");
            let hidden = if status.is_over() { Blindness::default() } else { both };
            assert_eq!(both.within(*status, false), hidden, "{status:?}");
            let quantities = Blindness { quantities: true, serials: false };
            assert_eq!(quantities.within(*status, false), hidden, "serials tell the quantity: {status:?}");
            let hidden = if status.is_over() { Blindness::default() } else { serials };
            assert_eq!(serials.within(*status, false), hidden, "{status:?}");
        }
    }
}
