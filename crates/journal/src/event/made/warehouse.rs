//! Payloads about stock, movements and lists.

use domain::Quantity;
use domain::key::{MovementKey, MovementListKey, PositionKey, ProductKey, SerialKey};
use domain::warehouse::movement::{MovementType, References};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Made, MadePayload, MadeType};

payloads! {
    /// The payloads of events that the service makes.
    MADE {
        MovementPlannedByOther for
            /// A row of a list is planned, or planned again after a movement was taken back.
            "MOVEMENT_PLANNED",
        {
            /// The movement.
            movement_key: MovementKey,
            /// What it does.
            movement_type: MovementType,
            /// The product.
            product_key: ProductKey,
            /// The serial; null if none is named.
            serial_key: Option<SerialKey>,
            /// Where it begins.
            position_from: PositionKey,
            /// Where it ends.
            position_to: PositionKey,
            /// How much is planned.
            qt_planned: Quantity,
            /// Its list.
            movement_list_key: Option<MovementListKey>,
            /// Its place in the list.
            movement_list_item: Option<i64>,
            /// What it belongs to.
            references: Option<References>,
        }

        MovementCompletedByOther for
            /// A row of a list, or a part of one, is carried out; production, a link or a scrapped serial moves stock; or stock is
            /// corrected after a count.
            "MOVEMENT_COMPLETED" when "a count is corrected in several steps, since it has more than 5,000 corrections. Those of the \
                last step follow from `COUNT_APPLIED`",
        {
            /// The movement.
            movement_key: MovementKey,
            /// What it does.
            movement_type: MovementType,
            /// The product.
            product_key: ProductKey,
            /// The serial; null if units are not traced.
            serial_key: Option<SerialKey>,
            /// Where it begins.
            position_from: PositionKey,
            /// Where it ends.
            position_to: PositionKey,
            /// How much was planned.
            qt_planned: Quantity,
            /// How much was moved.
            qt_confirmed: Quantity,
            /// False: it belongs to a customer or a supplier.
            owned: bool,
            /// Its list.
            movement_list_key: Option<MovementListKey>,
            /// Its place in the list.
            movement_list_item: Option<i64>,
            /// What it belongs to.
            references: Option<References>,
            /// What it did to stock.
            stock_changes: Vec<InventoryChanged>,
        }

        MovementReversedByOther for
            /// A movement of production or of a link is taken back because that is.
            "MOVEMENT_REVERSED",
        {
            /// The movement that is taken back.
            original_movement_key: MovementKey,
            /// The movement that takes it back.
            movement_key: MovementKey,
            /// How much of it.
            quantity_to_revert: Quantity,
            /// What it did to stock.
            stock_changes: Vec<InventoryChanged>,
        }

        InventoryChanged for
            /// There is more or less of a product at a position.
            "INVENTORY_CHANGED" when "stock changes. It is not stored by itself: the event of the movement has it in `stock_changes`",
        {
            /// Where.
            position_key: PositionKey,
            /// The product.
            product_key: ProductKey,
            /// The serial; null if units are not traced.
            serial_key: Option<SerialKey>,
            /// How much more, or less if it is negative.
            quantity_change: Quantity,
        }
    }
}

payloads! {
    /// The members that the service adds to the payloads of events that are sent.
    ADDED {
        MovementNoted for "MOVEMENT_PLANNED", {
            /// The movement.
            movement_key: MovementKey,
            /// Its place in the list, if it is in one.
            movement_list_item: Option<i64>,
        }

        MovementChanged for "MOVEMENT_UPDATED", {
            /// The movements that were carried out: the row itself, or its parts.
            completed_movement_keys: Vec<MovementKey>,
            /// What the row itself did to stock; parts have events of their own.
            stock_changes: Vec<InventoryChanged>,
        }

        MovementCarriedOut for "MOVEMENT_COMPLETED", {
            /// The movement.
            movement_key: MovementKey,
            /// Whose it is, whether or not that was said.
            owned: bool,
            /// What it did to stock; nothing where a position was moved.
            stock_changes: Vec<InventoryChanged>,
        }

        MovementTakenBack for "MOVEMENT_REVERSED", {
            /// The movement that takes it back.
            movement_key: MovementKey,
            /// The movement of the list that is planned again; null if there is none.
            planned_movement_key: Option<MovementKey>,
            /// What it did to stock.
            stock_changes: Vec<InventoryChanged>,
        }

        ListMade for "WAREHOUSE_LIST_CREATED", {
            /// The list.
            movement_list_key: MovementListKey,
            /// Its movements, in the order of the rows.
            movement_keys: Vec<MovementKey>,
        }

        ListEnded for "WAREHOUSE_LIST_CLOSED", {
            /// How many movements were canceled.
            canceled: u64,
        }
    }
}
