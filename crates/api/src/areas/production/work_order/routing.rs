//! What an order copies of its product's process.

use std::collections::BTreeSet;

use domain::key::{MediaKey, PhaseKey, WorkOrderKey};
use domain::production::{KeptLine, OrderDoc, StepCopy, empty_fields, unit_material_cost};
use serde_json::{Value, json};
use store::Tx;
use store::process::phases::{self, Phase};
use store::product::products::Product;
use store::production::order_phases::OrderPhase;

use crate::Result;
use crate::areas::process::copied_steps;
use crate::areas::product::documents;
use crate::error::ApiError;

pub(super) struct Routing {
    /// In order.
    pub(super) phases: Vec<PhaseCopy>,
    pub(super) docs: Vec<OrderDoc>,
}

pub(super) struct PhaseCopy {
    pub(super) phase: Phase,
    pub(super) steps: Vec<StepCopy>,
    /// The same in full, as readers see them.
    shown: Value,
}

impl Routing {
    /// The product is locked.
    pub(super) async fn load(tx: &mut Tx, product: &Product) -> Result<Self> {
        let found = phases::of_product(tx, product.id).await?;
        if found.is_empty() {
            return Ok(Self { phases: Vec::new(), docs: Vec::new() });
        }
        let mut steps = copied_steps(tx, &found).await?;
        let mut phases = Vec::with_capacity(found.len());
        for phase in found {
            let shown = json!(steps.remove(&phase.key).unwrap_or_default());
            let steps = serde_json::from_value(shown.clone())
                .map_err(|error| ApiError::internal(&format!("steps can't be copied: {error}"), None))?;
            phases.push(PhaseCopy { phase, steps, shown });
        }
        let docs = documents(tx, &product.key).await?;
        Ok(Self { phases, docs: docs.into_iter().map(|(name, size)| OrderDoc { name, size }).collect() })
    }

    pub(super) fn aliases(&self) -> Vec<(PhaseKey, String)> {
        self.phases.iter().map(|copy| (copy.phase.key, copy.phase.alias.clone())).collect()
    }

    /// The fields of all forms, without values.
    pub(super) fn serial_fields(&self) -> Value {
        let fields = self.phases.iter().flat_map(|copy| empty_fields(copy.phase.key, &copy.steps));
        fields.map(|field| json!(field)).collect()
    }

    /// Each once.
    pub(super) fn media(&self) -> BTreeSet<MediaKey> {
        let steps = self.phases.iter().flat_map(|copy| &copy.steps);
        steps.flat_map(|step| &step.media).map(|media| media.key).collect()
    }

    /// As the order keeps it.
    pub(super) fn of_order(&self, order: WorkOrderKey, lines: &[KeptLine]) -> Vec<OrderPhase> {
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
