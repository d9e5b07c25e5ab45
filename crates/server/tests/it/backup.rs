//! Backup and restore, by the real binary wherever that can show it.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use api::Clock;
use domain::Timestamp;
use reqwest::multipart::{Form, Part};
use sha2::{Digest, Sha256};
use store::backup::{Backup, Kind, LEFT_OUT, Progress};
use testkit::engine::{Engine, Place};
use testkit::{Value, block_on, json};

use crate::process::{Server, refused, sign_in, tracewright};

const LOGO: &[u8] = b"\x89PNG\r\n\x1a\nnot much of a picture";
const OLD_LOGO: &[u8] = b"another picture";

fn run(arguments: &[&str], file: &Path, place: &Place) -> std::process::Output {
    tracewright(arguments).arg(file).args(place.flags()).output().unwrap()
}

fn succeeded(output: std::process::Output) -> String {
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "no bar where there is no terminal");
    String::from_utf8(output.stdout).unwrap()
}

fn back_up(place: &Place, file: &Path) -> String {
    succeeded(run(&["backup", "--replace"], file, place))
}

fn restore(place: &Place, file: &Path) -> String {
    succeeded(run(&["restore"], file, place))
}

type Members = BTreeMap<String, Vec<u8>>;

/// The members of a backup as they are stored.
fn members(file: &Path) -> Members {
    let mut archive = tar::Archive::new(std::fs::File::open(file).unwrap());
    let read = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (entry.path().unwrap().display().to_string(), bytes)
    });
    read.collect()
}

/// What the site is: all members but the two that tell when the backup was taken.
fn content(file: &Path) -> Members {
    let mut members = members(file);
    assert!(members.remove("manifest.json").is_some() && members.remove("SHA256SUMS").is_some());
    members
}

fn content_of(place: &Place) -> Members {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("now.tar");
    back_up(place, &file);
    content(&file)
}

fn rows(members: &Members, table: &str) -> Vec<Vec<Value>> {
    let packed = &members[&format!("tables/{table}.jsonl.gz")];
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Writes a backup with these members and right checksums, manifest first.
fn forge(file: &Path, members: &Members) {
    let mut tar = tar::Builder::new(std::fs::File::create(file).unwrap());
    let mut sums = String::new();
    let mut add = |name: &str, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        tar.append_data(&mut header, name, bytes).unwrap();
    };
    let first = members.keys().filter(|name| *name == "manifest.json");
    for name in first.chain(members.keys().filter(|name| *name != "manifest.json" && *name != "SHA256SUMS")) {
        let hex: String = Sha256::digest(&members[name]).iter().map(|byte| format!("{byte:02x}")).collect();
        sums.push_str(&format!("{hex}  {name}\n"));
        add(name, &members[name]);
    }
    add("SHA256SUMS", sums.as_bytes());
    tar.finish().unwrap();
}

fn packed(lines: &[Value]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    lines.iter().for_each(|line| writeln!(packer, "{line}").unwrap());
    packer.finish().unwrap()
}

fn manifest(members: &Members) -> Value {
    serde_json::from_slice(&members["manifest.json"]).unwrap()
}

struct Visitor {
    http: reqwest::Client,
    base: String,
    token: String,
}

impl Visitor {
    async fn admin(server: &Server) -> Self {
        let http = reqwest::Client::new();
        let token = sign_in(&http, &server.base).await;
        Self { http, base: server.base.clone(), token }
    }

    fn at(&self, server: &Server) -> Self {
        Self { http: self.http.clone(), base: server.base.clone(), token: self.token.clone() }
    }

    async fn upload(&self, key: &str, name: &str, bytes: Vec<u8>) -> bool {
        let form = Form::new().part("file", Part::bytes(bytes).file_name(name.to_owned()));
        let url = format!("{}/api/config/{key}/file", self.base);
        let answer = self.http.put(url).bearer_auth(&self.token).multipart(form).send().await;
        answer.is_ok_and(|answer| answer.status() == 200)
    }

    async fn patch(&self, change: &Value) -> bool {
        let request = self.http.patch(format!("{}/api/config", self.base)).bearer_auth(&self.token).json(change);
        request.send().await.is_ok_and(|answer| answer.status() == 200)
    }

