//! Tickets: they open streams where no header can be sent.

use testkit::{Method, Person, Site, json, on_both_engines};

use super::stream::{happening, second_node, stop, store};

async fn ticket(person: &Person, topic: &str) -> String {
    let answer = person.post("/notification/ticket", json!({ "topic": topic })).await.expect(200);
    assert_eq!((&answer.body["expires_in"], answer.header("cache-control")), (&json!(90), "no-store"));
    answer.body["ticket"].as_str().unwrap().to_owned()
}

/// What somebody without a token gets by a ticket: 200 if it is a stream.
async fn status(site: &Site, topic: &str, ticket: &str) -> u16 {
    let visitor = site.visitor("");
    visitor.try_listen(&format!("{topic}?ticket={ticket}"), None).await.map_or_else(|answer| answer.status, |_| 200)
}

on_both_engines! {
    async fn a_ticket_is_for_its_topics_together_or_any_of_them(site) {
        let mario = site.user("mario", "viewer").await;
        let own = format!("user:{}", mario.key);
        let held = ticket(&mario, &format!("task,serial,{own}")).await;
        for topic in ["task", "serial,task", &own, &format!("{own},serial,task")] {
            assert_eq!(status(site, topic, &held).await, 200, "{topic}");
        }
        for topic in ["issue", "task,issue", "user:somebody"] {
            assert_eq!(status(site, topic, &held).await, 401, "{topic}");
        }
        mario.with_token(&held).get("/whoami").await.expect(401);
        mario.with_token(&held).get("/notification/task").await.expect(401);
        let bearer = mario.token.clone().unwrap();
        assert_eq!(status(site, "task", &bearer).await, 401, "a token is no ticket");
        assert_eq!(status(site, "task", "nonsense").await, 401);
        site.visitor("").get(&format!("/event?ticket={held}")).await.expect(401);
    }

    /// Scenario 16: ninety seconds, on every node, and a stream that is open goes on.
    async fn a_ticket_ends_after_ninety_seconds(site) {
        let (mario, second) = (site.user("mario", "viewer").await, second_node(site).await);
        let held = ticket(&mario, "production").await;
        if let Some(node) = &second {
            let there = site.visitor("").at(&format!("http://{}", node.address));
            there.listen(&format!("production?ticket={held}"), None).await;
        }
        site.clock.advance_seconds(89);
        let mut stream = site.visitor("").listen(&format!("production?ticket={held}"), None).await;
        site.clock.advance_seconds(1);
        assert_eq!(status(site, "production", &held).await, 401);
        let seq = store(&site.app().db, happening(site, "JOB_STARTED", json!({}))).await;
        assert_eq!(stream.next().await.seq(), seq);
        stop(second).await;
    }

    async fn a_ticket_ends_with_its_token_and_its_rights(site) {
        let mario = site.user("mario", "viewer").await;
        let (held, own) = (ticket(&mario, "production").await, format!("user:{}", mario.key));
        let for_own = ticket(&mario, &own).await;
        site.execute("update user_account set scope = '' where key = $1", vec![mario.key.as_str().into()]).await;
        assert_eq!(status(site, "production", &held).await, 403, "the right to read events is gone");
        assert_eq!(status(site, &own, &for_own).await, 200);
        site.execute("update token set revoked = true where user_key = $1", vec![mario.key.as_str().into()]).await;
        assert_eq!(status(site, &own, &for_own).await, 401);
    }

    /// Its address may hold commas and names of topics.
    async fn a_ticket_for_a_file_opens_no_stream(site) {
        let admin = site.admin().await;
        let fields = [("bucket", "user"), ("object_key", admin.key.as_str()), ("subfolder", "")];
        let file: [(&str, &str, &[u8]); 1] = [("contents", "a,task,serial", b"x")];
        let path = admin.upload(Method::POST, "/files", &fields, &file).await.detail()[0]["path"].clone();
        let answer = admin.post("/files/ticket", json!({ "path": path })).await.expect(200);
        let held = answer.body["ticket"].as_str().unwrap();
        for topic in ["task", "serial", "task,serial"] {
            assert_eq!(status(site, topic, held).await, 401, "{topic}");
        }
    }
}
