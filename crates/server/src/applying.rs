//! Corrects stock by the counting sessions that were confirmed. Every node looks for them; one at a time works on a session, and
//! another one goes on if it dies.

use std::sync::Arc;
use std::time::Duration;

use api::App;
use domain::key::CountSessionKey;
use journal::effects::counting::applying::{Step, apply_chunk};
use store::counting::sessions;
use store::{Commit, Tx, describe, lease};
use tokio::sync::watch;

/// How often each node looks.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Works on all sessions in turn, step by step, until nothing is left that no other node does. A stop waits for the current step.
pub(crate) async fn apply_counts(app: Arc<App>, stopping: watch::Receiver<bool>) -> store::Result<()> {
    let db = app.db.background();
    loop {
        let sessions = db.glance(async |tx: &mut Tx| sessions::processing(tx).await).await?;
        let (mut more, mut failed) = (false, None);
        for session in sessions.iter().copied() {
            if *stopping.borrow() {
                break;
            }
            match apply(&app, session).await {
                Ok(step) => more |= step == Step::More,
                // Whoever repeats this says so.
                Err(journal::Error::Store(error)) => failed = Some(error),
                Err(error) => tracing::error!(%session, ?error, "stock was not corrected by a counting session"),
            }
        }
        if *stopping.borrow() {
            for session in sessions {
                release(&app, session).await;
            }
            return Ok(());
        }
        match failed {
            Some(error) => return Err(error),
            None if more => {}
            None => return Ok(()),
        }
    }
}

fn lease_of(session: CountSessionKey) -> String {
    format!("count-apply:{session}")
}

/// Does the next step of a session, unless another node works on it.
async fn apply(app: &Arc<App>, session: CountSessionKey) -> Result<Step, journal::Error> {
    if is_anothers(app, session).await? {
        return Ok(Step::Over);
    }
    let (applying, now) = (app.clone(), app.now());
    let (name, holder) = (lease_of(session), app.node.holder().to_owned());
    let step = async move |tx: &mut Tx| {
        // The embedded database has one node: the lease of one that was killed would only keep it waiting.
        if !tx.is_sole_writer() && !lease::hold(tx, &name, &holder).await? {
            return Ok(Step::Over);
        }
        apply_chunk(tx, &applying.node, session, now).await
    };
    // As a request: a step waits for whoever moves the same stock, and background work has few connections.
    let step = app.db.write_as("apply count", Commit::Alone, step).await?;
    if step == Step::Applied {
        tracing::info!(%session, "stock was corrected by a counting session");
    }
    if step != Step::More {
        forget(app, session).await;
    }
    Ok(step)
}

/// Whether another node works on a session: one that asks for the lease would wait for its step.
async fn is_anothers(app: &Arc<App>, session: CountSessionKey) -> store::Result<bool> {
    let (name, holder) = (lease_of(session), app.node.holder().to_owned());
    let look = async move |tx: &mut Tx| lease::is_anothers(tx, &name, &holder).await;
    app.db.background().glance(look).await
}

/// Lets another node go on at once.
async fn release(app: &Arc<App>, session: CountSessionKey) {
    let (name, holder) = (lease_of(session), app.node.holder().to_owned());
    let release = async move |tx: &mut Tx| lease::release(tx, &name, &holder).await;
    if let Err(error) = app.db.background().write("release count", release).await {
        tracing::debug!(error = describe(&error), "the lease of a counting session runs out by itself");
    }
}

async fn forget(app: &Arc<App>, session: CountSessionKey) {
    let (name, holder) = (lease_of(session), app.node.holder().to_owned());
    let remove = async move |tx: &mut Tx| lease::remove(tx, &name, &holder).await;
    if let Err(error) = app.db.background().write("forget count", remove).await {
        tracing::debug!(error = describe(&error), "the lease of a counting session stays behind");
    }
}
