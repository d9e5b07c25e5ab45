//! What a type of event is.

use domain::scope::Scope;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::act::Act;
use crate::event::{ClientEvent, Locks, Outcome};
use crate::{Boxed, Error, Result};

/// A type of event that clients send. Its fields are the members of the payload.
pub trait Postable: DeserializeOwned + JsonSchema + Send + Sync + 'static {
    const TYPE: ClientEvent;
    /// The right that it needs besides that of sending events.
    const SCOPE: Option<Scope> = None;
    /// The members of its payload by which a bulk locks orders, so that no two bulks wait for each other.
    const LOCKS: Locks;
    /// Whether all it asks of jobs and orders is on its floor. A bulk of such events stores the orders when it is through.
    const ORDER_ALONE: bool = false;

    /// Checks and does what the event says; the act has its primary event already.
    fn carry_out(self, act: &mut Act<'_>) -> impl Future<Output = Result<Outcome>> + Send;
}

/// One type, without its Rust type.
pub struct Entry {
    pub name: &'static str,
    pub(crate) scope: Option<Scope>,
    pub(crate) locks: Locks,
    pub(crate) order_alone: bool,
    /// The members of its payload.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    run: for<'a, 'b> fn(Value, &'a mut Act<'b>) -> Boxed<'a, Outcome>,
}

impl Entry {
    pub(crate) const fn of<T: Postable>() -> Self {
        Self {
            name: T::TYPE.name(),
            scope: T::SCOPE,
            locks: T::LOCKS,
            order_alone: T::ORDER_ALONE,
            schema: T::json_schema,
            run: run::<T>,
        }
    }

    /// Carries out an event whose payload fits the schema.
    pub async fn carry_out(&self, payload: Value, act: &mut Act<'_>) -> Result<Outcome> {
        (self.run)(payload, act).await
    }
}

fn run<'a, T: Postable>(payload: Value, act: &'a mut Act<'_>) -> Boxed<'a, Outcome> {
    Box::pin(async move {
        let event: T = serde_json::from_value(payload).map_err(|error| Error::unreadable(&error))?;
        event.carry_out(act).await
    })
}
