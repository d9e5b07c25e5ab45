//! The body of a request, read whole or as a stream.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use bytes::BytesMut;
use domain::json::{self, Objection};
use futures_util::StreamExt;
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout, timeout_at};

use super::parts::PlaceOf;
use crate::Result;
use crate::aside;
use crate::error::ApiError;
use crate::memory::{Share, UNCOUNTED};

/// How long a client may take to send a body that is kept in memory, or the next chunk of one that is not.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);
/// How many more bytes of an oversized body are read and dropped.
const PASSED_OVER: usize = 64 * 1024 * 1024;

/// The body in the form its reader needs.
pub(crate) enum Received {
    /// The whole body; for JSON, with the reason if it must not be parsed.
    Whole(Bytes, Option<Objection>),
    /// An upload, read while it arrives.
    Arriving(Body),
}

/// Limits for the body of an operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) bytes: usize,
    /// Whether it is read a part at a time, so that its values are never all in memory at once.
    pub(crate) piecemeal: bool,
}

/// Receives the body: 415 if it has the wrong type, 413 if it is too large. The memory it takes, including once it is
/// parsed, counts against the request's share.
pub(crate) async fn receive(
    headers: &HeaderMap,
    body: Body,
    place: Option<PlaceOf>,
    bounds: Bounds,
    share: &Share,
) -> Result<Received> {
    let limit = bounds.bytes;
    let Some(wanted) = place.and_then(PlaceOf::media_type) else {
        // No body is expected; one that is sent anyway is dropped unread.
        return Ok(Received::Whole(Bytes::new(), None));
    };
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let sent_as = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if place == Some(PlaceOf::JsonOrMultipartBody) && is_media_type(sent_as, MULTIPART) {
        return Ok(Received::Arriving(body));
    }
    match headers.get(header::CONTENT_TYPE) {
        Some(sent) if !is_media_type(sent.to_str().unwrap_or(""), wanted) => {
            return Err(ApiError::content_type(wanted));
        }
        None if declared != Some(0) && !http_body::Body::is_end_stream(&body) => {
            return Err(ApiError::content_type(wanted));
        }
        _ => {}
    }
    if place == Some(PlaceOf::MultipartBody) {
        return Ok(Received::Arriving(body));
    }
    if declared.is_some_and(|bytes| bytes > limit) {
        pass_over(body).await;
        return Err(ApiError::too_large(limit as u64));
    }
    let whole = timeout(PATIENCE, collect(body, limit, share)).await.unwrap_or_else(|_| Err(ApiError::body_cut()))?;
    if place == Some(PlaceOf::FormBody) {
        return Ok(Received::Whole(whole, None));
    }
    let measured = whole.clone();
    let extent = aside::run(whole.len(), move || json::measure(&measured)).await;
    let objection = extent.objection();
    // Small bodies don't count, whatever they hold.
    if objection.is_none() && !bounds.piecemeal && whole.len() > UNCOUNTED {
        // Once parsed, and once more as what it is read into.
        share.take((2 * extent.weight()).saturating_sub(whole.len()))?;
    }
    Ok(Received::Whole(whole, objection))
}

/// Cuts the body off after this total time, so that a client which sends a byte now and then can't hold a file open for
/// ever.
pub(crate) fn within(time: Duration, body: Body) -> Body {
    let end = Instant::now() + time;
    let pieces = futures_util::stream::unfold(Some((body.into_data_stream(), end)), async |state| {
        let (mut stream, end) = state?;
        match timeout_at(end, stream.next()).await {
            Ok(piece) => piece.map(|piece| (piece.map_err(std::io::Error::other), Some((stream, end)))),
            Err(_) => Some((Err(std::io::ErrorKind::TimedOut.into()), None)),
        }
    });
    Body::from_stream(pieces)
}

async fn collect(mut body: Body, limit: usize, share: &Share) -> Result<Bytes> {
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| ApiError::body_cut())?.into_data() else { continue };
        if first.len() + all.len() + data.len() > limit {
            pass_over(body).await;
            return Err(ApiError::too_large(limit as u64));
        }
        let taken = share.take(data.len());
        if let Err(error) = taken {
            drop((first, all));
            pass_over(body).await;
            return Err(error);
        }
        // Most bodies arrive in one chunk, which need not be copied.
        if first.is_empty() && all.is_empty() {
            first = data;
        } else {
            all.extend_from_slice(&std::mem::take(&mut first));
            all.extend_from_slice(&data);
        }
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}

/// Reads on for a moment and drops the bytes: closing a connection while the client is still sending resets it, and the
/// answer may be lost.
async fn pass_over(mut body: Body) {
    let reading = async {
        let mut read = 0;
        while let Some(Ok(frame)) = body.frame().await {
            read += frame.into_data().map_or(0, |data| data.len());
            if read > PASSED_OVER {
                break;
            }
        }
    };
    let _ = timeout(Duration::from_secs(2), reading).await;
}

pub(super) const MULTIPART: &str = "multipart/form-data";

pub(super) fn is_media_type(sent: &str, wanted: &str) -> bool {
    let sent = sent.split(';').next().unwrap_or("").trim();
    sent.eq_ignore_ascii_case(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_a_media_type_do_not_count() {
        assert!(is_media_type("Application/JSON; charset=utf-8", "application/json"));
        assert!(!is_media_type("text/json", "application/json"));
    }
}
