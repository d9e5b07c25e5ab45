//! The binary as people run it: starting, refusing to start, stopping, dying.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use testkit::engine::{Engine, Place};
use testkit::{Value, block_on, json};
use tokio::sync::Semaphore;

const BINARY: &str = env!("CARGO_BIN_EXE_tracewright");
const PASSWORD: &str = "correct horse battery";

pub(crate) fn tracewright(arguments: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    // The tests' own variable is none of the program's, which would say so.
    command.args(arguments).env("TRACEWRIGHT_ADMIN_PASSWORD", PASSWORD).env_remove("TRACEWRIGHT_TEST_POSTGRES");
    command
}

/// A server process that is killed when the test ends, whatever happens.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) base: String,
}

impl Server {
    pub(super) fn start(place: &Place) -> Self {
        let mut command = tracewright(&["serve", "--listen", "127.0.0.1:0"]);
        command.args(place.flags());
        Self::run(command)
    }

    pub(crate) fn run(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let base = line.trim().strip_prefix("Tracewright serves ").expect("the address").to_owned();
        Self { child, base }
    }

    pub(super) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn refused(output: Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(words.lines().count(), 1, "one clear sentence: {words}");
    words
}

#[test]
fn wrong_settings_stop_the_start_with_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").display().to_string();
    let file = folder.path().join("not-a-folder");
    std::fs::write(&file, "x").unwrap();
    let inside_file = file.join("data").display().to_string();
    let toml = folder.path().join("bad.toml");
    std::fs::write(&toml, "lissten = 1").unwrap();
    let toml = toml.display().to_string();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let cases: &[(&[&str], &str)] = &[
        (&["serve", "--data", &inside_file], "data folder"),
        (&["serve", "--data", &data, "--listen", &taken], "can't be listened on"),
        (&["serve", "--data", &data, "--jwt-secret", "short"], "jwt_secret"),
        (&["serve", "--data", &data, "--admin-password", "short"], "admin_password"),
        (&["serve", "--data", &data, "--log", "loud"], "log"),
        (&["serve", "--data", &data, "--trusted-proxies", "x"], "trusted_proxies"),
        (&["serve", "--data", &data, "--write-group", "0"], "write_group is wrong: it must be from 1 to 100000, not 0"),
        (&["serve", "--data", &data, "--upload-limit-bytes", "0"], "upload_limit_bytes is wrong: it must be from 1 to"),
        (
            &["migrate", "--data", &data, "--database-connections", "0"],
            "database_connections is wrong: it must be from 1",
        ),
        (&["serve", "--config", &toml], "bad.toml the key lissten is unknown; did you mean listen?"),
        (&["serve", "--config", "/nowhere.toml"], "/nowhere.toml"),
        (&["serve", "--database", "mysql://x"], "postgres://"),
        (&["serve", "--database", "postgres://u:secret@127.0.0.1:1/x"], "postgres://u@127.0.0.1:1/x"),
    ];
    for (arguments, wanted) in cases {
        let words = refused(tracewright(arguments).output().unwrap());
        assert!(words.contains(wanted) && !words.contains("secret@"), "{arguments:?}: {words}");
    }
    assert!(!Path::new(&data).join("tracewright.db").exists(), "a refused start leaves no database behind");
}

#[test]
fn a_missing_database_is_named() {
    block_on(async {
        let place = Place::new(Engine::Postgres).await;
        let flags = place.flags();
        place.remove().await;
        let words = refused(tracewright(&["serve", "--listen", "127.0.0.1:0"]).args(flags).output().unwrap());
        assert!(words.contains("does not exist"), "{words}");
    });
}

/// Whoever watches the journal must not take a missing database for an altered one.
#[test]
fn what_could_not_be_verified_was_not_altered() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere").display().to_string();
    let told = tracewright(&["verify", "--data", &nowhere]).output().unwrap();
    assert_eq!(told.status.code(), Some(2), "{told:?}");
}

#[test]
fn a_damaged_database_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tracewright.db"), "this is no database at all, just some text").unwrap();
    let data = folder.path().display().to_string();
    let words = refused(tracewright(&["serve", "--listen", "127.0.0.1:0", "--data", &data]).output().unwrap());
    assert!(words.contains("tracewright.db"), "{words}");
}

