//! Scenario 13 with the files of users. Those of products are tested in `products`, those of steps in `processes`, those of
//! serials in `serials`, those of issues and tasks in `collaboration`.

use futures_util::future::join_all;
use reqwest::header::{HeaderMap, RANGE};
use testkit::{Answer, Engine, Method, Person, Site, Value, block_on, form, json, on_both_engines};

async fn store(person: &Person, key: &str, subfolder: &str, files: &[(&str, &[u8])]) -> Answer {
    let files: Vec<(&'static str, &str, &[u8])> =
        files.iter().map(|(name, bytes)| ("contents", *name, *bytes)).collect();
    let fields = [("bucket", "user"), ("object_key", key), ("subfolder", subfolder)];
    person.upload(Method::POST, "/files", &fields, &files).await
}

async fn names(person: &Person, query: &str) -> Vec<String> {
    let list = person.get(&format!("/files?bucket=user&object_key={}{query}", person.key)).await.expect(200).body;
    let shown = |file: &Value| format!("{}/{}", file["subfolder"].as_str().unwrap(), file["name"].as_str().unwrap());
    list.as_array().unwrap().iter().map(shown).collect()
}

async fn names_in(person: &Person) -> Vec<String> {
    names(person, "").await.into_iter().map(|name| name[1..].to_owned()).collect()
}

async fn remove(person: &Person, key: &str, subfolder: &str, filenames: &[&str]) -> Answer {
    let body = json!({ "bucket": "user", "object_key": key, "subfolder": subfolder, "filenames": filenames });
    person.send(person.request(Method::DELETE, "/files").json(&body)).await
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).map_or("", |value| value.to_str().unwrap())
}

