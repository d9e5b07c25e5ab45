//! Many at once: on one node of the embedded database, on two nodes of PostgreSQL.

use futures_util::future::join_all;
use testkit::{Engine, block_on};

use super::*;

/// Runs a test on both engines, with a second node where there can be one; people go to the nodes in turn.
fn on_all_nodes(test: impl AsyncFn(&Site, &Shop, &[String])) {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        block_on(async {
            let site = Site::start(engine).await;
            let second = match engine {
                Engine::Postgres => Some(site.second_node().await),
                Engine::Sqlite => None,
            };
            let mut nodes = vec![site.base()];
            nodes.extend(second.iter().map(|node| format!("http://{}", node.address)));
            test(&site, &shop(&site).await, &nodes).await;
            if let Some(second) = second {
                second.stop().await;
            }
            site.check_audit().await;
            site.stop().await;
        });
    }
}

fn statuses(answers: &[Answer]) -> (usize, usize) {
    let of = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
    (of(200), of(422))
}

#[test]
fn a_batch_is_completed_once() {
    on_all_nodes(async |_, shop, nodes| {
        let order = shop.order("A", &[json!({ "production_batch_qt": 1, "auto_new_batch": false })], 30.0).await;
        for round in 0..5 {
            let kind = if round == 0 { "JOB_STARTED" } else { "JOB_RESUMED" };
            let batch = event(&shop.o1, kind, json!({ "job_key": order.jobs[0] })).await.detail()["batch_data"].clone();
            let tries = (0..8).map(|index| {
                let who = shop.o1.at(&nodes[index % nodes.len()]);
                let batch = batch.clone();
                async move { complete(&who, &batch, json!({})).await }
            });
            let answers = join_all(tries).await;
            assert_eq!(
                statuses(&answers),
                (1, 7),
                "{:?}",
                answers.iter().map(|answer| &answer.text).collect::<Vec<_>>()
            );
            for answer in answers.into_iter().filter(|answer| answer.status == 422) {
                refused(answer, "BatchNotActiveError");
            }
            assert_eq!(shop.job(&order, 0).await["qt_completed"], round + 1);
        }
    });
}

#[test]
fn a_user_is_at_one_job_and_a_phase_has_one_where_that_is_the_rule() {
    on_all_nodes(async |_, shop, nodes| {
        let alone = json!({ "production_batch_qt": 0, "parallel_job_allowed": false });
        shop.order("A", std::slice::from_ref(&alone), 1.0).await;
        let mut jobs = Vec::new();
        for _ in 0..6 {
            let made = shop.admin.post("/work-order", json!({ "product_key": "A", "qt_planned": 1 })).await.detail();
            jobs.push(made["jobs"][0]["_key"].as_str().unwrap().to_owned());
        }
        let begin = |who: &Person, index: usize| {
            let (who, job) = (who.at(&nodes[index % nodes.len()]), jobs[index].clone());
            async move { event(&who, "JOB_STARTED", json!({ "job_key": job })).await }
        };
        // Six jobs of one phase, by people who are free.
        let people = [&shop.o1, &shop.o2, &shop.supervisor, &shop.o1, &shop.o2, &shop.supervisor];
        let answers = join_all((0..6).map(|index| begin(people[index], index))).await;
        assert_eq!(statuses(&answers), (1, 5), "{:?}", answers.iter().map(|answer| &answer.text).collect::<Vec<_>>());
        let active = shop.admin.get("/job?active=true").await.detail();
        assert_eq!(active.as_array().unwrap().len(), 1);

        // One user, six phases.
        let mut orders = Vec::new();
        for code in ["B", "C", "D", "E", "F", "G"] {
            orders.push(shop.order(code, &all_at_once(1), 1.0).await.jobs[0].clone());
        }
        let free = [&shop.o1, &shop.o2].into_iter().find(|who| active[0]["assigned_to"] != json!(who.key)).unwrap();
        let answers = join_all(orders.iter().enumerate().map(|(index, job)| {
            let (who, job) = (free.at(&nodes[index % nodes.len()]), job.clone());
            async move { event(&who, "JOB_STARTED", json!({ "job_key": job })).await }
        }))
        .await;
        assert_eq!(statuses(&answers), (1, 5), "{:?}", answers.iter().map(|answer| &answer.text).collect::<Vec<_>>());
    });
}