#[test]
fn two_servers_do_not_share_a_folder() {
    block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        let first = Server::start(&place);
        let words = refused(tracewright(&["serve", "--listen", "127.0.0.1:0"]).args(place.flags()).output().unwrap());
        assert!(words.contains("already uses"), "{words}");
        assert_eq!(reqwest::get(format!("{}/api/hello", first.base)).await.unwrap().status(), 200);
    });
}

#[test]
fn a_newer_database_is_left_alone() {
    block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        drop(Server::start(&place));
        let file = place.data_folder().unwrap().join("tracewright.db");
        let database = rusqlite::Connection::open(file).unwrap();
        database.execute("insert into migration (number, name) values (9999, 'future')", []).unwrap();
        drop(database);
        let words = refused(tracewright(&["serve", "--listen", "127.0.0.1:0"]).args(place.flags()).output().unwrap());
        assert!(words.contains("newer than this program"), "{words}");
    });
}

pub(crate) async fn sign_in(http: &reqwest::Client, base: &str) -> String {
    let form = [("username", "admin"), ("password", PASSWORD)];
    let answer = http.post(format!("{base}/api/auth")).form(&form).send().await.unwrap();
    let body: Value = answer.json().await.unwrap();
    body["access_token"].as_str().expect("a token").to_owned()
}

fn stops_gracefully(engine: Engine) {
    block_on(async {
        let place = Place::new(engine).await;
        let mut server = Server::start(&place);
        let http = reqwest::Client::new();
        // Hashing the password takes long enough for the signal to arrive in between.
        let sign_ins = (0..4).map(|_| {
            let (http, base) = (http.clone(), server.base.clone());
            tokio::spawn(async move { sign_in(&http, &base).await })
        });
        let sign_ins: Vec<_> = sign_ins.collect();
        for sign_in in &sign_ins[..1] {
            while !sign_in.is_finished() {
                tokio::task::yield_now().await;
            }
        }
        server.signal("-TERM");
        let status = tokio::task::spawn_blocking(move || server.child.wait().unwrap()).await.unwrap();
        assert!(status.success(), "{status}");
        for sign_in in sign_ins {
            sign_in.await.expect("what was begun is answered");
        }
        if let Some(data) = place.data_folder() {
            assert!(!data.join("tracewright.db-wal").exists(), "everything is in the database file");
        }
        let again = Server::start(&place);
        assert_eq!(http.get(format!("{}/readyz", again.base)).send().await.unwrap().status(), 200);
        drop(again);
        place.remove().await;
    });
}

#[test]
fn stops_gracefully_sqlite() {
    stops_gracefully(Engine::Sqlite);
}

#[test]
fn stops_gracefully_postgres() {
    stops_gracefully(Engine::Postgres);
}

/// Kill -9 in the middle of writes, many times over: what was acknowledged is there afterwards.
fn killed_in_the_middle_of_writes(engine: Engine) {
    const ROUNDS: usize = 12;
    const CLIENTS: usize = 8;
    block_on(async {
        let place = Place::new(engine).await;
        let mut acknowledged: Vec<String> = Vec::new();
        for round in 0..ROUNDS {
            let server = Server::start(&place);
            let http = reqwest::Client::new();
            let token = sign_in(&http, &server.base).await;
            // One for each write that is acknowledged in this round.
            let writes = Arc::new(Semaphore::new(0));
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let (http, base, token) = (http.clone(), server.base.clone(), token.clone());
                    let writes = writes.clone();
                    tokio::spawn(async move {
                        let mut written = Vec::new();
                        for index in 0.. {
                            let key = format!("k-{round}-{client}-{index}");
                            let change = json!({ &key: { "round": round, "text": "x".repeat(index % 7 * 100) } });
                            let request = http.patch(format!("{base}/api/config")).bearer_auth(&token).json(&change);
                            match request.send().await {
                                Ok(answer) if answer.status() == 200 => {
                                    written.push(key);
                                    writes.add_permits(1);
                                }
                                _ => break,
                            }
                        }
                        written
                    })
                })
                .collect();
            // Somewhere in the middle of what follows the second, another place each time.
            let second = tokio::time::timeout(Duration::from_secs(30), writes.acquire_many(2)).await;
            let _ = second.expect("two writes within half a minute");
            tokio::time::sleep(Duration::from_millis(23 * round as u64 % 90)).await;
            server.signal("-KILL");
            for client in clients {
                acknowledged.extend(client.await.unwrap());
            }
        }
        let server = Server::start(&place);
        let config: Value = reqwest::get(format!("{}/api/config", server.base)).await.unwrap().json().await.unwrap();
        let missing: Vec<&String> = acknowledged.iter().filter(|key| config["detail"].get(*key).is_none()).collect();
        assert!(
            missing.is_empty(),
            "{} of {} acknowledged writes are lost: {missing:?}",
            missing.len(),
            acknowledged.len()
        );
        assert!(acknowledged.len() > ROUNDS, "the clients wrote something: {}", acknowledged.len());
        drop(server);
        place.remove().await;
    });
}