on_both_engines! {
    async fn two_files_are_stored_listed_and_served(site) {
        let mario = site.user("mario", "operator").await;
        let stored = store(&mario, &mario.key, "", &[("a.txt", b"first"), ("b c.html", b"<script>alert(1)</script>")]).await.detail();
        assert_eq!(stored.as_array().unwrap().len(), 2);
        let page = &stored[1];
        assert_eq!(page["path"], format!("/media/user/{}/b%20c.html", mario.key));
        assert_eq!((&page["size"], &page["user_key"], &page["subfolder"]), (&json!(25), &json!(mario.key), &json!("")));
        assert_eq!(page["sha256"].as_str().unwrap().len(), 64);
        assert_eq!(names(&mario, "").await, ["/a.txt", "/b c.html"]);
        let served = mario.media(page["path"].as_str().unwrap()).await;
        assert_eq!(served.status(), 200);
        let headers = served.headers().clone();
        assert_eq!(header(&headers, "x-content-type-options"), "nosniff");
        assert_eq!(header(&headers, "content-security-policy"), "sandbox");
        assert_eq!(header(&headers, "content-disposition"), "attachment; filename*=UTF-8''b%20c.html");
        assert!(header(&headers, "cache-control").starts_with("private"));
        assert_eq!(served.text().await.unwrap(), "<script>alert(1)</script>");
        assert_eq!(site.visitor("").media(page["path"].as_str().unwrap()).await.status(), 401);
        let stranger = site.user("stranger", "").await;
        assert_eq!(stranger.media(page["path"].as_str().unwrap()).await.status(), 403);
        assert_eq!(mario.media(&format!("/media/user/{}/c.txt", mario.key)).await.status(), 404);
    }

    /// A part that nobody knows hides neither what is missing nor what is wrong.
    async fn all_faults_of_a_form_are_told_at_once(site) {
        let admin = site.admin().await;
        let faults = admin.upload(Method::POST, "/files", &[("colour", "red")], &[]).await.faults();
        let missing = ["missing body.contents", "missing body.bucket", "missing body.object_key"];
        assert_eq!(faults, [&["extra_forbidden body.colour"], &missing[..]].concat());
        let fields = [("bucket", "nowhere"), ("colour", "red"), ("reset_folder", "maybe")];
        let files: [(&str, &str, &[u8]); 2] = [("contents", "a/b", b"1"), ("other", "a", b"1")];
        let faults = admin.upload(Method::POST, "/files", &fields, &files).await.faults();
        assert_eq!(faults, [
            "extra_forbidden body.colour", "value_error body.contents", "extra_forbidden body.other", "enum body.bucket",
            "missing body.object_key", "bool_type body.reset_folder",
        ]);
        let image = format!("/user/{}/image", admin.key);
        let faults = admin.upload(Method::PUT, &image, &[("colour", "red")], &[]).await.faults();
        assert_eq!(faults, ["extra_forbidden body.colour", "missing body.new_image"]);
        let faults = admin.upload(Method::POST, "/product", &[("colour", "red"), ("cost", "x")], &[]).await.faults();
        assert_eq!(faults, ["extra_forbidden body.colour", "missing body.code", "dict_type body.cost"]);
        let faults = admin.upload(Method::POST, "/product/import", &[("colour", "red"), ("dry_run", "x")], &[]).await.faults();
        assert_eq!(faults, ["extra_forbidden body.colour", "bool_type body.dry_run"]);
        assert_eq!(site.objects(), 0);
    }

    async fn ranges_and_conditions(site) {
        let mario = site.user("mario", "operator").await;
        let path = store(&mario, &mario.key, "", &[("a.txt", b"0123456789")]).await.detail()[0]["path"].as_str().unwrap().to_owned();
        let client = reqwest::Client::new();
        let ask = |name: reqwest::header::HeaderName, value: &str| {
            client.get(format!("{}{path}", site.base())).bearer_auth(mario.token.as_ref().unwrap()).header(name, value).send()
        };
        let part = ask(RANGE, "bytes=2-4").await.unwrap();
        assert_eq!((part.status().as_u16(), header(part.headers(), "content-range")), (206, "bytes 2-4/10"));
        let etag = header(part.headers(), "etag").to_owned();
        assert_eq!(part.text().await.unwrap(), "234");
        assert_eq!(ask(RANGE, "bytes=10-").await.unwrap().status(), 416);
        assert_eq!(ask(reqwest::header::IF_NONE_MATCH, &etag).await.unwrap().status(), 304);
        let head = client.head(format!("{}{path}", site.base())).bearer_auth(mario.token.as_ref().unwrap()).send().await.unwrap();
        assert_eq!((head.status().as_u16(), header(head.headers(), "content-length")), (200, "10"));
    }

    async fn folders_are_replaced_cleared_and_emptied(site) {
        let mario = site.user("mario", "operator").await;
        let key = mario.key.clone();
        store(&mario, &key, "", &[("a.txt", b"1")]).await.expect(200);
        store(&mario, &key, "in/deep", &[("b.txt", b"1"), ("c.txt", b"1")]).await.expect(200);
        store(&mario, &key, "in/deep", &[("b.txt", b"22")]).await.expect(200);
        store(&mario, &key, "in/deeper", &[("d.txt", b"1")]).await.expect(200);
        assert_eq!(site.objects(), 4, "what is overwritten is gone");
        assert_eq!(names(&mario, "").await, ["/a.txt"]);
        assert_eq!(names(&mario, "&recursive=true").await, ["in/deep/b.txt", "in/deep/c.txt", "in/deeper/d.txt", "/a.txt"]);
        assert_eq!(names(&mario, "&subfolder=in/deep&recursive=true").await, ["in/deep/b.txt", "in/deep/c.txt"]);
        assert_eq!(names(&mario, "&subfolder=in").await, Vec::<String>::new());
        assert_eq!(names(&mario, "&recursive=true&limit=1&offset=1").await, ["in/deep/c.txt"]);
        let fields = [("bucket", "user"), ("object_key", key.as_str()), ("subfolder", "in/deep"), ("reset_folder", "true")];
        mario.upload(Method::POST, "/files", &fields, &[("contents", "e.txt", b"1")]).await.expect(200);
        assert_eq!(names(&mario, "&recursive=true").await, ["in/deep/e.txt", "in/deeper/d.txt", "/a.txt"]);
        let refused = remove(&mario, &key, "", &["a.txt", "zz"]).await.expect(404);
        assert_eq!(refused.body["detail"]["filename"], "zz");
        assert_eq!(names(&mario, "").await, ["/a.txt"]);
        assert_eq!(remove(&mario, &key, "", &["a.txt", "a.txt"]).await.detail(), json!({ "deleted": 1 }));
        assert_eq!(remove(&mario, &key, "in/deep", &["e.txt"]).await.detail(), json!({ "deleted": 1 }));
        assert_eq!(site.objects(), 1);
        remove(&mario, &key, "", &[]).await.expect(422);
    }

    async fn hostile_names_go_nowhere(site) {
        let mario = site.user("mario", "operator").await;
        let key = mario.key.clone();
        for name in ["../x", "a/b", "a\\b", "..", ".", ".tmp-x", "e\u{301}", &"x".repeat(256)] {
            assert_eq!(store(&mario, &key, "", &[(name, b"1")]).await.faults(), ["value_error body.contents"], "{name:?}");
        }
        assert_eq!(store(&mario, &key, "", &[("a\u{1}b", b"1")]).await.faults(), ["multipart_invalid body"]);
        for subfolder in ["../../etc", "/a", "a/", "a//b", "..", "a/../b", "a\\b", "1/2/3/4/5/6/7/8/9"] {
            store(&mario, &key, subfolder, &[("a.txt", b"1")]).await.expect(404);
        }
        store(&mario, "nobody", "", &[("a.txt", b"1")]).await.expect(404);
        assert_eq!(store(&mario, "../..", "", &[("a.txt", b"1")]).await.faults(), ["string_pattern_mismatch body.object_key"]);
        let twice = store(&mario, &key, "", &[("a.txt", b"1"), ("a.txt", b"2")]).await;
        assert_eq!(twice.faults(), ["value_error body.contents"]);
        let nothing = mario.upload(Method::POST, "/files", &[("bucket", "attic"), ("reset_folder", "maybe")], &[]).await;
        assert_eq!(nothing.faults(), ["missing body.contents", "enum body.bucket", "missing body.object_key", "bool_type body.reset_folder"]);
        let unknown = mario.upload(Method::POST, "/files", &[("bucket", "user"), ("object_key", &key), ("x", "1")], &[("other", "a", b"1")]).await;
        assert_eq!(unknown.faults(), ["extra_forbidden body.x", "extra_forbidden body.other", "missing body.contents"]);
        for bucket in ["issue", "product", "traceability", "step", "serial", "task"] {
            let fields = [("bucket", bucket), ("object_key", "x")];
            mario.upload(Method::POST, "/files", &fields, &[("contents", "a", b"1")]).await.expect(404);
        }
        assert_eq!((site.objects(), site.count("file").await), (0, 0), "no trace of any of it");
        mario.get("/files?bucket=attic&object_key=x").await.expect(422);
        mario.get("/files?bucket=user&object_key=nobody").await.expect(404);
    }

    async fn no_address_leads_out(site) {
        let admin = site.admin().await;
        store(&admin, &admin.key, "", &[("a.txt", b"1")]).await.expect(200);
        let secret = site.place.media_folder().join("secret.txt");
        std::fs::write(&secret, "nobody's business").unwrap();
        let object: String = site.look("select object from file", vec![]).await.unwrap();
        let hostile = [
            "/media/product/%2e%2e/%2e%2e/x".to_owned(),
            "/media/%2e%2e/secret.txt".to_owned(),
            "/media/..%2fsecret.txt".to_owned(),
            "/media/user/..%5c..%5csecret.txt".to_owned(),
            format!("/media/user/{}/%2e%2e/%2e%2e/secret.txt", admin.key),
            format!("/media/user/{}/..%2f..%2fsecret.txt", admin.key),
            format!("/media/user/{}/%252e%252e/secret.txt", admin.key),
            format!("/media/user/{}//a.txt", admin.key),
            format!("/media/user/{}/a.txt%00", admin.key),
            format!("/media/user/{}/%ff", admin.key),
            format!("/media/{object}"),
            "/media/secret.txt".to_owned(),
            "/media/.tracewright-site".to_owned(),
            "/media/config/company_logo/..%2f..%2fsecret.txt".to_owned(),
        ];
        for path in hostile {
            // Sent as it is: a client library would tidy the path up.
            let answer = raw_get(site, &path, admin.token.as_deref()).await;
            assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
            assert!(!answer.contains("business"), "{path}");
        }
        let right = raw_get(site, &format!("/media/user/{}/a%2etxt", admin.key), admin.token.as_deref()).await;
        assert!(right.starts_with("HTTP/1.1 200"), "{right}");
    }

    async fn a_ticket_opens_one_address_for_a_while(site) {
        let mario = site.user("mario", "operator").await;
        let stored = store(&mario, &mario.key, "x", &[("ä b.txt", b"one"), ("c.txt", b"two")]).await.detail();
        let (one, two) = (stored[0]["path"].as_str().unwrap(), stored[1]["path"].as_str().unwrap());
        let ticket = mario.post("/files/ticket", json!({ "path": one })).await.expect(200);
        assert_eq!((&ticket.body["expires_in"], ticket.header("cache-control")), (&json!(90), "no-store"));
        let ticket = ticket.body["ticket"].as_str().unwrap();
        let visitor = site.visitor("");
        assert_eq!(visitor.media(&format!("{one}?ticket={ticket}")).await.text().await.unwrap(), "one");
        assert_eq!(visitor.media(&format!("{two}?ticket={ticket}")).await.status(), 401);
        mario.with_token(ticket).get("/whoami").await.expect(401);
        let bearer = mario.token.clone().unwrap();
        assert_eq!(visitor.media(&format!("{one}?ticket={bearer}")).await.status(), 401, "a token is no ticket");
        visitor.get(&format!("/files?bucket=user&object_key={}&ticket={ticket}", mario.key)).await.expect(401);
        mario.post("/files/ticket", json!({ "path": "/media/user/x/none.txt" })).await.expect(404);
        mario.post("/files/ticket", json!({ "path": "/etc/passwd" })).await.expect(404);
        site.clock.advance_seconds(90);
        assert_eq!(visitor.media(&format!("{one}?ticket={ticket}")).await.status(), 401);
        let ticket = mario.post("/files/ticket", json!({ "path": one })).await.expect(200).body["ticket"].as_str().unwrap().to_owned();
        let session = mario.open_session().await;
        mario.delete(&format!("/session/{session}")).await.expect(200);
        assert_eq!(visitor.media(&format!("{one}?ticket={ticket}")).await.status(), 401, "it dies with its token");
    }

    async fn many_writers_of_one_name_leave_one_file(site) {
        let mario = site.user("mario", "operator").await;
        let bodies: Vec<Vec<u8>> = (0..10_u8).map(|index| vec![index; 100]).collect();
        let files: Vec<[(&str, &[u8]); 1]> = bodies.iter().map(|body| [("a.bin", body.as_slice())]).collect();
        let tries = files.iter().map(|file| store(&mario, &mario.key, "", file));
        assert!(join_all(tries).await.iter().all(|answer| answer.status == 200));
        assert_eq!(site.count("file").await, 1);
        let bytes = mario.media(&format!("/media/user/{}/a.bin", mario.key)).await.bytes().await.unwrap();
        assert!(bytes.len() == 100 && bytes.iter().all(|byte| *byte == bytes[0]), "whole, never a mix");
        assert_eq!(site.objects(), 1);
    }

    async fn changes_of_one_folder_come_one_after_the_other(site) {
        let mario = site.user("mario", "operator").await;
        for round in 0..5 {
            let fields = [("bucket", "user"), ("object_key", mario.key.as_str()), ("reset_folder", "true")];
            let names: Vec<String> = (0..6).map(|writer| format!("{round}-{writer}.txt")).collect();
            let uploads = names.iter().map(|name| {
                let form = form(&fields, &[("contents", name, b"1")]);
                mario.send(mario.request(Method::POST, "/files").multipart(form))
            });
            assert!(join_all(uploads).await.iter().all(|answer| answer.status == 200));
            let left = names_in(&mario).await;
            assert_eq!(left.len(), 1, "one of them was the last: {left:?}");
            let last = [left[0].as_str()];
            let removals = join_all((0..4).map(|_| remove(&mario, &mario.key, "", &last))).await;
            let done = removals.iter().filter(|answer| answer.status == 200).count();
            assert_eq!(done, 1, "a file goes once");
        }
    }

    async fn a_hundred_files_and_not_one_more(site) {
        let mario = site.user("mario", "operator").await;
        let names: Vec<String> = (0..101).map(|index| format!("{index}.txt")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"1".as_slice())).collect();
        assert_eq!(store(&mario, &mario.key, "", &files).await.faults(), ["too_long body.contents"]);
        assert_eq!(site.objects(), 0);
        assert_eq!(store(&mario, &mario.key, "", &files[..100]).await.detail().as_array().unwrap().len(), 100);
    }

    async fn the_order_of_parts_does_not_matter(site) {
        let mario = site.user("mario", "operator").await;
        let form = form(&[], &[("contents", "a.txt", b"1")]).text("object_key", mario.key.clone()).text("bucket", "user");
        mario.send(mario.request(Method::POST, "/files").multipart(form)).await.expect(200);
        assert_eq!(names(&mario, "").await, ["/a.txt"]);
    }
}

async fn raw_get(site: &Site, path: &str, token: Option<&str>) -> String {
    use std::io::{Read, Write};
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n{token}Connection: close\r\n\r\n");
    let address = site.base().replace("http://", "");
    let talk = move || {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    };
    tokio::task::spawn_blocking(talk).await.unwrap()
}

fn one_byte_too_many(engine: Engine) {
    block_on(async {
        let site = Site::start_with(engine, |settings| settings.upload_limit_bytes = Some(1000)).await;
        let mario = site.user("mario", "operator").await;
        store(&mario, &mario.key, "", &[("a", &[0; 1000]), ("b", &[0; 1000])]).await.expect(200);
        store(&mario, &mario.key, "", &[("c", &[0; 10]), ("d", &[0; 1001])]).await.expect(413);
        assert_eq!((site.objects(), site.count("file").await), (2, 2));
        site.check_audit().await;
        site.stop().await;
    });
}

#[test]
fn one_byte_too_many_sqlite() {
    one_byte_too_many(Engine::Sqlite);
}

#[test]
fn one_byte_too_many_postgres() {
    one_byte_too_many(Engine::Postgres);
}
