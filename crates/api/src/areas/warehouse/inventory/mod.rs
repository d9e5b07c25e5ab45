//! Stock: what lies where, and whether that is what the movements say.

mod read;
mod verify;
mod wire;

use super::TAG;
use crate::operation::{Operation, get};
use crate::scope;

pub(super) fn operations() -> Vec<Operation> {
    let read = scope!("inventory:inventory:read");
    vec![
        get("list_inventory", "/inventory", TAG, "List stock", read::list)
            .scope(read)
            .describe(
                "Lists what lies at a position and at any depth below it, without `root_position_key` in the own warehouse \
                 (`IN`): one row for each serial, and one for the quantity of a product without serials at a position. All \
                 filters combine, and apply before sums are formed. With `group_by`, one row for each product \
                 (`ProductStock`) or position (`PositionStock`) instead of `StockRow`; with `below_minimum` as well, the \
                 products of which there is less than their `minimum_stock_qt`, also those of which there is nothing. Rows are \
                 sorted by the codes of product, position and serial. `Accept: text/csv` returns the same rows as a table.",
            )
            .sends(&["Content-Disposition"])
            .error(422, "`below_minimum` needs `group_by=product`."),
        get("verify_inventory", "/inventory/verify", TAG, "Verify stock", verify::verify)
            .scope(read)
            .describe(
                "Computes stock anew from all completed movements, compares it with the rows of stock, and checks these. It \
                 sees one moment of both, also while stock is being moved. `ok` is always true unless somebody has changed \
                 the database by other means.",
            ),
    ]
}
