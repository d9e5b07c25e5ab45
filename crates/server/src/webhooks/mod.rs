//! Sends events to webhooks. Every node looks for webhooks that have something to do; one at a time serves a webhook, and another one
//! goes on if it dies. All that has to be known is in the database: an attempt that was broken off is made again.

mod client;
mod turn;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use api::{ApiError, App};
use domain::key::WebhookKey;
use parking_lot::Mutex;
use store::notification::webhooks;
use store::{Tx, describe};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use client::{Answer, Client};
use turn::{Due, Next, Tried, take_turn};

/// How often each node looks.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How many webhooks a node works for at the same moment: all that there can be, so that a receiver which never answers keeps
/// nobody else waiting.
const SEATS: usize = 100;
/// How long a webhook rests that could not be served.
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// How old a turn may be when its event is sent: the lease outlives it and the attempt.
const FRESH: Duration = Duration::from_secs(10);
/// How long a stop waits for what is under way.
const END: Duration = Duration::from_secs(5);
/// How long a stop waits for an answer to what was sent.
const GRACE: Duration = Duration::from_secs(1);

/// The webhooks that this node serves.
pub(crate) struct Webhooks {
    app: Arc<App>,
    client: Client,
    seats: Semaphore,
    /// Those with a task of their own.
    serving: Mutex<HashSet<WebhookKey>>,
    /// Whether this node has had the lease of any.
    leased: AtomicBool,
    tasks: Mutex<JoinSet<()>>,
    stopping: watch::Receiver<bool>,
}

impl Webhooks {
    pub(crate) fn new(app: Arc<App>, stopping: watch::Receiver<bool>) -> Arc<Self> {
        Arc::new(Self {
            client: Client::new(app.settings.webhook_allow_private.clone()),
            app,
            seats: Semaphore::new(SEATS),
            serving: Mutex::default(),
            leased: AtomicBool::default(),
            tasks: Mutex::default(),
            stopping,
        })
    }

    /// Sets to work whatever has something to do, and waits for nothing.
    pub(crate) async fn look(self: Arc<Self>) -> store::Result<()> {
        let now = self.app.now();
        let due = self.app.db.background().glance(async |tx: &mut Tx| webhooks::due(tx, now).await).await?;
        let mut tasks = self.tasks.lock();
        while tasks.try_join_next().is_some() {}
        for webhook in due {
            if self.serving.lock().insert(webhook.clone()) {
                tasks.spawn(self.clone().serve(webhook));
            }
        }
        Ok(())
    }

    /// Waits for what is under way, and lets other nodes go on at once.
    pub(crate) async fn end(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks.lock());
        let all = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(END, all).await.is_err() {
            tasks.abort_all();
        }
        if tokio::time::timeout(END, self.release()).await.is_err() {
            tracing::debug!("the leases of webhooks run out by themselves");
        }
    }

    async fn release(&self) {
        if !self.leased.load(Ordering::Relaxed) {
            return;
        }
        let holder = self.app.node.holder().to_owned();
        let release = async move |tx: &mut Tx| webhooks::release_all(tx, &holder).await;
        if let Err(error) = self.app.db.background().write("release webhooks", release).await {
            tracing::debug!(error = describe(&error), "the leases of webhooks run out by themselves");
        }
    }

    async fn serve(self: Arc<Self>, webhook: WebhookKey) {
        let _serving = Serving { webhooks: &self, webhook: &webhook };
        if let Err(error) = self.deliver(&webhook).await {
            failed(&webhook, &error);
            // Whatever failed would fail again at once.
            self.pause().await;
        }
    }

    async fn pause(&self) {
        tokio::select! {
            () = self.stopped() => {}
            () = tokio::time::sleep(AFTER_FAILURE) => {}
        }
    }

    async fn stopped(&self) {
        let _ = self.stopping.clone().wait_for(|stop| *stop).await;
    }

    /// Sends one event after the other until there is nothing to do for now, or another node does it. Who waits for a seat gets one
    /// between two events.
    async fn deliver(&self, webhook: &WebhookKey) -> Result<(), ApiError> {
        loop {
            let Ok(_seat) = self.seats.acquire().await else { return Ok(()) };
            if !self.deliver_some(webhook).await? {
                return Ok(());
            }
        }
    }

    /// The same until somebody waits for a seat; false when it is over.
    async fn deliver_some(&self, webhook: &WebhookKey) -> Result<bool, ApiError> {
        let mut tried = None;
        loop {
            if *self.stopping.borrow() && tried.is_none() {
                return Ok(false);
            }
            let asked = Instant::now();
            let next = match take_turn(&self.app, webhook, tried).await {
                Ok(next) => next,
                // What the receiver said is not asked for again.
                Err(error) if tried.is_some() && !*self.stopping.borrow() => {
                    failed(webhook, &error);
                    self.pause().await;
                    continue;
                }
                Err(error) => return Err(error),
            };
            if !matches!(next, Next::Elsewhere) {
                self.leased.store(true, Ordering::Relaxed);
            }
            let noted = tried.take().is_some();
            let due = match next {
                Next::Over | Next::Elsewhere => return Ok(false),
                Next::GoOn => continue,
                Next::Send(_) if noted && self.seats.available_permits() == 0 => return Ok(true),
                // Another node may have gone on while this one slept.
                Next::Send(_) if asked.elapsed() > FRESH => continue,
                Next::Send(due) => due,
            };
            let Some(answer) = self.send(webhook, &due).await else { return Ok(false) };
            tried = Some(Tried { delivery: due.delivery, rev: due.rev, answer });
        }
    }

    /// Makes an attempt; nothing if a stop broke it off.
    async fn send(&self, webhook: &WebhookKey, due: &Due) -> Option<Answer> {
        let answer = tokio::select! {
            answer = self.client.send(due) => answer,
            () = self.broken_off() => return None,
        };
        metrics::counter!("tracewright_webhook_attempts", "outcome" => answer.outcome()).increment(1);
        if let Some(error) = answer.error {
            tracing::debug!(%webhook, seq = due.seq, attempt = due.attempt, error, "an event was not delivered");
        }
        Some(answer)
    }

    /// The stop, and a moment for what was sent.
    async fn broken_off(&self) {
        self.stopped().await;
        tokio::time::sleep(GRACE).await;
    }
}

/// A webhook that has a task of its own; not any more when this is dropped.
struct Serving<'a> {
    webhooks: &'a Webhooks,
    webhook: &'a WebhookKey,
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        self.webhooks.serving.lock().remove(self.webhook);
    }
}

fn failed(webhook: &WebhookKey, error: &ApiError) {
    let error = match error {
        ApiError::Store(error) => describe(error),
        ApiError::Refused(_) => "no key could be made".to_owned(),
    };
    tracing::warn!(%webhook, error, "a webhook was not served and will be tried again");
}
