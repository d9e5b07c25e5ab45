//! The kinds of records: what their ids begin with, and what people call one of them.

use std::fmt;

macro_rules! collections {
    ($($variant:ident $name:literal $noun:literal,)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Collection {
            $($variant,)+
        }

        impl Collection {
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The first part of the id of a record.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// One record, in a sentence: "the work order".
            pub const fn noun(self) -> &'static str {
                match self {
                    $(Self::$variant => $noun,)+
                }
            }
        }
    };
}

collections! {
    Audit "Audit" "entry",
    Batch "Batch" "batch",
    BatchSerial "batch_serial" "unit of a batch",
    Config "Config" "configuration entry",
    Counter "Counter" "counter",
    CustomData "CustomData" "custom data",
    CustomField "CustomField" "field",
    CustomListValue "CustomListValue" "value",
    Contains "contains" "link",
    CountAssignment "InventoryCountAssignment" "counting assignment",
    CountMark "inventory_count_position_complete" "mark of a counted position",
    CountRecord "inventory_count_record" "count record",
    CountSession "InventoryCountSession" "counting session",
    Department "Department" "department",
    Event "Event" "event",
    ImportFile "ImportFile" "file to be imported",
    IsInPosition "is_in_position" "place in a position",
    Issue "Issue" "issue",
    IssueRel "issue_rel" "link of the issue",
    IssueType "IssueType" "issue type",
    Job "Job" "job",
    Media "Media" "media",
    Message "message" "message",
    Movement "movement" "movement",
    MovementList "MovementList" "movement list",
    Operation "Operation" "operation",
    Phase "Phase" "phase",
    Position "Position" "position",
    Product "Product" "product",
    Queue "Queue" "queue",
    Serial "Serial" "serial",
    Snapshot "InventorySnapshot" "snapshot",
    SnapshotItem "InventorySnapshotItem" "item of a snapshot",
    Step "Step" "step",
    StepExecutionData "StepExecutionData" "data of the step",
    Tag "Tag" "tag",
    Task "Task" "task",
    TaskRel "task_rel" "link of the task",
    TaskType "TaskType" "task type",
    Token "Token" "API token",
    User "User" "user",
    UserSession "UserSession" "session",
    Webhook "Webhook" "webhook",
    Wip "wip" "work in progress",
    WorkOrder "WorkOrder" "work order",
    WorkSession "WorkSession" "work session",
}

impl Collection {
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|collection| collection.name() == name)
    }
}

impl AsRef<str> for Collection {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

impl fmt::Display for Collection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found_again() {
        for collection in Collection::ALL {
            assert_eq!(Collection::named(collection.name()), Some(*collection));
        }
        assert_eq!(Collection::named("Nothing"), None);
    }
}
