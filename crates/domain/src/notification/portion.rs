//! Messages as streams send them. Those of one event belong together, and so do all of a bulk: whoever has received the last
//! of them has received all.

use std::collections::BTreeMap;

use super::notice::{Happened, Notice};
use super::topic::Topic;
use crate::key::EventKey;

/// A group of more events than this is a bulk: it gives one message for each type.
pub const MOST_SINGLE: usize = 100;

/// The messages of one event or one bulk.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The number of the first event that it stands for.
    pub first: i64,
    pub last: i64,
    /// In the order of their numbers.
    pub notices: Vec<Notice>,
}

/// A part of the journal, as messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Portion<T> {
    pub told: Vec<T>,
    /// The number up to which it tells everything.
    pub reached: i64,
}

/// Puts together what is told of one group of events, which come one by one.
#[derive(Debug)]
pub struct Gathering {
    group: EventKey,
    events: usize,
    first: i64,
    last: i64,
    told: Vec<Told>,
    /// What the messages of a bulk are so far: of all its events, no more is kept than one for each topic and type.
    bulk: Option<Bulk>,
}

#[derive(Debug, Default)]
struct Bulk(BTreeMap<(Topic, String), Notice>);

impl Gathering {
    /// Begins a group; one that is known to be a bulk may have begun before what is told of it.
    pub fn new(group: EventKey, first: i64, is_bulk: bool) -> Self {
        Self { group, events: 0, first, last: first, told: Vec::new(), bulk: is_bulk.then(Bulk::default) }
    }

    pub fn group(&self) -> EventKey {
        self.group
    }

    /// The number of the last event that was added.
    pub fn last(&self) -> i64 {
        self.last
    }

    pub fn events(&self) -> usize {
        self.events
    }

    pub fn add(&mut self, happened: &Happened) {
        self.events += 1;
        self.last = happened.seq;
        let notices = happened.notices();
        if let Some(bulk) = &mut self.bulk {
            notices.into_iter().for_each(|notice| bulk.add(notice));
            return;
        }
        if !notices.is_empty() {
            self.told.push(Told { first: happened.seq, last: happened.seq, notices });
        }
        if self.events > MOST_SINGLE {
            let mut bulk = Bulk::default();
            self.told.drain(..).flat_map(|told| told.notices).for_each(|notice| bulk.add(notice));
            self.bulk = Some(bulk);
        }
    }

    /// What is told of the group.
    pub fn finish(self) -> Vec<Told> {
        let Some(bulk) = self.bulk else { return self.told };
        let mut notices: Vec<Notice> = bulk.0.into_values().collect();
        if notices.is_empty() {
            return Vec::new();
        }
        notices.sort_by_key(|notice| notice.seq);
        vec![Told { first: self.first, last: self.last, notices }]
    }
}

impl Bulk {
    fn add(&mut self, notice: Notice) {
        match self.0.get_mut(&(notice.topic.clone(), notice.notification.clone())) {
            Some(known) => known.stand_for(&notice),
            None => {
                let mut first = notice;
                first.count_events(1);
                self.0.insert((first.topic.clone(), first.notification.clone()), first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Timestamp;
    use crate::journal::Concerns;
    use crate::key::{JobKey, UserKey};

    fn happened(seq: i64, event_type: &str, payload: Value) -> Happened {
        Happened {
            seq,
            key: EventKey(seq),
            event_type: event_type.to_owned(),
            user_key: UserKey::trusted("mario"),
            timestamp: Timestamp::from_millis(seq),
            event_group: EventKey(1),
            concerns: Concerns { job_key: Some(JobKey(1)), ..Concerns::default() },
            payload,
        }
    }

    fn gathered(events: impl Iterator<Item = Happened>, is_bulk: bool) -> Vec<Told> {
        let mut events = events.peekable();
        let mut gathering = Gathering::new(EventKey(1), events.peek().unwrap().seq, is_bulk);
        events.for_each(|event| gathering.add(&event));
        gathering.finish()
    }

    #[test]
    fn a_group_of_a_hundred_is_told_one_by_one() {
        let told = gathered((1..=100).map(|seq| happened(seq, "JOB_STARTED", json!({}))), false);
        assert_eq!(told.len(), 100);
        assert!(told.iter().zip(1..).all(|(told, seq)| (told.first, told.last) == (seq, seq)));
        assert!(told.iter().all(|told| told.notices[0].subjects.event_count.is_none()));
    }

    #[test]
    fn a_bulk_is_one_message_for_each_type() {
        let types = ["JOB_STARTED", "SERIAL_UPDATED", "SERIAL_CREATED"];
        let payload = json!({ "serial_keys": ["a"] });
        let events = (11..=160).map(|seq| {
            let job = if seq == 160 { JobKey(2) } else { JobKey(1) };
            let concerns = Concerns { job_key: Some(job), ..Concerns::default() };
            Happened { concerns, ..happened(seq, types[seq as usize % 3], payload.clone()) }
        });
        let [told] = &gathered(events, false)[..] else { panic!("one bulk") };
        assert_eq!((told.first, told.last), (11, 160));
        let shown = |notice: &Notice| (notice.notification.clone(), notice.seq, notice.subjects.event_count);
        let shown: Vec<_> = told.notices.iter().map(shown).collect();
        let expected = [("SERIAL_CREATED", 158), ("JOB_STARTED", 159), ("SERIAL_UPDATED", 160)];
        assert_eq!(shown, expected.map(|(name, seq)| (name.to_owned(), seq, Some(50))));
        let subjects = |place: usize| &told.notices[place].subjects;
        assert_eq!((subjects(0).job_key, subjects(2).job_key), (Some(JobKey(1)), None), "what they have in common");
        assert!(subjects(0).serial_keys.is_none() && subjects(0).count.is_none());
        assert_eq!(told.notices[2].event_key, EventKey(160));
    }

    /// Whoever reconnects in the middle gets the rest of it, as the bulk that it is.
    #[test]
    fn the_rest_of_a_bulk_is_one_too() {
        let [told] = &gathered((91..=95).map(|seq| happened(seq, "JOB_STARTED", json!({}))), true)[..] else {
            panic!("one message")
        };
        assert_eq!((told.first, told.last, told.notices[0].subjects.event_count), (91, 95, Some(5)));
    }

    #[test]
    fn a_bulk_tells_each_user_what_is_theirs() {
        let events = (1..=150).map(|seq| {
            let users: &[&str] = if seq % 3 == 0 { &["luigi"] } else { &[] };
            happened(seq, "TASK_CREATED", json!({ "newly_assigned": users }))
        });
        let told = gathered(events, false).remove(0);
        let shown = |notice: &Notice| (notice.topic.to_string(), notice.seq, notice.subjects.event_count);
        let shown: Vec<_> = told.notices.iter().map(shown).collect();
        assert_eq!(shown, [("task".to_owned(), 150, Some(150)), ("user:luigi".to_owned(), 150, Some(50))]);
    }

    #[test]
    fn what_nobody_is_told_leaves_nothing() {
        let told = gathered((1..=150).map(|seq| happened(seq, "UNKNOWN", json!({}))), false);
        assert!(told.is_empty());
    }
}