    async fn session(&self, user: &str) -> String {
        let request = self.http.post(format!("{}/api/session", self.base)).bearer_auth(&self.token);
        let answer: Value = request.json(&json!({ "user_key": user })).send().await.unwrap().json().await.unwrap();
        answer["detail"]["session_key"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    async fn get(&self, path: &str) -> reqwest::Response {
        self.http.get(format!("{}{path}", self.base)).bearer_auth(&self.token).send().await.unwrap()
    }

    /// The key of whoever the token belongs to.
    async fn whoami(&self) -> String {
        let answer = self.get("/api/whoami").await;
        assert_eq!(answer.status(), 200);
        let answer: Value = answer.json().await.unwrap();
        answer["detail"]["user_key"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

/// The admin of a new site with a logo, whose token is still good, and the key of the admin.
async fn small_site(place: &Place, logo: &[u8]) -> (Visitor, String) {
    let server = Server::start(place);
    let admin = Visitor::admin(&server).await;
    assert!(admin.upload("company_logo", "logo.png", logo.to_vec()).await);
    let key = admin.whoami().await;
    stop(server);
    (admin, key)
}

/// Ended properly: PostgreSQL would remember a killed server for a minute.
fn stop(mut server: Server) {
    server.signal("-TERM");
    assert!(server.child.wait().unwrap().success());
}

/// Values that lose something on a careless way.
fn strange_rows(place: &Place) {
    let database = rusqlite::Connection::open(place.data_folder().unwrap().join("tracewright.db")).unwrap();
    let all_bytes: Vec<u8> = (0..=255).collect();
    for (name, bytes) in [("every byte", all_bytes), ("no byte", vec![])] {
        database.execute("insert into secret (name, value) values (?1, ?2)", (name, bytes)).unwrap();
    }
    for (key, text) in [("", ""), ("Ä", "\u{1F600}\u{2028}\u{7f}\u{1}\"\\/\r\n\t"), ("z", " ja "), ("é", "\u{FEFF}")]
    {
        database.execute("insert into config (key, value, rev) values (?1, ?2, ?3)", (key, text, i64::MAX)).unwrap();
    }
    for (key, at) in [(i64::MIN, 0), (-1, i64::MIN), (0, -1), (i64::MAX, i64::MAX), ((1 << 53) + 1, 1)] {
        database
            .execute("insert into login_failure (key, kind, subject, at) values (?1, 'username', '', ?2)", (key, at))
            .unwrap();
    }
}

#[test]
fn from_sqlite_to_postgres_and_back() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let files: Vec<PathBuf> = (0..3).map(|index| folder.path().join(format!("{index}.tar"))).collect();
        let places =
            [Place::new(Engine::Sqlite).await, Place::new(Engine::Postgres).await, Place::new(Engine::Sqlite).await];
        let (admin, key) = small_site(&places[0], LOGO).await;
        strange_rows(&places[0]);
        let added = tracewright(&["user", "add", "mario", "--scope", "operator"]).args(places[0].flags()).output();
        let shown = String::from_utf8(added.unwrap().stdout).unwrap();
        let marios = shown.split("password ").nth(1).unwrap().lines().next().unwrap().to_owned();

        let server = Server::start(&places[0]);
        let session = admin.at(&server).session(&key).await;
        let shown = back_up(&places[0], &files[0]);
        assert!(shown.contains(" records and 1 stored file ("), "{shown}");
        drop(server);
        for index in 1..3 {
            let shown = restore(&places[index], &files[index - 1]);
            assert!(shown.starts_with("Restored ") && shown.contains(" and 1 stored file from"), "{shown}");
            back_up(&places[index], &files[index]);
            let (before, after) = (content(&files[index - 1]), content(&files[index]));
            assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
            for (name, bytes) in &before {
                assert!(after[name] == *bytes, "{name} is the same on both engines");
            }
        }
        for place in &places[1..] {
            let server = Server::start(place);
            let admin = admin.at(&server);
            assert_eq!(admin.whoami().await, key, "the token is still good");
            let logo = admin.get("/media/config/company_logo/logo.png").await;
            assert_eq!(logo.bytes().await.unwrap(), LOGO);
            let form = [("username", "mario"), ("password", marios.as_str())];
            let answer = admin.http.post(format!("{}/api/auth", server.base)).form(&form).send().await.unwrap();
            assert_eq!(answer.status(), 200);
            let again = Visitor::admin(&server).await;
            assert!(again.session(&key).await > session, "new keys come after the restored ones");
            assert!(again.upload("company_logo", "new.png", LOGO.to_vec()).await);
        }
        for place in places {
            place.remove().await;
        }
    });
}

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
        assert!(words.contains("holds no site"), "{words}");
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

struct Quiet;

impl Progress for Quiet {
    fn begin(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
}

/// Everything below a folder, with its bytes.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn damaged_cut_foreign_and_newer_files_change_nothing() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(Engine::Sqlite).await;
        small_site(&place, LOGO).await;
        let good = folder.path().join("good.tar");
        back_up(&place, &good);
        let before = tree(&place.data_folder().unwrap());
        let bad = folder.path().join("bad.tar");
        let refuse = |bytes: &[u8], wanted: &str| {
            std::fs::write(&bad, bytes).unwrap();
            let words = refused(run(&["restore", "--replace"], &bad, &place));
            assert!(words.contains(wanted), "{words}");
            assert!(before == tree(&place.data_folder().unwrap()), "nothing was changed: {words}");
        };
        let bytes = std::fs::read(&good).unwrap();
        let ranges = contents(&bytes);
        let (media, sums) = (&ranges[ranges.len() - 2], &ranges[ranges.len() - 1]);
        let flipped = |at: usize| {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            bytes
        };
        refuse(&flipped(media.start), "media/config/company_logo");
        refuse(&flipped(sums.start), "damaged");
        refuse(&bytes[..sums.start], "damaged");
        refuse(&bytes[..700], "damaged");
        refuse(b"", "no backup of Tracewright");
        refuse(LOGO, "no backup of Tracewright");

        let mut foreign = members(&good);
        foreign.remove("manifest.json");
        forge(&bad, &foreign);
        refuse(&std::fs::read(&bad).unwrap(), "no backup of Tracewright");
        for (field, value) in [("migration", json!(9999)), ("format", json!(2))] {
            let mut newer = members(&good);
            let mut manifest = manifest(&newer);
            manifest[field] = value;
            newer.insert("manifest.json".to_owned(), manifest.to_string().into_bytes());
            forge(&bad, &newer);
            refuse(&std::fs::read(&bad).unwrap(), "newer program");
        }

        let whole = |bytes: &[u8]| {
            std::fs::write(&bad, bytes).unwrap();
            Backup::open(&bad).and_then(|backup| backup.check(&Quiet)).is_ok()
        };
        assert!(whole(&bytes));
        for at in ranges.iter().flat_map(|range| range.clone().step_by(37).chain([range.end - 1])) {
            assert!(!whole(&flipped(at)), "the byte at {at}");
        }
        for length in (0..sums.end).step_by(251).chain([sums.end - 1]) {
            assert!(!whole(&bytes[..length]), "cut after {length}");
        }
    });
}

