//! How an order is made: the state of its jobs, what follows from it, and which events it allows. Everything is decided from
//! values alone; loading and storing them is done elsewhere.

mod copy;
mod figures;
mod job;
mod material;
mod order;
mod queue;
mod settle;
#[cfg(test)]
mod tests;
mod time;
mod wip;
mod work;
mod worth;

pub use copy::{FieldCopy, StepCopy, empty_fields};
pub use figures::{mean_seconds, pass_yield, rate, rolled_yield, seconds_per_unit};
pub use job::{Job, PhasePlan};
pub use material::{KeptLine, OrderLine, extra_weight, material_cost, unit_material_cost};
pub use order::{Order, OrderDoc, on_time};
pub use queue::{Misnamed, QueueKind, exchange_places, misnamed, reorder};
pub use settle::Consequence;
pub use time::{LONGEST_WORK, shares, units_time, work_cost};
pub use wip::{Free, Portion, take};
pub use work::Work;
/// Why a quantity of a product that is traced by unit is refused.
pub const MUST_BE_WHOLE: &str = "The product is traced by unit: the quantity must be a whole number.";

pub use worth::{BatchValue, Books, Costs, Output, divide_among_units};

use crate::named;

named! {
    /// How far an order or a job has come.
#[schemars(rename = "ProductionStage")]
    pub enum Stage {
        /// No work has started.
        Created = "created",
        Started = "started",
        Closed = "closed",
    }
}

named! {
    /// Why a job was closed.
#[schemars(rename = "JobCloseReason")]
    pub enum CloseReason {
        /// Everything that was planned is made or scrapped.
        Quantity = "quantity",
        /// Nothing more will come from the phases before.
        Supply = "supply",
        /// A supervisor or a planner closed it by hand.
        Manual = "manual",
    }
}

named! {
    /// How far a step of a batch has come.
    pub enum StepStatus {
        ToDo = "to_do",
        Done = "done",
        /// Done, and flagged for review.
        Critical = "critical",
    }
}
