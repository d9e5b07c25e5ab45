//! Messages about events: which topics an event goes to, and what is told of it there.

use serde::Serialize;
use serde_json::Value;

use super::topic::{Kind, Topic};
use crate::Timestamp;
use crate::journal::Concerns;
use crate::key::{
    BatchKey, EventKey, IssueKey, JobKey, MovementKey, ProductKey, SerialKey, TaskKey, UserKey, WorkOrderKey,
};

/// So many serials are named.
const NAMED_SERIALS: usize = 100;
/// The only event of a message that its recipient is told.
const POSTED: &str = "MESSAGE_POSTED";

/// What is known of a stored event.
#[derive(Debug, Clone, PartialEq)]
pub struct Happened {
    pub seq: i64,
    pub key: EventKey,
    pub event_type: String,
    pub user_key: UserKey,
    pub timestamp: Timestamp,
    pub event_group: EventKey,
    pub concerns: Concerns,
    /// As lists of events show it.
    pub payload: Value,
}

/// One message on one topic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Notice {
    pub topic: Topic,
    /// The type of the event.
    pub notification: String,
    pub seq: i64,
    pub event_key: EventKey,
    pub timestamp: Timestamp,
    pub user_key: UserKey,
    #[serde(flatten)]
    pub subjects: Subjects,
}

macro_rules! subjects {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)+) => {
        /// What an event is about, as far as it applies.
        #[derive(Debug, Clone, Default, PartialEq, Serialize)]
        pub struct Subjects {
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $name: Option<$type>,)+
        }

        impl Subjects {
            /// Keeps what others have too.
            fn keep_common(&mut self, others: &Self) {
                $(if self.$name != others.$name {
                    self.$name = None;
                })+
            }
        }
    };
}

subjects! {
    serial_key: SerialKey,
    /// The first of several serials.
    serial_keys: Vec<String>,
    /// How many serials there are.
    count: i64,
    /// How many events of a bulk the message stands for.
    event_count: i64,
    issue_key: IssueKey,
    task_key: TaskKey,
    task_code: String,
    message_key: String,
    recipient_id: String,
    job_key: JobKey,
    batch_key: BatchKey,
    work_order_key: WorkOrderKey,
    product_key: ProductKey,
    movement_key: MovementKey,
    position_key: String,
    /// On topics of users.
    task_title: String,
    /// On topics of users.
    assigned_by: UserKey,
    /// On topics of users.
    recipient_key: UserKey,
}

impl Notice {
    /// Makes it stand for a later message of the same topic and type as well.
    pub(super) fn stand_for(&mut self, later: &Notice) {
        let events = self.subjects.event_count.unwrap_or(1) + 1;
        self.subjects.keep_common(&later.subjects);
        (self.seq, self.event_key, self.timestamp) = (later.seq, later.event_key, later.timestamp);
        self.user_key.clone_from(&later.user_key);
        self.count_events(events);
    }

    /// Makes it the message of a bulk. Which serials there are in all of it would be too many to tell.
    pub(super) fn count_events(&mut self, events: i64) {
        self.subjects.event_count = Some(events);
        (self.subjects.serial_keys, self.subjects.count) = (None, None);
    }
}

impl Happened {
    /// Its messages. Those of users come last.
    pub fn notices(&self) -> Vec<Notice> {
        let Some(kind) = Kind::of_event(&self.event_type) else { return Vec::new() };
        let subjects = self.subjects(kind);
        match kind {
            Kind::Message => self.message(subjects).into_iter().collect(),
            Kind::Task => {
                let mut notices = vec![self.notice(Topic::Kind(kind), subjects.clone())];
                notices.extend(self.newly_assigned().map(|user| {
                    let subjects = Subjects {
                        task_title: self.any_text(&["task_title", "title"]),
                        assigned_by: Some(self.user_key.clone()),
                        recipient_key: Some(user.clone()),
                        ..subjects.clone()
                    };
                    self.notice(Topic::User(user), subjects)
                }));
                notices
            }
            _ => vec![self.notice(Topic::Kind(kind), subjects)],
        }
    }

    /// A message to a user is told that user alone. One whose recipient is unknown is told nobody.
    fn message(&self, subjects: Subjects) -> Option<Notice> {
        let recipient = subjects.recipient_id.as_deref()?;
        match recipient.strip_prefix("User/") {
            None => Some(self.notice(Topic::Kind(Kind::Message), subjects)),
            Some(key) if self.event_type == POSTED => {
                let key = UserKey::new(key).ok()?;
                let subjects = Subjects { recipient_key: Some(key.clone()), ..subjects };
                Some(self.notice(Topic::User(key), subjects))
            }
            Some(_) => None,
        }
    }

