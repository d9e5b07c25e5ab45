//! What is said to a user is read by both of them and by nobody else, whatever road they try.

use sha2::{Digest, Sha256};
use testkit::on_both_engines;

use super::*;

const SECRET: &str = "meet me behind the press";
const CHANGED: &str = "or rather beside the lathe";

fn sha256(text: &str) -> String {
    domain::text::hex(&Sha256::digest(text.as_bytes()))
}

/// Checks that a text has none of the contents.
#[track_caller]
fn tells_nothing(what: &str, text: &str) {
    for content in [SECRET, CHANGED] {
        assert!(!text.contains(content), "{what}: {text}");
    }
}

/// Whatever is stored besides the messages themselves, and all of the audit log.
async fn stores_nothing(site: &Site) {
    for (table, rows) in site.contents().await.iter().filter(|(table, _)| table != "message") {
        tells_nothing(table, rows);
    }
    let noted: Vec<(String, String)> = site.all("select path, summary from audit").await;
    for (path, summary) in noted {
        tells_nothing(&path, &summary);
    }
}

async fn contents(who: &Person, recipient: &str) -> Vec<String> {
    each(&who.get(&format!("/message?recipient_id={recipient}")).await.expect(200).body, "content")
}

on_both_engines! {
    async fn both_read_it_and_nobody_else(site) {
        let team = team(site).await;
        let recipient = format!("User/{}", team.ben.key);
        said(&team.ann, &recipient, SECRET).await;
        said(&team.cat, &recipient, "from cat").await;
        said(&team.ben, &recipient, "to myself").await;
        assert_eq!(contents(&team.ben, &recipient).await, [SECRET, "from cat", "to myself"], "the recipient reads all");
        assert_eq!(contents(&team.ann, &recipient).await, [SECRET], "others what they sent");
        assert_eq!(contents(&team.cat, &recipient).await, ["from cat"]);
        assert_eq!(contents(&team.admin, &recipient).await, Vec::<String>::new(), "whatever their rights");
        for (who, total) in [(&team.ben, "3"), (&team.ann, "1"), (&team.admin, "0")] {
            let counted = who.get(&format!("/message?recipient_id={recipient}&count=true&limit=1")).await.expect(200);
            assert_eq!(counted.header("x-total-count"), total, "nor how many there are");
        }
        assert_eq!(contents(&team.ben, &format!("User/{}", team.ann.key)).await, Vec::<String>::new());
    }

    async fn events_have_a_digest_only(site) {
        let team = team(site).await;
        let recipient = format!("User/{}", team.ben.key);
        let sent = say(&team.ann, &recipient, &format!(" {SECRET} ")).await.expect(200);
        tells_nothing("the answer", &sent.text);
        let sent = sent.detail();
        let key = text(&sent["message_key"]);
        let changed = event(&team.ann, "MESSAGE_UPDATED", json!({ "message_key": key, "content": CHANGED })).await.detail();
        for (detail, content) in [(&sent, SECRET), (&changed, CHANGED)] {
            let stored = team.stored(detail).await;
            assert_eq!(stored["payload"]["content_sha256"], sha256(content), "{stored}");
            assert_eq!(stored["payload"].get("content"), None, "{stored}");
        }
        for who in [&team.admin, &team.ann, &team.ben, &team.cat] {
            for path in ["/event?limit=10000", "/event?type=MESSAGE_POSTED&sort_by=seq&sorting_order=asc", "/event?type=MESSAGE_UPDATED"] {
                tells_nothing(path, &who.get(path).await.expect(200).text);
            }
        }
        tells_nothing("the audit", &team.admin.get("/audit?limit=10000").await.expect(200).text);
        stores_nothing(site).await;
        event(&team.ann, "MESSAGE_DELETED", json!({ "message_key": key })).await.expect(200);
        for (table, rows) in site.contents().await {
            tells_nothing(&table, &rows);
        }
        assert_eq!(contents(&team.ben, &recipient).await, [""]);
        site.sealed().await;
        assert_eq!(team.admin.get("/event/verify").await.detail()["ok"], true);
    }

    async fn repetitions_keep_nothing(site) {
        let team = team(site).await;
        let recipient = format!("User/{}", team.ben.key);
        let post = async |content: &str| {
            let body = json!({ "event_type": "MESSAGE_POSTED", "recipient": recipient, "content": content });
            team.ann.send(team.ann.request(Method::POST, "/event").header("idempotency-key", "k").json(&body)).await
        };
        let (first, again) = (post(SECRET).await.expect(200), post(SECRET).await.expect(200));
        assert_eq!((again.header("idempotency-replayed"), &again.text), ("true", &first.text));
        tells_nothing("the repetition", &again.text);
        assert_eq!(post(CHANGED).await.faults(), ["idempotency_mismatch header.Idempotency-Key"]);
        assert_eq!(contents(&team.ben, &recipient).await, [SECRET], "sent once");
        stores_nothing(site).await;
    }

    async fn bulks_tell_nothing(site) {
        let team = team(site).await;
        let recipient = format!("User/{}", team.ben.key);
        let bulk = json!({
            "shared_data": { "event_type": "MESSAGE_POSTED", "recipient": recipient },
            "events": [{ "content": SECRET }, { "content": CHANGED }],
        });
        let request = team.ann.request(Method::POST, "/event/bulk?results=true").header("idempotency-key", "k").json(&bulk);
        let done = team.ann.send(request).await.expect(200);
        tells_nothing("the answer", &done.text);
        assert_eq!(contents(&team.ben, &recipient).await, [SECRET, CHANGED]);
        let shared = json!({ "shared_data": { "event_type": "MESSAGE_POSTED", "content": SECRET }, "events": [{ "recipient": recipient }] });
        team.ann.post("/event/bulk", shared).await.expect(200);
        let refused_row = json!({
            "shared_data": { "event_type": "MESSAGE_POSTED", "recipient": recipient },
            "events": [{ "content": SECRET }, { "content": CHANGED, "sender": team.cat.key }],
        });
        let told = team.ann.post("/event/bulk", refused_row).await.expect(422);
        assert_eq!(told.body["detail"]["error_type"], "BulkRejected");
        stores_nothing(site).await;
    }

    /// What is refused is kept in no log, whatever it was refused for.
    async fn refusals_keep_nothing(site) {
        let team = team(site).await;
        let recipient = format!("User/{}", team.ben.key);
        let key = said(&team.ann, &recipient, "hello").await;
        let gone = site.new_user("gone", "operator").await;
        team.admin.delete(&format!("/user/{}", gone.key)).await.expect(200);
        let viewer = site.user("viewer", "viewer").await;
        let posted = |recipient: &str, more: Value| with(json!({ "recipient": recipient, "content": SECRET }), more);
        for (who, event_type, body, status) in [
            (&team.ann, "MESSAGE_POSTED", posted(&format!("User/{}", gone.key), json!({})), 422),
            (&team.ann, "MESSAGE_POSTED", posted("User", json!({})), 422),
            (&team.ann, "MESSAGE_POSTED", posted(&recipient, json!({ "sender": team.cat.key })), 422),
            (&team.ann, "MESSAGE_POSTED", posted(&recipient, json!({ "timestamp": "soon" })), 422),
            (&team.ann, "MESSAGE_POSTED", posted(&recipient, json!({ "user_key": team.cat.key })), 403),
            (&team.ann, "MESSAGE_POSTED", posted(&recipient, json!({ "content": [SECRET] })), 422),
            (&team.ann, "MESSAGE_POSTED", posted(&recipient, json!({ "note": SECRET })), 422),
            (&viewer, "MESSAGE_POSTED", posted(&recipient, json!({})), 403),
            (&team.cat, "MESSAGE_UPDATED", json!({ "message_key": key, "content": CHANGED }), 422),
            (&team.ann, "MESSAGE_UPDATED", json!({ "message_key": NOBODY, "content": CHANGED }), 422),
        ] {
            event(who, event_type, body).await.expect(status);
        }
        stores_nothing(site).await;
        tells_nothing("the audit", &team.admin.get("/audit?limit=10000").await.expect(200).text);
        assert_eq!(contents(&team.ben, &recipient).await, ["hello"]);
    }

    /// Who has left reads nothing, and leaves to others only what they sent.
    async fn a_user_who_has_left_is_no_recipient(site) {
        let team = team(site).await;
        let recipient = format!("User/{}", team.cat.key);
        said(&team.ann, &recipient, SECRET).await;
        team.admin.delete(&format!("/user/{}", team.cat.key)).await.expect(200);
        team.ann.get(&format!("/message?recipient_id={recipient}")).await.expect(404);
        refused(say(&team.ann, &recipient, "again").await, "RecordNotFoundError");
    }
}
