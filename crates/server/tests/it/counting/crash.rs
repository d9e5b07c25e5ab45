//! A server that dies while stock is corrected: whoever comes next goes on, and nothing is lost or done twice.

use std::time::{Duration, Instant};

use testkit::block_on;
use testkit::engine::{Engine, Place};

use super::*;
use crate::process::{Server, sign_in, tracewright};

/// More than two transactions correct.
const RECORDS_OF_A_SESSION: usize = 1_200;
/// A dead node is replaced within this.
const MOST: Duration = Duration::from_secs(60);

/// Somebody who may do everything, at a server process.
async fn admin_at(site: &Site, server: &Server) -> Person {
    let token = sign_in(&reqwest::Client::new(), &server.base).await;
    site.visitor("admin").at(&server.base).with_token(&token)
}

/// A session that is reviewed, with a difference in each of many positions; of each seventh there is none.
async fn counted(admin: &Person) -> String {
    admin.post("/product", json!({ "_key": "P", "code": "P" })).await.expect(201);
    let mut places = String::from("code\n");
    let mut counts = String::from("position_code,product_code,counted_qt\n");
    for number in 0..RECORDS_OF_A_SESSION {
        places += &format!("R-{number}\n");
        counts += &format!("R-{number},P,{}\n", number % 7);
    }
    let tried = admin.upload(Method::POST, "/position-import", &[], &[("file", "a.csv", places.as_bytes())]).await;
    let key = text(&tried.expect(200).body["file_key"]);
    let fields = [("dry_run", "false"), ("file_key", key.as_str())];
    admin.upload(Method::POST, "/position-import", &fields, &[]).await.expect(200);
    let body = json!({ "count_session": { "type": "position" } });
    let session = text(&admin.post(SESSIONS, body).await.detail()["count_session_key"]);
    for step in ["STARTED", "COMPLETED"] {
        step_by(admin, &session, step).await.expect(200);
    }
    import(admin, &session, "replace", &counts).await;
    session
}

async fn processed(who: &Person, session: &str) -> u64 {
    let answer = who.get(&format!("{SESSIONS}/{session}/processed-records")).await.expect(200);
    answer.body.as_u64().unwrap()
}

/// Waits until so many records are processed, or more.
async fn until(who: &Person, session: &str, records: u64) {
    let begun = Instant::now();
    while processed(who, session).await < records {
        assert!(begun.elapsed() < MOST, "it takes too long");
        tokio::task::yield_now().await;
    }
}

/// Everything was corrected, each difference once.
async fn is_right(who: &Person, session: &str) {
    until(who, session, RECORDS_OF_A_SESSION as u64).await;
    let begun = Instant::now();
    let path = format!("{SESSIONS}/{session}");
    let mut shown = who.get(&path).await.expect(200).body;
    while shown["status"] == "processing" {
        assert!(begun.elapsed() < MOST, "{shown}");
        tokio::task::yield_now().await;
        shown = who.get(&path).await.expect(200).body;
    }
    let differences = (0..RECORDS_OF_A_SESSION).filter(|number| number % 7 > 0).count();
    assert_eq!((&shown["status"], &shown["records_to_process"]), (&json!("applied"), &json!(RECORDS_OF_A_SESSION)));
    assert_eq!((&shown["movements_created"], &shown["movements_failed"]), (&json!(differences), &json!(0)));
    for member in ["baseline_snapshot_key", "post_count_snapshot_key", "post_adjustment_snapshot_key"] {
        assert!(shown[member].is_string(), "{member}");
    }
    let rows = who.get("/inventory?product_key=P&limit=10000").await.expect(200).body;
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), differences);
    for row in rows {
        let number: usize = row["position_code"].as_str().unwrap()[2..].parse().unwrap();
        assert_eq!((&row["quantity"], &row["locked"]), (&json!(number % 7), &json!(false)), "{row}");
    }
    let movements = who.get("/movement?movement_type=adjustment&limit=10000").await.expect(200).body;
    assert_eq!(movements.as_array().unwrap().len(), differences, "one for each difference");
    let found = who.get("/inventory/verify").await.expect(200);
    assert_eq!(found.body["ok"], true, "{}", found.text);
    assert_eq!(who.get("/event/verify").await.detail()["ok"], true);
}

/// The time of the dead node is up: nobody waits for half a minute in a test.
async fn forget_lease(place: &Place) {
    place.sql("update lease set until = 0 where name like 'count-apply:%'").await;
}

fn killed_while_it_corrects(engine: Engine) {
    block_on(async {
        let site = Site::start(Engine::Sqlite).await;
        let place = Place::new(engine).await;
        let server = Server::start(&place);
        let admin = admin_at(&site, &server).await;
        let session = counted(&admin).await;
        step_by(&admin, &session, "CONFIRMED").await.expect(200);
        until(&admin, &session, 1).await;
        server.signal("-KILL");
        drop(server);
        if engine == Engine::Postgres {
            forget_lease(&place).await;
        }
        let server = Server::start(&place);
        let admin = admin_at(&site, &server).await;
        is_right(&admin, &session).await;
        drop(server);
        let told = tracewright(&["verify"]).args(place.flags()).output().unwrap();
        assert!(told.status.success(), "{told:?}");
        place.remove().await;
        site.stop().await;
    });
}

#[test]
fn killed_while_it_corrects_sqlite() {
    killed_while_it_corrects(Engine::Sqlite);
}

#[test]
fn killed_while_it_corrects_postgres() {
    killed_while_it_corrects(Engine::Postgres);
}

/// Another node takes over when the time of the dead one is up.
#[test]
fn another_node_goes_on() {
    block_on(async {
        let site = Site::start(Engine::Sqlite).await;
        let place = Place::new(Engine::Postgres).await;
        let servers = [Server::start(&place), Server::start(&place)];
        let admin = admin_at(&site, &servers[0]).await;
        let session = counted(&admin).await;
        step_by(&admin, &session, "CONFIRMED").await.expect(200);
        let other = admin.at(&servers[1].base);
        until(&other, &session, 1).await;
        servers[0].signal("-KILL");
        forget_lease(&place).await;
        is_right(&other, &session).await;
        drop(servers);
        place.remove().await;
        site.stop().await;
    });
}

/// A stop is no crash: it ends between two transactions, and the next start goes on.
#[test]
fn a_stop_lets_the_next_start_go_on() {
    block_on(async {
        let site = Site::start(Engine::Sqlite).await;
        let hall = hall(&site).await;
        hall.depot.received("A1", 5.0).await;
        let session = hall.started().await;
        count(&hall.x, &session, "P", "A1", json!(4)).await;
        keep_from_applying(&site, &session).await;
        hall.step(&session, "COMPLETED").await.expect(200);
        hall.step(&session, "CONFIRMED").await.expect(200);
        let_go(&site).await;
        let site = site.restart().await;
        let keeper = hall.keeper().at(&site.base());
        assert_eq!(applied(&site, &keeper, &session).await["status"], "applied");
        audit(&site, &keeper).await;
        site.stop().await;
    });
}
