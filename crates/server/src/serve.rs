//! Start and stop: open the site, listen, serve, and end without losing anything that was begun.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use api::{App, Clock};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use journal::offline;
use journal::seal::Sealer;
use store::media::Media;
use store::production::heartbeats;
use store::{Tx, describe, lease};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tower::ServiceExt;

use crate::settings::Settings;
use crate::site::{Site, StartError, open_site};
use crate::{metrics, pages};

/// How long a stop waits for requests under way.
const GRACE: Duration = Duration::from_secs(30);
const RENEW_NODE_EVERY: Duration = Duration::from_secs(15);
const CLEAN_UP_EVERY: Duration = Duration::from_secs(600);
const SWEEP_MEDIA_EVERY: Duration = Duration::from_secs(6 * 60 * 60);
/// So often events are put into blocks, so that each is in one within a second.
const SEAL_EVERY: Duration = Duration::from_millis(500);
/// So often sessions are looked for that are silent for too long, so that each is paused within five seconds.
const LOOK_FOR_SILENT_EVERY: Duration = Duration::from_secs(1);
/// Background work that failed, on a database that is away for example, waits at least so long.
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// A token's record is kept so long after its time, for those who look back.
const KEEP_TOKENS_SECONDS: i64 = 90 * 24 * 60 * 60;

/// A service that runs until it is told to stop.
pub struct Running {
    pub address: SocketAddr,
    /// The password of `admin`, when this start made one.
    pub first_password: Option<String>,
    pub app: Arc<App>,
    sealer: Arc<Sealer>,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

pub async fn start(settings: &Settings, clock: Clock) -> Result<Running, StartError> {
    let api_settings = settings.api()?;
    let media_root = settings.media_root()?;
    settings.jwt_secret()?;
    settings.admin_password()?;
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
    let first_password = site.first_start(settings).await?;
    metrics::init();
    let Site { db, node, clock, .. } = site;
    let app = App::new(db, media, node, clock, api_settings, signer);
    let router = api::router(app.clone(), pages::routes(app.clone()));

    let (stop, stopping) = watch::channel(false);
    let sealer = Arc::new(Sealer::new(&app.db));
    let sealing = sealer.clone();
    let seal = move |app: Arc<App>| {
        let sealer = sealing.clone();
        async move { sealer.seal(app.now()).await }
    };
    let tasks = vec![
        tokio::spawn(serve(listener, router, stopping.clone())),
        tokio::spawn(repeat(app.clone(), RENEW_NODE_EVERY, stopping.clone(), renew_node)),
        tokio::spawn(repeat(app.clone(), SEAL_EVERY, stopping.clone(), seal)),
        tokio::spawn(repeat(app.clone(), LOOK_FOR_SILENT_EVERY, stopping.clone(), pause_silent)),
        tokio::spawn(repeat(app.clone(), CLEAN_UP_EVERY, stopping.clone(), clean_up)),
        tokio::spawn(repeat(app.clone(), SWEEP_MEDIA_EVERY, stopping, sweep_media)),
    ];
    tracing::info!(%address, "listening");
    Ok(Running { address, first_password, app, sealer, stop, tasks })
}

impl Running {
    /// Stops accepting, finishes what is under way, closes the database.
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

async fn serve(listener: TcpListener, router: Router, mut stopping: watch::Receiver<bool>) {
    let open = GracefulShutdown::new();
    loop {
        tokio::select! {
            () = stopped(&mut stopping) => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => connect(stream, peer, router.clone(), &open),
                Err(error) => {
                    // Out of file handles, most likely: give others time to close theirs.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
        }
    }
    drop(listener);
    if tokio::time::timeout(GRACE, open.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in time");
    }
}

async fn stopped(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stop| *stop).await;
}

fn connect(stream: TcpStream, peer: SocketAddr, router: Router, open: &GracefulShutdown) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let answer = router.clone().oneshot(request.map(Body::new));
        async move { Ok::<_, Infallible>(answer.await.unwrap_or_else(|never| match never {})) }
    });
    let mut http = http1::Builder::new();
    // A client that has said all it has to say may close its side and still wait for the answer.
    http.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(30)).half_close(true);
    let connection = open.watch(http.serve_connection(TokioIo::new(stream), service));
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection ended early");
        }
    });
}

/// Runs a piece of background work again and again until the stop.
async fn repeat<F: Future<Output = store::Result<()>>>(
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
        tokio::select! {
            () = stopped(&mut stopping) => return,
            done = work(app.clone()) => if let Err(error) = done {
                // It was told once, and nothing can be done about it here.
                if app.db.is_outdated() {
                    turns.reset_after(every.max(AFTER_FAILURE));
                    continue;
                }
                tracing::warn!(error = describe(&error), "background work failed and will be tried again");
                turns.reset_after(every.max(AFTER_FAILURE));
            },
        }
    }
}

/// Keeps this node's number, unless another node has brought the database to a version that this one does not know.
async fn renew_node(app: Arc<App>) -> store::Result<()> {
    if app.db.is_current().await? { app.node.renew(&app.urgent, app.now()).await } else { Ok(()) }
}

/// Pauses the jobs of operators who were not heard of for too long. Every node does it; one that fails stands in no other's way.
async fn pause_silent(app: Arc<App>) -> store::Result<()> {
    let (db, now) = (app.db.background(), app.now());
    loop {
        let silent = db.glance(async |tx: &mut Tx| heartbeats::silent(tx, now).await).await?;
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

/// Forgets what no longer counts; one node does it for all.
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
    if imports > 0 { app.media.erase_gone(&db).await } else { Ok(()) }
}

/// Makes up for what a crash left among the stored files; one node does it for all.
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