/// Where the bytes of the members are.
fn contents(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut archive = tar::Archive::new(Cursor::new(bytes));
    let ranges = archive.entries().unwrap().map(|entry| {
        let entry = entry.unwrap();
        let start = entry.raw_file_position() as usize;
        start..start + entry.size() as usize
    });
    ranges.filter(|range| !range.is_empty()).collect()
}

/// A site is only replaced when that is said, and never under a running server.
fn another_site_is_replaced_only_when_told(engine: Engine) {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let (source, target) = (Place::new(Engine::Sqlite).await, Place::new(engine).await);
        let (admin, key) = small_site(&source, LOGO).await;
        let file = folder.path().join("site.tar");
        back_up(&source, &file);
        let (old, old_key) = small_site(&target, OLD_LOGO).await;
        let before = content_of(&target);
        let words = refused(run(&["restore"], &file, &target));
        assert!(words.contains("--replace"), "{words}");

        let server = Server::start(&target);
        let words = refused(run(&["restore", "--replace"], &file, &target));
        assert!(words.contains("already uses") || words.contains("a server runs"), "{words}");
        assert_eq!(old.at(&server).whoami().await, old_key);
        stop(server);
        assert!(before["tables/user_account.jsonl.gz"] == content_of(&target)["tables/user_account.jsonl.gz"]);

        succeeded(run(&["restore", "--replace"], &file, &target));
        let server = Server::start(&target);
        assert_eq!(old.at(&server).get("/api/whoami").await.status(), 401, "the old site is gone");
        assert_eq!(admin.at(&server).whoami().await, key);
        let logo = admin.at(&server).get("/media/config/company_logo/logo.png").await;
        assert_eq!(logo.bytes().await.unwrap(), LOGO);
        let objects = || tree(&target.media_folder()).keys().filter(|path| !is_marker(path)).count();
        assert!(admin.at(&server).upload("company_logo", "next.png", LOGO.to_vec()).await);
        eventually(|| objects() == 1, "the old site's file is erased");
        drop(server);
        source.remove().await;
        target.remove().await;
    });
}

