//! Many at once on PostgreSQL: nobody takes the connections that others need, and nobody is sent away.

use std::time::{Duration, Instant};

use futures_util::future::{join, join_all};
use testkit::{Answer, Engine, Person, Site, Value, block_on, json};

use crate::production::{Order, Shop, all_at_once, shop};

/// Far more than a read takes even where many tests share two cores; less than the 10 seconds after which it would be sent away.
const QUICK: Duration = Duration::from_secs(9);

/// The statuses that there were, each once.
fn statuses(answers: &[Answer]) -> Vec<u16> {
    let mut found: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    found.sort_unstable();
    found.dedup();
    found
}

pub(super) async fn extra(who: &Person, job: &str, data: Value) -> Answer {
    let body =
        json!({ "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job", "entity_key": job, "extra_data": data });
    who.post("/event", body).await
}

/// What has to be answered at once, whatever else goes on.
async fn everyday(site: &Site, who: &Person) {
    let begun = Instant::now();
    who.get("/product").await.expect(200);
    who.get("/event?limit=5").await.expect(200);
    assert!(begun.elapsed() < QUICK, "reads took {:?}", begun.elapsed());
    site.visitor("admin").try_sign_in(testkit::ADMIN_PASSWORD).await.expect(200);
    let ready = reqwest::get(format!("{}/readyz", site.base())).await.unwrap();
    assert_eq!(ready.status(), 200);
}

async fn key_of(site: &Site, table: &str, code: &str) -> String {
    site.place.sql(&format!("select key from {table} where {code}")).await.remove(0)
}

/// Orders of one product, each with one job.
async fn orders(shop: &Shop, count: usize) -> Vec<Order> {
    let mut made = vec![shop.order("P0", &all_at_once(1), 1_000_000.0).await];
    for index in 1..count {
        let order = json!({ "product_key": "P0", "wo_code": format!("P{index}"), "qt_planned": 1_000_000 });
        let order = shop.admin.post("/work-order", order).await.detail();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        made.push(Order { key: text(&order["work_order"]["_key"]), jobs: vec![text(&order["jobs"][0]["_key"])] });
    }
    made
}

fn many_sessions(site: &Site) -> impl Future<Output = ()> {
    // Signing in again must not end what the others do.
    let admin = site.admin();
    async {
        admin.await.patch("/config", json!({ "session_policy": "multiple" })).await.expect(200);
    }
}

/// Another node holds an order for long. Forty people who want it wait, without a connection in the hand.
#[test]
fn those_who_wait_for_an_order_stand_in_nobodys_way() {
    block_on(async {
        let site = Site::start(Engine::Postgres).await;
        many_sessions(&site).await;
        let shop = shop(&site).await;
        let [wanted, other]: [Order; 2] = orders(&shop, 2).await.try_into().ok().unwrap();
        let order = key_of(&site, "work_order", "wo_code = 'P0'").await;
        let hold = site.place.hold(&format!("select from work_order where key = {order} for update")).await;
        let waiting = join_all((0..40).map(|index| extra(&shop.supervisor, &wanted.jobs[0], json!({ "n": index }))));
        let beside = async {
            for round in 0..3 {
                everyday(&site, &shop.admin).await;
                let begun = Instant::now();
                extra(&shop.supervisor, &other.jobs[0], json!({ "n": round })).await.expect(200);
                let product = json!({ "_key": format!("Q{round}"), "code": format!("Q{round}") });
                shop.admin.post("/product", product).await.expect(201);
                assert!(begun.elapsed() < QUICK, "writes took {:?}", begun.elapsed());
            }
            hold.let_go().await;
        };
        let (answers, ()) = join(waiting, beside).await;
        assert_eq!(statuses(&answers), [200]);
        site.stop().await;
    });
}

/// The same request again and again, while its first one is still at work.
#[test]
fn repetitions_wait_without_connections_too() {
    block_on(async {
        let site = Site::start(Engine::Postgres).await;
        many_sessions(&site).await;
        let shop = shop(&site).await;
        let [wanted]: [Order; 1] = orders(&shop, 1).await.try_into().ok().unwrap();
        let order = key_of(&site, "work_order", "wo_code = 'P0'").await;
        let hold = site.place.hold(&format!("select from work_order where key = {order} for update")).await;
        let body = json!({
            "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job", "entity_key": wanted.jobs[0], "extra_data": { "a": 1 },
        });
        let before = site.count("event").await;
        let again = || {
            let request =
                shop.supervisor.request(testkit::Method::POST, "/event").header("idempotency-key", "once").json(&body);
            shop.supervisor.send(request)
        };
        let beside = async {
            everyday(&site, &shop.admin).await;
            hold.let_go().await;
        };
        let (answers, ()) = join(join_all((0..20).map(|_| again())), beside).await;
        assert_eq!(statuses(&answers), [200]);
        assert_eq!(site.count("event").await, before + 1);
        site.stop().await;
    });
}