/// Eight people each at a job of their own, of one order with two phases: what the first phase makes is used up by the second
/// and by nobody twice, and in the end everything is made.
#[test]
fn many_people_make_one_order() {
    on_all_nodes(async |site, shop, nodes| {
        let order =
            shop.order("A", &[json!({ "production_batch_qt": 2 }), json!({ "production_batch_qt": 3 })], 48.0).await;
        // Twelve of each phase for each of four jobs.
        let phases: Vec<Value> = shop.read(&order).await["phase_sequence"].as_array().unwrap().clone();
        let mut changes: Vec<Value> = order
            .jobs
            .iter()
            .map(|job| json!({ "action": "update", "data": { "_key": job, "qt_planned": 12 } }))
            .collect();
        for phase in &phases {
            let part = json!({ "action": "insert", "data": { "work_order_key": order.key, "phase_key": phase, "qt_planned": 12 } });
            changes.extend(vec![part; 3]);
        }
        shop.admin.post("/job/update", Value::Array(changes)).await.expect(200);
        let jobs = shop.read(&order).await["jobs"].clone();
        let jobs: Vec<String> =
            jobs.as_array().unwrap().iter().map(|job| job["_key"].as_str().unwrap().to_owned()).collect();
        assert_eq!(jobs.len(), 8);
        let mut crew = Vec::new();
        for number in 0..jobs.len() {
            crew.push(site.user(&format!("crew-{number}"), "operator").await);
        }
        let assign: Vec<Value> = jobs
            .iter()
            .zip(&crew)
            .map(|(job, who)| json!({ "action": "update", "data": { "_key": job, "assigned_to": who.key } }))
            .collect();
        shop.admin.post("/job/update", Value::Array(assign)).await.expect(200);
        let work = jobs.iter().zip(&crew).enumerate().map(|(index, (job, who))| {
            let (who, job) = (who.at(&nodes[index % nodes.len()]), job.clone());
            async move { work_until_closed(&who, &job).await }
        });
        join_all(work).await;
        let done = shop.read(&order).await;
        assert_eq!(
            (&done["status"], &done["qt_completed"], &done["progress"]),
            (&json!("closed"), &json!(48), &json!(100))
        );
        for job in done["jobs"].as_array().unwrap() {
            assert_eq!((&job["stage"], &job["qt_completed"]), (&json!("closed"), &json!(12)), "{job}");
        }
    });
}

/// Begins, completes and goes on until the job is closed; waits when nothing is there to work on.
async fn work_until_closed(who: &Person, job: &str) {
    let mut kind = "JOB_STARTED";
    for _ in 0..10_000 {
        let answer = event(who, kind, json!({ "job_key": job })).await;
        if answer.status == 422 {
            let why = answer.body["detail"]["error_type"].as_str().unwrap_or_default().to_owned();
            match why.as_str() {
                "WipNotAvailableError" => tokio::task::yield_now().await,
                "JobIsClosedError" => return,
                _ => panic!("{}", answer.text),
            }
            continue;
        }
        kind = "JOB_RESUMED";
        let mut detail = answer.detail();
        while !detail["batch_data"].is_null() {
            detail = complete(who, &detail["batch_data"].clone(), json!({})).await.detail();
        }
        if detail["job_data"]["stage"] == "closed" {
            return;
        }
    }
    panic!("the job was never closed");
}

/// Two of them with the same orders, named the other way round, would wait for each other for ever.
#[test]
fn bulks_of_the_same_orders_pass() {
    on_all_nodes(async |site, shop, nodes| {
        let mut jobs = Vec::new();
        for code in ["A", "B", "C", "D"] {
            jobs.extend(shop.order(code, &all_at_once(2), 10.0).await.jobs);
        }
        let before = site.count("event").await;
        let bulks = (0..12).map(|index| {
            let who = shop.supervisor.at(&nodes[index % nodes.len()]);
            let mut rows: Vec<Value> =
                jobs.iter().map(|job| json!({ "entity_key": job, "extra_data": { "bulk": index } })).collect();
            if index % 2 == 1 {
                rows.reverse();
            }
            let shared = json!({ "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job" });
            async move { who.post("/event/bulk", json!({ "shared_data": shared, "events": rows })).await }
        });
        let answers = join_all(bulks).await;
        let texts: Vec<&String> = answers.iter().map(|answer| &answer.text).collect();
        assert_eq!(statuses(&answers), (12, 0), "{texts:?}");
        assert_eq!(site.count("event").await, before + 12 * 8);
        let mut kept = Vec::new();
        for job in &jobs {
            kept.push(shop.admin.get(&format!("/job/{job}")).await.detail()["extra"].clone());
        }
        assert!(kept.iter().all(|extra| *extra == kept[0]), "the last bulk was the last at every job: {kept:?}");
    });
}
