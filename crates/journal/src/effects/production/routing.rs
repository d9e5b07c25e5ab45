//! What an order copies from its product's process.

use std::collections::BTreeSet;

use domain::json::Opaque;
use domain::key::{MediaKey, PhaseKey, WorkOrderKey};
use domain::production::{KeptLine, OrderDoc, StepCopy, empty_fields, unit_material_cost};
use serde_json::{Value, json};
use store::process::phases::Phase;
use store::production::order_phases::OrderPhase;

/// The phases of a process and the documents of its product.
pub struct Routing {
    /// In sequence.
    pub phases: Vec<PhaseCopy>,
    pub docs: Vec<OrderDoc>,
}

/// A phase with its steps.
pub struct PhaseCopy {
    pub phase: Phase,
    pub steps: Vec<StepCopy>,
    /// The complete steps, as readers see them.
    pub shown: Value,
}

impl Routing {
    pub fn aliases(&self) -> Vec<(PhaseKey, String)> {
        self.phases.iter().map(|copy| (copy.phase.key, copy.phase.alias.clone())).collect()
    }

    /// The fields of all forms, without values.
    pub(crate) fn serial_fields(&self) -> Opaque {
        let fields = self.phases.iter().flat_map(|copy| empty_fields(copy.phase.key, &copy.steps));
        Opaque::from(&fields.map(|field| json!(field)).collect())
    }

    /// The documents as the order keeps them.
    pub(crate) fn docs(&self) -> Opaque {
        Opaque::from(&json!(self.docs))
    }

    /// The media of all steps, each once.
    pub(crate) fn media(&self) -> BTreeSet<MediaKey> {
        let steps = self.phases.iter().flat_map(|copy| &copy.steps);
        steps.flat_map(|step| &step.media).map(|media| media.key).collect()
    }

    /// The phases as the order stores them.
    pub(crate) fn of_order(&self, order: WorkOrderKey, lines: &[KeptLine]) -> Vec<OrderPhase> {
        let phases = self.phases.iter().enumerate().map(|(place, copy)| OrderPhase {
            work_order_key: order,
            phase_key: copy.phase.key,
            place: place as i64,
            alias: copy.phase.alias.clone(),
            operation_key: copy.phase.operation_key.clone(),
            params: copy.phase.params.clone(),
            steps: copy.shown.clone(),
            step_count: copy.steps.len() as i64,
            unit_material_cost: unit_material_cost(lines, copy.phase.key),
        });
        phases.collect()
    }
}
