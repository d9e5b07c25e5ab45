//! A body may take minutes to arrive. Whoever sends it is judged by the rights of the moment in which something would change.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, Request, RequestBuilder};
use store::{Sql, Tx};
use testkit::{Engine, Person, Site, block_on, form, json, on_both_engines};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::production::{all_at_once, shop};
use crate::sweep::deeds;

/// A request that was let in, with half of its body still to come.
struct Held {
    stream: TcpStream,
    rest: Vec<u8>,
}

impl Held {
    /// Sends the head and half of the body. The server asks for a body only once it has judged the head.
    async fn open(site: &Site, request: RequestBuilder) -> Self {
        let mut request: Request = request.build().unwrap();
        let body = request.body_mut().take().expect("a body");
        let body = axum::body::to_bytes(axum::body::Body::new(body), usize::MAX).await.unwrap();
        let url = request.url();
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let mut head = format!(
            "{} {}{query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: {}\r\n",
            request.method(),
            url.path(),
            body.len()
        );
        for (name, value) in request.headers().iter().filter(|(name, _)| name.as_str() != "content-length") {
            head.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap()));
        }
        let mut stream = TcpStream::connect(site.base().replace("http://", "")).await.unwrap();
        stream.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
        let go_on = b"HTTP/1.1 100 Continue\r\n\r\n";
        let mut answer = vec![0; go_on.len()];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(answer, go_on, "{}", String::from_utf8_lossy(&answer));
        let (half, rest) = body.split_at(body.len() / 2);
        stream.write_all(half).await.unwrap();
        Self { stream, rest: rest.to_vec() }
    }

    /// Sends the rest; the status and the whole answer.
    async fn finish(mut self) -> (u16, String) {
        self.stream.write_all(&self.rest).await.unwrap();
        self.answer().await
    }

    async fn answer(mut self) -> (u16, String) {
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).await.unwrap();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or_else(|| panic!("{answer}")), answer)
    }
}

/// Whatever the database holds, but for the count of failed attempts, which a refused password adds to.
async fn contents(site: &Site) -> Vec<(String, String)> {
    site.contents().await.into_iter().filter(|(table, _)| table != "login_failure").collect()
}

/// Opens every operation that changes something and has a body, takes the rights of who sends it, and lets the bodies arrive.
async fn nothing_comes_of_it(site: &Site, only: &[&str], take: impl AsyncFn(&Person, &str), status: u16) {
    let boss = site.user("boss", "admin").await;
    let mut held = Vec::new();
    for (id, request) in deeds(site).await {
        let has_body = request.try_clone().is_none_or(|request| request.build().unwrap().body().is_some());
        if has_body && id != "sign_in" && (only.is_empty() || only.contains(&id.as_str())) {
            held.push((id, Held::open(site, request).await));
        }
    }
    assert!(held.len() >= if only.is_empty() { 40 } else { only.len() }, "{}", held.len());
    let key: String = site.look("select key from user_account where username = 'admin'", vec![]).await.unwrap();
    take(&boss, &format!("/user/{key}")).await;
    let (before, objects) = (contents(site).await, site.objects());
    for (id, held) in held {
        let (found, answer) = held.finish().await;
        assert_eq!(found, status, "{id}: {answer}");
    }
    for ((table, before), (_, after)) in before.iter().zip(&contents(site).await) {
        assert_eq!(before, after, "{table}");
    }
    assert_eq!(site.objects(), objects, "uploads are erased again");
}

const SOME: [&str; 5] = ["create_user", "create_api_token", "upload_files", "post_event", "post_events"];

