//! A PostgreSQL cluster of a test's own, for what the shared one can't do: TLS, rights by address, a standby, a restart.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Gone, with all that it holds, when the value goes.
pub struct Cluster {
    pub folder: tempfile::TempDir,
    pub port: u16,
    settings: Vec<String>,
}

impl Cluster {
    /// Makes a cluster with these lines in front of its `pg_hba.conf`; it does not run yet.
    pub fn new(rights: &str) -> Self {
        let folder = new_folder();
        let data = data(&folder);
        run(
            "initdb",
            &["-U", "tracewright", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D", &data],
        );
        let file = folder.path().join("data/pg_hba.conf");
        let usual = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{rights}\n{usual}")).unwrap();
        Self { folder, port: free_port(), settings: Vec::new() }
    }

    /// Another one that follows it, and takes no writes until it is told to.
    pub fn standby(&self) -> Self {
        let folder = new_folder();
        let (data, socket, port) = (data(&folder), self.socket(), self.port.to_string());
        let from = ["-h", &socket, "-p", &port, "-U", "tracewright"];
        run("pg_basebackup", &[&from[..], &["-D", &data, "-R", "-X", "stream", "-c", "fast", "--no-sync"]].concat());
        Self { folder, port: free_port(), settings: Vec::new() }
    }

    /// Adds a setting for the next start.
    pub fn set(&mut self, name: &str, value: &str) {
        self.settings.push(format!("-c {name}='{value}'"));
    }

    /// A file that the server may read, and nobody else.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let file = self.folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        set_mode(&file, 0o600);
        give_away(&file);
        file
    }

    fn socket(&self) -> String {
        self.folder.path().display().to_string()
    }

    pub fn start(&self) {
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories='{}' -c fsync=off -c full_page_writes=off \
             -c shared_buffers=32MB -c max_connections=60 {}",
            self.port,
            self.socket(),
            self.settings.join(" ")
        );
        let log = self.folder.path().join("data/server.log").display().to_string();
        run("pg_ctl", &["-D", &data(&self.folder), "-w", "-l", &log, "-o", &options, "start"]);
    }

    /// As a machine that loses its power does.
    pub fn stop(&self) {
        run("pg_ctl", &["-D", &data(&self.folder), "-w", "-m", "immediate", "stop"]);
    }

    /// Makes a standby take writes.
    pub fn promote(&self) {
        run("pg_ctl", &["-D", &data(&self.folder), "-w", "promote"]);
    }

    /// Its address by TCP: a user, and what comes behind the database.
    pub fn address(&self, user: &str, rest: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/postgres?{rest}", self.port)
    }

    /// Runs a command as its owner.
    pub fn sql(&self, command: &str) {
        self.ask(command);
    }

    /// Runs a statement and gives what it answers.
    pub fn ask(&self, command: &str) -> String {
        let (socket, port) = (self.socket(), self.port.to_string());
        run("psql", &["-h", &socket, "-p", &port, "-U", "tracewright", "-d", "postgres", "-qAt", "-c", command])
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let stop = ["-D", &data(&self.folder), "-m", "immediate", "-w", "stop"];
        let _ = program("pg_ctl").args(stop).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

fn data(folder: &tempfile::TempDir) -> String {
    folder.path().join("data").display().to_string()
}

fn new_folder() -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("tracewright-cluster.").tempdir_in("/tmp").unwrap();
    set_mode(folder.path(), 0o755);
    give_away(folder.path());
    folder
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// PostgreSQL refuses to run as root.
fn give_away(path: &Path) {
    if is_root() {
        assert!(Command::new("chown").arg("postgres").arg(path).status().unwrap().success());
    }
}

fn programs() -> PathBuf {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .map(|versions| versions.flatten().map(|version| version.path().join("bin")).collect())
        .unwrap_or_default();
    found.sort();
    found.pop().expect("PostgreSQL's server programs: run scripts/install-tools")
}

fn program(name: &str) -> Command {
    let path = programs().join(name);
    let mut command = if is_root() {
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(path);
        command
    } else {
        Command::new(path)
    };
    command.current_dir("/tmp");
    command
}

fn run(name: &str, arguments: &[&str]) -> String {
    // Into a file: a server that stays would hold a pipe open.
    let log = tempfile::NamedTempFile::new().unwrap();
    let out = std::fs::OpenOptions::new().append(true).open(log.path()).unwrap();
    let err = out.try_clone().unwrap();
    let status = program(name).args(arguments).stdout(out).stderr(err).stdin(Stdio::null()).status().unwrap();
    let said = std::fs::read_to_string(log.path()).unwrap_or_default();
    assert!(status.success(), "{name} {arguments:?}: {said}");
    said.trim().to_owned()
}
