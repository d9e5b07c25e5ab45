//! Two servers on one PostgreSQL: whatever one does, the other knows at once. Scenario 5 among it.

use futures_util::future::join_all;
use testkit::{Engine, Person, run};

async fn two_nodes(check: impl AsyncFnOnce(&testkit::Site, &str)) {
    let site = testkit::Site::start(Engine::Postgres).await;
    let second = site.second_node().await;
    let other = format!("http://{}", second.address);
    check(&site, &other).await;
    second.stop().await;
    site.stop().await;
}

#[test]
fn twenty_sign_ins_at_once_leave_one_token() {
    testkit::block_on(two_nodes(async |site, other| {
        let mario = site.new_user("mario", "operator").await;
        let sign_ins = (0..20).map(|index| {
            let here = if index % 2 == 0 { mario.clone() } else { mario.at(other) };
            async move { here.sign_in(site.password()).await }
        });
        let people: Vec<Person> = join_all(sign_ins).await;
        let mut alive = 0;
        for person in &people {
            alive += usize::from(person.get("/whoami").await.status == 200);
        }
        assert_eq!(alive, 1);
    }));
}

#[test]
fn sessions_revocation_and_throttle_are_shared() {
    testkit::block_on(two_nodes(async |site, other| {
        let mario = site.user("mario", "operator").await;
        let session = mario.at(other).open_session().await;
        assert_eq!(mario.open_session().await, session, "the same session on both nodes");
        let planner = site.user("planner", "production").await;
        planner.delete(&format!("/session/{session}?force=true")).await.expect(200);
        mario.at(other).get("/whoami").await.expect(401);
        mario.get("/whoami").await.expect(401);

        let luigi = site.new_user("luigi", "operator").await;
        for index in 0..10 {
            let here = if index % 2 == 0 { luigi.clone() } else { luigi.at(other) };
            here.try_sign_in("wrong password").await.expect(401);
        }
        luigi.at(other).try_sign_in(site.password()).await.expect(429);
        luigi.try_sign_in(site.password()).await.expect(429);
    }));
}

#[test]
fn twenty_sign_ins_at_once_on_one_node() {
    run(Engine::Sqlite, async |site| {
        let mario = site.new_user("mario", "operator").await;
        let people: Vec<Person> = join_all((0..20).map(|_| mario.sign_in(site.password()))).await;
        let mut alive = 0;
        for person in &people {
            alive += usize::from(person.get("/whoami").await.status == 200);
        }
        assert_eq!(alive, 1);
    });
}
