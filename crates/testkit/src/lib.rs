//! A real server in a test: real HTTP, a real database, users as objects and a clock that tests move by hand.
//! Every test runs on both engines; see [`on_both_engines`].
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't set itself up has failed")]

mod answer;
pub mod cluster;
pub mod engine;
pub mod journal;
mod ledger;
mod person;
mod site;
mod snapshot;
pub mod storage;
mod stream;
mod template;

pub use answer::Answer;
pub use engine::Engine;
pub use person::{Person, form};
pub use reqwest::Method;
pub use serde_json::{Value, json};
pub use site::{ADMIN_PASSWORD, Site};
pub use snapshot::Album;
pub use storage::Storage;
pub use stream::{Listener, Message, Said};

/// Declares tests that run once on SQLite and once on PostgreSQL, each on a new site.
#[macro_export]
macro_rules! on_both_engines {
    ($($(#[$meta:meta])* async fn $name:ident($site:ident) $body:block)+) => {$(
        $(#[$meta])*
        mod $name {
            #[allow(unused_imports, reason = "not every test needs all that its file does")]
            use super::*;

            async fn check($site: &$crate::Site) $body

            #[test]
            fn sqlite() {
                $crate::run($crate::Engine::Sqlite, async |site| check(site).await);
            }

            #[test]
            fn postgres() {
                $crate::run($crate::Engine::Postgres, async |site| check(site).await);
            }
        }
    )+};
}

/// Runs one test on a new site of one engine.
pub fn run(engine: Engine, check: impl AsyncFnOnce(&Site)) {
    block_on(async {
        let site = Site::start(engine).await;
        check(&site).await;
        site.check_audit().await;
        site.stop().await;
    });
}

/// Drives a test that sets up its own sites.
pub fn block_on(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    runtime.block_on(test);
}
