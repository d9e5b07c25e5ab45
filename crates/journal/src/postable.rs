//! The trait of an event type.

use domain::scope::Scope;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::act::Act;
use crate::event::{ClientEvent, Locks, Outcome};
use crate::{Boxed, Error, Result};

/// An event type that clients send. Its fields are the members of the payload.
pub trait Postable: DeserializeOwned + JsonSchema + Send + Sync + 'static {
    const TYPE: ClientEvent;
    /// The scope it needs in addition to that of sending events.
    const SCOPE: Option<Scope> = None;
    /// The members of its payload by which a bulk locks orders, so that two bulks can't deadlock.
    const LOCKS: Locks;
    /// Whether everything it reads of jobs and orders is on its floor. A bulk of such events keeps the orders in memory and
    /// stores them at the end.
    const ORDER_ALONE: bool = false;
    /// Whether it changes links between serials in some cases only. A bulk of such events sees to it that nobody else does: it would be
    /// too late for that once a row has locked serials.
    const MAY_CHANGE_LINKS: bool = false;
    /// Whether it moves or marks stock, or moves positions. A bulk of such events sees to it that no other does: it would be too late for that once a
    /// row has locked stock.
    const MOVES_STOCK: bool = false;
    /// Whether its members name the stock that it moves. A bulk of such events locks that first, and lets others move other stock.
    const NAMES_STOCK: bool = false;
    /// Whether it moves stock where stock is kept, because of what it does to serials or batches.
    const MAY_MOVE_STOCK: bool = false;
    /// Whether a row that has `process_inventory` false moves no stock, unless it scraps something.
    const MAY_SPARE_STOCK: bool = false;
    /// Whether it looks at what units contain, where evidence is asked for. A bulk of such events sees to it that nobody changes links.
    const ASKS_FOR_EVIDENCE: bool = false;
    /// Whether its members name records of several kinds. A bulk of such events locks them first, in the order of all locks.
    const NAMES_RECORDS: bool = false;
    /// The members that the journal does not keep in some cases.
    const WITHHELD: &'static [&'static str] = &[];
    /// The types of events that it can lead to, for the catalogue.
    const LEADS_TO: &'static [&'static str] = &[];

    /// Checks the event and does what it says; the act already has its primary event.
    fn carry_out(self, act: &mut Act<'_>) -> impl Future<Output = Result<Outcome>> + Send;
}

/// An event type, with its Rust type erased.
pub struct EventType {
    pub name: &'static str,
    pub(crate) scope: Option<Scope>,
    pub(crate) locks: Locks,
    pub(crate) order_alone: bool,
    pub(crate) may_change_links: bool,
    pub(crate) moves_stock: bool,
    pub(crate) names_stock: bool,
    pub(crate) may_move_stock: bool,
    pub(crate) may_spare_stock: bool,
    pub(crate) asks_for_evidence: bool,
    pub(crate) names_records: bool,
    withheld: &'static [&'static str],
    leads_to: &'static [&'static str],
    /// The members of its payload.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    run: for<'a, 'b> fn(&Value, &'a mut Act<'b>) -> Boxed<'a, Outcome>,
}

impl EventType {
    pub(crate) const fn of<T: Postable>() -> Self {
        Self {
            name: T::TYPE.name(),
            scope: T::SCOPE,
            locks: T::LOCKS,
            order_alone: T::ORDER_ALONE,
            may_change_links: T::MAY_CHANGE_LINKS,
            moves_stock: T::MOVES_STOCK,
            names_stock: T::NAMES_STOCK,
            may_move_stock: T::MAY_MOVE_STOCK,
            may_spare_stock: T::MAY_SPARE_STOCK,
            asks_for_evidence: T::ASKS_FOR_EVIDENCE,
            names_records: T::NAMES_RECORDS,
            withheld: T::WITHHELD,
            leads_to: T::LEADS_TO,
            schema: T::json_schema,
            run: run::<T>,
        }
    }

    /// The scope it needs in addition to that of sending events.
    pub fn scope(&self) -> Option<Scope> {
        self.scope
    }

    /// The types of events that it can lead to.
    pub fn leads_to(&self) -> &'static [&'static str] {
        self.leads_to
    }

    /// The members that the journal does not keep in some cases.
    pub fn withheld(&self) -> &'static [&'static str] {
        self.withheld
    }

    /// Reads a payload that matches the schema and carries it out.
    pub async fn dispatch(&self, payload: &Value, act: &mut Act<'_>) -> Result<Outcome> {
        (self.run)(payload, act).await
    }
}

fn run<'a, T: Postable>(payload: &Value, act: &'a mut Act<'_>) -> Boxed<'a, Outcome> {
    let event = T::deserialize(payload).map_err(|error| Error::unreadable(&error));
    Box::pin(async move { event?.carry_out(act).await })
}
