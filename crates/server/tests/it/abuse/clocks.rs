//! Clocks that differ, that somebody sets, and that went on while nobody listened.

use api::Clock;
use store::production::heartbeats;
use store::{Tx, node};
use testkit::{Answer, Engine, Person, Site, Value, json, on_both_engines};
use tokio::sync::watch;

use crate::production::{Order, Shop, all_at_once, complete, event, refused, shop};

/// A job whose device may be silent for a minute.
async fn watched(shop: &Shop, code: &str) -> Order {
    let phase = json!({ "production_batch_qt": 0, "max_offline": 60, "unsupervised_work_allowed": true });
    shop.order(code, &[phase], 5.0).await
}

async fn beat(who: &Person, job: &str) -> Answer {
    who.post(&format!("/job/{job}/heartbeat"), json!({})).await
}

async fn is_active(who: &Person, job: &str) -> bool {
    who.get(&format!("/job/{job}")).await.detail()["active"] == true
}

/// Waits until a job is paused: the node itself may be about to do it.
async fn is_paused(site: &Site, who: &Person, job: &str) {
    site.eventually(async || (!is_active(who, job).await).then_some(())).await;
}

async fn session(who: &Person, job: &str) -> Value {
    who.get(&format!("/work-session?job_key={job}")).await.detail()
}

/// A site on PostgreSQL with two nodes.
async fn two_nodes(ahead: i64, check: impl AsyncFnOnce(&Site, &tracewright::Running, String)) {
    let site = Site::start(Engine::Postgres).await;
    let second = site.second_node_ahead(ahead).await;
    let other = format!("http://{}", second.address);
    check(&site, &second, other).await;
    second.stop().await;
    site.check_audit().await;
    site.stop().await;
}

#[test]
fn nodes_go_by_the_time_of_their_database() {
    testkit::block_on(async {
        for ahead in [20, -20] {
            two_nodes(ahead, async |site, second, other| {
                assert_eq!(second.app.now(), site.clock.now());
                let shop = shop(site).await;
                let order = shop.order("A", &all_at_once(1), 5.0).await;
                let begun =
                    event(&shop.o1.at(&other), "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
                complete(&shop.o1, &begun["batch_data"], json!({})).await.expect(200);
                // A token is good from its issue on, on every node.
                let elsewhere = shop.o2.at(&other).sign_in(site.password()).await;
                elsewhere.at(&site.base()).get("/whoami").await.expect(200);
            })
            .await;
        }
    });
}

#[test]
fn the_real_clock_of_a_node_is_corrected_at_its_start() {
    testkit::block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let place = testkit::engine::Place::new(engine).await;
            let clock = Clock::system().ahead_by_seconds(20);
            let running = tracewright::start(&place.settings(), clock.clone()).await.expect("a start");
            let off = async || (clock.now().millis() - node::time(&running.app.db).await.unwrap().millis()).abs();
            assert!(off().await < 5_000);
            // Somebody sets it, far enough for the reserve of keys to be no help.
            for wrong in [-40, 620] {
                clock.set_ahead_by_seconds(wrong);
                for _ in 0..10_000 {
                    running.app.new_id().expect("a key");
                }
                running.app.renew().await.unwrap();
                assert!(off().await < 5_000);
            }
            running.stop().await;
            place.remove().await;
        }
    });
}

