//! What a stream does when the database is away, has lost something, or has much that the stream does not tell.

use std::time::{Duration, Instant};

use testkit::journal::append;
use testkit::{Engine, Said, block_on, json};

use super::stream::{happening, store};
use super::stream_life::{alive, hasty, must_end, on_both};

/// While the database is away, streams say that they are alive; afterwards they go on.
#[test]
fn a_short_shortage_ends_no_stream() {
    block_on(async {
        let site = hasty(Engine::Postgres).await;
        let viewer = site.user("viewer", "viewer").await;
        let mut stream = alive(&viewer, "production").await;
        site.cut_off().await;
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(3) {
            assert_eq!(stream.said().await, Some(Said::Comment), "it stays");
        }
        site.reconnect().await;
        site.eventually(async || {
            let ready = reqwest::get(format!("{}/readyz", site.base())).await.unwrap();
            (ready.status() == 200).then_some(())
        })
        .await;
        let seq = store(&site.app().db, happening(&site, "JOB_STARTED", json!({}))).await;
        assert_eq!(stream.next().await.seq(), seq);
        site.stop().await;
    });
}

/// As after a failover to a standby that lacked the last commits: their numbers will be those of other events.
#[test]
fn a_journal_that_has_lost_its_end_ends_all_streams() {
    on_both(async |site| {
        let viewer = site.user("viewer", "viewer").await;
        let mut stream = alive(&viewer, "production").await;
        for _ in 0..3 {
            store(&site.app().db, happening(site, "JOB_STARTED", json!({}))).await;
        }
        stream.several(3).await;
        site.execute("update journal_head set seq = seq - 1", vec![]).await;
        must_end(stream).await;
        alive(&viewer, "production").await;
    });
}

#[test]
fn what_was_removed_is_not_told_any_more() {
    on_both(async |site| {
        let (admin, viewer) = (site.admin().await, site.user("viewer", "viewer").await);
        let mut stream = alive(&viewer, "production").await;
        let removed = store(&site.app().db, happening(site, "JOB_STARTED", json!({}))).await;
        assert_eq!(stream.next().await.seq(), removed);
        admin.delete("/reset/prod").await.expect(200);
        let mut late = viewer.listen("production", Some(removed - 1)).await;
        assert_eq!(late.said().await, Some(Said::Comment));
        let next = store(&site.app().db, happening(site, "JOB_STARTED", json!({}))).await;
        assert_eq!((stream.next().await.seq(), late.next().await.seq()), (next, next));
    });
}

const EVENTS: usize = 10_000;

/// Whoever connects again does not begin from the start, though there was nothing to tell.
#[test]
fn a_stream_that_finds_nothing_to_tell_says_how_far_it_has_come() {
    on_both(async |site| {
        let viewer = site.user("viewer", "viewer").await;
        let mut newest = 0;
        for _ in 0..EVENTS / 100 {
            let events = (0..100).map(|_| happening(site, "JOB_STARTED", json!({})));
            newest = append(&site.app().db, events.collect()).await[99].seq;
        }
        let mut stream = viewer.listen("issue", Some(0)).await;
        let mut passed = 0;
        while passed < newest {
            let further = stream.passed().await.expect("it goes on");
            assert!(further >= passed, "{further} after {passed}");
            passed = further;
        }
        assert_eq!(passed, newest);
        let issue = store(&site.app().db, happening(site, "ISSUE_CREATED", json!({}))).await;
        assert_eq!(stream.next().await.id, Some(issue));
        let mut again = viewer.listen("issue", Some(passed)).await;
        assert_eq!(again.next().await.id, Some(issue));
    });
}
