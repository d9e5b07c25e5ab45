//! Bringing backups back: on the other engine, over another site, from damaged files, and through failures half way.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use api::Clock;
use domain::Timestamp;
use store::backup::Backup;
use testkit::engine::{Engine, Place};
use testkit::{Value, block_on, json};

use super::{
    LOGO, OLD_LOGO, Quiet, Visitor, back_up, content, content_of, forge, is_marker, manifest, members, packed, restore,
    rows, run, small_site, stop, succeeded, tree,
};
use crate::process::{Server, refused, tracewright};

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
        refuse(&flipped(media.start), "media/");
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

        if let Some(data) = target.data_folder() {
            let reader = rusqlite::Connection::open(data.join("tracewright.db")).unwrap();
            reader.query_row("select count(*) from config", [], |row| row.get::<_, i64>(0)).unwrap();
            let words = refused(run(&["restore", "--replace"], &file, &target));
            assert!(words.contains("another program has the target's database open"), "{words}");
        }
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
        let (mut kills, mut delay) = (0, std::time::Duration::from_millis(10));
        loop {
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
            delay = delay * 3 / 2;
        }
        assert!(kills > 0, "none was killed in time");
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

testkit::on_both_engines! {
    /// On a machine whose clock is far behind, and on every node.
    async fn keys_made_after_a_restore_come_after_the_restored_ones(site) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.tar");
        let app = site.app();
        let restored = (0..5_000).map(|_| app.new_id().unwrap()).max().unwrap();
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
}

/// Not even `--replace` means somebody else's database.
#[test]
fn a_foreign_database_is_not_replaced() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.tar");
        let source = Place::new(Engine::Sqlite).await;
        small_site(&source, LOGO).await;
        back_up(&source, &file);
        let tables = "create table customer (id bigint); insert into customer values (7);
            create table migration (number bigint, name text); insert into migration values (1, 'init')";
        let foreign = Place::new(Engine::Postgres).await;
        foreign.sql(tables).await;
        let words = refused(run(&["restore", "--replace"], &file, &foreign));
        assert!(words.contains("none of ours"), "{words}");
        assert_eq!(foreign.sql("select id from customer").await, ["7"]);
        assert_eq!(foreign.sql("select extname from pg_extension where extname = 'pg_trgm'").await, [""; 0]);
        foreign.remove().await;

        let foreign = Place::new(Engine::Sqlite).await;
        let data = foreign.data_folder().unwrap();
        std::fs::create_dir_all(&data).unwrap();
        let database = data.join("tracewright.db");
        rusqlite::Connection::open(&database).unwrap().execute_batch("create table customer (id integer)").unwrap();
        let before = std::fs::read(&database).unwrap();
        let words = refused(run(&["restore", "--replace"], &file, &foreign));
        assert!(words.contains("none of ours"), "{words}");
        assert_eq!(std::fs::read(&database).unwrap(), before);
    });
}
