//! Scenario 15. What is left of issues, messages and tasks is tested in `collaboration`.

use domain::key::id_from_text;
use testkit::journal::{append, event};
use testkit::{Person, Site, Value, json, on_both_engines};

use crate::warehouse::sums;

/// A product of two phases, the first with a step and in batches of two.
async fn routed_product(admin: &Person) {
    admin.post("/operation", json!({ "_key": "work", "name": "work" })).await.expect(200);
    admin.post("/product", json!({ "_key": "routed", "code": "routed" })).await.expect(201);
    let phase = |alias: &str| {
        let params = json!({ "production_batch_qt": 2, "step_check": false });
        json!({ "alias": alias, "operation_key": "work", "params": params, "steps": [{ "title": "s" }] })
    };
    admin.put("/product/routed/process", json!([phase("a"), phase("b")])).await.expect(200);
}

/// An order at work, with something of everything that hangs on one.
async fn running_order(site: &Site, admin: &Person) -> String {
    let order = admin.post("/work-order", json!({ "product_key": "routed", "qt_planned": 4 })).await.detail();
    let order_key = order["work_order"]["_key"].as_str().unwrap().to_owned();
    let job_key = order["jobs"][0]["_key"].clone();
    let started = admin.post("/event", json!({ "event_type": "JOB_STARTED", "job_key": job_key })).await.detail();
    let step = admin.get("/product/routed/process").await.body[0]["steps"][0]["_key"].clone();
    let completed = json!({
        "event_type": "BATCH_COMPLETED", "active_batch_key": started["batch_data"]["_key"], "completed_batch_qt": 2,
        "step_data": [{ "step_key": step }]
    });
    admin.post("/event", completed).await.expect(200);
    admin.post("/event", json!({ "event_type": "JOB_PAUSED", "job_key": job_key })).await.expect(200);

    let id = id_from_text(&order_key).unwrap();
    let file = "insert into file (key, bucket, object_key, name, object, size, content_type, sha256, created)
                values ($1, 'traceability', $2, 'a', 'files/x', 1, 'text/plain', $3, 0)";
    site.execute(file, vec![id.into(), order_key.as_str().into(), vec![0_u8].into()]).await;
    let connection = "insert into media_connection (key, media_key, from_id) select $1, key, $2 from media";
    let sources = [format!("WorkOrder/{order_key}"), format!("Job/{}", job_key.as_str().unwrap())];
    for (source, key) in sources.into_iter().zip(id..) {
        site.execute(connection, vec![key.into(), source.into()]).await;
    }
    let mut listing = event(id, "TEST");
    listing.concerns.work_order_key = Some(domain::key::WorkOrderKey(id));
    listing.payload = json!({ "job_keys": [job_key] });
    append(&site.app().db, vec![listing]).await;
    order_key
}

/// A shelf with goods and with a unit, a movement that was reversed, and a list that is carried out in part.
async fn goods(admin: &Person) {
    admin.post("/position", json!({ "_key": "shelf", "code": "shelf" })).await.expect(200);
    admin.post("/product", json!({ "_key": "goods", "code": "goods" })).await.expect(201);
    admin
        .post("/product", json!({ "_key": "unit", "code": "unit", "traceability_level": "form_only" }))
        .await
        .expect(201);
    goods_again(admin).await;
    let shipment = json!({ "product_key": "goods", "position_from": "shelf", "qt_confirmed": 1 });
    let shipped = moved(admin, "shipment", shipment).await["movement_key"].clone();
    let back = json!({ "event_type": "MOVEMENT_REVERSED", "original_movement_key": shipped });
    admin.post("/event", back).await.expect(200);
    let row = json!({ "product_key": "goods", "position_from": "shelf" });
    let list = json!({ "code": "OUT", "type": "shipment", "movements": [row, row] });
    let rows = admin.post("/movement-list", list).await.detail()["movement_keys"].clone();
    let complete = json!({ "event_type": "MOVEMENT_COMPLETED", "movement_key": rows[0] });
    admin.post("/event", complete).await.expect(200);
}

