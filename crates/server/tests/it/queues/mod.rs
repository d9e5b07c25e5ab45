//! The order in which work waits: scenario 8, and the first half of scenario 11 of the administration.

mod together;

use futures_util::future::join_all;
use testkit::{Answer, Person, Site, Value, json, on_both_engines};

use crate::production::{Order, all_at_once, books, event, refused, shop};

const INDEPENDENT: &str = "allow_independent_reordering_of_job_queues";

async fn reorder(who: &Person, orders: &[&str]) -> Answer {
    who.put("/queue", json!({ "work_orders": orders })).await
}

/// The orders of the site queue.
async fn waiting(who: &Person) -> Vec<String> {
    keys(&who.get("/queue").await.detail()[0]["work_orders"])
}

fn keys(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|key| key.as_str().unwrap().to_owned()).collect()
}

fn address(operator: &Person) -> String {
    format!("/queue/operator/{}", operator.key)
}

async fn jobs_of(who: &Person, operator: &Person) -> Vec<String> {
    let queue = who.get(&address(operator)).await.detail();
    let shown: Vec<&str> =
        queue["job_data"].as_array().unwrap().iter().map(|job| job["_key"].as_str().unwrap()).collect();
    assert_eq!(keys(&queue["jobs"]), shown, "the records come in the same order");
    keys(&queue["jobs"])
}

async fn assign(who: &Person, jobs: &[&str], operator: &Person) {
    let updates: Value = jobs
        .iter()
        .map(|job| json!({ "action": "update", "data": { "_key": job, "assigned_to": operator.key } }))
        .collect();
    who.post("/job/update", updates).await.expect(200);
}

async fn allow(admin: &Person, allowed: bool) {
    admin.patch("/config", json!({ INDEPENDENT: allowed })).await.expect(200);
}