/// A bulk of more than fits in memory draws its numbers last: until then others store their events.
#[test]
fn a_large_bulk_does_not_hold_the_journal() {
    block_on(async {
        let site = Site::start(Engine::Postgres).await;
        let shop = shop(&site).await;
        let [wanted, other]: [Order; 2] = orders(&shop, 2).await.try_into().ok().unwrap();
        let job = key_of(&site, "job", "work_order_key = (select key from work_order where wo_code = 'P0')").await;
        // Orders are stored after the last row, before the numbers are drawn: there the bulk has to stop.
        let hold = site.place.hold(&format!("select from job where key = {job} for update")).await;
        let rows: Vec<Value> = (0..2_200)
            .map(|index| json!({ "entity_key": wanted.jobs[0], "extra_data": { "n": index, "much": "x".repeat(8_000) } }))
            .collect();
        let shared = json!({ "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job" });
        let bulk = shop.supervisor.post("/event/bulk?results=false", json!({ "shared_data": shared, "events": rows }));
        let beside = async {
            let waits = "select count(*) from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock' and query like '%job%'";
            site.eventually(async || (site.place.sql(waits).await != ["0"]).then_some(())).await;
            for round in 0..5 {
                let begun = Instant::now();
                extra(&shop.o1, &other.jobs[0], json!({ "n": round })).await.expect(403);
                extra(&shop.admin, &other.jobs[0], json!({ "n": round })).await.expect(200);
                assert!(begun.elapsed() < QUICK, "an event took {:?}", begun.elapsed());
            }
            hold.let_go().await;
            site.place.sql("select max(seq) from event").await[0].parse::<i64>().unwrap()
        };
        let (answer, before) = join(bulk, beside).await;
        let stored = answer.detail();
        assert_eq!(stored["event_count"], 2_200);
        assert!(stored["first_seq"].as_i64().unwrap() > before - 2_200, "{stored}");
        let span = stored["last_seq"].as_i64().unwrap() - stored["first_seq"].as_i64().unwrap();
        assert_eq!(span, 2_199, "numbers without a gap");
        let last = shop.admin.get("/event?sort_by=seq&limit=1").await.expect(200).body;
        assert_eq!(last[0]["seq"], stored["last_seq"]);
        let extra = &shop.job(&wanted, 0).await["extra"];
        assert_eq!(extra["n"], 2_199);
        site.sealed().await;
        site.stop().await;
    });
}

/// Whoever removes events waits for a bulk of another node, and meanwhile for nothing that would stop everybody else.
#[test]
fn a_removal_that_waits_for_a_bulk_stops_nobody() {
    block_on(async {
        let site = Site::start(Engine::Postgres).await;
        let second = site.second_node().await;
        let shop = shop(&site).await;
        let [wanted, other, unwanted]: [Order; 3] = orders(&shop, 3).await.try_into().ok().unwrap();
        let job = key_of(&site, "job", "work_order_key = (select key from work_order where wo_code = 'P0')").await;
        let hold = site.place.hold(&format!("select from job where key = {job} for update")).await;
        let rows: Vec<Value> =
            (0..3).map(|n| json!({ "entity_key": wanted.jobs[0], "extra_data": { "n": n } })).collect();
        let shared = json!({ "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job" });
        let bulk = shop.supervisor.post("/event/bulk", json!({ "shared_data": shared, "events": rows }));
        let there = shop.admin.at(&format!("http://{}", second.address));
        let removal = async {
            waiting(&site, "query like '%job%'").await;
            there.delete(&format!("/force-delete-work-order/{}", unwanted.key)).await
        };
        let beside = async {
            waiting(&site, "wait_event = 'advisory'").await;
            for who in [&shop.admin, &there] {
                extra(who, &other.jobs[0], json!({})).await.expect(200);
            }
            hold.let_go().await;
        };
        let (bulk, (removal, ())) = join(bulk, join(removal, beside)).await;
        assert_eq!((bulk.status, removal.status), (200, 200), "{} {}", bulk.text, removal.text);
        second.stop().await;
        site.stop().await;
    });
}

