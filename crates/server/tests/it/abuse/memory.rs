//! Large bodies and answers: how large, and how many at once.

use futures_util::future::join_all;
use testkit::{Engine, Method, Person, Site, Value, block_on, json, on_both_engines};

use super::pressure::extra;
use super::raw::Raw;
use crate::production::{all_at_once, shop};

const MIB: usize = 1024 * 1024;

/// The kernel takes this much of an answer that nobody reads, and a bit: 4 MiB in the server's socket, as Linux sets it up
/// (`tcp_wmem`), and what a [`Raw`] client lets it send.
const IN_SOCKETS: usize = 4 * MIB + 256 * 1024;

/// JSON of about so many bytes, most of it blanks.
fn blank(bytes: usize) -> String {
    format!("{{{}}}", " ".repeat(bytes - 2))
}

on_both_engines! {
    async fn bodies_are_as_large_as_their_operation_says(site) {
        let admin = site.admin().await;
        let send = async |method: Method, path: &str, bytes: usize| {
            let request = admin.request(method, path).header("content-type", "application/json").body(blank(bytes));
            admin.send(request).await.status
        };
        assert_eq!(send(Method::POST, "/product", MIB).await, 422);
        assert_eq!(send(Method::POST, "/product", MIB + 1).await, 413);
        assert_eq!(send(Method::DELETE, "/files", MIB + 1).await, 413);
        for (method, path) in [(Method::POST, "/tag"), (Method::POST, "/user"), (Method::PATCH, "/preferences")] {
            assert_ne!(send(method, path, MIB).await, 413, "{path}");
        }
        for (method, path) in [
            (Method::POST, "/event"),
            (Method::PUT, "/product/x/bom"),
            (Method::PUT, "/product/x/process"),
            (Method::POST, "/list/x"),
            (Method::POST, "/job/update"),
        ] {
            assert_eq!(send(method, path, 2 * MIB).await, 422, "{path}");
        }
        let large: Vec<&str> =
            vec!["POST /event", "PUT /product/{product_key_or_code}/bom", "PUT /product/{product_key}/process", "POST /list/{field_key}", "POST /job/update"];
        for operation in api::areas::operations() {
            let name = format!("{} {}", operation.method, operation.path);
            assert!(!large.contains(&name.as_str()) || operation.body_limit == 32 * MIB, "{name}");
        }
    }
}

#[test]
fn bodies_share_a_memory_that_has_an_end() {
    block_on(async {
        let site = with_memory(Engine::Sqlite, 32 * MIB).await;
        let admin = site.admin().await;
        let taken = || site.app().memory.taken();
        // Somebody sends most of a large body, and then nothing.
        let mut slow = Raw::begin(&site, &admin, "POST", "/event", "application/json").await;
        for _ in 0..14 {
            assert!(slow.send(&vec![b' '; MIB]).await);
        }
        site.eventually(async || (taken() >= 14 * MIB - 64 * 1024).then_some(())).await;
        let large =
            || admin.request(Method::POST, "/event").header("content-type", "application/json").body(blank(4 * MIB));
        let answer = admin.send(large()).await.expect(503);
        assert_eq!(answer.header("retry-after"), "2");
        assert!(answer.body["detail"]["message"].is_string(), "{}", answer.text);
        admin.post("/tag", json!({ "name": "small ones get through" })).await.expect(200);
        drop(slow);
        site.eventually(async || (taken() == 0).then_some(())).await;
        admin.send(large()).await.expect(422);
        // Of two who want too much together, one gets it: who is refused keeps nothing back.
        let body = format!("[{}]", " ".repeat(6 * MIB));
        let post =
            || admin.request(Method::POST, "/list/f").header("content-type", "application/json").body(body.clone());
        for _ in 0..3 {
            let (one, other) = tokio::join!(admin.send(post()), admin.send(post()));
            let mut both = [one.status, other.status];
            both.sort_unstable();
            assert!(both == [404, 503] || both == [404, 404], "{both:?}");
        }
        // Few bytes may be many values: those count as well, and what could never fit is told so.
        let many = format!("[{}1]", "1,".repeat(200_000));
        let request = admin.request(Method::POST, "/list/f").header("content-type", "application/json").body(many);
        admin.send(request).await.expect(413);
        assert_eq!(taken(), 0, "everything is given back");
        site.stop().await;
    });
}