/// Two receipts, which are possible as long as the unit does not lie there.
async fn goods_again(admin: &Person) {
    moved(admin, "receipt", json!({ "product_key": "goods", "position_to": "shelf", "qt_confirmed": 2.5 })).await;
    moved(
        admin,
        "receipt",
        json!({ "product_key": "unit", "position_to": "shelf", "serial_code": "U", "qt_confirmed": 1 }),
    )
    .await;
}

async fn moved(admin: &Person, movement_type: &str, members: Value) -> Value {
    let mut sent = json!({ "event_type": "MOVEMENT_COMPLETED", "movement_type": movement_type });
    sent.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    admin.post("/event", sent).await.detail()
}

/// Tables and the collections that they are.
const TABLES: [(&str, &str); 12] = [
    ("work_order", "WorkOrder"),
    ("job", "Job"),
    ("batch", "Batch"),
    ("work_session", "WorkSession"),
    ("step_execution", "StepExecutionData"),
    ("wip", "wip"),
    ("event", "Event"),
    ("event_listed", ""),
    ("work_order_bom", ""),
    ("order_phase", ""),
    ("file", ""),
    ("media_connection", ""),
];

async fn counts(site: &Site) -> Vec<i64> {
    let mut counts = Vec::new();
    for (table, _) in TABLES {
        counts.push(site.count(table).await);
    }
    counts
}

