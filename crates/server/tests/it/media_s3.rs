//! Stored files in S3-compatible storage, through a real server of that protocol.

use std::process::Command;

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use store::OpenError;
use store::media::Media;
use testkit::engine::Place;
use testkit::storage::{ACCESS_KEY, BUCKET, SECRET_KEY};
use testkit::{Engine, Person, Site, Storage, block_on, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tracewright::{Settings, StartError};

use crate::config_file::{PNG, erase, media, upload};
use crate::process::{Server, refused, sign_in, tracewright};

const MIB: usize = 1024 * 1024;
const PREFIX: &str = "plant/one";

async fn on_storage(engine: Engine, check: impl AsyncFnOnce(&Site, &Storage)) {
    let storage = Storage::start().await;
    let site = Site::start_with(engine, |settings| storage.lead(settings, PREFIX)).await;
    check(&site, &storage).await;
    site.stop().await;
}

async fn part(base: &str, range: &str) -> reqwest::Response {
    let url = format!("{base}/media/config/company_logo/a.bin");
    reqwest::Client::new().get(url).header("range", range).send().await.unwrap()
}

fn a_logo_comes_changes_and_goes(engine: Engine) {
    block_on(on_storage(engine, async |site, storage| {
        let admin = site.admin().await;
        upload(&admin, "company_logo", "a.png", PNG).await.expect(200);
        let second = upload(&admin, "company_logo", "b.png", PNG).await.detail();
        assert_eq!(second["file_path"], "/media/config/company_logo/b.png");
        assert_eq!(media(site, "/media/config/company_logo/a.png").await.status(), 404);
        assert_eq!(storage.objects(PREFIX).len(), 1, "the bytes of the first are gone");
        let served = media(site, "/media/config/company_logo/b.png").await;
        assert_eq!(served.headers()["content-type"], "image/png");
        assert_eq!(served.bytes().await.unwrap(), PNG);

        let nothing = upload(&admin, "empty", "nothing.txt", b"").await.detail();
        assert_eq!(media(site, nothing["file_path"].as_str().unwrap()).await.bytes().await.unwrap(), "");

        assert_eq!(erase(&admin, "company_logo").await.detail(), json!({ "file_path": null }));
        assert_eq!(media(site, "/media/config/company_logo/b.png").await.status(), 404);
        assert_eq!(storage.objects(PREFIX).len(), 1, "the empty one");
        assert_eq!(storage.objects("").len(), 1, "nothing lies beside the prefix");
    }));
}

#[test]
fn a_logo_comes_changes_and_goes_sqlite() {
    a_logo_comes_changes_and_goes(Engine::Sqlite);
}

#[test]
fn a_logo_comes_changes_and_goes_postgres() {
    a_logo_comes_changes_and_goes(Engine::Postgres);
}

#[test]
fn a_large_file_goes_and_comes_in_parts() {
    block_on(on_storage(Engine::Sqlite, async |site, storage| {
        let admin = site.admin().await;
        let bytes: Vec<u8> = (0..12 * MIB + 3).map(|index| (index % 251) as u8).collect();
        upload(&admin, "company_logo", "a.bin", &bytes).await.expect(200);
        assert_eq!(storage.unfinished_parts(), 0);
        let whole = media(site, "/media/config/company_logo/a.bin").await;
        assert!(whole.bytes().await.unwrap() == bytes);
        let (from, to) = (5 * MIB - 10, 5 * MIB + 9);
        let across = part(&site.base(), &format!("bytes={from}-{to}")).await;
        assert_eq!(across.status(), StatusCode::PARTIAL_CONTENT);
        assert_eq!(across.headers()["content-range"], format!("bytes {from}-{to}/{}", bytes.len()));
        assert_eq!(across.bytes().await.unwrap(), bytes[from..=to]);
        assert_eq!(part(&site.base(), "bytes=-3").await.bytes().await.unwrap(), bytes[12 * MIB..]);
        assert_eq!(part(&site.base(), "bytes=90000000-").await.status(), StatusCode::RANGE_NOT_SATISFIABLE);
    }));
}

/// A form with one file, up to where its bytes begin.
const FILE_BEGINS: &str = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n";

async fn upload_cut_at(admin: &Person, bytes: usize) {
    let mut body = FILE_BEGINS.as_bytes().to_vec();
    body.resize(body.len() + bytes, 7);
    let request = admin.request(Method::PUT, "/config/company_logo/file");
    admin.send(request.header("content-type", "multipart/form-data; boundary=x").body(body)).await.expect(400);
}

#[test]
fn a_refused_upload_leaves_nothing() {
    block_on(async {
        let storage = Storage::start().await;
        let limit = 12 * MIB;
        let site = Site::start_with(Engine::Sqlite, |settings| {
            storage.lead(settings, PREFIX);
            settings.upload_limit_bytes = Some(limit as u64);
        })
        .await;
        let admin = site.admin().await;
        upload_cut_at(&admin, 10).await;
        upload_cut_at(&admin, 11 * MIB).await;
        upload(&admin, "company_logo", "a.bin", &vec![0; limit + 1]).await.expect(413);
        upload(&admin, "timezone", "a.bin", &vec![0; 6 * MIB]).await.expect(422);
        assert_eq!(storage.objects(""), Vec::<String>::new());
        assert_eq!(storage.unfinished_parts(), 0);
        assert_eq!(site.count("file").await, 0);
        upload(&admin, "company_logo", "a.bin", &vec![0; limit]).await.expect(200);
        assert_eq!(storage.objects(PREFIX).len(), 1);
        site.stop().await;
    });
}

#[test]
fn a_client_that_hangs_up_leaves_nothing() {
    block_on(on_storage(Engine::Sqlite, async |site, storage| {
        let admin = site.admin().await;
        let address = site.base().trim_start_matches("http://").to_owned();
        let head = format!(
            "PUT /api/config/company_logo/file HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {}\r\n\r\n{FILE_BEGINS}",
            admin.token.as_deref().unwrap(),
            20 * MIB,
        );
        let mut client = TcpStream::connect(&address).await.unwrap();
        client.write_all(head.as_bytes()).await.unwrap();
        client.write_all(&vec![7; 6 * MIB]).await.unwrap();
        site.eventually(async || (storage.unfinished_parts() > 0).then_some(())).await;
        drop(client);
        site.eventually(async || (storage.unfinished_parts() == 0).then_some(())).await;
        assert_eq!(storage.objects(""), Vec::<String>::new());
    }));
}

#[test]
fn two_nodes_share_a_bucket() {
    block_on(on_storage(Engine::Postgres, async |site, storage| {
        let second = site.second_node().await;
        let other = format!("http://{}", second.address);
        let here = site.admin().await;
        let there = here.at(&other);
        upload(&here, "company_logo", "a.bin", b"from the first").await.expect(200);
        assert_eq!(part(&other, "bytes=5-7").await.bytes().await.unwrap(), "the");
        upload(&there, "company_logo", "a.bin", b"by the second").await.expect(200);
        assert_eq!(part(&site.base(), "bytes=3-5").await.bytes().await.unwrap(), "the");
        assert_eq!(storage.objects(PREFIX).len(), 1);

        let uploads = (0..8).map(|index| {
            let person = if index % 2 == 0 { &here } else { &there };
            async move { upload(person, "company_logo", &format!("{index}.png"), PNG).await.expect(200) }
        });
        join_all(uploads).await;
        assert_eq!(site.count("file").await, 1);
        site.eventually(async || (storage.objects(PREFIX).len() == 1).then_some(())).await;
        erase(&there, "company_logo").await.expect(200);
        assert_eq!(storage.objects(""), Vec::<String>::new());
        second.stop().await;
    }));
}

/// How the start of another site on that prefix ends.
async fn other_site(storage: &Storage, prefix: &str) -> Result<(), StartError> {
    let place = Place::new(Engine::Sqlite).await;
    let mut settings = place.settings();
    storage.lead(&mut settings, prefix);
    let node = tracewright::start(&settings, api::Clock::system()).await?;
    node.stop().await;
    Ok(())
}

fn assert_foreign(outcome: Result<(), StartError>) {
    assert!(matches!(outcome, Err(StartError::Open(OpenError::ForeignMedia { .. }))), "{outcome:?}");
}

#[test]
fn a_prefix_belongs_to_one_site() {
    block_on(async {
        for storage in [Storage::start().await, Storage::without_conditions().await] {
            let site = Site::start_with(Engine::Postgres, |settings| storage.lead(settings, PREFIX)).await;
            assert_foreign(other_site(&storage, PREFIX).await);
            assert_foreign(other_site(&storage, "plant").await);
            assert_foreign(other_site(&storage, "").await);
            other_site(&storage, "plant/two").await.unwrap();
            site.second_node().await.stop().await;
            site.stop().await;
        }
    });
}

#[test]
fn nodes_that_start_at_once_agree() {
    block_on(async {
        for storage in [Storage::start().await, Storage::without_conditions().await] {
            let mut settings = Settings::default();
            storage.lead(&mut settings, "");
            let starts = (0..8).map(|_| Media::open(settings.media_root().unwrap(), "one"));
            assert!(join_all(starts).await.into_iter().all(|node| node.is_ok()));
            assert!(Media::open(settings.media_root().unwrap(), "two").await.is_err());
        }
    });
}

#[test]
fn leftovers_of_a_crash_are_swept_after_a_day() {
    block_on(on_storage(Engine::Sqlite, async |site, storage| {
        let admin = site.admin().await;
        upload(&admin, "company_logo", "a.png", PNG).await.expect(200);
        #[expect(clippy::disallowed_methods, reason = "objects are stamped by the storage's clock")]
        let day_and_a_half = std::time::SystemTime::now() - std::time::Duration::from_secs(36 * 3600);
        let age = |path: &str| {
            std::fs::create_dir_all(storage.at(path).parent().unwrap()).unwrap();
            let file = std::fs::File::options().create(true).append(true).open(storage.at(path)).unwrap();
            file.set_modified(day_and_a_half).unwrap();
        };
        let logo = storage.objects(PREFIX).remove(0);
        age(&format!("{PREFIX}/{logo}"));
        age(&format!("{PREFIX}/config/crashed/0000000000001"));
        age(&format!("{PREFIX}/config/crashed/notes of the administrator.txt"));
        age(&format!("{PREFIX}/branch/.tracewright-site"));
        age(&format!("{PREFIX}/branch/config/logo/0000000000002"));
        age("beside/0000000000003");
        std::fs::write(storage.at(&format!("{PREFIX}/config/crashed/0000000000004")), "just uploaded").unwrap();
        let before = storage.objects("");

        let app = site.app();
        let mark = storage.at(&format!("{PREFIX}/.tracewright-site"));
        let own_mark = std::fs::read(&mark).unwrap();
        std::fs::write(&mark, "another site").unwrap();
        assert_eq!(app.media.sweep(&app.db, app.node.holder()).await.unwrap(), 0, "it is another's now");
        std::fs::write(&mark, own_mark).unwrap();

        assert_eq!(app.media.sweep(&app.db, app.node.holder()).await.unwrap(), 1);
        assert_eq!(app.media.sweep(&app.db, "another node").await.unwrap(), 0, "the lease is this node's");
        let swept = format!("{PREFIX}/config/crashed/0000000000001");
        assert_eq!(storage.objects(""), before.into_iter().filter(|path| *path != swept).collect::<Vec<_>>());
        assert_eq!(media(site, "/media/config/company_logo/a.png").await.status(), 200);
    }));
}

#[test]
fn storage_that_is_away_fails_requests_and_nothing_else() {
    block_on(async {
        let mut storage = Storage::start().await;
        let site = Site::start_with(Engine::Sqlite, |settings| storage.lead(settings, PREFIX)).await;
        let admin = site.admin().await;
        upload(&admin, "company_logo", "a.png", PNG).await.expect(200);
        storage.stop().await;
        upload(&admin, "company_logo", "b.png", PNG).await.expect(500);
        assert_eq!(media(&site, "/media/config/company_logo/a.png").await.status(), 500);
        // The record goes at once; the object waits until the storage is back.
        erase(&admin, "company_logo").await.expect(200);
        assert_eq!(site.count("file").await, 0);
        assert_eq!(site.count("object_gone").await, 1);
        site.stop().await;
    });
}

/// The binary on a new embedded database, with its files below the prefix.
fn serve(place: &Place, root: &str) -> Command {
    let mut command = tracewright(&["serve", "--listen", "127.0.0.1:0", "--log", "error", "--media-root", root]);
    command.args(place.flags());
    command
}

#[test]
fn a_wrong_storage_stops_the_start_with_one_sentence() {
    block_on(async {
        let storage = Storage::start().await;
        let gone = {
            let mut storage = Storage::start().await;
            storage.stop().await;
            storage.endpoint.clone()
        };
        let here = storage.endpoint.as_str();
        let root = format!("s3://{BUCKET}/{PREFIX}");
        let cases = [
            (root.as_str(), gone.as_str(), ACCESS_KEY, SECRET_KEY, "Connection refused"),
            (root.as_str(), here, "somebody", SECRET_KEY, "refuses this access key"),
            (root.as_str(), here, ACCESS_KEY, "wrong", "refuses this access key (SignatureDoesNotMatch)"),
            ("s3://missing/x", here, ACCESS_KEY, SECRET_KEY, "no such bucket (NoSuchBucket)"),
            ("s3://missing/../x", here, ACCESS_KEY, SECRET_KEY, "the setting media_root is wrong"),
            (root.as_str(), "minio:9000", ACCESS_KEY, SECRET_KEY, "the setting media_s3_endpoint is wrong"),
        ];
        for (root, endpoint, access_key, secret_key, wanted) in cases {
            let place = Place::new(Engine::Sqlite).await;
            let mut command = serve(&place, root);
            command
                .env("TRACEWRIGHT_MEDIA_S3_ENDPOINT", endpoint)
                .env("TRACEWRIGHT_MEDIA_S3_ACCESS_KEY", access_key)
                .env("TRACEWRIGHT_MEDIA_S3_SECRET_KEY", secret_key);
            let words = refused(tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap());
            assert!(words.contains(wanted) && !words.contains(secret_key), "{words}");
        }
        let place = Place::new(Engine::Sqlite).await;
        let mut command = serve(&place, &root);
        command.env("TRACEWRIGHT_MEDIA_S3_ENDPOINT", here).env_remove("AWS_ACCESS_KEY_ID");
        let words = refused(tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap());
        assert!(words.contains("there is no access key"), "{words}");
    });
}

#[test]
fn help_shows_no_key() {
    let mut command = tracewright(&["serve", "--help"]);
    command.env("TRACEWRIGHT_MEDIA_S3_ACCESS_KEY", ACCESS_KEY).env("TRACEWRIGHT_MEDIA_S3_SECRET_KEY", SECRET_KEY);
    let help = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(help.contains("TRACEWRIGHT_MEDIA_S3_SECRET_KEY"), "{help}");
    assert!(!help.contains(SECRET_KEY) && !help.contains(ACCESS_KEY), "{help}");
}

#[test]
fn tls_and_the_usual_variables() {
    block_on(async {
        let storage = Storage::with_tls().await;
        let command = |place: &Place| {
            let mut command = serve(place, &format!("s3://{BUCKET}/{PREFIX}"));
            command
                .env("AWS_ENDPOINT_URL", &storage.endpoint)
                .env("AWS_ACCESS_KEY_ID", ACCESS_KEY)
                .env("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
                .env("AWS_REGION", "eu-south-1");
            command
        };
        let place = Place::new(Engine::Sqlite).await;
        let mut untrusting = command(&place);
        let words = refused(tokio::task::spawn_blocking(move || untrusting.output().unwrap()).await.unwrap());
        assert!(words.contains("certificate"), "{words}");

        let mut trusting = command(&place);
        trusting.env("SSL_CERT_FILE", storage.certificate());
        let server = tokio::task::spawn_blocking(move || Server::run(trusting)).await.unwrap();
        let http = reqwest::Client::new();
        let token = sign_in(&http, &server.base).await;
        let form = reqwest::multipart::Form::new()
            .part("file", reqwest::multipart::Part::bytes(vec![7; 6 * MIB]).file_name("a.bin"));
        let address = format!("{}/api/config/company_logo/file", server.base);
        let answer = http.put(address).bearer_auth(token).multipart(form).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(storage.objects(PREFIX).len(), 1);
        assert_eq!(part(&server.base, "bytes=1-3").await.bytes().await.unwrap(), vec![7; 3]);
    });
}

/// From a bucket into a folder, and from there into another prefix: the same bytes are served, with the service running all the
/// while.
#[test]
fn a_backup_carries_files_from_bucket_to_folder_and_back() {
    block_on(on_storage(Engine::Sqlite, async |site, storage| {
        let admin = site.admin().await;
        upload(&admin, "company_logo", "a.png", PNG).await.expect(200);
        let backup = tempfile::tempdir().unwrap();
        let run = |command: &str, file: &str, place: &Place, prefix: Option<&str>| {
            let mut process = tracewright(&[command]);
            process.arg(backup.path().join(file)).args(place.flags());
            if let Some(prefix) = prefix {
                process.args(["--media-root", &format!("s3://{BUCKET}/{prefix}")]);
                process.args(["--media-s3-endpoint", &storage.endpoint]);
                process.env("TRACEWRIGHT_MEDIA_S3_ACCESS_KEY", ACCESS_KEY);
                process.env("TRACEWRIGHT_MEDIA_S3_SECRET_KEY", SECRET_KEY);
            }
            let output = process.output().unwrap();
            assert!(output.status.success(), "{output:?}");
        };
        run("backup", "bucket.tar", &site.place, Some(PREFIX));
        let (folder, other) = (Place::new(Engine::Sqlite).await, Place::new(Engine::Sqlite).await);
        run("restore", "bucket.tar", &folder, None);
        let server = Server::start(&folder);
        let served = reqwest::get(format!("{}/media/config/company_logo/a.png", server.base)).await.unwrap();
        assert_eq!(served.bytes().await.unwrap(), PNG);
        run("backup", "folder.tar", &folder, None);
        run("restore", "folder.tar", &other, Some("plant/two"));
        assert_eq!(storage.objects("plant/two").len(), 1);
        let original = &storage.objects(PREFIX)[0];
        let name = original.rsplit('/').next().unwrap();
        assert!(storage.objects("plant/two")[0].ends_with(name), "objects keep their names");
        drop(server);
        other.remove().await;
    }));
}
