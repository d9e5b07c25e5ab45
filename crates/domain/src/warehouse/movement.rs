//! Movements: what they do to stock, and what has to be right about them.

mod references;

pub use references::{PositionRef, References, SentReferences};

use super::{INSIDE, NOWHERE, OUTSIDE};
use crate::key::PositionKey;
use crate::{Quantity, Timestamp, named};

/// The highest place of a movement in a list that can be asked for.
pub const LAST_ITEM: i64 = 1_000_000_000;

named! {
    /// What a movement does.
    pub enum MovementType {
        /// From one position to another. Without a product, the position itself is moved; that can't be planned.
        Transfer = "transfer",
        /// From outside into a position.
        Receipt = "receipt",
        /// From a position to the outside.
        Shipment = "shipment",
        /// Made by production.
        Production = "production",
        /// Used up by production.
        Consumption = "consumption",
        /// A correction at one position.
        Adjustment = "adjustment",
        /// Takes another movement back.
        Reversal = "reversal",
    }
}

named! {
    /// What people plan and carry out: everything but reversals, which follow from other movements.
    #[schemars(rename = "MovementListType")]
    pub enum ListType {
        /// From one position to another. Without a product, the position itself is moved; that can't be planned.
        Transfer = "transfer",
        /// From outside into a position.
        Receipt = "receipt",
        /// From a position to the outside.
        Shipment = "shipment",
        /// Made by production.
        Production = "production",
        /// Used up by production.
        Consumption = "consumption",
        /// A correction at one position.
        Adjustment = "adjustment",
    }
}

impl From<ListType> for MovementType {
    fn from(kind: ListType) -> Self {
        match kind {
            ListType::Transfer => MovementType::Transfer,
            ListType::Receipt => MovementType::Receipt,
            ListType::Shipment => MovementType::Shipment,
            ListType::Production => MovementType::Production,
            ListType::Consumption => MovementType::Consumption,
            ListType::Adjustment => MovementType::Adjustment,
        }
    }
}

named! {
    pub enum MovementStatus {
        Planned = "planned",
        Completed = "completed",
        Canceled = "canceled",
    }
}

named! {
    #[schemars(rename = "MovementListStatus")]
    pub enum ListStatus {
        Planned = "planned",
        /// Some of its movements are completed.
        Started = "started",
        Completed = "completed",
        Canceled = "canceled",
    }
}

impl MovementType {
    /// Whether stock comes in without leaving another position.
    pub fn brings_in(self) -> bool {
        matches!(self, MovementType::Receipt | MovementType::Production)
    }

    /// Whether stock leaves without reaching another position.
    pub fn takes_out(self) -> bool {
        matches!(self, MovementType::Shipment | MovementType::Consumption)
    }
}

/// Where a movement begins and ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides {
    pub from: PositionKey,
    pub to: PositionKey,
}

/// What is wrong with the positions of a movement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadSides {
    /// This side can't be chosen.
    Forced(PositionKey),
    /// An adjustment names two positions; this is the second.
    Two(PositionKey),
    /// An adjustment names none.
    None,
    /// Only the other side of certain movements, and of reversals.
    Reserved(PositionKey),
    Same(PositionKey),
    /// The member that has to be sent.
    Missing(&'static str),
}

