//! What an order copies from its product's process.

use domain::production::OrderDoc;
use journal::effects::production::{PhaseCopy, Routing};
use serde_json::json;
use store::Tx;
use store::process::phases;
use store::product::products::Product;

use crate::Result;
use crate::areas::process::copied_steps;
use crate::areas::product::documents;
use crate::error::ApiError;

/// Reads the process of a locked product.
pub(super) async fn load(tx: &mut Tx, product: &Product) -> Result<Routing> {
    let found = phases::of_product(tx, product.id).await?;
    if found.is_empty() {
        return Ok(Routing { phases: Vec::new(), docs: Vec::new() });
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
    Ok(Routing { phases, docs: docs.into_iter().map(|(name, size)| OrderDoc { name, size }).collect() })
}
