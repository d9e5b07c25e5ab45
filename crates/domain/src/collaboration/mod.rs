//! Collaboration: issues about what is made, messages, and tasks, with their states and rules.

mod assignment;
mod dates;
mod flags;
mod issue;
mod issue_type;
mod message;
mod missing;
mod task;
mod task_field;
mod task_link;
mod task_type;

pub use assignment::{Assignee, TaskRole, arranged, newly_assigned};
pub use dates::{dates_fit, time_fits};
pub use flags::flagged;
pub use issue::{Issue, IssueLinkType, IssueTarget, jobs_of, orders_of};
pub use issue_type::IssueType;
pub use message::{CONTENT_CHARS, Message, Recipient, content_of, content_sha256};
pub use missing::{MissingField, missing_fields};
pub use task::{Lacking, Task, TaskStatus, TaskStep, lacking};
pub use task_field::{FieldTexts, TaskField, changed_values, definitions, new_fields, values};
pub use task_link::{Linked, MOST_LINKS, TaskLink, TaskLinkType, TaskTarget, may_link};
pub use task_type::{LinkSetting, TaskType, every_setting, repeated_settings, required_needs_enabled, setting_of};

/// Maximum length of a title, in characters.
pub const TITLE_CHARS: usize = 200;
/// Maximum length of a description, in characters.
pub const DESCRIPTION_CHARS: usize = 10_000;
/// Maximum number of values that are entered at once: a form has no more fields.
pub const FORM_VALUES: usize = 500;
