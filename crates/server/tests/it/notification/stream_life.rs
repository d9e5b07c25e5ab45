//! How long a stream lives, and how many there may be.

use std::time::{Duration, Instant};

use testkit::{Engine, Listener, Person, Said, Site, block_on, json};

use super::stream::{happening, store};

/// Silence and rights are looked at several times a second here.
pub(super) async fn hasty(engine: Engine) -> Site {
    Site::start_with(engine, |settings| settings.stream_quiet_seconds = Some(0.2)).await
}

/// Runs a test on a site of each engine.
pub(super) fn on_both(check: impl AsyncFn(&Site)) {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = hasty(engine).await;
            check(&site).await;
            site.check_audit().await;
            site.stop().await;
        }
    });
}

/// A stream that has to be alive.
pub(super) async fn alive(person: &Person, topic: &str) -> Listener {
    let mut stream = person.listen(topic, None).await;
    assert_eq!(stream.said().await, Some(Said::Comment));
    assert_eq!(stream.said().await, Some(Said::Comment), "again and again");
    stream
}

/// Much longer than it takes here, and still no longer than it may take.
const SOON: Duration = Duration::from_secs(15);

pub(super) async fn must_end(mut stream: Listener) {
    let began = Instant::now();
    let said = stream.rest().await;
    assert!(said.is_empty(), "{said:?}");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[test]
fn a_quiet_stream_says_that_it_is_alive() {
    on_both(async |site| {
        let viewer = site.user("viewer", "viewer").await;
        let mut stream = alive(&viewer, "production").await;
        let other = store(&site.app().db, happening(site, "SERIAL_CREATED", json!({}))).await;
        assert_eq!(stream.said().await, Some(Said::Comment), "what it does not tell is silence");
        let seq = store(&site.app().db, happening(site, "JOB_STARTED", json!({}))).await;
        assert_eq!((stream.next().await.seq(), seq), (other + 1, other + 1));
        assert_eq!(stream.said().await, Some(Said::Comment));
    });
}

#[test]
fn a_stream_ends_with_the_token_and_the_user() {
    on_both(async |site| {
        let mario = site.user("mario", "viewer").await;
        let stream = alive(&mario, "production").await;
        site.execute("update token set revoked = true where user_key = $1", vec![mario.key.as_str().into()]).await;
        must_end(stream).await;
        mario.get("/notification/production").await.expect(401);

        let luigi = site.user("luigi", "viewer").await;
        let ticket = luigi.post("/notification/ticket", json!({ "topic": "production" })).await.expect(200);
        let ticket = ticket.body["ticket"].as_str().unwrap();
        let (by_token, own) = (alive(&luigi, "production").await, format!("user:{}", luigi.key));
        let by_ticket = alive(&site.visitor(""), &format!("production?ticket={ticket}")).await;
        let of_user = alive(&luigi, &own).await;
        site.execute("update user_account set active = false where key = $1", vec![luigi.key.as_str().into()]).await;
        for stream in [by_token, by_ticket, of_user] {
            must_end(stream).await;
        }
    });
}

#[test]
fn a_stream_ends_with_the_right_to_it_and_at_the_end_of_its_token() {
    on_both(async |site| {
        let mario = site.user("mario", "viewer").await;
        let stream = alive(&mario, "production").await;
        site.execute("update user_account set scope = '' where key = $1", vec![mario.key.as_str().into()]).await;
        must_end(stream).await;
        mario.get("/notification/production").await.expect(403);

        let admin = site.admin().await;
        let program = site.api_token(&admin, "viewer").await;
        let stream = alive(&program, "production").await;
        site.clock.advance_seconds(3600);
        must_end(stream).await;
        program.get("/notification/production").await.expect(401);
    });
}

#[test]
fn a_stop_ends_all_streams_at_once() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            // Nothing else would end them.
            let site = Site::start(engine).await;
            let viewer = site.user("viewer", "viewer").await;
            let mut streams = Vec::new();
            for _ in 0..5 {
                streams.push(viewer.listen("production", None).await);
            }
            let began = Instant::now();
            let ends = async {
                for stream in streams {
                    must_end(stream).await;
                }
            };
            tokio::join!(site.stop(), ends);
            assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
        }
    });
}

#[test]
fn there_are_only_so_many_places() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let limits = |settings: &mut tracewright::Settings| {
                (settings.max_streams, settings.max_streams_per_user) = (Some(3), Some(2));
            };
            let site = Site::start_with(engine, limits).await;
            let (mario, luigi) = (site.user("mario", "viewer").await, site.user("luigi", "viewer").await);
            let own = [mario.listen("production", None).await, mario.listen("task", None).await];
            let refused = mario.get("/notification/issue").await.expect(429);
            assert_eq!(refused.header("retry-after"), "5");
            let other = luigi.listen("production", None).await;
            let refused = luigi.get("/notification/task").await.expect(503);
            assert_eq!(refused.header("retry-after"), "2");
            mario.get("/whoami").await.expect(200);
            assert_eq!(site.app().streams.open(), 3);
            // Who leaves makes room, though nothing is sent that would not arrive.
            drop((own, other));
            site.eventually(async || (site.app().streams.open() == 0).then_some(())).await;
            mario.listen("issue", None).await;
            site.stop().await;
        }
    });
}

#[test]
fn streams_leave_connections_to_others() {
    block_on(async {
        let limits = |settings: &mut tracewright::Settings| {
            (settings.max_connections, settings.max_streams_per_user) = (Some(12), Some(100));
        };
        let site = Site::start_with(Engine::Sqlite, limits).await;
        let viewer = site.user("viewer", "viewer").await;
        let mut streams = Vec::new();
        for _ in 0..6 {
            streams.push(viewer.listen("production", None).await);
        }
        for _ in 0..3 {
            viewer.get("/notification/production").await.expect(503);
            viewer.get("/whoami").await.expect(200);
        }
        site.stop().await;
        drop(streams);
    });
}
