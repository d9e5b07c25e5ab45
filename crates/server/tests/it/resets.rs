//! Scenario 15 as far as its collections exist. Serials, issues and stock come with their areas.

use domain::key::{WorkOrderKey, id_to_text};
use testkit::journal::{append, event};
use testkit::{Person, Site, json, on_both_engines};

/// A running order with one of everything that hangs on it. The product `routed` has a process.
pub(crate) async fn running_order(site: &Site, admin: &Person, key: i64) -> String {
    let phase = admin.get("/product/routed/process").await.expect(200).body[0]["_key"].as_str().unwrap().to_owned();
    let phase = domain::key::id_from_text(&phase).unwrap();
    let statements = [
        "insert into work_order (key, wo_code, wo_code_folded, product_id, product_key, product_code, product_code_folded,
             qt_planned, priority, extra, serial_code_on_creation, serial_fields, wo_docs, status, active, qt_completed,
             qt_scrap, progress, created, created_by, place)
         select $1, 'WO-' || $1, 'wo-' || $1, id, key, code, code_folded, 4, false, '{}', false, '[]', '[]', 'started', true,
                2, 0, 0, 0, 'mario', 1
         from product where key = 'routed' and $2 > 0",
        "insert into work_order_bom (work_order_key, lines) select $1, '[]' where $2 > 0",
        "insert into order_phase (work_order_key, phase_key, place, alias, operation_key, params, steps, step_count)
         select $1, key, 0, alias, operation_key, params, '[]', 0 from phase where key = $2",
        "insert into job (key, work_order_key, phase_key, parameters, extra, stage, active, qt_planned, qt_completed, qt_released,
             qt_scrap, active_batch_qt, steps_done, progress, next_batch_available, place)
         values ($1 * 10, $1, $2, '{}', '{}', 'started', true, 4, 2, 0, 0, 0, 0, 0, false, 1)",
        "insert into batch (key, job_key, phase_key, work_order_key, started, active, qt_total)
         values ($1 * 10, $1 * 10, $2, $1, 0, true, 2)",
        "insert into work_session (key, batch_key, job_key, phase_key, work_order_key, user_key, started, active, hourly_cost)
         select $1 * 10, $1 * 10, $1 * 10, $2, $1, key, 0, true, 0 from user_account where username = 'admin'",
        "insert into step_execution (key, job_key, batch_key, step_key, user_key, status, form_data)
         values ($1 * 10, $1 * 10, $1 * 10, $2, 'mario', 'to_do', '[]')",
        "insert into wip (key, work_order_key, from_phase, to_phase, batch_key, quantity)
         values ($1 * 10, $1, $2, $2, $1 * 10, 1)",
    ];
    for statement in statements {
        site.execute(statement, vec![key.into(), phase.into()]).await;
    }
    let shown = id_to_text(key);
    let file = "insert into file (key, bucket, object_key, name, object, size, content_type, sha256, created)
                values ($1, 'traceability', $2, 'a', 'files/x', 1, 'text/plain', $3, 0)";
    site.execute(file, vec![(key * 100).into(), shown.as_str().into(), vec![0_u8].into()]).await;
    let connection = "insert into media_connection (key, media_key, from_id) select $1, key, $2 from media";
    for (place, from) in [format!("WorkOrder/{shown}"), format!("Job/{}", id_to_text(key * 10))].into_iter().enumerate()
    {
        site.execute(connection, vec![(key * 100 + place as i64).into(), from.into()]).await;
    }
    let mut events = vec![event(key * 1_000, "JOB_STARTED"), event(key * 1_000 + 1, "BATCH_CREATED")];
    events.iter_mut().for_each(|event| event.concerns.work_order_key = Some(WorkOrderKey(key)));
    events[0].payload = json!({ "job_keys": [id_to_text(key * 10)] });
    append(&site.app().db, events).await;
    shown
}

