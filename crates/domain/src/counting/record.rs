use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::key::{CountAssignmentKey, CountRecordKey, CountSessionKey, PositionKey, ProductId, SerialKey, UserKey};
use crate::rule::counting::NotCounted;
use crate::warehouse::stock::Pair;
use crate::{Quantity, Timestamp, Total, named};

named! {
    #[schemars(rename = "CountRecordStatus")]
    pub enum RecordStatus {
        /// Somebody counts.
        Started = "started",
        Completed = "completed",
        /// Stock is corrected by it.
        Confirmed = "confirmed",
        Discarded = "discarded",
    }
}

impl RecordStatus {
    /// Whether what it says is what was counted.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Completed | Self::Confirmed)
    }
}

/// What somebody has counted of a product at a position, or is counting: always all that lies there.
#[derive(Debug, Clone, PartialEq)]
pub struct CountRecord {
    pub key: CountRecordKey,
    pub rev: i64,
    pub session_key: CountSessionKey,
    pub product_id: ProductId,
    pub position_key: PositionKey,
    pub assignment_key: Option<CountAssignmentKey>,
    pub user_key: UserKey,
    pub status: RecordStatus,
    /// What stock said when the count began, serials included.
    pub system_qt: Quantity,
    pub system_at: Timestamp,
    /// When the count began, as its event says; none if it began and ended at once.
    pub started_at: Option<Timestamp>,
    /// How often counting sessions had corrected the pair by then.
    pub system_corrections: i64,
    /// None while it is being counted.
    pub counted_qt: Option<Quantity>,
    pub counted_at: Option<Timestamp>,
    pub reviewed_at: Option<Timestamp>,
    pub processed: bool,
    /// While it is applied in several steps: the quantity and all serials up to this one are corrected.
    pub done: Option<SerialKey>,
    /// What could not be corrected.
    pub error_details: Option<Value>,
    pub notes: Option<String>,
    pub extra: Map<String, Value>,
}

impl CountRecord {
    pub fn pair(&self) -> Pair {
        Pair { product_id: self.product_id, position_key: self.position_key.clone() }
    }

    /// How much more was counted than stock said; none while it is being counted, or if it is out of range.
    pub fn delta(&self) -> Option<Quantity> {
        (Total::from(self.counted_qt?) - Total::from(self.system_qt)).quantity()
    }
}

/// What lies at a pair, or was found there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content {
    /// Without the serials.
    pub quantity: Quantity,
    pub serials: BTreeSet<SerialKey>,
}

impl Content {
    /// Of a quantity that includes the serials.
    pub fn of(whole: Quantity, serials: impl IntoIterator<Item = SerialKey>) -> Self {
        let serials: BTreeSet<SerialKey> = serials.into_iter().collect();
        Self { quantity: whole - Quantity::units(serials.len()), serials }
    }

    /// All of it, serials included.
    pub fn whole(&self) -> Quantity {
        self.quantity + Quantity::units(self.serials.len())
    }
}

/// What turns what stock said into what was counted. What lies there in the form of another time, with serials or without, is
/// missing in that form and found in the present one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Correction {
    /// Of what has no serial.
    pub quantity: Quantity,
    pub found: BTreeSet<SerialKey>,
    pub missing: BTreeSet<SerialKey>,
}

impl Correction {
    pub fn between(system: &Content, counted: &Content) -> Self {
        Self {
            quantity: counted.quantity - system.quantity,
            found: counted.serials.difference(&system.serials).copied().collect(),
            missing: system.serials.difference(&counted.serials).copied().collect(),
        }
    }

    /// Whether stock is right as it is.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// About how many movements it takes.
    pub fn size(&self) -> usize {
        usize::from(self.quantity != Quantity::ZERO) + self.found.len() + self.missing.len()
    }
}

