//! Refuses unauthenticated requests. They are counted by address, and beyond the limit leave one audit log entry per window:
//! nobody outside can fill a log that nobody may empty.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::key::AuditKey;
use store::Tx;
use store::security::throttle;

use crate::Result;
use crate::cx::PublicCx;
use crate::error::ApiError;
use crate::seldom::Seldom;
use crate::trail::{NewEntry, Trail};

/// The answer to a refused request to a public operation.
pub(crate) async fn refuse(cx: &PublicCx, trail: Arc<Trail>, error: ApiError) -> Response {
    let response = error.into_response();
    let status = response.status();
    let left = match status {
        StatusCode::TOO_MANY_REQUESTS => note_once(cx, trail).await.map(|()| None),
        // A wrong password was counted where it was checked, and a server error is not an attempt.
        StatusCode::UNAUTHORIZED => cx.note_failure(trail, status).await.map(|()| None),
        status if status.is_server_error() => cx.note_failure(trail, status).await.map(|()| None),
        status => count(cx, trail, status).await,
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

/// Counts the request and writes its entry. Returns the seconds to wait if there were too many before it.
async fn count(cx: &PublicCx, trail: Arc<Trail>, status: StatusCode) -> Result<Option<i64>> {
    let (limits, now, address) = (cx.settings.login_limits, cx.now(), cx.request.address.to_string());
    let wait = cx.read(async |tx: &mut Tx| Ok(throttle::wait_of_address(tx, &address, limits, now).await?)).await?;
    if wait.is_some() {
        note_once(cx, trail).await?;
        return Ok(wait);
    }
    let (asking, id, key) = (cx.clone(), cx.new_id()?, AuditKey(cx.new_id()?));
    let counted = cx.write("count refused request", async move |tx: &mut Tx| {
        throttle::record_of_address(tx, id, &address, now).await?;
        trail.fail(tx, NewEntry { key, time: now, request: &asking.request }, status.as_u16()).await
    });
    counted.await.map(|()| None)
}

/// Writes the one entry of this window, unless it exists.
async fn note_once(cx: &PublicCx, trail: Arc<Trail>) -> Result<()> {
    let (limits, now, address) = (cx.settings.login_limits, cx.now(), cx.request.address.to_string());
    let noted = async |tx: &mut Tx| throttle::is_noted(tx, &address, limits, now).await;
    if cx.db.glance(noted).await? {
        return Ok(());
    }
    let (asking, key) = (cx.clone(), AuditKey(cx.new_id()?));
    cx.write("note refused requests", async move |tx: &mut Tx| {
        if !throttle::take_note(tx, &address, limits, now).await? {
            return Ok(());
        }
        let entry = NewEntry { key, time: now, request: &asking.request };
        trail.fail(tx, entry, StatusCode::TOO_MANY_REQUESTS.as_u16()).await
    })
    .await
}