/// Until it is corrected, a node that somebody set may be wrong for a moment: what nobody timed is not refused for that.
#[test]
fn what_one_node_began_another_whose_clock_is_behind_can_end() {
    testkit::block_on(two_nodes(0, async |site, second, other| {
        let shop = shop(site).await;
        let (one, two) = (watched(&shop, "A").await, watched(&shop, "B").await);
        second.app.clock.set_ahead_by_seconds(20);
        let mut batches = Vec::new();
        for order in [&one, &two] {
            let begun = event(&shop.o1.at(&other), "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
            batches.push(begun["batch_data"].clone());
        }
        let job = json!({ "job_key": one.jobs[0] });
        let paused = event(&shop.o1, "JOB_PAUSED", job.clone()).await.detail();
        let told = shop.admin.get(&format!("/event/{}", paused["event_key"].as_str().unwrap())).await.expect(200).body;
        let worked = session(&shop.admin, &one.jobs[0]).await;
        assert_eq!((&worked["end"], &worked["duration"]), (&worked["start"], &json!(0)));
        assert_eq!(told["timestamp"], worked["start"], "it happened when what it ends began");
        event(&shop.o1, "JOB_RESUMED", job).await.expect(200);
        for batch in &batches {
            complete(&shop.o1, batch, json!({})).await.expect(200);
        }
        let ended: Vec<(i64, i64)> = site.all("select started, ended from batch order by key").await;
        assert!(ended.len() == 2 && ended.iter().all(|(started, ended)| started <= ended), "{ended:?}");
    }));
}

/// A heartbeat counts as much on a node whose clock is wrong.
#[test]
fn a_heartbeat_on_a_node_whose_clock_is_wrong_is_a_heartbeat() {
    testkit::block_on(two_nodes(0, async |site, second, other| {
        let shop = shop(site).await;
        for (code, wrong) in [("A", -400), ("B", 400)] {
            let order = watched(&shop, code).await;
            let job = &order.jobs[0];
            event(&shop.o1, "JOB_STARTED", json!({ "job_key": job })).await.expect(200);
            second.app.clock.set_ahead_by_seconds(wrong);
            beat(&shop.o1.at(&other), job).await.expect(200);
            site.pass_seconds(50).await;
            assert!(is_active(&shop.admin, job).await);
            second.app.clock.set_ahead_by_seconds(0);
            site.pass_seconds(15).await;
            // And its silence is noticed in time.
            is_paused(site, &shop.admin, job).await;
            beat(&shop.o1, job).await.expect(200);
        }
    }));
}

on_both_engines! {
    async fn a_clock_set_back_refuses_nothing_that_nobody_timed(site) {
        let shop = shop(site).await;
        let order = watched(&shop, "A").await;
        let job = json!({ "job_key": order.jobs[0] });
        let begun = site.clock.now();
        let batch = event(&shop.o1, "JOB_STARTED", job.clone()).await.detail()["batch_data"].clone();
        beat(&shop.o1, &order.jobs[0]).await.expect(200);
        site.clock.advance_seconds(-40);
        site.look_for_silent().await;
        assert!(is_active(&shop.admin, &order.jobs[0]).await);
        let now = json!({ "job_key": order.jobs[0], "timestamp": site.clock.now() });
        refused(event(&shop.o1, "JOB_PAUSED", now).await, "TimestampError");
        event(&shop.o1, "JOB_PAUSED", job.clone()).await.expect(200);
        event(&shop.o1, "JOB_RESUMED", job.clone()).await.expect(200);
        event(&shop.o1, "JOB_PAUSED_OFFLINE", job.clone()).await.expect(200);
        event(&shop.o1, "JOB_BACK_ONLINE", job.clone()).await.expect(200);
        event(&shop.supervisor, "JOB_PAUSE_FORCED", job.clone()).await.expect(200);
        event(&shop.o1, "JOB_RESUMED", job).await.expect(200);
        complete(&shop.o1, &batch, json!({})).await.expect(200);
        let sessions: Vec<(i64, i64)> = site.all("select started, duration from work_session").await;
        assert_eq!(sessions.len(), 4);
        assert!(sessions.iter().all(|(started, duration)| *started >= begun.millis() && *duration >= 0), "{sessions:?}");
        let closed = shop.job(&order, 0).await;
        assert!(closed["end"].as_str() >= closed["start"].as_str(), "{closed}");
    }

    async fn a_clock_set_forward_stops_and_pauses_nobody(site) {
        let shop = shop(site).await;
        let order = watched(&shop, "A").await;
        let job = &order.jobs[0];
        event(&shop.o1, "JOB_STARTED", json!({ "job_key": job })).await.expect(200);
        beat(&shop.o1, job).await.expect(200);
        site.look_for_silent().await;
        site.clock.advance_seconds(600);
        let row = json!({ "entity_key": order.key, "extra_data": 1 });
        let many = json!({ "shared_data": { "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "work_order" }, "events": vec![row; 1_500] });
        for _ in 0..3 {
            shop.supervisor.post("/event/bulk", many.clone()).await.expect(200);
        }
        site.look_for_silent().await;
        site.look_for_silent().await;
        assert!(is_active(&shop.admin, job).await);
        site.pass_seconds(59).await;
        assert!(is_active(&shop.admin, job).await);
        site.pass_seconds(2).await;
        // From then on silence counts again.
        is_paused(site, &shop.admin, job).await;
    }
}

/// A node that has to wait before it can say that it listens has no clock that was set back.
#[test]
fn a_node_that_listens_late_leaves_no_gap() {
    testkit::block_on(async {
        let site = Site::start(Engine::Postgres).await;
        let shop = shop(&site).await;
        let order = watched(&shop, "A").await;
        event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        beat(&shop.o1, &order.jobs[0]).await.expect(200);
        let since = async || site.all::<i64>("select since from listening").await;
        let before = since().await;
        let (go, going) = watch::channel(false);
        let clock = site.clock.clone();
        let first = async move |tx: &mut Tx| {
            heartbeats::listen(tx, || clock.now(), false).await?;
            going.clone().wait_for(|go| *go).await.expect("the test goes on");
            for _ in 0..20 {
                clock.advance_seconds(1);
                heartbeats::listen(tx, || clock.now(), false).await?;
            }
            Ok::<_, store::StoreError>(())
        };
        let waiting = "select cast(pid as bigint) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        let meanwhile = async {
            site.eventually(async || site.all::<i64>(waiting).await.pop()).await;
            go.send_replace(true);
        };
        let (first, (), ()) = tokio::join!(site.app().db.write("test", first), site.look_for_silent(), meanwhile);
        first.expect("it listens");
        assert_eq!(since().await, before);
        site.stop().await;
    });
}

/// Nobody could hear the devices while the service was away, so they speak first.
#[test]
fn after_a_restart_devices_can_speak_first() {
    testkit::block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = Site::start(engine).await;
            let shop = shop(&site).await;
            let (alive, silent) = (watched(&shop, "A").await, watched(&shop, "B").await);
            let [alive, silent] = [alive, silent].map(|order| order.jobs[0].clone());
            for job in [&alive, &silent] {
                event(&shop.o1, "JOB_STARTED", json!({ "job_key": job })).await.expect(200);
                beat(&shop.o1, job).await.expect(200);
            }
            site.pass_seconds(50).await;
            let site = site.restart_after_seconds(3_600).await;
            let (o1, admin) = (shop.o1.at(&site.base()), shop.admin.at(&site.base()));
            site.look_for_silent().await;
            assert!(is_active(&admin, &alive).await && is_active(&admin, &silent).await);
            site.pass_seconds(30).await;
            beat(&o1, &alive).await.expect(200);
            site.pass_seconds(29).await;
            assert!(is_active(&admin, &alive).await && is_active(&admin, &silent).await);
            site.pass_seconds(3).await;
            assert!(is_active(&admin, &alive).await);
            is_paused(&site, &admin, &silent).await;
            site.stop().await;
        }
    });
}
