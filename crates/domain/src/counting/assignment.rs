use serde_json::{Map, Value};

use super::CountType;
use crate::key::{CountAssignmentKey, CountSessionKey, PositionKey, ProductId, UserKey};
use crate::{Timestamp, named};

named! {
    #[schemars(rename = "CountAssignmentStatus")]
    pub enum AssignmentStatus {
        Planned = "planned",
        Started = "started",
        Completed = "completed",
        Canceled = "canceled",
    }
}

impl AssignmentStatus {
    /// Whether something can still be counted for it.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Planned | Self::Started)
    }
}

/// Who is to count what. The target is a product or a position.
#[derive(Debug, Clone, PartialEq)]
pub struct CountAssignment {
    pub key: CountAssignmentKey,
    pub rev: i64,
    pub session_key: CountSessionKey,
    /// The same as that of the session.
    pub target_type: CountType,
    pub product_id: Option<ProductId>,
    pub position_key: Option<PositionKey>,
    /// None: anyone.
    pub assigned_to: Option<UserKey>,
    /// Also what is below the position, at any depth.
    pub include_children: bool,
    pub status: AssignmentStatus,
    pub created: Timestamp,
    pub created_by: UserKey,
    pub started: Option<Timestamp>,
    pub completed: Option<Timestamp>,
    pub notes: Option<String>,
    pub extra: Map<String, Value>,
}

impl CountAssignment {
    /// Whether it is this user's, or nobody's.
    pub fn is_for(&self, user: &UserKey) -> bool {
        self.assigned_to.as_ref().is_none_or(|assigned| assigned == user)
    }

    /// Whether a product at a position is within the target. The way leads from the top down to the position itself.
    pub fn covers(&self, product: ProductId, way: &[PositionKey]) -> bool {
        let placed =
            |target: &PositionKey| way.last() == Some(target) || (self.include_children && way.contains(target));
        self.product_id.is_none_or(|target| target == product) && self.position_key.as_ref().is_none_or(placed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assignment(product: Option<i64>, position: Option<&str>, include_children: bool) -> CountAssignment {
        CountAssignment {
            key: CountAssignmentKey(1),
            rev: 1,
            session_key: CountSessionKey(1),
            target_type: if product.is_some() { CountType::Product } else { CountType::Position },
            product_id: product.map(ProductId),
            position_key: position.map(PositionKey::trusted),
            assigned_to: None,
            include_children,
            status: AssignmentStatus::Planned,
            created: Timestamp::from_millis(1),
            created_by: UserKey::trusted("mario"),
            started: None,
            completed: None,
            notes: None,
            extra: Map::new(),
        }
    }

    #[test]
    fn a_target_covers_itself_and_what_is_below_if_it_says_so() {
        let way = ["IN", "A", "A1"].map(PositionKey::trusted);
        let covers = |target, below| assignment(None, Some(target), below).covers(ProductId(1), &way);
        assert!(covers("A1", false) && covers("A1", true) && covers("A", true) && covers("IN", true));
        assert!(!covers("A", false) && !covers("B", true));
        assert!(assignment(Some(1), None, false).covers(ProductId(1), &way));
        assert!(!assignment(Some(2), None, true).covers(ProductId(1), &way));
    }

    #[test]
    fn what_nobody_has_is_everybodys() {
        let (mario, rita) = (UserKey::trusted("mario"), UserKey::trusted("rita"));
        let free = assignment(Some(1), None, false);
        let taken = CountAssignment { assigned_to: Some(rita.clone()), ..free.clone() };
        assert!(free.is_for(&mario) && taken.is_for(&rita) && !taken.is_for(&mario));
    }
}
