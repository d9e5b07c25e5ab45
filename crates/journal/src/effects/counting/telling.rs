//! What the journal keeps of events about counts, besides what was sent. It never has what stock says.

use domain::counting::{CountRecord, CountSession};
use domain::journal::Concerns;
use domain::key::{CountSessionKey, ProductKey};
use serde_json::{Value, json};

use crate::Result;
use crate::act::Act;
use crate::event::made::counting::SessionNamed;
use crate::event::{Outcome, OutcomeMember};

/// What an event about a product concerns.
pub(crate) fn concerns(product: &ProductKey) -> Concerns {
    Concerns { product_key: Some(product.clone()), ..Concerns::default() }
}

/// Notes the session that an event is about, whichever member named it.
pub(crate) fn note_session(act: &mut Act<'_>, count_session_key: CountSessionKey) -> Result<()> {
    act.note(&SessionNamed { count_session_key })
}

/// The answer about a record.
pub(crate) fn of_record(record: &CountRecord) -> Outcome {
    outcome([("count_record_key", json!(record.key))])
}

/// The answer about a session.
pub(crate) fn of_session(session: &CountSession) -> Outcome {
    outcome([("count_session_key", json!(session.key)), ("status", json!(session.status))])
}

/// An answer with these members.
pub(crate) fn outcome(members: impl IntoIterator<Item = (&'static str, Value)>) -> Outcome {
    Outcome(members.into_iter().map(|(name, value)| (name, OutcomeMember::Json(value))).collect())
}
