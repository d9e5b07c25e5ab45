//! The demonstration plant: what it holds, that it holds together, and that it is the same each time.

use api::Clock;
use domain::Timestamp;
use futures_util::future;
use store::Db;
use store::backup::Progress;
use testkit::engine::{Engine, Place};
use testkit::{Person, Site, Value, block_on, json};
use tracewright::{Settings, StartError, demo};

use crate::abuse::foreign::old_site;
use crate::process::{refused, tracewright};
use crate::serials::each;

const PASSWORD: &str = "twelve screws crosswise";
/// A Wednesday, and the same a week later.
const NOW: &str = "2026-03-04T12:00:00Z";
const LATER: &str = "2026-03-11T12:00:00Z";

struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
}

fn settings(place: &Place) -> Settings {
    Settings { admin_password: Some(PASSWORD.to_owned()), ..place.settings() }
}

/// A site with the plant, whose story ends at that moment.
async fn filled(engine: Engine, now: &str) -> Site {
    let (place, clock) = (Place::new(engine).await, Clock::manual(Timestamp::parse(now).unwrap()));
    let made = demo::fill(&settings(&place), clock.clone(), &Silent).await.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((made.password.as_str(), made.orders), (PASSWORD, 20));
    assert!((300..500).contains(&made.units), "{}", made.units);
    Site::start_at(place, clock).await
}

async fn read(person: &Person, path: &str) -> Value {
    let body = person.get(path).await.expect(200).body;
    if body["detail"].is_null() { body } else { body["detail"].clone() }
}

/// The unit with this code.
async fn unit(person: &Person, code: &str) -> String {
    let found = read(person, &format!("/serial-code?serial_code={code}")).await;
    assert_eq!(found.as_array().unwrap().len(), 1, "{code}");
    found[0]["_key"].as_str().unwrap().to_owned()
}

/// What the record of a unit lacks.
async fn lacks(person: &Person, code: &str) -> Vec<String> {
    let record = read(person, &format!("/serial/{}/dhr?format=json", unit(person, code).await)).await;
    let missing = each(&record["missing_evidence"], "kind");
    assert_eq!(record["complete"], missing.is_empty(), "{code}: {missing:?}");
    missing
}

async fn everybody_can_sign_in(site: &Site) {
    for account in demo::ACCOUNTS {
        let person = site.visitor(account.username).sign_in(PASSWORD).await;
        assert_eq!(person.get("/whoami").await.detail()["scope"], account.scope, "{}", account.username);
    }
}

async fn nothing_is_altered(site: &Site) {
    let mut command = tracewright(&["verify"]);
    command.args(site.place.flags());
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success() && text.contains("Everything is as it was sealed."), "{text}");
    assert!(text.contains(" 0 not in a block yet"), "{text}");
}

async fn records_are_complete_or_say_what_they_lack(auditor: &Person) {
    assert!(lacks(auditor, "DS7-00001").await.is_empty());
    assert!(lacks(auditor, "DU7-00010").await.is_empty(), "its sensor was replaced");
    assert_eq!(lacks(auditor, "DU7-00015").await, ["file_missing"]);
    assert_eq!(lacks(auditor, "BT5-0107").await, ["form_value_missing"]);
    assert_eq!(lacks(auditor, "DU7-00024").await, ["issue_open"]);
}

async fn a_component_is_traced_through_four_levels(auditor: &Person) {
    let module = unit(auditor, "PM4-0002").await;
    let trace = read(auditor, &format!("/trace/serial/{module}?direction=up")).await;
    let mut levels: Vec<(i64, &str)> = Vec::new();
    for node in trace["nodes"].as_array().unwrap() {
        levels.push((node["level"].as_i64().unwrap(), node["product_code"].as_str().unwrap()));
    }
    levels.sort_unstable();
    assert_eq!(levels, [(-4, "DS-250"), (-3, "DU-250"), (-2, "CU-7"), (-1, "PB-7"), (0, "PM-4")]);
    let explosion = read(auditor, "/product/ds-250/bom/explode").await;
    let depths = explosion["nodes"].as_array().unwrap().iter().map(|node| node["depth_max"].as_i64().unwrap());
    assert_eq!(depths.max(), Some(4));
    let recall = read(auditor, "/trace/recall?product_key=pm-4&code=PM4-00*&limit=1000").await;
    let place = |row: &Value| row["location"]["status"].as_str().unwrap().to_owned();
    let mut places: Vec<String> = recall.as_array().unwrap().iter().map(place).collect();
    places.sort_unstable();
    places.dedup();
    assert!(places.len() >= 3, "{places:?}");
}

