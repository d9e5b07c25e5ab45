//! The release binary as a child process, on a folder or on a database of the cluster that the caller started.

use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use store::Location;

use crate::bare::Bare;
use crate::load::{self, Client};
use crate::{again, bare, fill, floor, processes};

pub const PASSWORD: &str = "correct horse battery";
pub const BINARY: &str = "target/release/tracewright";

pub enum Place {
    Folder(tempfile::TempDir),
    Postgres { cluster: String, name: String, url: String, media: tempfile::TempDir },
}

/// The version of PostgreSQL, and what its speed depends on most.
const VERSION: &str =
    "select current_setting('server_version') || ', shared_buffers ' || current_setting('shared_buffers')";

impl Place {
    pub fn folder() -> Self {
        Place::Folder(tempfile::tempdir_in("target").unwrap())
    }

    /// Only if a cluster is available.
    pub async fn postgres(name: &str) -> Option<Self> {
        let cluster = std::env::var("TRACEWRIGHT_TEST_POSTGRES").ok()?;
        Some(Self::in_cluster(&cluster, name, "template1").await)
    }

    async fn in_cluster(cluster: &str, name: &str, template: &str) -> Self {
        floor::on_cluster(cluster, &format!("create database {name} template {template}")).await;
        Place::Postgres {
            cluster: cluster.to_owned(),
            name: name.to_owned(),
            url: cluster.replace("/postgres?", &format!("/{name}?")),
            media: tempfile::tempdir_in("target").unwrap(),
        }
    }

    /// Another database of the same engine, with nothing in it.
    pub async fn another(&self, name: &str) -> Self {
        match self {
            Place::Folder(_) => Self::folder(),
            Place::Postgres { cluster, .. } => Self::in_cluster(cluster, name, "template1").await,
        }
    }

    /// A copy of this database, while no server runs on it.
    pub async fn copy(&self, name: &str) -> Self {
        match self {
            Place::Folder(folder) => Place::Folder(floor::copy_of(folder.path())),
            Place::Postgres { cluster, name: template, .. } => Self::in_cluster(cluster, name, template).await,
        }
    }