/// What the answer has to say when these rows went.
fn removed(counts: &[i64], more: Value) -> Value {
    let collections = TABLES.iter().zip(counts).filter(|((_, collection), _)| !collection.is_empty());
    let mut removed: Value = collections.map(|((_, collection), count)| (*collection, *count)).collect();
    removed.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    removed
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
            "wip": 0, "Serial": 0, "contains": 0, "batch_serial": 0, "is_in_position": 0, "movement": 0, "Issue": 0, "issue_rel": 0,
            "message": 0, "task_rel": 0
        });
        assert_eq!(removed["removed"], nothing);
        let queue: (String, String, bool) =
            site.look("select type, site_key, independent from queue", vec![]).await.expect("one queue");
        assert_eq!(queue, ("s".to_owned(), "0".to_owned(), false));
        assert_eq!((site.count("file").await, site.count("has_tag").await), (1, 1));
        assert_eq!(site.count("position").await, 3);
        assert!(site.count("audit").await > 0);
        let entry = admin.get("/audit?operation=reset_production").await.body;
        assert_eq!((entry.as_array().unwrap().len(), &entry[0]["outcome"]), (1, &json!("ok")));
    }

    async fn inventory_and_orders(site) {
        let admin = site.admin().await;
        let nothing = json!({ "inventory_count_record": 0, "is_in_position": 0, "movement": 0, "MovementList": 0 });
        assert_eq!(admin.delete("/reset/inventory").await.detail(), json!({ "removed": nothing }));
        assert_eq!(site.count("position").await, 3);
        admin.delete("/force-delete-work-order/0000000000001").await.expect(404);
        let entry = admin.get("/audit?target=WorkOrder/0000000000001").await.body;
        assert_eq!((entry.as_array().unwrap().len(), &entry[0]["outcome"]), (1, &json!("refused")));
        let planner = site.user("planner", "production library quality warehouse").await;
        for path in ["/reset/prod", "/reset/inventory", "/force-delete-work-order/x"] {
            planner.delete(path).await.expect(403);
        }
    }

    /// The last step of scenario 18.
    async fn stock_and_its_journal_are_emptied(site) {
        let admin = site.admin().await;
        goods(&admin).await;
        assert_eq!((site.count("movement").await, site.count("movement_list").await, site.count("stock").await), (6, 1, 2));
        let (serials, events) = (site.count("serial").await, site.count("event").await);
        let removed = admin.delete("/reset/inventory").await.detail();
        assert_eq!(removed["removed"], json!({ "inventory_count_record": 0, "is_in_position": 2, "movement": 6, "MovementList": 1 }));
        for table in ["movement", "movement_list", "stock", "stock_pair"] {
            assert_eq!(site.count(table).await, 0, "{table}");
        }
        for path in ["/inventory", "/movement", "/movement-list"] {
            assert_eq!(admin.get(path).await.expect(200).body, json!([]), "{path}");
        }
        assert_eq!((site.count("serial").await, site.count("event").await, site.count("position").await), (serials, events, 4));
        let found = admin.get("/inventory/verify").await.expect(200).body;
        assert_eq!((&found["ok"], &found["stock_rows"], &found["movements"]), (&json!(true), &json!(0), &json!(0)));
        assert_eq!(admin.get("/event/verify").await.detail()["ok"], true);
        goods_again(&admin).await;
        sums::audit(site, &admin).await;
    }

    /// Production takes its serials with it, and what they did in the warehouse; the rest stays.
    async fn units_leave_stock_with_production(site) {
        let admin = site.admin().await;
        goods(&admin).await;
        let removed = admin.delete("/reset/prod").await.detail()["removed"].clone();
        assert_eq!((&removed["Serial"], &removed["is_in_position"], &removed["movement"]), (&json!(1), &json!(1), &json!(1)));
        assert_eq!((site.count("movement").await, site.count("movement_list").await, site.count("stock").await), (5, 1, 1));
        sums::audit(site, &admin).await;
        goods_again(&admin).await;
        sums::audit(site, &admin).await;
    }

    /// What is left of a list says in which state it is, unless somebody has closed it.
    async fn lists_lose_their_units_with_production(site) {
        let admin = site.admin().await;
        goods(&admin).await;
        let receipt = json!({ "product_key": "unit", "position_to": "shelf", "serial_code": "V", "qt_confirmed": 1 });
        moved(&admin, "receipt", receipt).await;
        let pieces = json!({ "product_key": "goods", "position_from": "shelf", "qt_planned": 0.25 });
        let unit = |code: &str| json!({ "product_key": "unit", "position_from": "shelf", "serial_code": code });
        // So many rows are carried out, and so many of the next are canceled.
        let list = async |code: &str, rows: Value, done: usize, canceled: usize| {
            let sent = json!({ "code": code, "type": "shipment", "movements": rows });
            let made = admin.post("/movement-list", sent).await.detail();
            for (place, row) in made["movement_keys"].as_array().unwrap().iter().enumerate() {
                let carry_out = json!({ "event_type": "MOVEMENT_COMPLETED", "movement_key": row });
                let cancel = json!({ "event_type": "MOVEMENT_UPDATED", "movement_key": row, "cancel": true });
                if place < done + canceled {
                    admin.post("/event", if place < done { carry_out } else { cancel }).await.expect(200);
                }
            }
            made["movement_list_key"].as_str().unwrap().to_owned()
        };
        let lists = [
            list("EMPTY", json!([unit("U"), unit("V")]), 1, 0).await,
            list("DONE", json!([pieces, unit("V")]), 1, 0).await,
            list("UNDER-WAY", json!([pieces, pieces, unit("V")]), 1, 0).await,
            list("CANCELED", json!([pieces, unit("V")]), 0, 1).await,
            list("CLOSED", json!([unit("V")]), 0, 0).await,
        ];
        let close = json!({ "event_type": "WAREHOUSE_LIST_CLOSED", "movement_list_key": lists[4] });
        admin.post("/event", close).await.expect(200);
        let states = async || {
            let mut states = Vec::new();
            for key in &lists {
                let list = admin.get(&format!("/movement-list/{key}")).await.expect(200).body;
                let (counts, stamped) = (&list["counts"], [!list["start"].is_null(), !list["end"].is_null()]);
                states.push(json!([list["status"], stamped, counts["planned"], counts["completed"], counts["canceled"]]));
            }
            states
        };
        let before = [
            json!(["started", [true, false], 1, 1, 0]),
            json!(["started", [true, false], 1, 1, 0]),
            json!(["started", [true, false], 2, 1, 0]),
            json!(["planned", [false, false], 1, 0, 1]),
            json!(["canceled", [false, true], 0, 0, 1]),
        ];
        assert_eq!(states().await, before);
        admin.delete("/reset/prod").await.expect(200);
        let after = [
            json!(["planned", [false, false], 0, 0, 0]),
            json!(["completed", [true, true], 0, 1, 0]),
            json!(["started", [true, false], 1, 1, 0]),
            json!(["canceled", [false, true], 0, 0, 1]),
            json!(["canceled", [false, true], 0, 0, 0]),
        ];
        assert_eq!(states().await, after);
        sums::audit(site, &admin).await;
    }

    async fn goods_move_while_stock_is_emptied(site) {
        let admin = site.admin().await;
        goods(&admin).await;
        let receipt = json!({ "event_type": "MOVEMENT_COMPLETED", "movement_type": "receipt", "product_key": "goods", "qt_confirmed": 1 });
        let receipts = futures_util::future::join_all((0..20).map(|_| admin.post("/event", receipt.clone())));
        let resets = futures_util::future::join_all((0..3).map(|_| admin.delete("/reset/inventory")));
        let (receipts, resets) = tokio::join!(receipts, resets);
        for answer in receipts.into_iter().chain(resets) {
            answer.expect(200);
        }
        sums::audit(site, &admin).await;
    }

    async fn an_order_goes_with_everything_and_the_others_stay(site) {
        let admin = site.admin().await;
        routed_product(&admin).await;
        admin.upload(testkit::Method::POST, "/media/create", &[], &[("file", "a.png", b"\x89PNG\r\n\x1a\n")]).await.expect(200);
        let first = running_order(site, &admin).await;
        let one = counts(site).await;
        assert!(one.iter().all(|count| *count > 0), "something of everything: {one:?}");
        let second = running_order(site, &admin).await;
        append(&site.app().db, vec![event(5, "QUEUE_UPDATED")]).await;
        let both = counts(site).await;
        admin.post("/tag", json!({ "_key": "t", "name": "t" })).await.expect(200);
        for key in [&first, "other"] {
            let link = "insert into has_tag (collection, record_key, tag_key) values ('WorkOrder', $1, 't')";
            site.execute(link, vec![key.into()]).await;
        }
        let answer = admin.delete(&format!("/force-delete-work-order/{first}")).await.detail();
        assert_eq!(answer["removed"], removed(&one, json!({ "has_tag": 1, "contains": 0, "batch_serial": 0, "issue_rel": 0, "message": 0, "task_rel": 0 })));
        let left: Vec<i64> = both.iter().zip(&one).map(|(both, one)| both - one).collect();
        assert_eq!(counts(site).await, left, "the other order, and the event of none");
        assert_eq!(site.count("media").await, 1, "the other order has it, too");
        admin.delete(&format!("/force-delete-work-order/{first}")).await.expect(404);
        let entry = admin.get(&format!("/audit?target=WorkOrder/{first}&operation=force_delete_work_order&outcome=ok")).await.body;
        assert_eq!((entry.as_array().unwrap().len(), &entry[0]["targets_total"]), (1, &json!(one[..7].iter().sum::<i64>())));
        assert_eq!(entry[0]["targets"][0], format!("WorkOrder/{first}"));
        assert!(entry[0]["targets"].to_string().contains("Job/") && entry[0]["targets"].to_string().contains("Batch/"));
        let seal = admin.get("/event/seal").await.body.as_array().unwrap().last().unwrap().clone();
        assert_eq!((&seal["reason"], &seal["user_key"], &seal["count"]), (&json!("force_delete_work_order"), &json!(admin.key), &json!(one[6])));
        assert_eq!(admin.get("/event/verify").await.detail()["ok"], true);
        assert_eq!(admin.get("/event").await.body.as_array().unwrap().len() as i64, left[6]);

        let queues = site.count("queue").await;
        let answer = admin.delete("/reset/prod").await.detail();
        let nothing_of_others = json!({
            "has_tag": 1, "Queue": queues, "Serial": 0, "contains": 0, "batch_serial": 0, "is_in_position": 0, "movement": 0,
            "Issue": 0, "issue_rel": 0, "message": 0, "task_rel": 0
        });
        assert_eq!(answer["removed"], removed(&left, nothing_of_others));
        assert_eq!(counts(site).await, [0; TABLES.len()]);
        let entry = admin.get(&format!("/audit?target=WorkOrder/{second}&operation=reset_production")).await.body;
        assert_eq!(entry.as_array().unwrap().len(), 1, "the order is among what went");
        assert_eq!((site.count("product").await, site.count("phase").await, site.count("queue").await), (1, 2, 1));
        let found = admin.get("/event/verify").await.detail();
        assert_eq!((&found["ok"], &found["events_removed"], &found["events_checked"]), (&json!(true), &json!(both[6]), &json!(0)));
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
