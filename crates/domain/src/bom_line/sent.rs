//! Lines as they are sent, and all their faults.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::{BomLine, ConsumptionOptions, Line};
use crate::Quantity;
use crate::fault::Faults;
use crate::key::{BomLineKey, PhaseKey, PositionKey, ProductId, ProductKey};
use crate::product::TraceabilityLevel;

/// A line as it was sent.
#[derive(Debug, Clone)]
pub struct SentLine {
    pub component_key: Option<ProductKey>,
    /// Instead of the key; if both are sent, they must name the same product.
    pub component_code: Option<String>,
    pub qt: Quantity,
    /// The last phase when left out.
    pub phase_key: Option<PhaseKey>,
    pub consumption_options: Option<ConsumptionOptions>,
    pub extra: Value,
}

/// What a line takes over from its component.
#[derive(Debug, Clone)]
pub struct Component {
    pub id: ProductId,
    pub key: ProductKey,
    pub code: String,
    pub description: Option<String>,
    pub trash: bool,
    pub traceability_level: Option<TraceabilityLevel>,
    pub manage_inventory: bool,
    pub cost_average: Option<Quantity>,
}

/// The existing records that lines may name.
#[derive(Debug, Default)]
pub struct KnownComponents {
    /// Including those in the trash.
    pub by_key: HashMap<ProductKey, Component>,
    /// Only those not in the trash.
    pub by_code: HashMap<String, Component>,
    /// Codes that only products in the trash have.
    pub trashed_codes: HashSet<String>,
    pub positions: HashSet<PositionKey>,
}

impl KnownComponents {
    /// Resolves the lines, in the order sent and without keys of their own; adds all faults of all lines. `phases` are those
    /// that lines may belong to, in order.
    pub fn read(&self, sent: &[SentLine], phases: &[(PhaseKey, String)], faults: &mut Faults) -> Vec<Line> {
        let mut lines = Vec::with_capacity(sent.len());
        for (index, line) in sent.iter().enumerate() {
            faults.within(index, |faults| {
                if line.qt <= Quantity::ZERO {
                    refuse::<()>("qt", "greater_than", "Must be more than 0.", &json!(line.qt), faults);
                }
                self.check_options(line.consumption_options.as_ref(), faults);
                let phase = match line.phase_key {
                    None => phases.last(),
                    Some(key) => phases.iter().find(|(known, _)| *known == key),
                };
                if phase.is_none() {
                    let why = "Is not a phase of the product's process.";
                    refuse::<()>("phase_key", "phase_not_of_product", why, &json!(line.phase_key), faults);
                }
                if let (Some(component), Some(phase)) = (self.component(line, faults), phase) {
                    lines.push(read(index, line, component, phase));
                }
            });
        }
        lines
    }

    /// The component of a line; adds its fault.
    fn component(&self, line: &SentLine, faults: &mut Faults) -> Option<&Component> {
        match (&line.component_key, &line.component_code) {
            (None, None) => {
                let why = "A line names its component by component_key or component_code.";
                refuse("component_key", "component_missing", why, &Value::Null, faults)
            }
            (Some(key), None) => self.by_key(key, faults),
            (None, Some(code)) => self.by_code(code, faults),
            (Some(key), Some(code)) => {
                let found = (self.by_key(key, faults), self.by_code(code, faults));
                let (one, other) = (found.0?, found.1?);
                if one.id == other.id {
                    return Some(one);
                }
                let why = "component_key and component_code are different products.";
                refuse("component_code", "component_ambiguous", why, &json!(code), faults)
            }
        }
    }

    fn by_key(&self, key: &ProductKey, faults: &mut Faults) -> Option<&Component> {
        match self.by_key.get(key) {
            Some(component) if !component.trash => Some(component),
            Some(_) => refuse("component_key", "component_trashed", "Is in the trash.", &json!(key), faults),
            None => refuse("component_key", "component_not_found", "There is no such product.", &json!(key), faults),
        }
    }

    fn by_code(&self, code: &str, faults: &mut Faults) -> Option<&Component> {
        match self.by_code.get(code) {
            Some(component) => Some(component),
            None if self.trashed_codes.contains(code) => {
                refuse("component_code", "component_trashed", "Is in the trash.", &json!(code), faults)
            }
            None => refuse("component_code", "component_not_found", "There is no such product.", &json!(code), faults),
        }
    }

    fn check_options(&self, options: Option<&ConsumptionOptions>, faults: &mut Faults) {
        let Some(options) = options else { return };
        let fault = match &options.consumption_position_key {
            Some(key) if !self.positions.contains(key) => Some(("position_not_found", "There is no such position.")),
            None if options.consumption_position_mandatory => {
                Some(("missing", "A mandatory position has to be named."))
            }
            _ => None,
        };
        if let Some((kind, why)) = fault {
            let sent = json!(options.consumption_position_key);
            faults.within("consumption_options", |faults| {
                refuse::<()>("consumption_position_key", kind, why, &sent, faults);
            });
        }
    }
}

fn read(index: usize, line: &SentLine, component: &Component, phase: &(PhaseKey, String)) -> Line {
    Line {
        component_id: component.id,
        cost_average: component.cost_average,
        line: BomLine {
            bom_line_key: BomLineKey(0),
            line_no: index as i64,
            component_key: component.key.clone(),
            component_code: component.code.clone(),
            component_description: component.description.clone(),
            qt: line.qt,
            phase_key: phase.0,
            phase_name: phase.1.clone(),
            traceability_level: component.traceability_level,
            manage_inventory: component.manage_inventory,
            consumption_options: line.consumption_options.clone().unwrap_or_default(),
            extra: line.extra.clone(),
        },
    }
}

fn refuse<T>(member: &str, kind: &'static str, why: &str, input: &Value, faults: &mut Faults) -> Option<T> {
    faults.within(member, |faults| faults.add(kind, why, input));
    None
}