    fn notice(&self, topic: Topic, subjects: Subjects) -> Notice {
        Notice {
            topic,
            notification: self.event_type.clone(),
            seq: self.seq,
            event_key: self.key,
            timestamp: self.timestamp,
            user_key: self.user_key.clone(),
            subjects,
        }
    }

    fn subjects(&self, kind: Kind) -> Subjects {
        let concerns = &self.concerns;
        let serials = self.serials();
        let is_message = kind == Kind::Message;
        Subjects {
            serial_key: concerns.serial_key,
            count: serials.as_ref().map(|(_, count)| *count),
            serial_keys: serials.map(|(keys, _)| keys),
            event_count: None,
            issue_key: concerns.issue_key,
            task_key: concerns.task_key,
            task_code: if kind == Kind::Task { self.any_text(&["task_code", "code"]) } else { None },
            message_key: if is_message { self.any_text(&["message_key"]) } else { None },
            recipient_id: if is_message { self.recipient() } else { None },
            job_key: concerns.job_key,
            batch_key: concerns.batch_key,
            work_order_key: concerns.work_order_key,
            product_key: concerns.product_key.clone(),
            movement_key: concerns.movement_key,
            position_key: self.position(),
            task_title: None,
            assigned_by: None,
            recipient_key: None,
        }
    }

