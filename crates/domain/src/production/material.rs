//! The lines that an order uses, and what they cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bom_line::{ConsumptionOptions, Line};
use crate::key::{PhaseKey, ProductKey};
use crate::product::TraceabilityLevel;
use crate::{Quantity, json};

/// A line of an order's bill of materials, with codes and names as they were when the order got it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WOBomLine")]
pub struct OrderLine {
    /// The product that is used.
    pub component_key: ProductKey,
    /// The code of the component.
    pub component_code: String,
    /// The description of the component.
    pub component_description: Option<String>,
    /// Per unit of the product.
    pub qt: Quantity,
    /// The phase that uses it.
    pub phase_key: PhaseKey,
    /// The alias of the phase.
    pub phase_name: String,
    /// How the component is traced; null if it is not.
    pub traceability_level: Option<TraceabilityLevel>,
    /// Whether stock of the component is kept.
    pub manage_inventory: bool,
    /// Where the component is taken from.
    pub consumption_options: ConsumptionOptions,
    /// Additional data, as it was sent.
    pub extra: Value,
}

/// A line as it is stored: with what a unit of the component cost at that time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptLine {
    #[serde(flatten)]
    pub line: OrderLine,
    /// `None` if it was unknown.
    pub cost_average: Option<Quantity>,
}

/// How much memory the `extra` of all these lines takes.
pub fn extra_weight(lines: &[KeptLine]) -> usize {
    lines.iter().map(|kept| json::weight(&kept.line.extra)).sum()
}

impl From<Line> for KeptLine {
    fn from(Line { line, cost_average, .. }: Line) -> Self {
        let line = OrderLine {
            component_key: line.component_key,
            component_code: line.component_code,
            component_description: line.component_description,
            qt: line.qt,
            phase_key: line.phase_key,
            phase_name: line.phase_name,
            traceability_level: line.traceability_level,
            manage_inventory: line.manage_inventory,
            consumption_options: line.consumption_options,
            extra: line.extra,
        };
        Self { line, cost_average }
    }
}

/// One whole in millionths.
const ONE: i128 = 1_000_000;

/// What the material of one unit costs in a phase; zero if it needs none. `None` if the cost of a component is unknown, or
/// if the sum can't be represented.
pub fn unit_material_cost(lines: &[KeptLine], phase: PhaseKey) -> Option<Quantity> {
    let of_phase = lines.iter().filter(|kept| kept.line.phase_key == phase);
    Quantity::rounded(exact_cost(of_phase)?, ONE)
}

/// What the material of this many units costs over all phases, rounded once. `None` like [`unit_material_cost`].
pub fn material_cost(lines: &[KeptLine], quantity: Quantity) -> Option<Quantity> {
    let cost = exact_cost(lines.iter())?;
    // Millionths of millionths times millionths would not fit: the last six digits are calculated separately.
    let (whole, rest) = (cost.unsigned_abs() / ONE.unsigned_abs(), cost.unsigned_abs() % ONE.unsigned_abs());
    let quantity = u128::from(quantity.millionths().unsigned_abs());
    let sum = whole.checked_mul(quantity)?.checked_add(rest * quantity / ONE.unsigned_abs())?;
    let sum = i128::try_from(sum).ok()?;
    Quantity::rounded(if cost < 0 { -sum } else { sum }, ONE)
}

/// The cost of one unit in millionths of millionths.
fn exact_cost<'a>(mut lines: impl Iterator<Item = &'a KeptLine>) -> Option<i128> {
    lines.try_fold(0_i128, |sum, kept| {
        let unit = i128::from(kept.cost_average?.millionths());
        sum.checked_add(unit * i128::from(kept.line.qt.millionths()))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn line(phase: i64, qt: i64, cost: Option<i64>) -> KeptLine {
        KeptLine {
            line: OrderLine {
                component_key: ProductKey::trusted("c"),
                component_code: "C".to_owned(),
                component_description: None,
                qt: Quantity::from_millionths(qt),
                phase_key: PhaseKey(phase),
                phase_name: "P".to_owned(),
                traceability_level: None,
                manage_inventory: true,
                consumption_options: ConsumptionOptions::default(),
                extra: json!({ "n": [1.50, 3] }),
            },
            cost_average: cost.map(Quantity::from_millionths),
        }
    }

    fn some_lines() -> impl Strategy<Value = Vec<KeptLine>> {
        let line = (0..3_i64, 1..2_000_000_000_i64, -2_000_000_000..2_000_000_000_i64);
        prop::collection::vec(line.prop_map(|(phase, qt, cost)| super::tests::line(phase, qt, Some(cost))), 0..8)
    }

    #[test]
    fn nothing_costs_nothing_and_the_unknown_is_unknown() {
        let lines = [line(1, 2_500_000, Some(4_000_000)), line(2, 1_000_000, None)];
        assert_eq!(unit_material_cost(&lines, PhaseKey(1)), Some(Quantity::from_millionths(10_000_000)));
        assert_eq!(unit_material_cost(&lines, PhaseKey(2)), None);
        assert_eq!(unit_material_cost(&lines, PhaseKey(3)), Some(Quantity::ZERO));
        assert_eq!(material_cost(&lines, Quantity::ONE), None);
        assert_eq!(material_cost(&lines[..1], Quantity::from_millionths(4_000_000)).unwrap().to_string(), "40");
        assert_eq!(material_cost(&[], Quantity::MAX), Some(Quantity::ZERO));
    }

    #[test]
    fn what_can_not_be_said_is_not_said() {
        let dear = line(1, Quantity::MAX.millionths(), Some(Quantity::MAX.millionths()));
        assert_eq!(unit_material_cost(std::slice::from_ref(&dear), PhaseKey(1)), None);
        assert_eq!(material_cost(&vec![dear; 500], Quantity::MAX), None);
    }

    #[test]
    fn a_kept_line_is_read_as_it_was_written() {
        let kept = line(7, 333_333, Some(-1));
        let text = serde_json::to_string(&kept).unwrap();
        assert_eq!(serde_json::from_str::<KeptLine>(&text).unwrap(), kept);
        let shown: OrderLine = serde_json::from_str(&text).unwrap();
        assert_eq!(shown, kept.line, "its cost is for the service alone");
    }

    proptest! {
        #[test]
        fn the_whole_is_the_sum_of_its_lines_rounded_once(lines in some_lines(), quantity in 1..1_000_000_000_i64) {
            let exact: i128 = lines
                .iter()
                .map(|kept| i128::from(kept.line.qt.millionths()) * i128::from(kept.cost_average.unwrap().millionths()))
                .map(|cost| cost * i128::from(quantity))
                .sum();
            let expected = Quantity::rounded(exact, 1_000_000_000_000);
            prop_assert_eq!(material_cost(&lines, Quantity::from_millionths(quantity)), expected);
        }

        #[test]
        fn phases_add_up_to_the_unit(lines in some_lines()) {
            let phases: i64 =
                (0..3).map(|phase| unit_material_cost(&lines, PhaseKey(phase)).unwrap().millionths()).sum();
            let unit = material_cost(&lines, Quantity::ONE).unwrap().millionths();
            prop_assert!((phases - unit).abs() <= 2, "each phase is rounded by itself: {} and {}", phases, unit);
        }
    }
}
