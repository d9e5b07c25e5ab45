use domain::Timestamp;
use domain::key::EventKey;
use futures_util::future::BoxFuture;
use journal::not_allowed;
use schemars::JsonSchema;
use serde::ser::Error;
use serde::{Serialize, Serializer};
use store::Tx;
use store::journal::Number;

use super::act::Acting;
use super::sent::{SentEvent, SentOrNotAllowed};
use super::shown::{Members, shown};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::reply::{Done, Envelope, envelope};

/// The result of an event; its type adds records as they are afterwards.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventAccepted")]
pub(super) struct Accepted {
    event_key: EventKey,
    /// Its number in the journal.
    #[serde(serialize_with = "known")]
    #[schemars(with = "i64")]
    seq: Number,
    /// Shared by the event and all events that it led to.
    event_group: EventKey,
    message: &'static str,
    /// What the type shows, such as `job_data` and `batch_data`.
    #[serde(flatten)]
    shown: Members,
}

impl Accepted {
    pub(super) fn new(event_key: EventKey, seq: Number, event_group: EventKey, shown: Members) -> Self {
        Self { event_key, seq, event_group, message: "Event stored.", shown }
    }

    /// Turns the position within the bulk into a number, counting from `first`.
    pub(super) fn count_from(&mut self, first: i64) {
        self.seq = (first + self.seq.get().unwrap_or_default()).into();
    }
}

/// An answer is written after the transaction has ended, so the number is known.
fn known<S: Serializer>(number: &Number, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let number = number.get().ok_or_else(|| S::Error::custom("an event has no number yet"))?;
    serializer.serialize_i64(number)
}

pub(super) async fn post(cx: Cx, SentEvent(sent): SentEvent) -> Result<Done<Envelope<Accepted>>> {
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("post event", async move |tx: &mut Tx| post_in_tx(tx, &asking, &sent, now).await).await
}

/// Boxed, so that the compiler need not check everything an event can lead to for `Send`.
fn post_in_tx<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    sent: &'a SentOrNotAllowed,
    now: Timestamp,
) -> BoxFuture<'a, Result<Envelope<Accepted>>> {
    Box::pin(async move {
        let posted = match sent {
            SentOrNotAllowed::Event(posted) => posted,
            SentOrNotAllowed::NotAllowed(event) => return Err(not_allowed(*event).into()),
        };
        let mut act = cx.act(tx, now).await?;
        let outcome = journal::post_event(&mut act, posted).await;
        let outcome = outcome.map_err(|error| ApiError::from(error).or_key_taken())?;
        // Read before the events are numbered: from then on all other events wait.
        let shown = shown(act.tx, outcome, now).await?;
        let (event_key, event_group) = (act.key(), act.group());
        let seq = act.store().await?;
        envelope("Event stored.", Accepted::new(event_key, seq, event_group, shown))
    })
}
