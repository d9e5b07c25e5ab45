//! What work on many units costs: as many statements as work on a few, and memory within bounds.

use testkit::{Engine, block_on};

use super::*;

on_both_engines! {
    async fn scrapping_many_takes_no_more_statements(site) {
        let plant = plant(site).await;
        let order = plant.traced("P", &all_at_once(2), 60.0).await;
        let units = plant.make_units(&order).await;
        let scrap = async |units: &[String]| {
            let sent = json!({ "serial_keys": units, "reason": "dropped" });
            let (statements, answer) = site.statements(event(&plant.admin, "SERIAL_SCRAPPED", sent)).await;
            answer.expect(200);
            statements
        };
        scrap(&units[..1]).await;
        let (few, many) = (scrap(&units[1..6]).await, scrap(&units[6..56]).await);
        assert!(many <= few + 2, "{many} statements for 50 units, {few} for 5");
        assert_eq!(plant.waiting(&order.jobs[1]).await, units[56..]);
    }

    async fn declaring_many_links_takes_no_more_statements(site) {
        let plant = plant(site).await;
        plant.product("C", json!({})).await;
        let codes: Vec<String> = (0..60).map(|number| format!("C{number:02}")).collect();
        let made = event(&plant.admin, "SERIAL_CREATED", json!({ "product_key": "C", "codes": codes })).await.detail();
        let components = each(&made["serials"], "serial_key");
        let order = plant.traced("P", &all_at_once(2), 60.0).await;
        plant.needs(&order, &[("C", 1.0, 0)]).await;
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = &started["batch_data"];
        let units = plant.units_of(batch).await;
        let declare = async |count: usize| {
            let links: Vec<Value> = (0..count).map(|place| pair(&components[place], &units[place])).collect();
            let (statements, answer) = site.statements(plant.declare(&plant.operator, batch, json!(links))).await;
            assert_eq!(answer.detail().as_array().unwrap().len(), count);
            statements
        };
        declare(1).await;
        let (few, many) = (declare(6).await, declare(60).await);
        assert!(many <= few + 2, "{many} statements for 60 links, {few} for 6");
    }
}

/// What is entered once is stored with each unit, and units are read together.
#[test]
fn large_values_are_for_few_units() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site =
                Site::start_with(engine, |settings| settings.request_memory_bytes = Some(16 * 1024 * 1024)).await;
            let plant = plant(&site).await;
            plant.admin.post("/field", json!({ "_key": "note", "name": "Note", "type": "text" })).await.expect(200);
            let fields = json!([{ "_key": "n", "custom_field_key": "note" }]);
            let order = plant.traced("P", &[asking(0, fields)], 500.0).await;
            let step = plant.step(&order, 0).await;
            let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
            let batch = &started["batch_data"];
            let finish = async |length: usize| {
                complete(&plant.operator, batch, entered(&step, "n", json!("x".repeat(length)))).await
            };
            refused(finish(10_000).await, "ValueError");
            finish(1_000).await.expect(200);
            site.stop().await;
        }
    });
}
