use std::collections::{BTreeSet, HashMap};

use domain::counting::{AssignmentStatus, CountAssignment, CountSession, CountType};
use domain::key::{CountAssignmentKey, CountSessionKey, KEY_PATTERN, UserKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::Tx;
use store::counting::{assignments, sessions};

use super::targets::{Named, NewAssignment, TargetFaults, planned};
use crate::Result;
use crate::areas::counting::session::not_found;
use crate::areas::counting::wrong_state;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Json;
use crate::reply::{Done, Envelope, envelope};

/// A target to be counted in a session.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CountAssignmentInput")]
pub(super) struct Sent {
    /// The session, the same for all.
    inventory_count_session_key: CountSessionKey,
    /// The key of a position or a product, as the type of the session says.
    #[schemars(regex(pattern = KEY_PATTERN))]
    target_key: String,
    /// That of the session, if sent.
    target_type: Option<CountType>,
    /// Who is to count it; anyone when left out.
    assigned_to: Option<UserKey>,
    /// Whether to count everything that is in the position as well, at any depth.
    #[serde(default)]
    include_children: bool,
    #[schemars(length(max = 2000))]
    notes: Option<String>,
    /// Anything, stored as it is; at most 4,096 bytes as JSON.
    #[serde(default)]
    #[schemars(extend("x-checked-as" = "extra"))]
    extra: Map<String, Value>,
}

/// Targets to be counted in a session.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CountAssignmentInputs")]
pub(super) struct NewAssignments(#[schemars(length(max = 10_000))] Vec<Sent>);

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CountAssignmentCount")]
pub(super) struct Counted {
    assignment_count: usize,
}

pub(super) async fn create(cx: Cx, Json(body): Json<NewAssignments>) -> Result<Done<Envelope<Counted>>> {
    let asking = cx.clone();
    cx.change("create count assignments", async move |tx: &mut Tx| {
        let NewAssignments(sent) = &body;
        let key = one_session(sent)?;
        let session = sessions::lock(tx, key).await?.ok_or_else(not_found)?;
        if !session.status.takes_assignments() {
            return Err(wrong_state(&session, "Targets can be added only while a session is planned or started."));
        }
        let new = targets(tx, &asking, &session, sent).await?;
        assignments::insert_all(tx, &new).await?;
        envelope("Assignments created.", Counted { assignment_count: new.len() })
    })
    .await
}

/// The session that all of them name.
fn one_session(sent: &[Sent]) -> Result<CountSessionKey> {
    let Some(first) = sent.first() else { return Err(ApiError::bad_request("Send at least one assignment.")) };
    let key = first.inventory_count_session_key;
    let mut faults = TargetFaults::default();
    for (row, _) in sent.iter().enumerate().filter(|(_, sent)| sent.inventory_count_session_key != key) {
        faults.add(row, "inventory_count_session_key", "It has to be the same for all.");
    }
    faults.none()?;
    Ok(key)
}

/// All assignments; 400 with everything that is wrong with them.
async fn targets(tx: &mut Tx, cx: &Cx, session: &CountSession, sent: &[Sent]) -> Result<Vec<CountAssignment>> {
    let users: BTreeSet<&UserKey> = sent.iter().filter_map(|sent| sent.assigned_to.as_ref()).collect();
    let named: BTreeSet<&str> = sent.iter().map(|sent| sent.target_key.as_str()).collect();
    let named = Named::load(tx, session.kind, &users, &named).await?;
    let (mut faults, mut all) = (TargetFaults::default(), Vec::with_capacity(sent.len()));
    for (row, sent) in sent.iter().enumerate() {
        if sent.target_type.is_some_and(|kind| kind != session.kind) {
            faults.add(row, "target_type", "The session has targets of another type.");
            continue;
        }
        if !named.has_user(sent.assigned_to.as_ref()) {
            faults.add(row, "assigned_to", "There is no such user.");
        }
        let Some(target) = named.target(&sent.target_key) else {
            faults.add(row, "target_key", named.unknown());
            continue;
        };
        let new = NewAssignment {
            target,
            assigned_to: sent.assigned_to.as_ref(),
            include_children: sent.include_children,
            notes: sent.notes.as_deref(),
            extra: &sent.extra,
        };
        all.push(planned(cx, session, new)?);
    }
    faults.none()?;
    Ok(all)
}

/// Assignments to be canceled.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CountAssignmentCancellation")]
pub(super) struct Canceled {
    #[schemars(length(max = 10_000))]
    assignment_keys: Vec<CountAssignmentKey>,
}

pub(super) async fn cancel(cx: Cx, Json(body): Json<Canceled>) -> Result<Done<Envelope<Counted>>> {
    if body.assignment_keys.is_empty() {
        return Err(ApiError::bad_request("Send at least one assignment_key."));
    }
    cx.change("cancel count assignments", async move |tx: &mut Tx| {
        let wanted: BTreeSet<i64> = body.assignment_keys.iter().map(|key| key.0).collect();
        let wanted: Vec<i64> = wanted.into_iter().collect();
        lock_sessions(tx, &wanted).await?;
        let found = assignments::find_all(tx, &wanted).await?;
        check_planned(&body.assignment_keys, &found)?;
        assignments::cancel(tx, &wanted).await?;
        envelope("Assignments canceled.", Counted { assignment_count: found.len() })
    })
    .await
}

/// Nobody starts an assignment meanwhile.
async fn lock_sessions(tx: &mut Tx, assignments: &[i64]) -> Result<()> {
    let found = assignments::find_all(tx, assignments).await?;
    let concerned: BTreeSet<CountSessionKey> = found.iter().map(|assignment| assignment.session_key).collect();
    for key in concerned {
        sessions::lock(tx, key).await?;
    }
    Ok(())
}

/// 400 with all those that can't be canceled.
fn check_planned(sent: &[CountAssignmentKey], found: &[CountAssignment]) -> Result<()> {
    let states: HashMap<CountAssignmentKey, AssignmentStatus> =
        found.iter().map(|assignment| (assignment.key, assignment.status)).collect();
    let mut faults = TargetFaults::default();
    for (row, key) in sent.iter().enumerate() {
        match states.get(key) {
            Some(AssignmentStatus::Planned) => {}
            Some(_) => faults.add(row, "assignment_keys", "It is not planned."),
            None => faults.add(row, "assignment_keys", "There is no such assignment."),
        }
    }
    faults.none()
}
