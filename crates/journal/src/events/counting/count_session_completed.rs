use domain::counting::SessionStep;
use domain::journal::Concerns;
use domain::rule::counting::{CountException, NotCounted};
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use store::counting::{records, sessions};

use crate::Result;
use crate::act::Act;
use crate::effects::counting::finding::{after, must_have_begun, session_named};
use crate::effects::counting::naming::{SESSION_LOCKS, SessionName};
use crate::effects::counting::refusing::refuse;
use crate::effects::counting::rights::UPDATE;
use crate::effects::counting::snapshots::{self, Moment};
use crate::effects::counting::telling::{note_session, of_session};
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// All is counted: what was counted is reviewed from now on. A snapshot shows what stock would be.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CountSessionCompleted {
    #[serde(flatten)]
    session: SessionName,
}

impl Postable for CountSessionCompleted {
    const TYPE: ClientEvent = ClientEvent::CountSessionCompleted;
    const SCOPE: Option<Scope> = Some(UPDATE);
    const LOCKS: Locks = SESSION_LOCKS;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        act.concern(Concerns::default()).await?;
        let mut session = session_named(act, self.session).await?;
        session.status = after(&session, SessionStep::Complete)?;
        must_have_begun(act, session.started)?;
        let count_record_keys = records::open_of_session(act.tx, session.key).await?;
        if !count_record_keys.is_empty() {
            return Err(refuse(CountException { count_record_keys, ..CountException::of(NotCounted::RecordsOpen) }));
        }
        session.completed = Some(act.at);
        snapshots::take(act, &mut session, Moment::PostCount).await?;
        sessions::save(act.tx, &mut session).await?;
        note_session(act, session.key)?;
        Ok(of_session(&session))
    }
}
