//! An event in progress.

mod author;
mod kept;
mod kept_stock;

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
use crate::event::made::Made;

pub use author::Author;
pub(crate) use kept::{KeptOrder, KeptOrders, ReadOrders, Touched};
pub(crate) use kept_stock::KeptStock;

const SEND: Scope = Scope::named("traceability:event:create");
/// What it takes to speak for other users.
pub(crate) const BEHALF: Scope = Scope::named("traceability:event:behalf");

/// An event in progress: who and when, the transaction, and the events to be stored.
pub struct Act<'a> {
    pub tx: &'a mut Tx,
    /// Whose event it is: the sender's, unless it is sent on behalf of another user.
    pub author: Arc<Author>,
    sender: Arc<Author>,
    /// The users on whose behalf something was sent so far.
    others: HashMap<UserKey, Arc<Author>>,
    /// When it happened.
    pub at: Timestamp,
    /// When the service stores it.
    pub now: Timestamp,
    /// Whether a timestamp was sent; otherwise the event happens when the service receives it.
    pub(crate) timed: bool,
    node: &'a Node,
    /// The last `seq` that was visible when a place in a queue was first needed.
    head: Option<i64>,
    group: EventKey,
    /// The event whose children are being added.
    source: usize,
    /// Optional keys that were sent with the event.
    pub(crate) references: References,
    /// The user session of the event.
    session: Option<UserSessionKey>,
    /// The task that the event was sent for.
    context: Option<TaskKey>,
    events: Vec<Event>,
    /// Approximate size of the events.
    bytes: usize,
    begun: bool,
    /// For a bulk whose events concern nothing but their orders.
    pub(crate) kept: Option<KeptOrders>,
    /// For a bulk of other events.
    pub(crate) read: Option<ReadOrders>,
    /// For a bulk of movements.
    pub(crate) stock: Option<KeptStock>,
}

