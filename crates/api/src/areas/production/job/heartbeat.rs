use domain::Timestamp;
use domain::key::WorkSessionKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::production::heartbeats;

use super::{JobPath, not_found};
use crate::Result;
use crate::cx::Cx;
use crate::input::{Json, Path};
use crate::reply::{Done, Envelope, envelope};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Heartbeat {
    /// The session the device believes to be running; when left out, the one that is.
    work_session_key: Option<WorkSessionKey>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HeartbeatReceived")]
pub(super) struct Heard {
    last_online: Option<Timestamp>,
    /// Whether that session is still running. If not, the job was paused or ended in the meantime.
    active: bool,
}

pub(super) async fn beat(
    cx: Cx,
    Path(path): Path<JobPath>,
    Json(body): Json<Heartbeat>,
) -> Result<Done<Envelope<Heard>>> {
    let (job, now) = (path.job_key, cx.now());
    cx.change("heartbeat", async move |tx: &mut Tx| {
        let pulse = heartbeats::pulse(tx, job).await?.ok_or_else(not_found)?;
        let running = pulse.session.filter(|_| pulse.active);
        let heard = match (body.work_session_key, running) {
            (sent, Some(session)) if sent.is_none_or(|sent| sent == session) => {
                let may_be_silent_for = pulse.parameters.may_be_silent_for();
                heartbeats::beat(tx, job, session, now, may_be_silent_for).await?.map(|heard| (heard, true))
            }
            (None, None) => heartbeats::touch(tx, job, now).await?.map(|heard| (heard, false)),
            // A session that has ended says nothing about the running one.
            _ => None,
        };
        let (last_online, active) = heard.map_or((pulse.last_online, false), |(heard, active)| (Some(heard), active));
        envelope("Heartbeat received.", Heard { last_online, active })
    })
    .await
}
