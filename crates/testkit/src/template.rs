//! Databases with all tables and nothing in them. One of each engine is made by the first test of a test binary and copied for
//! every site: to make all tables anew would take longer than most tests.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use store::Db;
use tracewright::Settings;

use crate::engine::{Engine, Hold, Place, on_cluster};

/// Named by the binary, since another may know other tables.
fn name() -> String {
    let binary = std::env::current_exe().expect("a test binary");
    let built = fs::metadata(&binary).and_then(|file| file.modified()).expect("a test binary");
    let mut hasher = DefaultHasher::new();
    (binary, built).hash(&mut hasher);
    format!("template_{:016x}", hasher.finish())
}

/// Makes all tables.
async fn fill(settings: &Settings) {
    let (db, _) = Db::open(&settings.location().expect("a place")).await.expect("an empty database");
    db.close().await;
}

/// Puts an embedded database into a folder that does not exist yet.
pub(crate) async fn copy_into(folder: &Path) {
    let template = embedded().await;
    fs::create_dir(folder).expect("a new folder");
    for file in fs::read_dir(template).expect("the template") {
        let file = file.expect("the template");
        fs::copy(file.path(), folder.join(file.file_name())).expect("a copy");
    }
}

async fn embedded() -> PathBuf {
    let template = std::env::temp_dir().join(name());
    if !template.exists() {
        let made = tempfile::tempdir().expect("a temporary folder");
        let data = made.path().join("data");
        fill(&Settings { data: Some(data.clone()), ..Settings::default() }).await;
        // Whoever comes first has made it.
        match fs::rename(&data, &template) {
            Err(error) if !matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists) => {
                panic!("the template stays where it is: {error}")
            }
            _ => {}
        }
    }
    template
}

/// The name of a database on the cluster that has all tables.
pub(crate) async fn on(cluster: &str) -> String {
    let template = name();
    let there = format!("select 1 from pg_database where datname = '{template}'");
    if on_cluster(cluster, &there).await.is_empty() {
        // One makes it, and the others wait here.
        let turn = Hold::begin(cluster, "select pg_advisory_xact_lock(1)").await;
        if on_cluster(cluster, &there).await.is_empty() {
            let place = Place::new(Engine::Postgres).await;
            fill(&place.settings()).await;
            let Place::Database { name, .. } = &place else { unreachable!("a place on the cluster") };
            on_cluster(cluster, &format!("alter database {name} rename to {template}")).await;
        }
        turn.let_go().await;
    }
    template
}
