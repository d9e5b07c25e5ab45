use std::collections::BTreeSet;

use domain::Timestamp;
use domain::counting::{CountAssignment, CountSession, CountType, SessionStatus};
use domain::key::{CountSessionKey, KEY_PATTERN, UserKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::Tx;
use store::administration::counters::{self, Drawn};
use store::counting::{assignments, sessions};

use super::{check_schedule, taken};
use crate::Result;
use crate::areas::codes::{counter_of, drawn_code};
use crate::areas::counting::assignment::{Named, NewAssignment, TargetFaults, planned};
use crate::areas::counting::yes;
use crate::cx::Cx;
use crate::input::{Json, Name};
use crate::reply::{Done, Envelope, envelope};

/// A counting session to be planned, with its targets.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CountSessionInput")]
pub(super) struct NewSession {
    count_session: SessionData,
    /// Who is to count what.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    assignments: Vec<Share>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CountSessionData")]
struct SessionData {
    /// From the counter of the configuration entry `system_counters` when left out.
    code: Option<Name<128>>,
    #[schemars(length(max = 2000))]
    description: Option<String>,
    #[schemars(length(max = 2000))]
    notes: Option<String>,
    /// What its targets are.
    #[serde(rename = "type")]
    kind: CountType,
    /// Whether counters see neither what stock says nor the difference to it, until it is applied or canceled.
    #[serde(default = "yes")]
    blind_quantities: bool,
    /// Whether counters do not see which serials stock has, until it is applied or canceled.
    #[serde(default = "yes")]
    blind_serials: bool,
    scheduled_start: Option<Timestamp>,
    scheduled_end: Option<Timestamp>,
    /// Anything, stored as it is; at most 4,096 bytes as JSON.
    #[serde(default)]
    #[schemars(extend("x-checked-as" = "extra"))]
    extra: Map<String, Value>,
}

/// What one user is to count.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CountShare")]
struct Share {
    /// Who; anyone when left out.
    user_key: Option<UserKey>,
    /// At least one.
    #[schemars(length(max = 10_000))]
    targets: Vec<Target>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CountTarget")]
struct Target {
    /// The key of a position or a product, as the type of the session says.
    #[schemars(regex(pattern = KEY_PATTERN))]
    target_key: String,
    /// Whether to count everything that is in the position as well, at any depth.
    #[serde(default)]
    include_children: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CountSessionCreated")]
pub(super) struct Created {
    count_session_key: CountSessionKey,
    code: String,
}

pub(super) async fn run(cx: Cx, Json(body): Json<NewSession>) -> Result<Done<Envelope<Created>>> {
    let (asking, now) = (cx.clone(), cx.now());
    let key = CountSessionKey(cx.new_id()?);
    let created = cx.change("create count session", async move |tx: &mut Tx| {
        let mut session = body.session(key, &asking, now);
        check_schedule(&session)?;
        let targets = body.targets(tx, &asking, &session).await?;
        session.code = match &body.count_session.code {
            Some(code) => code.0.clone(),
            None => draw(tx, now).await?,
        };
        sessions::insert(tx, &session).await?;
        assignments::insert_all(tx, &targets).await?;
        envelope("Counting session planned.", Created { count_session_key: key, code: session.code })
    });
    created.await.map_err(taken)
}

/// Draws the next code from the counter for counting sessions.
async fn draw(tx: &mut Tx, now: Timestamp) -> Result<String> {
    let counter_key = counter_of(tx, "counting_sessions").await?;
    let drawn = match &counter_key {
        Some(key) => counters::draw(tx, key, 1, now, sessions::taken_codes).await?,
        None => Drawn::NoCounter,
    };
    drawn_code(drawn, counter_key, "No counter makes codes for counting sessions.")
}

impl NewSession {
    /// The session, as yet without a code.
    fn session(&self, key: CountSessionKey, cx: &Cx, now: Timestamp) -> CountSession {
        let sent = &self.count_session;
        CountSession {
            key,
            rev: 1,
            code: String::new(),
            description: sent.description.clone(),
            notes: sent.notes.clone(),
            kind: sent.kind,
            status: SessionStatus::Planned,
            blind_quantities: sent.blind_quantities,
            blind_serials: sent.blind_serials,
            scheduled_start: sent.scheduled_start,
            scheduled_end: sent.scheduled_end,
            created: now,
            created_by: cx.caller.user_key.clone(),
            started: None,
            completed: None,
            applied: None,
            coverage: None,
            baseline_snapshot_key: None,
            post_count_snapshot_key: None,
            post_adjustment_snapshot_key: None,
            adjustment_list_key: None,
            records_to_process: 0,
            movements_created: 0,
            movements_failed: 0,
            processing_started: None,
            processing_completed: None,
            confirmed_by: None,
            extra: sent.extra.clone(),
        }
    }

    /// All its targets; 400 with everything that is wrong with them.
    async fn targets(&self, tx: &mut Tx, cx: &Cx, session: &CountSession) -> Result<Vec<CountAssignment>> {
        let users: BTreeSet<&UserKey> = self.assignments.iter().filter_map(|share| share.user_key.as_ref()).collect();
        let named = self.assignments.iter().flat_map(|share| &share.targets);
        let named: BTreeSet<&str> = named.map(|target| target.target_key.as_str()).collect();
        let named = Named::load(tx, session.kind, &users, &named).await?;
        let (mut faults, mut all) = (TargetFaults::default(), Vec::new());
        for (row, share) in self.assignments.iter().enumerate() {
            if share.targets.is_empty() {
                faults.add(row, "targets", "There is nothing to count.");
            }
            if !named.has_user(share.user_key.as_ref()) {
                faults.add(row, "user_key", "There is no such user.");
            }
            for (place, target) in share.targets.iter().enumerate() {
                let Some(found) = named.target(&target.target_key) else {
                    faults.add(row, format!("targets[{place}].target_key"), named.unknown());
                    continue;
                };
                let new = NewAssignment {
                    target: found,
                    assigned_to: share.user_key.as_ref(),
                    include_children: target.include_children,
                    notes: None,
                    extra: &Map::new(),
                };
                all.push(planned(cx, session, new)?);
            }
        }
        faults.none()?;
        Ok(all)
    }
}
