use std::collections::BTreeSet;

use crate::form::FieldValue;
use crate::key::{
    IssueKey, IssueTypeKey, JobKey, OperationKey, PhaseKey, ProductKey, SerialKey, UserKey, WorkOrderKey, id_from_text,
};
use crate::rule::collaboration::{IssueNotClosed, IssueNotUpdated};
use crate::{Timestamp, named};

/// Something that somebody has to look after.
#[derive(Debug, Clone, PartialEq)]
pub struct Issue {
    pub key: IssueKey,
    pub rev: i64,
    pub issue_type_key: Option<IssueTypeKey>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub created: Timestamp,
    pub created_by: UserKey,
    pub updated: Option<Timestamp>,
    pub closed: Option<Timestamp>,
    pub closed_by: Option<UserKey>,
    pub critical: bool,
    pub open: bool,
    pub data: Vec<FieldValue>,
}

named! {
    /// What an issue can be about.
    #[derive(PartialOrd, Ord)]
    pub enum IssueLinkType {
        Product = "product",
        Operation = "operation",
        Phase = "phase",
        WorkOrder = "work_order",
        /// Known by its code, which is not checked.
        Project = "project",
        User = "user",
        Job = "job",
        Serial = "serial",
    }
}

/// A record that an issue is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IssueTarget {
    Product(ProductKey),
    Operation(OperationKey),
    Phase(PhaseKey),
    WorkOrder(WorkOrderKey),
    Project(String),
    User(UserKey),
    Job(JobKey),
    Serial(SerialKey),
}

impl IssueTarget {
    /// The record of this kind with this key, or, of a project, this code. `None` if no such record can exist.
    pub fn of(kind: IssueLinkType, key: &str) -> Option<Self> {
        let id = || id_from_text(key);
        Some(match kind {
            IssueLinkType::Product => Self::Product(ProductKey::new(key).ok()?),
            IssueLinkType::Operation => Self::Operation(OperationKey::new(key).ok()?),
            IssueLinkType::Phase => Self::Phase(PhaseKey(id()?)),
            IssueLinkType::WorkOrder => Self::WorkOrder(WorkOrderKey(id()?)),
            IssueLinkType::Project => Self::Project(key.to_owned()),
            IssueLinkType::User => Self::User(UserKey::new(key).ok()?),
            IssueLinkType::Job => Self::Job(JobKey(id()?)),
            IssueLinkType::Serial => Self::Serial(SerialKey(id()?)),
        })
    }

    pub fn kind(&self) -> IssueLinkType {
        match self {
            Self::Product(_) => IssueLinkType::Product,
            Self::Operation(_) => IssueLinkType::Operation,
            Self::Phase(_) => IssueLinkType::Phase,
            Self::WorkOrder(_) => IssueLinkType::WorkOrder,
            Self::Project(_) => IssueLinkType::Project,
            Self::User(_) => IssueLinkType::User,
            Self::Job(_) => IssueLinkType::Job,
            Self::Serial(_) => IssueLinkType::Serial,
        }
    }

    /// Its number, if records of its kind are known by one.
    pub fn id(&self) -> Option<i64> {
        match self {
            Self::Phase(key) => Some(key.0),
            Self::WorkOrder(key) => Some(key.0),
            Self::Job(key) => Some(key.0),
            Self::Serial(key) => Some(key.0),
            Self::Product(_) | Self::Operation(_) | Self::Project(_) | Self::User(_) => None,
        }
    }

    /// Its key as people see it; of a project, its code.
    pub fn key(&self) -> String {
        match self {
            Self::Product(key) => key.to_string(),
            Self::Operation(key) => key.to_string(),
            Self::Phase(key) => key.to_string(),
            Self::WorkOrder(key) => key.to_string(),
            Self::Project(code) => code.clone(),
            Self::User(key) => key.to_string(),
            Self::Job(key) => key.to_string(),
            Self::Serial(key) => key.to_string(),
        }
    }
}

/// The orders among these.
pub fn orders_of<'a>(targets: impl IntoIterator<Item = &'a IssueTarget>) -> BTreeSet<WorkOrderKey> {
    let order = |target: &IssueTarget| match target {
        IssueTarget::WorkOrder(key) => Some(*key),
        _ => None,
    };
    targets.into_iter().filter_map(order).collect()
}

/// The jobs among these.
pub fn jobs_of<'a>(targets: impl IntoIterator<Item = &'a IssueTarget>) -> BTreeSet<JobKey> {
    let job = |target: &IssueTarget| match target {
        IssueTarget::Job(key) => Some(*key),
        _ => None,
    };
    targets.into_iter().filter_map(job).collect()
}

