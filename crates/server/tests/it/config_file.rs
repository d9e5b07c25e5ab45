//! The second half of scenario 11: the company's logo. Its first half is tested with the queues.

use futures_util::future::join_all;
use reqwest::multipart::{Form, Part};
use reqwest::{Method, StatusCode};
use testkit::{Answer, Engine, Person, Site, Value, block_on, json, on_both_engines};

pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\nnot much of a picture";

pub(crate) async fn upload(person: &Person, key: &str, name: &str, bytes: &[u8]) -> Answer {
    person.upload(Method::PUT, &format!("/config/{key}/file"), &[], &[("file", name, bytes)]).await
}

pub(crate) async fn erase(person: &Person, key: &str) -> Answer {
    // A form needs at least one part to have a body at all.
    let empty = "--x--\r\n";
    let request = person.request(Method::PUT, &format!("/config/{key}/file"));
    person.send(request.header("content-type", "multipart/form-data; boundary=x").body(empty)).await
}

pub(crate) async fn media(site: &Site, path: &str) -> reqwest::Response {
    reqwest::Client::new().get(format!("{}{path}", site.base())).send().await.unwrap()
}

on_both_engines! {
    async fn a_logo_comes_changes_and_goes(site) {
        let admin = site.admin().await;
        let first = upload(&admin, "company_logo", "a.png", PNG).await.detail();
        assert_eq!(first, json!({ "file_path": "/media/config/company_logo/a.png" }));
        let second = upload(&admin, "company_logo", "b.png", PNG).await.detail();
        assert_eq!(second["file_path"], "/media/config/company_logo/b.png");
        assert_eq!(site.visitor("").get("/config").await.detail()["company_logo"], second["file_path"]);
        assert_eq!(media(site, "/media/config/company_logo/a.png").await.status(), 404);
        assert_eq!(site.objects(), 1, "the bytes of the first are gone");

        let served = media(site, "/media/config/company_logo/b.png").await;
        assert_eq!(served.status(), 200);
        let header = |name: &str| served.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("content-type"), "image/png", "found by the server, not the client's");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("content-security-policy"), "sandbox");
        assert_eq!(header("content-disposition"), "inline; filename*=UTF-8''b.png");
        let etag = header("etag");
        assert_eq!(served.bytes().await.unwrap(), PNG);

        let keep = json!({ "company_logo": second["file_path"] });
        admin.patch("/config", keep).await.expect(200);
        admin.patch("/config", json!({ "company_logo": "/media/other" })).await.expect(422);

        let http = reqwest::Client::new();
        let url = format!("{}/media/config/company_logo/b.png", site.base());
        let cached = http.get(&url).header("if-none-match", &etag).send().await.unwrap();
        assert_eq!(cached.status(), StatusCode::NOT_MODIFIED);
        let part = http.get(&url).header("range", "bytes=1-3").send().await.unwrap();
        assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
        assert_eq!(part.headers()["content-range"], format!("bytes 1-3/{}", PNG.len()));
        assert_eq!(part.bytes().await.unwrap(), "PNG");
        let head = http.head(&url).send().await.unwrap();
        assert_eq!(head.headers()["content-length"], PNG.len().to_string());

        assert_eq!(erase(&admin, "company_logo").await.detail(), json!({ "file_path": null }));
        assert_eq!(site.visitor("").get("/config").await.detail()["company_logo"], Value::Null);
        assert_eq!(media(site, "/media/config/company_logo/b.png").await.status(), 404);
        assert_eq!(site.objects(), 0);
    }

    async fn free_entries_may_be_files_known_ones_may_not(site) {
        let admin = site.admin().await;
        let made = upload(&admin, "label-logo", "Prüf zeichen.svg", b"<svg onload='alert(1)'/>").await.detail();
        let path = made["file_path"].as_str().unwrap();
        assert_eq!(path, "/media/config/label-logo/Pr%C3%BCf%20zeichen.svg");
        let served = media(site, path).await;
        assert!(served.headers()["content-disposition"].to_str().unwrap().starts_with("attachment"), "nothing runs");
        let refused = upload(&admin, "timezone", "a.png", PNG).await.expect(422);
        assert_eq!(refused.body["detail"]["error_type"], "NotAFileEntry");
        upload(&admin, "1x", "a.png", PNG).await.expect(422);
        assert_eq!(site.objects(), 1, "a refused upload leaves nothing");
    }

    async fn hostile_names_and_bodies(site) {
        let admin = site.admin().await;
        for name in ["../x", "a/b", "a\\b", "..", ".tmp-x", &"x".repeat(256)] {
            let answer = upload(&admin, "company_logo", name, PNG).await;
            assert_eq!(answer.faults(), ["value_error body.file"], "{name}");
        }
        let two = Form::new()
            .part("file", Part::bytes(PNG.to_vec()).file_name("a.png"))
            .part("file", Part::bytes(PNG.to_vec()).file_name("b.png"))
            .text("other", "1");
        let request = admin.request(Method::PUT, "/config/company_logo/file").multipart(two);
        assert_eq!(admin.send(request).await.faults(), ["too_long body.file", "extra_forbidden body.other"]);
        let raw = |kind: &str, body: &'static str| {
            admin.request(Method::PUT, "/config/company_logo/file").header("content-type", kind.to_owned()).body(body)
        };
        admin.send(raw("multipart/form-data", "x")).await.expect(422);
        admin.send(raw("application/json", "{}")).await.expect(415);
        let cut = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\nhalf a fi";
        admin.send(raw("multipart/form-data; boundary=x", cut)).await.expect(400);
        let cut_behind = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\nwhole\r\n--x\r\nContent-Dis";
        admin.send(raw("multipart/form-data; boundary=x", cut_behind)).await.expect(400);
        assert_eq!(site.objects(), 0, "nothing is left of any of them");
        for path in ["%2e%2e/%2e%2e/x", "company_logo/..%2f..%2ftracewright.db", "company_logo/%00", "a/b/c"] {
            assert_eq!(media(site, &format!("/media/config/{path}")).await.status(), 404, "{path}");
        }
        assert_eq!(media(site, "/media/config/..%2f/tracewright.db").await.status(), 404);
    }

    async fn an_entry_that_becomes_something_else_loses_its_file(site) {
        let admin = site.admin().await;
        upload(&admin, "label", "secret.pdf", b"%PDF-1.7").await.expect(200);
        admin.patch("/config", json!({ "label": "text" })).await.expect(200);
        assert_eq!(media(site, "/media/config/label/secret.pdf").await.status(), 404);
        assert_eq!(site.objects(), 0);
    }

    async fn a_known_revision_is_respected(site) {
        let admin = site.admin().await;
        upload(&admin, "company_logo", "a.png", PNG).await.expect(200);
        let send = async |revision: &str| {
            let form = Form::new().part("file", Part::bytes(PNG.to_vec()).file_name("c.png"));
            let request = admin.request(Method::PUT, "/config/company_logo/file").header("if-match", revision.to_owned());
            admin.send(request.multipart(form)).await.status
        };
        assert_eq!(send("_1").await, 412);
        assert_eq!(send("_2").await, 200, "written twice so far: by the seeds and by the first file");
        assert_eq!(send("*").await, 200);
        assert_eq!(site.objects(), 1);
    }

    async fn many_at_once_leave_one(site) {
        let admin = site.admin().await;
        let names: Vec<String> = (0..8).map(|index| format!("{index}.png")).collect();
        let uploads = names.iter().map(|name| upload(&admin, "company_logo", name, PNG));
        for answer in join_all(uploads).await {
            answer.expect(200);
        }
        let path = site.visitor("").get("/config").await.detail()["company_logo"].clone();
        assert_eq!(media(site, path.as_str().unwrap()).await.status(), 200);
        assert_eq!(site.count("file").await, 1);
        site.eventually(async || (site.objects() == 1).then_some(())).await;
    }
}

