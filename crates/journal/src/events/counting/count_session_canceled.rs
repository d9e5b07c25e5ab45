use domain::journal::Concerns;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::act::Act;
use crate::effects::counting::ending::cancel;
use crate::effects::counting::finding::session_named;
use crate::effects::counting::naming::{SESSION_LOCKS, SessionName};
use crate::effects::counting::rights::DELETE;
use crate::effects::counting::telling::{note_session, of_session};
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// A counting session is given up before stock is corrected. Counts that have not ended are forgotten.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CountSessionCanceled {
    #[serde(flatten)]
    session: SessionName,
}

impl Postable for CountSessionCanceled {
    const TYPE: ClientEvent = ClientEvent::CountSessionCanceled;
    const SCOPE: Option<Scope> = Some(DELETE);
    const LOCKS: Locks = SESSION_LOCKS;
    const MOVES_STOCK: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        act.concern(Concerns::default()).await?;
        let mut session = session_named(act, self.session).await?;
        cancel(act, &mut session).await?;
        note_session(act, session.key)?;
        Ok(of_session(&session))
    }
}
