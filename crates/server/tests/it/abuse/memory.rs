//! Large bodies: how large, and how many at once.

use testkit::{Engine, Method, Site, block_on, json, on_both_engines};

use super::raw::Raw;

const MIB: usize = 1024 * 1024;

/// JSON of about so many bytes, most of it blanks.
fn blank(bytes: usize) -> String {
    format!("{{{}}}", " ".repeat(bytes - 2))
}

on_both_engines! {
    async fn bodies_are_as_large_as_their_operation_says(site) {
        let admin = site.admin().await;
        let send = async |method: Method, path: &str, bytes: usize| {
            let request = admin.request(method, path).header("content-type", "application/json").body(blank(bytes));
            admin.send(request).await.status
        };
        assert_eq!(send(Method::POST, "/product", MIB).await, 422);
        assert_eq!(send(Method::POST, "/product", MIB + 1).await, 413);
        assert_eq!(send(Method::DELETE, "/files", MIB + 1).await, 413);
        for (method, path) in [(Method::POST, "/tag"), (Method::POST, "/user"), (Method::PATCH, "/preferences")] {
            assert_ne!(send(method, path, MIB).await, 413, "{path}");
        }
        for (method, path) in [
            (Method::POST, "/event"),
            (Method::PUT, "/product/x/bom"),
            (Method::PUT, "/product/x/process"),
            (Method::POST, "/list/x"),
            (Method::POST, "/job/update"),
        ] {
            assert_eq!(send(method, path, 2 * MIB).await, 422, "{path}");
        }
        let large: Vec<&str> =
            vec!["POST /event", "PUT /product/{product_key_or_code}/bom", "PUT /product/{product_key}/process", "POST /list/{field_key}", "POST /job/update"];
        for operation in api::areas::operations() {
            let name = format!("{} {}", operation.method, operation.path);
            assert!(!large.contains(&name.as_str()) || operation.body_limit == 32 * MIB, "{name}");
        }
    }
}

#[test]
fn bodies_share_a_memory_that_has_an_end() {
    block_on(async {
        let site = Site::start_with(Engine::Sqlite, |settings| settings.body_memory_bytes = Some(16 * MIB)).await;
        let admin = site.admin().await;
        let taken = || site.app().memory.taken();
        // Somebody sends most of a large body, and then nothing.
        let mut slow = Raw::begin(&site, &admin, "POST", "/event", "application/json").await;
        for _ in 0..14 {
            assert!(slow.send(&vec![b' '; MIB]).await);
        }
        site.eventually(async || (taken() >= 14 * MIB - 64 * 1024).then_some(())).await;
        let large =
            || admin.request(Method::POST, "/event").header("content-type", "application/json").body(blank(4 * MIB));
        let answer = admin.send(large()).await.expect(503);
        assert_eq!(answer.header("retry-after"), "2");
        assert!(answer.body["detail"]["message"].is_string(), "{}", answer.text);
        admin.post("/tag", json!({ "name": "small ones get through" })).await.expect(200);
        drop(slow);
        site.eventually(async || (taken() == 0).then_some(())).await;
        admin.send(large()).await.expect(422);
        // Of two who want too much together, one gets it: who is refused keeps nothing back.
        let body = format!("[{}]", " ".repeat(12 * MIB));
        let post =
            || admin.request(Method::POST, "/list/f").header("content-type", "application/json").body(body.clone());
        for _ in 0..3 {
            let (one, other) = tokio::join!(admin.send(post()), admin.send(post()));
            let mut both = [one.status, other.status];
            both.sort_unstable();
            assert!(both == [404, 503] || both == [404, 404], "{both:?}");
        }
        // Few bytes may be many values: those count as well, and what could never fit is told so.
        let many = format!("[{}1]", "1,".repeat(200_000));
        let request = admin.request(Method::POST, "/list/f").header("content-type", "application/json").body(many);
        admin.send(request).await.expect(413);
        assert_eq!(taken(), 0, "everything is given back");
        site.stop().await;
    });
}

#[test]
fn a_user_who_holds_large_bodies_leaves_room_for_the_others() {
    block_on(async {
        let site = Site::start_with(Engine::Sqlite, |settings| settings.body_memory_bytes = Some(16 * MIB)).await;
        let (admin, other) = (site.admin().await, site.user("other", "admin").await);
        let taken = || site.app().memory.taken();
        let mut slow = Raw::begin(&site, &admin, "POST", "/event", "application/json").await;
        for _ in 0..6 {
            assert!(slow.send(&vec![b' '; MIB]).await);
        }
        site.eventually(async || (taken() >= 6 * MIB - 64 * 1024).then_some(())).await;
        let large = async |person: &testkit::Person| {
            let request = person.request(Method::POST, "/event").header("content-type", "application/json");
            person.send(request.body(blank(4 * MIB))).await.status
        };
        assert_eq!(large(&admin).await, 503, "half of it is taken by the same user");
        assert_eq!(large(&other).await, 422);
        drop(slow);
        site.eventually(async || (taken() == 0).then_some(())).await;
        assert_eq!(large(&admin).await, 422);
        site.stop().await;
    });
}
