//! Something that happens, while it is carried out.

mod author;
mod kept;

use std::collections::HashMap;
use std::sync::Arc;

use domain::Timestamp;
use domain::journal::{Concerns, Event};
use domain::key::{EventKey, TaskKey, UserKey, UserSessionKey};
use domain::rule::Refused;
use domain::scope::{Rights, Scope};
use serde_json::Value;
use store::journal::{Number, events};
use store::node::Node;
use store::organisation::accounts;
use store::{Lock, Tx};

use crate::Result;
use crate::error::Error;
use crate::event::References;

pub use author::Author;
pub(crate) use kept::KeptOrders;

const SEND: Scope = Scope::named("traceability:event:create");
const BEHALF: Scope = Scope::named("traceability:event:behalf");

/// Something that happens, while it is carried out: who does it and when, and the events that will tell of it.
pub struct Act<'a> {
    pub tx: &'a mut Tx,
    /// Whose deed it is: that of who sends it, unless it is sent in another's name.
    pub author: Arc<Author>,
    sender: Arc<Author>,
    /// Those in whose names something was sent so far.
    others: HashMap<UserKey, Arc<Author>>,
    /// When it happened.
    pub at: Timestamp,
    /// When the server stores it.
    pub now: Timestamp,
    /// Somebody said when it happened; else it is when the server hears of it.
    pub(crate) timed: bool,
    node: &'a Node,
    /// The number of the last event that could be seen when a place was first asked for.
    head: Option<i64>,
    group: EventKey,
    /// The event whose children are being made.
    source: usize,
    /// What was sent besides what its type asks for.
    pub(crate) references: References,
    /// The session that it is done in.
    session: Option<UserSessionKey>,
    events: Vec<Event>,
    /// About how large they are.
    bytes: usize,
    begun: bool,
    /// Of a bulk whose events concern nothing but their orders.
    pub(crate) kept: Option<KeptOrders>,
}

impl<'a> Act<'a> {
    /// Begins; whoever empties the journal waits until it is over.
    pub async fn begin(tx: &'a mut Tx, node: &'a Node, author: Author, now: Timestamp) -> Result<Self> {
        tx.lock_shared(Lock::Gate).await?;
        let group = EventKey(node.next_id(now)?);
        let (session, author) = (author.user_session_key, Arc::new(author));
        Ok(Self {
            tx,
            sender: author.clone(),
            author,
            others: HashMap::new(),
            at: now,
            now,
            timed: false,
            node,
            head: None,
            group,
            source: 0,
            references: References::default(),
            session,
            events: Vec::new(),
            bytes: 0,
            begun: false,
            kept: None,
        })
    }

    /// What follows is done by this user, or by who sends it.
    pub(crate) async fn by(&mut self, user: Option<&UserKey>) -> Result<()> {
        self.author = match user {
            Some(user) if *user != self.sender.user_key => self.other(user).await?,
            _ => self.sender.clone(),
        };
        Ok(())
    }

    /// An active user in whose name the sender may send.
    async fn other(&mut self, user: &UserKey) -> Result<Arc<Author>> {
        let message = "To send an event of another user needs the scope traceability:event:behalf.";
        if !self.sender.may(BEHALF) {
            return Err(Error::scope(BEHALF, message));
        }
        if let Some(known) = self.others.get(user) {
            return Ok(known.clone());
        }
        let (scope, active) =
            accounts::standing(self.tx, user).await?.ok_or_else(|| Error::missing("user_key", user))?;
        if !active {
            return Err(Refused::value("The user is not active.").into());
        }
        let rights = Rights::of(&scope);
        let message = "The user in whose name it is sent needs the scope traceability:event:create.";
        if !rights.contains(SEND) {
            return Err(Error::scope(SEND, message));
        }
        let other = Arc::new(self.sender.in_the_name_of(user, rights));
        self.others.insert(user.clone(), other.clone());
        Ok(other)
    }

    pub fn new_id(&self) -> Result<i64> {
        Ok(self.node.next_id(self.now)?)
    }

    /// A place at the end of a queue.
    pub async fn next_place(&mut self) -> Result<i64> {
        let head = match self.head {
            Some(head) => head,
            None => *self.head.insert(events::head(self.tx).await?),
        };
        Ok(self.node.next_place(head))
    }

    /// What nobody timed does not happen before what it ends began, however the clocks of nodes may differ.
    pub fn not_before(&mut self, start: Timestamp) {
        if self.timed || self.at >= start {
            return;
        }
        self.at = start;
        for event in self.events.iter_mut().skip(self.source) {
            event.timestamp = start;
        }
    }

    /// What is done from here on is what [`Act::forget_after`] takes back.
    pub(crate) fn begin_row(&mut self) {
        self.kept.iter_mut().for_each(KeptOrders::begin_row);
    }

    /// The event that the user sends, or that an operation stands for.
    pub fn primary(&mut self, event_type: &str, payload: Value, references: References) -> Result<EventKey> {
        self.references = references;
        // The first event lends its key to the group.
        let key = if std::mem::replace(&mut self.begun, true) { EventKey(self.new_id()?) } else { self.group };
        self.source = self.events.len();
        let event = self.event(key, event_type, payload);
        self.push(event);
        Ok(key)
    }