/// What was counted, given what was sent of it: all of it, serials included, and the serials. Whether these are known is
/// another question. An error says which serial it is about.
pub fn counted(
    traced: bool,
    sent: Option<Quantity>,
    serials: Option<Vec<SerialKey>>,
) -> Result<(Quantity, BTreeSet<SerialKey>), (NotCounted, Option<SerialKey>)> {
    if !traced {
        let whole = sent.ok_or((NotCounted::QuantityMissing, None))?;
        return match serials.unwrap_or_default().first() {
            Some(serial) => Err((NotCounted::SerialUnknown, Some(*serial))),
            None => Ok((whole, BTreeSet::new())),
        };
    }
    let listed = serials.ok_or((NotCounted::QuantityMissing, None))?;
    let mut serials = BTreeSet::new();
    if let Some(again) = listed.iter().find(|serial| !serials.insert(**serial)) {
        return Err((NotCounted::SerialRepeated, Some(*again)));
    }
    let whole = Quantity::units(serials.len());
    if sent.is_some_and(|sent| sent != whole) {
        return Err((NotCounted::QuantityMismatch, None));
    }
    Ok((whole, serials))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(numbers: &[i64]) -> Vec<SerialKey> {
        numbers.iter().copied().map(SerialKey).collect()
    }

    fn content(millionths: i64, serials: &[i64]) -> Content {
        Content { quantity: Quantity::from_millionths(millionths), serials: keys(serials).into_iter().collect() }
    }

    #[test]
    fn a_swap_is_corrected_too() {
        let swap = Correction::between(&content(0, &[1, 2]), &content(0, &[1, 3]));
        assert_eq!((swap.found, swap.missing), (keys(&[3]).into_iter().collect(), keys(&[2]).into_iter().collect()));
        assert!(Correction::between(&content(5, &[1]), &content(5, &[1])).is_none());
    }

    #[test]
    fn what_lies_there_in_an_old_form_is_missing() {
        let now_traced = Correction::between(&Content::of(Quantity::units(3), keys(&[1])), &content(0, &[1, 2]));
        assert_eq!((now_traced.quantity, now_traced.size()), (Quantity::from_millionths(-2_000_000), 2));
        let no_longer = Correction::between(&Content::of(Quantity::units(3), keys(&[1])), &content(3_000_000, &[]));
        assert_eq!((no_longer.quantity, no_longer.missing.len()), (Quantity::ONE, 1));
    }

    #[test]
    fn what_is_sent_suits_the_product() {
        let two = Some(Quantity::units(2));
        assert_eq!(counted(false, two, None), Ok((Quantity::units(2), BTreeSet::new())));
        assert_eq!(counted(false, two, Some(Vec::new())), Ok((Quantity::units(2), BTreeSet::new())));
        assert_eq!(counted(false, None, None), Err((NotCounted::QuantityMissing, None)));
        assert_eq!(counted(false, two, Some(keys(&[1]))), Err((NotCounted::SerialUnknown, Some(SerialKey(1)))));
        assert_eq!(counted(true, None, Some(Vec::new())), Ok((Quantity::ZERO, BTreeSet::new())));
        assert_eq!(counted(true, two, Some(keys(&[1, 2]))).map(|(whole, _)| whole), Ok(Quantity::units(2)));
        assert_eq!(counted(true, two, None), Err((NotCounted::QuantityMissing, None)));
        assert_eq!(counted(true, two, Some(keys(&[1]))), Err((NotCounted::QuantityMismatch, None)));
        assert_eq!(counted(true, two, Some(keys(&[2, 1, 1]))), Err((NotCounted::SerialRepeated, Some(SerialKey(1)))));
    }

    fn contents() -> impl Strategy<Value = Content> {
        (-50..50_i64, prop::collection::btree_set(0..12_i64, 0..8))
            .prop_map(|(much, serials)| content(much, &serials.into_iter().collect::<Vec<_>>()))
    }

    proptest! {
        /// A correction that is carried out on what stock said gives what was counted.
        #[test]
        fn corrections_lead_from_one_to_the_other(system in contents(), counted in contents()) {
            let correction = Correction::between(&system, &counted);
            let mut serials = system.serials.clone();
            for gone in &correction.missing {
                prop_assert!(serials.remove(gone));
            }
            for found in &correction.found {
                prop_assert!(serials.insert(*found));
            }
            prop_assert_eq!(&Content { quantity: system.quantity + correction.quantity, serials }, &counted);
            prop_assert_eq!(correction.is_none(), system == counted);
            prop_assert_eq!(correction.is_none(), correction.size() == 0);
            prop_assert_eq!(Content::of(counted.whole(), counted.serials.clone()), counted);
        }
    }
}
