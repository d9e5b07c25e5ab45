//! Restarts and several nodes: everything arrives, in order, and one node at a time sends.

use super::receiver::{Receiver, Reply};
use super::*;

#[test]
fn a_restart_loses_nothing_and_keeps_the_order() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        block_on(async {
            let site = site_that_reaches(engine, HERE).await;
            let (admin, receiver) = (site.admin().await, Receiver::start().await);
            let hook = webhook(&admin, &receiver.url(), &["*"]).await;
            receiver.usually(Reply::Status(500));
            let mut events = happen(&site, 1, &["JOB_STARTED", "JOB_PAUSED"]).await;
            until_tried(&admin, &hook, 1).await;
            let site = site.restart().await;
            let admin = site.admin().await;
            events.extend(happen(&site, 10, &["JOB_RESUMED", "JOB_CLOSED"]).await);
            assert_eq!(deliveries(&admin, &hook).await[0]["attempts"], 1, "what was tried is known");
            receiver.usually(Reply::Status(200));
            site.clock.advance_seconds(5);
            let found = until_delivered(&admin, &hook, 4).await;
            assert_eq!(found[0]["attempts"], 2);
            let calls = receiver.calls();
            assert_eq!(calls[0].body, calls[1].body, "the same bytes after the restart");
            let seqs: Vec<i64> = events.iter().map(|event| event.seq).collect();
            assert_eq!(receiver.seqs()[1..], seqs);
            site.stop().await;
        });
    }
}

/// A stop in the middle of an attempt: nobody knows whether it arrived, so it is made again.
#[test]
fn an_attempt_that_was_broken_off_is_made_again() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        block_on(async {
            let site = site_that_reaches(engine, HERE).await;
            let (admin, receiver) = (site.admin().await, Receiver::start().await);
            let hook = webhook(&admin, &receiver.url(), &["*"]).await;
            receiver.next(&[Reply::Hang]);
            happen(&site, 1, &["JOB_STARTED", "JOB_CLOSED"]).await;
            receiver.until_called(1).await;
            let begun = Instant::now();
            let site = site.restart().await;
            assert!(begun.elapsed() < Duration::from_secs(8), "a stop does not wait for receivers");
            let admin = admin.at(&site.base());
            until_delivered(&admin, &hook, 2).await;
            let calls = receiver.calls();
            assert_eq!((calls.len(), &calls[0].body), (3, &calls[1].body));
            site.stop().await;
        });
    }
}

/// Two nodes look at the same moment; each event is sent once, whichever node serves the webhook, and in order.
#[test]
fn of_two_nodes_one_serves() {
    block_on(async {
        let site = site_that_reaches(Engine::Postgres, HERE).await;
        let second = site.second_node().await;
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        let mut seqs = Vec::new();
        for round in 0..10 {
            let events =
                happen(&site, round * 10 + 1, &["JOB_STARTED", "JOB_PAUSED", "JOB_RESUMED", "JOB_CLOSED"]).await;
            seqs.extend(events.iter().map(|event| event.seq));
            until_delivered(&admin, &hook, seqs.len()).await;
        }
        assert_eq!(receiver.seqs(), seqs);

        // A stop gives the lease back: whoever is left goes on.
        receiver.usually(Reply::Status(500));
        let event = happen(&site, 1_000, &["JOB_STARTED"]).await.remove(0);
        until_tried(&admin, &hook, 1).await;
        second.stop().await;
        receiver.usually(Reply::Status(200));
        site.clock.advance_seconds(5);
        until_delivered(&admin, &hook, seqs.len() + 1).await;
        assert_eq!(receiver.seqs().last(), Some(&event.seq));
        site.stop().await;
    });
}

/// While a node that died still has the lease nobody sends; when it has run out another one does.
#[test]
fn another_node_takes_over_from_a_dead_one() {
    block_on(async {
        let site = site_that_reaches(Engine::Postgres, HERE).await;
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        let name = format!("webhook:{}", hook["_key"].as_str().unwrap());
        let dead = "insert into lease (name, holder, until, epoch)
                    values ($1, 'dead', cast(extract(epoch from clock_timestamp()) * 1000 as bigint) + 4000, 1)";
        let begun = Instant::now();
        site.execute(dead, vec![name.into()]).await;
        happen(&site, 1, &["JOB_STARTED"]).await;
        until_delivered(&admin, &hook, 1).await;
        assert!(begun.elapsed() >= Duration::from_secs(3), "not while another node may still send");
        assert_eq!(receiver.calls().len(), 1);
        site.stop().await;
    });
}

/// What has arrived is not sent again, although another node has taken the webhook over in the meantime.
#[test]
fn a_success_counts_whoever_has_the_lease_by_then() {
    block_on(async {
        let site = site_that_reaches(Engine::Postgres, HERE).await;
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        receiver.next(&[Reply::Later(200)]);
        happen(&site, 1, &["JOB_STARTED", "JOB_CLOSED"]).await;
        receiver.until_called(1).await;
        let name = format!("webhook:{}", hook["_key"].as_str().unwrap());
        let taken = "update lease set holder = 'another', until = until + 60000 where name = $1";
        assert_eq!(site.execute(taken, vec![name.into()]).await, 1);
        let found = until_delivered(&admin, &hook, 1).await;
        assert_eq!(found.len(), 1, "the next event is for the other node");
        assert_eq!(receiver.calls().len(), 1);
        site.stop().await;
    });
}
