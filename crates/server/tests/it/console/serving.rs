use reqwest::{Method, Response};
use testkit::{Engine, Site, block_on};
use tracewright::ConsoleFile;

use super::client;

const INDEX: &str = "<!doctype html><title>The console</title>";

const FILES: &[ConsoleFile] = &[
    ("/index.html", INDEX.as_bytes()),
    ("/index.html.br", b"the index, packed by brotli"),
    ("/index.html.gz", b"the index, packed by gzip"),
    ("/icon.svg", b"<svg/>"),
    ("/assets/main-3f2a.js", b"run()"),
    ("/assets/main-3f2a.js.br", b"the script, packed by brotli"),
    ("/assets/main-3f2a.js.gz", b"the script, packed by gzip"),
    ("/assets/logo-77aa.png", b"a picture"),
    ("/assets/archive-1b1b.gz", b"packed, but no form of another file"),
];

/// A site with a console, and a browser without a memory.
struct Desk {
    site: Site,
    http: reqwest::Client,
}

impl Desk {
    async fn set_up() -> Self {
        let site = Site::start_with_console(Engine::Sqlite, FILES, |_| ()).await;
        Self { site, http: client() }
    }

    async fn ask(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Response {
        let request = self.http.request(method, format!("{}{path}", self.site.base()));
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.send().await.unwrap()
    }

    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        self.ask(Method::GET, path, headers).await
    }
}

fn with_a_console(check: impl AsyncFnOnce(&Desk)) {
    block_on(async {
        let desk = Desk::set_up().await;
        check(&desk).await;
        desk.site.stop().await;
    });
}

fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

#[test]
fn every_page_can_be_opened_anew() {
    with_a_console(async |desk| {
        for path in
            ["/", "/index.html", "/sign-in", "/serial/0abc?as_of=2026-03-01", "/product/a/bom/", "/x.y", "/apiary"]
        {
            for accept in ["text/html,application/xhtml+xml,*/*;q=0.8", "*/*"] {
                let answer = desk.get(path, &[("accept", accept)]).await;
                assert_eq!(answer.status(), 200, "{path}");
                assert_eq!(header(&answer, "content-type"), "text/html; charset=utf-8", "{path}");
                let varies = answer.headers().get_all("vary").iter().any(|value| value == "accept");
                assert_eq!(varies, path != "/index.html", "{path}: programs get an error in JSON");
                assert_eq!(answer.text().await.unwrap(), INDEX, "{path}");
            }
        }
    });
}

#[test]
fn what_others_serve_stays_theirs() {
    with_a_console(async |desk| {
        for (path, status) in [
            ("/api", 404),
            ("/api/", 404),
            ("/api/nothing", 404),
            ("/api/hello", 200),
            ("/api/user", 401),
            ("/api/docs", 200),
            ("/api/openapi.json", 200),
            ("/assets", 404),
            ("/assets/main-0000.js", 404),
            ("/assets/../index.html", 200),
            ("/assets/%2e%2e%2findex.html", 404),
            ("/assets/main-3f2a.js.br", 404),
            ("/console", 404),
            ("/console/nothing", 404),
            ("/console/session", 405),
            ("/media", 404),
            ("/media/user/u/absent.png", 401),
            ("/healthz", 200),
            ("/readyz", 200),
            ("/metrics", 200),
        ] {
            let answer = desk.get(path, &[]).await;
            assert_eq!(answer.status(), status, "{path}");
            let is_page = header(&answer, "content-type").starts_with("text/html");
            // The client itself goes up by two dots, but not by a slash that is encoded.
            assert_eq!(is_page, ["/api/docs", "/assets/../index.html"].contains(&path), "{path}");
        }
        let wrong = desk.get("/serial", &[("accept", "application/json")]).await;
        assert_eq!(wrong.status(), 404, "a program that forgot /api");
        assert!(wrong.text().await.unwrap().starts_with("{\"detail\""));
    });
}

#[test]
fn pages_are_only_read() {
    with_a_console(async |desk| {
        for (method, path, status) in [
            (Method::POST, "/", 405),
            (Method::DELETE, "/serial/x", 405),
            (Method::PUT, "/assets/main-3f2a.js", 405),
            (Method::OPTIONS, "/sign-in", 405),
            (Method::POST, "/assets/none.js", 404),
            (Method::POST, "/api/nothing", 404),
            (Method::DELETE, "/api/hello", 405),
            (Method::POST, "/healthz", 405),
        ] {
            let answer = desk.ask(method.clone(), path, &[]).await;
            assert_eq!(answer.status(), status, "{method} {path}");
            assert_eq!(header(&answer, "allow").contains("GET"), status == 405, "{method} {path}");
            assert!(answer.text().await.unwrap().starts_with("{\"detail\""), "{method} {path}");
        }
        for (path, length) in [("/", INDEX.len()), ("/serial/x", INDEX.len()), ("/assets/main-3f2a.js", 5)] {
            let head = desk.ask(Method::HEAD, path, &[]).await;
            assert_eq!(
                (head.status().as_u16(), header(&head, "content-length")),
                (200, length.to_string().as_str()),
                "{path}"
            );
            assert_eq!(head.bytes().await.unwrap().len(), 0);
        }
    });
}