fn too_large(engine: Engine) {
    block_on(async {
        let site = Site::start_with(engine, |settings| settings.upload_limit_bytes = Some(100_000)).await;
        let admin = site.admin().await;
        upload(&admin, "company_logo", "a.bin", &vec![0; 100_001]).await.expect(413);
        let endless =
            admin.request(Method::PUT, "/config/x/file").header("content-type", "multipart/form-data; boundary=x");
        admin.send(endless.body("y".repeat(3_000_000))).await.expect(413);
        assert_eq!(site.objects(), 0, "no trace of it");
        upload(&admin, "company_logo", "a.bin", &vec![0; 100_000]).await.expect(200);
        site.stop().await;
    });
}

#[test]
fn one_byte_too_many_sqlite() {
    too_large(Engine::Sqlite);
}

#[test]
fn one_byte_too_many_postgres() {
    too_large(Engine::Postgres);
}

#[test]
fn leftovers_of_a_crash_are_swept_after_a_day() {
    testkit::run(Engine::Sqlite, async |site| {
        let admin = site.admin().await;
        upload(&admin, "company_logo", "a.png", PNG).await.expect(200);
        let folder = site.place.media_folder().join("config/crashed");
        std::fs::create_dir_all(&folder).unwrap();
        #[expect(clippy::disallowed_methods, reason = "files are stamped by the machine's clock")]
        let day_and_a_half = std::time::SystemTime::now() - std::time::Duration::from_secs(36 * 3600);
        let put = |name: &str, old: bool| {
            let file = std::fs::File::create(folder.join(name)).unwrap();
            if old {
                file.set_modified(day_and_a_half).unwrap();
            }
        };
        put("0000000000001", true);
        put("0000000000002#1", true);
        put("0000000000003", false);
        put("notes of the administrator.txt", true);
        std::fs::create_dir(folder.join("branch")).unwrap();
        std::fs::write(folder.join("branch/.tracewright-site"), "another site").unwrap();
        put("branch/0000000000004", true);
        let logo: String = site.look("select object from file", vec![]).await.unwrap();
        std::fs::File::options()
            .write(true)
            .open(site.place.media_folder().join(logo))
            .unwrap()
            .set_modified(day_and_a_half)
            .unwrap();
        let app = site.app();
        assert_eq!(app.media.sweep(&app.db, app.node.holder()).await.unwrap(), 2);
        assert_eq!(app.media.sweep(&app.db, "another node").await.unwrap(), 0, "the lease is this node's");
        let mut left: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["0000000000003", "branch", "notes of the administrator.txt"]);
        assert!(folder.join("branch/0000000000004").exists(), "another site's");
        assert_eq!(media(site, "/media/config/company_logo/a.png").await.status(), 200);

        put("0000000000003", true);
        std::fs::write(site.place.media_folder().join(".tracewright-site"), "another site").unwrap();
        assert_eq!(app.media.sweep(&app.db, app.node.holder()).await.unwrap(), 0, "the folder is another's now");
    });
}
