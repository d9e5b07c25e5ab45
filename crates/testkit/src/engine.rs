//! The two engines: a folder of its own for each embedded database, a database of its own on the test cluster.

use std::path::PathBuf;

use tracewright::Settings;

use crate::template;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// Where a test's records are, as long as it runs.
pub enum Place {
    Folder(tempfile::TempDir),
    Database { cluster: String, name: String, url: String, media: tempfile::TempDir },
}

/// Set by `make test`, which starts a private cluster in a temporary folder.
const CLUSTER: &str = "TRACEWRIGHT_TEST_POSTGRES";

fn cluster() -> String {
    std::env::var(CLUSTER)
        .unwrap_or_else(|_| panic!("{CLUSTER} names no PostgreSQL cluster: run the tests by `make test`"))
}

impl Place {
    /// An empty one, as a new user would find it.
    pub async fn new(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => Place::Folder(tempfile::tempdir().unwrap()),
            Engine::Postgres => Self::database(cluster(), "template1").await,
        }
    }

    /// One with all tables and nothing in them.
    pub async fn with_tables(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => {
                let folder = tempfile::tempdir().unwrap();
                Box::pin(template::copy_into(&folder.path().join("data"))).await;
                Place::Folder(folder)
            }
            Engine::Postgres => {
                let cluster = cluster();
                let template = Box::pin(template::on(&cluster)).await;
                Self::database(cluster, &template).await
            }
        }
    }

    async fn database(cluster: String, template: &str) -> Self {
        let name = format!("t_{}", api::random::random_hex::<8>());
        on_cluster(&cluster, &format!("create database {name} template {template}")).await;
        let url = cluster.replace("/postgres?", &format!("/{name}?"));
        Place::Database { cluster, name, url, media: tempfile::tempdir().unwrap() }
    }

    pub fn settings(&self) -> Settings {
        let mut settings = Settings { listen: Some(([127, 0, 0, 1], 0).into()), ..Settings::default() };
        match self {
            Place::Folder(folder) => settings.data = Some(folder.path().join("data")),
            Place::Database { url, media, .. } => {
                settings.database = Some(url.clone());
                settings.media_root = Some(media.path().to_owned());
                settings.database_connections = Some(8);
            }
        }
        settings
    }

    /// The flags that lead a `tracewright` process here.
    pub fn flags(&self) -> Vec<String> {
        match self {
            Place::Folder(folder) => vec!["--data".into(), folder.path().join("data").display().to_string()],
            Place::Database { url, media, .. } => {
                vec!["--database".into(), url.clone(), "--media-root".into(), media.path().display().to_string()]
            }
        }
    }

    pub fn media_folder(&self) -> PathBuf {
        match self {
            Place::Folder(folder) => folder.path().join("data/media"),
            Place::Database { media, .. } => media.path().to_owned(),
        }
    }

    pub fn data_folder(&self) -> Option<PathBuf> {
        match self {
            Place::Folder(folder) => Some(folder.path().join("data")),
            Place::Database { .. } => None,
        }
    }

    /// Runs commands behind the service's back, on PostgreSQL; gives the rows of all of them as text.
    pub async fn sql(&self, commands: &str) -> Vec<String> {
        let Place::Database { url, .. } = self else { panic!("only PostgreSQL is asked this way") };
        on_cluster(url, commands).await
    }

    /// Begins a transaction with these commands and leaves it open, as another node at work would; what it locks stays locked
    /// until the value goes.
    pub async fn hold(&self, commands: &str) -> Hold {
        let Place::Database { url, .. } = self else { panic!("only PostgreSQL can be held this way") };
        Hold::begin(url, commands).await
    }

    /// Lets nobody in any more, and throws everybody out.
    pub async fn cut_off(&self) {
        if let Place::Database { cluster, name, .. } = self {
            on_cluster(cluster, &format!("alter database {name} allow_connections false")).await;
            let out = format!("select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'");
            on_cluster(cluster, &out).await;
        }
    }

    pub async fn reconnect(&self) {
        if let Place::Database { cluster, name, .. } = self {
            on_cluster(cluster, &format!("alter database {name} allow_connections true")).await;
        }
    }

    pub async fn remove(self) {
        if let Place::Database { cluster, name, .. } = self {
            on_cluster(&cluster, &format!("drop database {name} with (force)")).await;
        }
    }
}

/// A transaction of somebody else.
pub struct Hold {
    client: tokio_postgres::Client,
    connection: tokio::task::JoinHandle<Result<(), tokio_postgres::Error>>,
}

impl Hold {
    pub(crate) async fn begin(url: &str, commands: &str) -> Self {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.expect("the test cluster");
        let connection = tokio::spawn(connection);
        client.batch_execute(&format!("begin; {commands}")).await.expect(commands);
        Self { client, connection }
    }

    pub async fn let_go(self) {
        drop(self.client);
        let _ = self.connection.await;
    }
}

pub(crate) async fn on_cluster(url: &str, commands: &str) -> Vec<String> {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.expect("the test cluster");
    let connection = tokio::spawn(connection);
    let answers = client.simple_query(commands).await.expect(commands);
    drop(client);
    let _ = connection.await;
    let rows = answers.iter().filter_map(|answer| match answer {
        tokio_postgres::SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    rows.map(|row| (0..row.len()).map(|at| row.get(at).unwrap_or("-")).collect::<Vec<_>>().join("|")).collect()
}
