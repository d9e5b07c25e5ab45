//! Pacing: a client that must send or receive something, and does not, loses its connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::seats::Seat;
use super::shared::Shared;

/// A client must transfer this many bytes within the given time; a byte now and then is not enough.
const HEADWAY: usize = 16 * 1024;

/// A clock that runs while we wait for the client.
struct Turn {
    patience: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    /// Since when we have been waiting for the client; `None` while we are not.
    since: Option<Instant>,
    /// How much of its time the client has used since it last made progress.
    spent: Duration,
    moved: usize,
}

impl Turn {
    fn new(patience: Duration) -> Self {
        Self { patience, timer: None, since: None, spent: Duration::ZERO, moved: 0 }
    }

    /// Only the client can make progress now. Ready when its time is over.
    fn poll_over(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.since.is_none() {
            let now = Instant::now();
            self.since = Some(now);
            let until = now + self.patience.saturating_sub(self.spent);
            match &mut self.timer {
                Some(timer) => timer.as_mut().reset(until),
                None => self.timer = Some(Box::pin(sleep_until(until))),
            }
        }
        self.timer.as_mut().map_or(Poll::Pending, |timer| timer.as_mut().poll(cx))
    }

    /// Some bytes were transferred, whether or not we were waiting.
    fn moved(&mut self, bytes: usize) {
        if let Some(since) = self.since.take() {
            self.spent += since.elapsed();
        }
        self.moved += bytes;
        if self.moved >= HEADWAY {
            self.done();
        }
    }

    /// Everything was transferred.
    fn done(&mut self) {
        (self.since, self.spent, self.moved) = (None, Duration::ZERO, 0);
    }
}

fn too_slow() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the client stood still for too long")
}

/// A connection whose client has to receive what it asked for.
pub(super) struct PacedStream {
    stream: Shared,
    seat: Arc<Seat>,
    turn: Turn,
}

impl PacedStream {
    pub(super) fn new(stream: Shared, seat: Arc<Seat>, patience: Duration) -> Self {
        Self { stream, seat, turn: Turn::new(patience) }
    }

    fn written(&mut self, cx: &mut Context<'_>, result: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match result {
            Poll::Ready(Ok(bytes)) => {
                self.turn.moved(bytes);
                Poll::Ready(Ok(bytes))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                self.seat.owes(true);
                ready!(self.turn.poll_over(cx));
                // What it has not read so far, it will not read from the system's buffers either.
                let _ = self.stream.set_zero_linger();
                Poll::Ready(Err(too_slow()))
            }
        }
    }
}

impl AsyncRead for PacedStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for PacedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.written(cx, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.written(cx, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Completes when everything was written.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.turn.done();
        self.seat.owes(false);
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// A body that its client has to send. Only the time spent waiting for it counts, not that of its reader.
pub(super) struct PacedBody {
    body: Incoming,
    seat: Arc<Seat>,
    turn: Turn,
}

impl PacedBody {
    pub(super) fn new(body: Incoming, seat: Arc<Seat>, patience: Duration) -> Self {
        Self { body, seat, turn: Turn::new(patience) }
    }
}

impl Drop for PacedBody {
    fn drop(&mut self) {
        self.seat.has_body();
    }
}

impl Body for PacedBody {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if polled.is_ready() {
            self.seat.has_body();
        } else {
            self.seat.wants_body();
        }
        match polled {
            Poll::Ready(Some(Ok(frame))) => {
                self.turn.moved(frame.data_ref().map_or(0, Bytes::len));
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error.into()))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                ready!(self.turn.poll_over(cx));
                Poll::Ready(Some(Err(too_slow().into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
