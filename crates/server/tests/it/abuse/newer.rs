//! Another node has brought the database to a newer version: this one serves nothing any more.

use testkit::{Engine, Value, block_on, json};

#[test]
fn an_old_node_stops_serving() {
    block_on(async {
        let site = testkit::Site::start(Engine::Postgres).await;
        let admin = site.admin().await;
        assert!(site.app().db.is_current().await.unwrap());
        site.place.sql("insert into migration (number, name) values (10000, '10000_of_tomorrow')").await;
        // What the renewal of the node's number does.
        assert!(!site.app().db.is_current().await.unwrap());
        let ready = reqwest::get(format!("{}/readyz", site.base())).await.unwrap();
        assert_eq!(ready.status(), 503);
        let told = "This node's version is older than its database: it serves nothing until it is updated.";
        assert_eq!(ready.json::<Value>().await.unwrap(), json!({ "detail": { "message": told } }));
        let refused = [
            admin.get("/product").await,
            admin.post("/product", json!({ "_key": "A", "code": "A" })).await,
            site.visitor("admin").try_sign_in(testkit::ADMIN_PASSWORD).await,
        ];
        for refused in refused {
            let refused = refused.expect(503);
            assert_eq!(refused.body["detail"]["message"], told);
            assert!(!refused.header("retry-after").is_empty());
        }
        let alive = reqwest::get(format!("{}/healthz", site.base())).await.unwrap();
        assert_eq!(alive.status(), 200, "nobody restarts it for that");
        // And should the database become the old one again, it goes on.
        site.place.sql("delete from migration where number = 10000").await;
        assert!(site.app().db.is_current().await.unwrap());
        admin.get("/product").await.expect(200);
        site.stop().await;
    });
}
