//! Heads of requests without end, and what every answer carries in its own.

use testkit::{block_on, on_both_engines};

use super::besieged::{Besieged, eventually};

#[test]
fn a_head_without_end_is_cut() {
    block_on(async {
        let server = Besieged::start("", &["--client-timeout-seconds", "5"]).await;
        server.answers().await;
        let (sockets, memory) = (server.open_sockets(), server.resident_kib());
        let piece = "x".repeat(16 * 1024);
        for begun in ["GET /api/hello HTTP/1.1\r\nX-Long: ", "GET /api/hello?", "G"] {
            let mut client = server.connect().await;
            client.send(begun).await;
            let mut sent = 0;
            while sent < 1024 * 1024 && client.try_send(piece.as_bytes()).await {
                sent += piece.len();
            }
            let answer = client.rest().await;
            let status = answer.split(' ').nth(1).unwrap_or("cut");
            assert!(["431", "414", "400", "cut"].contains(&status), "{begun:?}: {answer}");
        }
        let mut many = server.connect().await;
        many.try_send(format!("GET /api/hello HTTP/1.1\r\n{}\r\n", "X-Many: 1\r\n".repeat(500)).as_bytes()).await;
        assert!(many.rest().await.starts_with("HTTP/1.1 431 "));
        // As much as is taken, by many at once.
        let mut waiting = Vec::new();
        for _ in 0..200 {
            let mut client = server.connect().await;
            client.send("GET /api/hello HTTP/1.1\r\nX-Long: ").await;
            client.try_send("x".repeat(60 * 1024).as_bytes()).await;
            waiting.push(client);
        }
        server.answers().await;
        assert!(server.resident_kib() < memory + 64 * 1024, "{} of {memory} KiB", server.resident_kib());
        drop(waiting);
        eventually("connections are given back", async || server.open_sockets() <= sockets + 2).await;
        server.end().await;
    });
}

