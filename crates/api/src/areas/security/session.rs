use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{TokenKey, UserKey, UserSessionKey, record_id};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::Tx;
use store::security::sessions::{self, ListedSession, UserSession};
use store::security::{tokens, users};

use crate::Result;
use crate::auth::Caller;
use crate::cx::Cx;
use crate::error::{ApiError, Unauthorized};
use crate::input::{Json, Paging, Path, Query};
use crate::reply::{Done, Envelope, Listed, envelope};

/// Idle time after which the console locks.
const IDLE_TIMEOUT: &str = "PT30M";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StartSession {
    /// The user who signed in.
    user_key: UserKey,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SessionStarted")]
pub(super) struct Started {
    session_key: UserSessionKey,
    user_key: UserKey,
    name: Option<String>,
    surname: Option<String>,
    scope: String,
    preferences: Map<String, Value>,
    /// Idle time until the console locks, as an ISO 8601 duration.
    timeout: &'static str,
    expires_at: Timestamp,
}

pub(super) async fn start(cx: Cx, Json(body): Json<StartSession>) -> Result<Done<Envelope<Started>>> {
    let caller = cx.caller.clone();
    if caller.user_key != body.user_key {
        let token = caller.token_key.clone();
        cx.write("revoke token", async move |tx: &mut Tx| Ok(tokens::revoke(tx, &token).await?)).await?;
        return Err(ApiError::unauthorized(Unauthorized::Owner));
    }
    let key = UserSessionKey(cx.new_id()?);
    let (now, request) = (cx.now(), cx.request.clone());
    cx.change("start session", async move |tx: &mut Tx| {
        let user = users::lock(tx, &caller.user_key).await?;
        let token = tokens::judge(tx, &caller.token_key).await?;
        // Another sign-in may have revoked it while this one waited.
        let (Some(user), Some(token)) = (user, token.filter(|token| !token.revoked)) else {
            return Err(ApiError::unauthorized(Unauthorized::Token));
        };
        let session_key = match token.session_key {
            Some(open) => open,
            None => {
                let session = UserSession {
                    key,
                    active: true,
                    user_key: user.key.clone(),
                    token_key: caller.token_key.clone(),
                    login_at: now,
                    logout_at: None,
                    scope: user.scope.clone(),
                    name: user.name.clone(),
                    surname: user.surname.clone(),
                    address: Some(request.address.to_string()),
                    user_agent: request.user_agent.clone(),
                };
                sessions::insert(tx, &session).await?;
                key
            }
        };
        let started = Started {
            session_key,
            user_key: user.key,
            name: user.name,
            surname: user.surname,
            scope: user.scope,
            preferences: domain::preferences::shown(&user.preferences),
            timeout: IDLE_TIMEOUT,
            expires_at: caller.expires_at,
        };
        envelope("Session is open.", started)
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct SessionPath {
    /// The key of a session.
    session_key: UserSessionKey,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CloseQuery {
    /// Closes another user's session; needs coarse `admin` or `production`.
    force: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SessionClosed")]
pub(super) struct Closed {
    session_key: UserSessionKey,
}

pub(super) async fn close(
    cx: Cx,
    Path(path): Path<SessionPath>,
    Query(query): Query<CloseQuery>,
) -> Result<Done<Envelope<Closed>>> {
    let (caller, now) = (cx.caller.clone(), cx.now());
    let force = query.force.unwrap_or(false);
    cx.change("close session", async move |tx: &mut Tx| {
        let session = sessions::lock(tx, path.session_key).await?;
        let session = session.ok_or_else(|| ApiError::missing(Collection::UserSession))?;
        if !may_close(&caller, &session, force) {
            return Err(ApiError::unauthorized(Unauthorized::Owner));
        }
        sessions::close(tx, &session, now).await?;
        envelope("Session closed.", Closed { session_key: path.session_key })
    })
    .await
}

fn may_close(caller: &Caller, session: &UserSession, force: bool) -> bool {
    if caller.expired {
        return session.token_key == caller.token_key;
    }
    let supervisor = caller.has_coarse("admin") || caller.has_coarse("production");
    session.user_key == caller.user_key || (force && supervisor)
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct SessionsQuery {
    /// The sessions of all users; needs coarse `admin` or `production`.
    #[serde(default)]
    all: bool,
    /// The sessions of one user; another user's need coarse `admin` or `production`.
    user_key: Option<UserKey>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UserSession")]
pub(super) struct SessionRow {
    _id: String,
    _key: UserSessionKey,
    active: bool,
    user_key: UserKey,
    username: String,
    token_key: TokenKey,
    login_at: Timestamp,
    logout_at: Option<Timestamp>,
    scope: String,
    name: Option<String>,
    surname: Option<String>,
    address: Option<String>,
    user_agent: Option<String>,
    expires_at: Timestamp,
    /// Whether it is the session of the token in use.
    current: bool,
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<SessionsQuery>,
    Paging(page): Paging<200>,
) -> Result<Listed<SessionRow>> {
    let caller = cx.caller.clone();
    let foreign = query.all || query.user_key.as_ref().is_some_and(|key| *key != caller.user_key);
    if foreign && !caller.has_coarse("admin") && !caller.has_coarse("production") {
        return Err(ApiError::forbidden("Other users' sessions need the scope admin or production."));
    }
    let user = match query.user_key {
        None if query.all => None,
        None => Some(caller.user_key.clone()),
        some => some,
    };
    let now = cx.now();
    let found = cx.db.read_long(async move |tx: &mut Tx| sessions::list(tx, user.as_ref(), now, &page).await).await?;
    let rows = found.rows.into_iter().map(|row| shown(row, &caller)).collect();
    Ok(Listed { rows, total: found.total })
}

fn shown(row: ListedSession, caller: &Caller) -> SessionRow {
    let session = row.session;
    SessionRow {
        _id: record_id(Collection::UserSession, session.key),
        _key: session.key,
        active: session.active,
        user_key: session.user_key,
        username: row.username,
        current: session.token_key == caller.token_key,
        token_key: session.token_key,
        login_at: session.login_at,
        logout_at: session.logout_at,
        scope: session.scope,
        name: session.name,
        surname: session.surname,
        address: session.address,
        user_agent: session.user_agent,
        expires_at: row.expires_at,
    }
}
