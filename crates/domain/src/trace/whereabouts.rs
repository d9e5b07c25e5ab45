use crate::named;
use crate::warehouse::movement::MovementType;

named! {
    /// Where a unit is.
    #[schemars(rename = "RecallLocationStatus")]
    pub enum LocationStatus {
        /// A position of the own warehouse holds it.
        InStock = "in_stock",
        /// A position outside holds it, or it left by a shipment and has not come back.
        Shipped = "shipped",
        /// Scrapped.
        Scrapped = "scrapped",
        /// In production: not released yet.
        Wip = "wip",
        /// A batch, whose units nobody traces.
        Untracked = "untracked",
        /// Nobody has said.
        None = "none",
    }
}

/// What is known of where a serial is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Whereabouts {
    /// Whether a position holds it.
    pub held: bool,
    /// Whether that position is in the own warehouse.
    pub inside: bool,
    /// The type of the last movement that still counts.
    pub last: Option<MovementType>,
    pub scrapped: bool,
    pub released: bool,
}

impl Whereabouts {
    pub fn status(self) -> LocationStatus {
        match self {
            Self { held: true, inside: true, .. } => LocationStatus::InStock,
            Self { held: true, .. } | Self { last: Some(MovementType::Shipment), .. } => LocationStatus::Shipped,
            Self { scrapped: true, .. } => LocationStatus::Scrapped,
            Self { released: false, .. } => LocationStatus::Wip,
            _ => LocationStatus::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_is_known_counts() {
        let built = Whereabouts { released: true, ..Whereabouts::default() };
        let shipped = Whereabouts { last: Some(MovementType::Shipment), ..built };
        let cases = [
            (Whereabouts { held: true, inside: true, scrapped: true, ..shipped }, LocationStatus::InStock),
            (Whereabouts { held: true, ..built }, LocationStatus::Shipped),
            (shipped, LocationStatus::Shipped),
            (Whereabouts { scrapped: true, ..shipped }, LocationStatus::Shipped),
            (Whereabouts { scrapped: true, ..built }, LocationStatus::Scrapped),
            (Whereabouts { last: Some(MovementType::Consumption), ..Whereabouts::default() }, LocationStatus::Wip),
            (Whereabouts { last: Some(MovementType::Consumption), ..built }, LocationStatus::None),
        ];
        for (known, status) in cases {
            assert_eq!(known.status(), status, "{known:?}");
        }
    }
}
