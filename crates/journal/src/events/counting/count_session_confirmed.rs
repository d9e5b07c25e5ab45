use domain::counting::SessionStatus;
use domain::journal::Concerns;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::Result;
use crate::act::Act;
use crate::effects::counting::confirming::confirm;
use crate::effects::counting::finding::session_named;
use crate::effects::counting::naming::{SESSION_LOCKS, SessionName};
use crate::effects::counting::rights::APPLY;
use crate::effects::counting::telling::outcome;
use crate::event::made::counting::{CountSessionApplied, CountsConfirmed};
use crate::event::{ClientEvent, Locks, Outcome, ServerEvent};
use crate::postable::Postable;

/// What was counted is right: the service corrects stock by it, in the name of this user. If records contradict each other or
/// what has happened since, all of that is told and nothing is changed (`CountConflictException`).
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CountSessionConfirmed {
    #[serde(flatten)]
    session: SessionName,
}

impl Postable for CountSessionConfirmed {
    const TYPE: ClientEvent = ClientEvent::CountSessionConfirmed;
    const SCOPE: Option<Scope> = Some(APPLY);
    const LOCKS: Locks = SESSION_LOCKS;
    const MOVES_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] = &["COUNT_SESSION_APPLIED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        act.concern(Concerns::default()).await?;
        let mut session = session_named(act, self.session).await?;
        confirm(act, &mut session).await?;
        let (adjustment_list_key, records_to_process) = (session.adjustment_list_key, session.records_to_process);
        let count_session_key = session.key;
        act.note(&CountsConfirmed { count_session_key, adjustment_list_key, records_to_process })?;
        if session.status == SessionStatus::Applied {
            let payload = CountSessionApplied { count_session_key };
            act.child(ServerEvent::CountSessionApplied.name(), Concerns::default(), &payload)?;
        }
        Ok(outcome([
            ("count_session_key", json!(count_session_key)),
            ("status", json!(session.status)),
            ("adjustment_list_key", json!(adjustment_list_key)),
            ("records_to_process", json!(records_to_process)),
        ]))
    }
}