    pub fn engine(&self) -> &'static str {
        match self {
            Place::Folder(_) => "embedded",
            Place::Postgres { .. } => "PostgreSQL",
        }
    }

    /// The version of PostgreSQL.
    pub async fn version(&self) -> Option<String> {
        match self {
            Place::Folder(_) => None,
            Place::Postgres { url, .. } => Some(floor::ask(url, VERSION).await),
        }
    }

    pub fn is_embedded(&self) -> bool {
        matches!(self, Place::Folder(_))
    }

    /// How many small transactions a second the engine itself makes durable: one after the other on each of so many connections, as
    /// far as the engine knows connections that write at the same time.
    pub async fn commits_per_second(&self, connections: usize, time: Duration) -> f64 {
        match self {
            Place::Folder(folder) => floor::sqlite_commits(folder.path(), time),
            Place::Postgres { url, .. } => floor::postgres_commits(url, connections, time).await,
        }
    }

    /// The processor time that the database's own processes have taken so far.
    async fn database_time(&self) -> Duration {
        match self {
            Place::Folder(_) => Duration::ZERO,
            Place::Postgres { url, .. } => processes::children_of(floor::postmaster(url).await),
        }
    }

    /// This database as a location for the store itself, while no server runs on it.
    pub fn location(&self) -> Location {
        match self {
            Place::Folder(folder) => Location::Folder { folder: folder.path().to_owned(), write_group: 1 },
            Place::Postgres { url, .. } => Location::Postgres { url: url.clone(), connections: 2 },
        }
    }

    /// Does what the engine does by itself some time after many rows were written, so that it does not fall into what is measured next.
    pub async fn settle(&self) {
        if let Place::Postgres { url, .. } = self {
            floor::on_cluster(url, "vacuum analyze").await;
            floor::on_cluster(url, "checkpoint").await;
        }
    }

    /// Runs statements that fill these tables, while no server runs.
    pub async fn fill(&self, tables: &[&str], statements: &[String]) {
        match self {
            Place::Folder(folder) => fill::sqlite(folder.path(), tables, statements),
            Place::Postgres { url, .. } => fill::postgres(url, tables, statements).await,
        }
        self.settle().await;
    }

    /// What a statement reads numbers from: rows of one column, `number`.
    pub fn numbers(&self, numbers: Range<i64>) -> String {
        match self {
            Place::Folder(_) => fill::sqlite_numbers(numbers),
            Place::Postgres { .. } => fill::postgres_numbers(numbers),
        }
    }

    /// How many bytes the database has on disk.
    pub async fn bytes(&self) -> u64 {
        match self {
            Place::Folder(folder) => std::fs::metadata(folder.path().join(floor::DATABASE)).unwrap().len(),
            Place::Postgres { url, .. } => {
                let size = "select cast(pg_database_size(current_database()) as text)";
                floor::ask(url, size).await.parse().unwrap()
            }
        }
    }

    /// A query that the engine alone runs.
    pub async fn bare(&self, query: &str) -> Bare {
        match self {
            Place::Folder(folder) => Bare::sqlite(folder.path(), query),
            Place::Postgres { url, .. } => Bare::postgres(url, query).await,
        }
    }

    /// The bare query of everything below a serial.
    pub fn tree(&self) -> String {
        bare::TREE.replace("{step}", if self.is_embedded() { bare::SQLITE_STEP } else { bare::POSTGRES_STEP })
    }

    /// The bare query of the outermost units that hold serials of a product.
    pub fn recall(&self) -> String {
        bare::RECALL.replace("{unit}", if self.is_embedded() { bare::SQLITE_UNIT } else { bare::POSTGRES_UNIT })
    }

    /// How long the engine alone takes to store what the service has stored since this copy was made.
    pub async fn store_again(&self, original: &Place) -> Duration {
        match (original, self) {
            (Place::Folder(original), Place::Folder(copy)) => again::sqlite(original.path(), copy.path()),
            (Place::Postgres { url: original, .. }, Place::Postgres { url: copy, .. }) => {
                again::postgres(original, copy).await
            }
            _ => panic!("a copy has the engine of its original"),
        }
    }

    pub async fn remove(self) {
        if let Place::Postgres { cluster, name, .. } = &self {
            floor::on_cluster(cluster, &format!("drop database {name} with (force)")).await;
        }
    }

    fn flags(&self) -> Vec<String> {
        match self {
            Place::Folder(folder) => vec!["--data".into(), folder.path().display().to_string()],
            Place::Postgres { url, media, .. } => {
                vec!["--database".into(), url.clone(), "--media-root".into(), media.path().display().to_string()]
            }
        }
    }
}

/// What a load took of the processors.
#[derive(Debug, Default, Clone, Copy)]
pub struct ProcessorTime {
    pub service: Duration,
    pub database: Duration,
}

pub struct Server {
    child: Child,
    pub address: String,
}

impl Server {
    pub fn start(place: &Place) -> Self {
        Self::start_with(place, &[])
    }

    pub fn start_with(place: &Place, flags: &[&str]) -> Self {
        let mut child = Command::new(BINARY)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(place.flags())
            .args(flags)
            .env("TRACEWRIGHT_ADMIN_PASSWORD", PASSWORD)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("target/release/tracewright is built");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Tracewright serves http://").expect("the address").to_owned();
        Self { child, address }
    }

    /// The processor time that the service and its database take for `work`.
    pub async fn processor_time<T>(&self, place: &Place, work: impl Future<Output = T>) -> (T, ProcessorTime) {
        let before = (processes::time_of(self.child.id()), place.database_time().await);
        let done = work.await;
        let (service, database) = (processes::time_of(self.child.id()), place.database_time().await);
        (done, ProcessorTime { service: service - before.0, database: database.saturating_sub(before.1) })
    }

    pub async fn sign_in(&self) -> String {
        let (status, body) = Client::connect(&self.address).await.answer(&load::sign_in(PASSWORD)).await;
        assert_eq!(status, 200, "{body}");
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        body["access_token"].as_str().unwrap().to_owned()
    }

    /// The process's resident memory.
    pub fn memory_mib(&self) -> u64 {
        self.status_mib("VmRSS:")
    }

    /// The process's peak resident memory.
    pub fn peak_mib(&self) -> u64 {
        self.status_mib("VmHWM:")
    }

    fn status_mib(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