#[test]
fn a_user_who_holds_large_bodies_leaves_room_for_the_others() {
    block_on(async {
        let site = with_memory(Engine::Sqlite, 16 * MIB).await;
        let (admin, other) = (site.admin().await, site.user("other", "admin").await);
        let taken = || site.app().memory.taken();
        let mut slow = Raw::begin(&site, &admin, "POST", "/event", "application/json").await;
        for _ in 0..6 {
            assert!(slow.send(&vec![b' '; MIB]).await);
        }
        site.eventually(async || (taken() >= 6 * MIB - 64 * 1024).then_some(())).await;
        let large = async |person: &testkit::Person| {
            let request = person.request(Method::POST, "/event").header("content-type", "application/json");
            person.send(request.body(blank(4 * MIB))).await.status
        };
        assert_eq!(large(&admin).await, 503, "half of it is taken by the same user");
        assert_eq!(large(&other).await, 422);
        drop(slow);
        site.eventually(async || (taken() == 0).then_some(())).await;
        assert_eq!(large(&admin).await, 422);
        site.stop().await;
    });
}

/// A site with little memory for requests.
async fn with_memory(engine: Engine, bytes: usize) -> Site {
    Site::start_with(engine, |settings| settings.request_memory_bytes = Some(bytes)).await
}

/// A site with so much memory for requests, and ten entries of custom data of almost 1 MiB.
async fn with_large_records(engine: Engine, memory: usize) -> (Site, Person) {
    let site = with_memory(engine, memory).await;
    let admin = site.admin().await;
    for index in 0..10 {
        let entry = json!({ "value": "x".repeat(MIB - 100) });
        admin.put(&format!("/custom-data/large_{index}"), entry).await.expect(200);
    }
    (site, admin)
}

#[test]
fn answers_share_the_same_memory() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let (site, admin) = with_large_records(engine, 16 * MIB).await;
            let taken = || site.app().memory.taken();
            let refused = admin.get("/custom-data?limit=10").await.expect(413);
            assert!(refused.body["detail"].as_str().unwrap().contains("fewer"), "{}", refused.text);
            for offset in 0..10 {
                admin.get(&format!("/custom-data?limit=1&offset={offset}")).await.expect(200);
                admin.get(&format!("/custom-data/large_{offset}")).await.expect(200);
            }
            site.eventually(async || (taken() == 0).then_some(())).await;
            // Of many at once some are told to come again, and what they come back to is whole.
            let pages = (0..12).map(|_| admin.get("/custom-data?limit=2"));
            let answers = join_all(pages).await;
            assert!(answers.iter().all(|answer| [200, 503].contains(&answer.status)), "{answers:?}");
            assert!(answers.iter().any(|answer| answer.status == 200));
            for refused in answers.iter().filter(|answer| answer.status == 503) {
                assert_eq!(refused.header("retry-after"), "2");
            }
            site.eventually(async || (taken() == 0).then_some(())).await;
            site.stop().await;
        }
    });
}

/// What every row shows is in memory once, but in the answer as often as there are rows.
#[test]
fn rows_that_show_the_same_product_count_it_each() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = with_memory(engine, 16 * MIB).await;
            let admin = site.admin().await;
            let product = json!({ "_key": "p", "code": "p", "traceability_level": "form_only", "description": "😀".repeat(10_000) });
            admin.post("/product", product).await.expect(201);
            let made = json!({ "event_type": "SERIAL_CREATED", "product_key": "p", "range": "P-0001-0400" });
            admin.post("/event", made).await.expect(200);
            for list in ["/serial?product_key=p", "/serial-selection?product_key=p"] {
                admin.get(&format!("{list}&limit=400")).await.expect(413);
                admin.get(&format!("{list}&limit=100")).await.expect(200);
            }
            site.stop().await;
        }
    });
}

/// A control character is one byte in memory, and six in an answer.
#[test]
fn what_json_adds_to_a_text_counts() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = with_memory(engine, 16 * MIB).await;
            let admin = site.admin().await;
            let issue =
                |description: &str| json!({ "issue_data": { "title": description[..1], "description": description } });
            for text in ["x".repeat(9_000), format!("y{}", "\u{1}".repeat(8_999))] {
                let issues: Vec<Value> = (0..10).map(|_| issue(&text)).collect();
                let bulk = json!({ "shared_data": { "event_type": "ISSUE_CREATED" }, "events": issues });
                for _ in 0..20 {
                    admin.post("/event/bulk", bulk.clone()).await.expect(200);
                }
            }
            let plain = admin.get("/issue?search=x&limit=200").await.expect(200);
            assert!(plain.text.len() < 4 * MIB);
            admin.get("/issue?search=y&limit=200").await.expect(413);
            let few = admin.get("/issue?search=y&limit=50").await.expect(200);
            assert!(few.text.len() > 2 * MIB);
            site.stop().await;
        }
    });
}

