mod issue_closed;
mod issue_created;
mod issue_deleted;
mod issue_reopened;
mod issue_updated;

pub use issue_closed::IssueClosed;
pub use issue_created::IssueCreated;
pub use issue_deleted::IssueDeleted;
pub use issue_reopened::IssueReopened;
pub use issue_updated::IssueUpdated;
