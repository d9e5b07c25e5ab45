//! Scenario 15 as far as its collections exist: queue, tags and files. Orders, serials, issues and stock come with their areas.

use testkit::{json, on_both_engines};

on_both_engines! {
    async fn production_is_emptied_to_one_site_queue(site) {
        let admin = site.admin().await;
        site.execute("insert into queue (key, type, site_key, subqueue_target_key, independent) values ('q', 'o', '0', 'mario', true)", vec![]).await;
        for (key, bucket) in [(1_i64, "serial"), (2, "traceability"), (3, "issue"), (4, "product")] {
            let sql = "insert into file (key, bucket, object_key, name, object, size, content_type, sha256, created)
                       values ($1, $2, 'x', 'a', 'files/x', 1, 'text/plain', $3, 0)";
            site.execute(sql, vec![key.into(), bucket.into(), vec![0_u8].into()]).await;
        }
        admin.post("/tag", json!({ "_key": "t", "name": "t" })).await.expect(200);
        for collection in ["Serial", "WorkOrder", "Position"] {
            site.execute("insert into has_tag (collection, record_key, tag_key) values ($1, 'IN', 't')", vec![collection.into()]).await;
        }
        let removed = admin.delete("/reset/prod").await.detail();
        assert_eq!(removed["removed"], json!({ "Queue": 2, "has_tag": 2 }));
        let queue: (String, String, bool) =
            site.look("select type, site_key, independent from queue", vec![]).await.expect("one queue");
        assert_eq!(queue, ("s".to_owned(), "0".to_owned(), false));
        assert_eq!((site.count("file").await, site.count("has_tag").await), (1, 1));
        assert_eq!(site.count("position").await, 3);
        assert!(site.count("audit").await > 0);
        let entry = admin.get("/audit?operation=delete_reset_prod").await.body;
        assert_eq!((entry.as_array().unwrap().len(), &entry[0]["outcome"]), (1, &json!("ok")));
    }

    async fn inventory_and_orders(site) {
        let admin = site.admin().await;
        assert_eq!(admin.delete("/reset/inventory").await.detail(), json!({ "removed": {} }));
        assert_eq!(site.count("position").await, 3);
        admin.delete("/force-delete-work-order/0000000000001").await.expect(404);
        let entry = admin.get("/audit?target=WorkOrder/0000000000001").await.body;
        assert_eq!((entry.as_array().unwrap().len(), &entry[0]["outcome"]), (1, &json!("refused")));
        let planner = site.user("planner", "production library quality warehouse").await;
        for path in ["/reset/prod", "/reset/inventory", "/force-delete-work-order/x"] {
            planner.delete(path).await.expect(403);
        }
    }

    async fn resets_at_once_leave_one_queue(site) {
        let admin = site.admin().await;
        let resets = futures_util::future::join_all((0..6).map(|_| admin.delete("/reset/prod"))).await;
        assert!(resets.iter().all(|answer| answer.status == 200));
        assert_eq!(site.count("queue").await, 1);
    }

    async fn a_failure_at_the_commit_changes_nothing(site) {
        let admin = site.admin().await;
        let before: String = site.look("select key from queue", vec![]).await.unwrap();
        crate::sweep::refuse_audit(site).await;
        let failed = admin.delete("/reset/prod").await.expect(500);
        assert!(failed.body["detail"]["error_id"].is_string());
        assert_eq!(site.look::<String>("select key from queue", vec![]).await.unwrap(), before);
    }
}
