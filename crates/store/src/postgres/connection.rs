//! Connections, and how they are made.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Once};

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode as DriverMode;
use tokio_postgres::{Client, NoTls, Socket, Statement};

use super::address::{Address, Server, SslMode};
use super::statements::Statements;
use crate::error::describe;

/// Why there is no connection, host by host.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct ConnectError(String);

/// A connection with its prepared statements.
pub(crate) struct Connection {
    client: Client,
    statements: Statements,
    task: JoinHandle<()>,
    made_in: u64,
    trust: Arc<Trust>,
    /// Whether it is not to be used again.
    retired: AtomicBool,
}

/// Grows when the server turns out not to be the one that takes writes: connections from before are not used again, since what
/// they read may be old.
#[derive(Default)]
pub(super) struct Trust(AtomicU64);

impl Connection {
    /// This connection and all that were made before lead to a server that takes no writes.
    pub(super) fn distrust_all(&self) {
        let made_in = self.made_in;
        if self.trust.0.compare_exchange(made_in, made_in + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            tracing::warn!("the database takes no writes: looking for one that does");
        }
    }

    /// It was left in the middle of a transaction.
    pub(super) fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    pub(super) async fn prepare(&self, text: &str) -> Result<Statement, tokio_postgres::Error> {
        self.statements.prepare(&self.client, text).await
    }
}

impl std::ops::Deref for Connection {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// Nobody waits any more for what it still does.
impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Makes connections for a pool.
pub(crate) struct Maker {
    pub(super) address: Arc<Address>,
    pub(super) trust: Arc<Trust>,
    /// What every connection is told first.
    pub(super) session: String,
}

impl Manager for Maker {
    type Type = Connection;
    type Error = ConnectError;

    async fn create(&self) -> Result<Connection, ConnectError> {
        let made_in = self.trust.0.load(Ordering::Relaxed);
        let (client, task) = self.address.connect().await?;
        let trust = self.trust.clone();
        let connection =
            Connection { client, statements: Statements::new(), task, made_in, trust, retired: AtomicBool::new(false) };
        connection.batch_execute(&self.session).await.map_err(|error| ConnectError(describe(&error)))?;
        Ok(connection)
    }

    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<ConnectError> {
        if connection.is_closed() || connection.retired.load(Ordering::Relaxed) {
            return Err(RecycleError::message("the connection is closed"));
        }
        if connection.made_in != self.trust.0.load(Ordering::Relaxed) {
            return Err(RecycleError::message("the server took no writes"));
        }
        Ok(())
    }
}

type Connected = (Client, JoinHandle<()>);

impl Address {
    /// A connection to the first host that can be used.
    async fn connect(&self) -> Result<Connected, ConnectError> {
        let mut reasons = Vec::new();
        let first = if self.any_order { random_below(self.hosts.len()) } else { 0 };
        for host in self.hosts.iter().cycle().skip(first).take(self.hosts.len()) {
            match self.connect_to(host).await {
                Ok(connected) => return Ok(connected),
                Err(error) if self.hosts.len() == 1 => reasons.push(describe(&error)),
                Err(error) => reasons.push(format!("{}: {}", host.name, describe(&error))),
            }
        }
        Err(ConnectError(reasons.join("; ")))
    }

    async fn connect_to(&self, host: &Server) -> Result<Connected, tokio_postgres::Error> {
        let with_tls = async |mode: DriverMode| {
            let (tls, used) = self.tls.watched();
            let (client, connection) = host.config.clone().ssl_mode(mode).connect(tls).await?;
            if !used.load(Ordering::Relaxed) {
                self.warn_of_listeners(host, "the server has no TLS");
            }
            Ok((client, drive(connection)))
        };
        let without = async || {
            let (client, connection) = host.config.clone().ssl_mode(DriverMode::Disable).connect(NoTls).await?;
            Ok((client, drive(connection)))
        };
        match self.mode {
            _ if host.local => without().await,
            SslMode::Disable => without().await,
            SslMode::Allow => match without().await {
                Err(error) if is_about_safety(&error) => with_tls(DriverMode::Require).await,
                connected => {
                    if connected.is_ok() {
                        self.warn_of_listeners(host, "TLS is not asked for first");
                    }
                    connected
                }
            },
            SslMode::Prefer => match with_tls(DriverMode::Prefer).await {
                Err(error) if is_about_safety(&error) => {
                    let connected = without().await;
                    if connected.is_ok() {
                        self.warn_of_listeners(host, &describe(&error));
                    }
                    connected
                }
                connected => connected,
            },
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => with_tls(DriverMode::Require).await,
        }
    }
}

impl Address {
    /// Says that a weak mode has led to a connection without TLS: once, not for every connection.
    fn warn_of_listeners(&self, host: &Server, why: &str) {
        static TOLD: Once = Once::new();
        let mode = if self.mode == SslMode::Allow { "allow" } else { "prefer" };
        TOLD.call_once(|| {
            tracing::warn!(
                host = host.name,
                why,
                "the connection to PostgreSQL is not encrypted, as sslmode={mode} permits: set sslmode=verify-full, or disable \
                 if that is what you want"
            );
        });
    }
}

/// Whether it might go better with TLS, or without: the handshake failed, or the server lets nobody in this way.
fn is_about_safety(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => code.code().starts_with("28"),
        None => error.to_string().starts_with("error performing TLS handshake"),
    }
}

fn drive<S>(connection: tokio_postgres::Connection<Socket, S>) -> JoinHandle<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::warn!(error = describe(&error), "a connection to PostgreSQL ended");
        }
    })
}

fn random_below(count: usize) -> usize {
    let mut random = [0; 8];
    let _ = getrandom::fill(&mut random);
    (u64::from_le_bytes(random) % count.max(1) as u64) as usize
}
