//! What people who are not signed in can make the service remember.

use futures_util::future::join_all;
use testkit::{Answer, Engine, Method, Person, Site, block_on, json};

/// Tests on both engines, of sites behind a proxy where a few failures are enough.
macro_rules! behind_a_proxy {
    ($(async fn $name:ident($site:ident) $body:block)+) => {$(
        mod $name {
            use super::*;

            async fn check($site: &Site) $body

            #[test]
            fn sqlite() {
                run(Engine::Sqlite, async |site| check(site).await);
            }

            #[test]
            fn postgres() {
                run(Engine::Postgres, async |site| check(site).await);
            }
        }
    )+};
}

fn run(engine: Engine, check: impl AsyncFnOnce(&Site)) {
    block_on(async {
        let site = Site::start_with(engine, |settings| {
            settings.trusted_proxies = Some("127.0.0.1".to_owned());
            settings.login_max_failures = Some(2);
            settings.login_max_failures_per_address = Some(10);
        })
        .await;
        check(&site).await;
        site.check_audit().await;
        site.stop().await;
    });
}

/// A sign-in that is refused for its form, with as much in it as fits.
async fn malformed(visitor: &Person) -> Answer {
    let long = "x".repeat(15_000);
    let form = [("username", "ghost"), ("password", "p"), ("grant_type", long.as_str())];
    visitor.send(visitor.request(Method::POST, "/auth").form(&form).query(&[("q", "y".repeat(900))])).await
}

async fn status_from(site: &Site, forwarded: &[u8]) -> u16 {
    let visitor = site.visitor("");
    let forwarded = reqwest::header::HeaderValue::from_bytes(forwarded).unwrap();
    let request = visitor.request(Method::POST, "/auth").header("x-forwarded-for", forwarded);
    visitor.send(request.form(&[("username", "ghost")])).await.status
}

async fn lines(site: &Site) -> i64 {
    site.look("select count(*) from audit where operation = 'sign_in'", vec![]).await.unwrap()
}

behind_a_proxy! {
    async fn every_refused_sign_in_counts_and_the_log_does_not_grow(site) {
        let visitor = site.visitor("ghost");
        for _ in 0..5 {
            malformed(&visitor).await.expect(422);
            visitor.post("/auth", json!({ "username": "ghost" })).await.expect(415);
        }
        assert_eq!(lines(site).await, 10);
        for answer in join_all((0..20).map(|_| malformed(&visitor))).await {
            let refused = answer.expect(429);
            assert_eq!(refused.header("retry-after"), "900");
        }
        for answer in join_all((0..10).map(|_| visitor.try_sign_in("wrong password"))).await {
            answer.expect(429);
        }
        assert_eq!(lines(site).await, 11, "one line more for all of them");
        assert_eq!(site.count("login_failure").await, 10);
        let summary = "select cast(max(length(summary)) as bigint) from audit where operation = 'sign_in'";
        let longest: i64 = site.look(summary, vec![]).await.unwrap();
        assert_eq!(longest, 2, "what was sent is not kept");
        let named = "select count(*) from audit where username = 'ghost' and status = 422";
        assert_eq!(site.look::<i64>(named, vec![]).await, Some(5), "who it claimed to be is");
        site.clock.advance_seconds(901);
        malformed(&visitor).await.expect(422);
        assert_eq!(lines(site).await, 12);
        site.admin().await;
    }

    async fn who_has_to_wait_leaves_one_line_in_a_window(site) {
        let mario = site.visitor("mario");
        for window in 1..3 {
            for _ in 0..2 {
                mario.try_sign_in("wrong password").await.expect(401);
            }
            for answer in join_all((0..20).map(|_| mario.try_sign_in("wrong password"))).await {
                answer.expect(429);
            }
            assert_eq!(lines(site).await, 3 * window);
            site.clock.advance_seconds(901);
        }
    }

    async fn names_that_no_database_stores_are_noted_all_the_same(site) {
        site.visitor("a\0b").try_sign_in("x").await.expect(422);
        site.visitor(&"n".repeat(5_000)).try_sign_in("x").await.expect(422);
        let noted: Vec<String> = site.all("select username from audit where status = 422 order by length(username)").await;
        assert_eq!(noted, ["a\u{fffd}b".to_owned(), "n".repeat(256)]);
        assert_eq!(site.count("login_failure").await, 2);
    }

    async fn an_ipv6_network_counts_as_one_address(site) {
        for host in 0..10 {
            assert_eq!(status_from(site, format!("2001:db8:0:1:{host}::{host}").as_bytes()).await, 422);
        }
        assert_eq!(status_from(site, b"2001:db8:0:1:ffff::7").await, 429);
        assert_eq!(status_from(site, b"2001:db8:0:2::7").await, 422, "the next network is somebody else");
    }

    async fn odd_bytes_in_front_do_not_make_the_proxy_guilty(site) {
        for _ in 0..10 {
            assert_eq!(status_from(site, b"\xff\xfe, 198.51.100.7").await, 422);
        }
        assert_eq!(status_from(site, b"198.51.100.7").await, 429);
        assert_eq!(status_from(site, b"198.51.100.8").await, 422);
        let addresses: Vec<String> = site.all("select distinct address from audit order by address").await;
        assert_eq!(addresses, ["198.51.100.7", "198.51.100.8"]);
    }
}
