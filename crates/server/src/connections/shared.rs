//! A connection that can be watched while its requests are answered: if the client disconnects, that is noticed, and work it
//! was waiting for is not started any more.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use store::Presence;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

/// How often it is checked whether a client is still there.
const LOOK_EVERY: Duration = Duration::from_millis(500);

#[derive(Clone)]
pub(super) struct Shared(Arc<TcpStream>);

impl Shared {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self(Arc::new(stream))
    }

    /// Discards unsent data when it closes.
    pub(super) fn set_zero_linger(&self) -> io::Result<()> {
        self.0.set_zero_linger()
    }

    /// Waits for an answer, and notes when its client closes its side or disconnects.
    pub(super) async fn watch<A>(self, presence: Presence, answer: impl Future<Output = A>) -> A {
        tokio::pin!(answer);
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => return answer,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            if !self.is_closed().await {
                continue;
            }
            let error = self.0.take_error();
            match error {
                Ok(None) => presence.close(),
                Ok(Some(_)) | Err(_) => presence.leave(),
            }
            metrics::counter!("tracewright_clients_gone").increment(1);
            return answer.await;
        }
    }

    /// Waits until the client closes its side or disconnects.
    pub(super) async fn closed(self) {
        while !self.is_closed().await {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        metrics::counter!("tracewright_clients_gone").increment(1);
    }

    /// Whether the client says nothing more. It may have sent more, such as its next request, before it closed.
    async fn is_closed(&self) -> bool {
        tokio::select! {
            biased;
            ready = self.0.ready(Interest::READABLE) => ready.map_or(true, |ready| ready.is_read_closed()),
            () = std::future::ready(()) => false,
        }
    }
}

impl AsyncRead for Shared {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.0.poll_read_ready(cx))?;
            match self.0.try_read(buffer.initialize_unfilled()) {
                Ok(read) => {
                    buffer.advance(read);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl Shared {
    fn poll_send(
        &self,
        cx: &mut Context<'_>,
        send: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.0.poll_write_ready(cx))?;
            match send(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                sent => return Poll::Ready(sent),
            }
        }
    }
}

impl AsyncWrite for Shared {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_send(cx, |stream| stream.try_write(bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_send(cx, |stream| stream.try_write_vectored(pieces))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// It is dropped right after, which closes it.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
