//! Answers that do not end by themselves: messages as server-sent events. They are made only as fast as the client takes them, so
//! a slow client costs no memory. They end when the service stops, and when the caller's rights do.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use schemars::{Schema, SchemaGenerator, json_schema};
use store::{StoreError, describe};
use tokio::time::{Instant, sleep_until, timeout};

use crate::cx::Cx;
use crate::feed::Follower;
use crate::fixed::Uncompressed;
use crate::reply::Answer;
use crate::seldom::Seldom;
use crate::{ApiError, Result};

pub use crate::places::{Place, StreamLimits, Streams};

pub(crate) const EVENT_STREAM: &str = "text/event-stream";
/// How it begins: after a break a client waits three seconds, then it connects again.
const BEGINNING: &[u8] = b"retry: 3000\n\n";
/// Says that the stream is alive.
const COMMENT: &[u8] = b":\n\n";

/// Where the messages of a stream come from.
pub trait Messages: Send + 'static {
    /// Waits for the next messages as text, perhaps none. It may be dropped before it is done, and loses nothing; nor does it when it
    /// fails.
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
        let open = Open {
            follower: cx.feed.follower(),
            cx,
            messages,
            quiet,
            check,
            speak_at: now + quiet,
            check_at: now + check,
            sure_at: now,
            read_at: now,
            _place: place,
        };
        let beginning = stream::iter([Bytes::from_static(BEGINNING)]);
        let texts = beginning.chain(stream::unfold(open, next)).map(Ok::<_, Infallible>);
        Self(Body::from_stream(texts))
    }
}

/// How often the caller's rights are checked, as a part of the time after which a quiet stream says that it is alive.
const CHECK: f64 = 2.0 / 3.0;
/// How long a check may take.
const ANSWER: Duration = Duration::from_secs(5);
/// A database that fails is asked again after so long: a short shortage ends no stream.
const REST: Duration = Duration::from_secs(1);
/// So long a stream goes on though nobody knows whether it may.
const UNSURE: Duration = Duration::from_secs(60);

/// A stream under way.
struct Open<M> {
    cx: Cx,
    follower: Follower,
    messages: M,
    quiet: Duration,
    check: Duration,
    /// When it says something if nothing happens until then.
    speak_at: Instant,
    check_at: Instant,
    /// When it was known for the last time that it may go on.
    sure_at: Instant,
    /// Nothing is read before.
    read_at: Instant,
    _place: Place,
}

enum Turn {
    Check,
    Messages(Result<Vec<u8>>),
    Speak,
}

async fn next<M: Messages>(mut open: Open<M>) -> Option<(Bytes, Open<M>)> {
    let text = open.text().await?;
    open.speak_at = Instant::now() + open.quiet;
    Some((text, open))
}

async fn take(messages: &mut impl Messages, at: Instant) -> Result<Vec<u8>> {
    sleep_until(at).await;
    messages.take().await
}

impl<M: Messages> Open<M> {
    /// None if the caller may not follow it any more, or nobody has known for long. Nothing is read as long as nobody knows.
    async fn check_rights(&mut self) -> Option<()> {
        let answer = timeout(ANSWER, self.cx.still_stands()).await;
        let now = Instant::now();
        match answer {
            Ok(Ok(())) => {
                (self.sure_at, self.check_at) = (now, now + self.check);
                Some(())
            }
            Err(_) | Ok(Err(ApiError::Store(_))) if now - self.sure_at < UNSURE => {
                (self.check_at, self.read_at) = (now + REST, now + REST);
                Some(())
            }
            Ok(Err(error)) => {
                ended(&error);
                None
            }
            Err(_) => {
                tracing::debug!("a stream ended: the database did not say whether it may go on");
                None
            }
        }
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
                () = self.follower.ended() => return None,
                // First, so that messages without end do not put it off.
                () = sleep_until(self.check_at) => Turn::Check,
                // Before messages: there may be many to read that are on other topics.
                () = sleep_until(self.speak_at) => Turn::Speak,
                taken = take(&mut self.messages, self.read_at) => Turn::Messages(taken),
            };
            match turn {
                Turn::Check => self.check_rights().await?,
                Turn::Messages(Ok(text)) if text.is_empty() => {}
                Turn::Messages(Ok(text)) => return Some(text.into()),
                Turn::Messages(Err(ApiError::Store(error))) => {
                    unread(&error);
                    self.read_at = Instant::now() + REST;
                }
                Turn::Messages(Err(error)) => {
                    ended(&error);
                    return None;
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

fn unread(error: &StoreError) {
    static UNREAD: Seldom = Seldom::new();
    if let Some(times) = UNREAD.times() {
        tracing::warn!(times, error = describe(error), "what streams tell could not be read and will be tried again");
    }
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
