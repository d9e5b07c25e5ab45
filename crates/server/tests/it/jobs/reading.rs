use super::*;

/// The keys of a list of jobs.
async fn keys(who: &Person, query: &str) -> Vec<String> {
    let jobs = who.get(&format!("/job{query}")).await.detail();
    each(&jobs, "_key").into_iter().map(str::to_owned).collect()
}

on_both_engines! {
    async fn jobs_are_listed_by_site_queue_and_phase(site) {
        let shop = shop(site).await;
        let done = shop.order("DONE", &all_at_once(1), 1.0).await;
        let first = shop.order("A", &all_at_once(2), 4.0).await;
        let second = shop.order("B", &all_at_once(2), 4.0).await;
        shop.make(&shop.o1, &done.jobs[0]).await;
        let all: Vec<String> = [&first.jobs[..], &second.jobs, &done.jobs].concat();
        assert_eq!(keys(&shop.admin, "").await, all, "closed orders come last");
        shop.admin.put("/queue", json!({ "work_orders": [second.key] })).await.expect(200);
        let all: Vec<String> = [&second.jobs[..], &first.jobs, &done.jobs].concat();
        assert_eq!(keys(&shop.admin, "").await, all);

        event(&shop.o1, "JOB_STARTED", json!({ "job_key": first.jobs[0] })).await.expect(200);
        update(&shop.admin, json!([change(&second.jobs[1], json!({ "assigned_to": shop.o2.key }))])).await.expect(200);
        assert_eq!(keys(&shop.admin, "?stage=planned").await, [&second.jobs[..], &first.jobs[1..]].concat());
        assert_eq!(keys(&shop.admin, "?stage=created&stage=closed&stage=planned").await.len(), 4);
        assert_eq!(keys(&shop.admin, "?active=true").await, [first.jobs[0].clone()]);
        assert_eq!(keys(&shop.admin, "?active=false&stage=started").await, Vec::<String>::new());
        let of_both = format!("?assigned_to={}&assigned_to={}", shop.o1.key, shop.o2.key);
        assert_eq!(keys(&shop.admin, &of_both).await, [&second.jobs[1..], &first.jobs[..1], &done.jobs].concat());
        let narrowed = format!("{of_both}&stage=started&stage=created&work_order_key={}&work_order_key={}", first.key, done.key);
        assert_eq!(keys(&shop.admin, &narrowed).await, [first.jobs[0].clone()]);
        let phase = read(&shop.admin, &first.jobs[1]).await["phase_key"].as_str().unwrap().to_owned();
        assert_eq!(keys(&shop.admin, &format!("?phase_key={phase}")).await, [first.jobs[1].clone()]);
        let named = format!("?job_key={}&job_key={}&job_key=nobody", first.jobs[1], second.jobs[0]);
        assert_eq!(keys(&shop.admin, &named).await, [second.jobs[0].clone(), first.jobs[1].clone()]);

        let page = shop.admin.get("/job?limit=2&offset=1&count=true").await;
        assert_eq!(page.header("x-total-count"), "5");
        assert_eq!(each(&page.detail(), "_key"), &all[1..3]);
        assert_eq!(shop.admin.get("/job?stage=done&active=maybe").await.faults(), ["enum query.stage.0", "bool_type query.active"]);
    }

    async fn a_job_shows_what_its_operator_needs(site) {
        let shop = shop(site).await;
        let admin = &shop.admin;
        admin.post("/product", json!({ "_key": "C", "code": "C" })).await.expect(201);
        admin.post("/product", json!({ "_key": "P", "code": "P", "description": "A pump", "production_notes": "Mind the seal." })).await.expect(201);
        let process = json!([
            { "alias": "Prep", "operation_key": "work", "production_notes": "Gloves.", "steps": [{ "title": "Clean" }, { "title": "Look" }] },
            { "alias": "Test", "operation_key": "work", "params": { "std_processing_time": 90 }, "steps": [] },
        ]);
        let phases = admin.put("/product/P/process", process).await.expect(200).body;
        let lines = json!([{ "component_code": "C", "qt": 2, "phase_key": phases[0]["_key"] }, { "component_code": "C", "qt": 1 }]);
        admin.put("/product/P/bom", lines).await.expect(200);
        admin.upload(testkit::Method::POST, "/product/P/doc", &[], &[("new_doc", "plan.pdf", b"1")]).await.expect(200);
        let order = json!({
            "product_code": "P", "qt_planned": 4, "notes": "For the fair.", "project_code": "Alpha", "due_by": "2026-03-01",
            "extra": { "lane": 3 }
        });
        let made = admin.post("/work-order", order).await.detail();
        let prep = made["jobs"][0]["_key"].as_str().unwrap();
        let job = read(admin, prep).await;
        assert_eq!(job["_id"], format!("Job/{prep}"));
        assert_eq!((&job["wo_key"], &job["wo_code"]), (&made["work_order"]["_key"], &made["work_order"]["wo_code"]));
        assert_eq!([&job["product_code"], &job["product_description"], &job["phase_alias"]], ["P", "A pump", "Prep"]);
        assert_eq!([&job["first_phase"], &job["last_phase"], &job["on_time"]], [true, false, true]);
        assert_eq!(each(&job["step_sequence"], "title"), ["Clean", "Look"]);
        assert_eq!(job["job_docs"], json!([{ "name": "plan.pdf", "size": 1 }]));
        assert_eq!((&job["project_code"], &job["extra"]), (&json!("Alpha"), &json!({ "lane": 3 })));
        assert_eq!([&job["product_notes"], &job["phase_notes"], &job["order_notes"]], ["Mind the seal.", "Gloves.", "For the fair."]);
        assert_eq!((&job["issue_count"], &job["message_count"], &job["issues_open"]), (&json!(0), &json!(0), &json!(0)));
        let lines = job["wo_bom"].as_array().unwrap();
        assert_eq!((lines.len(), &lines[0]["qt"], &lines[0]["phase_name"]), (1, &json!(2), &json!("Prep")));
        assert_eq!(lines[0]["declared_serials"], json!([]));
        assert!(lines[0].get("cost_average").is_none());
        assert_eq!((&job["estimated_completion"], &job["assigned_user"]), (&json!(null), &json!(null)));

        let begun = site.clock.now();
        event(&shop.o1, "JOB_STARTED", json!({ "job_key": prep })).await.expect(200);
        let job = read(admin, prep).await;
        assert_eq!(job["assigned_user"]["username"], "o1");
        assert_eq!((&job["start"], &job["last_online"]), (&json!(begun), &json!(begun)));
        assert_eq!(job["estimated_completion"], later(begun, 3 * 60), "three units are in no batch yet");
        // The bare date of due_by is the end of that day.
        site.clock.advance_seconds(16 * 3600);
        assert_eq!(read(admin, prep).await["on_time"], false);
        assert_eq!(read(admin, made["jobs"][1]["_key"].as_str().unwrap()).await["last_phase"], true);
        admin.get("/job/nobody").await.expect(404);
        admin.get("/job/0000000000000").await.expect(404);
    }

    async fn the_time_at_a_job_runs_until_now(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(1), 5.0).await;
        let path = format!("/job/{}/time", order.jobs[0]);
        let time = async || shop.admin.get(&path).await.detail();
        assert_eq!(time().await, 0);
        let session = format!("/work-session?job_key={}", order.jobs[0]);
        assert_eq!(shop.admin.get(&session).await.detail(), json!(null));
        let ahead = json!({ "job_key": order.jobs[0], "timestamp": later(site.clock.now(), 60) });
        event(&shop.o1, "JOB_STARTED", ahead).await.expect(200);
        assert_eq!(time().await, 0, "it begins in a minute");
        site.clock.advance_seconds(100);
        assert_eq!(time().await, 40_000);
        event(&shop.o1, "JOB_PAUSED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        site.clock.advance_seconds(100);
        assert_eq!(time().await, 40_000);
        let first = shop.admin.get(&session).await.detail();
        assert_eq!([&first["job_key"], &first["work_order_key"], &first["product_key"]], [&order.jobs[0], &order.key, "P"]);
        assert_eq!((&first["duration"], &first["active"], &first["user_key"]), (&json!(40_000), &json!(false), &json!(shop.o1.key)));
        event(&shop.o1, "JOB_RESUMED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        site.clock.advance_seconds(10);
        assert_eq!(time().await, 50_000);
        let second = shop.admin.get(&session).await.detail();
        assert_eq!((&second["active"], &second["end"], &second["hourly_cost"]), (&json!(true), &json!(null), &json!(25)));
        assert_ne!(second["_key"], first["_key"]);
        for path in ["/job/nobody/time", "/work-session?job_key=nobody", "/wip?job_key=nobody"] {
            shop.admin.get(path).await.expect(404);
        }
        assert_eq!(shop.admin.get("/work-session").await.faults(), ["missing query.job_key"]);
        assert_eq!(shop.admin.get("/wip").await.faults(), ["missing query.job_key"]);
    }

    async fn what_lies_before_and_behind_a_job(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &[json!({ "production_batch_qt": 4, "auto_new_batch": false }), json!({ "production_batch_qt": 3 })], 10.0).await;
        let wip = async |job: &str| shop.admin.get(&format!("/wip?job_key={job}")).await.expect(200).body;
        let expected = |job: &str, before: Value, behind: Value| json!({ "job_key": job, "free_wip_qt_upstream": before, "free_wip_qt_downstream": behind });
        assert_eq!(wip(&order.jobs[0]).await, expected(&order.jobs[0], json!(null), json!(0)));
        shop.make(&shop.o1, &order.jobs[0]).await;
        event(&shop.o2, "JOB_STARTED", json!({ "job_key": order.jobs[1] })).await.expect(200);
        assert_eq!(wip(&order.jobs[0]).await, expected(&order.jobs[0], json!(null), json!(1)));
        assert_eq!(wip(&order.jobs[1]).await, expected(&order.jobs[1], json!(1), json!(null)));
    }

    async fn operators_and_what_they_have_to_do(site) {
        let shop = shop(site).await;
        site.new_user("v", "viewer production").await;
        let first = shop.order("A", &all_at_once(2), 4.0).await;
        let second = shop.order("B", &all_at_once(1), 4.0).await;
        let to = |job: &str, who: &Person| change(job, json!({ "assigned_to": who.key }));
        let given = json!([to(&second.jobs[0], &shop.o1), to(&first.jobs[1], &shop.o1)]);
        update(&shop.admin, given).await.expect(200);
        let all = shop.admin.get("/job-assignment").await.detail();
        let operators = all["assigned_jobs_by_operator"].as_array().unwrap();
        let names: Vec<&str> = operators.iter().map(|one| one["operator"]["username"].as_str().unwrap()).collect();
        assert_eq!(names, ["admin", "o1", "o2", "s"], "those whose scope says operator");
        let of = |name: &str| operators.iter().find(|one| one["operator"]["username"] == name).unwrap();
        assert_eq!(each(&of("o1")["assigned_jobs"], "_key"), [&first.jobs[1], &second.jobs[0]]);
        assert_eq!((&of("o1")["independent"], &of("o2")["assigned_jobs"]), (&json!(false), &json!([])));
        assert_eq!(each(&all["unassigned_jobs"], "_key"), [&first.jobs[0]]);

        shop.admin.patch("/config", json!({ "allow_independent_reordering_of_job_queues": true })).await.expect(200);
        let own = json!({ "independent": true, "jobs": [second.jobs[0]] });
        shop.admin.put(&format!("/queue/operator/{}", shop.o1.key), own).await.expect(200);
        let one = shop.admin.get(&format!("/job-assignment?user_key={}", shop.o1.key)).await.detail();
        let operators = one["assigned_jobs_by_operator"].as_array().unwrap();
        assert_eq!((operators.len(), &operators[0]["independent"]), (1, &json!(true)));
        assert_eq!(each(&operators[0]["assigned_jobs"], "_key"), [&second.jobs[0], &first.jobs[1]]);
        shop.make(&shop.o1, &second.jobs[0]).await;
        let one = shop.admin.get(&format!("/job-assignment?user_key={}", shop.o1.key)).await.detail();
        assert_eq!(each(&one["assigned_jobs_by_operator"][0]["assigned_jobs"], "_key"), [&first.jobs[1]], "open ones only");
        let nobody = shop.admin.get("/job-assignment?user_key=nobody").await.detail();
        assert_eq!(nobody["assigned_jobs_by_operator"], json!([]));
    }

    async fn many_jobs_cost_few_statements(site) {
        let shop = shop(site).await;
        shop.order("P", &all_at_once(3), 4.0).await;
        for _ in 0..20 {
            shop.admin.post("/work-order", json!({ "product_key": "P", "qt_planned": 2 })).await.expect(200);
        }
        let (cost, jobs) = site.statements(shop.admin.get("/job?count=true")).await;
        assert_eq!(jobs.detail().as_array().unwrap().len(), 63);
        assert!(cost <= 4, "{cost} statements");
        let (cost, assignment) = site.statements(shop.admin.get("/job-assignment")).await;
        assert_eq!(assignment.detail()["unassigned_jobs"].as_array().unwrap().len(), 63);
        assert!(cost <= 6, "{cost} statements");
        let (cost, orders) = site.statements(shop.admin.get("/queue/site/0?count=true")).await;
        assert_eq!(orders.detail().as_array().unwrap().len(), 21);
        assert!(cost <= 8, "{cost} statements");
        let (cost, queues) = site.statements(shop.admin.get("/queue")).await;
        assert_eq!(queues.detail()[0]["work_orders"].as_array().unwrap().len(), 21);
        assert!(cost <= 5, "{cost} statements");
    }
}
