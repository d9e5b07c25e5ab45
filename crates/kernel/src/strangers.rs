//! Refusing who has not signed in. Whatever they send is counted by where it comes from, and beyond the limit leaves one line
//! in each window: nobody outside can fill a log that nobody may empty.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::key::AuditKey;
use store::Tx;
use store::security::throttle;

use crate::Result;
use crate::cx::Open;
use crate::error::ApiError;
use crate::seldom::Seldom;
use crate::trail::{Line, Trail};

/// The answer to a refused request of an operation that anybody may call.
pub(crate) async fn refuse(open: &Open, trail: Arc<Trail>, error: ApiError) -> Response {
    let response = error.into_response();
    let status = response.status();
    let left = match status {
        StatusCode::TOO_MANY_REQUESTS => note_once(open, trail).await.map(|()| None),
        // A wrong password was counted where it was found wrong, and what failed is nobody's try.
        StatusCode::UNAUTHORIZED => open.note_failure(trail, status).await.map(|()| None),
        status if status.is_server_error() => open.note_failure(trail, status).await.map(|()| None),
        status => count(open, trail, status).await,
    };
    match left {
        Ok(Some(wait)) => ApiError::too_many_tries(wait).into_response(),
        Ok(None) => response,
        Err(error) => {
            static UNNOTED: Seldom = Seldom::new();
            if let Some(times) = UNNOTED.times() {
                tracing::error!(times, %status, ?error, "a refused request is missing in the audit log");
            }
            response
        }
    }
}

/// Counts the request and leaves its line; the seconds to wait when there were too many before it.
async fn count(open: &Open, trail: Arc<Trail>, status: StatusCode) -> Result<Option<i64>> {
    let (limits, now, address) = (open.settings.login_limits, open.now(), open.request.address.to_string());
    let wait = open.read(async |tx: &mut Tx| Ok(throttle::wait_of_address(tx, &address, limits, now).await?)).await?;
    if wait.is_some() {
        note_once(open, trail).await?;
        return Ok(wait);
    }
    let (asking, id, key) = (open.clone(), open.new_id()?, AuditKey(open.new_id()?));
    let counted = open.write("count refused request", async move |tx: &mut Tx| {
        throttle::record_of_address(tx, id, &address, now).await?;
        trail.fail(tx, Line { key, time: now, request: &asking.request }, status.as_u16()).await
    });
    counted.await.map(|()| None)
}

/// Leaves the one line of this window, unless it is there.
async fn note_once(open: &Open, trail: Arc<Trail>) -> Result<()> {
    let (limits, now, address) = (open.settings.login_limits, open.now(), open.request.address.to_string());
    let noted = async |tx: &mut Tx| throttle::is_noted(tx, &address, limits, now).await;
    if open.db.glance(noted).await? {
        return Ok(());
    }
    let (asking, key) = (open.clone(), AuditKey(open.new_id()?));
    open.write("note refused requests", async move |tx: &mut Tx| {
        if !throttle::take_note(tx, &address, limits, now).await? {
            return Ok(());
        }
        let line = Line { key, time: now, request: &asking.request };
        trail.fail(tx, line, StatusCode::TOO_MANY_REQUESTS.as_u16()).await
    })
    .await
}
