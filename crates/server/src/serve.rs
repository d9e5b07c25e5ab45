//! Start and stop: opens the site, listens, serves, and ends without losing anything that was begun.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use api::auth::PasswordCost;
use api::seldom::Seldom;
use api::{App, Clock};
use journal::offline;
use journal::seal::Sealer;
use store::media::Media;
use store::notification::deliveries;
use store::production::heartbeats;
use store::{Db, Tx, describe, lease};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::console::Console;
use crate::settings::Settings;
use crate::site::{Site, StartError, open_site};
use crate::webhooks::{self, Webhooks};
use crate::{applying, connections, metrics, pages, process};

/// Well before the clock reaches the end of the reserved keys.
const RENEW_NODE_EVERY: Duration = Duration::from_secs(3);
const CLEAN_UP_EVERY: Duration = Duration::from_secs(600);
const SWEEP_MEDIA_EVERY: Duration = Duration::from_secs(6 * 60 * 60);
/// How often events are sealed, so that each is in a block within a second.
const SEAL_EVERY: Duration = Duration::from_millis(500);
/// After more events than these the next ones are sealed sooner: the work would come in bursts that everybody has to wait for.
const MANY_EVENTS: usize = 200;
const SEAL_SOON: Duration = Duration::from_millis(100);
/// How often silent sessions are looked for, so that each is paused within five seconds.
const LOOK_FOR_SILENT_EVERY: Duration = Duration::from_secs(1);
/// Background work that failed, for example because the database is unreachable, waits at least this long.
const AFTER_FAILURE: Duration = Duration::from_secs(5);
const AFTER_FAILED_RENEWAL: Duration = Duration::from_secs(1);
/// How long the record of an expired token is kept, for audits.
const KEEP_TOKENS_SECONDS: i64 = 90 * 24 * 60 * 60;
/// How long deliveries to webhooks are kept that are finished.
const KEEP_DELIVERIES_SECONDS: i64 = 30 * 24 * 60 * 60;

/// A running service.
pub struct Running {
    pub address: SocketAddr,
    /// The password of `admin`, if this start generated one.
    pub first_password: Option<String>,
    pub app: Arc<App>,
    sealer: Arc<Sealer>,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

pub async fn start(settings: &Settings, clock: Clock) -> Result<Running, StartError> {
    start_with(settings, clock, Console::embedded(), PasswordCost::FULL).await
}

/// Starts with a console of one's own, or none, and hashes passwords at this cost.
pub async fn start_with(
    settings: &Settings,
    clock: Clock,
    console: Console,
    cost: PasswordCost,
) -> Result<Running, StartError> {
    process::keep_files_private();
    settings.check()?;
    let mut api_settings = settings.api()?;
    api_settings.password_cost = cost;
    let limits = settings.connections()?.within(process::raise_file_limit());
    // Streams leave at least half of the connections to other requests.
    api_settings.streams.all = api_settings.streams.all.min((limits.all / 2).max(1));
    let media_root = settings.media_root()?;
    let address = settings.listen();
    let listener = TcpListener::bind(address).await.map_err(|source| StartError::Listen { address, source })?;
    let address = listener.local_addr().map_err(|source| StartError::Listen { address, source })?;

    let site = open_site(settings, clock).await?;
    for name in &site.migrated.applied {
        tracing::info!(name, "migration applied");
    }
    if let Some(copy) = &site.migrated.safety_copy {
        tracing::info!(copy = %copy.display(), "safety copy made before migrating");
    }
    let media = Media::open(media_root, &site.id().await?).await?;
    let signer = site.signer(settings).await?;
    let first_password = site.first_start(settings, cost).await?.and_then(|seeded| seeded.generated);
    metrics::init();
    let Site { db, node, clock, .. } = site;
    // Time in which no node listened is not silence.
    let listening = clock.clone();
    db.write("listen", async move |tx: &mut Tx| heartbeats::listen(tx, || listening.now(), true).await).await?;
    let app = App::new(db, media, node, clock, api_settings, signer);
    let router = api::router(app.clone(), pages::routes(app.clone(), console));

    let (stop, stopping) = watch::channel(false);
    let sealer = Arc::new(Sealer::new(&app.db));
    let sealing = sealer.clone();
    let seal = move |app: Arc<App>| {
        let sealer = sealing.clone();
        async move {
            while sealer.seal(app.now()).await? > MANY_EVENTS {
                tokio::time::sleep(SEAL_SOON).await;
            }
            Ok(())
        }
    };
    let until = stopping.clone();
    let apply = move |app: Arc<App>| applying::apply_counts(app, until.clone());
    let tasks = vec![
        tokio::spawn(connections::serve(listener, router, limits, until_stopped(stopping.clone()))),
        tokio::spawn(keep_node(app.clone(), stopping.clone())),
        tokio::spawn(follow_journal(app.clone(), stopping.clone())),
        tokio::spawn(repeat(app.clone(), SEAL_EVERY, stopping.clone(), seal)),
        tokio::spawn(repeat(app.clone(), LOOK_FOR_SILENT_EVERY, stopping.clone(), pause_silent)),
        tokio::spawn(repeat_whole(app.clone(), applying::LOOK_EVERY, stopping.clone(), apply)),
        tokio::spawn(send_events(app.clone(), stopping.clone())),
        tokio::spawn(repeat(app.clone(), CLEAN_UP_EVERY, stopping.clone(), clean_up)),
        tokio::spawn(repeat(app.clone(), SWEEP_MEDIA_EVERY, stopping, sweep_media)),
    ];
    tracing::info!(%address, "listening");
    Ok(Running { address, first_password, app, sealer, stop, tasks })
}

impl Running {
    /// Looks for silent operators now, without waiting for the next round.
    pub async fn look_for_silent(&self) -> store::Result<()> {
        pause_silent(self.app.clone()).await
    }

