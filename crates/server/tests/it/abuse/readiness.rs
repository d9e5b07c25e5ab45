//! Questions that anybody may ask cost the same however many ask.

use std::sync::Arc;

use store::{Sql, Tx};
use testkit::Engine;
use tokio::sync::Notify;

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
