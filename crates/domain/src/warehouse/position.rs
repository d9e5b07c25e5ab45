use serde_json::{Map, Value};

use crate::key::PositionKey;

/// The own warehouse.
pub const INSIDE: &str = "IN";
/// The outside world: customers and suppliers.
pub const OUTSIDE: &str = "OUT";
/// Where production comes from and consumption goes to; no position is in it.
pub const NOWHERE: &str = "NULL";
/// Positions that every site has. They are in no other, and stay.
pub const RESERVED: [&str; 3] = [INSIDE, OUTSIDE, NOWHERE];

pub fn is_reserved(key: &PositionKey) -> bool {
    RESERVED.contains(&key.as_str())
}

/// The fields of a position that people write.
#[derive(Debug, Clone, PartialEq)]
pub struct PositionData {
    pub code: String,
    /// False: a place of a customer or a supplier.
    pub owned: bool,
    /// False: no movements but adjustments and reversals.
    pub available: bool,
    /// False: a carrier that may itself be moved.
    pub fixed: bool,
    /// A mark for people.
    pub disposable: bool,
    /// None: as the nearest position that contains it and says so.
    pub allow_consumption: Option<bool>,
    pub extra: Map<String, Value>,
}

impl PositionData {
    /// A position with nothing but a code.
    pub fn new(code: String) -> Self {
        Self {
            code,
            owned: true,
            available: true,
            fixed: true,
            disposable: false,
            allow_consumption: None,
            extra: Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_keys_are_told_from_others() {
        for key in RESERVED {
            assert!(is_reserved(&PositionKey::trusted(key)));
        }
        for key in ["in", "IN1", "A"] {
            assert!(!is_reserved(&PositionKey::trusted(key)), "{key}");
        }
    }
}
