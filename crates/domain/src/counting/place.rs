use crate::named;

named! {
    /// How a counting session is done with a position.
    #[schemars(rename = "CountPositionStatus")]
    pub enum MarkStatus {
        Counted = "counted",
        Empty = "empty",
    }
}

/// How far a session has counted a position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlaceCount {
    pub mark: Option<MarkStatus>,
    /// Whether a product lies directly there that nobody has counted.
    pub uncounted: bool,
    /// Whether a position directly in it has no mark.
    pub open_children: bool,
    /// Whether somebody has counted goods there.
    pub has_goods: bool,
}

impl PlaceCount {
    /// Whether all that is there was counted, and so was all that is in it.
    pub fn is_done(&self) -> bool {
        !self.uncounted && !self.open_children
    }

    /// The mark after something was counted there, or in it. What is marked stays so: stock that arrives later does not matter,
    /// but what was taken for empty and has goods is counted.
    #[must_use]
    pub fn after_count(&self) -> Option<MarkStatus> {
        match self.mark {
            Some(MarkStatus::Empty) if !self.has_goods => Some(MarkStatus::Empty),
            Some(_) => Some(MarkStatus::Counted),
            None => self.is_done().then_some(MarkStatus::Counted),
        }
    }

    /// The mark after a count there was discarded, or a position in it has lost its mark.
    #[must_use]
    pub fn after_discard(&self) -> Option<MarkStatus> {
        self.mark.filter(|_| self.is_done())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_position_is_done_with_the_last_product_and_the_last_child() {
        let place = PlaceCount { uncounted: true, open_children: true, ..PlaceCount::default() };
        assert_eq!(place.after_count(), None);
        assert_eq!(PlaceCount { uncounted: false, ..place }.after_count(), None);
        assert_eq!(
            PlaceCount { uncounted: false, open_children: false, ..place }.after_count(),
            Some(MarkStatus::Counted)
        );
    }

    #[test]
    fn goods_turn_empty_to_counted() {
        let empty = PlaceCount { mark: Some(MarkStatus::Empty), ..PlaceCount::default() };
        assert_eq!(empty.after_count(), Some(MarkStatus::Empty));
        assert_eq!(PlaceCount { has_goods: true, ..empty }.after_count(), Some(MarkStatus::Counted));
    }

    fn places() -> impl Strategy<Value = PlaceCount> {
        let marks = prop::option::of(prop::sample::select(MarkStatus::ALL));
        (marks, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(mark, uncounted, open_children, has_goods)| {
            PlaceCount { mark, uncounted, open_children, has_goods }
        })
    }

    proptest! {
        #[test]
        fn counting_only_adds_marks_and_discarding_only_takes_them(place in places()) {
            prop_assert!(place.mark.is_none() || place.after_count().is_some());
            prop_assert!(!place.is_done() || place.after_count().is_some());
            prop_assert_eq!(place.after_discard().is_some(), place.mark.is_some() && place.is_done());
            let again = PlaceCount { mark: place.after_count(), ..place };
            prop_assert_eq!(again.after_count(), place.after_count(), "twice changes nothing more");
        }
    }
}