fn is_marker(path: &Path) -> bool {
    path.file_name().unwrap().to_string_lossy().starts_with('.')
}

fn eventually(mut happens: impl FnMut() -> bool, what: &str) {
    for _ in 0..1000 {
        if happens() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("{what}");
}

#[test]
fn another_site_is_replaced_only_when_told_sqlite() {
    another_site_is_replaced_only_when_told(Engine::Sqlite);
}

#[test]
fn another_site_is_replaced_only_when_told_postgres() {
    another_site_is_replaced_only_when_told(Engine::Postgres);
}

/// A backup whose checksums are right and whose last table the database refuses: everything before it was restored by then.
fn poisoned(good: &Path, file: &Path) {
    let mut members = members(good);
    let user = rows(&members, "user_account")[0][0].clone();
    let session =
        |key: i64, user: &Value| json!([key, true, user, "the same token", 0, null, "viewer", null, null, null, null]);
    let lines = [session(1, &user), session(2, &user)];
    members.insert("tables/user_session.jsonl.gz".to_owned(), packed(&lines));
    let mut manifest = manifest(&members);
    let tables = manifest["tables"].as_array_mut().unwrap();
    let entry = tables.iter_mut().find(|table| table["name"] == "user_session").unwrap();
    assert_eq!(entry["columns"].as_array().unwrap().len(), lines[0].as_array().unwrap().len());
    entry["rows"] = json!(lines.len());
    members.insert("manifest.json".to_owned(), manifest.to_string().into_bytes());
    forge(file, &members);
}

/// The same with a reference to nobody, which is found last of all.
fn orphaned(good: &Path, file: &Path) {
    let mut members = members(good);
    let mut tokens = rows(&members, "token");
    tokens[0][3] = json!("nobody");
    let lines: Vec<Value> = tokens.into_iter().map(Value::from).collect();
    members.insert("tables/token.jsonl.gz".to_owned(), packed(&lines));
    forge(file, &members);
}

fn a_restore_that_fails_half_way_leaves_what_was_there(engine: Engine) {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let (source, target) = (Place::new(Engine::Sqlite).await, Place::new(engine).await);
        let (admin, key) = small_site(&source, LOGO).await;
        let (old, old_key) = small_site(&target, OLD_LOGO).await;
        let (good, bad) = (folder.path().join("good.tar"), folder.path().join("bad.tar"));
        back_up(&source, &good);
        let before = content_of(&target);
        poisoned(&good, &bad);
        let words = refused(run(&["restore", "--replace"], &bad, &target));
        assert!(words.contains("user_session breaks the rule") && words.contains("as it was"), "{words}");
        assert!(before == content_of(&target), "no record changed");
        orphaned(&good, &bad);
        let words = refused(run(&["restore", "--replace"], &bad, &target));
        assert!(words.contains("refers to one that is not there"), "{words}");
        assert!(before == content_of(&target), "no record changed");

        let object = rows(&members(&good), "file")[0][5].as_str().unwrap().to_owned();
        let in_the_way = target.media_folder().join(&object);
        if in_the_way.is_file() {
            std::fs::remove_file(&in_the_way).unwrap();
        }
        std::fs::create_dir(&in_the_way).unwrap();
        refused(run(&["restore", "--replace"], &good, &target));
        assert!(before == content_of(&target), "no record changed");
        std::fs::remove_dir(&in_the_way).unwrap();

        let server = Server::start(&target);
        assert_eq!(old.at(&server).whoami().await, old_key);
        let logo = old.at(&server).get("/media/config/company_logo/logo.png").await;
        assert_eq!(logo.bytes().await.unwrap(), OLD_LOGO, "the old site works as before");
        stop(server);
        succeeded(run(&["restore", "--replace"], &good, &target));
        let server = Server::start(&target);
        assert_eq!(admin.at(&server).whoami().await, key);
        if let Some(data) = target.data_folder() {
            let names = std::fs::read_dir(data).unwrap().map(|entry| entry.unwrap().file_name());
            assert!(names.into_iter().all(|name| !name.to_string_lossy().contains("restoring")));
        }
        drop(server);
        source.remove().await;
        target.remove().await;
    });
}

