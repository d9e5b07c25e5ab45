//! Settings: flags override `TRACEWRIGHT_*` variables, those override `tracewright.toml`, and that overrides the defaults.

mod figures;
mod file;
mod media;
mod variables;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use api::auth::{MIN_SECRET_BYTES, PasswordCost};
use api::stream::StreamLimits;
use clap::Args;
use ipnet::IpNet;
use serde::Deserialize;
use store::Location;
use store::security::throttle::Limits;
use thiserror::Error;

use crate::{connections, logs};

pub use variables::{unknown_variables, wrong_variable};

#[derive(Debug, Error)]
pub enum SettingError {
    #[error("the settings file {file} can't be read: {reason}")]
    File { file: String, reason: String },
    #[error("in the settings file {file} {reason}")]
    Key { file: String, reason: String },
    #[error("the setting {name} is wrong: {reason}")]
    Value { name: &'static str, reason: String },
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Several(Vec<SettingError>),
}

impl SettingError {
    /// Fails if there are any.
    fn all(faults: Vec<SettingError>) -> Result<(), SettingError> {
        if faults.is_empty() { Ok(()) } else { Err(SettingError::Several(faults)) }
    }
}

macro_rules! settings {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)+) => {
        /// As given by flag, variable or file; `None` if not given.
        #[derive(Debug, Clone, Default, Args, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Settings {
            $($(#[$doc])* pub $field: Option<$type>,)+
        }

        impl Settings {
            /// Every setting with the name of its type.
            const FIELDS: &[(&str, &str)] = &[$((stringify!($field), stringify!($type)),)+];

            /// Fills what is not given here from `other`.
            fn or(self, other: Settings) -> Settings {
                Settings { $($field: self.$field.or(other.$field),)+ }
            }
        }
    };
}

