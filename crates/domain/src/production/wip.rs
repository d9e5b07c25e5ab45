//! Which of the output that lies between two phases is taken.

use crate::Quantity;
use crate::key::WipKey;

/// Some output of one batch, with what it is worth.
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
    /// What stays behind; none when all of it goes.
    pub rest: Option<(Quantity, Option<Quantity>)>,
}

/// Takes a quantity out of rows in the order given; the last one is split. None when there is not so much.
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