#[test]
fn a_restore_that_fails_half_way_leaves_what_was_there_sqlite() {
    a_restore_that_fails_half_way_leaves_what_was_there(Engine::Sqlite);
}

#[test]
fn a_restore_that_fails_half_way_leaves_what_was_there_postgres() {
    a_restore_that_fails_half_way_leaves_what_was_there(Engine::Postgres);
}

/// Kill -9 ever later in a restore: afterwards there is the old site or the new one, and it can be done again.
fn a_restore_that_is_killed(engine: Engine) {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let target = Place::new(engine).await;
        small_site(&target, OLD_LOGO).await;
        let (old, new) = (folder.path().join("old.tar"), folder.path().join("new.tar"));
        back_up(&target, &old);
        // The same site later on, with enough records for a restore to take its time.
        let mut members = members(&old);
        let lines: Vec<Value> = (0..60_000).map(|key| json!([key, "username", "mario", key])).collect();
        members.insert("tables/login_failure.jsonl.gz".to_owned(), packed(&lines));
        let mut manifest = manifest(&members);
        let tables = manifest["tables"].as_array_mut().unwrap();
        tables.iter_mut().find(|table| table["name"] == "login_failure").unwrap()["rows"] = json!(lines.len());
        members.insert("manifest.json".to_owned(), manifest.to_string().into_bytes());
        forge(&new, &members);

        let (before, after) = (rows(&content(&old), "login_failure"), rows(&members, "login_failure"));
        let mut kills = 0;
        for delay in (1..).map(|round| std::time::Duration::from_millis(round * 60)) {
            let mut command = tracewright(&["restore", "--replace"]);
            let mut child = command.arg(&new).args(target.flags()).spawn().unwrap();
            tokio::time::sleep(delay).await;
            let done = child.try_wait().unwrap();
            let _ = child.kill();
            let _ = child.wait();
            let present = rows(&content_of(&target), "login_failure");
            match done {
                Some(status) => {
                    assert!(status.success(), "{status}");
                    assert!(present == after);
                    break;
                }
                None => assert!(present == before || present == after, "{} records", present.len()),
            }
            kills += 1;
        }
        assert!(kills > 3, "only {kills} were killed in time");
        let server = Server::start(&target);
        let logo = Visitor::admin(&server).await.get("/media/config/company_logo/logo.png").await;
        assert_eq!(logo.bytes().await.unwrap(), OLD_LOGO);
        drop(server);
        target.remove().await;
    });
}

#[test]
fn a_restore_that_is_killed_sqlite() {
    a_restore_that_is_killed(Engine::Sqlite);
}

#[test]
fn a_restore_that_is_killed_postgres() {
    a_restore_that_is_killed(Engine::Postgres);
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
        assert!(shown.contains("Missing: config/company_logo/"), "{shown}");
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

    /// On a machine whose clock is far behind, and on every node.
    async fn keys_made_after_a_restore_come_after_the_restored_ones(site) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.tar");
        let app = site.app();
        let restored = (0..5_000).map(|_| app.new_id().unwrap()).last().unwrap();
        back_up(&site.place, &file);
        let target = Place::new(site.engine).await;
        restore(&target, &file);
        let behind = Clock::manual(Timestamp::parse("2025-01-01T00:00:00Z").unwrap());
        let mut nodes = vec![tracewright::start(&target.settings(), behind.clone()).await.unwrap()];
        if site.engine == Engine::Postgres {
            nodes.push(tracewright::start(&target.settings(), behind).await.unwrap());
        }
        let fresh: Vec<i64> = nodes.iter().map(|node| node.app.new_id().unwrap()).collect();
        assert!(fresh.iter().all(|key| *key > restored), "{fresh:?} {restored}");
        for node in nodes {
            node.stop().await;
        }
        target.remove().await;
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
