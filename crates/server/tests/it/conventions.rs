//! What holds for every operation: forms of errors, order of checks, ids, limits, hang-ups.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use api::cx::PublicCx;
use api::operation::{Tag, get, post};
use api::reply::Bare;
use axum::Router;
use reqwest::Method;
use store::{Sql, StoreError, Tx};
use testkit::{Engine, Site, block_on, json, on_both_engines};
use tokio::sync::Notify;
use tower::ServiceExt;

on_both_engines! {
    /// A record that is deleted and made again under its key is another one: no revision of the first fits.
    async fn revisions_do_not_return(site) {
        let admin = site.admin().await;
        let made = [
            ("/department", json!({ "_key": "k", "name": "N" })),
            ("/tag", json!({ "_key": "k", "name": "N" })),
            ("/field", json!({ "_key": "k", "name": "N", "type": "text" })),
            ("/counter", json!({ "_key": "k", "template": ["#4"] })),
            ("/custom-data", json!({ "value": 1 })),
        ];
        for (path, body) in made {
            let of_one = format!("{path}/k");
            let make = async || match path {
                "/custom-data" => admin.put(&of_one, body.clone()).await.expect(200),
                "/department" => admin.post(path, body.clone()).await.expect(201),
                _ => admin.post(path, body.clone()).await.expect(200),
            };
            let revision = async || {
                let found = admin.get(&format!("{path}?limit=100")).await.expect(200).body;
                let listed = found.get("detail").unwrap_or(&found).as_array().unwrap().clone();
                let record = listed.into_iter().find(|record| record["_key"] == "k").unwrap();
                record["_rev"].as_str().unwrap().to_owned()
            };
            make().await;
            let first = revision().await;
            admin.delete(&of_one).await.expect(200);
            make().await;
            assert_ne!(revision().await, first, "{path}");
            let stale = admin.request(Method::DELETE, &of_one).header("if-match", first);
            admin.send(stale).await.expect(412);
        }
    }

    /// A key that we can't have made is shown as it was sent, not as the key of no record.
    async fn faults_show_keys_as_they_were_sent(site) {
        let admin = site.admin().await;
        for key in ["made", "part"] {
            admin.post("/product", json!({ "_key": key, "code": key })).await.expect(201);
        }
        admin.post("/operation", json!({ "_key": "work", "name": "Work" })).await.expect(200);
        let phase = json!([{ "alias": "a", "operation_key": "work", "steps": [] }]);
        admin.put("/product/made/process", phase).await.expect(200);
        let line = json!([{ "component_code": "part", "qt": 1, "phase_key": "zz" }]);
        let answer = admin.put("/product/made/bom", line).await.expect(422);
        assert_eq!(answer.body["detail"][0]["input"], "zz", "{}", answer.text);
        let update = json!([{ "action": "update", "data": { "_key": "zz" } }]);
        let answer = admin.post("/job/update", update).await;
        assert!(answer.text.contains("\"zz\"") && !answer.text.contains("fvvvv"), "{}", answer.text);
        let event = json!({ "event_type": "JOB_STARTED", "job_key": "zz", "work_order_key": "yy" });
        let answer = admin.post("/event", event).await.expect(422);
        assert!(answer.text.contains("\"zz\"") && !answer.text.contains("fvvvv"), "{}", answer.text);
    }

    /// A wrong shape beside them does not hide rules that need nothing else.
    async fn rules_of_values_are_told_beside_faults_of_shape(site) {
        let admin = site.admin().await;
        let answer = admin.post("/counter", json!({ "name": "zz", "template": ["%Q", "#0", 3], "frequency": "hourly" })).await;
        let faults = ["string_type body.template.2", "enum body.frequency", "value_error body.template.0", "value_error body.template.1"];
        assert_eq!(answer.faults(), faults);
    }

    /// Of a parameter with one value nobody could tell which one counts.
    async fn a_parameter_with_one_value_is_sent_once(site) {
        let admin = site.admin().await;
        let answer = admin.get("/product?limit=1&limit=5&active_only=true&active_only=true").await;
        assert_eq!(answer.status, 422);
        let mut named: Vec<_> = answer.body["detail"].as_array().unwrap().iter().map(|fault| fault["loc"].clone()).collect();
        named.sort_by_key(ToString::to_string);
        assert_eq!(named, [json!(["query", "active_only"]), json!(["query", "limit"])], "{}", answer.body);
        admin.get("/serial?state=released&state=used&limit=5").await.expect(200);
    }

    /// Each character is compared with every place of every text.
    async fn texts_are_searched_for_so_much(site) {
        let admin = site.admin().await;
        for path in ["/task?search=", "/issue?search=", "/product?include_text="] {
            admin.get(&format!("{path}{}", "a".repeat(256))).await.expect(200);
            admin.get(&format!("{path}{}", "a".repeat(257))).await.expect(422);
        }
    }

    /// A bulk of a few kilobytes is no reason to write millions of rows.
    async fn shared_lists_count_for_every_event(site) {
        let admin = site.admin().await;
        let links: Vec<_> = (0..1000).map(|number| json!({ "type": "project", "key": format!("P{number}") })).collect();
        let shared = json!({ "event_type": "ISSUE_CREATED", "title": "Many", "linked_to": links });
        let rows = vec![json!({}); 301];
        let answer = admin.post("/event/bulk", json!({ "shared_data": shared, "events": rows })).await;
        assert_eq!(answer.status, 422);
        let told = answer.body["detail"].as_array().unwrap();
        assert!(told.iter().any(|fault| fault["loc"] == json!(["body", "shared_data"]) && fault["type"] == "too_long"), "{}", answer.body);
    }

    /// A shared terminal keeps nothing of what somebody has read there.
    async fn answers_stay_in_no_cache(site) {
        let admin = site.admin().await;
        for path in ["/user", "/whoami", "/product", "/nowhere"] {
            assert_eq!(admin.get(path).await.header("cache-control"), "no-store", "{path}");
        }
    }

    async fn unknown_addresses_and_methods(site) {
        let admin = site.admin().await;
        for path in ["/nothing", "/", "", "/auth/", "/hello/x"] {
            let answer = admin.get(path).await.expect(404);
            assert!(answer.body["detail"].is_string(), "{path}: {}", answer.text);
            assert_eq!(answer.header("content-type"), "application/json");
        }
        let answer = admin.delete("/hello").await.expect(405);
        assert!(answer.body["detail"].is_string());
        assert!(answer.header("allow").contains("GET"));
        for path in ["/", "/healthz", "/metrics", "/media/config/a/b"] {
            let answer = reqwest::Client::new().post(format!("{}{path}", site.base())).send().await.unwrap();
            assert_eq!(answer.status(), 405, "{path}");
            assert!(answer.text().await.unwrap().starts_with("{\"detail\""), "{path}");
        }
    }

    async fn checks_come_in_the_contracts_order(site) {
        let viewer = site.user("viewer", "viewer").await;
        let admin = site.admin().await;
        let garbage = |person: &testkit::Person, kind: &str| {
            person.request(Method::PATCH, "/config").header("content-type", kind.to_owned()).body("{")
        };
        let nobody = site.visitor("");
        nobody.send(garbage(&nobody, "text/plain")).await.expect(401);
        viewer.send(garbage(&viewer, "text/plain")).await.expect(403);
        admin.send(garbage(&admin, "text/plain")).await.expect(415);
        let broken = admin.send(garbage(&admin, "application/json; charset=utf-8")).await;
        assert_eq!(broken.faults(), ["json_invalid body.1"]);
        let huge = admin.request(Method::PATCH, "/config").header("content-type", "text/plain").body("x".repeat(2_000_000));
        admin.send(huge).await.expect(415);
    }

    async fn bodies(site) {
        let admin = site.admin().await;
        let send = async |kind: Option<&'static str>, body: Vec<u8>| {
            let mut request = admin.request(Method::POST, "/session").body(body);
            if let Some(kind) = kind {
                request = request.header("content-type", kind);
            }
            admin.send(request).await
        };
        let json_kind = Some("application/json");
        assert_eq!(send(json_kind, vec![]).await.faults(), ["missing body"]);
        assert_eq!(send(None, vec![]).await.faults(), ["missing body"]);
        send(None, b"{}".to_vec()).await.expect(415);
        send(json_kind, b"[".repeat(10_000)).await.expect(422);
        send(json_kind, b"\xff\xfe".to_vec()).await.expect(422);
        assert_eq!(send(json_kind, b"3".to_vec()).await.faults(), ["dict_type body"]);
        let nul = br#"{"user_key": "a\u0000b"}"#.to_vec();
        assert!(send(json_kind, nul).await.faults().contains(&"string_nul body.user_key".to_owned()));
        let declared = admin.request(Method::PATCH, "/config").header("content-type", "application/json");
        admin.send(declared.body("x".repeat(2 * 1024 * 1024))).await.expect(413);
        let chunk = format!("80000\r\n{}\r\n", "x".repeat(0x80000));
        let chunked = format!(
            "PATCH /api/config HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}{chunk}{chunk}0\r\n\r\n",
            admin.token.as_ref().unwrap()
        );
        assert!(raw(site, chunked).await.starts_with("HTTP/1.1 413"), "a body without a declared length has a limit too");
        let many = site.visitor("").request(Method::POST, "/auth").header("content-type", "application/x-www-form-urlencoded");
        admin.send(many.body("a&".repeat(20_000))).await.expect(413);
    }

    async fn every_answer_carries_a_request_id(site) {
        let visitor = site.visitor("");
        let ours = visitor.get("/hello").await.expect(200);
        assert_eq!(ours.header("x-request-id").len(), 16);
        assert_eq!(ours.body, "Hi!");
        let theirs = visitor.send(visitor.request(Method::GET, "/whoami").header("x-request-id", "plant-7/42")).await;
        assert_eq!(theirs.expect(401).header("x-request-id"), "plant-7/42");
        let odd = visitor.send(visitor.request(Method::GET, "/hello").header("x-request-id", "a b")).await;
        assert_eq!(odd.header("x-request-id").len(), 16);
    }

    async fn large_answers_are_compressed_when_asked(site) {
        let http = reqwest::Client::builder().no_gzip().no_proxy().build().unwrap();
        let url = format!("{}/api/openapi.json", site.base());
        let plain = http.get(&url).send().await.unwrap();
        assert!(plain.headers().get("content-encoding").is_none());
        let packed = http.get(&url).header("accept-encoding", "gzip").send().await.unwrap();
        assert_eq!(packed.headers()["content-encoding"], "gzip");
        assert!(packed.bytes().await.unwrap().len() < plain.bytes().await.unwrap().len() / 3);
    }

    async fn a_half_sent_body_changes_nothing(site) {
        let admin = site.admin().await;
        let before = site.visitor("").get("/config").await.detail();
        let head = format!(
            "PATCH /api/config HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{\"company_name\":\"Half\"}}",
            admin.token.as_ref().unwrap()
        );
        let answer = raw(site, head).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer}");
        assert_eq!(site.visitor("").get("/config").await.detail(), before);
    }

    async fn a_client_that_hangs_up_does_not_stop_its_change(site) {
        let (entered, go_on, finished) = (Arc::new(Notify::new()), Arc::new(Notify::new()), Arc::new(Notify::new()));
        let slow = {
            let signals = (entered.clone(), go_on.clone(), finished.clone());
            move |_: PublicCx| {
                let (entered, go_on, finished) = signals.clone();
                async move {
                    entered.notify_one();
                    go_on.notified().await;
                    finished.notify_one();
                    Ok(Bare(true))
                }
            }
        };
        let router = api::router_of(site.app().clone(), vec![post("post_slow", "/slow", Tag::Security, "", slow).public()], Router::new());
        let request = axum::http::Request::post("/api/slow").body(axum::body::Body::empty()).unwrap();
        let client = tokio::spawn(router.oneshot(request));
        entered.notified().await;
        client.abort();
        assert!(client.await.is_err(), "the client is gone");
        go_on.notify_one();
        finished.notified().await;
    }

    async fn service_addresses(site) {
        let http = reqwest::Client::new();
        for (path, kind) in [
            ("/", "text/html"),
            ("/healthz", "application/json"),
            ("/readyz", "application/json"),
            ("/metrics", "text/plain"),
            ("/api/docs", "text/html"),
            ("/api/docs/swagger-ui.css", "text/css"),
            ("/api/docs/swagger-ui-bundle.js", "text/javascript"),
            ("/api/openapi.json", "application/json"),
        ] {
            let answer = http.get(format!("{}{path}", site.base())).send().await.unwrap();
            assert_eq!(answer.status(), 200, "{path}");
            let found = answer.headers()["content-type"].to_str().unwrap().to_owned();
            assert!(found.starts_with(kind), "{path}: {found}");
            if kind == "text/html" {
                let page = answer.text().await.unwrap();
                assert!(!page.contains("https://"), "{path} loads nothing from elsewhere");
            }
        }
        let missing = http.get(format!("{}/api/docs/index.html", site.base())).send().await.unwrap();
        assert_eq!(missing.status(), 404);
        site.visitor("").get("/hello").await.expect(200);
        let figures = http.get(format!("{}/metrics", site.base())).send().await.unwrap().text().await.unwrap();
        assert!(figures.contains(r#"tracewright_requests{operation="hello",status="200"}"#), "{figures}");
    }

    async fn panics_and_database_errors_have_the_contracts_form(site) {
        let cause = || Arc::new(std::io::Error::other("select secret from /var/lib/x"));
        let broken = |error: StoreError| {
            move |_: PublicCx| {
                let error = error.clone();
                async move { Err::<Bare<bool>, _>(api::ApiError::from(error)) }
            }
        };
        async fn boom(_: PublicCx) -> api::Result<Bare<bool>> {
            panic!("boom");
        }
        let app = site.app().clone();
        let operations = vec![
            get("get_boom", "/boom", Tag::Security, "", boom).public(),
            post("post_boom", "/boom", Tag::Security, "", boom).public(),
            get("get_engine", "/engine", Tag::Security, "", broken(StoreError::Stored("select secret".into()))).public(),
            get("get_away", "/away", Tag::Security, "", broken(StoreError::Unavailable(cause()))).public(),
            get("get_full", "/full", Tag::Security, "", broken(StoreError::Full(cause()))).public(),
        ];
        let router = api::router_of(app, operations, Router::new());
        for (method, path, status) in
            [("GET", "boom", 500), ("POST", "boom", 500), ("GET", "engine", 500), ("GET", "away", 503), ("GET", "full", 500)]
        {
            let request = axum::http::Request::builder().method(method).uri(format!("/api/{path}"));
            let answer = router.clone().oneshot(request.body(axum::body::Body::empty()).unwrap()).await.unwrap();
            assert_eq!(answer.status().as_u16(), status, "{path}");
            assert_eq!(answer.headers().contains_key("retry-after"), status == 503);
            let body = axum::body::to_bytes(answer.into_body(), 10_000).await.unwrap();
            let body: testkit::Value = serde_json::from_slice(&body).unwrap();
            assert!(!body.to_string().contains("secret"), "{body}");
            assert!(body["detail"]["message"].is_string());
            assert_eq!(body["detail"]["error_id"].is_string(), status == 500, "{body}");
            if path == "full" {
                assert!(body["detail"]["message"].as_str().unwrap().contains("disk is full"));
            }
        }
    }
}

/// Sends bytes as they are, closes the sending side, and reads what comes.
async fn raw(site: &Site, bytes: String) -> String {
    let address = site.base().replace("http://", "");
    let talk = move || {
        let mut stream = TcpStream::connect(address).unwrap();
        // A server that has heard enough may hang up before everything is sent.
        let _ = stream.write_all(bytes.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    };
    tokio::task::spawn_blocking(talk).await.unwrap()
}

#[test]
fn other_origins_only_by_setting() {
    block_on(async {
        let ask = async |site: &Site| {
            let visitor = site.visitor("");
            let request = visitor.request(Method::GET, "/hello").header("origin", "https://portal.example");
            let answer = visitor.send(request).await;
            answer.header("access-control-allow-origin").to_owned()
        };
        let closed = Site::start(Engine::Sqlite).await;
        assert_eq!(ask(&closed).await, "");
        let open = Site::start_with(Engine::Sqlite, |settings| {
            settings.cors_origins = Some("https://portal.example".to_owned());
        })
        .await;
        assert_eq!(ask(&open).await, "https://portal.example");
        let visitor = open.visitor("");
        let preflight = visitor
            .request(Method::OPTIONS, "/whoami")
            .header("origin", "https://portal.example")
            .header("access-control-request-method", "GET")
            .header("access-control-request-headers", "authorization,content-type");
        let allowed = visitor.send(preflight).await.expect(200);
        assert!(allowed.header("access-control-allow-headers").contains("authorization"));
        assert_eq!(allowed.header("x-request-id").len(), 16);
        closed.stop().await;
        open.stop().await;
    });
}

#[test]
fn a_database_that_goes_away_is_503_and_comes_back() {
    testkit::run(Engine::Postgres, async |site| {
        let admin = site.admin().await;
        site.cut_off().await;
        let refused = admin.patch("/config", json!({ "company_name": "Lost" })).await.expect(503);
        assert!(!refused.header("retry-after").is_empty());
        assert!(refused.body["detail"]["message"].is_string());
        admin.get("/whoami").await.expect(503);
        let ready = reqwest::get(format!("{}/readyz", site.base())).await.unwrap();
        assert_eq!(ready.status(), 503);
        let alive = reqwest::get(format!("{}/healthz", site.base())).await.unwrap();
        assert_eq!(alive.status(), 200);
        site.reconnect().await;
        admin.get("/whoami").await.expect(200);
        assert_eq!(site.visitor("").get("/config").await.detail()["company_name"], "Tracewright");
    });
}

#[test]
fn a_full_disk_is_said_and_changes_nothing() {
    testkit::run(Engine::Sqlite, async |site| {
        let admin = site.admin().await;
        let before = site.visitor("").get("/config").await.detail();
        let limit = async |pages: i64| {
            let work = async move |tx: &mut Tx| {
                let used: i64 = tx.one(Sql::raw("pragma page_count"), &[]).await?;
                Ok(tx.all::<i64>(Sql::raw(format!("pragma max_page_count = {}", used + pages)), &[]).await?)
            };
            site.app().write("limit", work).await.unwrap();
        };
        limit(4).await;
        let refused = admin.patch("/config", json!({ "large": "x".repeat(500_000) })).await.expect(500);
        assert!(refused.body["detail"]["message"].as_str().unwrap().contains("disk is full"), "{}", refused.text);
        assert!(refused.body["detail"]["error_id"].is_string());
        assert_eq!(site.visitor("").get("/config").await.detail(), before);
        admin.patch("/config", json!({ "company_name": "Small" })).await.expect(200);
        limit(10_000).await;
        admin.patch("/config", json!({ "large": "x".repeat(500_000) })).await.expect(200);
    });
}