impl<'a> Act<'a> {
    /// Begins. A removal of events waits until this transaction is over.
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
            context: None,
            events: Vec::new(),
            bytes: 0,
            begun: false,
            kept: None,
            read: None,
            stock: None,
        })
    }

    /// Sets the user that the next event belongs to; the sender by default.
    pub(crate) async fn by(&mut self, user: Option<&UserKey>) -> Result<()> {
        self.author = match user {
            Some(user) if *user != self.sender.user_key => self.other(user).await?,
            _ => self.sender.clone(),
        };
        Ok(())
    }

    /// An active user on whose behalf the sender may send.
    async fn other(&mut self, user: &UserKey) -> Result<Arc<Author>> {
        let message = "Sending another user's event needs the scope traceability:event:behalf.";
        if !self.sender.may(BEHALF) {
            return Err(Error::scope(BEHALF, message));
        }
        self.tx.rely_on(BEHALF);
        if let Some(known) = self.others.get(user) {
            return Ok(known.clone());
        }
        let (scope, active) =
            accounts::standing(self.tx, user).await?.ok_or_else(|| Error::missing("user_key", user))?;
        if !active {
            return Err(Refused::value("The user is not active.").into());
        }
        let message = "The user on whose behalf the event is sent needs the scope traceability:event:create.";
        if !Rights::of(&scope).contains(SEND) {
            return Err(Error::scope(SEND, message));
        }
        let other = Arc::new(self.sender.in_the_name_of(user, &scope));
        self.tx.act_on_behalf_of(user, &scope);
        self.others.insert(user.clone(), other.clone());
        Ok(other)
    }

    pub fn new_id(&self) -> Result<i64> {
        Ok(self.node.next_id(self.now)?)
    }

    /// A new place at the end of a queue.
    pub async fn next_place(&mut self) -> Result<i64> {
        let head = match self.head {
            Some(head) => head,
            None => *self.head.insert(events::head(self.tx).await?),
        };
        Ok(self.node.next_place(head))
    }

    /// Ensures that an event without a timestamp does not happen before the start of what it ends, however the clocks of
    /// nodes differ.
    pub fn not_before(&mut self, start: Timestamp) {
        if self.timed || self.at >= start {
            return;
        }
        self.at = start;
        for event in self.events.iter_mut().skip(self.source) {
            event.timestamp = start;
        }
    }

    /// Starts what [`Act::forget_after`] can take back.
    pub(crate) fn begin_row(&mut self) {
        self.kept.iter_mut().for_each(KeptOrders::begin_row);
        self.stock.iter_mut().for_each(KeptStock::begin_row);
    }

    /// Adds the event that the user sends, or that an operation stands for.
    pub fn primary(&mut self, event_type: &str, payload: Value, references: References) -> Result<EventKey> {
        self.references = references;
        // The group has the key of its first event.
        let key = if std::mem::replace(&mut self.begun, true) { EventKey(self.new_id()?) } else { self.group };
        self.source = self.events.len();
        let event = self.event(key, event_type, payload);
        self.push(event);
        Ok(key)
    }

    /// Sets the description and the session that the user sent.
    pub fn describe(&mut self, description: Option<String>, session: Option<UserSessionKey>, context: Option<TaskKey>) {
        let source = self.source;
        (self.session, self.context) = (session, context);
        if let Some(event) = self.events.get_mut(source) {
            event.description = description;
            event.user_session_key = session;
            event.context_type = context.map(|_| "task".to_owned());
            event.context_key = context;
        }
    }

    /// Adds an event that an operation stands for.
    pub fn make<P: Made>(&mut self, event_type: &str, payload: &P) -> Result<EventKey> {
        self.primary(event_type, written(event_type, payload)?, References::default())
    }

    /// Adds an event that the current one leads to.
    pub fn child<P: Made>(&mut self, event_type: &str, concerns: Concerns, payload: &P) -> Result<EventKey> {
        let key = EventKey(self.new_id()?);
        let mut event = self.event(key, event_type, written(event_type, payload)?);
        event.primary = false;
        event.source_key = self.events.get(self.source).map(|source| source.key);
        event.concerns = concerns;
        self.push(event);
        Ok(key)
    }

    /// Adds an event that the current one leads to and makes it the current one; pass the result to [`Act::leave`].
    pub fn enter<P: Made>(&mut self, event_type: &str, concerns: Concerns, payload: &P) -> Result<usize> {
        self.child(event_type, concerns, payload)?;
        Ok(std::mem::replace(&mut self.source, self.events.len() - 1))
    }

    pub fn leave(&mut self, outer: usize) {
        self.source = outer;
    }

    /// The user session of the event.
    pub fn session(&self) -> Option<UserSessionKey> {
        self.session
    }

    /// The task that the event was sent for.
    pub(crate) fn context(&self) -> Option<TaskKey> {
        self.context
    }

    /// The key of the current event.
    pub fn key(&self) -> EventKey {
        self.events.get(self.source).map_or(self.group, |event| event.key)
    }

    /// The types of the events that the current one has led to, by itself.
    pub(crate) fn led_to(&self) -> impl Iterator<Item = &str> {
        let source = self.events.get(self.source).map(|event| event.key);
        let further = self.events.iter().skip(self.source + 1).filter(move |event| event.source_key == source);
        further.map(|event| event.event_type.as_str())
    }

    pub fn group(&self) -> EventKey {
        self.group
    }

    /// Sets what the current event concerns, before it changes anything; the references that were sent have to agree.
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

    /// What the current event concerns.
    pub fn concerns(&self) -> Concerns {
        self.events.get(self.source).map(|event| event.concerns.clone()).unwrap_or_default()
    }

    /// Adds members to the stored payload of the current event.
    pub fn note<P: Made>(&mut self, members: &P) -> Result<()> {
        let source = self.source;
        if let Some(event) = self.events.get_mut(source)
            && let (Value::Object(members), Value::Object(payload)) =
                (written(&event.event_type, members)?, &mut event.payload)
        {
            payload.extend(members);
        }
        Ok(())
    }

    /// Leaves a member out of the stored payload of the current event.
    pub(crate) fn withhold(&mut self, member: &str) {
        let source = self.source;
        if let Some(Value::Object(payload)) = self.events.get_mut(source).map(|event| &mut event.payload) {
            payload.shift_remove(member);
        }
    }

    /// Numbers the events and stores them. This must be the last step of a transaction, since all other events wait for it.
    /// Returns the number of the first event.
    pub async fn store(mut self) -> Result<Number> {
        let events = self.take_events();
        Ok(events::append_last(self.tx, events).await?)
    }

    /// Stores the events so far; more will follow.
    pub(crate) async fn store_some(&mut self) -> Result<Vec<Event>> {
        let mut events = self.take_events();
        events::append(self.tx, &mut events).await?;
        Ok(events)
    }

    /// Takes the events so far, for the caller to store.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        self.bytes = 0;
        std::mem::take(&mut self.events)
    }

    /// How many events wait to be stored.
    pub(crate) fn count(&self) -> i64 {
        self.events.len() as i64
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn key_at(&self, place: i64) -> EventKey {
        usize::try_from(place).ok().and_then(|place| self.events.get(place)).map_or(self.group, |event| event.key)
    }

    /// Removes the events of something that did not happen.
    pub(crate) fn forget_after(&mut self, count: i64) {
        self.events.truncate(usize::try_from(count).unwrap_or(0));
        self.kept.iter_mut().for_each(KeptOrders::undo_row);
        self.stock.iter_mut().for_each(KeptStock::undo_row);
    }

    /// Gives up the orders in memory, as they are stored or as they were rolled back.
    pub(crate) fn forget_orders(&mut self) {
        self.kept = self.kept.take().map(|_| KeptOrders::default());
        self.read.iter_mut().for_each(ReadOrders::clear);
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

    /// Refuses an author without a scope that only some cases of an event need.
    pub fn must_have(&mut self, scope: Scope) -> Result<()> {
        self.author.must_have(scope)?;
        self.tx.rely_on(scope);
        Ok(())
    }
}

/// Approximate size of an event without its payload.
const EVENT_BYTES: usize = 512;

/// A payload of an event of this type.
fn written<P: Made>(event_type: &str, payload: &P) -> Result<Value> {
    debug_assert!(P::TYPES.contains(&event_type), "{event_type} is declared with another payload");
    serde_json::to_value(payload).map_err(|error| Error::broken(&format!("the payload of {event_type}: {error}")))
}

/// Approximate size of a payload.
fn size(payload: &Value) -> usize {
    match payload {
        Value::Object(members) => members.iter().map(|(name, value)| 64 + name.len() + size(value)).sum(),
        Value::Array(values) => values.iter().map(|value| 32 + size(value)).sum(),
        Value::String(text) => text.len(),
        _ => 16,
    }
}
