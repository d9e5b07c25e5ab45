use domain::counting::SessionStep;
use domain::journal::Concerns;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use store::counting::sessions;

use crate::Result;
use crate::act::Act;
use crate::effects::counting::finding::{after, session_named};
use crate::effects::counting::naming::{SESSION_LOCKS, SessionName};
use crate::effects::counting::rights::UPDATE;
use crate::effects::counting::telling::{note_session, of_session};
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// A counting session that was completed goes on: people count again.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CountSessionResumed {
    #[serde(flatten)]
    session: SessionName,
}

impl Postable for CountSessionResumed {
    const TYPE: ClientEvent = ClientEvent::CountSessionResumed;
    const SCOPE: Option<Scope> = Some(UPDATE);
    const LOCKS: Locks = SESSION_LOCKS;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        act.concern(Concerns::default()).await?;
        let mut session = session_named(act, self.session).await?;
        session.status = after(&session, SessionStep::Resume)?;
        session.completed = None;
        sessions::save(act.tx, &mut session).await?;
        note_session(act, session.key)?;
        Ok(of_session(&session))
    }
}
