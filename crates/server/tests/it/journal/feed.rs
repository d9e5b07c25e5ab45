//! Once a number was seen, none below it appears any more, whoever stores how many events at once.

use futures_util::future::{join, join_all};
use store::Db;
use testkit::journal::{append, event};
use testkit::{Engine, Person, Site, Value};
use tokio::sync::watch;

const WRITERS: i64 = 6;
const ROUNDS: i64 = 12;

async fn store_many(databases: &[Db]) {
    let writing = (0..WRITERS).map(|writer| {
        let db = &databases[writer as usize % databases.len()];
        async move {
            for round in 0..ROUNDS {
                let first = writer * 1_000 + round * 4;
                append(db, (first..first + 1 + round % 4).map(|key| event(key, "A")).collect()).await;
            }
        }
    });
    join_all(writing).await;
}

/// Follows the feed until the writers are done and nothing more comes.
async fn follow(person: &Person, done: watch::Receiver<bool>) -> Vec<i64> {
    let mut seen: Vec<i64> = Vec::new();
    loop {
        let finished = *done.borrow();
        let after = seen.last().copied().unwrap_or(0);
        let page =
            person.get(&format!("/event?sort_by=seq&sorting_order=asc&limit=7&after_seq={after}")).await.expect(200);
        let page: Vec<i64> =
            page.body.as_array().unwrap().iter().map(|event: &Value| event["seq"].as_i64().unwrap()).collect();
        if finished && page.is_empty() {
            return seen;
        }
        seen.extend(page);
    }
}

async fn check(site: &Site, bases: &[String], databases: &[Db]) {
    let viewer = site.user("viewer", "viewer").await;
    let (tell, done) = watch::channel(false);
    let writing = async {
        store_many(databases).await;
        tell.send_replace(true);
    };
    let readers: Vec<Person> = bases.iter().map(|base| viewer.at(base)).collect();
    let reading = join_all(readers.iter().map(|reader| follow(reader, done.clone())));
    let ((), all_seen) = join(writing, reading).await;
    let stored: Vec<i64> = site.all("select seq from event order by seq").await;
    assert!(stored.len() as i64 > WRITERS * ROUNDS);
    for seen in all_seen {
        assert_eq!(seen, stored);
    }
}

#[test]
fn readers_miss_nothing_on_the_embedded_database() {
    testkit::run(Engine::Sqlite, async |site| check(site, &[site.base()], &[site.app().db.clone()]).await);
}

#[test]
fn readers_miss_nothing_on_two_nodes() {
    testkit::run(Engine::Postgres, async |site| {
        let second = site.second_node().await;
        let bases = [site.base(), format!("http://{}", second.address)];
        check(site, &bases, &[site.app().db.clone(), second.app.db.clone()]).await;
        second.stop().await;
    });
}
