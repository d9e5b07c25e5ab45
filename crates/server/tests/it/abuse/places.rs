//! What comes later is later, whatever the clocks of the nodes that did it say.

use testkit::{Engine, Person, Value, json};

use crate::production::{all_at_once, event, shop};

async fn set(who: &Person, job: &str, quantity: i64) {
    let members = json!({ "job_key": job, "new_job_qt_completed": quantity, "should_adjust_duration": true });
    event(who, "PROGRESS_OVERRIDE_REQUESTED", members).await.expect(200);
}

#[test]
fn keys_of_a_node_that_is_ahead_mean_nothing() {
    testkit::block_on(async {
        let site = testkit::Site::start(Engine::Postgres).await;
        let second = site.second_node().await;
        let other = format!("http://{}", second.address);
        let shop = shop(&site).await;
        // From now on the keys of this node are five seconds ahead.
        second.app.node.next_id(site.clock.now().plus_seconds(5)).expect("a key");
        let first = shop.order("FIRST", &all_at_once(2), 20.0).await;
        let body = |code: &str| json!({ "product_key": "FIRST", "wo_code": code, "qt_planned": 1 });
        let mut made = vec![Value::from(first.key.clone())];
        for (code, node) in [("B", other.as_str()), ("C", &site.base()), ("D", &other), ("E", &site.base())] {
            made.push(shop.admin.at(node).post("/work-order", body(code)).await.detail()["work_order"]["_key"].clone());
        }
        assert!(made[1].as_str() > made[2].as_str(), "the keys are not in order");
        let queue = shop.admin.get("/queue").await.detail()[0]["work_orders"].clone();
        assert_eq!(queue, json!(made));

        // Of the batches that were set by hand, the one that came last is taken back first.
        let job = &first.jobs[0];
        let assign = json!([{ "action": "update", "data": { "_key": job, "assigned_to": shop.o1.key } }]);
        shop.admin.post("/job/update", assign).await.expect(200);
        set(&shop.supervisor.at(&other), job, 3).await;
        set(&shop.supervisor, job, 8).await;
        let (ahead, last): (i64, i64) = site
            .look("select max(key) filter (where qt_pass = 3000000), max(key) filter (where qt_pass = 5000000) from batch", vec![])
            .await
            .unwrap();
        assert!(ahead > last, "the keys are not in order");
        set(&shop.supervisor, job, 3).await;
        let left: Vec<i64> = site.all("select key from batch where canceled is null").await;
        assert_eq!(left, [ahead]);
        let sessions: Vec<i64> = site.all("select key from work_session where canceled is null").await;
        let shown: i64 = site
            .look("select last_work_session_started from job where last_work_session_started is not null", vec![])
            .await
            .unwrap();
        assert_eq!(sessions, [shown]);
        second.stop().await;
        site.check_audit().await;
        site.stop().await;
    });
}

#[test]
fn a_restarted_node_begins_where_the_clock_is() {
    testkit::block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = testkit::Site::start(engine).await;
            let before = site.app().new_id().unwrap();
            let site = site.restart_after_seconds(1).await;
            let after = site.app().new_id().unwrap();
            let second = (after >> 22) - (before >> 22);
            assert!(after > before && second <= 1_001, "{second} ms");
            site.stop().await;
        }
    });
}