impl Issue {
    /// Whether it makes the orders and jobs that it is about critical.
    pub fn is_pressing(&self) -> bool {
        self.open && self.critical
    }

    /// Whether its fields and links can be changed.
    pub fn must_be_open(&self) -> Result<(), IssueNotUpdated> {
        if self.open { Ok(()) } else { Err(IssueNotUpdated::Closed) }
    }

    /// Whether it can be opened again.
    pub fn must_be_closed(&self) -> Result<(), IssueNotUpdated> {
        if self.open { Err(IssueNotUpdated::AlreadyOpen) } else { Ok(()) }
    }

    /// Whether it can be closed, as far as its own state tells; what its form lacks is asked apart.
    pub fn may_close(&self) -> Result<(), IssueNotClosed> {
        match (self.open, &self.issue_type_key) {
            (false, _) => Err(IssueNotClosed::AlreadyClosed),
            (true, None) => Err(IssueNotClosed::NoType),
            (true, Some(_)) => Ok(()),
        }
    }

    /// Closes it.
    pub fn close(&mut self, at: Timestamp, by: &UserKey) {
        (self.open, self.closed, self.closed_by) = (false, Some(at), Some(by.clone()));
    }

    /// Opens it again.
    pub fn reopen(&mut self) {
        (self.open, self.closed, self.closed_by) = (true, None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn issue(open: bool, typed: bool) -> Issue {
        let user = UserKey::trusted("mario");
        Issue {
            key: IssueKey(1),
            rev: 1,
            issue_type_key: typed.then(|| IssueTypeKey::trusted("scratch")),
            title: None,
            description: None,
            created: Timestamp::from_millis(1),
            created_by: user.clone(),
            updated: None,
            closed: (!open).then_some(Timestamp::from_millis(2)),
            closed_by: (!open).then_some(user),
            critical: true,
            open,
            data: Vec::new(),
        }
    }

    #[test]
    fn only_an_open_issue_with_a_type_is_closed() {
        assert_eq!(issue(true, true).may_close(), Ok(()));
        assert_eq!(issue(true, false).may_close(), Err(IssueNotClosed::NoType));
        for typed in [true, false] {
            assert_eq!(issue(false, typed).may_close(), Err(IssueNotClosed::AlreadyClosed));
        }
    }

    #[test]
    fn closed_ones_are_only_opened_again() {
        assert_eq!(issue(true, true).must_be_open(), Ok(()));
        assert_eq!(issue(false, true).must_be_open(), Err(IssueNotUpdated::Closed));
        assert_eq!(issue(true, true).must_be_closed(), Err(IssueNotUpdated::AlreadyOpen));
        assert_eq!(issue(false, true).must_be_closed(), Ok(()));
    }

    #[test]
    fn closing_and_opening_again_leaves_no_trace() {
        let before = issue(true, true);
        let mut after = before.clone();
        assert!(after.is_pressing());
        after.close(Timestamp::from_millis(5), &UserKey::trusted("luigi"));
        assert_eq!((after.closed, after.is_pressing()), (Some(Timestamp::from_millis(5)), false));
        after.reopen();
        assert_eq!(after, before);
    }

    #[test]
    fn orders_and_jobs_are_found_once_and_in_order() {
        let targets = [
            IssueTarget::WorkOrder(WorkOrderKey(7)),
            IssueTarget::Job(JobKey(3)),
            IssueTarget::Project("P".to_owned()),
            IssueTarget::WorkOrder(WorkOrderKey(2)),
            IssueTarget::WorkOrder(WorkOrderKey(7)),
        ];
        assert_eq!(orders_of(&targets).into_iter().collect::<Vec<_>>(), [WorkOrderKey(2), WorkOrderKey(7)]);
        assert_eq!(jobs_of(&targets).into_iter().collect::<Vec<_>>(), [JobKey(3)]);
    }

    proptest! {
        /// Whatever kind of record it is, it is found again by its kind and its key.
        #[test]
        fn targets_come_back(at in 0..IssueLinkType::ALL.len(), id in 0..i64::MAX, text in "[a-z0-9_.-]{1,12}") {
            let kind = IssueLinkType::ALL[at];
            for key in [text, crate::key::id_to_text(id)] {
                if let Some(target) = IssueTarget::of(kind, &key) {
                    prop_assert_eq!((target.kind(), target.key()), (kind, key.clone()));
                    prop_assert_eq!(IssueTarget::of(kind, &target.key()), Some(target.clone()));
                    prop_assert!(target.id().is_none() || target.id() == id_from_text(&key));
                } else {
                    prop_assert_eq!(id_from_text(&key), None);
                }
            }
        }
    }
}