settings! {
    /// Address to listen on [default: 127.0.0.1:8080]
    #[arg(long, env = "TRACEWRIGHT_LISTEN", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// Folder for the embedded database and the stored files [default: ./data]
    #[arg(long, env = "TRACEWRIGHT_DATA", value_name = "FOLDER")]
    data: PathBuf,
    /// PostgreSQL instead of the embedded database: postgres://user:password@host/name
    #[arg(long, env = "TRACEWRIGHT_DATABASE", value_name = "URL", hide_env_values = true)]
    database: String,
    /// Connections to PostgreSQL that this node may open [default: 16]
    #[arg(long, env = "TRACEWRIGHT_DATABASE_CONNECTIONS", value_name = "NUMBER")]
    database_connections: usize,
    /// Maximum number of writes of the embedded database that share one commit [default: 128]
    #[arg(long, env = "TRACEWRIGHT_WRITE_GROUP", value_name = "NUMBER")]
    write_group: usize,
    /// Format of log lines: human, json, or auto, which is human on a terminal [default: auto]
    #[arg(long, env = "TRACEWRIGHT_LOG_FORMAT", value_name = "human|json|auto")]
    log_format: String,
    /// What is logged: error, warn, info, debug, trace, or per part such as info,store=debug [default: info]
    #[arg(long, env = "TRACEWRIGHT_LOG", value_name = "LEVEL")]
    log: String,
    /// Secret that signs tokens, at least 32 bytes; generated and stored in the database if not given
    #[arg(long, env = "TRACEWRIGHT_JWT_SECRET", value_name = "TEXT", hide_env_values = true)]
    jwt_secret: String,
    /// Initial password of the user admin; if not given, a random one is printed at the first start
    #[arg(long, env = "TRACEWRIGHT_ADMIN_PASSWORD", value_name = "TEXT", hide_env_values = true)]
    admin_password: String,
    /// Failed sign-ins of one username before it is throttled [default: 10]
    #[arg(long, env = "TRACEWRIGHT_LOGIN_MAX_FAILURES", value_name = "NUMBER")]
    login_max_failures: u32,
    /// Refused sign-ins from one address before it is throttled [default: 100]
    #[arg(long, env = "TRACEWRIGHT_LOGIN_MAX_FAILURES_PER_ADDRESS", value_name = "NUMBER")]
    login_max_failures_per_address: u32,
    /// Time window in which failed sign-ins count, in seconds [default: 900]
    #[arg(long, env = "TRACEWRIGHT_LOGIN_WINDOW_SECONDS", value_name = "SECONDS")]
    login_window_seconds: u32,
    /// Client connections at once; idle ones are closed to make room [default: 2048]
    #[arg(long, env = "TRACEWRIGHT_MAX_CONNECTIONS", value_name = "NUMBER")]
    max_connections: u32,
    /// Client connections at once from one address, or one IPv6 network; trusted proxies are exempt [default: 512]
    #[arg(long, env = "TRACEWRIGHT_MAX_CONNECTIONS_PER_ADDRESS", value_name = "NUMBER")]
    max_connections_per_address: u32,
    /// Event streams at once; at most half of the connections [default: 256]
    #[arg(long, env = "TRACEWRIGHT_MAX_STREAMS", value_name = "NUMBER")]
    max_streams: u32,
    /// Event streams of one user at once [default: 16]
    #[arg(long, env = "TRACEWRIGHT_MAX_STREAMS_PER_USER", value_name = "NUMBER")]
    max_streams_per_user: u32,
    /// How long an event stream may be silent before it says that it is alive, in seconds [default: 14]
    #[arg(long, env = "TRACEWRIGHT_STREAM_QUIET_SECONDS", value_name = "SECONDS")]
    stream_quiet_seconds: f64,
    /// How long a client may stall while sending or receiving, in seconds [default: 30]
    #[arg(long, env = "TRACEWRIGHT_CLIENT_TIMEOUT_SECONDS", value_name = "SECONDS")]
    client_timeout_seconds: f64,
    /// Networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted, separated by commas
    #[arg(long, env = "TRACEWRIGHT_TRUSTED_PROXIES", value_name = "NETWORKS")]
    trusted_proxies: String,
    /// Origins of web pages on other hosts that may call the API, separated by commas
    #[arg(long, env = "TRACEWRIGHT_CORS_ORIGINS", value_name = "ORIGINS")]
    cors_origins: String,
    /// Private networks that webhooks may reach, separated by commas
    #[arg(long, env = "TRACEWRIGHT_WEBHOOK_ALLOW_PRIVATE", value_name = "NETWORKS")]
    webhook_allow_private: String,
    /// Folder for stored files, shared by all nodes, or s3://bucket/prefix [default: media in the data folder]
    #[arg(long, env = "TRACEWRIGHT_MEDIA_ROOT", value_name = "FOLDER|URL")]
    media_root: PathBuf,
    /// Address of the S3-compatible storage, such as http://minio:9000 [default: AWS_ENDPOINT_URL, else Amazon's]
    #[arg(long, env = "TRACEWRIGHT_MEDIA_S3_ENDPOINT", value_name = "URL")]
    media_s3_endpoint: String,
    /// Region of the bucket [default: AWS_REGION, else us-east-1]
    #[arg(long, env = "TRACEWRIGHT_MEDIA_S3_REGION", value_name = "NAME")]
    media_s3_region: String,
    /// Access key for the bucket [default: AWS_ACCESS_KEY_ID]
    #[arg(long, env = "TRACEWRIGHT_MEDIA_S3_ACCESS_KEY", value_name = "TEXT", hide_env_values = true)]
    media_s3_access_key: String,
    /// Secret of the access key [default: AWS_SECRET_ACCESS_KEY]
    #[arg(long, env = "TRACEWRIGHT_MEDIA_S3_SECRET_KEY", value_name = "TEXT", hide_env_values = true)]
    media_s3_secret_key: String,
    /// Whether the bucket is part of the address's path, otherwise of its host name [default: true]
    #[arg(long, env = "TRACEWRIGHT_MEDIA_S3_PATH_STYLE", value_name = "true|false")]
    media_s3_path_style: bool,
    /// Maximum size of one uploaded file, in bytes [default: 104857600]
    #[arg(long, env = "TRACEWRIGHT_UPLOAD_LIMIT_BYTES", value_name = "BYTES")]
    upload_limit_bytes: u64,
    /// Maximum memory for what all requests together send and read, in bytes [default: 1073741824]
    #[arg(long, env = "TRACEWRIGHT_REQUEST_MEMORY_BYTES", value_name = "BYTES")]
    request_memory_bytes: usize,
    /// How long one upload may take in total, in seconds [default: 3600]
    #[arg(long, env = "TRACEWRIGHT_UPLOAD_SECONDS", value_name = "SECONDS")]
    upload_seconds: u32,
}

/// Read if it exists and no other file is named.
const DEFAULT_FILE: &str = "tracewright.toml";

