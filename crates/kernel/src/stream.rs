//! Answers that do not end by themselves: messages as server-sent events. They are made only as fast as the client takes them, so
//! a slow client costs no memory. They end when the service stops, and when the caller's rights do.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use schemars::{Schema, SchemaGenerator, json_schema};
use tokio::time::{Instant, sleep_until};

use crate::cx::Cx;
use crate::fixed::Uncompressed;
use crate::reply::Answer;
use crate::{ApiError, Result};

pub use crate::places::{Place, StreamLimits, Streams};

pub(crate) const EVENT_STREAM: &str = "text/event-stream";
/// How it begins: after a break a client waits three seconds, then it connects again.
const BEGINNING: &[u8] = b"retry: 3000\n\n";
/// Says that the stream is alive.
const COMMENT: &[u8] = b":\n\n";

/// Where the messages of a stream come from.
pub trait Messages: Send + 'static {
    /// Waits until there may be messages. It may be called again before it is done.
    fn ready(&mut self) -> impl Future<Output = ()> + Send;

    /// The next messages as text, perhaps none.
    fn take(&mut self) -> impl Future<Output = Result<Vec<u8>>> + Send;

    /// The number up to which there is nothing more to say; none if nothing was read since the last message.
    fn passed(&self) -> Option<i64>;
}

/// An answer with this extension goes on until somebody ends it.
#[derive(Debug, Clone, Copy)]
pub struct Endless;

/// An endless answer.
pub struct EventStream(Body);

impl EventStream {
    /// Takes a place for a stream of the caller.
    pub fn place(cx: &Cx) -> Result<Place> {
        cx.streams.enter(&cx.caller.user_key)
    }

    pub fn new(cx: Cx, place: Place, messages: impl Messages) -> Self {
        let quiet = cx.settings.stream_quiet;
        let check = quiet.mul_f64(CHECK);
        let now = Instant::now();
        let open = Open { cx, messages, quiet, check, speak_at: now + quiet, check_at: now + check, _place: place };
        let beginning = stream::iter([Bytes::from_static(BEGINNING)]);
        let texts = beginning.chain(stream::unfold(open, next)).map(Ok::<_, Infallible>);
        Self(Body::from_stream(texts))
    }
}

/// How often the caller's rights are checked, as a part of the time after which a quiet stream says that it is alive.
const CHECK: f64 = 2.0 / 3.0;

/// A stream under way.
struct Open<M> {
    cx: Cx,
    messages: M,
    quiet: Duration,
    check: Duration,
    /// When it says something if nothing happens until then.
    speak_at: Instant,
    check_at: Instant,
    _place: Place,
}

enum Turn {
    Check,
    Messages,
    Speak,
}

async fn next<M: Messages>(mut open: Open<M>) -> Option<(Bytes, Open<M>)> {
    let text = open.text().await?;
    open.speak_at = Instant::now() + open.quiet;
    Some((text, open))
}

impl<M: Messages> Open<M> {
    /// None if the caller may not follow it any more.
    async fn check_rights(&mut self) -> Option<()> {
        self.cx.still_stands().await.map_err(|error| ended(&error)).ok()?;
        self.check_at = Instant::now() + self.check;
        Some(())
    }

    /// Says that it is alive, and how far it has come: whoever connects again goes on from there.
    fn comment(&self) -> Bytes {
        match self.messages.passed() {
            Some(number) => format!(":\nid: {number}\n\n").into(),
            None => Bytes::from_static(COMMENT),
        }
    }

    /// What it says next; nothing more if it ends.
    async fn text(&mut self) -> Option<Bytes> {
        loop {
            let turn = tokio::select! {
                biased;
                () = self.cx.feed.ended() => return None,
                // First, so that messages without end do not put it off.
                () = sleep_until(self.check_at) => Turn::Check,
                // Before messages: there may be many to read that are on other topics.
                () = sleep_until(self.speak_at) => Turn::Speak,
                () = self.messages.ready() => Turn::Messages,
            };
            match turn {
                Turn::Check => self.check_rights().await?,
                Turn::Messages => {
                    let taken = tokio::select! {
                        biased;
                        () = self.cx.feed.ended() => return None,
                        taken = self.messages.take() => taken,
                    };
                    let text = taken.map_err(|error| ended(&error)).ok()?;
                    if text.is_empty() {
                        continue;
                    }
                    // It may have waited long for its turn to read.
                    if Instant::now() >= self.check_at {
                        self.check_rights().await?;
                    }
                    return Some(text.into());
                }
                Turn::Speak => return Some(self.comment()),
            }
        }
    }
}

/// The client connects again, and then hears why.
fn ended(error: &ApiError) {
    tracing::debug!(?error, "a stream ended");
}

impl Answer for EventStream {
    const MEDIA_TYPES: &'static [&'static str] = &[EVENT_STREAM];
    const ENDLESS: bool = true;

    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }

    fn body(&self, _: StatusCode) -> Result<String> {
        Err(ApiError::internal("an endless answer is no text", None))
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // Proxies pass messages on at once.
        headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    }

    fn into_response(self, status: StatusCode) -> Result<Response> {
        let mut headers = HeaderMap::new();
        self.add_headers(&mut headers);
        let mut response = Response::new(self.0);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response.extensions_mut().insert(Uncompressed);
        response.extensions_mut().insert(Endless);
        Ok(response)
    }
}