    /// The first of these members that is a text.
    fn any_text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.payload.get(*name)?.as_str()).map(str::to_owned)
    }

    fn newly_assigned(&self) -> impl Iterator<Item = UserKey> {
        let users = self.payload.get("newly_assigned").and_then(Value::as_array);
        users.into_iter().flatten().filter_map(|user| UserKey::new(user.as_str()?).ok())
    }

    /// Whom a message is for: as its event says, or what the event concerns.
    fn recipient(&self) -> Option<String> {
        let concerns = &self.concerns;
        self.any_text(&["recipient"])
            .or_else(|| concerns.issue_key.map(|key| format!("Issue/{key}")))
            .or_else(|| concerns.task_key.map(|key| format!("Task/{key}")))
            .or_else(|| concerns.work_order_key.map(|key| format!("WorkOrder/{key}")))
            .or_else(|| concerns.serial_key.map(|key| format!("Serial/{key}")))
    }

    /// The first of the serials that the event lists, and how many there are.
    fn serials(&self) -> Option<(Vec<String>, i64)> {
        const LISTS: [&str; 3] = ["serial_keys", "serials", "deleted_serial_keys"];
        let (name, list) = LISTS.iter().find_map(|name| Some((name, self.payload.get(*name)?.as_array()?)))?;
        let key = |entry: &Value| entry.as_str().or_else(|| entry.get("serial_key")?.as_str()).map(str::to_owned);
        let keys: Vec<String> = list.iter().take(NAMED_SERIALS).filter_map(key).collect();
        // A long list is cut, and its length stands beside it.
        let told = self.payload.get(format!("{name}_count")).and_then(Value::as_i64);
        (!keys.is_empty()).then(|| (keys, told.unwrap_or(list.len() as i64)))
    }

    /// Where it happened: the position that the event names, or else where stock grew, or else where it shrank.
    fn position(&self) -> Option<String> {
        let named = self.any_text(&["position_key"]);
        named.or_else(|| {
            let changes = self.payload.get("stock_changes")?.as_array()?;
            let grew = |change: &&Value| {
                change.get("quantity_change").and_then(Value::as_f64).is_some_and(|quantity| quantity > 0.0)
            };
            let change = changes.iter().find(grew).or(changes.first())?;
            change.get("position_key")?.as_str().map(str::to_owned)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn happened(event_type: &str, payload: Value) -> Happened {
        Happened {
            seq: 7,
            key: EventKey(1),
            event_type: event_type.to_owned(),
            user_key: UserKey::trusted("mario"),
            timestamp: Timestamp::from_millis(0),
            event_group: EventKey(1),
            concerns: Concerns::default(),
            payload,
        }
    }

    fn topics(happened: &Happened) -> Vec<String> {
        happened.notices().iter().map(|notice| notice.topic.to_string()).collect()
    }

    #[test]
    fn a_message_has_what_applies_and_nothing_else() {
        let concerns = Concerns { job_key: Some(JobKey(1)), batch_key: Some(BatchKey(2)), ..Concerns::default() };
        let started = Happened { concerns, ..happened("JOB_STARTED", json!({ "job_key": "x", "title": "not ours" })) };
        let [notice] = &started.notices()[..] else { panic!("one message") };
        assert_eq!(
            serde_json::to_string(notice).unwrap(),
            "{\"topic\":\"production\",\"notification\":\"JOB_STARTED\",\"seq\":7,\"event_key\":\"0000000000001\",\
             \"timestamp\":\"1970-01-01T00:00:00.000Z\",\"user_key\":\"mario\",\"job_key\":\"0000000000001\",\
             \"batch_key\":\"0000000000002\"}"
        );
        assert!(happened("UNKNOWN", json!({})).notices().is_empty());
    }

    #[test]
    fn serials_are_named_and_counted() {
        let told = |payload: Value| {
            let subjects = happened("SERIAL_CREATED", payload).notices().remove(0).subjects;
            subjects.serial_keys.zip(subjects.count)
        };
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        assert_eq!(told(json!({ "serial_keys": ["a", "b"] })), Some((keys(&["a", "b"]), 2)));
        assert_eq!(told(json!({ "serials": [{ "serial_key": "a", "code": "A" }] })), Some((keys(&["a"]), 1)));
        assert_eq!(told(json!({ "serial_keys": ["a"], "serial_keys_count": 300 })), Some((keys(&["a"]), 300)));
        assert_eq!(told(json!({ "serial_keys": [] })), None);
        assert_eq!(told(json!("damaged")), None);
        let many: Vec<String> = (0..300).map(|number| number.to_string()).collect();
        let (named, count) = told(json!({ "serial_keys": many })).unwrap();
        assert_eq!((named.len(), count), (100, 300));
    }

    #[test]
    fn the_position_is_where_stock_grew() {
        let at = |payload: Value| happened("MOVEMENT_COMPLETED", payload).notices().remove(0).subjects.position_key;
        let change = |key: &str, quantity: f64| json!({ "position_key": key, "quantity_change": quantity });
        let moved = json!({ "stock_changes": [change("a", -1.0), change("b", 1.0)] });
        assert_eq!(at(moved).as_deref(), Some("b"));
        assert_eq!(at(json!({ "stock_changes": [change("a", -1.0)] })).as_deref(), Some("a"));
        assert_eq!(at(json!({ "stock_changes": [] })), None);
        assert_eq!(at(json!({ "position_key": "c", "stock_changes": [change("a", 1.0)] })).as_deref(), Some("c"));
    }

    #[test]
    fn who_is_newly_assigned_is_told() {
        let payload = json!({ "title": "Clean", "task_code": "T1", "newly_assigned": ["luigi", "mario"] });
        let created = happened("TASK_CREATED", payload);
        assert_eq!(topics(&created), ["task", "user:luigi", "user:mario"]);
        let [task, luigi, _] = &created.notices()[..] else { panic!("three messages") };
        assert_eq!((task.subjects.task_code.as_deref(), task.subjects.task_title.as_deref()), (Some("T1"), None));
        assert_eq!(luigi.subjects.task_title.as_deref(), Some("Clean"));
        assert_eq!(luigi.subjects.assigned_by, Some(UserKey::trusted("mario")));
        assert_eq!(luigi.subjects.recipient_key, Some(UserKey::trusted("luigi")));
        assert_eq!(topics(&happened("TASK_UPDATED", json!({}))), ["task"]);
    }

    #[test]
    fn messages_to_a_user_are_theirs_alone() {
        let to = |recipient: &str| json!({ "recipient": recipient, "message_key": "m" });
        assert_eq!(topics(&happened("MESSAGE_POSTED", to("Issue/0000000000001"))), ["message"]);
        let posted = happened("MESSAGE_POSTED", to("User/luigi"));
        assert_eq!(topics(&posted), ["user:luigi"]);
        let subjects = posted.notices().remove(0).subjects;
        assert_eq!(subjects.recipient_id.as_deref(), Some("User/luigi"));
        assert_eq!(subjects.message_key.as_deref(), Some("m"));
        for event_type in ["MESSAGE_UPDATED", "MESSAGE_DELETED"] {
            assert_eq!(topics(&happened(event_type, to("User/luigi"))), [""; 0]);
            assert_eq!(topics(&happened(event_type, json!({}))), [""; 0], "nobody knows whom it is for");
            let concerns = Concerns { task_key: Some(TaskKey(1)), ..Concerns::default() };
            let changed = Happened { concerns, ..happened(event_type, json!({})) };
            assert_eq!(topics(&changed), ["message"]);
            assert_eq!(changed.notices().remove(0).subjects.recipient_id.as_deref(), Some("Task/0000000000001"));
        }
    }
}