/// How many records of a list have each of these values.
fn tally(list: &Value, member: &str, values: &[&str]) -> Vec<usize> {
    let has = |value: &str| list.as_array().unwrap().iter().filter(|one| one[member] == value).count();
    values.iter().map(|value| has(value)).collect()
}

async fn there_is_something_of_everything(auditor: &Person) {
    let orders = read(auditor, "/work-order").await;
    let stages = tally(&orders, "status", &["created", "started", "closed"]);
    assert!(stages.iter().all(|count| *count >= 3), "{stages:?}");
    assert_eq!(orders.as_array().unwrap().iter().filter(|order| order["critical"] == true).count(), 1);
    let jobs = read(auditor, "/job?stage=started").await;
    let active = |wanted: bool| jobs.as_array().unwrap().iter().filter(|job| job["active"] == wanted).count();
    assert_eq!((active(true), active(false) > 0), (2, true), "work under way and paused");
    let lists = read(auditor, "/movement-list").await;
    assert_eq!(tally(&lists, "status", &["planned", "started", "completed", "canceled"]), [1, 2, 2, 1]);
    let sessions = read(auditor, "/inventory/count-session").await;
    assert_eq!(tally(&sessions, "status", &["started", "applied"]), [1, 1]);
    let tasks = read(auditor, "/task").await;
    let statuses = tally(&tasks, "status", &["pending", "open", "completed", "canceled"]);
    assert!(statuses.iter().all(|count| *count > 0), "{statuses:?}");
    let issues = read(auditor, "/issue").await;
    let open = |wanted: bool| issues.as_array().unwrap().iter().filter(|issue| issue["open"] == wanted).count();
    assert!(open(true) >= 3 && open(false) >= 2, "{issues}");
    let below = read(auditor, "/inventory?group_by=product&below_minimum=true").await;
    assert!(!below.as_array().unwrap().is_empty());
    let scrapped = read(auditor, "/serial?state=scrapped&limit=1000").await;
    assert!(scrapped.as_array().unwrap().len() >= 5);
    let events = auditor.get("/event?limit=1&count=true").await.expect(200);
    let events: i64 = events.header("x-total-count").parse().unwrap();
    assert!((1_500..4_000).contains(&events), "{events}");
}

/// What is compared of two plants.
const LISTS: &[&str] = &[
    "/product?details=true&limit=1000",
    "/user",
    "/department",
    "/field",
    "/operation",
    "/position?limit=1000",
    "/inventory?limit=10000",
    "/inventory?root_position_key=OUT",
    "/movement?limit=10000",
    "/movement-list?limit=1000",
    "/work-order?limit=1000",
    "/job?limit=1000",
    "/serial?limit=10000&sort_by=code&sorting_order=asc",
    "/inventory/count-session",
    "/inventory/count-record",
    "/issue?sorting_order=asc",
    "/task",
    "/event?sort_by=seq&sorting_order=asc&limit=10000",
];

/// A value without keys, revisions and times.
fn bare(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| *name != "_rev");
            kept.map(|(name, value)| (veiled(name), bare(value))).collect()
        }
        Value::Array(values) => values.iter().map(bare).collect(),
        Value::String(text) if is_time(text) => json!("time"),
        Value::String(text) => json!(veiled(text)),
        other => other.clone(),
    }
}

fn is_time(text: &str) -> bool {
    text.starts_with("20") && text.len() >= 10 && Timestamp::parse(text).is_ok()
}

