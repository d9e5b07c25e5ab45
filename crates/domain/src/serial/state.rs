use crate::{Timestamp, named};

named! {
    /// What a serial is at the moment: the first of these that holds.
    pub enum SerialState {
        /// Deleted, and still readable by its key.
        Deleted = "deleted",
        /// Scrapped, and kept.
        Scrapped = "scrapped",
        /// Built into another unit.
        Used = "used",
        /// A position holds it.
        InStock = "in_stock",
        /// Finished, and neither built in nor in stock.
        Released = "released",
        /// In production, with a code.
        Wip = "wip",
        /// In production, without a code.
        Uncoded = "uncoded",
    }
}

/// What other records say of a serial.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// An active link leads to it.
    pub used: bool,
    /// A position holds it.
    pub in_stock: bool,
}

impl Standing {
    /// In stock, and not built in.
    pub fn available(self) -> bool {
        self.in_stock && !self.used
    }
}

impl SerialState {
    pub fn of(
        deleted: Option<Timestamp>,
        scrapped: Option<Timestamp>,
        released: Option<Timestamp>,
        coded: bool,
        standing: Standing,
    ) -> Self {
        if deleted.is_some() {
            SerialState::Deleted
        } else if scrapped.is_some() {
            SerialState::Scrapped
        } else if standing.used {
            SerialState::Used
        } else if standing.available() {
            SerialState::InStock
        } else if released.is_some() {
            SerialState::Released
        } else if coded {
            SerialState::Wip
        } else {
            SerialState::Uncoded
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_holds() {
        let time = Some(Timestamp::from_millis(1));
        let (none, used) = (Standing::default(), Standing { used: true, in_stock: false });
        let stock = Standing { used: false, in_stock: true };
        let of = SerialState::of;
        assert_eq!(of(time, time, time, true, used), SerialState::Deleted);
        assert_eq!(of(None, time, time, true, used), SerialState::Scrapped);
        assert_eq!(of(None, None, time, true, used), SerialState::Used);
        assert_eq!(of(None, None, None, false, Standing { used: true, in_stock: true }), SerialState::Used);
        assert_eq!(of(None, None, None, true, stock), SerialState::InStock);
        assert_eq!(of(None, None, time, false, none), SerialState::Released);
        assert_eq!(of(None, None, None, true, none), SerialState::Wip);
        assert_eq!(of(None, None, None, false, none), SerialState::Uncoded);
    }
}