#[test]
fn an_answer_that_nobody_reads_keeps_its_memory() {
    block_on(async {
        let (site, admin) = with_large_records(Engine::Sqlite, 32 * MIB).await;
        let other = site.user("other", "admin").await;
        let taken = || site.app().memory.taken();
        let whole = admin.get("/custom-data?limit=5").await.expect(200);
        assert!(whole.text.len() > IN_SOCKETS, "a shorter one would be sent, although nobody reads it");
        let mut slow = Vec::new();
        for _ in 0..8 {
            slow.push(Raw::ask(&site, &admin, "/custom-data?limit=5").await);
        }
        // What does not fit half of the memory is refused; the rest waits to be read.
        site.eventually(async || (taken() >= 9 * MIB).then_some(())).await;
        assert!(taken() <= 16 * MIB, "a user has half of it: {}", taken());
        other.get("/custom-data?limit=1").await.expect(200);
        admin.get("/tag").await.expect(200);
        drop(slow);
        site.eventually(async || (taken() == 0).then_some(())).await;
        site.stop().await;
    });
}

/// A tree is written while it is sent, from rows that stay in memory.
#[test]
fn a_tree_that_nobody_reads_keeps_its_memory() {
    block_on(async {
        let site = with_memory(Engine::Sqlite, 40 * MIB).await;
        let admin = site.admin().await;
        let mut lines = Vec::new();
        for number in 0..150 {
            let key = format!("c{number}");
            let component = json!({ "_key": key, "code": key, "traceability_level": "form_only", "description": "😀".repeat(10_000) });
            admin.post("/product", component).await.expect(201);
            lines.push(json!({ "component_key": key, "qt": 1 }));
        }
        admin
            .post("/product", json!({ "_key": "top", "code": "top", "traceability_level": "form_only" }))
            .await
            .expect(201);
        admin.post("/operation", json!({ "_key": "work", "name": "Work" })).await.expect(200);
        let phase = json!({ "alias": "Only", "operation_key": "work", "steps": [] });
        admin.put("/product/top/process", json!([phase])).await.expect(200);
        admin.put("/product/top/bom", json!(lines)).await.expect(200);
        let made = json!({ "event_type": "SERIAL_CREATED", "product_key": "top", "code": "T1" });
        let key = admin.post("/event", made).await.detail()["serial_key"].as_str().unwrap().to_owned();
        let taken = || site.app().memory.taken();
        site.eventually(async || (taken() == 0).then_some(())).await;
        let path = format!("/serial-hierarchy?serial_key={key}");
        let mut slow = Raw::ask(&site, &admin, &path).await;
        // Before that it has not read all its rows, and could be the one that is refused.
        assert_eq!(slow.first_line().await, "HTTP/1.1 200 OK");
        let refused = admin.get(&path).await;
        assert_eq!(refused.status, 503, "half of the memory is taken: {}", taken());
        drop(slow);
        site.eventually(async || (taken() == 0).then_some(())).await;
        let whole = admin.get(&path).await.expect(200);
        assert!(whole.text.len() > IN_SOCKETS, "a shorter one would be sent, although nobody reads it");
        site.stop().await;
    });
}

