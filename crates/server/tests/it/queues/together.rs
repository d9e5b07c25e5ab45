//! Many at once, also at two nodes.

use std::collections::HashSet;

use testkit::{Engine, block_on};

use super::*;

on_both_engines! {
    async fn orders_come_and_go_while_the_queue_is_reordered(site) {
        everything_at_once(site, &[site.base()]).await;
    }

    /// What the configuration no longer allows is not there afterwards, whoever came first.
    async fn no_queue_stays_independent_where_none_may_be(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(3), 4.0).await;
        let jobs: Vec<&str> = order.jobs.iter().map(String::as_str).collect();
        assign(&shop.admin, &jobs, &shop.o1).await;
        for _ in 0..8 {
            allow(&shop.admin, true).await;
            let path = address(&shop.o1);
            let own = shop.admin.put(&path, json!({ "independent": true, "jobs": [jobs[2], jobs[0]] }));
            let ((), own) = tokio::join!(allow(&shop.admin, false), own);
            assert!([200, 422].contains(&own.status), "{}", own.text);
            let queue = shop.admin.get(&address(&shop.o1)).await.detail();
            assert_eq!((&queue["independent"], &queue["jobs"]), (&json!(false), &json!(jobs)));
        }
    }

    async fn many_first_writes_of_one_queue(site) {
        let shop = shop(site).await;
        let tries = (0..8).map(|_| shop.admin.put("/queue/operator/admin-of-none", json!({})));
        join_all(tries).await.into_iter().for_each(|answer| drop(answer.expect(404)));
        let path = address(&shop.o1);
        let tries = (0..8).map(|_| shop.admin.put(&path, json!({})));
        join_all(tries).await.into_iter().for_each(|answer| drop(answer.expect(200)));
        assert_eq!(site.count("queue where type = 'o'").await, 1);
    }
}

#[test]
fn orders_come_and_go_at_two_nodes() {
    block_on(async {
        let site = Site::start(Engine::Postgres).await;
        let second = site.second_node().await;
        everything_at_once(&site, &[site.base(), format!("http://{}", second.address)]).await;
        second.stop().await;
        site.check_audit().await;
        site.stop().await;
    });
}

/// Reorders both kinds of queues while orders are made, begun, closed and reopened.
async fn everything_at_once(site: &Site, nodes: &[String]) {
    let shop = shop(site).await;
    allow(&shop.admin, true).await;
    let mut orders = Vec::new();
    for index in 0..8 {
        orders.push(shop.order(&format!("P{index}"), &all_at_once(2), 4.0).await);
    }
    let jobs: Vec<&str> = orders.iter().flat_map(|order| order.jobs.iter().map(String::as_str)).collect();
    assign(&shop.admin, &jobs, &shop.o1).await;
    shop.admin.put(&address(&shop.o1), json!({ "independent": true })).await.expect(200);
    let node = |index: usize| nodes[index % nodes.len()].clone();

    let sorters = (0..4_usize).map(|index| {
        let (admin, orders, path) = (shop.admin.at(&node(index)), &orders, address(&shop.o1));
        async move {
            for round in 0..6 {
                let mut named: Vec<&str> = orders.iter().map(|order| order.key.as_str()).collect();
                named.rotate_left((index * 3 + round) % orders.len());
                // What is closed meanwhile can't be named; all others are.
                let written = reorder(&admin, &named[..4]).await;
                assert!([200, 422].contains(&written.status), "{}", written.text);
                let mut mine = keys(&admin.get(&path).await.detail()["jobs"]);
                mine.reverse();
                let written = admin.put(&path, json!({ "jobs": mine })).await;
                assert!([200, 422].contains(&written.status), "{}", written.text);
            }
        }
    });
    let makers = (0..2_usize).map(|index| {
        let admin = shop.admin.at(&node(index + 1));
        async move {
            for _ in 0..4 {
                let made = json!({ "product_key": format!("P{index}"), "qt_planned": 2 });
                admin.post("/work-order", made).await.expect(200);
            }
        }
    });
    let workers = orders.iter().enumerate().map(|(index, order)| {
        let supervisor = shop.supervisor.at(&node(index));
        async move {
            let closing: Value =
                order.jobs.iter().map(|job| json!({ "action": "close", "data": { "_key": job } })).collect();
            for _ in 0..3 {
                supervisor.post("/job/update", closing.clone()).await.expect(200);
                event(&supervisor, "JOB_RESET", json!({ "job_key": order.jobs[0] })).await.expect(200);
                event(&supervisor, "JOB_RESET", json!({ "job_key": order.jobs[1] })).await.expect(200);
            }
        }
    });
    tokio::join!(join_all(sorters), join_all(makers), join_all(workers));

    let queue = waiting(&shop.admin).await;
    let open: Vec<i64> = site.all("select key from work_order where status <> 'closed' order by key").await;
    let mut in_queue: Vec<i64> = queue.iter().map(|key| domain::key::id_from_text(key).unwrap()).collect();
    in_queue.sort_unstable();
    assert_eq!(in_queue, open, "every open order once");
    for table in ["work_order", "job"] {
        let places: i64 = site.look(format!("select count(distinct place) from {table}"), vec![]).await.unwrap();
        assert_eq!(places, site.count(table).await, "every place is one {table}'s");
    }
    let mine: HashSet<String> = jobs_of(&shop.admin, &shop.o1).await.into_iter().collect();
    assert_eq!(mine, jobs.iter().map(|job| (*job).to_owned()).collect(), "every job once");
    if site.engine == Engine::Postgres {
        let deadlocks: i64 = site
            .look("select deadlocks from pg_stat_database where datname = current_database()", vec![])
            .await
            .unwrap();
        assert_eq!(deadlocks, 0, "all take their locks in one order");
    }
    books::audit(site).await;
}
