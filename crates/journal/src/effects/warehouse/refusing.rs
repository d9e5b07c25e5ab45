//! Why stock can't be moved.

use domain::key::{PositionKey, ProductKey, SerialKey};
use domain::rule::production::QuantityOverflow;
use domain::rule::warehouse::{InventoryMovementException, NotMoved};
use domain::warehouse::stock::{Mark, Refusal};

use crate::Error;

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

    /// The same, at a position.
    pub(crate) fn at(&self, key: &PositionKey) -> Self {
        Self { position_key: Some(key.clone()), ..self.clone() }
    }

    pub(crate) fn refused(self, rule: NotMoved) -> Error {
        refuse(InventoryMovementException {
            product_key: self.product_key,
            position_key: self.position_key,
            serial_key: self.serial_key,
            ..InventoryMovementException::of(rule)
        })
    }

    /// Says why stock can't change.
    pub(crate) fn refused_by(self, refusal: Refusal) -> Error {
        let Self { product_key, position_key, serial_key } = self;
        let of = |rule| InventoryMovementException {
            product_key,
            position_key,
            serial_key,
            ..InventoryMovementException::of(rule)
        };
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
            Refusal::NotAUnit => of(NotMoved::QuantityInvalid),
            Refusal::OwnerMismatch => of(NotMoved::OwnerMismatch),
            Refusal::Overflow => return overflow(),
        })
    }
}

/// A refusal that is about nothing in particular.
pub(crate) fn refused(rule: NotMoved) -> Error {
    About::default().refused(rule)
}

pub(crate) fn overflow() -> Error {
    Error::rule(&QuantityOverflow { maximum: Some(domain::Quantity::MAX) }, "There would be more than can be stored.")
}

pub(crate) fn refuse(rule: InventoryMovementException) -> Error {
    let message = match rule.rule {
        NotMoved::ProductTrashed => "The product was deleted.",
        NotMoved::PositionDeleted => "The position was deleted.",
        NotMoved::PositionUnavailable => "The position is not available.",
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