/// Orders that another node has for long, as a bulk there would: those who want them leave room for who wants another.
#[test]
fn those_who_wait_for_another_node_stand_in_nobodys_way() {
    block_on(async {
        let site = Site::start(Engine::Postgres).await;
        let shop = shop(&site).await;
        let mut held = orders(&shop, 25).await;
        let other = held.pop().unwrap();
        let hold = site.place.hold("select from work_order where wo_code <> 'P24' for no key update").await;
        let crowd = join_all(held.iter().map(|order| extra(&shop.admin, &order.jobs[0], json!({}))));
        let beside = async {
            waiting(&site, "true").await;
            for round in 0..3 {
                let begun = Instant::now();
                extra(&shop.admin, &other.jobs[0], json!({ "n": round })).await.expect(200);
                assert!(begun.elapsed() < QUICK, "an event took {:?}", begun.elapsed());
            }
            hold.let_go().await;
        };
        let (answers, ()) = join(crowd, beside).await;
        assert_eq!(statuses(&answers), [200]);
        site.stop().await;
    });
}

/// Until somebody waits for a lock in such a way.
async fn waiting(site: &Site, how: &str) {
    let waits = format!(
        "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and {how}"
    );
    site.eventually(async || (site.place.sql(&waits).await != ["0"]).then_some(())).await;
}

/// A small shift: forty at one order, a bulk, eighteen others who write, and people who only look.
#[test]
fn a_busy_shift_sends_nobody_away() {
    block_on(async {
        let site = Site::start(Engine::Postgres).await;
        many_sessions(&site).await;
        let shop = shop(&site).await;
        let all = orders(&shop, 20).await;
        let counts: Vec<Value> =
            (1..=300).map(|count| json!({ "job_key": all[0].jobs[0], "new_job_qt_completed": count })).collect();
        let body = json!({ "shared_data": { "event_type": "PROGRESS_OVERRIDE_REQUESTED" }, "events": counts });
        let assigned =
            json!([{ "action": "update", "data": { "_key": all[0].jobs[0], "assigned_to": shop.supervisor.key } }]);
        shop.admin.post("/job/update", assigned).await.expect(200);
        let bulks = join_all((0..2).map(|_| shop.supervisor.post("/event/bulk", body.clone())));
        let crowd = join_all((0..40).map(|index| extra(&shop.supervisor, &all[1].jobs[0], json!({ "n": index }))));
        let others = join_all(all[2..].iter().map(|order| async {
            let mut answers = Vec::new();
            for round in 0..3 {
                answers.push(extra(&shop.supervisor, &order.jobs[0], json!({ "n": round })).await);
            }
            answers
        }));
        let beside = async {
            for _ in 0..3 {
                everyday(&site, &shop.admin).await;
            }
        };
        let (((bulks, crowd), others), ()) = join(join(join(bulks, crowd), others), beside).await;
        assert_eq!(others.len(), 18);
        let others: Vec<Answer> = others.into_iter().flatten().collect();
        assert_eq!((statuses(&crowd), statuses(&others)), (vec![200], vec![200]));
        // The second says nothing new: it is refused, or does nothing, but never sent away.
        assert!(bulks.iter().all(|answer| [200, 422].contains(&answer.status)), "{:?}", statuses(&bulks));
        assert!(bulks.iter().any(|answer| answer.status == 200), "{}", bulks[0].text);
        site.sealed().await;
        site.stop().await;
    });
}

/// However many lists are asked for in however many ways, a connection keeps few statements.
#[test]
fn statements_of_lists_are_not_kept() {
    block_on(async {
        let site = Site::start_with(Engine::Postgres, |settings| settings.database_connections = Some(2)).await;
        let admin = site.admin().await;
        let filters = [
            "user_key=x",
            "event_group=00000000000a1",
            "context_type=task",
            "primary=true",
            "from=2026-01-01",
            "after_seq=1",
        ];
        for mask in 0..1_u32 << filters.len() {
            let chosen: Vec<&str> = filters
                .iter()
                .enumerate()
                .filter(|(bit, _)| mask & (1 << bit) != 0)
                .map(|(_, filter)| *filter)
                .collect();
            let path = format!("/event?limit=5&{}", chosen.join("&"));
            let answer = admin.get(&path).await;
            assert!([200, 422].contains(&answer.status), "{path}: {}", answer.text);
        }
        let count = async |tx: &mut store::Tx| {
            let sql = "select count(*) from pg_prepared_statements where statement like '%from event%order by%' and statement not like '%pg_prepared%'";
            Ok(tx.one::<i64>(store::Sql::raw(sql), &[]).await?)
        };
        let kept: i64 = site.app().read(count).await.unwrap();
        assert_eq!(kept, 0);
        // What is put together elsewhere is kept, but not without bound.
        let other = async |tx: &mut store::Tx| {
            for number in 0..400 {
                tx.one::<i64>(store::Sql::raw(format!("select cast({number} as bigint)")), &[]).await?;
            }
            Ok(tx.one::<i64>(store::Sql::raw("select count(*) from pg_prepared_statements"), &[]).await?)
        };
        let kept: i64 = site.app().read(other).await.unwrap();
        assert!((200..=257).contains(&kept), "{kept}");
        site.stop().await;
    });
}