impl Settings {
    /// Adds the settings file, and checks the result.
    pub fn with_file(self, file: Option<&Path>) -> Result<Self, SettingError> {
        let named = file.is_some();
        let file = file.unwrap_or(Path::new(DEFAULT_FILE));
        let failed = |reason: String| SettingError::File { file: file.display().to_string(), reason };
        match std::fs::read_to_string(file) {
            Ok(text) => {
                let settings = self.or(file::read(file, &text)?);
                settings.check()?;
                Ok(settings)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !named => {
                self.check()?;
                Ok(self)
            }
            Err(error) => Err(failed(error.to_string())),
        }
    }

    /// Fails with all faults if settings can't be used.
    pub fn check(&self) -> Result<(), SettingError> {
        let faults = [
            self.location().err(),
            self.api().err(),
            self.media_root().err(),
            self.jwt_secret().err(),
            self.admin_password().err(),
            logs::level(self).err(),
            logs::is_json(self).err(),
        ];
        SettingError::all(self.figures_out_of_range().chain(faults.into_iter().flatten()).collect())
    }

    pub fn listen(&self) -> SocketAddr {
        self.listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 8080)))
    }

    fn data_folder(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(|| PathBuf::from("data"))
    }

    pub fn location(&self) -> Result<Location, SettingError> {
        let wrong = |name, reason: &str| SettingError::Value { name, reason: reason.to_owned() };
        match &self.database {
            None if self.data_folder().as_os_str().is_empty() => Err(wrong("data", "it names no folder")),
            None => Ok(Location::Folder { folder: self.data_folder(), write_group: self.write_group.unwrap_or(128) }),
            Some(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                Ok(Location::Postgres { url: url.clone(), connections: self.database_connections.unwrap_or(16) })
            }
            Some(_) => Err(wrong("database", "it must begin with postgres://")),
        }
    }

    pub fn api(&self) -> Result<api::Settings, SettingError> {
        Ok(api::Settings {
            login_limits: Limits {
                per_username: self.login_max_failures.unwrap_or(10).into(),
                per_address: self.login_max_failures_per_address.unwrap_or(100).into(),
                window_seconds: self.login_window_seconds.unwrap_or(900).into(),
            },
            trusted_proxies: networks("trusted_proxies", self.trusted_proxies.as_deref())?,
            cors_origins: words(self.cors_origins.as_deref()).map(origin).collect::<Result<_, _>>()?,
            upload_limit: self.upload_limit_bytes.unwrap_or(100 * 1024 * 1024),
            request_memory: self.request_memory_bytes.unwrap_or(1024 * 1024 * 1024),
            upload_time: Duration::from_secs(self.upload_seconds.unwrap_or(3600).into()),
            streams: StreamLimits {
                all: self.max_streams.unwrap_or(256) as usize,
                per_user: self.max_streams_per_user.unwrap_or(16) as usize,
            },
            // One that is no time at all is out of range, which is told elsewhere.
            stream_quiet: Duration::try_from_secs_f64(self.stream_quiet_seconds.unwrap_or(14.0)).unwrap_or_default(),
            webhook_allow_private: networks("webhook_allow_private", self.webhook_allow_private.as_deref())?,
            password_cost: PasswordCost::FULL,
        })
    }

    pub(crate) fn connections(&self) -> Result<connections::Limits, SettingError> {
        Ok(connections::Limits {
            all: self.max_connections.unwrap_or(2048) as usize,
            per_address: self.max_connections_per_address.unwrap_or(512) as usize,
            proxies: self.api()?.trusted_proxies,
            patience: Duration::from_secs_f64(self.client_timeout_seconds.unwrap_or(30.0)),
        })
    }

    /// The signing secret, if one was given.
    pub fn jwt_secret(&self) -> Result<Option<&[u8]>, SettingError> {
        match self.jwt_secret.as_deref().map(str::as_bytes) {
            Some(secret) if secret.len() < MIN_SECRET_BYTES => Err(SettingError::Value {
                name: "jwt_secret",
                reason: format!("it needs at least {MIN_SECRET_BYTES} bytes"),
            }),
            secret => Ok(secret),
        }
    }

    pub fn admin_password(&self) -> Result<Option<&str>, SettingError> {
        match self.admin_password.as_deref() {
            None => Ok(None),
            Some(password) => match domain::password::objection(password, "admin") {
                Some(reason) => Err(SettingError::Value { name: "admin_password", reason: reason.to_owned() }),
                None => Ok(Some(password)),
            },
        }
    }
}

