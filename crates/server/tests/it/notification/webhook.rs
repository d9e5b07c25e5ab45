//! Webhooks as records: who may make them, what they may say, and that nobody sees their secret.

use store::notification::webhooks::MOST;
use testkit::{Method, Value, json, on_both_engines};

use super::path;

const KEPT: &str = "nobody-may-see-this-one";

fn wanted(members: Value) -> Value {
    let mut body = json!({ "url": "https://erp.example/hook", "event_types": ["JOB_*"] });
    body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    body
}

on_both_engines! {
    async fn a_webhook_is_made_changed_and_goes(site) {
        let admin = site.admin().await;
        let answer = admin.post("/webhook", wanted(json!({ "name": " ERP " }))).await.expect(201);
        assert_eq!((answer.header("cache-control"), answer.header("pragma")), ("no-store", "no-cache"));
        let made = answer.detail();
        assert_eq!((&made["name"], &made["active"], &made["secret_set"]), (&json!("ERP"), &json!(true), &json!(true)));
        assert_eq!((&made["event_types"], &made["created_by"]), (&json!(["JOB_*"]), &json!(admin.key)));
        assert_eq!((&made["cursor"], &made["_id"]), (&json!(0), &json!(format!("Webhook/{}", made["_key"].as_str().unwrap()))));
        assert_eq!(made["secret"].as_str().unwrap().len(), 64, "made when absent");
        let path = path(&made);
        let mut shown = made.clone();
        shown.as_object_mut().unwrap().remove("secret");
        assert_eq!(admin.get(&path).await.expect(200).body, shown);

        site.clock.advance_seconds(1);
        let second = admin.post("/webhook", wanted(json!({ "_key": "second", "active": false }))).await.expect(201).detail();
        let listed = admin.get("/webhook?count=true").await.expect(200);
        assert_eq!((listed.body[0]["_key"].clone(), listed.body[1]["_key"].clone()), (made["_key"].clone(), second["_key"].clone()));
        assert_eq!(listed.header("x-total-count"), "2");
        admin.post("/webhook", wanted(json!({ "_key": "second" }))).await.expect(409);

        let change = json!({ "name": null, "url": "http://192.0.2.7:8080", "event_types": ["*"], "active": false });
        let answer = admin.patch(&path, change).await;
        let changed = answer.detail();
        assert_eq!((&changed["name"], &changed["url"], &changed["active"]), (&Value::Null, &json!("http://192.0.2.7:8080"), &json!(false)));
        assert!(changed.get("secret").is_none() && changed["secret_set"] == true);
        assert!(changed["updated"].as_str() > made["updated"].as_str() && changed["created"] == made["created"]);
        let stale = admin.request(Method::PATCH, &path).header("if-match", made["_rev"].as_str().unwrap()).json(&json!({}));
        admin.send(stale).await.expect(412);
        admin.patch(&path, json!({ "_key": "other" })).await.expect(422);
        // Whoever sends back what was read changes nothing.
        assert_eq!(admin.patch(&path, changed.clone()).await.detail()["url"], changed["url"]);
        admin.delete(&path).await.expect(200);
        for gone in [admin.get(&path).await, admin.get(&format!("{path}/delivery")).await, admin.patch(&path, json!({})).await, admin.delete(&path).await] {
            gone.expect(404);
        }
    }

    async fn all_faults_are_told_at_once(site) {
        let admin = site.admin().await;
        let wrong = json!({
            "url": "ftp://erp.example", "secret": "short", "event_types": ["JOB_*", "NO_SUCH", "NOTHING_*", "job_*"], "active": 1, "more": true
        });
        let mut faults = admin.post("/webhook", wrong).await.faults();
        faults.sort();
        assert_eq!(faults, [
            "bool_type body.active", "event_type_unknown body.event_types.1", "event_type_unknown body.event_types.2",
            "event_type_unknown body.event_types.3", "extra_forbidden body.more", "string_too_short body.secret", "value_error body.url",
        ]);
        let refused = [
            (json!({ "event_types": [] }), "too_short body.event_types"),
            (json!({ "event_types": ["*COMPLETED"] }), "event_type_unknown body.event_types.0"),
            (json!({ "secret": "with a blank, so not visible" }), "string_pattern_mismatch body.secret"),
            (json!({ "secret": "x".repeat(257) }), "string_too_long body.secret"),
            (json!({ "url": format!("https://erp.example/{}", "x".repeat(2000)) }), "string_too_long body.url"),
            (json!({ "url": "https://user:pass@erp.example/" }), "value_error body.url"),
            (json!({ "url": "https://user@erp.example/" }), "value_error body.url"),
            (json!({ "url": "file:///etc/passwd" }), "value_error body.url"),
            (json!({ "url": null }), "string_type body.url"),
        ];
        let made = admin.post("/webhook", wanted(json!({ "active": false }))).await.expect(201).detail();
        for (members, fault) in refused {
            assert_eq!(admin.post("/webhook", wanted(members.clone())).await.faults(), [fault], "{members}");
            assert_eq!(admin.patch(&path(&made), members.clone()).await.faults(), [fault], "{members}");
        }
        for cursor in [-1, 1] {
            admin.patch(&path(&made), json!({ "cursor": cursor })).await.expect(422);
        }
        admin.get(&format!("{}/delivery?state=lost", path(&made))).await.expect(422);
    }

    async fn addresses_that_are_not_public_are_refused(site) {
        let admin = site.admin().await;
        let made = admin.post("/webhook", wanted(json!({ "active": false }))).await.expect(201).detail();
        for host in [
            "127.0.0.1", "127.9.9.9:8080", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
            "224.0.0.1", "255.255.255.255", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[fe80::1]", "[fd00::1]", "[ff02::1]",
            "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "2130706433", "0x7f.1", "0177.0.0.1", "127.1",
        ] {
            let url = json!({ "url": format!("http://{host}/") });
            assert_eq!(admin.post("/webhook", wanted(url.clone())).await.faults(), ["value_error body.url"], "{host}");
            assert_eq!(admin.patch(&path(&made), url).await.faults(), ["value_error body.url"], "{host}");
        }
        for host in ["192.0.2.1", "[2001:db8::1]", "localhost", "erp.example"] {
            admin.patch(&path(&made), json!({ "url": format!("http://{host}/") })).await.expect(200);
        }
    }

    async fn viewers_look_and_administrators_change(site) {
        let (admin, viewer) = (site.admin().await, site.user("viewer", "viewer").await);
        let others = site.user("others", "library production operator quality warehouse").await;
        let made = admin.post("/webhook", wanted(json!({ "active": false }))).await.expect(201).detail();
        let (path, deliveries) = (path(&made), format!("{}/delivery", path(&made)));
        for address in ["/webhook", &path, &deliveries] {
            viewer.get(address).await.expect(200);
            let refused = others.get(address).await.expect(403);
            assert_eq!(refused.body["detail"]["required_scope"], "admin:webhook:read");
        }
        for who in [&viewer, &others] {
            for refused in [who.post("/webhook", wanted(json!({}))).await, who.patch(&path, json!({})).await, who.delete(&path).await] {
                assert_eq!(refused.expect(403).body["detail"]["required_scope"], "admin:webhook:write");
            }
        }
    }

    /// Whoever decides which events are sent where could read them all.
    async fn what_is_sent_where_is_for_those_who_may_read_it(site) {
        let admin = site.admin().await;
        let clerk = site.user("clerk", "admin:webhook:read admin:webhook:write").await;
        let made = admin.post("/webhook", wanted(json!({ "active": false }))).await.expect(201).detail();
        let path = path(&made);
        let mut refused = vec![clerk.post("/webhook", wanted(json!({ "active": false }))).await];
        for change in [
            json!({ "url": "https://elsewhere.example/" }), json!({ "event_types": ["*"] }), json!({ "cursor": 0 }), json!({ "active": true }),
        ] {
            refused.push(clerk.patch(&path, change).await);
        }
        for answer in refused {
            assert_eq!(answer.expect(403).body["detail"]["required_scope"], "traceability:event:read");
        }
        clerk.patch(&path, json!({ "name": "N", "secret": KEPT })).await.expect(200);
        clerk.delete(&path).await.expect(200);
    }

    async fn there_are_only_so_many(site) {
        let admin = site.admin().await;
        for number in 1..MOST {
            admin.post("/webhook", wanted(json!({ "_key": format!("w{number}"), "active": false }))).await.expect(201);
        }
        let one_more = async || admin.post("/webhook", wanted(json!({ "active": false }))).await;
        let (first, second) = tokio::join!(one_more(), one_more());
        let mut statuses = [first.status, second.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409], "of two at once one is the last");
        let refused = one_more().await.expect(409);
        assert!(refused.text.contains("100 webhooks"), "{}", refused.text);
        admin.delete("/webhook/w1").await.expect(200);
        one_more().await.expect(201);
    }

    /// An address often holds a token.
    async fn of_an_address_the_log_has_scheme_and_host(site) {
        let admin = site.admin().await;
        let url = |host: &str| json!({ "url": format!("https://{host}/hooks/{KEPT}?token={KEPT}") });
        let made = admin.post("/webhook", wanted(url("erp.example:444"))).await.expect(201).detail();
        assert!(made["url"].as_str().unwrap().ends_with(KEPT));
        admin.patch(&path(&made), url("mes.example")).await.expect(200);
        let refused = admin.patch(&path(&made), url("10.0.0.1")).await.expect(422);
        assert_eq!(refused.body["detail"][0]["input"], "https://10.0.0.1");
        let wrong = admin.patch(&path(&made), url(&format!("me:{KEPT}@erp.example"))).await.expect(422);
        assert!(!wrong.text.contains(KEPT), "{}", wrong.text);
        let logged: Vec<String> = site.all("select summary from audit where path like '/api/webhook%' order by key").await;
        assert!(logged[0].contains("https://erp.example:444\"") && logged[1].contains("https://mes.example\""), "{logged:?}");
        assert!(logged.iter().all(|summary| !summary.contains(KEPT)), "{logged:?}");
    }

    /// The secret is in the answer to the request that sets it, and nowhere else.
    async fn secrets_are_shown_once(site) {
        let admin = site.admin().await;
        let keyed = |method: Method, path: &str, body: Value| {
            admin.request(method, path).header("idempotency-key", "again").json(&body)
        };
        let body = wanted(json!({ "secret": KEPT, "active": false }));
        let made = admin.send(keyed(Method::POST, "/webhook", body.clone())).await.expect(201).detail();
        assert_eq!(made["secret"], KEPT);
        let again = admin.send(keyed(Method::POST, "/webhook", body)).await.expect(201);
        assert_eq!(again.header("idempotency-replayed"), "", "an answer with a secret is not kept");
        let path = path(&made);
        let change = json!({ "secret": format!("{KEPT}-2") });
        let answer = admin.send(keyed(Method::PATCH, &path, change)).await.expect(200);
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.detail()["secret"], format!("{KEPT}-2"));
        let short = admin.patch(&path, json!({ "secret": &KEPT[..10] })).await.expect(422);
        let blank = admin.patch(&path, json!({ "secret": format!("{KEPT} ") })).await.expect(422);
        let patched = admin.patch(&path, json!({ "name": "N" })).await.expect(200);
        let mut seen = vec![short.text, blank.text, patched.text];
        for address in ["/webhook", &path, "/audit?limit=10000", "/config", "/openapi.json"] {
            seen.push(admin.get(address).await.expect(200).text);
        }
        for text in seen {
            assert!(!text.contains(&KEPT[..10]), "{text}");
        }
        let kept: i64 = site.look("select count(*) from idempotency", vec![]).await.unwrap();
        assert_eq!(kept, 0, "no answer was kept");
        let logged = format!("select count(*) from audit where summary like '%{}%'", &KEPT[..10]);
        assert_eq!(site.look::<i64>(logged, vec![]).await, Some(0));
    }
}
