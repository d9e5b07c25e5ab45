//! Taking backups: of a busy site, of a lost file, and what keeps their files where they are.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use reqwest::multipart::{Form, Part};
use sha2::{Digest, Sha256};
use store::backup::{Backup, Kind, LEFT_OUT, Progress};
use testkit::engine::{Engine, Place};
use testkit::{Value, block_on, json};

use super::{
    LOGO, OLD_LOGO, Visitor, back_up, is_marker, manifest, members, restore, rows, run, small_site, succeeded, tree,
};
use crate::process::{Server, refused, tracewright};

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_alone_and_is_not_written_over() {
    use std::os::unix::fs::PermissionsExt;
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(Engine::Sqlite).await;
        let file = folder.path().join("site.tar");
        let words = refused(run(&["backup"], &file, &place));
        assert!(words.contains("there is no database"), "{words}");
        assert!(!place.data_folder().unwrap().exists(), "looking for a site makes none");
        small_site(&place, LOGO).await;
        succeeded(run(&["backup"], &file, &place));
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let words = refused(run(&["backup"], &file, &place));
        assert!(words.contains("is there already"), "{words}");
        back_up(&place, &file);
        let checked = succeeded(tracewright(&["restore", "--check"]).arg(&file).output().unwrap());
        assert!(checked.contains("is whole"), "{checked}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left beside it");
    });
}

#[test]
fn a_backup_migrates_nothing() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(Engine::Sqlite).await;
        small_site(&place, LOGO).await;
        let database = rusqlite::Connection::open(place.data_folder().unwrap().join("tracewright.db")).unwrap();
        let file = folder.path().join("site.tar");
        database.execute("insert into migration (number, name) values (9999, 'future')", []).unwrap();
        let words = refused(run(&["backup"], &file, &place));
        assert!(words.contains("newer than this program"), "{words}");
        let words = refused(run(&["restore", "--replace"], &file, &place));
        assert!(words.contains("can't be read"), "{words}");
        database.execute("delete from migration", []).unwrap();
        let words = refused(run(&["backup"], &file, &place));
        assert!(words.contains("none of ours"), "{words}");
        assert_eq!(database.query_row("select count(*) from migration", [], |row| row.get(0)), Ok(0));
        assert!(!file.exists());

        let empty = Place::new(Engine::Postgres).await;
        let words = refused(run(&["backup"], &file, &empty));
        assert!(words.contains("holds no site"), "{words}");
        empty.remove().await;
    });
}

/// Clients write as fast as they can, and backups are taken meanwhile.
fn while_the_server_is_busy(engine: Engine) {
    const CLIENTS: usize = 6;
    const BACKUPS: usize = 4;
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(engine).await;
        let server = Server::start(&place);
        let admin = Arc::new(Visitor::admin(&server).await);
        let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::<String>::new())));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (admin, stop, acknowledged) = (admin.clone(), stop.clone(), acknowledged.clone());
                tokio::spawn(async move {
                    for index in 0.. {
                        if stop.load(Ordering::SeqCst) {
                            return;
                        }
                        if client == 0 {
                            let bytes = format!("{index} ").repeat(index % 50_000).into_bytes();
                            assert!(admin.upload("company_logo", &format!("{index}.bin"), bytes).await);
                        } else {
                            let (one, two) = (format!("one-{client}-{index}"), format!("two-{client}-{index}"));
                            let (key, change) = (one.clone(), json!({ one: index, two: index }));
                            assert!(admin.patch(&change).await, "nobody notices the backup");
                            acknowledged.lock().unwrap().push(key);
                        }
                    }
                })
            })
            .collect();
        let mut sizes = Vec::new();
        for round in 0..BACKUPS {
            let before = acknowledged.lock().unwrap().clone();
            let file = folder.path().join(format!("{round}.tar"));
            let (flags, target) = (place.flags(), file.clone());
            let command = move || tracewright(&["backup"]).arg(target).args(flags).output().unwrap();
            succeeded(tokio::task::spawn_blocking(command).await.unwrap());
            sizes.push(before.len());
            check_snapshot(&file, &before);
        }
        stop.store(true, Ordering::SeqCst);
        for client in clients {
            client.await.unwrap();
        }
        assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]), "the clients went on: {sizes:?}");
        drop(server);
        let last = Place::new(engine).await;
        restore(&last, &folder.path().join(format!("{}.tar", BACKUPS - 1)));
        let server = Server::start(&last);
        let config: Value = admin.at(&server).get("/api/config").await.json().await.unwrap();
        if let Some(path) = config["detail"]["company_logo"].as_str() {
            assert_eq!(admin.at(&server).get(path).await.status(), 200);
        }
        drop(server);
        place.remove().await;
        last.remove().await;
    });
}