    /// Corrects stock by the counting sessions that were confirmed, without waiting for the next round.
    pub async fn apply_counts(&self) -> store::Result<()> {
        applying::apply_counts(self.app.clone(), self.stop.subscribe()).await
    }

    /// Stops accepting, finishes requests in progress, closes the database.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        for task in self.tasks {
            let _ = task.await;
        }
        if let Err(error) = self.sealer.seal(self.app.now()).await {
            tracing::warn!(error = describe(&error), "the last events wait for the next start to be sealed");
        }
        if let Err(error) = self.app.node.release(&self.app.urgent).await {
            tracing::debug!(%error, "the node number was not given back");
        }
        self.app.db.close().await;
        tracing::info!("stopped");
    }
}

async fn until_stopped(mut stopping: watch::Receiver<bool>) {
    stopped(&mut stopping).await;
}

async fn stopped(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// Repeats a piece of background work until the stop, which breaks it off.
async fn repeat<F: Future<Output = store::Result<()>>>(
    app: Arc<App>,
    every: Duration,
    stopping: watch::Receiver<bool>,
    work: impl Fn(Arc<App>) -> F,
) {
    let until = stopping.clone();
    let broken_off = move |app: Arc<App>| {
        let (mut until, working) = (until.clone(), work(app));
        async move {
            tokio::select! {
                () = stopped(&mut until) => Ok(()),
                done = working => done,
            }
        }
    };
    repeat_whole(app, every, stopping, broken_off).await;
}

/// Repeats a piece of background work until the stop, which waits for it.
async fn repeat_whole<F: Future<Output = store::Result<()>>>(
    app: Arc<App>,
    every: Duration,
    mut stopping: watch::Receiver<bool>,
    work: impl Fn(Arc<App>) -> F,
) {
    let mut turns = tokio::time::interval(every);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stopped(&mut stopping) => return,
            _ = turns.tick() => {}
        }
        if let Err(error) = work(app.clone()).await {
            // An outdated database was reported once, and nothing can be done about it here.
            if !app.db.is_outdated() {
                tracing::warn!(error = describe(&error), "background work failed and will be tried again");
            }
            turns.reset_after(every.max(AFTER_FAILURE));
        }
    }
}

/// Renews the node's number, its keys and its time until the stop: every few seconds, and at once when keys run out. This
/// also detects a database that takes no writes, and its recovery: until then it tries every second.
async fn keep_node(app: Arc<App>, mut stopping: watch::Receiver<bool>) {
    let mut turns = tokio::time::interval(RENEW_NODE_EVERY);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stopped(&mut stopping) => return,
            _ = turns.tick() => {}
            () = app.node.is_low() => {}
            () = app.db.write_refused() => {}
        }
        if let Err(error) = app.renew().await {
            static NOT_RENEWED: Seldom = Seldom::new();
            if let Some(times) = NOT_RENEWED.times() {
                let error = describe(&error);
                tracing::warn!(times, error, "the node number was not renewed and will be tried again");
            }
            tokio::select! {
                () = stopped(&mut stopping) => return,
                () = tokio::time::sleep(AFTER_FAILED_RENEWAL) => turns.reset_immediately(),
            }
        }
    }
}

