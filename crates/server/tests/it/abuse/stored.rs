//! Records that hold more than would be accepted today: nested without end, under the parser's private names, or damaged.

use testkit::{Site, json, on_both_engines};

use super::is_sound;
use crate::journal::tamper;
use crate::production::{all_at_once, shop};

/// Deeper than any parser or stack would go.
fn deep(levels: usize) -> String {
    format!("{{\"a\":{}1{}}}", "[".repeat(levels), "]".repeat(levels))
}

fn texts() -> [String; 5] {
    let private = r#"{"$serde_json::private::RawValue":"[","b":{"$serde_json::private::Number":"x"}}"#;
    [deep(127), deep(200), deep(100_000), private.to_owned(), "{\"damaged".to_owned()]
}

async fn set(site: &Site, statement: &'static str, text: &str) {
    assert_eq!(site.execute(statement, vec![text.into()]).await, 1, "{statement}");
}

on_both_engines! {
    async fn a_record_that_is_too_deep_stops_nobody(site) {
        let shop = shop(site).await;
        let admin = &shop.admin;
        let victim = site.user("victim", "operator").await;
        let order = shop.order("P", &all_at_once(1), 1.0).await;
        admin.put("/custom-data/k", json!({ "value": 1 })).await.expect(200);
        admin.patch("/config", json!({ "own": 1 })).await.expect(200);
        for text in texts() {
            set(site, "update user_account set preferences = $1 where username = 'victim'", &text).await;
            set(site, "update custom_data set value = $1 where key = 'k'", &text).await;
            set(site, "update config set value = $1 where key = 'own'", &text).await;
            set(site, "update work_order set extra = $1", &text).await;
            let user = format!("/user/{}", victim.key);
            let order = format!("/work-order/{}", order.key);
            for path in ["/user", &user, "/custom-data", "/custom-data/k", "/config", "/work-order", &order] {
                admin.get(path).await.expect(200);
            }
            admin.patch(&user, json!({ "active": false })).await.expect(200);
            admin.patch(&user, json!({ "active": true })).await.expect(200);
            admin.patch("/config", json!({ "company_name": text.len().to_string() })).await.expect(200);
            victim.try_sign_in(site.password()).await.expect(200);
        }
        admin.delete("/reset/prod").await.expect(200);
        is_sound(site, admin).await;
    }

    /// What is read as a whole can't be shown half: the answer says which record it is.
    async fn a_damaged_record_is_named(site) {
        let admin = site.admin().await;
        for key in ["sound", "broken"] {
            admin.post("/product", json!({ "_key": key, "code": key })).await.expect(201);
        }
        set(site, "update product set metadata = $1 where key = 'broken'", "[{\"damaged").await;
        for path in ["/product", "/product/broken"] {
            let answer = admin.get(path).await.expect(500);
            assert_eq!(answer.body["detail"]["message"], "The stored record broken (product) is damaged; nothing was changed.");
            assert!(answer.body["detail"]["error_id"].is_string() && !answer.text.contains("metadata"));
        }
        admin.get("/product/sound").await.expect(200);
    }

    async fn an_event_that_is_too_deep_is_listed_and_sealed(site) {
        let admin = site.admin().await;
        let (first, statement) = (
            1_000_i64,
            "insert into event (seq, key, event_type, user_key, timestamp, recorded, is_primary, event_group, payload)
             values ($1, $1, 'A', 'mario', 1, 1, true, $1, $2)",
        );
        for (index, text) in texts().into_iter().enumerate() {
            let seq = first + index as i64;
            site.execute(statement, vec![seq.into(), text.as_str().into()]).await;
            admin.get("/event").await.expect(200);
            site.sealed().await;
        }
        let verified = admin.get("/event/verify").await.detail();
        assert_eq!((&verified["ok"], &verified["events_checked"], &verified["unsealed"]), (&json!(true), &json!(5), &json!(0)));
        // What is deeper than anybody shows is sealed all the same.
        let changed = deep(100_000).replace("1]", "2]");
        tamper(site, "update event set payload = $1 where seq = 1002", vec![changed.as_str().into()]).await;
        let verified = admin.get("/event/verify").await.detail();
        assert_eq!(verified["first_mismatch"]["seq"], 1002, "{verified}");
        admin.delete("/reset/prod").await.expect(200);
        assert_eq!(site.count("event").await, 0);
    }

    async fn a_line_of_the_audit_log_that_is_too_deep_is_listed(site) {
        let admin = site.admin().await;
        for (index, text) in texts().into_iter().enumerate() {
            let statement = "insert into audit (key, time, operation, method, path, targets, targets_total, summary, outcome, status,
                                                address, request_id)
                             values ($1, 1, 'x', 'POST', '/x', '[]', 0, $2, 'ok', 200, '', '')";
            site.execute(statement, vec![(index as i64 + 1).into(), text.as_str().into()]).await;
        }
        let log = admin.get("/audit?operation=x").await.expect(200);
        assert!(log.text.contains("damaged"), "a text that is no JSON is shown as text");
    }
}
