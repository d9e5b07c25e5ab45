use domain::Timestamp;
use domain::counting::{CountSession, CountType, SessionField, SessionStatus};
use domain::key::CountSessionKey;
use domain::rule::counting::{CountException, NotCounted};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use store::Tx;
use store::counting::{assignments, sessions};

use super::{SessionPath, check_schedule, not_found, taken};
use crate::Result;
use crate::areas::counting::wrong_state;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Change, Given, KeyedJson, Name, Path, Query, read_only, record_members};
use crate::reply::{Done, Envelope, envelope};

/// The members of a counting session that are read-only.
fn session_members(schema: &mut Schema) {
    record_members(schema);
    read_only(
        schema,
        &[
            "status",
            "created",
            "created_by",
            "started",
            "completed",
            "applied",
            "coverage_percentage",
            "baseline_snapshot_key",
            "post_count_snapshot_key",
            "post_adjustment_snapshot_key",
            "adjustment_list_key",
            "records_to_process",
            "movements_created",
            "movements_failed",
            "processing_started",
            "processing_completed",
            "extra",
            "assignments",
        ],
    );
}

/// The fields of a counting session to change; those left out stay.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CountSessionChange", transform = session_members)]
pub(super) struct SessionChange {
    /// Must match the key in the address, if sent.
    _key: Option<CountSessionKey>,
    /// Unique. Only of a planned session.
    #[serde(default)]
    code: Given<Name<128>>,
    #[serde(default)]
    #[schemars(length(max = 2000))]
    description: Change<String>,
    /// Only of a planned session without assignments.
    #[serde(default)]
    #[serde(rename = "type")]
    kind: Given<CountType>,
    /// Only of a planned session.
    #[serde(default)]
    blind_quantities: Given<bool>,
    /// Only of a planned session.
    #[serde(default)]
    blind_serials: Given<bool>,
    /// Only of a planned session.
    #[serde(default)]
    scheduled_start: Change<Timestamp>,
    /// Until the session is applied or canceled.
    #[serde(default)]
    scheduled_end: Change<Timestamp>,
    #[serde(default)]
    #[schemars(length(max = 2000))]
    notes: Change<String>,
}

impl SessionChange {
    /// The fields that were sent.
    fn fields(&self) -> Vec<SessionField> {
        let sent = [
            (SessionField::Code, self.code.0.is_some()),
            (SessionField::Description, self.description.is_given()),
            (SessionField::Type, self.kind.0.is_some()),
            (SessionField::BlindQuantities, self.blind_quantities.0.is_some()),
            (SessionField::BlindSerials, self.blind_serials.0.is_some()),
            (SessionField::ScheduledStart, self.scheduled_start.is_given()),
            (SessionField::ScheduledEnd, self.scheduled_end.is_given()),
            (SessionField::Notes, self.notes.is_given()),
        ];
        sent.into_iter().filter(|(_, sent)| *sent).map(|(field, _)| field).collect()
    }

    fn apply(self, session: &mut CountSession) {
        if let Some(Name(code)) = self.code.0 {
            session.code = code;
        }
        self.description.apply(&mut session.description);
        self.kind.apply(&mut session.kind);
        self.blind_quantities.apply(&mut session.blind_quantities);
        self.blind_serials.apply(&mut session.blind_serials);
        self.scheduled_start.apply(&mut session.scheduled_start);
        self.scheduled_end.apply(&mut session.scheduled_end);
        self.notes.apply(&mut session.notes);
    }
}

pub(super) async fn run(
    cx: Cx,
    Path(path): Path<SessionPath>,
    KeyedJson(body): KeyedJson<SessionChange>,
) -> Result<Done<Envelope<()>>> {
    let asking = cx.clone();
    let changed = cx.change("change count session", async move |tx: &mut Tx| {
        let mut session = load(tx, &asking, path.session_key).await?;
        check_fields(&session, &body)?;
        let turned = body.kind.0.is_some_and(|kind| kind != session.kind);
        if turned && assignments::has_any(tx, session.key).await? {
            return Err(ApiError::conflict("The type of a session that has assignments can't be changed."));
        }
        body.clone().apply(&mut session);
        check_schedule(&session)?;
        sessions::save(tx, &mut session).await?;
        envelope("Counting session changed.", ())
    });
    changed.await.map_err(taken)
}

/// Refuses fields that can't be changed any more.
fn check_fields(session: &CountSession, body: &SessionChange) -> Result<()> {
    let locked = session.status.locked(&body.fields());
    if locked.is_empty() {
        return Ok(());
    }
    let fields = locked.into_iter().map(SessionField::name).collect();
    let rule = CountException { fields, ..CountException::of(NotCounted::FieldLocked) };
    Err(ApiError::rule(&rule, "These fields of the session can't be changed any more."))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct RemovedSession {
    /// The key of a planned counting session.
    counting_session_key: CountSessionKey,
}

pub(super) async fn remove(cx: Cx, Query(query): Query<RemovedSession>) -> Result<Done<Envelope<()>>> {
    let asking = cx.clone();
    cx.change("delete count session", async move |tx: &mut Tx| {
        let session = load(tx, &asking, query.counting_session_key).await?;
        if session.status != SessionStatus::Planned {
            return Err(wrong_state(&session, "Only a planned session can be deleted."));
        }
        sessions::remove(tx, session.key).await?;
        envelope("Counting session deleted.", ())
    })
    .await
}

/// Locks a session to be changed.
async fn load(tx: &mut Tx, cx: &Cx, key: CountSessionKey) -> Result<CountSession> {
    let session = sessions::lock(tx, key).await?.ok_or_else(not_found)?;
    cx.check_revision(Some(session.rev))?;
    Ok(session)
}