on_both_engines! {
    async fn an_operators_queue_follows_or_goes_its_own_way(site) {
        let shop = shop(site).await;
        let admin = &shop.admin;
        let (one, two) = (shop.order("WO1", &all_at_once(3), 4.0).await, shop.order("WO2", &all_at_once(3), 4.0).await);
        let (j1, j2) = (one.jobs[0].as_str(), two.jobs[0].as_str());
        assign(admin, &[j1, j2], &shop.o1).await;
        assert_eq!(waiting(admin).await, [one.key.clone(), two.key.clone()]);
        assert_eq!(jobs_of(admin, &shop.o1).await, [j1, j2]);
        let written = reorder(admin, &[&two.key]).await.detail();
        assert_eq!(keys(&written["work_orders"]), [two.key.clone(), one.key.clone()]);
        assert_eq!((&written["type"], &written["site_key"], &written["subqueue_target_key"]), (&json!("s"), &json!("0"), &json!(null)));
        assert_eq!(jobs_of(admin, &shop.o1).await, [j2, j1], "it follows");

        let own = json!({ "independent": true, "jobs": [j1, j2] });
        let detail = refused(admin.put(&address(&shop.o1), own.clone()).await, "IndependentReorderingNotAllowed");
        assert!(detail["message"].is_string());
        refused(admin.put(&address(&shop.o1), json!({ "jobs": [j1] })).await, "IndependentReorderingNotAllowed");
        allow(admin, true).await;
        refused(admin.put(&address(&shop.o1), json!({ "jobs": [j1] })).await, "IndependentReorderingNotAllowed");
        let written = admin.put(&address(&shop.o1), own).await.detail();
        assert_eq!((&written["independent"], &written["jobs"], &written["type"]), (&json!(true), &json!([j1, j2]), &json!("o")));
        assert_eq!(written["subqueue_target_key"], shop.o1.key);
        reorder(admin, &[&one.key, &two.key]).await.expect(200);
        reorder(admin, &[&two.key, &one.key]).await.expect(200);
        assert_eq!(jobs_of(admin, &shop.o1).await, [j1, j2], "its order survives");
        // What is assigned later goes to its end, whatever the site queue says.
        assign(admin, &[&two.jobs[1]], &shop.o1).await;
        assert_eq!(jobs_of(admin, &shop.o1).await, [j1, j2, &two.jobs[1]]);
        let written = admin.put(&address(&shop.o1), json!({ "jobs": [two.jobs[1]] })).await.detail();
        assert_eq!(keys(&written["jobs"]), [&two.jobs[1], j1, j2], "those not named follow in their old order");

        allow(admin, false).await;
        let queue = admin.get(&address(&shop.o1)).await.detail();
        assert_eq!((&queue["independent"], &queue["jobs"]), (&json!(false), &json!([j2, two.jobs[1], j1])));
        let told = admin.get("/event?type=QUEUE_UPDATED&sort_by=seq&sorting_order=asc").await.expect(200).body;
        assert_eq!(told.as_array().unwrap().len(), 5, "the configuration stores none");
        assert_eq!((&told[0]["payload"]["work_orders"], &told[0]["work_order_key"]), (&json!([two.key, one.key]), &json!(null)));
        assert_eq!((&told[1]["payload"]["jobs"], &told[1]["payload"]["queue_key"]), (&json!([j1, j2]), &json!(shop.o1.key)));
        let found = admin.get(&format!("/event?type=QUEUE_UPDATED&job_key={j1}")).await.expect(200).body;
        assert_eq!(found.as_array().unwrap().len(), 2, "by the jobs in their lists");
        books::audit(site).await;
    }

    /// The entry's effect comes with it, and only when it is sent as false.
    async fn the_configuration_takes_independence_away(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(2), 4.0).await;
        let (j1, j2) = (order.jobs[0].as_str(), order.jobs[1].as_str());
        assign(&shop.admin, &[j1, j2], &shop.o1).await;
        allow(&shop.admin, true).await;
        shop.admin.put(&address(&shop.o1), json!({ "independent": true, "jobs": [j2, j1] })).await.expect(200);
        shop.admin.patch("/config", json!({ "company_name": "N", INDEPENDENT: null })).await.expect(200);
        assert_eq!(jobs_of(&shop.admin, &shop.o1).await, [j2, j1]);
        let wrong = json!({ INDEPENDENT: false, "operator_cost": "a" });
        shop.admin.patch("/config", wrong).await.expect(422);
        assert_eq!(jobs_of(&shop.admin, &shop.o1).await, [j2, j1], "nothing of a refused change");
        let rev = shop.admin.get(&address(&shop.o1)).await.detail()["_rev"].clone();
        allow(&shop.admin, false).await;
        let queue = shop.admin.get(&address(&shop.o1)).await.detail();
        assert_eq!((&queue["independent"], &queue["jobs"]), (&json!(false), &json!([j1, j2])));
        assert_ne!(queue["_rev"], rev);
        // Also when it was false before.
        site.execute("update queue set independent = true where type = 'o'", vec![]).await;
        allow(&shop.admin, false).await;
        assert_eq!(shop.admin.get(&address(&shop.o1)).await.detail()["independent"], false);
        let entry: String = site
            .look("select summary from audit where operation = 'update_config' order by key desc limit 1", vec![])
            .await
            .unwrap();
        assert!(entry.contains(INDEPENDENT), "{entry}");
    }

    async fn queues_are_listed_and_empty_ones_are_shown(site) {
        let shop = shop(site).await;
        let admin = &shop.admin;
        let fresh = admin.get("/queue").await.detail();
        assert_eq!(fresh.as_array().unwrap().len(), 1);
        let members = json!({ "type": "s", "site_key": "0", "subqueue_target_key": null, "work_orders": [], "jobs": [], "independent": false });
        for (name, value) in members.as_object().unwrap() {
            assert_eq!(fresh[0][name], *value, "{name}");
        }
        let empty = admin.get(&address(&shop.o1)).await.detail();
        assert_eq!((&empty["jobs"], &empty["job_data"], &empty["type"]), (&json!([]), &json!([]), &json!("o")));
        assert_eq!(admin.get("/queue").await.detail().as_array().unwrap().len(), 1, "reading makes none");
        let order = shop.order("P", &all_at_once(2), 4.0).await;
        assign(admin, &[&order.jobs[1]], &shop.o2).await;
        admin.put(&address(&shop.o1), json!({})).await.expect(200);
        let listed = admin.get("/queue?count=true").await;
        assert_eq!(listed.header("x-total-count"), "3");
        let listed = listed.detail();
        let mut operators = [shop.o1.key.as_str(), shop.o2.key.as_str()];
        operators.sort_unstable();
        let named: Vec<&str> = listed.as_array().unwrap()[1..].iter().map(|queue| queue["subqueue_target_key"].as_str().unwrap()).collect();
        assert_eq!(named, operators);
        let of = |person: &Person| listed.as_array().unwrap().iter().find(|queue| queue["subqueue_target_key"] == person.key.as_str()).unwrap();
        assert_eq!((&of(&shop.o1)["jobs"], &of(&shop.o2)["jobs"]), (&json!([]), &json!([order.jobs[1]])));
        assert_eq!(admin.get("/queue?limit=1&offset=1").await.detail()[0]["subqueue_target_key"], operators[0]);

        let orders = admin.get("/queue/site/0").await.detail();
        assert_eq!((&orders[0]["_key"], &orders[0]["wo_code"]), (&json!(order.key), &json!("P")));
        assert_eq!(orders[0]["jobs"][1]["_key"], order.jobs[1]);
        admin.get("/queue/site/1").await.expect(404);
    }

    async fn what_can_not_be_ordered_is_refused_all_at_once(site) {
        let shop = shop(site).await;
        let admin = &shop.admin;
        let (open, done) = (shop.order("A", &all_at_once(2), 4.0).await, shop.order("B", &all_at_once(1), 4.0).await);
        shop.make(&shop.o1, &done.jobs[0]).await;
        let named = reorder(admin, &[&open.key, &done.key, "nobody", &open.key]).await;
        assert_eq!(named.faults(), ["value_error body.work_orders.1", "value_error body.work_orders.2", "value_error body.work_orders.3"]);
        assign(admin, &[&open.jobs[0]], &shop.o1).await;
        allow(admin, true).await;
        let jobs = json!({ "independent": true, "jobs": [open.jobs[0], open.jobs[1], done.jobs[0], open.jobs[0]] });
        let expected = ["value_error body.jobs.1", "value_error body.jobs.2", "value_error body.jobs.3"];
        assert_eq!(admin.put(&address(&shop.o1), jobs).await.faults(), expected, "another's, a closed one, one twice");
        assert_eq!(admin.get(&address(&shop.o1)).await.detail()["independent"], false);

        for whole in [
            json!({ "type": "s", "subqueue_target_key": shop.o1.key, "jobs": [open.jobs[0]], "independent": true }),
            json!({ "type": "o", "work_orders": [open.key] }),
            json!({ "site_key": "1", "type": "x", "place": 1 }),
        ] {
            let faults = admin.put("/queue", whole.clone()).await.faults();
            assert!(faults.len() >= 2, "{whole}: {faults:?}");
        }
        // A queue of an operator can be sent as it was read.
        let mut read = admin.get(&address(&shop.o1)).await.detail();
        read.as_object_mut().unwrap().remove("job_data");
        read["independent"] = json!(true);
        let written = admin.put("/queue", read).await.detail();
        assert_eq!((&written["independent"], &written["jobs"]), (&json!(true), &json!([open.jobs[0]])));

        let gone = site.user("gone", "operator").await;
        admin.delete(&format!("/user/{}", gone.key)).await.expect(200);
        for path in [address(&gone), "/queue/operator/nobody".to_owned()] {
            admin.get(&path).await.expect(404);
            admin.put(&path, json!({})).await.expect(404);
        }
        let other = json!({ "type": "o", "subqueue_target_key": "nobody" });
        admin.put("/queue", other).await.expect(404);
        shop.o1.put("/queue", json!({})).await.expect(403);
        shop.o1.put(&address(&shop.o1), json!({})).await.expect(403);
    }

    async fn a_queue_that_was_written_meanwhile_is_not_overwritten(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(1), 4.0).await;
        let rev = shop.admin.get("/queue").await.detail()[0]["_rev"].as_str().unwrap().to_owned();
        let put = async |rev: &str| {
            let request = shop.admin.request(testkit::Method::PUT, "/queue").header("if-match", rev);
            shop.admin.send(request.json(&json!({ "work_orders": [order.key] }))).await
        };
        put(&rev).await.expect(200);
        put(&rev).await.expect(412);
        let path = address(&shop.o1);
        let rev = shop.admin.put(&path, json!({})).await.detail()["_rev"].as_str().unwrap().to_owned();
        shop.admin.put(&path, json!({})).await.expect(200);
        let request = shop.admin.request(testkit::Method::PUT, &path).header("if-match", rev);
        shop.admin.send(request.json(&json!({}))).await.expect(412);
    }

    async fn work_joins_and_leaves_queues_by_itself(site) {
        let shop = shop(site).await;
        let admin = &shop.admin;
        let mut orders: Vec<Order> = Vec::new();
        for code in ["A", "B", "C"] {
            orders.push(shop.order(code, &all_at_once(1), 4.0).await);
        }
        allow(admin, true).await;
        let jobs: Vec<&str> = orders.iter().map(|order| order.jobs[0].as_str()).collect();
        assign(admin, &jobs, &shop.o1).await;
        admin.put(&address(&shop.o1), json!({ "independent": true, "jobs": [jobs[2], jobs[0], jobs[1]] })).await.expect(200);
        let place = async |order: usize| waiting(admin).await.iter().position(|key| *key == orders[order].key);
        shop.make(&shop.o1, jobs[0]).await;
        assert_eq!((place(0).await, place(1).await), (None, Some(0)));
        assert_eq!(jobs_of(admin, &shop.o1).await, [jobs[2], jobs[1]]);
        // A job that is taken back opens again, at the end of both.
        event(&shop.supervisor, "JOB_RESET", json!({ "job_key": jobs[0] })).await.expect(200);
        assert_eq!(place(0).await, Some(2));
        assert_eq!(jobs_of(admin, &shop.o1).await, [jobs[2], jobs[1], jobs[0]]);
        // Given to somebody else it leaves one queue for the other.
        assign(admin, &[jobs[1]], &shop.o2).await;
        assert_eq!(jobs_of(admin, &shop.o1).await, [jobs[2], jobs[0]]);
        assert_eq!(jobs_of(admin, &shop.o2).await, [jobs[1]]);
        let taken = json!([{ "action": "update", "data": { "_key": jobs[1], "assigned_to": null } }]);
        admin.post("/job/update", taken).await.expect(200);
        assert_eq!(jobs_of(admin, &shop.o2).await, Vec::<String>::new());
        admin.delete(&format!("/work-order/{}", orders[1].key)).await.expect(200);
        assert_eq!(place(1).await, None);
        admin.put(&address(&shop.o1), json!({ "independent": false })).await.expect(200);
        assert_eq!(jobs_of(admin, &shop.o1).await, [jobs[2], jobs[0]], "the order of the site queue");
        books::audit(site).await;
    }
}