    /// What the user says besides.
    pub fn describe(&mut self, description: Option<String>, session: Option<UserSessionKey>, context: Option<TaskKey>) {
        let source = self.source;
        self.session = session;
        if let Some(event) = self.events.get_mut(source) {
            event.description = description;
            event.user_session_key = session;
            event.context_type = context.map(|_| "task".to_owned());
            event.context_key = context;
        }
    }

    /// An event that the present one leads to.
    pub fn child(&mut self, event_type: &str, concerns: Concerns, payload: Value) -> Result<EventKey> {
        let key = EventKey(self.new_id()?);
        let mut event = self.event(key, event_type, payload);
        event.primary = false;
        event.source_key = self.events.get(self.source).map(|source| source.key);
        event.concerns = concerns;
        self.push(event);
        Ok(key)
    }

    /// An event that the present one leads to, and that leads to what follows; hand what this gives to [`Act::leave`].
    pub fn enter(&mut self, event_type: &str, concerns: Concerns, payload: Value) -> Result<usize> {
        self.child(event_type, concerns, payload)?;
        Ok(std::mem::replace(&mut self.source, self.events.len() - 1))
    }

    pub fn leave(&mut self, outer: usize) {
        self.source = outer;
    }

    /// The session of the user in which it is done.
    pub fn session(&self) -> Option<UserSessionKey> {
        self.session
    }

    /// The key of the present event.
    pub fn key(&self) -> EventKey {
        self.events.get(self.source).map_or(self.group, |event| event.key)
    }

    pub fn group(&self) -> EventKey {
        self.group
    }

    /// Says what the present event concerns, before it changes anything; what was sent besides has to agree.
    pub async fn concern(&mut self, concerns: Concerns) -> Result<()> {
        if self.events.get(self.source).is_some_and(|event| event.primary) {
            self.references.must_agree(&concerns)?;
            self.references.must_have_session(self.tx, concerns.job_key).await?;
        }
        let source = self.source;
        if let Some(event) = self.events.get_mut(source) {
            event.concerns = concerns;
        }
        Ok(())
    }

    /// What the present event concerns.
    pub fn concerns(&self) -> Concerns {
        self.events.get(self.source).map(|event| event.concerns.clone()).unwrap_or_default()
    }

    /// Adds a member to what is stored of the present event.
    pub fn note(&mut self, member: &str, value: Value) {
        let source = self.source;
        if let Some(Value::Object(payload)) = self.events.get_mut(source).map(|event| &mut event.payload) {
            payload.insert(member.to_owned(), value);
        }
    }

    /// Gives the events their numbers and stores them: the last that a transaction does, since everybody else waits for it.
    /// The number of the first is what is given.
    pub async fn store(mut self) -> Result<Number> {
        let events = self.take_events();
        Ok(events::append_last(self.tx, events).await?)
    }

    /// Stores them at once, with more to come.
    pub(crate) async fn store_some(&mut self) -> Result<Vec<Event>> {
        let mut events = self.take_events();
        events::append(self.tx, &mut events).await?;
        Ok(events)
    }

    /// The events so far, for somebody else to store.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        self.bytes = 0;
        std::mem::take(&mut self.events)
    }

    /// How many events wait to be stored, and about how large they are.
    pub(crate) fn count(&self) -> i64 {
        self.events.len() as i64
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn key_at(&self, place: i64) -> EventKey {
        usize::try_from(place).ok().and_then(|place| self.events.get(place)).map_or(self.group, |event| event.key)
    }

    /// Forgets the events of something that did not happen.
    pub(crate) fn forget_after(&mut self, count: i64) {
        self.events.truncate(usize::try_from(count).unwrap_or(0));
        self.kept.iter_mut().for_each(KeptOrders::undo_row);
    }

    fn push(&mut self, event: Event) {
        self.bytes += EVENT_BYTES + size(&event.payload);
        self.events.push(event);
    }

    fn event(&self, key: EventKey, event_type: &str, payload: Value) -> Event {
        Event {
            key,
            seq: 0,
            event_type: event_type.to_owned(),
            user_key: self.author.user_key.clone(),
            sent_by: self.author.sent_by.clone(),
            user_session_key: self.session,
            timestamp: self.at,
            recorded: self.now,
            description: None,
            context_type: None,
            context_key: None,
            primary: true,
            event_group: self.group,
            source_key: None,
            concerns: Concerns::default(),
            payload,
        }
    }

    /// Refuses whoever lacks a right that only some cases of an event need.
    pub fn must_have(&self, scope: Scope) -> Result<()> {
        self.author.must_have(scope)
    }
}

/// About what an event takes without its payload.
const EVENT_BYTES: usize = 512;

/// About what a payload takes.
fn size(payload: &Value) -> usize {
    match payload {
        Value::Object(members) => members.iter().map(|(name, value)| 64 + name.len() + size(value)).sum(),
        Value::Array(values) => values.iter().map(|value| 32 + size(value)).sum(),
        Value::String(text) => text.len(),
        _ => 16,
    }
}
