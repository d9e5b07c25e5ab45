//! How a product is made: the parameters of a phase, and the kinds of its steps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::production::units_time;
use crate::{Quantity, named};

named! {
    /// What a step asks of the operator.
    pub enum StepKind {
        /// Something to read.
        Instruction = "instruction",
        /// Fields to fill in.
        Form = "form",
    }
}

/// How the work of a phase is organised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseParameters {
    /// Several jobs of this phase may be active at a time.
    pub parallel_job_allowed: bool,
    /// Every step is confirmed before a batch closes.
    pub step_check: bool,
    /// Steps are confirmed in their order.
    pub step_check_force_order: bool,
    /// Batch size; 0: all that remains.
    pub production_batch_qt: Quantity,
    /// The next batch opens by itself.
    pub auto_new_batch: bool,
    /// Seconds without heartbeat until an operator counts as offline; 0: never.
    pub max_offline: Quantity,
    /// Seconds per unit.
    pub std_processing_time: Quantity,
    /// The operator may have other active jobs.
    pub unsupervised_work_allowed: bool,
    /// Whether the screen shows how long the work takes.
    pub display_job_timer: bool,
}

impl Default for PhaseParameters {
    fn default() -> Self {
        Self {
            parallel_job_allowed: true,
            step_check: false,
            step_check_force_order: false,
            production_batch_qt: Quantity::ONE,
            auto_new_batch: true,
            max_offline: Quantity::from_millionths(300_000_000),
            std_processing_time: Quantity::from_millionths(60_000_000),
            unsupervised_work_allowed: false,
            display_job_timer: false,
        }
    }
}

/// The parameters that somebody has chosen. A member left out, or null, comes from the configuration entry
/// `default_operation_parameters`, otherwise from the service's defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PhaseParametersInput")]
pub struct ChosenParameters {
    /// Several jobs of this phase may be active at a time.
    pub parallel_job_allowed: Option<bool>,
    /// Every step is confirmed before a batch closes.
    pub step_check: Option<bool>,
    /// Steps are confirmed in their order.
    pub step_check_force_order: Option<bool>,
    /// Batch size; 0: all that remains.
    #[schemars(range(min = 0))]
    pub production_batch_qt: Option<Quantity>,
    /// The next batch opens by itself.
    pub auto_new_batch: Option<bool>,
    /// Seconds without heartbeat until an operator counts as offline; 0: never.
    #[schemars(range(min = 0))]
    pub max_offline: Option<Quantity>,
    /// Seconds per unit.
    #[schemars(range(min = 0))]
    pub std_processing_time: Option<Quantity>,
    /// The operator may have other active jobs.
    pub unsupervised_work_allowed: Option<bool>,
    /// Whether the screen shows how long the work takes.
    pub display_job_timer: Option<bool>,
}

impl ChosenParameters {
    /// All parameters, with the site's defaults for those that were not chosen.
    pub fn complete(&self, site: &PhaseParameters) -> PhaseParameters {
        PhaseParameters {
            parallel_job_allowed: self.parallel_job_allowed.unwrap_or(site.parallel_job_allowed),
            step_check: self.step_check.unwrap_or(site.step_check),
            step_check_force_order: self.step_check_force_order.unwrap_or(site.step_check_force_order),
            production_batch_qt: self.production_batch_qt.unwrap_or(site.production_batch_qt),
            auto_new_batch: self.auto_new_batch.unwrap_or(site.auto_new_batch),
            max_offline: self.max_offline.unwrap_or(site.max_offline),
            std_processing_time: self.std_processing_time.unwrap_or(site.std_processing_time),
            unsupervised_work_allowed: self.unsupervised_work_allowed.unwrap_or(site.unsupervised_work_allowed),
            display_job_timer: self.display_job_timer.unwrap_or(site.display_job_timer),
        }
    }
}

impl PhaseParameters {
    /// The site's configuration entry, with the service's defaults for the rest.
    pub fn of_site(entry: Option<Value>) -> Self {
        let configured = entry.and_then(|entry| serde_json::from_value::<ChosenParameters>(entry).ok());
        configured.unwrap_or_default().complete(&Self::default())
    }

    /// For how many milliseconds an operator may be silent before counting as offline; `None` if that never happens.
    pub fn may_be_silent_for(&self) -> Option<i64> {
        // If the seconds are too many, that moment never comes.
        let millis = units_time(self.max_offline, Quantity::ONE).unwrap_or(i64::MAX);
        (self.max_offline > Quantity::ZERO).then_some(millis)
    }

    /// The parameters of a phase with this many steps: without steps there is nothing to confirm.
    #[must_use]
    pub fn with_steps(mut self, steps: usize) -> Self {
        self.step_check &= steps > 0;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, json};

    /// Any selection of members with any valid values.
    fn some_members() -> impl Strategy<Value = Map<String, Value>> {
        let names: Vec<String> = json!(PhaseParameters::default()).as_object().unwrap().keys().cloned().collect();
        proptest::sample::subsequence(names, 0..=9).prop_flat_map(|names| {
            let flags = prop::collection::vec(any::<bool>(), names.len());
            let numbers = prop::collection::vec(0..1_000_000_000_000i64, names.len());
            (Just(names), flags, numbers).prop_map(|(names, flags, numbers)| {
                let value = |name: &str, at: usize| match json!(PhaseParameters::default())[name] {
                    Value::Bool(_) => json!(flags[at]),
                    _ => json!(Quantity::from_millionths(numbers[at])),
                };
                names.iter().enumerate().map(|(at, name)| (name.clone(), value(name, at))).collect()
            })
        })
    }

    proptest! {
        #[test]
        fn a_member_is_sent_or_configured_or_built_in(sent in some_members(), configured in some_members()) {
            let chosen: ChosenParameters = serde_json::from_value(json!(sent)).unwrap();
            let all = json!(chosen.complete(&PhaseParameters::of_site(Some(json!(configured)))));
            let built_in = json!(PhaseParameters::default());
            for (name, value) in all.as_object().unwrap() {
                prop_assert_eq!(value, sent.get(name).or(configured.get(name)).unwrap_or(&built_in[name]), "{}", name);
            }
        }
    }

    #[test]
    fn the_entry_of_a_new_site_is_what_the_service_would_choose() {
        let seeds = crate::config::seeds();
        let entry = seeds.into_iter().find(|(key, _)| *key == crate::config::OPERATION_PARAMETERS).unwrap().1;
        assert_eq!(PhaseParameters::of_site(Some(entry)), PhaseParameters::default());
        assert_eq!(PhaseParameters::of_site(None), PhaseParameters::default());
    }

    #[test]
    fn silence_is_allowed_for_some_seconds_or_for_ever() {
        let after = |seconds: &str| {
            let parameters = PhaseParameters { max_offline: seconds.parse().unwrap(), ..PhaseParameters::default() };
            parameters.may_be_silent_for()
        };
        assert_eq!(after("300"), Some(300_000));
        assert_eq!(after("0.5"), Some(500));
        assert_eq!(after("0"), None);
        assert!(after("1000000000000").is_some_and(|millis| millis > 301_000), "no end of time is too far away");
    }

    #[test]
    fn without_steps_nothing_is_checked() {
        let checked = PhaseParameters { step_check: true, ..PhaseParameters::default() };
        assert!(checked.clone().with_steps(1).step_check);
        assert!(!checked.with_steps(0).step_check);
    }
}
