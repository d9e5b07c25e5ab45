//! State shared by all requests. Nothing here is lost with the process: everything durable is in the database.

use std::sync::Arc;
use std::time::Duration;

use domain::Timestamp;
use ipnet::IpNet;
use store::media::Media;
use store::node::Node;
use store::security::throttle::Limits;
use store::{Db, Tx};

use crate::auth::{Guard, PasswordCost, Passwords, Signer};
use crate::clock::Clock;
use crate::error::ApiError;
use crate::feed::Feed;
use crate::memory::Memory;
use crate::places::{StreamLimits, Streams};

#[derive(Debug, Clone)]
pub struct Settings {
    pub login_limits: Limits,
    /// Networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Origins of web pages on other hosts that may call the API.
    pub cors_origins: Vec<String>,
    /// Maximum size of one uploaded file, in bytes.
    pub upload_limit: u64,
    /// Maximum memory for what all requests together send and read, in bytes.
    pub request_memory: usize,
    /// How long one upload may take in total.
    pub upload_time: Duration,
    pub streams: StreamLimits,
    /// After so long without a message a stream says that it is alive.
    pub stream_quiet: Duration,
    /// Networks that webhooks may reach although they are not public.
    pub webhook_allow_private: Vec<IpNet>,
    pub password_cost: PasswordCost,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            login_limits: Limits { per_username: 10, per_address: 100, window_seconds: 900 },
            trusted_proxies: Vec::new(),
            cors_origins: Vec::new(),
            upload_limit: 100 * 1024 * 1024,
            request_memory: 1024 * 1024 * 1024,
            upload_time: Duration::from_secs(60 * 60),
            streams: StreamLimits { all: 256, per_user: 16 },
            stream_quiet: Duration::from_secs(14),
            webhook_allow_private: Vec::new(),
            password_cost: PasswordCost::FULL,
        }
    }
}

pub struct App {
    /// Requests use the one of their context, which limits how much memory they take.
    pub db: Db,
    /// The database over reserved connections, for what must be answered under any load: tokens and sign-ins.
    pub urgent: Db,
    pub media: Media,
    pub node: Node,
    pub clock: Clock,
    pub settings: Settings,
    pub signer: Arc<Signer>,
    pub guard: Arc<Guard>,
    pub passwords: Passwords,
    pub memory: Memory,
    /// How far the journal goes, and the newest messages.
    pub feed: Feed,
    /// Those that are open.
    pub streams: Arc<Streams>,
}

impl App {
    pub fn new(db: Db, media: Media, node: Node, clock: Clock, settings: Settings, signer: Signer) -> Arc<Self> {
        let signer = Arc::new(signer);
        Arc::new(Self {
            urgent: db.urgent(),
            guard: Guard::new(db.clone(), clock.clone(), signer.clone()),
            db,
            media,
            node,
            clock,
            memory: Memory::new(settings.request_memory),
            streams: Streams::new(settings.streams),
            passwords: Passwords::new(settings.password_cost),
            settings,
            signer,
            feed: Feed::new(),
        })
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Renews the lease of this node's number and its key reserve, by the time of the database. Refused once another node
    /// has migrated the database to a version this one doesn't know.
    pub async fn renew(&self) -> store::Result<()> {
        let db = self.db.background();
        if !db.is_current().await? {
            return Ok(());
        }
        self.clock.align(&db).await?;
        self.node.renew(&db, self.now()).await
    }

    pub fn new_id(&self) -> Result<i64, ApiError> {
        Ok(self.node.next_id(self.now())?)
    }

    /// The first revision of a record: higher than those of a record that had its key before.
    pub fn new_revision(&self) -> Result<i64, ApiError> {
        self.new_id()
    }

    /// A new key for a record with a text key.
    pub fn new_key(&self) -> Result<String, ApiError> {
        self.new_id().map(domain::key::id_to_text)
    }

    /// The only way to change the database.
    pub async fn write<T, F>(&self, name: &'static str, work: F) -> Result<T, ApiError>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx) -> Result<T, ApiError> + Send + 'static,
    {
        self.db.write(name, work).await
    }

    /// Reads one snapshot for whoever has no request; requests read by their context.
    pub async fn read<T, F>(&self, work: F) -> Result<T, ApiError>
    where
        F: AsyncFnOnce(&mut Tx) -> Result<T, ApiError>,
    {
        self.db.read(work).await
    }
}
