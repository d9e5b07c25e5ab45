//! Chance that is the same every time.

/// SplitMix64 with a fixed seed.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new() -> Self {
        Self(0x5EED_0FA9_1A47)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.roll() % (high - low + 1)
    }

    /// A reading from `low` to `high`, in hundredths.
    pub(super) fn reading(&mut self, low: f64, high: f64) -> f64 {
        let hundredths = self.between((low * 100.0).round() as u64, (high * 100.0).round() as u64);
        hundredths as f64 / 100.0
    }

    pub(super) fn one_of<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        let last = choices.len().checked_sub(1)?;
        choices.get(self.between(0, last as u64) as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dice_fall_the_same_way_and_within_bounds() {
        let (mut one, mut other) = (Dice::new(), Dice::new());
        for _ in 0..1_000 {
            let reading = one.reading(4.5, 5.25);
            assert!((4.5..=5.25).contains(&reading), "{reading}");
            assert_eq!(reading, other.reading(4.5, 5.25));
        }
        assert_eq!(one.one_of::<u8>(&[]), None);
        assert_eq!(one.one_of(&[7]), Some(7));
    }
}