/// Tells streams and webhooks how far the journal goes, until the stop, which ends all streams.
async fn follow_journal(app: Arc<App>, mut stopping: watch::Receiver<bool>) {
    tokio::select! {
        () = stopped(&mut stopping) => app.feed.end(),
        () = app.feed.follow(&app.db) => {}
    }
}

/// Pauses the jobs of operators who have been silent for too long. Every node does it; one that fails does not hinder the
/// others.
async fn pause_silent(app: Arc<App>) -> store::Result<()> {
    let db = app.db.background();
    if !db.glance(async |tx: &mut Tx| heartbeats::any_watched(tx).await).await? {
        return Ok(());
    }
    // Not by this node's own clock, which somebody may have changed.
    app.clock.align(&db).await?;
    let listening = app.clone();
    db.write("listen", async move |tx: &mut Tx| heartbeats::listen(tx, || listening.now(), false).await).await?;
    let now = app.now();
    loop {
        let silent = db.glance(async |tx: &mut Tx| heartbeats::silent(tx).await).await?;
        let (found, mut paused) = (silent.len(), 0);
        for silent in silent {
            let (pausing, job) = (app.clone(), silent.job);
            let pause = async move |tx: &mut Tx| offline::pause(tx, &pausing.node, &silent, now).await;
            match db.write("pause offline", pause).await {
                Ok(true) => paused += 1,
                Ok(false) => {}
                Err(error) => tracing::error!(%job, ?error, "a job whose operator is offline was not paused"),
            }
        }
        if paused > 0 {
            tracing::info!(paused, "jobs paused: their operators are offline");
        }
        // A whole workshop may fall silent at once.
        if paused == 0 || found < heartbeats::AT_ONCE as usize {
            return Ok(());
        }
    }
}

/// Sends events to webhooks until the stop.
async fn send_events(app: Arc<App>, stopping: watch::Receiver<bool>) {
    let hooks = Webhooks::new(app.clone(), stopping.clone());
    let looking = hooks.clone();
    repeat_whole(app, webhooks::LOOK_EVERY, stopping, move |_| looking.clone().look()).await;
    hooks.end().await;
}

/// Removes what has expired; one node does it for all.
async fn clean_up(app: Arc<App>) -> store::Result<()> {
    let now = app.now();
    let holder = app.node.holder().to_owned();
    let window = app.settings.login_limits.window_seconds;
    let db = app.db.background();
    let imports = db
        .write("clean up", async move |tx: &mut Tx| {
            if !lease::hold(tx, "clean up", &holder).await? {
                return Ok(0);
            }
            store::security::throttle::remove_old(tx, now.plus_seconds(-window)).await?;
            store::security::tokens::remove_expired(tx, now.plus_seconds(-KEEP_TOKENS_SECONDS)).await?;
            store::idempotency::remove_old(tx, now).await?;
            store::imports::remove_old(tx, now).await
        })
        .await?;
    remove_old_deliveries(&app, &db).await?;
    if imports > 0 { app.media.erase_gone(&db).await } else { Ok(()) }
}

/// A busy webhook leaves many: each transaction removes some of them.
async fn remove_old_deliveries(app: &App, db: &Db) -> store::Result<()> {
    let before = app.now().plus_seconds(-KEEP_DELIVERIES_SECONDS);
    loop {
        let holder = app.node.holder().to_owned();
        let removed = db
            .write("clean up deliveries", async move |tx: &mut Tx| match lease::hold(tx, "clean up", &holder).await? {
                true => deliveries::remove_old(tx, before).await,
                false => Ok(0),
            })
            .await?;
        if removed < deliveries::AT_ONCE {
            return Ok(());
        }
    }
}

/// Erases what a crash left among the stored files; one node does it for all.
async fn sweep_media(app: Arc<App>) -> store::Result<()> {
    let db = app.db.background();
    if let Err(error) = app.media.erase_gone(&db).await {
        tracing::warn!(error = describe(&error), "replaced files were not erased");
    }
    let erased = app.media.sweep(&db, app.node.holder()).await?;
    if erased > 0 {
        tracing::info!(erased, "leftovers of interrupted uploads were erased");
    }
    Ok(())
}