/// A text without the keys in it.
fn veiled(text: &str) -> String {
    let is_key = |word: &str| {
        word.len() == 13 && word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'v').contains(&byte))
    };
    let words = text.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric());
    let veil = |word: &str| {
        let end = word.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
        if is_key(end) { word.replace(end, "key") } else { word.to_owned() }
    };
    words.map(veil).collect()
}

async fn is_the_same(one: &Person, other: &Person) {
    for path in LISTS {
        let (one, other) = (bare(&read(one, path).await), bare(&read(other, path).await));
        let (one, other) = (one.as_array().unwrap(), other.as_array().unwrap());
        assert_eq!(one.len(), other.len(), "{path}");
        assert!(!one.is_empty(), "{path}");
        for (place, (one, other)) in one.iter().zip(other).enumerate() {
            assert_eq!(one, other, "{path}, element {place}");
        }
    }
}

fn the_plant(engine: Engine) {
    block_on(async {
        let (site, later) = future::join(filled(engine, NOW), filled(engine, LATER)).await;
        everybody_can_sign_in(&site).await;
        nothing_is_altered(&site).await;
        let admin = site.visitor("admin").sign_in(PASSWORD).await;
        let auditor = site.visitor("thomas.gruber").sign_in(PASSWORD).await;
        records_are_complete_or_say_what_they_lack(&auditor).await;
        a_component_is_traced_through_four_levels(&auditor).await;
        there_is_something_of_everything(&auditor).await;
        everybody_can_sign_in(&later).await;
        let others = later.visitor("admin").sign_in(PASSWORD).await;
        later.visitor("thomas.gruber").sign_in(PASSWORD).await;
        is_the_same(&admin, &others).await;
        site.stop().await;
        later.stop().await;
    });
}

#[test]
fn the_plant_sqlite() {
    the_plant(Engine::Sqlite);
}

#[test]
fn the_plant_postgres() {
    the_plant(Engine::Postgres);
}

/// A site that anybody has started is left alone, whatever it holds.
fn a_site_in_use(engine: Engine) {
    block_on(async {
        let place = Place::new(engine).await;
        let clock = Clock::manual(Timestamp::parse(NOW).unwrap());
        tracewright::start(&settings(&place), clock.clone()).await.expect("the site starts").stop().await;
        let error = demo::fill(&settings(&place), clock.clone(), &Silent).await.expect_err("it is in use");
        assert!(matches!(&error, StartError::Other(words) if words.contains("in use")), "{error}");
        let mut command = tracewright(&["demo"]);
        command.args(place.flags());
        let words = refused(tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap());
        assert!(words.contains("needs an empty folder or database"), "{words}");
        let site = Site::start_at(place, clock).await;
        let admin = site.visitor("admin").sign_in(PASSWORD).await;
        assert_eq!((read(&admin, "/product").await, site.count("event").await), (json!([]), 0));
        site.stop().await;
    });
}

#[test]
fn a_site_in_use_sqlite() {
    a_site_in_use(Engine::Sqlite);
}

#[test]
fn a_site_in_use_postgres() {
    a_site_in_use(Engine::Postgres);
}

/// A site of an older version is not even migrated.
fn an_old_site(engine: Engine) {
    block_on(async {
        let place = old_site(engine).await;
        let clock = Clock::manual(Timestamp::parse(NOW).unwrap());
        let error = demo::fill(&settings(&place), clock, &Silent).await.expect_err("it is in use");
        assert!(matches!(&error, StartError::Other(words) if words.contains("in use")), "{error}");
        let location = place.settings().location().unwrap();
        let beside = Db::open_beside(&location).await.expect("it can be read");
        let found = beside.check_version().await.expect_err("it is old").to_string();
        assert!(found.contains("has migration 6 "), "{found}");
        beside.close().await;
        place.remove().await;
    });
}

#[test]
fn an_old_site_sqlite() {
    an_old_site(Engine::Sqlite);
}

#[test]
fn an_old_site_postgres() {
    an_old_site(Engine::Postgres);
}
