mod message_deleted;
mod message_posted;
mod message_updated;

pub use message_deleted::MessageDeleted;
pub use message_posted::MessagePosted;
pub use message_updated::MessageUpdated;
