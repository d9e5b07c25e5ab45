//! Rules for issues, messages and tasks.

use super::rules;
use crate::collaboration::{MissingField, TaskLinkType, TaskStatus};
use crate::named;

rules! {
    /// The issue can't be created.
    IssueNotCreatedError, "See `rule`." {
        rule: IssueNotCreated,
    }

    /// The issue can't be changed.
    IssueNotUpdatedError, "See `rule`." {
        rule: IssueNotUpdated,
    }

    /// The issue can't be closed.
    IssueNotClosedError, "See `rule`, and fill the fields that are missing." {
        rule: IssueNotClosed,
        /// Of `missing_fields`: the mandatory fields that are not filled.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        fields: Vec<MissingField>,
    }

    /// The message can't be sent.
    MessageNotPostedError, "See `rule`." {
        rule: MessageNotPosted,
    }

    /// The message can't be changed.
    MessageNotUpdatedError, "See `rule`." {
        rule: MessageNotUpdated,
    }

    /// The message can't be deleted.
    MessageNotDeletedError, "See `rule`." {
        rule: MessageNotDeleted,
    }

    /// The task can't be created.
    TaskNotCreatedError, "See `rule`." {
        rule: TaskNotCreated,
    }

    /// The task can't be changed, or no time be recorded for it.
    TaskNotUpdatedError, "See `rule`." {
        rule: TaskNotUpdated,
    }

    /// The task lacks something that its type asks for.
    TaskNotCompletedError, "Fill the fields, make the links and record the time that are missing." {
        /// The mandatory fields that are not filled.
        missing_fields: Vec<MissingField>,
        /// The kinds of records that it has to be linked to.
        missing_links: Vec<TaskLinkType>,
        /// Whether time has to be recorded first.
        missing_time: bool,
    }

    /// The status of the task does not allow it.
    TaskStatusError, "A completed or canceled task has to be reopened first." {
        /// The status of the task.
        status: TaskStatus,
    }

    /// The task can't be linked, or a link not be removed.
    TaskNotLinkedError, "See `rule`." {
        rule: TaskNotLinked,
    }
}

named! {
    /// Why an issue can't be created.
    #[schemars(rename = "IssueNotCreatedRule")]
    pub enum IssueNotCreated {
        /// New issues can't have the type.
        TypeInactive = "type_inactive",
    }
}

named! {
    /// Why an issue can't be changed.
    #[schemars(rename = "IssueNotUpdatedRule")]
    pub enum IssueNotUpdated {
        /// It is closed: reopen it first.
        Closed = "closed",
        /// The event changes nothing.
        NothingToChange = "nothing_to_change",
        /// It is open, so it can't be reopened.
        AlreadyOpen = "already_open",
    }
}

named! {
    /// Why an issue can't be closed.
    #[schemars(rename = "IssueNotClosedRule")]
    pub enum IssueNotClosed {
        AlreadyClosed = "already_closed",
        /// It has no type.
        NoType = "no_type",
        /// Mandatory fields of its type are not filled.
        MissingFields = "missing_fields",
    }
}

named! {
    /// Why a message can't be sent.
    #[schemars(rename = "MessageNotPostedRule")]
    pub enum MessageNotPosted {
        /// The sender is not the acting user.
        WrongSender = "wrong_sender",
    }
}

named! {
    /// Why a message can't be changed.
    #[schemars(rename = "MessageNotUpdatedRule")]
    pub enum MessageNotUpdated {
        /// Somebody else has sent it.
        NotSender = "not_sender",
        /// It was deleted.
        Deleted = "deleted",
    }
}

named! {
    /// Why a message can't be deleted.
    #[schemars(rename = "MessageNotDeletedRule")]
    pub enum MessageNotDeleted {
        /// Somebody else has sent it.
        NotSender = "not_sender",
    }
}

named! {
    /// Why a task can't be created.
    #[schemars(rename = "TaskNotCreatedRule")]
    pub enum TaskNotCreated {
        /// New tasks can't have the type.
        TypeInactive = "type_inactive",
        /// Another task has the code.
        CodeTaken = "code_taken",
        /// A user is assigned twice or unknown, or there is not exactly one owner.
        BadAssignment = "bad_assignment",
        /// It would be due before it starts.
        BadDates = "bad_dates",
    }
}

named! {
    /// Why a task can't be changed, or no time be recorded for it.
    #[schemars(rename = "TaskNotUpdatedRule")]
    pub enum TaskNotUpdated {
        /// The event changes nothing.
        NothingToChange = "nothing_to_change",
        /// A user is assigned twice or unknown, or there is not exactly one owner.
        BadAssignment = "bad_assignment",
        /// It would be due before it starts; of recorded time: it does not end after its start, ends in the future, or is longer than
        /// a year.
        BadDates = "bad_dates",
    }
}

named! {
    /// Why a task can't be linked, or a link not be removed.
    #[schemars(rename = "TaskNotLinkedRule")]
    pub enum TaskNotLinked {
        /// Tasks of its type, or of that of the other task, are not linked to such records.
        NotEnabled = "not_enabled",
        /// It or the other task is linked to such a record, and its type allows only one.
        OnlyOne = "only_one",
        /// It is linked to the record already.
        Exists = "exists",
        /// A task can't be linked to itself.
        Itself = "self",
        /// It or the other task has 1,000 links.
        TooMany = "too_many",
        /// It is not linked to the record.
        NoSuchLink = "no_such_link",
    }
}

impl IssueNotClosedError {
    /// Without fields that are missing.
    pub fn of(rule: IssueNotClosed) -> Self {
        Self { rule, fields: Vec::new() }
    }

    /// These are missing.
    pub fn missing(fields: Vec<MissingField>) -> Self {
        Self { rule: IssueNotClosed::MissingFields, fields }
    }
}
