//! PostgreSQL goes away in the middle and comes back, as itself or as its standby.

use futures_util::future::join;
use testkit::cluster::Cluster;
use testkit::{Engine, Site, block_on, json};

use crate::production::{all_at_once, shop};

/// Until the service answers again, however long the database takes to come back.
async fn comes_back(site: &Site) {
    site.eventually(async || {
        let ready = reqwest::get(format!("{}/readyz", site.base())).await.unwrap();
        (ready.status() == 200).then_some(())
    })
    .await;
}

#[test]
fn a_restart_in_the_middle_of_a_bulk_loses_nothing_and_keeps_nothing_half() {
    block_on(async {
        let cluster = Cluster::new("");
        cluster.start();
        let url = cluster.address("tracewright", "");
        let site = Site::start_with(Engine::Postgres, |settings| settings.database = Some(url.clone())).await;
        let shop = shop(&site).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        let before = site.count("event").await;
        let rows: Vec<_> =
            (0..2_000).map(|index| json!({ "entity_key": order.jobs[0], "extra_data": { "n": index } })).collect();
        let shared = json!({ "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job" });
        let body = json!({ "shared_data": shared, "events": rows });
        let crash = async {
            let locked =
                "select count(*) from pg_locks where relation = 'work_order'::regclass and mode = 'RowShareLock'";
            site.eventually(async || (cluster.ask(locked) != "0").then_some(())).await;
            cluster.stop();
        };
        let (answer, ()) = join(shop.supervisor.post("/event/bulk", body.clone()), crash).await;
        answer.expect(503);
        cluster.start();
        comes_back(&site).await;
        assert_eq!(site.count("event").await, before);
        shop.supervisor.post("/event/bulk", body).await.expect(200);
        assert_eq!(site.count("event").await, before + 2_000);
        site.sealed().await;
        site.app().node.renew(&site.app().urgent, site.app().now()).await.expect("the number is still held");
        site.stop().await;
    });
}

#[test]
fn a_standby_takes_over() {
    block_on(async {
        let primary = Cluster::new("");
        primary.start();
        let standby = primary.standby();
        standby.start();
        let url = format!(
            "postgres://tracewright@127.0.0.1:{},127.0.0.1:{}/postgres?target_session_attrs=read-write",
            primary.port, standby.port
        );
        let site = Site::start_with(Engine::Postgres, |settings| settings.database = Some(url.clone())).await;
        let shop = shop(&site).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        primary.sql("select pg_switch_wal()");
        // What the standby has not heard of is lost with the primary.
        site.eventually(async || {
            let waiting =
                primary.ask("select count(*) from pg_stat_replication where replay_lsn < pg_current_wal_lsn()");
            (waiting == "0").then_some(())
        })
        .await;
        // The old primary still runs, but takes no writes any more: nothing is read from it either.
        primary.sql("alter system set default_transaction_read_only = on");
        primary.sql("select pg_reload_conf()");
        standby.promote();
        let product = json!({ "_key": "B", "code": "B" });
        site.eventually(async || {
            let answer = shop.admin.post("/product", product.clone()).await;
            assert!([201, 503].contains(&answer.status), "{}", answer.text);
            (answer.status == 201).then_some(())
        })
        .await;
        for _ in 0..10 {
            shop.admin.get("/product/B").await.expect(200);
        }
        primary.stop();
        comes_back(&site).await;
        shop.make(&shop.o1, &order.jobs[0]).await;
        assert_eq!(shop.read(&order).await["status"], "closed");
        site.sealed().await;
        site.stop().await;
    });
}