/// A long description is in memory once, however many units show it; what does not fit is refused.
#[test]
fn units_as_built_share_what_is_the_same() {
    block_on(async {
        let site = with_memory(Engine::Sqlite, 16 * MIB).await;
        let admin = site.admin().await;
        let components: Vec<String> = (0..250).map(|number| format!("c{number}")).collect();
        for key in &components {
            admin.post("/product", json!({ "_key": key, "code": key })).await.expect(201);
        }
        admin.post("/operation", json!({ "_key": "work", "name": "Work" })).await.expect(200);
        let phase = json!({ "alias": "Only", "operation_key": "work", "steps": [] });
        for (key, lines) in [("few", 1), ("many", components.len())] {
            let product = json!({ "_key": key, "code": key, "traceability_level": "form_only" });
            admin.post("/product", product).await.expect(201);
            admin.put(&format!("/product/{key}/process"), json!([phase])).await.expect(200);
            let lines = components[..lines].iter().map(|key| json!({ "component_key": key, "qt": 1 }));
            admin.put(&format!("/product/{key}/bom"), lines.collect()).await.expect(200);
            let made = json!({ "event_type": "SERIAL_CREATED", "product_key": key, "range": "U-001-500" });
            admin.post("/event", made).await.expect(200);
        }
        for key in &components {
            let description = json!({ "description": "😀".repeat(10_000) });
            admin.patch(&format!("/product/{key}"), description).await.expect(200);
        }
        // 20 MB of text, made from one description while it is sent.
        let whole = admin.get("/trace/product/few/as-built?limit=500&count=true").await.expect(200);
        assert_eq!((whole.body.as_array().unwrap().len(), whole.header("x-total-count")), (500, "500"));
        let last = whole.body[499]["lines"][0]["component_description"].as_str().unwrap();
        assert_eq!(last.chars().count(), 10_000);
        admin.get("/trace/product/many/as-built?limit=1").await.expect(413);
        site.eventually(async || (site.app().memory.taken() == 0).then_some(())).await;
        site.stop().await;
    });
}

#[test]
fn changes_may_read_more_than_they_keep() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = with_memory(engine, 16 * MIB).await;
            let shop = shop(&site).await;
            let order = shop.order("P0", &all_at_once(1), 10.0).await;
            extra(&shop.admin, &order.jobs[0], json!({ "text": "x".repeat(16_000) })).await.expect(200);
            let rows: Vec<_> =
                (0..500).map(|row| json!({ "work_order_key": order.key, "notes": row.to_string() })).collect();
            let rows = json!({ "shared_data": { "event_type": "WORK_ORDER_UPDATED" }, "events": rows });
            shop.admin.post("/event/bulk", rows).await.expect(200);
            site.eventually(async || (site.app().memory.taken() == 0).then_some(())).await;
            site.stop().await;
        }
    });
}

#[test]
fn an_order_stays_small_enough_to_be_read() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = with_memory(engine, 16 * MIB).await;
            let shop = shop(&site).await;
            let order = shop.order("P0", &[json!({}), json!({}), json!({}), json!({})], 10.0).await;
            let half = || json!({ "text": "x".repeat(8 * 1024 - 20) });
            extra(&shop.admin, &order.jobs[0], half()).await.expect(200);
            extra(&shop.admin, &order.jobs[1], half()).await.expect(200);
            let refused = extra(&shop.admin, &order.jobs[2], half()).await.expect(422);
            assert_eq!(refused.body["detail"]["error_type"], "ExtraTooLargeError", "{}", refused.text);
            // What was accepted can be read and changed, and given up again.
            shop.admin.get("/work-order?limit=1").await.expect(200);
            shop.admin.get(&format!("/work-order/{}", order.key)).await.expect(200);
            shop.admin.get("/job?limit=10").await.expect(200);
            shop.admin.get("/job-assignment").await.expect(200);
            shop.admin.get("/event?limit=1").await.expect(200);
            extra(&shop.admin, &order.jobs[3], json!({ "small": true })).await.expect(200);
            extra(&shop.admin, &order.jobs[1], json!({})).await.expect(200);
            extra(&shop.admin, &order.jobs[2], half()).await.expect(200);
            // Each job begins with a copy of the order's.
            let new = |bytes: usize| json!({ "product_key": "P0", "qt_planned": 1, "wo_code": format!("O{bytes}"), "extra": "x".repeat(bytes) });
            shop.admin.post("/work-order", new(3_000)).await.expect(200);
            let refused = shop.admin.post("/work-order", new(4_000)).await.expect(422);
            assert_eq!(refused.body["detail"]["bytes"], 5 * 4_002, "{}", refused.text);
            // Jobs without any fit beside what fills the order.
            let phase = &shop.job(&order, 0).await["phase_key"];
            let split = json!({ "work_order_key": order.key, "phase_key": phase, "qt_planned": 1 });
            shop.admin.post("/job/update", json!([{ "action": "insert", "data": split }])).await.expect(200);
            site.stop().await;
        }
    });
}

