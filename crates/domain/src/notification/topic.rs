//! Topics: what somebody can follow.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::key::UserKey;
use crate::named;

named! {
    /// The topics that hold events of one kind.
    #[derive(PartialOrd, Ord)]
    pub enum Kind {
        Task = "task",
        Issue = "issue",
        Message = "message",
        Serial = "serial",
        Production = "production",
        Inventory = "inventory",
    }
}

/// How the types of events of each kind begin.
const FAMILIES: &[(&str, Kind)] = &[
    ("TASK_", Kind::Task),
    ("ISSUE_", Kind::Issue),
    ("MESSAGE_", Kind::Message),
    ("SERIAL_", Kind::Serial),
    ("JOB_", Kind::Production),
    ("ACTIVE_BATCH_", Kind::Production),
    ("BATCH_", Kind::Production),
    ("STEP_", Kind::Production),
    ("WIP_", Kind::Production),
    ("WORK_ORDER_", Kind::Production),
    ("WORK_SESSION_", Kind::Production),
    ("QUEUE_", Kind::Production),
    ("PROGRESS_OVERRIDE_", Kind::Production),
    ("TIME_OVERRIDE_", Kind::Production),
    ("EXTRA_UPDATE_", Kind::Production),
    ("MOVEMENT_", Kind::Inventory),
    ("WAREHOUSE_LIST_", Kind::Inventory),
    ("INVENTORY_", Kind::Inventory),
    ("COUNT_", Kind::Inventory),
    ("ASSIGNMENT_", Kind::Inventory),
    ("POSITION_", Kind::Inventory),
];

impl Kind {
    /// The kind of events of this type; a test asks for one of every type there is.
    pub fn of_event(event_type: &str) -> Option<Self> {
        FAMILIES.iter().find(|(family, _)| event_type.starts_with(family)).map(|(_, kind)| *kind)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    Kind(Kind),
    /// What concerns one user; nobody else may follow it.
    User(UserKey),
}

/// How the topic of a user begins.
const USER: &str = "user:";

impl Topic {
    fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix(USER) {
            Some(key) => UserKey::new(key).ok().map(Topic::User),
            None => Kind::parse(text).map(Topic::Kind),
        }
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Topic::Kind(kind) => f.write_str(kind.name()),
            Topic::User(key) => write!(f, "{USER}{key}"),
        }
    }
}

impl Serialize for Topic {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Topics that one stream follows: at least one, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topics(Vec<Topic>);

/// Topics as text, for schemas. A comma ends a topic, so the key of a user can't hold one here.
pub const TOPICS_PATTERN: &str = "^(task|issue|message|serial|production|inventory|user:[A-Za-z0-9_.:@()+=;$!*'%-]{1,64})\
                                  (,(task|issue|message|serial|production|inventory|user:[A-Za-z0-9_.:@()+=;$!*'%-]{1,64}))*$";
/// More than all topics that somebody may follow.
const MOST_CHARS: usize = 500;

impl Topics {
    /// `None` if one of them is no topic, or if there are more than anybody may follow.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MOST_CHARS {
            return None;
        }
        let mut topics = Vec::new();
        for topic in text.split(',') {
            let topic = Topic::parse(topic)?;
            if !topics.contains(&topic) {
                topics.push(topic);
            }
        }
        Some(Self(topics))
    }

    pub fn contains(&self, topic: &Topic) -> bool {
        self.0.contains(topic)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Topic> {
        self.0.iter()
    }

    /// Whether all of these are among them.
    pub fn include(&self, others: &Self) -> bool {
        others.iter().all(|topic| self.contains(topic))
    }
}

impl fmt::Display for Topics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, topic) in self.0.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{topic}")?;
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Topics {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("not a list of topics"))
    }
}

impl JsonSchema for Topics {
    fn schema_name() -> Cow<'static, str> {
        "Topics".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        let must = format!("be topics, with commas between them: {}, or user: and a key", kinds.join(", "));
        json_schema!({ "type": "string", "maxLength": MOST_CHARS, "pattern": TOPICS_PATTERN, "x-must": must })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_read_as_they_are_written() {
        for text in ["task", "task,issue", "user:mario", "serial,user:a:b,production"] {
            assert_eq!(Topics::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Topics::parse("task,issue,task").unwrap().to_string(), "task,issue", "each once");
        for text in
            ["", ",", "task,", "tasks", "TASK", "task, issue", "user:", "user: x", "user", "user:a,b", "media:/x"]
        {
            assert_eq!(Topics::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_ticket_serves_its_topics_together_or_alone() {
        let held = Topics::parse("task,issue,user:mario").unwrap();
        for (wanted, served) in [
            ("task", true),
            ("issue,task", true),
            ("user:mario,issue,task", true),
            ("serial", false),
            ("task,serial", false),
            ("user:luigi", false),
        ] {
            assert_eq!(held.include(&Topics::parse(wanted).unwrap()), served, "{wanted}");
        }
    }

    /// The pattern of the document names the same kinds.
    #[test]
    fn every_kind_is_in_the_pattern() {
        for kind in Kind::ALL {
            assert_eq!(TOPICS_PATTERN.matches(kind.name()).count(), 2, "{}", kind.name());
        }
    }

    #[test]
    fn families_are_told_apart() {
        for (event_type, kind) in [
            ("TASK_TIME_RECORDED", Some(Kind::Task)),
            ("MESSAGE_POSTED", Some(Kind::Message)),
            ("WORK_ORDER_CLOSED", Some(Kind::Production)),
            ("COUNT_SESSION_APPLIED", Some(Kind::Inventory)),
            ("SERIAL_SCRAPPED", Some(Kind::Serial)),
            ("SOMETHING_ELSE", None),
        ] {
            assert_eq!(Kind::of_event(event_type), kind, "{event_type}");
        }
    }
}
