//! Where webhooks may connect to.

use testkit::on_both_engines;

use super::receiver::Receiver;
use super::*;

on_both_engines! {
    /// What a name stands for is looked up at each delivery: a name may be somebody else's.
    async fn names_of_this_machine_are_blocked_at_delivery(site) {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &format!("http://localhost:{}/hook", receiver.port), &["*"]).await;
        happen(site, 1, &["JOB_STARTED"]).await;
        let tried = until_tried(&admin, &hook, 1).await;
        assert_eq!((&tried["last_error"], &tried["last_status"], &tried["state"]), (&json!("blocked_address"), &Value::Null, &json!("pending")));
        site.clock.advance_seconds(5);
        assert_eq!(until_tried(&admin, &hook, 2).await["last_error"], "blocked_address");
        assert_eq!(receiver.calls().len(), 0);
    }

    async fn names_that_stand_for_nothing_are_told(site) {
        let admin = site.admin().await;
        let hook = webhook(&admin, "https://no-such-host.invalid/", &["*"]).await;
        happen(site, 1, &["JOB_STARTED"]).await;
        let tried = until_tried(&admin, &hook, 1).await;
        // Where there is no network at all, the question itself may take too long.
        assert!(["name_not_found", "timeout"].contains(&tried["last_error"].as_str().unwrap()), "{tried}");
    }
}

#[test]
fn listed_networks_are_reached_by_address_and_by_name() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        block_on(async {
            let site = site_that_reaches(engine, "127.0.0.1, ::1").await;
            let (admin, receiver) = (site.admin().await, Receiver::start().await);
            let by_name = webhook(&admin, &format!("http://localhost:{}/name", receiver.port), &["*"]).await;
            let by_address = webhook(&admin, &format!("http://127.0.0.1:{}/address", receiver.port), &["*"]).await;
            let refused = json!({ "url": format!("http://127.0.0.2:{}/", receiver.port), "event_types": ["*"] });
            assert_eq!(admin.post("/webhook", refused).await.faults(), ["value_error body.url"]);
            happen(&site, 1, &["JOB_STARTED"]).await;
            for hook in [&by_name, &by_address] {
                until_delivered(&admin, hook, 1).await;
            }
            let mut calls: Vec<(String, String)> =
                receiver.calls().iter().map(|call| (call.path.clone(), call.header("host").to_owned())).collect();
            calls.sort();
            let host = |name: &str| format!("{name}:{}", receiver.port);
            assert_eq!(calls, [("/address".to_owned(), host("127.0.0.1")), ("/name".to_owned(), host("localhost"))]);
            site.stop().await;
        });
    }
}

/// What was allowed when it was saved is refused at delivery by a service that does not allow it any more.
#[test]
fn saved_addresses_are_checked_at_each_delivery() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        let forbidden = "http://10.0.0.1:9/";
        let update = "update webhook set url = $1";
        site.execute(update, vec![forbidden.into()]).await;
        happen(site, 1, &["JOB_STARTED"]).await;
        assert_eq!(until_tried(&admin, &hook, 1).await["last_error"], "blocked_address");
    });
}

#[test]
fn a_receiver_that_is_not_there_is_told() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let url = receiver.url();
        drop(receiver);
        let hook = webhook(&admin, &url, &["*"]).await;
        let plain = webhook(&admin, &site.base().replace("http://", "https://"), &["*"]).await;
        happen(site, 1, &["JOB_STARTED"]).await;
        assert_eq!(until_tried(&admin, &hook, 1).await["last_error"], "connection_failed");
        assert_eq!(
            until_tried(&admin, &plain, 1).await["last_error"],
            "tls_failed",
            "the service itself speaks no TLS"
        );
    });
}