/// The sides of a movement of a product, given what was sent.
pub fn sides(kind: MovementType, from: Option<PositionKey>, to: Option<PositionKey>) -> Result<Sides, BadSides> {
    let inside = || PositionKey::trusted(INSIDE);
    let (from, to) = match kind {
        MovementType::Receipt => (forced(OUTSIDE, from)?, chosen(to.unwrap_or_else(inside))?),
        MovementType::Production => (forced(NOWHERE, from)?, chosen(to.unwrap_or_else(inside))?),
        MovementType::Shipment => (chosen(from.unwrap_or_else(inside))?, forced(OUTSIDE, to)?),
        MovementType::Consumption => (chosen(from.unwrap_or_else(inside))?, forced(NOWHERE, to)?),
        MovementType::Adjustment => {
            let place = match (from, to) {
                (Some(from), Some(to)) if from != to => return Err(BadSides::Two(to)),
                (Some(place), _) | (None, Some(place)) => chosen(place)?,
                (None, None) => return Err(BadSides::None),
            };
            return Ok(Sides { from: place.clone(), to: place });
        }
        MovementType::Transfer | MovementType::Reversal => (
            chosen(from.ok_or(BadSides::Missing("position_from"))?)?,
            chosen(to.ok_or(BadSides::Missing("position_to"))?)?,
        ),
    };
    if from == to {
        return Err(BadSides::Same(from));
    }
    Ok(Sides { from, to })
}

/// A side that only this position can be.
fn forced(only: &str, sent: Option<PositionKey>) -> Result<PositionKey, BadSides> {
    match sent {
        Some(other) if other.as_str() != only => Err(BadSides::Forced(other)),
        _ => Ok(PositionKey::trusted(only)),
    }
}

fn chosen(position: PositionKey) -> Result<PositionKey, BadSides> {
    if is_beyond(&position) { Err(BadSides::Reserved(position)) } else { Ok(position) }
}

/// Whether it holds no stock: the outside world, or nowhere.
pub fn is_beyond(position: &PositionKey) -> bool {
    [OUTSIDE, NOWHERE].contains(&position.as_str())
}

/// What a movement does to stock: more or less at each of its positions that hold any.
pub fn shifts(from: &PositionKey, to: &PositionKey, confirmed: Quantity) -> Vec<(PositionKey, Quantity)> {
    if from == to {
        return vec![(to.clone(), confirmed)];
    }
    let both = [(from, opposite(confirmed)), (to, confirmed)];
    both.into_iter().filter(|(at, _)| !is_beyond(at)).map(|(at, much)| (at.clone(), much)).collect()
}

/// Whether a quantity suits a movement of this type: above 0, or of an adjustment any but 0.
pub fn suits(kind: MovementType, quantity: Quantity) -> bool {
    match kind {
        MovementType::Adjustment => quantity != Quantity::ZERO,
        _ => quantity > Quantity::ZERO,
    }
}

/// The quantity without its sign.
#[must_use]
pub fn size(quantity: Quantity) -> Quantity {
    if quantity.is_negative() { opposite(quantity) } else { quantity }
}

#[must_use]
pub fn opposite(quantity: Quantity) -> Quantity {
    Quantity::ZERO - quantity
}

/// Parts of a planned quantity have another sign, are zero, or are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotParts;

/// What is left of a planned quantity after parts of it were carried out; none if it is used up.
pub fn rest(planned: Quantity, parts: &[Quantity]) -> Result<Option<Quantity>, NotParts> {
    let fits = |part: &Quantity| *part != Quantity::ZERO && part.is_negative() == planned.is_negative();
    if parts.is_empty() || !parts.iter().all(fits) {
        return Err(NotParts);
    }
    let done: i128 = parts.iter().map(|part| i128::from(size(*part).millionths())).sum();
    let left = i128::from(size(planned).millionths()) - done;
    let left = i64::try_from(left).ok().filter(|left| *left > 0).map(Quantity::from_millionths);
    Ok(left.map(|left| if planned.is_negative() { opposite(left) } else { left }))
}

/// How much of a completed movement is taken back, with the sign of what that does.
pub fn reverted(confirmed: Quantity, wanted: Option<Quantity>) -> Result<Quantity, BadReversal> {
    if confirmed == Quantity::ZERO {
        return Err(BadReversal::Nothing);
    }
    let much = wanted.unwrap_or_else(|| size(confirmed));
    if much <= Quantity::ZERO {
        return Err(BadReversal::NotPositive);
    }
    if much > size(confirmed) {
        return Err(BadReversal::TooMuch);
    }
    Ok(if confirmed.is_negative() { opposite(much) } else { much })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadReversal {
    Nothing,
    NotPositive,
    TooMuch,
}

/// What the movements of a list have come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Whether some are planned.
    pub planned: bool,
    pub completed: bool,
    pub canceled: bool,
    /// When the first of the completed ones started.
    pub first_start: Option<Timestamp>,
    /// When the last of the completed and canceled ones ended.
    pub last_end: Option<Timestamp>,
}