#[test]
fn killed_in_the_middle_of_writes_sqlite() {
    killed_in_the_middle_of_writes(Engine::Sqlite);
}

#[test]
fn killed_in_the_middle_of_writes_postgres() {
    killed_in_the_middle_of_writes(Engine::Postgres);
}

fn users_by_command_line(engine: Engine) {
    block_on(async {
        let place = Place::new(engine).await;
        let run = |arguments: &[&str]| {
            let output = tracewright(arguments).args(place.flags()).output().unwrap();
            let shown = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
            (output.status.success(), shown)
        };
        // The first command makes the site, admin and all.
        let (_, listed) = run(&["user", "list"]);
        assert!(listed.contains("\tadmin\tadmin library production"), "{listed}");
        assert_eq!(run(&["migrate"]), (true, "The database is up to date.\n".to_owned()));
        let (added, shown) = run(&["user", "add", "Mario", "--scope", "operator viewer"]);
        assert!(added, "{shown}");
        let password = shown.split("password ").nth(1).unwrap().lines().next().unwrap().to_owned();
        assert!(!run(&["user", "add", "mario"]).0, "ignoring case the name is taken");
        assert!(!run(&["user", "add", "ma rio"]).0);
        assert!(!run(&["user", "add", "luigi", "--scope", "king"]).0);
        let (_, listed) = run(&["user", "list"]);
        assert!(listed.contains("Mario\toperator viewer\tlast login never"), "{listed}");
        let (reset, shown) = run(&["user", "password", "MARIO"]);
        assert!(reset, "{shown}");
        let new = shown.split("password ").nth(1).unwrap().lines().next().unwrap().to_owned();
        assert!(!run(&["user", "password", "luigi"]).0);

        let server = Server::start(&place);
        let http = reqwest::Client::new();
        for (password, status) in [(password, 401), (new, 200)] {
            let form = [("username", "mario"), ("password", password.as_str())];
            let answer = http.post(format!("{}/api/auth", server.base)).form(&form).send().await.unwrap();
            assert_eq!(answer.status(), status);
        }
        drop(server);
        place.remove().await;
    });
}

#[test]
fn users_by_command_line_sqlite() {
    users_by_command_line(Engine::Sqlite);
}

#[test]
fn users_by_command_line_postgres() {
    users_by_command_line(Engine::Postgres);
}

/// The tour of the README, as it is written there, against a new site.
#[test]
fn the_readmes_tour_works() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(BINARY);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder.path().join("data"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let base = lines.next().unwrap().unwrap().replace("Tracewright serves ", "");
    let password = lines.next().unwrap().unwrap().rsplit(' ').next().unwrap().to_owned();
    let _server = Server { child, base: base.clone() };

    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let blocks = readme.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    let tour = blocks.collect::<Vec<_>>().join("\n");
    let tour = tour.replace("http://127.0.0.1:8080", &base).replace("the printed password", &password);
    let mut shell = Command::new("bash");
    let output = shell.args(["-e", "-o", "pipefail", "-c", &tour]).current_dir(folder.path()).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{shown}{}", String::from_utf8_lossy(&output.stderr));
    for wanted in [
        "\"Hi!\"",
        "\"Password changed.\"",
        "\"username\":\"admin\"",
        "\"company_name\":\"Acme Pumps\"",
        "company_name: Must be text.",
        "timezone: The IANA name",
        "/media/config/company_logo/logo.png",
        "200 image/png",
        "\"current\": true",
        "\"Session closed.\"",
        "\n401\n",
    ] {
        assert!(shown.contains(wanted), "{wanted} is missing in\n{shown}");
    }
}

#[test]
fn the_document_by_command_line() {
    let output = tracewright(&["openapi"]).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document, api::openapi::document(api::areas::operations()));
}
