//! Many at once, also at two nodes.

use testkit::{Engine, block_on};

use super::*;

on_both_engines! {
    async fn many_updates_at_once_of_the_same_orders(site) {
        updates_at_once(site, &[site.base()]).await;
    }

    async fn a_job_that_goes_is_not_begun(site) {
        let shop = shop(site).await;
        for round in 0..8 {
            let order = shop.order(&format!("P{round}"), &all_at_once(1), 4.0).await;
            let job = read(&shop.admin, &order.jobs[0]).await;
            let added = update(&shop.admin, json!([split(&job, json!({ "qt_planned": 2 }))])).await.detail();
            let key = added[0]["_key"].as_str().unwrap();
            let begin = event(&shop.supervisor, "JOB_STARTED", json!({ "job_key": key }));
            let (begun, gone) = tokio::join!(begin, update(&shop.admin, json!([close(key)])));
            match (begun.status, gone.status) {
                (200, 422) => {
                    assert_eq!(gone.faults(), ["JobIsActiveError body.0.data._key"]);
                    event(&shop.supervisor, "JOB_PAUSED", json!({ "job_key": key })).await.expect(200);
                }
                (422, 200) => assert_eq!(begun.body["detail"]["error_type"], "RecordNotFoundError"),
                other => panic!("{other:?}: {} {}", begun.text, gone.text),
            }
        }
        books::audit(site).await;
    }
}

/// Two nodes at one database: nobody waits for ever, and every update counts.
#[test]
fn many_updates_at_once_at_two_nodes() {
    block_on(async {
        let site = Site::start(Engine::Postgres).await;
        let second = site.second_node().await;
        updates_at_once(&site, &[site.base(), format!("http://{}", second.address)]).await;
        second.stop().await;
        site.check_audit().await;
        site.stop().await;
    });
}

async fn updates_at_once(site: &Site, nodes: &[String]) {
    let shop = shop(site).await;
    let mut orders = Vec::new();
    for code in ["A", "B", "C"] {
        orders.push(shop.order(code, &all_at_once(2), 100.0).await);
    }
    let jobs: Vec<&String> = orders.iter().flat_map(|order| &order.jobs).collect();
    let tries = (0..16).map(|index| {
        let admin = shop.admin.at(&nodes[index % nodes.len()]);
        // Each takes the orders in another order.
        let mut turned: Vec<&String> = jobs.clone();
        turned.rotate_left(index % jobs.len());
        if index % 2 == 1 {
            turned.reverse();
        }
        let updates: Value =
            turned.iter().map(|job| change(job, json!({ "extra": index, "qt_planned": 100 + index }))).collect();
        async move { update(&admin, updates).await.detail() }
    });
    for answer in join_all(tries).await {
        assert_eq!(answer.as_array().unwrap().len(), jobs.len());
    }
    let stored: Vec<(String, i64)> = site.all("select extra, qt_planned from job").await;
    let (extra, planned) = &stored[0];
    assert!(stored.iter().all(|one| one == &stored[0]), "the last one won everywhere: {stored:?}");
    assert_eq!(extra.parse::<i64>().unwrap() + 100, planned / 1_000_000);
    let told = site.all::<i64>("select seq from event where event_type = 'WORK_ORDER_UPDATED'").await;
    assert_eq!(told.len(), 16 * orders.len());
    books::audit(site).await;
}

/// Both nodes look for silent sessions; each is paused once.
#[test]
fn two_nodes_pause_a_silent_session_once() {
    block_on(async {
        let site = Site::start(Engine::Postgres).await;
        let second = site.second_node().await;
        let shop = shop(&site).await;
        let mut jobs = Vec::new();
        for index in 0..12 {
            let params = json!({ "max_offline": 30, "unsupervised_work_allowed": true });
            jobs.push(shop.order(&format!("P{index}"), &[params], 4.0).await.jobs.remove(0));
        }
        for job in &jobs {
            event(&shop.o1, "JOB_STARTED", json!({ "job_key": job })).await.expect(200);
            shop.o1.post(&format!("/job/{job}/heartbeat"), json!({})).await.expect(200);
        }
        site.listen_for(31).await;
        let ((), there) = tokio::join!(site.look_for_silent(), second.look_for_silent());
        there.unwrap();
        site.eventually(async || {
            let active = site.count("job where active").await;
            (active == 0).then_some(())
        })
        .await;
        let paused = site.all::<i64>("select seq from event where event_type = 'JOB_PAUSED_OFFLINE'").await;
        assert_eq!(paused.len(), jobs.len());
        books::audit(&site).await;
        second.stop().await;
        site.check_audit().await;
        site.stop().await;
    });
}
