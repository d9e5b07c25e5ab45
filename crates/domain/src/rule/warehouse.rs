//! Rules for positions, movements and their lists.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rules;
use crate::key::{CountSessionKey, MovementListKey, PositionKey, ProductKey, SerialKey};
use crate::{Quantity, named};

rules! {
    /// The position would be in itself.
    PositionCycleException, "Name a parent that is neither the position itself nor in it." {
        /// Always `cycle`.
        rule: &'static str,
        /// The keys from the position down to the wanted parent.
        path: Vec<PositionKey>,
    }

    /// Stock can't be moved like that.
    InventoryMovementException, "See `rule`." {
        rule: NotMoved,
        /// The product that it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        product_key: Option<ProductKey>,
        /// The position that it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        position_key: Option<PositionKey>,
        /// The serial that it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        serial_key: Option<SerialKey>,
        /// Of `insufficient_stock`: how much is there. Of `reverse_too_much`: how much was moved.
        #[serde(skip_serializing_if = "Option::is_none")]
        available: Option<Quantity>,
        /// Of `insufficient_stock` and `reverse_too_much`: how much is wanted.
        #[serde(skip_serializing_if = "Option::is_none")]
        requested: Option<Quantity>,
        /// Of `counting`: the record of the count.
        #[serde(skip_serializing_if = "Option::is_none")]
        count_record_key: Option<String>,
        /// Of `locked`: the counting session.
        #[serde(skip_serializing_if = "Option::is_none")]
        count_session_key: Option<CountSessionKey>,
        /// Of a list: the row, counting from 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        row: Option<usize>,
    }

    /// The list of movements can't be made or changed like that.
    MovementListException, "See `rule`, and `errors` where rows are wrong." {
        rule: BadList,
        /// The list.
        #[serde(skip_serializing_if = "Option::is_none")]
        movement_list_key: Option<MovementListKey>,
        /// Of `rows`: what is wrong with which row.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        errors: Vec<RowFault>,
    }
}

/// What is wrong with a row of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MovementRowFault")]
pub struct RowFault {
    /// The row, counting from 0.
    pub row: usize,
    /// The member that is wrong.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}

named! {
    /// Why stock can't be moved.
    #[schemars(rename = "InventoryMovementRule")]
    pub enum NotMoved {
        /// The product was deleted: it takes no receipts, no production and no plans.
        ProductTrashed = "product_trashed",
        /// The position was deleted.
        PositionDeleted = "position_deleted",
        /// The position is not available, or it is `OUT` or `NULL` where they can't stand.
        PositionUnavailable = "position_unavailable",
        /// The position is fixed or reserved: it can't be moved itself.
        PositionFixed = "position_fixed",
        /// The position would be in itself.
        PositionCycle = "position_cycle",
        /// The type of the movement leaves no choice of this position; an adjustment has only one.
        ForcedPosition = "forced_position",
        /// It is there already.
        SamePosition = "same_position",
        /// Nothing may be consumed from the position.
        ConsumptionNotAllowed = "consumption_not_allowed",
        /// The quantity has to be above 0, of an adjustment not 0, of a serial 1; parts have the sign of the whole.
        QuantityInvalid = "quantity_invalid",
        /// Units of the product are traced: each is moved by itself, with its serial.
        SerialRequired = "serial_required",
        /// Units of the product are not traced.
        SerialNotAllowed = "serial_not_allowed",
        /// A position holds the serial already.
        SerialInStock = "serial_in_stock",
        /// The serial was deleted or scrapped, is built into a unit, or was not released.
        SerialBlocked = "serial_blocked",
        /// The serial is in another position, or in none.
        SerialNotInPosition = "serial_not_in_position",
        /// There is less than is wanted.
        InsufficientStock = "insufficient_stock",
        /// Positions would be nested more than 99 levels deep.
        PositionTooDeep = "position_too_deep",
        /// Somebody counts the product at the position.
        Counting = "counting",
        /// A counting session corrects the product at the position.
        Locked = "locked",
        /// What lies there has another owner.
        OwnerMismatch = "owner_mismatch",
        /// The movement is not planned any more. One that parts have used up is gone: `RecordNotFoundError`.
        NotOpen = "not_open",
        /// The movement was reversed before.
        AlreadyReversed = "already_reversed",
        /// The movement was not carried out, or moved nothing.
        NothingToReverse = "nothing_to_reverse",
        /// More is to be taken back than was moved.
        ReverseTooMuch = "reverse_too_much",
        /// Reversals and transfers of positions can't be reversed.
        NotReversible = "not_reversible",
        /// The site's `mandatory_reason_for_movement_types` asks for a `reason`.
        ReasonMissing = "reason_missing",
    }
}

named! {
    /// Why a list of movements can't be made or changed.
    #[schemars(rename = "MovementListRule")]
    pub enum BadList {
        /// Another list of the type has this code.
        CodeTaken = "code_taken",
        /// The list is completed, canceled or closed.
        ListClosed = "list_closed",
        /// The movement has another type than the list.
        TypeMismatch = "type_mismatch",
        /// Rows are wrong: `errors` says which.
        Rows = "rows",
    }
}

impl InventoryMovementException {
    /// About nothing in particular.
    pub fn of(rule: NotMoved) -> Self {
        Self {
            rule,
            product_key: None,
            position_key: None,
            serial_key: None,
            available: None,
            requested: None,
            count_record_key: None,
            count_session_key: None,
            row: None,
        }
    }
}