/// The extra data of lines is read with the order, and is part of its events.
#[test]
fn the_lines_of_an_order_stay_small_enough_too() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = with_memory(engine, 16 * MIB).await;
            let shop = shop(&site).await;
            shop.order("P0", &[json!({})], 10.0).await;
            shop.admin.post("/product", json!({ "_key": "part", "code": "part" })).await.expect(201);
            let order = |bytes: usize| {
                let line = json!({ "component_key": "part", "qt": 1, "extra": { "text": "x".repeat(bytes) } });
                json!({ "product_key": "P0", "qt_planned": 1, "wo_code": format!("O{bytes}"), "wo_bom": [line] })
            };
            let refused = shop.admin.post("/work-order", order(MIB / 2)).await.expect(422);
            assert_eq!(refused.body["detail"]["error_type"], "ExtraTooLargeError", "{}", refused.text);
            let made = shop.admin.post("/work-order", order(MIB / 4)).await.expect(200).detail();
            let key = made["work_order"]["_key"].as_str().unwrap();
            let line = json!({ "component_key": "part", "qt": 1, "extra": { "text": "x".repeat(MIB / 2) } });
            let change = json!({ "new_bom": [line] });
            let refused = shop.admin.patch(&format!("/work-order/{key}"), change).await.expect(422);
            assert_eq!(refused.body["detail"]["error_type"], "ExtraTooLargeError", "{}", refused.text);
            shop.admin.get("/work-order?limit=2").await.expect(200);
            shop.admin.get("/event?limit=2").await.expect(200);
            site.stop().await;
        }
    });
}

/// The fields of a step are stored once, and shown with each batch.
#[test]
fn what_is_shown_again_and_again_counts_each_time() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = with_memory(engine, 16 * MIB).await;
            let shop = shop(&site).await;
            let text = json!({ "_key": "text", "name": "Text", "type": "text" });
            shop.admin.post("/field", text).await.expect(200);
            let field = json!({ "custom_field_key": "text", "label": "x".repeat(1_000) });
            let steps = json!([{ "title": "Fill in", "type": "form", "form_fields": vec![field; 100] }]);
            let order = shop.order("P0", &[json!({ "production_batch_qt": 1, "steps": steps })], 100.0).await;
            let assigned = json!({ "_key": order.jobs[0], "assigned_to": shop.admin.key });
            shop.admin.post("/job/update", json!([{ "action": "update", "data": assigned }])).await.expect(200);
            let counts: Vec<_> =
                (1..=60).map(|count| json!({ "job_key": order.jobs[0], "new_job_qt_completed": count })).collect();
            let shared = json!({ "event_type": "PROGRESS_OVERRIDE_REQUESTED" });
            shop.admin.post("/event/bulk", json!({ "shared_data": shared, "events": counts })).await.expect(200);
            let path = format!("/work-order/{}/traceability", order.key);
            shop.admin.get(&format!("{path}?limit=5")).await.expect(200);
            shop.admin.get(&path).await.expect(413);
            site.eventually(async || (site.app().memory.taken() == 0).then_some(())).await;
            site.stop().await;
        }
    });
}

#[test]
fn results_of_a_bulk_share_the_same_memory() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = with_memory(engine, 16 * MIB).await;
            let shop = shop(&site).await;
            let order = shop.order("P0", &all_at_once(1), 10.0).await;
            let rows = |count: usize| {
                let row = json!({ "extra_data": { "text": "x".repeat(1_000) }, "entity_key": order.jobs[0] });
                let shared = json!({ "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job" });
                json!({ "shared_data": shared, "events": vec![row; count] })
            };
            shop.admin.post("/event/bulk?results=true", rows(100)).await.expect(200);
            let stored = async || site.look::<i64>("select count(*) from event", vec![]).await;
            let before = stored().await;
            shop.admin.post("/event/bulk?results=true", rows(3_000)).await.expect(413);
            assert_eq!(stored().await, before);
            shop.admin.post("/event/bulk", rows(3_000)).await.expect(200);
            site.eventually(async || (site.app().memory.taken() == 0).then_some(())).await;
            site.stop().await;
        }
    });
}

#[test]
fn an_event_holds_only_so_much() {
    block_on(async {
        let site = Site::start(Engine::Sqlite).await;
        let shop = shop(&site).await;
        let order = shop.order("P0", &all_at_once(1), 10.0).await;
        let refused = extra(&shop.admin, &order.jobs[0], json!(vec![1; 1_000_000])).await.expect(422);
        assert_eq!(refused.body["detail"][0]["type"], "too_long", "{}", refused.text);
        site.stop().await;
    });
}