on_both_engines! {
    async fn every_answer_has_an_id_and_says_what_browsers_may_do(site) {
        let http = reqwest::Client::builder().no_gzip().build().unwrap();
        let admin = site.admin().await;
        let logo = admin.upload(testkit::Method::POST, "/media/create", &[], &[("file", "a.txt", b"text")]).await.detail();
        let stored = format!("/api/media/{}", logo["_key"].as_str().unwrap());
        for (method, path, status) in [
            ("GET", "/", 200),
            ("GET", "/start.css", 200),
            ("GET", "/nothing", 404),
            ("GET", "/api/nothing", 404),
            ("DELETE", "/api/hello", 405),
            ("POST", "/", 405),
            ("OPTIONS", "/api/hello", 405),
            ("BREW", "/api/hello", 405),
            ("HEAD", "/api/hello", 200),
            ("HEAD", "/api/docs", 200),
            ("GET", "/api/docs", 200),
            ("GET", "/api/docs/swagger-ui.css", 200),
            ("GET", "/api/openapi.json", 200),
            ("GET", "/api/hello", 200),
            ("GET", "/api/user", 401),
            ("POST", "/api/auth", 422),
            ("GET", "/healthz", 200),
            ("GET", "/readyz", 200),
            ("GET", "/metrics", 200),
            ("GET", "/media/config/k/absent.png", 404),
            ("GET", "/media/user/u/absent.png", 401),
            ("PUT", "/media/user/u/absent.png", 405),
            ("GET", &stored, 200),
        ] {
            let asked = http.request(method.parse().unwrap(), format!("{}{path}", site.base())).header("x-request-id", "plant-7");
            let asked = if path == stored { asked.bearer_auth(admin.token.as_ref().unwrap()) } else { asked };
            let answer = asked.send().await.unwrap();
            assert_eq!(answer.status(), status, "{method} {path}");
            let header = |name: &str| answer.headers().get_all(name).iter().map(|value| value.to_str().unwrap().to_owned()).collect::<Vec<_>>().join(" | ");
            assert_eq!(header("x-request-id"), "plant-7", "{method} {path}");
            assert_eq!(header("x-content-type-options"), "nosniff", "{method} {path}");
            assert_eq!(header("referrer-policy"), "no-referrer", "{method} {path}");
            let policy = header("content-security-policy");
            let wanted = if path == stored { "sandbox" } else { "frame-ancestors 'none'" };
            assert!(policy.contains(wanted) && !policy.contains("unsafe"), "{method} {path}: {policy}");
        }
    }

    async fn fixed_answers_are_sent_once_to_who_keeps_them(site) {
        let http = reqwest::Client::builder().no_gzip().build().unwrap();
        for path in ["/", "/start.css", "/start.js", "/api/docs", "/api/docs/start.js", "/api/docs/swagger-ui.css", "/api/docs/swagger-ui-bundle.js", "/api/openapi.json"] {
            let url = format!("{}{path}", site.base());
            let plain = http.get(&url).send().await.unwrap();
            let tag = plain.headers()["etag"].to_str().unwrap().to_owned();
            assert!(plain.headers().contains_key("cache-control"), "{path}");
            let length = plain.bytes().await.unwrap().len();
            let packed = http.get(&url).header("accept-encoding", "gzip, br").send().await.unwrap();
            let packed_tag = packed.headers()["etag"].to_str().unwrap().to_owned();
            assert_eq!(packed.headers()["vary"], "accept-encoding", "{path}");
            let is_packed = packed.headers().contains_key("content-encoding");
            assert_eq!(is_packed, length >= 512, "{path}");
            assert_eq!(is_packed, packed_tag != tag, "{path}: another form is another thing to a cache");
            assert!(packed.bytes().await.unwrap().len() <= length);
            for known in [&tag, &packed_tag, "*"] {
                let same = http.get(&url).header("if-none-match", known).header("accept-encoding", "gzip").send().await.unwrap();
                assert_eq!((same.status().as_u16(), same.headers()["etag"].to_str().unwrap()), (304, packed_tag.as_str()), "{path}");
                assert_eq!(same.bytes().await.unwrap().len(), 0);
            }
            let other = http.get(&url).header("if-none-match", "\"other\"").send().await.unwrap();
            assert_eq!(other.status(), 200);
            let head = http.head(&url).send().await.unwrap();
            assert_eq!(head.headers()["content-length"], length.to_string().as_str(), "{path}");
            assert_eq!(head.bytes().await.unwrap().len(), 0);
        }
    }

    async fn what_anybody_may_ask_for_is_not_compressed_for_them(site) {
        let admin = site.admin().await;
        admin.patch("/config", testkit::json!({ "large": "x".repeat(100_000) })).await.expect(200);
        let http = reqwest::Client::builder().no_gzip().build().unwrap();
        for path in ["/api/config", "/metrics"] {
            let answer = http.get(format!("{}{path}", site.base())).header("accept-encoding", "gzip").send().await.unwrap();
            assert_eq!((answer.status().as_u16(), answer.headers().get("content-encoding")), (200, None), "{path}");
        }
        let url = format!("{}/api/audit", site.base());
        let mine = http.get(url).bearer_auth(admin.token.as_ref().unwrap()).header("accept-encoding", "gzip").send().await.unwrap();
        assert_eq!(mine.headers()["content-encoding"], "gzip");
    }

    async fn pages_have_nothing_that_a_strict_policy_forbids(site) {
        for path in ["/", "/api/docs"] {
            let answer = reqwest::get(format!("{}{path}", site.base())).await.unwrap();
            let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
            assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'; "), "{policy}");
            let page = answer.text().await.unwrap();
            assert!(!page.contains("<script>") && !page.contains("<style") && !page.contains("style=") && !page.contains(" on"), "{page}");
            let files = page.split(['"']).filter(|text| text.starts_with('/') && (text.ends_with(".js") || text.ends_with(".css")));
            let mut found = 0;
            for file in files {
                assert_eq!(reqwest::get(format!("{}{file}", site.base())).await.unwrap().status(), 200, "{file}");
                found += 1;
            }
            assert!(found >= 2, "{path} has a style and a script");
        }
    }
}
