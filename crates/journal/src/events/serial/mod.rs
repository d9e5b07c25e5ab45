mod serial_created;
mod serial_deleted;
mod serial_linked;
mod serial_released;
mod serial_scrapped;
mod serial_unlinked;
mod serial_updated;

pub use serial_created::SerialCreated;
pub use serial_deleted::SerialDeleted;
pub use serial_linked::SerialLinked;
pub use serial_released::SerialReleased;
pub use serial_scrapped::SerialScrapped;
pub use serial_unlinked::SerialUnlinked;
pub use serial_updated::SerialUpdated;
