//! Pauses jobs whose operator's device has fallen silent. Every node looks; the one that gets the order's lock does it.

use domain::Timestamp;
use domain::scope::Rights;
use serde_json::json;
use store::Tx;
use store::node::Node;
use store::production::heartbeats::{self, Listening, Silent};

use crate::act::{Act, Author};
use crate::effects::production::bench::Bench;
use crate::effects::production::job::stop;
use crate::event::made::production::JobFoundOffline;
use crate::event::{ClientEvent, References};
use crate::{Error, Result};

/// Pauses a job as if its operator had stopped when it was last heard from. Returns false if it need not be paused, or can't
/// be right now.
pub async fn pause(tx: &mut Tx, node: &Node, silent: &Silent, now: Timestamp) -> Result<bool> {
    let author = Author::new(silent.user_key.clone(), silent.user_session_key, Rights::default());
    let mut act = Act::begin(tx, node, author, now).await?;
    if !heartbeats::try_lock_order(act.tx, silent.job).await? {
        return Ok(false);
    }
    let Some(pulse) = heartbeats::hold(act.tx, silent.job).await? else { return Ok(false) };
    if !pulse.active || pulse.session != Some(silent.session) {
        return Ok(false);
    }
    let Listening { time, since } = heartbeats::listening(act.tx).await?;
    let heard = pulse.heard.unwrap_or(since).max(since);
    let offline_at = pulse.parameters.may_be_silent_for().map(|millis| heard.plus_millis(millis));
    if offline_at.is_none_or(|offline_at| offline_at > time) {
        heartbeats::wait_longer(act.tx, silent.job, offline_at).await?;
        return Ok(false);
    }
    act.primary(ClientEvent::JobPausedOffline.name(), json!({}), References::default())?;
    let mut bench = Bench::of_job(&mut act, silent.job).await?;
    let session = bench.running_session(&mut act).await?;
    if session.key != silent.session {
        return Err(Error::broken("a job names another session than the one that runs"));
    }
    // A user who started slightly ahead of the service's clock has not been heard from since.
    let end = pulse.last_online.unwrap_or(now).max(session.started);
    act.not_before(end);
    act.note(&JobFoundOffline { job_key: silent.job, work_session_end: end })?;
    stop(&mut act, &mut bench, session, end).await?;
    // Not `Bench::finish`: the job was not heard from.
    bench.floor.finish(&mut act).await?;
    act.store().await?;
    Ok(true)
}
