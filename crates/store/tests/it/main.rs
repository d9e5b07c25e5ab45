//! The store on both engines, without HTTP.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on has failed")]

mod door;
mod events;
mod feed;
mod migrations;
mod nodes;
mod pages;
mod pairs;
mod plans;
mod queries;
mod rights;
mod serial_search;
mod shared;
mod statements;
mod tls;
mod usage;

use store::{Db, Location};
use testkit::Engine;
use testkit::engine::Place;

/// An empty, migrated database of its own.
async fn open(place: &Place) -> Db {
    Db::open(&location(place)).await.expect("the database opens").0
}

fn location(place: &Place) -> Location {
    place.settings().location().expect("a location")
}

/// Runs a test on both engines, one after the other.
fn on_both(test: impl AsyncFn(Db)) {
    on(&[Engine::Sqlite, Engine::Postgres], test);
}

/// Runs a test of what PostgreSQL alone can do.
fn on_postgres(test: impl AsyncFn(Db)) {
    on(&[Engine::Postgres], test);
}

fn on(engines: &[Engine], test: impl AsyncFn(Db)) {
    testkit::block_on(async {
        for engine in engines.iter().copied() {
            let place = Place::with_tables(engine).await;
            let db = open(&place).await;
            test(db.clone()).await;
            db.close().await;
            place.remove().await;
        }
    });
}