on_both_engines! {
    async fn of_a_disabled_user(site) {
        let disable = async |boss: &Person, user: &str| {
            boss.patch(user, json!({ "active": false })).await.expect(200);
        };
        nothing_comes_of_it(site, &[], disable, 401).await;
    }

    async fn of_a_user_who_lost_the_scope(site) {
        let deprive = async |boss: &Person, user: &str| {
            boss.patch(user, json!({ "scope": "" })).await.expect(200);
        };
        nothing_comes_of_it(site, &[], deprive, 403).await;
    }

    /// Some operations only read, although they take a body.
    async fn of_a_search(site) {
        let (reader, boss) = (site.user("reader", "viewer").await, site.user("boss", "admin").await);
        let held = Held::open(site, reader.request(Method::POST, "/movement").json(&json!({ "limit": 10 }))).await;
        boss.patch(&format!("/user/{}", reader.key), json!({ "active": false })).await.expect(200);
        // Whoever needs no longer than 250 ms for a body is judged once.
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(held.finish().await.0, 401);
    }

    /// A password that the caller may no longer ask about is neither right nor wrong.
    async fn of_a_second_signature(site) {
        let admin = site.admin().await;
        let asker = site.user("asker", "operator").await;
        let mut answers = Vec::new();
        for password in [testkit::ADMIN_PASSWORD, "another password"] {
            let body = json!({ "password": password });
            let request = asker.request(Method::POST, &format!("/user/{}/verify", admin.key)).json(&body);
            answers.push(Held::open(site, request).await);
        }
        admin.patch(&format!("/user/{}", asker.key), json!({ "active": false })).await.expect(200);
        for held in answers {
            let (status, answer) = held.finish().await;
            assert_eq!(status, 401);
            assert!(answer.contains("\"token\""), "{answer}");
        }
        assert_eq!(site.count("login_failure").await, 0, "nobody is blamed");
    }

    async fn of_a_deleted_user(site) {
        let delete = async |boss: &Person, user: &str| {
            boss.delete(user).await.expect(200);
        };
        nothing_comes_of_it(site, &SOME, delete, 401).await;
    }

    async fn of_a_user_whose_password_was_reset(site) {
        let reset = async |boss: &Person, user: &str| {
            boss.delete(&format!("{user}/password")).await.expect(200);
        };
        nothing_comes_of_it(site, &SOME, reset, 401).await;
    }

    async fn of_a_token_whose_time_is_over(site) {
        let clock = site.clock.clone();
        let wait = async |_: &Person, _: &str| clock.advance_seconds(24 * 3600);
        nothing_comes_of_it(site, &SOME, wait, 401).await;
    }

    /// Rights that came to it do not stop a request, and it goes on with those of before.
    async fn of_a_user_who_got_more(site) {
        let (admin, clerk) = (site.admin().await, site.user("clerk", "viewer org:user:create").await);
        let request = |scope: &str| {
            clerk.request(Method::POST, "/user").json(&json!({ "username": format!("of-{scope}"), "scope": scope }))
        };
        let (modest, bold) = (Held::open(site, request("viewer")).await, Held::open(site, request("library")).await);
        admin.patch(&format!("/user/{}", clerk.key), json!({ "scope": "viewer library org:user:create" })).await.expect(200);
        assert_eq!(modest.finish().await.0, 201);
        assert_eq!(bold.finish().await.0, 403);
    }

    /// The scope of the operation stays, but what would be given away is no longer the caller's to give.
    async fn of_a_user_who_has_less_to_give(site) {
        let (admin, clerk) = (site.admin().await, site.user("clerk", "viewer library org:user:create").await);
        let friend = json!({ "username": "friend", "scope": "library" });
        let user = Held::open(site, clerk.request(Method::POST, "/user").json(&friend)).await;
        let token = json!({ "token_description": "t", "token_expiration": "2026-04-01", "scope": "library" });
        let token = Held::open(site, clerk.request(Method::POST, "/api-token").json(&token)).await;
        admin.patch(&format!("/user/{}", clerk.key), json!({ "scope": "viewer org:user:create" })).await.expect(200);
        assert_eq!(user.finish().await.0, 403);
        assert_eq!(token.finish().await.0, 403);
        assert_eq!(site.look::<i64>("select count(*) from user_account where username = 'friend'", vec![]).await, Some(0));
        assert_eq!(site.look::<i64>("select count(*) from token where context = 'API'", vec![]).await, Some(0));
    }

    /// An answer of before is for who still may ask.
    async fn of_a_repetition(site) {
        let (admin, clerk) = (site.admin().await, site.user("clerk", "admin").await);
        let change = || {
            let request = clerk.request(Method::PATCH, "/config").header("idempotency-key", "k");
            request.json(&json!({ "company_name": "N" }))
        };
        clerk.send(change()).await.expect(200);
        let repeated = Held::open(site, change()).await;
        admin.patch(&format!("/user/{}", clerk.key), json!({ "active": false })).await.expect(200);
        assert_eq!(repeated.finish().await.0, 401);
    }

    async fn of_a_ticket(site) {
        let (admin, clerk) = (site.admin().await, site.user("clerk", "admin").await);
        let file = [("bucket", "user"), ("object_key", clerk.key.as_str())];
        clerk.upload(Method::POST, "/files", &file, &[("contents", "a.txt", b"1")]).await.expect(200);
        let path = json!({ "path": format!("/media/user/{}/a.txt", clerk.key) });
        let ticket = Held::open(site, clerk.request(Method::POST, "/files/ticket").json(&path)).await;
        admin.patch(&format!("/user/{}", clerk.key), json!({ "scope": "" })).await.expect(200);
        assert_eq!(ticket.finish().await.0, 403);
    }
}

#[test]
fn an_upload_has_a_total_time() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        block_on(async {
            let site = Site::start_with(engine, |settings| settings.upload_seconds = Some(1)).await;
            let admin = site.admin().await;
            let upload =
                form(&[("bucket", "user"), ("object_key", &admin.key)], &[("contents", "a.txt", &[b'x'; 1000])]);
            let held = Held::open(&site, admin.request(Method::POST, "/files").multipart(upload)).await;
            let (status, answer) = held.answer().await;
            assert_eq!(status, 400, "{answer}");
            assert_eq!((site.objects(), site.count("file").await), (0, 0));
            site.stop().await;
        });
    }
}

/// The order is locked by another, and the user is disabled while the event waits for it.
#[test]
fn of_a_user_who_waits_for_a_lock() {
    testkit::run(Engine::Postgres, async |site| {
        let shop = shop(site).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        let (entered, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (app, signals) = (site.app().clone(), (entered.clone(), go_on.clone()));
        let holder = tokio::spawn(async move {
            let hold = async move |tx: &mut Tx| {
                let (entered, go_on) = signals.clone();
                tx.all::<i64>(Sql::raw("select key from work_order for update"), &[]).await?;
                entered.notify_one();
                go_on.notified().await;
                Ok(())
            };
            app.write("hold", hold).await.unwrap();
        });
        entered.notified().await;
        let (o1, start) = (shop.o1.clone(), json!({ "event_type": "JOB_STARTED", "job_key": order.jobs[0] }));
        let posting = tokio::spawn(async move { o1.post("/event", start).await });
        let waits = "select count(*) from pg_stat_activity
                     where datname = current_database() and wait_event_type = 'Lock'
                     and clock_timestamp() - query_start > interval '300 ms'";
        site.eventually(async || site.look::<i64>(waits, vec![]).await.filter(|waiting| *waiting > 0)).await;
        shop.admin.patch(&format!("/user/{}", shop.o1.key), json!({ "active": false })).await.expect(200);
        go_on.notify_one();
        posting.await.unwrap().expect(401);
        holder.await.unwrap();
        assert_eq!(shop.job(&order, 0).await["stage"], "created");
    });
}
