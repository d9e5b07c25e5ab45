//! Questions that anybody may ask cost the same however many ask.

use std::sync::Arc;

use store::{Sql, Tx};
use testkit::cluster::Cluster;
use testkit::{Engine, Site, Value, block_on, json};
use tokio::sync::Notify;

async fn readiness(site: &Site) -> (u16, Value) {
    let answer = reqwest::get(format!("{}/readyz", site.base())).await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

const UNWRITABLE: &str = "The database can't be written: nothing can be changed right now.";

/// Nobody asks for a write, and nobody but the service itself finds out that they succeed again.
#[test]
fn a_read_only_database_is_not_ready_until_it_takes_writes() {
    block_on(async {
        let cluster = Cluster::new("");
        cluster.start();
        let url = cluster.address("tracewright", "");
        let site = Site::start_with(Engine::Postgres, |settings| settings.database = Some(url.clone())).await;
        let admin = site.admin().await;
        assert_eq!(readiness(&site).await.0, 200);
        cluster.sql("alter system set default_transaction_read_only = on");
        cluster.sql("select pg_reload_conf()");
        let (_, told) =
            site.eventually(async || Some(readiness(&site).await).filter(|(status, _)| *status == 503)).await;
        assert_eq!(told, json!({ "detail": { "message": UNWRITABLE } }));
        let refused = admin.patch("/config", json!({ "company_name": "Lost" })).await.expect(503);
        assert_eq!(refused.body, told);
        admin.get("/product").await.expect(200);
        cluster.sql("alter system reset default_transaction_read_only");
        cluster.sql("select pg_reload_conf()");
        site.eventually(async || (readiness(&site).await.0 == 200).then_some(())).await;
        admin.patch("/config", json!({ "company_name": "Kept" })).await.expect(200);
        site.stop().await;
    });
}

/// As when its disk is mounted anew without writes.
#[test]
fn a_read_only_file_is_not_ready() {
    block_on(async {
        let site = Site::start(Engine::Sqlite).await;
        let admin = site.admin().await;
        assert_eq!(readiness(&site).await.0, 200);
        let read_only = async |tx: &mut Tx| Ok(tx.run(Sql::raw("pragma query_only = on"), &[]).await?);
        site.app().write("read only", read_only).await.unwrap();
        admin.patch("/config", json!({ "company_name": "Lost" })).await.expect(503);
        for _ in 0..3 {
            assert_eq!(readiness(&site).await, (503, json!({ "detail": { "message": UNWRITABLE } })));
        }
        admin.get("/product").await.expect(200);
    });
}

#[test]
fn readiness_checks_do_not_take_the_database_from_others() {
    testkit::run(Engine::Postgres, async |site| {
        let (held, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (app, signals) = (site.app().clone(), (held.clone(), go_on.clone()));
        // A database that does not answer for a while.
        let holding = tokio::spawn(async move {
            app.write("hold", async move |tx: &mut Tx| {
                tx.run(Sql::raw("lock table migration in access exclusive mode"), &[]).await?;
                signals.0.notify_one();
                signals.1.notified().await;
                Ok(())
            })
            .await
        });
        held.notified().await;
        let address = format!("{}/readyz", site.base());
        let checks: Vec<_> = (0..40).map(|_| tokio::spawn(reqwest::get(address.clone()))).collect();
        let waiting = async || {
            let sql =
                "select count(*) from pg_stat_activity
                 where datname = current_database() and wait_event_type = 'Lock' and query = 'select count(*) from migration'";
            site.look::<i64>(sql, vec![]).await.unwrap()
        };
        site.eventually(async || (waiting().await > 0).then_some(())).await;
        for _ in 0..20 {
            site.visitor("").get("/config").await.expect(200);
            assert_eq!(waiting().await, 1, "one asks for all");
        }
        go_on.notify_one();
        holding.await.unwrap().unwrap();
        for check in checks {
            assert_eq!(check.await.unwrap().unwrap().status(), 200);
        }
    });
}