/// The name that was most likely meant, if any is close.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (changes, near) = known.map(|known| (changes_between(name, known), known)).min()?;
    (changes <= name.len() / 2).then_some(near)
}

/// The edit distance: how many letters have to be inserted, removed or replaced.
fn changes_between(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], line + 1);
        for at in 0..other.len() {
            let exchanged = corner + usize::from(letter != other[at]);
            corner = row[at + 1];
            row[at + 1] = exchanged.min(corner + 1).min(row[at] + 1);
        }
    }
    row[other.len()]
}

fn words(list: Option<&str>) -> impl Iterator<Item = &str> {
    list.unwrap_or("").split([',', ' ']).map(str::trim).filter(|word| !word.is_empty())
}

fn networks(name: &'static str, list: Option<&str>) -> Result<Vec<IpNet>, SettingError> {
    let wrong = |text| SettingError::Value { name, reason: format!("{text} is no network such as 10.0.0.0/8") };
    words(list).map(|text| network(text).ok_or_else(|| wrong(text))).collect()
}

/// A network such as 10.0.0.0/8, or one address.
fn network(text: &str) -> Option<IpNet> {
    text.parse().ok().or_else(|| text.parse::<std::net::IpAddr>().ok().map(IpNet::from))
}

/// Scheme, host and optionally a port; a star would let in every page on the web.
fn origin(text: &str) -> Result<String, SettingError> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    match host {
        Some(host)
            if !host.is_empty()
                && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte)) =>
        {
            Ok(text.to_owned())
        }
        _ => Err(SettingError::Value {
            name: "cors_origins",
            reason: format!("{text} is no origin such as https://portal.example"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_win_over_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.toml");
        std::fs::write(&file, "listen = \"127.0.0.1:9\"\nlogin_max_failures = 3\n").unwrap();
        let flags = Settings { login_max_failures: Some(5), ..Settings::default() };
        let settings = flags.with_file(Some(&file)).unwrap();
        assert_eq!(settings.listen().port(), 9);
        assert_eq!(settings.api().unwrap().login_limits.per_username, 5);
    }

    #[test]
    fn wrong_settings_say_which_and_why() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.toml");
        std::fs::write(&file, "lissten = 1\n").unwrap();
        let unknown = Settings::default().with_file(Some(&file)).unwrap_err().to_string();
        assert!(unknown.contains("lissten"), "{unknown}");
        assert!(Settings::default().with_file(Some(&folder.path().join("none"))).is_err());

        let with = |change: fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            settings
        };
        assert!(with(|s| s.jwt_secret = Some("short".into())).jwt_secret().is_err());
        assert!(with(|s| s.admin_password = Some("admin".into())).admin_password().is_err());
        assert!(with(|s| s.database = Some("mysql://x".into())).location().is_err());
        assert!(with(|s| s.trusted_proxies = Some("10.0.0.0/8, x".into())).api().is_err());
        let hooks = with(|s| s.webhook_allow_private = Some("10.0.0.0/8 10.0.0".into())).api().unwrap_err();
        assert!(hooks.to_string().contains("webhook_allow_private is wrong: 10.0.0 is no network"), "{hooks}");
        assert!(with(|s| s.data = Some("".into())).location().is_err());
        assert!(with(|s| s.media_root = Some("".into())).media_root().is_err());
        for bad in ["*", "portal.example", "https://portal.example/path", "https://"] {
            let settings = Settings { cors_origins: Some(bad.to_owned()), ..Settings::default() };
            assert!(settings.api().is_err(), "{bad}");
        }
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.toml");
        std::fs::write(&file, "write_group = 0\nupload_limit_bytes = 0\nclient_timeout_seconds = nan\n").unwrap();
        let flags = Settings {
            jwt_secret: Some("short".into()),
            log: Some("loud".into()),
            log_format: Some("xml".into()),
            cors_origins: Some("*".into()),
            database: Some("mysql://x".into()),
            ..Settings::default()
        };
        let words = flags.with_file(Some(&file)).unwrap_err().to_string();
        let wrong = ["write_group", "upload_limit_bytes", "client_timeout_seconds", "jwt_secret", "log", "log_format"];
        for name in wrong.iter().chain(&["cors_origins", "database"]) {
            assert!(words.contains(&format!("the setting {name} is wrong: ")), "{name}: {words}");
        }
        assert!(words.contains("write_group is wrong: it must be from 1 to 100000, not 0;"), "{words}");
    }
}
