//! Which of the output between two phases is taken.

use crate::Quantity;
use crate::key::WipKey;

/// Output of one batch, with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Free {
    pub key: WipKey,
    pub quantity: Quantity,
    pub value: Option<Quantity>,
}

/// How much of it is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portion {
    pub key: WipKey,
    pub quantity: Quantity,
    pub value: Option<Quantity>,
    /// What stays behind; `None` if all of it is taken.
    pub rest: Option<(Quantity, Option<Quantity>)>,
}

/// Takes a quantity out of rows in the given order; the last one is split. `None` if there is not enough.
pub fn take(rows: &[Free], quantity: Quantity) -> Option<Vec<Portion>> {
    let (mut left, mut portions) = (quantity, Vec::new());
    for row in rows {
        if left == Quantity::ZERO {
            break;
        }
        let taken = row.quantity.min(left);
        left = left - taken;
        let value = row.value.and_then(|value| value.share(taken, row.quantity));
        let rest =
            (taken < row.quantity).then(|| (row.quantity - taken, row.value.zip(value).map(|(all, part)| all - part)));
        portions.push(Portion { key: row.key, quantity: taken, value, rest });
    }
    (left == Quantity::ZERO).then_some(portions)
}
