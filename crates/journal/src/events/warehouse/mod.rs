mod movement_completed;
mod movement_planned;
mod movement_reversed;
mod movement_updated;
mod warehouse_list_closed;
mod warehouse_list_created;

pub use crate::effects::warehouse::listing::MadeList;
pub use movement_completed::MovementCompleted;
pub use movement_planned::MovementPlanned;
pub use movement_reversed::MovementReversed;
pub use movement_updated::MovementUpdated;
pub use warehouse_list_closed::WarehouseListClosed;
pub use warehouse_list_created::{WarehouseListCreated, create_list};