/// The state of a list that follows from its movements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListState {
    pub status: ListStatus,
    pub start: Option<Timestamp>,
    pub end: Option<Timestamp>,
}

impl Tally {
    pub fn state(&self) -> ListState {
        let status = match (self.planned, self.completed, self.canceled) {
            (false, false, false) | (true, false, _) => ListStatus::Planned,
            (false, false, true) => ListStatus::Canceled,
            (false, true, _) => ListStatus::Completed,
            (true, true, _) => ListStatus::Started,
        };
        let ended = matches!(status, ListStatus::Completed | ListStatus::Canceled);
        ListState { status, start: self.first_start, end: self.last_end.filter(|_| ended) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(text: &str) -> PositionKey {
        PositionKey::trusted(text)
    }

    fn of(kind: MovementType, from: Option<&str>, to: Option<&str>) -> Result<(String, String), BadSides> {
        sides(kind, from.map(key), to.map(key)).map(|sides| (sides.from.to_string(), sides.to.to_string()))
    }

    fn pair(from: &str, to: &str) -> Result<(String, String), BadSides> {
        Ok((from.to_owned(), to.to_owned()))
    }

    #[test]
    fn forced_sides_may_be_left_out_or_repeated() {
        for from in [None, Some("OUT")] {
            assert_eq!(of(MovementType::Receipt, from, Some("A")), pair("OUT", "A"));
        }
        assert_eq!(of(MovementType::Production, None, None), pair("NULL", "IN"));
        assert_eq!(of(MovementType::Shipment, None, None), pair("IN", "OUT"));
        assert_eq!(of(MovementType::Consumption, Some("A"), Some("NULL")), pair("A", "NULL"));
        assert_eq!(of(MovementType::Receipt, Some("A"), None), Err(BadSides::Forced(key("A"))));
        assert_eq!(of(MovementType::Consumption, None, Some("OUT")), Err(BadSides::Forced(key("OUT"))));
    }

    #[test]
    fn an_adjustment_has_one_position() {
        for (from, to) in [(Some("A"), None), (None, Some("A")), (Some("A"), Some("A"))] {
            assert_eq!(of(MovementType::Adjustment, from, to), pair("A", "A"));
        }
        assert_eq!(of(MovementType::Adjustment, Some("A"), Some("B")), Err(BadSides::Two(key("B"))));
        assert_eq!(of(MovementType::Adjustment, None, None), Err(BadSides::None));
        assert_eq!(of(MovementType::Adjustment, Some("OUT"), None), Err(BadSides::Reserved(key("OUT"))));
    }

    #[test]
    fn a_transfer_has_two() {
        assert_eq!(of(MovementType::Transfer, Some("A"), Some("IN")), pair("A", "IN"));
        assert_eq!(of(MovementType::Transfer, Some("A"), Some("A")), Err(BadSides::Same(key("A"))));
        assert_eq!(of(MovementType::Transfer, Some("A"), None), Err(BadSides::Missing("position_to")));
        assert_eq!(of(MovementType::Transfer, Some("NULL"), Some("A")), Err(BadSides::Reserved(key("NULL"))));
    }

    #[test]
    fn lists_follow_their_rows() {
        let time = |millis| Some(Timestamp::from_millis(millis));
        let tally = |planned, completed, canceled| Tally {
            planned,
            completed,
            canceled,
            first_start: time(1).filter(|_| completed),
            last_end: time(9).filter(|_| completed || canceled),
        };
        let state = |tally: Tally| {
            let ListState { status, start, end } = tally.state();
            (status, start.is_some(), end.is_some())
        };
        assert_eq!(state(tally(false, false, false)), (ListStatus::Planned, false, false));
        assert_eq!(state(tally(true, false, true)), (ListStatus::Planned, false, false));
        assert_eq!(state(tally(true, true, false)), (ListStatus::Started, true, false));
        assert_eq!(state(tally(false, true, true)), (ListStatus::Completed, true, true));
        assert_eq!(state(tally(false, false, true)), (ListStatus::Canceled, false, true));
    }

    #[test]
    fn stock_leaves_one_side_and_reaches_the_other() {
        let (one, two) = (Quantity::ONE, opposite(Quantity::ONE));
        assert_eq!(shifts(&key("A"), &key("B"), one), [(key("A"), two), (key("B"), one)]);
        assert_eq!(shifts(&key("OUT"), &key("B"), one), [(key("B"), one)]);
        assert_eq!(shifts(&key("A"), &key("NULL"), one), [(key("A"), two)]);
        assert_eq!(shifts(&key("A"), &key("A"), two), [(key("A"), two)]);
    }

    fn quantities() -> impl Strategy<Value = i64> {
        -5_000_000_000_i64..5_000_000_000
    }

    proptest! {
        #[test]
        fn parts_and_the_rest_are_the_whole(
            planned in 1..5_000_000_000_i64,
            parts in prop::collection::vec(1..2_000_000_000_i64, 1..6),
            negative: bool,
        ) {
            let sign = if negative { -1 } else { 1 };
            let planned = Quantity::from_millionths(planned * sign);
            let done: Vec<Quantity> = parts.iter().map(|part| Quantity::from_millionths(part * sign)).collect();
            let sum: i64 = done.iter().map(|part| part.millionths()).sum();
            match rest(planned, &done).unwrap() {
                Some(left) => {
                    prop_assert_eq!(left.millionths() + sum, planned.millionths());
                    prop_assert!(suits(MovementType::Adjustment, left) && left.is_negative() == negative);
                }
                None => prop_assert!(sum.abs() >= planned.millionths().abs()),
            }
            let mut other = done.clone();
            other.push(opposite(done[0]));
            prop_assert_eq!(rest(planned, &other), Err(NotParts));
        }

        #[test]
        fn no_more_is_taken_back_than_was_done(confirmed in quantities(), wanted in prop::option::of(quantities())) {
            let [confirmed, asked] = [confirmed, wanted.unwrap_or_default()].map(Quantity::from_millionths);
            match reverted(confirmed, wanted.map(Quantity::from_millionths)) {
                Ok(back) => {
                    prop_assert!(size(back) <= size(confirmed) && back.is_negative() == confirmed.is_negative());
                    prop_assert_eq!(size(back), if wanted.is_some() { asked } else { size(confirmed) });
                }
                Err(BadReversal::Nothing) => prop_assert_eq!(confirmed, Quantity::ZERO),
                Err(BadReversal::NotPositive) => prop_assert!(asked <= Quantity::ZERO),
                Err(BadReversal::TooMuch) => prop_assert!(asked > size(confirmed)),
            }
        }

        #[test]
        fn sides_are_different_and_hold_stock_where_they_are_chosen(kind in 0..6_usize, from in 0..6_usize, to in 0..6_usize) {
            let kind = MovementType::ALL[kind];
            let named = |at: usize| [None, Some("IN"), Some("OUT"), Some("NULL"), Some("A"), Some("B")][at].map(key);
            if let Ok(sides) = sides(kind, named(from), named(to)) {
                prop_assert_eq!(sides.from == sides.to, kind == MovementType::Adjustment);
                prop_assert_eq!(is_beyond(&sides.from), kind.brings_in());
                prop_assert_eq!(is_beyond(&sides.to), kind.takes_out());
            }
        }
    }
}
