//! Backup and restore, by the real binary wherever that can show it.

mod restore;
mod take;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use reqwest::multipart::{Form, Part};
use sha2::{Digest, Sha256};
use store::backup::Progress;
use testkit::engine::Place;
use testkit::{Value, json};

use crate::process::{Server, sign_in, tracewright};

pub(super) const LOGO: &[u8] = b"\x89PNG\r\n\x1a\nnot much of a picture";
pub(super) const OLD_LOGO: &[u8] = b"another picture";

pub(super) fn run(arguments: &[&str], file: &Path, place: &Place) -> std::process::Output {
    tracewright(arguments).arg(file).args(place.flags()).output().unwrap()
}

pub(super) fn succeeded(output: std::process::Output) -> String {
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "no bar where there is no terminal");
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn back_up(place: &Place, file: &Path) -> String {
    succeeded(run(&["backup", "--replace"], file, place))
}

pub(crate) fn restore(place: &Place, file: &Path) -> String {
    succeeded(run(&["restore"], file, place))
}

pub(crate) type Members = BTreeMap<String, Vec<u8>>;

/// The members of a backup as they are stored.
pub(super) fn members(file: &Path) -> Members {
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
pub(crate) fn content(file: &Path) -> Members {
    let mut members = members(file);
    assert!(members.remove("manifest.json").is_some() && members.remove("SHA256SUMS").is_some());
    members
}

pub(super) fn content_of(place: &Place) -> Members {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("now.tar");
    back_up(place, &file);
    content(&file)
}

pub(super) fn rows(members: &Members, table: &str) -> Vec<Vec<Value>> {
    let packed = &members[&format!("tables/{table}.jsonl.gz")];
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Writes a backup with these members and right checksums, manifest first.
pub(super) fn forge(file: &Path, members: &Members) {
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

pub(super) fn packed(lines: &[Value]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    lines.iter().for_each(|line| writeln!(packer, "{line}").unwrap());
    packer.finish().unwrap()
}

pub(super) fn manifest(members: &Members) -> Value {
    serde_json::from_slice(&members["manifest.json"]).unwrap()
}

pub(super) struct Visitor {
    pub(super) http: reqwest::Client,
    base: String,
    token: String,
}

impl Visitor {
    pub(super) async fn admin(server: &Server) -> Self {
        let http = reqwest::Client::new();
        let token = sign_in(&http, &server.base).await;
        Self { http, base: server.base.clone(), token }
    }

    pub(super) fn at(&self, server: &Server) -> Self {
        Self { http: self.http.clone(), base: server.base.clone(), token: self.token.clone() }
    }

    pub(super) async fn upload(&self, key: &str, name: &str, bytes: Vec<u8>) -> bool {
        let form = Form::new().part("file", Part::bytes(bytes).file_name(name.to_owned()));
        let url = format!("{}/api/config/{key}/file", self.base);
        let answer = self.http.put(url).bearer_auth(&self.token).multipart(form).send().await;
        answer.is_ok_and(|answer| answer.status() == 200)
    }

    pub(super) async fn patch(&self, change: &Value) -> bool {
        let request = self.http.patch(format!("{}/api/config", self.base)).bearer_auth(&self.token).json(change);
        request.send().await.is_ok_and(|answer| answer.status() == 200)
    }

    pub(super) async fn session(&self, user: &str) -> String {
        let request = self.http.post(format!("{}/api/session", self.base)).bearer_auth(&self.token);
        let answer: Value = request.json(&json!({ "user_key": user })).send().await.unwrap().json().await.unwrap();
        answer["detail"]["session_key"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    pub(super) async fn get(&self, path: &str) -> reqwest::Response {
        self.http.get(format!("{}{path}", self.base)).bearer_auth(&self.token).send().await.unwrap()
    }

    /// The key of whoever the token belongs to.
    pub(super) async fn whoami(&self) -> String {
        let answer = self.get("/api/whoami").await;
        assert_eq!(answer.status(), 200);
        let answer: Value = answer.json().await.unwrap();
        answer["detail"]["user_key"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

/// The admin of a new site with a logo, whose token is still good, and the key of the admin.
pub(super) async fn small_site(place: &Place, logo: &[u8]) -> (Visitor, String) {
    let server = Server::start(place);
    let admin = Visitor::admin(&server).await;
    assert!(admin.upload("company_logo", "logo.png", logo.to_vec()).await);
    let key = admin.whoami().await;
    stop(server);
    (admin, key)
}

/// Ended properly: PostgreSQL would remember a killed server for a minute.
pub(super) fn stop(mut server: Server) {
    server.signal("-TERM");
    assert!(server.child.wait().unwrap().success());
}

pub(super) struct Quiet;

impl Progress for Quiet {
    fn begin(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
}

/// Everything below a folder, with its bytes.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
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

pub(super) fn is_marker(path: &Path) -> bool {
    path.file_name().unwrap().to_string_lossy().starts_with('.')
}