fn check_snapshot(file: &Path, acknowledged: &[String]) {
    let members = members(file);
    let config: BTreeMap<String, Value> = rows(&members, "config")
        .into_iter()
        .map(|row| (row[0].as_str().unwrap().to_owned(), serde_json::from_str(row[2].as_str().unwrap()).unwrap()))
        .collect();
    let missing: Vec<&String> = acknowledged.iter().filter(|key| !config.contains_key(*key)).collect();
    assert!(missing.is_empty(), "acknowledged before the backup began: {missing:?}");
    for (key, value) in &config {
        if let Some(rest) = key.strip_prefix("one-") {
            assert_eq!(config.get(&format!("two-{rest}")), Some(value), "one transaction is there as a whole");
        }
    }
    let files = rows(&members, "file");
    let logo = config["company_logo"].as_str().map(|path| path.rsplit('/').next().unwrap().to_owned());
    assert_eq!(files.first().map(|row| row[4].as_str().unwrap().to_owned()), logo, "entry and file belong together");
    for row in &files {
        let bytes = &members[&format!("media/{}", row[5].as_str().unwrap())];
        assert_eq!(base64(&Sha256::digest(bytes)), row[8], "the file is there with its bytes");
    }
    assert_eq!(manifest(&members)["files"], files.len());
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn while_the_server_is_busy_sqlite() {
    while_the_server_is_busy(Engine::Sqlite);
}

#[test]
fn while_the_server_is_busy_postgres() {
    while_the_server_is_busy(Engine::Postgres);
}

/// Stops a backup between its records and its files, until it is told to go on.
struct Gate {
    reached: mpsc::Sender<()>,
    go_on: Mutex<mpsc::Receiver<()>>,
}

impl Progress for Gate {
    fn begin(&self, what: &'static str, _: u64) {
        if what == "Stored files" {
            self.reached.send(()).unwrap();
            self.go_on.lock().unwrap().recv().unwrap();
        }
    }
    fn advance(&self, _: u64) {}
}

/// Takes a backup of a site that serves, and does something in the middle of it.
async fn meanwhile(site: &testkit::Site, file: &Path, work: impl AsyncFnOnce()) -> Result<(), String> {
    let (reached, wait) = mpsc::channel();
    let (resume, go_on) = mpsc::channel();
    let (settings, clock, target) = (site.place.settings(), site.clock.clone(), file.to_owned());
    let backup = std::thread::spawn(move || {
        let gate = Arc::new(Gate { reached, go_on: Mutex::new(go_on) });
        let mut result = Ok(());
        block_on(async {
            let taken = tracewright::backup::take(&settings, &target, false, &clock, gate).await;
            result = taken.map(|_| ()).map_err(|error| error.to_string());
        });
        result
    });
    let wait = tokio::task::spawn_blocking(move || wait.recv());
    wait.await.unwrap().expect("the backup comes to its files");
    work().await;
    resume.send(()).unwrap();
    tokio::task::spawn_blocking(move || backup.join()).await.unwrap().unwrap()
}

async fn upload(admin: &testkit::Person, name: &str, bytes: &[u8]) {
    let form = Form::new().part("file", Part::bytes(bytes.to_vec()).file_name(name.to_owned()));
    let request = admin.request(reqwest::Method::PUT, "/config/company_logo/file").multipart(form);
    admin.send(request).await.expect(200);
}

testkit::on_both_engines! {
    async fn nothing_is_erased_under_a_backup(site) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.tar");
        let admin = site.admin().await;
        upload(&admin, "a.png", LOGO).await;
        let app = site.app();
        let stored = || tree(&site.place.media_folder()).keys().filter(|path| !is_marker(path)).count();
        let taken = meanwhile(site, &file, async || {
            upload(&admin, "b.png", OLD_LOGO).await;
            app.media.erase_gone(&app.db).await.unwrap();
            age_objects(&site.place.media_folder());
            assert_eq!(app.media.sweep(&app.db, app.node.holder()).await.unwrap(), 0);
            assert_eq!(stored(), 2, "the replaced file is still there");
            let words = refused(run(&["backup"], &folder.path().join("second.tar"), &site.place));
            assert!(words.contains("another backup"), "{words}");
        });
        taken.await.unwrap();
        let members = members(&file);
        let object = rows(&members, "file")[0][5].as_str().unwrap().to_owned();
        assert_eq!(members[&format!("media/{object}")], LOGO);
        app.media.erase_gone(&app.db).await.unwrap();
        assert_eq!(stored(), 1, "after the backup it is erased");
    }

    async fn a_backup_that_lost_its_hold_is_no_backup(site) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.tar");
        upload(&site.admin().await, "a.png", LOGO).await;
        let app = site.app();
        let taken = meanwhile(site, &file, async || {
            site.execute("update lease set until = 0 where name = 'backup'", vec![]).await;
            upload(&site.admin().await, "b.png", OLD_LOGO).await;
            app.media.erase_gone(&app.db).await.unwrap();
        });
        let words = taken.await.unwrap_err();
        assert!(words.contains("take it again"), "{words}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no file, whole or half");
    }

    async fn files_of_every_kind_are_in_the_backup(site) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.tar");
        let admin = site.admin().await;
        upload(&admin, "a.png", LOGO).await;
        let form = Form::new().part("file", Part::bytes(OLD_LOGO).file_name("b.png"));
        admin.send(admin.request(reqwest::Method::POST, "/media/create").multipart(form)).await.expect(200);
        back_up(&site.place, &file);
        let members = members(&file);
        let mut stored: Vec<&[u8]> =
            members.iter().filter(|(name, _)| name.starts_with("media/")).map(|(_, bytes)| bytes.as_slice()).collect();
        stored.sort_unstable();
        assert_eq!(stored, [OLD_LOGO, LOGO]);
    }

    async fn a_lost_file_is_told_and_the_rest_is_kept(site) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.tar");
        upload(&site.admin().await, "a.png", LOGO).await;
        let objects = tree(&site.place.media_folder());
        let object = objects.keys().find(|path| !is_marker(path)).unwrap();
        std::fs::remove_file(object).unwrap();
        let output = run(&["backup"], &file, &site.place);
        assert_eq!(output.status.code(), Some(1));
        let shown = String::from_utf8(output.stdout).unwrap();
        let lost = object.strip_prefix(site.place.media_folder()).unwrap().display().to_string();
        assert!(shown.contains(&format!("Missing: {lost}\n")), "{shown}");
        let target = Place::new(site.engine).await;
        let shown = restore(&target, &file);
        assert!(shown.contains("Missing already when the backup was taken: 1 stored file"), "{shown}");
        target.remove().await;
    }

    /// Whatever table a later migration brings, it is in the backup or named as left out.
    async fn every_table_is_in_the_backup_with_its_types(site) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.tar");
        back_up(&site.place, &file);
        let backup = Backup::open(&file).unwrap();
        let mut backed_up: Vec<String> = backup.manifest.tables.iter().map(|table| table.name.clone()).collect();
        backed_up.extend(LEFT_OUT.iter().map(|name| (*name).to_owned()));
        backed_up.sort();
        let tables = match site.engine {
            Engine::Sqlite => "select json_group_array(name) from pragma_table_list
                               where schema = 'main' and type = 'table' and name not glob 'sqlite_*'",
            Engine::Postgres => "select json_agg(tablename)::text from pg_tables where schemaname = current_schema()",
        };
        let mut present: Vec<String> = serde_json::from_str(&site.look::<String>(tables, vec![]).await.unwrap()).unwrap();
        present.sort();
        assert_eq!(backed_up, present);
        for table in &backup.manifest.tables {
            let columns = match site.engine {
                Engine::Sqlite => "select json_group_array(name || ' ' || lower(type)) from (select * from pragma_table_info($1) order by cid)",
                Engine::Postgres => "select json_agg(column_name || ' ' || data_type order by ordinal_position)::text
                                     from information_schema.columns where table_name = $1 and table_schema = current_schema()",
            };
            let found: String = site.look(columns, vec![table.name.as_str().into()]).await.unwrap();
            let found: Vec<String> = serde_json::from_str(&found).unwrap();
            let kind = |kind: Kind| match (site.engine, kind) {
                (Engine::Sqlite, Kind::Int | Kind::Bool) => "integer",
                (Engine::Sqlite, Kind::Bytes) => "blob",
                (Engine::Postgres, Kind::Int) => "bigint",
                (Engine::Postgres, Kind::Bool) => "boolean",
                (Engine::Postgres, Kind::Bytes) => "bytea",
                (_, Kind::Text) => "text",
            };
            let wanted: Vec<String> =
                table.columns.iter().map(|column| format!("{} {}", column.name, kind(column.kind))).collect();
            assert_eq!(found, wanted, "{}", table.name);
        }
    }

    async fn progress_goes_to_its_end(site) {
        struct Count(Mutex<Vec<(&'static str, u64)>>, AtomicUsize);
        impl Progress for Count {
            fn begin(&self, what: &'static str, total: u64) {
                assert_eq!(self.1.load(Ordering::SeqCst), 0, "the part before came to its end");
                self.0.lock().unwrap().push((what, total));
                self.1.store(total as usize, Ordering::SeqCst);
            }
            fn advance(&self, by: u64) {
                self.1.fetch_sub(by as usize, Ordering::SeqCst);
            }
        }
        let folder = tempfile::tempdir().unwrap();
        upload(&site.admin().await, "a.png", LOGO).await;
        let count = Arc::new(Count(Mutex::default(), AtomicUsize::new(0)));
        let file = folder.path().join("site.tar");
        let taken = tracewright::backup::take(&site.place.settings(), &file, false, &site.clock, count.clone()).await;
        let rows = taken.unwrap().rows;
        assert_eq!(*count.0.lock().unwrap(), [("Records", rows), ("Stored files", 1)]);
        assert_eq!(count.1.load(Ordering::SeqCst), 0);
    }
}

fn age_objects(folder: &Path) {
    #[expect(clippy::disallowed_methods, reason = "files are stamped by the machine's clock")]
    let day_and_a_half = std::time::SystemTime::now() - std::time::Duration::from_secs(36 * 3600);
    for path in tree(folder).into_keys() {
        std::fs::File::options().write(true).open(path).unwrap().set_modified(day_and_a_half).unwrap();
    }
}