#[test]
fn what_changes_is_asked_for_again_and_the_rest_is_kept() {
    with_a_console(async |desk| {
        for (path, kind, cache) in [
            ("/", "text/html; charset=utf-8", "public, no-cache"),
            ("/serial/x", "text/html; charset=utf-8", "public, no-cache"),
            ("/icon.svg", "image/svg+xml", "public, no-cache"),
            ("/assets/main-3f2a.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
            ("/assets/logo-77aa.png", "image/png", "public, max-age=31536000, immutable"),
        ] {
            let answer = desk.get(path, &[]).await;
            assert_eq!((header(&answer, "content-type"), header(&answer, "cache-control")), (kind, cache), "{path}");
            assert_eq!(header(&answer, "x-content-type-options"), "nosniff");
            let tag = header(&answer, "etag").to_owned();
            assert!(tag.starts_with('"') && tag.len() > 20, "strong, and of the content: {tag}");
            for known in [tag.as_str(), "*"] {
                let same = desk.get(path, &[("if-none-match", known)]).await;
                assert_eq!((same.status().as_u16(), header(&same, "etag")), (304, tag.as_str()), "{path}");
                assert_eq!(header(&same, "cache-control"), cache);
                assert_eq!(same.bytes().await.unwrap().len(), 0);
            }
            assert_eq!(desk.get(path, &[("if-none-match", "\"other\"")]).await.status(), 200);
        }
        let tag = async |path: &'static str| header(&desk.get(path, &[]).await, "etag").to_owned();
        assert_eq!(tag("/").await, tag("/serial/x").await);
        assert_ne!(tag("/").await, tag("/icon.svg").await);
    });
}

#[test]
fn each_gets_the_form_it_likes_best() {
    with_a_console(async |desk| {
        for (accept, coding) in [
            ("gzip, deflate, br, zstd", "br"),
            ("gzip", "gzip"),
            ("br;q=0.2, gzip;q=0.7", "gzip"),
            ("br;q=0, gzip;q=0", ""),
            ("deflate, zstd", ""),
            ("identity, gzip;q=0.5", ""),
            ("*", ""),
        ] {
            for (path, plain, packed) in [("/", INDEX, "the index"), ("/assets/main-3f2a.js", "run()", "the script")] {
                let answer = desk.get(path, &[("accept-encoding", accept)]).await;
                assert_eq!(header(&answer, "content-encoding"), coding, "{accept}");
                assert_eq!(header(&answer, "vary"), "accept-encoding");
                let tag = header(&answer, "etag").to_owned();
                let wanted = match coding {
                    "" => plain.to_owned(),
                    "br" => format!("{packed}, packed by brotli"),
                    other => format!("{packed}, packed by {other}"),
                };
                assert_eq!(answer.text().await.unwrap(), wanted, "{accept}");
                let same = desk.get(path, &[("accept-encoding", accept), ("if-none-match", &tag)]).await;
                assert_eq!(same.status(), 304, "{accept}");
            }
        }
        let one_tag = async |accept: &'static str| {
            header(&desk.get("/", &[("accept-encoding", accept)]).await, "etag").to_owned()
        };
        assert_ne!(one_tag("br").await, one_tag("gzip").await, "to a cache they are two things");
        let picture = desk.get("/assets/logo-77aa.png", &[("accept-encoding", "br, gzip")]).await;
        assert_eq!(header(&picture, "content-encoding"), "");
        assert_eq!(picture.text().await.unwrap(), "a picture");
        assert_eq!(desk.get("/assets/archive-1b1b.gz", &[]).await.status(), 200);
    });
}

#[test]
fn pages_load_nothing_from_elsewhere_and_run_nothing_inline() {
    with_a_console(async |desk| {
        for path in ["/", "/serial/x", "/index.html"] {
            let answer = desk.get(path, &[]).await;
            let policy: Vec<&str> = header(&answer, "content-security-policy").split("; ").collect();
            for rule in [
                "default-src 'none'",
                "script-src 'self'",
                "connect-src 'self'",
                "img-src 'self' data: blob:",
                "frame-ancestors 'none'",
                "base-uri 'none'",
            ] {
                assert!(policy.contains(&rule), "{rule}: {policy:?}");
            }
            assert!(!policy.iter().any(|rule| rule.contains("http") || rule.contains("eval") || rule.contains('*')));
            assert_eq!(header(&answer, "referrer-policy"), "no-referrer");
            assert_eq!(header(&answer, "cross-origin-opener-policy"), "same-origin");
            assert!(header(&answer, "permissions-policy").contains("camera=()"));
            assert_eq!(header(&answer, "x-request-id").len(), 16);
        }
        let script = desk.get("/assets/main-3f2a.js", &[]).await;
        assert_eq!(header(&script, "content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
    });
}

#[test]
fn a_binary_without_a_console_says_so() {
    testkit::run(Engine::Sqlite, async |site| {
        let get = async |path: &str| client().get(format!("{}{path}", site.base())).send().await.unwrap();
        let start = get("/").await;
        assert_eq!((start.status().as_u16(), header(&start, "content-type")), (200, "text/html; charset=utf-8"));
        let page = start.text().await.unwrap();
        assert!(page.contains("without the web console") && page.contains("scripts/build-console"), "{page}");
        for path in ["/sign-in", "/serial/x", "/assets/main-3f2a.js", "/index.html"] {
            assert_eq!(get(path).await.status(), 404, "{path}");
        }
    });
}
