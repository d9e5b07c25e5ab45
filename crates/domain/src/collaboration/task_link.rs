use super::LinkSetting;
use crate::key::{IssueKey, ProductKey, SerialKey, TaskKey, TaskLinkKey, UserKey, WorkOrderKey, id_from_text};
use crate::rule::collaboration::TaskNotLinked;
use crate::{Timestamp, named};

named! {
    /// What a task can be linked to.
    #[derive(PartialOrd, Ord)]
    pub enum TaskLinkType {
        Issue = "issue",
        WorkOrder = "work_order",
        Product = "product",
        Serial = "serial",
        Task = "task",
    }
}

/// A record that a task is linked to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TaskTarget {
    Issue(IssueKey),
    WorkOrder(WorkOrderKey),
    Product(ProductKey),
    Serial(SerialKey),
    Task(TaskKey),
}

/// That a task is linked to a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskLink {
    pub key: TaskLinkKey,
    pub rev: i64,
    /// The task that the link was made from.
    pub task_key: TaskKey,
    pub target: TaskTarget,
    pub created: Timestamp,
    pub created_by: UserKey,
}

impl TaskTarget {
    /// The record of this kind with this key. `None` if no such record can exist.
    pub fn of(kind: TaskLinkType, key: &str) -> Option<Self> {
        let id = || id_from_text(key);
        Some(match kind {
            TaskLinkType::Issue => Self::Issue(IssueKey(id()?)),
            TaskLinkType::WorkOrder => Self::WorkOrder(WorkOrderKey(id()?)),
            TaskLinkType::Product => Self::Product(ProductKey::new(key).ok()?),
            TaskLinkType::Serial => Self::Serial(SerialKey(id()?)),
            TaskLinkType::Task => Self::Task(TaskKey(id()?)),
        })
    }

    pub fn kind(&self) -> TaskLinkType {
        match self {
            Self::Issue(_) => TaskLinkType::Issue,
            Self::WorkOrder(_) => TaskLinkType::WorkOrder,
            Self::Product(_) => TaskLinkType::Product,
            Self::Serial(_) => TaskLinkType::Serial,
            Self::Task(_) => TaskLinkType::Task,
        }
    }

    /// Its number, if records of its kind are known by one.
    pub fn id(&self) -> Option<i64> {
        match self {
            Self::Issue(key) => Some(key.0),
            Self::WorkOrder(key) => Some(key.0),
            Self::Serial(key) => Some(key.0),
            Self::Task(key) => Some(key.0),
            Self::Product(_) => None,
        }
    }

    /// Its key as people see it.
    pub fn key(&self) -> String {
        match self {
            Self::Issue(key) => key.to_string(),
            Self::WorkOrder(key) => key.to_string(),
            Self::Product(key) => key.to_string(),
            Self::Serial(key) => key.to_string(),
            Self::Task(key) => key.to_string(),
        }
    }
}

impl TaskLink {
    /// What it links a task to, seen from this one: between two tasks a link is the same from both ends.
    pub fn seen_from(&self, task: TaskKey) -> TaskTarget {
        match self.target {
            TaskTarget::Task(_) if self.task_key != task => TaskTarget::Task(self.task_key),
            _ => self.target.clone(),
        }
    }
}

/// Maximum number of links of a task: all of them are shown together.
pub const MOST_LINKS: u64 = 1_000;

/// How a task is linked, as far as a new link depends on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Linked {
    /// Whether it is linked to the record already.
    pub to_it: bool,
    /// Whether it is linked to a record of that kind.
    pub of_kind: bool,
    /// How many links it has, made from it or to it.
    pub links: u64,
}

/// Whether a task can be linked to a record, given how it is linked. Of a link between two tasks, both are asked.
pub fn may_link(setting: LinkSetting, task: TaskKey, target: &TaskTarget, linked: Linked) -> Result<(), TaskNotLinked> {
    if !setting.enabled {
        Err(TaskNotLinked::NotEnabled)
    } else if *target == TaskTarget::Task(task) {
        Err(TaskNotLinked::Itself)
    } else if linked.to_it {
        Err(TaskNotLinked::Exists)
    } else if linked.of_kind && !setting.allow_multiple {
        Err(TaskNotLinked::OnlyOne)
    } else if linked.links >= MOST_LINKS {
        Err(TaskNotLinked::TooMany)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: TaskKey = TaskKey(1);

    fn serial(key: i64) -> TaskTarget {
        TaskTarget::Serial(SerialKey(key))
    }

    #[test]
    fn links_follow_the_settings_of_the_type() {
        let off = LinkSetting::off(TaskLinkType::Serial);
        let one = LinkSetting { enabled: true, ..off };
        let many = LinkSetting { allow_multiple: true, ..one };
        let may = |setting, linked| may_link(setting, TASK, &serial(1), linked);
        let to_others = Linked { to_it: false, of_kind: false, links: 1 };
        let to_another = Linked { of_kind: true, ..to_others };
        let to_it = Linked { to_it: true, ..to_another };
        assert_eq!(may(off, to_it), Err(TaskNotLinked::NotEnabled));
        assert_eq!((may(one, Linked::default()), may(one, to_others)), (Ok(()), Ok(())));
        assert_eq!(may(one, to_another), Err(TaskNotLinked::OnlyOne));
        assert_eq!(may(one, to_it), Err(TaskNotLinked::Exists));
        assert_eq!(may(many, to_another), Ok(()));
        assert_eq!(may(many, to_it), Err(TaskNotLinked::Exists));
        let almost = Linked { links: MOST_LINKS - 1, ..to_another };
        assert_eq!(may(many, almost), Ok(()));
        assert_eq!(may(many, Linked { links: MOST_LINKS, ..almost }), Err(TaskNotLinked::TooMany));
    }

    #[test]
    fn no_task_is_linked_to_itself() {
        let setting = LinkSetting { enabled: true, ..LinkSetting::off(TaskLinkType::Task) };
        let may = |target: TaskTarget| may_link(setting, TASK, &target, Linked::default());
        assert_eq!(may(TaskTarget::Task(TASK)), Err(TaskNotLinked::Itself));
        assert_eq!(may(TaskTarget::Task(TaskKey(2))), Ok(()));
    }

    #[test]
    fn a_link_between_tasks_is_seen_from_both() {
        let link = TaskLink {
            key: TaskLinkKey(9),
            rev: 1,
            task_key: TASK,
            target: TaskTarget::Task(TaskKey(2)),
            created: Timestamp::from_millis(1),
            created_by: UserKey::trusted("mario"),
        };
        assert_eq!(link.seen_from(TASK), TaskTarget::Task(TaskKey(2)));
        assert_eq!(link.seen_from(TaskKey(2)), TaskTarget::Task(TASK));
    }

    #[test]
    fn targets_come_back() {
        for kind in TaskLinkType::ALL {
            let target = TaskTarget::of(*kind, "000000000001g").unwrap();
            assert_eq!((target.kind(), target.key().as_str()), (*kind, "000000000001g"));
            assert_eq!(target.id().is_none(), *kind == TaskLinkType::Product);
            assert_eq!(TaskTarget::of(*kind, "other").is_some(), *kind == TaskLinkType::Product);
        }
    }
}
