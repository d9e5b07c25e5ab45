//! Which types of events there are.

use domain::key::{BatchKey, JobKey, WorkOrderKey};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::act::Act;
use crate::production::{batch, correction, job, order, step};
use crate::{Boxed, Error, Result};

/// A type of event that clients send. Its fields are the members of the payload.
pub trait Postable: DeserializeOwned + JsonSchema + Send + Sync + 'static {
    const TYPE: &'static str;
    /// Whether all it asks of jobs and orders is on its floor. A bulk of such events stores the orders when it is through.
    const ORDER_ALONE: bool = false;

    /// Checks and does what the event says; the act has its primary event already.
    fn carry_out(self, act: &mut Act<'_>) -> impl Future<Output = Result<Outcome>> + Send;
}

/// What an event's answer shows.
#[derive(Debug, Clone, Default)]
pub struct Outcome(pub Vec<(&'static str, Shown)>);

/// A record as it is after the event.
#[derive(Debug, Clone)]
pub enum Shown {
    Job(JobKey),
    Batch(Option<BatchKey>),
    Order(WorkOrderKey),
    Json(Value),
}

/// One type, without its Rust type.
pub struct Entry {
    pub name: &'static str,
    pub(crate) order_alone: bool,
    /// The members of its payload.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    run: for<'a, 'b> fn(Value, &'a mut Act<'b>) -> Boxed<'a, Outcome>,
}

impl Entry {
    const fn of<T: Postable>() -> Self {
        Self { name: T::TYPE, order_alone: T::ORDER_ALONE, schema: T::json_schema, run: run::<T> }
    }

    pub fn find(name: &str) -> Option<&'static Self> {
        POSTABLE.iter().find(|entry| entry.name == name)
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

/// What clients may send.
pub static POSTABLE: &[Entry] = &[
    Entry::of::<job::Started>(),
    Entry::of::<job::Resumed>(),
    Entry::of::<job::Paused>(),
    Entry::of::<job::PauseForced>(),
    Entry::of::<job::PausedOffline>(),
    Entry::of::<job::BackOnline>(),
    Entry::of::<job::Closed>(),
    Entry::of::<batch::Changed>(),
    Entry::of::<batch::Completed>(),
    Entry::of::<step::Completed>(),
    Entry::of::<step::Edited>(),
    Entry::of::<order::Updated>(),
    Entry::of::<correction::BatchCanceled>(),
    Entry::of::<correction::JobReset>(),
    Entry::of::<correction::ProgressOverride>(),
    Entry::of::<correction::TimeOverride>(),
    Entry::of::<correction::ExtraUpdate>(),
];

domain::named! {
    /// What only the server makes.
    pub enum Made {
        BatchCreated = "BATCH_CREATED",
        BatchReleased = "BATCH_RELEASED",
        WipDeclared = "WIP_DECLARED",
        WipBooked = "WIP_BOOKED",
        WipUnbooked = "WIP_UNBOOKED",
        WipRemoved = "WIP_REMOVED",
        WorkSessionCreated = "WORK_SESSION_CREATED",
        WorkSessionClosed = "WORK_SESSION_CLOSED",
        WorkSessionCanceled = "WORK_SESSION_CANCELED",
        QueueUpdated = "QUEUE_UPDATED",
        WorkOrderCreated = "WORK_ORDER_CREATED",
        WorkOrderStarted = "WORK_ORDER_STARTED",
        WorkOrderClosed = "WORK_ORDER_CLOSED",
        WorkOrderReopened = "WORK_ORDER_REOPENED",
        WorkOrderDeleted = "WORK_ORDER_DELETED",
    }
}
