//! Where the serials of a step lie, and what becomes of them.

use std::collections::HashMap;

use domain::Quantity;
use domain::key::SerialKey;
use domain::warehouse::movement::opposite;
use store::counting::serials::CountSerial;
use store::warehouse::stock::Pair;

/// Serials that are locked.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Where they lie, with what was planned so far.
    lying: HashMap<SerialKey, Pair>,
    /// How many completed movements they have, without the corrections of the session.
    moves: HashMap<SerialKey, i64>,
}

impl Places {
    pub(super) fn new(lying: HashMap<SerialKey, Pair>, moves: HashMap<SerialKey, i64>) -> Self {
        Self { lying, moves }
    }

    /// Whether it has moved since it was counted: then it stays where that has put it.
    fn has_moved(&self, serial: &CountSerial) -> bool {
        let moves = self.moves.get(&serial.serial_key).copied().unwrap_or_default();
        moves > serial.moves.unwrap_or_default()
    }

    /// What has to be done so that a serial lies where it was counted, and does not lie where it was missed; it is planned with this.
    pub(super) fn plan(&mut self, serial: &CountSerial, here: &Pair) -> Vec<(Pair, Quantity)> {
        if self.has_moved(serial) {
            return Vec::new();
        }
        let gone = opposite(Quantity::ONE);
        let there = self.lying.get(&serial.serial_key).cloned();
        match (serial.counted, there) {
            (false, Some(there)) if there == *here => {
                self.lying.remove(&serial.serial_key);
                vec![(there, gone)]
            }
            (true, None) => {
                self.lying.insert(serial.serial_key, here.clone());
                vec![(here.clone(), Quantity::ONE)]
            }
            (true, Some(there)) if there != *here => {
                self.lying.insert(serial.serial_key, here.clone());
                vec![(there, gone), (here.clone(), Quantity::ONE)]
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::key::{CountRecordKey, PositionKey, ProductId};

    use super::*;

    fn pair(position: &str) -> Pair {
        Pair { product_id: ProductId(1), position_key: PositionKey::trusted(position) }
    }

    fn serial(counted: bool, moves: i64) -> CountSerial {
        CountSerial {
            record_key: CountRecordKey(1),
            serial_key: SerialKey(7),
            in_system: !counted,
            counted,
            moves: Some(moves),
        }
    }

    fn places(at: Option<&str>, moves: i64) -> Places {
        let lying = at.map(|position| (SerialKey(7), pair(position))).into_iter().collect();
        Places::new(lying, HashMap::from([(SerialKey(7), moves)]))
    }

    /// Where it is taken and put.
    fn plan(places: &mut Places, serial: &CountSerial, here: &str) -> Vec<(String, bool)> {
        let planned = places.plan(serial, &pair(here));
        planned.into_iter().map(|(at, much)| (at.position_key.to_string(), !much.is_negative())).collect()
    }

    fn steps(steps: &[(&str, bool)]) -> Vec<(String, bool)> {
        steps.iter().map(|(place, comes)| ((*place).to_owned(), *comes)).collect()
    }

    #[test]
    fn what_is_missing_leaves_if_it_is_still_there() {
        let missing = serial(false, 2);
        assert_eq!(plan(&mut places(Some("A"), 2), &missing, "A"), steps(&[("A", false)]));
        for elsewhere in [Some("B"), None] {
            assert_eq!(plan(&mut places(elsewhere, 2), &missing, "A"), steps(&[]));
        }
    }

    #[test]
    fn what_was_found_comes_from_wherever_it_lies() {
        let found = serial(true, 2);
        assert_eq!(plan(&mut places(None, 2), &found, "A"), steps(&[("A", true)]));
        assert_eq!(plan(&mut places(Some("B"), 2), &found, "A"), steps(&[("B", false), ("A", true)]));
        assert_eq!(plan(&mut places(Some("A"), 2), &found, "A"), steps(&[]));
    }

    #[test]
    fn what_has_moved_since_stays() {
        assert_eq!(plan(&mut places(Some("A"), 3), &serial(false, 2), "A"), steps(&[]));
        assert_eq!(plan(&mut places(Some("B"), 3), &serial(true, 2), "A"), steps(&[]));
    }

    #[test]
    fn two_records_of_one_serial_agree_in_either_order() {
        let (missing, found) = (serial(false, 0), serial(true, 0));
        let mut first_missing = places(Some("A"), 0);
        assert_eq!(plan(&mut first_missing, &missing, "A"), steps(&[("A", false)]));
        assert_eq!(plan(&mut first_missing, &found, "B"), steps(&[("B", true)]));
        let mut first_found = places(Some("A"), 0);
        assert_eq!(plan(&mut first_found, &found, "B"), steps(&[("A", false), ("B", true)]));
        assert_eq!(plan(&mut first_found, &missing, "A"), steps(&[]));
    }
}
