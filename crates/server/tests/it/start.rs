//! What a start tells whoever reads its log, and a program whose output nobody reads.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};

use testkit::cluster::Cluster;
use testkit::engine::{Engine, Place};
use testkit::{Value, block_on};

use crate::process::tracewright;

/// Standard output whose reader is gone.
fn unread() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// A service whose log is read; killed when the test ends.
struct Logged {
    child: Child,
    log: BufReader<ChildStderr>,
    lines: Vec<Value>,
}

impl Logged {
    /// Runs it until it listens.
    fn start(command: Command) -> Self {
        Self::start_until(command, "listening")
    }

    /// Runs it until its log has a line that begins so.
    fn start_until(mut command: Command, words: &str) -> Self {
        command.args(["--listen", "127.0.0.1:0", "--log-format", "json"]).stdout(unread()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let mut logged = Self { child, log, lines: Vec::new() };
        loop {
            let mut line = String::new();
            assert_ne!(logged.log.read_line(&mut line).unwrap(), 0, "it ended: {:?}", logged.lines);
            let line: Value = serde_json::from_str(&line).expect(&line);
            logged.lines.push(line);
            if logged.lines.last().unwrap()["message"].as_str().is_some_and(|message| message.starts_with(words)) {
                return logged;
            }
        }
    }

    fn address(&self) -> String {
        self.lines.last().unwrap()["address"].as_str().unwrap().to_owned()
    }

    /// Stops it; gives the messages of all its warnings.
    fn stop(mut self) -> Vec<String> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let mut rest = String::new();
        self.log.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success(), "{rest}");
        self.lines.extend(rest.lines().map(|line| serde_json::from_str::<Value>(line).expect(line)));
        let warnings = self.lines.iter().filter(|line| line["level"] == "WARN");
        warnings.map(|line| line["message"].as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn unknown_variables_are_told() {
    block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        let command = |name: &str| {
            let mut command = tracewright(&[name]);
            command.args(place.flags()).env("TRACEWRIGHT_DATABSE", "postgres://u:hidden@h/x");
            command.env("TRACEWRIGHT_SERVICE_HOST", "10.0.0.7").env("TRACEWRIGHT_PORT", "tcp://10.0.0.7:8080");
            command
        };
        let told = "the variable TRACEWRIGHT_DATABSE is unknown and has no effect; did you mean TRACEWRIGHT_DATABASE?";
        assert_eq!(Logged::start(command("serve")).stop(), [told]);
        let migrated = command("migrate").output().unwrap();
        assert!(migrated.status.success());
        assert_eq!(String::from_utf8(migrated.stderr).unwrap(), format!("tracewright: {told}\n"));
    });
}

#[test]
fn a_connection_without_tls_is_told_once() {
    block_on(async {
        let cluster = Cluster::new("");
        cluster.start();
        let media = tempfile::tempdir().unwrap();
        let warnings = |mode: &str| {
            let mut command = tracewright(&["serve", "--database", &cluster.address("tracewright", mode)]);
            command.arg("--media-root").arg(media.path());
            Logged::start(command)
                .stop()
                .into_iter()
                .filter(|text| text.contains("is not encrypted"))
                .collect::<Vec<_>>()
        };
        for (address, mode) in [("", "sslmode=prefer"), ("sslmode=allow", "sslmode=allow")] {
            let told = warnings(address);
            assert!(told.len() == 1 && told[0].contains(mode), "{told:?}");
        }
        assert_eq!(warnings("sslmode=disable"), [""; 0]);
    });
}

#[test]
fn commands_end_quietly_when_nobody_reads() {
    block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        let backup = place.media_folder().with_file_name("site.backup").display().to_string();
        let on_site: [&[&str]; 6] = [
            &["migrate"],
            &["user", "add", "mario"],
            &["user", "password", "mario"],
            &["user", "list"],
            &["verify"],
            &["backup", &backup],
        ];
        for arguments in on_site.into_iter().chain([&["openapi"][..], &["restore", "--check", &backup]]) {
            let mut command = tracewright(arguments);
            if on_site.contains(&arguments) {
                command.args(place.flags());
            }
            let ended = command.stdout(unread()).output().unwrap();
            assert!(ended.status.success() && ended.stderr.is_empty(), "{arguments:?}: {ended:?}");
        }
    });
}

/// Another node may hold the site for hours, while it migrates a large one.
#[test]
fn a_start_that_waits_can_be_stopped() {
    block_on(async {
        let place = Place::new(Engine::Postgres).await;
        let held = place.hold(&format!("select pg_advisory_xact_lock({})", 0x7472_6163_6501_i64)).await;
        let mut command = tracewright(&["serve"]);
        command.args(place.flags());
        Logged::start_until(command, "another node migrates the database").stop();
        held.let_go().await;
        place.remove().await;
    });
}

#[test]
fn a_service_goes_on_when_nobody_reads() {
    block_on(async {
        let place = Place::new(Engine::Sqlite).await;
        let mut command = tracewright(&["serve"]);
        command.args(place.flags());
        let service = Logged::start(command);
        let alive = reqwest::get(format!("http://{}/readyz", service.address())).await.unwrap();
        assert_eq!(alive.status(), 200);
        assert_eq!(service.stop(), [""; 0]);
    });
}
