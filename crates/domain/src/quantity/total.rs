use std::iter::Sum;
use std::ops::{Add, Sub};

use super::{LIMIT, ONE, Quantity};

/// A sum of quantities, exact however many they are. What is stored or shown of it is a [`Quantity`] again, if it fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Total(i128);

impl Total {
    pub const ZERO: Self = Self(0);

    pub const fn from_millionths(millionths: i128) -> Self {
        Self(millionths)
    }

    pub const fn millionths(self) -> i128 {
        self.0
    }

    /// The sum as a quantity; `None` if it is out of range.
    pub fn quantity(self) -> Option<Quantity> {
        let within = (-i128::from(LIMIT)..=i128::from(LIMIT)).contains(&self.0);
        within.then(|| i64::try_from(self.0).ok().map(Quantity)).flatten()
    }

    /// The sum, limited to the range of quantities: enough where it is only compared with quantities.
    pub fn capped(self) -> Quantity {
        self.quantity().unwrap_or(if self.0 < 0 { Quantity(-LIMIT) } else { Quantity::MAX })
    }

    /// How many whole units it takes: rounded up, and none if it is negative.
    pub fn units(self) -> u64 {
        let units = self.0.max(0).unsigned_abs().div_ceil(u128::from(ONE.unsigned_abs()));
        u64::try_from(units).unwrap_or(u64::MAX)
    }
}

impl From<Quantity> for Total {
    fn from(quantity: Quantity) -> Self {
        Self(i128::from(quantity.0))
    }
}

impl Add for Total {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Total {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Sum for Total {
    fn sum<I: Iterator<Item = Self>>(totals: I) -> Self {
        totals.fold(Self::ZERO, Self::add)
    }
}

impl Sum<Quantity> for Total {
    fn sum<I: Iterator<Item = Quantity>>(quantities: I) -> Self {
        quantities.map(Self::from).sum()
    }
}
