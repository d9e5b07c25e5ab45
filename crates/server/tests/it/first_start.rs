//! Scenario 1: the first sign-in to a new site.

use testkit::{Engine, Site, Value, block_on, json, on_both_engines};

on_both_engines! {
    async fn seeds_are_there(site) {
        let config = site.visitor("").get("/config").await.detail();
        assert_eq!(config["company_name"], "Tracewright");
        assert_eq!(config["company_logo"], Value::Null);
        assert_eq!(config["session_policy"], "single");
        assert_eq!(config["system_counters"]["work_orders"], "default");
        assert_eq!(config["operator_cost"], 25);
        let count = async |table: &str| site.count(table).await;
        assert_eq!(count("position").await, 3);
        assert_eq!(count("queue").await, 1);
        assert_eq!(count("counter").await, 1);
        assert_eq!(count("custom_field").await, 1);
        assert_eq!(site.first_password(), None, "a given password is not printed");
        let admin = site.admin().await;
        let me = admin.get("/whoami").await.detail();
        assert_eq!(me["scope"], "admin library production operator quality warehouse viewer");
    }
}

fn without_password(engine: Engine) {
    block_on(async {
        let site = Site::start_with(engine, |settings| settings.admin_password = Some(String::new())).await;
        let printed = site.first_password().expect("a printed password").to_owned();
        assert_eq!(printed.len(), 16);
        let answer = site.visitor("admin").try_sign_in(&printed).await.expect(200);
        assert_eq!(answer.body["detail"]["action"], "reset_password");
        assert_eq!(answer.body["expires_in"], 300);

        let admin = site.visitor("ADMIN ").sign_in(&printed).await;
        assert_eq!(admin.get("/whoami").await.detail()["context"], "PASSWORD_RESET");
        admin.get("/user").await.expect(403);
        let password = format!("/user/{}/password", admin.key);
        let short = admin.put(&password, json!({ "new_password": "short" })).await;
        assert_eq!(short.faults(), ["value_error body.new_password"]);
        admin.put(&password, json!({ "new_password": "twelve chars" })).await.expect(200);
        admin.put(&password, json!({ "new_password": "twelve chars" })).await.expect(401);
        let again = site.visitor("admin").try_sign_in("twelve chars").await.expect(200);
        assert_eq!(again.body["detail"]["action"], "start_session");
        site.stop().await;
    });
}

#[test]
fn random_password_sqlite() {
    without_password(Engine::Sqlite);
}

#[test]
fn random_password_postgres() {
    without_password(Engine::Postgres);
}

#[test]
fn nodes_that_start_at_once_seed_once() {
    block_on(async {
        let place = testkit::engine::Place::new(Engine::Postgres).await;
        let clock = api::Clock::system();
        let settings = place.settings();
        let starts = (0..4).map(|_| tracewright::start(&settings, clock.clone()));
        let nodes = futures_util::future::join_all(starts).await;
        let nodes: Vec<_> = nodes.into_iter().map(|node| node.expect("every node starts")).collect();
        let printed = nodes.iter().filter(|node| node.first_password.is_some()).count();
        assert_eq!(printed, 1, "one node made the site");
        let mut numbers: Vec<i64> = nodes.iter().map(|node| node.app.node.number()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [0, 1, 2, 3]);
        for node in nodes {
            node.stop().await;
        }
        place.remove().await;
    });
}