pub(crate) async fn routed_product(admin: &Person) {
    admin.post("/operation", json!({ "_key": "work", "name": "work" })).await.expect(200);
    admin.post("/product", json!({ "_key": "routed", "code": "routed" })).await.expect(201);
    let process = json!([{ "alias": "a", "operation_key": "work", "steps": [{ "title": "s" }] }]);
    admin.put("/product/routed/process", process).await.expect(200);
}

const TABLES: [&str; 12] = [
    "work_order",
    "work_order_bom",
    "order_phase",
    "job",
    "batch",
    "work_session",
    "step_execution",
    "wip",
    "event",
    "event_listed",
    "file",
    "media_connection",
];

async fn counts(site: &Site) -> Vec<i64> {
    let mut counts = Vec::new();
    for table in TABLES {
        counts.push(site.count(table).await);
    }
    counts
}

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
        let nothing = json!({
            "Batch": 0, "Event": 0, "Job": 0, "Queue": 2, "StepExecutionData": 0, "WorkOrder": 0, "WorkSession": 0, "has_tag": 2,
            "wip": 0
        });
        assert_eq!(removed["removed"], nothing);
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

    async fn an_order_goes_with_everything_and_the_others_stay(site) {
        let admin = site.admin().await;
        routed_product(&admin).await;
        admin.upload(testkit::Method::POST, "/media/create", &[], &[("file", "a.png", b"\x89PNG\r\n\x1a\n")]).await.expect(200);
        let first = running_order(site, &admin, 101).await;
        let one = counts(site).await;
        running_order(site, &admin, 102).await;
        append(&site.app().db, vec![event(5, "QUEUE_UPDATED")]).await;
        admin.post("/tag", json!({ "_key": "t", "name": "t" })).await.expect(200);
        for key in [&first, "other"] {
            let link = "insert into has_tag (collection, record_key, tag_key) values ('WorkOrder', $1, 't')";
            site.execute(link, vec![key.into()]).await;
        }
        let removed = admin.delete(&format!("/force-delete-work-order/{first}")).await.detail();
        let expected = json!({
            "Batch": 1, "Event": 2, "Job": 1, "StepExecutionData": 1, "WorkOrder": 1, "WorkSession": 1, "has_tag": 1, "wip": 1
        });
        assert_eq!(removed["removed"], expected);
        let mut left = counts(site).await;
        left[8] -= 1;
        assert_eq!(left, one, "the other order, and the event of none");
        admin.delete(&format!("/force-delete-work-order/{first}")).await.expect(404);
        let entry = admin.get(&format!("/audit?target=WorkOrder/{first}&outcome=ok")).await.body;
        assert_eq!((entry.as_array().unwrap().len(), &entry[0]["targets_total"]), (1, &json!(8)));
        let seal = admin.get("/event/seal").await.body.as_array().unwrap().last().unwrap().clone();
        assert_eq!((&seal["reason"], &seal["user_key"], &seal["count"]), (&json!("force_delete_work_order"), &json!(admin.key), &json!(2)));
        assert_eq!(admin.get("/event/verify").await.detail()["ok"], true);
        assert_eq!(admin.get("/event").await.body.as_array().unwrap().len(), 3);

        let removed = admin.delete("/reset/prod").await.detail();
        let expected = json!({
            "Batch": 1, "Event": 3, "Job": 1, "Queue": 1, "StepExecutionData": 1, "WorkOrder": 1, "WorkSession": 1, "has_tag": 1,
            "wip": 1
        });
        assert_eq!(removed["removed"], expected);
        assert_eq!(counts(site).await, [0; TABLES.len()]);
        assert_eq!((site.count("product").await, site.count("phase").await, site.count("media").await), (1, 1, 1));
        let entry = admin.get("/audit?operation=delete_reset_prod").await.body;
        assert_eq!(entry[0]["targets_total"], 11, "eight records besides two queues and a tagged one, in all: {entry}");
        let found = admin.get("/event/verify").await.detail();
        assert_eq!((&found["ok"], &found["events_removed"], &found["events_checked"]), (&json!(true), &json!(5), &json!(0)));
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
