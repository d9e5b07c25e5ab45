//! Why stock can't be moved.

use domain::key::{PositionKey, ProductKey, SerialKey};
use domain::rule::production::QuantityOverflow;
use domain::rule::warehouse::{InventoryMovementException, NotMoved};
use domain::warehouse::movement::is_beyond;
use domain::warehouse::stock::{Mark, Refusal};
use store::warehouse::movements::Movement;

use crate::Error;

/// What to send instead of another quantity of a serial.
pub(crate) const ONE_UNIT: &str = "A serial is one unit: send a quantity of 1, or -1 to adjust it away.";
/// What to send instead of a fraction of a traced product.
pub(crate) const WHOLE_UNITS: &str = "Units of the product are traced: the quantity has to be a whole number.";

/// What a refusal is about.
#[derive(Debug, Clone, Default)]
pub(crate) struct About {
    pub(crate) product_key: Option<ProductKey>,
    pub(crate) position_key: Option<PositionKey>,
    pub(crate) serial_key: Option<SerialKey>,
}

impl About {
    pub(crate) fn position(key: &PositionKey) -> Self {
        Self { position_key: Some(key.clone()), ..Self::default() }
    }

    pub(crate) fn product(key: &ProductKey) -> Self {
        Self { product_key: Some(key.clone()), ..Self::default() }
    }

    /// A movement as a whole: where it takes from, or else where it brings to.
    pub(crate) fn movement(movement: &Movement, product: Option<&ProductKey>) -> Self {
        let holder = if is_beyond(&movement.from_key) { &movement.to_key } else { &movement.from_key };
        Self { product_key: product.cloned(), position_key: Some(holder.clone()), serial_key: movement.serial_key }
    }

    /// The same, at a position.
    pub(crate) fn at(&self, key: &PositionKey) -> Self {
        Self { position_key: Some(key.clone()), ..self.clone() }
    }

    pub(crate) fn refused(self, rule: NotMoved) -> Error {
        refuse(self.exception(rule))
    }

    /// The same, where there is more to say than the rule alone tells.
    pub(crate) fn refused_as(self, rule: NotMoved, message: &'static str) -> Error {
        Error::rule(&self.exception(rule), message)
    }

    pub(crate) fn exception(self, rule: NotMoved) -> InventoryMovementException {
        let Self { product_key, position_key, serial_key } = self;
        InventoryMovementException { product_key, position_key, serial_key, ..InventoryMovementException::of(rule) }
    }

    /// Says why stock can't change.
    pub(crate) fn refused_by(self, refusal: Refusal) -> Error {
        let of = |rule| self.exception(rule);
        refuse(match refusal {
            Refusal::Marked(Mark::Counting(by)) => {
                InventoryMovementException { count_record_key: Some(by), ..of(NotMoved::Counting) }
            }
            Refusal::Marked(Mark::Locked(by)) => {
                InventoryMovementException { count_session_key: Some(by), ..of(NotMoved::Locked) }
            }
            Refusal::Insufficient { available, requested } => InventoryMovementException {
                available: Some(available),
                requested: Some(requested),
                ..of(NotMoved::InsufficientStock)
            },
            Refusal::SerialInStock(place) => {
                InventoryMovementException { position_key: Some(place), ..of(NotMoved::SerialInStock) }
            }
            Refusal::SerialNotThere => of(NotMoved::SerialNotInPosition),
            Refusal::NotAUnit => return Error::rule(&of(NotMoved::QuantityInvalid), ONE_UNIT),
            Refusal::OwnerMismatch => of(NotMoved::OwnerMismatch),
            Refusal::Overflow => return overflow(),
        })
    }
}

pub(crate) fn overflow() -> Error {
    Error::rule(&QuantityOverflow { maximum: Some(domain::Quantity::MAX) }, "There would be more than can be stored.")
}

pub(crate) fn refuse(rule: InventoryMovementException) -> Error {
    let message = match rule.rule {
        NotMoved::ProductTrashed => "The product was deleted.",
        NotMoved::PositionDeleted => "The position was deleted.",
        NotMoved::PositionUnavailable => "The position is not available: it takes only adjustments and reversals.",
        NotMoved::PositionFixed => "The position can't be moved.",
        NotMoved::PositionCycle => "The position would be in itself.",
        NotMoved::ForcedPosition => "A movement of this type can't have this position.",
        NotMoved::SamePosition => "It is there already.",
        NotMoved::ConsumptionNotAllowed => "Nothing may be consumed from the position.",
        NotMoved::QuantityInvalid => "The quantity does not suit the movement.",
        NotMoved::SerialRequired => {
            "Units of the product are traced: each is moved by itself, with its serial; those of a planned movement as split_into."
        }
        NotMoved::SerialNotAllowed => "Units of the product are not traced.",
        NotMoved::SerialInStock => "The serial is in stock already.",
        NotMoved::SerialBlocked => {
            "The serial can't come into stock: it was deleted or scrapped, is built into a unit, or is not released."
        }
        NotMoved::SerialNotInPosition => "The serial lies in another position, or in none.",
        NotMoved::InsufficientStock => "There is not enough in stock.",
        NotMoved::PositionTooDeep => "Positions would be nested more than 99 levels deep.",
        NotMoved::Counting => "The product is being counted at the position.",
        NotMoved::Locked => "A counting session corrects the product at the position.",
        NotMoved::OwnerMismatch => "What lies there has another owner: use another position, or move it away first.",
        NotMoved::NotOpen => "The movement is not planned any more.",
        NotMoved::AlreadyReversed => "The movement was reversed before.",
        NotMoved::NothingToReverse => "The movement has moved nothing.",
        NotMoved::ReverseTooMuch => "More is to be taken back than the movement has moved.",
        NotMoved::NotReversible => "Reversals and transfers of positions can't be reversed.",
        NotMoved::ReasonMissing => "Movements of this type need a reason.",
    };
    Error::rule(&rule, message)
}
