//! What happens to orders, jobs and batches.

pub(crate) mod answer;
pub(crate) mod batch;
pub(crate) mod bench;
pub(crate) mod completion;
pub(crate) mod creation;
pub(crate) mod draft;
pub(crate) mod floor;
pub(crate) mod job;
pub(crate) mod opening;
pub(crate) mod order;
pub(crate) mod plan;
pub(crate) mod queue;
pub(crate) mod result;
pub(crate) mod rights;
pub(crate) mod routing;
pub(crate) mod session;
pub(crate) mod sheet;
pub(crate) mod supply;
pub(crate) mod taking_back;
pub(crate) mod undoing;
pub(crate) mod units;
pub(crate) mod wip;
pub(crate) mod worth;

pub use creation::{NewWorkOrder, no_output_position, output_position};
pub use draft::{StepTarget, save_draft};
pub use order::{Changes, OrderLineIn};
pub use plan::{JobChange, JobName, JobUpdate, NewJob};
pub use queue::{OperatorQueue, SiteQueue, in_order};
pub use routing::{PhaseCopy, Routing};
pub use units::parts::{SentPart, put_parts};
